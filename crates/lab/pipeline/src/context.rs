//! What a run works with.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_bearoff::WholeGame;
use tavola_evaluator::Evaluator;
use tavola_evaluator::remote::Remote;
use tavola_files::limits::LARGE_BYTES;
use tavola_files::{Digest, Failure, Sha256, sha256};
use tavola_games::PlayableGame;
use tavola_net::{Weights, WeightsError};
use tavola_play::Workers;

use crate::config::{Config, Plan, WeightsFile};
use crate::error;
use crate::events::Observer;
use crate::run_dir::{RunDir, io_error};

/// What the rounds of a run work with, whatever the game.
pub(crate) struct RunContext<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) dir: &'a RunDir,
    /// Has the games played; `None`: the threads of this process do.
    pub(crate) remote: Option<&'a dyn Remote>,
    pub(crate) threads: NonZeroUsize,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) cancel: &'a AtomicBool,
}

impl RunContext<'_> {
    /// The threads of this process.
    pub(crate) fn workers(&self) -> Workers<'_> {
        Workers { threads: self.threads, cancel: self.cancel }
    }

    /// Whether the run was asked to stop.
    pub(crate) fn is_canceled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

/// A solved game that gives the targets.
pub(crate) struct Teacher(Arc<WholeGame>);

impl Teacher {
    /// The solved game that a configuration names, if it names one. A fleet can't be sent it.
    pub(crate) fn of(
        game: &impl PlayableGame,
        config: &Config,
        on_fleet: bool,
    ) -> Result<Option<Self>, Failure> {
        let Some(path) = config.targets.table() else { return Ok(None) };
        let failed = error::input::<Box<dyn std::error::Error + Send + Sync>>;
        let failed = failed("the solved game", "targets.table", path);
        if on_fleet {
            return Err(failed("it is too large for a fleet, expected a run without one".into()));
        }
        let solution = Arc::new(WholeGame::load(path).map_err(|error| failed(error.into()))?);
        if game.solved_by(solution.clone()).is_none() {
            let (checkers, game) = (solution.checkers(), game.id());
            let what = format!("it has {checkers} checkers a side, expected a solution of {game}");
            return Err(failed(what.into()));
        }
        Ok(Some(Self(solution)))
    }

    /// Its checksum.
    pub(crate) fn checksum(&self) -> String {
        self.0.checksum()
    }

    /// The exact evaluator, for the game that it was checked for.
    pub(crate) fn evaluator<G: PlayableGame>(&self, game: &G) -> Box<dyn Evaluator<G>> {
        game.solved_by(self.0.clone()).expect("was checked")
    }
}

/// A number that depends on the seed of a run, what it is for, and a round.
pub(crate) fn derived_seed(seed: u64, purpose: &str, round: u32) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(seed.to_le_bytes());
    hasher.update(round.to_le_bytes());
    hasher.update(purpose);
    let digest = hasher.finalize();
    u64::from_le_bytes(std::array::from_fn(|i| digest[i]))
}

/// Reads the weights file for the game of this id that `key` names, and refuses another network
/// than the named one. Its name and checksum go into `inputs`.
pub(crate) fn load_named(
    key: &'static str,
    file: &WeightsFile,
    game: &str,
    inputs: &mut BTreeMap<String, String>,
) -> Result<Weights, Failure> {
    let WeightsFile { path, checksum } = file;
    let unusable = error::input("the weights file", key, path);
    let weights = Weights::load(path).map_err(&unusable)?;
    if weights.game != game {
        let (found, expected) = (weights.game, game.to_owned());
        return Err(unusable(WeightsError::OtherGame { found, expected }));
    }
    let (path, found) = (path.display(), weights.checksum());
    if let Some(expected) = checksum.as_ref().filter(|digits| !found.starts_with(*digits)) {
        return Err(Failure::input(format!(
            "{key} is {path}, which holds the network {found}, expected {expected}"
        )));
    }
    inputs.insert(path.to_string(), found);
    Ok(weights)
}

/// The content of a file that a run depends on, whose checksum goes into `inputs`.
pub(crate) fn read_input(
    path: &Path,
    inputs: &mut BTreeMap<String, String>,
) -> Result<Vec<u8>, Failure> {
    let bytes = tavola_files::read(path, &LARGE_BYTES).map_err(io_error("read", path))?;
    inputs.insert(path.display().to_string(), sha256(&bytes));
    Ok(bytes)
}
