//! Which player is stronger, and by how much: duels, sequential tests, ratings, grades, profiles.
//!
//! A [`Duel`] plays pairs of games on the same dice with the seats swapped, without a cube, and a
//! [`CubeDuel`] with one. Both reduce the variance of their result and end early by an [`Sprt`]
//! where they are asked to; [`PairLog`] keeps their pairs on disk. [`ladder`] rates many versions
//! by their duels, [`grade`] measures single decisions by the phase of their positions,
//! [`profile`] says what two players do differently, and an [`ExternalAgent`] is another program.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::sync::atomic::AtomicBool;
//!
//! use tavola_arena::{DuelSettings, duel};
//! use tavola_evaluator::{PipCountEvaluator, RandomEvaluator};
//! use tavola_play::{EvaluatorAgent, Workers};
//! use tavola_rules::Backgammon;
//!
//! let game = Backgammon::Hypergammon;
//! let racer = EvaluatorAgent::new(Box::new(PipCountEvaluator::new(game)));
//! let random = EvaluatorAgent::new(Box::new(RandomEvaluator::new(game, 1)));
//! let cancel = AtomicBool::new(false);
//! let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
//! let settings = DuelSettings { pairs: 200, ..DuelSettings::default() };
//! let result = duel(&game, &racer, &random, &settings, workers, &|_| {})?;
//! assert!(result.ppg.low > 0.0, "hitting pays: {:?}", result.ppg);
//! # Ok::<(), tavola_arena::DuelError>(())
//! ```

mod contest;
mod cube_duel;
mod duel;
mod external;
pub mod grade;
pub mod ladder;
mod pair_log;
pub mod profile;
mod sprt;
mod stats;
mod timed;

pub use cube_duel::{CubeDuel, CubeDuelResult, CubePair, CubeScore, CubeTally, DuelUnit};
pub use duel::{Duel, DuelError, DuelResult, DuelSettings, SprtResult, duel};
pub use external::{EngineCommand, EngineError, ExternalAgent};
pub use pair_log::{CubePairLine, DuelHeader, LoggedPair, Merged, PairLine, PairLog, PairLogError};
pub use sprt::{Sprt, SprtError, Verdict};
pub use stats::{PairFailure, PairResult, PairScore, Scores, Tally, Wins};
pub use tavola_evaluator::Estimate;
pub use timed::{Clock, Timed};
