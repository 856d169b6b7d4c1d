//! What is to be learnt at a recorded state.

use serde::{Deserialize, Serialize};
use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use crate::record::GameRecord;

/// Where the target of one state of a recorded game comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
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

/// The best of the results that were not chosen, which its mover thought to be near the one that was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rival<S> {
    /// Number of the state that was chosen, counted from 0 for the start of the game.
    pub of: usize,
    /// The rival, from the player on roll there: the opponent of who chose.
    pub state: S,
    /// Its six outcome probabilities less those of the chosen state, both judged by looking
    /// ahead at all rolls.
    pub difference: [f32; 6],
}

/// Two results of one roll, each judged for itself; they need not have been played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair<S> {
    /// Each from the player on roll there: the opponent of who rolled.
    pub states: [S; 2],
    /// The six outcome probabilities of each.
    pub probs: [OutcomeProbs; 2],
}

/// What to learn at the states of one recorded game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameLabels<S> {
    /// From the first state on, one label for each but the finished one.
    pub labels: Vec<Label>,
    /// The luck of each turn's roll, to be taken off what the game teaches: by how much it changed
    /// the six outcome probabilities of its mover compared with the mean over all rolls. Empty if
    /// no luck is taken off.
    pub luck: Vec<[f32; 6]>,
    /// Rivals of states, at most one of each, in the order of the states.
    pub rivals: Vec<Rival<S>>,
    /// Pairs of results that are learned beside the states, in any order.
    pub pairs: Vec<Pair<S>>,
}

impl<S> GameLabels<S> {
    /// These labels and nothing else.
    pub const fn new(labels: Vec<Label>) -> Self {
        Self { labels, luck: Vec::new(), rivals: Vec::new(), pairs: Vec::new() }
    }
}

/// The labels of a game of the kind `G`.
pub type LabelsOf<G> = GameLabels<<G as Game>::State>;

/// A game as it was played and what to learn from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelledGame<S, R> {
    /// What happened.
    pub record: GameRecord<S, R>,
    /// What to learn at its states.
    pub labels: GameLabels<S>,
}

/// A labelled game of the kind `G`.
pub type LabelledGameOf<G> = LabelledGame<<G as Game>::State, <G as Game>::Roll>;
