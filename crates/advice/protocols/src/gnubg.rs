//! GNU Backgammon's protocol for players and evaluators that are other programs.
//!
//! [`Opponent`] is the other program: `set player 0 external localhost:PORT` makes GNU Backgammon
//! send it a FIBS board for each decision. [`Connection`] is the other way: it asks a GNU Backgammon
//! that was told `external localhost:PORT`.

mod client;
mod server;

pub use client::{Connection, GnubgEvaluation};
pub use server::{Opponent, Served};
