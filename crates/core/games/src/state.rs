//! A position of an old game with everything that its rules need; the numbers of the tables games.

use serde::{Deserialize, Serialize};

use crate::cells::Cells;

/// Length of [`OldState::cells`]: the longest layout and padding.
pub(crate) const CELLS: usize = 64;

/// Checkers a side.
pub const CHECKERS: u8 = 15;

/// The opponent's checkers on the bar, at most 0.
pub const OPPONENT_BAR: usize = 0;
/// The own checkers on the bar.
pub const BAR: usize = 25;
/// The own checkers that have not entered the board yet.
pub const HAND: usize = 26;
/// The opponent's, at most 0.
pub const OPPONENT_HAND: usize = 27;
/// The own checkers that were borne off; only the unmarked ones where some are marked.
pub const OFF: usize = 28;
/// The opponent's, at most 0.
pub const OPPONENT_OFF: usize = 29;
/// 1: the player on roll has lost by a rule of their own turn; -1: the opponent has.
pub const LOST: usize = 30;
/// 1: the player on roll has nothing to do, as the opponent is to go on; -1: the reverse.
pub const WAIT: usize = 31;
/// What the game counts for the player on roll: see [`FIRST_TURN`], [`BARATAS`], [`MARKED_OFF`].
const TALLY: usize = 32;
/// The opponent's tally, at most 0.
pub const OPPONENT_TALLY: usize = 33;
/// Tabula and Buffa: 1 while a player's first turn is still to come.
pub const FIRST_TURN: usize = TALLY;
/// Emperador: times that a player was locked out.
pub const BARATAS: usize = TALLY;
/// Fallas: marked checkers that were borne off.
pub const MARKED_OFF: usize = TALLY;
/// Buffa: how many dice of each number from 1 to 6 the player on roll has inherited, at this
/// index and the next five; below zero they are the opponent's.
pub const INHERITED: usize = 34;
/// Fallas: marked checkers on the points 1 to 24, at this index and the next 23.
pub const MARKED: usize = 34;

/// A position, seen by the player on roll.
///
/// Small signed numbers, positive for the player on roll and negative for the opponent: those from
/// index 1 are the points in the numbering of the player on roll, and constants name the rest. The
/// ones of this module are those of the tables games; [`ludus`](crate::ludus::state) and
/// [`trictrac`](crate::trictrac::state) have their own. What a game does not use stays zero. The
/// numbers of one game mean nothing in another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OldState {
    pub(crate) cells: Cells<CELLS>,
}

impl OldState {
    /// Nothing anywhere.
    pub(crate) const EMPTY: Self = Self { cells: Cells([0; CELLS]) };

    /// All numbers; those beyond the layout of a game are zero.
    #[inline]
    pub const fn cells(&self) -> &[i8; CELLS] {
        &self.cells.0
    }

    /// This state as the other side sees it: each number is found where `from` says, with the other
    /// sign. Inlined, so that a constant `from` becomes moves of whole runs of numbers.
    #[inline(always)]
    pub(crate) fn flipped(&self, from: &[u8; CELLS]) -> Self {
        Self { cells: Cells(std::array::from_fn(|i| -self.cells.0[usize::from(from[i]) % CELLS])) }
    }

    /// Checkers on a point, in the numbering of the player on roll: above zero their own. Marked
    /// checkers are not counted.
    ///
    /// # Panics
    ///
    /// If there is no such point.
    pub fn point(&self, point: usize) -> i8 {
        assert!((1..=24).contains(&point), "point {point}, expected 1 to 24");
        self.cells[point]
    }

    /// Unmarked checkers on a point.
    #[inline]
    pub(crate) const fn plain(&self, point: usize) -> i8 {
        self.cells.0[point]
    }

    /// Marked checkers on a point, in a game that has some.
    #[inline]
    pub(crate) const fn marked(&self, point: usize) -> i8 {
        self.cells.0[MARKED + point - 1]
    }
}
