//! The learner.

#[cfg(feature = "wgpu")]
mod gpu;
mod learning;
mod many;
mod parity;
