//! Duels, gradings and profiles of small networks, and other programs as players.

mod cube;
mod duel;
mod external;
mod grade;
mod grade_rollouts;
mod grade_states;
mod profile;
