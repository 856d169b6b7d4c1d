//! Begins, resumes and ends a run: everything around the [`cycle`](crate::cycle) and the
//! [gate](crate::gate) behind it.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use sha2::{Digest, Sha256};
use tavola_arena::grade::GradeFileError;
use tavola_data::RecordsError;
use tavola_evaluator::{Evaluator, NetEvaluator, RandomEvaluator};
use tavola_games::{GameVisitor, PlayableGame};
use tavola_net::{Weights, WeightsError, grown, initial_weights};
use tavola_play::Workers;
use tavola_rules::Game;
use tavola_train::LearnerError;

use crate::checkpoint::{CheckpointError, Progress};
use crate::config::{Config, Opponent, Plan};
use crate::curve::CurveError;
use crate::cycle::{Cycle, Surroundings};
use crate::events::{Event, Observer};
use crate::gate::{Gate, GateResult, GateSurroundings};
use crate::manifest::{FORMAT, Manifest, Session, Tool, now};
use crate::metrics::EvaluationMetrics;
use crate::run_dir::{Begin, RunDir, RunDirError};
use crate::share::QuickJudge;

/// Where and how to run, apart from what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// The run directory.
    pub directory: PathBuf,
    /// Whether a run begins there or goes on.
    pub begin: Begin,
    /// Threads to use. The result does not depend on them.
    pub threads: NonZeroUsize,
    /// The program that runs, for the manifest.
    pub tool: Tool,
}

/// The directory of a run that was given none: `runs/` and the name of the configuration file.
pub fn default_directory(config: &Path) -> PathBuf {
    Path::new("runs").join(config.file_stem().unwrap_or("run".as_ref()))
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// Its directory.
    pub directory: PathBuf,
    /// How it ended.
    pub ending: Ending,
    /// Rounds that are done, of how many.
    pub rounds: (u32, u32),
    /// Self-play games learned from.
    pub games: u64,
    /// Positions after a play in these games.
    pub positions: u64,
    /// Seconds that the run took, in all its sessions.
    pub seconds: f64,
    /// The last evaluation against each opponent, in the order of the configuration.
    pub evaluations: Vec<EvaluationMetrics>,
    /// What the gate said, if the configuration has one and the run is finished.
    pub gate: Option<GateResult>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All rounds are done, and the gate has decided if there is one; whether it was passed is told
    /// by [`RunReport::gate`].
    Finished {
        /// The weights file of the result.
        weights: PathBuf,
    },
    /// It was asked to stop. All rounds that [`RunReport::rounds`] counts are saved: the same
    /// configuration and directory with [`Begin::Resume`] go on to the same result.
    Stopped,
}

/// Why a run can't begin or go on. What was saved before stays usable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Something is wrong with the run directory, or it can't be written.
    #[error(transparent)]
    Directory(#[from] RunDirError),
    /// The run was begun with another configuration.
    #[error(
        "{} was begun with another configuration (key: stored, given): {}; \
         resume with the stored one, or begin a new run with `start`",
        path.display(), differences.join("; ")
    )]
    OtherConfig {
        /// The run directory.
        path: PathBuf,
        /// Each key with its stored and its given value.
        differences: Vec<String>,
    },
    /// A file that the configuration names isn't the one it was when the run began.
    #[error("{path} has changed since the run began: its checksum is {found}, expected {expected}")]
    OtherInput {
        /// The file.
        path: String,
        /// Its checksum now.
        found: String,
        /// Its checksum when the run began.
        expected: String,
    },
    /// No checkpoint of the run can be read.
    #[error("no checkpoint in {} can be used; begin again in another directory", path.display())]
    NoCheckpoint {
        /// The run directory.
        path: PathBuf,
        /// What is wrong with the last one that was tried.
        source: Option<Box<CheckpointError>>,
    },
    /// A checkpoint can't be written.
    #[error("can't save a checkpoint")]
    Checkpoint(#[source] Box<CheckpointError>),
    /// A weights file that the configuration names can't be used.
    #[error("can't use the weights file {} that {key} names", path.display())]
    Input {
        /// The configuration key.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: WeightsError,
    },
    /// The weights to start from have another shape than the configuration says.
    #[error(
        "{} has the encoder {found}, which can't be grown to the {expected} of the configuration: that \
         takes no fewer layers, none narrower, those added before the last one no narrower than the \
         layer before them, and the same encoder or one that adds to it (`patterns` to `one-hot`, \
         `expert` to both); leave [network] out to take both from the file", path.display()
    )]
    OtherNetwork {
        /// The weights file.
        path: PathBuf,
        /// Its encoder and hidden widths.
        found: String,
        /// Those of the configuration.
        expected: String,
    },
    /// The decisions that the gate grades by can't be used.
    #[error("can't use the decisions in {} that gate.reference names", path.display())]
    Reference {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: GradeFileError,
    },
    /// Somebody else has replaced the network that the gate was played against.
    #[error(
        "{} has changed since the gate began and stays as it is: its checksum is {found}, but it \
         is {expected} that was beaten", path.display()
    )]
    Overtaken {
        /// The weights file.
        path: PathBuf,
        /// Its checksum now.
        found: String,
        /// Its checksum when the gate began.
        expected: String,
    },
    /// A weights file can't be written.
    #[error("can't save the weights")]
    Weights(#[source] WeightsError),
    /// Records of the replay window can't be written or read.
    #[error("can't keep the records of the replay window")]
    Records(#[from] RecordsError),
    /// The picture can't be drawn.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// A game was not played to its end.
    #[error("self-play or evaluation failed")]
    Play(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The device that the configuration names can't be used.
    #[error("can't learn on the device that learner.device names")]
    Device(#[source] LearnerError),
    /// All games of a round, and of those before it that are learned from, were given up.
    #[error(
        "all games of round {round} were given up after {turns} turns, so there is nothing to learn \
         from: begin some of them near their end (start_positions, selfplay.listed_start), explore \
         more (selfplay.explore), or raise selfplay.max_turns"
    )]
    NoGames {
        /// The round.
        round: u32,
        /// The turns after which a game is given up.
        turns: u32,
    },
    /// The learner refused its settings or samples.
    #[error("the learner failed")]
    Learn(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl RunError {
    /// Whether the arguments or files that the caller named are at fault, and not the work.
    pub const fn is_unusable_input(&self) -> bool {
        match self {
            Self::Directory(error) => !matches!(error, RunDirError::Io { .. }),
            Self::OtherConfig { .. }
            | Self::OtherInput { .. }
            | Self::NoCheckpoint { .. }
            | Self::Input { .. }
            | Self::Device(_)
            | Self::Reference { .. }
            | Self::OtherNetwork { .. } => true,
            _ => false,
        }
    }
}

/// Runs a plan from the beginning, or from the last checkpoint, to its end.
///
/// Blocks until the run is done, or until `cancel` is true: then games that are being played are
/// dropped, the round that is being learned is finished and saved, and the report says
/// [`Ending::Stopped`]. Events come from this and other threads.
///
/// # Errors
///
/// [`RunError`]; checkpoints that were saved before stay usable.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    observer: &dyn Observer,
    cancel: &AtomicBool,
) -> Result<RunReport, RunError> {
    plan.game().visit(Run { plan, options, observer, cancel })
}

/// A run, whatever the game.
struct Run<'a> {
    plan: &'a Plan,
    options: &'a RunOptions,
    observer: &'a dyn Observer,
    cancel: &'a AtomicBool,
}

impl GameVisitor for Run<'_> {
    type Output = Result<RunReport, RunError>;

    fn visit<G: PlayableGame>(self, game: &G) -> Result<RunReport, RunError> {
        run_game(game, &self)
    }
}

fn run_game<G: PlayableGame>(game: &G, run: &Run<'_>) -> Result<RunReport, RunError> {
    let &Run { plan, options, observer, cancel } = run;
    let config = plan.config();
    // Before the directory is touched, so that a mistyped name or a missing GPU leaves nothing
    // behind.
    let opponents = opponents(game, config)?;
    let gpu = config.learner.device.open().map_err(RunError::Device)?;
    let mut other_inputs = BTreeMap::new();
    let gate = Gate::load(game, config, &mut other_inputs)?;
    let luck = luck_judge(game, config, &mut other_inputs)?;
    let arena_judge = match &config.evaluation.luck_judge {
        Some(path) => {
            let (judge, checksum) = load_network("evaluation.luck_judge", path, game)?;
            other_inputs.insert(path.display().to_string(), checksum);
            Some(judge)
        }
        None => None,
    };
    let teacher = match &config.teacher {
        Some(path) => {
            let weights = load_weights("teacher", path, game)?;
            other_inputs.insert(path.display().to_string(), weights.checksum());
            Some(weights)
        }
        None => None,
    };
    let mut initial = match options.begin {
        Begin::New => Some(Initial::of(game, config)?),
        Begin::Resume => None,
    };
    let (dir, manifest) = RunDir::open(&options.directory, options.begin)?;
    let mut inputs: BTreeMap<String, String> =
        opponents.iter().filter_map(|o| Some((o.name.clone(), o.checksum.clone()?))).collect();
    inputs.extend(other_inputs);

    let progress = match &manifest {
        Some(manifest) => {
            check_same(&dir, manifest, config, &inputs)?;
            resume(&dir, game, config, observer)?
        }
        None => {
            let initial = match initial.take() {
                Some(initial) => initial,
                None => Initial::of(game, config)?,
            };
            inputs.extend(initial.input);
            Progress::begin(game, config, initial.weights, teacher)
                .map_err(|error| RunError::Learn(Box::new(error)))?
        }
    };
    dir.remove_after(progress.totals.round)?;
    let mut manifest = manifest.unwrap_or_else(|| Manifest {
        format: FORMAT,
        name: dir.name(),
        config: config.clone(),
        config_sha256: config.sha256(),
        inputs,
        sessions: Vec::new(),
        finished: None,
        gate: None,
    });
    manifest.sessions.push(Session {
        started: now(),
        after_round: progress.totals.round,
        threads: options.threads.get(),
        gpu,
        tool: options.tool.clone(),
    });

    let surroundings = Surroundings {
        game: game.clone(),
        plan,
        dir: &dir,
        manifest: &manifest,
        luck,
        starts: plan.starts(game),
        threads: options.threads,
        observer,
        cancel,
    };
    let opponents = opponents.into_iter().map(|o| (o.name, o.evaluator)).collect();
    let first_session = manifest.sessions.len() == 1;
    let mut cycle = Cycle::new(surroundings, opponents, arena_judge, progress)?;
    if first_session {
        dir.write_config(&config.to_toml())?;
        cycle.save()?;
    }
    dir.write_manifest(&manifest)?;
    observer.observe(&Event::Started {
        directory: dir.path().to_owned(),
        after_round: cycle.totals().round,
        rounds: config.rounds,
        games_per_round: config.games_per_round,
        threads: options.threads.get(),
    });

    let ended = cycle.run()?;
    let mut report = RunReport {
        directory: dir.path().to_owned(),
        ending: ended,
        rounds: (cycle.totals().round, config.rounds),
        games: cycle.totals().games,
        positions: cycle.totals().positions,
        seconds: cycle.seconds(),
        evaluations: cycle.last_evaluations(),
        gate: None,
    };
    drop(cycle);
    if let (Ending::Finished { .. }, Some(gate)) = (&report.ending, &gate) {
        let workers = Workers { threads: options.threads, cancel };
        let around = GateSurroundings { dir: &dir, workers, observer };
        report.gate = pass(game, gate, &mut manifest, &around)?;
        if report.gate.is_none() {
            report.ending = Ending::Stopped;
        }
    }
    if matches!(report.ending, Ending::Finished { .. }) && manifest.finished.is_none() {
        manifest.finished = Some(now());
        dir.write_manifest(&manifest)?;
    }
    Ok(report)
}

/// Plays the gate, unless that is done, and replaces the old network if the new one has passed;
/// `None` if the run was asked to stop.
fn pass<G: PlayableGame>(
    game: &G,
    gate: &Gate<'_>,
    manifest: &mut Manifest,
    around: &GateSurroundings<'_>,
) -> Result<Option<GateResult>, RunError> {
    if manifest.gate.is_none() {
        let Some(result) = gate.decide(game, around)? else { return Ok(None) };
        manifest.gate = Some(result);
        // From here on the old network may be gone.
        around.dir.write_manifest(manifest)?;
    }
    if let Some(result) = &mut manifest.gate
        && result.passed
        && !result.replaced
    {
        gate.replace(game, around.dir, result)?;
        result.replaced = true;
        around.dir.write_manifest(manifest)?;
    }
    Ok(manifest.gate.clone())
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

/// The weights at the start.
struct Initial {
    weights: Weights,
    /// Name and checksum of the file they came from.
    input: Option<(String, String)>,
}

impl Initial {
    fn of(game: &impl Game, config: &Config) -> Result<Self, RunError> {
        let network = config.network.clone().unwrap_or_default();
        let Some(path) = &config.start else {
            let seed = derived_seed(config.seed, "initial weights", 0);
            let weights = initial_weights(game, network.encoder, &network.hidden, seed);
            return Ok(Self { weights, input: None });
        };
        let found = load_weights("start", path, game)?;
        let input = Some((path.display().to_string(), found.checksum()));
        if config.network.is_none() {
            return Ok(Self { weights: found, input });
        }
        let seed = derived_seed(config.seed, "initial weights", 0);
        let weights =
            grown(game, &found, network.encoder, &network.hidden, seed).ok_or_else(|| {
                let shape =
                    |encoder: &str, hidden: &[usize]| format!("{encoder} and hidden {hidden:?}");
                RunError::OtherNetwork {
                    path: path.clone(),
                    found: shape(found.encoder.name(), &found.arch.hidden),
                    expected: shape(network.encoder.name(), &network.hidden),
                }
            })?;
        Ok(Self { weights, input })
    }
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

/// Who plays against the network in evaluations.
struct Player<G: Game> {
    name: String,
    evaluator: Box<dyn Evaluator<G>>,
    /// Of its weights, if it has any.
    checksum: Option<String>,
}

fn opponents<G: PlayableGame>(game: &G, config: &Config) -> Result<Vec<Player<G>>, RunError> {
    let opponents = config.evaluation.opponents.iter().flatten().map(|opponent| {
        let mut checksum = None;
        let evaluator: Box<dyn Evaluator<G>> = match opponent {
            Opponent::Random => {
                let seed = derived_seed(config.evaluation.seed, "random opponent", 0);
                Box::new(RandomEvaluator::new(game.clone(), seed))
            }
            Opponent::Named(name) if name == G::BASELINE => game.baseline(),
            Opponent::Named(path) => {
                let (network, of_weights) =
                    load_network("evaluation.opponents", Path::new(path), game)?;
                checksum = Some(of_weights);
                Box::new(network)
            }
        };
        Ok(Player { name: opponent.to_string(), evaluator, checksum })
    });
    opponents.collect()
}

/// Who judges the luck of self-play rolls, if it is taken off; the file is added to the inputs.
fn luck_judge<G: Game>(
    game: &G,
    config: &Config,
    inputs: &mut BTreeMap<String, String>,
) -> Result<Option<QuickJudge<G>>, RunError> {
    let Some(luck) = &config.targets.luck else {
        return Ok(None);
    };
    let (quick, checksum) = load_network("targets.luck.quick", &luck.quick, game)?;
    inputs.insert(luck.quick.display().to_string(), checksum);
    Ok(Some(QuickJudge { quick, pruning: luck.pruning() }))
}

/// The network that `key` names, and the checksum of its weights.
fn load_network<G: Game>(
    key: &'static str,
    path: &Path,
    game: &G,
) -> Result<(NetEvaluator<G>, String), RunError> {
    let weights = load_weights(key, path, game)?;
    let input = |source| RunError::Input { key, path: path.to_owned(), source };
    Ok((NetEvaluator::new(&weights, game.clone()).map_err(input)?, weights.checksum()))
}

/// Refuses to resume a run as another.
fn check_same(
    dir: &RunDir,
    manifest: &Manifest,
    config: &Config,
    inputs: &BTreeMap<String, String>,
) -> Result<(), RunError> {
    let (stored, given) = (manifest.config.without_device(), config.without_device());
    if stored != given {
        let differences = stored.differences(&given);
        return Err(RunError::OtherConfig { path: dir.path().to_owned(), differences });
    }
    // It may be an opponent too, and what the gate has replaced has changed.
    let replaced = manifest.gate.as_ref().map(|gate| &gate.replaces);
    for (path, found) in inputs.iter().filter(|(path, _)| Some(*path) != replaced) {
        match manifest.inputs.get(path) {
            Some(expected) if expected != found => {
                let (path, found, expected) = (path.clone(), found.clone(), expected.clone());
                return Err(RunError::OtherInput { path, found, expected });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads the newest checkpoint that can be read.
fn resume(
    dir: &RunDir,
    game: &impl Game,
    config: &Config,
    observer: &dyn Observer,
) -> Result<Progress, RunError> {
    let mut refused = None;
    for round in dir.checkpoints()? {
        let path = dir.checkpoint(round);
        match Progress::load(&path, game, config) {
            Ok(progress) => return Ok(progress),
            Err(error) => {
                let mut reason = error.to_string();
                let mut source = std::error::Error::source(&error);
                while let Some(error) = source {
                    reason = format!("{reason}: {error}");
                    source = error.source();
                }
                observer.observe(&Event::CheckpointRefused { path, reason });
                refused = Some(Box::new(error));
            }
        }
    }
    Err(RunError::NoCheckpoint { path: dir.path().to_owned(), source: refused })
}
