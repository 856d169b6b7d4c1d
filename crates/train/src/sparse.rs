//! The first layer, by hand: most of its inputs are zero.
//!
//! A position switches on some twenty of several hundred features. A dense product multiplies
//! all of them; here a position adds up the weight rows of its features, and on the way back its
//! gradient is added to these rows. The numbers are those of the dense form up to rounding, and
//! the order of the sums is fixed.

use pulp::Arch;
use tavola_net::{Encoder, Layer};

/// The features of a batch of states, those that are zero left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct SparseFeatures {
    /// Where the features of each state end.
    ends: Vec<usize>,
    /// Number of a feature and its value, state by state.
    active: Vec<(usize, f32)>,
}

impl SparseFeatures {
    /// Encodes these states in place of what was there.
    ///
    /// # Shapes
    ///
    /// Each of `states`: at least `[layout]`
    pub(crate) fn encode<'a>(&mut self, encoder: &Encoder, states: impl Iterator<Item = &'a [i8]>) {
        self.ends.clear();
        self.active.clear();
        for cells in states {
            for (cell, &count) in cells[..encoder.layout().len()].iter().enumerate() {
                encoder.cell_features(cell, count, |index, value| self.active.push((index, value)));
            }
            self.ends.push(self.active.len());
        }
    }

    /// Number of states.
    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// The features of each state.
    fn states(&self) -> impl Iterator<Item = &[(usize, f32)]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.active[std::mem::replace(&mut start, end)..end])
    }
}

/// The activations after the rectifier, in place of what was in `activations`.
///
/// # Shapes
///
/// `activations`: `[batch, layer.outputs]`
pub(crate) fn forward(
    arch: Arch,
    layer: &Layer,
    features: &SparseFeatures,
    activations: &mut Vec<f32>,
) {
    let width = layer.outputs;
    activations.resize(features.len() * width, 0.0);
    arch.dispatch(|| {
        for (active, sums) in features.states().zip(activations.chunks_exact_mut(width)) {
            sums.copy_from_slice(&layer.biases);
            for &(feature, value) in active {
                add(sums, &layer.weights[feature * width..][..width], value);
            }
            for sum in sums {
                // As burn has it, what is not a number stays so: it is noticed in the loss.
                *sum = if *sum <= 0.0 { 0.0 } else { *sum };
            }
        }
    });
}

/// The gradients of weights and biases, in place of what was in `gradient`, from those of the
/// activations after the rectifier, of which only those that passed it are left.
///
/// # Shapes
///
/// `activations`, `of_activations`: `[batch, gradient.outputs]`
pub(crate) fn backward(
    arch: Arch,
    features: &SparseFeatures,
    activations: &[f32],
    of_activations: &mut [f32],
    gradient: &mut Layer,
) {
    let width = gradient.outputs;
    let (weights, biases) = (&mut gradient.weights, &mut gradient.biases);
    arch.dispatch(|| {
        weights.fill(0.0);
        biases.fill(0.0);
        let rows = of_activations.chunks_exact_mut(width).zip(activations.chunks_exact(width));
        for (active, (row, activations)) in features.states().zip(rows) {
            for (number, &activation) in row.iter_mut().zip(activations) {
                *number = if activation <= 0.0 { 0.0 } else { *number };
            }
            add(biases, row, 1.0);
            for &(feature, value) in active {
                add(&mut weights[feature * width..][..width], row, value);
            }
        }
    });
}

/// `sums += factor * row`
#[inline(always)]
fn add(sums: &mut [f32], row: &[f32], factor: f32) {
    for (sum, number) in sums.iter_mut().zip(row) {
        *sum += factor * number;
    }
}
