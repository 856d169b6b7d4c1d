//! `tavola stats`: statistics of games that a network plays against itself.

use std::sync::atomic::AtomicBool;

use clap::Args;
use tavola_arena::profile::ProfileSettings;
use tavola_arena::{DuelSettings, openings};
use tavola_engine::Network;
use tavola_evaluator::{Evaluator, PlayableGame, RandomEvaluator};
use tavola_games::{with_game, with_many_game};
use tavola_play::Workers;

use self::report::{Report, Strength};
use super::profile::{meet, play};
use crate::args::{FormArgs, GameArg, ModelArg, ThreadArgs, any_game, example_short};
use crate::cancel;
use crate::failure::{Failure, Outcome};
use crate::networks;
use crate::report::provenance::Provenance;
use crate::report::table::Out;

mod report;
mod many_players;

/// Arguments of `stats`.
#[derive(Debug, Args)]
#[command(
    about = "Print statistics of games from self-play of a network",
    long_about = "Print statistics of games from self-play of a network, 0-ply on both sides and \
        without a cube.\n\n\
        The statistics are the length of games, the value of beginning, how games are won, by which \
        rule they end, and how often the special rules of the game matter. Then come the network's \
        play of every opening roll, and its strength against a random player and the simple player \
        of the game, with 95 % intervals.\n\n\
        The same seed gives the same figures on any number of threads. docs/games/ has those of the \
        project's networks.",
    after_help = example_short(
        "  tavola stats                                       backgammon, by the built-in network\n  \
         tavola stats --game tabula --model models/games/tabula.safetensors\n  \
         tavola stats --game puff --model puff.safetensors --games 10000 --seed 7 --json"
    )
)]
pub struct StatsArgs {
    /// The game, with options as in puff:cap=none [default: the game of the network]
    #[arg(long, value_parser = any_game())]
    pub game: Option<GameArg>,
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

/// The name of the random player.
const RANDOM: &str = "random";

/// Its seed, as in duels.
const RANDOM_PLAYER_SEED: u64 = 1;

/// Gathers the statistics and prints them.
pub fn run(args: &StatsArgs, out: &mut dyn Out) -> Outcome {
    if args.duel_games % 2 == 1 || args.duel_games == 2 {
        return Err(Failure::input(format_args!(
            "--duel-games is {}, expected 0 or an even number from 4, because games come in pairs",
            args.duel_games
        )));
    }
    if let Some(game) = args.game.as_ref().and_then(GameArg::for_more) {
        return with_many_game!(&game, |game| many_players::run(game, args, out));
    }
    let game = args.game.as_ref().map(GameArg::for_two).transpose()?;
    let (network, game) = networks::network_and_game(args.model.model.as_deref(), game)?;
    let cancel = cancel::on_interrupt("stopping after the games that are being played")?;
    let report = with_game!(&game, |game| gather(game, args, &network, cancel))?;
    if args.output.json {
        let checksum = (network.name(), network.weights().checksum());
        Provenance::of(args.threads.count(), [checksum]).write_json(&report, out)
    } else {
        report.write_text(out)
    }
}

/// Gathers the statistics of a game.
fn gather<G: PlayableGame>(
    game: &G,
    args: &StatsArgs,
    network: &Network,
    cancel: &AtomicBool,
) -> Outcome<Report> {
    let mut evaluator = networks::evaluator(network, game)?;
    let workers = Workers { threads: args.threads.count(), cancel };
    let settings = ProfileSettings { games: args.games, seed: args.seed, per_phase: 0 };
    let statistics = play(game, &*evaluator, None, &settings, workers)?.players.swap_remove(0);
    let mut strength = Vec::new();
    if args.duel_games > 0 {
        let random = RandomEvaluator::new(game.clone(), RANDOM_PLAYER_SEED);
        let others: [(&str, &dyn Evaluator<G>); 2] =
            [(RANDOM, &random), (G::BASELINE, &*game.baseline())];
        for other in others {
            strength.push(against(game, &*evaluator, other, args, workers)?);
        }
    }
    let openings = openings(game, &mut *evaluator);
    let header = report::Header {
        game: game.id(),
        rules: game.brief(),
        network: networks::version(network.weights()),
        seed: args.seed,
        unfinished: statistics.truncated,
    };
    let possible = (game.possible_endings(), game.possible_events());
    Ok(Report::new(header, &statistics, possible, openings, strength))
}

/// How strong the network is against the player of this name, who follows `other`.
fn against<G: PlayableGame>(
    game: &G,
    evaluator: &dyn Evaluator<G>,
    (name, other): (&str, &dyn Evaluator<G>),
    args: &StatsArgs,
    workers: Workers<'_>,
) -> Outcome<Strength> {
    let settings =
        DuelSettings { pairs: args.duel_games / 2, seed: args.seed, ..DuelSettings::default() };
    let result = meet(game, (evaluator, other), false, &settings, workers)?;
    Ok(Strength {
        opponent: name.to_owned(),
        ppg: result.points,
        verdict: result.stronger(),
        games: result.played(),
        unfinished: result.unfinished,
    })
}
