//! How large the numbers inside a network get, and how often they are above zero, for the scales and
//! the order of units of the fixed-point pass.

use std::cmp::Reverse;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::Game;

use crate::arch::multiply_halves;
use crate::encode::Encoder;
use crate::weights::{Layer, Weights};

/// States that are looked at.
const STATES: usize = 160;

/// The number of turns between the states that are taken: those between are much alike.
const TURNS: usize = 3;

/// What is seen of the hidden layers, first to last, in states of random play.
pub(crate) struct Survey {
    /// The largest activation of each layer (products in the first, if it has them).
    pub(crate) largest: Vec<f32>,
    /// In how many states each unit of each layer (or product) is above zero.
    pub(crate) active: Vec<Vec<u32>>,
}

/// Looks at states of random play: always the same ones for a game. Random play sees what is extreme
/// more often than sound play does, up to lost positions with everything still to bear off.
pub(crate) fn survey<G: Game>(weights: &Weights, encoder: &Encoder, game: &G) -> Survey {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let hidden = &weights.layers[..weights.layers.len() - 1];
    let mut largest = vec![0.0; hidden.len()];
    let mut active: Vec<_> = hidden.iter().map(|layer| vec![0; layer.outputs]).collect();
    let (mut afterstates, mut values, mut next) = (Vec::new(), Vec::new(), Vec::new());
    let (mut state, mut roll) = (game.start(), game.opening_roll(&mut rng));
    for turn in 0..STATES * TURNS {
        if turn % TURNS == 0 {
            values.clear();
            values.resize(encoder.inputs(), 0.0);
            encoder.encode(G::cells(&state), &mut values);
            for (i, layer) in hidden.iter().enumerate() {
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
                for (active, x) in active[i].iter_mut().zip(&next) {
                    *active += u32::from(*x > 0.0);
                }
                largest[i] = next.iter().fold(largest[i], |a: f32, x| a.max(*x));
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
    Survey { largest, active }
}

/// The same network with the units of its hidden layers in another order, those that are above zero
/// most often first: two inputs are multiplied in one step, unless both are zero.
pub(crate) fn frequent_first(weights: &Weights, survey: &Survey) -> Weights {
    let Weights { game, encoder, arch, layers, training } = weights;
    let mut inputs: Vec<usize> = (0..layers[0].inputs).collect();
    let mut sorted = Vec::with_capacity(layers.len());
    for (i, layer) in layers.iter().enumerate() {
        let mut order: Vec<usize> =
            (0..layers.get(i + 1).map_or(layer.outputs, |next| next.inputs)).collect();
        if let Some(active) = survey.active.get(i) {
            order.sort_by_key(|&unit| Reverse(active[unit]));
        }
        // Both halves of units that are multiplied.
        let halves = (0..layer.outputs).step_by(order.len());
        let outputs: Vec<_> =
            halves.flat_map(|half| order.iter().map(move |unit| half + unit)).collect();
        let mut weights = Vec::with_capacity(layer.weights.len());
        for input in inputs {
            let row = &layer.weights[input * layer.outputs..][..layer.outputs];
            weights.extend(outputs.iter().map(|&unit| row[unit]));
        }
        let biases = outputs.iter().map(|&unit| layer.biases[unit]).collect();
        sorted.push(Layer { weights, biases, ..*layer });
        inputs = order;
    }
    Weights {
        game: game.clone(),
        encoder: *encoder,
        arch: arch.clone(),
        layers: sorted,
        training: training.clone(),
    }
}
