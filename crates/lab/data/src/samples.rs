//! States with their targets, in memory, as a learner takes them.

use tavola_equity::OutcomeProbs;

/// Numbers of a target in games for two.
const OUTCOMES: usize = 6;

/// States and the distribution that the network should give them, both from the player on roll: the
/// outcome probabilities, or in games for more than two the shares of the players. Two samples in a row can be a pair: then their difference is learned too.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    stride: usize,
    /// # Shapes
    ///
    /// `[samples, stride]`
    cells: Vec<i8>,
    /// # Shapes
    ///
    /// `[samples, outputs]`
    targets: Vec<f32>,
    outputs: usize,
    is_second: Vec<bool>,
}

impl Samples {
    /// No samples yet, of states with `stride` cells: the length of the game's
    /// [`layout`](tavola_rules::Game::layout).
    pub const fn new(stride: usize) -> Self {
        Self::with_outputs(stride, OUTCOMES)
    }

    /// No samples yet, of states with `stride` cells whose targets have `outputs` numbers.
    pub const fn with_outputs(stride: usize, outputs: usize) -> Self {
        Self { stride, cells: Vec::new(), targets: Vec::new(), outputs, is_second: Vec::new() }
    }

    /// Appends one. Padding after the cells is left out.
    ///
    /// # Panics
    ///
    /// If there are fewer cells than a state has, or targets have another number of outputs.
    pub fn push(&mut self, cells: &[i8], target: OutcomeProbs) {
        self.push_shares(cells, &target.0);
    }

    /// Appends one with a distribution of any kind.
    ///
    /// # Panics
    ///
    /// If there are fewer cells than a state has, or not as many numbers as targets have.
    pub fn push_shares(&mut self, cells: &[i8], target: &[f32]) {
        assert_eq!(target.len(), self.outputs, "targets have one number for each output");
        self.cells.extend_from_slice(&cells[..self.stride]);
        self.targets.extend_from_slice(target);
        self.is_second.push(false);
    }

    /// Appends one that makes a pair with the last sample, which must not end a pair itself.
    ///
    /// # Panics
    ///
    /// If it does, if there is none, or if there are fewer cells than a state has.
    pub fn push_second(&mut self, cells: &[i8], target: OutcomeProbs) {
        assert_eq!(self.is_second.last(), Some(&false), "a pair has two samples");
        self.push(cells, target);
        *self.is_second.last_mut().expect("one was pushed") = true;
    }

    /// Appends the samples of `others`, which have as many cells.
    ///
    /// # Panics
    ///
    /// If they have another number of them.
    pub fn append(&mut self, others: &Self) {
        assert_eq!(self.stride, others.stride, "samples of one game");
        self.cells.extend_from_slice(&others.cells);
        self.targets.extend_from_slice(&others.targets);
        self.is_second.extend_from_slice(&others.is_second);
    }

    /// Number of samples.
    pub const fn len(&self) -> usize {
        self.is_second.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.is_second.is_empty()
    }

    /// Cells of a state.
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// The cells of sample number `sample`, counted from 0.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    pub fn cells(&self, sample: usize) -> &[i8] {
        &self.cells[sample * self.stride..][..self.stride]
    }

    /// Whether sample number `sample`, counted from 0, is the second of a pair.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    pub fn is_second(&self, sample: usize) -> bool {
        self.is_second[sample]
    }

    /// The number of the sample that makes a pair with `sample`, counted from 0, the first of it.
    pub fn second_of(&self, sample: usize) -> Option<usize> {
        let next = sample + 1;
        self.is_second.get(next).is_some_and(|&is_second| is_second).then_some(next)
    }

    /// Numbers of a target.
    pub const fn outputs(&self) -> usize {
        self.outputs
    }

    /// The target of sample number `sample`, counted from 0.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    pub fn target(&self, sample: usize) -> &[f32] {
        &self.targets[sample * self.outputs..][..self.outputs]
    }

    /// Removes all samples and keeps their memory for the next ones.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.targets.clear();
        self.is_second.clear();
    }
}
