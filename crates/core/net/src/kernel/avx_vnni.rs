//! AVX2 with AVX-VNNI: 16 multiply-adds in one instruction.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use tavola_equity::OutcomeProbs;

pub(super) use super::avx2::list_rows;
use super::avx2::{LANES, at_least, pairs_not_zero};
use super::portable;
use super::vector::{ONES, vector_kernel};
use crate::fixed::{FixedDense, Measures, SUM_LANES};

vector_kernel! {
    features: "avx2,avxvnni,bmi1,bmi2,lzcnt,popcnt",
    lanes: LANES,
    vector: __m256i,
    blocks: [4, 2],
    at_least: at_least,
    zero: _mm256_setzero_si256,
    load: _mm256_loadu_si256,
    store: _mm256_storeu_si256,
    or: _mm256_or_si256,
    broadcast: _mm256_set1_epi32,
    multiply_add: _mm256_dpwssd_avx_epi32,
    pairs_not_zero: pairs_not_zero,
    stretches: [8, 4, 2],
    add: _mm256_add_epi16,
    subtract: _mm256_sub_epi16,
}
