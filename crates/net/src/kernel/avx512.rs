//! AVX-512 with VNNI: 32 multiply-adds an instruction.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::portable;
use crate::fixed::FixedDense;

/// 16-bit numbers in a vector.
const LANES: usize = 32;

/// Vectors of 16 sums that a pass keeps for each position.
const TILE: usize = 2;

/// Vectors of first-layer sums that are kept while the rows go by. A row is then read in stretches
/// of half a kilobyte, which the processor fetches ahead; vector by vector it would jump between
/// dozens of rows.
const STRETCH: usize = 8;

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn sum_rows(base: &[i16], rows: &[i16], changes: (&[usize], &[usize]), out: &mut [i16]) {
    let mut start = 0;
    while start < base.len() {
        start += if base.len() - start >= STRETCH * LANES {
            stretch::<STRETCH>(start, base, rows, changes, out)
        } else {
            stretch::<1>(start, base, rows, changes, out)
        };
    }
}

/// The sums of `N` vectors from `start` on; how many numbers that are.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn stretch<const N: usize>(
    start: usize,
    base: &[i16],
    rows: &[i16],
    (added, removed): (&[usize], &[usize]),
    out: &mut [i16],
) -> usize {
    // SAFETY: widths are padded to whole vectors, `N` of them are left from `start` on, and the
    // caller has checked that `out` is as long as `base` and that each row lies inside `rows`.
    unsafe {
        let mut sums = [_mm512_setzero_si512(); N];
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = _mm512_loadu_si512(base.as_ptr().add(start + i * LANES).cast());
        }
        for &offset in added {
            let row = rows.as_ptr().add(offset + start);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_add_epi16(*sum, _mm512_loadu_si512(row.add(i * LANES).cast()));
            }
        }
        for &offset in removed {
            let row = rows.as_ptr().add(offset + start);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_sub_epi16(*sum, _mm512_loadu_si512(row.add(i * LANES).cast()));
            }
        }
        for (i, sum) in sums.iter().enumerate() {
            _mm512_storeu_si512(out.as_mut_ptr().add(start + i * LANES).cast(), *sum);
        }
    }
    N * LANES
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
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
            8.. => block::<8>(layer, inputs, active, sums),
            4..8 => block::<4>(layer, inputs, active, sums),
            2..4 => block::<2>(layer, inputs, active, sums),
            _ => block::<1>(layer, inputs, active, sums),
        };
    }
}

/// Lists the pairs of inputs of which at least one position has one that is not zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn list_active(width: usize, positions: usize, inputs: &[i16], active: &mut Vec<u32>) {
    active.clear();
    for start in (0..width).step_by(LANES) {
        let mut any = _mm512_setzero_si512();
        for position in 0..positions {
            // SAFETY: `inputs` is `[positions, width]`, and `width` is a number of vectors.
            unsafe {
                let at = inputs.as_ptr().add(position * width + start);
                any = _mm512_or_si512(any, _mm512_loadu_si512(at.cast()));
            }
        }
        let mut mask = _mm512_test_epi32_mask(any, any);
        while mask != 0 {
            active.push(start as u32 / 2 + mask.trailing_zeros());
            mask &= mask - 1;
        }
    }
}

/// `N` positions through the layer, a tile of outputs at a time. Gives `N`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
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
    for start in (0..outputs).step_by(16 * TILE) {
        let mut tile = [[_mm512_setzero_si512(); TILE]; N];
        for t in 0..TILE {
            // SAFETY: outputs, and with them `bias`, are padded to whole tiles.
            let bias =
                unsafe { _mm512_loadu_si512(layer.bias.as_ptr().add(start + 16 * t).cast()) };
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
                    _mm512_loadu_si512(weights.add(pair * outputs + start + 16 * t).cast())
                };
                for n in 0..N {
                    // SAFETY: each pointer has `layer.inputs` numbers behind it; an unaligned
                    // read of two of them.
                    let both = unsafe { inputs[n].add(pair).read_unaligned() };
                    tile[n][t] = _mm512_dpwssd_epi32(tile[n][t], _mm512_set1_epi32(both), weights);
                }
            }
        }
        for (n, row) in tile.iter().enumerate() {
            for (t, &vector) in row.iter().enumerate() {
                // SAFETY: `sums` has `N` rows of `outputs`, checked above.
                unsafe {
                    let at = sums.as_mut_ptr().add(n * outputs + start + 16 * t);
                    _mm512_storeu_si512(at.cast(), vector);
                }
            }
        }
    }
    N
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn rectify(values: &mut [i16]) {
    portable::rectify(values);
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn add_rectified(sums: &[i32], shift: u32, values: &mut [i16]) {
    portable::add_rectified(sums, shift, values);
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn narrow(sums: &[i32], shift: u32, out: &mut [i16]) {
    portable::narrow(sums, shift, out);
}
