//! Random weights: where every training run starts.

use std::collections::BTreeMap;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::{Backgammon, Game};

use crate::arch::{Arch, Hidden};
use crate::encode::{Encoder, EncoderKind};
use crate::interface::Interface;
use crate::weights::{Layer, Weights, WeightsError};

/// A network with uniform random weights as He, Zhang, Ren and Sun (2015, "Delving deep into
/// rectifiers") scale them, and biases of zero. The last layer starts a tenth as large, so that
/// a fresh network finds all outcomes about equally likely.
///
/// # Panics
///
/// If the encoder does not fit the game.
pub fn initial_weights<'a, G: Game>(
    game: &G,
    encoder: EncoderKind,
    hidden: impl Into<Hidden<'a>>,
    seed: u64,
) -> Weights {
    let weights = initial_weights_of(&Interface::of(game), encoder, hidden, seed);
    weights.unwrap_or_else(|error| panic!("{error}"))
}

/// As [`initial_weights`], for any number of players.
///
/// # Errors
///
/// [`WeightsError::Encoder`](crate::WeightsError::Encoder) if the encoder does not fit the game.
pub fn initial_weights_of<'a>(
    interface: &Interface,
    encoder: EncoderKind,
    hidden: impl Into<Hidden<'a>>,
    seed: u64,
) -> Result<Weights, WeightsError> {
    let features = interface.encoder(encoder)?;
    let outputs = interface.outputs;
    let arch = Arch { outputs, ..Arch::new(features.inputs(), hidden.into()) };
    // Of the inputs of the first layer only some are ever on at once: two dozen of a game's cells.
    let active = 24 * features.cells().len() / features.layout().len();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let shapes = arch.layers();
    let last = shapes.len() - 1;
    let layers = shapes
        .into_iter()
        .enumerate()
        .map(|(i, (inputs, outputs))| {
            let fan_in = if i == 0 { inputs.min(active) } else { inputs };
            let bound = (6.0 / fan_in as f32).sqrt() * if i == last { 0.1 } else { 1.0 };
            let weights = (0..inputs * outputs).map(|_| rng.random_range(-bound..bound)).collect();
            Layer { inputs, outputs, weights, biases: vec![0.0; outputs] }
        })
        .collect();
    let game = interface.game.clone();
    Ok(Weights { game, encoder, arch, layers, training: BTreeMap::new() })
}

/// A larger network that evaluates every state exactly as `small` does: with the features of
/// `encoder`,
/// of which those of the small network must be the first, and with hidden layers of at least its
/// widths. New features and new units have random weights, as [`initial_weights`] makes them,
/// towards new units, and weights of zero towards those that were there; what they are good for is
/// to be learned. Networks grown so are as wide as others, and begin with what smaller ones learned
/// cheaply (Chen, Goodfellow and Shlens 2016, "Net2Net"). Hidden layers that are more than those of
/// the small network stand before its last one, or after it if it is the only one, and at first
/// hand on what they get.
///
/// Nothing if the network can't be grown to this: fewer layers, a narrower one, an added one
/// that is narrower than the small network's layer before it, an
/// encoder that is not an extension, or inputs that are not those of its own encoder. A first layer
/// with products stays as wide as it is, and gets no layer right behind it.
pub fn grown<'a, G: Game>(
    game: &G,
    small: &Weights,
    encoder: EncoderKind,
    hidden: impl Into<Hidden<'a>>,
    seed: u64,
) -> Option<Weights> {
    let hidden = hidden.into();
    let mut large = initial_weights(game, encoder, hidden, seed);
    let more = hidden.widths.len().saturating_sub(small.arch.hidden.len());
    let fixed_start = hidden.products
        && (hidden.widths.first() != small.arch.hidden.first()
            || (more > 0 && small.arch.hidden.len() < 3));
    if fixed_start || hidden.products != small.arch.products {
        return None;
    }
    let small = &deepened(small, more);
    let hidden = hidden.widths;
    let narrower = small.arch.hidden.iter().zip(hidden).any(|(small, large)| large < small);
    if hidden.len() != small.arch.hidden.len() || narrower || !encoder.extends(small.encoder) {
        return None;
    }
    // A file may say one encoder and have the inputs of another.
    if small.arch.inputs != Encoder::new(small.encoder, game.layout()).inputs() {
        return None;
    }
    large.layers.iter_mut().zip(&small.layers).for_each(|(large, small)| embed(large, small));
    large.training.clone_from(&small.training);
    Some(large)
}

/// Puts the weights of a small layer among the first of a large one, which gives its first units
/// nothing else.
fn embed(large: &mut Layer, small: &Layer) {
    for (k, row) in large.weights.chunks_mut(large.outputs).enumerate() {
        match small.weights.chunks(small.outputs).nth(k) {
            Some(weights) => row[..small.outputs].copy_from_slice(weights),
            None => row[..small.outputs].fill(0.0),
        }
    }
    large.biases[..small.outputs].copy_from_slice(&small.biases);
}

/// The same network with `more` hidden layers, before the last one if there are several, that hand
/// on what they get: what a rectifier has let through once passes a second one unchanged.
fn deepened(weights: &Weights, more: usize) -> Weights {
    let mut deep = weights.clone();
    let before = weights.arch.hidden.len().max(2) - 1;
    let width = weights.arch.hidden[before - 1];
    let identity = Layer {
        inputs: width,
        outputs: width,
        weights: (0..width * width).map(|i| f32::from(u8::from(i % (width + 1) == 0))).collect(),
        biases: vec![0.0; width],
    };
    for _ in 0..more {
        deep.arch.hidden.insert(before, width);
        deep.layers.insert(before, identity.clone());
    }
    deep
}

/// [`initial_weights`] for backgammon.
pub fn random_weights<'a>(
    encoder: EncoderKind,
    hidden: impl Into<Hidden<'a>>,
    seed: u64,
) -> Weights {
    initial_weights(&Backgammon::Standard, encoder, hidden, seed)
}

#[cfg(test)]
mod tests {
    use tavola_rules::Position;

    use super::*;
    use crate::{Network, Precision};

    #[test]
    fn a_grown_network_evaluates_as_before() {
        let game = Backgammon::Standard;
        let small = random_weights(EncoderKind::OneHot, &[20, 8], 1);
        let evaluate = |weights: &Weights| {
            let network = Network::with_precision(weights, &game, Precision::Float).unwrap();
            let mut out = Vec::new();
            let start = Backgammon::cells(&Position::STANDARD);
            network.evaluate([start], &mut network.scratch(), &mut out);
            out[0].0
        };
        let narrow = random_weights(EncoderKind::OneHot, &[20], 1);
        for (small, hidden) in
            [(&small, &[30, 16][..]), (&small, &[30, 24, 20, 16]), (&narrow, &[30, 24])]
        {
            let large = grown(&game, small, EncoderKind::Patterns, hidden, 2).unwrap();
            assert_eq!(large.arch.hidden, hidden);
            for (before, after) in evaluate(small).into_iter().zip(evaluate(&large)) {
                assert!((before - after).abs() < 1e-6, "{hidden:?}");
            }
        }
    }

    #[test]
    fn a_network_does_not_grow_to_something_else() {
        let game = Backgammon::Standard;
        let small = random_weights(EncoderKind::OneHot, &[20, 8], 1);
        for (encoder, hidden) in [
            (EncoderKind::Tesauro, &[20, 8][..]),
            (EncoderKind::OneHot, &[20, 7]),
            (EncoderKind::OneHot, &[20]),
            (EncoderKind::OneHot, &[20, 12, 8]),
        ] {
            assert_eq!(grown(&game, &small, encoder, hidden, 1), None);
        }
        let mislabeled = Weights {
            encoder: EncoderKind::OneHot,
            ..random_weights(EncoderKind::Tesauro, &[20, 8], 1)
        };
        assert_eq!(grown(&game, &mislabeled, EncoderKind::OneHot, &[20, 8], 1), None);
    }
}
