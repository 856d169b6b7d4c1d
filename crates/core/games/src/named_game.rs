//! Any game by its name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tavola_rules::Backgammon;

use crate::many::AnyManyGame;
use crate::options::GameOptionsError;
use crate::registry::{AnyGame, UnknownGame};

/// A game, however many play it; in JSON its name with its options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum NamedGame {
    /// A game for two.
    Two(AnyGame),
    /// A game for more than two.
    Many(AnyManyGame),
}

/// A game for more than two players, where one for two was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} is for more than two players, expected a game for two: best, eval, legal, show, play, \
     batch, duel, stats and train know it"
)]
pub struct NotForTwo(AnyManyGame);

impl NamedGame {
    /// The names of all games, those for two first.
    pub fn names() -> Vec<&'static str> {
        [AnyGame::names(), AnyManyGame::NAMES.to_vec()].concat()
    }

    /// Its name with its options.
    pub fn id(&self) -> String {
        match self {
            Self::Two(game) => game.id(),
            Self::Many(game) => game.id(),
        }
    }

    /// The game, which has to be for two.
    ///
    /// # Errors
    ///
    /// [`NotForTwo`].
    pub const fn two(&self) -> Result<&AnyGame, NotForTwo> {
        match self {
            Self::Two(game) => Ok(game),
            Self::Many(game) => Err(NotForTwo(*game)),
        }
    }

    /// The game, if it is for more than two.
    pub const fn many(&self) -> Option<AnyManyGame> {
        match self {
            Self::Two(_) => None,
            Self::Many(game) => Some(*game),
        }
    }
}

impl FromStr for NamedGame {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<Self, UnknownGame> {
        match text.parse::<AnyManyGame>() {
            Ok(game) => return Ok(Self::Many(game)),
            Err(GameOptionsError::Game { .. }) => {}
            Err(error) => return Err(UnknownGame::Options(error)),
        }
        text.parse().map(Self::Two).map_err(|error| match error {
            UnknownGame::Name { input, .. } => {
                UnknownGame::Name { input, expected: Self::names().join(", ") }
            }
            error => error,
        })
    }
}

impl From<AnyGame> for NamedGame {
    fn from(game: AnyGame) -> Self {
        Self::Two(game)
    }
}

impl From<Backgammon> for NamedGame {
    fn from(game: Backgammon) -> Self {
        Self::Two(game.into())
    }
}

/// The id.
impl fmt::Display for NamedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

impl From<NamedGame> for String {
    fn from(game: NamedGame) -> Self {
        game.id()
    }
}

impl TryFrom<String> for NamedGame {
    type Error = UnknownGame;

    fn try_from(text: String) -> Result<Self, UnknownGame> {
        text.parse()
    }
}
