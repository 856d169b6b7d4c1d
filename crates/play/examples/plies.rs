//! Measures what networks lose in close decisions, as evaluated at 2-ply:
//!
//! ```text
//! cargo run --release -p tavola-play --example plies -- GAMES JUDGE [NETWORK...]
//! ```
//!
//! The network `JUDGE` plays itself for `GAMES` games. In every third turn, if its two best plays
//! are within 0.08 points, both are evaluated by it at 2-ply. The table has a row for it and for
//! each other network, at 0-ply, 1-ply and 2-ply. It gives the mean loss of the choice between the
//! two plays, if the 2-ply evaluation is right, and the RMSE of their difference. Two networks that
//! agree at 2-ply and not at 0-ply have something to learn there.
//! `docs/log/README.md` has the results.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tavola_evaluator::{Evaluator, NetEvaluator, Preset, Search};
use tavola_net::Weights;
use tavola_play::{SelfPlayGames, SelfPlaySettings, Workers, selfplay};
use tavola_rules::{Backgammon, Game, Position};

const GAME: Backgammon = Backgammon::Standard;
const SEED: u64 = 73;

/// How near the second choice has to be, in points.
const WITHIN: f32 = 0.08;

/// The depth of the reference evaluation.
const DEEPEST: u8 = 2;

/// Thins out the afterstates inside a search.
const PRUNING: &str = "models/prune.safetensors";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let games: u64 = args.next().ok_or("expected a number of games")?.parse()?;
    let files: Vec<String> = args.collect();
    let evaluator = network(files.first().ok_or("expected a weights file")?)?;
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);

    let pairs = near_choices(&evaluator, games, threads)?;
    println!("{} choices between two plays within {WITHIN} points; millipoints", pairs.len() / 2);
    let differences = |file: &str, ply: u8| -> Result<Vec<f64>, Box<dyn std::error::Error>> {
        let (main, pruning) = (network(file)?, network(PRUNING)?);
        // A narrow one is off by half as much as the networks that are asked.
        let settings = Preset::Wide.at(ply);
        let search = Search::new(GAME, Box::new(main), Some(Box::new(pruning)), settings);
        let evaluated = search.on_threads(threads).evaluate_all(&pairs);
        Ok(evaluated.chunks(2).map(|two| f64::from(two[1].equity() - two[0].equity())).collect())
    };
    if pairs.is_empty() {
        return Err("expected games with near choices: play more".into());
    }
    let truth = differences(&files[0], DEEPEST)?;
    println!("lost       off  plies  network");
    for file in &files {
        for ply in 0..=DEEPEST {
            let is_evaluator = ply == DEEPEST && *file == files[0];
            let found = if is_evaluator { truth.clone() } else { differences(file, ply)? };
            let (mut lost, mut square) = (0.0, 0.0);
            for (found, truth) in found.iter().zip(&truth) {
                lost += if found * truth < 0.0 { truth.abs() } else { 0.0 };
                square += (found - truth).powi(2);
            }
            let count = truth.len() as f64;
            let [lost, off] = [lost / count, (square / count).sqrt()].map(|points| 1000.0 * points);
            println!("{lost:<5.3} {off:>8.2}  {ply:>5}  {file}");
        }
    }
    Ok(())
}

fn network(file: &str) -> Result<NetEvaluator<Backgammon>, Box<dyn std::error::Error>> {
    Ok(NetEvaluator::new(&Weights::load(Path::new(file))?, GAME)?)
}

/// The afterstates of close decisions in games of this network, two by two, the better one by its
/// own evaluation first; none of them finished.
fn near_choices(
    network: &NetEvaluator<Backgammon>,
    games: u64,
    threads: NonZeroUsize,
) -> Result<Vec<Position>, Box<dyn std::error::Error>> {
    let workers = Workers { threads, cancel: &AtomicBool::new(false) };
    let games = SelfPlayGames { run_seed: SEED, indices: 0..games, starts: &[] };
    let settings = SelfPlaySettings::default();
    let records = selfplay(&GAME, network, &settings, &games, workers, &|_| {})?;
    let mut network = network.clone();
    let (mut afterstates, mut evaluated) = (Vec::new(), Vec::new());
    let mut pairs = Vec::new();
    let turns = records.iter().flat_map(|record| record.states().zip(&record.turns));
    for (state, turn) in turns.step_by(3) {
        afterstates.clear();
        GAME.afterstates(&state, turn.roll, &mut afterstates);
        network.evaluate_siblings(&GAME.flip(&state), &afterstates, &mut evaluated);
        // What is worth the least to the opponent comes first.
        let mut order: Vec<usize> = (0..afterstates.len()).collect();
        order.sort_by(|&a, &b| evaluated[a].equity().total_cmp(&evaluated[b].equity()));
        let [best, second, ..] = order[..] else { continue };
        let is_near = evaluated[second].equity() - evaluated[best].equity() <= WITHIN;
        let two = [best, second].map(|i| afterstates[i]);
        if is_near && two.iter().all(|result| GAME.outcome(result).is_none()) {
            pairs.extend(two);
        }
    }
    Ok(pairs)
}
