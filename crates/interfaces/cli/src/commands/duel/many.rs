//! A duel in a game for more than two players: one player in every seat among copies of another.

use serde::Serialize;
use tavola_arena::Estimate;
use tavola_arena::many::SeatReport;
use tavola_games::many::AnyManyGame;

use super::DuelArgs;
use crate::failure::Outcome;
use crate::networks::{self, NOT_COUNTED};
use crate::report::format;
use crate::report::table::{Out, Table};

/// The answer as JSON.
#[derive(Serialize)]
struct Answer {
    game: String,
    seed: u64,
    #[serde(flatten)]
    report: SeatReport,
}

/// Plays and reports.
pub fn run(args: &DuelArgs, game: AnyManyGame, out: &mut dyn Out) -> Outcome {
    let (rounds, seed) = ((args.games / game.players() as u64).max(2), args.seed);
    let (threads, timeout) = (args.threads.count(), args.engine_timeout.get());
    let report = networks::run_job(NOT_COUNTED, threads, timeout, |job, _| {
        SeatReport::of(game, args.names(), rounds, seed, job)
    })?;
    let answer = Answer { game: game.id(), seed, report };
    if args.output.answered(&answer, out)? { Ok(()) } else { write_text(&answer, out) }
}

fn write_text(answer: &Answer, out: &mut dyn Out) -> Outcome {
    let Answer { game, seed, report } = answer;
    let mut table = Table::plain(["", ">"]);
    let mut row = |name: String, payoff: &Estimate| {
        let significant = if payoff.is_significant() { "" } else { " (not significant)" };
        let figure = format!("{}{significant}", format::points(*payoff));
        table.row([name, figure]);
    };
    row("A, all seats".to_owned(), &report.all);
    for (seat, payoff) in (1..).zip(&report.seats) {
        row(format!("A in seat {seat}"), payoff);
    }
    writeln!(out, "points per game of A, 95 % CI")?;
    table.write(out)?;
    let SeatReport { rounds, unfinished, decisions, .. } = report;
    let rounds = format::plural(*rounds as usize, "round");
    writeln!(out, "\n{rounds} of {game}, {decisions:.1} decisions a game, seed {seed}")?;
    if *unfinished > 0 {
        writeln!(out, "{unfinished} rounds with a game without an end, not counted")?;
    }
    Ok(())
}
