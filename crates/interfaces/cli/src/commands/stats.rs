//! `tavola stats`: statistics of games that a network plays against itself.

use std::time::Duration;

use clap::Args;
use tavola_arena::{GameReport, GameReportSettings};
use tavola_games::NamedGame;

use crate::args::{FormArgs, ModelArg, ThreadArgs, any_game, example};
use crate::failure::{Blame, Failure, Outcome};
use crate::networks::{self, NOT_COUNTED};
use crate::report::provenance::Provenance;
use crate::report::table::Out;

mod many;
mod report;

/// Print statistics of games from self-play of a network.
///
/// Both sides play at 0-ply and without a cube.
///
/// The statistics are the length of games, the value of beginning, how games are won, by which rule
/// they end, and how often the special rules of the game matter. Then come the network's play of
/// every opening roll, and its strength against a random player and the simple player of the game,
/// with 95 % intervals.
///
/// The same seed gives the same figures on any number of threads. docs/games/ has those of the
/// project's networks.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola stats                                       backgammon, by the built-in network\n  \
         tavola stats --game tabula\n  \
         tavola stats --game puff --games 10000 --seed 7 --json"
    )
)]
pub struct StatsArgs {
    /// The game, with options as in puff:cap=none [default: the game of the network]
    #[arg(long, value_parser = any_game())]
    pub game: Option<NamedGame>,
    /// The network that plays.
    #[command(flatten)]
    pub model: ModelArg,
    /// Games that the network plays against itself
    #[arg(long, short = 'n', value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(2..=100_000_000))]
    pub games: u64,
    /// Games against each of the other players; an even number, 0 for none
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub duel_games: u64,
    /// Seed of the dice
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

impl StatsArgs {
    fn settings(&self) -> GameReportSettings {
        let Self { games, seed, duel_games, .. } = *self;
        GameReportSettings { games, seed, duel_games }
    }
}

/// Gathers the statistics and prints them.
pub fn run(args: &StatsArgs, out: &mut dyn Out) -> Outcome {
    if args.duel_games % 2 == 1 || args.duel_games == 2 {
        return Err(Failure::input(format_args!(
            "--duel-games is {}, expected 0 or an even number from 4, because games come in pairs",
            args.duel_games
        )));
    }
    if let Some(game) = args.game.as_ref().and_then(NamedGame::many) {
        return many::run(game, args, out);
    }
    let game = args.game.as_ref().map(NamedGame::two).transpose().or_input()?;
    let (network, game) = networks::network_and_game(args.model.model.as_deref(), game)?;
    let (settings, threads) = (args.settings(), args.threads.count());
    let report = networks::run_job(NOT_COUNTED, threads, Duration::ZERO, |job, _| {
        GameReport::of(&game, &network, &settings, job)
    })?;
    let checksum = (network.name(), network.weights().checksum());
    let provenance = Provenance::of(args.threads.count(), [checksum]);
    if args.output.json && provenance.write_json(&report, out)? {
        return Ok(());
    }
    report::write_text(&report, out)
}
