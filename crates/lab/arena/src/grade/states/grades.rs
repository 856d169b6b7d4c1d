//! What a player's evaluations of rolled-out states add up to.

use serde::{Deserialize, Serialize};
use tavola_evaluator::{Estimate, PlayableGame};
use tavola_play::{AgentError, Contender, Workers};

use super::super::player::root;
use super::{Band, StateReference};

/// How far an evaluation is off.
#[derive(Clone, Copy, Debug)]
struct StateError {
    /// By the equity of the rollout.
    band: Band,
    /// The player's chances less those of the rollout.
    probs: [f64; 5],
    /// The player's equity less that of the rollout, in points.
    equity: f64,
    /// The variance of the rollout's equity.
    variance: f64,
}

/// Why a player has no grades.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateGradingError {
    /// The player could not answer.
    #[error("no evaluation of {position}: {reason}")]
    NoAnswer {
        /// The position.
        position: String,
        /// Why.
        reason: AgentError,
    },
    /// The player chooses plays and evaluates nothing.
    #[error("the player says nothing of equities, expected a network")]
    NoEquity,
    /// The caller called it off.
    #[error("canceled after {finished} of {asked} states")]
    Canceled {
        /// States that were evaluated.
        finished: usize,
        /// States to be evaluated.
        asked: usize,
    },
}

/// Errors of evaluations, in points and as chances.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateSums {
    /// States.
    pub states: u64,
    /// Root of the mean square of the errors of equity, in points, less the rollouts' own variance.
    pub rmse: f64,
    /// The standard error of that, to the first order.
    pub rmse_se: f64,
    /// The mean of these errors: above zero where the player on roll is overrated.
    pub bias: Estimate,
}

/// The errors in a band of equities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BandGrades {
    /// Lower end of the band, in points.
    pub from: f64,
    /// Its errors.
    #[serde(flatten)]
    pub sums: StateSums,
}

/// How well a player evaluates states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateGrades {
    /// All states as drawn: the bands count about alike.
    #[serde(flatten)]
    pub all: StateSums,
    /// Bias of the five cumulative chances: to win, to win a gammon, a backgammon, to lose a gammon,
    /// a backgammon.
    pub chances: [Estimate; 5],
    /// The bands that have at least two states.
    pub bands: Vec<BandGrades>,
}

/// Has a player evaluate all states. The answers are the same on any number of threads; `observer`
/// is called after each.
///
/// # Errors
///
/// [`StateGradingError`].
pub fn grade_states<G: PlayableGame>(
    game: &G,
    reference: &StateReference<G>,
    player: &dyn Contender<G>,
    workers: Workers<'_>,
    observer: &(dyn Fn() + Sync),
) -> Result<StateGrades, StateGradingError> {
    let asked = reference.states.len();
    let errors = workers.run(
        0..asked as u64,
        || player.fork(),
        |player, index| {
            let rated = &reference.states[index as usize];
            let answer = player.evaluate(&rated.state);
            observer();
            let probs = match answer {
                Ok(probs) => probs.ok_or(StateGradingError::NoEquity)?,
                Err(reason) => {
                    let position = game.write_state(&rated.state);
                    return Err(StateGradingError::NoAnswer { position, reason });
                }
            };
            let five = probs.cumulative().to_array();
            Ok(StateError {
                band: Band::of(rated.equity),
                probs: std::array::from_fn(|i| f64::from(five[i]) - rated.probs[i]),
                equity: f64::from(probs.equity()) - rated.equity,
                variance: rated.equity_se.powi(2),
            })
        },
    );
    let finished = errors.len();
    let errors = errors.into_iter().collect::<Result<Vec<_>, _>>()?;
    if finished < asked {
        return Err(StateGradingError::Canceled { finished, asked });
    }
    Ok(grades(&errors))
}

fn grades(errors: &[StateError]) -> StateGrades {
    let of_band = |band: Band| {
        let errors: Vec<StateError> =
            errors.iter().filter(|error| error.band == band).copied().collect();
        (errors.len() > 1).then(|| BandGrades { from: band.from(), sums: sums(&errors) })
    };
    let chance = |i: usize| Estimate::of(errors.iter().map(move |error| error.probs[i]));
    StateGrades {
        all: sums(errors),
        chances: std::array::from_fn(chance),
        bands: Band::all().filter_map(of_band).collect(),
    }
}

fn sums(errors: &[StateError]) -> StateSums {
    let square = Estimate::of(errors.iter().map(|error| error.equity.powi(2) - error.variance));
    let (rmse, rmse_se) = root(square);
    StateSums {
        states: errors.len() as u64,
        rmse,
        rmse_se,
        bias: Estimate::of(errors.iter().map(|error| error.equity)),
    }
}
