//! A network as an evaluator: the 0-ply evaluation.

use std::sync::Arc;

use tavola_equity::OutcomeProbs;
use tavola_net::{Network, Precision, Scratch, Weights, WeightsError};
use tavola_rules::{Game, WinKind};

use crate::evaluator::Evaluator;

/// Evaluates every unfinished state by a network; finished ones by the rules.
#[derive(Clone, Debug)]
pub struct NetEvaluator<G: Game> {
    game: G,
    network: Arc<Network>,
    scratch: Scratch,
}

impl<G: Game> NetEvaluator<G> {
    /// The evaluator that these weights make.
    ///
    /// # Errors
    ///
    /// [`WeightsError`] if the weights belong to another game.
    pub fn new(weights: &Weights, game: G) -> Result<Self, WeightsError> {
        Self::with_precision(weights, game, Precision::default())
    }

    /// The evaluator that these weights make, computing with numbers of this precision.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_precision(
        weights: &Weights,
        game: G,
        precision: Precision,
    ) -> Result<Self, WeightsError> {
        let network = Arc::new(Network::with_precision(weights, &game, precision)?);
        Ok(Self { game, scratch: network.scratch(), network })
    }

    /// Takes the rules by which games end from another game with the same layout.
    #[must_use]
    pub fn by_rules_of(self, game: G) -> Self {
        Self { game, ..self }
    }

    /// Puts the certain outcome in place of what the network said of finished states, and takes
    /// away outcomes that the game has not: what a network has never seen it does not learn.
    fn settle(&self, states: &[G::State], out: &mut [OutcomeProbs]) {
        let most = self.game.largest_win();
        if most < WinKind::Backgammon {
            out.iter_mut().for_each(|probs| *probs = probs.within([most; 2]));
        }
        for (state, probs) in states.iter().zip(out) {
            if let Some(outcome) = self.game.outcome(state) {
                *probs = OutcomeProbs::certain(outcome);
            }
        }
    }
}

impl<G: Game> Evaluator<G> for NetEvaluator<G> {
    fn evaluate(&mut self, states: &[G::State], out: &mut Vec<OutcomeProbs>) {
        self.network.evaluate(states.iter().map(G::cells), &mut self.scratch, out);
        self.settle(states, out);
    }

    fn evaluate_siblings(
        &mut self,
        parent: &G::State,
        states: &[G::State],
        out: &mut Vec<OutcomeProbs>,
    ) {
        let cells = states.iter().map(G::cells);
        self.network.evaluate_siblings(G::cells(parent), cells, &mut self.scratch, out);
        self.settle(states, out);
    }

    fn fork(&self) -> Box<dyn Evaluator<G>> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use tavola_net::{EncoderKind, random_weights};
    use tavola_rules::{Backgammon, Outcome, Position};

    use super::*;

    #[test]
    fn finished_states_get_their_certain_outcome() {
        let weights = random_weights(EncoderKind::OneHot, &[8], 1);
        let mut evaluator = NetEvaluator::new(&weights, Backgammon::Standard).unwrap();
        let lost = Position::from_points(&[(6, 15)], &[], 15).unwrap();
        let mut out = Vec::new();
        evaluator.evaluate(&[Position::STANDARD, lost], &mut out);
        assert_eq!(out[1], OutcomeProbs::certain(Outcome::LoseGammon));
        assert!(out[0].0.iter().all(|&p| p > 0.0 && p < 1.0));
    }
}
