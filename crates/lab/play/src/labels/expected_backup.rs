//! Expected backups: targets without the noise of dice.
//!
//! ```text
//! T(s) = E(s) = sum over rolls r of p(r) flip(V(best afterstate of r))
//! ```
//!
//! One costs some four hundred evaluations.

use tavola_equity::OutcomeProbs;
use tavola_evaluator::search::Cubeless;
use tavola_evaluator::{Evaluator, RollExpectation};
use tavola_rules::Game;

/// Expected backups of 1-ply.
pub struct ExpectedBackup<G: Game> {
    game: G,
    expectation: RollExpectation<G>,
}

impl<G: Game> ExpectedBackup<G> {
    /// Backups of what this evaluator says.
    pub fn new(game: G, evaluator: Box<dyn Evaluator<G>>) -> Self {
        Self { expectation: RollExpectation::new(game.clone(), evaluator, None), game }
    }

    /// `E(s)`, from the player on roll, before the roll. A terminal state has its certain outcome.
    pub fn target(&mut self, state: &G::State) -> OutcomeProbs {
        match self.game.outcome(state) {
            Some(outcome) => OutcomeProbs::certain(outcome),
            None => self.expectation.value(state, &Cubeless),
        }
    }
}
