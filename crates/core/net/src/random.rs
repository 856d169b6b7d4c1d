//! Random weights: where every training run starts.

use std::collections::BTreeMap;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::Backgammon;

use crate::arch::{Arch, Hidden};
use crate::encode::EncoderKind;
use crate::interface::Interface;
use crate::weights::{Layer, Weights, WeightsError};

/// A network with uniform random weights as He, Zhang, Ren and Sun (2015, "Delving deep into
/// rectifiers") scale them, and biases of zero. The last layer starts a tenth as large, so that
/// a fresh network finds all outcomes about equally likely.
///
/// # Errors
///
/// [`WeightsError::Encoder`](crate::WeightsError::Encoder) if the encoder does not fit the game.
pub fn initial_weights<'a>(
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
/// # Errors
///
/// [`WeightsError::Growth`] and others if the network can't be grown to this.
pub fn grown<'a>(
    interface: &Interface,
    small: &Weights,
    encoder: EncoderKind,
    hidden: impl Into<Hidden<'a>>,
    seed: u64,
) -> Result<Weights, WeightsError> {
    let hidden = hidden.into();
    let mut large = initial_weights(interface, encoder, hidden, seed)?;
    check_growth(interface, small, encoder, hidden)?;
    let deep = deepened(small, hidden.widths.len() - small.arch.hidden.len());
    large.layers.iter_mut().zip(&deep.layers).for_each(|(large, small)| embed(large, small));
    large.training.clone_from(&small.training);
    Ok(large)
}

/// Whether a network can be grown to this encoder and these hidden layers.
fn check_growth(
    interface: &Interface,
    small: &Weights,
    encoder: EncoderKind,
    hidden: Hidden<'_>,
) -> Result<(), WeightsError> {
    let (arch, widths) = (&small.arch, hidden.widths);
    let refused =
        |found: String, expected: String, rule| Err(WeightsError::Growth { found, expected, rule });
    let more = widths.len().saturating_sub(arch.hidden.len());
    let deep = deepened(small, more).arch.hidden;
    let shape = |widths: &[usize], products| {
        format!("hidden {widths:?}{}", if products { " with products" } else { "" })
    };
    let (found, expected) = (shape(&deep, arch.products), shape(widths, hidden.products));
    let fixed_start = hidden.products
        && (widths.first() != arch.hidden.first() || (more > 0 && arch.hidden.len() < 3));
    if fixed_start || hidden.products != arch.products {
        let rule = "a first layer with products stays as it is, with no layer added behind it";
        return refused(found, expected, rule);
    }
    if widths.len() != deep.len() || deep.iter().zip(widths).any(|(small, large)| large < small) {
        return refused(found, expected, "no layer goes or gets narrower");
    }
    if !encoder.extends(small.encoder) {
        let rule = "its inputs must be the first of the larger network";
        return refused(small.encoder.name().to_owned(), encoder.name().to_owned(), rule);
    }
    interface.encoder_of(small).map(drop)
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
    let interface = Interface::of(&Backgammon::Standard);
    initial_weights(&interface, encoder, hidden, seed).expect("every encoder fits backgammon")
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Game, Position};

    use super::*;
    use crate::{Network, Precision};

    #[test]
    fn a_grown_network_evaluates_as_before() {
        let game = Backgammon::Standard;
        let interface = Interface::of(&game);
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
            let large = grown(&interface, small, EncoderKind::Patterns, hidden, 2).unwrap();
            assert_eq!(large.arch.hidden, hidden);
            for (before, after) in evaluate(small).into_iter().zip(evaluate(&large)) {
                assert!((before - after).abs() < 1e-6, "{hidden:?}");
            }
        }
    }

    #[test]
    fn a_network_does_not_grow_to_something_else() {
        let game = Backgammon::Standard;
        let interface = Interface::of(&game);
        let small = random_weights(EncoderKind::OneHot, &[20, 8], 1);
        for (encoder, hidden) in [
            (EncoderKind::Tesauro, &[20, 8][..]),
            (EncoderKind::OneHot, &[20, 7]),
            (EncoderKind::OneHot, &[20]),
            (EncoderKind::OneHot, &[20, 12, 8]),
        ] {
            assert!(grown(&interface, &small, encoder, hidden, 1).is_err());
        }
        let mislabeled = Weights {
            encoder: EncoderKind::OneHot,
            ..random_weights(EncoderKind::Tesauro, &[20, 8], 1)
        };
        assert!(grown(&interface, &mislabeled, EncoderKind::OneHot, &[20, 8], 1).is_err());
    }
}
