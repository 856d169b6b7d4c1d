//! What a run works with.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tavola_evaluator::remote::Remote;
use tavola_files::{Digest, Sha256};
use tavola_net::{Weights, WeightsError};
use tavola_rules::Game;

use crate::config::{Plan, WeightsFile};
use crate::dataset::DatasetSource;
use crate::error::RunError;
use crate::events::Observer;
use crate::run_dir::RunDir;
use crate::selfplay_pool::PruningNetwork;

/// What the rounds of a run work with and leave as it is.
pub(crate) struct RunContext<'a, G: Game> {
    pub(crate) game: G,
    pub(crate) plan: &'a Plan,
    pub(crate) dir: &'a RunDir,
    /// For variance reduction and the other targets that look ahead.
    pub(crate) pruning: Option<PruningNetwork<G>>,
    /// The weights of that network, for other processes.
    pub(crate) pruning_weights: Option<Weights>,
    /// Has the games played; `None`: the threads of this process do.
    pub(crate) remote: Option<&'a dyn Remote>,
    /// The dataset that is learned; `None`: games that the run plays.
    pub(crate) dataset: Option<DatasetSource>,
    /// The start book of self-play.
    pub(crate) starts: Vec<G::State>,
    pub(crate) threads: NonZeroUsize,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) cancel: &'a AtomicBool,
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

/// Reads a weights file for this game.
pub(crate) fn load_weights(
    key: &'static str,
    path: &Path,
    game: &impl Game,
) -> Result<Weights, RunError> {
    let input = |source| RunError::Input { key, path: path.to_owned(), source };
    let weights = Weights::load(path).map_err(input)?;
    if weights.game != game.id() {
        let (found, expected) = (weights.game, game.id());
        return Err(input(WeightsError::OtherGame { found, expected }));
    }
    Ok(weights)
}

/// Reads the weights file that `key` names, and refuses another network than the named one.
pub(crate) fn load_named(
    key: &'static str,
    file: &WeightsFile,
    game: &impl Game,
) -> Result<Weights, RunError> {
    let WeightsFile { path, checksum } = file;
    let weights = load_weights(key, path, game)?;
    let found = weights.checksum();
    match checksum {
        Some(expected) if !found.starts_with(expected) => {
            let (path, expected) = (path.clone(), expected.clone());
            Err(RunError::OtherWeights { key, path, found, expected })
        }
        _ => Ok(weights),
    }
}
