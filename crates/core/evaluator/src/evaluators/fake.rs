//! An evaluator for tests whose answers the test writes down.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use crate::evaluator::Evaluator;

/// Evaluates unfinished states by a function, and counts them; finished ones by the rules.
#[derive(Clone)]
pub struct FakeEvaluator<G, F> {
    game: G,
    evaluator: F,
    evaluated: Arc<AtomicU64>,
}

impl<G: Game, F> FakeEvaluator<G, F>
where
    F: Fn(&G::State) -> OutcomeProbs + Clone + Send + 'static,
{
    /// An evaluator with the answers of `evaluator`: outcome probabilities from the player on roll.
    pub fn new(game: G, evaluator: F) -> Self {
        Self { game, evaluator, evaluated: Arc::default() }
    }

    /// The number of states that this evaluator and all its forks have evaluated so far.
    pub fn evaluated(&self) -> u64 {
        self.evaluated.load(Ordering::Relaxed)
    }
}

impl<G: Game, F> Evaluator<G> for FakeEvaluator<G, F>
where
    F: Fn(&G::State) -> OutcomeProbs + Clone + Send + 'static,
{
    fn evaluate(&mut self, states: &[G::State], out: &mut Vec<OutcomeProbs>) {
        self.evaluated.fetch_add(states.len() as u64, Ordering::Relaxed);
        out.clear();
        out.extend(states.iter().map(|state| {
            self.game.outcome(state).map_or_else(|| (self.evaluator)(state), OutcomeProbs::certain)
        }));
    }

    fn fork(&self) -> Box<dyn Evaluator<G>> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Backgammon, Outcome, Position};

    use super::*;

    #[test]
    fn the_fake_answers_as_told_and_counts_over_all_forks() {
        let fake = FakeEvaluator::new(Backgammon::Standard, |state: &Position| {
            OutcomeProbs::certain(Outcome::ALL[state.bar() as usize])
        });
        let mut out = Vec::new();
        let mut fork = fake.fork();
        fork.evaluate(&[Position::STANDARD; 2], &mut out);
        fork.evaluate_siblings(&Position::STANDARD, &[Position::STANDARD], &mut out);
        assert_eq!(out, [OutcomeProbs::certain(Outcome::LoseSingle)]);
        assert_eq!(fake.evaluated(), 3);
    }
}
