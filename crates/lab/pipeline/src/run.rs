//! Begins, resumes and ends a run: everything around the [`cycle`](crate::cycle).

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tavola_evaluator::remote::Remote;
use tavola_files::Failure;
use tavola_files::chain;
use tavola_games::many::ManyGame;
use tavola_games::{NamedGame, with_game, with_many_game};
use tavola_net::{Interface, Weights, grown, initial_weights};
use tavola_train::Learner;

use crate::checkpoint::{Progress, Totals};
use crate::config::{Config, Plan};
use crate::context::{RunContext, derived_seed, load_named};
use crate::cycle::{Cycle, Rounds};
use crate::error;
use crate::events::{Observer, RunEvent};
use crate::manifest::{Machine, Manifest, RunSession, Tool, now};
use crate::many::ManyRounds;
use crate::memory;
use crate::names::{CONFIG, FINAL, MANIFEST};
use crate::report::RunReport;
use crate::run_dir::{Begin, RunDir};
use crate::run_state::RunState;
use crate::shards::MANY_PLAYERS;
use crate::two::TwoRounds;

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

/// Runs a plan from the beginning, or from the last checkpoint, to its end. Its games may be played
/// by other processes, those of `remote`; the result does not depend on it.
///
/// Blocks until the run is done, or until `cancel` is true: then games that are being played are
/// dropped, the round that is being learned is finished and saved, and the report is of one that is
/// not finished. Events come from this and other threads.
///
/// # Errors
///
/// [`Failure`], also of what the remote says when it fails; checkpoints that were saved before stay
/// usable.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    remote: Option<&dyn Remote>,
    observer: &dyn Observer,
    cancel: &AtomicBool,
) -> Result<RunReport, Failure> {
    let run = Run { plan, options, remote, observer, cancel };
    let mut inputs = BTreeMap::new();
    match plan.game() {
        NamedGame::Two(game) => with_game!(game, |game| {
            let rounds = TwoRounds::load(game, &run, &mut inputs)?;
            run_rounds(&run, &Interface::of(game), rounds, inputs)
        }),
        NamedGame::Many(_) if remote.is_some() => Err(error::play(MANY_PLAYERS)),
        NamedGame::Many(game) => with_many_game!(game, |game| {
            let rounds = ManyRounds::load(game, plan.config())?;
            run_rounds(&run, &game.interface(), rounds, inputs)
        }),
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

/// Begins or resumes a run, carries it out and ends it. `inputs`: names and checksums of the files
/// that were read for its rounds.
fn run_rounds<R: Rounds>(
    run: &Run<'_>,
    interface: &Interface,
    mut rounds: R,
    mut inputs: BTreeMap<String, String>,
) -> Result<RunReport, Failure> {
    let &Run { plan, options, remote, observer, cancel } = run;
    let config = plan.config();
    // Before the directory is touched, so that a mistyped name or a missing GPU leaves nothing
    // behind.
    let gpu = config
        .learner
        .device
        .open()
        .map_err(Failure::input_in("cannot learn on the device that learner.device names"))?;
    let mut target_network = None;
    if let Some(file) = &config.target_network {
        let named = load_named("target_network", file, &interface.game, &mut inputs)?;
        target_network = Some(named);
    }
    let weights = match options.begin {
        Begin::New => Some(initial(interface, config, &mut inputs)?),
        Begin::Resume => None,
    };
    let (dir, mut manifest) = RunDir::open(&options.directory, options.begin)?;
    let plan = &manifest.as_ref().map_or(plan.clone(), |found| plan.resuming(&found.config));
    let config = plan.config();
    let context =
        &RunContext { plan, dir: &dir, remote, threads: options.threads, observer, cancel };
    let begins = manifest.is_none() && !dir.is_begun()?;
    let progress = match &mut manifest {
        Some(manifest) => go_on(context, interface, &mut rounds, manifest, &inputs)?,
        None if begins => {
            let weights = match weights {
                Some(weights) => weights,
                None => initial(interface, config, &mut inputs)?,
            };
            let learner = Learner::new(interface, config.learner.clone(), &weights);
            let learner = learner.map_err(error::learn)?;
            // They also play the first round unless there is another target network.
            let selfplay = target_network.unwrap_or(weights);
            Progress { totals: Totals::default(), learner, selfplay }
        }
        None => {
            let progress = resume(context, interface, &mut rounds, false)?;
            initial(interface, config, &mut inputs)?;
            let reason = "it is missing or damaged; the configuration is that of the checkpoint, \
                          whether the files that it names have changed is not known";
            observer
                .observe(&RunEvent::Incomplete { path: dir.file(MANIFEST), reason: reason.into() });
            progress
        }
    };
    let games = rounds.dataset_games();
    let memory = memory::estimate(config, games, &progress.selfplay.arch)
        + memory::of_searches(config, options.threads);
    memory::check(memory)?;
    dir.remove_after(progress.totals.round)?;
    let mut manifest = manifest.unwrap_or_else(|| Manifest::begin(dir.name(), config, inputs));
    manifest.sessions.push(RunSession {
        started: now(),
        after_round: progress.totals.round,
        threads: options.threads.get(),
        gpu,
        tool: options.tool.clone(),
        machine: Some(Machine::this()),
    });

    let state = RunState::new(context, &manifest, progress)?;
    let mut cycle = Cycle::new(interface, &mut rounds, state);
    let games_per_round = games.map_or(config.games_per_round, |games| games as u32);
    cycle.state.start(begins, games_per_round, memory)?;
    let weights = match cycle.run() {
        Err(failure) if failure.is_stop() => None,
        ended => Some(ended?),
    };
    let report = cycle.state.ended(weights);
    drop(cycle);
    if report.finished && manifest.finished.is_none() {
        manifest.finished = Some(now());
        dir.write_manifest(&manifest)?;
    }
    Ok(report)
}

/// The weights at the start. Name and checksum of the file they came from go into `inputs`.
pub(crate) fn initial(
    interface: &Interface,
    config: &Config,
    inputs: &mut BTreeMap<String, String>,
) -> Result<Weights, Failure> {
    let network = config.network.clone().unwrap_or_default();
    let seed = derived_seed(config.seed, "initial weights", 0);
    let Some(file) = &config.start else {
        return initial_weights(interface, network.encoder, network.hidden(), seed)
            .map_err(error::weights);
    };
    let found = load_named("start", file, &interface.game, inputs)?;
    if config.network.is_none() {
        return Ok(found);
    }
    let other = Failure::input_in(format!(
        "{} can't be grown to the encoder and layers of the configuration; leave [network] out \
         to take both from the file",
        file.path.display()
    ));
    grown(interface, &found, network.encoder, network.hidden(), seed).map_err(other)
}

/// Goes on with the run of this manifest, which may be extended; refuses to resume it as another.
fn go_on(
    context: &RunContext<'_>,
    interface: &Interface,
    rounds: &mut impl Rounds,
    manifest: &mut Manifest,
    inputs: &BTreeMap<String, String>,
) -> Result<Progress, Failure> {
    let (dir, config) = (context.dir, context.plan.config());
    // The number of rounds may grow.
    let stored = manifest.config.without_device().extended(config.rounds);
    let given = config.without_device();
    if stored != given {
        let differences = stored.differences(&given);
        return Err(error::other_config(dir.path(), &differences));
    }
    for (path, found) in inputs {
        if let Some(expected) = manifest.inputs.get(path).filter(|expected| *expected != found) {
            return Err(Failure::input(format!(
                "{path} has changed since the run began: its checksum is {found}, expected \
                 {expected}"
            )));
        }
    }
    if manifest.finished.is_some() && dir.checkpoints()?.is_empty() {
        return Err(Failure::input(format!(
            "{} is finished, with {FINAL} as its network, and has no checkpoint to go on from: a \
             run that learns more begins with that file as its `start`",
            dir.path().display()
        )));
    }
    let progress = resume(context, interface, rounds, true)?;
    if config.rounds > manifest.config.rounds {
        // A longer run is not finished any more.
        manifest.config = config.clone();
        manifest.config_sha256 = config.sha256();
        manifest.inputs.extend(inputs.clone());
        manifest.finished = None;
        dir.write(CONFIG, &config.to_toml())?;
    }
    Ok(progress)
}

/// Reads the newest checkpoint that can be read, with what else its round needs: the games of its
/// replay window.
fn resume(
    context: &RunContext<'_>,
    interface: &Interface,
    rounds: &mut impl Rounds,
    may_be_extended: bool,
) -> Result<Progress, Failure> {
    let &RunContext { plan, dir, observer, .. } = context;
    let mut refused = None;
    for round in dir.checkpoints()? {
        let path = dir.checkpoint(round);
        let progress = Progress::load(&path, round, interface, plan.config(), may_be_extended);
        match progress.and_then(|progress| Ok((progress, rounds.recall(context, round)?))) {
            Ok((progress, ())) => return Ok(progress),
            Err(error) => {
                let reason = chain(&error);
                observer.observe(&RunEvent::CheckpointRefused { path, reason });
                refused = Some(error);
            }
        }
    }
    let path = dir.path().display();
    let none = format!("no checkpoint in {path} can be used; begin again in another directory");
    Err(refused.map_or_else(
        || Failure::input(none.clone()),
        |last| Failure::input(last).while_trying(&none),
    ))
}
