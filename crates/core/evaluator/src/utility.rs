//! What is carried through the nodes of a search, and what the players strive for.

use std::cmp::Ordering;
use std::fmt::Debug;

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

/// What the players of a search strive for, and the value of a state that a node hands to the one
/// above it.
///
/// [`Cubeless`] carries outcome probabilities and maximizes money equity. With a doubling cube the
/// value of a state is one number for each place where the cube may be. The utility then depends on
/// cube and score, and the player on roll may double before the roll. Another implementation holds
/// all of that; the search stays the same.
///
/// The game is zero-sum: of two values the one that a player [prefers](Self::preference) is the
/// other one to the opponent.
pub trait Utility<G: Game>: Clone + Debug + Send + Sync + 'static {
    /// What a state is worth to its player on roll before the roll, with all that the node above
    /// needs to know.
    type Value: Copy + Debug + PartialEq + Send + Sync + 'static;

    /// The value of a state of which an evaluator says `probs`, from its player on roll.
    fn value(&self, state: &G::State, probs: &OutcomeProbs) -> Self::Value;

    /// The value as the other player sees it.
    fn flip(&self, value: &Self::Value) -> Self::Value;

    /// What the player on roll compares this value with others by.
    fn preference(&self, value: &Self::Value) -> Preference;

    /// The preference for what [`value`](Self::value) says. Choices of replies ask this of every
    /// result of every roll, so override it where it is known without the whole value.
    fn preference_of(&self, state: &G::State, probs: &OutcomeProbs) -> Preference {
        self.preference(&self.value(state, probs))
    }

    /// The value of `state`, which is not finished, before the roll, from its player on roll:
    /// the value of continuing with the plays that the player on roll makes with each roll. The
    /// values after these are `(value, weight)`, seen by that player; the weights add up to
    /// [`Game::TOTAL_WEIGHT`].
    ///
    /// Without a cube this is the mean. With one, the player on roll weighs that mean against
    /// doubling.
    fn before_roll(&self, state: &G::State, after: &[(Self::Value, u32)]) -> Self::Value;

    /// What is this share of the way, 0 to 1, from one value of a state to another one of it.
    fn between(&self, from: &Self::Value, to: &Self::Value, share: f32) -> Self::Value;
}

/// What a player compares values by: the greater expectation, and among equal ones the greater
/// cubeless equity.
///
/// With a cube many values may be equal: where the opponent doubles and the player passes, every
/// play loses the cube. The plays still differ, should the opponent not double.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Preference {
    /// In points, or whatever unit the filters of the search are given in.
    pub expectation: f32,
    /// Money equity without a cube.
    pub cubeless: f32,
}

impl Preference {
    /// Of a player who strives for cubeless money equity.
    pub fn cubeless(probs: &OutcomeProbs) -> Self {
        let equity = probs.equity();
        Self { expectation: equity, cubeless: equity }
    }

    /// As [`f32::total_cmp`].
    pub(crate) fn total_cmp(&self, other: &Self) -> Ordering {
        let expectation = self.expectation.total_cmp(&other.expectation);
        expectation.then_with(|| self.cubeless.total_cmp(&other.cubeless))
    }
}

/// Outcome probabilities, and cubeless money equity to strive for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cubeless;

impl<G: Game> Utility<G> for Cubeless {
    type Value = OutcomeProbs;

    fn value(&self, _: &G::State, probs: &OutcomeProbs) -> OutcomeProbs {
        *probs
    }

    fn flip(&self, value: &OutcomeProbs) -> OutcomeProbs {
        value.flip()
    }

    fn preference(&self, value: &OutcomeProbs) -> Preference {
        Preference::cubeless(value)
    }

    fn preference_of(&self, _: &G::State, probs: &OutcomeProbs) -> Preference {
        Preference::cubeless(probs)
    }

    fn before_roll(&self, _: &G::State, after: &[(OutcomeProbs, u32)]) -> OutcomeProbs {
        let mut sum = [0.0; 6];
        for (probs, weight) in after {
            for (sum, probability) in sum.iter_mut().zip(probs.0) {
                *sum += *weight as f32 * probability;
            }
        }
        OutcomeProbs(sum.map(|sum| sum / G::TOTAL_WEIGHT as f32))
    }

    fn between(&self, from: &OutcomeProbs, to: &OutcomeProbs, share: f32) -> OutcomeProbs {
        between(from, to, share)
    }
}

/// Each probability this share of the way from one to the other.
pub(crate) fn between(from: &OutcomeProbs, to: &OutcomeProbs, share: f32) -> OutcomeProbs {
    OutcomeProbs(std::array::from_fn(|i| from.0[i] + share * (to.0[i] - from.0[i])))
}
