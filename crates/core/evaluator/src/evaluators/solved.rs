//! A game that was solved, as an evaluator.

use std::sync::Arc;

use tavola_bearoff::WholeGame;
use tavola_equity::OutcomeProbs;
use tavola_rules::{Backgammon, Outcome, Position};

use crate::evaluator::Evaluator;

/// The exact outcome probabilities of positions of a solved game.
#[derive(Clone, Debug)]
pub struct SolvedEvaluator(Arc<WholeGame>);

impl SolvedEvaluator {
    /// The solution of this game.
    pub const fn new(game: Arc<WholeGame>) -> Self {
        Self(game)
    }
}

impl Evaluator<Backgammon> for SolvedEvaluator {
    /// # Panics
    ///
    /// If a state has another number of checkers than the solved game.
    fn evaluate(&mut self, states: &[Position], out: &mut Vec<OutcomeProbs>) {
        out.clear();
        out.extend(states.iter().map(|state| match Outcome::of(state) {
            Some(outcome) => OutcomeProbs::certain(outcome),
            None => self.0.probs(state).expect("the states are of the solved game"),
        }));
    }

    fn is_exact(&self, _: &Position) -> bool {
        true
    }

    fn fork(&self) -> Box<dyn Evaluator<Backgammon>> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_the_solution_says_and_finished_games_are_certain() {
        let game = Arc::new(WholeGame::solve(1, 1e-9, &|_| {}).unwrap());
        let mut evaluator = SolvedEvaluator::new(game.clone()).fork();
        let open = Position::from_points(&[(6, 1)], &[(6, 1)], 1).unwrap();
        let over = Position::from_points(&[(6, 1)], &[], 1).unwrap();
        let mut out = vec![OutcomeProbs::default(); 5];
        evaluator.evaluate(&[open, over], &mut out);
        let lost = OutcomeProbs::certain(Outcome::LoseGammon);
        assert_eq!(out, [game.probs(&open).unwrap(), lost]);
        assert!(evaluator.is_exact(&open));
    }
}
