//! How good a player is: graded decisions and states, profiles, statistics, speed.

pub mod bench;
pub mod exact;
pub mod grade;
pub mod perft;
pub mod profile;
pub(crate) mod statistics;
