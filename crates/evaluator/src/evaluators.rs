//! What judges positions.

mod net;

pub use net::NetEvaluator;
