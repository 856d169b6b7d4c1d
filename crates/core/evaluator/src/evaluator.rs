//! The batch-first trait at the center of the project.

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

/// An evaluator of positions of the game `G`.
///
/// An evaluator may keep scratch memory, so it is used through `&mut` by one thread; every
/// thread makes its own with [`fork`](Self::fork), which shares the weights. Equal input gives
/// equal output in any fork.
pub trait Evaluator<G: Game>: Send {
    /// Outcome probabilities of each state from its player on roll, before the roll. `out` is
    /// cleared first and gets one entry a state, in order. Finished states get their certain
    /// outcome.
    fn evaluate(&mut self, states: &[G::State], out: &mut Vec<OutcomeProbs>);

    /// Outcome probabilities as of [`evaluate`](Self::evaluate), of states that all result from
    /// plays in `parent`, which is seen by the same player as the states (that is, flipped). An
    /// evaluator that profits from how much siblings share overrides this; the answers are those of
    /// [`evaluate`](Self::evaluate) up to rounding.
    fn evaluate_siblings(
        &mut self,
        parent: &G::State,
        states: &[G::State],
        out: &mut Vec<OutcomeProbs>,
    ) {
        let _ = parent;
        self.evaluate(states, out);
    }

    /// Whether the answer for this state is known to be exact for best play of both sides, so
    /// that search would not improve it. Finished states need not say so.
    fn is_exact(&self, state: &G::State) -> bool {
        let _ = state;
        false
    }

    /// Another evaluator with the same answers, for use on another thread.
    fn fork(&self) -> Box<dyn Evaluator<G>>;
}
