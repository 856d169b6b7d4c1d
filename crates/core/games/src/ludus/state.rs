//! A position of ludus duodecim scriptorum.

use serde::{Deserialize, Serialize};
use tavola_rules::{Cell, CellKind};

use crate::cells::Cells;

/// Length of [`LudusState::cells`]: the layout and padding.
pub(crate) const CELLS: usize = 48;

/// Checkers a side.
pub const CHECKERS: u8 = 15;
/// The last point of the track.
pub const LAST: usize = 30;
/// The last of a side's own entry points, which no opponent ever sees.
pub const LAST_ENTRY: usize = 6;
/// The first of the six points from which checkers leave.
pub const FIRST_HOME: usize = 25;

/// The opponent's checkers on the bar, at most 0.
pub const OPPONENT_BAR: usize = 0;
/// The own checkers on the bar.
pub const BAR: usize = 31;
/// The own checkers that have not entered the board yet.
pub const HAND: usize = 32;
/// The opponent's, at most 0.
pub const OPPONENT_HAND: usize = 33;
/// The own checkers that were borne off.
pub const OFF: usize = 34;
/// The opponent's, at most 0.
pub const OPPONENT_OFF: usize = 35;
/// The opponent's checkers on the opponent's points 1 to 6, at this index and the next five.
pub const OPPONENT_ENTRY: usize = 36;
/// 1: the player on roll has nothing to do, as the opponent is to roll again; -1: the reverse.
pub const WAIT: usize = 42;

/// A position, seen by the player on roll.
///
/// Small signed numbers, positive for the player on roll and negative for the opponent. Index 1 to
/// 6 are the entry points of the player on roll, 7 to 30 the points of both, which have the same
/// numbers for either side; the constants of this module name the rest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LudusState {
    pub(crate) cells: Cells<CELLS>,
}

impl LudusState {
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
}

/// Where each number is found when the other side looks, its sign turned.
const FROM: [u8; CELLS] = {
    let mut from = [0; CELLS];
    let mut i = 0;
    while i < CELLS {
        from[i] = i as u8;
        i += 1;
    }
    let mut point = 1;
    while point <= LAST_ENTRY {
        from[point] = (OPPONENT_ENTRY + point - 1) as u8;
        from[OPPONENT_ENTRY + point - 1] = point as u8;
        point += 1;
    }
    let pairs = [(BAR, OPPONENT_BAR), (HAND, OPPONENT_HAND), (OFF, OPPONENT_OFF)];
    let mut i = 0;
    while i < pairs.len() {
        let (own, other) = pairs[i];
        from[own] = other as u8;
        from[other] = own as u8;
        i += 1;
    }
    from
};

/// What each number means.
pub(crate) static LAYOUT: [Cell; WAIT + 1] = {
    const fn cell(kind: CellKind, min: i8, max: i8) -> Cell {
        Cell { kind, min, max }
    }
    let mut cells = [cell(CellKind::Point, -15, 15); WAIT + 1];
    let mut point = 1;
    while point <= LAST_ENTRY {
        cells[point] = cell(CellKind::Point, 0, 15);
        cells[OPPONENT_ENTRY + point - 1] = cell(CellKind::Point, -15, 0);
        point += 1;
    }
    cells[OPPONENT_BAR] = cell(CellKind::Waiting, -15, 0);
    cells[BAR] = cell(CellKind::Waiting, 0, 15);
    cells[HAND] = cell(CellKind::Waiting, 0, 15);
    cells[OPPONENT_HAND] = cell(CellKind::Waiting, -15, 0);
    cells[OFF] = cell(CellKind::Off, 0, 15);
    cells[OPPONENT_OFF] = cell(CellKind::Off, -15, 0);
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
}
