//! States with their targets, in memory, as a learner takes them.

use std::ops::Range;

use tavola_equity::OutcomeProbs;

/// Numbers of a target in games for two.
const OUTCOMES: usize = 6;

/// States and the distribution that the network should give them, both from the player on roll: the
/// outcome probabilities, or in games for more than two the shares of the players. Several samples in
/// a row can be siblings, afterstates of one roll: then their differences are learned too.
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
    is_sibling: Vec<bool>,
}

impl Samples {
    /// No samples yet, of states with `stride` cells: the length of the game's
    /// [`layout`](tavola_rules::Game::layout).
    pub const fn new(stride: usize) -> Self {
        Self::with_outputs(stride, OUTCOMES)
    }

    /// No samples yet, of states with `stride` cells whose targets have `outputs` numbers.
    pub const fn with_outputs(stride: usize, outputs: usize) -> Self {
        Self { stride, cells: Vec::new(), targets: Vec::new(), outputs, is_sibling: Vec::new() }
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
        self.is_sibling.push(false);
    }

    /// Appends a sibling of the last sample, and so of the siblings of that.
    ///
    /// # Panics
    ///
    /// If there is no sample, or if there are fewer cells than a state has.
    pub fn push_sibling(&mut self, cells: &[i8], target: OutcomeProbs) {
        assert!(!self.is_empty(), "a sibling has one before it");
        self.push(cells, target);
        *self.is_sibling.last_mut().expect("one was pushed") = true;
    }

    /// Number of samples.
    pub const fn len(&self) -> usize {
        self.is_sibling.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.is_sibling.is_empty()
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

    /// Whether sample number `sample`, counted from 0, is a sibling of the one before it.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    pub fn is_sibling(&self, sample: usize) -> bool {
        self.is_sibling[sample]
    }

    /// Samples that are siblings of one before them.
    pub fn siblings(&self) -> usize {
        self.is_sibling.iter().filter(|&&is_sibling| is_sibling).count()
    }

    /// The numbers of `sample`, counted from 0, which is no sibling of one before it, and of all its
    /// siblings.
    pub fn family(&self, sample: usize) -> Range<usize> {
        let siblings = self.is_sibling[sample + 1..].iter().take_while(|&&is_sibling| is_sibling);
        sample..sample + 1 + siblings.count()
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
        self.is_sibling.clear();
    }
}
