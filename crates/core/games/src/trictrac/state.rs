//! A position of Le Grand Trictrac, with the scores of both players.

use serde::{Deserialize, Serialize};
use tavola_rules::{Cell, CellKind};

use crate::cells::Cells;

/// Length of [`TrictracState::cells`]: the layout and padding.
pub(crate) const CELLS: usize = 40;

/// Checkers a side.
pub const CHECKERS: u8 = 15;
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

/// A position, seen by the player on roll, who moves from 1 to 24.
///
/// Small signed numbers, positive for the player on roll and negative for the opponent. Index 1 to
/// 24 are the fields in the numbering of the player on roll; the constants of this module name the
/// rest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrictracState {
    pub(crate) cells: Cells<CELLS>,
}

impl TrictracState {
    /// Nothing anywhere.
    pub(crate) const EMPTY: Self = Self { cells: Cells([0; CELLS]) };

    /// All numbers; those beyond the layout are zero.
    #[inline]
    pub const fn cells(&self) -> &[i8; CELLS] {
        &self.cells.0
    }

    /// This state as the other side sees it.
    #[inline]
    pub(crate) fn flip(&self) -> Self {
        Self { cells: Cells(std::array::from_fn(|i| -self.cells[usize::from(FROM[i])])) }
    }

    /// The own checkers on a field.
    pub(crate) fn own(&self, field: usize) -> i8 {
        self.cells[field].max(0)
    }

    /// The opponent's checkers on a field of the player on roll.
    pub(crate) fn theirs(&self, field: usize) -> i8 {
        (-self.cells[field]).max(0)
    }

    /// Whether the player on roll could still fill the fields from `first` to `last` of their own
    /// numbering: no checker goes back, so for each field enough must stand on it or before (G-12).
    pub(crate) fn can_fill(&self, first: usize, last: usize) -> bool {
        let mut before: i8 = (1..first).map(|field| self.own(field)).sum();
        (first..=last).all(|field| {
            before += self.own(field);
            before >= 2 * (field - first + 1) as i8
        })
    }

    /// Whether two own checkers or more stand on each of the six fields from `first`.
    pub(crate) fn is_full(&self, first: usize) -> bool {
        self.cells[first..first + 6].iter().all(|&count| count >= 2)
    }

    /// Puts all checkers of both sides back for a new set.
    pub(crate) fn set_up(&mut self) {
        for cell in &mut self.cells[1..=OPPONENT_OFF] {
            *cell = 0;
        }
        (self.cells[1], self.cells[24]) = (CHECKERS as i8, -(CHECKERS as i8));
        (self.cells[TURNS], self.cells[OPPONENT_TURNS]) = (0, 0);
    }
}

/// Where each number is found when the other side looks, its sign turned.
const FROM: [u8; CELLS] = {
    let mut from = [0; CELLS];
    let mut i = 0;
    while i < CELLS {
        from[i] = i as u8;
        i += 1;
    }
    let mut field = 1;
    while field <= 24 {
        from[field] = (25 - field) as u8;
        field += 1;
    }
    let mut own = OFF;
    while own < WAIT {
        from[own] = own as u8 + 1;
        from[own + 1] = own as u8;
        own += 2;
    }
    from
};

/// What each number means.
pub(crate) static LAYOUT: [Cell; WAIT + 1] = {
    const fn cell(kind: CellKind, min: i8, max: i8) -> Cell {
        Cell { kind, min, max }
    }
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
    fn the_other_side_sees_the_same_and_fits_the_layout() {
        for (i, cell) in LAYOUT.iter().enumerate() {
            let other = &LAYOUT[usize::from(FROM[i])];
            assert_eq!((cell.kind, cell.min, cell.max), (other.kind, -other.max, -other.min));
            assert_eq!(usize::from(FROM[usize::from(FROM[i])]), i);
        }
    }

    #[test]
    fn a_jan_can_be_filled_while_enough_checkers_stand_before_its_fields() {
        let mut state = TrictracState::EMPTY;
        state.set_up();
        assert!(state.can_fill(1, 6) && state.can_fill(7, 12) && state.flip().can_fill(1, 6));
        // Fourteen on 8 leave one for field 7.
        (state.cells[1], state.cells[8]) = (1, 14);
        assert!(!state.can_fill(7, 12) && !state.can_fill(1, 6));
    }
}
