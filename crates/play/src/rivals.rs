//! What else could have been played.

use tavola_data::Turn;
use tavola_equity::OutcomeProbs;
use tavola_evaluator::Evaluator;
use tavola_rules::Game;

/// Finds results that were nearly chosen.
///
/// It keeps its memory from turn to turn.
pub(crate) struct RivalFinder<G: Game> {
    game: G,
    evaluator: Box<dyn Evaluator<G>>,
    within: f32,
    results: Vec<G::State>,
    judged: Vec<OutcomeProbs>,
}

impl<G: Game> RivalFinder<G> {
    /// A finder of rivals that are at most `within` points from the chosen result, above or below,
    /// as `evaluator` sees it; of none at all if `within` is 0.
    pub(crate) const fn new(game: G, evaluator: Box<dyn Evaluator<G>>, within: f32) -> Self {
        Self { game, evaluator, within, results: Vec::new(), judged: Vec::new() }
    }

    /// The best of the results that were not chosen in `state`, which is seen by who plays `turn`,
    /// if it is near enough and neither it nor the chosen one finishes the game; seen by his
    /// opponent, like all results.
    pub(crate) fn find(
        &mut self,
        state: &G::State,
        turn: &Turn<G::State, G::Roll>,
    ) -> Option<G::State> {
        if self.within <= 0.0 || self.game.outcome(&turn.after).is_some() {
            return None;
        }
        self.results.clear();
        self.game.results(state, turn.roll, &mut self.results);
        if self.results.len() < 2 {
            return None;
        }
        self.evaluator.evaluate_siblings(&self.game.flip(state), &self.results, &mut self.judged);
        let equity = |i: usize| self.judged[i].equity();
        let chosen = self.results.iter().position(|result| *result == turn.after)?;
        let others = (0..self.results.len()).filter(|&i| i != chosen);
        // Worth the least to the opponent, who is on roll there.
        let rival = others.min_by(|&a, &b| equity(a).total_cmp(&equity(b)))?;
        let is_near = (equity(rival) - equity(chosen)).abs() <= self.within;
        let result = self.results[rival];
        (is_near && self.game.outcome(&result).is_none()).then_some(result)
    }
}
