//! A decision and what its plays are worth.

use tavola_evaluator::Phase;
use tavola_rules::Game;

/// A decision to be made: a position, from the player on roll, and the roll.
pub type QuestionOf<G> = (<G as Game>::State, <G as Game>::Roll);

/// A decision with the equities of its plays.
#[derive(Clone, Debug, PartialEq)]
pub struct GradedDecision<G: Game> {
    /// The position and the roll.
    pub question: QuestionOf<G>,
    /// The phase of the position, in a game with phases.
    pub phase: Option<Phase>,
    /// The rated plays, at least one.
    pub plays: Vec<RatedAfterstate<G::State>>,
    /// What the best of them is worth.
    pub(super) best: f64,
    /// What a play that is not rated is taken to be worth.
    pub(super) unrated: f64,
}

/// A play and its equity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedAfterstate<S> {
    /// The position after the play, the opponent on roll.
    pub after: S,
    /// Cubeless money equity for the player who made the play, in points.
    pub equity: f64,
    /// The standard error of that, if the grader knows it.
    pub standard_error: Option<f64>,
    /// The standard error of what it loses against the best of the rated plays, 0 for that
    /// itself, if the grader knows it.
    pub loss_error: Option<f64>,
}

impl<G: Game> GradedDecision<G> {
    /// The equity lost by the play that leads to `after`, in points, and whether it is rated. A
    /// play that is not counts as the worst of the rated ones, or as the grader's margin worse
    /// than the best, whichever is less.
    pub fn loss_of(&self, after: &G::State) -> (f64, bool) {
        match self.plays.iter().find(|play| play.after == *after) {
            Some(play) => (self.best - play.equity, true),
            None => (self.best - self.unrated, false),
        }
    }

    /// The standard error of what the play that leads to `after` loses, in points; `None` if the
    /// play is not rated or the errors are not known. Those of equities alone count as
    /// independent.
    pub fn loss_error_of(&self, after: &G::State) -> Option<f64> {
        let play = self.plays.iter().find(|play| play.after == *after)?;
        let best = self.best();
        if play.after == best.after {
            return play.standard_error.map(|_| 0.0);
        }
        play.loss_error.or_else(|| Some(play.standard_error?.hypot(best.standard_error?)))
    }

    /// The best of the rated plays, the first of equals.
    pub fn best(&self) -> &RatedAfterstate<G::State> {
        self.plays
            .iter()
            .find(|play| play.equity == self.best)
            .expect("the best equity is that of a play")
    }
}
