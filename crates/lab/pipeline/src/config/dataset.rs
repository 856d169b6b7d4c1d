//! Datasets as what a run learns from.

use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tavola_files::Failure;
use tavola_train::Schedule;

use super::{Check, Config};

/// Datasets whose states and targets are learned, in place of games that the run plays itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetSettings {
    /// At least one folder, made by `tavola dataset generate`; paths from the working directory.
    /// All their shards must be there.
    pub folders: Vec<PathBuf>,
    /// Shards that a round learns from, at least 1. Their samples are shuffled together and are in
    /// memory together. The shards of all folders come in a random order, each once before any
    /// comes again.
    #[serde(default = "one")]
    pub shards_per_round: NonZeroU32,
    /// Lambda over the run, 0 to 1. Left out: that of each dataset's own configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lambda: Option<Schedule>,
}

const fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// A run that plays no games has no use for settings of games and their targets.
pub(super) fn check(check: &Check<'_>, config: &Config) -> Result<(), Failure> {
    let Some(dataset) = &config.dataset else {
        return Ok(());
    };
    let folders = &dataset.folders;
    let again = (1..folders.len()).any(|place| folders[..place].contains(&folders[place]));
    if folders.is_empty() || again {
        let expected = "folders of datasets, each once";
        return Err(check.error("dataset.folders", format!("{folders:?}"), expected));
    }
    if let Some(lambda) = &dataset.lambda {
        check.schedule("dataset.lambda", lambda, 0.0..=1.0)?;
    }
    let default = Config::default();
    let is_given = [
        ("targets", config.targets != default.targets),
        ("selfplay", config.selfplay != default.selfplay),
        ("replay", config.replay != default.replay),
        ("start_book", !config.start_book.is_empty()),
        ("start_book_file", config.start_book_file.is_some()),
        ("target_network", config.target_network.is_some()),
        ("target_network_update_rounds", config.target_network_update_rounds != 1),
        ("rule_based_rounds", config.rule_based_rounds.is_some()),
    ];
    match is_given.iter().find(|(_, given)| *given) {
        Some((key, _)) => {
            let expected = "nothing: with [dataset] no games are played, and states have targets";
            Err(check.error(*key, "given", expected))
        }
        None => Ok(()),
    }
}
