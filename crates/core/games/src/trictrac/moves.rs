//! The moves of Le Grand Trictrac: every way to play a roll that its laws allow.

use super::options::{ExitExact, TrictracOptions};
use super::state::{CHECKERS, COIN, OFF, OPPONENT_COIN};
use crate::state::OldState;
use crate::steps::{OldStep, Origin, Target};

/// A way to play a roll.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Where the checkers are afterwards, seen by the mover.
    pub(crate) after: OldState,
    /// The moves, in their order.
    pub(crate) steps: [Option<OldStep>; 2],
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
    pub(crate) fn moves_to(&self, field: usize) -> impl Iterator<Item = OldStep> {
        let to = Target::Point(field as u8);
        self.steps.into_iter().flatten().filter(move |step| step.to == to)
    }

    /// Whether one checker made both moves.
    pub(crate) fn is_tout_d_une(&self) -> bool {
        matches!(self.steps, [
            Some(OldStep { to: Target::Point(there), .. }),
            Some(OldStep { from: Origin::Point(from), .. }),
        ] if there == from)
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
    pub(crate) fn ways(self, state: &OldState, numbers: [u8; 2]) -> Vec<Way> {
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
fn takes_coin(state: &OldState, numbers: [u8; 2]) -> bool {
    state.own(COIN) == 0 && have_both(state, COIN, numbers)
}

/// Whether a checker for each die stands so far before the field.
fn have_both(state: &OldState, field: usize, [a, b]: [u8; 2]) -> bool {
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
        let mut after = *state;
        let steps = numbers.map(|die| {
            let from = OPPONENT_COIN as u8 - die;
            after.cells[usize::from(from)] -= 1;
            after.cells[COIN] += 1;
            OldStep::plain(Origin::Point(from), Target::Point(COIN as u8))
        });
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
            let target = if to <= 24 { Target::Point(to as u8) } else { Target::Off };
            way.steps[slot] = Some(OldStep::plain(Origin::Point(from as u8), target));
            way.dice += 1;
            found(way);
        }
    }

    /// Whether the checkers may stay where they are after a turn (G-09, G-10, G-12).
    fn may_stay(&self, before: &OldState, after: &OldState) -> bool {
        let came = |field: usize| after.own(field) > before.own(field);
        let is_forbidden = after.own(COIN) == 1
            || came(OPPONENT_COIN)
            || (self.enemy_fills[0] && (13..=18).any(came))
            || (self.enemy_fills[1] && (19..=24).any(came));
        !is_forbidden
    }
}

/// Whether a side has no checker left on the board.
pub(crate) fn is_out(state: &OldState) -> bool {
    state.cells[OFF] == CHECKERS as i8
}
