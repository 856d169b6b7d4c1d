//! Backgammon with the doubling cube between two agents: single games for money, and matches.
//!
//! Who may do what when is the business of [`GameState`](tavola_rules::GameState) and
//! [`Session`](tavola_rules::Session); an [`Agent`](crate::Agent) is asked only what it may decide,
//! and an answer that the rules forbid ends the pair with a report.

mod chouette;
mod cubeful_agent;
mod referee;
mod terms;
mod view;

pub use chouette::play_chouette;
pub use cubeful_agent::CubefulAgent;
pub use terms::CubeTerms;
pub use view::{BeforeRoll, CubeReply, CubeView, ResignReply};
