//! Positions of ludus duodecim scriptorum as text.
//!
//! As in the other games: `3:2 5:1 hand:12 / 12:14 bar:1`, the checkers of the player on roll and
//! those of the opponent. Points 1 to 6 of a side are its own, 7 to 30 have the same numbers for
//! both. `hand`, `bar` and `off` count checkers beside the board; those that are not named have been
//! borne off. `wait` marks the side whose turn is skipped. `start` is the start of the game.

use std::fmt::Write as _;

use tavola_rules::Game;

use super::Ludus;
use super::state::{BAR, CELLS, CHECKERS, HAND, LAST, LAST_ENTRY, LudusState, OFF, WAIT};
use crate::sides::{join, read_sides, wrong};
use crate::text::PositionTextError;

/// What an item may be beside a point.
const OTHERS: &str = "hand, bar, off, wait";

impl Ludus {
    /// Reads a position.
    ///
    /// # Errors
    ///
    /// [`PositionTextError`] says which item is wrong, or what does not fit together.
    pub fn parse_position(&self, text: &str) -> Result<LudusState, PositionTextError> {
        if text.trim().eq_ignore_ascii_case("start") {
            return Ok(self.start());
        }
        let id = self.id();
        let [mut state, other] = read_sides(&id, text, |items| {
            let mut state = LudusState::EMPTY;
            let mut named = [false; CELLS];
            for item in items {
                let (index, count) = match item.name {
                    "hand" => (HAND, item.number(CHECKERS)?),
                    "bar" => (BAR, item.number(CHECKERS)?),
                    "off" => (OFF, item.number(CHECKERS)?),
                    "wait" => (WAIT, item.flag()?),
                    _ => (item.point(LAST, OTHERS)?, item.number(CHECKERS)?),
                };
                if std::mem::replace(&mut named[index], true) {
                    return Err(format!("{} comes a second time", item.quoted()));
                }
                state.cells[index] = count;
            }
            complete(&mut state, named[OFF])?;
            Ok(state)
        })?;
        let other = other.flip();
        join(&mut state.cells, &other.cells, |index| match index {
            WAIT => "both sides claim the turn to wait, expected one".to_owned(),
            _ => format!("both sides claim point {index}, expected one"),
        })
        .map_err(|reason| wrong(&id, text, reason))?;
        Ok(state)
    }

    /// Writes a position so that [`parse_position`](Self::parse_position) reads it.
    pub fn write_position(&self, state: &LudusState) -> String {
        format!("{} / {}", side(state), side(&state.flip()))
    }
}

/// Counts the checkers of a side, those that are not named as borne off.
fn complete(state: &mut LudusState, has_off: bool) -> Result<(), String> {
    let cells = &mut state.cells;
    let on_board: i32 = cells[1..=LAST].iter().map(|&count| i32::from(count)).sum();
    let found = on_board + i32::from(cells[HAND]) + i32::from(cells[BAR]) + i32::from(cells[OFF]);
    let missing = i32::from(CHECKERS) - found;
    if missing < 0 || (missing > 0 && has_off) {
        return Err(format!("{found} checkers, expected {CHECKERS}"));
    }
    cells[OFF] += missing as i8;
    let has_left = cells[LAST_ENTRY + 1..=LAST].iter().any(|&count| count > 0);
    if cells[HAND] > 0 && (has_left || cells[BAR] > 0 || cells[OFF] > 0) {
        return Err(format!(
            "{} in hand and others beyond point {LAST_ENTRY}, expected all to enter first",
            cells[HAND]
        ));
    }
    Ok(())
}

/// What the player on roll has.
fn side(state: &LudusState) -> String {
    let cells = &state.cells;
    let mut text = String::new();
    let mut item = |name: &str, count: i8| {
        if count > 0 {
            let space = if text.is_empty() { "" } else { " " };
            // A string takes every item.
            let _ = write!(text, "{space}{name}:{count}");
        }
    };
    for (point, &count) in cells.iter().enumerate().take(LAST + 1).skip(1) {
        item(&point.to_string(), count);
    }
    for (name, index) in [("hand", HAND), ("bar", BAR)] {
        item(name, cells[index]);
    }
    if cells[OFF] == CHECKERS as i8 {
        item("off", cells[OFF]);
    }
    if cells[WAIT] > 0 {
        text.push_str(if text.is_empty() { "wait" } else { " wait" });
    }
    text
}
