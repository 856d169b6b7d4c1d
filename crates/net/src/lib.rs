//! From position to outcome probabilities on a CPU, fast.

pub mod arch;
pub mod encode;
pub mod weights;

pub use arch::{Arch, OUTPUTS};
pub use encode::{Encoder, EncoderKind};
pub use weights::{Layer, Weights, WeightsError};
