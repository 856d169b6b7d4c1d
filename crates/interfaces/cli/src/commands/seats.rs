//! `tavola seats`: games for more than two players, one player in every seat.

use clap::Args;
use serde::Serialize;
use tavola_arena::Estimate;
use tavola_arena::seats::{SeatReport, SeatedPlayer, seats};
use tavola_games::many::{AnyManyGame, ManyGame};
use tavola_games::with_many_game;

use crate::args::{FormArgs, ThreadArgs, example_short};
use crate::ask;
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::format;
use crate::report::table::{Out, Table};

/// Play games for more than two players, one player in every seat.
///
/// The games are the Four Seasons for four and the astronomy table for seven. A takes every seat in
/// turn among copies of B.
///
/// A round is a game for each seat, all on the same dice. The answer is A's mean payoff over all
/// seats and in each seat, counted from the one that begins, with 95 % intervals over rounds. The
/// same seed gives the same figures on any number of threads.
#[derive(Debug, Args)]
#[command(
    after_help = example_short(
        "  tavola seats default rule-based --game four-seasons\n  \
         tavola seats rule-based random --game astronomy --rounds 500 --json"
    )
)]
pub struct SeatsArgs {
    /// The player in every seat: a weights file, default for the built-in network, rule-based or
    /// random
    #[arg(value_name = "A")]
    pub a: String,
    /// The player in the other seats
    #[arg(value_name = "B")]
    pub b: String,
    /// The game: four-seasons or astronomy
    #[arg(long)]
    pub game: AnyManyGame,
    /// Rounds, of a game for each seat
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    pub rounds: u64,
    /// Seed of the dice and of random play
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// The answer as JSON.
#[derive(Serialize)]
struct Answer {
    game: String,
    seed: u64,
    #[serde(flatten)]
    report: SeatReport,
}

/// Plays and reports.
pub fn run(args: &SeatsArgs, out: &mut dyn Out) -> Outcome {
    with_many_game!(args.game, |game| play(&game, args, out))
}

fn play<G: ManyGame>(game: &G, args: &SeatsArgs, out: &mut dyn Out) -> Outcome {
    let cancel = cancel::on_interrupt("stopping after the games that are being played")?;
    let player = |name: &str| SeatedPlayer::new(name, game).or_input();
    let players = [player(&args.a)?, player(&args.b)?];
    let report = seats(game, &players, args.rounds, args.seed, args.threads.count(), cancel)
        .ok_or_else(|| Failure::stopped("interrupted before the last round"))?;
    let answer = Answer { game: game.id(), seed: args.seed, report };
    if args.output.json {
        return ask::write_json(&answer, out);
    }
    write_text(&answer, out)
}

fn write_text(answer: &Answer, out: &mut dyn Out) -> Outcome {
    let Answer { game, seed, report } = answer;
    let mut table = Table::plain(["", ">"]);
    let mut row = |name: String, payoff: &Estimate| {
        let significant = if payoff.is_significant() { "" } else { " (not significant)" };
        let figure = format!("{:+.3} ± {:.3}{significant}", payoff.mean, payoff.half_width());
        table.row([name, figure]);
    };
    row("A, all seats".to_owned(), &report.all);
    for (seat, payoff) in (1..).zip(&report.seats) {
        row(format!("A in seat {seat}"), payoff);
    }
    writeln!(out, "points per game of A, 95 % CI")?;
    table.write(out)?;
    let SeatReport { rounds, unfinished, decisions, .. } = report;
    writeln!(
        out,
        "\n{} of {game}, {decisions:.1} decisions a game, seed {seed}",
        format::plural(*rounds as usize, "round")
    )?;
    if *unfinished > 0 {
        writeln!(out, "{unfinished} rounds with a game without an end, not counted")?;
    }
    Ok(())
}
