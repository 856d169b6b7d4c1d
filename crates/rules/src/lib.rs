//! The exact game: positions, dice, plays, results, cube and match rules, notations.

pub mod backgammon;
pub mod dice;
pub mod game;
pub mod movegen;
pub mod outcome;
pub mod position;

pub use backgammon::Backgammon;
pub use dice::Dice;
pub use game::{Cell, CellKind, Game};
pub use outcome::Outcome;
pub use position::Position;
