//! What a match asked of its players, what it cost them, and the figures of each player.
//!
//! [`questions`] lists every decision of a record in order. The engine evaluates them, a [`Decision`]
//! each, and [`PlayerSummary`] counts them the way GNU Backgammon and eXtreme Gammon do.

mod beside;
mod cube;
mod decision;
mod habit;
mod question;
mod stored;
mod summary;
mod verdict;

pub use beside::{EngineDifference, Opinion};
pub use cube::{CubeFigures, ResponseTerms};
pub use decision::{
    Decision, DecisionKind, Doubt, MistakeKind, RatedPlay, RollLuck, RolledOut, phase_in_words,
};
pub use habit::Habit;
pub use question::{Choice, DecisionPoint, questions};
pub(crate) use stored::{CUBE, PLAYS, PLAYS_OPEN, equities, property};
pub use stored::{OpenDecision, open_decisions, stored};
pub use summary::{
    Count, GameSummary, MatchAnalysis, PlayerSummary, PlayerTotals, Thresholds, TrendPoint,
    rating_of_pr, totals,
};
