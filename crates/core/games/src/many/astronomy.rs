//! The astronomy table of the book of 1283: seven planets on a ring of forty-nine cells.
//!
//! The rule numbers (A-06 and so on) are those of `docs/games/astronomy.md`.

use serde::{Deserialize, Serialize};
use tavola_rules::board::{RoundPlayer, RoundView};
use tavola_rules::{Cell, CellKind};

use super::ManyGame;
use super::walk::{Place, Step, Traced, Walk, most_dice};
use crate::dice::TablesDice;
use crate::options::{Switch, options_as_text};
use crate::sides::{Item, read_parts};
use crate::text::PositionTextError;

/// Players.
const PLAYERS: usize = 7;
/// Checkers a player.
const CHECKERS: u8 = 7;
/// Cells of the ring, and of a wedge.
const CELLS: usize = 49;
const WEDGE: usize = 7;
/// Turns after which the survivors share the bank.
const LAST_TURN: u32 = 3000;

/// The astronomy table: Saturn, Jupiter, Mars, the Sun, Venus, Mercury and the Moon, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Astronomy {
    options: AstronomyOptions,
}

/// The options, each with its default. The text of a game is `astronomy`, and where options differ
/// a colon and these: `astronomy:win_only=on`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AstronomyOptions {
    /// Captures count nothing; the last with checkers gets the stakes of all.
    pub win_only: Switch,
}

impl AstronomyOptions {
    /// The name of the game.
    pub const NAME: &'static str = "astronomy";
}

options_as_text!(AstronomyOptions);

impl Astronomy {
    /// The game without options, where a constant is needed.
    pub const STANDARD: Self = Self { options: AstronomyOptions { win_only: Switch::Off } };

    /// The game with these options.
    pub const fn new(options: AstronomyOptions) -> Self {
        Self { options }
    }
}

/// A position of the astronomy table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AstronomyState {
    /// Who stands on each cell, and how many.
    cells: [(u8, u8); CELLS],
    /// Whether the start cell of each player counts for the others.
    open: [bool; PLAYERS],
    /// Checkers that each has captured.
    captured: [u8; PLAYERS],
    on_roll: u8,
    turns: u32,
}

/// Names and colors of the players.
const PLANETS: [(&str, &str); PLAYERS] = [
    ("Saturn", "#2b2b2b"),
    ("Jupiter", "#4f9a4a"),
    ("Mars", "#c8382e"),
    ("Sun", "#e8c33a"),
    ("Venus", "#8a4fa0"),
    ("Mercury", "#c98a5a"),
    ("Moon", "#f4f1e8"),
];

impl AstronomyState {
    /// Checkers of a player on a cell of the ring.
    pub fn count(&self, player: usize, at: usize) -> u8 {
        let (owner, count) = self.cells[at];
        if usize::from(owner) == player { count } else { 0 }
    }

    /// Checkers that a player has left.
    pub fn left(&self, player: usize) -> u8 {
        (0..CELLS).map(|at| self.count(player, at)).sum()
    }

    /// Whether the start cell of a player counts for the others.
    pub const fn is_open(&self, player: usize) -> bool {
        self.open[player]
    }

    /// Where a checker arrives that moves by a die: closed start cells of others are not counted
    ///
    fn target(&self, player: usize, from: usize, die: u8) -> usize {
        let mut at = from;
        for _ in 0..die {
            at = (at + 1) % CELLS;
            let owner = at / WEDGE;
            if at.is_multiple_of(WEDGE) && owner != player && !self.open[owner] {
                at = (at + 1) % CELLS;
            }
        }
        at
    }

    /// Every move of a die.
    fn steps(&self, die: u8, found: &mut dyn FnMut(Step, Self)) {
        let player = usize::from(self.on_roll);
        if self.survivors() == 1 {
            return;
        }
        for from in (0..CELLS).filter(|&from| self.count(player, from) > 0) {
            let to = self.target(player, from, die);
            let (owner, count) = self.cells[to];
            let is_own = usize::from(owner) == player && count > 0;
            if count >= 2 && !is_own {
                continue;
            }
            let mut after = self.clone();
            after.cells[from].1 -= 1;
            if after.cells[from].1 == 0 {
                after.cells[from] = (0, 0);
            }
            let hits = count == 1 && !is_own;
            if hits {
                after.captured[player] += 1;
                after.cells[to] = (0, 0);
            }
            after.cells[to] = (player as u8, after.cells[to].1 + 1);
            after.open_starts();
            found(Step { from: Place::Cell(from), to: Place::Cell(to), hits }, after);
        }
    }

    /// Opens the start cells on which one own checker or none is left.
    fn open_starts(&mut self) {
        for player in 0..PLAYERS {
            self.open[player] |= self.count(player, WEDGE * player) <= 1;
        }
    }

    /// How likely each single checker of a player is to be lost soon: the more, the more cells of
    /// others are close behind.
    fn risks(&self, player: usize) -> impl Iterator<Item = f32> {
        let alone = (0..CELLS).filter(move |&at| self.count(player, at) == 1);
        alone.map(move |at| {
            let behind = (1..=8).map(|back| self.cells[(at + CELLS - back) % CELLS]);
            let hunters =
                behind.filter(move |&(owner, count)| count > 0 && usize::from(owner) != player);
            1.0 - 0.65f32.powi(hunters.count() as i32)
        })
    }

    fn survivors(&self) -> usize {
        (0..PLAYERS).filter(|&player| self.left(player) > 0).count()
    }
}

/// Every state that can follow by this roll: `start` walks there.
fn follow<W: Walk<AstronomyState>>(start: &W, roll: Option<TablesDice>) -> Vec<W> {
    let numbers = roll.as_ref().map_or(&[][..], |roll| roll.numbers());
    let found = most_dice(start, numbers, AstronomyState::steps, |state| state.survivors() == 1);
    let mut found = found.unwrap_or_else(|| vec![start.clone()]);
    for after in found.iter_mut().map(Walk::state_mut) {
        after.turns += 1;
        // Those without checkers are skipped.
        for _ in 0..PLAYERS {
            after.on_roll = (after.on_roll + 1) % PLAYERS as u8;
            if after.left(usize::from(after.on_roll)) > 0 {
                break;
            }
        }
    }
    found
}

/// Cells of the layout.
const LAYOUT_CELLS: usize = (PLAYERS + 1) * CELLS + 5 * PLAYERS;

/// For each player, from the one who looks: the ring from the first cell of the wedge of that one;
/// the ring with the checkers of all others; then how many each has left, how many of these stand
/// alone, whether the start cells count, how many each has captured, and how many each may lose
/// soon, in tenths.
static LAYOUT: [Cell; LAYOUT_CELLS] = {
    let most = CHECKERS as i8;
    let mut layout = [Cell { kind: CellKind::Point, min: 0, max: most }; LAYOUT_CELLS];
    let mut at = (PLAYERS + 1) * CELLS;
    while at < LAYOUT_CELLS {
        let (kind, max) = match (at - (PLAYERS + 1) * CELLS) / PLAYERS {
            0 | 1 => (CellKind::Counter, most),
            2 => (CellKind::Counter, 1),
            3 => (CellKind::Measure, most * (PLAYERS as i8 - 1)),
            _ => (CellKind::Measure, 10 * most),
        };
        layout[at] = Cell { kind, min: 0, max };
        at += 1;
    }
    layout
};

impl ManyGame for Astronomy {
    type State = AstronomyState;

    const PLAYERS: usize = PLAYERS;

    fn id(&self) -> String {
        self.options.to_string()
    }

    fn start(&self, first: usize) -> AstronomyState {
        let mut cells = [(0, 0); CELLS];
        for player in 0..PLAYERS {
            cells[WEDGE * player] = (player as u8, CHECKERS);
        }
        AstronomyState {
            cells,
            open: [false; PLAYERS],
            captured: [0; PLAYERS],
            on_roll: (first % PLAYERS) as u8,
            turns: 0,
        }
    }

    fn dice(&self) -> (usize, u8) {
        (3, 7)
    }

    fn on_roll(&self, state: &AstronomyState) -> usize {
        usize::from(state.on_roll)
    }

    fn rolls(&self, _: &AstronomyState) -> bool {
        true
    }

    fn results(
        &self,
        state: &AstronomyState,
        roll: Option<TablesDice>,
        results: &mut Vec<AstronomyState>,
    ) {
        results.extend(follow(state, roll));
    }

    fn plays(
        &self,
        state: &AstronomyState,
        roll: Option<TablesDice>,
    ) -> Vec<(String, AstronomyState)> {
        let found = follow(&Traced::new(state.clone()), roll);
        found.into_iter().map(|traced| (traced.words("pass"), traced.state)).collect()
    }

    fn board(&self, state: &AstronomyState, roll: Option<TablesDice>) -> RoundView {
        let player = |seat: usize| {
            let note = match (state.left(seat), state.captured[seat]) {
                (left, 0) => format!("{left} left"),
                (left, captured) => format!("{left} left, {captured} captured"),
            };
            let note = if state.open[seat] { note } else { note + ", start closed" };
            let (name, color) = PLANETS[seat];
            let beside = vec![
                ("left", state.left(seat)),
                ("captured", state.captured[seat]),
                ("closed", u8::from(!state.open[seat])),
            ];
            RoundPlayer { name, color, note, beside }
        };
        RoundView {
            players: (0..PLAYERS).map(player).collect(),
            on_roll: usize::from(state.on_roll),
            cells: state.cells.iter().map(|&(owner, count)| (owner.into(), count)).collect(),
            title: "The astronomy table".to_owned(),
            status: roll.map_or_else(String::new, |roll| format!("roll {roll}")),
        }
    }

    fn number(&self, _: usize, at: usize) -> Option<usize> {
        Some(at)
    }

    fn brief(&self) -> &'static str {
        "Seven planets circle on a ring of 49 cells and capture single checkers of each other for \
         good. Three dice with seven sides; the start cell of another does not count while two of \
         the own checkers are on it. A stake for each capture, and seven for the last who is left."
    }

    fn layout(&self) -> &'static [Cell] {
        &LAYOUT
    }

    fn cells(&self, state: &AstronomyState, seat: usize, cells: &mut Vec<i8>) {
        let seats = || (0..PLAYERS).map(|offset| (seat + offset) % PLAYERS);
        let ring = || (0..CELLS).map(|at| state.cells[(at + WEDGE * seat) % CELLS]);
        cells.clear();
        for player in seats() {
            let own = |(owner, count)| if usize::from(owner) == player { count as i8 } else { 0 };
            cells.extend(ring().map(own));
        }
        let others = |(owner, count)| if usize::from(owner) == seat { 0 } else { count as i8 };
        cells.extend(ring().map(others));
        let mut left = [0; PLAYERS];
        for (owner, count) in state.cells {
            left[usize::from(owner)] += count as i8;
        }
        cells.extend(seats().map(|player| left[player]));
        let single = |player: usize| {
            let own = |(owner, count)| count == 1 && usize::from(owner) == player;
            state.cells.iter().filter(|&&cell| own(cell)).count()
        };
        cells.extend(seats().map(|player| single(player) as i8));
        cells.extend(seats().map(|player| i8::from(state.open[player])));
        cells.extend(seats().map(|player| state.captured[player] as i8));
        cells.extend(seats().map(|player| (10.0 * state.risks(player).sum::<f32>()) as i8));
    }

    fn stake(&self) -> f32 {
        if self.options.win_only == Switch::On { 1.0 } else { 8.0 }
    }

    /// A stake for each capture, less the own losses, and the bank of seven to the survivor;
    /// with the option the bank alone.
    fn payoffs(&self, state: &AstronomyState) -> Option<Vec<f32>> {
        let survivors = state.survivors();
        if survivors > 1 && state.turns < LAST_TURN {
            return None;
        }
        let payoff = |seat: usize| {
            let left = state.left(seat);
            let bank = if left > 0 { WEDGE as f32 / survivors as f32 } else { 0.0 };
            let stakes = f32::from(state.captured[seat]) - f32::from(CHECKERS - left);
            if self.options.win_only == Switch::On { bank - 1.0 } else { stakes + bank - 1.0 }
        };
        Some((0..PLAYERS).map(payoff).collect())
    }

    /// Captures and own checkers, and what may be lost by single ones.
    fn standing(&self, state: &AstronomyState, seat: usize) -> f32 {
        let won = 2.0 * f32::from(state.captured[seat]) + 2.5 * f32::from(state.left(seat));
        state.risks(seat).fold(won, |standing, risk| standing - risk)
    }

    fn parse_state(&self, text: &str) -> Result<AstronomyState, PositionTextError> {
        if text.trim().eq_ignore_ascii_case("start") {
            return Ok(self.start(0));
        }
        let mut state = AstronomyState { cells: [(0, 0); CELLS], ..self.start(0) };
        let mut player = 0;
        let id = self.id();
        read_parts(&id, text, PLAYERS, |items: &mut dyn Iterator<Item = Item<'_>>| {
            let mut found = 0;
            for item in items {
                match item.name {
                    "rolls" => {
                        item.flag()?;
                        state.on_roll = player as u8;
                    }
                    "open" => state.open[player] = item.flag()? == 1,
                    "captured" => state.captured[player] = item.number(CHECKERS * 6)? as u8,
                    _ => {
                        let others = "rolls, open, captured";
                        let at = if item.name == "0" { 0 } else { item.point(CELLS - 1, others)? };
                        let count = item.number(CHECKERS)? as u8;
                        if count > 0 && state.cells[at].1 > 0 {
                            return Err(format!("{} is a cell that is taken", item.quoted()));
                        }
                        if count > 0 {
                            state.cells[at] = (player as u8, count);
                        }
                        found += count;
                    }
                }
            }
            if found > CHECKERS {
                return Err(format!("{found} checkers, expected {CHECKERS} at most"));
            }
            player += 1;
            Ok(())
        })?;
        state.open_starts();
        Ok(state)
    }

    /// The players in the order of their seats, each with cells of the ring from 0 to 48.
    fn write_state(&self, state: &AstronomyState) -> String {
        let side = |player: usize| {
            let mut items: Vec<String> = (0..CELLS)
                .filter(|&at| state.count(player, at) > 0)
                .map(|at| format!("{at}:{}", state.count(player, at)))
                .collect();
            if state.captured[player] > 0 {
                items.push(format!("captured:{}", state.captured[player]));
            }
            if state.open[player] && state.count(player, WEDGE * player) > 1 {
                items.push("open".to_owned());
            }
            if usize::from(state.on_roll) == player {
                items.push("rolls".to_owned());
            }
            items.join(" ")
        };
        (0..PLAYERS).map(side).collect::<Vec<_>>().join(" / ")
    }
}
