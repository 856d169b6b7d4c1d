//! Modern backgammon and the variants that differ only in their start position.

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::game::{Cell, CellKind, Game};
use crate::movegen;
use crate::named;
use crate::outcome::Outcome;
use crate::position::{BAR, OFF, OPPONENT_BAR, OPPONENT_OFF, Position};

/// Backgammon, played from one of the customary start positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backgammon {
    /// 24:2, 13:5, 8:3, 6:5.
    #[default]
    Standard,
    /// Nack Ballard's start, with two checkers more in the back: 24:2, 23:2, 13:4, 8:3, 6:4.
    Nackgammon,
    /// Three checkers a side, on 24, 23 and 22.
    Hypergammon,
    /// All fifteen checkers on 24.
    Longgammon,
}

named!(Backgammon, "game":
    Standard => "backgammon",
    Nackgammon => "nackgammon",
    Hypergammon => "hypergammon",
    Longgammon => "longgammon",
);

impl Backgammon {
    /// Checkers a side.
    pub const fn checkers(self) -> u8 {
        match self {
            Self::Hypergammon => 3,
            _ => 15,
        }
    }

    /// The start position.
    pub const fn start_position(self) -> Position {
        match self {
            Self::Standard => Position::STANDARD,
            Self::Nackgammon => Position::symmetric(&[(24, 2), (23, 2), (13, 4), (8, 3), (6, 4)]),
            Self::Hypergammon => Position::symmetric(&[(24, 1), (23, 1), (22, 1)]),
            Self::Longgammon => Position::symmetric(&[(24, 15)]),
        }
    }
}

/// The cells of a [`Position`].
const LAYOUT: [Cell; 28] = {
    let point = Cell { kind: CellKind::Point, min: -15, max: 15 };
    let mut layout = [point; 28];
    layout[OPPONENT_BAR] = Cell { kind: CellKind::Waiting, min: -15, max: 0 };
    layout[BAR] = Cell { kind: CellKind::Waiting, min: 0, max: 15 };
    layout[OFF] = Cell { kind: CellKind::Off, min: 0, max: 15 };
    layout[OPPONENT_OFF] = Cell { kind: CellKind::Off, min: -15, max: 0 };
    layout
};

impl Game for Backgammon {
    type State = Position;
    type Roll = Dice;

    const TOTAL_WEIGHT: u32 = 36;

    fn id(&self) -> String {
        self.name().to_owned()
    }

    fn start(&self) -> Position {
        self.start_position()
    }

    fn opening_roll(&self, rng: &mut impl Rng) -> Dice {
        Dice::roll_opening(rng)
    }

    fn roll(&self, rng: &mut impl Rng) -> Dice {
        Dice::roll(rng)
    }

    fn rolls(&self) -> &'static [(Dice, u8)] {
        &Dice::ALL
    }

    fn afterstates(&self, state: &Position, roll: Dice, afterstates: &mut Vec<Position>) {
        let before = afterstates.len();
        movegen::afterstates(state, roll, afterstates);
        if afterstates.len() == before {
            afterstates.push(state.flip());
        }
    }

    fn flip(&self, state: &Position) -> Position {
        state.flip()
    }

    fn outcome(&self, state: &Position) -> Option<Outcome> {
        Outcome::of(state)
    }

    /// In a race, where more checkers have been borne off than in `b` and every other one stands at
    /// least as far on. Checkers that have gone further alone do not surpass: with a hole behind
    /// them a roll may bear off fewer.
    fn surpasses(&self, a: &Position, b: &Position) -> bool {
        if b.has_contact() {
            return false;
        }
        // Seen by the opponent the mover's checkers are below zero and go up; counted from the bar
        // on, `a` has no more than `b` up to any point.
        let mut more = 0;
        let is_as_far = a.cells()[..OFF].iter().zip(b.cells()).all(|(&a, &b)| {
            more += b.min(0) - a.min(0);
            a.max(0) == b.max(0) && more <= 0
        });
        is_as_far && more < 0
    }

    fn layout(&self) -> &'static [Cell] {
        &LAYOUT
    }

    fn cells(state: &Position) -> &[i8] {
        state.cells()
    }
}
