//! `tavola grade sample`: decisions for a grader.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};

use clap::Args;
use tavola_arena::grade::{Sample, SampleError, SampleLabels, SampleSettings, read_questions};
use tavola_engine::Network;
use tavola_evaluator::PlayableGame;
use tavola_games::with_game;
use tavola_play::Workers;

use super::{DrawArgs, phase_name, read};
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::networks;
use crate::report::format;
use crate::report::progress::CountProgress;
use crate::report::table::{Out, Table};

/// Draw decisions of every phase from self-play, for a grader.
///
/// A network plays itself, and --per-phase decisions of each phase are drawn, one a game at most.
/// Where there are too few, more games start from the positions found. The file has all afterstates
/// of each decision; a grader turns it into a reference, see docs/grading.md. The same arguments
/// draw the same decisions.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        tavola grade sample --games 20000 --seed 1 --per-phase 200 --purpose reporting --out r.jsonl\n  \
        tavola grade sample --games 20000 --seed 2 --per-phase 100 --exclude r.jsonl --out t.jsonl")]
pub struct SampleArgs {
    /// Games to play from the start
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,
    /// Decisions of each phase
    #[arg(long, value_name = "K", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    per_phase: u32,
    /// What is drawn.
    #[command(flatten)]
    drawn: DrawArgs,
}

/// Draws a sample and says what is in it.
pub fn run(args: &SampleArgs, out: &mut dyn Out) -> Outcome {
    let (network, game) = args.drawn.network_and_game()?;
    with_game!(&game, |game| draw(game, args, &network, out))
}

fn draw<G: PlayableGame>(
    game: &G,
    args: &SampleArgs,
    network: &Network,
    out: &mut dyn Out,
) -> Outcome {
    let DrawArgs { seed, purpose, exclude, out: path, threads, .. } = &args.drawn;
    let evaluator = networks::evaluator(network, game)?;
    let mut excluded = HashSet::new();
    for path in exclude {
        excluded.extend(read(path, |file| read_questions(game, file))?);
    }
    let context = format!("cannot write {}", path.display());
    // Before the games: a file that can't be written should not cost their time.
    let file = File::create(path).or_input_in(&context)?;
    let SampleArgs { games, per_phase, .. } = *args;
    let command = args.drawn.command("sample", games, ("per-phase", per_phase), "");
    let labels = SampleLabels { command, network: networks::version(network.weights()) };
    let settings = SampleSettings { games, seed: *seed, per_phase: per_phase as usize };
    let canceled = cancel::on_interrupt("stopping after the games that are being played")?;
    let workers = Workers { threads: threads.count(), cancel: canceled };
    let progress = CountProgress::new(games, "games");
    let sample =
        Sample::draw(game, &*evaluator, &settings, &excluded, *purpose, labels, workers, &|| {
            progress.one_done()
        });
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
        path.display()
    )?;
    Ok(())
}
