//! What became of a run.

use std::path::PathBuf;

use crate::gate::GateResult;
use crate::metrics::{EvaluationMetrics, StatesMetrics};

/// What became of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// Its directory.
    pub directory: PathBuf,
    /// How it ended.
    pub ending: Ending,
    /// Rounds that are done, of how many.
    pub rounds: (u32, u32),
    /// Self-play games learned from.
    pub games: u64,
    /// Positions after a play in these games.
    pub positions: u64,
    /// Seconds that the run took, in all its sessions.
    pub seconds: f64,
    /// The last evaluation against each opponent, in the order of the configuration.
    pub evaluations: Vec<EvaluationMetrics>,
    /// The last evaluation of states, if the configuration has some.
    pub states: Option<StatesMetrics>,
    /// What the gate said, if the configuration has one and the run is finished.
    pub gate: Option<GateResult>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All rounds are done, and the gate has decided if there is one; whether it was passed is told
    /// by [`RunReport::gate`].
    Finished {
        /// The weights file of the result.
        weights: PathBuf,
    },
    /// It was asked to stop. All rounds that [`RunReport::rounds`] counts are saved: the same
    /// configuration and directory with [`Begin::Resume`](crate::Begin::Resume) go on to the same
    /// result.
    Stopped,
}
