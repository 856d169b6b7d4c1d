//! The network that is built into the binary.

use tavola_net::{Weights, WeightsError};

/// The weights file that was built in.
const BYTES: &[u8] = include_bytes!("../../../models/default.safetensors");

/// Its name on the command line.
pub const NAME: &str = "default";

/// The built-in network.
///
/// # Errors
///
/// [`WeightsError`] if the program was built from an unusable file.
pub fn weights() -> Result<Weights, WeightsError> {
    Weights::from_bytes(BYTES)
}
