//! Expected backups: targets without the noise of dice.
//!
//! ```text
//! 1-ply:  T(s) = E(s)  = sum over rolls r of p(r) flip(V(best afterstate of r))
//! 2-ply:  T(s) = E2(s) = sum over rolls r of p(r) flip(E(best afterstate of r))
//! ```
//!
//! A 1-ply backup costs some four hundred evaluations, a 2-ply one some twenty times as many. So
//! `first_rolls` sampled first rolls may stand for all:
//!
//! ```text
//! T(s) = E(s) + sum over sampled rolls r of w(r) flip(E(b) - V(b)),  b the best afterstate of r
//! ```
//!
//! That is unbiased if the expectation of `w(r)` is `p(r)`. 2-ply backups are made for close
//! decisions alone, and the runner-up gets one too: see [`pairwise`](super::pairwise).

use tavola_data::Comparison;
use tavola_equity::OutcomeProbs;
use tavola_evaluator::expectation::probability;
use tavola_evaluator::search::Cubeless;
use tavola_evaluator::{Evaluator, Expectation};
use tavola_rules::Game;

use super::pairwise::difference;
use super::variance_reduced::Lookahead;

/// Which states get 2-ply backups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoPlySettings {
    /// A decision is close if the equity of the runner-up is so near, in points, to that of the
    /// play that was made.
    pub within: f32,
    /// Number of first rolls that are sampled, 1 to 36; 0: all rolls.
    pub first_rolls: u8,
}

/// Expected backups of 1-ply.
pub struct ExpectedBackup<G: Game> {
    game: G,
    expectation: Expectation<G>,
}

impl<G: Game> ExpectedBackup<G> {
    /// Backups of what this evaluator says.
    pub fn new(game: G, evaluator: Box<dyn Evaluator<G>>) -> Self {
        Self { expectation: Expectation::new(game.clone(), evaluator, None), game }
    }

    /// `E(s)`, from the player on roll, before the roll. A terminal state has its certain outcome.
    pub fn target(&mut self, state: &G::State) -> OutcomeProbs {
        match self.game.outcome(state) {
            Some(outcome) => OutcomeProbs::certain(outcome),
            None => self.expectation.value(state, &Cubeless),
        }
    }
}

impl<G: Game> Lookahead<G> {
    /// The target of state number `of`, which was `played`, and its comparison with the
    /// `runner_up`. Both follow the same sampled first rolls, so that much of the noise is not in
    /// their difference. `first` is below [`Game::TOTAL_WEIGHT`].
    pub(super) fn two_ply(
        &mut self,
        runner_up: G::State,
        of: usize,
        played: G::State,
        first_rolls: u8,
        first: u32,
    ) -> (OutcomeProbs, Comparison<G::State>) {
        let weights = roll_weights(&self.game, first_rolls, first);
        let [other, target] = [runner_up, played].map(|state| self.backup(&state, &weights));
        (target, difference(of, runner_up, other, target))
    }

    /// `E2(s)`, with the weight of each first roll.
    pub(super) fn backup(&mut self, state: &G::State, weights: &[f32]) -> OutcomeProbs {
        let mut mean = [0.0; 6];
        for (best, &weight) in self.best_of_rolls(state).into_iter().zip(weights) {
            let terminal = self.game.outcome(&best.state).is_some();
            let next = match weight == 0.0 || terminal {
                true => best.probs,
                false => self.look(&best.state, best.roll).mean,
            };
            let (next, probs) = (next.flip().0, best.probs.flip().0);
            let probability = probability::<G, f32>(best.weight);
            for ((mean, next), prob) in mean.iter_mut().zip(next).zip(probs) {
                *mean += probability * prob + weight * (next - prob);
            }
        }
        OutcomeProbs(mean)
    }
}

/// The weight of each roll where `sampled` of them stand for all, 0: where all do. The samples are
/// evenly spaced among the [`Game::TOTAL_WEIGHT`] ways to roll, from `first` on; over all firsts
/// the mean of a weight is the probability of the roll.
pub(super) fn roll_weights<G: Game>(game: &G, sampled: u8, first: u32) -> Vec<f32> {
    let rolls = game.rolls().iter();
    if sampled == 0 {
        return rolls.map(|&(_, weight)| probability::<G, f32>(weight)).collect();
    }
    // A way to roll is `sampled` wide, so that the spacing is a whole number.
    let (mut next, mut end) = (first, 0);
    let weight = |&(_, weight): &(G::Roll, u8)| {
        end += u32::from(weight) * u32::from(sampled);
        let hits = end.saturating_sub(next).div_ceil(G::TOTAL_WEIGHT);
        next += hits * G::TOTAL_WEIGHT;
        hits as f32 / f32::from(sampled)
    };
    rolls.map(weight).collect()
}
