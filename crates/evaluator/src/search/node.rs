//! The nodes of the tree: what a state is worth so many rolls ahead.

use std::sync::Arc;

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use super::cache::NodeCache;
use super::settings::Pruning;
use super::utility::Utility;
use crate::evaluator::Evaluator;

/// What the player on roll makes of his rolls: the states that he chooses, seen by the other
/// player, each once, with the ways to roll what leads there.
pub(super) type Replies<S> = Vec<(S, u32)>;

/// One thread of a search, with its own evaluators and memory.
pub(super) struct Worker<G: Game, U: Utility<G>> {
    game: G,
    utility: U,
    main: Box<dyn Evaluator<G>>,
    /// The small network and what it is to leave, if there is one.
    pruning: Option<(Box<dyn Evaluator<G>>, Pruning)>,
    cache: Arc<NodeCache<G::State, U::Value>>,
    /// The results of all rolls of a state.
    results: Vec<G::State>,
    /// For each roll where its results end.
    ends: Vec<usize>,
    judged: Vec<OutcomeProbs>,
    /// Results by the small network's judgement, the best first.
    best: Vec<(f32, u32)>,
    /// What is left of `results` and `ends` after pruning.
    kept: Vec<G::State>,
    kept_ends: Vec<usize>,
    after: Vec<(U::Value, u32)>,
}

impl<G: Game, U: Utility<G>> Worker<G, U> {
    pub(super) fn new(
        game: G,
        utility: U,
        main: Box<dyn Evaluator<G>>,
        pruning: Option<(Box<dyn Evaluator<G>>, Pruning)>,
        cache: Arc<NodeCache<G::State, U::Value>>,
    ) -> Self {
        Self {
            game,
            utility,
            main,
            pruning,
            cache,
            results: Vec::new(),
            ends: Vec::new(),
            judged: Vec::new(),
            best: Vec::new(),
            kept: Vec::new(),
            kept_ends: Vec::new(),
            after: Vec::new(),
        }
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
        let rolls = self.game.rolls();
        let mut replies = Vec::with_capacity(rolls.len());
        self.list(state);
        self.judge_kept(state);
        let (mut start, judged) = (0, &self.judged);
        for (&end, &(_, ways)) in self.kept_ends.iter().zip(rolls) {
            let best = least(start, end, |i| self.utility.worth_judged(&self.kept[i], &judged[i]));
            add(&mut replies, self.kept[best], ways.into());
            start = end;
        }
        replies
    }

    /// As [`replies`](Self::replies), and the 1-ply value of the state.
    pub(super) fn open(&mut self, state: &G::State) -> (U::Value, Replies<G::State>) {
        // The chosen replies are those of `replies`, the value that of `last_roll`.
        let replies = self.replies(state);
        (self.mean_of_kept(state), replies)
    }

    /// The 1-ply value of `state`, which is not finished.
    fn last_roll(&mut self, state: &G::State) -> U::Value {
        self.list(state);
        self.judge_kept(state);
        self.mean_of_kept(state)
    }

    /// The value of `state` before the roll if the best of `kept` is played with each roll.
    fn mean_of_kept(&mut self, state: &G::State) -> U::Value {
        let mut after = std::mem::take(&mut self.after);
        after.clear();
        let (mut start, judged) = (0, &self.judged);
        for (&end, &(_, ways)) in self.kept_ends.iter().zip(self.game.rolls()) {
            let best = least(start, end, |i| self.utility.worth_judged(&self.kept[i], &judged[i]));
            let value = self.utility.judged(&self.kept[best], &judged[best]);
            after.push((self.utility.flip(&value), ways.into()));
            start = end;
        }
        let value = self.utility.before_roll(state, &after);
        self.after = after;
        value
    }

    /// Judges what is left of the results of `state`. All rolls at once: they share the parent.
    fn judge_kept(&mut self, state: &G::State) {
        self.main.evaluate_siblings(&self.game.flip(state), &self.kept, &mut self.judged);
    }

    /// Fills `kept` with the results of every roll that are worth a look of the main network.
    fn list(&mut self, state: &G::State) {
        self.results.clear();
        self.ends.clear();
        for &(roll, _) in self.game.rolls() {
            self.game.results(state, roll, &mut self.results);
            self.ends.push(self.results.len());
        }
        let Some((network, Pruning { keep, within })) = &mut self.pruning else {
            std::mem::swap(&mut self.kept, &mut self.results);
            std::mem::swap(&mut self.kept_ends, &mut self.ends);
            return;
        };
        network.evaluate_siblings(&self.game.flip(state), &self.results, &mut self.judged);
        self.kept.clear();
        self.kept_ends.clear();
        let mut start = 0;
        for &end in &self.ends {
            self.best.clear();
            for i in start..end {
                let worth = self.utility.worth_judged(&self.results[i], &self.judged[i]);
                insert(&mut self.best, (worth, i as u32), (*keep).max(1));
            }
            let limit = self.best[0].0 + *within;
            let near = self.best.iter().take_while(|&&(worth, _)| worth <= limit);
            self.kept.extend(near.map(|&(_, i)| self.results[i as usize]));
            self.kept_ends.push(self.kept.len());
            start = end;
        }
    }
}

/// The number from `start` to `end`, which is excluded, with the least worth; the first of equals.
fn least(start: usize, end: usize, worth: impl Fn(usize) -> f32) -> usize {
    let mut best = (start, worth(start));
    for i in start + 1..end {
        let worth = worth(i);
        if worth < best.1 {
            best = (i, worth);
        }
    }
    best.0
}

/// Puts an entry into its place in a sorted list that holds at most `most`.
fn insert(list: &mut Vec<(f32, u32)>, entry: (f32, u32), most: usize) {
    if list.len() == most {
        if list[most - 1].0 <= entry.0 {
            return;
        }
        list.pop();
    }
    let place = list.iter().rposition(|other| other.0 <= entry.0).map_or(0, |i| i + 1);
    list.insert(place, entry);
}

/// Adds ways to the entry of a state, which is made if there is none.
fn add<S: PartialEq>(replies: &mut Replies<S>, state: S, ways: u32) {
    match replies.iter_mut().find(|(other, _)| *other == state) {
        Some((_, sum)) => *sum += ways,
        None => replies.push((state, ways)),
    }
}
