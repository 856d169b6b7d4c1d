//! All that is needed to go on after a round as if nothing had happened.
//!
//! | file | content |
//! |---|---|
//! | `state.json` | the round and the totals so far, [sealed](tavola_files::seal) |
//! | `learner` | the learner: weights, moments, steps |
//! | `selfplay.safetensors` | the self-play network of the next round, which lags a round behind |
//!
//! The games of the next round follow from the self-play network and the seed, so they are played
//! again and not stored. Records of earlier rounds stay in the run directory while a replay
//! window needs them.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tavola_files::limits::FILE_BYTES;
use tavola_files::{Failure, FileError, seal, unseal};
use tavola_net::{Interface, Weights};
use tavola_train::Learner;

use crate::config::Config;
use crate::manifest::FORMAT;

const STATE: &str = "state.json";
const LEARNER: &str = "learner";
const SELFPLAY: &str = "selfplay.safetensors";

/// What has been done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Rounds learned.
    pub round: u32,
    /// Their self-play games.
    pub games: u64,
    /// Positions after a play in these games.
    pub positions: u64,
    /// Seconds that the run has taken.
    pub seconds: f64,
}

/// The content of `state.json` in a checkpoint, apart from its checksum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointState {
    /// The version of the files of a run.
    pub format: u32,
    /// SHA-256 of the configuration.
    pub config_sha256: String,
    /// The checksum without the number of rounds, which may grow.
    #[serde(default)]
    pub run_sha256: Option<String>,
    /// What has been done.
    pub totals: Totals,
}

impl CheckpointState {
    /// Reads a file's bytes.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the checksum or the content is wrong.
    pub fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        Ok(serde_json::from_slice(&unseal(bytes)?)?)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let json = serde_json::to_string_pretty(self).expect("a state has string keys alone");
        seal(&json).into_bytes()
    }
}

/// A run between two rounds.
pub(crate) struct Progress {
    /// What has been done so far.
    pub(crate) totals: Totals,
    /// The learner after the last round.
    pub(crate) learner: Learner,
    /// The self-play network of the next round.
    pub(crate) selfplay: Weights,
}

impl Progress {
    /// Writes a checkpoint into an empty folder, and makes its files durable.
    pub(crate) fn save(&self, folder: &Path, config: &Config) -> Result<(), Failure> {
        self.learner.save(&folder.join(LEARNER)).map_err(Failure::work)?;
        self.selfplay.save(&folder.join(SELFPLAY)).map_err(Failure::work)?;
        let path = folder.join(STATE);
        let state = CheckpointState {
            format: FORMAT,
            config_sha256: config.sha256(),
            run_sha256: Some(config.run_sha256()),
            totals: self.totals,
        };
        Ok(tavola_files::write(&path, &state.to_bytes()).map_err(FileError::at("write", &path))?)
    }

    /// Reads the checkpoint after `round` of a run with this configuration; if `may_be_extended`,
    /// the number of rounds may be another one.
    pub(crate) fn load(
        folder: &Path,
        round: u32,
        interface: &Interface,
        config: &Config,
        may_be_extended: bool,
    ) -> Result<Self, Failure> {
        let path = folder.join(STATE);
        let bytes = tavola_files::read(&path, &FILE_BYTES).map_err(FileError::at("read", &path))?;
        let damaged = Failure::input_in(format!("{} is damaged", path.display()));
        let state = CheckpointState::from_bytes(&bytes).map_err(damaged)?;
        let refused = |reason: String| Err(Failure::input(format!("{} {reason}", path.display())));
        if state.format > FORMAT {
            let found = state.format;
            return refused(format!(
                "has format {found}, expected at most {FORMAT}: a newer tavola wrote it"
            ));
        }
        let expected = config.sha256();
        let is_extended = may_be_extended && state.run_sha256 == Some(config.run_sha256());
        if state.config_sha256 != expected && !is_extended {
            let found = state.config_sha256;
            return refused(format!("belongs to the configuration {found}, expected {expected}"));
        }
        let (found, rounds) = (state.totals.round, config.rounds);
        if found != round {
            return refused(format!("is damaged: it is of round {found}, expected round {round}"));
        }
        if found > rounds {
            return refused(format!(
                "is of round {found}, expected at most {rounds}, the rounds of the run"
            ));
        }
        Ok(Self {
            totals: state.totals,
            learner: Learner::load(interface, config.learner.clone(), &folder.join(LEARNER))
                .map_err(Failure::input)?,
            selfplay: Weights::load(&folder.join(SELFPLAY)).map_err(Failure::input)?,
        })
    }
}
