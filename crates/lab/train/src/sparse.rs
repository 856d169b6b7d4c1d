//! The first layer, by hand: most of its inputs are zero.
//!
//! A position switches on some twenty of several hundred features. A dense product multiplies
//! all of them; here a position adds up the weight rows of its features, and on the way back its
//! gradient is added to these rows. The numbers are those of the dense form up to rounding, and
//! the order of the sums is fixed.

#[cfg(doc)]
use pulp::Arch;
use pulp::NullaryFnOnce;
use tavola_net::{Encoder, Layer};

/// The features of a batch of states, those that are zero left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct SparseFeatures {
    /// Where the features of each state end.
    ends: Vec<usize>,
    /// Number of a feature and its value, state by state.
    active: Vec<(usize, f32)>,
    /// The features that at least one state has, each once, rising; only on request.
    present: Option<Vec<usize>>,
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
        self.present = None;
        let mut all = Vec::new();
        for cells in states {
            for (cell, &count) in encoder.complete(cells, &mut all).iter().enumerate() {
                encoder.cell_features(cell, count, |index, value| self.active.push((index, value)));
            }
            self.ends.push(self.active.len());
        }
    }

    /// Finds out which features are [`present`](Self::present).
    pub(crate) fn find_present(&mut self, encoder: &Encoder) {
        let mut seen = vec![false; encoder.inputs()];
        for &(feature, _) in &self.active {
            seen[feature] = true;
        }
        let features = seen.iter().enumerate().filter(|(_, seen)| **seen);
        self.present = Some(features.map(|(feature, _)| feature).collect());
    }

    /// The features that at least one state has, each once, if requested.
    pub(crate) fn present(&self) -> Option<&[usize]> {
        self.present.as_deref()
    }

    /// Number of states.
    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// The features of each state.
    pub(crate) fn states(&self) -> impl Iterator<Item = &[(usize, f32)]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.active[std::mem::replace(&mut start, end)..end])
    }
}

/// From features to the activations after the rectifier; with [`Arch::dispatch`].
pub(crate) struct Forward<'a> {
    pub(crate) layer: &'a Layer,
    pub(crate) features: &'a SparseFeatures,
    /// Overwritten.
    ///
    /// # Shapes
    ///
    /// `[batch, layer.outputs]`
    pub(crate) activations: &'a mut [f32],
}

impl NullaryFnOnce for Forward<'_> {
    type Output = ();

    // What is not inlined is compiled for the oldest of processors.
    #[inline(always)]
    fn call(self) {
        let Self { layer, features, activations } = self;
        let width = layer.outputs;
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
    }
}

/// From the gradients of the activations after the rectifier to those of weights and biases;
/// with [`Arch::dispatch`].
pub(crate) struct Backward<'a> {
    pub(crate) features: &'a SparseFeatures,
    /// What [`Forward`] gave.
    ///
    /// # Shapes
    ///
    /// `[batch, gradient.outputs]`
    pub(crate) activations: &'a [f32],
    /// Those of activations that are zero become zero.
    ///
    /// # Shapes
    ///
    /// `[batch, gradient.outputs]`
    pub(crate) of_activations: &'a mut [f32],
    /// Overwritten; only in the rows of the features that are present, if these are known.
    pub(crate) gradient: &'a mut Layer,
}

impl NullaryFnOnce for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { features, activations, of_activations, gradient } = self;
        let width = gradient.outputs;
        match features.present() {
            Some(present) => {
                for feature in present {
                    gradient.weights[feature * width..][..width].fill(0.0);
                }
            }
            None => gradient.weights.fill(0.0),
        }
        gradient.biases.fill(0.0);
        let rows = of_activations.chunks_exact_mut(width).zip(activations.chunks_exact(width));
        for (active, (row, activations)) in features.states().zip(rows) {
            for (number, &activation) in row.iter_mut().zip(activations) {
                *number = if activation <= 0.0 { 0.0 } else { *number };
            }
            add(&mut gradient.biases, row, 1.0);
            for &(feature, value) in active {
                add(&mut gradient.weights[feature * width..][..width], row, value);
            }
        }
    }
}

/// `sums += factor * row`
#[inline(always)]
fn add(sums: &mut [f32], row: &[f32], factor: f32) {
    for (sum, number) in sums.iter_mut().zip(row) {
        *sum += factor * number;
    }
}
