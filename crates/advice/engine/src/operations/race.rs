//! What players count in a race, in the answers about positions and plays.

use serde::Serialize;
use tavola_bearoff::RaceSide;
use tavola_evaluator::PlayableGame;

use crate::question::PositionQuestion;

/// A side of a race, by the bear-off databases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RaceSideAnswer {
    /// Pips that are left.
    pub pips: u32,
    /// Rolls to bear off everything, on average.
    pub rolls: f64,
    /// Their standard deviation.
    pub rolls_sd: f64,
    /// The effective pip count: 49/6 pips a roll.
    pub epc: f64,
    /// The effective pip count less the pips.
    pub wastage: f64,
}

impl From<RaceSide> for RaceSideAnswer {
    fn from(side: RaceSide) -> Self {
        let RaceSide { pips, rolls, rolls_sd } = side;
        Self { pips, rolls, rolls_sd, epc: side.epc(), wastage: side.wastage() }
    }
}

/// A race of which the bear-off databases know a side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RaceAnswer {
    /// The player on roll; null outside the databases.
    pub player: Option<RaceSideAnswer>,
    /// The opponent; null outside the databases.
    pub opponent: Option<RaceSideAnswer>,
}

/// What is known of a state of the game of a question, the player on roll first.
pub(super) fn race<G: PlayableGame>(
    asked: &PositionQuestion<'_, G>,
    state: &G::State,
) -> Option<RaceAnswer> {
    let [player, opponent] = asked.game.race(state, &|| asked.engine.tables(asked.watch))?;
    let [player, opponent] = [player, opponent].map(|side| side.map(RaceSideAnswer::from));
    (player.is_some() || opponent.is_some()).then_some(RaceAnswer { player, opponent })
}
