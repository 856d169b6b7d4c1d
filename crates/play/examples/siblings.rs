//! Measures whether a network knows plays that it does not choose as well as those that it does:
//! `cargo run --release -p tavola-play --example siblings -- WEIGHTS [GAMES [WITHIN]]`, by default
//! 2,000 games and plays within 0.04 points.
//!
//! Self-play shows a network the consequences of the plays that it chooses. Plays that it overrates
//! are chosen, and it learns better; those that it underrates are never tried. In every fifth turn,
//! if its two best plays are near each other, both are evaluated again at 1-ply. The change, seen
//! by the mover, is printed: its mean, which is zero where nothing is overrated or underrated, and
//! its root mean square. `docs/log/README.md` has the results.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_net::Weights;
use tavola_play::labels::ExpectedBackup;
use tavola_play::{Estimate, SelfPlayGames, SelfPlaySettings, Workers, selfplay};
use tavola_rules::{Backgammon, Game};

const GAME: Backgammon = Backgammon::Standard;
const SEED: u64 = 72;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("expected a weights file")?;
    let games: u64 = args.next().map_or(Ok(2000), |text| text.parse())?;
    let within: f32 = args.next().map_or(Ok(0.04), |text| text.parse())?;

    let mut evaluator = NetEvaluator::new(&Weights::load(Path::new(&file))?, GAME)?;
    let mut exact = ExpectedBackup::new(GAME, evaluator.fork());
    let cancel = AtomicBool::new(false);
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let workers = Workers { threads, cancel: &cancel };
    let games = SelfPlayGames { run_seed: SEED, indices: 0..games, starts: &[] };
    let settings = SelfPlaySettings::default();
    let records = selfplay(&GAME, &evaluator, &settings, &games, workers, &|_| {})?;

    // Of the plays in order: by how much looking at all rolls changes them, in points.
    let mut changes: [Vec<f64>; 2] = Default::default();
    let (mut afterstates, mut evaluated) = (Vec::new(), Vec::new());
    let mut turn_number = 0;
    for record in &records {
        for (state, turn) in record.states().zip(&record.turns) {
            turn_number += 1;
            if turn_number % 5 != 0 {
                continue;
            }
            afterstates.clear();
            GAME.afterstates(&state, turn.roll, &mut afterstates);
            evaluator.evaluate_siblings(&GAME.flip(&state), &afterstates, &mut evaluated);
            // What is worth the least to the opponent comes first.
            let mut order: Vec<usize> = (0..afterstates.len()).collect();
            order.sort_by(|&a, &b| evaluated[a].equity().total_cmp(&evaluated[b].equity()));
            let [first, second] = match order[..] {
                [first, second, ..] => [first, second],
                _ => continue,
            };
            let finished = [first, second].map(|i| GAME.outcome(&afterstates[i]).is_some());
            if finished != [false; 2]
                || evaluated[second].equity() - evaluated[first].equity() > within
            {
                continue;
            }
            for (changes, i) in changes.iter_mut().zip([first, second]) {
                let change = evaluated[i].equity() - exact.target(&afterstates[i]).equity();
                changes.push(f64::from(change));
            }
        }
    }
    println!("{} decisions with two plays within {within} points; millipoints", changes[0].len());
    println!("             mean (95 % CI)   root mean square");
    let better: Vec<f64> = std::iter::zip(&changes[0], &changes[1]).map(|(a, b)| b - a).collect();
    let [chosen, second] = changes;
    for (name, changes) in [("chosen", chosen), ("second", second), ("difference", better)] {
        let count = changes.len() as f64;
        let mean = changes.iter().sum::<f64>() / count;
        let square = changes.iter().map(|change| change * change).sum::<f64>() / count;
        let estimate = Estimate::new(mean, ((square - mean * mean) / count).sqrt());
        let [mean, half, root] =
            [mean, estimate.high - mean, square.sqrt()].map(|points| 1000.0 * points);
        println!("{name:<12} {mean:+.2} ± {half:.2}         {root:.1}");
    }
    Ok(())
}
