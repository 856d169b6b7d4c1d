//! The forward pass.
//!
//! The first layer is never multiplied: for each cell and number of checkers the weight rows of
//! its features are added up once, when the network is loaded, and a position adds one such row
//! a cell. Positions that share most cells, as the results of one roll do, start from the sum of
//! their parent and exchange only the rows that differ. Later layers skip inputs that the
//! rectifier has set to zero, which most are.

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use crate::arch::OUTPUTS;
use crate::encode::Encoder;
use crate::kernel::{self, Dense};
use crate::weights::{Weights, WeightsError};

/// A network ready to judge positions. Shared freely between threads; each thread brings its
/// own [`Scratch`].
#[derive(Clone, Debug)]
pub struct Network {
    /// Width of the first hidden layer, rounded up to whole vectors.
    width: usize,
    /// The first layer's biases, the sums of no checkers at all.
    bias: Vec<f32>,
    /// For each cell where its rows begin: the row of number `n` is `first_row + n`.
    first_row: Vec<isize>,
    /// # Shapes
    ///
    /// `[rows, width]`
    rows: Vec<f32>,
    dense: Vec<Dense>,
}

/// Working memory of one thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    parent: Vec<f32>,
    child: Vec<f32>,
    layers: kernel::Activations,
}

impl Network {
    /// Prepares weights for a game.
    ///
    /// # Errors
    ///
    /// [`WeightsError`] if the network was trained for another game or its shapes do not fit.
    pub fn new<G: Game>(weights: &Weights, game: &G) -> Result<Self, WeightsError> {
        if weights.game != game.id() {
            return Err(WeightsError::OtherGame {
                found: weights.game.clone(),
                expected: game.id(),
            });
        }
        weights.check_shapes()?;
        let encoder = Encoder::new(weights.encoder, game.layout());
        if encoder.inputs() != weights.arch.inputs {
            return Err(WeightsError::Shape {
                what: format!("number of inputs for the {} encoder", weights.encoder.name()),
                found: weights.arch.inputs,
                expected: encoder.inputs(),
            });
        }
        let (first, rest) = weights.layers.split_first().expect("check_shapes saw the layers");
        let width = kernel::padded(first.outputs);
        let mut bias = first.biases.clone();
        bias.resize(width, 0.0);
        let mut rows = Vec::new();
        let mut first_row = Vec::new();
        for (cell, range) in game.layout().iter().enumerate() {
            first_row.push((rows.len() / width) as isize - isize::from(range.min));
            for count in range.min..=range.max {
                let start = rows.len();
                rows.resize(start + width, 0.0);
                let row = &mut rows[start..start + first.outputs];
                encoder.cell_features(cell, count, |feature, value| {
                    let weights = &first.weights[feature * first.outputs..][..first.outputs];
                    for (sum, weight) in row.iter_mut().zip(weights) {
                        *sum += value * weight;
                    }
                });
            }
        }
        let dense = rest.iter().map(Dense::new).collect();
        Ok(Self { width, bias, first_row, rows, dense })
    }

    /// Working memory for one thread. It fits any network.
    pub fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    /// Judges each state: its chances from the player on roll. `out` is cleared first.
    pub fn evaluate<'a>(
        &self,
        states: impl IntoIterator<Item = &'a [i8]>,
        scratch: &mut Scratch,
        out: &mut Vec<OutcomeProbs>,
    ) {
        out.clear();
        for cells in states {
            self.first_layer(cells, &mut scratch.child);
            out.push(self.finish(&scratch.child, &mut scratch.layers));
        }
    }

    /// Judges states that differ from `parent` in a few cells, each seen from the same side as
    /// the parent; the same answers as [`evaluate`](Self::evaluate) up to rounding. `out` is
    /// cleared first.
    pub fn evaluate_siblings<'a>(
        &self,
        parent: &[i8],
        states: impl IntoIterator<Item = &'a [i8]>,
        scratch: &mut Scratch,
        out: &mut Vec<OutcomeProbs>,
    ) {
        out.clear();
        self.first_layer(parent, &mut scratch.parent);
        for cells in states {
            scratch.child.clone_from(&scratch.parent);
            for (cell, (&now, &before)) in cells.iter().zip(parent).enumerate() {
                if now != before {
                    let (added, removed) = (self.row(cell, now), self.row(cell, before));
                    kernel::exchange(&mut scratch.child, added, removed);
                }
            }
            out.push(self.finish(&scratch.child, &mut scratch.layers));
        }
    }

    /// The sums of the first layer, before the rectifier.
    fn first_layer(&self, cells: &[i8], sums: &mut Vec<f32>) {
        sums.clone_from(&self.bias);
        for (cell, &count) in cells[..self.first_row.len()].iter().enumerate() {
            if count != 0 {
                kernel::add(sums, self.row(cell, count));
            }
        }
    }

    fn row(&self, cell: usize, count: i8) -> &[f32] {
        let row = (self.first_row[cell] + isize::from(count)) as usize;
        &self.rows[row * self.width..][..self.width]
    }

    /// From the sums of the first layer to the softmax of the last.
    fn finish(&self, sums: &[f32], layers: &mut kernel::Activations) -> OutcomeProbs {
        let logits = layers.run(sums, &self.dense);
        softmax(logits)
    }
}

fn softmax(logits: &[f32]) -> OutcomeProbs {
    let logits: &[f32; OUTPUTS] = logits[..OUTPUTS].try_into().expect("six outputs");
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut chances = logits.map(|logit| (logit - largest).exp());
    let sum: f32 = chances.iter().sum();
    for chance in &mut chances {
        *chance /= sum;
    }
    OutcomeProbs(chances)
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use tavola_rules::{Backgammon, Dice, Position};

    use super::*;
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
            values = next;
        }
        softmax(&values)
    }

    /// Positions of random play with all results of one roll each.
    fn families(games: usize) -> Vec<(Position, Vec<Position>)> {
        let game = Backgammon::Standard;
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut families = Vec::new();
        for _ in 0..games {
            let mut state = game.start();
            while game.outcome(&state).is_none() {
                let mut results = Vec::new();
                game.results(&state, Dice::roll(&mut rng), &mut results);
                let next = results[rng.random_range(0..results.len())];
                families.push((state.flip(), results));
                state = next;
            }
        }
        families
    }

    fn largest_difference(a: &OutcomeProbs, b: &OutcomeProbs) -> f32 {
        a.0.iter().zip(b.0).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn forward_pass_equals_the_textbook_one_alone_and_among_siblings() {
        for (encoder, hidden) in [
            (EncoderKind::Tesauro, vec![40]),
            (EncoderKind::OneHot, vec![64, 32, 32]),
            (EncoderKind::OneHot, vec![100, 70, 33]),
        ] {
            let weights = random_weights(encoder, &hidden, 3);
            let network = Network::new(&weights, &Backgammon::Standard).unwrap();
            let (mut scratch, mut out) = (network.scratch(), Vec::new());
            for (parent, results) in families(1).iter().step_by(7) {
                let cells = || results.iter().map(|state| &state.cells()[..]);
                let expected: Vec<_> = cells().map(|c| plain_forward(&weights, c)).collect();
                network.evaluate(cells(), &mut scratch, &mut out);
                for (found, expected) in out.iter().zip(&expected) {
                    assert!(largest_difference(found, expected) < 1e-5);
                }
                network.evaluate_siblings(parent.cells(), cells(), &mut scratch, &mut out);
                assert_eq!(out.len(), expected.len());
                for (found, expected) in out.iter().zip(&expected) {
                    assert!(largest_difference(found, expected) < 1e-5);
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
