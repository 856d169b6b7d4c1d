//! The inner loops of the fixed-point forward pass, for each instruction set that pays.
//!
//! All paths compute the same integers. [`portable`] is the reference and what processors
//! without a path of their own use.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use crate::fixed::{BLOCK, FixedDense};

/// An instruction set that has its own inner loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Whatever the compiler makes of plain loops.
    Portable,
    /// AVX2.
    Avx2,
    /// AVX-512 with 16-bit dot products (VNNI).
    Avx512,
}

impl Kernel {
    /// The paths that this processor can run, slowest first.
    pub fn available() -> Vec<Self> {
        let mut kernels = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                kernels.push(Self::Avx2);
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Self::Avx512);
            }
        }
        kernels
    }

    /// The fastest path of this processor.
    pub fn best() -> Self {
        *Self::available().last().expect("the portable path is always there")
    }
}

/// Calls the function of that name in the module of the kernel.
macro_rules! dispatch {
    ($kernel:expr, $name:ident($($argument:expr),*)) => {
        match $kernel {
            Kernel::Portable => portable::$name($($argument),*),
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            // SAFETY: a `Kernel` other than portable comes from `available` alone, which has
            // checked that the processor has these instructions.
            Kernel::Avx2 => unsafe { avx2::$name($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            // SAFETY: as above.
            Kernel::Avx512 => unsafe { avx512::$name($($argument),*) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("only x86-64 has other kernels"),
        }
    };
}

impl Kernel {
    /// `out = base + rows at .0 - rows at .1`
    pub(crate) fn sum_rows(
        self,
        base: &[i16],
        rows: &[i16],
        changes: (&[usize], &[usize]),
        out: &mut [i16],
    ) {
        let width = base.len();
        assert_eq!(out.len(), width);
        for &offset in changes.0.iter().chain(changes.1) {
            assert!(offset + width <= rows.len());
        }
        dispatch!(self, sum_rows(base, rows, changes, out));
    }

    /// Sets what is below zero to zero.
    pub(crate) fn rectify(self, values: &mut [i16]) {
        dispatch!(self, rectify(values));
    }

    /// `values += round(sums / 2^shift)`, between zero and the largest 16-bit number.
    pub(crate) fn add_rectified(self, sums: &[i32], shift: u32, values: &mut [i16]) {
        dispatch!(self, add_rectified(sums, shift, values));
    }

    /// `out = round(sums / 2^shift)`, between zero and the largest 16-bit number.
    pub(crate) fn narrow(self, sums: &[i32], shift: u32, out: &mut [i16]) {
        dispatch!(self, narrow(sums, shift, out));
    }

    /// A dense layer for `positions` (at most [`BLOCK`]) positions. `active` is working memory.
    ///
    /// # Shapes
    ///
    /// `inputs`: `[positions, layer.inputs]`, none below zero; `sums`:
    /// `[positions, layer.outputs]`
    pub(crate) fn dense(
        self,
        layer: &FixedDense,
        positions: usize,
        inputs: &[i16],
        active: &mut Vec<u32>,
        sums: &mut [i32],
    ) {
        assert!(positions <= BLOCK);
        assert_eq!(inputs.len(), positions * layer.inputs);
        assert_eq!(sums.len(), positions * layer.outputs);
        assert_eq!(layer.weights.len(), layer.inputs * layer.outputs);
        dispatch!(self, dense(layer, positions, inputs, active, sums));
    }
}
