//! What judges positions.

mod baseline;
mod fake;
mod net;

pub use baseline::{PipCountEvaluator, RandomEvaluator};
pub use fake::FakeEvaluator;
pub use net::NetEvaluator;
