//! AVX-512 with VNNI: 32 multiply-adds an instruction.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{portable, vector_kernel};
use crate::fixed::FixedDense;

/// 16-bit numbers in a vector.
const LANES: usize = 32;

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

/// A bit for each pair of numbers that are not both zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn pairs_not_zero(numbers: __m512i) -> __mmask16 {
    _mm512_test_epi32_mask(numbers, numbers)
}

vector_kernel! {
    features: "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni,bmi1,bmi2,lzcnt,popcnt",
    lanes: LANES,
    tile: 2,
    blocks: [8, 4, 2],
    zero: _mm512_setzero_si512,
    load: _mm512_loadu_si512,
    store: _mm512_storeu_si512,
    or: _mm512_or_si512,
    broadcast: _mm512_set1_epi32,
    multiply_add: _mm512_dpwssd_epi32,
    pairs_not_zero: pairs_not_zero,
}
