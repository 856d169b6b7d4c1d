//! The simple player of Le Grand Trictrac.

use super::moves::JANS;
use super::state::{COIN, HOLES, HOLES_TO_WIN, POINTS, RUN, WAIT};
use crate::state::OldState;

/// Points that a hole is worth.
const HOLE: f32 = 12.0;
/// What a full jan is worth.
const FULL: f32 = 9.0;
/// What a jan is worth that lacks a few checkers, for each place that is taken.
const PLACE: f32 = 0.35;
/// What the own corner is worth.
const CORNER: f32 = 3.0;
/// What a single checker in reach costs.
const EXPOSED: f32 = 0.5;
/// What points of a run are worth more.
const OF_A_RUN: f32 = 0.3;
/// What it is worth to be on roll.
const ON_ROLL: f32 = 2.0;

/// What the player on roll has, in points.
fn assets(state: &OldState) -> f32 {
    let cells = state.cells();
    let points = 2.0 * f32::from(cells[POINTS]);
    let mut assets = HOLE * f32::from(cells[HOLES]) + points;
    assets += if cells[RUN] > 0 { OF_A_RUN * points } else { 0.0 };
    for first in JANS {
        let taken: i8 = (first..first + 6).map(|field| state.own(field).min(2)).sum();
        if state.is_full(first) {
            assets += FULL;
        } else if state.can_fill(first, first + 5) && taken > 0 {
            assets += PLACE * f32::from(taken);
        }
    }
    assets += if state.own(COIN) >= 2 { CORNER } else { 0.0 };
    let exposed = (2..=18).filter(|&field| {
        state.own(field) == 1 && (field + 1..=24.min(field + 12)).any(|at| state.theirs(at) > 0)
    });
    assets - EXPOSED * exposed.count() as f32
}

/// Holes and points count as they stand, and points that the opponent has not interrupted a little
/// more. A full jan scores at every turn, one that lacks little may soon; the own corner is worth
/// having; a single checker in reach of the opponent may be hit. A side that can fill no jan any more
/// waits for the next set.
pub(crate) fn win_probability(state: &OldState, other: &OldState) -> f32 {
    let on_roll = if state.cells[WAIT] > 0 { -ON_ROLL } else { ON_ROLL };
    let lead = assets(state) - assets(other) + on_roll;
    let holes_left = |state: &OldState| f32::from(HOLES_TO_WIN - state.cells[HOLES]);
    let left = holes_left(state).min(holes_left(other)).max(1.0);
    1.0 / (1.0 + (-lead / (10.0 * left.sqrt())).exp())
}
