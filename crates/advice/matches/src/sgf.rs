//! SGF of backgammon (`GM[6]`), as GNU Backgammon writes it.
//!
//! ```text
//! (;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RU[Crawford]RE[W+1]
//! ;W[31hefe]
//! ;B[65aggl]C[a comment]
//! ;W[double]
//! ;B[drop])
//! ```
//!
//! A game is a tree, of which the main line is read. Points are letters as White counts them, the
//! first seat. Properties that say nothing of players, rules, actions and comments are kept as
//! they are, such as the analysis of GNU Backgammon.

mod annotate;
mod game;
mod head;
mod points;
mod reader;
mod tree;
mod writer;

pub use annotate::annotated;
pub(crate) use game::is_reserved;
pub(crate) use reader::read;
pub(crate) use tree::{is_name, is_sgf};
pub use writer::write;

#[cfg(test)]
mod tests;
