//! AVX2: 16 multiply-adds in two instructions.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use tavola_equity::OutcomeProbs;

use super::portable;
use super::vector::{ONES, vector_kernel};
use crate::fixed::{FixedDense, Measures, SUM_LANES};
use crate::side::PLACES;
use crate::table::RowList;

/// 16-bit numbers in a vector.
pub(super) const LANES: usize = 16;

/// Compares eight cells at once and moves the rows of those that differ together.
#[target_feature(enable = "avx2,bmi1,popcnt")]
pub(super) fn list_rows(
    zero_rows: &[u16],
    [now, before]: [&[i8]; 2],
    [added, removed]: [&mut RowList; 2],
) {
    assert!(zero_rows.len() == now.len() && before.len() == now.len());
    let rows = [added.start(now.len()), removed.start(now.len())];
    let mut lengths = [0; 2];
    let eights = now.chunks(8).zip(before.chunks(8)).zip(zero_rows.chunks(8));
    for ((now, before), zero_rows) in eights {
        let counts = [now, before].map(|cells| _mm_cvtsi64_si128(portable::word(cells) as i64));
        let zero: [u16; 8] = zero_rows.try_into().unwrap_or_else(|_| {
            let mut last = [0; 8];
            last[..zero_rows.len()].copy_from_slice(zero_rows);
            last
        });
        // SAFETY: a vector of 16 bytes.
        let zero = unsafe { _mm_loadu_si128(zero.as_ptr().cast()) };
        let same = _mm_cmpeq_epi8(counts[0], counts[1]);
        for list in 0..2 {
            let none = _mm_cmpeq_epi8(counts[list], _mm_setzero_si128());
            let listed = !_mm_movemask_epi8(_mm_or_si128(same, none)) as u8;
            let all = _mm_add_epi16(zero, _mm_cvtepi8_epi16(counts[list]));
            // Each place of a number is two places of bytes.
            let places = i64::from_le_bytes(ONES[usize::from(listed)]);
            let places = _mm_cvtepu8_epi16(_mm_cvtsi64_si128(places));
            let doubled = _mm_mullo_epi16(places, _mm_set1_epi16(0x0202));
            let bytes = _mm_add_epi16(doubled, _mm_set1_epi16(0x0100));
            let together = _mm_shuffle_epi8(all, bytes);
            // SAFETY: lists have room for a vector behind as many rows as there are cells.
            unsafe {
                _mm_storeu_si128(rows[list].as_mut_ptr().add(lengths[list]).cast(), together)
            };
            lengths[list] += listed.count_ones() as usize;
        }
    }
    added.set_length(lengths[0]);
    removed.set_length(lengths[1]);
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
pub(super) fn pairs_not_zero(numbers: __m256i) -> u32 {
    let none = _mm256_cmpeq_epi32(numbers, _mm256_setzero_si256());
    !_mm256_movemask_ps(_mm256_castsi256_ps(none)) as u32 & 0xff
}

/// Bits of the places with at least `least` checkers.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn at_least(cells: &[i8; PLACES], least: i8) -> u32 {
    // SAFETY: a vector of 32 bytes.
    let cells = unsafe { _mm256_loadu_si256(cells.as_ptr().cast()) };
    _mm256_movemask_epi8(_mm256_cmpgt_epi8(cells, _mm256_set1_epi8(least - 1))) as u32
}

/// The kernel of vectors of 256 bits with these instructions, which multiplies and adds so.
macro_rules! kernel_of_256 {
    ($features:literal, $multiply_add:ident) => {
        vector_kernel! {
            features: $features,
            lanes: LANES,
            vector: __m256i,
            blocks: [4, 2],
            at_least: at_least,
            zero: _mm256_setzero_si256,
            load: _mm256_loadu_si256,
            store: _mm256_storeu_si256,
            or: _mm256_or_si256,
            broadcast: _mm256_set1_epi32,
            multiply_add: $multiply_add,
            pairs_not_zero: pairs_not_zero,
            stretches: [8, 4, 2],
            add: _mm256_add_epi16,
            subtract: _mm256_sub_epi16,
        }
    };
}

pub(super) use kernel_of_256;

kernel_of_256!("avx2,bmi1,bmi2,lzcnt,popcnt", multiply_add);
