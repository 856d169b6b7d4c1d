//! What a player's evaluations of rolled-out states add up to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tavola_evaluator::{Estimate, PlayableGame};
use tavola_files::Failure;
use tavola_play::{Contender, Workers};

use super::{Band, StateReference};
use crate::quality::grade::ask;
use crate::quality::grade::player::root;

/// How far an evaluation is off.
#[derive(Clone, Debug)]
struct StateError {
    /// As the file has it.
    group: Option<String>,
    /// By the equity of the rollout.
    band: Band,
    /// The player's chances less those of the rollout.
    probs: [f64; 5],
    /// The player's equity less that of the rollout, in points.
    equity: f64,
    /// The variance of the rollout's equity.
    variance: f64,
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

/// The errors in a group of states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupGrades {
    /// The group, in words.
    pub group: String,
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
    /// The groups of the file that have at least two states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupGrades>,
}

/// Has a player evaluate all states. The answers are the same on any number of threads; `observer`
/// is called after each.
///
/// # Errors
///
/// [`Failure`].
pub fn grade_states<G: PlayableGame>(
    game: &G,
    reference: &StateReference<G>,
    player: &dyn Contender<G>,
    workers: Workers<'_>,
    observer: &(dyn Fn() + Sync),
) -> Result<StateGrades, Failure> {
    let errors = ask(player, reference.states.len(), workers, observer, |player, index| {
        let rated = &reference.states[index];
        let probs = player.evaluate(&rated.state).map_err(|reason| {
            let question = game.write_state(&rated.state);
            Failure::work(format!("no answer to {question}: {reason}"))
        })?;
        let probs = probs.ok_or_else(|| {
            Failure::input("the player says nothing of equities, expected a network")
        })?;
        let five = probs.cumulative().to_array();
        Ok(StateError {
            group: rated.group.clone(),
            band: Band::of(rated.equity),
            probs: std::array::from_fn(|i| f64::from(five[i]) - rated.probs[i]),
            equity: f64::from(probs.equity()) - rated.equity,
            variance: rated.equity_se.powi(2),
        })
    })?;
    Ok(grades(&errors))
}

fn grades(errors: &[StateError]) -> StateGrades {
    let chance = |i: usize| Estimate::of(errors.iter().map(move |error| error.probs[i]));
    let names: BTreeSet<&String> = errors.iter().filter_map(|error| error.group.as_ref()).collect();
    let band = |band: Band| {
        let sums = sums_of(errors, |error| error.band == band)?;
        Some(BandGrades { from: band.from(), sums })
    };
    let group = |group: &String| {
        let sums = sums_of(errors, |error| error.group.as_ref() == Some(group))?;
        Some(GroupGrades { group: group.clone(), sums })
    };
    StateGrades {
        all: sums(errors.iter()),
        chances: std::array::from_fn(chance),
        bands: Band::all().filter_map(band).collect(),
        groups: names.into_iter().filter_map(group).collect(),
    }
}

/// The errors of a part of the states, if there are two at least.
fn sums_of(errors: &[StateError], is_part: impl Fn(&StateError) -> bool) -> Option<StateSums> {
    let part = errors.iter().filter(|error| is_part(error));
    (part.clone().count() > 1).then(|| sums(part))
}

fn sums<'a>(errors: impl Iterator<Item = &'a StateError> + Clone) -> StateSums {
    let square = |error: &StateError| error.equity.powi(2) - error.variance;
    let (rmse, rmse_se) = root(Estimate::of(errors.clone().map(square)));
    StateSums {
        states: errors.clone().count() as u64,
        rmse,
        rmse_se,
        bias: Estimate::of(errors.map(|error| error.equity)),
    }
}
