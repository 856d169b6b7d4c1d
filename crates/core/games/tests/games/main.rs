//! The historical games: their rules by golden cases and by a second, slow reading.

mod golden;
mod ludus;
mod many;
mod properties;
mod rule_based;
mod slow;
mod slow_generator;
mod trictrac;
