//! The evaluators of positions.

mod baseline;
mod fake;
mod net;
mod possible;
mod solved;
mod tables;

pub use baseline::{PipCountEvaluator, RandomEvaluator};
pub use fake::FakeEvaluator;
pub use net::NetEvaluator;
pub use possible::PossibleEvaluator;
pub use solved::SolvedEvaluator;
pub use tables::TableEvaluator;
