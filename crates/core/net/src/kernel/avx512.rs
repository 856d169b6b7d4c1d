//! AVX-512 with VNNI: 32 multiply-adds an instruction.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use tavola_equity::OutcomeProbs;

use super::portable;
use super::vector::{ONES, vector_kernel};
use crate::fixed::{FixedDense, Measures, SUM_LANES};
use crate::side::PLACES;
use crate::table::RowList;

/// 16-bit numbers in a vector.
const LANES: usize = 32;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
pub(super) fn list_rows(zero_rows: &[u16], cells: [&[i8]; 2], lists: [&mut RowList; 2]) {
    if is_x86_feature_detected!("avx512vbmi2") {
        // SAFETY: the processor has this, and the caller has checked that it has the others.
        unsafe { compress_rows(zero_rows, cells, lists) }
    } else {
        portable::list_rows(zero_rows, cells, lists);
    }
}

/// Compares 32 cells at once and moves the rows of those that differ together.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
fn compress_rows(
    zero_rows: &[u16],
    [now, before]: [&[i8]; 2],
    [added, removed]: [&mut RowList; 2],
) {
    assert!(zero_rows.len() == now.len() && before.len() == now.len());
    let rows = [added.start(now.len()), removed.start(now.len())];
    let mut lengths = [0; 2];
    for start in (0..now.len()).step_by(LANES) {
        let mask = u32::MAX >> (LANES - (now.len() - start).min(LANES));
        // SAFETY: the mask leaves out what is behind the ends of the three. Lists have room for a
        // vector behind as many rows as there are cells.
        unsafe {
            let zero = _mm512_maskz_loadu_epi16(mask, zero_rows.as_ptr().add(start).cast());
            let counts =
                [now, before].map(|cells| _mm256_maskz_loadu_epi8(mask, cells.as_ptr().add(start)));
            let different = _mm256_cmpneq_epi8_mask(counts[0], counts[1]);
            for list in 0..2 {
                let listed = different & _mm256_test_epi8_mask(counts[list], counts[list]);
                let all = _mm512_add_epi16(zero, _mm512_cvtepi8_epi16(counts[list]));
                let together = _mm512_maskz_compress_epi16(listed, all);
                _mm512_storeu_si512(rows[list].as_mut_ptr().add(lengths[list]).cast(), together);
                lengths[list] += listed.count_ones() as usize;
            }
        }
    }
    added.set_length(lengths[0]);
    removed.set_length(lengths[1]);
}

/// A bit for each pair of numbers that are not both zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn pairs_not_zero(numbers: __m512i) -> __mmask16 {
    _mm512_test_epi32_mask(numbers, numbers)
}

/// Bits of the places with at least `least` checkers.
#[inline]
#[target_feature(enable = "avx512bw,avx512vl")]
fn at_least(cells: &[i8; PLACES], least: i8) -> u32 {
    // SAFETY: a vector of 32 bytes.
    let cells = unsafe { _mm256_loadu_si256(cells.as_ptr().cast()) };
    _mm256_cmpge_epi8_mask(cells, _mm256_set1_epi8(least))
}

vector_kernel! {
    features: "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni,bmi1,bmi2,lzcnt,popcnt",
    lanes: LANES,
    vector: __m512i,
    blocks: [8, 4, 2],
    at_least: at_least,
    zero: _mm512_setzero_si512,
    load: _mm512_loadu_si512,
    store: _mm512_storeu_si512,
    or: _mm512_or_si512,
    broadcast: _mm512_set1_epi32,
    multiply_add: _mm512_dpwssd_epi32,
    pairs_not_zero: pairs_not_zero,
    // 32 registers hold the sums of 24 vectors.
    stretches: [24, 8, 4, 2],
    add: _mm512_add_epi16,
    subtract: _mm512_sub_epi16,
}
