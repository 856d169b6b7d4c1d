//! The options of backgammon as plain data, and the opening roll.

use rand::{Rng, RngExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::backgammon::Backgammon;
use crate::cube::Cube;
use crate::dice::Dice;
use crate::match_state::Player;
use crate::named;

/// What may be agreed before a session or match; the default is the usual game.
///
/// Nothing here is checked until [`check_money`](Self::check_money) or
/// [`check_match`](Self::check_match), which [`Session`](crate::Session) calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Gammons and backgammons count single unless the cube was turned. Money only;
    /// default off.
    pub jacoby: bool,
    /// How many ties in the opening roll double the centered cube. Money only; default 0,
    /// which is off; where it is played, 1 is customary.
    pub automatic_doubles: u8,
    /// Whether a double may be answered by turning the cube again. Money only; default
    /// off.
    pub beavers: Beavers,
    /// Whether a player may offer to give up. Default on.
    pub resignation: bool,
    /// Whether the game after a player first stands one point from winning is played without
    /// the cube. Matches of two points and more; default on.
    pub crawford: bool,
    /// The highest cube value, a power of two; 1 plays without a cube. Default none.
    pub cube_limit: Option<u32>,
    /// Where the checkers start. Default standard.
    pub start: Backgammon,
    /// How the starter and the first roll are found. Default one die each.
    pub opening: Opening,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            jacoby: false,
            automatic_doubles: 0,
            beavers: Beavers::Off,
            resignation: true,
            crawford: true,
            cube_limit: None,
            start: Backgammon::Standard,
            opening: Opening::OneDieEach,
        }
    }
}

/// Answers to a double beyond take and drop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Beavers {
    /// None.
    #[default]
    Off,
    /// The taker may at once redouble and keep the cube.
    Beavers,
    /// As before, and the doubler may turn the cube once more.
    Raccoons,
}

/// How the starter and the first roll are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// One die each; the higher starts with these two dice, equal dice are thrown again.
    /// The first roll is never a double.
    #[default]
    OneDieEach,
    /// Two dice each; the higher total starts with their own pair, equal totals are thrown again.
    /// The first roll may be a double.
    OwnPair,
}

named!(Opening, "opening roll":
    OneDieEach => "one-die-each" | "one_die_each",
    OwnPair => "own-pair" | "own_pair",
);

/// How an opening roll fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OpeningThrow {
    /// Who starts.
    pub starter: Player,
    /// The starter's first roll.
    pub dice: Dice,
    /// How often it was a tie before.
    pub ties: u32,
}

impl Opening {
    /// Throws until a player starts.
    pub fn throw(self, rng: &mut impl Rng) -> OpeningThrow {
        let mut ties = 0;
        loop {
            let thrown = match self {
                Self::OneDieEach => {
                    let (one, two) = (rng.random_range(1..=6), rng.random_range(1..=6));
                    Dice::new(one, two)
                        .ok()
                        .filter(|dice| !dice.is_double())
                        .map(|dice| (if one > two { Player::One } else { Player::Two }, dice))
                }
                Self::OwnPair => {
                    let (one, two) = (Dice::roll(rng), Dice::roll(rng));
                    let total = |dice: Dice| dice.high() + dice.low();
                    match total(one).cmp(&total(two)) {
                        std::cmp::Ordering::Greater => Some((Player::One, one)),
                        std::cmp::Ordering::Less => Some((Player::Two, two)),
                        std::cmp::Ordering::Equal => None,
                    }
                }
            };
            match thrown {
                Some((starter, dice)) => return OpeningThrow { starter, dice, ties },
                None => ties += 1,
            }
        }
    }
}

/// Why options don't fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// An option of money play is on in a match.
    #[error("{option} is on in a match to {length}, expected off: it belongs to money play")]
    MoneyOnly {
        /// The option.
        option: &'static str,
        /// The length of the match.
        length: u16,
    },
    /// A match to no points.
    #[error("match length is 0, expected at least 1 point")]
    NoLength,
    /// The cube limit is no cube value.
    #[error("cube_limit is {found}, expected a power of two up to {}", 1_u32 << Cube::MAX_EXPONENT)]
    CubeLimit {
        /// The requested limit.
        found: u32,
    },
    /// Automatic doubles would pass the cube limit.
    #[error("automatic_doubles is {doubles}, expected at most {most}: the cube ends at {limit}")]
    TooManyAutomaticDoubles {
        /// The requested number.
        doubles: u8,
        /// The number that fits.
        most: u8,
        /// The highest cube value.
        limit: u32,
    },
}

impl Options {
    /// Whether these options can be played for money.
    ///
    /// # Errors
    ///
    /// [`OptionsError`] names the first option that does not fit.
    pub fn check_money(&self) -> Result<(), OptionsError> {
        let most = self.max_cube_exponent()?;
        if self.automatic_doubles > most {
            return Err(OptionsError::TooManyAutomaticDoubles {
                doubles: self.automatic_doubles,
                most,
                limit: 1 << most,
            });
        }
        Ok(())
    }

    /// Whether these options can be played in a match to `length` points: no Jacoby, no beavers,
    /// no automatic doubles.
    ///
    /// # Errors
    ///
    /// [`OptionsError`] names the first option that does not fit.
    pub fn check_match(&self, length: u16) -> Result<(), OptionsError> {
        self.max_cube_exponent()?;
        if length == 0 {
            return Err(OptionsError::NoLength);
        }
        for (option, on) in [
            ("jacoby", self.jacoby),
            ("automatic_doubles", self.automatic_doubles > 0),
            ("beavers", self.beavers != Beavers::Off),
        ] {
            if on {
                return Err(OptionsError::MoneyOnly { option, length });
            }
        }
        Ok(())
    }

    /// The base-two logarithm of the highest cube value.
    ///
    /// # Errors
    ///
    /// [`OptionsError::CubeLimit`].
    pub fn max_cube_exponent(&self) -> Result<u8, OptionsError> {
        match self.cube_limit {
            None => Ok(Cube::MAX_EXPONENT),
            Some(limit)
                if limit.is_power_of_two() && limit.ilog2() <= Cube::MAX_EXPONENT.into() =>
            {
                Ok(limit.ilog2() as u8)
            }
            Some(found) => Err(OptionsError::CubeLimit { found }),
        }
    }
}
