//! The spread of a player's errors within the siblings of a roll: what decides plays.
//!
//! ```text
//! e(a) = the player's equity of the afterstate a less the grader's
//! s^2  = variance of e within the siblings of a roll, less that of the grader's own errors
//! ```
//!
//! What is wrong with all siblings alike changes no play, and the root mean square error of states is
//! mostly that. `s` needs no play to be lost, so a set of decisions resolves it several times as
//! finely as what its plays lose.

use serde::{Deserialize, Serialize};
use tavola_evaluator::{Estimate, PlayableGame};
use tavola_files::Failure;
use tavola_play::{AgentError, Contender, Workers};

use super::player::root;
use super::{GradedDecision, Reference, ask, no_answer};

/// Siblings are plays that lose so little, in points, by the grader: others are rarely chosen.
const WITHIN: f64 = 0.12;

/// The spread within siblings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiblingGrades {
    /// Decisions with two siblings at least.
    pub decisions: u64,
    /// Their siblings.
    pub siblings: u64,
    /// `s` in points, phases as in play; with the interval of the decisions.
    pub spread: Estimate,
    /// Whether the grader's own errors are known and taken off. If not, they are part of `s`.
    pub is_noise_known: bool,
}

/// What one decision says.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Family {
    siblings: usize,
    /// The sum of the squared distances of the errors from their mean, the grader's own taken off.
    squares: f64,
    is_noise_known: bool,
}

/// Has `player` evaluate the siblings of all decisions of the reference. `None` if the player says
/// nothing of equities, or fewer than two decisions have siblings. The answers are the same on any
/// number of threads; `observer` is called after each decision.
///
/// # Errors
///
/// [`Failure`] if the player fails once, or the caller calls it off.
pub fn grade_siblings<G: PlayableGame>(
    game: &G,
    reference: &Reference<G>,
    player: &dyn Contender<G>,
    workers: Workers<'_>,
    observer: &(dyn Fn() + Sync),
) -> Result<Option<SiblingGrades>, Failure> {
    let decisions = &reference.decisions;
    let families = ask(player, decisions.len(), workers, observer, |player, index| {
        let decision = &decisions[index];
        family(decision, player).map_err(no_answer(game, &decision.question))
    })?;
    // Phases count as in play, each decision of a phase alike.
    let weight = |decision: &GradedDecision<G>| {
        let of_phase = reference.decisions.iter().filter(|other| other.phase == decision.phase);
        reference.header.share(decision.phase) / of_phase.count() as f64
    };
    let weighted: Vec<(f64, Family)> = reference
        .decisions
        .iter()
        .zip(families)
        .filter_map(|(decision, family)| Some((weight(decision), family?)))
        .collect();
    Ok(spread(&weighted))
}

/// What the player says of the siblings of a decision; `None` if there are no two of them or the
/// player says nothing of equities.
fn family<G: PlayableGame>(
    decision: &GradedDecision<G>,
    player: &mut dyn Contender<G>,
) -> Result<Option<Family>, AgentError> {
    let best = decision.best();
    let (mut errors, mut noise) = (Vec::new(), Some((0.0, 0)));
    for play in decision.plays.iter().filter(|play| best.equity - play.equity <= WITHIN) {
        let Some(probs) = player.evaluate(&play.after)? else { return Ok(None) };
        errors.push(f64::from(probs.flip().equity()) - play.equity);
        if play.after != best.after {
            let error = decision.loss_error_of(&play.after);
            noise = noise.zip(error).map(|((sum, count), error)| (sum + error * error, count + 1));
        }
    }
    let siblings = errors.len();
    if siblings < 2 {
        return Ok(None);
    }
    let mean = errors.iter().sum::<f64>() / siblings as f64;
    let squares: f64 = errors.iter().map(|error| (error - mean).powi(2)).sum();
    // The difference of two plays has twice the variance of one.
    let variance = noise.map_or(0.0, |(sum, count)| sum / f64::from(2 * count));
    let squares = squares - (siblings - 1) as f64 * variance;
    Ok(Some(Family { siblings, squares, is_noise_known: noise.is_some() }))
}

/// The root of the ratio of all squares to all degrees of freedom, with its error to the first order.
fn spread(weighted: &[(f64, Family)]) -> Option<SiblingGrades> {
    if weighted.len() < 2 {
        return None;
    }
    let freedom = |family: &Family| (family.siblings - 1) as f64;
    let sum = |of: &dyn Fn(f64, &Family) -> f64| -> f64 {
        weighted.iter().map(|(weight, family)| of(*weight, family)).sum()
    };
    let all = sum(&|weight, family| weight * freedom(family));
    let square = sum(&|weight, family| weight * family.squares) / all;
    let residual = |weight: f64, family: &Family| {
        (weight * (family.squares - square * freedom(family))).powi(2)
    };
    let error = sum(&residual).sqrt() / all;
    let (spread, spread_se) = root(Estimate::new(square, error));
    Some(SiblingGrades {
        decisions: weighted.len() as u64,
        siblings: weighted.iter().map(|(_, family)| family.siblings as u64).sum(),
        spread: Estimate::new(spread, spread_se),
        is_noise_known: weighted.iter().all(|(_, family)| family.is_noise_known),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use rand::rngs::ChaCha8Rng;
    use rand::{Rng, RngExt, SeedableRng};
    use tavola_equity::OutcomeProbs;
    use tavola_evaluator::FakeEvaluator;
    use tavola_play::EvaluatorAgent;
    use tavola_rules::{Backgammon, Game, Position};

    use super::*;
    use crate::quality::grade::SampleLabels;
    use crate::quality::grade::{GraderInfo, Header, Purpose, RatedAfterstate};

    const GAME: Backgammon = Backgammon::Standard;

    fn normal(rng: &mut impl Rng) -> f64 {
        (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
    }

    /// Decisions of a random game, and a player whose errors are a common one of each decision and
    /// one of each play with the standard deviation `s`; the grader's own is `noise`.
    fn decisions(
        s: f64,
        noise: f64,
        tell: bool,
    ) -> (Reference<Backgammon>, HashMap<Position, f64>) {
        let (mut rng, mut player) = (ChaCha8Rng::seed_from_u64(8), HashMap::new());
        let mut decisions = Vec::new();
        let mut state = GAME.start();
        while decisions.len() < 1500 {
            let roll = GAME.roll(&mut rng);
            let mut afterstates = Vec::new();
            GAME.afterstates(&state, roll, &mut afterstates);
            let common = 0.1 * normal(&mut rng);
            let mut plays: Vec<RatedAfterstate<Position>> = Vec::new();
            for &after in afterstates.iter().filter(|after| !player.contains_key(*after)).take(4) {
                let truth = 0.02 * normal(&mut rng);
                let equity = truth + noise * normal(&mut rng);
                let standard_error = tell.then_some(noise);
                plays.push(RatedAfterstate { after, equity, standard_error, loss_error: None });
            }
            for play in &plays {
                let truth = play.equity - noise * normal(&mut rng);
                player.insert(play.after, truth + common + s * normal(&mut rng));
            }
            state = afterstates[rng.random_range(0..afterstates.len())];
            if GAME.outcome(&state).is_some() {
                state = GAME.start();
            }
            if let Some(best) = plays.iter().map(|play| play.equity).reduce(f64::max) {
                let question = (state, roll);
                decisions.push(GradedDecision {
                    question,
                    phase: None,
                    plays,
                    best,
                    unrated: best,
                });
            }
        }
        let [name, settings, rated] = [(); 3].map(|()| "test".to_owned());
        let grader = GraderInfo { name, settings, rated, margin: 0.3, identity: None };
        let [command, network] = [(); 2].map(|()| "test".to_owned());
        let labels = SampleLabels { purpose: Purpose::Tuning, command, network };
        let mut header = Header::new(GAME.id(), labels, (1, 1));
        header.phases.push(crate::quality::grade::PhaseShare {
            phase: None,
            share: 1.0,
            drawn: 1500,
            seeded: 0,
        });
        (Reference { header, grader, decisions, benchmark: None }, player)
    }

    fn found(s: f64, noise: f64, tell: bool) -> SiblingGrades {
        let (reference, equities) = decisions(s, noise, tell);
        let evaluate = move |state: &Position| {
            let win = 0.5 - equities[state] as f32 / 2.0;
            OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
        };
        let player = EvaluatorAgent::new(Box::new(FakeEvaluator::new(GAME, evaluate)));
        let cancel = AtomicBool::new(false);
        let grade = |threads| {
            let workers = Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &cancel };
            grade_siblings(&GAME, &reference, &player, workers, &|| ()).unwrap().unwrap()
        };
        assert_eq!(grade(1), grade(3));
        grade(1)
    }

    #[test]
    fn the_spread_is_that_of_the_player_whatever_all_siblings_share_and_the_grader_errs() {
        for (s, noise) in [(0.02, 0.0), (0.02, 0.01), (0.01, 0.02)] {
            let SiblingGrades { decisions, siblings, spread, is_noise_known } =
                found(s, noise, true);
            assert!(is_noise_known && decisions > 800 && siblings > 2 * decisions);
            assert!((spread.mean - s).abs() < 4.0 * spread.standard_error, "{spread:?} is not {s}");
            assert!(spread.standard_error < 0.04 * s.max(noise), "{spread:?}");
        }
        // Unknown errors of the grader count as the player's.
        let SiblingGrades { spread, is_noise_known, .. } = found(0.02, 0.02, false);
        assert!(!is_noise_known && (spread.mean - 0.0283).abs() < 0.002, "{spread:?}");
        assert!(found(0.0, 0.01, true).spread.mean < 0.003);
    }
}
