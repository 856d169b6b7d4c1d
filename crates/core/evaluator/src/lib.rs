//! Evaluation of positions: the batch-first [`Evaluator`] trait, its implementations, and the
//! ranking of the plays of a roll.
//!
//! An evaluator gives the value of a position to its player on roll, before the roll, and nothing
//! about plays. [`rank_afterstates`] and the agents that choose among plays need nothing else of
//! it. So a network, a baseline or one wrapped in another serves everywhere.
//!
//! ```
//! use tavola_evaluator::{PipCountEvaluator, rank_afterstates};
//! use tavola_rules::{Backgammon, Position};
//!
//! let game = Backgammon::Standard;
//! let mut evaluator = PipCountEvaluator::new(game);
//! let ranked = rank_afterstates(&game, &mut evaluator, &Position::STANDARD, "31".parse()?);
//! assert_eq!(ranked.len(), 16);
//! assert!(ranked[0].equity >= ranked[15].equity);
//! assert_eq!(ranked[15].loss, ranked[0].equity - ranked[15].equity);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
pub mod cubeful;
mod error_bars;
mod estimate;
mod evaluator;
pub mod evaluators;
mod exact;
pub mod expectation;
pub mod explain;
mod level;
mod phase;
mod playable;
pub mod pruning;
pub mod remote;
pub mod rollout;
pub mod search;
mod utility;
mod workers;

pub use analysis::{RankedResult, lead_by_surpassing, rank_afterstates};
pub use cubeful::{CubeAnalysis, CubeEvaluator, CubefulEvaluator, CubefulPlay};
pub use error_bars::error_bar;
pub use estimate::{Estimate, Z_95, t_95};
pub use evaluator::Evaluator;
pub use evaluators::{
    FakeEvaluator, NetEvaluator, PipCountEvaluator, PossibleEvaluator, RandomEvaluator,
    SolvedEvaluator, TableEvaluator,
};
pub use expectation::RollExpectation;
pub use explain::{Reasons, explain};
pub use level::{CloseRollout, Level};
pub use phase::{BackGame, Phase, is_blitz};
pub use playable::{
    EndingRule, PlayableGame, SituationOf, TextError, TurnEvent, Written, WrittenForm,
};
pub use pruning::{Pruner, Pruning};
pub use rollout::{Rollout, RolloutSettings};
pub use search::{Preset, Search, SearchSettings, SearchWatch, SearchedPlay};
pub use workers::{NEVER, ThreadsBeside, Workers, in_pool};
