//! The fast forward pass: 16-bit weights and activations, 32-bit sums.
//!
//! Integer sums do not depend on their order, so a position gives exactly the same answer alone
//! and among siblings, in any batch and with any instruction set. How many decisions differ from
//! those of 32-bit floats is measured in `docs/log/speed.md`.
//!
//! # Scales
//!
//! A number `x` is stored as `round(x * scale)`. In the first layer the scale is the largest for
//! which no position can overflow 16 bits. The weights of a later layer are scaled by the largest
//! power of two for which each weight fits 16 bits and no sum overflows 32: in the layer after the
//! first, while the inputs average less than [`MEAN_INPUT`]; in those behind it, ever. Sums are
//! shifted right to be the activations of the next layer, so that these are scaled by at most
//! [`ACTIVATION_SCALE`] and have [`HEADROOM`], and capped at the largest 16-bit number.

use std::mem;

use tavola_equity::OutcomeProbs;
use tavola_rules::CellKind;

use crate::aligned::Aligned;
use crate::encode::Encoder;
use crate::kernel::Kernel;
use crate::table::{RowList, RowTable, add_features};
use crate::weights::{Layer, Weights};

/// The largest scale of activations between later layers.
const ACTIVATION_SCALE: f32 = 512.0;

/// How many times the largest activation that was seen beforehand has room. Long training makes
/// activations of hundreds in positions whose outcome is certain; when they were cut at 64,
/// such positions were misevaluated by whole points, and the error entered the targets.
const HEADROOM: f32 = 3.0;

/// No sum of the first dense layer overflows while the mean over its inputs stays below this; the
/// mean over the inputs of trained networks is about one.
const MEAN_INPUT: f32 = 8.0;

/// What rounding can add to a sum of the first layer: a half for each cell.
const ROUNDING: f32 = 64.0;

/// Widths are padded to this many 16-bit numbers, the widest vector.
pub(crate) const LANES: usize = 32;

/// The sums of the last layer are padded to this many, the widest vector of 32-bit numbers.
pub(crate) const SUM_LANES: usize = LANES / 2;

/// Positions that pass through the layers together.
pub(crate) const BLOCK: usize = 8;

/// A network in 16-bit numbers.
#[derive(Clone, Debug)]
pub(crate) struct FixedNetwork {
    encoder: Encoder,
    /// The first layer's rows of all cells but measures.
    table: RowTable<i16>,
    /// What measures, the last cells if there are any, add to the first layer's sums, each step of
    /// each: many differ between siblings, and most rows of a table would be far from the
    /// processor.
    measures: Option<FixedDense>,
    /// Bits that the products of first-layer units are shifted right by, if there are products.
    products: Option<u32>,
    /// The layers behind the first.
    rest: Vec<FixedDense>,
    kernel: Kernel,
    /// The cells of an empty board.
    empty: Vec<i8>,
}

/// A dense layer in 16-bit numbers.
#[derive(Clone, Debug)]
pub(crate) struct FixedDense {
    /// Number of inputs, padded to whole vectors.
    pub(crate) inputs: usize,
    /// Number of outputs, padded to whole vectors of activations, those of the last layer to whole
    /// vectors of sums.
    pub(crate) outputs: usize,
    /// `[outputs / SUM_LANES, inputs / 2, SUM_LANES, 2]`: two inputs of an output stand together, as
    /// multiply-add instructions want them, and what is read after each other lies side by side.
    pub(crate) weights: Aligned<i16>,
    /// `[outputs]`
    pub(crate) bias: Vec<i32>,
    /// The scale of a sum.
    pub(crate) sum_scale: f32,
    /// Bits that a sum is shifted right by to be an activation.
    pub(crate) shift: u32,
}

/// What measures add to the sums of the first layer.
#[derive(Clone, Copy)]
pub(crate) struct Measures<'a> {
    pub(crate) layer: &'a FixedDense,
    /// `[layer.outputs]`, what is added to each position.
    pub(crate) bias: &'a [i32],
    /// `[positions, layer.inputs]`
    pub(crate) inputs: &'a [i16],
}

/// Working memory of one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct FixedScratch {
    /// The cells that a block starts from, and those at hand, with all that is derived.
    base_cells: Vec<i8>,
    cells: Vec<i8>,
    /// First-layer sums that a block starts from.
    base: Aligned<i16>,
    /// `[inputs]`, the measures that a block starts from, and what they add to the first layer's
    /// sums.
    base_measures: Aligned<i16>,
    measured: Aligned<i32>,
    /// `[BLOCK, inputs]`, by how much measures differ from these.
    measures: Aligned<i16>,
    /// `[BLOCK, inputs]`, the inputs of the layer at hand.
    inputs: Aligned<i16>,
    /// `[BLOCK, inputs]`, activations of the first layer or their products.
    products: Aligned<i16>,
    /// `[BLOCK, outputs]`
    sums: Aligned<i32>,
    /// Pairs of inputs of which at least one position of the block has one above zero.
    active: Vec<u32>,
    /// Rows to add to and to subtract from the base.
    added: RowList,
    removed: RowList,
}

impl FixedNetwork {
    /// `largest` are the largest activations of each hidden layer that positions of the game lead
    /// to, as far as known.
    pub(crate) fn new(
        weights: &Weights,
        encoder: &Encoder,
        largest: &[f32],
        kernel: Kernel,
    ) -> Self {
        let cells = encoder.cells();
        let placed = cells.iter().position(|cell| cell.kind == CellKind::Measure);
        let placed = placed.unwrap_or(cells.len());
        let layer = &weights.layers[0];
        let exact = RowTable::new(layer, encoder, placed, LANES);
        let measured = |count: fn(i8) -> i8| -> Vec<Vec<f32>> {
            let row = |cell: usize| {
                let mut row = vec![0.0; exact.width()];
                add_features(layer, encoder, (cell, count(cells[cell].max)), &mut row);
                row
            };
            (placed..cells.len()).map(row).collect()
        };
        let largest_sum = exact.largest_sum(&cells[..placed], &measured(|most| most));
        let scale = (f32::from(i16::MAX) - ROUNDING) / largest_sum;
        let measures = (placed < cells.len()).then(|| measures(&measured(|_| 1), scale));
        let table = exact.scaled(scale, kernel);
        let products = weights.arch.products.then(|| shift_to(fitting(largest[0]), scale * scale));
        let scale = match products {
            Some(shift) => shifted(scale * scale, shift),
            None => scale,
        };
        let behind = largest.iter().skip(1).copied();
        let rest = dense_layers(&weights.layers[1..], behind, scale);
        let empty = vec![0; table.cells()];
        let encoder = encoder.clone().with_kernel(kernel);
        Self { encoder, table, measures, products, rest, kernel, empty }
    }

    /// Evaluates states from their cells; `base` is what most of them are like, the empty board if
    /// nothing is known.
    pub(crate) fn evaluate<'a>(
        &self,
        base: Option<&[i8]>,
        states: impl IntoIterator<Item = &'a [i8]>,
        scratch: &mut FixedScratch,
        out: &mut Vec<OutcomeProbs>,
    ) {
        let (mut base_cells, mut own_cells) =
            (mem::take(&mut scratch.base_cells), mem::take(&mut scratch.cells));
        let base = match base {
            Some(base) => self.encoder.complete(base, &mut base_cells),
            None => &self.empty,
        };
        self.list_rows(base, &self.empty, scratch);
        let width = self.table.width();
        scratch.base.grow(width);
        self.kernel.sum_rows(
            self.table.bias(),
            self.table.rows(),
            (scratch.added.as_slice(), &[]),
            &mut scratch.base[..width],
        );
        if let Some(layer) = &self.measures {
            // Siblings share most of their measures, and inputs that are zero cost nothing.
            scratch.base_measures.grow(layer.inputs);
            let base_measures = &mut scratch.base_measures[..layer.inputs];
            base_measures.fill(0);
            let measures = base.get(self.table.cells()..).unwrap_or_default();
            let places = base_measures.iter_mut();
            places.zip(measures).for_each(|(place, &measure)| *place = i16::from(measure));
            scratch.measured.grow(layer.outputs);
            let (measured, active) = (&mut scratch.measured[..layer.outputs], &mut scratch.active);
            self.kernel.dense(layer, &layer.bias, 1, base_measures, active, measured);
        }
        let mut filled = 0;
        for cells in states {
            let cells = self.encoder.complete(cells, &mut own_cells);
            self.list_rows(cells, base, scratch);
            if let Some(layer) = &self.measures {
                scratch.measures.grow(BLOCK * layer.inputs);
                let places = scratch.measures[filled * layer.inputs..].iter_mut();
                let measures = cells[self.table.cells()..].iter().zip(scratch.base_measures.iter());
                places
                    .zip(measures)
                    .for_each(|(place, (&measure, base))| *place = i16::from(measure) - base);
            }
            scratch.inputs.grow(BLOCK * width);
            let sums = &mut scratch.inputs[filled * width..][..width];
            let changes = (scratch.added.as_slice(), scratch.removed.as_slice());
            self.kernel.sum_rows(&scratch.base[..width], self.table.rows(), changes, sums);
            filled += 1;
            if filled == BLOCK {
                self.finish(filled, scratch, out);
                filled = 0;
            }
        }
        if filled > 0 {
            self.finish(filled, scratch, out);
        }
        (scratch.base_cells, scratch.cells) = (base_cells, own_cells);
    }

    /// Lists the rows by which the sums of two states differ.
    fn list_rows(&self, cells: &[i8], before: &[i8], scratch: &mut FixedScratch) {
        let cells = [cells, before].map(|cells| &cells[..self.table.cells()]);
        let FixedScratch { added, removed, .. } = scratch;
        self.kernel.list_rows(self.table.zero_rows(), cells, [added, removed]);
    }

    /// From the first-layer sums of a block to its answers.
    fn finish(&self, positions: usize, scratch: &mut FixedScratch, out: &mut Vec<OutcomeProbs>) {
        let mut width = self.table.width();
        let inputs = &mut scratch.inputs[..positions * width];
        match (&self.measures, self.products) {
            (Some(layer), products) => {
                scratch.products.grow(BLOCK * width);
                let (bias, measures) = (&scratch.measured[..layer.outputs], &scratch.measures);
                let inputs_of = &measures[..positions * layer.inputs];
                let measures = Measures { layer, bias, inputs: inputs_of };
                let (active, out) = (&mut scratch.active, &mut scratch.products);
                self.kernel.activate(measures, products, active, inputs, out);
                mem::swap(&mut scratch.inputs, &mut scratch.products);
            }
            (None, products) => {
                self.kernel.rectify(inputs);
                if let Some(shift) = products {
                    scratch.products.grow(BLOCK * width / 2);
                    self.kernel.multiply_halves(width, inputs, shift, &mut scratch.products);
                    mem::swap(&mut scratch.inputs, &mut scratch.products);
                }
            }
        }
        if self.products.is_some() {
            width /= 2;
        }
        for (i, layer) in self.rest.iter().enumerate() {
            scratch.sums.grow(BLOCK * layer.outputs);
            let inputs = &scratch.inputs[..positions * width];
            let sums = &mut scratch.sums[..positions * layer.outputs];
            let bias = &layer.bias;
            self.kernel.dense(layer, bias, positions, inputs, &mut scratch.active, sums);
            if i + 1 < self.rest.len() {
                width = layer.outputs;
                scratch.inputs.grow(BLOCK * width);
                let activations = &mut scratch.inputs[..positions * width];
                self.kernel.narrow(sums, layer.shift, activations);
            } else {
                let scale = layer.sum_scale.recip();
                self.kernel.outcome_probs(layer.outputs, sums, scale, out);
            }
        }
    }
}

/// What each step of each measure adds to the sums of the first layer, whose weights have this scale.
fn measures(rows: &[Vec<f32>], scale: f32) -> FixedDense {
    let outputs = rows[0].len();
    let layer = Layer {
        inputs: rows.len(),
        outputs,
        weights: rows.iter().flatten().map(|x| x * scale).collect(),
        biases: vec![0.0; outputs],
    };
    FixedDense::new(&layer, LANES, 1.0, f32::from(i8::MAX), 1.0)
}

/// The layers behind the first, whose activations have this scale. `largest`: the largest activations
/// of each but the last.
fn dense_layers(
    layers: &[Layer],
    largest: impl Iterator<Item = f32>,
    mut scale: f32,
) -> Vec<FixedDense> {
    let mut input = MEAN_INPUT;
    let dense = |(i, (layer, largest)): (usize, (&Layer, f32))| {
        let lanes = if i + 1 < layers.len() { LANES } else { SUM_LANES };
        let most = fitting(largest).min(ACTIVATION_SCALE);
        let dense = FixedDense::new(layer, lanes, scale, input, most);
        scale = shifted(dense.sum_scale, dense.shift);
        input = f32::from(i16::MAX) / scale;
        dense
    };
    layers.iter().zip(largest.chain([0.0])).enumerate().map(dense).collect()
}

/// The largest scale at which activations up to this one, with [`HEADROOM`], fit 16 bits.
fn fitting(largest: f32) -> f32 {
    f32::from(i16::MAX) / (HEADROOM * largest)
}

/// Bits to shift a sum of this scale right by, so that its scale becomes at most `most`.
fn shift_to(most: f32, scale: f32) -> u32 {
    (scale / most).log2().ceil().clamp(0.0, 30.0) as u32
}

/// The scale of a sum that was shifted right by `shift` bits.
fn shifted(scale: f32, shift: u32) -> f32 {
    scale / (1u32 << shift) as f32
}

impl FixedDense {
    /// Outputs are padded to a multiple of `lanes`. `input` bounds the mean of the inputs, with
    /// `input_scale` to a one; activations that come out are scaled by at most `most`.
    fn new(layer: &Layer, lanes: usize, input_scale: f32, input: f32, most: f32) -> Self {
        let inputs = layer.inputs.next_multiple_of(LANES);
        let outputs = layer.outputs.next_multiple_of(lanes);
        let column = |j: usize| layer.weights[j..].iter().step_by(layer.outputs);
        let largest_weight = layer.weights.iter().fold(0.0, |max: f32, w| max.max(w.abs()));
        let largest_sum = (0..layer.outputs)
            .map(|j| column(j).map(|w| w.abs()).sum::<f32>() * input + layer.biases[j].abs())
            .fold(0.0, f32::max);
        let fits = |bits: &i32| {
            let scale = (*bits as f32).exp2();
            largest_weight * scale <= f32::from(i16::MAX)
                && largest_sum * scale * input_scale <= i32::MAX as f32
        };
        let bits = (-14..=14).rev().find(fits).unwrap_or(-14);
        let scale = (bits as f32).exp2();
        let sum_scale = scale * input_scale;
        let mut weights = vec![0; inputs * outputs];
        for (k, row) in layer.weights.chunks(layer.outputs).enumerate() {
            for (j, weight) in row.iter().enumerate() {
                let pair = j / SUM_LANES * (inputs / 2) + k / 2;
                weights[(pair * SUM_LANES + j % SUM_LANES) * 2 + k % 2] =
                    (weight * scale).round() as i16;
            }
        }
        let mut bias: Vec<i32> =
            layer.biases.iter().map(|b| (b * sum_scale).round() as i32).collect();
        bias.resize(outputs, 0);
        let shift = shift_to(most, sum_scale);
        let weights = Aligned::from(&weights[..]);
        Self { inputs, outputs, weights, bias, sum_scale, shift }
    }

    /// The weights of `width` outputs from `start` on, which lie in one column of [`SUM_LANES`]: each
    /// pair of inputs has those of all its outputs before the next pair, the first of them here.
    #[inline]
    pub(crate) fn column(&self, start: usize, width: usize) -> &[i16] {
        let place = start % SUM_LANES;
        assert!(place + width <= SUM_LANES);
        &self.weights[start / SUM_LANES * SUM_LANES * self.inputs..][..SUM_LANES * self.inputs]
            [2 * place..]
    }
}
