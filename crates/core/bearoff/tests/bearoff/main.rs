//! Endgame databases beside exact counts.

mod exact;
mod properties;
