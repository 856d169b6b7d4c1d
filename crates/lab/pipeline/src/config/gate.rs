//! What a new network must show before it replaces an old one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tavola_arena::Sprt;
use tavola_files::Failure;
use tavola_games::AnyGame;

use super::{Check, ConfigError};

/// The network of a run replaces another one if it passes a gate: it is graded, where there is a
/// reference, by its decisions and by its evaluations of states, and then plays the old one until
/// a sequential test has decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateSettings {
    /// The weights file of the network that must be beaten, and that is replaced; a path from the
    /// working directory.
    pub replaces: PathBuf,
    /// A file of graded decisions; a path from the working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<PathBuf>,
    /// Millipoints a decision, phases weighted by their share in play, that the new network may
    /// lose more than the old one. -1,000 to 1,000.
    #[serde(default = "default_worse_by")]
    pub worse_by: f64,
    /// Where evaluations have [states](super::EvaluationSettings::states): the most that the new
    /// network's root mean square error on them may be, at each depth, times the old network's.
    /// 0.01 to 100. Left out: states are not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states_rmse_ratio: Option<f64>,
    /// The test of their games.
    #[serde(default)]
    pub sprt: GateSprt,
}

/// The sequential test of a gate. It is passed if it decides for the higher strength.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateSprt {
    /// Millipoints a game that the new network is stronger in the first hypothesis. -3,000 to
    /// 3,000.
    pub low: f64,
    /// The advantage in the second hypothesis; more than [`low`](Self::low).
    pub high: f64,
    /// Most games, an even number from 128 to 10,000,000: without a decision by then the gate is
    /// not passed.
    pub games: u64,
    /// Probability that the gate is passed though the first hypothesis is true. Above 0, below 0.5.
    pub alpha: f64,
    /// Probability that it is not passed though the second is. Above 0, below 0.5.
    pub beta: f64,
    /// Seed of the dice. 0 to 2^63 - 1.
    pub seed: u64,
}

const fn default_worse_by() -> f64 {
    0.2
}

impl Default for GateSprt {
    fn default() -> Self {
        Self { low: 0.0, high: 3.0, games: 50_000, alpha: 0.05, beta: 0.05, seed: 20_250_102 }
    }
}

impl GateSprt {
    /// The test, in points.
    pub(crate) fn test(&self) -> Result<Sprt, Failure> {
        Sprt::new(self.low / 1000.0, self.high / 1000.0, self.alpha, self.beta)
    }
}

/// Refuses a gate that no network could pass, or that could not be played.
pub(super) fn check(
    check: &Check<'_>,
    game: &AnyGame,
    gate: &GateSettings,
    has_states: bool,
) -> Result<(), ConfigError> {
    let quoted = |path: &Path| format!("{:?}", path.display().to_string());
    if !gate.replaces.is_file() {
        let expected = format!("the path of a weights file for {}", game.id());
        return Err(check.error("gate.replaces", quoted(&gate.replaces), expected));
    }
    if let Some(reference) = &gate.reference
        && !reference.is_file()
    {
        let expected = "the path of a file of graded decisions";
        return Err(check.error("gate.reference", quoted(reference), expected));
    }
    check.range("gate.worse_by", gate.worse_by, -1000.0..=1000.0)?;
    if let Some(ratio) = gate.states_rmse_ratio {
        check.range("gate.states_rmse_ratio", ratio, 0.01..=100.0)?;
        if !has_states {
            let expected = "evaluation.states beside it";
            return Err(check.error("gate.states_rmse_ratio", ratio, expected));
        }
    }
    let GateSprt { low, high, games, alpha, beta, seed } = &gate.sprt;
    if ![alpha, beta].into_iter().all(|&rate| rate > 0.0 && rate < 0.5) {
        let expected = "probabilities above 0 and below 0.5";
        return Err(check.error(
            "gate.sprt (alpha and beta)",
            format!("{alpha} and {beta}"),
            expected,
        ));
    }
    if gate.sprt.test().is_err() {
        let expected = "two strengths from -3000 to 3000 millipoints, the smaller one first";
        return Err(check.error("gate.sprt (low and high)", format!("{low} and {high}"), expected));
    }
    if !(128..=10_000_000).contains(games) || *games % 2 != 0 {
        return Err(check.error("gate.sprt.games", games, "an even number from 128 to 10000000"));
    }
    check.range("gate.sprt.seed", *seed, 0..=i64::MAX as u64)
}
