//! `tavola grade sample`: decisions for a grader.

use std::time::Duration;

use clap::Args;
use tavola_arena::grade::SampleSettings;

use super::{DrawArgs, phase_name};
use crate::failure::Outcome;
use crate::networks::{self, NOT_COUNTED};
use crate::report::format;
use crate::report::table::{Out, Table};

/// Draw decisions of every phase from self-play, for a grader.
///
/// A network plays itself, and --per-phase decisions of each phase are drawn, one a game at most.
/// Where there are too few, more games start from the positions found. The file has all afterstates
/// of each decision; a grader turns it into a reference, see docs/arena.md. The same arguments
/// draw the same decisions.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        tavola grade sample --seed 1 --purpose reporting --out reporting.jsonl\n  \
        tavola grade sample --seed 2 --exclude reporting.jsonl --out tuning.jsonl")]
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
    let SampleArgs { games, per_phase, ref drawn } = *args;
    let (network, game) = drawn.network_and_game()?;
    let draw = drawn.draw(&network, drawn.command("sample", games, ("per-phase", per_phase), ""));
    let settings = SampleSettings { games, seed: drawn.seed, per_phase: per_phase as usize };
    let threads = drawn.threads.count();
    let header = networks::run_job(NOT_COUNTED, threads, Duration::ZERO, |job, _| {
        draw.decisions(&game, &settings, job)
    })?;
    let rows = header.phases.iter().map(|it| {
        let share = format!("{:.2} %", 100.0 * it.share);
        [phase_name(it.phase), share, format::count(it.drawn), format::count(it.seeded)]
    });
    Table::of(["phase", ">share in play", ">drawn", ">from seeded games"], rows).write(out)?;
    let [games, seeded] = [header.games, header.seeded_games].map(format::count);
    let (seed, file) = (header.seed, drawn.out.display());
    writeln!(out, "\n{games} games from the start and {seeded} seeded ones, seed {seed}: {file}")?;
    Ok(())
}
