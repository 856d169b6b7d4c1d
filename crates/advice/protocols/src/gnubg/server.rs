//! The program that GNU Backgammon asks.

use std::fmt;
use std::io::{self, BufRead, Write};

use tavola_engine::operations::{Eval, EvalAnswer};
use tavola_engine::{Effort, Engine, Question, Watch};
use tavola_equity::Probs;
use tavola_evaluator::search::MAX_PLY;
use tavola_rules::Backgammon;
use tavola_rules::notation::{Form, MoneyOrMatch, Situation, read_situation};

use crate::lines::{Line, Lines};
use crate::ubgi::{Decision, act};

/// Longest line in bytes.
const LONGEST_LINE: usize = 4096;

/// A program that GNU Backgammon takes for its external player or evaluator.
#[derive(Debug)]
pub struct Opponent<'a> {
    /// What answers.
    pub engine: &'a Engine,
    /// The network, the match equity table and how much work goes into decisions.
    pub question: &'a Question,
    /// Money games are played with the Jacoby rule: boards do not tell.
    pub jacoby: bool,
    /// Money games are played with beavers.
    pub beavers: bool,
}

/// What came of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Boards that were answered by a play or a cube action.
    pub decisions: u64,
    /// Positions that were evaluated.
    pub evaluations: u64,
    /// Lines that were answered by an error.
    pub refused: u64,
}

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { decisions, evaluations, refused } = self;
        write!(f, "{decisions} decisions, {evaluations} evaluations, {refused} refused lines")
    }
}

impl Opponent<'_> {
    /// Answers a connection until `exit` or its end; `tell` hears each line and its answer.
    ///
    /// # Errors
    ///
    /// What reading or writing fails with.
    pub fn serve(
        &self,
        input: impl BufRead,
        mut output: impl Write,
        tell: &dyn Fn(&str, &str),
    ) -> io::Result<Served> {
        let mut served = Served::default();
        let mut lines = Lines::new(input, LONGEST_LINE);
        while let Some(line) = lines.next_line()? {
            let answer = match line {
                // GNU Backgammon ends a board by a line feed and a zero, which begins the next line.
                Line::Text(bytes) => {
                    let text = String::from_utf8_lossy(bytes);
                    let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
                    if text.is_empty() {
                        continue;
                    }
                    let answer = self.answer(text, &mut served);
                    let said = match &answer {
                        Ok(said) => said.as_deref().unwrap_or_default(),
                        Err(error) => error,
                    };
                    tell(text, said);
                    answer
                }
                Line::TooLong => Err(format!("a line is longer than {LONGEST_LINE} bytes")),
            };
            let text = match answer {
                Ok(None) => break,
                Ok(Some(text)) => text,
                Err(error) => {
                    served.refused += 1;
                    format!("Error: {}", error.replace(['\n', '\r'], " "))
                }
            };
            output.write_all(format!("{text}\n").as_bytes())?;
            output.flush()?;
        }
        Ok(served)
    }

    /// The answer to a line; `None` ends the connection.
    fn answer(&self, line: &str, served: &mut Served) -> Result<Option<String>, String> {
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        match word {
            _ if word.to_ascii_lowercase().starts_with("board:") => {
                let action = self.decide(line)?;
                served.decisions += 1;
                Ok(Some(action))
            }
            "evaluation" => {
                let figures = self.evaluate(rest.trim())?;
                served.evaluations += 1;
                Ok(Some(figures))
            }
            "version" => Ok(Some(format!(
                "Interface: 2\nRFBF: 0\nEngine: tavola\nSoftware: {}",
                env!("CARGO_PKG_VERSION")
            ))),
            "help" => Ok(Some(
                "\tboard:...  evaluation fibsboard board:... [plies N] [cubeful]  version  exit"
                    .to_owned(),
            )),
            "exit" => Ok(None),
            _ => {
                let word: String = word.chars().take(40).collect();
                Err(format!("{word:?}, expected a FIBS board, evaluation, version, help or exit"))
            }
        }
    }

    /// A board with the rules of money play, which it does not tell.
    fn situation(&self, text: &str) -> Result<Situation, String> {
        let reading = read_situation(&as_on_fibs(text), Backgammon::Standard)
            .map_err(|error| tavola_files::chain(&error))?;
        let mut situation = reading.situation;
        if let Some(MoneyOrMatch::Money { .. }) = situation.stakes {
            let (jacoby, beavers) = (self.jacoby, Some(self.beavers));
            situation.stakes = Some(MoneyOrMatch::Money { jacoby, beavers });
        }
        Ok(situation)
    }

    /// A play, `roll`, `double`, `take`, `drop` or `beaver`.
    fn decide(&self, board: &str) -> Result<String, String> {
        let situation = self.situation(board)?;
        Ok(match act(self.engine, self.question, &situation)? {
            Decision::Play(play) => play.hops,
            Decision::Cube("nodouble") => "roll".to_owned(),
            Decision::Cube(word) | Decision::Turn { cube: word, .. } => word.to_owned(),
        })
    }

    /// `fibsboard BOARD` and options, as GNU Backgammon's own server takes them.
    fn evaluate(&self, request: &str) -> Result<String, String> {
        let form = "evaluation fibsboard board:... [plies N] [cubeful] [jacobyrule on|off]";
        let mut words = request.split_whitespace();
        if words.next() != Some("fibsboard") {
            return Err(format!("evaluation {request:?}, expected {form}"));
        }
        let board = words.next().ok_or_else(|| format!("no board, expected {form}"))?;
        let (mut plies, mut cubeful, mut jacoby, mut beavers) = (0, false, false, false);
        while let Some(word) = words.next() {
            if word == "cubeful" {
                cubeful = true;
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{word} without a value"))?;
            let flag = || match value {
                "on" | "true" | "yes" | "1" => Ok(true),
                "off" | "false" | "no" | "0" => Ok(false),
                _ => Err(format!("{word} {value:?}, expected on or off")),
            };
            match word {
                "plies" => {
                    plies =
                        value.parse().ok().filter(|plies| *plies <= MAX_PLY).ok_or_else(|| {
                            format!("plies {value:?}, expected a number from 0 to {MAX_PLY}")
                        })?;
                }
                "jacobyrule" => jacoby = flag()?,
                "beavers" => beavers = flag()?,
                // Boards say whether a game is the Crawford game.
                "crawfordrule" => {
                    flag()?;
                }
                // Evaluations are always pruned and deterministic, and have no noise.
                "prune" | "deterministic" if flag()? => {}
                "noise" if value.parse() == Ok(0.0) => {}
                _ => return Err(format!("{word} {value}, which is not done here")),
            }
        }
        let money = Self { jacoby, beavers, ..*self };
        let situation = money.situation(board)?;
        let situation = Situation { dice: None, offer: None, ..situation };
        let position = Form::Xgid.write(&situation).map_err(|error| tavola_files::chain(&error))?;
        let question = Question {
            position: Some(position),
            effort: Effort::new(plies, self.question.effort.preset),
            ..self.question.clone()
        };
        let is_match = matches!(situation.stakes, Some(MoneyOrMatch::Match(_)));
        let eval = Eval { cubeful: Some(cubeful || is_match) };
        let answered = self
            .engine
            .ask(&question, &eval, &Watch::default())
            .map_err(|error| error.to_string())?;
        Ok(six(&answered.answer))
    }
}

// Fields of a board behind its label.
const LENGTH: usize = 2;
const SCORES: usize = 3;
const TURN: usize = 31;
const MAY_DOUBLE: usize = 37;
const DOUBLED: usize = 39;
const COLOR: usize = 40;
const DIRECTION: usize = 41;
const ON_BAR: usize = 46;
/// 0 in the Crawford game, in which the cube is not marked otherwise.
const NOT_CRAWFORD: usize = 51;

/// A board of GNU Backgammon 1.07 as FIBS would send it.
///
/// Its checkers, turn and cube are those of its player 1, whose checkers are positive, and the
/// color is always 1. Names and scores begin with player 0, but with player 1 where a double is
/// offered; then the turn is that of the player who has doubled.
fn as_on_fibs(text: &str) -> String {
    let mut fields: Vec<&str> = text.split(':').collect();
    let Some((_, behind)) =
        fields.split_first_mut().filter(|(_, behind)| behind.len() > ON_BAR + 1)
    else {
        // The reader of boards says what is wrong with it.
        return text.to_owned();
    };
    let (is_doubled, has_turn) = (behind[DOUBLED] != "0", behind[TURN] == "1");
    if has_turn || !is_doubled {
        behind.swap(0, 1);
        behind.swap(SCORES, SCORES + 1);
    }
    if has_turn && is_doubled {
        // The receiver is player 0: the board becomes theirs.
        behind.swap(MAY_DOUBLE, MAY_DOUBLE + 1);
        (behind[TURN], behind[COLOR], behind[DIRECTION]) = ("1", "-1", "1");
        behind.swap(ON_BAR, ON_BAR + 1);
    }
    let is_one_away = |score: &str| {
        let next = score.trim().parse::<u32>().ok().and_then(|score| score.checked_add(1));
        next.is_some_and(|next| behind[LENGTH].trim().parse() == Ok(next))
    };
    let may_be_crawford = is_one_away(behind[SCORES]) || is_one_away(behind[SCORES + 1]);
    if may_be_crawford && behind.get(NOT_CRAWFORD).is_some_and(|field| field.trim() == "0") {
        (behind[MAY_DOUBLE], behind[MAY_DOUBLE + 1]) = ("0", "0");
    }
    fields.join(":")
}

/// Five probabilities, and the equity or the probability to win the match.
fn six(answer: &EvalAnswer) -> String {
    let Probs { win, win_gammon, win_backgammon, lose_gammon, lose_backgammon } =
        answer.evaluation.probs;
    let value = answer.cubeful.map_or(f64::from(answer.evaluation.equity), |figures| {
        figures.mwc.unwrap_or(figures.cubeful_equity)
    });
    format!(
        "{win:.6} {win_gammon:.6} {win_backgammon:.6} {lose_gammon:.6} {lose_backgammon:.6} {value:.6}"
    )
}

#[cfg(test)]
mod tests {
    use tavola_rules::Offer;

    use super::*;

    const START: &str = "board:You:Opp:7:3:5:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:\
        1:DICE:0:0:1:1:1:OFFER:1:-1:0:25:0:0:0:0:2:0:0:0";

    fn board(dice: &str, offer: &str) -> String {
        START.replace("DICE", dice).replace("OFFER", offer)
    }

    fn answers(lines: &str) -> (Served, Vec<String>) {
        let engine = Engine::without_tables();
        let question = Question { effort: Effort::at(0), ..Question::default() };
        let (engine, question) = (&engine, &question);
        let opponent = Opponent { engine, question, jacoby: false, beavers: false };
        let mut output = Vec::new();
        let served = opponent.serve(lines.as_bytes(), &mut output, &|_, _| {}).unwrap();
        let text = String::from_utf8(output).unwrap();
        (served, text.lines().map(str::to_owned).collect())
    }

    #[test]
    fn boards_are_answered_by_plays_and_cube_actions() {
        let lines =
            format!("{}\n\0{}\n\0{}\n\0", board("3:1", "0"), board("0:0", "0"), board("0:0", "1"));
        let (served, told) = answers(&lines);
        assert_eq!(told, ["8/5 6/5", "roll", "take"]);
        assert_eq!((served.decisions, served.refused), (3, 0));
    }

    #[test]
    fn evaluations_have_six_numbers() {
        let board = board("0:0", "0");
        let lines = format!(
            "evaluation fibsboard {board} plies 0 cubeful\nevaluation fibsboard {} plies 0\n",
            board.replace("7:3:5", "0:0:0")
        );
        let (served, told) = answers(&lines);
        assert_eq!(served.evaluations, 2);
        let numbers = |line: &str| -> Vec<f64> {
            line.split(' ').map(|number| number.parse().unwrap()).collect()
        };
        let (in_match, money) = (numbers(&told[0]), numbers(&told[1]));
        assert_eq!(in_match[..5], money[..5]);
        // Ahead 5-3 in a match to 7, as GNU Backgammon orders the scores, and in the game.
        assert!((0.6..0.8).contains(&in_match[5]), "{in_match:?}");
        let equity = 2.0 * money[0] - 1.0 + money[1] + money[2] - money[3] - money[4];
        assert!((equity - money[5]).abs() < 1e-5, "{money:?}");
    }

    #[test]
    fn boards_are_read_as_gnubg_writes_them() {
        use tavola_rules::CubeOwner;
        // Player 0 has to answer the double of player 1, who is ahead 3-4.
        let doubled = "board:gnubg:tavola:5:3:4:0:-1:-1:0:0:0:5:0:3:0:0:0:-4:5:0:0:-1:-3:0:-5:0:0:0:0:2:0:\
            1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:1:1";
        let read =
            |text: &str| read_situation(&as_on_fibs(text), Backgammon::Standard).unwrap().situation;
        let score = |situation: &Situation| match situation.stakes {
            Some(MoneyOrMatch::Match(score)) => {
                (score.player(), score.opponent(), score.is_crawford())
            }
            other => panic!("{other:?}"),
        };
        let found = read(doubled);
        assert_eq!((found.position.counts()[6], found.position.counts()[24]), (5, 2));
        assert_eq!((score(&found), found.offer), ((3, 4, false), Some(Offer::Double)));
        // Player 0 is on roll with the cube; their checkers are negative, their points come first.
        let on_roll = "board:tavola:gnubg:5:4:3:0:1:0:0:0:0:0:0:0:0:0:0:-1:0:0:0:0:0:-1:0:-1:-4:-4:-1:-3:0:-1:\
            5:1:5:1:2:0:1:0:1:-1:0:25:14:0:0:0:0:0:1:1";
        let found = read(on_roll);
        assert_eq!((found.position.counts()[1], found.position.counts()[13]), (3, 1));
        assert_eq!(
            (score(&found), found.cube.unwrap().owner()),
            ((4, 3, false), CubeOwner::Player)
        );
        let crawford = START.replace("7:3:5", "7:0:6").replace("DICE", "3:1").replace("OFFER", "0");
        assert_eq!(score(&read(&crawford)), (6, 0, true));
    }

    #[test]
    fn what_is_no_request_gets_an_error_and_the_connection_goes_on() {
        let lines = format!(
            "nonsense\nboard:nonsense\nevaluation now\nevaluation fibsboard {} plies 9\nversion\nexit\nversion\n",
            board("0:0", "0")
        );
        let (served, told) = answers(&lines);
        assert_eq!(served.refused, 4);
        assert!(told[..4].iter().all(|line| line.starts_with("Error: ")), "{told:?}");
        assert_eq!(told[4], "Interface: 2");
        assert_eq!(told.len(), 8);
    }
}
