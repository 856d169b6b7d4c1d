//! Pruning of the afterstates of a roll: a small network evaluates all of them first.

use std::fmt;

use serde::{Deserialize, Serialize};
use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use crate::evaluator::Evaluator;
use crate::utility::Preference;

/// How a small network thins out the afterstates of a roll, before the main network chooses among
/// what is left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pruning {
    /// The most afterstates of a roll that the main network looks at; at least one.
    pub keep: usize,
    /// How far behind the best an afterstate may be by the pruning network's evaluation, in units
    /// of value (points).
    #[serde(with = "crate::exact")]
    pub within: f32,
}

impl Pruning {
    /// For choosing at 0-ply, in two thirds of the time: the best play is rarely removed.
    /// `docs/search.md`, section "Move filters and pruning", has what that costs.
    pub const AT_0_PLY: Self = Self { keep: 10, within: 0.3 };
}

impl fmt::Display for Pruning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} within {}", self.keep, self.within)
    }
}

/// A small network that prunes.
///
/// It keeps its memory from roll to roll.
pub struct Pruner<G: Game> {
    network: Box<dyn Evaluator<G>>,
    pruning: Pruning,
    evaluated: Vec<OutcomeProbs>,
    /// Afterstates of a roll by the pruning network's evaluation, the best first.
    best: Vec<(Preference, u32)>,
}

impl<G: Game> Pruner<G> {
    /// Lets `network` prune so.
    pub fn new(network: Box<dyn Evaluator<G>>, pruning: Pruning) -> Self {
        Self { network, pruning, evaluated: Vec::new(), best: Vec::new() }
    }

    /// Another one that leaves the same.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self::new(self.network.fork(), self.pruning)
    }

    /// Keeps, for each roll, the afterstates that the opponent of the mover likes least by
    /// `preference`, best for the mover first.
    ///
    /// `afterstates` holds the afterstates of all rolls, grouped by roll; group `i` ends at
    /// `ends[i]`. They follow `parent`, which is seen by the same player. `preference` also gets the
    /// pruning network's probabilities. What is kept goes to `kept`, the ends of the groups to
    /// `kept_ends`. Each group keeps at least its best.
    ///
    /// # Panics
    ///
    /// If a roll has no afterstate.
    pub fn prune(
        &mut self,
        parent: &G::State,
        (afterstates, ends): (&[G::State], &[usize]),
        preference: impl Fn(&G::State, &OutcomeProbs) -> Preference,
        (kept, kept_ends): (&mut Vec<G::State>, &mut Vec<usize>),
    ) {
        let Pruning { keep, within } = self.pruning;
        self.network.evaluate_siblings(parent, afterstates, &mut self.evaluated);
        let mut start = 0;
        for &end in ends {
            self.best.clear();
            let evaluated = afterstates[start..end].iter().zip(&self.evaluated[start..end]);
            for (i, (after, probs)) in (start as u32..).zip(evaluated) {
                insert(&mut self.best, (preference(after, probs), i), keep.max(1));
            }
            let (best, others) = self.best.split_first().expect("every roll has an afterstate");
            let worst = best.0.expectation + within;
            let near = others.iter().take_while(|(other, _)| other.expectation <= worst);
            kept.push(afterstates[best.1 as usize]);
            kept.extend(near.map(|&(_, i)| afterstates[i as usize]));
            kept_ends.push(kept.len());
            start = end;
        }
    }
}

/// Puts an entry into its place in a sorted list that holds at most `most`.
fn insert<V: PartialOrd>(list: &mut Vec<(V, u32)>, entry: (V, u32), most: usize) {
    if list.len() == most {
        if list[most - 1].0 <= entry.0 {
            return;
        }
        list.pop();
    }
    let place = list.iter().rposition(|other| other.0 <= entry.0).map_or(0, |i| i + 1);
    list.insert(place, entry);
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
