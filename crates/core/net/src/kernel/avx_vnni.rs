//! AVX2 with AVX-VNNI: 16 multiply-adds in one instruction.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use tavola_equity::OutcomeProbs;

pub(super) use super::avx2::list_rows;
use super::avx2::{LANES, at_least, kernel_of_256, pairs_not_zero};
use super::portable;
use super::vector::{ONES, vector_kernel};
use crate::fixed::{FixedDense, Measures, SUM_LANES};

kernel_of_256!("avx2,avxvnni,bmi1,bmi2,lzcnt,popcnt", _mm256_dpwssd_avx_epi32);
