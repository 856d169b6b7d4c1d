//! What else could have been played.

use serde::{Deserialize, Serialize};
use tavola_data::Turn;
use tavola_equity::OutcomeProbs;
use tavola_evaluator::Evaluator;
use tavola_evaluator::expectation::least;
use tavola_rules::Game;

/// Which results are compared with the chosen ones, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RivalSettings {
    /// How far, in points, a result may be from the chosen one in the eyes of who plays to be
    /// its rival; 0: there are no rivals.
    pub within: f32,
    /// How far is looked ahead to tell by how much the two differ: with two, at all rolls that can come
    /// after the one that fell in the game, instead of after each.
    pub ahead: RollsAhead,
}

/// How many rolls are looked ahead; a number, 1 or 2, where it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum RollsAhead {
    /// Those that can come next.
    #[default]
    One,
    /// Those, and what can come after them.
    Two,
}

/// A number of rolls that nobody looks ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} rolls ahead, expected 1 or 2")]
pub struct RollsAheadError {
    found: u8,
}

impl RollsAhead {
    /// Whether it is one: the default, which configurations leave out.
    pub fn is_one(&self) -> bool {
        *self == Self::One
    }
}

impl TryFrom<u8> for RollsAhead {
    type Error = RollsAheadError;

    fn try_from(rolls: u8) -> Result<Self, RollsAheadError> {
        match rolls {
            1 => Ok(Self::One),
            2 => Ok(Self::Two),
            found => Err(RollsAheadError { found }),
        }
    }
}

impl From<RollsAhead> for u8 {
    fn from(ahead: RollsAhead) -> Self {
        match ahead {
            RollsAhead::One => 1,
            RollsAhead::Two => 2,
        }
    }
}

impl RivalSettings {
    /// No rivals.
    pub const NONE: Self = Self { within: 0.0, ahead: RollsAhead::One };
}

/// Finds results that were nearly chosen.
///
/// It keeps its memory from turn to turn.
pub(crate) struct RivalFinder<G: Game> {
    game: G,
    evaluator: Box<dyn Evaluator<G>>,
    settings: RivalSettings,
    results: Vec<G::State>,
    judged: Vec<OutcomeProbs>,
}

impl<G: Game> RivalFinder<G> {
    /// A finder of rivals that are near the chosen result, above or below, as `evaluator` sees it.
    pub(crate) const fn new(
        game: G,
        evaluator: Box<dyn Evaluator<G>>,
        settings: RivalSettings,
    ) -> Self {
        Self { game, evaluator, settings, results: Vec::new(), judged: Vec::new() }
    }

    /// How far is looked ahead to compare.
    pub(crate) const fn ahead(&self) -> RollsAhead {
        self.settings.ahead
    }

    /// The best of the results that were not chosen in `state`, which is seen by who plays `turn`,
    /// if it is near enough and neither it nor the chosen one finishes the game; seen by his
    /// opponent, like all results.
    pub(crate) fn find(
        &mut self,
        state: &G::State,
        turn: &Turn<G::State, G::Roll>,
    ) -> Option<G::State> {
        if self.settings.within <= 0.0 || self.game.outcome(&turn.after).is_some() {
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
        let rival = least(others, equity)?;
        let is_near = (equity(rival) - equity(chosen)).abs() <= self.settings.within;
        let result = self.results[rival];
        (is_near && self.game.outcome(&result).is_none()).then_some(result)
    }
}
