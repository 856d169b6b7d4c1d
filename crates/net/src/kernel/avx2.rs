//! AVX2: 16 multiply-adds in two instructions.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::portable;
use crate::fixed::FixedDense;

/// 16-bit numbers in a vector.
const LANES: usize = 16;

/// Vectors of eight sums that a pass keeps for each position.
const TILE: usize = 2;

#[target_feature(enable = "avx2")]
pub(super) fn sum_rows(
    base: &[i16],
    rows: &[i16],
    (added, removed): (&[usize], &[usize]),
    out: &mut [i16],
) {
    for start in (0..base.len()).step_by(LANES) {
        // SAFETY: widths are padded to whole vectors, and the caller has checked that `out` is
        // as long as `base` and that each row lies inside `rows`.
        unsafe {
            let mut sum = _mm256_loadu_si256(base.as_ptr().add(start).cast());
            for &offset in added {
                let row = _mm256_loadu_si256(rows.as_ptr().add(offset + start).cast());
                sum = _mm256_add_epi16(sum, row);
            }
            for &offset in removed {
                let row = _mm256_loadu_si256(rows.as_ptr().add(offset + start).cast());
                sum = _mm256_sub_epi16(sum, row);
            }
            _mm256_storeu_si256(out.as_mut_ptr().add(start).cast(), sum);
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn dense(
    layer: &FixedDense,
    positions: usize,
    inputs: &[i16],
    active: &mut Vec<u32>,
    sums: &mut [i32],
) {
    list_active(layer.inputs, positions, inputs, active);
    let mut first = 0;
    while first < positions {
        let inputs = &inputs[first * layer.inputs..];
        let sums = &mut sums[first * layer.outputs..];
        first += match positions - first {
            4.. => block::<4>(layer, inputs, active, sums),
            2..4 => block::<2>(layer, inputs, active, sums),
            _ => block::<1>(layer, inputs, active, sums),
        };
    }
}

/// Lists the pairs of inputs of which at least one position has one that is not zero.
#[inline]
#[target_feature(enable = "avx2")]
fn list_active(width: usize, positions: usize, inputs: &[i16], active: &mut Vec<u32>) {
    active.clear();
    for start in (0..width).step_by(LANES) {
        let mut any = _mm256_setzero_si256();
        for position in 0..positions {
            // SAFETY: `inputs` is `[positions, width]`, and `width` is a number of vectors.
            unsafe {
                let at = inputs.as_ptr().add(position * width + start);
                any = _mm256_or_si256(any, _mm256_loadu_si256(at.cast()));
            }
        }
        let none = _mm256_cmpeq_epi32(any, _mm256_setzero_si256());
        let mut mask = !_mm256_movemask_ps(_mm256_castsi256_ps(none)) as u32 & 0xff;
        while mask != 0 {
            active.push(start as u32 / 2 + mask.trailing_zeros());
            mask &= mask - 1;
        }
    }
}

/// `N` positions through the layer, a tile of outputs at a time. Gives `N`.
#[inline]
#[target_feature(enable = "avx2")]
#[expect(clippy::needless_range_loop, reason = "the tile is a grid of registers")]
fn block<const N: usize>(
    layer: &FixedDense,
    inputs: &[i16],
    active: &[u32],
    sums: &mut [i32],
) -> usize {
    let outputs = layer.outputs;
    assert!(inputs.len() >= N * layer.inputs && sums.len() >= N * outputs);
    let weights = layer.weights.as_ptr().cast::<i32>();
    let inputs: [*const i32; N] =
        std::array::from_fn(|n| inputs[n * layer.inputs..].as_ptr().cast());
    for start in (0..outputs).step_by(8 * TILE) {
        let mut tile = [[_mm256_setzero_si256(); TILE]; N];
        for t in 0..TILE {
            // SAFETY: outputs, and with them `bias`, are padded to whole tiles.
            let bias = unsafe { _mm256_loadu_si256(layer.bias.as_ptr().add(start + 8 * t).cast()) };
            for row in &mut tile {
                row[t] = bias;
            }
        }
        for &pair in active {
            let pair = pair as usize;
            for t in 0..TILE {
                // SAFETY: `pair` is below `inputs / 2`, so its row of `outputs` pairs of
                // weights lies inside the layer's.
                let weights = unsafe {
                    _mm256_loadu_si256(weights.add(pair * outputs + start + 8 * t).cast())
                };
                for n in 0..N {
                    // SAFETY: each pointer has `layer.inputs` numbers behind it; an unaligned
                    // read of two of them.
                    let both = unsafe { inputs[n].add(pair).read_unaligned() };
                    let products = _mm256_madd_epi16(_mm256_set1_epi32(both), weights);
                    tile[n][t] = _mm256_add_epi32(tile[n][t], products);
                }
            }
        }
        for (n, row) in tile.iter().enumerate() {
            for (t, &vector) in row.iter().enumerate() {
                // SAFETY: `sums` has `N` rows of `outputs`, checked above.
                unsafe {
                    let at = sums.as_mut_ptr().add(n * outputs + start + 8 * t);
                    _mm256_storeu_si256(at.cast(), vector);
                }
            }
        }
    }
    N
}

#[target_feature(enable = "avx2")]
pub(super) fn rectify(values: &mut [i16]) {
    portable::rectify(values);
}

#[target_feature(enable = "avx2")]
pub(super) fn add_rectified(sums: &[i32], shift: u32, values: &mut [i16]) {
    portable::add_rectified(sums, shift, values);
}

#[target_feature(enable = "avx2")]
pub(super) fn narrow(sums: &[i32], shift: u32, out: &mut [i16]) {
    portable::narrow(sums, shift, out);
}
