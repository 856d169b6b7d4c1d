//! From a state's cells to the features of a network.
//!
//! Every encoder works cell by cell: a cell with a given number switches on a few features, and
//! no feature looks at two cells. So a first layer can keep, for each cell and number, the sum
//! of the weight rows that this number switches on, and add up one such row a cell; see
//! [`crate::forward`]. What several points say together comes in as further cells, behind those
//! of the game: see [`EncoderKind::Patterns`].

use std::fmt;

use serde::{Deserialize, Serialize};
use tavola_rules::{Cell, CellKind};

use crate::kernel::Kernel;
use crate::{expert, patterns};

/// The feature of a measure at its largest: mostly it is about one, as other features are.
const LARGEST_MEASURE: f32 = 4.0;

/// The feature sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EncoderKind {
    /// The raw inputs of TD-Gammon (Tesauro 1992, "Practical issues in temporal difference
    /// learning"): a point has four units a side (one checker; two or more; three or more; half
    /// of each beyond three), waiting checkers count a half each, those off a fifteenth each.
    Tesauro,
    /// One unit for each number from one to six on a point, and one that grows beyond six; the
    /// same to three for waiting checkers; one unit for each number off.
    OneHot,
    /// The units of `one-hot`, and behind them one unit for each value of what several points of
    /// a backgammon board say together: the points held ahead of the last two checkers, made
    /// points and blots of the quarters, rolls that hit, pips, the lead and the contact. Only for
    /// games on a backgammon board with two bars.
    Patterns,
    /// The units of `patterns`, and behind them one unit for each of the numbers that players speak
    /// of: escapes, risks, rolls that make points, timing. For the same games.
    Expert,
}

impl EncoderKind {
    /// The stable name, as in configurations and weights files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tesauro => "tesauro",
            Self::OneHot => "one-hot",
            Self::Patterns => "patterns",
            Self::Expert => "expert",
        }
    }

    /// Whether the features of `other` are the first of this set's.
    pub fn extends(self, other: Self) -> bool {
        // Each of them adds to the one before.
        let place =
            |kind| [Self::OneHot, Self::Patterns, Self::Expert].iter().position(|k| *k == kind);
        self == other || place(other).is_some_and(|other| place(self) > Some(other))
    }

    /// Whether the encoder knows states with this layout.
    pub fn fits(self, layout: &[Cell]) -> bool {
        !self.looks_at_board() || patterns::fit(layout)
    }

    /// Whether there are cells that are derived from a backgammon board.
    const fn looks_at_board(self) -> bool {
        matches!(self, Self::Patterns | Self::Expert)
    }

    /// Units for one side of a cell that holds at most `most` checkers of that side.
    fn units(self, kind: CellKind, most: usize) -> usize {
        let most_units = match (self, kind) {
            (Self::Tesauro, CellKind::Point) => 4,
            (Self::Tesauro, CellKind::Waiting | CellKind::Off) => 1,
            (_, CellKind::Point) => 7,
            (_, CellKind::Waiting) => 4,
            (_, CellKind::Off | CellKind::Counter) => most,
            (_, CellKind::Measure) => 1,
        };
        most_units.min(most)
    }

    /// The units that `count` (1 or more) of at most `most` checkers of one side switch on, and how
    /// far.
    fn unit_values(
        self,
        kind: CellKind,
        units: usize,
        most: usize,
        count: usize,
        mut unit: impl FnMut(usize, f32),
    ) {
        match (self, kind) {
            (Self::Tesauro, CellKind::Point) => {
                if count == 1 {
                    unit(0, 1.0);
                } else {
                    unit(1, 1.0);
                }
                if count >= 3 {
                    unit(2, 1.0);
                }
                if count > 3 {
                    unit(3, (count - 3) as f32 / 2.0);
                }
            }
            (Self::Tesauro, CellKind::Waiting) => unit(0, count as f32 / 2.0),
            (Self::Tesauro, CellKind::Off) => unit(0, count as f32 / 15.0),
            (_, CellKind::Measure) => unit(0, LARGEST_MEASURE * count as f32 / most as f32),
            _ if count >= units && kind != CellKind::Off => {
                unit(units - 1, 1.0 + (count - units) as f32 / 2.0);
            }
            _ => unit(count - 1, 1.0),
        }
    }
}

/// A feature set applied to the cells of one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoder {
    kind: EncoderKind,
    layout: &'static [Cell],
    /// The cells of the layout and those that are derived from them.
    cells: Vec<Cell>,
    /// For each cell the first feature of the player on roll and of the opponent.
    first: Vec<[usize; 2]>,
    inputs: usize,
    /// What derives cells.
    kernel: Kernel,
}

impl Encoder {
    /// The encoder of this kind for a game with this layout, which it must
    /// [fit](EncoderKind::fits).
    ///
    /// # Panics
    ///
    /// If it does not fit.
    pub fn new(kind: EncoderKind, layout: &'static [Cell]) -> Self {
        assert!(kind.fits(layout), "the {} encoder does not fit the game", kind.name());
        let mut inputs = 0;
        let mut cells = layout.to_vec();
        if kind.looks_at_board() {
            cells.extend(patterns::layout());
        }
        if kind == EncoderKind::Expert {
            cells.extend(expert::layout());
        }
        let first = cells
            .iter()
            .map(|cell| {
                sides(cell).map(|most| {
                    let first = inputs;
                    inputs += kind.units(cell.kind, most);
                    first
                })
            })
            .collect();
        // Whoever makes a network says that the kernel can't be had.
        let kernel = Kernel::in_use().unwrap_or(Kernel::Portable);
        Self { kind, layout, cells, first, inputs, kernel }
    }

    /// The same with the inner loops of a kernel, which the processor must be able to run.
    pub(crate) fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// Which feature set this is.
    pub const fn kind(&self) -> EncoderKind {
        self.kind
    }

    /// The cells of the game's states.
    pub const fn layout(&self) -> &'static [Cell] {
        self.layout
    }

    /// All cells that are encoded: those of the [`layout`](Self::layout), and behind them those
    /// that [`complete`](Self::complete) derives from them.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The [`cells`](Self::cells) of a state: its own if there are no others, and otherwise all of
    /// them, written to `all`.
    ///
    /// # Shapes
    ///
    /// `cells`: at least `[layout]`; result: `[cells]`
    #[inline]
    pub fn complete<'a>(&self, cells: &'a [i8], all: &'a mut Vec<i8>) -> &'a [i8] {
        let own = &cells[..self.layout.len()];
        if self.cells.len() == self.layout.len() {
            return own;
        }
        all.clear();
        all.extend_from_slice(own);
        self.kernel.derive_cells(self.kind == EncoderKind::Expert, own, all);
        all
    }

    /// Number of features.
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Calls `feature(index, value)` for each feature that `count` in cell `cell` of
    /// [`cells`](Self::cells) switches on.
    /// Zero switches on nothing.
    ///
    /// # Panics
    ///
    /// If there is no such cell.
    pub fn cell_features(&self, cell: usize, count: i8, mut feature: impl FnMut(usize, f32)) {
        if count == 0 {
            return;
        }
        let side = usize::from(count < 0);
        let Cell { kind, .. } = self.cells[cell];
        let most = sides(&self.cells[cell])[side];
        let units = self.kind.units(kind, most);
        if units == 0 {
            return;
        }
        let first = self.first[cell][side];
        self.kind.unit_values(
            kind,
            units,
            most,
            usize::from(count.unsigned_abs()),
            |unit, value| {
                if unit < units {
                    feature(first + unit, value);
                }
            },
        );
    }

    /// Writes all features of a state.
    ///
    /// # Shapes
    ///
    /// `cells`: at least `[layout]`; `features`: `[inputs]`, overwritten.
    pub fn encode(&self, cells: &[i8], features: &mut [f32]) {
        features.fill(0.0);
        let mut all = Vec::new();
        for (cell, &count) in self.complete(cells, &mut all).iter().enumerate() {
            self.cell_features(cell, count, |index, value| features[index] = value);
        }
    }
}

impl fmt::Display for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} inputs)", self.kind.name(), self.inputs)
    }
}

/// The most checkers that the player on roll and the opponent can have in a cell.
fn sides(cell: &Cell) -> [usize; 2] {
    [cell.max.max(0) as usize, cell.min.min(0).unsigned_abs() as usize]
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use tavola_rules::{Backgammon, Dice, Game, Position};

    use super::*;

    #[test]
    fn tesauro_has_the_196_raw_inputs_less_none() {
        let encoder = Encoder::new(EncoderKind::Tesauro, Backgammon::Standard.layout());
        // 24 points, two sides, four units; bars and borne off.
        assert_eq!(encoder.inputs(), 24 * 2 * 4 + 4);
    }

    #[test]
    fn features_of_the_start_position() {
        let encoder = Encoder::new(EncoderKind::Tesauro, Backgammon::Standard.layout());
        let mut features = vec![0.0; encoder.inputs()];
        encoder.encode(Backgammon::cells(&Position::STANDARD), &mut features);
        // Each side: one two-stack (1 unit), one three-stack (2), two five-stacks (3 each).
        assert_eq!(features.iter().filter(|&&f| f > 0.0).count(), 2 * (1 + 2 + 3 + 3));
        assert_eq!(features.iter().sum::<f32>(), 2.0 * (1.0 + 2.0 + 3.0 + 3.0));
    }

    #[test]
    fn patterns_come_behind_the_cells_that_one_hot_has() {
        let layout = Backgammon::Standard.layout();
        let [one_hot, patterns] =
            [EncoderKind::OneHot, EncoderKind::Patterns].map(|kind| Encoder::new(kind, layout));
        let encoded = |encoder: &Encoder| {
            let mut features = vec![0.0; encoder.inputs()];
            encoder.encode(Backgammon::cells(&Position::STANDARD), &mut features);
            features
        };
        assert_eq!(encoded(&patterns)[..one_hot.inputs()], encoded(&one_hot));
        assert!(encoded(&patterns)[one_hot.inputs()..].contains(&1.0));
        assert!(
            EncoderKind::OneHot.fits(&layout[1..]) && !EncoderKind::Patterns.fits(&layout[1..])
        );
    }

    #[test]
    fn every_kernel_derives_the_same_cells() {
        let game = Backgammon::Standard;
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for kind in [EncoderKind::Patterns, EncoderKind::Expert] {
            let encoder = |kernel| Encoder::new(kind, game.layout()).with_kernel(kernel);
            let mut state = game.start();
            while game.outcome(&state).is_none() {
                let (mut all, mut expected) = (Vec::new(), Vec::new());
                encoder(Kernel::Portable).complete(state.cells(), &mut expected);
                for kernel in Kernel::available() {
                    encoder(kernel).complete(state.cells(), &mut all);
                    assert_eq!(all, expected, "{kernel:?}");
                }
                let mut afterstates = Vec::new();
                game.afterstates(&state, Dice::roll(&mut rng), &mut afterstates);
                state = afterstates[rng.random_range(0..afterstates.len())];
            }
        }
    }

    #[test]
    fn every_count_of_every_cell_is_told_apart() {
        for kind in
            [EncoderKind::Tesauro, EncoderKind::OneHot, EncoderKind::Patterns, EncoderKind::Expert]
        {
            let encoder = Encoder::new(kind, Backgammon::Standard.layout());
            for (cell, range) in encoder.cells().iter().enumerate() {
                let mut seen = Vec::new();
                for count in range.min..=range.max {
                    let mut features = Vec::new();
                    encoder.cell_features(cell, count, |index, value| {
                        assert!(index < encoder.inputs());
                        features.push((index, value));
                    });
                    assert!(!seen.contains(&features), "{kind:?} cell {cell} count {count}");
                    seen.push(features);
                }
            }
        }
    }
}
