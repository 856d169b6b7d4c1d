//! Random weights: where every training run starts.

use std::collections::BTreeMap;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::{Backgammon, Game};

use crate::arch::Arch;
use crate::encode::{Encoder, EncoderKind};
use crate::weights::{Layer, Weights};

/// A network with uniform random weights as He, Zhang, Ren and Sun (2015, "Delving deep into
/// rectifiers") scale them, and biases of zero. The last layer starts a tenth as large, so that
/// a fresh network finds all outcomes about equally likely.
pub fn initial_weights<G: Game>(
    game: &G,
    encoder: EncoderKind,
    hidden: &[usize],
    seed: u64,
) -> Weights {
    let inputs = Encoder::new(encoder, game.layout()).inputs();
    let arch = Arch { inputs, hidden: hidden.to_vec() };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let shapes = arch.layers();
    let last = shapes.len() - 1;
    let layers = shapes
        .into_iter()
        .enumerate()
        .map(|(i, (inputs, outputs))| {
            // Of the inputs of the first layer only some two dozen are ever on at once.
            let fan_in = if i == 0 { inputs.min(24) } else { inputs };
            let bound = (6.0 / fan_in as f32).sqrt() * if i == last { 0.1 } else { 1.0 };
            let weights = (0..inputs * outputs).map(|_| rng.random_range(-bound..bound)).collect();
            Layer { inputs, outputs, weights, biases: vec![0.0; outputs] }
        })
        .collect();
    Weights { game: game.id(), encoder, arch, layers, training: BTreeMap::new() }
}

/// [`initial_weights`] for backgammon.
pub fn random_weights(encoder: EncoderKind, hidden: &[usize], seed: u64) -> Weights {
    initial_weights(&Backgammon::Standard, encoder, hidden, seed)
}
