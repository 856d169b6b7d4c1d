//! `tavola stats` of games for more than two players.

use serde::Serialize;
use tavola_arena::seats::statistics::{SeatStatistics, seat_openings, seat_statistics};
use tavola_arena::seats::{SeatReport, SeatedPlayer, seats};
use tavola_arena::{Estimate, Opening};
use tavola_engine::Network;
use tavola_games::many::ManyGame;

use super::StatsArgs;
use crate::ask;
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::networks;
use crate::report::table::{Out, Table};

/// The players that the network is compared with.
const OTHERS: [&str; 2] = ["random", "rule-based"];

/// The statistics as JSON.
#[derive(Serialize)]
struct Report {
    game: String,
    rules: &'static str,
    network: String,
    seed: u64,
    #[serde(flatten)]
    statistics: SeatStatistics,
    openings: Vec<Opening>,
    strength: Vec<Strength>,
}

/// What the network won among copies of another player.
#[derive(Serialize)]
struct Strength {
    opponent: &'static str,
    #[serde(flatten)]
    report: SeatReport,
}

/// Gathers the statistics and prints them.
pub fn run<G: ManyGame>(game: &G, args: &StatsArgs, out: &mut dyn Out) -> Outcome {
    let cancel = cancel::on_interrupt("stopping after the games that are being played")?;
    let name = match &args.model.model {
        Some(path) => path.display().to_string(),
        None => tavola_engine::BUILT_IN.to_owned(),
    };
    let weights = Network::load_for(args.model.model.as_deref(), &game.id())?;
    let network = SeatedPlayer::new(&name, game).or_input()?;
    let stopped = || Failure::stopped("interrupted before the last game");
    let threads = args.threads.count();
    let statistics = seat_statistics(game, &network, args.games, args.seed, threads, cancel)
        .ok_or_else(stopped)?;
    let mut strength = Vec::new();
    let rounds = args.duel_games / G::PLAYERS as u64;
    for opponent in OTHERS.into_iter().filter(|_| rounds >= 2) {
        let other = SeatedPlayer::new(opponent, game).or_input()?;
        let players = [network.clone(), other];
        let report = seats(game, &players, rounds, args.seed, threads, cancel);
        strength.push(Strength { opponent, report: report.ok_or_else(stopped)? });
    }
    let openings = match &network {
        SeatedPlayer::Network(evaluator) => seat_openings(game, &mut evaluator.clone()),
        _ => Vec::new(),
    };
    let report = Report {
        game: game.id(),
        rules: game.brief(),
        network: networks::version(weights.weights()),
        seed: args.seed,
        statistics,
        openings,
        strength,
    };
    if args.output.json {
        return ask::write_json(&report, out);
    }
    write_text(&report, out)
}

fn write_text(report: &Report, out: &mut dyn Out) -> Outcome {
    let Report { game, rules, network, seed, statistics, openings, strength } = report;
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
        table.row([format!("points of seat {seat}"), figure(payoff)]);
    }
    table.row(["points of the winner".to_owned(), figure(&statistics.winner)]);
    table.write(out)?;
    if statistics.unfinished > 0 {
        writeln!(out, "{} games without an end, not counted", statistics.unfinished)?;
    }
    for Strength { opponent, report } in strength {
        writeln!(out, "\nagainst {opponent} in the other seats, {} rounds", report.rounds)?;
        let mut table = Table::plain(["", ">"]);
        table.row(["all seats".to_owned(), figure(&report.all)]);
        for (seat, payoff) in (1..).zip(&report.seats) {
            table.row([format!("seat {seat}"), figure(payoff)]);
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
    Table::of(["opening roll", "play", ">points", "second best", ">loses"], rows).write_apart(out)
}

/// A mean with its 95 % interval.
fn figure(payoff: &Estimate) -> String {
    format!("{:+.3} ± {:.3}", payoff.mean, payoff.half_width())
}
