//! One game as it was played.

use serde::{Deserialize, Serialize};
use tavola_equity::OutcomeProbs;
use tavola_rules::{Game, Outcome};

/// The record of a game of `G`.
pub type RecordOf<G> = GameRecord<<G as Game>::State, <G as Game>::Roll>;

/// Everything that happened in one finished game; what to learn from it is decided elsewhere.
///
/// `S` is the game's state and `R` its roll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord<S, R> {
    /// Number of the game within its run. With the run seed it fixes all the game's randomness.
    pub index: u64,
    /// Where the game began, seen by the player who began.
    pub start: S,
    /// Every turn in order, passes included; the players alternate.
    pub turns: Vec<Turn<S, R>>,
    /// How the game ended, from the player on roll in the last state: after a normal game that
    /// is the loser, whose opponent has just borne off the last checker.
    pub outcome: Outcome,
}

/// One turn: a roll and what was made of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn<S, R> {
    /// What the mover rolled.
    pub roll: R,
    /// The state after the play, seen by the opponent, who is then on roll.
    pub after: S,
    /// What the mover's evaluator thought of [`after`](Self::after), from its player on roll;
    /// the certain outcome when the game is over there.
    pub probs: OutcomeProbs,
    /// Why this play was chosen.
    pub choice: Choice,
}

/// Why a play was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// The mover thought it best, or it was the only one.
    Best,
    /// Drawn at random to see more of the game, so what follows says little about the states
    /// before it.
    Explored,
}

impl<S: Copy, R> GameRecord<S, R> {
    /// The states in order, from the start to the finished one: one more than there are turns.
    pub fn states(&self) -> impl Iterator<Item = S> + '_ {
        std::iter::once(self.start).chain(self.turns.iter().map(|turn| turn.after))
    }

    /// The outcome from the player on roll in the state number `state`, counted as in
    /// [`states`](Self::states).
    pub fn outcome_at(&self, state: usize) -> Outcome {
        if (self.turns.len() - state).is_multiple_of(2) {
            self.outcome
        } else {
            self.outcome.flip()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_changes_sides_with_every_state() {
        let turn =
            |after| Turn { roll: 0u8, after, probs: OutcomeProbs::default(), choice: Choice::Best };
        let record = GameRecord {
            index: 0,
            start: 10,
            turns: vec![turn(11), turn(12), turn(13)],
            outcome: Outcome::LoseGammon,
        };
        assert_eq!(record.states().collect::<Vec<_>>(), [10, 11, 12, 13]);
        let outcomes: Vec<_> = (0..4).map(|i| record.outcome_at(i)).collect();
        assert_eq!(
            outcomes,
            [Outcome::WinGammon, Outcome::LoseGammon, Outcome::WinGammon, Outcome::LoseGammon]
        );
    }
}
