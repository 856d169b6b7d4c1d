//! The first line of a file of decisions.

use std::io::BufRead;

use serde::{Deserialize, Serialize};
use tavola_evaluator::Phase;
use tavola_rules::named;

use super::SampleLabels;
use super::file::{GradeFileError, Lines};

/// What the first line says the file is.
pub(super) const FORMAT: &str = "tavola-grade";

/// The version of the references that are written, the first whose lines have a checksum.
pub(super) const VERSION: u32 = 3;

/// The version of the samples that are written.
const SAMPLE_VERSION: u32 = 2;

/// The oldest version that is read.
pub(super) const OLDEST_VERSION: u32 = 1;

/// What decisions may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// To choose between settings and networks, as often as one likes.
    Tuning,
    /// To report the strength of what has been chosen, and for no choice.
    Reporting,
}

named!(Purpose, "purpose": Tuning => "tuning", Reporting => "reporting");

/// The first line of a file: where its decisions come from, and who graded them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Always `tavola-grade`.
    format: String,
    /// The version of the format.
    version: u32,
    /// The [`id`](tavola_rules::Game::id) of the game.
    #[serde(default = "backgammon")]
    pub game: String,
    /// What the decisions may be used for.
    pub purpose: Purpose,
    /// The command that drew the decisions.
    pub command: String,
    /// The network that played the games, with its checksum.
    pub network: String,
    /// Seed of the games and of the draw.
    pub seed: u64,
    /// Games from the start that were played.
    pub games: u64,
    /// Games that were played on from positions of a rare phase.
    pub seeded_games: u64,
    /// What was found of each phase.
    pub phases: Vec<PhaseShare>,
    /// Who graded the plays; no grader yet, in a sample.
    #[serde(default, alias = "judge", skip_serializing_if = "Option::is_none")]
    pub grader: Option<GraderInfo>,
}

/// The game of headers that name none.
fn backgammon() -> String {
    "backgammon".to_owned()
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
    /// Which plays it rated, in words.
    pub rated: String,
    /// Plays that are not rated lose this much at least, in points: see
    /// [`GradedDecision::loss_of`](super::GradedDecision::loss_of).
    pub margin: f64,
    /// What tells its networks and tables from all others, where that is not in the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
}

impl Header {
    /// The header of the file of decisions that `reader` reads.
    ///
    /// # Errors
    ///
    /// [`GradeFileError`] if there is none.
    pub fn read(reader: impl BufRead) -> Result<Self, GradeFileError> {
        Lines::new(reader).header()
    }

    /// The header of a sample that has not been graded.
    pub(super) fn of_sample(
        game: String,
        SampleLabels { purpose, command, network }: SampleLabels,
    ) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: SAMPLE_VERSION,
            game,
            purpose,
            command,
            network,
            seed: 0,
            games: 0,
            seeded_games: 0,
            phases: Vec::new(),
            grader: None,
        }
    }

    /// The header of the decisions alone, without a grader.
    pub(super) fn ungraded(self) -> Self {
        Self { version: SAMPLE_VERSION, grader: None, ..self }
    }

    /// The header of a reference by this grader.
    pub(super) fn graded_by(&self, grader: GraderInfo) -> Self {
        Self { version: VERSION, grader: Some(grader), ..self.clone() }
    }

    /// The share of `phase` in play, 0 if the header does not mention it.
    pub fn share(&self, phase: Option<Phase>) -> f64 {
        self.phases.iter().find(|entry| entry.phase == phase).map_or(0.0, |entry| entry.share)
    }
}
