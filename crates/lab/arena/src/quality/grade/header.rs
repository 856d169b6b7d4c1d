//! The first line of a file of decisions or states.

use serde::{Deserialize, Serialize};
use tavola_evaluator::Phase;
use tavola_rules::named;

/// What the first line says the file is.
pub(super) const FORMAT: &str = "tavola-grade";

/// The version of the files that are written and read.
pub(super) const VERSION: u32 = 3;

/// What decisions or states may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// To choose between settings and networks, as often as one likes.
    Tuning,
    /// To report the strength of what has been chosen, and for no choice.
    Reporting,
}

named!(Purpose, "purpose": Tuning => "tuning", Reporting => "reporting");

/// The first line of a file: where its decisions or states come from, and who graded them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Always `tavola-grade`.
    format: String,
    /// The version of the format.
    version: u32,
    /// The [`id`](tavola_rules::Game::id) of the game.
    pub game: String,
    /// What they may be used for.
    pub purpose: Purpose,
    /// The command that drew them.
    pub command: String,
    /// The network that played the games, with its checksum.
    pub network: String,
    /// Seed of the games and of the draw.
    pub seed: u64,
    /// Games from the start that were played.
    pub games: u64,
    /// Games that were played on from positions of a rare phase.
    #[serde(default)]
    pub seeded_games: u64,
    /// Of decisions: what was found of each phase.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseShare>,
    /// Of states: what was found of each group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupShare>,
    /// Who graded them; no grader yet, in a sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grader: Option<GraderInfo>,
}

/// A phase in the games that were played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseShare {
    /// The phase; all decisions together in a game without phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Its share of the decisions of the games from the start, from 0 to 1. Rolls with a single
    /// result are no decisions.
    pub share: f64,
    /// Decisions that were drawn.
    pub drawn: u64,
    /// Those of them that are from seeded games.
    pub seeded: u64,
}

/// A group of states in the games that were played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupShare {
    /// The group, in words.
    pub group: String,
    /// Its share of the states of games without random plays, from 0 to 1.
    pub share: f64,
    /// States that were drawn.
    pub drawn: u64,
}

/// A share of counted decisions or states. Six digits: more would be noise in the file.
pub(super) fn share(count: u64, all: u64) -> f64 {
    (1e6 * count as f64 / all.max(1) as f64).round() / 1e6
}

/// Behind a number of decisions: of which phase they are.
pub(super) fn of_phase(phase: Option<Phase>) -> String {
    phase.map_or_else(String::new, |phase| format!(" of the phase {phase}"))
}

/// Who graded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraderInfo {
    /// The grader with its version.
    pub name: String,
    /// What decides how it grades.
    pub settings: String,
    /// Which plays it rated, in words; "states" of states.
    pub rated: String,
    /// Plays that are not rated lose this much at least, in points: see
    /// [`GradedDecision::loss_of`](super::GradedDecision::loss_of).
    pub margin: f64,
    /// What tells its networks and tables from all others, where that is not in the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
}

/// What the header of a sample says beside the draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleLabels {
    /// What the sample may be used for.
    pub purpose: Purpose,
    /// The command that draws the decisions.
    pub command: String,
    /// The network that plays the games, with its checksum.
    pub network: String,
}

impl Header {
    /// The header of what this seed draws from `games` games; nothing is drawn yet.
    pub fn new(game: String, labels: SampleLabels, (seed, games): (u64, u64)) -> Self {
        let SampleLabels { purpose, command, network } = labels;
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            game,
            purpose,
            command,
            network,
            seed,
            games,
            seeded_games: 0,
            phases: Vec::new(),
            groups: Vec::new(),
            grader: None,
        }
    }

    /// The header of what this grader graded, or of what is still to be graded.
    #[must_use]
    pub fn graded_by(self, grader: Option<GraderInfo>) -> Self {
        Self { grader, ..self }
    }

    /// How many decisions or states there are.
    pub fn drawn(&self) -> u64 {
        let phases = self.phases.iter().map(|phase| phase.drawn);
        phases.chain(self.groups.iter().map(|group| group.drawn)).sum()
    }

    /// The share of `phase` in play, 0 if the header does not mention it.
    pub fn share(&self, phase: Option<Phase>) -> f64 {
        self.phases.iter().find(|entry| entry.phase == phase).map_or(0.0, |entry| entry.share)
    }
}
