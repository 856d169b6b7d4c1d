//! Points, holes and the bredouille.

use super::state::{
    HOLES, HOLES_TO_WIN, OPPONENT_HOLES, OPPONENT_POINTS, OPPONENT_RUN, POINTS, RUN,
};
use crate::state::OldState;

/// Points that make a hole.
pub(super) const POINTS_OF_A_HOLE: i8 = 12;

impl OldState {
    /// The player on roll marks `points`, an even number (G-40 to G-42). How many holes that made.
    pub(super) fn mark(&mut self, points: u8) -> i8 {
        let cells = &mut self.cells;
        if points == 0 {
            return 0;
        }
        if cells[OPPONENT_POINTS] < 0 {
            cells[OPPONENT_RUN] = 0;
        }
        // A roll brings some dozens of points at most.
        let mut half = cells[POINTS] + (points / 2) as i8;
        let before = cells[HOLES];
        while half >= POINTS_OF_A_HOLE / 2 {
            let won = if cells[RUN] > 0 { 2 } else { 1 };
            cells[HOLES] = (cells[HOLES] + won).min(HOLES_TO_WIN);
            half -= POINTS_OF_A_HOLE / 2;
            cells[OPPONENT_POINTS] = 0;
            (cells[RUN], cells[OPPONENT_RUN]) = (1, -1);
        }
        cells[POINTS] = half;
        cells[HOLES] - before
    }

    /// The opponent marks `points`.
    pub(super) fn mark_opponent(&mut self, points: u8) {
        let mut other = self.flip();
        other.mark(points);
        *self = other.flip();
    }

    /// Whether the player on roll, or the opponent, has won the match.
    pub(super) fn is_over(&self) -> bool {
        self.cells[HOLES] >= HOLES_TO_WIN || self.cells[OPPONENT_HOLES] <= -HOLES_TO_WIN
    }

    /// No points on either side, as after going away.
    pub(super) fn clear_points(&mut self) {
        (self.cells[POINTS], self.cells[OPPONENT_POINTS]) = (0, 0);
        (self.cells[RUN], self.cells[OPPONENT_RUN]) = (1, -1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores of both, in points, and holes.
    fn scores(state: &OldState) -> ([i8; 2], [i8; 2]) {
        let cells = &state.cells;
        ([2 * cells[POINTS], -2 * cells[OPPONENT_POINTS]], [cells[HOLES], -cells[OPPONENT_HOLES]])
    }

    fn fresh() -> OldState {
        let mut state = OldState::EMPTY;
        state.clear_points();
        state
    }

    #[test]
    fn golden_18_two_double_holes_at_once() {
        let mut state = fresh();
        state.mark(6);
        assert_eq!(state.mark(20), 4);
        assert_eq!(scores(&state), ([2, 0], [4, 0]));
    }

    #[test]
    fn golden_19_the_second_marker_in_a_row_wins_a_double_hole() {
        let mut state = fresh();
        state.mark(10);
        state.mark_opponent(4);
        state.mark_opponent(8);
        assert_eq!(scores(&state), ([0, 0], [0, 2]));
    }

    #[test]
    fn golden_20_an_interrupted_hole_is_a_single_one() {
        let mut state = fresh();
        state.mark(10);
        state.mark_opponent(4);
        state.mark(2);
        assert_eq!(scores(&state), ([0, 0], [1, 0]));
    }

    #[test]
    fn golden_21_the_second_hole_of_a_marking_is_double() {
        let mut state = fresh();
        state.mark(2);
        state.mark_opponent(4);
        state.mark(4);
        assert_eq!(scores(&state), ([6, 4], [0, 0]));
        assert_eq!(state.mark(20), 3);
        assert_eq!(scores(&state), ([2, 0], [3, 0]));
    }

    #[test]
    fn nobody_has_more_holes_than_win() {
        let mut state = fresh();
        state.cells[HOLES] = 11;
        state.mark(12);
        assert!(state.is_over() && state.cells[HOLES] == HOLES_TO_WIN);
    }
}
