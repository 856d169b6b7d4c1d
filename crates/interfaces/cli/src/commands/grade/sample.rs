//! `tavola grade sample`: decisions for a grader.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tavola_arena::grade::{
    Purpose, Sample, SampleError, SampleLabels, SampleSettings, read_questions,
};
use tavola_engine::Network;
use tavola_evaluator::PlayableGame;
use tavola_games::{AnyGame, with_game};
use tavola_play::Workers;

use super::{phase_name, read};
use crate::args::{ModelArg, ThreadArgs};
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::networks;
use crate::report::format;
use crate::report::progress::CountProgress;
use crate::report::table::{Out, Table};

/// Arguments of `grade sample`.
#[derive(Debug, Args)]
#[command(
    about = "Draw decisions of every phase from self-play, for a grader",
    long_about = "Draw decisions of every phase from self-play, for a grader.\n\n\
        A network plays itself, and --per-phase decisions of each phase are drawn, one a game at most. \
        Where there are too few, more games start from the positions found. The file has all \
        afterstates of each decision; a grader turns it into a reference, see docs/grading.md. \
        The same arguments draw the same decisions.",
    after_help = "Examples:\n  \
        tavola grade sample --games 20000 --seed 1 --per-phase 200 --purpose reporting --out r.jsonl\n  \
        tavola grade sample --games 20000 --seed 2 --per-phase 100 --exclude r.jsonl --out t.jsonl"
)]
pub struct SampleArgs {
    /// The game, with options as in puff:cap=none [default: the game of the network]
    #[arg(long)]
    pub game: Option<AnyGame>,
    /// Games to play from the start
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub games: u64,
    /// Seed of the games and of the draw
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Decisions of each phase
    #[arg(long, value_name = "K", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub per_phase: u32,
    /// What the decisions may be used for
    #[arg(long, value_enum, default_value_t = PurposeArg::Tuning)]
    pub purpose: PurposeArg,
    /// Sample or reference whose decisions are not to be drawn again
    #[arg(long, value_name = "FILE")]
    pub exclude: Vec<PathBuf>,
    /// Where to write the sample
    #[arg(long, short = 'o', value_name = "FILE")]
    pub out: PathBuf,
    /// The network that plays.
    #[command(flatten)]
    pub model: ModelArg,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

/// What decisions may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PurposeArg {
    /// To choose between settings and networks
    Tuning,
    /// To report strength, and for no choice
    Reporting,
}

impl From<PurposeArg> for Purpose {
    fn from(purpose: PurposeArg) -> Self {
        match purpose {
            PurposeArg::Tuning => Self::Tuning,
            PurposeArg::Reporting => Self::Reporting,
        }
    }
}

/// Draws a sample and says what is in it.
pub fn run(args: &SampleArgs, out: &mut dyn Out) -> Outcome {
    let (network, game) =
        networks::network_and_game(args.model.model.as_deref(), args.game.as_ref())?;
    with_game!(&game, |game| draw(game, args, &network, out))
}

fn draw<G: PlayableGame>(
    game: &G,
    args: &SampleArgs,
    network: &Network,
    out: &mut dyn Out,
) -> Outcome {
    let evaluator = networks::evaluator(network, game)?;
    let mut excluded = HashSet::new();
    for path in &args.exclude {
        excluded.extend(read(path, |file| read_questions(game, file))?);
    }
    let context = format!("cannot write {}", args.out.display());
    // Before the games: a file that can't be written should not cost their time.
    let file = File::create(&args.out).or_input_in(&context)?;
    let labels =
        SampleLabels { command: args.command(), network: networks::version(network.weights()) };
    let settings =
        SampleSettings { games: args.games, seed: args.seed, per_phase: args.per_phase as usize };
    let cancelled = cancel::on_interrupt("stopping after the games that are being played")?;
    let workers = Workers { threads: args.threads.count(), cancel: cancelled };
    let progress = CountProgress::new(args.games, "games");
    let sample = Sample::draw(
        game,
        &*evaluator,
        &settings,
        &excluded,
        args.purpose.into(),
        labels,
        workers,
        &|| progress.one_done(),
    );
    drop(progress);
    let sample = sample.map_err(|error| match error {
        SampleError::Games(error) => Failure::stopped(error),
        error => Failure::work(error),
    })?;
    let mut file = BufWriter::new(file);
    sample.write(game, &mut file).and_then(|()| file.flush()).or_work_in(&context)?;
    let header = sample.header();
    let rows = header.phases.iter().map(|it| {
        let share = format!("{:.2} %", 100.0 * it.share);
        [phase_name(it.phase), share, format::count(it.drawn), format::count(it.seeded)]
    });
    Table::of(["phase", ">share in play", ">drawn", ">from seeded games"], rows).write(out)?;
    writeln!(
        out,
        "\n{} games from the start and {} seeded ones, seed {}: {}",
        format::count(header.games),
        format::count(header.seeded_games),
        header.seed,
        args.out.display()
    )?;
    Ok(())
}

impl SampleArgs {
    /// The command that draws the same.
    fn command(&self) -> String {
        let Self { games, seed, per_phase, .. } = self;
        let purpose = Purpose::from(self.purpose).name();
        let rest = super::rest_of_command(self.game.as_ref(), &self.exclude, &self.model);
        format!(
            "tavola grade sample --games {games} --seed {seed} --per-phase {per_phase} --purpose \
             {purpose}{rest}"
        )
    }
}
