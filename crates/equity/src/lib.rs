//! What a result is worth: outcome probabilities and the equity they make.
//!
//! Inside networks and targets a position is judged by the six exclusive outcomes
//! ([`OutcomeProbs`]); outside, by the five customary cumulative numbers ([`Probs`]).
//!
//! ```
//! use tavola_equity::OutcomeProbs;
//! use tavola_rules::Outcome;
//!
//! let sure_gammon = OutcomeProbs::certain(Outcome::WinGammon);
//! assert_eq!(sure_gammon.equity(), 2.0);
//! assert_eq!(sure_gammon.flip().equity(), -2.0);
//! assert_eq!(sure_gammon.cumulative().win_gammon, 1.0);
//! ```

mod probs;

pub use probs::{OutcomeProbs, Probs};
