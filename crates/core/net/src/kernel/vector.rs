//! What the kernels of vectors have in common.

/// Where the ones of a byte are, from its lowest bit on; the entries after them are unused.
pub(super) const ONES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                places[byte][found] = bit as u8;
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    places
};

/// What the kernels of vectors have in common: a dense layer, and the loops that the compiler makes
/// vectors of by itself.
///
/// A vector is as many 16-bit numbers as `lanes` says, or half as many sums of 32 bits. A pass
/// keeps two vectors of sums for each position of a block; `blocks` has their sizes. Rows are added
/// up in `stretches` of as many vectors. `at_least` is
/// [`side::at_least`](crate::side::at_least).
macro_rules! vector_kernel {
    (
        features: $features:literal,
        lanes: $lanes:expr,
        vector: $vector:ident,
        blocks: [$($block:literal),*],
        at_least: $at_least:ident,
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
        /// Sums of 32 bits in a vector.
        const SUMS: usize = $lanes / 2;

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
            let active = list_active(layer.inputs, positions, inputs, active);
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
            let mut start = 0;
            while start < layer.outputs {
                let (sums, next) = (&mut sums[start..], start + SUMS);
                start = if next < layer.outputs {
                    let tile = tile::<N, 2>([start, next], layer, bias, inputs, active);
                    store(layer.outputs, &tile, sums);
                    next + SUMS
                } else {
                    let tile = tile::<N, 1>([start], layer, bias, inputs, active);
                    store(layer.outputs, &tile, sums);
                    next
                };
            }
            N
        }

        /// Puts a tile into rows of this width.
        #[inline]
        #[target_feature(enable = $features)]
        fn store<const N: usize, const T: usize>(
            width: usize,
            tile: &[[[i32; SUMS]; T]; N],
            sums: &mut [i32],
        ) {
            for (row, tile) in sums.chunks_mut(width).zip(tile) {
                row[..SUMS * T].copy_from_slice(tile.as_flattened());
            }
        }

        #[target_feature(enable = $features)]
        pub(super) fn activate(
            measures: Measures<'_>,
            products: Option<u32>,
            active: &mut Vec<u32>,
            rows: &[i16],
            out: &mut [i16],
        ) {
            let Measures { layer, inputs, .. } = measures;
            let positions = rows.len() / layer.outputs;
            let out_width = layer.outputs / if products.is_some() { 2 } else { 1 };
            let active = list_active(layer.inputs, positions, inputs, active);
            let mut first = 0;
            while first < positions {
                let measures = Measures { inputs: &inputs[first * layer.inputs..], ..measures };
                let rows = &rows[first * layer.outputs..];
                let out = &mut out[first * out_width..];
                first += match positions - first {
                    $($block.. => units::<$block>(measures, products, active, rows, out),)*
                    _ => units::<1>(measures, products, active, rows, out),
                };
            }
        }

        /// The units of `N` positions, a vector of each half at a time. Gives `N`.
        #[inline]
        #[target_feature(enable = $features)]
        fn units<const N: usize>(
            Measures { layer, bias, inputs }: Measures<'_>,
            products: Option<u32>,
            active: &[u32],
            rows: &[i16],
            out: &mut [i16],
        ) -> usize {
            let (width, half) = (layer.outputs, layer.outputs / 2);
            let out_width = if products.is_some() { half } else { width };
            for start in (0..half).step_by(SUMS) {
                let tile = tile::<N, 2>([start, start + half], layer, bias, inputs, active);
                for (n, sums) in tile.iter().enumerate() {
                    let rows = &rows[n * width + start..];
                    let out = &mut out[n * out_width + start..];
                    portable::activate_halves(half, sums, layer.shift, products, rows, out);
                }
            }
            N
        }

        /// Lists the pairs of inputs of which at least one position has one that is not zero.
        #[inline]
        #[target_feature(enable = $features)]
        fn list_active<'a>(
            width: usize,
            positions: usize,
            inputs: &[i16],
            active: &'a mut Vec<u32>,
        ) -> &'a [u32] {
            assert!(width.is_multiple_of(LANES) && inputs.len() >= positions * width);
            // Eight are written at a time.
            let room = width / 2 + 8;
            if active.len() < room {
                active.resize(room, 0);
            }
            let mut length = 0;
            for start in (0..width).step_by($lanes) {
                let mut any = $zero();
                for position in 0..positions {
                    // SAFETY: `inputs` is `[positions, width]`, `width` a whole number of vectors.
                    unsafe {
                        let at = inputs.as_ptr().add(position * width + start);
                        any = $or(any, $load(at.cast()));
                    }
                }
                let mask: u32 = $pairs_not_zero(any).into();
                for eight in 0..$lanes.div_ceil(16) {
                    let mask = (mask >> (8 * eight)) as u8;
                    let places = &ONES[usize::from(mask)];
                    let first = (start / 2 + 8 * eight) as u32;
                    let list = &mut active[length..length + 8];
                    for (pair, place) in list.iter_mut().zip(places) {
                        *pair = first + u32::from(*place);
                    }
                    length += mask.count_ones() as usize;
                }
            }
            &active[..length]
        }

        /// The sums of `N` positions for `T` vectors of outputs, of which these are the first.
        #[inline]
        #[target_feature(enable = $features)]
        fn tile<const N: usize, const T: usize>(
            outputs: [usize; T],
            layer: &FixedDense,
            bias: &[i32],
            inputs: &[i16],
            active: &[u32],
        ) -> [[[i32; SUMS]; T]; N] {
            let inputs: [*const i32; N] =
                std::array::from_fn(|n| inputs[n * layer.inputs..][..layer.inputs].as_ptr().cast());
            let mut tile = [[$zero(); T]; N];
            let mut weights = [std::ptr::null::<i32>(); T];
            for t in 0..T {
                let output = outputs[t];
                weights[t] = layer.column(output, SUMS).as_ptr().cast();
                // SAFETY: a vector was cut.
                let bias = unsafe { $load(bias[output..output + SUMS].as_ptr().cast()) };
                for row in &mut tile {
                    row[t] = bias;
                }
            }
            for &pair in active {
                let pair = pair as usize;
                for t in 0..T {
                    // SAFETY: `pair` is below `inputs / 2`, the length of a column in blocks.
                    let weights = unsafe { $load(weights[t].add(pair * SUM_LANES).cast()) };
                    for n in 0..N {
                        // SAFETY: each pointer has `layer.inputs` numbers behind it; an
                        // unaligned read of two of them.
                        let both = unsafe { inputs[n].add(pair).read_unaligned() };
                        tile[n][t] = $multiply_add(tile[n][t], $broadcast(both), weights);
                    }
                }
            }
            // SAFETY: a vector is as many 32-bit numbers.
            let numbers = |sums| unsafe { std::mem::transmute::<$vector, [i32; SUMS]>(sums) };
            tile.map(|row| row.map(numbers))
        }

        #[target_feature(enable = $features)]
        pub(super) fn derive_cells(with_expert: bool, cells: &[i8], all: &mut Vec<i8>) {
            portable::derive_by(with_expert, cells, all, |cells, least| $at_least(cells, least));
        }

        #[target_feature(enable = $features)]
        pub(super) fn scale(numbers: &[f32], scale: f32, out: &mut [i16]) {
            portable::scale(numbers, scale, out);
        }

        #[target_feature(enable = $features)]
        pub(super) fn rectify(values: &mut [i16]) {
            portable::rectify(values);
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

pub(super) use vector_kernel;
