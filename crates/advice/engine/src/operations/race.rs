//! What players count in a race, in the answers about positions and plays.

use serde::Serialize;
use tavola_bearoff::RaceSide;
use tavola_evaluator::PlayableGame;

use crate::question::PositionQuestion;

/// A race of which the bear-off databases know a side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RaceAnswer {
    /// The player on roll; null outside the databases.
    pub player: Option<RaceSide>,
    /// The opponent; null outside the databases.
    pub opponent: Option<RaceSide>,
}

/// What is known of a state of the game of a question, the player on roll first.
pub(super) fn race<G: PlayableGame>(
    asked: &PositionQuestion<'_, G>,
    state: &G::State,
) -> Option<RaceAnswer> {
    let [player, opponent] = asked.game.race(state, &|| asked.engine.tables(asked.watch))?;
    (player.is_some() || opponent.is_some()).then_some(RaceAnswer { player, opponent })
}
