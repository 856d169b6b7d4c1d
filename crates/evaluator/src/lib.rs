//! Judging positions: the batch-first [`Evaluator`] trait and what implements it.

mod evaluator;

pub use evaluator::Evaluator;
