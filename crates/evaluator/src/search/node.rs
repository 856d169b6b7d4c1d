//! The nodes of the tree: what a state is worth so many rolls ahead.

use std::ops::Range;
use std::sync::Arc;

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use super::cache::NodeCache;
use super::utility::Utility;
use crate::evaluator::Evaluator;
use crate::pruning::{Pruner, RollResults};

/// What the player on roll makes of his rolls: the states that he chooses, seen by the other
/// player, each once, with the ways to roll what leads there.
pub(super) type Replies<S> = Vec<(S, u32)>;

/// One thread of a search, with its own evaluators and memory.
pub(super) struct Worker<G: Game, U: Utility<G>> {
    game: G,
    utility: U,
    main: Box<dyn Evaluator<G>>,
    cache: Arc<NodeCache<G::State, U::Value>>,
    /// The results of all rolls of a state that are worth a look of the main network.
    listed: RollResults<G>,
    judged: Vec<OutcomeProbs>,
    after: Vec<(U::Value, u32)>,
}

impl<G: Game, U: Utility<G>> Worker<G, U> {
    pub(super) fn new(
        game: G,
        utility: U,
        main: Box<dyn Evaluator<G>>,
        pruner: Option<Pruner<G>>,
        cache: Arc<NodeCache<G::State, U::Value>>,
    ) -> Self {
        let listed = RollResults::new(game.clone(), pruner);
        Self { game, utility, main, cache, listed, judged: Vec::new(), after: Vec::new() }
    }

    /// What each state is worth to its player on roll at 0-ply. They result from plays in
    /// `parent`, seen by the same player.
    pub(super) fn siblings(&mut self, parent: &G::State, states: &[G::State]) -> Vec<U::Value> {
        self.main.evaluate_siblings(parent, states, &mut self.judged);
        let judged = states.iter().zip(&self.judged);
        judged.map(|(state, probs)| self.utility.judged(state, probs)).collect()
    }

    /// What `state` is worth to its player on roll, looking `ply` rolls ahead.
    pub(super) fn value(&mut self, state: &G::State, ply: u8) -> U::Value {
        if let Some(value) = self.certain(state) {
            return value;
        }
        if ply == 0 {
            return self.judge(state);
        }
        if let Some(value) = self.cache.get(state, ply) {
            return value;
        }
        let value = if ply == 1 {
            self.last_roll(state)
        } else {
            let replies = self.replies(state);
            let after: Vec<_> = replies
                .iter()
                .map(|(reply, ways)| {
                    let value = self.value(reply, ply - 1);
                    (self.utility.flip(&value), *ways)
                })
                .collect();
            self.utility.before_roll(state, &after)
        };
        self.cache.put(state, ply, value);
        value
    }

    /// The 0-ply value of a state.
    fn judge(&mut self, state: &G::State) -> U::Value {
        self.main.evaluate(&[*state], &mut self.judged);
        self.utility.judged(state, &self.judged[0])
    }

    /// The value of a state that looking ahead does not change: it is finished, or the evaluator
    /// knows it exactly.
    pub(super) fn certain(&mut self, state: &G::State) -> Option<U::Value> {
        if let Some(outcome) = self.game.outcome(state) {
            return Some(self.utility.judged(state, &OutcomeProbs::certain(outcome)));
        }
        self.main.is_exact(state).then(|| self.judge(state))
    }

    /// What the player on roll in `state`, which is not finished, makes of his rolls.
    pub(super) fn replies(&mut self, state: &G::State) -> Replies<G::State> {
        self.list(state);
        let mut replies = Vec::with_capacity(self.game.rolls().len());
        let (kept, judged) = (self.listed.results(), &self.judged);
        for (_, ways, range) in self.listed.rolls() {
            let best = least(range, |i| self.utility.worth_judged(&kept[i], &judged[i]));
            add(&mut replies, kept[best], ways.into());
        }
        replies
    }

    /// As [`replies`](Self::replies), and the 1-ply value of the state.
    pub(super) fn open(&mut self, state: &G::State) -> (U::Value, Replies<G::State>) {
        // The chosen replies are those of `replies`, the value that of `last_roll`.
        let replies = self.replies(state);
        (self.mean_of_listed(state), replies)
    }

    /// The 1-ply value of `state`, which is not finished.
    fn last_roll(&mut self, state: &G::State) -> U::Value {
        self.list(state);
        self.mean_of_listed(state)
    }

    /// The value of `state` before the roll if the best of what is listed is played with each roll.
    fn mean_of_listed(&mut self, state: &G::State) -> U::Value {
        let mut after = std::mem::take(&mut self.after);
        after.clear();
        let (kept, judged) = (self.listed.results(), &self.judged);
        for (_, ways, range) in self.listed.rolls() {
            let best = least(range, |i| self.utility.worth_judged(&kept[i], &judged[i]));
            let value = self.utility.judged(&kept[best], &judged[best]);
            after.push((self.utility.flip(&value), ways.into()));
        }
        let value = self.utility.before_roll(state, &after);
        self.after = after;
        value
    }

    /// Lists the results of every roll that are worth a look of the main network, and judges them, all
    /// rolls at once: they share the parent.
    fn list(&mut self, state: &G::State) {
        self.listed.list(state, |result, probs| self.utility.worth_judged(result, probs));
        let parent = self.game.flip(state);
        self.main.evaluate_siblings(&parent, self.listed.results(), &mut self.judged);
    }
}

/// The number in the range with the least worth; the first of equals.
fn least(range: Range<usize>, worth: impl Fn(usize) -> f32) -> usize {
    let mut best = (range.start, worth(range.start));
    for i in range.skip(1) {
        let worth = worth(i);
        if worth < best.1 {
            best = (i, worth);
        }
    }
    best.0
}

/// Adds ways to the entry of a state, which is made if there is none.
fn add<S: PartialEq>(replies: &mut Replies<S>, state: S, ways: u32) {
    match replies.iter_mut().find(|(other, _)| *other == state) {
        Some((_, sum)) => *sum += ways,
        None => replies.push((state, ways)),
    }
}
