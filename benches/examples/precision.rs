//! How often fixed-point numbers change the play: `cargo run --release -p tavola-benches
//! --example precision -- [WEIGHTS...]`, by default the built-in network.
//!
//! Positions are those of 0-ply self-play of the network itself, all decisions of 500 games.

use std::path::Path;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_equity::OutcomeProbs;
use tavola_net::{Network, Precision, Weights};
use tavola_rules::{Backgammon, Game};

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        files
            .push(concat!(env!("CARGO_MANIFEST_DIR"), "/../models/default.safetensors").to_owned());
    }
    for file in files {
        let weights = Weights::load(Path::new(&file)).expect("a readable weights file");
        compare(&file, &weights);
    }
}

fn compare(name: &str, weights: &Weights) {
    let game = Backgammon::Standard;
    let network = |precision| {
        Network::with_precision(weights, &game, precision).expect("a network for backgammon")
    };
    let (fixed, float) = (network(Precision::Fixed), network(Precision::Float));
    let mut scratch = fixed.scratch();
    let (mut afterstates, mut by_fixed, mut by_float) = (Vec::new(), Vec::new(), Vec::new());
    let (mut decisions, mut changed, mut lost) = (0u32, 0u32, 0.0);
    let (mut positions, mut squares, mut largest) = (0u32, 0.0f64, 0.0f32);
    for number in 0..500 {
        let mut rng = ChaCha8Rng::seed_from_u64(number);
        let mut state = game.start();
        let mut dice = game.opening_roll(&mut rng);
        while game.outcome(&state).is_none() {
            afterstates.clear();
            game.afterstates(&state, dice, &mut afterstates);
            fixed.evaluate(afterstates.iter().map(Backgammon::cells), &mut scratch, &mut by_fixed);
            float.evaluate(afterstates.iter().map(Backgammon::cells), &mut scratch, &mut by_float);
            for ((a, b), result) in by_fixed.iter_mut().zip(&mut by_float).zip(&afterstates) {
                // Nobody asks a network how a finished game ended.
                if let Some(outcome) = game.outcome(result) {
                    (*a, *b) = (OutcomeProbs::certain(outcome), OutcomeProbs::certain(outcome));
                    continue;
                }
                let error = (a.equity() - b.equity()).abs();
                positions += 1;
                squares += f64::from(error) * f64::from(error);
                largest = largest.max(error);
            }
            let (chosen, best) = (best(&by_fixed), best(&by_float));
            if afterstates.len() > 1 {
                decisions += 1;
                changed += u32::from(chosen != best);
                lost += f64::from(by_float[chosen].equity() - by_float[best].equity());
            }
            state = afterstates[chosen];
            dice = game.roll(&mut rng);
        }
    }
    println!(
        "{name}: {changed} of {decisions} decisions changed ({:.2} %), {:.5} millipoints lost a \
         decision, equity error {:.5} root mean square, {largest:.5} at most",
        100.0 * f64::from(changed) / f64::from(decisions),
        1000.0 * lost / f64::from(decisions),
        (squares / f64::from(positions)).sqrt(),
    );
}

/// The result that is worst for the opponent, who is on roll there.
fn best(evaluated: &[OutcomeProbs]) -> usize {
    let equities = evaluated.iter().map(OutcomeProbs::equity).enumerate();
    equities.min_by(|a, b| a.1.total_cmp(&b.1)).expect("there is always a result").0
}
