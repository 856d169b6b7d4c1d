//! The nodes of the tree: the n-ply value of a state.

use std::sync::Arc;

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use super::cache::NodeCache;
use super::utility::Utility;
use crate::expectation::Expectation;

/// The states that the player on roll chooses with their rolls, each once, seen by the other
/// player; with the weight of the rolls that lead there.
pub(super) type Replies<S> = Vec<(S, u32)>;

/// One thread of a search, with its own evaluators and memory.
pub(super) struct Worker<G: Game, U: Utility<G>> {
    game: G,
    utility: U,
    /// By the main network, of the afterstates that the pruning network keeps: where the best one
    /// of each roll is followed, and where it is not.
    inner: Expectation<G>,
    leaves: Expectation<G>,
    cache: Arc<NodeCache<G::State, U::Value>>,
    probs: Vec<OutcomeProbs>,
}

impl<G: Game, U: Utility<G>> Worker<G, U> {
    pub(super) fn new(
        game: G,
        utility: U,
        [inner, leaves]: [Expectation<G>; 2],
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

    /// The value of `state` at `ply` to its player on roll.
    pub(super) fn value(&mut self, state: &G::State, ply: u8) -> U::Value {
        if let Some(value) = self.certain(state) {
            return value;
        }
        if ply == 0 {
            return self.evaluate(state);
        }
        if let Some(value) = self.cache.get(state, ply) {
            return value;
        }
        let value = if ply == 1 {
            self.leaves.value(state, &self.utility)
        } else {
            let replies = self.open(state).1;
            let after: Vec<_> = replies
                .iter()
                .map(|(reply, weight)| {
                    let value = self.value(reply, ply - 1);
                    (self.utility.flip(&value), *weight)
                })
                .collect();
            self.utility.before_roll(state, &after)
        };
        self.cache.put(state, ply, value);
        value
    }

    /// The 0-ply value of a state.
    fn evaluate(&mut self, state: &G::State) -> U::Value {
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

    /// The 1-ply value of `state`, which is not terminal, and the replies of its player on roll.
    pub(super) fn open(&mut self, state: &G::State) -> (U::Value, Replies<G::State>) {
        let utility = &self.utility;
        let mut replies = Vec::new();
        let value = self.inner.value_of(state, utility, |best| {
            add(&mut replies, best.state, best.weight.into());
        });
        (value, replies)
    }
}

/// Adds to the weight of a state, which gets an entry if it has none.
fn add<S: PartialEq>(replies: &mut Replies<S>, state: S, weight: u32) {
    match replies.iter_mut().find(|(other, _)| *other == state) {
        Some((_, sum)) => *sum += weight,
        None => replies.push((state, weight)),
    }
}
