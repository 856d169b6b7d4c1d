//! The options of the Four Seasons.

use serde::{Deserialize, Serialize};

use super::{CELLS, QUARTER};
use crate::options::{Switch, options_as_text};

/// How many dice are rolled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SeasonDice {
    /// Three, the default.
    #[default]
    #[serde(rename = "3")]
    Three,
    /// Two.
    #[serde(rename = "2")]
    Two,
}

/// How many sides a die has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SeasonSides {
    /// Six, the default.
    #[default]
    #[serde(rename = "6")]
    Six,
    /// Seven; a seven enters no checker.
    #[serde(rename = "7")]
    Seven,
}

/// The options, each with its default. The text of a game is `four-seasons`, and where options
/// differ a colon and these: `four-seasons:dice=2,full_lap=on`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FourSeasonsOptions {
    /// How many dice are rolled.
    pub dice: SeasonDice,
    /// How many sides they have.
    pub sides: SeasonSides,
    /// Checkers travel round the whole board and leave from the quarter of the last neighbor.
    pub full_lap: Switch,
    /// The game goes on to the third who has all off, and each place counts.
    pub ranking: Switch,
    /// The game goes on in the same way, and each who has all off gets a point from the neighbor
    /// on the right. Prevails over [`ranking`](Self::ranking).
    pub el_mundo_payment: Switch,
}

impl FourSeasonsOptions {
    /// The name of the game.
    pub const NAME: &'static str = "four-seasons";

    /// The defaults, where a constant is needed.
    pub(super) const STANDARD: Self = Self {
        dice: SeasonDice::Three,
        sides: SeasonSides::Six,
        full_lap: Switch::Off,
        ranking: Switch::Off,
        el_mundo_payment: Switch::Off,
    };

    /// Cells of a player's track: three of the four quarters, or all.
    pub(super) const fn track(&self) -> usize {
        match self.full_lap {
            Switch::Off => CELLS - QUARTER,
            Switch::On => CELLS,
        }
    }

    pub(super) const fn dice(&self) -> usize {
        match self.dice {
            SeasonDice::Three => 3,
            SeasonDice::Two => 2,
        }
    }

    pub(super) const fn sides(&self) -> u8 {
        match self.sides {
            SeasonSides::Six => 6,
            SeasonSides::Seven => 7,
        }
    }

    /// Whether the game goes on when the first has all off.
    pub(super) fn plays_on(&self) -> bool {
        self.ranking == Switch::On || self.el_mundo_payment == Switch::On
    }
}

options_as_text!(FourSeasonsOptions);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_back() {
        assert_eq!(FourSeasonsOptions::STANDARD, FourSeasonsOptions::default());
        for text in [
            "four-seasons",
            "four-seasons:dice=2,sides=7",
            "four-seasons:full_lap=on",
            "four-seasons:ranking=on",
            "four-seasons:el_mundo_payment=on",
        ] {
            let options: FourSeasonsOptions = text.parse().unwrap();
            assert_eq!(options.to_string().parse(), Ok(options), "{text}");
        }
        let error = "four-seasons:dice=4".parse::<FourSeasonsOptions>().unwrap_err().to_string();
        assert!(error.contains("`3`") && error.contains("`2`"), "{error}");
    }
}
