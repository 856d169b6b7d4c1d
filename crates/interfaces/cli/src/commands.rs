//! One module per subcommand.

pub mod analyze;
pub mod batch;
pub mod bearoff;
pub mod bench;
pub mod best;
pub mod completions;
pub mod convert;
pub mod cube;
pub mod dataset;
pub mod duel;
pub mod eval;
pub mod external;
#[cfg(feature = "fleet")]
pub mod fleet;
pub mod grade;
pub mod ladder;
pub mod legal;
pub mod man;
pub mod met;
pub mod model;
pub mod perft;
pub mod play;
pub mod profile;
pub mod quiz;
pub mod rollout;
#[cfg(feature = "board")]
pub mod serve;
pub mod show;
pub mod solve;
pub mod stats;
pub mod train;
pub mod ubgi;
pub mod verify;
#[cfg(feature = "fleet")]
pub mod worker;

#[cfg(not(feature = "board"))]
pub use crate::absent::serve;
#[cfg(not(feature = "fleet"))]
pub use crate::absent::{fleet, worker};
