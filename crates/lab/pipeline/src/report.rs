//! What became of a run.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::metrics::{EvaluationMetrics, StatesMetrics};

/// What became of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// Its directory.
    pub directory: PathBuf,
    /// How it ended.
    pub ending: RunEnding,
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
}

/// A report by its keys in JSON.
#[derive(Clone, Debug, Serialize)]
pub struct RunAnswer<'a> {
    directory: &'a Path,
    finished: bool,
    rounds_done: u32,
    rounds: u32,
    games: u64,
    positions: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<&'a Path>,
    evaluations: &'a [EvaluationMetrics],
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<&'a StatesMetrics>,
}

impl RunReport {
    /// The report as it is written in JSON.
    pub fn answer(&self) -> RunAnswer<'_> {
        let weights = match &self.ending {
            RunEnding::Finished { weights } => Some(&**weights),
            RunEnding::Stopped => None,
        };
        RunAnswer {
            directory: &self.directory,
            finished: weights.is_some(),
            rounds_done: self.rounds.0,
            rounds: self.rounds.1,
            games: self.games,
            positions: self.positions,
            seconds: self.seconds,
            weights,
            evaluations: &self.evaluations,
            states: self.states.as_ref(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnding {
    /// All rounds are done.
    Finished {
        /// The weights file of the result.
        weights: PathBuf,
    },
    /// It was asked to stop. All rounds that [`RunReport::rounds`] counts are saved: the same
    /// configuration and directory with [`Begin::Resume`](crate::Begin::Resume) go on to the same
    /// result.
    Stopped,
}
