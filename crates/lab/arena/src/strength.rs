//! Which player is stronger: duels, sequential tests, ratings, and the players of them.

pub(crate) mod answer;
pub(crate) mod duel;
pub(crate) mod external;
pub mod ladder;
pub(crate) mod luck;
pub mod many;
pub(crate) mod pair_log;
pub mod player;
pub(crate) mod remote;
pub(crate) mod run;
pub(crate) mod saved_games;
pub(crate) mod schedule;
pub(crate) mod sprt;
pub(crate) mod timed;
