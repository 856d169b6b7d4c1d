//! The inner loops of the forward pass, for each instruction set that pays.
//!
//! Every loop is written once, as a plain function over slices that the compiler vectorises, and
//! compiled again inside functions with `#[target_feature]`; the best that the processor offers
//! is chosen when a layer is run.

use crate::weights::Layer;

/// Numbers in the widest vector: widths are padded to it, so that no loop has a remainder.
const LANES: usize = 16;

/// Outputs that one pass of a dense layer keeps in registers.
const TILE: usize = 64;

/// `width` rounded up to whole vectors.
pub(crate) fn padded(width: usize) -> usize {
    width.next_multiple_of(LANES)
}

/// A fully connected layer, its outputs padded.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    inputs: usize,
    outputs: usize,
    /// `[outputs]`
    bias: Vec<f32>,
    /// `[inputs, outputs]`
    weights: Vec<f32>,
}

impl Dense {
    pub(crate) fn new(layer: &Layer) -> Self {
        let outputs = padded(layer.outputs);
        let mut bias = layer.biases.clone();
        bias.resize(outputs, 0.0);
        let mut weights = Vec::with_capacity(layer.inputs * outputs);
        for row in layer.weights.chunks(layer.outputs) {
            weights.extend_from_slice(row);
            weights.resize(weights.len().next_multiple_of(outputs), 0.0);
        }
        Self { inputs: layer.inputs, outputs, bias, weights }
    }
}

/// `sums += row`
#[inline]
pub(crate) fn add(sums: &mut [f32], row: &[f32]) {
    for (sum, x) in sums.iter_mut().zip(row) {
        *sum += x;
    }
}

/// `sums += added - removed`
#[inline]
pub(crate) fn exchange(sums: &mut [f32], added: &[f32], removed: &[f32]) {
    for ((sum, x), y) in sums.iter_mut().zip(added).zip(removed) {
        *sum += x - y;
    }
}

/// The values between the layers of one position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activations {
    /// The inputs of a layer that are above zero: where and how much.
    active: Vec<(u32, f32)>,
    values: Vec<f32>,
}

impl Activations {
    /// Rectifies `sums` and runs all layers; gives the sums of the last one, padded.
    pub(crate) fn run(&mut self, sums: &[f32], layers: &[Dense]) -> &[f32] {
        self.values.clear();
        self.values.extend_from_slice(sums);
        for layer in layers {
            self.active.clear();
            let values = self.values[..layer.inputs].iter().enumerate();
            self.active.extend(values.filter(|&(_, &x)| x > 0.0).map(|(i, &x)| (i as u32, x)));
            self.values.resize(layer.outputs, 0.0);
            dense(&self.active, layer, &mut self.values);
        }
        &self.values
    }
}

fn dense(active: &[(u32, f32)], layer: &Dense, out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            #[allow(unsafe_code)]
            // SAFETY: the processor has the instructions that the function is compiled for.
            return unsafe { dense_avx512(active, layer, out) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            #[allow(unsafe_code)]
            // SAFETY: as above.
            return unsafe { dense_avx2(active, layer, out) };
        }
    }
    dense_portable::<false>(active, layer, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn dense_avx512(active: &[(u32, f32)], layer: &Dense, out: &mut [f32]) {
    dense_portable::<true>(active, layer, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn dense_avx2(active: &[(u32, f32)], layer: &Dense, out: &mut [f32]) {
    dense_portable::<true>(active, layer, out);
}

/// `out = bias + sum of active inputs times their weight rows`, a tile of outputs at a time.
/// `FUSED` multiplies and adds in one step, which only pays where there is an instruction for it.
#[inline(always)]
fn dense_portable<const FUSED: bool>(active: &[(u32, f32)], layer: &Dense, out: &mut [f32]) {
    let mut start = 0;
    while start + TILE <= layer.outputs {
        tile::<FUSED, TILE>(active, layer, start, out);
        start += TILE;
    }
    while start < layer.outputs {
        tile::<FUSED, LANES>(active, layer, start, out);
        start += LANES;
    }
}

#[inline(always)]
fn tile<const FUSED: bool, const N: usize>(
    active: &[(u32, f32)],
    layer: &Dense,
    start: usize,
    out: &mut [f32],
) {
    let mut sums: [f32; N] = layer.bias[start..start + N].try_into().expect("a whole tile");
    for &(input, x) in active {
        let row: &[f32; N] = layer.weights[input as usize * layer.outputs + start..][..N]
            .try_into()
            .expect("a whole tile");
        for (sum, weight) in sums.iter_mut().zip(row) {
            *sum = if FUSED { x.mul_add(*weight, *sum) } else { x * weight + *sum };
        }
    }
    out[start..start + N].copy_from_slice(&sums);
}
