//! How large the numbers inside a network get, for the scales of the fixed-point pass.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::Game;

use crate::arch::multiply_halves;
use crate::encode::Encoder;
use crate::weights::Weights;

/// States that are looked at.
const STATES: usize = 160;

/// The number of turns between the states that are taken: those between are much alike.
const TURNS: usize = 3;

/// The largest activation of each hidden layer (products in the first, if it has them), first to
/// last, in states of random play: always
/// the same ones for a game. Random play sees what is extreme more often than sound play does, up
/// to lost positions with everything still to bear off.
pub(crate) fn largest_activations<G: Game>(
    weights: &Weights,
    encoder: &Encoder,
    game: &G,
) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut largest = vec![0.0; weights.layers.len() - 1];
    let (mut afterstates, mut values, mut next) = (Vec::new(), Vec::new(), Vec::new());
    let (mut state, mut roll) = (game.start(), game.opening_roll(&mut rng));
    for turn in 0..STATES * TURNS {
        if turn % TURNS == 0 {
            values.clear();
            values.resize(encoder.inputs(), 0.0);
            encoder.encode(G::cells(&state), &mut values);
            for (i, (layer, largest)) in weights.layers.iter().zip(&mut largest).enumerate() {
                next.clone_from(&layer.biases);
                let rows = layer.weights.chunks(layer.outputs);
                for (&value, row) in values.iter().zip(rows).filter(|(value, _)| **value != 0.0) {
                    for (sum, weight) in next.iter_mut().zip(row) {
                        *sum += value * weight;
                    }
                }
                next.iter_mut().for_each(|x: &mut f32| *x = x.max(0.0));
                if i == 0 && weights.arch.products {
                    multiply_halves(&mut next);
                }
                *largest = next.iter().fold(*largest, |a: f32, x| a.max(*x));
                std::mem::swap(&mut values, &mut next);
            }
        }
        afterstates.clear();
        game.afterstates(&state, roll, &mut afterstates);
        state = afterstates[rng.random_range(0..afterstates.len())];
        roll = game.roll(&mut rng);
        if game.outcome(&state).is_some() {
            (state, roll) = (game.start(), game.opening_roll(&mut rng));
        }
    }
    largest
}
