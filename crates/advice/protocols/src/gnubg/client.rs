//! Asking a GNU Backgammon that was told `external HOST:PORT`.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use serde::Serialize;
use tavola_files::Failure;
use tavola_rules::notation::{Form, MoneyOrMatch, Situation};

/// GNU Backgammon reads lines of less than this.
const LONGEST_LINE: usize = 256;

/// A connection to a server of GNU Backgammon.
#[derive(Debug)]
pub struct Connection {
    reader: BufReader<TcpStream>,
    address: String,
}

/// What GNU Backgammon thinks of a position, from the player on roll before the roll.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GnubgEvaluation {
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    pub probs: [f64; 5],
    /// Money equity per unit of the cube, or in a match the probability to win it.
    pub value: f64,
}

/// There is no connection, or it has ended.
fn lost(address: &str, error: &io::Error) -> Failure {
    Failure::work(format!("{address}: {error}"))
}

impl Connection {
    /// Connects; no answer may take longer than `timeout`.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn open(address: &str, timeout: Duration) -> Result<Self, Failure> {
        let connect = || {
            let mut last = io::Error::new(io::ErrorKind::NotFound, "no such host");
            for candidate in address.to_socket_addrs()? {
                match TcpStream::connect_timeout(&candidate, timeout) {
                    Ok(stream) => {
                        stream.set_read_timeout(Some(timeout))?;
                        stream.set_nodelay(true)?;
                        return Ok(stream);
                    }
                    Err(error) => last = error,
                }
            }
            Err(last)
        };
        let stream = connect().map_err(|error| lost(address, &error))?;
        Ok(Self { reader: BufReader::new(stream), address: address.to_owned() })
    }

    /// What a position is worth at this number of plies. A roll and an offer do not matter.
    ///
    /// The five probabilities do not depend on cube and score. In matches GNU Backgammon 1.07 reads
    /// the opponent's score where the player's stands, so both are sent in the order in which its
    /// answer is right.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn evaluate(
        &mut self,
        situation: &Situation,
        plies: u8,
        cubeful: bool,
    ) -> Result<GnubgEvaluation, Failure> {
        let mut asked = Situation { dice: None, offer: None, ..*situation };
        if let Some(MoneyOrMatch::Match(score)) = asked.stakes {
            asked.stakes = Some(MoneyOrMatch::Match(score.flip()));
        }
        let board = Form::Fibs.write(&asked).map_err(Failure::input)?;
        // Short names leave room; the rest of the line is numbers.
        let mut board = board.replacen("You:Opponent", "a:b", 1);
        if !matches!(asked.stakes, Some(MoneyOrMatch::Match(score)) if score.is_crawford()) {
            // The last field is 0 in the Crawford game, whatever the cube says.
            board.truncate(board.len() - 1);
            board.push('1');
        }
        let mut request = format!("evaluation fibsboard {board} plies {plies}");
        if cubeful {
            request += " cubeful";
        }
        if let Some(MoneyOrMatch::Money { jacoby, .. }) = asked.stakes {
            request += if jacoby { " jacobyrule on" } else { " jacobyrule off" };
        }
        if request.len() + 1 >= LONGEST_LINE {
            return Err(Failure::input(format!(
                "the request has {} bytes, expected fewer than {LONGEST_LINE}: {request:?}",
                request.len()
            )));
        }
        let answer = self.ask(&request).map_err(|error| lost(&self.address, &error))?;
        let numbers: Vec<f64> =
            answer.split_whitespace().map_while(|number| number.parse().ok()).collect();
        match numbers[..] {
            [win, wg, wbg, lg, lbg, value] if numbers.iter().all(|number| number.is_finite()) => {
                Ok(GnubgEvaluation { probs: [win, wg, wbg, lg, lbg], value })
            }
            _ => Err(Failure::work(format!(
                "{}: answered {answer:?} to {request:?}, expected six numbers",
                self.address
            ))),
        }
    }

    fn ask(&mut self, request: &str) -> io::Result<String> {
        self.reader.get_mut().write_all(format!("{request}\n").as_bytes())?;
        let mut answer = String::new();
        match self.reader.read_line(&mut answer)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(answer.trim().to_owned()),
        }
    }
}
