//! Variance-reduced TD(lambda).
//!
//! ```text
//! T(s) = flip((1 - lambda) V(s') + lambda T(s')) - luck(r)
//! luck(r) = flip(V(best afterstate of r)) - E(s)
//! ```
//!
//! The luck of the roll `r` that fell is taken off all six outcome probabilities. Its expectation
//! is zero, so no target is biased; the targets lose most of their noise, and single ones may leave
//! the range from 0 to 1. The first roll of a game, which may follow rules of its own, has no luck.

use tavola_data::RecordOf;
use tavola_equity::OutcomeProbs;
use tavola_evaluator::Expectation;
use tavola_evaluator::expectation::{BestAfterstate, RollValues};
use tavola_rules::Game;

use crate::variance_reduction::LuckEvaluator;

/// What all rolls say of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look<S> {
    /// `E(s)`: the outcome probabilities of the player on roll at 1-ply.
    pub(super) mean: OutcomeProbs,
    /// The best afterstate of the roll.
    pub(super) after: S,
    /// `V` of that afterstate, from the opponent, who is on roll there.
    pub(super) after_probs: OutcomeProbs,
    /// The luck of that roll.
    luck: [f32; 6],
}

/// Looks at all rolls of a state.
pub(super) struct Lookahead<G: Game> {
    pub(super) game: G,
    expectation: Expectation<G>,
}

impl<G: Game> Lookahead<G> {
    /// With forks of the evaluator and the pruning network of `luck`.
    pub(super) fn new(game: G, luck: &LuckEvaluator<'_, G>) -> Self {
        Self { expectation: luck.expectation(&game), game }
    }

    /// Appends the luck of each turn. Returns what all rolls say of each state but the start and
    /// the terminal one.
    pub(super) fn luck(
        &mut self,
        record: &RecordOf<G>,
        luck: &mut Vec<[f32; 6]>,
    ) -> Vec<Look<G::State>> {
        luck.push([0.0; 6]);
        let turns = record.turns.iter().zip(record.turns.iter().skip(1));
        let looks: Vec<_> =
            turns.map(|(before, turn)| self.look(&before.after, turn.roll)).collect();
        luck.extend(looks.iter().map(|look| look.luck));
        looks
    }

    /// What all rolls say of `state`, where every roll of the game can come, and where `roll`
    /// leads.
    pub(super) fn look(&mut self, state: &G::State, roll: G::Roll) -> Look<G::State> {
        let best = self.best_of_rolls(state);
        let number = best.iter().position(|best| best.roll == roll).expect("a roll of the game");
        let values = best.iter().map(|best| (best.weight, best.probs.flip().0));
        let values = RollValues::new::<G>(values);
        let BestAfterstate { state: after, probs: after_probs, .. } = best[number];
        let mean = OutcomeProbs(values.mean());
        Look { mean, after, after_probs, luck: values.luck(number) }
    }

    /// The best afterstate of each roll.
    pub(super) fn best_of_rolls(&mut self, state: &G::State) -> Vec<BestAfterstate<G, f32>> {
        self.expectation.evaluate_cubeless(state).best().collect()
    }
}
