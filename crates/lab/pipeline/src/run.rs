//! Begins, resumes and ends a run: everything around the [`cycle`](crate::cycle) and the
//! [gate](crate::gate) behind it.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tavola_arena::{Player, PlayerContext, PlayerName};
use tavola_evaluator::NetEvaluator;
use tavola_evaluator::remote::Remote;
use tavola_files::chain;
use tavola_games::{NamedGame, PlayableGame, with_game, with_many_game};
use tavola_net::{Hidden, Interface, Weights, grown, initial_weights};
use tavola_play::Workers;
use tavola_rules::Game;

use crate::checkpoint::{CheckpointError, Progress};
use crate::config::{Config, Plan, WeightsFile};
use crate::context::{RunContext, Teacher, derived_seed, load_named};
use crate::cycle::{Cycle, Opponent, earlier_games};
use crate::dataset::DatasetSource;
use crate::error::RunError;
use crate::events::{Event, Observer};
use crate::gate::{Gate, GateContext, GateResult};
use crate::manifest::{Machine, Manifest, Session, Tool, now};
use crate::many;
use crate::memory;
use crate::report::{Ending, RunReport};
use crate::run_dir::{Begin, RunDir};
use crate::run_state::RunState;
use crate::selfplay_pool::PruningNetwork;
use crate::shards::ShardError;
use crate::states::States;

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
    run_from(plan, options, None, observer, cancel)
}

/// The same, with the games of its rounds played elsewhere than on the threads of this process.
/// The result does not depend on it.
///
/// # Errors
///
/// Those of [`run`], and [`RunError::Play`] when the remote fails.
pub fn run_from(
    plan: &Plan,
    options: &RunOptions,
    remote: Option<&dyn Remote>,
    observer: &dyn Observer,
    cancel: &AtomicBool,
) -> Result<RunReport, RunError> {
    let run = Run { plan, options, remote, observer, cancel };
    match plan.game() {
        NamedGame::ForTwo(game) => with_game!(game, |game| run_game(game, &run)),
        NamedGame::ForMore(_) if remote.is_some() => {
            Err(RunError::Play(Box::new(ShardError::ForMore)))
        }
        NamedGame::ForMore(game) => with_many_game!(game, |game| many::run(game, &run)),
    }
}

/// A run, whatever the game.
pub(crate) struct Run<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) options: &'a RunOptions,
    pub(crate) remote: Option<&'a dyn Remote>,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) cancel: &'a AtomicBool,
}

fn run_game<G: PlayableGame>(game: &G, run: &Run<'_>) -> Result<RunReport, RunError> {
    let &Run { plan, options, remote, observer, cancel } = run;
    let config = plan.config();
    // Before the directory is touched, so that a mistyped name or a missing GPU leaves nothing
    // behind.
    let mut other_inputs = BTreeMap::new();
    let opponents = opponents(game, config, observer, &mut other_inputs)?;
    let gpu = config.learner.device.open().map_err(RunError::Device)?;
    let states = config.evaluation.states.as_ref();
    let states =
        states.map(|settings| States::load(game, settings, &mut other_inputs)).transpose()?;
    let gate = Gate::load(game, config, states.as_ref(), &mut other_inputs)?;
    let teacher = Teacher::of(game, config, remote.is_some())?;
    if let (Some(path), Some(teacher)) = (config.targets.table(), &teacher) {
        other_inputs.insert(path.display().to_string(), teacher.checksum());
    }
    let mut load = |key, file: &WeightsFile| -> Result<Weights, RunError> {
        let weights = load_named(key, file, game)?;
        other_inputs.insert(file.path.display().to_string(), weights.checksum());
        Ok(weights)
    };
    let (pruning, pruning_weights) = match config.targets.pruning() {
        Some(settings) => {
            let key = "the pruning network of targets";
            let weights = load(key, &settings.network)?;
            let network = evaluator(key, &settings.network, &weights, game)?;
            (Some(PruningNetwork { network, pruning: settings.pruning() }), Some(weights))
        }
        None => (None, None),
    };
    let variance_reduction = match &config.evaluation.variance_reduction {
        Some(file) => {
            let key = "evaluation.variance_reduction";
            Some(evaluator(key, file, &load(key, file)?, game)?)
        }
        None => None,
    };
    let target_network =
        config.target_network.as_ref().map(|file| load("target_network", file)).transpose()?;
    let open = |settings| DatasetSource::open(game, settings, config.seed, &mut other_inputs);
    let dataset = config.dataset.as_ref().map(open).transpose()?;
    let mut initial = match options.begin {
        Begin::New => Some(Initial::of(game, config)?),
        Begin::Resume => None,
    };
    let (dir, mut manifest) = RunDir::open(&options.directory, options.begin)?;
    let plan = &manifest.as_ref().map_or(plan.clone(), |found| plan.resuming(&found.config));
    let config = plan.config();
    let mut inputs = other_inputs;

    let interface = Interface::of(game);
    let earlier_of = |round| earlier_games(&dir, game, plan, round);
    let begins = manifest.is_none() && !dir.is_begun()?;
    let (progress, earlier) = match &mut manifest {
        Some(manifest) => {
            check_same(&dir, manifest, config, &inputs)?;
            let resumed = resume(&dir, &interface, plan, true, observer, &earlier_of)?;
            if config.rounds > manifest.config.rounds {
                extend(&dir, manifest, config, &inputs)?;
            }
            resumed
        }
        None if !begins => {
            let resumed = resume(&dir, &interface, plan, false, observer, &earlier_of)?;
            inputs.extend(Initial::of(game, config)?.input);
            let reason = "it is missing; the configuration is that of the checkpoint, whether the \
                          files that it names have changed is not known";
            observer.observe(&Event::Incomplete { path: dir.manifest(), reason: reason.into() });
            resumed
        }
        None => {
            let initial = match initial.take() {
                Some(initial) => initial,
                None => Initial::of(game, config)?,
            };
            inputs.extend(initial.input);
            let progress = Progress::begin(&interface, config, initial.weights, target_network)
                .map_err(|error| RunError::Learn(Box::new(error)))?;
            (progress, VecDeque::new())
        }
    };
    let games = dataset.as_ref().map(|dataset| dataset.games(1));
    let memory = memory::estimate(config, games, &progress.selfplay.arch);
    memory::check(memory)?;
    dir.remove_after(progress.totals.round)?;
    let mut manifest = manifest.unwrap_or_else(|| Manifest::begin(dir.name(), config, inputs));
    manifest.sessions.push(session(options, progress.totals.round, gpu));

    let context = RunContext {
        game: game.clone(),
        plan,
        dir: &dir,
        pruning,
        pruning_weights,
        teacher,
        remote,
        dataset,
        starts: plan.starts(game),
        threads: options.threads,
        observer,
        cancel,
    };
    let state = RunState::new(&dir, config, &manifest, observer, progress)?;
    let opponent_names: Vec<String> = opponents.iter().map(|(name, _)| name.clone()).collect();
    let mut cycle =
        Cycle::new(context, opponents, variance_reduction, states.as_ref(), state, earlier);
    let games_per_round = games.map_or(config.games_per_round, |games| games as u32);
    cycle.state().start(begins, games_per_round, options.threads, memory)?;
    let ended = cycle.run()?;
    let opponents = opponent_names.iter().map(String::as_str);
    let mut report = cycle.state().ended(ended, opponents);
    drop(cycle);
    if let (Ending::Finished { .. }, Some(gate)) = (&report.ending, &gate) {
        let workers = Workers { threads: options.threads, cancel };
        let context = GateContext { dir: &dir, workers, observer };
        report.gate = pass(game, gate, &mut manifest, &context)?;
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

/// The part of a run that begins now.
pub(crate) fn session(options: &RunOptions, after_round: u32, gpu: Option<String>) -> Session {
    Session {
        started: now(),
        after_round,
        threads: options.threads.get(),
        gpu,
        tool: options.tool.clone(),
        machine: Some(Machine::this()),
    }
}

/// Plays the gate, unless that is done, and replaces the old network if the new one has passed;
/// `None` if the run was asked to stop.
fn pass<G: PlayableGame>(
    game: &G,
    gate: &Gate<'_, G>,
    manifest: &mut Manifest,
    context: &GateContext<'_>,
) -> Result<Option<GateResult>, RunError> {
    if manifest.gate.is_none() {
        let Some(result) = gate.decide(game, context)? else { return Ok(None) };
        manifest.gate = Some(result);
        // From here on the old network may be gone.
        context.dir.write_manifest(manifest)?;
    }
    if let Some(result) = &mut manifest.gate
        && result.passed
        && !result.replaced
    {
        gate.replace(game, context.dir, result)?;
        result.replaced = true;
        context.dir.write_manifest(manifest)?;
    }
    Ok(manifest.gate.clone())
}

/// The weights at the start.
pub(crate) struct Initial {
    pub(crate) weights: Weights,
    /// Name and checksum of the file they came from.
    input: Option<(String, String)>,
}

impl Initial {
    pub(crate) fn of(game: &impl Game, config: &Config) -> Result<Self, RunError> {
        let network = config.network.clone().unwrap_or_default();
        let Some(file) = &config.start else {
            let seed = derived_seed(config.seed, "initial weights", 0);
            let weights = initial_weights(game, network.encoder, network.hidden(), seed);
            return Ok(Self { weights, input: None });
        };
        let found = load_named("start", file, game)?;
        let input = Some((file.path.display().to_string(), found.checksum()));
        if config.network.is_none() {
            return Ok(Self { weights: found, input });
        }
        let seed = derived_seed(config.seed, "initial weights", 0);
        let weights =
            grown(game, &found, network.encoder, network.hidden(), seed).ok_or_else(|| {
                let shape = |encoder: &str, hidden: Hidden<'_>| {
                    let products = if hidden.products { " with products" } else { "" };
                    format!("{encoder} and hidden {:?}{products}", hidden.widths)
                };
                RunError::OtherNetwork {
                    path: file.path.clone(),
                    found: shape(found.encoder.name(), found.arch.hidden()),
                    expected: shape(network.encoder.name(), network.hidden()),
                }
            })?;
        Ok(Self { weights, input })
    }
}

/// How long another engine may take for a play in an evaluation before it counts as hung.
const ENGINE_TIMEOUT: Duration = Duration::from_secs(60);

/// The opponents in evaluations. Checksums of their networks go into `inputs`.
fn opponents<G: PlayableGame>(
    game: &G,
    config: &Config,
    observer: &dyn Observer,
    inputs: &mut BTreeMap<String, String>,
) -> Result<Vec<Opponent<G>>, RunError> {
    let warn = |warning: &dyn Display| observer.observe(&Event::Warning(warning.to_string()));
    let context = PlayerContext { timeout: ENGINE_TIMEOUT, progress: &|_| {}, warn: &warn };
    let opponents = config.evaluation.opponents.iter().flatten().map(|name| {
        let failed = |source| RunError::Opponent { name: name.clone(), source };
        let file = PlayerName::parse(name, game).map_err(failed)?;
        let player = Player::new(name, game, &context).map_err(failed)?;
        if let Some(checksum) = player.network {
            let file = file.file().map_or(name.clone(), |path| path.display().to_string());
            inputs.insert(file, checksum);
        }
        Ok((name.clone(), player.agent))
    });
    opponents.collect()
}

/// The network of a weights file that `key` names.
fn evaluator<G: Game>(
    key: &'static str,
    file: &WeightsFile,
    weights: &Weights,
    game: &G,
) -> Result<NetEvaluator<G>, RunError> {
    let input = |source| RunError::Input { key, path: file.path.clone(), source };
    NetEvaluator::new(weights, game.clone()).map_err(input)
}

/// Refuses to resume a run as another.
pub(crate) fn check_same(
    dir: &RunDir,
    manifest: &Manifest,
    config: &Config,
    inputs: &BTreeMap<String, String>,
) -> Result<(), RunError> {
    // The number of rounds may grow.
    let stored = manifest.config.without_device().extended(config.rounds);
    let given = config.without_device();
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

/// Makes a longer run of one: it is not finished any more, and its gate is still to be played.
pub(crate) fn extend(
    dir: &RunDir,
    manifest: &mut Manifest,
    config: &Config,
    inputs: &BTreeMap<String, String>,
) -> Result<(), RunError> {
    manifest.config = config.clone();
    manifest.config_sha256 = config.sha256();
    // The gate may have replaced one of them.
    manifest.inputs.extend(inputs.clone());
    (manifest.finished, manifest.gate) = (None, None);
    dir.remove_incumbent()?;
    dir.write_config(&config.to_toml())?;
    Ok(())
}

/// Reads the newest checkpoint that can be read, with what else its round needs: the games of its
/// replay window.
pub(crate) fn resume<T>(
    dir: &RunDir,
    interface: &Interface,
    plan: &Plan,
    may_be_extended: bool,
    observer: &dyn Observer,
    needed: &dyn Fn(u32) -> Result<T, CheckpointError>,
) -> Result<(Progress, T), RunError> {
    let mut refused = None;
    for round in dir.checkpoints()? {
        let path = dir.checkpoint(round);
        let progress = Progress::load(&path, round, interface, plan.config(), may_be_extended);
        match progress.and_then(|progress| Ok((progress, needed(round)?))) {
            Ok(resumed) => return Ok(resumed),
            Err(error) => {
                let reason = chain(&error);
                observer.observe(&Event::CheckpointRefused { path, reason });
                refused = Some(Box::new(error));
            }
        }
    }
    Err(RunError::NoCheckpoint { path: dir.path().to_owned(), source: refused })
}
