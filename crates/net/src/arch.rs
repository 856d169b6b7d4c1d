//! The shape of a network, as data.

use serde::{Deserialize, Serialize};

/// A fully connected network: inputs of an encoder, hidden layers with rectified linear units,
/// six outputs through a softmax.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arch {
    /// Features of the encoder, the width of the input.
    pub inputs: usize,
    /// Widths of the hidden layers, first to last. At least one.
    pub hidden: Vec<usize>,
}

/// Outputs of every network: the classes of [`tavola_rules::Outcome`].
pub const OUTPUTS: usize = 6;

impl Arch {
    /// `(inputs, outputs)` of each layer, first to last; the last has [`OUTPUTS`] outputs.
    pub fn layers(&self) -> Vec<(usize, usize)> {
        let mut widths = vec![self.inputs];
        widths.extend(&self.hidden);
        widths.push(OUTPUTS);
        widths.windows(2).map(|pair| (pair[0], pair[1])).collect()
    }

    /// Number of weights and biases.
    pub fn parameters(&self) -> usize {
        self.layers().iter().map(|(inputs, outputs)| (inputs + 1) * outputs).sum()
    }
}
