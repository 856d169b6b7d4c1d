//! What several points of a backgammon board say together, as further cells.
//!
//! A first layer that looks at points one by one has to spend units on finding out that five
//! points in a row are a prime, or that a blot stands where many rolls hit it. These cells say so
//! at once: which of the six points ahead of the last checker are held, which points of the home
//! board are made, how many rolls hit. Each is a small number that is encoded like any cell, one
//! unit for each value, so that a network can learn one answer for each pattern.

use tavola_rules::{Backgammon, Cell, CellKind, Game};

/// Cells of one side.
const OF_SIDE: usize = SIDE_MAX.len();

/// The largest value of each cell of one side, in the order of [`Side::cells`].
const SIDE_MAX: [i8; 12] = [25, 63, 63, 63, 63, 63, 63, 63, 63, 63, 36, LARGEST_PIPS];

/// Pips are told apart in steps of so many.
const PIP_STEP: i32 = 4;

/// The largest number of such steps for a pip count, and for the difference of two.
const LARGEST_PIPS: i8 = 48;
const LARGEST_LEAD: i8 = 30;

/// Bits of the points 1 to 24.
const POINTS: u64 = 0x1ff_fffe;

/// Whether states with this layout stand on a backgammon board, so that there are patterns.
pub(crate) fn fit(layout: &[Cell]) -> bool {
    layout == Backgammon::Standard.layout()
}

/// What the cells that [`append`] writes can hold.
pub(crate) fn layout() -> impl Iterator<Item = Cell> {
    let counter = |min, max| Cell { kind: CellKind::Counter, min, max };
    let side = SIDE_MAX.map(|max| counter(0, max));
    let both = [counter(0, 25), counter(-LARGEST_LEAD, LARGEST_LEAD)];
    side.into_iter().chain(side).chain(both)
}

/// Appends the patterns of a backgammon board: those of the player on roll, those of the
/// opponent, how far their last checkers have still to pass each other, and the lead in the race.
pub(crate) fn append(cells: &[i8], out: &mut Vec<i8>) {
    let [player, opponent] = Side::both(cells);
    out.extend(player.cells(&opponent));
    out.extend(opponent.cells(&player));
    let contact = (player.last() + opponent.last()).saturating_sub(25);
    let lead = (opponent.pips - player.pips) / PIP_STEP;
    let largest = i32::from(LARGEST_LEAD);
    out.extend([contact as i8, lead.clamp(-largest, largest) as i8]);
}

/// The checkers of one side as its owner sees them: bit 25 is the bar, and checkers move down.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// Where there is a checker.
    checkers: u64,
    /// Points with two or more.
    made: u64,
    /// Checkers on the bar.
    bar: i8,
    pips: i32,
}

impl Side {
    /// The player on roll and the opponent.
    fn both(cells: &[i8]) -> [Self; 2] {
        let none = Self { checkers: 0, made: 0, bar: 0, pips: 0 };
        let (mut player, mut opponent) = (none, none);
        for (place, &count) in (0u8..).zip(&cells[..26]) {
            if count > 0 {
                player.place(place, count);
            } else if count < 0 {
                opponent.place(25 - place, -count);
            }
        }
        [player, opponent]
    }

    fn place(&mut self, place: u8, count: i8) {
        self.checkers |= 1 << place;
        self.made |= u64::from(count > 1) << place & POINTS;
        self.bar += if place == 25 { count } else { 0 };
        self.pips += i32::from(place) * i32::from(count);
    }

    /// The place of the last checker, 25 on the bar, 0 if all are off.
    fn last(&self) -> u32 {
        self.checkers.checked_ilog2().unwrap_or(0)
    }

    fn blots(&self) -> u64 {
        self.checkers & !self.made & POINTS
    }

    /// The patterns of this side.
    fn cells(&self, other: &Self) -> [i8; OF_SIDE] {
        let blocked = mirror(other.made);
        let last = self.last();
        let next = (self.checkers & !(1 << last)).checked_ilog2().unwrap_or(0);
        // The six points of which the highest is just below `place`; those below 1 do not exist.
        let six = |bits: u64, place: u32| ((bits << 12 >> place) >> 6 & 63) as i8;
        let below = |bits: u64, place: u32| six(bits << 6, place);
        let pips = (self.pips / PIP_STEP).min(i32::from(LARGEST_PIPS));
        [
            last as i8,
            six(blocked, last),
            below(blocked, last),
            six(blocked, next),
            below(blocked, next),
            six(self.made, 7),
            six(self.made, 13),
            six(self.made, 25),
            six(self.blots(), 7),
            six(self.blots(), 13),
            self.hitting_rolls(blocked, mirror(other.blots())),
            pips as i8,
        ]
    }

    /// How many of the 36 rolls hit one of `blots`. With two or more on the bar only entering
    /// checkers are looked at.
    fn hitting_rolls(&self, blocked: u64, blots: u64) -> i8 {
        if blots == 0 {
            return 0;
        }
        let open = POINTS & !blocked;
        let on_board = self.checkers & POINTS;
        // By which dice a checker hits at once, and where the dice lead otherwise.
        let movable = if self.bar == 0 { on_board } else { 1 << 25 };
        let moved: [u64; 7] = std::array::from_fn(|die| movable >> die);
        let direct = |die: usize| moved[die] & blots != 0;
        let hits_after = |first: usize, second: usize| {
            let landed = moved[first] & open;
            match self.bar {
                0 => landed >> second & blots != 0,
                1 => landed != 0 && (on_board | landed) >> second & blots != 0,
                _ => false,
            }
        };
        let mut rolls = 0;
        for first in 1..=6 {
            let hits = direct(first);
            for second in 1..first {
                let either = hits
                    || direct(second)
                    || hits_after(first, second)
                    || hits_after(second, first);
                rolls += 2 * i8::from(either);
            }
            rolls += i8::from(hits || self.hits_with_double(first as u32, open, blots));
        }
        rolls
    }

    fn hits_with_double(&self, die: u32, open: u64, blots: u64) -> bool {
        let mut movable = self.checkers & POINTS;
        let mut moves = 4;
        if self.bar > 0 {
            let entered = (1u64 << 25 >> die) & open;
            if entered & blots != 0 {
                return true;
            }
            if entered == 0 || self.bar > 1 {
                return false;
            }
            movable |= entered;
            moves = 3;
        }
        (0..moves).any(|_| {
            movable = movable >> die & open;
            movable & blots != 0
        })
    }
}

/// The points as the other side counts them.
fn mirror(points: u64) -> u64 {
    points.reverse_bits() >> 38
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Backgammon, Position};

    use super::*;

    /// The patterns of a board that holds these numbers of checkers.
    fn patterns(checkers: &[(usize, i8)]) -> Vec<i8> {
        let mut cells = [0; 28];
        for &(place, count) in checkers {
            cells[place] = count;
        }
        let mut out = Vec::new();
        append(&cells, &mut out);
        assert!(out.iter().zip(layout()).all(|(x, cell)| (cell.min..=cell.max).contains(x)));
        out
    }

    /// How many rolls of the player hit, and how many of the opponent.
    fn hitting_rolls(checkers: &[(usize, i8)]) -> [i8; 2] {
        let found = patterns(checkers);
        [found[10], found[OF_SIDE + 10]]
    }

    #[test]
    fn the_start_position_looks_the_same_from_both_sides() {
        let mut found = Vec::new();
        append(Backgammon::cells(&Position::STANDARD), &mut found);
        assert_eq!(found.len(), layout().count());
        assert_eq!(found[..OF_SIDE], found[OF_SIDE..2 * OF_SIDE]);
        // The last checkers, on 24, have the opponent's 6, 8 and 13 points before them, which are
        // our 19, 17 and 12; the next ones, on 13, the midpoint and the opponent's last checkers.
        assert_eq!(found[..5], [24, 1 << 1, 1 << 5 | 1 << 0, 1 << 5, 1 << 0]);
        // The 6, 8, 13 and 24 points are made.
        assert_eq!(found[5..8], [1 << 5, 1 << 1, 1 << 5]);
        // No blots, no shots, 167 pips.
        assert_eq!(found[8..OF_SIDE], [0, 0, 0, 41]);
        // The last checkers have 23 points to pass each other; the race is even.
        assert_eq!(found[2 * OF_SIDE..], [23, 0]);
    }

    #[test]
    fn shots_are_those_of_the_customary_table() {
        // Rolls that hit a blot so many pips away, nothing between.
        let table = [(1, 11), (2, 12), (3, 14), (4, 15), (5, 15), (6, 17), (7, 6), (8, 6), (9, 5)];
        let far = [(10, 3), (11, 2), (12, 3), (15, 1), (16, 1), (18, 1), (20, 1)];
        for (distance, rolls) in table.into_iter().chain(far) {
            assert_eq!(hitting_rolls(&[(23, 2), (23 - distance, -1)]), [rolls, 0], "{distance}");
            // The same for the opponent, whose checkers move up.
            assert_eq!(hitting_rolls(&[(2, -2), (2 + distance, 1)]), [0, rolls], "{distance}");
        }
    }

    #[test]
    fn points_between_and_the_bar_cost_shots() {
        // Six away with the points one and three away held: 3-3 is blocked, 5-1 by the 5.
        assert_eq!(hitting_rolls(&[(24, 2), (18, -1), (21, -2), (23, -2)]), [16, 0]);
        // One checker on the bar, a blot on 24: any 1.
        assert_eq!(hitting_rolls(&[(25, 1), (24, -1)]), [11, 0]);
        // Eleven away from the bar, with 6-5, unless a second checker has to enter.
        assert_eq!(hitting_rolls(&[(25, 2), (14, -1), (10, 2)]), [0, 0]);
        assert_eq!(hitting_rolls(&[(25, 1), (14, -1)]), [2, 0]);
    }
}
