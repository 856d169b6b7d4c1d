//! Asks what small networks hide from a large one that chooses among what they leave:
//!
//! ```text
//! cargo run --release -p tavola-play --example pruning -- GAMES MAIN SMALL...
//! ```
//!
//! The network `MAIN` plays itself so many games. For each small network and several ways to prune the table
//! says of all their turns, and of all rolls that could have fallen in every eighth turn, how many results are left to `MAIN`, how
//! often the one that it likes best is not among them, and what that costs in its eyes: in
//! millipoints on average, and how far off, root mean square. `docs/performance.md` has the
//! results.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tavola_equity::OutcomeProbs;
use tavola_evaluator::{Evaluator, NetEvaluator, Pruning};
use tavola_net::Weights;
use tavola_play::{SelfPlayGames, SelfPlaySettings, Workers, selfplay};
use tavola_rules::{Backgammon, Game, Position};

const GAME: Backgammon = Backgammon::Standard;
const SEED: u64 = 74;

/// Every so many turns all rolls are looked at.
const STEP: usize = 8;

/// The ways to prune that are compared.
const WAYS: [Pruning; 12] = [
    Pruning { keep: 2, within: 0.08 },
    Pruning { keep: 2, within: 0.16 },
    Pruning { keep: 3, within: 0.16 },
    Pruning { keep: 4, within: 0.12 },
    Pruning { keep: 4, within: 0.16 },
    Pruning { keep: 6, within: 0.16 },
    Pruning { keep: 6, within: 0.24 },
    Pruning { keep: 8, within: 0.4 },
    Pruning { keep: 10, within: 0.4 },
    Pruning { keep: 12, within: 0.6 },
    Pruning { keep: 16, within: 0.4 },
    Pruning { keep: 16, within: 0.8 },
];

/// A state with the results of a roll.
type Roll = (Position, Vec<Position>);

/// What a network says of the results of a roll: what each is worth to the opponent.
type Said = Vec<f32>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let games: u64 = args.next().ok_or("expected a number of games")?.parse()?;
    let mut main = network(&args.next().ok_or("expected a weights file")?)?;
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let rolls = rolls(&main, games, threads)?;
    if rolls.is_empty() {
        return Err("expected games with choices: play more".into());
    }
    let truth = said(&mut main, &rolls);
    let results: usize = rolls.iter().map(|(_, results)| results.len()).sum();
    println!("{} rolls with {results} results; costs in millipoints", rolls.len());
    println!("keep within   left  hidden   cost     off  network");
    for file in args {
        let small = said(&mut network(&file)?, &rolls);
        for Pruning { keep, within } in WAYS {
            let (mut left, mut hidden, mut cost, mut square) = (0, 0, 0.0, 0.0);
            for (small, truth) in small.iter().zip(&truth) {
                let mut order: Vec<usize> = (0..small.len()).collect();
                order.sort_by(|&a, &b| small[a].total_cmp(&small[b]));
                let limit = small[order[0]] + within;
                order.truncate(keep);
                order.retain(|&i| small[i] <= limit);
                left += order.len();
                let best =
                    |numbers: &mut dyn Iterator<Item = f32>| numbers.fold(f32::INFINITY, f32::min);
                let all = best(&mut truth.iter().copied());
                let lost = f64::from(best(&mut order.iter().map(|&i| truth[i])) - all);
                hidden += usize::from(lost > 0.0);
                cost += lost;
                square += lost * lost;
            }
            let count = rolls.len() as f64;
            println!(
                "{keep:>4} {within:<6} {:>6.2} {:>6.2}% {:>6.3} {:>7.3}  {file}",
                left as f64 / count,
                100.0 * hidden as f64 / count,
                1000.0 * cost / count,
                1000.0 * (square / count).sqrt(),
            );
        }
    }
    Ok(())
}

fn network(file: &str) -> Result<NetEvaluator<Backgammon>, Box<dyn std::error::Error>> {
    Ok(NetEvaluator::new(&Weights::load(Path::new(file))?, GAME)?)
}

/// What the network says of all results.
fn said(network: &mut NetEvaluator<Backgammon>, rolls: &[(Position, Vec<Position>)]) -> Vec<Said> {
    let mut judged = Vec::new();
    let one = |(state, results): &Roll| {
        network.evaluate_siblings(&GAME.flip(state), results, &mut judged);
        judged.iter().map(OutcomeProbs::equity).collect()
    };
    rolls.iter().map(one).collect()
}

/// The states of games of this network, each with the results of a roll of which there are several.
fn rolls(
    network: &NetEvaluator<Backgammon>,
    games: u64,
    threads: NonZeroUsize,
) -> Result<Vec<Roll>, Box<dyn std::error::Error>> {
    let workers = Workers { threads, cancel: &AtomicBool::new(false) };
    let games = SelfPlayGames { run_seed: SEED, indices: 0..games, starts: &[] };
    let settings = SelfPlaySettings::default();
    let records = selfplay(&GAME, network, &settings, &games, workers, &|_| {})?;
    let mut rolls = Vec::new();
    let turns = records.iter().flat_map(|record| record.states().zip(&record.turns));
    for (number, (state, turn)) in turns.enumerate() {
        let all = GAME.rolls().iter().map(|&(roll, _)| roll);
        let looked_at = all.filter(|roll| *roll == turn.roll || number.is_multiple_of(STEP));
        for roll in looked_at {
            let mut results = Vec::new();
            GAME.results(&state, roll, &mut results);
            if results.len() > 1 {
                rolls.push((state, results));
            }
        }
    }
    Ok(rolls)
}
