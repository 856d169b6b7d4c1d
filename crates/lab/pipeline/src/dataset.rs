//! A dataset on disk: the games of a configuration's network against itself as shards of states
//! with targets, and what such a folder holds.
//!
//! The formats of shards and manifest are documented in `configs/README.md`.

use std::collections::BTreeMap;
use std::fs;
use std::num::{NonZeroU32, NonZeroU64};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use tavola_data::{SHARD_VERSION, Samples, ShardReader};
use tavola_equity::OutcomeProbs;
use tavola_evaluator::remote::OnFleet;
use tavola_evaluator::{NetEvaluator, Phase};
use tavola_files::Failure;
use tavola_files::FileError;
use tavola_files::limits::FILE_BYTES;
use tavola_games::{AnyGame, NamedGame, PlayableGame, with_game};
use tavola_net::Interface;
use tavola_play::{Dataset, GamesOnFleet, ShardDone, Workers, shard_path, shards};
use tavola_rules::Game;

use crate::config::{Config, Plan};
use crate::context::{Teacher, load_named};
use crate::error;
use crate::run::initial;
use crate::run_dir::if_there;
use crate::selfplay_pool::PruningNetwork;
use crate::shards::{games_on_fleet, selfplay_work};

pub(crate) use self::source::DatasetSource;

/// The name of the manifest in the folder.
const MANIFEST: &str = "manifest.json";

/// Bands of equity for each point.
const BANDS_PER_POINT: f32 = 2.0;

/// Where a dataset goes and how large it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetOptions {
    /// The folder; it is made if it is missing.
    pub folder: PathBuf,
    /// All games.
    pub games: NonZeroU64,
    /// Games of a shard; the last one has fewer if the games are no multiple.
    pub games_per_shard: NonZeroU32,
}

/// The content of a dataset's `manifest.json`: what fixes every byte of its shards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetManifest {
    /// The version of the shards, [`SHARD_VERSION`].
    pub version: u32,
    /// The id of the game.
    pub game: String,
    /// All games.
    pub games: u64,
    /// Games of a shard.
    pub games_per_shard: NonZeroU32,
    /// SHA-256 of the effective configuration as TOML, in hexadecimal.
    pub config_sha256: String,
    /// Checksums in hexadecimal: of `player`, the network that plays and evaluates, of `pruning` and
    /// `table` if targets have them.
    pub networks: BTreeMap<String, String>,
    /// The effective configuration.
    pub config: Config,
}

impl DatasetManifest {
    /// How many shards the whole dataset has.
    pub fn shards(&self) -> u32 {
        shards(self.games, self.games_per_shard.get())
    }

    /// Games of the shard with this number.
    pub(crate) fn games_of(&self, shard: u32) -> u64 {
        let each = u64::from(self.games_per_shard.get());
        each.min(self.games.saturating_sub(u64::from(shard) * each))
    }

    /// That of the dataset in `folder`.
    pub(crate) fn of(folder: &Path) -> Result<Self, Failure> {
        Self::read(folder)?.ok_or_else(|| {
            let folder = folder.display();
            Failure::input(format!("{folder} has no {MANIFEST}, expected the folder of a dataset"))
        })
    }

    pub(crate) fn of_another_game(&self, folder: &Path, reason: &str) -> Failure {
        let (folder, game) = (folder.display(), &self.game);
        Failure::input(format!("the dataset in {folder} is of {game:?}: {reason}"))
    }

    /// What differs in `given`, each as `name: stored, given`.
    fn differences(&self, given: &Self) -> Vec<String> {
        let compare = |name: &str, of: &dyn Fn(&Self) -> String| {
            let (stored, given) = (of(self), of(given));
            (stored != given).then(|| format!("{name}: {stored}, {given}"))
        };
        let mut differences = Vec::new();
        differences.extend(compare("version", &|it| it.version.to_string()));
        differences.extend(compare("game", &|it| it.game.clone()));
        differences.extend(compare("games", &|it| it.games.to_string()));
        differences.extend(compare("games per shard", &|it| it.games_per_shard.to_string()));
        if self.config_sha256 != given.config_sha256 {
            differences.extend(self.config.differences(&given.config));
        }
        for (name, what) in
            [("player", "player network"), ("pruning", "pruning network"), ("table", "solved game")]
        {
            differences.extend(compare(what, &|it| {
                it.networks.get(name).cloned().unwrap_or_else(|| "none".to_owned())
            }));
        }
        differences
    }

    /// That of `folder`; `None` if there is none.
    fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let path = folder.join(MANIFEST);
        let bytes = if_there(tavola_files::read(&path, &FILE_BYTES));
        let Some(bytes) = bytes.map_err(FileError::at("read", &path))? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let path = path.display();
            Failure::input(format!("{path} is no manifest of a dataset: {error}"))
        })
    }
}

/// What became of a call to generate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DatasetReport {
    /// Whether all shards are there; else the caller stopped it.
    pub finished: bool,
    /// Shards that are there.
    pub shards: u32,
    /// How many of them were there before.
    pub found: u32,
    /// All games of the dataset.
    pub games: u64,
    /// States in the shards that are there, siblings too.
    pub states: u64,
}

/// Generates the dataset of a plan, or goes on with the one in the folder if it is the same: the
/// shards are the same on any number of threads, and however often it was stopped.
///
/// The network of `start` plays and evaluates, or `target_network` if there is one; without either
/// a new one. Lambda is chosen when the dataset is learned. `played` gets the number of games that
/// are done, from many threads and in any order; those of shards that were there count. The games
/// may be played by other processes.
///
/// Blocks until all is done, or until the caller of `workers` calls it off: then the shard in work
/// is dropped and the report is not finished.
///
/// # Errors
///
/// [`Failure`].
pub fn generate_dataset(
    remote: Option<OnFleet<'_>>,
    plan: &Plan,
    options: &DatasetOptions,
    workers: Workers<'_>,
    played: &(dyn Fn(u64) + Sync),
) -> Result<DatasetReport, Failure> {
    match plan.game() {
        NamedGame::Two(game) => {
            with_game!(game, |game| generate(game, remote, plan, options, workers, played))
        }
        NamedGame::Many(game) => Err(Failure::input(format!(
            "{game} is for more than two players, expected a game for two"
        ))),
    }
}

fn generate<G: PlayableGame>(
    game: &G,
    remote: Option<OnFleet<'_>>,
    plan: &Plan,
    options: &DatasetOptions,
    workers: Workers<'_>,
    played: &(dyn Fn(u64) + Sync),
) -> Result<DatasetReport, Failure> {
    let config = plan.config();
    // The manifest has what was read by its purpose.
    let inputs = &mut BTreeMap::new();
    let weights = match &config.target_network {
        Some(file) => load_named("target_network", file, &game.id(), inputs)?,
        None => initial(&Interface::of(game), config, inputs)?,
    };
    let evaluator = NetEvaluator::new(&weights, game.clone()).map_err(error::weights)?;
    let mut networks = BTreeMap::from([("player".to_owned(), weights.checksum())]);
    let pruning = PruningNetwork::of(game, &config.targets, inputs)?;
    if let Some(pruning) = &pruning {
        networks.insert("pruning".to_owned(), pruning.weights.checksum());
    }
    let teacher = Teacher::of(game, config, remote.is_some())?;
    if let Some(teacher) = &teacher {
        networks.insert("table".to_owned(), teacher.checksum());
    }
    let manifest = DatasetManifest {
        version: SHARD_VERSION,
        game: game.id(),
        games: options.games.get(),
        games_per_shard: options.games_per_shard,
        config_sha256: config.sha256(),
        networks,
        config: config.clone(),
    };
    open(&options.folder, &manifest)?;

    let done = AtomicU64::new(0);
    let game_played = || played(done.fetch_add(1, Ordering::Relaxed) + 1);
    let starts = plan.starts(game);
    let work = selfplay_work(config, &weights, pruning.as_ref()).map_err(error::weights)?;
    // Dataset shards come one after the other, so this is the number of games of those before.
    let before = AtomicU64::new(0);
    let on_fleet = remote.map(|on_fleet| {
        let (work, starts, cancel, before) = (&work, &starts, workers.cancel, &before);
        move |numbers: Range<u64>| {
            let there = before.load(Ordering::Relaxed);
            let asked = numbers.end - numbers.start;
            let played = move |done| played(there + done);
            let of = (numbers.start / u64::from(options.games_per_shard.get())) as u32 + 1;
            let games =
                games_on_fleet(on_fleet, (game, starts), work, (of, numbers), cancel, played)?;
            before.store(there + asked, Ordering::Relaxed);
            Ok(games)
        }
    });
    let exact = teacher.as_ref().map(|teacher| teacher.evaluator(game));
    let dataset = Dataset {
        game,
        evaluator: &evaluator,
        teacher: exact.as_deref().unwrap_or(&evaluator),
        luck: pruning.as_ref().map(|pruning| pruning.evaluators(&evaluator)),
        selfplay: config.selfplay,
        starts: &starts,
        labels: config.targets.labels(),
        exploration: config.targets.td(0.0).1,
        seed: config.seed,
        games_per_shard: options.games_per_shard.get(),
        games: options.games.get(),
        game_played: &game_played,
        folder: &options.folder,
        on_fleet: on_fleet.as_ref().map(|games| games as &GamesOnFleet<'_, G>),
    };
    let so_far = std::cell::Cell::new((0, 0, 0));
    let result = dataset.generate(workers, &|shard: ShardDone| {
        let (shards, found, states) = so_far.get();
        so_far.set((shards + 1, found + u32::from(shard.found), states + shard.states));
        if shard.found {
            let games = manifest.games_of(shard.number);
            before.fetch_add(games, Ordering::Relaxed);
            played(done.fetch_add(games, Ordering::Relaxed) + games);
        }
    });
    let finished = match result {
        Ok(()) => true,
        Err(failure) if failure.is_stop() => false,
        Err(failure) => return Err(failure),
    };
    let (shards, found, states) = so_far.get();
    Ok(DatasetReport { finished, shards, found, games: manifest.games, states })
}

/// Makes the folder of a dataset with its manifest, or checks that it is the folder of the same.
fn open(folder: &Path, manifest: &DatasetManifest) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(FileError::at("create", folder))?;
    if let Some(stored) = DatasetManifest::read(folder)? {
        let differences = stored.differences(manifest);
        return match differences.is_empty() {
            true => Ok(()),
            false => Err(Failure::input(format!(
                "{} holds another dataset (what: stored, given): {}; take another folder, or \
                 generate with what is stored",
                folder.display(),
                differences.join("; ")
            ))),
        };
    }
    for entry in fs::read_dir(folder).map_err(FileError::at("read", folder))? {
        let entry = entry.map_err(FileError::at("read", folder))?;
        // A manifest of a killed writer is no obstacle.
        if !tavola_files::is_unfinished(&entry.file_name()) {
            return Err(Failure::input(format!(
                "{} is not empty and has no {MANIFEST}, expected a new folder or one of a dataset",
                folder.display()
            )));
        }
    }
    let path = folder.join(MANIFEST);
    let mut text = serde_json::to_string_pretty(manifest)
        .map_err(|error| FileError::at("write", &path)(error.into()))?;
    text.push('\n');
    Ok(tavola_files::write(&path, text.as_bytes()).map_err(FileError::at("write", &path))?)
}

/// What a folder of a dataset holds. All checksums were right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DatasetSummary {
    /// What the dataset is to hold.
    pub manifest: DatasetManifest,
    /// Whether all shards are there.
    pub finished: bool,
    /// Games of the shards that are there.
    pub games: u64,
    /// Their states, siblings too.
    pub states: u64,
    /// Those of them that are siblings of others, whose differences are learned.
    pub siblings: u64,
    /// The shards that are there, by their numbers.
    pub shards: Vec<ShardSummary>,
    /// States by phase; none in games without phases.
    pub phases: Vec<PhaseCount>,
    /// States by the equity of their targets, the worst first; bands without states are left out.
    pub equities: Vec<EquityBand>,
}

/// What a shard holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShardSummary {
    /// Its number.
    pub number: u32,
    /// Its games.
    pub games: u64,
    /// Its states, siblings too.
    pub states: u64,
    /// Its siblings.
    pub siblings: u64,
    /// The size of the file.
    pub bytes: u64,
}

/// States of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PhaseCount {
    /// The phase.
    pub phase: Phase,
    /// How many.
    pub states: u64,
}

/// States whose targets have equities in a band of half a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EquityBand {
    /// The least equity, in points; the band ends before half a point more.
    pub from: f32,
    /// How many.
    pub states: u64,
}

/// Reads all shards of the dataset in `folder`, checks their checksums, and counts.
///
/// # Errors
///
/// [`Failure`], also for the first shard that is damaged. A shard that is missing is no error:
/// then the dataset isn't finished.
pub fn describe_dataset(folder: &Path) -> Result<DatasetSummary, Failure> {
    let manifest = DatasetManifest::of(folder)?;
    let game: AnyGame = manifest
        .game
        .parse()
        .map_err(|error| manifest.of_another_game(folder, &tavola_files::chain(&error)))?;
    with_game!(&game, |game| {
        let has_phases = game.phase(&game.start()).is_some();
        let mut phases = BTreeMap::<Phase, u64>::new();
        let mut bands = BTreeMap::<i32, u64>::new();
        let mut shards = Vec::new();
        let lambda = manifest.config.targets.td(0.0).0 as f32;
        let mut samples = Samples::new(game.layout().len());
        for number in 0..manifest.shards() {
            let path = shard_path(folder, number);
            let there = if_there(fs::metadata(&path)).map_err(FileError::at("read", &path))?;
            let Some(bytes) = there.map(|there| there.len()) else { continue };
            let games = manifest.games_of(number);
            let mut shard = ShardSummary { number, games, states: 0, siblings: 0, bytes };
            for block in ShardReader::open(&path, &game.id(), game.layout().len())? {
                samples.clear();
                block?.resolve(|| lambda, &mut samples);
                shard.states += samples.len() as u64;
                shard.siblings += samples.siblings() as u64;
                for i in 0..samples.len() {
                    *bands.entry(band(&samples, i)).or_default() += 1;
                    if has_phases && let Some(phase) = phase(game, samples.cells(i)) {
                        *phases.entry(phase).or_default() += 1;
                    }
                }
            }
            shards.push(shard);
        }
        let sum = |of: fn(&ShardSummary) -> u64| shards.iter().map(of).sum();
        Ok(DatasetSummary {
            finished: shards.len() == manifest.shards() as usize,
            games: sum(|shard| shard.games),
            states: sum(|shard| shard.states),
            siblings: sum(|shard| shard.siblings),
            phases: phases
                .into_iter()
                .map(|(phase, states)| PhaseCount { phase, states })
                .collect(),
            equities: bands
                .into_iter()
                .map(|(band, states)| EquityBand { from: band as f32 / BANDS_PER_POINT, states })
                .collect(),
            shards,
            manifest,
        })
    })
}

/// The number of the band that the equity of a target is in.
fn band(samples: &Samples, sample: usize) -> i32 {
    let mut probs = OutcomeProbs::default();
    probs.0.copy_from_slice(samples.target(sample));
    (probs.equity() * BANDS_PER_POINT).floor() as i32
}

/// The phase of a state by its cells, in a game that has phases. These are played on a backgammon
/// board: the first 26 cells, bars and points, are a text form of the position.
fn phase<G: PlayableGame>(game: &G, cells: &[i8]) -> Option<Phase> {
    let cells: Vec<String> = cells.iter().take(26).map(i8::to_string).collect();
    game.phase(&game.parse_state(&cells.join(",")).ok()?)
}

mod source;
