//! The samples of a dataset, round by round, for a run that learns from them.

use std::collections::BTreeMap;
use std::path::Path;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use tavola_data::{Samples, ShardReader};
use tavola_files::Failure;
use tavola_files::sha256;
use tavola_play::shard_path;
use tavola_rules::Game;

use super::{DatasetManifest, MANIFEST};
use crate::config::DatasetSettings;
use crate::context::derived_seed;

/// The shards of complete datasets.
#[derive(Debug)]
pub(crate) struct DatasetSource {
    settings: DatasetSettings,
    /// The game's id.
    game: String,
    /// Of each folder of the settings.
    manifests: Vec<DatasetManifest>,
    /// Cells of a state.
    cells: usize,
    /// The seed of the run: it fixes the order of the shards.
    seed: u64,
}

impl DatasetSource {
    /// Opens datasets of this game; the checksums of their manifests go into `inputs`.
    ///
    /// # Errors
    ///
    /// [`Failure`]: no manifest, another game, or shards that are missing.
    pub(crate) fn open(
        game: &impl Game,
        settings: &DatasetSettings,
        seed: u64,
        inputs: &mut BTreeMap<String, String>,
    ) -> Result<Self, Failure> {
        let mut manifests = Vec::new();
        for folder in &settings.folders {
            let manifest = Self::manifest(game, folder)?;
            let bytes = serde_json::to_vec(&manifest).expect("a manifest has only text keys");
            inputs.insert(folder.join(MANIFEST).display().to_string(), sha256(&bytes));
            manifests.push(manifest);
        }
        let (settings, game_id) = (settings.clone(), game.id());
        Ok(Self { settings, game: game_id, manifests, cells: game.layout().len(), seed })
    }

    /// The manifest of a complete dataset of this game.
    fn manifest(game: &impl Game, folder: &Path) -> Result<DatasetManifest, Failure> {
        let manifest = DatasetManifest::of(folder)?;
        if manifest.game != game.id() {
            let reason = format!("expected {:?}", game.id());
            return Err(manifest.of_another_game(folder, &reason));
        }
        let mut shards = (0..manifest.shards()).map(|shard| shard_path(folder, shard));
        match shards.find(|path| !path.is_file()) {
            Some(missing) => Err(Failure::input(format!(
                "the dataset is not complete: it has no {}, expected all shards",
                missing.display()
            ))),
            None => Ok(manifest),
        }
    }

    /// The shards of a round, counted from 1: the next ones of an endless list in which every pass
    /// over the datasets has an order of its own. Of each, the place of its folder in the settings,
    /// and its number there.
    fn shards(&self, round: u32) -> Vec<(usize, u32)> {
        let of = |(folder, manifest): (usize, &DatasetManifest)| {
            (0..manifest.shards()).map(move |shard| (folder, shard))
        };
        let all: Vec<(usize, u32)> = self.manifests.iter().enumerate().flat_map(of).collect();
        let (count, each) = (all.len() as u64, u64::from(self.settings.shards_per_round.get()));
        let first = u64::from(round - 1) * each;
        let mut order: (Option<u64>, Vec<(usize, u32)>) = (None, Vec::new());
        let place = |place: u64| {
            let pass = place / count;
            if order.0 != Some(pass) {
                let seed = derived_seed(self.seed, "order of shards", pass as u32);
                let mut shards = all.clone();
                shards.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
                order = (Some(pass), shards);
            }
            order.1[(place % count) as usize]
        };
        (first..first + each).map(place).collect()
    }

    /// Games whose states a round learns.
    pub(crate) fn games(&self, round: u32) -> u64 {
        self.shards(round).into_iter().map(|shard| self.games_of(shard)).sum()
    }

    fn games_of(&self, (folder, shard): (usize, u32)) -> u64 {
        self.manifests[folder].games_of(shard)
    }

    /// The lambda of a round's targets, their mean over its games where datasets differ. `progress`
    /// is how far the run is, from 0 to 1.
    pub(crate) fn lambda(&self, round: u32, progress: f64) -> f64 {
        let weighted =
            |shard: (usize, u32)| self.lambda_of(shard.0, progress) * self.games_of(shard) as f64;
        let sum: f64 = self.shards(round).into_iter().map(weighted).sum();
        sum / self.games(round) as f64
    }

    /// The lambda that a folder's games are learned with.
    fn lambda_of(&self, folder: usize, progress: f64) -> f64 {
        match &self.settings.lambda {
            Some(schedule) => schedule.at(progress),
            None => self.manifests[folder].config.targets.td(0.0).0,
        }
    }

    /// Appends the samples of a round.
    ///
    /// # Errors
    ///
    /// [`Failure`] if a shard can't be read or is damaged.
    pub(crate) fn read(
        &self,
        round: u32,
        progress: f64,
        samples: &mut Samples,
    ) -> Result<(), Failure> {
        for (folder, shard) in self.shards(round) {
            let lambda = self.lambda_of(folder, progress) as f32;
            let path = shard_path(&self.settings.folders[folder], shard);
            let reader = ShardReader::open(&path, &self.game, self.cells);
            for block in reader? {
                block?.resolve(|| lambda, samples);
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
    use tavola_train::Schedule;

    use super::*;
    use crate::config::Plan;
    use crate::dataset::{DatasetOptions, generate_dataset};

    #[test]
    fn every_shard_comes_once_before_any_comes_again() {
        let folder = tempfile::tempdir().unwrap();
        let cancel = AtomicBool::new(false);
        let workers = Workers { threads: NonZeroU32::MIN.try_into().unwrap(), cancel: &cancel };
        let mut states = 0;
        let mut generate = |name: &str, games, lambda: f32| {
            let text = format!(
                "seed = 3\n[network]\nhidden = [4]\n[selfplay]\nmax_turns = 2000\n\
                 [targets]\nkind = 'td'\nlambda = {{ kind = 'constant', value = {lambda} }}\n"
            );
            let plan = Plan::from_toml(&text, "test.toml".as_ref()).unwrap();
            let options = DatasetOptions {
                folder: folder.path().join(name),
                games: NonZeroU64::new(games).unwrap(),
                games_per_shard: NonZeroU32::new(1).unwrap(),
            };
            states += generate_dataset(None, &plan, &options, workers, &|_| {}).unwrap().states;
            options.folder
        };
        let settings = DatasetSettings {
            folders: vec![generate("one", 3, 0.5), generate("two", 2, 1.0)],
            shards_per_round: NonZeroU32::new(5).unwrap(),
            lambda: None,
        };
        let mut inputs = BTreeMap::new();
        let game = Backgammon::Standard;
        let source = DatasetSource::open(&game, &settings, 7, &mut inputs).unwrap();
        assert_eq!(inputs.len(), 2);
        assert!((source.lambda(1, 0.0) - (3.0 * 0.5 + 2.0 * 1.0) / 5.0).abs() < 1e-6);
        let lambda = Some(Schedule::Linear { from: 0.8, to: 1.0, warm_up: 0.0 });
        let chosen = DatasetSettings { lambda, ..settings.clone() };
        let chosen = DatasetSource::open(&game, &chosen, 7, &mut inputs).unwrap();
        assert!((chosen.lambda(1, 0.5) - 0.9).abs() < 1e-6);
        let [mut own, mut other] = [(); 2].map(|()| Samples::new(game.layout().len()));
        source.read(1, 0.5, &mut own).unwrap();
        chosen.read(1, 0.5, &mut other).unwrap();
        assert!(own.len() == other.len() && own != other);
        let settings = DatasetSettings { shards_per_round: 2.try_into().unwrap(), ..settings };
        let source = DatasetSource::open(&game, &settings, 7, &mut inputs).unwrap();
        let rounds: Vec<_> = (1..=5).flat_map(|round| source.shards(round)).collect();
        for pass in rounds.chunks(5) {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]);
        }
        assert_ne!(rounds[..5], rounds[5..]);

        let mut samples = Samples::new(game.layout().len());
        (1..=5).for_each(|round| source.read(round, 0.0, &mut samples).unwrap());
        assert_eq!(samples.len() as u64, 2 * states);

        let missing = shard_path(&settings.folders[1], 1);
        std::fs::remove_file(&missing).unwrap();
        let error = DatasetSource::open(&game, &settings, 7, &mut inputs).unwrap_err();
        let message = tavola_files::chain(&error);
        assert!(message.contains(missing.to_str().unwrap()), "{message}");
    }
}
