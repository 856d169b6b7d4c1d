//! Distillation: a network learns what another one says of afterstates at 0-ply.
//!
//! ```text
//! T(s) = V(s), for every afterstate s of a roll that is near enough to the best one
//! ```
//!
//! The afterstates are paired at random, and the difference of each pair is learned as well. The
//! states of the games may be learned too. A
//! sample costs no more than an evaluation, hundreds of times less than an expected backup. It
//! teaches what the other network knows, and no more.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use tavola_data::{Comparison, Label, RecordOf, Turn};
use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use super::Candidates;
use crate::explore::Probability;

/// Which afterstates are learned from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistillationSettings {
    /// Share of the turns whose afterstates are learned from, drawn for each.
    pub share: Probability,
    /// How far, in points, an afterstate may be behind the best of its roll.
    pub within: f32,
    /// Whether every state of the games is learned from too. What only forced plays lead to, dances
    /// among them, has no afterstate to make a pair with, and is learned in no other way.
    pub states: bool,
}

impl<G: Game> Candidates<G> {
    /// What is learned from the states of a game, the terminal one left out.
    pub(super) fn states(&mut self, record: &RecordOf<G>) -> Vec<Label> {
        self.afterstates.clear();
        self.afterstates.extend(record.states().take(record.turns.len()));
        self.evaluator.evaluate(&self.afterstates, &mut self.probs);
        self.probs.iter().map(|&probs| Label::Given(probs)).collect()
    }

    /// What is learned from the afterstates of a game.
    pub(super) fn comparisons(
        &mut self,
        record: &RecordOf<G>,
        settings: DistillationSettings,
        rng: &mut impl Rng,
    ) -> Vec<Comparison<G::State>> {
        // All turns draw first, so that a larger share takes all that a smaller one would.
        let draws: Vec<f64> = record.turns.iter().map(|_| rng.random()).collect();
        let mut comparisons = Vec::new();
        for ((state, turn), draw) in record.states().zip(&record.turns).zip(draws) {
            if draw < settings.share.get() {
                comparisons.extend(self.pairs(&state, turn, settings.within, rng));
            }
        }
        comparisons
    }

    /// The afterstates that `turn` could have had in `state`, as far as they are near enough and
    /// not terminal, two by two at random; an odd one is left out.
    fn pairs(
        &mut self,
        state: &G::State,
        turn: &Turn<G::State, G::Roll>,
        within: f32,
        rng: &mut impl Rng,
    ) -> impl Iterator<Item = Comparison<G::State>> + '_ {
        let Self { game, evaluator, afterstates, probs, near } = self;
        afterstates.clear();
        game.afterstates(state, turn.roll, afterstates);
        evaluator.evaluate_siblings(&game.flip(state), afterstates, probs);
        // The mover likes best what is worth the least to the opponent.
        let best = probs.iter().map(OutcomeProbs::equity).fold(f32::INFINITY, f32::min);
        near.clear();
        near.extend((0..afterstates.len()).filter(|&i| {
            probs[i].equity() <= best + within && game.outcome(&afterstates[i]).is_none()
        }));
        near.shuffle(rng);
        near.chunks_exact(2).map(|two| Comparison::Candidates {
            states: [afterstates[two[0]], afterstates[two[1]]],
            probs: [probs[two[0]], probs[two[1]]],
        })
    }
}
