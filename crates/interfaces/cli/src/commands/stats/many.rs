//! `tavola stats` of games for more than two players.

use std::time::Duration;

use tavola_arena::many::statistics::{SeatGameReport, SeatStrength};
use tavola_games::many::AnyManyGame;

use super::StatsArgs;
use crate::failure::Outcome;
use crate::networks::{self, NOT_COUNTED};
use crate::report::format;
use crate::report::table::{Out, Table};

/// Gathers the statistics and prints them.
pub fn run(game: AnyManyGame, args: &StatsArgs, out: &mut dyn Out) -> Outcome {
    let (settings, threads) = (args.settings(), args.threads.count());
    let report = networks::run_job(NOT_COUNTED, threads, Duration::ZERO, |job, _| {
        SeatGameReport::of(game, args.model.model.as_deref(), &settings, job.workers)
    })?;
    if args.output.answered(&report, out)? { Ok(()) } else { write_text(&report, out) }
}

fn write_text(report: &SeatGameReport, out: &mut dyn Out) -> Outcome {
    let SeatGameReport { game, rules, network, seed, statistics, openings, strength } = report;
    out.prose(&format!("{game}: {rules}"))?;
    writeln!(out, "\nnetwork {network}\n")?;
    let (mean, shortest, longest) = statistics.decisions;
    let mut table = Table::plain(["", ">"]);
    table.row(["games, seed".to_owned(), format!("{}, {seed}", statistics.games)]);
    table.row(["decisions a game".to_owned(), format!("{mean:.1} ({shortest} to {longest})")]);
    for (what, number) in [
        ("decisions that hit", statistics.hits),
        ("rolls without a play", statistics.passes),
        ("offered dice used", statistics.offers_used),
        ("offered dice declined", statistics.offers_declined),
    ] {
        let share = 100.0 * number.share_of_games;
        table.row([what.to_owned(), format!("{:.2} a game, in {share:.1} %", number.a_game)]);
    }
    for (seat, payoff) in (1..).zip(&statistics.seats) {
        table.row([format!("points of seat {seat}"), format::points(*payoff)]);
    }
    table.row(["points of the winner".to_owned(), format::points(statistics.winner)]);
    table.write(out)?;
    if statistics.unfinished > 0 {
        writeln!(out, "{} games without an end, not counted", statistics.unfinished)?;
    }
    for SeatStrength { opponent, report } in strength {
        writeln!(out, "\nagainst {opponent} in the other seats, {} rounds", report.rounds)?;
        let mut table = Table::plain(["", ">"]);
        table.row(["all seats".to_owned(), format::points(report.all)]);
        for (seat, payoff) in (1..).zip(&report.seats) {
            table.row([format!("seat {seat}"), format::points(*payoff)]);
        }
        table.write(out)?;
    }
    let rows = openings.iter().filter(|opening| opening.choices > 1).map(|opening| {
        [
            opening.roll.clone(),
            opening.play.clone(),
            format!("{:+.3}", opening.equity),
            opening.second.clone().unwrap_or_default(),
            opening.second_loses.map_or_else(String::new, |lost| format!("{lost:.3}")),
        ]
    });
    Ok(Table::of(["opening roll", "play", ">points", "second best", ">loses"], rows)
        .write_apart(out)?)
}
