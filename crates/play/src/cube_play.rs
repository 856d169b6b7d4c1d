//! Backgammon with the doubling cube between two agents: single games for money, matches, and duels
//! of pairs of them.
//!
//! Who may do what when is the business of [`GameState`](tavola_rules::GameState) and
//! [`Session`](tavola_rules::Session); a [`CubeAgent`] is asked only what it may decide, and an
//! answer that the rules forbid ends the pair with a report.

mod agent;
mod duel;
mod fit;
mod judge;
mod luck;
mod samples;
mod table;
mod terms;

pub use agent::{BeforeRoll, CubeAgent, CubeReply, ResignReply, TableView, most_to_lose};
pub use duel::{CubeDuel, CubeDuelResult, CubePair, CubeScore, CubeTally, DuelUnit};
pub use fit::{EfficiencyFit, FitSettings, FittedEfficiency, fit_efficiency, fit_share};
pub use judge::CubefulAgent;
pub use samples::{CubeSample, SampleError, SampledGame, cube_samples};
pub use terms::{Contest, CubeTerms};
