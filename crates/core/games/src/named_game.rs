//! Any game by its name.

use std::str::FromStr;

use crate::many::AnyManyGame;
use crate::registry::{AnyGame, UnknownGame};

/// A game, however many play it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedGame {
    /// A game for two.
    ForTwo(AnyGame),
    /// A game for more than two.
    ForMore(AnyManyGame),
}

impl NamedGame {
    /// The names of all games, those for two first.
    pub fn names() -> Vec<&'static str> {
        [AnyGame::names(), AnyManyGame::NAMES.to_vec()].concat()
    }

    /// Its name with its options.
    pub fn id(&self) -> String {
        match self {
            Self::ForTwo(game) => game.id(),
            Self::ForMore(game) => game.id(),
        }
    }

    /// The game, if it is for more than two.
    pub const fn for_more(&self) -> Option<AnyManyGame> {
        match self {
            Self::ForTwo(_) => None,
            Self::ForMore(game) => Some(*game),
        }
    }
}

impl FromStr for NamedGame {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<Self, UnknownGame> {
        match text.parse::<AnyManyGame>() {
            Ok(game) => return Ok(Self::ForMore(game)),
            Err(error @ UnknownGame::Options(_)) => return Err(error),
            Err(UnknownGame::Name { .. }) => {}
        }
        text.parse().map(Self::ForTwo).map_err(|error| match error {
            UnknownGame::Name { input, .. } => {
                UnknownGame::Name { input, expected: Self::names().join(", ") }
            }
            error => error,
        })
    }
}
