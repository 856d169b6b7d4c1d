//! What a gate said, as the manifest and the report keep it.

use serde::{Deserialize, Serialize};
use tavola_arena::{Estimate, SprtResult};

/// What a gate said. Strengths and losses are in points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateResult {
    /// Whether the new network has shown enough.
    pub passed: bool,
    /// Whether it was put in the place of the old one, which happens after the decision was
    /// written down.
    pub replaced: bool,
    /// The weights file that is replaced, as in the configuration.
    pub replaces: String,
    /// Checksum of the old network, which was kept in the run directory.
    pub old_sha256: String,
    /// Checksum of the new one.
    pub new_sha256: String,
    /// The grades, if there was a reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<GateGrade>,
    /// The evaluations of states, if they are looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<GateStates>,
    /// The games; none were played if the grade or an evaluation was too bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duel: Option<GateDuel>,
}

/// The grades of both networks: points lost a decision, phases weighted by their share in play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateGrade {
    /// Whether the new network loses little enough.
    pub passed: bool,
    /// The file of decisions, as in the configuration.
    pub reference: String,
    /// Decisions in it.
    pub decisions: u64,
    /// What the new network loses.
    pub new: Estimate,
    /// What the old network loses.
    pub old: Estimate,
    /// How much more the new one loses, decision by decision.
    pub worse: Estimate,
    /// How much more it may lose.
    pub worse_by: f64,
}

/// How well both networks evaluate states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateStates {
    /// Whether the new network is right enough at every depth.
    pub passed: bool,
    /// The file of states, as in the configuration.
    pub file: String,
    /// The most that an error of the new network may be, times that of the old one.
    pub ratio: f64,
    /// The errors at each depth.
    pub plies: Vec<GateRmse>,
}

/// Root mean square errors of equity at a depth, in points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateRmse {
    /// Plies of lookahead.
    pub ply: u8,
    /// Of the new network.
    pub new: f64,
    /// Of the old one.
    pub old: f64,
}

/// The games of the new network against the old one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateDuel {
    /// Whether the test has decided for the higher strength.
    pub passed: bool,
    /// Games played, two a pair.
    pub games: u64,
    /// Most games that might have been played.
    pub most_games: u64,
    /// Seed of the dice.
    pub seed: u64,
    /// Points per game of the new network.
    pub ppg: Estimate,
    /// Points per game, luck-adjusted by the old network.
    pub luck_adjusted: Option<Estimate>,
    /// The test, of the luck-adjusted points.
    pub sprt: SprtResult,
}
