//! `tavola bench`: speed figures and the behaviour signature.

use std::hint::black_box;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::Serialize;
use tavola_data::RecordOf;
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_net::Encoder;
use tavola_play::{
    Agent, EvaluatorAgent, Seat, SelfPlayGames, SelfPlaySettings, Situation, Workers, selfplay,
};
use tavola_rules::{Backgammon, Dice, Game, Position, movegen};

use self::signature::signature;
use crate::args::BenchArgs;
use crate::builtin;
use crate::failure::{Blame, Outcome};
use crate::report::format;
use crate::report::table::{Align, Table};
use crate::report::warning::Warning;

mod signature;

/// Seed of the games whose positions are measured.
const SEED: u64 = 1;
/// Games whose positions are measured: some 2,000 positions.
const GAMES: u64 = 32;
/// Positions that are judged at once, about as many as a roll has results.
const BATCH: usize = 32;

/// What was measured; rates are per second, on one thread unless the name says otherwise.
#[derive(Debug, Serialize)]
struct Figures {
    /// Rolls whose results were all listed.
    movegen_pairs_per_s: f64,
    /// Positions turned into features.
    encode_per_s: f64,
    /// Positions judged in batches of unrelated ones.
    evals_per_s: f64,
    /// Positions judged one at a time.
    evals_single_per_s: f64,
    /// Rolls for which the best play was chosen, the list of plays included.
    decisions_0ply_per_s: f64,
    /// Games of the network against itself.
    selfplay_games_per_s: f64,
    /// The same on all threads together.
    selfplay_games_per_s_all_threads: f64,
    /// Threads of the figure above.
    threads: usize,
    /// See [`signature()`].
    signature: String,
}

/// Measures and reports.
pub fn run(args: &BenchArgs, out: &mut dyn Write) -> Outcome {
    if cfg!(debug_assertions) {
        Warning::UnoptimisedBuild.print();
    }
    let figures = measure(Duration::from_secs_f64(args.seconds), args.threads.count())?;
    if args.output.json {
        serde_json::to_writer(&mut *out, &figures)?;
        writeln!(out)?;
    } else {
        let all = format!("self-play games, {}", format::plural(figures.threads, "thread"));
        let mut table = Table::new([Align::Left, Align::Right]);
        for (name, rate) in [
            ("rolls with all results", figures.movegen_pairs_per_s),
            ("positions encoded", figures.encode_per_s),
            ("evaluations, batched", figures.evals_per_s),
            ("evaluations, one at a time", figures.evals_single_per_s),
            ("0-ply decisions", figures.decisions_0ply_per_s),
            ("self-play games", figures.selfplay_games_per_s),
            (&all, figures.selfplay_games_per_s_all_threads),
        ] {
            table.row([name.to_owned(), format::rate(rate)]);
        }
        table.write(out)?;
        writeln!(out)?;
        writeln!(out, "signature  {}", figures.signature)?;
    }
    Ok(())
}

fn measure(budget: Duration, threads: NonZeroUsize) -> Outcome<Figures> {
    let game = Backgammon::Standard;
    let unusable = "the built-in network is unusable";
    let weights = builtin::weights().or_work_in(unusable)?;
    let mut judge = NetEvaluator::new(&weights, game).or_work_in(unusable)?;
    let rolls = rolls_from_play(&game, &judge)?;
    let positions = shuffled_positions(&rolls);

    let mut results = Vec::new();
    let movegen_pairs_per_s = rate(budget, || {
        for (position, dice) in &rolls {
            results.clear();
            movegen::results(black_box(position), *dice, &mut results);
            black_box(&results);
        }
        rolls.len()
    });
    let encoder = Encoder::new(weights.encoder, game.layout());
    let mut features = vec![0.0; encoder.inputs()];
    let encode_per_s = rate(budget, || {
        for position in &positions {
            encoder.encode(Backgammon::cells(black_box(position)), &mut features);
            black_box(&features);
        }
        positions.len()
    });
    let mut judged = Vec::new();
    let mut evaluations = |batch: usize| {
        rate(budget, || {
            for batch in positions.chunks(batch) {
                judge.evaluate(black_box(batch), &mut judged);
                black_box(&judged);
            }
            positions.len()
        })
    };
    let (evals_per_s, evals_single_per_s) = (evaluations(BATCH), evaluations(1));
    let decisions_0ply_per_s = decisions(budget, &game, &judge, &rolls);
    Ok(Figures {
        movegen_pairs_per_s,
        encode_per_s,
        evals_per_s,
        evals_single_per_s,
        decisions_0ply_per_s,
        selfplay_games_per_s: games(budget, &game, &judge, NonZeroUsize::MIN)?,
        selfplay_games_per_s_all_threads: games(budget, &game, &judge, threads)?,
        threads: threads.get(),
        signature: signature(&mut judge),
    })
}

/// Positions with rolls of games that the network plays, in order.
fn rolls_from_play(
    game: &Backgammon,
    judge: &NetEvaluator<Backgammon>,
) -> Outcome<Vec<(Position, Dice)>> {
    let records = play(game, judge, 0..GAMES, NonZeroUsize::MIN)?;
    Ok(records
        .iter()
        .flat_map(|record| record.states().zip(record.turns.iter().map(|turn| turn.roll)))
        .collect())
}

/// The positions in random order: neighbours in a game share most checkers, which would flatter
/// a cache.
fn shuffled_positions(rolls: &[(Position, Dice)]) -> Vec<Position> {
    let mut positions: Vec<Position> = rolls.iter().map(|(position, _)| *position).collect();
    positions.shuffle(&mut ChaCha8Rng::seed_from_u64(SEED));
    positions
}

fn decisions(
    budget: Duration,
    game: &Backgammon,
    judge: &NetEvaluator<Backgammon>,
    rolls: &[(Position, Dice)],
) -> f64 {
    let mut agent = EvaluatorAgent::new(judge.fork());
    let mut results = Vec::new();
    rate(budget, || {
        for (state, roll) in rolls {
            results.clear();
            game.results(black_box(state), *roll, &mut results);
            let (turn, seat) = (0, Seat::First);
            let situation = Situation { game, state, roll: *roll, results: &results, turn, seat };
            black_box(agent.choose(&situation));
        }
        rolls.len()
    })
}

fn games(
    budget: Duration,
    game: &Backgammon,
    judge: &NetEvaluator<Backgammon>,
    threads: NonZeroUsize,
) -> Outcome<f64> {
    // Enough a call that the threads do not wait for the last game most of the time.
    let at_once = 16 * threads.get() as u64;
    let (mut played, started) = (0, Instant::now());
    while played == 0 || started.elapsed() < budget {
        play(game, judge, played..played + at_once, threads)?;
        played += at_once;
    }
    Ok(played as f64 / started.elapsed().as_secs_f64())
}

fn play(
    game: &Backgammon,
    judge: &NetEvaluator<Backgammon>,
    indices: Range<u64>,
    threads: NonZeroUsize,
) -> Outcome<Vec<RecordOf<Backgammon>>> {
    let games = SelfPlayGames { run_seed: SEED, indices, starts: &[] };
    let workers = Workers { threads, cancel: &AtomicBool::new(false) };
    selfplay(game, judge, &SelfPlaySettings::default(), &games, workers, &|_| {})
        .or_work_in("self-play failed")
}

/// Units a second: calls `sweep`, which returns the units it did, until the budget is spent.
fn rate(budget: Duration, mut sweep: impl FnMut() -> usize) -> f64 {
    // The first sweep warms caches and fills buffers.
    sweep();
    let (mut units, started) = (0, Instant::now());
    loop {
        units += sweep();
        let elapsed = started.elapsed();
        if elapsed >= budget {
            return units as f64 / elapsed.as_secs_f64();
        }
    }
}
