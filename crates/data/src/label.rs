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

/// What to learn at the states of one recorded game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameLabels {
    /// From the first state on, one label for each but the finished one.
    pub labels: Vec<Label>,
    /// The luck of each turn's roll, to be taken off what the game teaches: by how much it changed
    /// the six outcome probabilities of its mover compared with the mean over all rolls. Empty if
    /// no luck is taken off.
    pub luck: Vec<[f32; 6]>,
}
