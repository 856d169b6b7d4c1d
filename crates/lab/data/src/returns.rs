//! What games teach before lambda is chosen, in memory.
//!
//! A state of a game has its evaluation `V` and the step `d`: by how much one turn changed that, the
//! luck of its roll taken off. From the end of a game backward,
//!
//! ```text
//! A(s) = d(s) + lambda flip(A(s')),  T(s) = V(s) + A(s)
//! ```
//!
//! which is TD(lambda). So a dataset is made once, and lambda is chosen when it is learned.

use tavola_equity::OutcomeProbs;

use crate::samples::Samples;

/// What an entry of [`Returns`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Return {
    /// A target of its own.
    Given = 0,
    /// A sibling of the last state that is no sibling, with a target of its own. If that state is not
    /// learned, neither is this.
    Sibling = 1,
    /// A sibling with the difference from the target of that state.
    Difference = 2,
    /// A state of a game, after which nothing counts but its step.
    Last = 3,
    /// As `Last`, and not learned.
    LastUnlearned = 4,
    /// A state of the same game as the state before it, which came a turn later.
    Earlier = 5,
    /// As `Earlier`, and not learned.
    EarlierUnlearned = 6,
}

impl Return {
    /// All of them by their numbers.
    pub(crate) const ALL: [Self; 7] = [
        Self::Given,
        Self::Sibling,
        Self::Difference,
        Self::Last,
        Self::LastUnlearned,
        Self::Earlier,
        Self::EarlierUnlearned,
    ];

    /// Whether it has a step beside its evaluation.
    pub const fn has_step(self) -> bool {
        !matches!(self, Self::Given | Self::Sibling | Self::Difference)
    }

    /// Whether it continues the entry before it.
    pub(crate) const fn continues(self) -> bool {
        !matches!(self, Self::Given | Self::Last | Self::LastUnlearned)
    }
}

/// States of games for two, each game from its last state to its first, each state with its siblings
/// behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Returns {
    stride: usize,
    kinds: Vec<Return>,
    /// # Shapes
    ///
    /// `[entries, stride]`
    cells: Vec<i8>,
    numbers: Vec<[f32; 6]>,
    /// All zero where there is none.
    steps: Vec<[f32; 6]>,
}

impl Returns {
    /// Nothing yet, of states with `stride` cells.
    pub const fn new(stride: usize) -> Self {
        Self {
            stride,
            kinds: Vec::new(),
            cells: Vec::new(),
            numbers: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Appends an entry without a step; padding after the cells is left out. `numbers` are a target
    /// or a difference, from the player on roll.
    ///
    /// # Panics
    ///
    /// If there are fewer cells than a state has, or the kind has a step.
    pub fn push(&mut self, kind: Return, cells: &[i8], numbers: [f32; 6]) {
        assert!(!kind.has_step(), "{kind:?} has a step");
        self.push_step(kind, cells, numbers, [0.0; 6]);
    }

    /// Appends an entry with its evaluation and its step.
    ///
    /// # Panics
    ///
    /// If there are fewer cells than a state has, or the entry continues another and there is none.
    pub fn push_step(&mut self, kind: Return, cells: &[i8], value: [f32; 6], step: [f32; 6]) {
        assert!(!(kind.continues() && self.is_empty()), "{kind:?} has one before it");
        self.kinds.push(kind);
        self.cells.extend_from_slice(&cells[..self.stride]);
        self.numbers.push(value);
        self.steps.push(step);
    }

    /// Appends the entries of `others`, which have as many cells.
    ///
    /// # Panics
    ///
    /// If they have another number of them.
    pub fn append(&mut self, others: &Self) {
        assert_eq!(self.stride, others.stride, "states of one game");
        self.kinds.extend_from_slice(&others.kinds);
        self.cells.extend_from_slice(&others.cells);
        self.numbers.extend_from_slice(&others.numbers);
        self.steps.extend_from_slice(&others.steps);
    }

    /// Appends the samples to learn. `lambda`, from 0 to 1, is called for each game, and anew behind
    /// each play that exploration drew.
    ///
    /// # Panics
    ///
    /// If `samples` have another number of cells.
    pub fn resolve(&self, mut lambda: impl FnMut() -> f32, samples: &mut Samples) {
        let mut weight = 0.0;
        let mut advantage = OutcomeProbs::default();
        let mut target = None;
        let sum = |a: &[f32; 6], b: &[f32; 6]| OutcomeProbs(std::array::from_fn(|i| a[i] + b[i]));
        for (i, &kind) in self.kinds.iter().enumerate() {
            let (cells, numbers) = (self.cells(i), &self.numbers[i]);
            match kind {
                Return::Given => {
                    samples.push(cells, OutcomeProbs(*numbers));
                    target = Some(*numbers);
                }
                Return::Sibling | Return::Difference => {
                    let Some(target) = &target else { continue };
                    let own = match kind {
                        Return::Sibling => OutcomeProbs(*numbers),
                        _ => sum(target, numbers),
                    };
                    samples.push_sibling(cells, own);
                }
                Return::Last
                | Return::LastUnlearned
                | Return::Earlier
                | Return::EarlierUnlearned => {
                    let later = match kind.continues() {
                        true => advantage.flip().0.map(|later| weight * later),
                        false => [0.0; 6],
                    };
                    if !kind.continues() {
                        weight = lambda();
                    }
                    advantage = sum(&self.steps[i], &later);
                    let is_learned = matches!(kind, Return::Last | Return::Earlier);
                    target = is_learned.then(|| sum(numbers, &advantage.0).0);
                    if let Some(target) = target {
                        samples.push(cells, OutcomeProbs(target));
                    }
                }
            }
        }
    }

    /// Number of entries.
    pub const fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Cells of a state.
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// What entry number `entry`, counted from 0, is.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    pub fn kind(&self, entry: usize) -> Return {
        self.kinds[entry]
    }

    /// The cells of entry number `entry`, counted from 0.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    pub fn cells(&self, entry: usize) -> &[i8] {
        &self.cells[entry * self.stride..][..self.stride]
    }

    /// The evaluation, target or difference of entry number `entry`, counted from 0, and its step.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    pub fn numbers(&self, entry: usize) -> (&[f32; 6], &[f32; 6]) {
        (&self.numbers[entry], &self.steps[entry])
    }

    /// Removes all entries and keeps their memory for the next ones.
    pub fn clear(&mut self) {
        self.kinds.clear();
        self.cells.clear();
        self.numbers.clear();
        self.steps.clear();
    }
}
