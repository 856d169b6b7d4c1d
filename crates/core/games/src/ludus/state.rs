//! The numbers of a position of ludus duodecim scriptorum.
//!
//! Index 1 to 6 are the entry points of the player on roll, 7 to 30 the points of both, which have
//! the same numbers for either side; the constants name the rest.

use tavola_rules::{Cell, CellKind};

use crate::rules::cell;
pub use crate::state::CHECKERS;

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

/// What changes places when the other side looks.
pub(crate) const PAIRS: [(usize, usize); 9] = [
    (1, OPPONENT_ENTRY),
    (2, OPPONENT_ENTRY + 1),
    (3, OPPONENT_ENTRY + 2),
    (4, OPPONENT_ENTRY + 3),
    (5, OPPONENT_ENTRY + 4),
    (6, OPPONENT_ENTRY + 5),
    (BAR, OPPONENT_BAR),
    (HAND, OPPONENT_HAND),
    (OFF, OPPONENT_OFF),
];

/// What each number means.
pub(crate) static LAYOUT: [Cell; WAIT + 1] = {
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
