//! Positions as text.
//!
//! A position is written as the checkers of the player on roll, a slash, and the opponent's,
//! each side in its own numbering, 1 to 24 in the direction in which it travels (in Ludus 1 to 6 are
//! points of the side alone, and 7 to 30 have the same numbers for both):
//!
//! ```text
//! 3:2 5:1 hand:12 / 12:14 bar:1
//! ```
//!
//! Items are separated by blanks or commas and may come in any order:
//!
//! | item | meaning |
//! |---|---|
//! | `5:2` | two checkers on point 5 |
//! | `m5:2` | two marked checkers on point 5 (Fallas) |
//! | `hand:12` | checkers that have not entered yet; in Puff those that were hit too |
//! | `bar:1` | checkers that were hit; in Fallas they are marked ones |
//! | `off:3`, `moff:1` | checkers, or marked checkers, that were borne off |
//! | `first` | the first turn of this side is still to come (Tabula, Buffa) |
//! | `barata:2` | times that this side was locked out (El Emperador) |
//! | `inherits:5`, `inherits:541` | numbers of the dice that this side may play before it rolls (Buffa) |
//! | `points:4`, `holes:3` | the score of this side, points even and up to 10 (Trictrac) |
//! | `interrupted` | the opponent has scored in between, so the next hole is a single one (Trictrac) |
//! | `turn:3` | the next turn of this side is its third in the set; later ones are not named (Trictrac) |
//! | `wait` | the turn of this side is skipped: its opponent goes on |
//! | `lost` | this side could play none of its dice and has lost (Fallas, historical) |
//!
//! Checkers that are not named have been borne off. `start` is the start of the game.

use std::fmt::Write as _;

use tavola_rules::notation::Quoted;
use tavola_rules::{Cell, Game};

use crate::engine::OldGame;
use crate::ludus::state::LAST_ENTRY;
use crate::options::OldOptions;
use crate::sides::{Item, join, read_sides, wrong};
use crate::state::{
    BAR, BARATAS, CELLS, CHECKERS, FIRST_TURN, HAND, INHERITED, LOST, MARKED, MARKED_OFF, OldState,
    WAIT,
};
use crate::trictrac::state::{
    COIN, HOLES, HOLES_TO_WIN, LAST_TURN, OPPONENT_HOLES, POINTS, RUN, TURNS,
};

/// A text that is not a position of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a valid position of {game}: {reason}", Quoted::from(.input.as_str()))]
pub struct PositionTextError {
    /// As given.
    pub input: String,
    /// The game.
    pub game: String,
    /// What is wrong, and what was expected.
    pub reason: String,
}

impl OldGame {
    /// Reads a position; see [`text`](crate::text) for what it looks like.
    ///
    /// # Errors
    ///
    /// [`PositionTextError`] says which item is wrong, or what does not fit together.
    pub fn parse_position(&self, text: &str) -> Result<OldState, PositionTextError> {
        if text.trim().eq_ignore_ascii_case("start") {
            return Ok(self.start());
        }
        let id = self.id();
        let error = |reason| wrong(&id, text, reason);
        let [mut state, other] = read_sides(&id, text, |items| self.side(items))?;
        join(&mut state.cells, &self.flip(&other).cells, |index| match index {
            at if at < MARKED || at == self.rules().places.wait => {
                format!("both sides claim {}, expected one", self.item_name(at))
            }
            _ => "both sides have checkers on a point, or something that only one may have".into(),
        })
        .map_err(error)?;
        if self.rules().marked > 0 {
            for point in 1..=24 {
                if state.cells[point] * state.marked(point) < 0 {
                    return Err(error(format!("both sides have checkers on point {point}")));
                }
            }
        }
        let has_all_holes = |holes: i8| holes >= HOLES_TO_WIN;
        if self.options().is_trictrac()
            && has_all_holes(state.cells[HOLES])
            && has_all_holes(-state.cells[OPPONENT_HOLES])
        {
            return Err(error("both sides have twelve holes, expected one".to_owned()));
        }
        Ok(state)
    }

    fn item_name(&self, index: usize) -> String {
        let places = &self.rules().places;
        match index {
            _ if (1..=places.last).contains(&index) => {
                format!("point {index} of the player on roll")
            }
            _ if index == places.wait => "the turn to wait".to_owned(),
            LOST => "the loss".to_owned(),
            _ => format!("number {index}"),
        }
    }

    /// One side, as a state in which the other side has nothing.
    fn side(&self, items: &mut dyn Iterator<Item = Item<'_>>) -> Result<OldState, String> {
        let mut state = OldState::EMPTY;
        let cells = &mut state.cells;
        let (game, places) = (self.options(), &self.rules().places);
        if game.is_trictrac() {
            (cells[RUN], cells[TURNS]) = (1, LAST_TURN);
        }
        let mut named = [false; CELLS];
        for item in items {
            let (text, number) = (|| item.quoted(), || item.number(CHECKERS));
            let (index, count) = match (item.name, game) {
                ("off", _) => (places.off[0], number()?),
                ("wait", _) => (places.wait, item.flag()?),
                ("points", OldOptions::Trictrac(_)) => match item.number(10)? {
                    odd if odd % 2 != 0 => {
                        return Err(format!("{}, expected an even number", text()));
                    }
                    points => (POINTS, points / 2),
                },
                ("holes", OldOptions::Trictrac(_)) => (HOLES, item.number(HOLES_TO_WIN as u8)?),
                ("interrupted", OldOptions::Trictrac(_)) => (RUN, 1 - item.flag()?),
                ("turn", OldOptions::Trictrac(_)) => match item.number(LAST_TURN as u8)? {
                    0 => return Err(format!("{}, expected 1, 2 or 3", text())),
                    turn => (TURNS, turn - 1),
                },
                (_, OldOptions::Trictrac(_)) => (self.point_of(item)?, number()?),
                ("hand", _) => (places.hand[0], number()?),
                ("bar", _) => (places.bar[0], number()?),
                (_, OldOptions::Ludus(_)) => (self.point_of(item)?, number()?),
                ("moff", OldOptions::Fallas(_)) => (MARKED_OFF, number()?),
                ("first", OldOptions::Tabula(_) | OldOptions::Buffa(_)) => {
                    (FIRST_TURN, item.flag()?)
                }
                ("barata", OldOptions::Emperador(_)) => (BARATAS, number()?),
                ("lost", _) => (LOST, item.flag()?),
                ("inherits", OldOptions::Buffa(_)) => {
                    let digits = item.value.unwrap_or_default();
                    if cells[INHERITED..INHERITED + 6].iter().any(|&count| count > 0) {
                        return Err(format!("{} is the second of its kind, expected one", text()));
                    }
                    if !(1..=3).contains(&digits.len()) {
                        return Err(format!("{}, expected one to three dice", text()));
                    }
                    for digit in digits.chars() {
                        let number = digit
                            .to_digit(10)
                            .filter(|n| (1..=6).contains(n))
                            .ok_or_else(|| {
                                format!("{} has {digit:?}, expected numbers from 1 to 6", text())
                            })?;
                        cells[INHERITED - 1 + number as usize] += 1;
                    }
                    continue;
                }
                _ => match item.name.strip_prefix('m') {
                    Some(name) if self.rules().marked > 0 => {
                        (MARKED - 1 + self.point_of(Item { name, ..item })?, number()?)
                    }
                    _ => (self.point_of(item)?, number()?),
                },
            };
            if std::mem::replace(&mut named[index], true) {
                return Err(format!("{} comes a second time", text()));
            }
            cells[index] = count;
        }
        self.complete(&mut state, &named)?;
        for (index, cell) in self.rules().layout.iter().enumerate() {
            if !(cell.min..=cell.max).contains(&state.cells[index]) {
                return Err(self.out_of_range(index, cell, state.cells[index]));
            }
        }
        if let Some(extra) = state.cells[self.rules().layout.len()..].iter().position(|&n| n != 0) {
            let index = extra + self.rules().layout.len();
            return Err(format!("{}, which the game does not have", self.item_name(index)));
        }
        Ok(state)
    }

    fn point_of(&self, item: Item<'_>) -> Result<usize, String> {
        item.point(self.rules().places.last, &self.item_names().join(", "))
    }

    /// Counts the checkers, those that are not named as borne off.
    fn complete(&self, state: &mut OldState, named: &[bool; CELLS]) -> Result<(), String> {
        let (marked, places) = (self.rules().marked, &self.rules().places);
        let cells = &mut state.cells;
        let on_points = |cells: &[i8]| cells.iter().map(|&n| i32::from(n)).sum::<i32>();
        let [bar, hand, off] =
            [places.bar[0], places.hand[0], places.off[0]].map(|at| i32::from(cells[at]));
        let mut plain = on_points(&cells[1..=places.last]) + hand + off;
        let mut of_marked = 0;
        if marked > 0 {
            of_marked = on_points(&cells[MARKED..MARKED + 24]) + bar + i32::from(cells[MARKED_OFF]);
        } else {
            plain += bar;
        }
        let kinds = [
            ("checkers", plain, CHECKERS as i8 - marked, places.off[0]),
            ("marked checkers", of_marked, marked, MARKED_OFF),
        ];
        for (kind, found, owned, off) in kinds.into_iter().take(if marked > 0 { 2 } else { 1 }) {
            let missing = i32::from(owned) - found;
            if missing < 0 || (missing > 0 && named[off]) {
                return Err(format!("{found} {kind}, expected {owned}"));
            }
            cells[off] += missing as i8;
        }
        match self.options() {
            OldOptions::Ludus(_) if hand > 0 => {
                let has_left = cells[LAST_ENTRY + 1..=places.last].iter().any(|&count| count > 0);
                if has_left || bar > 0 || cells[places.off[0]] > 0 {
                    return Err(format!(
                        "{hand} in hand and others beyond point {LAST_ENTRY}, expected all to \
                         enter first"
                    ));
                }
            }
            OldOptions::Trictrac(_) if cells[COIN] == 1 => {
                return Err(format!(
                    "a single checker on {COIN}, the corner, expected none or two"
                ));
            }
            _ => {}
        }
        Ok(())
    }

    fn item_names(&self) -> Vec<&'static str> {
        let can = |index: usize| self.rules().layout.get(index).is_some_and(|cell| cell.max > 0);
        let places = &self.rules().places;
        let mut names = Vec::new();
        for (index, name) in [
            (places.hand[0], "hand"),
            (places.bar[0], "bar"),
            (places.off[0], "off"),
            (places.wait, "wait"),
        ] {
            if can(index) {
                names.push(name);
            }
        }
        names.extend(match self.options() {
            OldOptions::Ludus(_) => &[][..],
            OldOptions::Trictrac(_) => &["points", "holes", "interrupted", "turn"],
            _ if can(LOST) => &["lost"],
            _ => &[],
        });
        names.extend(match self.options() {
            OldOptions::Tabula(_) => &["first"][..],
            OldOptions::Buffa(_) => &["first", "inherits"],
            OldOptions::Emperador(_) if can(BARATAS) => &["barata"],
            OldOptions::Fallas(_) if self.rules().marked > 0 => &["moff", "m5:2 for marked ones"],
            _ => &[],
        });
        names
    }

    fn out_of_range(&self, index: usize, cell: &Cell, found: i8) -> String {
        match index {
            1..=24 if cell.max == 0 => {
                format!("{found} unmarked on point {index}, where none can stand")
            }
            _ => format!("{} is {found}, expected at most {}", self.value_name(index), cell.max),
        }
    }

    fn value_name(&self, index: usize) -> String {
        match index {
            1..=24 => format!("the number on point {index}"),
            BAR => "the number on the bar".to_owned(),
            HAND => "the number in hand".to_owned(),
            LOST => "the mark of a loss".to_owned(),
            WAIT => "the mark of a turn to wait".to_owned(),
            BARATAS => "the number of Baratas".to_owned(),
            _ => "a number".to_owned(),
        }
    }

    /// Writes a position, as [`parse_position`](Self::parse_position) reads it.
    pub fn write_position(&self, state: &OldState) -> String {
        format!("{} / {}", self.write_side(state), self.write_side(&self.flip(state)))
    }

    fn write_side(&self, state: &OldState) -> String {
        let (cells, places) = (&state.cells, &self.rules().places);
        let mut items: Vec<String> = Vec::new();
        for point in 1..=places.last {
            if state.plain(point) > 0 {
                items.push(format!("{point}:{}", state.plain(point)));
            }
            if self.rules().marked > 0 && state.marked(point) > 0 {
                items.push(format!("m{point}:{}", state.marked(point)));
            }
        }
        let mut counts = |named: &[(&str, i8)]| {
            let above = named.iter().filter(|(_, count)| *count > 0);
            items.extend(above.map(|(name, count)| format!("{name}:{count}")));
        };
        let off = cells[places.off[0]];
        let all_off = if off == CHECKERS as i8 { off } else { 0 };
        let (bar, hand) = (("bar", cells[places.bar[0]]), ("hand", cells[places.hand[0]]));
        match self.options() {
            OldOptions::Ludus(_) => counts(&[hand, bar, ("off", all_off)]),
            OldOptions::Trictrac(_) => {
                counts(&[
                    ("off", all_off),
                    ("points", 2 * cells[POINTS]),
                    ("holes", cells[HOLES]),
                    ("turn", if cells[TURNS] == LAST_TURN { 0 } else { cells[TURNS] + 1 }),
                ]);
                if cells[RUN].max(0) != 1 {
                    items.push("interrupted".to_owned());
                }
            }
            _ => counts(&[bar, hand, ("off", off)]),
        }
        match self.options() {
            OldOptions::Fallas(_) | OldOptions::Emperador(_) if cells[MARKED_OFF] > 0 => {
                let is_fallas = matches!(self.options(), OldOptions::Fallas(_));
                let name = if is_fallas { "moff" } else { "barata" };
                items.push(format!("{name}:{}", cells[MARKED_OFF]));
            }
            OldOptions::Tabula(_) | OldOptions::Buffa(_) if cells[FIRST_TURN] > 0 => {
                items.push("first".to_owned());
            }
            _ => {}
        }
        if matches!(self.options(), OldOptions::Buffa(_)) {
            let mut dice = String::new();
            for number in (1..=6).rev() {
                for _ in 0..cells[INHERITED - 1 + number] {
                    write!(dice, "{number}").expect("writing to a string can't fail");
                }
            }
            if !dice.is_empty() {
                items.push(format!("inherits:{dice}"));
            }
        }
        if cells[places.wait] > 0 {
            items.push("wait".to_owned());
        }
        if !matches!(self.options(), OldOptions::Ludus(_)) && cells[LOST] > 0 {
            items.push("lost".to_owned());
        }
        items.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use rand::seq::IndexedRandom;

    use super::*;

    fn game(id: &str) -> OldGame {
        OldGame::new(id.parse().unwrap())
    }

    #[test]
    fn the_start_of_each_game_is_written_in_full() {
        for (id, text) in [
            ("tabula", "hand:15 first / hand:15 first"),
            ("puff", "hand:15 / hand:15"),
            ("fallas", "m1:2 19:13 / m1:2 19:13"),
            ("emperador", "1:15 / 1:15"),
            ("buffa", "hand:15 first / hand:15 first"),
            ("fallas:alfonso1283=on", "1:2 19:13 / 1:2 19:13"),
            ("ludus", "hand:15 / hand:15"),
            ("trictrac", "1:15 turn:1 / 1:15 turn:1"),
        ] {
            let game = game(id);
            assert_eq!(game.write_position(&game.start()), text);
            assert_eq!(game.parse_position("start"), Ok(game.start()));
        }
    }

    #[test]
    fn every_position_of_random_games_is_read_back() {
        for id in [
            "tabula",
            "puff:extra_roll=on",
            "fallas:historical_fail=on",
            "emperador",
            "emperador:barata=historical",
            "buffa",
            "ludus",
            "trictrac",
        ] {
            let game = game(id);
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            let mut afterstates = Vec::new();
            for _ in 0..3 {
                let mut state = game.start();
                for _ in 0..150 {
                    for state in [state, game.flip(&state)] {
                        let text = game.write_position(&state);
                        assert_eq!(game.parse_position(&text), Ok(state), "{id}: {text}");
                    }
                    if game.outcome(&state).is_some() {
                        break;
                    }
                    afterstates.clear();
                    let dice = game.roll(&mut rng);
                    game.afterstates(&state, dice, &mut afterstates);
                    state = *afterstates.choose(&mut rng).unwrap();
                }
            }
        }
    }

    #[test]
    fn what_is_no_position_is_refused_with_the_reason() {
        for (id, text, reason) in [
            ("tabula", "3:2", "a slash between"),
            ("tabula", "25:1 / 3:15", "point from 1 to 24"),
            ("tabula", "3:16 / 4:15", "from 0 to 15"),
            ("tabula", "3:x / 4:15", "from 0 to 15"),
            ("tabula", "3:9 4:7 / 5:15", "16 checkers, expected 15"),
            ("tabula", "3:9 off:3 / 5:15", "12 checkers, expected 15"),
            ("tabula", "3:9 3:6 / 5:15", "a second time"),
            ("tabula", "3:15 / 3:15", "both sides claim point 3"),
            ("tabula", "m3:2 / 4:15", "unknown item"),
            ("tabula", "3:15 barata:1 / 4:15", "unknown item"),
            ("tabula", "3:15 wait / 4:15", "turn to wait"),
            ("puff", "bar:1 3:14 / 4:15", "number on the bar is 1, expected at most 0"),
            ("fallas", "m1:3 19:12 / 19:13", "3 marked checkers, expected 2"),
            ("fallas", "m1:2 12:13 / 19:13", "where none can stand"),
            ("fallas", "m6:2 19:13 / m1:2 19:13", "both sides have checkers on point 6"),
            ("emperador", "1:15 barata:4 / 1:15", "Baratas is 4, expected at most 3"),
            ("emperador", "1:15 hand:1 / 1:15", "16 checkers"),
            ("buffa", "1:15 inherits:70 / 1:15", "numbers from 1 to 6"),
            ("buffa", "1:15 inherits:1111 / 1:15", "one to three dice"),
            ("buffa", "1:15 inherits:12 inherits:541 / 1:15", "the second of its kind"),
        ] {
            let error = game(id).parse_position(text).unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains(text), "{error}");
        }
        // An error repeats no megabyte, and no count overflows.
        let digits = "5".repeat(1 << 20);
        for text in [&digits, &format!("inherits:{digits}"), &format!("bar:{digits}")] {
            let error = game("buffa").parse_position(&format!("{text} / 1:15")).unwrap_err();
            assert!(error.to_string().len() < 1000, "{error}");
        }
    }
}
