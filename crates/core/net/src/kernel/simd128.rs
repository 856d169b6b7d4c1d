//! WebAssembly with SIMD: eight multiply-adds in two instructions.
#![allow(unsafe_code)]

use std::arch::wasm32::*;

use tavola_equity::OutcomeProbs;

use super::portable;
use super::vector::{ONES, vector_kernel};
use crate::fixed::{FixedDense, Measures, SUM_LANES};
use crate::side::PLACES;
use crate::table::RowList;

/// 16-bit numbers in a vector.
const LANES: usize = 8;

#[target_feature(enable = "simd128")]
pub(super) fn list_rows(zero_rows: &[u16], cells: [&[i8]; 2], lists: [&mut RowList; 2]) {
    portable::list_rows(zero_rows, cells, lists);
}

#[inline]
#[target_feature(enable = "simd128")]
fn zero() -> v128 {
    i32x4_splat(0)
}

/// `sums + ` the products of the pairs.
#[inline]
#[target_feature(enable = "simd128")]
fn multiply_add(sums: v128, both: v128, weights: v128) -> v128 {
    i32x4_add(sums, i32x4_dot_i16x8(both, weights))
}

/// A bit for each pair of numbers that are not both zero.
#[inline]
#[target_feature(enable = "simd128")]
fn pairs_not_zero(numbers: v128) -> u32 {
    u32::from(i32x4_bitmask(i32x4_ne(numbers, zero())))
}

/// Bits of the places with at least `least` checkers.
#[inline]
#[target_feature(enable = "simd128")]
fn at_least(cells: &[i8; PLACES], least: i8) -> u32 {
    let [low, high] = [0, 16].map(|start| {
        // SAFETY: 16 of 32 bytes.
        let cells = unsafe { v128_load(cells[start..].as_ptr().cast()) };
        u32::from(i8x16_bitmask(i8x16_ge(cells, i8x16_splat(least))))
    });
    low | high << 16
}

vector_kernel! {
    features: "simd128",
    lanes: LANES,
    vector: v128,
    blocks: [4, 2],
    at_least: at_least,
    zero: zero,
    load: v128_load,
    store: v128_store,
    or: v128_or,
    broadcast: i32x4_splat,
    multiply_add: multiply_add,
    pairs_not_zero: pairs_not_zero,
    stretches: [8, 4, 2],
    add: i16x8_add,
    subtract: i16x8_sub,
}
