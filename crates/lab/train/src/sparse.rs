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
        let mut all = Vec::new();
        for cells in states {
            for (cell, &count) in encoder.complete(cells, &mut all).iter().enumerate() {
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
            add(sums, active, |feature| &layer.weights[feature * width..][..width]);
            for sum in sums {
                // As burn has it, what is not a number stays so: it is noticed in the loss.
                *sum = if *sum <= 0.0 { 0.0 } else { *sum };
            }
        }
    }
}

/// Where each feature is on: the features of a batch, the other way round.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatesOfFeatures {
    /// Where the states of each feature end.
    ends: Vec<usize>,
    /// Number of a state in the batch and the feature's value, feature by feature, states rising.
    states: Vec<(usize, f32)>,
}

impl StatesOfFeatures {
    /// Sorts the features of a batch, given in parts, in place of what was there. `inputs`: the
    /// number of all features.
    pub(crate) fn sort<'a>(
        &mut self,
        inputs: usize,
        parts: impl Iterator<Item = &'a SparseFeatures> + Clone,
    ) {
        self.ends.clear();
        self.ends.resize(inputs, 0);
        let all = parts.clone().flat_map(|part| &part.active);
        all.clone().for_each(|&(feature, _)| self.ends[feature] += 1);
        // The number of states first, then where they begin, and after all were put there, end.
        let mut begin = 0;
        for end in &mut self.ends {
            begin += std::mem::replace(end, begin);
        }
        self.states.clear();
        self.states.resize(begin, (0, 0.0));
        for (state, active) in parts.flat_map(SparseFeatures::states).enumerate() {
            for &(feature, value) in active {
                self.states[self.ends[feature]] = (state, value);
                self.ends[feature] += 1;
            }
        }
    }

    /// The states that have this feature, with its value.
    pub(crate) fn of(&self, feature: usize) -> &[(usize, f32)] {
        let begin = feature.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.states[begin..self.ends[feature]]
    }
}

/// From the gradients of sums before the rectifier to that of the weights of one feature; with
/// [`Arch::dispatch`].
pub(crate) struct FeatureGradient<'a> {
    /// The states that have the feature, with its value.
    pub(crate) states: &'a [(usize, f32)],
    /// The gradients of the sums of each state.
    ///
    /// # Shapes
    ///
    /// `[batch][outputs]`
    pub(crate) of_sums: &'a [&'a [f32]],
    /// Overwritten.
    ///
    /// # Shapes
    ///
    /// `[outputs]`
    pub(crate) gradient: &'a mut [f32],
}

impl NullaryFnOnce for FeatureGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { states, of_sums, gradient } = self;
        gradient.fill(0.0);
        add(gradient, states, |state| of_sums[state]);
    }
}

/// Adds to `sums`, for each of `rows`, a number and a factor, the factor times the row of that
/// number, in this order.
#[inline(always)]
fn add<'a>(sums: &mut [f32], rows: &[(usize, f32)], row: impl Fn(usize) -> &'a [f32]) {
    // So many sums stay in registers while the rows are gone through.
    const TOGETHER: usize = 64;
    let mut begin = 0;
    let (blocks, rest) = sums.as_chunks_mut::<TOGETHER>();
    for block in blocks {
        let mut sums = *block;
        for &(number, factor) in rows {
            let numbers: &[f32; TOGETHER] =
                row(number)[begin..].first_chunk().expect("a row is as long as the sums");
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += factor * number);
        }
        *block = sums;
        begin += TOGETHER;
    }
    for &(number, factor) in rows {
        rest.iter_mut()
            .zip(&row(number)[begin..])
            .for_each(|(sum, number)| *sum += factor * number);
    }
}
