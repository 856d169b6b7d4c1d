//! The networks that are built into the binary.

use tavola_net::{Weights, WeightsError};

/// The weights file of the network that judges.
const BYTES: &[u8] = include_bytes!("../../../models/default.safetensors");

/// The weights file of the pruning network.
const PRUNING_BYTES: &[u8] = include_bytes!("../../../models/prune.safetensors");

/// The name of the network that judges on the command line.
pub const NAME: &str = "default";

/// The built-in network.
///
/// # Errors
///
/// [`WeightsError`] if the program was built from an unusable file.
pub fn weights() -> Result<Weights, WeightsError> {
    Weights::from_bytes(BYTES)
}

/// The network that thins out what the main one looks at inside a search.
///
/// # Errors
///
/// As [`weights`].
pub fn pruning_weights() -> Result<Weights, WeightsError> {
    Weights::from_bytes(PRUNING_BYTES)
}
