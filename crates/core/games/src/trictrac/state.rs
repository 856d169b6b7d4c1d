//! The numbers of a position of Le Grand Trictrac, with the scores of both players.
//!
//! Index 1 to 24 are the fields in the numbering of the player on roll, who moves from 1 to 24; the
//! constants name the rest.

use tavola_rules::{Cell, CellKind};

use crate::rules::{Opposite, cell};
pub use crate::state::CHECKERS;
use crate::state::OldState;

/// Holes that win the match.
pub const HOLES_TO_WIN: i8 = 12;
/// The own rest corner (coin de repos).
pub const COIN: usize = 12;
/// The opponent's rest corner.
pub const OPPONENT_COIN: usize = 13;

/// The own checkers that were borne off.
pub const OFF: usize = 25;
/// The opponent's, at most 0.
pub const OPPONENT_OFF: usize = 26;
/// Half of the own points, which are always even: 0 to 5.
pub const POINTS: usize = 27;
/// The opponent's, at most 0.
pub const OPPONENT_POINTS: usize = 28;
/// 1 while the own next hole would be a double one, for the opponent has not scored in between.
pub const RUN: usize = 29;
/// The opponent's, at most 0.
pub const OPPONENT_RUN: usize = 30;
/// The own holes.
pub const HOLES: usize = 31;
/// The opponent's, at most 0.
pub const OPPONENT_HOLES: usize = 32;
/// Turns that the player on roll has had in this set, at most 3.
pub const TURNS: usize = 33;
/// The opponent's, at most 0.
pub const OPPONENT_TURNS: usize = 34;
/// 1: the player on roll has nothing to do, as the opponent is to roll; -1: the reverse.
pub const WAIT: usize = 35;

/// The turns that are counted: after the third they make no difference.
pub(crate) const LAST_TURN: i8 = 3;

impl OldState {
    /// This state as the other side sees it.
    #[inline]
    pub(super) fn flip(&self) -> Self {
        Opposite::Trictrac.flip(self)
    }

    /// The own checkers on a field.
    pub(super) fn own(&self, field: usize) -> i8 {
        self.cells[field].max(0)
    }

    /// The opponent's checkers on a field of the player on roll.
    pub(super) fn theirs(&self, field: usize) -> i8 {
        (-self.cells[field]).max(0)
    }

    /// Whether the player on roll could still fill the fields from `first` to `last` of their own
    /// numbering: no checker goes back, so for each field enough must stand on it or before (G-12).
    pub(super) fn can_fill(&self, first: usize, last: usize) -> bool {
        let mut before: i8 = (1..first).map(|field| self.own(field)).sum();
        (first..=last).all(|field| {
            before += self.own(field);
            before >= 2 * (field - first + 1) as i8
        })
    }

    /// Whether two own checkers or more stand on each of the six fields from `first`.
    pub(super) fn is_full(&self, first: usize) -> bool {
        self.cells[first..first + 6].iter().all(|&count| count >= 2)
    }

    /// Puts all checkers of both sides back for a new set.
    pub(super) fn set_up(&mut self) {
        for cell in &mut self.cells[1..=OPPONENT_OFF] {
            *cell = 0;
        }
        (self.cells[1], self.cells[24]) = (CHECKERS as i8, -(CHECKERS as i8));
        (self.cells[TURNS], self.cells[OPPONENT_TURNS]) = (0, 0);
    }
}

/// What changes places when the other side looks, beside the fields.
pub(crate) const PAIRS: [(usize, usize); 5] = [
    (OFF, OPPONENT_OFF),
    (POINTS, OPPONENT_POINTS),
    (RUN, OPPONENT_RUN),
    (HOLES, OPPONENT_HOLES),
    (TURNS, OPPONENT_TURNS),
];

/// What each number means.
pub(crate) static LAYOUT: [Cell; WAIT + 1] = {
    // The first is no field, and always empty.
    let mut cells = [cell(CellKind::Counter, 0, 0); WAIT + 1];
    let mut field = 1;
    while field <= 24 {
        cells[field] = cell(CellKind::Point, -15, 15);
        field += 1;
    }
    let pairs = [
        (OFF, CellKind::Off, 15),
        (POINTS, CellKind::Counter, 5),
        (RUN, CellKind::Counter, 1),
        (HOLES, CellKind::Counter, HOLES_TO_WIN),
        (TURNS, CellKind::Counter, LAST_TURN),
    ];
    let mut i = 0;
    while i < pairs.len() {
        let (own, kind, most) = pairs[i];
        cells[own] = cell(kind, 0, most);
        cells[own + 1] = cell(kind, -most, 0);
        i += 1;
    }
    cells[WAIT] = cell(CellKind::Counter, -1, 1);
    cells
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jan_can_be_filled_while_enough_checkers_stand_before_its_fields() {
        let mut state = OldState::EMPTY;
        state.set_up();
        assert!(state.can_fill(1, 6) && state.can_fill(7, 12) && state.flip().can_fill(1, 6));
        // Fourteen on 8 leave one for field 7.
        (state.cells[1], state.cells[8]) = (1, 14);
        assert!(!state.can_fill(7, 12) && !state.can_fill(1, 6));
    }
}
