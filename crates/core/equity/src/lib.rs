//! What a result is worth: outcome probabilities, equity, match equity, and the theory of the
//! doubling cube. Pure arithmetic: nothing here looks ahead.
//!
//! Inside networks and targets the evaluation of a position is the six exclusive outcomes
//! ([`OutcomeProbs`]); outside, the five customary cumulative numbers ([`Probs`]).
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
//!
//! # Cube and match
//!
//! [`Stakes`] say what a game is played for, for money or at a match score by a
//! [`MatchEquityTable`]. With an [`Efficiency`] they turn probabilities into a value with a cube
//! ([`Stakes::cubeful`]), into take points ([`Stakes::points`]) and into a [`cube_decision`].
//!
//! ```
//! use tavola_equity::{CubeAction, EfficiencyModel, MatchEquityTable, Probs, Stage, Stakes};
//! use tavola_equity::cube_decision;
//! use tavola_rules::{Cube, MatchScore, Options};
//!
//! let probs =
//!     Probs { win: 0.70, win_gammon: 0.20, lose_gammon: 0.06, ..Probs::default() };
//! let efficiency = EfficiencyModel::default().at(Stage::Contact);
//! let options = Options::default();
//!
//! let money = Stakes::money(&options)?;
//! let decision = cube_decision(&probs, &money, Cube::START, efficiency);
//! assert_eq!(decision.action, CubeAction::DoubleTake);
//!
//! // Two points from winning, a gammon wins the match with the cube where it is, and an opponent
//! // who is far behind would turn their cube at the first opportunity.
//! let score = MatchScore::new(7, 5, 1)?;
//! let stakes = Stakes::for_match(score, MatchEquityTable::kazaross_xg2(), &options)?;
//! let decision = cube_decision(&probs, &stakes, Cube::START, efficiency);
//! assert_eq!(decision.action, CubeAction::NoDoubleTake);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Why it is built this way
//!
//! Every special case of the cube (Crawford, free drop, dead cube, automatic redouble, Jacoby) is
//! a matter of what outcomes are worth and whether the cube may be turned. So there is one
//! recursion over the values of the cube, for money and matches alike, and no list of cases that
//! could be incomplete. `docs/cube.md` tells it with examples.

mod cube_decision;
mod cube_model;
mod janowski;
pub mod met;
mod polyline;
mod probs;
mod stakes;
mod take_point;
mod units;
mod verdict;

pub use cube_decision::{
    BeaverAnswer, CubeAction, CubeDecision, CubeExpectations, Doubled, Response, cube_decision,
};
pub use cube_model::CubeModel;
pub use janowski::{Efficiency, EfficiencyModel, Stage};
pub use met::MatchEquityTable;
pub use probs::{OutcomeProbs, Probs};
pub use stakes::{Expectation, GammonRates, GammonValues, NoCube, Stakes, StakesError, Value};
pub use take_point::CubePoints;
pub use units::{Emg, EmgScale, Equity, Mwc};
pub use verdict::CubeVerdict;
