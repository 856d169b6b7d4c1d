//! Every game of the project by name, and the historical tables games themselves.
//!
//! [`OldGame`] is any of the historical games for two: which of them, and with which options, its
//! [`OldOptions`] say. [`AnyGame`] is any game for two of the project, backgammon and its variants
//! included, chosen by name; [`many`] has the games for more.
//!
//! ```
//! use tavola_games::{OldGame, PlayableGame};
//! use tavola_rules::Game;
//!
//! let game = OldGame::new("tabula".parse()?);
//! let state = game.parse_state("10:14 bar:1 / 1:2 4:2 5:1 20:10")?;
//! let plays = game.named_afterstates(&state, game.parse_roll("4-1-5")?);
//! // The 5 alone enters, and hits; then the others are free.
//! assert_eq!(plays.len(), 5);
//! assert!(plays.iter().all(|(play, _)| play.starts_with("bar-5*")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is built
//!
//! `rules` says what tells one game from another, as data; `steps` makes single moves of it and
//! combines dice; `engine` puts turns together and knows how games end. The moves of [`ludus`] and
//! [`trictrac`] are their own; all else they share. A state is an array of
//! small numbers, seen from the player on roll, and its layout is all that encoders need to know.
//! So a new game is mostly a constant; `CONTRIBUTING.md` tells how.
//!
//! The tests hold the golden cases of all six games, and a slow reading of the rules that must
//! find the same afterstates in random games.

mod board;
mod cells;
mod dice;
mod distinct;
mod engine;
pub mod ludus;
pub mod many;
mod named_game;
mod options;
mod playable;
mod plays;
mod registry;
mod rule_based;
mod rules;
mod sides;
pub mod state;
mod steps;
pub mod text;
pub mod trictrac;

pub use dice::{DiceCount, TablesDice, TablesDiceError};
pub use engine::OldGame;
pub use named_game::{NamedGame, NotForTwo};
pub use options::{
    BarataRule, BarataZone, BuffaGoal, BuffaOptions, EmperadorOptions, FallasOptions,
    GameOptionsError, Inheritance, OldOptions, PuffCap, PuffDirection, PuffOptions, Switch,
    TabulaOptions, TodasTablasOptions,
};
pub use plays::OldPlay;
pub use registry::{AnyGame, UnknownGame};
pub use rule_based::RuleBasedEvaluator;
pub use rules::{Goal, Stake};
pub use state::OldState;
pub use steps::{CheckerKind, OldStep, Origin, Target};
pub use tavola_evaluator::{EndingRule, PlayableGame, TextError, TurnEvent};
pub use text::PositionTextError;
