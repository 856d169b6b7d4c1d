//! What the rules leave possible of what another evaluator says.

use tavola_equity::OutcomeProbs;

use crate::evaluator::Evaluator;
use crate::playable::PlayableGame;

/// Another evaluator without the outcomes that the rules exclude: a network gives a gammon some
/// probability where the loser has borne off a checker, and what it has seldom seen a large one.
///
/// A win by more than [can be lost](PlayableGame::most_to_lose) counts as one by as much.
pub struct PossibleEvaluator<G: PlayableGame> {
    game: G,
    evaluator: Box<dyn Evaluator<G>>,
}

impl<G: PlayableGame> PossibleEvaluator<G> {
    /// What `evaluator` says, as far as `game` allows it.
    pub fn new(game: G, evaluator: Box<dyn Evaluator<G>>) -> Self {
        Self { game, evaluator }
    }

    fn cut(&self, states: &[G::State], out: &mut [OutcomeProbs]) {
        for (state, probs) in states.iter().zip(out) {
            let most = [*state, self.game.flip(state)].map(|side| self.game.most_to_lose(&side));
            *probs = probs.within(most);
        }
    }
}

impl<G: PlayableGame> Evaluator<G> for PossibleEvaluator<G> {
    fn evaluate(&mut self, states: &[G::State], out: &mut Vec<OutcomeProbs>) {
        self.evaluator.evaluate(states, out);
        self.cut(states, out);
    }

    fn evaluate_siblings(
        &mut self,
        parent: &G::State,
        states: &[G::State],
        out: &mut Vec<OutcomeProbs>,
    ) {
        self.evaluator.evaluate_siblings(parent, states, out);
        self.cut(states, out);
    }

    fn is_exact(&self, state: &G::State) -> bool {
        self.evaluator.is_exact(state)
    }

    fn fork(&self) -> Box<dyn Evaluator<G>> {
        Box::new(Self::new(self.game.clone(), self.evaluator.fork()))
    }
}
