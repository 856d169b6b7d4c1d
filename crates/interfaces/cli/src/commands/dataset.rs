//! `tavola dataset`: states with their targets from self-play, as files.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use tavola_engine::operations::Show;
use tavola_engine::{Engine, Question};
use tavola_evaluator::Workers;
use tavola_pipeline::{
    DatasetOptions, DatasetSummary, Override, Plan, describe_dataset, generate_dataset, sample,
};

use crate::args::{FleetArgs, FormArgs, ThreadArgs, example, on_fleet};
use crate::ask;
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::format;
use crate::report::progress::CountProgress;
use crate::report::table::{Out, Table};
use crate::report::warning;

/// Generate and describe datasets: states with their targets.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola dataset generate configs/student.toml --out data --games 20000\n  \
         tavola dataset info data"
    ),
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct DatasetArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: DatasetCommand,
}

/// What to do with datasets. Their help stands with their arguments.
#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    Generate(GenerateArgs),
    Info(InfoArgs),
    Sample(SampleArgs),
}

/// Play games as a training configuration says, and keep states and targets.
///
/// The network of `start` plays against itself (that of `target_network` if there is one, a new one
/// without either), and its games become the targets of training. The folder gets a manifest and
/// shards, files of the same bytes on any number of threads. Ctrl-C stops; the same command goes on
/// with the first shard that is missing.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola dataset generate configs/student.toml --out data --games 20000\n  \
         tavola dataset generate my.toml --out data --games 1000000 --games-per-shard 5000"
    )
)]
pub struct GenerateArgs {
    /// The configuration, a TOML file as for `tavola train`
    #[arg(value_name = "CONFIG")]
    pub config: PathBuf,
    /// The folder of the dataset
    #[arg(long, short = 'o', value_name = "DIR")]
    pub out: PathBuf,
    /// Games to play
    #[arg(long, short = 'n', value_name = "N")]
    pub games: NonZeroU64,
    /// Games of a shard
    #[arg(long, value_name = "K", default_value = "1000")]
    pub games_per_shard: NonZeroU32,
    /// A value in place of that of the file, as seed=2; may be given again
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<Override>,
    /// The fleet that plays the games.
    #[command(flatten)]
    pub remote: FleetArgs,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Check a dataset and tell what is in it.
///
/// All shards are read and their checksums checked. The report has shards, games, states, siblings,
/// and states by phase and by the equity of their targets, in bands of half a point.
#[derive(Debug, Args)]
#[command(
    after_help = example("  tavola dataset info data\n  tavola dataset info data --json")
)]
pub struct InfoArgs {
    /// The folder of the dataset
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Show positions of a training run with their targets, the worst known first.
///
/// The newest network of the run plays games as in its next round. Each of their positions has a
/// target and what the network says; those with the highest loss above the least that the target
/// allows are shown as boards.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola dataset sample runs/small\n  \
         tavola dataset sample runs/small --games 100 --top 3 --json"
    )
)]
pub struct SampleArgs {
    /// The directory of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Games to play, 1 to 10,000
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub games: u64,
    /// Positions to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub top: u16,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Generates or describes.
pub fn run(args: &DatasetArgs, out: &mut dyn Out) -> Outcome {
    match &args.command {
        DatasetCommand::Generate(args) => generate(args, out),
        DatasetCommand::Info(args) => info(args, out),
        DatasetCommand::Sample(args) => write_sample(args, out),
    }
}

fn write_sample(args: &SampleArgs, out: &mut dyn Out) -> Outcome {
    let sampled = sample(&args.folder, args.games, args.top.into())
        .map_err(|error| error.while_trying("cannot sample the run"))?;
    if args.output.answered(&sampled, out)? {
        return Ok(());
    }
    let question = Question::start(sampled.game.parse().or_input()?);
    let (round, run) = (sampled.round, args.folder.display());
    let positions = format::plural(sampled.states, "position");
    let games = format::plural(args.games as usize, "game");
    writeln!(out, "round {round} of {run}: {positions} of {games}, the worst known first")?;
    let engine = Engine::without_tables();
    for position in &sampled.worst {
        let asked = Question { position: Some(position.position.clone()), ..question.clone() };
        let shown = ask::ask(&engine, &asked, &Show::default())?.answer;
        let (game, turn, loss) = (position.game, position.turn, position.loss);
        writeln!(out, "\ngame {game}, turn {turn}: loss {loss:.3}")?;
        out.drawing(&shown.board)?;
        writeln!(out, "{}", position.position)?;
        let row = |name: &str, equity: f32, probs: &[f32; 5]| {
            let probs = probs.map(format::percent);
            [name.to_owned(), format::equity(equity)].into_iter().chain(probs)
        };
        let [target, network] = position.equity;
        let mut table = Table::new(["_what", ">equity"].iter().chain(&format::CHANCE_HEADINGS));
        table.row(row("target", target, &position.target));
        table.row(row("network", network, &position.network));
        table.write(out)?;
    }
    Ok(())
}

fn generate(args: &GenerateArgs, out: &mut dyn Out) -> Outcome {
    let plan = Plan::load(&args.config, &args.set).or_input()?;
    let config = plan.config();
    if config.start.is_none() && config.target_network.is_none() {
        warning::warn(&format_args!(
            "a network with random weights plays and gives the targets, expected in {} a line such \
             as target_network = \"models/default.safetensors\"",
            args.config.display()
        ));
    }
    let options = DatasetOptions {
        folder: args.out.clone(),
        games: args.games,
        games_per_shard: args.games_per_shard,
    };
    let cancel = cancel::on_interrupt("stopping, shards that are done stay")?;
    let workers = Workers { threads: args.threads.count(), cancel };
    let games = args.games.get();
    let progress = CountProgress::new(games, "games");
    let fleet = args.remote.connect(Some(&args.out))?;
    let played = |done| progress.done_of(done as usize, games as usize);
    let result = generate_dataset(on_fleet(&fleet), &plan, &options, workers, &played);
    drop(progress);
    let report = result.map_err(|error| error.while_trying("cannot generate a dataset"))?;
    if !report.finished {
        return Err(Failure::stopped(format_args!(
            "stopped after {}; the same command goes on",
            format::plural(report.shards as usize, "shard")
        )));
    }
    if args.output.answered(&report, out)? {
        return Ok(());
    }
    let (shards, folder) = (format::plural(report.shards as usize, "shard"), args.out.display());
    let [games, states, found] =
        [report.games, report.states, report.found.into()].map(format::count);
    write!(out, "{shards} of {games} games with {states} states in {folder}, ")?;
    Ok(writeln!(out, "{found} of them there before")?)
}

fn info(args: &InfoArgs, out: &mut dyn Out) -> Outcome {
    let summary = describe_dataset(&args.folder)
        .map_err(|error| error.while_trying("cannot describe the dataset"))?;
    if args.output.answered(&summary, out)? { Ok(()) } else { write_text(&summary, out) }
}

fn write_text(summary: &DatasetSummary, out: &mut dyn Out) -> Outcome {
    let manifest = &summary.manifest;
    let [games, of, states, siblings] =
        [summary.games, manifest.games, summary.states, summary.siblings].map(format::count);
    write!(out, "{}: {games} of {of} games, {states} states, ", manifest.game)?;
    writeln!(out, "{siblings} of them siblings, all checksums right")?;
    writeln!(out, "configuration  {}", manifest.config_sha256)?;
    for (name, checksum) in &manifest.networks {
        writeln!(out, "{name:13}  {checksum}")?;
    }
    let rows = summary.shards.iter().map(|shard| {
        let numbers = [shard.games, shard.states, shard.siblings, shard.bytes].map(format::count);
        std::iter::once(shard.number.to_string()).chain(numbers)
    });
    Table::of([">shard", ">games", ">states", ">siblings", ">bytes"], rows).write_apart(out)?;
    let share = |states: u64| {
        [format::count(states), format!("{:.1} %", 100.0 * states as f64 / summary.states as f64)]
    };
    if !summary.phases.is_empty() {
        let rows = summary.phases.iter();
        let rows = rows.map(|it| std::iter::once(it.phase.to_string()).chain(share(it.states)));
        Table::of(["phase", ">states", ">share"], rows).write_apart(out)?;
    }
    let rows = summary.equities.iter().map(|band| {
        let name = format!("{:+.1} to {:+.1}", band.from, band.from + 0.5);
        std::iter::once(name).chain(share(band.states))
    });
    Ok(Table::of(["equity", ">states", ">share"], rows).write_apart(out)?)
}
