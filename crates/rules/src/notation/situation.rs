//! What a text says about a game, and the reader that knows all forms.

use std::fmt;
use std::str::FromStr;

use super::counts::{parse_counts_with_checkers, write_counts};
use super::match_id::MatchId;
use super::position_id::{decode_position_id_with_checkers, encode_position_id};
use super::xgid::Xgid;
use super::{NotationError, Quoted};
use crate::cube::{Cube, CubeOwner, Offer};
use crate::dice::Dice;
use crate::match_state::{CubeUse, MatchScore, MatchScoreError};
use crate::position::{MAX_CHECKERS, Position};

/// What a game is played for, seen from the player on roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stakes {
    /// Money play, every game on its own.
    Money {
        /// Whether gammons count only once the cube has been turned (BG-70).
        jacoby: bool,
        /// Whether a double may be beavered (BG-72); `None` if the text doesn't say.
        beavers: Option<bool>,
    },
    /// A game of a match at this score.
    Match(MatchScore),
}

impl Stakes {
    /// The same stakes seen by the other side.
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Money { .. } => self,
            Self::Match(score) => Self::Match(score.flip()),
        }
    }
}

/// The cube of a text. At 1 nobody owns it, whatever the text says: some programs write an owner
/// beside a cube that is out of play.
pub(super) fn cube(exponent: u8, owner: CubeOwner) -> Cube {
    let owner = if exponent == 0 { CubeOwner::Center } else { owner };
    Cube::new(exponent, owner).expect("texts have exponents to 15, and an owned cube above 1")
}

/// The score of a text. With both players one point from winning the cube is dead, and a text
/// that calls this the Crawford game is right in what matters.
pub(super) fn match_score(
    length: u16,
    player: u16,
    opponent: u16,
    crawford: bool,
) -> Result<MatchScore, MatchScoreError> {
    let score = MatchScore::new(length, player, opponent)?;
    match crawford && score.cube_use() != CubeUse::Dead {
        true => MatchScore::crawford(length, player, opponent),
        false => Ok(score),
    }
}

/// Everything that a text may say about a game, seen from the player on roll.
///
/// What a form doesn't carry is `None`. Another game than backgammon has a position `P` and a roll
/// `D` of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation<P = Position, D = Dice> {
    /// The checkers, seen from the player on roll (while a cube is offered: the one who doubled).
    pub position: P,
    /// The roll to be played; `None` before it.
    pub dice: Option<D>,
    /// An offered cube. Value and owner in [`cube`](Self::cube) are those the text gives.
    pub offer: Option<Offer>,
    /// The cube.
    pub cube: Option<Cube>,
    /// Money or match.
    pub stakes: Option<Stakes>,
}

impl<P, D> Situation<P, D> {
    /// The checkers, and nothing else known.
    pub const fn of(position: P) -> Self {
        Self { position, dice: None, offer: None, cube: None, stakes: None }
    }

    /// What the opponent sees when the player on roll has played his roll and left `after`, which
    /// is from the opponent: cube and score flipped, no roll yet and nothing offered.
    #[must_use]
    pub fn after_play(&self, after: P) -> Self {
        Self {
            position: after,
            dice: None,
            offer: None,
            cube: self.cube.map(Cube::flip),
            stakes: self.stakes.map(Stakes::flip),
        }
    }
}

impl From<Position> for Situation {
    /// Checkers, and nothing else known.
    fn from(position: Position) -> Self {
        Self::of(position)
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
        MatchId::decode(match_id)?.situation(position).map_err(|reason| NotationError::Score {
            form: "a GNU Match ID",
            input: match_id.into(),
            reason,
        })
    };
    let xgid = |text: &str| {
        Xgid::decode_with_checkers(text, checkers)?
            .situation()
            .map_err(|reason| NotationError::Score { form: "an XGID", input: text.into(), reason })
    };
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
///
/// The letters of a label may also occur inside an ID. A label therefore starts a word, and `=`,
/// `:` or a blank follows it.
fn word_after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let is_part_of_a_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    // ASCII lower case keeps every byte in its place.
    text.to_ascii_lowercase().match_indices(label).find_map(|(at, _)| {
        let (before, rest) = (&text.as_bytes()[..at], &text[at + label.len()..]);
        let ends = rest.starts_with(|c: char| matches!(c, '=' | ':') || c.is_whitespace());
        if before.last().is_some_and(is_part_of_a_word) || !ends {
            return None;
        }
        let rest = rest.trim_start();
        rest.strip_prefix([':', '=']).unwrap_or(rest).split_whitespace().next()
    })
}
