//! What is to be learned at a recorded state.

use serde::{Deserialize, Serialize};
use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use crate::record::GameRecord;

/// Where the target of one state of a recorded game comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Label {
    /// Nothing is learned at this state.
    Skip,
    /// From the rest of the game: TD(lambda).
    #[default]
    FromGame,
    /// A target of its own: the outcome probabilities from the player on roll, before the roll.
    Given(OutcomeProbs),
}

/// Afterstates of one roll, whose differences are learned. They are seen by the opponent of the
/// mover.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison<S> {
    /// A sibling of the afterstate that was played.
    Sibling {
        /// Number of the state that was played, counted from 0 for the start of the game.
        of: usize,
        /// The other afterstate.
        state: S,
        /// Its six outcome probabilities less those of the played one. Its target is that of the
        /// played one plus this.
        difference: [f32; 6],
    },
    /// Two candidates, each with a target of its own; neither need have been played.
    Candidates {
        /// The afterstates.
        states: [S; 2],
        /// The six outcome probabilities of each.
        probs: [OutcomeProbs; 2],
    },
}

/// What to learn at the states of one recorded game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(serialize = "S: Serialize", deserialize = "S: Deserialize<'de>"))]
pub struct GameLabels<S> {
    /// From the first state on, one label for each but the terminal one.
    pub labels: Vec<Label>,
    /// The luck of each turn's roll, for variance reduction: how much it changed the six outcome
    /// probabilities of the mover, compared with the mean over all rolls. Empty: no variance
    /// reduction.
    pub luck: Vec<[f32; 6]>,
    /// Siblings, in the order of the states that were played, then candidates.
    #[serde(with = "two_lists")]
    pub comparisons: Vec<Comparison<S>>,
}

/// In a records file the two kinds of comparisons are two lists, one behind the other.
mod two_lists {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use tavola_equity::OutcomeProbs;

    use super::Comparison;

    type Lists<S> = (Vec<(usize, S, [f32; 6])>, Vec<([S; 2], [OutcomeProbs; 2])>);

    pub(super) fn serialize<S: Serialize, T: Serializer>(
        comparisons: &[Comparison<S>],
        to: T,
    ) -> Result<T::Ok, T::Error> {
        let (mut siblings, mut candidates) = (Vec::new(), Vec::new());
        for comparison in comparisons {
            match comparison {
                Comparison::Sibling { of, state, difference } => {
                    siblings.push((of, state, difference));
                }
                Comparison::Candidates { states, probs } => candidates.push((states, probs)),
            }
        }
        (siblings, candidates).serialize(to)
    }

    pub(super) fn deserialize<'de, S: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Comparison<S>>, D::Error> {
        let (siblings, candidates) = Lists::deserialize(from)?;
        let siblings = siblings.into_iter().map(|(of, state, difference)| Comparison::Sibling {
            of,
            state,
            difference,
        });
        let candidates =
            candidates.into_iter().map(|(states, probs)| Comparison::Candidates { states, probs });
        Ok(siblings.chain(candidates).collect())
    }
}

impl<S> GameLabels<S> {
    /// These labels and nothing else.
    pub const fn new(labels: Vec<Label>) -> Self {
        Self { labels, luck: Vec::new(), comparisons: Vec::new() }
    }
}

/// The labels of a game of the kind `G`.
pub type LabelsOf<G> = GameLabels<<G as Game>::State>;

/// A game as it was played and what to learn from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabeledGame<S, R> {
    /// What happened.
    pub record: GameRecord<S, R>,
    /// What to learn at its states.
    pub labels: GameLabels<S>,
}

/// A labeled game of the kind `G`.
pub type LabeledGameOf<G> = LabeledGame<<G as Game>::State, <G as Game>::Roll>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_two_lists_in_a_file() {
        let probs = [OutcomeProbs([0.5, 0.0, 0.0, 0.25, 0.25, 0.0]), OutcomeProbs([0.125; 6])];
        let difference = [0.25, 0.0, 0.0, -0.25, 0.0, 0.0];
        let labels = GameLabels {
            labels: vec![Label::Given(probs[0]), Label::FromGame],
            luck: vec![difference],
            comparisons: vec![
                Comparison::Sibling { of: 1, state: 7_u8, difference },
                Comparison::Candidates { states: [8, 9], probs },
            ],
        };
        // The layout of records of version 2.
        let siblings = vec![(1_usize, 7_u8, difference)];
        let candidates = vec![([8_u8, 9], probs)];
        let fields = (&labels.labels, &labels.luck, siblings, candidates);
        let config = bincode::config::standard();
        let bytes = bincode::serde::encode_to_vec(&fields, config).unwrap();
        assert_eq!(bincode::serde::encode_to_vec(&labels, config).unwrap(), bytes);
        let (read, _): (GameLabels<u8>, _) =
            bincode::serde::decode_from_slice(&bytes, config).unwrap();
        assert_eq!(read, labels);
    }
}
