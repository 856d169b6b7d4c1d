//! The first layer as a table: one row for each number that a cell may hold.

use tavola_rules::{Cell, CellKind};

use crate::aligned::Aligned;
use crate::encode::Encoder;
use crate::fixed::LANES;
use crate::kernel::Kernel;
use crate::weights::Layer;

/// For each cell and number of checkers the sum of the weight rows that it switches on.
#[derive(Clone, Debug)]
pub(crate) struct RowTable<T: Copy + Default> {
    /// Length of a row: the width of the layer, padded.
    width: usize,
    /// The layer's biases, the sums of an empty board.
    bias: Aligned<T>,
    /// For each cell its first row, and one entry more for the end.
    first_row: Vec<usize>,
    /// For each cell the row of no checkers.
    zero_row: Vec<u16>,
    /// `[rows, width]`
    rows: Aligned<T>,
}

/// Whether checkers are placed there.
fn is_placed(cell: &Cell) -> bool {
    !matches!(cell.kind, CellKind::Counter | CellKind::Measure)
}

impl RowTable<f32> {
    /// The table of the first `cells` cells of a first layer, its width padded to a multiple of
    /// `lanes`.
    pub(crate) fn new(layer: &Layer, encoder: &Encoder, cells: usize, lanes: usize) -> Self {
        let width = layer.outputs.next_multiple_of(lanes);
        let mut bias = layer.biases.clone();
        bias.resize(width, 0.0);
        let numbers = |cell: &Cell| usize::from(cell.max.abs_diff(cell.min)) + 1;
        let cells = &encoder.cells()[..cells];
        let all = cells.iter().map(numbers).sum::<usize>();
        let mut rows = Aligned::zeros(all * width);
        let mut left = rows.chunks_exact_mut(width);
        let (mut first_row, mut zero_row) = (vec![0], Vec::new());
        for (cell, range) in cells.iter().enumerate() {
            let first = all - left.len();
            let zero = first + usize::from(range.min.min(0).unsigned_abs());
            zero_row.push(u16::try_from(zero).expect("cells of some thousand numbers in all"));
            first_row.push(first + numbers(range));
            for (count, row) in (range.min..=range.max).zip(&mut left) {
                add_features(layer, encoder, (cell, count), row);
            }
        }
        Self { width, bias: Aligned::from(&bias[..]), first_row, zero_row, rows }
    }

    /// A bound on the absolute value of any sum that a position can have. Each side places at
    /// most the checkers that it owns, wherever they count most; the two sides are bounded
    /// apart, and counters and measures take any of their values. `layout` are the cells of the
    /// table, `measures` the rows of others at their largest.
    pub(crate) fn largest_sum(&self, layout: &[Cell], measures: &[Vec<f32>]) -> f32 {
        let owned = layout
            .iter()
            .filter(|cell| is_placed(cell))
            .map(|cell| usize::from(cell.max.unsigned_abs().max(cell.min.unsigned_abs())))
            .max()
            .unwrap_or(0);
        let mut largest = 0.0f32;
        for sign in [1.0, -1.0] {
            let mut bounds: Vec<f32> = self.bias.iter().map(|x| sign * x).collect();
            for side in [1, -1] {
                self.add_placements(layout, owned, side, sign, &mut bounds);
            }
            let rows = |cell: usize| {
                &self.rows[self.first_row[cell] * self.width..self.first_row[cell + 1] * self.width]
            };
            let counters = (0..layout.len()).filter(|cell| !is_placed(&layout[*cell])).map(rows);
            for rows in counters.chain(measures.iter().map(Vec::as_slice)) {
                let mut most = vec![0.0f32; self.width];
                for row in rows.chunks(self.width) {
                    most.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(sign * x));
                }
                bounds.iter_mut().zip(most).for_each(|(bound, most)| *bound += most);
            }
            largest = bounds.into_iter().fold(largest, f32::max);
        }
        largest
    }

    /// Adds to each column's bound the most that one side can contribute to it with at most
    /// `owned` checkers: a knapsack, filled cell by cell.
    fn add_placements(
        &self,
        layout: &[Cell],
        owned: usize,
        side: i8,
        sign: f32,
        bounds: &mut [f32],
    ) {
        // `[owned + 1, width]`: the most with this number of checkers.
        let mut most = vec![0.0f32; (owned + 1) * self.width];
        for (cell, range) in layout.iter().enumerate() {
            let room = if side > 0 { range.max } else { range.min };
            if !is_placed(range) || room.signum() != side {
                continue;
            }
            for placed in (1..=owned).rev() {
                for count in 1..=placed.min(usize::from(room.unsigned_abs())) {
                    let (before, after) = most.split_at_mut(placed * self.width);
                    let before = &before[(placed - count) * self.width..][..self.width];
                    let row = self.row(cell, side * count as i8);
                    for ((after, before), x) in after.iter_mut().zip(before).zip(row) {
                        *after = after.max(before + sign * x);
                    }
                }
            }
        }
        // A side need not place all, and the entries start at zero, so the last is the largest.
        for (bound, most) in bounds.iter_mut().zip(&most[owned * self.width..]) {
            *bound += most;
        }
    }

    /// The table with all numbers scaled and rounded.
    pub(crate) fn scaled(self, scale: f32, kernel: Kernel) -> RowTable<i16> {
        let scaled = |numbers: &[f32]| {
            let mut out = Aligned::zeros(numbers.len());
            kernel.scale(numbers, scale, &mut out);
            out
        };
        let (bias, rows) = (scaled(&self.bias), scaled(&self.rows));
        RowTable {
            width: self.width,
            bias,
            first_row: self.first_row,
            zero_row: self.zero_row,
            rows,
        }
    }
}

/// Adds the weights of the features that a number in a cell switches on.
pub(crate) fn add_features(
    layer: &Layer,
    encoder: &Encoder,
    (cell, count): (usize, i8),
    row: &mut [f32],
) {
    encoder.cell_features(cell, count, |feature, value| {
        let weights = &layer.weights[feature * layer.outputs..][..layer.outputs];
        for (sum, weight) in row.iter_mut().zip(weights) {
            *sum += value * weight;
        }
    });
}

impl<T: Copy + Default> RowTable<T> {
    /// Length of a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Number of cells.
    pub(crate) fn cells(&self) -> usize {
        self.zero_row.len()
    }

    /// The sums of an empty board.
    pub(crate) fn bias(&self) -> &[T] {
        &self.bias
    }

    /// All rows, one after the other.
    pub(crate) fn rows(&self) -> &[T] {
        &self.rows
    }

    /// For each cell the row of no checkers; those of other numbers are beside it.
    pub(crate) fn zero_rows(&self) -> &[u16] {
        &self.zero_row
    }

    /// The row of `count` checkers in `cell`.
    pub(crate) fn row(&self, cell: usize, count: i8) -> &[T] {
        let row = usize::from(self.zero_row[cell].wrapping_add_signed(i16::from(count)));
        &self.rows[row * self.width..][..self.width]
    }
}

/// Rows of a table, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowList {
    /// Those of the list, and behind them room for whole vectors.
    rows: Vec<u16>,
    length: usize,
}

impl RowList {
    /// Empties the list and makes room for `most` rows and a vector more. The kernels fill it and
    /// say [how many](Self::set_length) there are.
    #[inline]
    pub(crate) fn start(&mut self, most: usize) -> &mut [u16] {
        let room = most + LANES;
        if self.rows.len() < room {
            self.rows.resize(room, 0);
        }
        self.length = 0;
        &mut self.rows
    }

    /// # Panics
    ///
    /// If there is no room for as many.
    #[inline]
    pub(crate) fn set_length(&mut self, length: usize) {
        assert!(length <= self.rows.len());
        self.length = length;
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u16] {
        &self.rows[..self.length]
    }
}
