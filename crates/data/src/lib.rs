//! Self-play records: the facts of a game, in memory and on disk.
//!
//! A [`GameRecord`] holds what happened, the rolls, states, judgements and the outcome, and no
//! training targets, so a new kind of target needs no new games.

mod record;

pub use record::{Choice, GameRecord, RecordOf, Turn};
