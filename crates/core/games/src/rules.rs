//! What one game of the family is made of, as data for the [`engine`](crate::engine).
//!
//! The rule numbers (T-05 and so on) are those of `docs/games/`.

use serde::{Deserialize, Serialize};
use tavola_rules::{Cell, CellKind};

use crate::dice::DiceCount;
use crate::ludus::state as ludus;
use crate::options::{Inheritance, Switch};
use crate::state::{
    BAR, CELLS, FIRST_TURN, HAND, INHERITED, LOST, MARKED, OFF, OPPONENT_BAR, OPPONENT_HAND,
    OPPONENT_OFF, OPPONENT_TALLY, OldState, WAIT,
};
use crate::trictrac::state as trictrac;

/// How the opponent numbers the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opposite {
    /// Both travel the same way: k is the opponent's k.
    Same,
    /// They travel against each other, as in backgammon: k is the opponent's 25 - k.
    Reverse,
    /// They begin at the two ends of the same side of the board (B-02).
    Side,
    /// As [`Same`](Self::Same), but each has entry points of its own.
    Ludus,
    /// As [`Reverse`](Self::Reverse), with a score for each.
    Trictrac,
}

impl Opposite {
    /// The opponent's number of the point `point` of the player on roll, 1 to 24.
    pub(crate) const fn point(self, point: usize) -> usize {
        match self {
            Self::Same | Self::Ludus => point,
            Self::Reverse | Self::Trictrac => 25 - point,
            Self::Side => (36 - point) % 24 + 1,
        }
    }

    /// Where each number of a state is found when the other side looks at it, its sign turned.
    const FROM: [[u8; CELLS]; 5] = {
        const PAIRS: [(usize, usize); 4] = [
            (BAR, OPPONENT_BAR),
            (HAND, OPPONENT_HAND),
            (OFF, OPPONENT_OFF),
            (FIRST_TURN, OPPONENT_TALLY),
        ];
        [
            Self::Same.build(&PAIRS),
            Self::Reverse.build(&PAIRS),
            Self::Side.build(&PAIRS),
            Self::Ludus.build(&ludus::PAIRS),
            Self::Trictrac.build(&trictrac::PAIRS),
        ]
    };

    /// A state as the other side sees it.
    #[inline]
    pub(crate) fn flip(self, state: &OldState) -> OldState {
        match self {
            Self::Same => state.flipped(const { &Self::FROM[0] }),
            Self::Reverse => state.flipped(const { &Self::FROM[1] }),
            Self::Side => state.flipped(const { &Self::FROM[2] }),
            Self::Ludus => state.flipped(const { &Self::FROM[3] }),
            Self::Trictrac => state.flipped(const { &Self::FROM[4] }),
        }
    }

    const fn build(self, pairs: &[(usize, usize)]) -> [u8; CELLS] {
        let mut from = [0; CELLS];
        let mut i = 0;
        while i < CELLS {
            // What belongs to neither side in particular only changes its sign.
            from[i] = i as u8;
            i += 1;
        }
        let mut point = 1;
        while point <= 24 {
            from[point] = self.point(point) as u8;
            // Marked checkers stand only where the directions are opposite; other games have six
            // numbers there that belong to the player on roll.
            if matches!(self, Self::Reverse) {
                from[MARKED + point - 1] = (MARKED + self.point(point) - 1) as u8;
            }
            point += 1;
        }
        let mut i = 0;
        while i < pairs.len() {
            let (own, other) = pairs[i];
            from[own] = other as u8;
            from[other] = own as u8;
            i += 1;
        }
        from
    }
}

/// In which order dice are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiceOrder {
    /// Any, as many dice as possible and then as many pips as possible (T-12).
    Free,
    /// The low one first; a double d-d is d, d, 7-d, 7-d; each by another checker; the first number
    /// that can't be played ends the turn (P-05 to P-07).
    LowFirst,
}

/// When the hand must be played from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandRule {
    /// Before any checker lands beyond point 6 (T-09).
    BeforeLeaving,
    /// Before anything else moves (P-03).
    BeforeMoving,
    /// Before anything else moves, unless the die cannot enter (P-08 with the cap everywhere).
    WherePossible,
}

/// What the first turn of a player is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstTurnRule {
    /// Like any other.
    Ordinary,
    /// Every die enters a checker or is lost (T-08).
    EnterEach,
}

/// Where a checker goes that was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HitTo {
    /// The bar, from which it must enter before anything else moves.
    Bar,
    /// The hand, with those that have not been on the board yet.
    Hand,
}

/// Points on which a side's number of checkers is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cap {
    /// The first of these points.
    pub(crate) from: u8,
    /// The last of them.
    pub(crate) to: u8,
    /// Where as many checkers stand, no more may land.
    pub(crate) most: i8,
}

/// How checkers leave the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// When all are on 19 to 24; a die that is too high takes the rearmost (T-11).
    Home,
    /// When all are on 24, with any die; 24 is reached by exact count (B-05).
    LastPoint,
    /// Whenever a checker passes 24 (P-08 with the cap everywhere).
    Passing,
    /// At any time with the exact die, or a higher one if no own checker stands further back; a
    /// marked checker only when all marked ones are on 19 to 24 (F-07, F-08).
    AnyTime,
}

/// What wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// Both marked checkers are off, the default of Fallas.
    #[default]
    Marked,
    /// All fifteen are off.
    #[serde(rename = "all15")]
    All,
}

/// Where the numbers of a state are that every game has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// The last point.
    pub(crate) last: usize,
    /// The own bar, with the opponent's; 0 twice where there is none, which is always empty.
    pub(crate) bar: [usize; 2],
    /// The own hand, with the opponent's; likewise.
    pub(crate) hand: [usize; 2],
    /// The own checkers that were borne off, and the opponent's.
    pub(crate) off: [usize; 2],
    /// The turn to wait.
    pub(crate) wait: usize,
}

/// What it costs to be locked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockRule {
    /// The turn.
    Turn,
    /// A Barata each time, and the fourth is the game (E-08); locked out is who has a checker on
    /// the bar and cannot land on any point from 1 to `zone`.
    Barata {
        /// The last of these points.
        zone: u8,
    },
    /// The game, when four are on the bar before six points in a row that the opponent holds.
    Prime,
}

/// What happens to a player who can play none of the dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StuckRule {
    /// The player passes.
    Passes,
    /// The player loses (F-09, historical).
    Loses,
}

/// What a win is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stake {
    /// One point, the default where it is an option.
    #[default]
    Single,
    /// Two points.
    Double,
}

/// Where the checkers are at the start, of either side in its own numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// All in hand.
    Hand,
    /// On these points, and these marked ones: point and number.
    Points(&'static [(u8, i8)], &'static [(u8, i8)]),
}

/// Everything that tells one game from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) dice: DiceCount,
    pub(crate) opposite: Opposite,
    pub(crate) start: Start,
    pub(crate) order: DiceOrder,
    pub(crate) hand: HandRule,
    pub(crate) first_turn: FirstTurnRule,
    pub(crate) hit_to: HitTo,
    pub(crate) cap: Option<Cap>,
    pub(crate) exit: Exit,
    /// Marked checkers of a side. Where there are some, a single unmarked one closes its point,
    /// and only marked ones can be hit (F-04, F-05).
    pub(crate) marked: i8,
    pub(crate) goal: Goal,
    pub(crate) lock: LockRule,
    /// The dice that could not be played and that the opponent may play before their roll (B-06).
    pub(crate) inherit: Option<Inheritance>,
    pub(crate) stuck: StuckRule,
    /// Who has thrown a double rolls again.
    pub(crate) extra_roll: Switch,
    /// A win while the loser has borne off nothing.
    pub(crate) shut_out: Stake,
    /// A win because the opponent was locked out.
    pub(crate) lock_win: Stake,
    pub(crate) layout: &'static [Cell],
    /// How many numbers tell states apart, see [`Game::identity_cells`](tavola_rules::Game).
    pub(crate) identity_cells: usize,
    pub(crate) places: Places,
}

impl Rules {
    /// Tabula with its default options; the other games say how they differ.
    pub(crate) const TABULA: Self = Self {
        dice: DiceCount::Three,
        opposite: Opposite::Same,
        start: Start::Hand,
        order: DiceOrder::Free,
        hand: HandRule::BeforeLeaving,
        first_turn: FirstTurnRule::EnterEach,
        hit_to: HitTo::Bar,
        cap: None,
        exit: Exit::Home,
        marked: 0,
        goal: Goal::All,
        lock: LockRule::Turn,
        inherit: None,
        stuck: StuckRule::Passes,
        extra_roll: Switch::Off,
        shut_out: Stake::Single,
        lock_win: Stake::Single,
        layout: &ENTERING,
        identity_cells: CELLS,
        places: Places {
            last: 24,
            bar: [BAR, OPPONENT_BAR],
            hand: [HAND, OPPONENT_HAND],
            off: [OFF, OPPONENT_OFF],
            wait: WAIT,
        },
    };

    /// Puff.
    pub(crate) const PUFF: Self = Self {
        dice: DiceCount::Two,
        order: DiceOrder::LowFirst,
        hand: HandRule::BeforeMoving,
        first_turn: FirstTurnRule::Ordinary,
        hit_to: HitTo::Hand,
        cap: Some(Cap { from: 7, to: 18, most: 2 }),
        layout: &HAND_ONLY,
        ..Self::TABULA
    };

    /// Fallas.
    pub(crate) const FALLAS: Self = Self {
        opposite: Opposite::Reverse,
        start: Start::Points(&[(19, 13)], &[(1, 2)]),
        first_turn: FirstTurnRule::Ordinary,
        exit: Exit::AnyTime,
        marked: 2,
        goal: Goal::Marked,
        layout: &MARKED_MEN,
        ..Self::TABULA
    };

    /// El Emperador.
    pub(crate) const EMPERADOR: Self = Self {
        opposite: Opposite::Reverse,
        start: Start::Points(&[(1, 15)], &[]),
        first_turn: FirstTurnRule::Ordinary,
        cap: Some(Cap { from: 1, to: 12, most: 1 }),
        lock: LockRule::Barata { zone: 6 },
        layout: &COUNTING,
        ..Self::TABULA
    };

    /// Buffa de Baldrac.
    pub(crate) const BUFFA: Self = Self {
        opposite: Opposite::Side,
        exit: Exit::LastPoint,
        inherit: Some(Inheritance::Dice),
        layout: &INHERITING,
        ..Self::TABULA
    };

    /// Todas tablas.
    pub(crate) const TODAS_TABLAS: Self = Self {
        dice: DiceCount::Two,
        opposite: Opposite::Reverse,
        start: Start::Points(&[(1, 2), (12, 5), (17, 3), (19, 5)], &[]),
        first_turn: FirstTurnRule::Ordinary,
        layout: &ORDINARY,
        ..Self::TABULA
    };

    /// Ludus duodecim scriptorum, whose moves are not those of [`steps`](crate::steps).
    pub(crate) const LUDUS: Self = Self {
        opposite: Opposite::Ludus,
        first_turn: FirstTurnRule::Ordinary,
        layout: &ludus::LAYOUT,
        identity_cells: 48,
        places: Places {
            last: ludus::LAST,
            bar: [ludus::BAR, ludus::OPPONENT_BAR],
            hand: [ludus::HAND, ludus::OPPONENT_HAND],
            off: [ludus::OFF, ludus::OPPONENT_OFF],
            wait: ludus::WAIT,
        },
        ..Self::TABULA
    };

    /// Le Grand Trictrac; likewise.
    pub(crate) const TRICTRAC: Self = Self {
        dice: DiceCount::Two,
        opposite: Opposite::Trictrac,
        first_turn: FirstTurnRule::Ordinary,
        layout: &trictrac::LAYOUT,
        identity_cells: 40,
        places: Places {
            last: 24,
            bar: [0; 2],
            hand: [0; 2],
            off: [trictrac::OFF, trictrac::OPPONENT_OFF],
            wait: trictrac::WAIT,
        },
        ..Self::TABULA
    };

    /// Whether both sides can be unable to move for good.
    pub(crate) const fn can_be_dead(&self) -> bool {
        // Where both travel the same way, or where nothing keeps own checkers apart, some checker
        // in front or within a row of held points is always free to move.
        matches!(self.opposite, Opposite::Reverse)
    }
}

pub(crate) const fn cell(kind: CellKind, min: i8, max: i8) -> Cell {
    Cell { kind, min, max }
}

/// The numbers that all games have; `waiting` and `hand` are the most on the bar and in hand.
const fn common<const N: usize>(waiting: i8, hand: i8) -> [Cell; N] {
    let mut cells = [cell(CellKind::Counter, 0, 0); N];
    let mut point = 1;
    while point <= 24 {
        cells[point] = cell(CellKind::Point, -15, 15);
        point += 1;
    }
    cells[OPPONENT_BAR] = cell(CellKind::Waiting, -waiting, 0);
    cells[BAR] = cell(CellKind::Waiting, 0, waiting);
    cells[HAND] = cell(CellKind::Waiting, 0, hand);
    cells[OPPONENT_HAND] = cell(CellKind::Waiting, -hand, 0);
    cells[OFF] = cell(CellKind::Off, 0, 15);
    cells[OPPONENT_OFF] = cell(CellKind::Off, -15, 0);
    cells
}

/// With a tally of at most `most` a side.
const fn tally<const N: usize>(mut cells: [Cell; N], kind: CellKind, most: i8) -> [Cell; N] {
    cells[FIRST_TURN] = cell(kind, 0, most);
    cells[OPPONENT_TALLY] = cell(kind, -most, 0);
    cells
}

/// With one number that may be of either sign.
const fn signed<const N: usize>(mut cells: [Cell; N], index: usize, most: i8) -> [Cell; N] {
    cells[index] = cell(CellKind::Counter, -most, most);
    cells
}

/// Hand, bar and first turns.
static ENTERING: [Cell; 34] = tally(common(15, 15), CellKind::Counter, 1);

/// A hand that is the bar too, and turns to wait.
static HAND_ONLY: [Cell; 32] = signed(common(0, 15), WAIT, 1);

/// A bar and Baratas; the same without Baratas is [`ORDINARY`].
static COUNTING: [Cell; 34] = tally(common(15, 0), CellKind::Counter, 3);

/// A bar.
pub(crate) static ORDINARY: [Cell; 30] = common(15, 0);

/// A bar, and players who lose because they are stuck.
pub(crate) static LOSING: [Cell; 31] = signed(common(15, 0), LOST, 1);

/// Hand, bar, first turns, inherited dice and turns to wait.
static INHERITING: [Cell; 40] = {
    let mut cells = signed(tally(common(15, 15), CellKind::Counter, 1), WAIT, 1);
    let mut number = 0;
    while number < 6 {
        cells = signed(cells, INHERITED + number, 3);
        number += 1;
    }
    cells
};

/// Marked checkers on all points, unmarked ones on the last six of a side alone, where they begin.
static MARKED_MEN: [Cell; 58] = {
    let mut cells = signed(tally(common(2, 0), CellKind::Off, 2), LOST, 1);
    let mut point = 1;
    while point <= 24 {
        cells[point] = cell(
            CellKind::Point,
            if point <= 6 { -13 } else { 0 },
            if point >= 19 { 13 } else { 0 },
        );
        cells[MARKED + point - 1] = cell(CellKind::Point, -2, 2);
        point += 1;
    }
    cells
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opponents_numbering_undoes_itself() {
        for opposite in
            [Opposite::Same, Opposite::Reverse, Opposite::Side, Opposite::Ludus, Opposite::Trictrac]
        {
            let from = Opposite::FROM[opposite as usize];
            assert!((1..=24).all(|k| opposite.point(opposite.point(k)) == k), "{opposite:?}");
            assert!((0..CELLS).all(|i| usize::from(from[usize::from(from[i])]) == i));
        }
    }

    #[test]
    fn buffa_golden_test_1_the_numbers_of_the_two_sides() {
        let pairs = [(1, 12), (6, 7), (7, 6), (12, 1), (13, 24), (18, 19), (19, 18), (24, 13)];
        for (own, his) in pairs {
            assert_eq!(Opposite::Side.point(own), his, "point {own}");
        }
    }

    #[test]
    fn the_other_side_of_a_state_fits_the_layout_too() {
        for rules in [
            Rules::TABULA,
            Rules::PUFF,
            Rules::FALLAS,
            Rules::EMPERADOR,
            Rules::BUFFA,
            Rules::TODAS_TABLAS,
            Rules::LUDUS,
            Rules::TRICTRAC,
        ] {
            let from = Opposite::FROM[rules.opposite as usize];
            for (i, cell) in rules.layout.iter().enumerate() {
                let other = &rules.layout[usize::from(from[i])];
                assert_eq!((cell.kind, cell.min, cell.max), (other.kind, -other.max, -other.min));
            }
        }
    }
}
