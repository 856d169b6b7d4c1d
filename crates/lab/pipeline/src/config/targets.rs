//! What the network should have answered: the kinds of targets.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tavola_evaluator::Pruning;
use tavola_files::Failure;
use tavola_play::labels::{DistillationSettings, ExplorationTarget, SiblingSettings};
use tavola_play::{LabelSettings, Probability};
use tavola_train::Schedule;

use super::{Check, WeightsFile};

/// The kind of the targets, with the keys that it has. The formula of each is at
/// [`tavola_play::labels`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", try_from = "toml::Table")]
pub enum TargetSettings {
    /// TD(lambda), from the games.
    Td(TdSettings),
    /// Expected backups alone: means over all rolls instead of the roll that fell.
    ExpectedBackup(ExpectedBackupSettings),
    /// What the self-play network, or a solved game, says of the afterstates of each roll at 0-ply,
    /// and nothing else.
    Distill(DistillSettings),
}

impl TryFrom<toml::Table> for TargetSettings {
    type Error = String;

    /// As a derived reader does, but with the key in the error.
    fn try_from(mut table: toml::Table) -> Result<Self, String> {
        fn read<T: DeserializeOwned>(table: toml::Table) -> Result<T, String> {
            serde_path_to_error::deserialize(toml::Value::Table(table))
                .map_err(|error| format!("targets.{}: {}", error.path(), error.inner().message()))
        }
        let expected = "expected `td`, `expected-backup` or `distill`";
        match table.remove("kind") {
            Some(toml::Value::String(kind)) => match kind.as_str() {
                "td" => read(table).map(Self::Td),
                "expected-backup" => read(table).map(Self::ExpectedBackup),
                "distill" => read(table).map(Self::Distill),
                _ => Err(format!("targets.kind is {kind:?}, {expected}")),
            },
            Some(other) => Err(format!("targets.kind is {other}, {expected}")),
            None => Err(format!("missing field `kind`, {expected}")),
        }
    }
}

/// `kind = "td"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TdSettings {
    /// Lambda over the run, 0 to 1: 1 learns from the outcome alone, 0 from the evaluation of the
    /// next position alone.
    pub lambda: Schedule,
    /// What is learned before plays that exploration drew at random: `one-step` or `skip`.
    pub exploration_target: ExplorationTarget,
    /// Share of the positions that are learned from, 0.001 to 1, drawn for each.
    pub sample: Probability,
    /// Variance reduction: the luck of each roll is taken off the targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_reduction: Option<VarianceReductionSettings>,
}

/// How the luck of self-play rolls is evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VarianceReductionSettings {
    /// Which afterstates of a roll the self-play network evaluates.
    pub pruning: PruningSettings,
    /// Siblings of the plays beside the states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub siblings: Option<SiblingTargets>,
}

/// Which afterstates of a roll the self-play network evaluates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PruningSettings {
    /// Weights file of the pruning network, which evaluates the afterstates of all rolls.
    pub network: WeightsFile,
    /// How many afterstates of a roll, the best of the pruning network, the self-play network
    /// evaluates. 0, the default: none, the evaluation of the pruning network is taken.
    #[serde(default)]
    pub keep: usize,
    /// How far, in points, such an afterstate may be behind the best one, 0 to 3.
    #[serde(default = "default_within")]
    pub within: f64,
}

const fn default_within() -> f64 {
    0.08
}

/// Siblings: by how much the best plays that were not made differ from the one that was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SiblingTargets {
    /// The most siblings of a play, 1 to 100: the best at 0-ply.
    pub count: u8,
    /// How far, in points at 0-ply, a sibling may be from the play that was made, 0.001 to 3.
    pub within: f64,
    /// Number of first rolls that stand for all rolls of the second ply, 1 to 36; 0: the differences
    /// are those at 1-ply.
    pub first_rolls: u8,
}

/// `kind = "expected-backup"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExpectedBackupSettings {
    /// Share of the positions that are learned from, 0.001 to 1, drawn for each.
    pub share: Probability,
}

/// `kind = "distill"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DistillSettings {
    /// Share of the turns whose afterstates are learned, 0.001 to 1, drawn for each.
    pub share: Probability,
    /// How far, in points, an afterstate may be behind the best of its roll, 0.001 to 6.
    pub within: f64,
    /// Whether every state of the games is learned too. Forced plays and dances lead to states that
    /// are learned in no other way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub states: bool,
    /// A file of `tavola solve --table`, whose exact probabilities are learned instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<PathBuf>,
}

impl Default for TargetSettings {
    fn default() -> Self {
        Self::Td(TdSettings::default())
    }
}

impl Default for TdSettings {
    fn default() -> Self {
        Self {
            lambda: Schedule::Linear { from: 0.7, to: 0.3, warm_up: 0.0 },
            exploration_target: ExplorationTarget::default(),
            sample: Probability::ALWAYS,
            variance_reduction: None,
        }
    }
}

impl Default for SiblingTargets {
    fn default() -> Self {
        Self { count: 4, within: 0.12, first_rolls: 2 }
    }
}

impl Default for ExpectedBackupSettings {
    fn default() -> Self {
        Self { share: Probability::ALWAYS }
    }
}

impl Default for DistillSettings {
    fn default() -> Self {
        Self { share: Probability::ALWAYS, within: 0.5, states: false, table: None }
    }
}

impl PruningSettings {
    /// What is left to the self-play network, if anything.
    pub(crate) fn pruning(&self) -> Option<Pruning> {
        (self.keep > 0).then_some(Pruning { keep: self.keep, within: self.within as f32 })
    }
}

impl TdSettings {
    fn siblings(&self) -> Option<SiblingTargets> {
        self.variance_reduction.as_ref()?.siblings
    }
}

impl TargetSettings {
    /// What is learned at which position.
    pub fn labels(&self) -> LabelSettings {
        match self {
            Self::Td(td) => LabelSettings::Td {
                sample: td.sample,
                siblings: td.siblings().map(|siblings| {
                    let SiblingTargets { count, within, first_rolls } = siblings;
                    SiblingSettings { count, within: within as f32, first_rolls }
                }),
            },
            Self::ExpectedBackup(backup) => LabelSettings::ExpectedBackup { share: backup.share },
            &Self::Distill(DistillSettings { share, within, states, .. }) => {
                let within = within as f32;
                LabelSettings::Distillation(DistillationSettings { share, within, states })
            }
        }
    }

    /// The pruning network and what it leaves, if the targets need more than the 0-ply evaluations
    /// of the game.
    pub(crate) fn pruning(&self) -> Option<&PruningSettings> {
        match self {
            Self::Td(td) => td.variance_reduction.as_ref().map(|reduction| &reduction.pruning),
            Self::ExpectedBackup(_) | Self::Distill(_) => None,
        }
    }

    /// The solved game that is learned, if there is one.
    pub(crate) fn table(&self) -> Option<&Path> {
        match self {
            Self::Distill(distill) => distill.table.as_deref(),
            Self::Td(_) | Self::ExpectedBackup(_) => None,
        }
    }

    /// Whether they are the same in all rounds.
    pub(crate) const fn is_constant(&self) -> bool {
        match self {
            Self::Td(td) => td.lambda.is_constant(),
            Self::ExpectedBackup(_) | Self::Distill(_) => true,
        }
    }

    /// Lambda at this part of the run, and what is learned before explored plays. Targets that
    /// don't come from games have no lambda: 0.
    pub(crate) fn td(&self, progress: f64) -> (f64, ExplorationTarget) {
        match self {
            Self::Td(td) => (td.lambda.at(progress), td.exploration_target),
            Self::ExpectedBackup(_) | Self::Distill(_) => (0.0, ExplorationTarget::default()),
        }
    }

    pub(super) fn check(&self, check: &Check<'_>) -> Result<(), Failure> {
        let share = |key, share: Probability| check.range(key, share.get(), LEAST_SHARE..=1.0);
        if let Some(pruning) = self.pruning() {
            let key = "targets.variance_reduction.pruning.within";
            check.range(key, pruning.within, 0.0..=3.0)?;
        }
        match self {
            Self::Td(td) => {
                check.schedule("targets.lambda", &td.lambda, 0.0..=1.0)?;
                share("targets.sample", td.sample)?;
                td.siblings().map_or(Ok(()), |siblings| {
                    let key = |name| format!("targets.variance_reduction.siblings.{name}");
                    check.range(&key("count"), siblings.count, 1..=100)?;
                    check.range(&key("within"), siblings.within, LEAST_WITHIN..=3.0)?;
                    check.range(&key("first_rolls"), siblings.first_rolls, 0..=36)
                })
            }
            Self::ExpectedBackup(backup) => share("targets.share", backup.share),
            Self::Distill(distill) => {
                share("targets.share", distill.share)?;
                check.range("targets.within", distill.within, LEAST_WITHIN..=6.0)
            }
        }
    }
}

/// The smallest share of positions to learn from: with less, rounds can be left with none.
const LEAST_SHARE: f64 = 0.001;

/// The least distance of afterstates that are paired: none would be left where no two are alike.
const LEAST_WITHIN: f64 = 0.001;
