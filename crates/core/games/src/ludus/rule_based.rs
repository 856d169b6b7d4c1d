//! The simple player of ludus duodecim scriptorum.

use super::HOME;
use super::moves::opponents_before;
use super::state::{BAR, HAND, LAST, LAST_ENTRY};
use crate::state::OldState;

/// What the way of a further checker of a stack counts, against that of the first.
const FURTHER: f32 = 0.25;
/// What it costs to wait.
const WAITING: f32 = 12.0;
/// What a checker outside the last six points costs.
const STRAGGLER: f32 = 1.5;
/// The probability that an opponent in reach hits a single checker.
const HIT: f32 = 0.35;
/// Pips that a turn takes off the burden of a side.
const A_TURN: f32 = 16.0;

/// How the player on roll of `mine` stands, in pips: less is better. `exposure` is the weight of
/// what may be hit.
fn burden(mine: &OldState, exposure: f32) -> f32 {
    let cells = mine.cells();
    let mut burden = 0.0;
    for (point, &count) in cells.iter().enumerate().take(LAST + 1).skip(1) {
        if count <= 0 {
            continue;
        }
        let way = (LAST + 1 - point) as f32;
        burden += way * (1.0 + FURTHER * f32::from(count - 1));
        if !HOME.contains(&point) {
            burden += STRAGGLER;
        }
        if count == 1 && point > LAST_ENTRY {
            let hitters = opponents_before(mine, point).min(3) as i32;
            let safe = (1.0 - HIT).powi(hitters);
            burden += exposure * (1.0 - safe) * (point as f32 + WAITING);
        }
    }
    burden + f32::from(cells[BAR] + cells[HAND]) * (LAST as f32 * FURTHER + WAITING)
}

/// A stack moves as one, so the race counts the way of each stack in full and that of each further
/// checker in part. A single checker that an opponent behind it can reach counts as lost by the
/// probability of that. Checkers that wait must enter one by one, which costs extra, and so do
/// stragglers that keep the others from leaving.
pub(crate) fn win_probability(state: &OldState, other: &OldState) -> f32 {
    let (mine, theirs) = (burden(state, 0.5), burden(other, 1.0));
    let lead = theirs - mine + A_TURN / 2.0;
    1.0 / (1.0 + (-2.0 * lead / (A_TURN * (40.0 + mine + theirs)).sqrt()).exp())
}
