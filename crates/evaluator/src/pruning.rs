//! Leaving a judge few of the results of a roll: a small network looks at all of them first.

use std::ops::Range;

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use crate::evaluator::Evaluator;

/// How a small network thins out the results of a roll, before the main network chooses among what
/// is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pruning {
    /// The most results of a roll that the main network looks at; at least one.
    pub keep: usize,
    /// How far behind the best a result may be in the small network's judgement, in units of
    /// worth (points).
    pub within: f32,
}

impl Pruning {
    /// For choosing at 0-ply, in two thirds of the time: hardly anything is hidden.
    /// `docs/performance.md`, section "Pruning", has what that costs.
    pub const AT_ONCE: Self = Self { keep: 16, within: 0.4 };
}

/// A small network that prunes.
///
/// It keeps its memory from roll to roll.
pub struct Pruner<G: Game> {
    network: Box<dyn Evaluator<G>>,
    pruning: Pruning,
    judged: Vec<OutcomeProbs>,
    /// Results of a roll by the small network's judgement, the best first.
    best: Vec<(f32, u32)>,
}

impl<G: Game> Pruner<G> {
    /// Lets `network` prune so.
    pub fn new(network: Box<dyn Evaluator<G>>, pruning: Pruning) -> Self {
        Self { network, pruning, judged: Vec::new(), best: Vec::new() }
    }

    /// Another one that leaves the same.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self::new(self.network.fork(), self.pruning)
    }

    /// Appends to `kept` what is left of the results of each roll, the best first, and to
    /// `kept_ends` where that ends. They all result from plays in `parent`, which is seen by the same
    /// player, those of a roll in a row that ends at an entry of `ends`, and are the better the less
    /// `worth` makes of them, which also gets the small network's chances. The best of a roll is
    /// always left.
    ///
    /// # Panics
    ///
    /// If a roll has no result.
    pub fn prune(
        &mut self,
        parent: &G::State,
        (results, ends): (&[G::State], &[usize]),
        worth: impl Fn(&G::State, &OutcomeProbs) -> f32,
        (kept, kept_ends): (&mut Vec<G::State>, &mut Vec<usize>),
    ) {
        let Pruning { keep, within } = self.pruning;
        self.network.evaluate_siblings(parent, results, &mut self.judged);
        let mut start = 0;
        for &end in ends {
            self.best.clear();
            let judged = results[start..end].iter().zip(&self.judged[start..end]);
            for (i, (result, probs)) in (start as u32..).zip(judged) {
                insert(&mut self.best, (worth(result, probs), i), keep.max(1));
            }
            let (best, others) = self.best.split_first().expect("every roll has a result");
            let near = others.iter().take_while(|&&(worth, _)| worth <= best.0 + within);
            kept.push(results[best.1 as usize]);
            kept.extend(near.map(|&(_, i)| results[i as usize]));
            kept_ends.push(kept.len());
            start = end;
        }
    }
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

/// The results of all rolls of a state, or what a pruner leaves of them.
///
/// It keeps its memory from state to state.
pub struct RollResults<G: Game> {
    game: G,
    pruner: Option<Pruner<G>>,
    /// The results of all rolls, and for each roll where its results end.
    all: Vec<G::State>,
    all_ends: Vec<usize>,
    /// What is left of them.
    kept: Vec<G::State>,
    kept_ends: Vec<usize>,
}

impl<G: Game> RollResults<G> {
    /// Lists results that `pruner` leaves, all of them without it.
    pub const fn new(game: G, pruner: Option<Pruner<G>>) -> Self {
        Self {
            game,
            pruner,
            all: Vec::new(),
            all_ends: Vec::new(),
            kept: Vec::new(),
            kept_ends: Vec::new(),
        }
    }

    /// Another one that lists the same.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self::new(self.game.clone(), self.pruner.as_ref().map(Pruner::fork))
    }

    /// Lists those of `state`, where every roll of the game can come, in place of those before.
    /// `worth` is for the [pruner](Pruner::prune).
    pub fn list(&mut self, state: &G::State, worth: impl Fn(&G::State, &OutcomeProbs) -> f32) {
        let Self { game, pruner, all, all_ends, kept, kept_ends } = self;
        let (listed, ends) = match pruner {
            Some(_) => (&mut *all, &mut *all_ends),
            None => (&mut *kept, &mut *kept_ends),
        };
        listed.clear();
        ends.clear();
        for &(roll, _) in game.rolls() {
            game.results(state, roll, listed);
            ends.push(listed.len());
        }
        if let Some(pruner) = pruner {
            kept.clear();
            kept_ends.clear();
            pruner.prune(&game.flip(state), (all, all_ends), worth, (kept, kept_ends));
        }
    }

    /// What was listed, roll by roll.
    pub fn results(&self) -> &[G::State] {
        &self.kept
    }

    /// The rolls in the order of the game's, with the ways to roll each, and where its results are,
    /// of which there is at least one.
    pub fn rolls(&self) -> impl Iterator<Item = (G::Roll, u8, Range<usize>)> + '_ {
        let mut start = 0;
        self.game.rolls().iter().zip(&self.kept_ends).map(move |(&(roll, ways), &end)| {
            let range = start..end;
            start = end;
            (roll, ways, range)
        })
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Backgammon, Position};

    use super::*;
    use crate::evaluators::{FakeEvaluator, PipCountEvaluator};

    const GAME: Backgammon = Backgammon::Standard;

    #[test]
    fn a_sorted_list_holds_the_least_and_equals_in_their_order() {
        let few = |equities: &[f32]| {
            let mut list = Vec::new();
            for (i, &equity) in (0..).zip(equities) {
                insert(&mut list, (equity, i), 3);
            }
            list.into_iter().map(|(_, i)| i).collect::<Vec<_>>()
        };
        assert_eq!(few(&[0.5]), [0]);
        assert_eq!(few(&[0.5, -0.25]), [1, 0]);
        assert_eq!(few(&[0.5, -0.25, 0.0, -0.5, 0.75, -0.375]), [3, 5, 1]);
        assert_eq!(few(&[0.0, 0.0, 0.0, 0.0, -0.5]), [4, 0, 1]);
    }

    #[test]
    fn without_a_pruner_all_results_of_each_roll_are_listed() {
        let mut listed = RollResults::new(GAME, None);
        listed.list(&Position::STANDARD, |_, _| unreachable!("nobody prunes"));
        let mut rolls = 0;
        for (roll, _, range) in listed.rolls() {
            let mut results = Vec::new();
            GAME.results(&Position::STANDARD, roll, &mut results);
            assert_eq!(listed.results()[range], results);
            rolls += 1;
        }
        assert_eq!(rolls, 21);
    }

    #[test]
    fn a_pruner_leaves_the_best_of_each_roll() {
        // One pip less to go for the opponent is worth a hundredth.
        let judge = FakeEvaluator::new(GAME, |state: &Position| {
            let win = 0.5 - state.pip_count() as f32 / 200.0;
            OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
        });
        let worth = |_: &Position, probs: &OutcomeProbs| probs.equity();
        let mut all = RollResults::new(GAME, None);
        let state = Position::STANDARD;
        all.list(&state, worth);
        let pruning = Pruning { keep: 3, within: 0.025 };
        let pruner = Pruner::new(Box::new(judge), pruning);
        let mut few = RollResults::new(GAME, Some(pruner)).fork();
        few.list(&state, worth);
        let mut left = Vec::new();
        for ((roll, _, range), (_, _, few_range)) in all.rolls().zip(few.rolls()) {
            let mut expected = all.results()[range].to_vec();
            expected.sort_by_key(|result| std::cmp::Reverse(result.pip_count()));
            let most = expected[0].pip_count();
            expected.truncate(3);
            expected.retain(|result| most - result.pip_count() <= 2);
            let found = &few.results()[few_range];
            assert_eq!(found.len(), expected.len(), "{roll}");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.pip_count(), expected.pip_count(), "{roll}");
            }
            left.push(found.len());
        }
        assert!(left.contains(&3), "{left:?}");
        let racer = Pruner::new(Box::new(PipCountEvaluator::new(GAME)), pruning);
        let mut one = RollResults::new(GAME, Some(racer));
        one.list(&state, worth);
        assert!(one.rolls().all(|(_, _, range)| (1..=3).contains(&range.len())));
    }
}
