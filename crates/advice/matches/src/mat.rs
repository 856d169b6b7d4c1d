//! Match text, as Jellyfish wrote it first and almost every program does since.
//!
//! ```text
//! ; [Event "Club evening"]
//!  3 point match
//!
//!  Game 1
//!  Ann : 0                        Bob : 0
//!   1) 31: 8/5 6/5                65: 24/18 18/13
//!   2)  Doubles => 2               Takes
//! ```
//!
//! A row has a cell a player. Programs disagree about columns, hops, `*`, words, and what a last roll
//! without a play means, so tokens are told apart by their shape, and the rules decide whose they are
//! and which play a text names. What can't be played is moved as it is written or set up where the
//! file has the position; otherwise the game is cut, and what follows is read.

mod actions;
mod cells;
mod fibs;
mod games;
mod lines;
mod plays;
mod reader;
mod result;
mod source;
mod tags;
mod words;
mod wrapped;
mod writer;

pub(crate) use lines::variation;
pub(crate) use plays::moves;
pub(crate) use reader::read;
pub use writer::{write, write_game};

#[cfg(test)]
mod tests;
