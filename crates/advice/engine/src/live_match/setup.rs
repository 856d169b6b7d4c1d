//! What is agreed before a match.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tavola_rules::Options;

use super::strength::Strength;

/// Where dice come from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum DiceSource {
    /// The computer rolls for both sides, by the seed.
    #[default]
    Computer,
    /// The user types the rolls of both sides, which fall on a real board.
    Typed,
}

/// What is agreed before a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The points that win the match, 0 for money.
    pub length: u16,
    /// The rules, with the start of the game.
    pub options: Options,
    /// What the user and the engine are called.
    pub names: [String; 2],
    /// How well the engine plays.
    pub strength: Strength,
    /// Where dice come from.
    pub dice: DiceSource,
    /// Gives the dice of the computer and the noise of weak play.
    pub seed: u64,
    /// The weights file of the network; `None` is the built-in one.
    pub model: Option<PathBuf>,
}

impl Default for Setup {
    /// A match to five points against the engine at its usual strength.
    fn default() -> Self {
        Self {
            length: 5,
            options: Options::default(),
            names: ["You".to_owned(), "tavola".to_owned()],
            strength: Strength::default(),
            dice: DiceSource::default(),
            seed: 0,
            model: None,
        }
    }
}
