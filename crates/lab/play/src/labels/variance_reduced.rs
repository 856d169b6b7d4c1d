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
use tavola_evaluator::RollExpectation;
use tavola_evaluator::expectation::{BestAfterstate, RollValues};
use tavola_rules::Game;

use crate::variance_reduction::LuckEvaluator;

/// What all rolls say of a state, where every roll of the game can come.
pub(super) struct Look<G: Game> {
    /// What each roll is worth to the player on roll.
    values: RollValues<f32, 6>,
    /// The best afterstate of each roll.
    pub(super) best: Vec<BestAfterstate<G, f32>>,
}

impl<G: Game> Look<G> {
    /// `E(s)`: the outcome probabilities of the player on roll at 1-ply.
    pub(super) const fn mean(&self) -> OutcomeProbs {
        OutcomeProbs(self.values.mean())
    }
}

/// Looks at all rolls of a state.
pub(super) struct Lookahead<G: Game> {
    pub(super) game: G,
    expectation: RollExpectation<G>,
}

impl<G: Game> Lookahead<G> {
    /// With forks of the evaluator and the pruning network of `luck`.
    pub(super) fn new(game: G, luck: &LuckEvaluator<'_, G>) -> Self {
        Self { expectation: luck.expectation(&game), game }
    }

    /// Appends the luck of each turn. Returns what all rolls say of each state but the start and
    /// the terminal one.
    pub(super) fn luck(&mut self, record: &RecordOf<G>, luck: &mut Vec<[f32; 6]>) -> Vec<Look<G>> {
        luck.push([0.0; 6]);
        let turns = record.turns.iter().zip(record.turns.iter().skip(1));
        turns
            .map(|(before, turn)| {
                let look = self.look(&before.after);
                let number = look.best.iter().position(|best| best.roll == turn.roll);
                luck.push(look.values.luck(number.expect("a roll of the game")));
                look
            })
            .collect()
    }

    /// What all rolls say of `state`.
    pub(super) fn look(&mut self, state: &G::State) -> Look<G> {
        let best: Vec<_> = self.expectation.evaluate_cubeless(state).best().collect();
        let values = best.iter().map(|best| (best.weight, best.probs.flip().0));
        Look { values: RollValues::new::<G>(values), best }
    }
}
