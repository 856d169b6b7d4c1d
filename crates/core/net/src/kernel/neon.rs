//! NEON, which every 64-bit ARM processor has: eight multiply-adds in two instructions.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use tavola_equity::OutcomeProbs;

use super::portable;
use super::vector::{ONES, vector_kernel};
use crate::fixed::{FixedDense, Measures, SUM_LANES};
use crate::side::PLACES;
use crate::table::RowList;

/// 16-bit numbers in a vector.
const LANES: usize = 8;

#[target_feature(enable = "neon")]
pub(super) fn list_rows(zero_rows: &[u16], cells: [&[i8]; 2], lists: [&mut RowList; 2]) {
    portable::list_rows(zero_rows, cells, lists);
}

#[inline]
#[target_feature(enable = "neon")]
fn zero() -> int32x4_t {
    vdupq_n_s32(0)
}

/// `sums + ` the products of the pairs. NEON adds no neighbors while it multiplies, so the weights
/// of the first inputs and of the second ones are taken apart; the compiler does that once for all
/// positions of a block.
#[inline]
#[target_feature(enable = "neon")]
fn multiply_add(sums: int32x4_t, both: int32x4_t, weights: int32x4_t) -> int32x4_t {
    let both = vreinterpret_s16_s32(vget_low_s32(both));
    let sums = vmlal_lane_s16::<0>(sums, vmovn_s32(weights), both);
    vmlal_lane_s16::<1>(sums, vshrn_n_s32::<16>(weights), both)
}

/// A bit for each pair of numbers that are not both zero.
#[inline]
#[target_feature(enable = "neon")]
fn pairs_not_zero(numbers: int32x4_t) -> u32 {
    // SAFETY: a vector of four numbers.
    let bits = unsafe { vld1q_u32([1, 2, 4, 8].as_ptr()) };
    vaddvq_u32(vandq_u32(vtstq_s32(numbers, numbers), bits))
}

/// Bits of the places with at least `least` checkers.
#[inline]
#[target_feature(enable = "neon")]
fn at_least(cells: &[i8; PLACES], least: i8) -> u32 {
    // SAFETY: a vector of eight bytes.
    let bits = unsafe { vld1_u8([1, 2, 4, 8, 16, 32, 64, 128].as_ptr()) };
    let bytes = [0, 8, 16, 24].map(|start| {
        // SAFETY: 8 of 32 bytes.
        let cells = unsafe { vld1_s8(cells[start..].as_ptr()) };
        vaddv_u8(vand_u8(vcge_s8(cells, vdup_n_s8(least)), bits))
    });
    u32::from_le_bytes(bytes)
}

#[inline]
#[target_feature(enable = "neon")]
fn add(a: int32x4_t, b: int32x4_t) -> int32x4_t {
    vreinterpretq_s32_s16(vaddq_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)))
}

#[inline]
#[target_feature(enable = "neon")]
fn subtract(a: int32x4_t, b: int32x4_t) -> int32x4_t {
    vreinterpretq_s32_s16(vsubq_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)))
}

vector_kernel! {
    features: "neon",
    lanes: LANES,
    vector: int32x4_t,
    blocks: [8, 4, 2],
    at_least: at_least,
    zero: zero,
    load: vld1q_s32,
    store: vst1q_s32,
    or: vorrq_s32,
    broadcast: vdupq_n_s32,
    multiply_add: multiply_add,
    pairs_not_zero: pairs_not_zero,
    stretches: [16, 8, 4, 2],
    add: add,
    subtract: subtract,
}
