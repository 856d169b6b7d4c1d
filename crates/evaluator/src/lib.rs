//! Judging positions: the batch-first [`Evaluator`] trait and what implements it.

pub mod analysis;
mod evaluator;
pub mod evaluators;

pub use analysis::{RankedResult, rank_results};
pub use evaluator::Evaluator;
pub use evaluators::{FakeEvaluator, NetEvaluator, PipCountEvaluator, RandomEvaluator};
