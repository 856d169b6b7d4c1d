//! The Universal Backgammon Interface: what UCI is to chess programs.
//!
//! [`Server`] is the engine's side, in all three dialects. `command` reads lines, `context` keeps
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

use std::fmt;
use std::str::FromStr;

pub use moves::write_hops;
pub use search::Depth;
pub(crate) use search::{Action, act};
pub use server::Server;

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

impl Dialect {
    /// All of them, the oldest first.
    pub const ALL: [Self; 3] = [Self::V0_01, Self::V0_1, Self::V0_2];

    /// Its number.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V0_01 => "0.01",
            Self::V0_1 => "0.1",
            Self::V0_2 => "0.2",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|dialect| dialect.name() == text);
        known.ok_or_else(|| format!("unknown dialect {text:?}, expected 0.01, 0.1 or 0.2"))
    }
}
