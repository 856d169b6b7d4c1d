//! How a game ended: who won, and by how much.

use serde::{Deserialize, Serialize};

use crate::position::{OPPONENT_BAR, OPPONENT_OFF, Position};

/// How a game ends, seen from the player on roll: one of six exclusive ways to win or lose, or a
/// draw, which only some games have and backgammon has not.
///
/// The discriminants of the six are the order of the classes in networks and records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Outcome {
    /// The player on roll loses one point.
    LoseSingle = 0,
    /// The player on roll loses two points, having borne off nothing.
    LoseGammon = 1,
    /// The player on roll loses three points: nothing off, and a checker on the bar or in the
    /// winner's home.
    LoseBackgammon = 2,
    /// The player on roll wins one point.
    WinSingle = 3,
    /// The player on roll wins two points.
    WinGammon = 4,
    /// The player on roll wins three points.
    WinBackgammon = 5,
    /// Neither player wins, by a rule of the game. It is no class of its own: to a network it is a
    /// single game won and lost with equal probabilities.
    Draw = 6,
}

impl Outcome {
    /// The six with a winner, in class order.
    pub const ALL: [Self; 6] = [
        Self::LoseSingle,
        Self::LoseGammon,
        Self::LoseBackgammon,
        Self::WinSingle,
        Self::WinGammon,
        Self::WinBackgammon,
    ];

    /// This result as the other side sees it.
    #[inline]
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Draw => Self::Draw,
            decided => Self::ALL[(decided as usize + 3) % 6],
        }
    }

    /// Points won (negative: lost) by the player on roll with the cube at 1.
    #[inline]
    pub const fn points(self) -> i32 {
        match self {
            Self::LoseSingle => -1,
            Self::LoseGammon => -2,
            Self::LoseBackgammon => -3,
            Self::WinSingle => 1,
            Self::WinGammon => 2,
            Self::WinBackgammon => 3,
            Self::Draw => 0,
        }
    }

    /// Whether the player on roll wins.
    #[inline]
    pub const fn is_win(self) -> bool {
        self.points() > 0
    }

    /// The result of a finished position, `None` while both sides have checkers on the board.
    ///
    /// A loser who has borne off a checker loses a single.
    #[inline]
    pub fn of(position: &Position) -> Option<Self> {
        // Asked of every position that a play may lead to; hardly ever has a side finished.
        if position.off() == 0 && position.opponent_off() == 0 {
            return None;
        }
        let checkers_left = |position: &Position| position.cells()[1..=25].iter().any(|&n| n > 0);
        if !checkers_left(position) {
            Some(loss_of_opponent(position))
        } else if position.cells()[..=24].iter().all(|&n| n >= 0) {
            Some(loss_of_opponent(&position.flip()).flip())
        } else {
            None
        }
    }
}

/// The kind of win of the player on roll, who has borne off everything.
fn loss_of_opponent(position: &Position) -> Outcome {
    let cells = position.cells();
    if cells[OPPONENT_OFF] < 0 {
        Outcome::WinSingle
    } else if cells[OPPONENT_BAR] < 0 || cells[1..=6].iter().any(|&n| n < 0) {
        Outcome::WinBackgammon
    } else {
        Outcome::WinGammon
    }
}
