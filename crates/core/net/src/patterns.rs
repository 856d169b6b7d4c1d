//! What several points of a backgammon board say together, as further cells.
//!
//! A first layer that looks at points one by one has to spend units on finding out that five
//! points in a row are a prime, or that a blot stands where many rolls hit it. These cells say so
//! at once: which of the six points ahead of the last checker are held, which points of the home
//! board are made, how many rolls hit. Each is a small number that is encoded like any cell, one
//! unit for each value, so that a network can learn one answer for each pattern.

use tavola_rules::{Backgammon, Cell, CellKind, Game};

use crate::rolls::Shots;
use crate::side::{Side, mirror};

/// Cells of one side.
const OF_SIDE: usize = SIDE_MAX.len();

/// The largest value of each cell of one side, in the order of [`Side::patterns`].
const SIDE_MAX: [i8; 12] = [25, 63, 63, 63, 63, 63, 63, 63, 63, 63, 36, LARGEST_PIPS];

/// The step between pip counts that are told apart.
const PIP_STEP: i32 = 4;

/// The largest number of such steps for a pip count, and for the difference of two.
const LARGEST_PIPS: i8 = 48;
const LARGEST_LEAD: i8 = 30;

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
#[inline(always)]
pub(crate) fn append([player, opponent]: &[Side; 2], shots: &[Shots; 2], out: &mut Vec<i8>) {
    out.extend(player.patterns(opponent, &shots[0]));
    out.extend(opponent.patterns(player, &shots[1]));
    let contact = (player.last() + opponent.last()).saturating_sub(25);
    let lead = (opponent.pips - player.pips) / PIP_STEP;
    let largest = i32::from(LARGEST_LEAD);
    out.extend([contact as i8, lead.clamp(-largest, largest) as i8]);
}

impl Side {
    /// The patterns of this side, which has these shots.
    #[inline(always)]
    fn patterns(&self, other: &Self, shots: &Shots) -> [i8; OF_SIDE] {
        let blocked = mirror(other.made);
        let (last, next) = (self.last(), self.next());
        // The six points of which the highest is just below `place`; those below 1 do not exist.
        let six = |bits: u32, place: u32| ((u64::from(bits) << 12 >> place) >> 6 & 63) as i8;
        let below = |bits: u32, place: u32| six(bits << 6, place);
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
            shots.hits as i8,
            pips as i8,
        ]
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Backgammon, Position};

    use super::*;
    use crate::side::{at_least, derived};

    /// The patterns of a board that holds these numbers of checkers.
    fn patterns(checkers: &[(usize, i8)]) -> Vec<i8> {
        derived(checkers, append, layout())
    }

    /// How many rolls of the player hit, and how many of the opponent.
    fn hitting_rolls(checkers: &[(usize, i8)]) -> [i8; 2] {
        let found = patterns(checkers);
        [found[10], found[OF_SIDE + 10]]
    }

    #[test]
    fn the_start_position_looks_the_same_from_both_sides() {
        let mut found = Vec::new();
        let sides = Side::both(Backgammon::cells(&Position::STANDARD), at_least);
        append(&sides, &Side::both_shots(&sides), &mut found);
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
        // Rolls that hit a blot this number of pips away, nothing between.
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
