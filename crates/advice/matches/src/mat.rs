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
//! A row has a cell a player. Programs disagree about columns, hops, `*`, and what a last roll
//! without a play means, so cells are found by how they begin, and the rules decide whose they are
//! and which play a text names.

mod lines;
mod reader;
mod result;
mod writer;

pub(crate) use reader::read;
pub use writer::write;

#[cfg(test)]
mod tests;
