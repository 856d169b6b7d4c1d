//! What is to be learnt at a recorded state.

use tavola_equity::OutcomeProbs;

/// Where the target of one state of a recorded game comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Label {
    /// Nowhere: nothing is learnt at this state.
    Skip,
    /// From the rest of the game, as it was played and judged.
    #[default]
    FromGame,
    /// From a judgement made for this state alone: its outcome probabilities from the player on
    /// roll, before the roll.
    Given(OutcomeProbs),
}
