//! AVX2: 16 multiply-adds in two instructions.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use tavola_equity::OutcomeProbs;

use super::portable;
use super::vector::{PLACES, vector_kernel};
use crate::fixed::{FixedDense, Measures, SUM_LANES};
use crate::table::RowList;

/// 16-bit numbers in a vector.
const LANES: usize = 16;

#[target_feature(enable = "avx2,bmi1")]
pub(super) fn list_rows(zero_rows: &[u16], cells: [&[i8]; 2], lists: [&mut RowList; 2]) {
    portable::list_rows(zero_rows, cells, lists);
}

/// `sums + ` the products of the pairs.
#[inline]
#[target_feature(enable = "avx2")]
fn multiply_add(sums: __m256i, both: __m256i, weights: __m256i) -> __m256i {
    _mm256_add_epi32(sums, _mm256_madd_epi16(both, weights))
}

/// A bit for each pair of numbers that are not both zero.
#[inline]
#[target_feature(enable = "avx2")]
fn pairs_not_zero(numbers: __m256i) -> u32 {
    let none = _mm256_cmpeq_epi32(numbers, _mm256_setzero_si256());
    !_mm256_movemask_ps(_mm256_castsi256_ps(none)) as u32 & 0xff
}

vector_kernel! {
    features: "avx2,bmi1,bmi2,lzcnt,popcnt",
    lanes: LANES,
    vector: __m256i,
    blocks: [4, 2],
    zero: _mm256_setzero_si256,
    load: _mm256_loadu_si256,
    store: _mm256_storeu_si256,
    or: _mm256_or_si256,
    broadcast: _mm256_set1_epi32,
    multiply_add: multiply_add,
    pairs_not_zero: pairs_not_zero,
    stretches: [8, 4, 2],
    add: _mm256_add_epi16,
    subtract: _mm256_sub_epi16,
}
