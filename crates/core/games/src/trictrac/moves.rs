//! The moves of Le Grand Trictrac: every way to play a roll that its laws allow.

use std::fmt;

use super::options::{ExitExact, TrictracOptions};
use super::state::{CHECKERS, COIN, OFF, OPPONENT_COIN, TrictracState};

/// A move of one checker by one die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrictracStep {
    /// The field it leaves.
    pub from: u8,
    /// The field where it lands; 25 is off the board.
    pub to: u8,
}

impl fmt::Display for TrictracStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to {
            25 => write!(f, "{}-off", self.from),
            to => write!(f, "{}-{to}", self.from),
        }
    }
}

/// A way to play a roll.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Where the checkers are afterwards, seen by the mover.
    pub(crate) after: TrictracState,
    /// The moves, in their order.
    pub(crate) steps: [Option<TrictracStep>; 2],
    /// How many dice it plays.
    pub(crate) dice: u8,
    /// Checkers that leave, in the way that is to be avoided (G-14).
    exits: u8,
}

/// The jans that can be filled: the first fields of the petit jan, the grand jan and the jan de
/// retour.
pub(crate) const JANS: [usize; 3] = [1, 7, 19];

impl Way {
    /// The moves that end on a field.
    pub(crate) fn moves_to(&self, field: usize) -> impl Iterator<Item = TrictracStep> {
        self.steps.into_iter().flatten().filter(move |step| usize::from(step.to) == field)
    }

    /// Whether one checker made both moves.
    pub(crate) fn is_tout_d_une(&self) -> bool {
        matches!(self.steps, [Some(first), Some(second)] if first.to == second.from)
    }
}

/// What is known of a position before a play, so that it is counted once.
struct Laws {
    /// Whether the opponent can still fill the own numbers 13 to 18, and 19 to 24.
    enemy_fills: [bool; 2],
    exit_exact: ExitExact,
}

impl TrictracOptions {
    /// Every legal way to play a roll, in any order of the dice; a pass alone if nothing can be
    /// played. Ways to the same result are all there.
    pub(crate) fn ways(self, state: &TrictracState, numbers: [u8; 2]) -> Vec<Way> {
        let other = state.flip();
        let enemy_fills = [other.can_fill(7, 12), other.can_fill(1, 6)];
        let laws = Laws { enemy_fills, exit_exact: self.exit_exact };
        let mut found = Vec::new();
        let nothing = Way { after: *state, steps: [None; 2], dice: 0, exits: 0 };
        let [a, b] = numbers;
        let orders = if a == b { &[[a, b]][..] } else { &[[a, b], [b, a]] };
        for &[first, second] in orders {
            laws.steps(&nothing, first, |way| {
                laws.steps(&way, second, |way| found.push(way));
            });
        }
        if let Some(way) = par_puissance(&nothing, numbers)
            && !takes_coin(state, numbers)
        {
            found.push(way);
        }
        found.retain(|way| laws.may_stay(state, &way.after));
        if found.is_empty() {
            // The higher die alone, if it can be played (G-08).
            for die in [a.max(b), a.min(b)] {
                laws.steps(&nothing, die, |way| found.push(way));
                found.retain(|way| laws.may_stay(state, &way.after));
                if !found.is_empty() {
                    break;
                }
            }
        }
        if found.is_empty() {
            found.push(nothing);
        }
        let fewest = found.iter().map(|way| way.exits).min().unwrap_or(0);
        found.retain(|way| way.exits == fewest);
        let full = |way: &Way| JANS.iter().filter(|first| way.after.is_full(**first)).count();
        let most = found.iter().map(full).max().unwrap_or(0);
        found.retain(|way| full(way) == most);
        found
    }
}

/// Whether the roll brings two checkers from elsewhere onto the empty own coin, a die each.
fn takes_coin(state: &TrictracState, numbers: [u8; 2]) -> bool {
    state.own(COIN) == 0 && have_both(state, COIN, numbers)
}

/// Whether a checker for each die stands so far before the field.
fn have_both(state: &TrictracState, field: usize, [a, b]: [u8; 2]) -> bool {
    let (from_a, from_b) = (field - usize::from(a), field - usize::from(b));
    match a == b {
        true => state.own(from_a) >= 2,
        false => state.own(from_a) >= 1 && state.own(from_b) >= 1,
    }
}

/// The own coin taken by two checkers that the dice would bring to the opponent's empty one (G-11).
fn par_puissance(before: &Way, numbers: [u8; 2]) -> Option<Way> {
    let state = &before.after;
    let is_possible = state.own(COIN) == 0
        && state.cells[OPPONENT_COIN] == 0
        && have_both(state, OPPONENT_COIN, numbers);
    is_possible.then(|| {
        let steps =
            numbers.map(|die| TrictracStep { from: OPPONENT_COIN as u8 - die, to: COIN as u8 });
        let mut after = *state;
        for step in steps {
            after.cells[usize::from(step.from)] -= 1;
            after.cells[COIN] += 1;
        }
        Way { after, steps: steps.map(Some), dice: 2, exits: 0 }
    })
}

impl Laws {
    /// Every move of a die after what was played before. Where checkers may not stay is looked at
    /// when the turn is over.
    fn steps(&self, before: &Way, die: u8, mut found: impl FnMut(Way)) {
        let state = &before.after;
        let slot = usize::from(before.dice);
        for from in 1..=24 {
            if state.own(from) == 0 {
                continue;
            }
            let to = from + usize::from(die);
            let mut way = *before;
            let cells = &mut way.after.cells;
            cells[from] -= 1;
            if to <= 24 {
                if state.theirs(to) > 0 {
                    continue;
                }
                cells[to] += 1;
            } else {
                let behind = (1..from).any(|field| state.own(field) > 0);
                let outside = (1..19).any(|field| state.own(field) > 0);
                if outside || (to > 25 && behind) {
                    continue;
                }
                cells[OFF] += 1;
                way.exits += u8::from(to > 25 || self.exit_exact == ExitExact::Avoided);
            }
            way.steps[slot] = Some(TrictracStep { from: from as u8, to: to.min(25) as u8 });
            way.dice += 1;
            found(way);
        }
    }

    /// Whether the checkers may stay where they are after a turn (G-09, G-10, G-12).
    fn may_stay(&self, before: &TrictracState, after: &TrictracState) -> bool {
        let came = |field: usize| after.own(field) > before.own(field);
        let is_forbidden = after.own(COIN) == 1
            || came(OPPONENT_COIN)
            || (self.enemy_fills[0] && (13..=18).any(came))
            || (self.enemy_fills[1] && (19..=24).any(came));
        !is_forbidden
    }
}

/// Whether a side has no checker left on the board.
pub(crate) fn is_out(state: &TrictracState) -> bool {
    state.cells[OFF] == CHECKERS as i8
}
