//! Learning from self-play records: the only crate that knows burn.
//!
//! [`Samples`](tavola_data::Samples) are states with the six-way distribution that the network
//! should have answered. A [`Learner`] fits a network to them and keeps all that it needs to go on:
//! parameters, moments of the gradients, number of steps. It can be saved and loaded at any time
//! without changing what it learns, and gives [`Weights`](tavola_net::Weights) whenever the network
//! is to play. [`Schedule`] says how a rate changes over a run.
//!
//! ```
//! use tavola_equity::OutcomeProbs;
//! use tavola_net::{EncoderKind, Interface, initial_weights};
//! use tavola_rules::{Backgammon, Game, Outcome, Position};
//! use tavola_data::Samples;
//! use tavola_train::{Learner, LearnerSettings};
//!
//! let game = Backgammon::Standard;
//! let weights = initial_weights(&Interface::of(&game), EncoderKind::Tesauro, &[16], 1)?;
//! let mut learner = Learner::new(&Interface::of(&game), LearnerSettings::default(), &weights)?;
//!
//! let mut samples = Samples::new(game.layout().len());
//! let start = Backgammon::cells(&Position::STANDARD);
//! samples.push(start, OutcomeProbs::certain(Outcome::WinSingle));
//! let first = learner.learn(&samples, 1e-2, 7)?;
//! let second = learner.learn(&samples, 1e-2, 8)?;
//! assert!(second.loss < first.loss);
//! # Ok::<(), tavola_train::LearnerError>(())
//! ```

mod adam;
pub mod checkpoint;
mod cpu;
pub mod device;
mod export;
#[cfg(feature = "wgpu")]
mod gpu;
pub mod learner;
mod loss;
mod model;
pub mod schedule;
mod sparse;
mod store;
mod weight_averaging;

pub use device::LearnerDevice;
pub use learner::{LearnReport, Learner, LearnerError, LearnerSettings, StageSeconds};
pub use schedule::{Schedule, ScheduleError};
