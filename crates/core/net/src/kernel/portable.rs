//! The reference loops.

use tavola_equity::OutcomeProbs;

use crate::arch::OUTPUTS;
use crate::fixed::{BLOCK, FixedDense, Measures, SUM_LANES};
use crate::side::{PLACES, Side, at_least};
use crate::softmax::softmax_block;
use crate::table::RowList;
use crate::{expert, patterns};

#[inline(always)]
pub(super) fn list_rows(
    zero_rows: &[u16],
    [now, before]: [&[i8]; 2],
    [added, removed]: [&mut RowList; 2],
) {
    let rows = [added.start(now.len()), removed.start(now.len())];
    let mut lengths = [0; 2];
    // Most cells are alike, so eight of them are compared at once.
    for (eight, words) in now.chunks(8).zip(before.chunks(8)).enumerate() {
        let mut different = word(words.0) ^ word(words.1);
        while different != 0 {
            let place = different.trailing_zeros() as usize / 8;
            different &= !(0xff << (8 * place));
            for (list, count) in [words.0[place], words.1[place]].into_iter().enumerate() {
                if count != 0 {
                    let zero = zero_rows[8 * eight + place];
                    rows[list][lengths[list]] = zero.wrapping_add_signed(i16::from(count));
                    lengths[list] += 1;
                }
            }
        }
    }
    added.set_length(lengths[0]);
    removed.set_length(lengths[1]);
}

/// Up to eight cells, the first in the lowest byte.
#[inline]
pub(super) fn word(cells: &[i8]) -> u64 {
    if let Ok(eight) = <[i8; 8]>::try_from(cells) {
        return u64::from_le_bytes(eight.map(|cell| cell as u8));
    }
    cells.iter().rev().fold(0, |word, &cell| word << 8 | u64::from(cell as u8))
}

pub(super) fn sum_rows(
    base: &[i16],
    rows: &[i16],
    (added, removed): (&[u16], &[u16]),
    out: &mut [i16],
) {
    out.copy_from_slice(base);
    for &row in added {
        for (sum, x) in out.iter_mut().zip(&rows[usize::from(row) * base.len()..][..base.len()]) {
            *sum = sum.wrapping_add(*x);
        }
    }
    for &row in removed {
        for (sum, x) in out.iter_mut().zip(&rows[usize::from(row) * base.len()..][..base.len()]) {
            *sum = sum.wrapping_sub(*x);
        }
    }
}

pub(super) fn dense(
    layer: &FixedDense,
    bias: &[i32],
    positions: usize,
    inputs: &[i16],
    active: &mut Vec<u32>,
    sums: &mut [i32],
) {
    for position in 0..positions {
        let inputs = &inputs[position * layer.inputs..][..layer.inputs];
        let sums = &mut sums[position * layer.outputs..][..layer.outputs];
        let pairs = list_active(inputs, active);
        for (start, (sums, bias)) in (0..).step_by(SUM_LANES).zip(
            sums.as_chunks_mut::<SUM_LANES>().0.iter_mut().zip(bias.as_chunks::<SUM_LANES>().0),
        ) {
            *sums = column(layer, start, bias, pairs, active);
        }
    }
}

/// The sums of some outputs from `start` on.
#[inline(always)]
fn column(
    layer: &FixedDense,
    start: usize,
    bias: &[i32; SUM_LANES],
    pairs: &[[i16; 2]],
    active: &[u32],
) -> [i32; SUM_LANES] {
    let (weights, _) = layer.column(start, SUM_LANES).as_chunks::<{ 2 * SUM_LANES }>();
    let mut sums = *bias;
    for &pair in active {
        let ([a, b], weights) = (pairs[pair as usize].map(i32::from), &weights[pair as usize]);
        for (sum, [v, w]) in sums.iter_mut().zip(weights.as_chunks::<2>().0) {
            *sum = sum.wrapping_add(a * i32::from(*v) + b * i32::from(*w));
        }
    }
    sums
}

pub(super) fn activate(
    measures: Measures<'_>,
    products: Option<u32>,
    active: &mut Vec<u32>,
    rows: &[i16],
    out: &mut [i16],
) {
    let Measures { layer, bias, inputs } = measures;
    let (width, half) = (layer.outputs, layer.outputs / 2);
    let out_width = if products.is_some() { half } else { width };
    let (biases, _) = bias.as_chunks::<SUM_LANES>();
    let rows = rows.chunks_exact(width).zip(inputs.chunks_exact(layer.inputs));
    for ((rows, inputs), out) in rows.zip(out.chunks_exact_mut(out_width)) {
        let pairs = list_active(inputs, active);
        for start in (0..half).step_by(SUM_LANES) {
            let sums = [start, start + half]
                .map(|start| column(layer, start, &biases[start / SUM_LANES], pairs, active));
            activate_halves(half, &sums, layer.shift, products, &rows[start..], &mut out[start..]);
        }
    }
}

/// Lists the pairs of inputs that are not both zero.
#[inline(always)]
fn list_active<'a>(inputs: &'a [i16], active: &mut Vec<u32>) -> &'a [[i16; 2]] {
    let (pairs, _) = inputs.as_chunks::<2>();
    active.clear();
    active.extend((0..).zip(pairs).filter(|(_, pair)| **pair != [0, 0]).map(|(i, _)| i));
    pairs
}

// Plain loops that compilers make the best of with whatever instructions they may use.

#[inline(always)]
pub(super) fn scale(numbers: &[f32], scale: f32, out: &mut [i16]) {
    for (out, number) in out.iter_mut().zip(numbers) {
        *out = (number * scale).round() as i16;
    }
}

#[inline(always)]
pub(super) fn rectify(values: &mut [i16]) {
    for value in values {
        *value = (*value).max(0);
    }
}

/// See [`Kernel::activate`](super::Kernel::activate): some units of each half of a position, whose
/// `rows` and `out` begin with the first of them. The second half begins `half` units later.
#[inline(always)]
pub(super) fn activate_halves<const N: usize>(
    half: usize,
    sums: &[[i32; N]; 2],
    shift: u32,
    products: Option<u32>,
    rows: &[i16],
    out: &mut [i16],
) {
    let first = activations(&sums[0], shift, rows);
    let second = activations(&sums[1], shift, &rows[half..]);
    let Some(shift) = products else {
        put(&first, out);
        return put(&second, &mut out[half..]);
    };
    let rounding = (1 << shift) >> 1;
    for ((out, &x), &y) in out[..N].iter_mut().zip(&first).zip(&second) {
        // Two 15-bit numbers and a half of at most 2^29: within 31 bits.
        *out = ((x * y + rounding) >> shift).min(i32::from(i16::MAX)) as i16;
    }
}

/// Rectified sums of rows and of what measures add.
#[inline(always)]
fn activations<const N: usize>(sums: &[i32; N], shift: u32, rows: &[i16]) -> [i32; N] {
    let rounding = (1 << shift) >> 1;
    let mut values = [0; N];
    for ((value, &sum), &row) in values.iter_mut().zip(sums).zip(&rows[..N]) {
        // Far from overflow: what is added keeps within 16 bits.
        let added = sum.wrapping_add(rounding) >> shift;
        *value = i32::from(row).wrapping_add(added).clamp(0, i32::from(i16::MAX));
    }
    values
}

#[inline(always)]
fn put<const N: usize>(values: &[i32; N], out: &mut [i16]) {
    for (out, &value) in out[..N].iter_mut().zip(values) {
        *out = value as i16;
    }
}

#[inline(always)]
pub(super) fn narrow(sums: &[i32], shift: u32, out: &mut [i16]) {
    let half = (1 << shift) >> 1;
    for (out, &sum) in out.iter_mut().zip(sums) {
        *out = (sum.saturating_add(half) >> shift).clamp(0, i32::from(i16::MAX)) as i16;
    }
}

#[inline(always)]
pub(super) fn multiply_halves(width: usize, inputs: &[i16], shift: u32, out: &mut [i16]) {
    let half = (1 << shift) >> 1;
    for (row, out) in inputs.chunks_exact(width).zip(out.chunks_exact_mut(width / 2)) {
        let (first, second) = row.split_at(width / 2);
        for ((out, &x), &y) in out.iter_mut().zip(first).zip(second) {
            // Two 15-bit numbers and a half of at most 2^29: within 31 bits.
            *out = ((i32::from(x) * i32::from(y) + half) >> shift).min(i32::from(i16::MAX)) as i16;
        }
    }
}

#[inline(always)]
pub(super) fn outcome_probs(width: usize, sums: &[i32], scale: f32, out: &mut Vec<OutcomeProbs>) {
    let positions = sums.len() / width;
    assert!(positions <= BLOCK && width >= OUTPUTS);
    let mut logits = [[0.0; BLOCK]; OUTPUTS];
    for (position, sums) in sums.chunks_exact(width).enumerate() {
        for (class, &sum) in logits.iter_mut().zip(sums) {
            class[position] = sum as f32 * scale;
        }
    }
    softmax_block(&mut logits);
    out.extend((0..positions).map(|position| OutcomeProbs(logits.map(|class| class[position]))));
}

#[inline(always)]
pub(super) fn derive_cells(with_expert: bool, cells: &[i8], all: &mut Vec<i8>) {
    derive_by(with_expert, cells, all, at_least);
}

/// As [`derive_cells`], with a kernel's form of [`at_least`].
#[inline(always)]
pub(super) fn derive_by(
    with_expert: bool,
    cells: &[i8],
    all: &mut Vec<i8>,
    at_least: impl Fn(&[i8; PLACES], i8) -> u32 + Copy,
) {
    let sides = Side::both(cells, at_least);
    let shots = Side::both_shots(&sides);
    patterns::append(&sides, &shots, all);
    if with_expert {
        expert::append(&sides, &shots, all);
    }
}
