//! The doubling cube seen from the player on roll: its value, who may turn it, and the offers that
//! turning it makes. When it may be turned is the business of [`GameState`](crate::GameState), what
//! it is worth that of no module here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named;

/// Who may turn the cube next, from the player on roll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CubeOwner {
    /// Either player: the cube lies in the middle.
    #[default]
    Center,
    /// The player on roll.
    Player,
    /// The opponent of the player on roll.
    Opponent,
}

named!(CubeOwner, "owner of a cube":
    Center => "center", Player => "player", Opponent => "opponent");

impl CubeOwner {
    /// This owner as the other side sees it.
    #[inline]
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Center => Self::Center,
            Self::Player => Self::Opponent,
            Self::Opponent => Self::Player,
        }
    }

    /// The owner by the seat that owns the cube, `None` for a centered one, seen by this seat.
    pub fn of_seat<S: PartialEq>(owner: Option<S>, seen_by: S) -> Self {
        match owner {
            None => Self::Center,
            Some(owner) if owner == seen_by => Self::Player,
            Some(_) => Self::Opponent,
        }
    }

    /// The seat that owns the cube, of those of player and opponent; `None` for a centered one.
    pub fn seat<S>(self, [player, opponent]: [S; 2]) -> Option<S> {
        match self {
            Self::Center => None,
            Self::Player => Some(player),
            Self::Opponent => Some(opponent),
        }
    }
}

/// The doubling cube, seen from the player on roll.
///
/// # Invariant
///
/// The value is a power of two up to 2^[`Cube::MAX_EXPONENT`], and an owned cube has been turned,
/// so its value is at least 2. A centered cube above 1 comes from automatic doubles.
///
/// In JSON it reads `{"value": 2, "owner": "center"}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "RawCube", into = "RawCube")]
pub struct Cube {
    exponent: u8,
    owner: CubeOwner,
}

/// The serialized form of a [`Cube`].
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object with value and owner")]
struct RawCube {
    /// A power of two.
    value: u32,
    /// Who may turn it.
    owner: CubeOwner,
}

impl TryFrom<RawCube> for Cube {
    type Error = CubeError;

    fn try_from(raw: RawCube) -> Result<Self, CubeError> {
        Self::from_value(raw.value, raw.owner)
    }
}

impl From<Cube> for RawCube {
    fn from(cube: Cube) -> Self {
        Self { value: cube.value(), owner: cube.owner }
    }
}

/// Why a value and an owner are not a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CubeError {
    /// Not a power of two.
    #[error("cube value {found} is not a power of two, expected 1, 2, 4, 8, ...")]
    NotAPowerOfTwo {
        /// The requested value.
        found: u32,
    },
    /// Higher than can be stored.
    #[error(
        "a cube of 2^{found} is too large, expected at most 2^{}, which is {}",
        Cube::MAX_EXPONENT,
        1_u32 << Cube::MAX_EXPONENT
    )]
    TooLarge {
        /// The base-two logarithm of the requested value.
        found: u32,
    },
    /// Owned without ever having been turned.
    #[error("a cube at 1 belongs to a player, expected a centered cube or a value of at least 2")]
    OwnedAtOne,
}

/// The face of a centered cube that neither player has turned: a matter of display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CenteredFace {
    /// Its value, 1.
    #[default]
    One,
    /// 64, as the wooden cube lies.
    SixtyFour,
}

impl Cube {
    /// The largest exponent: 2^24 is 16,777,216, exact in single precision and far beyond play.
    ///
    /// The rules know no limit; [`Options::cube_limit`](crate::Options::cube_limit) sets
    /// one where it is wanted.
    pub const MAX_EXPONENT: u8 = 24;

    /// Centered at 1, as a game begins.
    pub const START: Self = Self { exponent: 0, owner: CubeOwner::Center };

    /// A cube of value 2^`exponent`.
    ///
    /// # Errors
    ///
    /// [`CubeError::TooLarge`], [`CubeError::OwnedAtOne`].
    pub const fn new(exponent: u8, owner: CubeOwner) -> Result<Self, CubeError> {
        if exponent > Self::MAX_EXPONENT {
            Err(CubeError::TooLarge { found: exponent as u32 })
        } else if exponent == 0 && !matches!(owner, CubeOwner::Center) {
            Err(CubeError::OwnedAtOne)
        } else {
            Ok(Self { exponent, owner })
        }
    }

    /// A cube of `value`.
    ///
    /// # Errors
    ///
    /// [`CubeError`] says what is wrong.
    pub const fn from_value(value: u32, owner: CubeOwner) -> Result<Self, CubeError> {
        if !value.is_power_of_two() {
            Err(CubeError::NotAPowerOfTwo { found: value })
        } else {
            Self::new(value.trailing_zeros() as u8, owner)
        }
    }

    /// The base-two logarithm of the value.
    #[inline]
    pub const fn exponent(self) -> u8 {
        self.exponent
    }

    /// What the game counts for: 1, 2, 4, ...
    #[inline]
    pub const fn value(self) -> u32 {
        1 << self.exponent
    }

    /// Who may turn it next, from the player on roll.
    #[inline]
    pub const fn owner(self) -> CubeOwner {
        self.owner
    }

    /// This cube as the other side sees it.
    #[inline]
    #[must_use]
    pub const fn flip(self) -> Self {
        Self { owner: self.owner.flip(), ..self }
    }

    /// Whether the player on roll owns it or it is centered. Whether it is in play at all
    /// depends on the score: [`CubeUse`](crate::CubeUse).
    #[inline]
    pub const fn is_available(self) -> bool {
        !matches!(self.owner, CubeOwner::Opponent)
    }

    /// Whether a double has been taken in this game; automatic doubles are none.
    #[inline]
    pub const fn is_turned(self) -> bool {
        !matches!(self.owner, CubeOwner::Center)
    }

    /// The cube after the player on roll has doubled and the opponent has taken: twice the value,
    /// owned by the opponent. `None` if the opponent owns it already or the value would
    /// pass [`Self::MAX_EXPONENT`].
    #[inline]
    #[must_use]
    pub const fn doubled(self) -> Option<Self> {
        if self.is_available() && self.exponent < Self::MAX_EXPONENT {
            Some(Self { exponent: self.exponent + 1, owner: CubeOwner::Opponent })
        } else {
            None
        }
    }

    /// The number that the cube shows.
    pub const fn shown(self, centered: CenteredFace) -> u32 {
        match centered {
            CenteredFace::SixtyFour if self.exponent == 0 => 64,
            _ => self.value(),
        }
    }
}

/// What is on offer between a turn of the cube and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Offer {
    /// The player on roll has doubled.
    Double,
    /// The opponent has taken and turned the cube again immediately, keeping it.
    Beaver,
    /// The player on roll has accepted that and turned the cube once more; it stays with the
    /// opponent.
    Raccoon,
}

named!(Offer, "offer": Double => "double", Beaver => "beaver", Raccoon => "raccoon");

impl Offer {
    /// How often the cube has been turned since the player on roll doubled.
    pub(crate) const fn turns(self) -> u8 {
        match self {
            Self::Double => 1,
            Self::Beaver => 2,
            Self::Raccoon => 3,
        }
    }
}
