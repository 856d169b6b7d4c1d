//! What a text says about a game, and the forms in which that is written.

use super::counts::write_counts;
use super::match_id::MatchId;
use super::position_id::encode_position_id;
use super::xgid::Xgid;
use super::{NotationError, fibs, ogid};
use crate::cube::{Cube, CubeOwner, Offer};
use crate::dice::Dice;
use crate::match_state::{CubeUse, MatchScore, MatchScoreError};
use crate::named;
use crate::position::Position;

/// What a game is played for, seen from the player on roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoneyOrMatch {
    /// Money play, every game on its own.
    Money {
        /// Whether gammons count only once the cube has been turned.
        jacoby: bool,
        /// Whether a double may be beavered; `None` if the text doesn't say.
        beavers: Option<bool>,
    },
    /// A game of a match at this score.
    Match(MatchScore),
}

impl MoneyOrMatch {
    /// These stakes as the other side sees them.
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Money { .. } => self,
            Self::Match(score) => Self::Match(score.flip()),
        }
    }
}

/// The cube of a text. At 1 no player owns it, whatever the text says: some programs write an owner
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

/// The stakes of a text: those of money play where the length of the match is 0, else a score of
/// player and opponent.
pub(super) fn stakes(
    money: MoneyOrMatch,
    length: u16,
    [player, opponent]: [u16; 2],
    crawford: bool,
) -> Result<MoneyOrMatch, MatchScoreError> {
    match length {
        0 => Ok(money),
        _ => match_score(length, player, opponent, crawford).map(MoneyOrMatch::Match),
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
    pub stakes: Option<MoneyOrMatch>,
}

impl<P, D> Situation<P, D> {
    /// The checkers, and nothing else known.
    pub const fn of(position: P) -> Self {
        Self { position, dice: None, offer: None, cube: None, stakes: None }
    }

    /// What the opponent sees when the player on roll has played the roll and left `after`, which
    /// is from the opponent: cube and score flipped, no roll yet and nothing offered.
    #[must_use]
    pub fn after_play(&self, after: P) -> Self {
        Self {
            position: after,
            dice: None,
            offer: None,
            cube: self.cube.map(Cube::flip),
            stakes: self.stakes.map(MoneyOrMatch::flip),
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
    /// An OGID.
    Ogid,
    /// A FIBS board.
    Fibs,
    /// 26 numbers in brackets.
    Counts,
}

named!(Form, "form":
    PositionId => "position-id",
    PositionAndMatchId => "gnubg-id",
    Xgid => "xgid",
    Ogid => "ogid",
    Fibs => "fibs",
    Counts => "counts",
);

impl Form {
    /// Writes a situation. What the form can't carry is dropped; what it must carry and the
    /// situation leaves open is a centered cube at 1, and money play without Jacoby and beavers.
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
            Self::Ogid => ogid::encode(situation)?,
            Self::Fibs => fibs::encode(situation)?,
            Self::Counts => write_counts(position),
        })
    }
}
