//! The shape of a network, as data.

use serde::{Deserialize, Serialize};

use crate::weights::WeightsError;

/// A fully connected network: inputs of an encoder, hidden layers with rectified linear units,
/// outputs through a softmax: six in games for two, and one for each player in games for more.
///
/// With [`products`](Self::products) the units of the first hidden layer are multiplied two by
/// two, as in the NNUE networks of chess engines ("pairwise multiplication"): unit `i` of its first
/// half by unit `i` of its second half, both rectified. The second layer gets these products, half
/// as many numbers as the first layer is wide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arch {
    /// Features of the encoder, the width of the input.
    pub inputs: usize,
    /// Widths of the hidden layers, first to last. At least one.
    pub hidden: Vec<usize>,
    /// Whether the second layer gets products of the units of the first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub products: bool,
    /// Numbers of the softmax: [`OUTPUTS`] in games for two, the players in games for more.
    #[serde(default = "six", skip_serializing_if = "is_six")]
    pub outputs: usize,
}

const fn six() -> usize {
    OUTPUTS
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_six(outputs: &usize) -> bool {
    *outputs == OUTPUTS
}

/// The width of a first layer with products is a multiple of this, so that each half of it is
/// whole vectors.
pub const PRODUCT_WIDTH_STEP: usize = 64;

/// The hidden layers of a network that is yet to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden<'a> {
    /// As [`Arch::hidden`].
    pub widths: &'a [usize],
    /// As [`Arch::products`].
    pub products: bool,
}

impl<'a> From<&'a [usize]> for Hidden<'a> {
    /// Without products.
    fn from(widths: &'a [usize]) -> Self {
        Self { widths, products: false }
    }
}

impl<'a, const N: usize> From<&'a [usize; N]> for Hidden<'a> {
    /// Without products.
    fn from(widths: &'a [usize; N]) -> Self {
        widths.as_slice().into()
    }
}

/// The products of a first layer: its first half by its second half, in place of both.
pub(crate) fn multiply_halves(activations: &mut Vec<f32>) {
    let products = activations.len() / 2;
    let (first, second) = activations.split_at_mut(products);
    first.iter_mut().zip(second).for_each(|(x, y)| *x *= *y);
    activations.truncate(products);
}

/// Outputs of the networks of games for two: the classes of [`tavola_rules::Outcome`].
pub const OUTPUTS: usize = 6;

impl Arch {
    /// Refuses products of a first layer that has no two halves of whole vectors.
    pub(crate) fn check_products(&self) -> Result<(), WeightsError> {
        let first = self.hidden.first().copied().unwrap_or(0);
        if !self.products || first.is_multiple_of(PRODUCT_WIDTH_STEP) {
            return Ok(());
        }
        let expected = format!("expected a multiple of {PRODUCT_WIDTH_STEP}");
        let reason = format!("products of the units of a first layer of {first} units, {expected}");
        Err(WeightsError::Foreign { reason })
    }

    /// A network of a game for two with these inputs.
    pub fn new(inputs: usize, hidden: Hidden<'_>) -> Self {
        let Hidden { widths, products } = hidden;
        Self { inputs, hidden: widths.to_vec(), products, outputs: OUTPUTS }
    }

    /// The hidden layers.
    pub fn hidden(&self) -> Hidden<'_> {
        Hidden { widths: &self.hidden, products: self.products }
    }

    /// `(inputs, outputs)` of each layer, first to last; the last has
    /// [`outputs`](Self::outputs).
    pub fn layers(&self) -> Vec<(usize, usize)> {
        let outputs = self.hidden.iter().copied().chain([self.outputs]);
        let first = self.hidden.first().map(|&width| if self.products { width / 2 } else { width });
        let inputs =
            [self.inputs].into_iter().chain(first).chain(self.hidden.iter().skip(1).copied());
        inputs.zip(outputs).collect()
    }

    /// Number of weights and biases.
    pub fn parameters(&self) -> usize {
        self.layers().iter().map(|(inputs, outputs)| (inputs + 1) * outputs).sum()
    }
}
