//! The inner loops of the fixed-point forward pass, for each instruction set that pays.
//!
//! All kernels compute the same integers. [`portable`] is the reference and what processors
//! without a kernel of their own use.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx_vnni;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod vector;

use std::sync::LazyLock;

use tavola_equity::OutcomeProbs;

use crate::fixed::{BLOCK, FixedDense, LANES, Measures, SUM_LANES};
use crate::table::RowList;

/// The environment variable that names the kernel to use in place of the fastest one. The answers
/// are the same.
pub const KERNEL_VARIABLE: &str = "TAVOLA_KERNEL";

/// A name of no kernel, or of one that this processor can't run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{KERNEL_VARIABLE} is {found:?}, expected one that this processor supports: {}",
    Kernel::available().iter().map(|kernel| kernel.name()).collect::<Vec<_>>().join(", ")
)]
pub struct UnusableKernel {
    found: String,
}

/// An instruction set that has its own inner loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Whatever the compiler makes of plain loops.
    Portable,
    /// AVX2.
    Avx2,
    /// AVX2 with 16-bit dot products (AVX-VNNI).
    AvxVnni,
    /// AVX-512 with 16-bit dot products (VNNI).
    Avx512,
    /// NEON.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// WebAssembly with SIMD, where the program was compiled for that.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

impl Kernel {
    /// The kernels that this processor can run, slowest first.
    pub fn available() -> Vec<Self> {
        let mut kernels = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            // The kernels are compiled with these; every known processor with AVX2 has them.
            let bits = is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            if bits && is_x86_feature_detected!("avx2") {
                kernels.push(Self::Avx2);
                if is_x86_feature_detected!("avxvnni") {
                    kernels.push(Self::AvxVnni);
                }
            }
            if bits
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Self::Avx512);
            }
        }
        #[cfg(target_arch = "aarch64")]
        kernels.push(Self::Neon);
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        kernels.push(Self::Simd128);
        kernels
    }

    /// The name that [`KERNEL_VARIABLE`] has for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::AvxVnni => "avx-vnni",
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => "simd128",
        }
    }

    /// The path that networks are evaluated with: the fastest of this processor, unless
    /// [`KERNEL_VARIABLE`] names another one.
    ///
    /// # Errors
    ///
    /// [`UnusableKernel`] if the variable names none of [`available`](Self::available).
    pub fn in_use() -> Result<Self, UnusableKernel> {
        static IN_USE: LazyLock<Result<Kernel, UnusableKernel>> =
            LazyLock::new(|| match std::env::var_os(KERNEL_VARIABLE) {
                Some(name) if !name.is_empty() => Kernel::named(&name.to_string_lossy()),
                _ => Ok(*Kernel::available().last().expect("the portable path is always there")),
            });
        IN_USE.clone()
    }

    fn named(name: &str) -> Result<Self, UnusableKernel> {
        let found = Self::available().into_iter().find(|kernel| kernel.name() == name);
        found.ok_or_else(|| UnusableKernel { found: name.to_owned() })
    }
}

/// Calls the function of that name in the module of the kernel.
macro_rules! dispatch {
    ($kernel:expr, $name:ident($($argument:expr),*)) => {
        match $kernel {
            Kernel::Portable => portable::$name($($argument),*),
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            // SAFETY: whoever makes a network asks for `in_use` or is asserted, in
            // `Network::with_kernel`, to ask for one of `available`: the processor has these
            // instructions.
            Kernel::Avx2 => unsafe { avx2::$name($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            // SAFETY: as above.
            Kernel::AvxVnni => unsafe { avx_vnni::$name($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            // SAFETY: as above.
            Kernel::Avx512 => unsafe { avx512::$name($($argument),*) },
            #[cfg(target_arch = "aarch64")]
            #[allow(unsafe_code)]
            // SAFETY: every processor of this architecture has NEON.
            Kernel::Neon => unsafe { neon::$name($($argument),*) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => simd128::$name($($argument),*),
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("only x86-64 has AVX"),
        }
    };
}

impl Kernel {
    /// Appends to `all` what the `patterns` encoder derives from the cells of a backgammon board, and
    /// with `with_expert` what `expert` adds.
    pub(crate) fn derive_cells(self, with_expert: bool, cells: &[i8], all: &mut Vec<i8>) {
        dispatch!(self, derive_cells(with_expert, cells, all));
    }

    /// Lists the rows by which the first-layer sums of two states differ: those of the first one's
    /// cells, to be added, and those of the second one's, to be subtracted.
    ///
    /// # Shapes
    ///
    /// `zero_rows` and both `cells`: `[cells]`
    pub(crate) fn list_rows(self, zero_rows: &[u16], cells: [&[i8]; 2], lists: [&mut RowList; 2]) {
        assert!(cells.iter().all(|cells| cells.len() == zero_rows.len()));
        dispatch!(self, list_rows(zero_rows, cells, lists));
    }

    /// `out = base + rows of .0 - rows of .1`
    ///
    /// # Shapes
    ///
    /// `base` and `out`: `[width]`; `rows`: `[rows, width]`
    ///
    /// # Panics
    ///
    /// If there is no row of one of the numbers.
    pub(crate) fn sum_rows(
        self,
        base: &[i16],
        rows: &[i16],
        changes: (&[u16], &[u16]),
        out: &mut [i16],
    ) {
        assert!(base.len().is_multiple_of(LANES));
        assert_eq!(out.len(), base.len());
        dispatch!(self, sum_rows(base, rows, changes, out));
    }

    /// `out = round(numbers * scale)`, as far as 16 bits go.
    pub(crate) fn scale(self, numbers: &[f32], scale: f32, out: &mut [i16]) {
        assert_eq!(out.len(), numbers.len());
        dispatch!(self, scale(numbers, scale, out));
    }

    /// Sets what is below zero to zero.
    pub(crate) fn rectify(self, values: &mut [i16]) {
        dispatch!(self, rectify(values));
    }

    /// `out = round(sums / 2^shift)`, between zero and the largest 16-bit number.
    pub(crate) fn narrow(self, sums: &[i32], shift: u32, out: &mut [i16]) {
        dispatch!(self, narrow(sums, shift, out));
    }

    /// For each row of `width` inputs, none below zero, the products of its first half by its
    /// second: `out = round(first * second / 2^shift)`, up to the largest 16-bit number.
    ///
    /// # Shapes
    ///
    /// `inputs`: `[positions, width]`; `out`: at least `[positions, width / 2]`
    pub(crate) fn multiply_halves(self, width: usize, inputs: &[i16], shift: u32, out: &mut [i16]) {
        assert!(out.len() >= inputs.len() / 2);
        dispatch!(self, multiply_halves(width, inputs, shift, out));
    }

    /// Appends to `out` the softmax of the last layer's sums, multiplied by `scale`, of each of at
    /// most [`BLOCK`] positions.
    ///
    /// # Shapes
    ///
    /// `sums`: `[positions, width]`, of which the first numbers of each row are the classes
    pub(crate) fn outcome_probs(
        self,
        width: usize,
        sums: &[i32],
        scale: f32,
        out: &mut Vec<OutcomeProbs>,
    ) {
        dispatch!(self, outcome_probs(width, sums, scale, out));
    }

    /// A dense layer for `positions` (at most [`BLOCK`]) positions, with `bias` in the place of its
    /// own. `active` is working memory.
    ///
    /// # Shapes
    ///
    /// `bias`: `[layer.outputs]`; `inputs`: `[positions, layer.inputs]`; `sums`:
    /// `[positions, layer.outputs]`
    pub(crate) fn dense(
        self,
        layer: &FixedDense,
        bias: &[i32],
        positions: usize,
        inputs: &[i16],
        active: &mut Vec<u32>,
        sums: &mut [i32],
    ) {
        assert!(positions <= BLOCK);
        assert!(layer.inputs.is_multiple_of(LANES) && layer.outputs.is_multiple_of(SUM_LANES));
        assert_eq!(bias.len(), layer.outputs);
        assert_eq!(inputs.len(), positions * layer.inputs);
        assert_eq!(sums.len(), positions * layer.outputs);
        assert_eq!(layer.weights.len(), layer.inputs * layer.outputs);
        dispatch!(self, dense(layer, bias, positions, inputs, active, sums));
    }

    /// The rectified sums of the first layer: `rows` and what measures add, rounded to `2^-shift` of
    /// their sums. With `products` those of the first half by the second, shifted right by as many
    /// bits. `active` is working memory.
    ///
    /// # Shapes
    ///
    /// `rows`: `[positions, width]`; `out`: at least the same, or half as wide
    pub(crate) fn activate(
        self,
        measures: Measures<'_>,
        products: Option<u32>,
        active: &mut Vec<u32>,
        rows: &[i16],
        out: &mut [i16],
    ) {
        let width = measures.layer.outputs;
        assert!(width.is_multiple_of(2 * SUM_LANES) && measures.bias.len() == width);
        assert!(rows.len().is_multiple_of(width) && rows.len() <= BLOCK * width);
        dispatch!(self, activate(measures, products, active, rows, out));
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::aligned::Aligned;

    /// Widths of one vector up to stretches of all lengths.
    const WIDTHS: [usize; 5] = [LANES, 2 * LANES, 3 * LANES, 11 * LANES, 39 * LANES];

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(11)
    }

    fn numbers(rng: &mut ChaCha8Rng, length: usize) -> Vec<i16> {
        (0..length).map(|_| rng.random()).collect()
    }

    /// Activations: none below zero, and mostly zeros.
    fn activations(rng: &mut ChaCha8Rng, length: usize) -> Vec<i16> {
        let sparse = |x: i16| if x % 4 == 0 { x.max(0) } else { 0 };
        numbers(rng, length).into_iter().map(sparse).collect()
    }

    /// What each kernel of this processor makes of the same input, the portable one first.
    fn all_equal<T: PartialEq + std::fmt::Debug>(compute: impl Fn(Kernel) -> T) {
        let expected = compute(Kernel::Portable);
        for kernel in Kernel::available() {
            assert_eq!(compute(kernel), expected, "{kernel:?}");
        }
    }

    #[test]
    fn kernels_are_named_and_others_are_refused() {
        for kernel in Kernel::available() {
            assert_eq!(Kernel::named(kernel.name()), Ok(kernel));
        }
        let refused = Kernel::named("sse2").unwrap_err().to_string();
        assert!(refused.contains("\"sse2\", expected"), "{refused}");
        assert!(refused.contains("supports: portable"), "{refused}");
    }

    #[test]
    fn every_kernel_lists_rows_alike() {
        let mut rng = rng();
        for cells in [1, 28, 31, 32, 33, 54, 100] {
            let zero_rows: Vec<u16> = (0..cells as u16).map(|cell| 40 * cell + 15).collect();
            let mut some = |most: i8| -> Vec<i8> {
                let cell = |_| if rng.random() { rng.random_range(-most..=most) } else { 0 };
                (0..cells).map(cell).collect()
            };
            let (now, before) = (some(15), some(15));
            all_equal(|kernel| {
                let [mut added, mut removed] = [RowList::default(), RowList::default()];
                kernel.list_rows(&zero_rows, [&now, &before], [&mut added, &mut removed]);
                [added, removed].map(|list| list.as_slice().to_vec())
            });
        }
    }

    #[test]
    fn every_kernel_sums_rows_alike() {
        let mut rng = rng();
        for width in WIDTHS {
            let (base, rows) = (numbers(&mut rng, width), numbers(&mut rng, 3 * width));
            all_equal(|kernel| {
                let mut out = vec![0; width];
                kernel.sum_rows(&base, &rows, (&[0, 2], &[1]), &mut out);
                out
            });
        }
    }

    fn layer(rng: &mut ChaCha8Rng, inputs: usize, outputs: usize) -> FixedDense {
        FixedDense {
            inputs,
            outputs,
            weights: Aligned::from(&numbers(rng, inputs * outputs)[..]),
            bias: (0..outputs).map(|_| rng.random_range(-1_000_000..1_000_000)).collect(),
            sum_scale: 1.0,
            shift: 8,
        }
    }

    #[test]
    fn every_kernel_passes_positions_through_a_dense_layer_alike() {
        let mut rng = rng();
        for (inputs, outputs) in [(LANES, 2 * LANES), (3 * LANES, LANES), (LANES, 3 * SUM_LANES)] {
            let layer = layer(&mut rng, inputs, outputs);
            for positions in 1..=BLOCK {
                // Measures of the first layer may be below zero.
                let values = match positions % 2 {
                    0 => activations(&mut rng, positions * inputs),
                    _ => numbers(&mut rng, positions * inputs),
                };
                all_equal(|kernel| {
                    let (mut active, mut sums) = (Vec::new(), vec![0; positions * outputs]);
                    kernel.dense(&layer, &layer.bias, positions, &values, &mut active, &mut sums);
                    sums
                });
            }
        }
    }

    #[test]
    fn every_kernel_adds_measures_to_the_first_layer_alike() {
        let mut rng = rng();
        for (inputs, width) in [(LANES, LANES), (2 * LANES, 6 * LANES)] {
            let layer = layer(&mut rng, inputs, width);
            for positions in 1..=BLOCK {
                let steps = |_| if rng.random() { rng.random_range(-48..=48) } else { 0 };
                let measured: Vec<i16> = (0..positions * inputs).map(steps).collect();
                let rows = numbers(&mut rng, positions * width);
                let measures = Measures { layer: &layer, bias: &layer.bias, inputs: &measured };
                for products in [None, Some(9)] {
                    all_equal(|kernel| {
                        let (mut active, mut out) = (Vec::new(), vec![0; rows.len()]);
                        kernel.activate(measures, products, &mut active, &rows, &mut out);
                        out
                    });
                }
            }
        }
    }

    #[test]
    fn every_kernel_makes_activations_of_sums_alike() {
        let mut rng = rng();
        for width in WIDTHS {
            let sums: Vec<i32> = (0..width).map(|_| rng.random_range(-1 << 28..1 << 28)).collect();
            let values = numbers(&mut rng, width);
            let halves = activations(&mut rng, 2 * width);
            // Halves are rounded away from zero, and what is beyond 16 bits is the last number.
            let parts: Vec<f32> = values.iter().map(|x| f32::from(*x) * 0.5 + 0.25).collect();
            all_equal(|kernel| {
                let mut rectified = values.clone();
                kernel.rectify(&mut rectified);
                let mut scaled = vec![0; width];
                kernel.scale(&parts, 2.5, &mut scaled);
                let (mut narrowed, mut products) = (vec![0; width], vec![0; width]);
                kernel.narrow(&sums, 13, &mut narrowed);
                kernel.multiply_halves(2 * width, &halves, 9, &mut products);
                [rectified, scaled, narrowed, products]
            });
        }
    }
}
