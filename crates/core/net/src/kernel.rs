//! The inner loops of the fixed-point forward pass, for each instruction set that pays.
//!
//! All paths compute the same integers. [`portable`] is the reference and what processors
//! without a path of their own use.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use std::sync::LazyLock;

use tavola_equity::OutcomeProbs;

use crate::fixed::{BLOCK, FixedDense, LANES, SUM_LANES};
use crate::table::RowList;

/// What the kernels of vectors have in common: a dense layer, and the loops that the compiler makes
/// vectors of by itself.
///
/// A vector is as many 16-bit numbers as `lanes` says, or half as many sums of 32 bits. A pass
/// keeps `tile` vectors of sums for each of up to `blocks` positions. Rows are added up in
/// `stretches` of as many vectors.
#[cfg(target_arch = "x86_64")]
macro_rules! vector_kernel {
    (
        features: $features:literal,
        lanes: $lanes:expr,
        tile: $tile:expr,
        blocks: [$($block:literal),*],
        zero: $zero:ident,
        load: $load:ident,
        store: $store:ident,
        or: $or:ident,
        broadcast: $broadcast:ident,
        multiply_add: $multiply_add:ident,
        pairs_not_zero: $pairs_not_zero:ident,
        stretches: [$($stretch:literal),*],
        add: $add:ident,
        subtract: $subtract:ident,
    ) => {
        #[target_feature(enable = $features)]
        pub(super) fn sum_rows(
            base: &[i16],
            rows: &[i16],
            changes: (&[u16], &[u16]),
            out: &mut [i16],
        ) {
            // The longer a stretch of each row, the better the processor fetches ahead: vector by
            // vector it would jump between dozens of rows.
            let mut start = 0;
            while start < base.len() {
                start += match (base.len() - start) / $lanes {
                    $($stretch.. => stretch::<$stretch>(start, base, rows, changes, out),)*
                    _ => stretch::<1>(start, base, rows, changes, out),
                };
            }
        }

        /// The sums of `N` vectors from `start` on; how many numbers that are.
        #[inline]
        #[target_feature(enable = $features)]
        fn stretch<const N: usize>(
            start: usize,
            base: &[i16],
            rows: &[i16],
            (added, removed): (&[u16], &[u16]),
            out: &mut [i16],
        ) -> usize {
            let width = base.len();
            let part = |row: u16| {
                let from = usize::from(row) * width + start;
                rows[from..from + N * $lanes].as_ptr()
            };
            let (base, out) =
                (&base[start..start + N * $lanes], &mut out[start..start + N * $lanes]);
            let mut sums = [$zero(); N];
            // SAFETY: `N` vectors lie behind each pointer: the slices were cut to that.
            unsafe {
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = $load(base.as_ptr().add(i * $lanes).cast());
                }
                for &row in added {
                    let row = part(row);
                    for (i, sum) in sums.iter_mut().enumerate() {
                        *sum = $add(*sum, $load(row.add(i * $lanes).cast()));
                    }
                }
                for &row in removed {
                    let row = part(row);
                    for (i, sum) in sums.iter_mut().enumerate() {
                        *sum = $subtract(*sum, $load(row.add(i * $lanes).cast()));
                    }
                }
                for (i, sum) in sums.iter().enumerate() {
                    $store(out.as_mut_ptr().add(i * $lanes).cast(), *sum);
                }
            }
            N * $lanes
        }

        #[target_feature(enable = $features)]
        pub(super) fn dense(
            layer: &FixedDense,
            bias: &[i32],
            positions: usize,
            inputs: &[i16],
            active: &mut Vec<u32>,
            sums: &mut [i32],
        ) {
            list_active(layer.inputs, positions, inputs, active);
            let mut first = 0;
            while first < positions {
                let inputs = &inputs[first * layer.inputs..];
                let sums = &mut sums[first * layer.outputs..];
                first += match positions - first {
                    $($block.. => block::<$block>(layer, bias, inputs, active, sums),)*
                    _ => block::<1>(layer, bias, inputs, active, sums),
                };
            }
        }

        /// Lists the pairs of inputs of which at least one position has one that is not zero.
        #[inline]
        #[target_feature(enable = $features)]
        fn list_active(width: usize, positions: usize, inputs: &[i16], active: &mut Vec<u32>) {
            active.clear();
            for start in (0..width).step_by($lanes) {
                let mut any = $zero();
                for position in 0..positions {
                    // SAFETY: `inputs` is `[positions, width]`, and `width` is a number of vectors.
                    unsafe {
                        let at = inputs.as_ptr().add(position * width + start);
                        any = $or(any, $load(at.cast()));
                    }
                }
                let mut mask = $pairs_not_zero(any);
                while mask != 0 {
                    active.push(start as u32 / 2 + mask.trailing_zeros());
                    mask &= mask - 1;
                }
            }
        }

        /// `N` positions through the layer, a tile of outputs at a time. Gives `N`.
        #[inline]
        #[target_feature(enable = $features)]
        fn block<const N: usize>(
            layer: &FixedDense,
            bias: &[i32],
            inputs: &[i16],
            active: &[u32],
            sums: &mut [i32],
        ) -> usize {
            let outputs = layer.outputs;
            assert!(inputs.len() >= N * layer.inputs && sums.len() >= N * outputs);
            assert_eq!(bias.len(), outputs);
            let mut start = 0;
            while start < outputs {
                start += match (outputs - start) / ($lanes / 2) {
                    $tile.. => tile::<N, $tile>(start, layer, bias, inputs, active, sums),
                    _ => tile::<N, 1>(start, layer, bias, inputs, active, sums),
                };
            }
            N
        }

        /// `N` positions to `T` vectors of outputs from `start` on; how many outputs that are.
        #[inline]
        #[target_feature(enable = $features)]
        fn tile<const N: usize, const T: usize>(
            start: usize,
            layer: &FixedDense,
            bias: &[i32],
            inputs: &[i16],
            active: &[u32],
            sums: &mut [i32],
        ) -> usize {
            const SUMS: usize = $lanes / 2;
            let outputs = layer.outputs;
            let weights = layer.weights.as_ptr().cast::<i32>();
            let inputs: [*const i32; N] =
                std::array::from_fn(|n| inputs[n * layer.inputs..].as_ptr().cast());
            let bias = &bias[start..start + SUMS * T];
            let mut tile = [[$zero(); T]; N];
            for t in 0..T {
                // SAFETY: `T` vectors were cut.
                let bias = unsafe { $load(bias.as_ptr().add(SUMS * t).cast()) };
                for row in &mut tile {
                    row[t] = bias;
                }
            }
            for &pair in active {
                let pair = pair as usize;
                for t in 0..T {
                    let at = pair * outputs + start + SUMS * t;
                    // SAFETY: `pair` is below `inputs / 2`, so its row of `outputs` pairs of
                    // weights lies inside the layer's.
                    let weights = unsafe { $load(weights.add(at).cast()) };
                    for n in 0..N {
                        // SAFETY: each pointer has `layer.inputs` numbers behind it; an
                        // unaligned read of two of them.
                        let both = unsafe { inputs[n].add(pair).read_unaligned() };
                        tile[n][t] = $multiply_add(tile[n][t], $broadcast(both), weights);
                    }
                }
            }
            for (n, row) in tile.iter().enumerate() {
                for (t, &vector) in row.iter().enumerate() {
                    // SAFETY: `sums` has `N` rows of `outputs`, which `block` has checked.
                    unsafe {
                        let at = sums.as_mut_ptr().add(n * outputs + start + SUMS * t);
                        $store(at.cast(), vector);
                    }
                }
            }
            SUMS * T
        }

        #[target_feature(enable = $features)]
        pub(super) fn derive_cells(with_expert: bool, cells: &[i8], all: &mut Vec<i8>) {
            portable::derive_cells(with_expert, cells, all);
        }

        #[target_feature(enable = $features)]
        pub(super) fn rectify(values: &mut [i16]) {
            portable::rectify(values);
        }

        #[target_feature(enable = $features)]
        pub(super) fn add_rectified(sums: &[i32], shift: u32, values: &mut [i16]) {
            portable::add_rectified(sums, shift, values);
        }

        #[target_feature(enable = $features)]
        pub(super) fn narrow(sums: &[i32], shift: u32, out: &mut [i16]) {
            portable::narrow(sums, shift, out);
        }

        #[target_feature(enable = $features)]
        pub(super) fn multiply_halves(width: usize, inputs: &[i16], shift: u32, out: &mut [i16]) {
            portable::multiply_halves(width, inputs, shift, out);
        }

        #[target_feature(enable = $features)]
        pub(super) fn outcome_probs(
            width: usize,
            sums: &[i32],
            scale: f32,
            out: &mut Vec<OutcomeProbs>,
        ) {
            portable::outcome_probs(width, sums, scale, out);
        }
    };
}

#[cfg(target_arch = "x86_64")]
use vector_kernel;

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
    /// AVX-512 with 16-bit dot products (VNNI).
    Avx512,
}

impl Kernel {
    /// The paths that this processor can run, slowest first.
    pub fn available() -> Vec<Self> {
        let mut kernels = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            // Whatever has AVX2 has the instructions for bits too.
            let bits = is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            if bits && is_x86_feature_detected!("avx2") {
                kernels.push(Self::Avx2);
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
        kernels
    }

    /// The name that [`KERNEL_VARIABLE`] has for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
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
            Kernel::Avx512 => unsafe { avx512::$name($($argument),*) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("only x86-64 has other kernels"),
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

    #[test]
    fn every_kernel_passes_positions_through_a_dense_layer_alike() {
        let mut rng = rng();
        for (inputs, outputs) in [(LANES, 2 * LANES), (3 * LANES, LANES), (LANES, 3 * SUM_LANES)] {
            let layer = FixedDense {
                inputs,
                outputs,
                weights: Aligned::from(&numbers(&mut rng, inputs * outputs)[..]),
                bias: (0..outputs).map(|_| rng.random_range(-1_000_000..1_000_000)).collect(),
                sum_scale: 1.0,
                shift: 8,
            };
            for positions in 1..=BLOCK {
                let values = activations(&mut rng, positions * inputs);
                all_equal(|kernel| {
                    let (mut active, mut sums) = (Vec::new(), vec![0; positions * outputs]);
                    kernel.dense(&layer, &layer.bias, positions, &values, &mut active, &mut sums);
                    sums
                });
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
            all_equal(|kernel| {
                let mut rectified = values.clone();
                kernel.rectify(&mut rectified);
                let mut added = rectified.clone();
                kernel.add_rectified(&sums, 13, &mut added);
                let (mut narrowed, mut products) = (vec![0; width], vec![0; width]);
                kernel.narrow(&sums, 13, &mut narrowed);
                kernel.multiply_halves(2 * width, &halves, 9, &mut products);
                [rectified, added, narrowed, products]
            });
        }
    }
}
