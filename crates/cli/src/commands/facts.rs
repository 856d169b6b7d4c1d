//! `tavola facts`: what a game is like when a network plays it.

use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use clap::Args;
use rayon::prelude::*;
use tavola_arena::{DuelError, DuelSettings, duel};
use tavola_data::RecordOf;
use tavola_evaluator::{Evaluator, NetEvaluator, RandomEvaluator};
use tavola_games::facts::{GameFacts, openings};
use tavola_games::{AnyGame, GameVisitor, PlayableGame};
use tavola_net::Weights;
use tavola_play::{
    EvaluatorAgent, SelfPlayError, SelfPlayGames, SelfPlaySettings, Workers, selfplay,
};

use self::report::{Report, Strength};
use crate::args::{ModelArg, OutputArgs, ThreadArgs, example_short};
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::judge::{load_weights, name, version};
use crate::report::progress::CountProgress;

mod report;

/// Arguments of `facts`.
#[derive(Debug, Args)]
#[command(
    about = "Tell what a game is like when a network plays it",
    long_about = "Tell what a game is like when a network plays it, 0-ply on both sides and without \
        a cube.\n\n\
        Plays the network against itself and counts: how long games are, what it is worth to \
        begin, how games are won, by which rule they end, and how often the special rules of the \
        game have a say. Then it tells how the network plays every opening roll, and how strong it \
        is against a random player and the simple player of the game, with 95 % intervals.\n\n\
        The same seed gives the same figures on any number of threads. docs/games/ has those of the \
        project's networks.",
    after_help = example_short(
        "  tavola facts                                       backgammon, by the built-in network\n  \
         tavola facts --game tabula --model models/games/tabula.safetensors\n  \
         tavola facts --game puff --model puff.safetensors --games 10000 --seed 7 --json"
    )
)]
pub struct FactsArgs {
    /// The game: backgammon, nackgammon, hypergammon, longgammon, tabula, puff, fallas, emperador or
    /// buffa, with options as in puff:cap=none [default: the game of the network]
    #[arg(long)]
    pub game: Option<AnyGame>,
    /// The network that plays.
    #[command(flatten)]
    pub model: ModelArg,
    /// Games that the network plays against itself
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(2..=100_000_000))]
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
    pub output: OutputArgs,
}

/// Games whose records are held at once; a record of a long game takes some tens of kilobytes.
const AT_ONCE: u64 = 512;

/// The name of the player who plays at random.
const RANDOM: &str = "random";

/// His seed, as in duels.
const RANDOM_PLAYER_SEED: u64 = 1;

/// Gathers the facts and tells them.
pub fn run(args: &FactsArgs, out: &mut dyn Write) -> Outcome {
    if args.duel_games % 2 == 1 || args.duel_games == 2 {
        return Err(Failure::input(format_args!(
            "--duel-games is {}, expected 0 or an even number from 4, because games come in pairs",
            args.duel_games
        )));
    }
    let model = args.model.model.as_deref();
    if let (None, Some(game @ AnyGame::Tables(_))) = (model, &args.game) {
        return Err(Failure::input(format_args!(
            "no network for {game} is built in, expected --model and a weights file for it"
        )));
    }
    let weights = load_weights(model)?;
    let game = match &args.game {
        Some(game) => game.clone(),
        None => weights
            .game
            .parse()
            .or_input_in(format_args!("{} is for a game that is not known", name(model)))?,
    };
    let cancel = cancel::on_interrupt("stopping after the games that are being played")?;
    let report = game.visit(Facts { args, weights: &weights, cancel })?;
    if args.output.json {
        serde_json::to_writer(&mut *out, &report)?;
        writeln!(out)?;
        Ok(())
    } else {
        report.write_text(out)
    }
}

/// What is to be done with whichever game it is.
struct Facts<'a> {
    args: &'a FactsArgs,
    weights: &'a Weights,
    cancel: &'static AtomicBool,
}

impl GameVisitor for Facts<'_> {
    type Output = Outcome<Report>;

    fn visit<G: PlayableGame>(self, game: &G) -> Outcome<Report> {
        let Self { args, weights, .. } = self;
        let mut judge = NetEvaluator::new(weights, game.clone())
            .or_input_in(format_args!("cannot use {}", name(args.model.model.as_deref())))?;
        let threads = args.threads.count();
        let workers = Workers { threads, cancel: self.cancel };
        let (facts, unfinished) = self_play(game, &judge, args, workers)?;
        let mut strength = Vec::new();
        if args.duel_games > 0 {
            let random = || Box::new(RandomEvaluator::new(game.clone(), RANDOM_PLAYER_SEED));
            strength.push(against(game, &judge, RANDOM, random(), args, workers)?);
            strength.push(against(game, &judge, G::BASELINE, game.baseline(), args, workers)?);
        }
        let openings = openings(game, &mut judge);
        let header = report::Header {
            game: game.id(),
            rules: game.brief(),
            network: version(weights),
            seed: args.seed,
            unfinished,
        };
        let possible = (game.possible_endings(), game.possible_events());
        Ok(Report::new(header, &facts, possible, openings, strength))
    }
}

/// The facts of the network's games against itself, and how many were given up as too long.
fn self_play<G: PlayableGame>(
    game: &G,
    judge: &NetEvaluator<G>,
    args: &FactsArgs,
    workers: Workers<'_>,
) -> Outcome<(GameFacts, u64)> {
    let progress = CountProgress::new(args.games, "games");
    let (mut facts, mut finished) = (GameFacts::default(), 0);
    let pool = pool(workers.threads)?;
    let mut first = 0;
    while first < args.games {
        let end = args.games.min(first + AT_ONCE);
        let games = SelfPlayGames { run_seed: args.seed, indices: first..end, starts: &[] };
        let settings = SelfPlaySettings::default();
        let played = selfplay(game, judge, &settings, &games, workers, &|_| progress.one_done());
        let records = played.map_err(|error| match error {
            SelfPlayError::Cancelled { .. } => {
                progress.finish();
                Failure::stopped(format_args!("stopped before {} games were played", args.games))
            }
            error => Failure::work(error),
        })?;
        finished += records.len() as u64;
        facts.merge(&pool.install(|| count(game, &records)));
        first = end;
    }
    progress.finish();
    Ok((facts, args.games - finished))
}

/// What these records add up to, counted on all threads of the pool.
fn count<G: PlayableGame>(game: &G, records: &[RecordOf<G>]) -> GameFacts {
    records
        .par_iter()
        .fold(GameFacts::default, |mut facts, record| {
            facts.add(game, record);
            facts
        })
        .reduce(GameFacts::default, |mut facts, other| {
            facts.merge(&other);
            facts
        })
}

fn pool(threads: NonZeroUsize) -> Outcome<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build()
        .or_work_in("cannot start threads")
}

/// How strong the network is against the player of this name, who follows `other`.
fn against<G: PlayableGame>(
    game: &G,
    judge: &NetEvaluator<G>,
    name: &str,
    other: Box<dyn Evaluator<G>>,
    args: &FactsArgs,
    workers: Workers<'_>,
) -> Outcome<Strength> {
    let network = EvaluatorAgent::new(judge.fork());
    let other = EvaluatorAgent::new(other);
    let settings =
        DuelSettings { pairs: args.duel_games / 2, seed: args.seed, ..DuelSettings::default() };
    let progress = CountProgress::new(settings.pairs, "pairs of games");
    let result = duel(game, &network, &other, &settings, workers, &|_| progress.one_done());
    progress.finish();
    let result = result.map_err(|error| match error {
        DuelError::Cancelled { .. } => Failure::stopped(error),
        error => Failure::work(error),
    })?;
    if result.games < args.duel_games {
        return Err(Failure::stopped(format_args!(
            "stopped after {} of {} games against {name}",
            result.games, args.duel_games
        )));
    }
    Ok(Strength {
        opponent: name.to_owned(),
        ppg: result.ppg,
        games: result.games,
        unfinished: result.unfinished,
    })
}
