//! The Four Seasons game (El mundo) of the book of 1283: four players on a round board.
//!
//! The rule numbers (S-06 and so on) are those of `docs/games/four-seasons.md`.

use std::collections::HashSet;

use rand::Rng;
use tavola_rules::board::{RoundPlayer, RoundView};
use tavola_rules::{Cell, CellKind};

use super::walk::{Place, Step, Traced, Walk, most_dice, uses};
use super::{ManyGame, ThreeDice, ThreeDiceError};
use crate::sides::{Item, read_parts, wrong};
use crate::text::PositionTextError;

/// Players.
const PLAYERS: usize = 4;
/// Checkers a player.
const CHECKERS: u8 = 12;
/// Cells of the board.
const CELLS: usize = 24;
/// Cells of a player's track: three of the four quarters.
const TRACK: usize = 18;
/// Cells of a quarter.
const QUARTER: usize = 6;

/// The Four Seasons game: spring, summer, autumn and winter enter in their own quarters, travel
/// through the next one and leave from the one opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FourSeasons;

/// A roll that its owner could not use at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Passed {
    dice: ThreeDice,
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
    on_roll: u8,
    /// Rolls that are offered, the oldest first.
    passed: Vec<Passed>,
    /// How many of them the player has seen in this turn.
    seen: u8,
}

/// Names and colours of the players.
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

    /// Puts a checker of `player` on a cell, where a single one of another colour is removed (S-07);
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

    /// Every move of a die.
    fn steps(&self, die: u8, found: &mut dyn FnMut(Step, Self)) {
        let player = usize::from(self.on_roll);
        let die = usize::from(die);
        let waiting = self.bar[player] > 0;
        if waiting || self.hand[player] > 0 {
            let mut after = self.clone();
            let from = if waiting { &mut after.bar } else { &mut after.hand };
            from[player] -= 1;
            let hits = self.hits(player, die);
            if die <= QUARTER && after.land(player, cell(player, die)) {
                let from = if waiting { Place::Bar } else { Place::Hand };
                found(Step { from, to: Place::Cell(die), hits }, after);
            }
        }
        if waiting {
            return;
        }
        let last = if self.hand[player] > 0 { QUARTER } else { TRACK };
        let may_leave =
            self.hand[player] == 0 && (1..=2 * QUARTER).all(|track| self.count(player, track) == 0);
        for from in (1..=last).filter(|&from| self.count(player, from) > 0) {
            let mut after = self.clone();
            after.take(cell(player, from));
            if from + die <= last {
                let hits = self.hits(player, from + die);
                if after.land(player, cell(player, from + die)) {
                    let to = Place::Cell(from + die);
                    found(Step { from: Place::Cell(from), to, hits }, after);
                }
            } else if may_leave {
                let exact = from + die == TRACK + 1;
                let rearmost = (1..from).all(|track| self.count(player, track) == 0);
                if exact || rearmost {
                    after.off[player] += 1;
                    found(Step { from: Place::Cell(from), to: Place::Off, hits: false }, after);
                }
            }
        }
    }

    /// The turn goes on to the next player.
    fn end_turn(&mut self) {
        self.on_roll = (self.on_roll + 1) % PLAYERS as u8;
        self.seen = 0;
        // A roll that returns to its owner is lost.
        let owner = self.on_roll;
        self.passed.retain(|passed| passed.owner != owner);
        self.skip_offers();
    }

    /// Passes over offered rolls of which the player can use nothing; those stay offered.
    fn skip_offers(&mut self) {
        while let Some(passed) = self.passed.get(usize::from(self.seen)) {
            let mut is_usable = false;
            for &die in passed.dice.numbers() {
                self.steps(die, &mut |_, _| is_usable = true);
            }
            if is_usable {
                return;
            }
            self.seen += 1;
        }
    }

    /// Pips that a player has still to go, those of checkers beside the board included.
    fn pips(&self, player: usize) -> usize {
        let waiting = usize::from(self.hand[player] + self.bar[player]) * (TRACK + 1);
        let to_go = |track| usize::from(self.count(player, track)) * (TRACK + 1 - track);
        waiting + (1..=TRACK).map(to_go).sum::<usize>()
    }

    /// What a player may lose soon, in pips: single checkers that others can reach with one die.
    fn exposed(&self, seat: usize) -> f32 {
        let single = (1..=TRACK).filter(|&track| self.count(seat, track) == 1);
        let risks = single.map(|track| {
            let at = cell(seat, track);
            let hunters = (0..PLAYERS).filter(|&other| other != seat).map(|other| {
                let theirs = (1..=TRACK).find(|&track| cell(other, track) == at);
                let near = theirs.is_some_and(|to| {
                    (to.saturating_sub(QUARTER)..to).any(|from| match from {
                        0 => self.hand[other] + self.bar[other] > 0,
                        from => self.count(other, from) > 0,
                    })
                });
                if near { 0.25 } else { 0.0 }
            });
            track as f32 * hunters.sum::<f32>()
        });
        risks.sum()
    }

    fn has_won(&self) -> Option<usize> {
        self.off.iter().position(|&off| off == CHECKERS)
    }
}

/// Every state that can follow by this roll, or by the roll that is offered: `start` walks there
/// from `state`.
fn follow<W: Walk<FourSeasonsState>>(
    state: &FourSeasonsState,
    start: &W,
    roll: Option<ThreeDice>,
    results: &mut Vec<W>,
) {
    let Some(roll) = roll else {
        // An offered roll: any of its dice, or none; then it is gone (S-10).
        let mut before = start.clone();
        let seen = usize::from(state.seen);
        let offered = before.state_mut().passed.remove(seen);
        let mut distinct = HashSet::new();
        let levels = uses(&before, offered.dice.numbers(), FourSeasonsState::steps);
        for (_, mut after) in levels.into_iter().flatten() {
            if after.state().has_won().is_none() {
                after.state_mut().skip_offers();
            }
            if distinct.insert(after.clone()) {
                results.push(after);
            }
        }
        return;
    };
    match most_dice(start, roll.numbers(), FourSeasonsState::steps) {
        Some(found) => results.extend(found.into_iter().map(|mut after| {
            if after.state().has_won().is_none() {
                after.state_mut().end_turn();
            }
            after
        })),
        None => {
            let mut after = start.clone();
            let state = after.state_mut();
            state.passed.push(Passed { dice: roll, owner: state.on_roll });
            state.end_turn();
            results.push(after);
        }
    }
}

/// Cells of the layout.
const LAYOUT_CELLS: usize = PLAYERS * (TRACK + 6) + 6;

/// The most pips in danger that are told apart.
const EXPOSED: f32 = 60.0;

/// For each player, from the one who looks: the track, and then hands, bars, borne off, half of the
/// pips, pips in danger, who offers a roll; at last how often each number is in the roll that is offered now.
static LAYOUT: [Cell; LAYOUT_CELLS] = {
    let most = CHECKERS as i8;
    let mut layout = [Cell { kind: CellKind::Point, min: 0, max: most }; LAYOUT_CELLS];
    let mut at = PLAYERS * TRACK;
    while at < LAYOUT_CELLS {
        let (kind, max) = match (at - PLAYERS * TRACK) / PLAYERS {
            0 | 1 => (CellKind::Waiting, most),
            2 => (CellKind::Off, most),
            3 => (CellKind::Measure, (CHECKERS as usize * (TRACK + 1) / 2) as i8),
            4 => (CellKind::Measure, EXPOSED as i8),
            5 => (CellKind::Counter, 1),
            _ => (CellKind::Counter, 3),
        };
        layout[at] = Cell { kind, min: 0, max };
        at += 1;
    }
    layout
};

impl ManyGame for FourSeasons {
    type State = FourSeasonsState;

    const PLAYERS: usize = PLAYERS;

    fn id(&self) -> String {
        "four-seasons".to_owned()
    }

    fn start(&self, first: usize) -> FourSeasonsState {
        FourSeasonsState {
            cells: [(0, 0); CELLS],
            hand: [CHECKERS; PLAYERS],
            bar: [0; PLAYERS],
            off: [0; PLAYERS],
            on_roll: (first % PLAYERS) as u8,
            passed: Vec::new(),
            seen: 0,
        }
    }

    fn roll(&self, rng: &mut impl Rng) -> ThreeDice {
        ThreeDice::roll(6, rng)
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
        roll: Option<ThreeDice>,
        results: &mut Vec<FourSeasonsState>,
    ) {
        follow(state, state, roll, results);
    }

    fn plays(
        &self,
        state: &FourSeasonsState,
        roll: Option<ThreeDice>,
    ) -> Vec<(String, FourSeasonsState)> {
        let mut found = Vec::new();
        follow(state, &Traced::new(state.clone()), roll, &mut found);
        let otherwise = if roll.is_some() { "pass" } else { "decline" };
        found.into_iter().map(|traced| (traced.words(otherwise), traced.state)).collect()
    }

    fn board(&self, state: &FourSeasonsState, roll: Option<ThreeDice>) -> RoundView {
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
        (track <= TRACK).then_some(track)
    }

    fn offered(&self, state: &FourSeasonsState) -> Option<ThreeDice> {
        state.passed.get(usize::from(state.seen)).map(|passed| passed.dice)
    }

    fn brief(&self) -> &'static str {
        "Four players enter in their own quarter, travel through the next one and leave from the \
         one opposite. Single checkers are removed by others; a roll that cannot be used goes to \
         the next player. Three dice; the first with all off wins three points."
    }

    fn layout(&self) -> &'static [Cell] {
        &LAYOUT
    }

    fn cells(&self, state: &FourSeasonsState, seat: usize, cells: &mut Vec<i8>) {
        let seats = || (0..PLAYERS).map(|offset| (seat + offset) % PLAYERS);
        cells.clear();
        for player in seats() {
            cells.extend((1..=TRACK).map(|track| state.count(player, track) as i8));
        }
        for beside in [&state.hand, &state.bar, &state.off] {
            cells.extend(seats().map(|player| beside[player] as i8));
        }
        cells.extend(seats().map(|player| (state.pips(player) / 2) as i8));
        cells.extend(seats().map(|player| state.exposed(player).min(EXPOSED) as i8));
        for player in seats() {
            let offers = |passed: &Passed| usize::from(passed.owner) == player;
            cells.push(i8::from(state.passed.iter().any(offers)));
        }
        let offered = state.passed.get(usize::from(state.seen));
        cells.extend((1..=6).map(|die| {
            let dice = offered.map_or(&[][..], |passed| passed.dice.numbers());
            dice.iter().filter(|&&number| number == die).count() as i8
        }));
    }

    const STAKE: f32 = 1.0;

    /// Three from the others to the first who has all off (S-12).
    fn payoffs(&self, state: &FourSeasonsState) -> Option<Vec<f32>> {
        let winner = state.has_won()?;
        Some((0..PLAYERS).map(|seat| if seat == winner { 3.0 } else { -1.0 }).collect())
    }

    /// The race against the one who is furthest, and what may be lost by single checkers.
    fn standing(&self, state: &FourSeasonsState, seat: usize) -> f32 {
        let left = |player: usize| {
            let waiting = f32::from(state.hand[player]) + 1.5 * f32::from(state.bar[player]);
            let on_track = (1..=TRACK)
                .map(|track| f32::from(state.count(player, track)) * (TRACK + 1 - track) as f32);
            waiting * TRACK as f32 + on_track.sum::<f32>()
        };
        let others = (0..PLAYERS).filter(|&other| other != seat).map(left);
        0.3 * others.fold(f32::INFINITY, f32::min) - left(seat) - state.exposed(seat)
    }

    fn parse_state(&self, text: &str) -> Result<FourSeasonsState, PositionTextError> {
        let id = self.id();
        if text.trim().eq_ignore_ascii_case("start") {
            return Ok(self.start(0));
        }
        let mut state = FourSeasonsState { hand: [0; PLAYERS], ..self.start(0) };
        let mut player = 0;
        let parts = read_parts(&id, text, PLAYERS, |items: &mut dyn Iterator<Item = Item<'_>>| {
            let mut has_off = false;
            for item in items {
                match item.name {
                    "hand" => state.hand[player] = item.number(CHECKERS)? as u8,
                    "bar" => state.bar[player] = item.number(CHECKERS)? as u8,
                    "off" => {
                        state.off[player] = item.number(CHECKERS)? as u8;
                        has_off = true;
                    }
                    "offers" => {
                        let value = item.value.unwrap_or_default();
                        let dice = ThreeDice::parse(value, 6).map_err(|error| error.to_string())?;
                        state.passed.push(Passed { dice, owner: player as u8 });
                    }
                    _ => {
                        let track = item.point(TRACK, "hand, bar, off, offers")?;
                        let count = item.number(CHECKERS)? as u8;
                        let at = cell(player, track);
                        if count > 0 && state.cells[at].1 > 0 {
                            return Err(format!("{:?} is a cell that is taken", item.text));
                        }
                        if count > 0 {
                            state.cells[at] = (player as u8, count);
                        }
                    }
                }
            }
            let on_board: u8 = (1..=TRACK).map(|track| state.count(player, track)).sum();
            let found = on_board + state.hand[player] + state.bar[player] + state.off[player];
            match CHECKERS.checked_sub(found) {
                Some(missing) if missing == 0 || !has_off => state.off[player] += missing,
                _ => return Err(format!("{found} checkers, expected {CHECKERS}")),
            }
            player += 1;
            Ok(())
        });
        parts?;
        if state.passed.iter().any(|passed| passed.owner == 0) {
            let why = "the player on roll offers a roll, expected it of others".to_owned();
            return Err(wrong(&id, text, why));
        }
        // The one who rolled longest ago comes first.
        state.passed.sort_by_key(|passed| passed.owner);
        state.skip_offers();
        Ok(state)
    }

    /// The players in turn order, the one who decides first; each with the own track.
    fn write_state(&self, state: &FourSeasonsState) -> String {
        let side = |offset: usize| {
            let player = (usize::from(state.on_roll) + offset) % PLAYERS;
            let on_track = (1..=TRACK).map(|track| (track.to_string(), state.count(player, track)));
            let beside = [
                ("hand".to_owned(), state.hand[player]),
                ("bar".to_owned(), state.bar[player]),
                ("off".to_owned(), if state.off[player] == CHECKERS { CHECKERS } else { 0 }),
            ];
            let mut items: Vec<String> = on_track
                .chain(beside)
                .filter(|(_, count)| *count > 0)
                .map(|(name, count)| format!("{name}:{count}"))
                .collect();
            items.extend(
                state
                    .passed
                    .iter()
                    .filter(|passed| usize::from(passed.owner) == player)
                    .map(|passed| format!("offers:{}", passed.dice)),
            );
            items.join(" ")
        };
        (0..PLAYERS).map(side).collect::<Vec<_>>().join(" / ")
    }

    fn parse_roll(&self, text: &str) -> Result<ThreeDice, ThreeDiceError> {
        ThreeDice::parse(text, 6)
    }
}
