//! What a player's evaluations of rolled-out states add up to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tavola_equity::{EfficiencyModel, Probs, Stakes, cube_decision};
use tavola_evaluator::{Estimate, PlayableGame};
use tavola_files::Failure;
use tavola_play::{Contender, Workers};
use tavola_rules::{Cube, Options};

use super::{Band, StateReference};
use crate::quality::grade::ask;
use crate::quality::grade::player::root;

/// How far the evaluation of a state is off.
#[derive(Clone, Debug)]
pub struct StateError {
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
    /// See [`StateGrades::cube`].
    cube: Option<f64>,
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
    /// Points lost a state by the cube decisions that follow from the player's chances, if those of
    /// the rollout are right: the double, and the answer to a double that the player would make.
    /// Money play with a centered cube, by the cube model with contact; `None` in games without a
    /// cube.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cube: Option<Estimate>,
    /// The bands that have at least two states.
    pub bands: Vec<BandGrades>,
    /// The groups of the file that have at least two states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupGrades>,
}

/// What one player's evaluations of the same states are worse by than another's, in points. Each
/// state is compared with itself, so the intervals are much narrower than those of the two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StateDifference {
    /// Of [`StateSums::rmse`].
    pub rmse: Estimate,
    /// Of [`StateGrades::cube`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cube: Option<Estimate>,
}

impl StateDifference {
    /// That of `worse` from `other`, which have the same states.
    pub fn of(worse: &[StateError], other: &[StateError]) -> Self {
        let pairs = || worse.iter().zip(other);
        // A difference of squares is one of roots times their sum.
        let squares = pairs().map(|(a, b)| a.equity.powi(2) - b.equity.powi(2));
        let roots = [worse, other].map(|errors| sums(errors.iter()).rmse);
        let squares = Estimate::of(squares);
        let sum = roots.iter().sum::<f64>();
        let scale = if sum > 0.0 { 1.0 / sum } else { 0.0 };
        let cubes = pairs().map(|(a, b)| Some(a.cube? - b.cube?)).collect::<Option<Vec<_>>>();
        Self {
            rmse: Estimate::new(scale * squares.mean, scale * squares.standard_error),
            cube: cubes.map(|cubes| Estimate::of(cubes.into_iter())),
        }
    }
}

/// How far a player's evaluations of all states are off. The answers are the same on any number of
/// threads; `observer` is called after each.
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
) -> Result<Vec<StateError>, Failure> {
    ask(player, reference.states.len(), workers, observer, |player, index| {
        let rated = &reference.states[index];
        let probs = player.evaluate(&rated.state).map_err(|reason| {
            let question = game.write_state(&rated.state);
            Failure::work(format!("no answer to {question}: {reason}"))
        })?;
        let probs = probs.ok_or_else(|| {
            Failure::input("the player says nothing of equities, expected a network")
        })?;
        let found = probs.cumulative();
        let five = found.to_array();
        let right = || Probs::from_array(rated.probs.map(|chance| chance.clamp(0.0, 1.0) as f32));
        Ok(StateError {
            group: rated.group.clone(),
            band: Band::of(rated.equity),
            probs: std::array::from_fn(|i| f64::from(five[i]) - rated.probs[i]),
            equity: f64::from(probs.equity()) - rated.equity,
            variance: rated.equity_se.powi(2),
            cube: G::HAS_CUBE.then(|| cube_loss(&found, &right())),
        })
    })
}

/// What cube decisions by the chances `found` lose where those `right` hold.
fn cube_loss(found: &Probs, right: &Probs) -> f64 {
    let stakes = Stakes::money(&Options::default()).expect("the usual options");
    let [found, right] = [found, right].map(|probs| {
        cube_decision(probs, &stakes, Cube::START, EfficiencyModel::default().contact)
    });
    match found.double {
        Ok(double) if found.is_double() => {
            right.loss_of_double() + right.loss_of_answer(double.answer).unwrap_or(0.0)
        }
        _ => right.loss_of_no_double(),
    }
}

impl StateGrades {
    /// What errors add up to.
    pub fn of(errors: &[StateError]) -> Self {
        let chance = |i: usize| Estimate::of(errors.iter().map(move |error| error.probs[i]));
        let names: BTreeSet<&String> =
            errors.iter().filter_map(|error| error.group.as_ref()).collect();
        let band = |band: Band| {
            let sums = sums_of(errors, |error| error.band == band)?;
            Some(BandGrades { from: band.from(), sums })
        };
        let group = |group: &String| {
            let sums = sums_of(errors, |error| error.group.as_ref() == Some(group))?;
            Some(GroupGrades { group: group.clone(), sums })
        };
        let cubes = errors.iter().map(|error| error.cube).collect::<Option<Vec<_>>>();
        Self {
            all: sums(errors.iter()),
            chances: std::array::from_fn(chance),
            cube: cubes.map(|cubes| Estimate::of(cubes.into_iter())),
            bands: Band::all().filter_map(band).collect(),
            groups: names.into_iter().filter_map(group).collect(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_decisions_lose_what_double_and_answer_lose_by_the_right_chances() {
        let [even, good, sure] = [0.5, 0.7, 0.95].map(|win| Probs { win, ..Probs::default() });
        let stakes = Stakes::money(&Options::default()).unwrap();
        let contact = EfficiencyModel::default().contact;
        let right = cube_decision(&even, &stakes, Cube::START, contact);
        assert_eq!(cube_loss(&even, &even), 0.0);
        // The double and the pass of a take.
        let take = right.double.unwrap().take.equity();
        let expected = right.loss_of_double() + 1.0 - take;
        assert!(right.loss_of_double() > 0.0);
        assert!((cube_loss(&sure, &even) - expected).abs() < 1e-9);
        // Doubling is right, and not doubling loses.
        let missed = cube_decision(&sure, &stakes, Cube::START, contact).loss_of_no_double();
        assert!(missed > 0.0);
        assert_eq!(cube_loss(&even, &sure), missed);
        assert_eq!(cube_loss(&good, &good), 0.0);
    }
}
