//! XGIDs: the text of eXtreme Gammon for everything about a game.
//!
//! The board is always seen by the player whom that program draws at the bottom, on roll or not. A
//! [`Situation`] is seen from the player on roll, so reading may flip the board, and writing puts
//! the player on roll at the bottom.

use super::situation::{self, MoneyOrMatch, Situation};
use super::{Input, NotationError, fitting};
use crate::cube::{CubeOwner, Offer};
use crate::dice::Dice;
use crate::match_state::MatchScoreError;
use crate::position::{MAX_CHECKERS, Position};

pub(super) const FORM: &str = "an XGID";
const LARGEST_EXPONENT: u8 = 15;

/// One of the two players of an XGID, who keep their places no matter which player is on roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XgidSeat {
    /// Drawn at the bottom; the board is seen from this side.
    Bottom,
    /// Drawn at the top.
    Top,
}

/// All fields of an XGID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xgid {
    /// The checkers, seen by the bottom player.
    pub board: Position,
    /// Binary logarithm of the cube's value, 0 to 15.
    pub cube_exponent: u8,
    /// Who owns the cube; `None` while it is centered.
    pub cube_owner: Option<XgidSeat>,
    /// Who is on roll, or has doubled.
    pub turn: XgidSeat,
    /// The roll to be played; `None` before it, and while a cube is offered.
    pub dice: Option<Dice>,
    /// An offered cube, written in place of the dice.
    pub offer: Option<Offer>,
    /// Points of the bottom player, up to 32767.
    pub score_bottom: u16,
    /// Points of the top player, up to 32767.
    pub score_top: u16,
    /// In a match: 1 is the Crawford game. For money: 1 Jacoby, 2 beavers, 3 both.
    pub rules: u8,
    /// Points that win the match, up to 32767; 0 for money.
    pub match_length: u16,
    /// Binary logarithm of the largest value that the cube may reach; usually 10.
    pub max_cube_exponent: u8,
}

impl Xgid {
    /// What eXtreme Gammon writes for a cube without limit worth mentioning: 1024.
    pub const USUAL_MAX_CUBE: u8 = 10;

    /// Reads an XGID, with or without its `XGID=`, with fifteen checkers a side.
    ///
    /// # Errors
    ///
    /// [`NotationError`] names the field that holds something impossible.
    pub fn decode(text: &str) -> Result<Self, NotationError> {
        Self::decode_with_checkers(text, MAX_CHECKERS)
    }

    /// As [`Self::decode`], with `checkers` a side: 3 for hypergammon.
    ///
    /// # Errors
    ///
    /// [`NotationError`] names the field that holds something impossible.
    pub fn decode_with_checkers(text: &str, checkers: u8) -> Result<Self, NotationError> {
        let input = Input { form: FORM, text };
        let error = |field, found: &str, expected| input.field(field, found, expected);
        let number = |field, found: &str, most: u16, expected| {
            found.parse().ok().filter(|n| *n <= most).ok_or_else(|| error(field, found, expected))
        };
        let place = |field, found: &str, expected| match found {
            "1" => Ok(Some(XgidSeat::Bottom)),
            "0" => Ok(None),
            "-1" => Ok(Some(XgidSeat::Top)),
            _ => Err(error(field, found, expected)),
        };

        let body = text.trim();
        let body = match body.get(..4) {
            Some(prefix) if prefix.eq_ignore_ascii_case("xgid") => {
                body[4..].trim_start().trim_start_matches(['=', ':']).trim_start()
            }
            _ => body,
        };
        let fields: Vec<&str> = body.split(':').map(str::trim).collect();
        let field_count = |count: usize| {
            error(
                "the number of fields",
                &count.to_string(),
                "9 or 10 fields between colons: board, cube exponent, cube owner, turn, dice, \
                 score of the bottom player, of the top player, rules, match length, largest cube",
            )
        };
        let &[board, cube, owner, turn, roll, bottom, top, rules, length, ref last @ ..] =
            &fields[..]
        else {
            return Err(field_count(fields.len()));
        };
        let max_cube_exponent = match last {
            [] => Self::USUAL_MAX_CUBE,
            [last] => number("the largest cube", last, 255, "a number to 255")? as u8,
            _ => return Err(field_count(fields.len())),
        };

        let (dice, offer) = match roll {
            "00" => (None, None),
            "D" | "d" | "DD" => (None, Some(Offer::Double)),
            "B" | "b" | "BB" => (None, Some(Offer::Beaver)),
            "R" | "r" | "RR" => (None, Some(Offer::Raccoon)),
            _ if roll.len() == 2 && roll.parse::<Dice>().is_ok() => (roll.parse().ok(), None),
            _ => return Err(error("the roll", roll, "00, two dice such as 31, D, B or R")),
        };
        let points = "a number from 0 to 32767";
        let match_length = number("the match length", length, i16::MAX as u16, points)?;
        let (most_rules, expected_rules) = if match_length == 0 {
            (3, "0 to 3 for money (1 Jacoby, 2 beavers)")
        } else {
            (1, "0, or 1 in the Crawford game of a match")
        };
        let exponent = "a number from 0 to 15";
        Ok(Self {
            board: decode_board(board, checkers).map_err(|problem| match problem {
                BoardError::Length => {
                    let found = board.chars().count().to_string();
                    error("the length of the board", &found, "26 characters")
                }
                BoardError::Character => error(
                    "the board",
                    board,
                    "- for an empty point, A to O for 1 to 15 checkers of the bottom player, \
                     a to o of the top player",
                ),
                BoardError::Checkers(reason) => input.checkers(reason),
            })?,
            cube_exponent: number("the cube", cube, LARGEST_EXPONENT.into(), exponent)? as u8,
            cube_owner: place("the cube's owner", owner, "1 (bottom), 0 (centered) or -1 (top)")?,
            turn: place("the turn", turn, "1 (bottom) or -1 (top)")?
                .ok_or_else(|| error("the turn", turn, "1 (bottom) or -1 (top)"))?,
            dice,
            offer,
            score_bottom: number("the bottom player's score", bottom, i16::MAX as u16, points)?,
            score_top: number("the top player's score", top, i16::MAX as u16, points)?,
            rules: number("the rules field", rules, most_rules, expected_rules)? as u8,
            match_length,
            max_cube_exponent,
        })
    }

    /// Writes the XGID with its `XGID=`.
    ///
    /// # Errors
    ///
    /// [`NotationError::NoRoom`] if a number is larger than a reader accepts.
    pub fn encode(&self) -> Result<String, NotationError> {
        let points = self.score_bottom.max(self.score_top).max(self.match_length).into();
        let (exponent, largest) = (self.cube_exponent.into(), LARGEST_EXPONENT.into());
        fitting(FORM, "the cube's exponent", exponent, largest, "0 to 15")?;
        fitting(FORM, "a score or match length", points, i16::MAX as u32, "0 to 32767")?;
        let place = |place| match place {
            Some(XgidSeat::Bottom) => "1",
            None => "0",
            Some(XgidSeat::Top) => "-1",
        };
        let roll = match (self.dice, self.offer) {
            (_, Some(Offer::Double)) => "D".to_owned(),
            (_, Some(Offer::Beaver)) => "B".to_owned(),
            (_, Some(Offer::Raccoon)) => "R".to_owned(),
            (Some(dice), None) => format!("{}{}", dice.high(), dice.low()),
            (None, None) => "00".to_owned(),
        };
        Ok(format!(
            "XGID={}:{}:{}:{}:{roll}:{}:{}:{}:{}:{}",
            encode_board(&self.board),
            self.cube_exponent,
            place(self.cube_owner),
            place(Some(self.turn)),
            self.score_bottom,
            self.score_top,
            self.rules,
            self.match_length,
            self.max_cube_exponent,
        ))
    }

    /// What the XGID says, seen from the player on roll.
    ///
    /// [`ignored`](Self::ignored) tells what has no place in a [`Situation`].
    ///
    /// # Errors
    ///
    /// [`MatchScoreError`] if the match is over, or can't be at its Crawford game.
    pub fn situation(&self) -> Result<Situation, MatchScoreError> {
        let bottom_on_roll = self.turn == XgidSeat::Bottom;
        let mut scores = [self.score_bottom, self.score_top];
        if !bottom_on_roll {
            scores.reverse();
        }
        let (jacoby, beavers) = (self.rules & 1 != 0, Some(self.rules & 2 != 0));
        let money = MoneyOrMatch::Money { jacoby, beavers };
        let crawford = self.rules == 1;
        let owner = CubeOwner::of_seat(self.cube_owner, self.turn);
        Ok(Situation {
            position: if bottom_on_roll { self.board } else { self.board.flip() },
            dice: self.dice,
            offer: self.offer,
            cube: Some(situation::cube(self.cube_exponent, owner)),
            stakes: Some(situation::stakes(money, self.match_length, scores, crawford)?),
        })
    }

    /// The XGID for a situation, with the player on roll at the bottom. What the situation leaves
    /// open becomes a centered cube at 1 and money play without Jacoby and beavers.
    pub fn from_situation(situation: &Situation) -> Self {
        let cube = situation.cube.unwrap_or_default();
        let (score_bottom, score_top, rules, match_length) = match situation.stakes {
            Some(MoneyOrMatch::Match(score)) => {
                (score.player(), score.opponent(), u8::from(score.is_crawford()), score.length())
            }
            Some(MoneyOrMatch::Money { jacoby, beavers }) => {
                (0, 0, u8::from(jacoby) | (u8::from(beavers.unwrap_or(false)) << 1), 0)
            }
            None => (0, 0, 0, 0),
        };
        Self {
            board: situation.position,
            cube_exponent: cube.exponent(),
            cube_owner: cube.owner().seat([XgidSeat::Bottom, XgidSeat::Top]),
            turn: XgidSeat::Bottom,
            dice: situation.dice,
            offer: situation.offer,
            score_bottom,
            score_top,
            rules,
            match_length,
            max_cube_exponent: Self::USUAL_MAX_CUBE,
        }
    }
}

enum BoardError {
    Length,
    Character,
    Checkers(crate::position::PositionError),
}

fn decode_board(text: &str, checkers: u8) -> Result<Position, BoardError> {
    let bytes: &[u8; 26] = text.as_bytes().try_into().map_err(|_| BoardError::Length)?;
    let mut counts = [0; 26];
    for (count, &byte) in counts.iter_mut().zip(bytes) {
        *count = match byte {
            b'-' => 0,
            b'A'..=b'O' => (byte - b'A' + 1) as i8,
            b'a'..=b'o' => -((byte - b'a' + 1) as i8),
            _ => return Err(BoardError::Character),
        };
    }
    Position::from_counts(&counts, checkers).map_err(BoardError::Checkers)
}

fn encode_board(position: &Position) -> String {
    let letter = |count: i8| match count {
        0 => '-',
        1.. => char::from(b'A' + (count - 1) as u8),
        _ => char::from(b'a' + (-1 - count) as u8),
    };
    position.counts().into_iter().map(letter).collect()
}
