//! The binary as its users meet it: arguments in, text, JSON and exit codes out.

mod analyze;
mod analyze_files;
mod answers;
mod batch;
mod bearoff;
mod bench;
#[cfg(unix)]
mod beside;
mod comfort;
mod cube;
mod dataset;
mod duel;
mod errors;
mod external;
mod family;
#[cfg(feature = "fleet")]
mod fleet;
#[cfg(feature = "wgpu")]
mod gpu;
mod grade;
#[cfg(unix)]
mod interrupts;
mod ladder;
mod many;
mod many_players;
mod matches;
#[cfg(not(feature = "fleet"))]
mod no_fleet;
mod outputs;
mod perft;
mod profile;
mod quiz;
mod rollout;
mod run;
mod sage;
mod solve;
mod stats;
mod training;
mod ubgi;

/// A network that is quick, where it does not matter which one answers.
const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/small.safetensors");
