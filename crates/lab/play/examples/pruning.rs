//! Measures what pruning networks hide from a large one that chooses among what they leave:
//!
//! ```text
//! cargo run --release -p tavola-play --example pruning -- GAMES MAIN SMALL...
//! ```
//!
//! The network `MAIN` plays itself for `GAMES` games. For each small network and several ways to
//! prune, the table covers all their turns, and in every eighth turn all rolls. It gives the number
//! of afterstates left to `MAIN`, how often its best one is not among them, and the loss by its
//! evaluation: mean and root mean square, in millipoints.
//! `docs/search.md` has the results.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tavola_equity::OutcomeProbs;
use tavola_evaluator::search::Preference;
use tavola_evaluator::{Evaluator, NetEvaluator, Pruner, Pruning};
use tavola_net::Weights;
use tavola_play::{SelfPlayGames, SelfPlaySettings, Workers, selfplay};
use tavola_rules::{Backgammon, Game, Position};

const GAME: Backgammon = Backgammon::Standard;
const SEED: u64 = 74;

/// Every turn of this number, all rolls are evaluated.
const STEP: usize = 8;

/// The ways to prune that are compared.
const WAYS: [Pruning; 10] = [
    Pruning { keep: 1, within: 0.0 },
    Pruning { keep: 2, within: 0.08 },
    Pruning { keep: 2, within: 0.12 },
    Pruning { keep: 3, within: 0.16 },
    Pruning { keep: 4, within: 0.16 },
    Pruning { keep: 6, within: 0.24 },
    Pruning { keep: 8, within: 0.3 },
    Pruning { keep: 10, within: 0.3 },
    Pruning { keep: 10, within: 0.4 },
    Pruning { keep: 16, within: 0.4 },
];

/// A state with the afterstates of a roll.
type Roll = (Position, Vec<Position>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let games: u64 = args.next().ok_or("expected a number of games")?.parse()?;
    let mut main = network(&args.next().ok_or("expected a weights file")?)?;
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let rolls = rolls(&main, games, threads)?;
    if rolls.is_empty() {
        return Err("expected games with choices: play more".into());
    }
    let mut evaluated = Vec::new();
    // What each result is worth to the opponent.
    let said = |(state, afterstates): &Roll| -> Vec<f32> {
        main.evaluate_siblings(&GAME.flip(state), afterstates, &mut evaluated);
        evaluated.iter().map(OutcomeProbs::equity).collect()
    };
    let truth: Vec<_> = rolls.iter().map(said).collect();
    let afterstates: usize = rolls.iter().map(|(_, afterstates)| afterstates.len()).sum();
    println!("{} rolls with {afterstates} afterstates; costs in millipoints", rolls.len());
    println!("keep within   left  hidden   cost     off  network");
    for file in args {
        let small = network(&file)?;
        for way @ Pruning { keep, within } in WAYS {
            let mut pruner = Pruner::new(small.fork(), way);
            let (mut left, mut hidden, mut cost, mut square) = (0, 0, 0.0, 0.0);
            let (mut kept, mut ends) = (Vec::new(), Vec::new());
            for ((state, afterstates), truth) in rolls.iter().zip(&truth) {
                kept.clear();
                let preference = |_: &Position, probs: &OutcomeProbs| Preference::cubeless(probs);
                let all = (&afterstates[..], &[afterstates.len()][..]);
                pruner.prune(&GAME.flip(state), all, preference, (&mut kept, &mut ends));
                left += kept.len();
                let least = |expectations: &mut dyn Iterator<Item = f32>| {
                    expectations.fold(f32::INFINITY, f32::min)
                };
                let best = least(&mut truth.iter().copied());
                let is_kept = |(result, _): &(&Position, &f32)| kept.contains(result);
                let found =
                    least(&mut afterstates.iter().zip(truth).filter(is_kept).map(|(_, &x)| x));
                let lost = f64::from(found - best);
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

/// The states of games of this network, each with the afterstates of a roll of which there are
/// several.
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
            let mut afterstates = Vec::new();
            GAME.afterstates(&state, roll, &mut afterstates);
            if afterstates.len() > 1 {
                rolls.push((state, afterstates));
            }
        }
    }
    Ok(rolls)
}
