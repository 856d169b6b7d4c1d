//! The samples of a dataset, round by round, for a run that learns from them.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use tavola_data::{Samples, ShardReader};
use tavola_files::sha256;
use tavola_play::shard_path;
use tavola_rules::Game;

use super::{DatasetFailure, DatasetManifest, MANIFEST};
use crate::config::DatasetSettings;
use crate::context::derived_seed;
use crate::error::RunError;

/// The shards of a dataset that is complete.
#[derive(Debug)]
pub(crate) struct DatasetSource {
    settings: DatasetSettings,
    manifest: DatasetManifest,
    /// Cells of a state.
    cells: usize,
    /// The seed of the run: it fixes the order of the shards.
    seed: u64,
}

impl DatasetSource {
    /// Opens a dataset of this game; the checksum of its manifest goes into `inputs`.
    ///
    /// # Errors
    ///
    /// [`RunError::Dataset`]: no manifest, another game, or shards that are missing.
    pub(crate) fn open(
        game: &impl Game,
        settings: &DatasetSettings,
        seed: u64,
        inputs: &mut BTreeMap<String, String>,
    ) -> Result<Self, RunError> {
        let folder = &settings.folder;
        let manifest = DatasetManifest::of(folder)?;
        if manifest.game != game.id() {
            return Err(DatasetFailure::Game {
                folder: folder.clone(),
                game: manifest.game,
                reason: format!("expected {:?}", game.id()),
            }
            .into());
        }
        let missing = (0..manifest.shards()).find(|&shard| !shard_path(folder, shard).is_file());
        if let Some(shard) = missing {
            let path = shard_path(folder, shard);
            return Err(DatasetFailure::Unfinished { path }.into());
        }
        let bytes = serde_json::to_vec(&manifest).expect("a manifest has only text keys");
        inputs.insert(folder.join(MANIFEST).display().to_string(), sha256(&bytes));
        Ok(Self { settings: settings.clone(), manifest, cells: game.layout().len(), seed })
    }

    /// The shards of a round, counted from 1: the next ones of an endless list in which every pass
    /// over the dataset has an order of its own.
    fn shards(&self, round: u32) -> Vec<u32> {
        let (all, each) =
            (u64::from(self.manifest.shards()), u64::from(self.settings.shards_per_round.get()));
        let first = u64::from(round - 1) * each;
        let mut order: (Option<u64>, Vec<u32>) = (None, Vec::new());
        let place = |place: u64| {
            let pass = place / all;
            if order.0 != Some(pass) {
                let seed = derived_seed(self.seed, "order of shards", pass as u32);
                let mut shards: Vec<u32> = (0..self.manifest.shards()).collect();
                shards.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
                order = (Some(pass), shards);
            }
            order.1[(place % all) as usize]
        };
        (first..first + each).map(place).collect()
    }

    /// Games whose states a round learns.
    pub(crate) fn games(&self, round: u32) -> u64 {
        self.shards(round).into_iter().map(|shard| self.manifest.games_of(shard)).sum()
    }

    /// The lambda of the targets.
    pub(crate) fn lambda(&self) -> f64 {
        self.manifest.config.targets.td(0.0).0
    }

    /// Appends the samples of a round.
    ///
    /// # Errors
    ///
    /// [`RunError::Dataset`] if a shard can't be read or is damaged.
    pub(crate) fn read(&self, round: u32, samples: &mut Samples) -> Result<(), RunError> {
        for shard in self.shards(round) {
            let path = shard_path(&self.settings.folder, shard);
            let reader = ShardReader::open(&path, &self.manifest.game, self.cells);
            for block in reader.map_err(DatasetFailure::Shard)? {
                samples.append(&block.map_err(DatasetFailure::Shard)?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU32, NonZeroU64};
    use std::sync::atomic::AtomicBool;

    use tavola_play::Workers;
    use tavola_rules::Backgammon;

    use super::*;
    use crate::config::Plan;
    use crate::dataset::{DatasetOptions, generate_dataset};

    #[test]
    fn every_shard_comes_once_before_any_comes_again() {
        let folder = tempfile::tempdir().unwrap();
        let text = "seed = 3\n[network]\nhidden = [4]\n[selfplay]\nmax_turns = 2000\n";
        let plan = Plan::from_toml(text, "test.toml".as_ref()).unwrap();
        let options = DatasetOptions {
            folder: folder.path().to_owned(),
            games: NonZeroU64::new(5).unwrap(),
            games_per_shard: NonZeroU32::new(1).unwrap(),
        };
        let cancel = AtomicBool::new(false);
        let workers = Workers { threads: NonZeroU32::MIN.try_into().unwrap(), cancel: &cancel };
        let report = generate_dataset(&plan, &options, workers, &|_| {}).unwrap();
        let settings = DatasetSettings {
            folder: folder.path().to_owned(),
            shards_per_round: NonZeroU32::new(2).unwrap(),
        };
        let mut inputs = BTreeMap::new();
        let game = Backgammon::Standard;
        let source = DatasetSource::open(&game, &settings, 7, &mut inputs).unwrap();
        assert_eq!(inputs.len(), 1);
        let rounds: Vec<u32> = (1..=5).flat_map(|round| source.shards(round)).collect();
        for pass in rounds.chunks(5) {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
        assert_ne!(rounds[..5], rounds[5..]);

        let mut samples = Samples::new(game.layout().len());
        (1..=5).for_each(|round| source.read(round, &mut samples).unwrap());
        assert_eq!(samples.len() as u64, 2 * report.states);

        let missing = shard_path(folder.path(), 3);
        std::fs::remove_file(&missing).unwrap();
        let error = DatasetSource::open(&game, &settings, 7, &mut inputs).unwrap_err();
        let message = tavola_files::chain(&error);
        assert!(message.contains(missing.to_str().unwrap()), "{message}");
    }
}
