//! Every game of the project by name.
//!
//! Programs are generic over [`Game`]; which one is played is known only when a name is typed. An
//! [`AnyGame`] is that name's game, and [`with_game!`](crate::with_game) goes from the value to the
//! type. So no line of a program knows the games there are.

use std::fmt;
use std::str::FromStr;

use tavola_rules::notation::Quoted;
use tavola_rules::{Backgammon, Game, did_you_mean};

use crate::engine::OldGame;
use crate::options::{GameOptionsError, OldOptions};

/// A game of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyGame {
    /// Backgammon or a variant of it.
    Backgammon(Backgammon),
    /// One of the historical games.
    Old(OldGame),
}

/// A name that is no game of the project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownGame {
    /// There is no such game.
    #[error(
        "unknown game {}, expected {expected}{}",
        Quoted::from(.input.as_str()),
        did_you_mean(.input, AnyGame::names())
    )]
    Name {
        /// As given.
        input: String,
        /// The names that would do.
        expected: String,
    },
    /// The game has no such options.
    #[error(transparent)]
    Options(GameOptionsError),
}

/// An expression with a game whose type is not known before: `with_game!(any, |game| ...)`, where
/// `game` is a reference to a `PlayableGame`. So no program has a line that knows the games there
/// are.
///
/// ```
/// use tavola_games::{AnyGame, with_game};
/// use tavola_rules::Game;
///
/// let game: AnyGame = "tabula".parse()?;
/// assert_eq!(with_game!(&game, |game| game.rolls().len()), 56);
/// # Ok::<(), tavola_games::UnknownGame>(())
/// ```
#[macro_export]
macro_rules! with_game {
    ($any:expr, |$game:ident| $body:expr) => {
        match $any {
            $crate::AnyGame::Backgammon($game) => $body,
            $crate::AnyGame::Old($game) => $body,
        }
    };
}

impl AnyGame {
    /// Every game with its default options.
    pub fn all() -> Vec<Self> {
        let backgammon = Backgammon::ALL.into_iter().map(Self::Backgammon);
        let old = OldOptions::all().into_iter().map(|game| Self::Old(OldGame::new(game)));
        backgammon.chain(old).collect()
    }

    /// The names of all games, as [`FromStr`] reads them.
    pub fn names() -> Vec<&'static str> {
        let backgammon = Backgammon::ALL.into_iter().map(Backgammon::name);
        backgammon.chain(OldOptions::all().iter().map(OldOptions::name)).collect()
    }

    /// The [`id`](Game::id) of the game: its name and options.
    pub fn id(&self) -> String {
        with_game!(self, |game| game.id())
    }

    /// The variant of backgammon, for what is about backgammon alone.
    pub const fn backgammon(&self) -> Option<Backgammon> {
        match self {
            Self::Backgammon(game) => Some(*game),
            Self::Old(_) => None,
        }
    }
}

impl From<Backgammon> for AnyGame {
    fn from(game: Backgammon) -> Self {
        Self::Backgammon(game)
    }
}

impl From<OldGame> for AnyGame {
    fn from(game: OldGame) -> Self {
        Self::Old(game)
    }
}

/// The id.
impl fmt::Display for AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

impl FromStr for AnyGame {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<Self, UnknownGame> {
        if let Ok(game) = text.parse() {
            return Ok(Self::Backgammon(game));
        }
        let old = text.parse().map(|options| Self::Old(OldGame::new(options)));
        old.map_err(|error| match error {
            GameOptionsError::Game { input, .. } => {
                UnknownGame::Name { input, expected: Self::names().join(", ") }
            }
            error => UnknownGame::Options(error),
        })
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::board::{Charset, Color, Theme};

    use tavola_evaluator::{PlayableGame, SituationOf};
    use tavola_rules::notation::Situation;

    use super::*;

    fn does_all_that_is_asked<G: PlayableGame>(game: &G) -> (String, &'static str) {
        let start = game.start();
        assert_eq!(game.parse_state(&game.write_state(&start)), Ok(start));
        assert_eq!(game.parse_state("start"), Ok(start));
        let (roll, _) = game.rolls()[3];
        assert_eq!(game.parse_roll(&roll.to_string()), Ok(roll));
        let mut afterstates = Vec::new();
        game.afterstates(&start, roll, &mut afterstates);
        let mut named: Vec<_> = game.named_afterstates(&start, roll);
        assert_eq!(named.len(), afterstates.len());
        named.retain(|(_, after)| !afterstates.contains(after));
        assert!(named.is_empty());
        let situation = SituationOf::<G> { dice: Some(roll), ..Situation::of(start) };
        let board = game.board_view(&situation, &[]);
        let text = board.text(Charset::Ascii, Color::Never);
        assert!(matches!(text.lines().count(), 7 | 13), "{text}");
        assert!(board.svg(&Theme::WOOD).starts_with("<svg"));
        assert_eq!(game.parse(&game.write(&situation)).unwrap().position, start);
        assert_eq!(game.borne_off(&start), 0);
        let mut out = Vec::new();
        game.baseline().evaluate(&[start], &mut out);
        assert!(out[0].0.iter().sum::<f32>() > 0.999);
        (game.id(), G::BASELINE)
    }

    #[test]
    fn every_game_is_found_by_its_name_and_does_all_that_is_asked() {
        assert_eq!(AnyGame::all().len(), AnyGame::names().len());
        for (game, name) in AnyGame::all().into_iter().zip(AnyGame::names()) {
            assert_eq!(name.parse(), Ok(game.clone()));
            let (id, baseline) = with_game!(&game, |game| does_all_that_is_asked(game));
            assert_eq!(id, name);
            assert_eq!(id, game.to_string());
            assert_eq!(baseline == "pip-count", matches!(game, AnyGame::Backgammon(_)));
        }
    }

    #[test]
    fn unknown_names_are_told_all_the_known_ones() {
        let error = "ludo".parse::<AnyGame>().unwrap_err().to_string();
        assert!(error.contains("\"ludo\"") && error.contains("backgammon, "), "{error}");
        assert!(
            error
                .ends_with("tabula, puff, fallas, emperador, buffa, todas-tablas, ludus, trictrac"),
            "{error}"
        );
        let error = "tabula:speed=on".parse::<AnyGame>().unwrap_err().to_string();
        assert!(error.contains("`gammons`"), "{error}");
        let roll = "31".parse::<AnyGame>();
        assert!(roll.is_err());
    }
}
