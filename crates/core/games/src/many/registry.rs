//! The games of more than two players by name.

use std::fmt;
use std::str::FromStr;

use super::{Astronomy, FourSeasons, ManyGame};
use crate::options::GameOptionsError;

/// A game of the project for more than two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyManyGame {
    /// The Four Seasons, for four.
    FourSeasons(FourSeasons),
    /// The astronomy table, for seven.
    Astronomy(Astronomy),
}

/// An expression with a game of more than two players whose type is not known before, as
/// [`with_game!`](crate::with_game) has one for games for two.
///
/// ```
/// use tavola_games::many::{AnyManyGame, ManyGame};
/// use tavola_games::with_many_game;
///
/// let game: AnyManyGame = "astronomy".parse()?;
/// assert_eq!(with_many_game!(&game, |game| game.interface().outputs), 7);
/// # Ok::<(), tavola_games::GameOptionsError>(())
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
    /// Every game, without options.
    pub const ALL: [Self; 2] =
        [Self::FourSeasons(FourSeasons::STANDARD), Self::Astronomy(Astronomy::STANDARD)];

    /// Their names, as [`FromStr`] reads them.
    pub const NAMES: [&str; 2] = ["four-seasons", "astronomy"];

    /// How many play.
    pub fn players(&self) -> usize {
        const fn of<G: ManyGame>(_: &G) -> usize {
            G::PLAYERS
        }
        with_many_game!(self, |game| of(game))
    }

    /// The id of the game: its name, and its options where they differ from the defaults.
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
    type Err = GameOptionsError;

    fn from_str(text: &str) -> Result<Self, GameOptionsError> {
        match text.parse() {
            Ok(options) => Ok(Self::FourSeasons(FourSeasons::new(options))),
            Err(GameOptionsError::Game { .. }) => {
                text.parse().map(|options| Self::Astronomy(Astronomy::new(options)))
            }
            Err(error) => Err(error),
        }
    }
}
