//! The games of several players by name.

use std::fmt;
use std::str::FromStr;

use tavola_rules::did_you_mean;

use super::{Astronomy, FourSeasons, ManyGame};

/// A game of the project for more than two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyManyGame {
    /// The Four Seasons, for four.
    FourSeasons(FourSeasons),
    /// The astronomy table, for seven.
    Astronomy(Astronomy),
}

/// A name that is no game of several players.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown game {input:?} for several players, expected {}{}", AnyManyGame::NAMES.join(" or "),
    did_you_mean(.input, AnyManyGame::NAMES)
)]
pub struct UnknownManyGame {
    input: String,
}

/// An expression with a game of several players whose type is not known before, as
/// [`with_game!`](crate::with_game) has one for games for two.
///
/// ```
/// use tavola_games::many::{AnyManyGame, ManyGame};
/// use tavola_games::with_many_game;
///
/// let game: AnyManyGame = "astronomy".parse()?;
/// assert_eq!(with_many_game!(&game, |game| game.interface().outputs), 7);
/// # Ok::<(), tavola_games::many::UnknownManyGame>(())
/// ```
#[macro_export]
macro_rules! with_many_game {
    ($any:expr, |$game:ident| $body:expr) => {
        match $any {
            $crate::many::AnyManyGame::FourSeasons($game) => $body,
            $crate::many::AnyManyGame::Astronomy($game) => $body,
        }
    };
}

impl AnyManyGame {
    /// Every game.
    pub const ALL: [Self; 2] = [Self::FourSeasons(FourSeasons), Self::Astronomy(Astronomy)];

    /// Their names, as [`FromStr`] reads them.
    pub const NAMES: [&str; 2] = ["four-seasons", "astronomy"];

    /// The id of the game: its name.
    pub fn id(&self) -> String {
        with_many_game!(self, |game| game.id())
    }
}

impl fmt::Display for AnyManyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

impl FromStr for AnyManyGame {
    type Err = UnknownManyGame;

    fn from_str(text: &str) -> Result<Self, UnknownManyGame> {
        let found = Self::NAMES.iter().position(|name| *name == text);
        let found = found.map(|index| Self::ALL[index]);
        found.ok_or_else(|| UnknownManyGame { input: text.to_owned() })
    }
}
