//! The weights file.

use std::collections::BTreeMap;

use crate::arch::Arch;
use crate::encode::EncoderKind;

/// A network at rest: everything that a weights file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The [`id`](tavola_rules::Game::id) of the game that the network judges.
    pub game: String,
    /// The feature set of its inputs.
    pub encoder: EncoderKind,
    /// Its shape.
    pub arch: Arch,
    /// Its layers, first to last, as many as [`Arch::layers`] says and with those shapes.
    pub layers: Vec<Layer>,
    /// How it was trained, as free text by key: run, config, seed, games, wall time, commit.
    pub training: BTreeMap<String, String>,
}

/// One fully connected layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// # Shapes
    ///
    /// `[inputs, outputs]`, row-major.
    pub weights: Vec<f32>,
    /// # Shapes
    ///
    /// `[outputs]`
    pub biases: Vec<f32>,
}

/// Why a weights file can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {}
