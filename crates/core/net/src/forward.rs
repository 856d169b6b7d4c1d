//! The forward pass, in two precisions.
//!
//! The first layer is not multiplied: for each cell and number of checkers the weight rows of
//! its features are added up once, when the network is loaded, and a position adds one such row
//! a cell. Positions that share most cells, as the afterstates of one roll do, start from the sums
//! of their parent and exchange only the rows that differ. Measures, which differ between most of
//! them, are multiplied all the same in the fixed-point pass. Later layers skip inputs that the
//! rectifier has set to zero.
//!
//! [`Precision::Float`] computes in 32-bit floats, plainly: what the learner means.
//! [`Precision::Fixed`] is several times faster and the default.

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use crate::arch::multiply_halves;
use crate::encode::Encoder;
use crate::fixed::{FixedNetwork, FixedScratch};
use crate::interface::Interface;
use crate::kernel::Kernel;
use crate::range::{frequent_first, survey};
use crate::softmax::outcome_probs;
use crate::table::RowTable;
use crate::weights::{Layer, Weights, WeightsError};

/// The numbers that a forward pass computes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 16-bit integers with 32-bit sums: the same answer on every processor and in every batch.
    /// It changes 0.15 to 0.29 % of decisions, by less than a thousandth of a millipoint; see
    /// `docs/log/speed.md`.
    #[default]
    Fixed,
    /// 32-bit floats, within 1e-5 of the exact probabilities.
    Float,
}

/// A network ready to evaluate positions. Shared freely between threads; each thread brings its
/// own [`Scratch`].
#[derive(Clone, Debug)]
pub struct Network {
    inner: Inner,
}

#[derive(Clone, Debug)]
enum Inner {
    Fixed(FixedNetwork),
    Float { encoder: Encoder, layers: FloatLayers },
}

/// Working memory of one thread. It fits any network.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    fixed: FixedScratch,
    values: Vec<f32>,
    next: Vec<f32>,
}

impl Network {
    /// Prepares weights for a game, in the default precision.
    ///
    /// # Errors
    ///
    /// [`WeightsError`] if the network was trained for another game, its shapes do not fit, or
    /// [`Kernel::in_use`] says no.
    pub fn new<G: Game>(weights: &Weights, game: &G) -> Result<Self, WeightsError> {
        Self::with_precision(weights, game, Precision::default())
    }

    /// Prepares weights for a game.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_precision<G: Game>(
        weights: &Weights,
        game: &G,
        precision: Precision,
    ) -> Result<Self, WeightsError> {
        let encoder = Interface::of(game).check(weights)?;
        let inner = match precision {
            Precision::Fixed => fixed(weights, &encoder, game, Kernel::in_use()?),
            Precision::Float => {
                let layers = FloatLayers::new(weights, &encoder);
                Inner::Float { encoder, layers }
            }
        };
        Ok(Self { inner })
    }

    /// As [`new`](Self::new), with the inner loops of one of [`Kernel::available`].
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    ///
    /// # Panics
    ///
    /// If the processor can't run the kernel.
    pub fn with_kernel<G: Game>(
        weights: &Weights,
        game: &G,
        kernel: Kernel,
    ) -> Result<Self, WeightsError> {
        assert!(Kernel::available().contains(&kernel), "this processor can't run {kernel:?}");
        let encoder = Interface::of(game).check(weights)?;
        Ok(Self { inner: fixed(weights, &encoder, game, kernel) })
    }

    /// Working memory for one thread.
    pub fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    /// Evaluates each state: its probabilities from the player on roll. `out` is cleared first.
    pub fn evaluate<'a>(
        &self,
        states: impl IntoIterator<Item = &'a [i8]>,
        scratch: &mut Scratch,
        out: &mut Vec<OutcomeProbs>,
    ) {
        out.clear();
        match &self.inner {
            Inner::Fixed(network) => network.evaluate(None, states, &mut scratch.fixed, out),
            Inner::Float { encoder, layers } => {
                let mut all = Vec::new();
                let Scratch { values, next, .. } = scratch;
                out.extend(states.into_iter().map(|cells| {
                    layers.logits(encoder.complete(cells, &mut all), values, next);
                    outcome_probs(std::array::from_fn(|i| values[i]))
                }));
            }
        }
    }

    /// Evaluates states that differ from `parent` in a few cells, each seen from the same side as
    /// the parent: the same answers as [`evaluate`](Self::evaluate), faster. `out` is cleared
    /// first.
    pub fn evaluate_siblings<'a>(
        &self,
        parent: &[i8],
        states: impl IntoIterator<Item = &'a [i8]>,
        scratch: &mut Scratch,
        out: &mut Vec<OutcomeProbs>,
    ) {
        match &self.inner {
            Inner::Fixed(network) => {
                out.clear();
                network.evaluate(Some(parent), states, &mut scratch.fixed, out);
            }
            Inner::Float { .. } => self.evaluate(states, scratch, out),
        }
    }
}

/// The layers of a network in floats.
#[derive(Clone, Debug)]
pub(crate) struct FloatLayers {
    table: RowTable<f32>,
    products: bool,
    /// The layers behind the first.
    rest: Vec<Layer>,
}

impl FloatLayers {
    /// Those of weights that were checked.
    pub(crate) fn new(weights: &Weights, encoder: &Encoder) -> Self {
        let table = RowTable::new(&weights.layers[0], encoder, encoder.cells().len(), 1);
        Self { table, products: weights.arch.products, rest: weights.layers[1..].to_vec() }
    }

    /// The forward pass up to the softmax: the logits take the place of `values`. `next` is
    /// working memory.
    ///
    /// # Shapes
    ///
    /// `cells`: all that the encoder has
    pub(crate) fn logits(&self, cells: &[i8], values: &mut Vec<f32>, next: &mut Vec<f32>) {
        values.clear();
        values.extend_from_slice(self.table.bias());
        for (cell, &count) in cells[..self.table.cells()].iter().enumerate() {
            if count != 0 {
                for (sum, x) in values.iter_mut().zip(self.table.row(cell, count)) {
                    *sum += x;
                }
            }
        }
        if self.products {
            values.iter_mut().for_each(|x| *x = x.max(0.0));
            multiply_halves(values);
        }
        for layer in &self.rest {
            next.clear();
            next.extend_from_slice(&layer.biases);
            for (&value, row) in values.iter().zip(layer.weights.chunks_exact(layer.outputs)) {
                if value > 0.0 {
                    for (sum, weight) in next.iter_mut().zip(row) {
                        *sum += value * weight;
                    }
                }
            }
            std::mem::swap(values, next);
        }
    }
}

fn fixed<G: Game>(weights: &Weights, encoder: &Encoder, game: &G, kernel: Kernel) -> Inner {
    let survey = survey(weights, encoder, game);
    let weights = frequent_first(weights, &survey);
    Inner::Fixed(FixedNetwork::new(&weights, encoder, &survey.largest, kernel))
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use tavola_rules::{Backgammon, Dice, Position};

    use super::*;
    use crate::arch::Hidden;
    use crate::encode::EncoderKind;
    use crate::random::random_weights;

    /// The textbook forward pass, as a reference.
    fn plain_forward(weights: &Weights, cells: &[i8]) -> OutcomeProbs {
        let encoder = Encoder::new(weights.encoder, Backgammon::Standard.layout());
        let mut values = vec![0.0; encoder.inputs()];
        encoder.encode(cells, &mut values);
        for (i, layer) in weights.layers.iter().enumerate() {
            let mut next = layer.biases.clone();
            for (k, value) in values.iter().enumerate() {
                for (j, sum) in next.iter_mut().enumerate() {
                    *sum += value * layer.weights[k * layer.outputs + j];
                }
            }
            if i + 1 < weights.layers.len() {
                next.iter_mut().for_each(|x| *x = x.max(0.0));
            }
            if i == 0 && weights.arch.products {
                let half = next.len() / 2;
                next = (0..half).map(|unit| next[unit] * next[unit + half]).collect();
            }
            values = next;
        }
        outcome_probs(std::array::from_fn(|i| values[i]))
    }

    /// Positions of random play with all afterstates of one roll each.
    fn families(games: usize) -> Vec<(Position, Vec<Position>)> {
        let game = Backgammon::Standard;
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut families = Vec::new();
        for _ in 0..games {
            let mut state = game.start();
            while game.outcome(&state).is_none() {
                let mut afterstates = Vec::new();
                game.afterstates(&state, Dice::roll(&mut rng), &mut afterstates);
                let next = afterstates[rng.random_range(0..afterstates.len())];
                families.push((state.flip(), afterstates));
                state = next;
            }
        }
        families
    }

    fn largest_difference(a: &OutcomeProbs, b: &OutcomeProbs) -> f32 {
        a.0.iter().zip(b.0).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
    }

    fn shapes() -> [Weights; 7] {
        let products = |widths| Hidden { widths, products: true };
        [
            random_weights(EncoderKind::Tesauro, &[40], 3),
            random_weights(EncoderKind::OneHot, &[64, 32, 32], 4),
            random_weights(EncoderKind::OneHot, &[100, 70, 33], 5),
            random_weights(EncoderKind::Patterns, &[64, 32], 6),
            random_weights(EncoderKind::Expert, &[96, 32], 7),
            random_weights(EncoderKind::Patterns, products(&[128, 48, 32]), 8),
            random_weights(EncoderKind::Expert, products(&[192, 32]), 9),
        ]
    }

    #[test]
    fn both_precisions_are_near_the_textbook() {
        for weights in shapes() {
            let game = Backgammon::Standard;
            for (precision, tolerance) in [(Precision::Float, 1e-5), (Precision::Fixed, 1e-3)] {
                let network = Network::with_precision(&weights, &game, precision).unwrap();
                let (mut scratch, mut out) = (network.scratch(), Vec::new());
                for (_, afterstates) in families(1).iter().step_by(7) {
                    network.evaluate(
                        afterstates.iter().map(Backgammon::cells),
                        &mut scratch,
                        &mut out,
                    );
                    assert_eq!(out.len(), afterstates.len());
                    for (found, state) in out.iter().zip(afterstates) {
                        let expected = plain_forward(&weights, state.cells());
                        let difference = largest_difference(found, &expected);
                        assert!(difference < tolerance, "{precision:?}: {difference}");
                    }
                }
            }
        }
    }

    #[test]
    fn large_activations_are_neither_cut_nor_wrapped() {
        // Rectified units are homogeneous, so this is the same function by way of numbers sixty
        // times as large: what long training makes of positions whose outcome is certain.
        const FACTOR: f32 = 60.0;
        let plain = random_weights(EncoderKind::OneHot, &[64, 32, 32], 4);
        let mut large = plain.clone();
        large.layers[1].weights.iter_mut().for_each(|x| *x *= FACTOR);
        large.layers[3].weights.iter_mut().for_each(|x| *x /= FACTOR);
        let network = Network::new(&large, &Backgammon::Standard).unwrap();
        let (mut scratch, mut out) = (network.scratch(), Vec::new());
        for (_, afterstates) in families(1).iter().step_by(7) {
            network.evaluate(afterstates.iter().map(Backgammon::cells), &mut scratch, &mut out);
            for (found, state) in out.iter().zip(afterstates) {
                let difference = largest_difference(found, &plain_forward(&plain, state.cells()));
                assert!(difference < 3e-3, "{difference}");
            }
        }
    }

    #[test]
    fn another_order_of_units_is_the_same_network() {
        for weights in shapes() {
            let encoder = Encoder::new(weights.encoder, Backgammon::Standard.layout());
            let survey = survey(&weights, &encoder, &Backgammon::Standard);
            let sorted = frequent_first(&weights, &survey);
            assert_ne!(sorted, weights);
            for (_, afterstates) in families(1).iter().step_by(7) {
                for state in afterstates {
                    let [plain, sorted] =
                        [&weights, &sorted].map(|weights| plain_forward(weights, state.cells()));
                    assert!(largest_difference(&plain, &sorted) < 1e-5);
                }
            }
        }
    }

    #[test]
    fn every_kernel_gives_exactly_the_same_answers_alone_and_among_siblings() {
        let game = Backgammon::Standard;
        for weights in shapes() {
            let reference = Network::with_kernel(&weights, &game, Kernel::Portable).unwrap();
            for kernel in Kernel::available() {
                let network = Network::with_kernel(&weights, &game, kernel).unwrap();
                let (mut scratch, mut out) = (network.scratch(), Vec::new());
                let mut expected = Vec::new();
                for (parent, afterstates) in families(1).iter().step_by(5) {
                    let cells = || afterstates.iter().map(Backgammon::cells);
                    reference.evaluate(cells(), &mut scratch, &mut expected);
                    network.evaluate(cells(), &mut scratch, &mut out);
                    assert_eq!(out, expected, "{kernel:?}");
                    network.evaluate_siblings(parent.cells(), cells(), &mut scratch, &mut out);
                    assert_eq!(out, expected, "{kernel:?}");
                }
            }
        }
    }

    #[test]
    fn a_network_refuses_another_game() {
        let weights = random_weights(EncoderKind::Tesauro, &[4], 1);
        let error = Network::new(&weights, &Backgammon::Hypergammon).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the network was trained for \"backgammon\", not for \"hypergammon\""
        );
    }
}
