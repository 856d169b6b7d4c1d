//! The learner.

#[cfg(feature = "wgpu")]
mod gpu;
mod learning;
mod parity;
mod several;
