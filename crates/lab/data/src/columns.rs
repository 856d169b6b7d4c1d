//! Turns of games as columns of numbers, for programs that learn from arrays.

use tavola_rules::{Dice, Position};

use crate::record::{Choice, GameRecord};

/// Turns of games of backgammon, one a row. All figures are those of the mover.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnColumns {
    /// The number of the game within its run.
    ///
    /// # Shapes
    ///
    /// `[turns]`
    pub games: Vec<u64>,
    /// The state before the roll, seen by the mover: the opponent's bar, points 1 to 24, own bar.
    ///
    /// # Shapes
    ///
    /// `[turns, 26]`
    pub states: Vec<i8>,
    /// The roll, its higher die first.
    ///
    /// # Shapes
    ///
    /// `[turns, 2]`
    pub dice: Vec<i8>,
    /// The state after the play, seen by the opponent, who is then on roll.
    ///
    /// # Shapes
    ///
    /// `[turns, 26]`
    pub afterstates: Vec<i8>,
    /// What the mover's evaluator thought of the play: lose a single game, a gammon, a backgammon,
    /// win likewise.
    ///
    /// # Shapes
    ///
    /// `[turns, 6]`
    pub probs: Vec<f32>,
    /// Whether the play was drawn at random.
    ///
    /// # Shapes
    ///
    /// `[turns]`
    pub explored: Vec<bool>,
    /// Points that the mover got when the game was over, negative if they lost.
    ///
    /// # Shapes
    ///
    /// `[turns]`
    pub points: Vec<i8>,
}

impl TurnColumns {
    /// Appends the turns of a game.
    pub fn push(&mut self, record: &GameRecord<Position, Dice>) {
        for (i, (state, turn)) in record.states().zip(&record.turns).enumerate() {
            self.games.push(record.index);
            self.states.extend(state.counts());
            self.dice.extend([turn.roll.high() as i8, turn.roll.low() as i8]);
            self.afterstates.extend(turn.after.counts());
            self.probs.extend(turn.probs.flip().0);
            self.explored.push(turn.choice == Choice::Explored);
            self.points.push(record.outcome_at(i).points() as i8);
        }
    }

    /// Number of turns.
    pub const fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.games.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use tavola_equity::OutcomeProbs;
    use tavola_rules::Outcome;

    use super::*;
    use crate::record::Turn;

    #[test]
    fn a_turn_is_a_row_of_its_mover() {
        let start = Position::from_points(&[(2, 1)], &[(3, 1)], 15).unwrap();
        let after = Position::from_points(&[(3, 1)], &[(1, 1)], 15).unwrap();
        let over = Position::from_points(&[(1, 1)], &[], 15).unwrap();
        let turn = |after, roll: &str, choice| Turn {
            roll: roll.parse().unwrap(),
            after,
            probs: OutcomeProbs([0.75, 0.0, 0.0, 0.25, 0.0, 0.0]),
            choice,
        };
        let record = GameRecord {
            index: 9,
            start,
            turns: vec![turn(after, "12", Choice::Best), turn(over, "66", Choice::Explored)],
            outcome: Outcome::LoseSingle,
        };
        let mut columns = TurnColumns::default();
        columns.push(&record);
        assert_eq!((columns.len(), &columns.games[..]), (2, &[9, 9][..]));
        assert_eq!(
            (&columns.states[..26], &columns.states[26..]),
            (&start.counts()[..], &after.counts()[..])
        );
        assert_eq!(columns.afterstates[..26], after.counts());
        assert_eq!(columns.dice, [2, 1, 6, 6]);
        assert_eq!(columns.probs[..6], [0.25, 0.0, 0.0, 0.75, 0.0, 0.0]);
        assert_eq!((columns.points, columns.explored), (vec![-1, 1], vec![false, true]));
    }
}
