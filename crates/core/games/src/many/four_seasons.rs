//! The Four Seasons game (El mundo) of the book of 1283: four players on a round board.
//!
//! The rule numbers (S-06 and so on) are those of `docs/games/four-seasons.md`.

mod layout;
mod options;
mod text;

use std::collections::HashSet;

use tavola_rules::Cell;
use tavola_rules::board::{RoundPlayer, RoundView};

use super::ManyGame;
use super::walk::{Place, Step, Traced, Walk, most_dice, uses};
use crate::dice::TablesDice;
use crate::options::Switch;
use crate::text::PositionTextError;

pub use self::options::{FourSeasonsOptions, SeasonDice, SeasonSides};

/// Players.
const PLAYERS: usize = 4;
/// Checkers a player.
const CHECKERS: u8 = 12;
/// Cells of the board.
const CELLS: usize = 24;
/// Cells of a player's track without options: three of the four quarters.
const TRACK: usize = 18;
/// Cells of a quarter.
const QUARTER: usize = 6;

/// The Four Seasons game: spring, summer, autumn and winter enter in their own quarters, travel
/// through the next one and leave from the one opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FourSeasons {
    options: FourSeasonsOptions,
}

/// A roll that its owner could not use at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Passed {
    dice: TablesDice,
    owner: u8,
}

/// A position of the Four Seasons game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FourSeasonsState {
    /// Who stands on each cell, and how many.
    cells: [(u8, u8); CELLS],
    hand: [u8; PLAYERS],
    bar: [u8; PLAYERS],
    off: [u8; PLAYERS],
    /// The places of those who have all off, from 1; 0 for the others.
    places: [u8; PLAYERS],
    on_roll: u8,
    /// Rolls that are offered, the oldest first.
    passed: Vec<Passed>,
    /// How many of them the player has seen in this turn.
    seen: u8,
}

/// Names and colors of the players.
const SEASONS: [(&str, &str); PLAYERS] =
    [("spring", "#4f9a4a"), ("summer", "#c8382e"), ("autumn", "#2b2b2b"), ("winter", "#f4f1e8")];

/// The cell of the board that a player calls `track`, from 1 to 18.
const fn cell(player: usize, track: usize) -> usize {
    (QUARTER * player + track - 1) % CELLS
}

impl FourSeasonsState {
    /// Checkers of a player on a place of the own track.
    pub fn count(&self, player: usize, track: usize) -> u8 {
        let (owner, count) = self.cells[cell(player, track)];
        if usize::from(owner) == player { count } else { 0 }
    }

    /// Checkers that a player has borne off.
    pub const fn off(&self, player: usize) -> u8 {
        self.off[player]
    }

    fn take(&mut self, at: usize) {
        self.cells[at].1 -= 1;
        if self.cells[at].1 == 0 {
            self.cells[at] = (0, 0);
        }
    }

    /// Whether a checker of `player` removes another's on a place of the own track.
    fn hits(&self, player: usize, track: usize) -> bool {
        let (owner, count) = self.cells[cell(player, track)];
        count == 1 && usize::from(owner) != player
    }

    /// Puts a checker of `player` on a cell, where a single one of another color is removed (S-07);
    /// whether it may end there.
    fn land(&mut self, player: usize, at: usize) -> bool {
        let (owner, count) = self.cells[at];
        match (usize::from(owner) == player, count) {
            (_, 0) => self.cells[at] = (player as u8, 1),
            (true, _) => self.cells[at].1 += 1,
            (false, 1) => {
                self.bar[usize::from(owner)] += 1;
                self.cells[at] = (player as u8, 1);
            }
            (false, _) => return false,
        }
        true
    }

    /// Whether the player who has just moved has all off, which gives it the next place.
    fn finishes(&mut self) -> bool {
        let player = usize::from(self.on_roll);
        if self.off[player] < CHECKERS || self.places[player] > 0 {
            return false;
        }
        self.places[player] = self.done() + 1;
        true
    }

    /// How many have all off.
    fn done(&self) -> u8 {
        self.places.iter().filter(|place| **place > 0).count() as u8
    }
}

impl FourSeasons {
    /// The game without options, where a constant is needed.
    pub const STANDARD: Self = Self { options: FourSeasonsOptions::STANDARD };

    /// The game with these options.
    pub const fn new(options: FourSeasonsOptions) -> Self {
        Self { options }
    }

    /// The options.
    pub const fn options(&self) -> &FourSeasonsOptions {
        &self.options
    }

    /// Every move of a die.
    fn steps(
        &self,
        state: &FourSeasonsState,
        die: u8,
        found: &mut dyn FnMut(Step, FourSeasonsState),
    ) {
        let player = usize::from(state.on_roll);
        let die = usize::from(die);
        let track = self.options.track();
        let waiting = state.bar[player] > 0;
        if waiting || state.hand[player] > 0 {
            let mut after = state.clone();
            let from = if waiting { &mut after.bar } else { &mut after.hand };
            from[player] -= 1;
            // A seven enters nothing (S-03).
            if die <= QUARTER {
                let hits = state.hits(player, die);
                if after.land(player, cell(player, die)) {
                    let from = if waiting { Place::Bar } else { Place::Hand };
                    found(Step { from, to: Place::Cell(die), hits }, after);
                }
            }
        }
        if waiting {
            return;
        }
        let last = if state.hand[player] > 0 { QUARTER } else { track };
        let before_home = track - QUARTER;
        let may_leave = state.hand[player] == 0
            && (1..=before_home).all(|track| state.count(player, track) == 0);
        for from in (1..=last).filter(|&from| state.count(player, from) > 0) {
            let mut after = state.clone();
            after.take(cell(player, from));
            if from + die <= last {
                let hits = state.hits(player, from + die);
                if after.land(player, cell(player, from + die)) {
                    let to = Place::Cell(from + die);
                    found(Step { from: Place::Cell(from), to, hits }, after);
                }
            } else if may_leave {
                let exact = from + die == track + 1;
                let rearmost = (1..from).all(|track| state.count(player, track) == 0);
                if exact || rearmost {
                    after.off[player] += 1;
                    found(Step { from: Place::Cell(from), to: Place::Off, hits: false }, after);
                }
            }
        }
    }

    /// Whether nothing more is played.
    fn is_over(&self, state: &FourSeasonsState) -> bool {
        let last = if self.options.plays_on() { PLAYERS as u8 - 1 } else { 1 };
        state.done() >= last
    }

    /// The turn goes on to the next player who is not done.
    fn end_turn(&self, state: &mut FourSeasonsState) {
        loop {
            state.on_roll = (state.on_roll + 1) % PLAYERS as u8;
            // A roll that returns to its owner is lost.
            let owner = state.on_roll;
            state.passed.retain(|passed| passed.owner != owner);
            if state.places[usize::from(owner)] == 0 {
                break;
            }
        }
        state.seen = 0;
        self.skip_offers(state);
    }

    /// Passes over offered rolls of which the player can use nothing; those stay offered.
    fn skip_offers(&self, state: &mut FourSeasonsState) {
        while let Some(passed) = state.passed.get(usize::from(state.seen)) {
            let mut is_usable = false;
            for &die in passed.dice.numbers() {
                self.steps(state, die, &mut |_, _| is_usable = true);
            }
            if is_usable {
                return;
            }
            state.seen += 1;
        }
    }

    /// Pips that a player has still to go, those of checkers beside the board included.
    fn pips(&self, state: &FourSeasonsState, player: usize) -> usize {
        let last = self.options.track();
        let waiting = usize::from(state.hand[player] + state.bar[player]) * (last + 1);
        let to_go = |track| usize::from(state.count(player, track)) * (last + 1 - track);
        waiting + (1..=last).map(to_go).sum::<usize>()
    }

    /// What a player may lose soon, in pips: single checkers that others can reach with one die.
    fn exposed(&self, state: &FourSeasonsState, seat: usize) -> f32 {
        let last = self.options.track();
        let single = (1..=last).filter(|&track| state.count(seat, track) == 1);
        let risks = single.map(|track| {
            let at = cell(seat, track);
            let hunters = (0..PLAYERS).filter(|&other| other != seat).map(|other| {
                let theirs = (1..=last).find(|&track| cell(other, track) == at);
                let near = theirs.is_some_and(|to| {
                    (to.saturating_sub(QUARTER)..to).any(|from| match from {
                        0 => state.hand[other] + state.bar[other] > 0,
                        from => state.count(other, from) > 0,
                    })
                });
                if near { 0.25 } else { 0.0 }
            });
            track as f32 * hunters.sum::<f32>()
        });
        risks.sum()
    }

    /// Every state that can follow by this roll, or by the roll that is offered: `start` walks
    /// there from `state`.
    fn follow<W: Walk<FourSeasonsState>>(
        &self,
        state: &FourSeasonsState,
        start: &W,
        roll: Option<TablesDice>,
        results: &mut Vec<W>,
    ) {
        let steps =
            |state: &FourSeasonsState, die, found: &mut dyn FnMut(Step, FourSeasonsState)| {
                self.steps(state, die, found);
            };
        let Some(roll) = roll else {
            // An offered roll: any of its dice, or none; then it is gone (S-10).
            let mut before = start.clone();
            let seen = usize::from(state.seen);
            let offered = before.state_mut().passed.remove(seen);
            let mut distinct = HashSet::new();
            let levels = uses(&before, offered.dice.numbers(), steps);
            for (_, mut after) in levels.into_iter().flatten() {
                let state = after.state_mut();
                match state.finishes() {
                    false => self.skip_offers(state),
                    true if !self.is_over(state) => self.end_turn(state),
                    true => {}
                }
                if distinct.insert(after.clone()) {
                    results.push(after);
                }
            }
            return;
        };
        let has_all_off =
            |state: &FourSeasonsState| state.off[usize::from(state.on_roll)] == CHECKERS;
        match most_dice(start, roll.numbers(), steps, has_all_off) {
            Some(found) => results.extend(found.into_iter().map(|mut after| {
                let state = after.state_mut();
                state.finishes();
                if !self.is_over(state) {
                    self.end_turn(state);
                }
                after
            })),
            None => {
                let mut after = start.clone();
                let state = after.state_mut();
                state.passed.push(Passed { dice: roll, owner: state.on_roll });
                self.end_turn(state);
                results.push(after);
            }
        }
    }
}

impl ManyGame for FourSeasons {
    type State = FourSeasonsState;

    const PLAYERS: usize = PLAYERS;

    fn id(&self) -> String {
        self.options.to_string()
    }

    fn start(&self, first: usize) -> FourSeasonsState {
        FourSeasonsState {
            cells: [(0, 0); CELLS],
            hand: [CHECKERS; PLAYERS],
            bar: [0; PLAYERS],
            off: [0; PLAYERS],
            places: [0; PLAYERS],
            on_roll: (first % PLAYERS) as u8,
            passed: Vec::new(),
            seen: 0,
        }
    }

    fn dice(&self) -> (usize, u8) {
        (self.options.dice(), self.options.sides())
    }

    fn on_roll(&self, state: &FourSeasonsState) -> usize {
        usize::from(state.on_roll)
    }

    fn rolls(&self, state: &FourSeasonsState) -> bool {
        usize::from(state.seen) >= state.passed.len()
    }

    fn results(
        &self,
        state: &FourSeasonsState,
        roll: Option<TablesDice>,
        results: &mut Vec<FourSeasonsState>,
    ) {
        self.follow(state, state, roll, results);
    }

    fn plays(
        &self,
        state: &FourSeasonsState,
        roll: Option<TablesDice>,
    ) -> Vec<(String, FourSeasonsState)> {
        let mut found = Vec::new();
        self.follow(state, &Traced::new(state.clone()), roll, &mut found);
        let otherwise = if roll.is_some() { "pass" } else { "decline" };
        found.into_iter().map(|traced| (traced.words(otherwise), traced.state)).collect()
    }

    fn board(&self, state: &FourSeasonsState, roll: Option<TablesDice>) -> RoundView {
        let player = |seat: usize| {
            let beside =
                [("hand", state.hand[seat]), ("bar", state.bar[seat]), ("off", state.off[seat])];
            let counted = beside.iter().filter(|(_, count)| *count > 0);
            let mut notes: Vec<String> =
                counted.map(|(name, count)| format!("{name} {count}")).collect();
            let own = state.passed.iter().filter(|passed| usize::from(passed.owner) == seat);
            notes.extend(own.map(|passed| format!("offers {}", passed.dice)));
            let (name, color) = SEASONS[seat];
            RoundPlayer { name, color, note: notes.join(", "), beside: beside.to_vec() }
        };
        RoundView {
            players: (0..PLAYERS).map(player).collect(),
            on_roll: usize::from(state.on_roll),
            cells: state.cells.iter().map(|&(owner, count)| (owner.into(), count)).collect(),
            title: "The Four Seasons".to_owned(),
            status: roll.map_or_else(String::new, |roll| format!("roll {roll}")),
        }
    }

    fn number(&self, seat: usize, at: usize) -> Option<usize> {
        let track = (at + CELLS - QUARTER * seat) % CELLS + 1;
        (track <= self.options.track()).then_some(track)
    }

    fn offered(&self, state: &FourSeasonsState) -> Option<TablesDice> {
        state.passed.get(usize::from(state.seen)).map(|passed| passed.dice)
    }

    fn brief(&self) -> &'static str {
        "Four players enter in their own quarter, travel through the next one and leave from the \
         one opposite. Single checkers are removed by others; a roll that cannot be used goes to \
         the next player. Three dice; the first with all off wins three points."
    }

    fn layout(&self) -> &'static [Cell] {
        if self.is_wide() { &layout::WIDE } else { &layout::LAYOUT }
    }

    fn cells(&self, state: &FourSeasonsState, seat: usize, cells: &mut Vec<i8>) {
        self.write_cells(state, seat, cells);
    }

    fn stake(&self) -> f32 {
        1.0
    }

    /// Three from the others to the first who has all off (S-12). With the options, from 1 to -1
    /// by places, or a point to each who has all off from the next one in turn order.
    fn payoffs(&self, state: &FourSeasonsState) -> Option<Vec<f32>> {
        if !self.is_over(state) {
            return None;
        }
        let place = |seat: usize| match state.places[seat] {
            0 => PLAYERS as u8,
            place => place,
        };
        let is_done = |seat: usize| f32::from(u8::from(state.places[seat] > 0));
        let payoff = |seat: usize| match (self.options.el_mundo_payment, self.options.ranking) {
            (Switch::On, _) => is_done(seat) - is_done((seat + PLAYERS - 1) % PLAYERS),
            (_, Switch::On) => (5.0 - 2.0 * f32::from(place(seat))) / 3.0,
            _ if place(seat) == 1 => 3.0,
            _ => -1.0,
        };
        Some((0..PLAYERS).map(payoff).collect())
    }

    /// The race against the one who is furthest, and what may be lost by single checkers.
    fn standing(&self, state: &FourSeasonsState, seat: usize) -> f32 {
        let last = self.options.track();
        let left = |player: usize| {
            let waiting = f32::from(state.hand[player]) + 1.5 * f32::from(state.bar[player]);
            let on_track = (1..=last)
                .map(|track| f32::from(state.count(player, track)) * (last + 1 - track) as f32);
            waiting * last as f32 + on_track.sum::<f32>()
        };
        let others = (0..PLAYERS).filter(|&other| other != seat && state.places[other] == 0);
        let first = others.map(left).reduce(f32::min).unwrap_or_default();
        0.3 * first - left(seat) - self.exposed(state, seat)
    }

    fn parse_state(&self, text: &str) -> Result<FourSeasonsState, PositionTextError> {
        self.parse(text)
    }

    fn write_state(&self, state: &FourSeasonsState) -> String {
        self.write(state)
    }
}
