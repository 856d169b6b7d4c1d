//! The nodes of the tree: the n-ply value of a state.

use std::sync::Arc;

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use super::cache::NodeCache;
use super::deepen::Watch;
use crate::expectation::{RollExpectation, RollSample};
use crate::utility::Utility;

/// The share of the 0-ply value in the value of a root at 1-ply, where all replies are estimates.
/// `docs/search.md`, section "Plies", has what it brings.
const OWN_SHARE: f32 = 1.0 / 4.0;

/// What the player on roll chooses with their rolls, each state once.
pub(super) type Replies<S> = Vec<Reply<S>>;

/// A state that the player on roll chooses.
#[derive(Clone, Copy)]
pub(super) struct Reply<S> {
    /// Seen by the other player.
    pub(super) state: S,
    /// The weight of the rolls that lead there.
    pub(super) weight: u32,
    /// The number of the first of them.
    pub(super) roll: u32,
}

/// One thread of a search, with its own evaluators and memory.
pub(super) struct Worker<G: Game, U: Utility<G>> {
    game: G,
    utility: U,
    /// By the main network, of the afterstates that the pruning network keeps: where the best one
    /// of each roll is followed, and where it is not.
    inner: RollExpectation<G>,
    leaves: RollExpectation<G>,
    cache: Arc<NodeCache<G::State, U::Value>>,
    probs: Vec<OutcomeProbs>,
}

impl<G: Game, U: Utility<G>> Worker<G, U> {
    pub(super) fn new(
        game: G,
        utility: U,
        [inner, leaves]: [RollExpectation<G>; 2],
        cache: Arc<NodeCache<G::State, U::Value>>,
    ) -> Self {
        Self { game, utility, inner, leaves, cache, probs: Vec::new() }
    }

    /// The 0-ply value of each state to its player on roll. They are afterstates of `parent`, which
    /// is seen by the same player.
    pub(super) fn siblings(&mut self, parent: &G::State, states: &[G::State]) -> Vec<U::Value> {
        self.leaves.evaluator().evaluate_siblings(parent, states, &mut self.probs);
        let probs = states.iter().zip(&self.probs);
        probs.map(|(state, probs)| self.utility.value(state, probs)).collect()
    }

    /// The value of `state` at `ply` to its player on roll; a sample stands for the last rolls.
    /// `None` if time is over, at which every node looks: some hundred evaluations.
    pub(super) fn value(
        &mut self,
        state: &G::State,
        ply: u8,
        sample: RollSample,
        watch: &Watch<'_>,
    ) -> Option<U::Value> {
        if let Some(value) = self.certain(state) {
            return Some(value);
        }
        if ply == 0 {
            return Some(self.evaluate(state));
        }
        // The value of a sample is not cached.
        let is_kept = sample == RollSample::ALL;
        if let Some(value) = self.cache.get(state, ply).filter(|_| is_kept) {
            return Some(value);
        }
        if watch.is_over() {
            return None;
        }
        let value = if ply == 1 {
            self.leaves.value_of(state, &self.utility, sample, |_| {})
        } else {
            let replies = self.open(state, RollSample::ALL).1;
            let after: Option<Vec<_>> = replies
                .iter()
                .map(|reply| {
                    let sample = sample.after(reply.roll);
                    let value = self.value(&reply.state, ply - 1, sample, watch)?;
                    Some((self.utility.flip(&value), reply.weight))
                })
                .collect();
            self.utility.before_roll(state, &after?)
        };
        if is_kept {
            self.cache.put(state, ply, value);
        }
        Some(value)
    }

    /// The 0-ply value of a state.
    pub(super) fn evaluate(&mut self, state: &G::State) -> U::Value {
        self.leaves.evaluator().evaluate(&[*state], &mut self.probs);
        self.utility.value(state, &self.probs[0])
    }

    /// The value of a state that search does not change: it is terminal, or the evaluator knows it
    /// exactly.
    pub(super) fn certain(&mut self, state: &G::State) -> Option<U::Value> {
        if let Some(outcome) = self.game.outcome(state) {
            return Some(self.utility.value(state, &OutcomeProbs::certain(outcome)));
        }
        self.leaves.evaluator().is_exact(state).then(|| self.evaluate(state))
    }

    /// The value at the root of `state`, which is not terminal, at 1-ply, and the replies of its
    /// player on roll, by a sample of the rolls. `own` is its 0-ply value.
    pub(super) fn open_root(
        &mut self,
        state: &G::State,
        own: &U::Value,
        sample: RollSample,
    ) -> (U::Value, Replies<G::State>) {
        let (value, replies) = self.open(state, sample);
        let (mut all, mut estimated) = (0, 0);
        for reply in &replies {
            all += reply.weight;
            let is_known = self.game.outcome(&reply.state).is_some()
                || self.leaves.evaluator().is_exact(&reply.state);
            estimated += if is_known { 0 } else { reply.weight };
        }
        let share = OWN_SHARE * estimated as f32 / all as f32;
        (self.utility.between(&value, own, share), replies)
    }

    /// The value that the replies of its player on roll give `state`, which is not terminal, and
    /// these, by a sample of the rolls.
    fn open(&mut self, state: &G::State, sample: RollSample) -> (U::Value, Replies<G::State>) {
        let utility = &self.utility;
        let (mut replies, mut rolls) = (Vec::new(), 0..);
        let value = self.inner.value_of(state, utility, sample, |best| {
            let roll = rolls.next().unwrap_or_default();
            add(&mut replies, Reply { state: best.state, weight: best.weight.into(), roll });
        });
        (value, replies)
    }
}

/// Adds a reply, or its weight where there is one with the same state.
fn add<S: PartialEq>(replies: &mut Replies<S>, reply: Reply<S>) {
    match replies.iter_mut().find(|other| other.state == reply.state) {
        Some(other) => other.weight += reply.weight,
        None => replies.push(reply),
    }
}
