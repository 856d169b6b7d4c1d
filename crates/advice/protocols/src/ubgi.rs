//! The Universal Backgammon Interface: what UCI is to chess programs.
//!
//! [`UbgiServer`] is the engine's side, in all three dialects. `command` reads lines, `context` keeps
//! position, score and cube, `settings` the options, `search` asks the engine. [`check`] is a list
//! of questions that tell whether another program keeps to the protocol.

pub mod check;
mod command;
mod context;
mod moves;
mod refusal;
mod search;
mod server;
mod settings;

pub use moves::write_hops;
pub(crate) use search::{Decision, act};
pub use server::UbgiServer;
use tavola_rules::named;

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Draft 0.01: bare positions, bare answers, `sorry`.
    V0_01,
    /// 0.1: `setoption`, `go role chequer`, `bestmoveid`.
    V0_1,
    /// 0.2: `set`, `get`, `keys`, `go chequer`.
    V0_2,
}

named!(Dialect, "dialect": V0_01 => "0.01", V0_1 => "0.1", V0_2 => "0.2");
