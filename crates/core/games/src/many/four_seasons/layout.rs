//! What a network sees of the Four Seasons.

use tavola_rules::{Cell, CellKind};

use super::{CELLS, CHECKERS, FourSeasons, FourSeasonsState, PLAYERS, Passed, TRACK};

/// Cells of the layout.
const LAYOUT_CELLS: usize = PLAYERS * (TRACK + 6) + 6;

/// Cells of the layout of games with options that need more room.
const WIDE_CELLS: usize = PLAYERS * (CELLS + 7) + 7;

/// The most pips in danger that are told apart.
const EXPOSED: f32 = 60.0;

/// For each player, from the one who looks: the track, and then hands, bars, borne off, half of the
/// pips, pips in danger, who offers a roll; at last how often each number is in the roll that is
/// offered now.
pub(super) static LAYOUT: [Cell; LAYOUT_CELLS] = layout(TRACK, 2, false);

/// Wider by a track of the whole board, with a third of the pips, the place of each who has all off,
/// and a seventh number.
pub(super) static WIDE: [Cell; WIDE_CELLS] = layout(CELLS, 3, true);

const fn layout<const N: usize>(track: usize, part: usize, has_places: bool) -> [Cell; N] {
    let most = CHECKERS as i8;
    let mut layout = [Cell { kind: CellKind::Point, min: 0, max: most }; N];
    let mut at = PLAYERS * track;
    while at < N {
        let (kind, max) = match (at - PLAYERS * track) / PLAYERS {
            0 | 1 => (CellKind::Waiting, most),
            2 => (CellKind::Off, most),
            3 => (CellKind::Measure, (CHECKERS as usize * (track + 1) / part) as i8),
            4 => (CellKind::Measure, EXPOSED as i8),
            5 => (CellKind::Counter, 1),
            6 if has_places => (CellKind::Counter, PLAYERS as i8),
            _ => (CellKind::Counter, 3),
        };
        layout[at] = Cell { kind, min: 0, max };
        at += 1;
    }
    layout
}

impl FourSeasons {
    /// Whether the options need the layout with more room.
    pub(super) fn is_wide(&self) -> bool {
        self.options.track() > TRACK || self.options.sides() > 6 || self.options.plays_on()
    }

    pub(super) fn write_cells(&self, state: &FourSeasonsState, seat: usize, cells: &mut Vec<i8>) {
        let is_wide = self.is_wide();
        let (track, part, sides) = if is_wide { (CELLS, 3, 7) } else { (TRACK, 2, 6) };
        let seats = || (0..PLAYERS).map(|offset| (seat + offset) % PLAYERS);
        cells.clear();
        for player in seats() {
            cells.extend((1..=track).map(|track| match track <= self.options.track() {
                true => state.count(player, track) as i8,
                false => 0,
            }));
        }
        for beside in [&state.hand, &state.bar, &state.off] {
            cells.extend(seats().map(|player| beside[player] as i8));
        }
        cells.extend(seats().map(|player| (self.pips(state, player) / part) as i8));
        cells.extend(seats().map(|player| self.exposed(state, player).min(EXPOSED) as i8));
        for player in seats() {
            let offers = |passed: &Passed| usize::from(passed.owner) == player;
            cells.push(i8::from(state.passed.iter().any(offers)));
        }
        if is_wide {
            cells.extend(seats().map(|player| state.places[player] as i8));
        }
        let offered = state.passed.get(usize::from(state.seen));
        cells.extend((1..=sides).map(|die| {
            let dice = offered.map_or(&[][..], |passed| passed.dice.numbers());
            dice.iter().filter(|&&number| number == die).count() as i8
        }));
    }
}
