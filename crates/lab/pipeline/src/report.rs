//! What became of a run.

use std::path::PathBuf;

use serde::Serialize;

use crate::metrics::{EvaluationMetrics, StatesMetrics};

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// Its directory.
    pub directory: PathBuf,
    /// Whether all rounds are done. Else it was asked to stop, and the rounds that are done are
    /// saved: the same configuration and directory with [`Begin::Resume`](crate::Begin::Resume) go
    /// on to the same result.
    pub finished: bool,
    /// Rounds that are done.
    pub rounds_done: u32,
    /// All rounds.
    pub rounds: u32,
    /// Self-play games learned from.
    pub games: u64,
    /// Positions after a play in these games.
    pub positions: u64,
    /// Seconds that the run took, in all its sessions.
    pub seconds: f64,
    /// The weights file of the result, once it is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<PathBuf>,
    /// The last evaluation against each opponent, in the order of the configuration.
    pub evaluations: Vec<EvaluationMetrics>,
    /// The last evaluation of states, if the configuration has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<StatesMetrics>,
}
