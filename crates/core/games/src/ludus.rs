//! Ludus duodecim scriptorum, the Roman game of three rows of twelve.
//!
//! Its track has thirty points: six of a player's own, on which checkers enter, and twenty-four that
//! both players travel in the same direction. Dice may be added up, and checkers that stand together
//! may move together, so a roll has hundreds of results. The rule numbers (X-05 and so on) are those
//! of `docs/games/ludus.md`.

mod moves;
mod options;
mod playable;
mod rule_based;
pub mod state;
mod text;

use rand::Rng;
use tavola_rules::{Cell, Game, Outcome, WinKind};

pub use self::moves::{LudusPlay, LudusStep};
pub use self::options::{HomeNeeded, LudusOptions, StackExit, StackMove};
pub use self::state::LudusState;

use self::moves::{MoveTrace, Played};
use self::state::{
    BAR, CHECKERS, FIRST_HOME, HAND, LAST, LAYOUT, OFF, OPPONENT_HAND, OPPONENT_OFF, WAIT,
};
use crate::dice::{DiceCount, TablesDice};

/// Ludus duodecim scriptorum with its options.
///
/// After three equal dice the same player rolls again. The opponent then has a turn between, in
/// which nothing happens, so that turns alternate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ludus {
    options: LudusOptions,
}

impl Ludus {
    /// The game with these options.
    pub const fn new(options: LudusOptions) -> Self {
        Self { options }
    }

    /// The options.
    pub const fn options(&self) -> &LudusOptions {
        &self.options
    }

    /// Pips that the player on roll still has to travel, each checker to the place after the last
    /// point.
    pub fn pips(&self, state: &LudusState) -> u32 {
        let cells = state.cells();
        let board: u32 =
            (1..=LAST).map(|at| cells[at].max(0) as u32 * (LAST + 1 - at) as u32).sum();
        board + (LAST as u32 + 1) * (cells[BAR] as u32 + cells[HAND] as u32)
    }

    /// Everything that a roll allows.
    pub(crate) fn rolled<T: MoveTrace>(&self, state: &LudusState, dice: TablesDice) -> Played<T> {
        self.options.most_dice(state, dice.numbers())
    }

    /// Every result of a roll, seen by the opponent, with the way to it.
    pub(crate) fn turns<T: MoveTrace>(
        &self,
        state: &LudusState,
        dice: TablesDice,
        mut found: impl FnMut(T, LudusState),
    ) {
        if state.cells[WAIT] > 0 {
            let mut after = *state;
            after.cells[WAIT] = 0;
            return found(T::default(), after.flip());
        }
        let [a, b, c] = dice.into();
        let again = a == b && b == c;
        for turn in self.rolled::<T>(state, dice).turns {
            let mut after = turn.state;
            if again && after.cells[OFF] < CHECKERS as i8 {
                after.cells[WAIT] = -1;
            }
            found(turn.trail, after.flip());
        }
    }
}

impl Game for Ludus {
    type State = LudusState;
    type Roll = TablesDice;

    const TOTAL_WEIGHT: u32 = 216;

    fn id(&self) -> String {
        self.options.to_string()
    }

    fn start(&self) -> LudusState {
        let mut state = LudusState::EMPTY;
        (state.cells[HAND], state.cells[OPPONENT_HAND]) = (CHECKERS as i8, -(CHECKERS as i8));
        state
    }

    /// A roll like any other: who begins was settled before.
    fn opening_roll(&self, rng: &mut impl Rng) -> TablesDice {
        self.roll(rng)
    }

    fn roll(&self, rng: &mut impl Rng) -> TablesDice {
        TablesDice::roll(DiceCount::Three, rng)
    }

    fn rolls(&self) -> &'static [(TablesDice, u8)] {
        DiceCount::Three.rolls()
    }

    fn afterstates(&self, state: &LudusState, roll: TablesDice, afterstates: &mut Vec<LudusState>) {
        self.turns::<()>(state, roll, |(), after| afterstates.push(after));
    }

    #[inline]
    fn flip(&self, state: &LudusState) -> LudusState {
        state.flip()
    }

    fn outcome(&self, state: &LudusState) -> Option<Outcome> {
        if state.cells[OFF] == CHECKERS as i8 {
            Some(Outcome::WinSingle)
        } else if state.cells[OPPONENT_OFF] == -(CHECKERS as i8) {
            Some(Outcome::LoseSingle)
        } else {
            None
        }
    }

    fn largest_win(&self) -> WinKind {
        WinKind::Single
    }

    fn layout(&self) -> &'static [Cell] {
        &LAYOUT
    }

    fn cells(state: &LudusState) -> &[i8] {
        &state.cells
    }
}

/// The six points from which checkers leave.
pub(crate) const HOME: std::ops::RangeInclusive<usize> = FIRST_HOME..=LAST;
