//! Judging positions: the batch-first [`Evaluator`] trait, what implements it, and the ranking of
//! what a roll allows.
//!
//! A judge says what a position is worth to its player on roll, before the roll, and nothing about
//! plays; [`rank_results`] and the agents that choose among them need nothing else of it. So
//! whatever judges, a network, a baseline or one wrapped in another, serves everywhere.
//!
//! ```
//! use tavola_evaluator::{PipCountEvaluator, rank_results};
//! use tavola_rules::{Backgammon, Position};
//!
//! let game = Backgammon::Standard;
//! let mut judge = PipCountEvaluator::new(game);
//! let ranked = rank_results(&game, &mut judge, &Position::STANDARD, "31".parse()?);
//! assert_eq!(ranked.len(), 16);
//! assert!(ranked[0].equity >= ranked[15].equity);
//! assert_eq!(ranked[15].loss, ranked[0].equity - ranked[15].equity);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
pub mod cubeful;
mod estimate;
mod evaluator;
pub mod evaluators;
pub mod expectation;
pub mod explain;
mod phase;
mod playable;
pub mod pruning;
pub mod rollout;
pub mod search;
mod workers;

pub use analysis::{RankedResult, rank_results};
pub use cubeful::{CubeAnalysis, CubeEvaluator, CubefulJudge, CubefulPlay};
pub use estimate::{Estimate, Z_95};
pub use evaluator::Evaluator;
pub use evaluators::{
    FakeEvaluator, NetEvaluator, PipCountEvaluator, RandomEvaluator, TableEvaluator,
};
pub use expectation::Expectation;
pub use explain::{Reasons, explain};
pub use phase::{Phase, UnknownPhase};
pub use playable::{Ending, Event, Form, PlayableGame, SituationOf, TextError, Written};
pub use pruning::{Pruner, Pruning};
pub use rollout::{Rollout, RolloutSettings};
pub use search::{Preset, Search, SearchSettings, SearchWatch, SearchedPlay};
pub use workers::Workers;
