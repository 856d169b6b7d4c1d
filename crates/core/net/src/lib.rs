//! From position to outcome probabilities on a CPU, fast.
//!
//! [`encode`] turns the cells of a state into features, [`arch`] describes a network as data,
//! [`weights`] is its file, and [`forward`] computes the six outcome probabilities. Nothing here
//! knows how networks learn.
//!
//! ```
//! use tavola_net::{EncoderKind, Network, random_weights};
//! use tavola_rules::{Backgammon, Game, Position};
//!
//! let weights = random_weights(EncoderKind::OneHot, &[64, 32], 1);
//! let network = Network::new(&weights, &Backgammon::Standard)?;
//! let mut out = Vec::new();
//! let start = Backgammon::cells(&Position::STANDARD);
//! network.evaluate([start], &mut network.scratch(), &mut out);
//! assert!((out[0].0.iter().sum::<f32>() - 1.0).abs() < 1e-5);
//! # Ok::<(), tavola_net::WeightsError>(())
//! ```

mod aligned;
pub mod arch;
pub mod encode;
mod expert;
mod fixed;
pub mod forward;
mod interface;
mod kernel;
mod onnx;
mod patterns;
pub mod protobuf;
mod random;
mod range;
mod rolls;
mod shares;
mod side;
mod softmax;
mod table;
pub mod weights;
mod weights_file;

pub use arch::{Arch, Hidden, OUTPUTS, PRODUCT_WIDTH_STEP};
pub use encode::{Encoder, EncoderKind};
pub use forward::{Network, Precision, Scratch};
pub use interface::Interface;
pub use kernel::{KERNEL_VARIABLE, Kernel, UnusableKernel};
pub use random::{grown, initial_weights, random_weights};
pub use shares::{ShareNetwork, ShareScratch};
pub use weights::{Layer, Weights, WeightsError};
pub use weights_file::WeightsFile;
