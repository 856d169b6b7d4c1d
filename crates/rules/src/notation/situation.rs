//! What a text says about a game, and the reader that knows all forms.

use std::fmt;
use std::str::FromStr;

use super::counts::{parse_counts_with_checkers, write_counts};
use super::match_id::MatchId;
use super::position_id::{decode_position_id_with_checkers, encode_position_id};
use super::xgid::Xgid;
use super::{NotationError, Quoted};
use crate::cube::{Cube, CubeError, CubeOwner, Offer};
use crate::dice::Dice;
use crate::match_state::{MatchScore, MatchScoreError};
use crate::position::{MAX_CHECKERS, Position};

/// One of the two sides, seen from the player on roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The player on roll.
    Player,
    /// The other one.
    Opponent,
}

impl Side {
    /// The same side seen by the other player.
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Player => Self::Opponent,
            Self::Opponent => Self::Player,
        }
    }
}

/// Where the cube lies and what it shows.
///
/// The default is the start of a game: centred, at 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CubePlace {
    /// Binary logarithm of its value; 0 to 15 in a text.
    pub exponent: u8,
    /// Who owns it; `None` while it is centred.
    pub owner: Option<Side>,
}

impl CubePlace {
    /// The cube that the rules know. At 1 nobody owns it, whatever the text says: some programs
    /// write an owner beside a cube that is out of play.
    ///
    /// # Errors
    ///
    /// [`CubeError::TooLarge`] if the exponent passes [`Cube::MAX_EXPONENT`], which no text does.
    pub const fn cube(self) -> Result<Cube, CubeError> {
        let owner = match self.owner {
            _ if self.exponent == 0 => CubeOwner::Center,
            None => CubeOwner::Center,
            Some(Side::Player) => CubeOwner::Player,
            Some(Side::Opponent) => CubeOwner::Opponent,
        };
        Cube::new(self.exponent, owner)
    }
}

impl From<Cube> for CubePlace {
    fn from(cube: Cube) -> Self {
        let owner = match cube.owner() {
            CubeOwner::Center => None,
            CubeOwner::Player => Some(Side::Player),
            CubeOwner::Opponent => Some(Side::Opponent),
        };
        Self { exponent: cube.exponent(), owner }
    }
}

/// What a game is played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Session {
    /// Money play, every game on its own.
    Money {
        /// Whether gammons count only once the cube has been turned (BG-70).
        jacoby: bool,
        /// Whether a double may be beavered (BG-72); `None` if the text doesn't say.
        beavers: Option<bool>,
    },
    /// A game of a match. The numbers are as the text has them; a score that has already won the
    /// match is for the reader to refuse.
    Match {
        /// Points that win the match.
        length: u16,
        /// Points of the player on roll.
        player: u16,
        /// Points of the opponent.
        opponent: u16,
        /// Whether this is the Crawford game.
        crawford: bool,
    },
}

impl Session {
    /// The score that the rules know; `None` for money.
    ///
    /// # Errors
    ///
    /// [`MatchScoreError`] if the match is over, or can't be at its Crawford game.
    pub fn match_score(self) -> Result<Option<MatchScore>, MatchScoreError> {
        match self {
            Self::Money { .. } => Ok(None),
            Self::Match { length, player, opponent, crawford } => {
                let make = if crawford { MatchScore::crawford } else { MatchScore::new };
                make(length, player, opponent).map(Some)
            }
        }
    }
}

impl From<MatchScore> for Session {
    fn from(score: MatchScore) -> Self {
        Self::Match {
            length: score.length(),
            player: score.player(),
            opponent: score.opponent(),
            crawford: score.is_crawford(),
        }
    }
}

/// Everything that a text may say about a game, seen from the player on roll.
///
/// What a form doesn't carry is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The checkers, seen from the player on roll (while a cube is offered: the one who doubled).
    pub position: Position,
    /// The roll to be played; `None` before it.
    pub dice: Option<Dice>,
    /// An offered cube. Value and owner in [`cube`](Self::cube) are those the text gives.
    pub offer: Option<Offer>,
    /// The cube.
    pub cube: Option<CubePlace>,
    /// Money or match.
    pub session: Option<Session>,
}

impl From<Position> for Situation {
    /// Checkers, and nothing else known.
    fn from(position: Position) -> Self {
        Self { position, dice: None, offer: None, cube: None, session: None }
    }
}

/// The forms in which a situation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A GNU Position ID.
    PositionId,
    /// A GNU Position ID, a colon and a GNU Match ID.
    PositionAndMatchId,
    /// An XGID with its `XGID=`.
    Xgid,
    /// 26 numbers in brackets.
    Counts,
}

/// A name that is no [`Form`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown form {input}, expected position-id, gnubg-id, xgid or counts")]
pub struct UnknownForm {
    input: Quoted,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 4] =
        [Self::PositionId, Self::PositionAndMatchId, Self::Xgid, Self::Counts];

    /// The name by which a user asks for the form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PositionId => "position-id",
            Self::PositionAndMatchId => "gnubg-id",
            Self::Xgid => "xgid",
            Self::Counts => "counts",
        }
    }

    /// Writes a situation. What the form can't carry is dropped; what it must carry and the
    /// situation leaves open is a centred cube at 1, and money play without Jacoby and beavers.
    ///
    /// # Errors
    ///
    /// [`NotationError::NoRoom`] if the cube or a score is too large for the form.
    pub fn write(self, situation: &Situation) -> Result<String, NotationError> {
        let position = &situation.position;
        Ok(match self {
            Self::PositionId => encode_position_id(position),
            Self::PositionAndMatchId => {
                let match_id = MatchId::from_situation(situation).encode()?;
                format!("{}:{match_id}", encode_position_id(position))
            }
            Self::Xgid => Xgid::from_situation(situation).encode()?,
            Self::Counts => write_counts(position),
        })
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<Self, UnknownForm> {
        Self::ALL
            .into_iter()
            .find(|form| form.name().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| UnknownForm { input: text.into() })
    }
}

/// Reads a position in any accepted form, with fifteen checkers a side.
///
/// Prefixes such as `XGID=`, `GNU Position ID:` and `Match ID:`, surrounding whitespace and
/// base64 padding are accepted, so lines may be pasted from other programs.
///
/// # Errors
///
/// [`NotationError`] says why the text is not of the form that it resembles, or lists the forms.
pub fn parse_situation(text: &str) -> Result<Situation, NotationError> {
    parse_situation_with_checkers(text, MAX_CHECKERS)
}

/// As [`parse_situation`], with `checkers` a side: 3 for hypergammon.
///
/// # Errors
///
/// [`NotationError`] says why the text is not of the form that it resembles, or lists the forms.
pub fn parse_situation_with_checkers(text: &str, checkers: u8) -> Result<Situation, NotationError> {
    let pair = |position_id: &str, match_id: &str| {
        let position = decode_position_id_with_checkers(position_id, checkers)?;
        Ok(MatchId::decode(match_id)?.situation(position))
    };
    let xgid = |text: &str| Ok(Xgid::decode_with_checkers(text, checkers)?.situation());
    if let Some(word) = word_after(text, "xgid") {
        return xgid(word);
    }
    let position_id = ["position id", "positionid", "gnubgid", "gnuid"]
        .into_iter()
        .find_map(|label| word_after(text, label));
    let match_id = ["match id", "matchid"].into_iter().find_map(|label| word_after(text, label));
    if let (Some(position_id), Some(match_id)) = (position_id, match_id) {
        return pair(position_id, match_id);
    }

    let rest = position_id.unwrap_or(text).trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    if rest.starts_with('[') || rest.contains(',') {
        return Ok(parse_counts_with_checkers(rest, checkers)?.into());
    }
    match (words[..].len(), rest.matches(':').count()) {
        (1, 0) if looks_like_position_id(rest) || position_id.is_some() => {
            Ok(decode_position_id_with_checkers(rest, checkers)?.into())
        }
        (1, 1) => {
            let (position_id, match_id) = rest.split_once(':').unwrap_or((rest, ""));
            pair(position_id, match_id)
        }
        (1.., 2..) => xgid(rest),
        (2, 0) if looks_like_position_id(words[0]) => pair(words[0], words[1]),
        (2.., 0) if words[0].parse::<i32>().is_ok() => {
            Ok(parse_counts_with_checkers(rest, checkers)?.into())
        }
        _ => Err(NotationError::Unrecognized { input: text.into() }),
    }
}

/// Whether a word is near enough to a Position ID that an error should say what is wrong with it.
fn looks_like_position_id(word: &str) -> bool {
    (10..=18).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b))
}

/// The word behind a label that a program has printed, such as `Position ID: ...`.
fn word_after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    // ASCII lower case keeps every byte in its place.
    let at = text.to_ascii_lowercase().find(label)?;
    let rest = text[at + label.len()..].trim_start();
    rest.strip_prefix([':', '=']).unwrap_or(rest).split_whitespace().next()
}
