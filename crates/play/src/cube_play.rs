//! Backgammon with the doubling cube between two agents: single games for money, and matches.
//!
//! Who may do what when is the business of [`GameState`](tavola_rules::GameState) and
//! [`Session`](tavola_rules::Session); a [`CubeAgent`] is asked only what it may decide, and an
//! answer that the rules forbid ends the pair with a report.

mod agent;
mod judge;
mod luck;
pub mod referee;
mod terms;

pub use agent::{BeforeRoll, CubeAgent, CubeReply, ResignReply, TableView, most_to_lose};
pub use judge::CubefulAgent;
pub use luck::CubeLuck;
pub use terms::{Contest, CubeTerms};
