//! Ludus duodecim scriptorum, the Roman game of three rows of twelve.
//!
//! Its track has thirty points: six of a player's own, on which checkers enter, and twenty-four that
//! both players travel in the same direction. Dice may be added up, and checkers that stand together
//! may move together, so a roll has hundreds of results. The rule numbers (X-05 and so on) are those
//! of `docs/games/ludus.md`.

mod moves;
mod options;
mod rule_based;
pub mod state;

use tavola_evaluator::TurnEvent;
use tavola_rules::Outcome;

pub use self::options::{HomeNeeded, LudusOptions, StackExit, StackMove};

pub(crate) use self::rule_based::win_probability;

use self::state::{BAR, CHECKERS, FIRST_HOME, LAST, OFF, OPPONENT_BAR, OPPONENT_OFF, WAIT};
use crate::dice::TablesDice;
use crate::engine::OldGame;
use crate::state::OldState;
use crate::steps::MoveTrace;

impl LudusOptions {
    /// Every result of a roll, seen by the mover, with the way to it. After three equal dice the
    /// same player rolls again.
    pub(crate) fn turns<T: MoveTrace>(
        self,
        state: &OldState,
        dice: TablesDice,
        mut found: impl FnMut(&T, OldState),
    ) {
        let [a, b, c] = dice.into();
        let again = a == b && b == c;
        for turn in self.most_dice::<T>(state, dice.numbers()).turns {
            let mut after = turn.state;
            if again && after.cells[OFF] < CHECKERS as i8 {
                after.cells[WAIT] = -1;
            }
            found(&turn.trail, after);
        }
    }

    /// What happened in a turn that led from `before` to `left`, both seen by the mover.
    pub(crate) fn turn_events(
        self,
        game: &OldGame,
        before: &OldState,
        roll: TablesDice,
        left: &OldState,
    ) -> Vec<TurnEvent> {
        let mut events = Vec::new();
        if left.cells[OPPONENT_BAR] < before.cells[OPPONENT_BAR] {
            events.push(TurnEvent::Hit);
        }
        let shown: u32 = roll.numbers().iter().map(|&number| u32::from(number)).sum();
        if game.pips(before) - game.pips(left) > shown {
            events.push(TurnEvent::StackMoved);
        }
        if left.cells[WAIT] < 0 {
            events.push(TurnEvent::Triple);
        }
        match self.most_dice::<()>(before, roll.numbers()).played {
            0 if before.cells[BAR] > 0 => events.push(TurnEvent::LockedOut),
            0 => events.push(TurnEvent::Pass),
            count if count < roll.numbers().len() => events.push(TurnEvent::DiceLost),
            _ => {}
        }
        events
    }
}

/// How a game has ended, if it has.
pub(crate) fn outcome(state: &OldState) -> Option<Outcome> {
    if state.cells[OFF] == CHECKERS as i8 {
        Some(Outcome::WinSingle)
    } else if state.cells[OPPONENT_OFF] == -(CHECKERS as i8) {
        Some(Outcome::LoseSingle)
    } else {
        None
    }
}

/// The six points from which checkers leave.
const HOME: std::ops::RangeInclusive<usize> = FIRST_HOME..=LAST;
