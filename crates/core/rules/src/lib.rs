//! The exact game: positions, dice, plays, afterstates, cube and match rules, notations.
//!
//! This crate knows what is legal and what a result counts for; what is good, it leaves to others.
//! The tour follows one game.
//!
//! # A position, a roll, its afterstates
//!
//! A [`Position`] is seen from the player on roll: they move from 24 down to 1, and their home is 1
//! to 6. [`movegen::afterstates`] lists what a roll can lead to: every distinct position once,
//! seen by the opponent, who is on roll then. How the checkers got there does not matter to an
//! evaluation, so the hot path knows no moves.
//!
//! ```
//! use tavola_rules::{Dice, Position, movegen};
//!
//! let start = Position::STANDARD;
//! assert_eq!((start.point(24), start.point(19), start.pip_count()), (2, -5, 167));
//!
//! let roll: Dice = "31".parse()?;
//! let mut afterstates = Vec::new();
//! movegen::afterstates(&start, roll, &mut afterstates);
//! assert_eq!(afterstates.len(), 16);
//! // One of them makes the five point: 20, as the opponent counts.
//! assert!(afterstates.iter().any(|after| after.point(20) == -2 && after.point(19) == -4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Plays and notations
//!
//! [`moves`] finds the plays that people read and write, and [`notation`] reads and writes
//! positions as GNU Position IDs, XGIDs and more; [`board`] draws them.
//!
//! ```
//! use tavola_rules::{Position, moves, notation};
//!
//! let start = notation::decode_position_id("4HPwATDgc/ABMA")?;
//! assert_eq!(start, Position::STANDARD);
//! let (play, after) = notation::parse_play("6/5, 8/5", &start, "31".parse()?)?;
//! assert_eq!(play.to_string(), "8/5 6/5");
//! assert_eq!(notation::encode_position_id(&after), "sGfwATDgc/ABMA");
//! assert_eq!(moves::plays(&start, "31".parse()?).len(), 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A game to its end
//!
//! The [`Game`] trait is what self-play needs of any tables game: rolls, afterstates (a pass is one
//! too), and the [`Outcome`] of a finished position. [`Backgammon`] and its variants implement it.
//!
//! ```
//! use rand::SeedableRng;
//! use rand::rngs::ChaCha8Rng;
//! use tavola_rules::{Backgammon, Game};
//!
//! let game = Backgammon::Standard;
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let (mut position, mut roll) = (game.start(), game.opening_roll(&mut rng));
//! let mut afterstates = Vec::new();
//! let outcome = loop {
//!     afterstates.clear();
//!     game.afterstates(&position, roll, &mut afterstates);
//!     position = afterstates[0]; // a poor player
//!     if let Some(outcome) = game.outcome(&position) {
//!         break outcome;
//!     }
//!     roll = game.roll(&mut rng);
//! };
//! // Seen by the player on roll, who is the loser: the opponent has just borne off.
//! assert!(!outcome.is_win());
//! ```
//!
//! # Cube, match and money
//!
//! [`Options`] say what is agreed, a [`Session`] keeps the score, a [`GameState`] knows who may
//! double, roll or answer. An illegal action is an error that changes nothing.
//!
//! ```
//! use tavola_rules::{ActionError, CubeOwner, OpeningThrow, Options, Player, Session};
//!
//! let mut session = Session::match_to(7, &Options::default())?;
//! let throw = OpeningThrow { starter: Player::One, dice: "31".parse()?, ties: 0 };
//! let mut game = session.begin_game(&throw)?;
//! assert!(matches!(game.double(), Err(ActionError::AlreadyRolled { .. })));
//! game.end_turn()?; // the checkers are moved
//! game.double()?;
//! game.take()?;
//! assert_eq!((game.cube().value(), game.cube().owner()), (2, CubeOwner::Opponent));
//! game.roll()?;
//! game.end_turn()?;
//! game.double()?; // player one owns the cube now
//! game.drop_offer()?;
//! let result = game.result().expect("a drop ends the game");
//! session.record(&result)?;
//! assert_eq!(session.points(Player::One), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Why to believe it
//!
//! The tests hold the golden cases of the rules, a slow generator that must find the same
//! afterstates, and [`perft`] tables; `scripts/compare-gnubg.py` compares with GNU Backgammon.

pub mod backgammon;
pub mod board;
pub mod chouette;
pub mod cube;
pub mod dice;
pub mod game;
pub mod game_state;
pub mod match_state;
pub mod movegen;
pub mod moves;
pub mod named;
mod nearest;
pub mod notation;
pub mod options;
pub mod outcome;
mod partial_play;
pub mod perft;
mod play_graph;
pub mod position;
pub mod session;

pub use backgammon::Backgammon;
pub use cube::{CenteredFace, Cube, CubeError, CubeOwner, Offer};
pub use dice::{Dice, dice_digits};
pub use game::{Cell, CellKind, Game};
pub use game_state::{Action, ActionError, GameStage, GameState, Resignation};
pub use match_state::{
    AfterGame, CubeUse, GameEnding, GameResult, MatchPhase, MatchScore, MatchScoreError, Player,
    WinKind,
};
pub use moves::{Play, Step};
pub use named::{Named, UnknownName, alternatives};
pub use nearest::{did_you_mean, nearest};
pub use options::{Beavers, Opening, OpeningThrow, Options, OptionsError};
pub use outcome::Outcome;
pub use partial_play::PartialPlay;
pub use play_graph::{Hop, Node, PlayGraph};
pub use position::Position;
pub use session::{Session, SessionError};
