//! What the trials of a rollout are played for.

use std::hash::Hash;

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use super::tally;
use crate::utility::{Cubeless, Utility};

/// What a state or a roll contributes to a trial: the six outcome probabilities, and the equity
/// with the cube on the scale of the cube before the first roll. For the opponent the six change
/// sides and the equity its sign.
pub(crate) type Parts = [f64; 7];

/// The contribution as the other player sees it.
pub(crate) fn flip(parts: &Parts) -> Parts {
    let [a, b, c, d, e, f, equity] = *parts;
    [d, e, f, a, b, c, -equity]
}

/// What becomes of the cube before a roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Settled<C> {
    /// The player rolls with the cube there.
    Roll(C),
    /// A double was passed, which is worth this equity to the player on roll.
    Over(f64),
}

/// What the players of a trial strive for, what the end of a trial counts, and what may happen
/// to a cube between rolls. Without a cube there is one place where the cube may be.
pub(crate) trait Scoring<G: Game>: Send + 'static {
    /// Where the cube may be.
    type Cube: Copy + Eq + Hash + Send + Sync + 'static;

    /// What is looked at when plays are chosen.
    type Utility: Utility<G>;

    /// The utility of the players with the cube there, in a search of this number of plies.
    fn utility(&self, cube: Self::Cube, ply: u8) -> Self::Utility;

    /// A value in parts, from its player. With `may_double` a player on roll who may double does
    /// so where that is right.
    fn parts(&self, value: &<Self::Utility as Utility<G>>::Value, may_double: bool) -> Parts;

    /// The equity that a trial counts.
    fn equity(parts: &Parts) -> f64;

    /// How often the cube can be turned before this roll: once for a double, once for a beaver,
    /// once for a raccoon. 0 if the player on roll may not double.
    fn turns(&self, state: &G::State, cube: Self::Cube) -> u8;

    /// The cube after this number of these turns.
    fn after_turns(&self, state: &G::State, cube: Self::Cube, turns: u8) -> Self::Cube;

    /// What both players do with the cube, by the values of `state` with the cube turned not at
    /// all, once, and so on; and the [lead](tavola_equity::CubeDecision::lead) of that.
    fn settle(
        &self,
        state: &G::State,
        cube: Self::Cube,
        values: &[<Self::Utility as Utility<G>>::Value],
    ) -> (Settled<Self::Cube>, f64);
}

/// Trials for money without a cube.
impl<G: Game> Scoring<G> for Cubeless {
    type Cube = ();
    type Utility = Self;

    fn utility(&self, (): (), _: u8) -> Self {
        Self
    }

    /// The equity follows from the probabilities, so it is not carried beside them.
    fn parts(&self, probs: &OutcomeProbs, _: bool) -> Parts {
        let [a, b, c, d, e, f] = probs.0.map(f64::from);
        [a, b, c, d, e, f, 0.0]
    }

    fn equity(parts: &Parts) -> f64 {
        tally::equity(tally::probabilities(parts))
    }

    fn turns(&self, _: &G::State, (): ()) -> u8 {
        0
    }

    fn after_turns(&self, _: &G::State, (): (), _: u8) {}

    fn settle(&self, _: &G::State, (): (), _: &[OutcomeProbs]) -> (Settled<()>, f64) {
        (Settled::Roll(()), f64::INFINITY)
    }
}
