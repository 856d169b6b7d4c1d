//! `tavola train`: a training run from one configuration file.

use crate::args::{FleetArgs, OutputArgs, ThreadArgs};
use clap::Args;
use std::path::Path;
use std::path::PathBuf;

use tavola_evaluator::remote::Remote;
use tavola_games::NamedGame;
use tavola_pipeline::{
    Begin, HoldsARun, Override, Plan, Recipe, RunOptions, RunReport, default_directory, template,
};

#[cfg(not(feature = "board"))]
use crate::absent::watch;
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::outputs::{Content, OutputFile, writes};
use crate::report::format::{self, shell_word};
use crate::report::progress::TrainProgress;
use crate::report::provenance::{Provenance, tool};
use crate::report::table::Out;

#[cfg(feature = "board")]
mod watch;

mod dry_run;
mod seeds;

/// Arguments of `train`.
#[derive(Debug, Args)]
#[command(
    about = "Train a network by self-play",
    long_about = "Train a network by self-play.\n\n\
        The network plays against itself, learns from the games and starts again, round after \
        round, as the TOML file says. The run directory gets the effective configuration, a \
        manifest, metrics.jsonl (one JSON object a line), metrics.csv (a line a round), a learning \
        curve as SVG, checkpoints and the weights. Ctrl-C stops cleanly and leaves a checkpoint; --resume leads to the \
        same result as a run without a break. With more --rounds it extends a run, finished or not. \
        The same seed gives the same games on any number of \
        threads. A configuration with tables [[phase]] is a recipe: its phases run one after the \
        other, each in a folder of its own, and --resume goes on in the phase where it was.",
    after_help = "Examples:\n  \
        tavola train --init my.toml                         a configuration with comments\n  \
        tavola train configs/smoke.toml                     about a minute\n  \
        tavola train configs/small.toml --out runs/small    seven to thirteen minutes on two cores\n  \
        tavola train configs/small.toml --out runs/small --resume\n  \
        tavola train configs/small.toml --out runs/small --resume --rounds 2000\n  \
        tavola train configs/small.toml --watch             shown in the browser while it goes\n  \
        tavola train configs/small.toml --seed 2 --set learner.batch_size=512 --out runs/second\n  \
        tavola duel runs/small/final.safetensors default    is it stronger than the built-in one?"
)]
pub struct TrainArgs {
    /// The configuration of the run, a TOML file
    #[arg(value_name = "CONFIG", required_unless_present = "init")]
    pub config: Option<PathBuf>,
    /// Write a commented configuration with every key and its default to this new file, or to
    /// stdout, and do nothing else
    #[arg(long, value_name = "FILE", value_parser = writes(Content::Config), conflicts_with_all = [
        "config", "out", "resume", "set", "seed", "seeds", "rounds", "fleet", "watch", "threads", "json",
        "dry_run"
    ])]
    pub init: Option<Option<OutputFile>>,
    /// The run directory [default: runs/NAME for NAME.toml]
    #[arg(long, short = 'o', value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Resume the run that the run directory holds; with more rounds than before, extend it
    #[arg(long)]
    pub resume: bool,
    /// A value in place of that of the file, as learner.batch_size=512; may be given again
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<Override>,
    /// The seed of the run, in place of that of the file
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(0..))]
    pub seed: Option<i64>,
    /// Train with each of these seeds, such as 1,2,3, in folders of the run directory; their mean
    /// and band are seeds.csv and seeds.svg there
    #[arg(long, value_name = "N,...", value_delimiter = ',', conflicts_with_all = ["seed", "watch"],
          value_parser = clap::value_parser!(i64).range(0..))]
    pub seeds: Vec<i64>,
    /// Say what the run would do, how much memory it takes and how long, measured for ten seconds
    /// on this machine, and which files it would write; nothing is written
    #[arg(long, conflicts_with_all = ["resume", "watch", "fleet", "seeds"])]
    pub dry_run: bool,
    /// The number of rounds, in place of that of the file
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=999_999))]
    pub rounds: Option<i64>,
    /// The fleet that plays the games.
    #[command(flatten)]
    pub remote: FleetArgs,
    /// Show the run in the browser while it goes: loss, strength, games of its networks; 0 takes a
    /// free port
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true,
          default_missing_value = "8080")]
    pub watch: Option<u16>,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl TrainArgs {
    /// The configuration file.
    fn config(&self) -> &Path {
        self.config.as_deref().unwrap_or(Path::new(""))
    }

    /// What replaces values of the file; the options with a name of their own come last.
    fn overrides(&self) -> Vec<Override> {
        let named = [("seed", self.seed), ("rounds", self.rounds)];
        let named = named.into_iter().filter_map(|(key, n)| Some(Override::number(key, n?)));
        self.set.iter().cloned().chain(named).collect()
    }
}

/// Trains to the end of the run, or until Ctrl-C.
pub fn run(args: &TrainArgs, out: &mut dyn Out) -> Outcome {
    match &args.init {
        Some(Some(path)) => return init(path, out),
        Some(None) => return Ok(out.write_all(template().as_bytes())?),
        None => {}
    }
    let overrides = args.overrides();
    let directory = args.out.clone().unwrap_or_else(|| default_directory(args.config()));
    let recipe = Recipe::load(args.config(), &directory, &overrides).or_input()?;
    let plan = match recipe.as_ref().and_then(|recipe| recipe.phases().last()) {
        Some(last) => last.plan.clone(),
        None => Plan::load(args.config(), &overrides).or_input()?,
    };
    if let (Some(_), Some(port)) = (&recipe, args.watch) {
        return Err(Failure::input(format_args!(
            "--watch={port} with a configuration of phases, expected one of a single run"
        )));
    }
    let options = RunOptions {
        directory: directory.clone(),
        begin: if args.resume { Begin::Resume } else { Begin::New },
        threads: args.threads.count(),
        tool: tool(),
    };
    if args.dry_run {
        return dry_run::write(args, recipe.as_ref(), &plan, &directory, out);
    }
    if !args.seeds.is_empty() {
        if recipe.is_some() {
            return Err(Failure::input(
                "--seeds with a configuration of phases, expected one of a single run",
            ));
        }
        return seeds::run(args, &directory, out);
    }
    let fleet = args.remote.connect(Some(&directory))?;
    let remote = fleet.as_ref().map(|fleet| fleet as &dyn Remote);
    let canceled = cancel::on_interrupt("stopping when the round is learned, if that is soon")?;
    let watched =
        args.watch.map(|port| watch::start(port, &directory, fleet.as_ref())).transpose()?;
    let progress = TrainProgress::new();
    let result = match &recipe {
        Some(recipe) => recipe.run(&options, remote, &progress, canceled),
        None => tavola_pipeline::run(&plan, &options, remote, &progress, canceled),
    };
    drop(progress);
    watch::end(watched, &directory)?;
    let report = result.map_err(|error| blame(error, args))?;
    if args.output.json {
        Provenance::of(args.threads.count(), []).write_json(&report, out)?;
    } else if let Some(weights) = &report.weights {
        write_text(&report, &plan, weights, out)?;
    }
    if report.finished {
        return Ok(());
    }
    let (config, folder) = (shell_word(args.config().display()), shell_word(directory.display()));
    let set: String = overrides.iter().map(|set| format!(" --set {}", shell_word(set))).collect();
    let (done, of) = (report.rounds_done, report.rounds);
    Err(Failure::stopped(format_args!(
        "stopped after round {done} of {of}; resume with: tavola train {config}{set} \
         --out {folder} --resume"
    )))
}

/// Writes a configuration to begin with.
fn init(path: &OutputFile, out: &mut dyn Out) -> Outcome {
    path.write(template().as_bytes())?;
    let word = shell_word(path.display());
    writeln!(out, "wrote {}; begin the run with: tavola train {word}", path.display())?;
    Ok(())
}

/// Says whose fault it was that a run ended.
fn blame(error: tavola_files::Failure, args: &TrainArgs) -> Failure {
    if let Some(HoldsARun { path }) = error.reason.downcast_ref() {
        return Failure::input(format_args!(
            "{} already holds a run: add --resume, or another directory with --out",
            path.display()
        ));
    }
    error.while_trying(format_args!("cannot train from {}", args.config().display())).into()
}

fn write_text(report: &RunReport, plan: &Plan, weights: &Path, out: &mut dyn Out) -> Outcome {
    let time = std::time::Duration::try_from_secs_f64(report.seconds).unwrap_or_default();
    let rounds = format::plural(report.rounds_done as usize, "round");
    let games = format::plural(report.games as usize, "game");
    let (positions, time) = (format::count(report.positions), format::duration(time));
    writeln!(out, "{rounds}, {games}, {positions} positions in {time}")?;
    for evaluation in &report.evaluations {
        writeln!(out, "{}", format::evaluation(evaluation))?;
    }
    if let Some(states) = &report.states {
        writeln!(out, "{}", format::states(states))?;
    }
    writeln!(out, "\nweights  {}", weights.display())?;
    writeln!(out, "curve    {}", report.directory.join("learning-curve.svg").display())?;
    let of_game = match plan.game().id() {
        // The default.
        id if id == "backgammon" => String::new(),
        id => format!(" --game {id}"),
    };
    let (roll, file) = (plan.some_roll(), shell_word(weights.display()));
    writeln!(out, "ask it   tavola best{of_game} --roll {roll} --model {file}")?;
    if let NamedGame::Two(game) = plan.game() {
        let rival = if game.backgammon().is_some() { "default" } else { "rule-based" };
        writeln!(out, "test it  tavola duel {file} {rival} --games 2000{of_game}")?;
    }
    Ok(())
}
