//! Positions of Le Grand Trictrac as text.
//!
//! As in the other games: the checkers of the player on roll and those of the opponent, each side in
//! its own numbering, with its score: `1:13 7:1 9:1 points:4 holes:3 / 1:15 turn:1`. `points` are 0
//! to 10 and even, `holes` 0 to 12. `interrupted` says that the opponent has scored in between, so
//! that the next hole of the side is no double one. `turn:3` says that the next turn of the side is
//! its third in the set; later turns are not named. Checkers that are not named have been borne off.
//! `wait` marks the side whose turn is skipped. `start` is the start of the match.

use std::fmt::Write as _;

use tavola_rules::Game;

use super::Trictrac;
use super::state::{
    CELLS, CHECKERS, COIN, HOLES, HOLES_TO_WIN, LAST_TURN, OFF, POINTS, RUN, TURNS, TrictracState,
    WAIT,
};
use crate::sides::{join, read_sides, wrong};
use crate::text::PositionTextError;

/// What an item may be beside a field.
const OTHERS: &str = "off, points, holes, interrupted, turn, wait";

impl Trictrac {
    /// Reads a position.
    ///
    /// # Errors
    ///
    /// [`PositionTextError`] says which item is wrong, or what does not fit together.
    pub fn parse_position(&self, text: &str) -> Result<TrictracState, PositionTextError> {
        if text.trim().eq_ignore_ascii_case("start") {
            return Ok(self.start());
        }
        let id = self.id();
        let [mut state, other] = read_sides(&id, text, |items| {
            let mut state = TrictracState::EMPTY;
            (state.cells[RUN], state.cells[TURNS]) = (1, LAST_TURN);
            let mut named = [false; CELLS];
            for item in items {
                let (index, count) = match item.name {
                    "off" => (OFF, item.number(CHECKERS)?),
                    "points" => (POINTS, item.number(10)?),
                    "holes" => (HOLES, item.number(HOLES_TO_WIN as u8)?),
                    "interrupted" => (RUN, 1 - item.flag()?),
                    "turn" => (TURNS, item.number(LAST_TURN as u8)? - 1),
                    "wait" => (WAIT, item.flag()?),
                    _ => (item.point(24, OTHERS)?, item.number(CHECKERS)?),
                };
                if std::mem::replace(&mut named[index], true) {
                    return Err(format!("{} comes a second time", item.quoted()));
                }
                if (index == POINTS && count % 2 != 0) || (index == TURNS && count < 0) {
                    let expected = if index == POINTS { "an even number" } else { "1, 2 or 3" };
                    return Err(format!("{}, expected {expected}", item.quoted()));
                }
                state.cells[index] = if index == POINTS { count / 2 } else { count };
            }
            complete(&mut state, named[OFF])?;
            Ok(state)
        })?;
        let other = other.flip();
        join(&mut state.cells, &other.cells, |index| match index {
            WAIT => "both sides claim the turn to wait, expected one".to_owned(),
            _ => format!("both sides claim field {index}, expected one"),
        })
        .map_err(|reason| wrong(&id, text, reason))?;
        if state.cells[HOLES] >= HOLES_TO_WIN && other.cells[HOLES + 1] <= -HOLES_TO_WIN {
            return Err(wrong(&id, text, "both sides have twelve holes, expected one".to_owned()));
        }
        Ok(state)
    }

    /// Writes a position so that [`parse_position`](Self::parse_position) reads it.
    pub fn write_position(&self, state: &TrictracState) -> String {
        format!("{} / {}", side(state), side(&state.flip()))
    }
}

/// Counts the checkers of a side, those that are not named as borne off.
fn complete(state: &mut TrictracState, has_off: bool) -> Result<(), String> {
    let found: i32 = state.cells[1..=OFF].iter().map(|&count| i32::from(count)).sum();
    let missing = i32::from(CHECKERS) - found;
    if missing < 0 || (missing > 0 && has_off) {
        return Err(format!("{found} checkers, expected {CHECKERS}"));
    }
    state.cells[OFF] += missing as i8;
    if state.own(COIN) == 1 {
        return Err(format!("a single checker on {COIN}, the corner, expected none or two"));
    }
    Ok(())
}

/// What the player on roll has.
fn side(state: &TrictracState) -> String {
    let cells = &state.cells;
    let mut items: Vec<String> = Vec::new();
    for field in (1..=24).filter(|&field| cells[field] > 0) {
        items.push(format!("{field}:{}", cells[field]));
    }
    let mut item = |name: &str, number: i8, plain: i8| {
        if number != plain {
            let mut text = name.to_owned();
            // A string takes every number.
            let _ = write!(text, ":{number}");
            items.push(text);
        }
    };
    item("off", if cells[OFF] == CHECKERS as i8 { cells[OFF] } else { 0 }, 0);
    item("points", 2 * cells[POINTS], 0);
    item("holes", cells[HOLES], 0);
    item("turn", cells[TURNS] + 1, LAST_TURN + 1);
    for (index, plain, name) in [(RUN, 1, "interrupted"), (WAIT, 0, "wait")] {
        if cells[index].max(0) != plain {
            items.push(name.to_owned());
        }
    }
    items.join(" ")
}
