//! What players say of a backgammon position, as further cells: numbers that matter by their size.
//!
//! How hard it is for the last checkers to escape, what the opponent's next roll can hit and what
//! that would cost, which rolls make points, what can be played before a structure breaks. Networks
//! have been fed such numbers since Neurogammon (Tesauro 1990) and gnubg's are, and a network that
//! sees only points and patterns does not find them by itself: see "what gnubg's network knows" in
//! `docs/log/README.md`. Each is one feature, so that what is learned of one size holds for all.

use std::sync::LazyLock;

use tavola_rules::{Cell, CellKind};

use crate::side::{OfRolls, POINTS, ROLLS, Side, THROWS, mirror};

/// Rolls that get a checker seven pips or farther with nothing in its way.
const LEAPS: i8 = 23;

/// What each of the two sides' cells is, in the order of [`Side::expert`], and the largest value.
const OF_SIDE: [i8; 28] = [
    LEAPS, // rolls with which the last checker leaps
    LEAPS, // the same for the next to last
    LEAPS, // the same from where it is hardest, wherever a checker may be sent
    LEAPS, // the same from where it is hardest on the way of the last checker
    48,    // pips that checkers which are not home can move on average
    43,    // leaps of the checkers in the opponent's half
    36,    // rolls of the opponent that hit
    36,    // those that can hit one of several
    36,    // those that hit in the home board
    43,    // pips that hits cost on average
    45,    // pips of the checkers between the home boards
    48,    // second moment of the checkers behind the mean
    12,    // last point made in the opponent's half
    12,    // first of these
    15,    // checkers in the opponent's home board or on the bar
    6,     // points made in the home board
    7,     // longest prime
    24,    // its last point
    13,    // spare checkers
    15,    // blots
    46,    // pips of the checkers that have passed the opponent
    46,    // pips
    25,    // place of the last checker
    47,    // pips to bring all home
    36,    // rolls that make a point in the home board
    36,    // rolls that make a point of the blockade
    36,    // rolls that make an anchor
    36,    // rolls that enter
];

/// What the cells that [`append`] writes can hold.
pub(crate) fn layout() -> impl Iterator<Item = Cell> {
    let side = OF_SIDE.map(|max| Cell { kind: CellKind::Measure, min: 0, max });
    side.into_iter().chain(side)
}

/// Appends the numbers of the player on roll and those of the opponent.
pub(crate) fn append([player, opponent]: &[Side; 2], shots: &[OfRolls; 2], out: &mut Vec<i8>) {
    out.extend(player.expert(opponent, &shots[1]));
    out.extend(opponent.expert(player, &shots[0]));
}

/// How a single checker moves with a roll, summed over the 36 throws, for each set of blocked
/// points among the twelve before it, the nearest in the lowest bit.
struct Mobility {
    /// Throws that get it seven pips or farther: past a prime right before it.
    leaps: Vec<u8>,
    /// Pips that it can move at most.
    pips: Vec<u16>,
}

static MOBILITY: LazyLock<Mobility> = LazyLock::new(|| {
    let (leaps, pips) = (0..=AHEAD).map(mobility).unzip();
    Mobility { leaps, pips }
});

/// Bits of the twelve points that a roll of two unlike dice may reach.
const AHEAD: u64 = 0xfff;

/// The throws that leap, and the pips, for one set of blocked points.
fn mobility(blocked: u64) -> (u8, u16) {
    let is_free = |pips: usize| pips > 12 || blocked >> (pips - 1) & 1 == 0;
    let (mut leaps, mut sum) = (0, 0);
    for ((first, second), throws) in ROLLS.into_iter().zip(THROWS) {
        let pips = match first == second {
            true => first * (1..=4).take_while(|moves| is_free(moves * first)).count(),
            false => match (is_free(first), is_free(second)) {
                (false, false) => 0,
                _ if is_free(first + second) => first + second,
                (true, _) => first,
                (false, true) => second,
            },
        };
        leaps += if pips > 6 { throws as u8 } else { 0 };
        sum += throws as u16 * pips as u16;
    }
    (leaps, sum)
}

/// Bits of the points from `first` to `last`.
const fn zone(first: u32, last: u32) -> u64 {
    (2u64 << last) - (1 << first)
}

impl Side {
    /// `shots` are those of the other side.
    fn expert(&self, other: &Self, shots: &OfRolls) -> [i8; OF_SIDE.len()] {
        let mobility = &*MOBILITY;
        let ahead = |place: u32| (other.made >> (26 - place) & AHEAD) as usize;
        let leaps = |place: u32| match place {
            0 => LEAPS.into(),
            _ => i32::from(mobility.leaps[ahead(place)]),
        };
        let (last, next) = (self.last(), self.next());
        let mut contained = [i32::from(LEAPS); 2];
        for place in 7..26 {
            let leaps = leaps(place);
            contained[0] = contained[0].min(leaps);
            contained[1] = contained[1].min(if place <= last { leaps } else { LEAPS.into() });
        }
        let (mut movable, mut leaping) = (0, 0);
        let (mut between, mut outside, mut passed, mut spares) = (0, 0, 0, 0);
        let mean = self.pips / 15;
        let mut moment = 0;
        for (place, count) in self.places() {
            let pips = place as i32;
            if place > 6 {
                let ahead = ahead(place);
                movable += count * i32::from(mobility.pips[ahead]);
                outside += count * (pips - 6);
                between += if place < 19 { count * (pips - 6) } else { 0 };
                leaping += if place > 12 { count * i32::from(mobility.leaps[ahead]) } else { 0 };
            }
            passed += if 25 - place > other.last() { count * pips } else { 0 };
            moment += if pips > mean { count * (pips - mean).pow(2) } else { 0 };
            spares += (count - 2).max(0);
        }
        // The blot that has come farthest, the last one as the other side sees it, costs most.
        let cost =
            shots.0.iter().zip(THROWS).map(|(blots, throws)| throws * blots.max(&1).ilog2() as i32);
        let made = self.points_made_by_rolls(other);
        let makes = |first, last| made.throws(|points| points & zone(first, last) as u32 != 0);
        let anchors = self.made & zone(13, 24);
        let (longest, end) = self.longest_prime();
        let closed = (other.made & zone(1, 6)).count_ones() as i32;
        let on = |places: u64| (self.made & places).count_ones() as i32;
        let back: i32 = self.counts[19..].iter().map(|&count| i32::from(count)).sum();
        let values = [
            leaps(last),
            leaps(next),
            contained[0],
            contained[1],
            movable / 90,
            leaping / 8,
            shots.throws(|blots| blots != 0),
            shots.throws(|blots| blots & blots.wrapping_sub(1) != 0),
            shots.throws(|blots| blots & zone(19, 24) as u32 != 0),
            cost.sum::<i32>() / 20,
            between / 4,
            moment / 30,
            anchors.checked_ilog2().map_or(0, |place| place as i32 - 12),
            if anchors == 0 { 0 } else { anchors.trailing_zeros() as i32 - 12 },
            back,
            on(zone(1, 6)),
            longest,
            end,
            spares,
            self.blots().count_ones() as i32,
            passed / 8,
            self.pips / 8,
            last as i32,
            outside / 6,
            makes(1, 6),
            makes(4, 9),
            makes(14, 22),
            36 - closed * closed,
        ];
        std::array::from_fn(|i| values[i].clamp(0, OF_SIDE[i].into()) as i8)
    }

    /// The places with checkers, and how many.
    fn places(&self) -> impl Iterator<Item = (u32, i32)> {
        let mut left = self.checkers;
        std::iter::from_fn(move || {
            let place = left.checked_ilog2()?;
            left &= !(1 << place);
            Some((place, i32::from(self.counts[place as usize])))
        })
    }

    /// The points that each roll makes, where they were not made. None with a checker on the bar.
    fn points_made_by_rolls(&self, other: &Self) -> OfRolls {
        if self.bar > 0 {
            return OfRolls([0; 21]);
        }
        let open = POINTS & !mirror(other.made);
        // Checkers that leave no made point behind.
        let pairs = self.places().filter(|&(_, count)| count == 2);
        let spare = self.checkers & !pairs.fold(0, |bits, (place, _)| bits | 1u64 << place);
        let (blots, empty) = (self.blots(), open & !self.checkers);
        let moved: [u64; 7] = std::array::from_fn(|die| spare >> die);
        OfRolls::new(|first, second| {
            let (one, two) = (moved[first], moved[second]);
            let made = if first == second {
                let far = (self.made >> first & open) >> first;
                blots & (one | (one & open) >> first) | empty & (self.made >> first | far)
            } else {
                let both = (one & open) >> second | (two & open) >> first;
                blots & (one | two | both) | empty & one & two
            };
            made as u32
        })
    }

    /// How many made points stand in a row at most, and the last of them; of several such rows the
    /// last one.
    fn longest_prime(&self) -> (i32, i32) {
        let (mut row, mut longest) = (self.made, 0);
        let mut first = 0;
        while row != 0 {
            longest += 1;
            first = row.ilog2() as i32;
            row &= row >> 1;
        }
        (longest, if longest == 0 { 0 } else { first + longest - 1 })
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Backgammon, Game, Position};

    use super::*;
    use crate::side::derived;

    /// The numbers of the player on roll and of the opponent, on a board that holds these numbers
    /// of checkers.
    fn numbers(checkers: &[(usize, i8)]) -> [Vec<i8>; 2] {
        let out = derived(checkers, append, layout());
        let (player, opponent) = out.split_at(OF_SIDE.len());
        [player.to_vec(), opponent.to_vec()]
    }

    #[test]
    fn a_checker_behind_a_prime_leaps_with_the_rolls_that_reach_its_end() {
        let blocked = |points: &[usize]| points.iter().map(|pips| 1 << (pips - 1)).sum();
        // 7 pips or more: half of the throws without doubles, less two, and five doubles.
        assert_eq!(mobility(blocked(&[])).0, LEAPS as u8);
        assert_eq!(mobility(blocked(&[])).1, 294);
        // Behind five points in a row there is but a 6 to begin with: 6-1 to 6-5, and 6-6.
        assert_eq!(mobility(blocked(&[1, 2, 3, 4, 5])).0, 11);
        assert_eq!(mobility(blocked(&[1, 2, 3, 4, 5])).1, 2 * (7 + 8 + 9 + 10 + 11) + 24);
        // Where the 6 ends twelve away, 6-6 stops at once.
        assert_eq!(mobility(blocked(&[1, 2, 3, 4, 5, 12])).0, 10);
        assert_eq!(mobility(blocked(&[1, 2, 3, 4, 5, 6])).1, 0);
    }

    #[test]
    fn the_start_position_looks_the_same_from_both_sides() {
        let mut found = Vec::new();
        let sides = Side::both(Backgammon::cells(&Position::STANDARD));
        append(&sides, &Side::both_shots(&sides), &mut found);
        assert_eq!(found[..OF_SIDE.len()], found[OF_SIDE.len()..]);
        // No blots and so no risk.
        assert_eq!(found[6..10], [0; 4]);
        // The 24 and 13 points, two checkers behind, a point at home, no prime but single points,
        // of which 24 is the last, three checkers to spare on 6 and 13 and one on 8.
        assert_eq!(found[12..20], [12, 1, 2, 1, 1, 24, 7, 0]);
        assert_eq!(found[21..23], [20, 24]);
        // All but 5-5 enter.
        assert_eq!(found[27], 35);
    }

    #[test]
    fn blots_are_at_risk_where_the_other_side_hits_them() {
        // Opponents move up: those on 9 and 11 have passed.
        let [player, _] = numbers(&[(5, 1), (9, -2), (11, -1)]);
        assert_eq!(player[6..10], [0; 4]);
        // Six away from two checkers: 17 throws, and what has come to 7 loses 18 pips.
        let [player, _] = numbers(&[(7, 1), (1, -2)]);
        assert_eq!(player[6..10], [17, 0, 0, 15]);
        // In the home board, three and four away: 14 throws hit the one, 15 the other, and of these
        // 4-3, 3-1 and 1-1 have the choice.
        let [player, _] = numbers(&[(4, 1), (5, 1), (1, -2)]);
        assert_eq!(player[7], 5, "{player:?}");
        assert_eq!(player[6], 14 + 15 - player[7]);
        assert_eq!(player[8], player[6]);
    }

    #[test]
    fn rolls_that_make_points_use_spare_checkers() {
        // Two spares on 8 and 6 make the 5 point with 3-1, the 4 point with 4-2, and so on.
        let [player, _] = numbers(&[(8, 3), (6, 3)]);
        // 4-2, 3-1, 5-3 and 6-4 bring both together at home; 1-1, 2-2, 3-3, 4-4 bring two from one
        // point.
        let unlike = 2 * 4;
        let doubles = player[24] - unlike;
        assert!((3..=6).contains(&doubles), "{player:?}");
        // Nothing with a checker on the bar.
        let [player, _] = numbers(&[(8, 3), (6, 3), (25, 1)]);
        assert_eq!(player[24..27], [0; 3]);
    }

    #[test]
    fn primes_and_what_they_hold() {
        let prime = [(4, 2), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2)];
        let [player, opponent] = numbers(&[&prime[..], &[(3, -1)]].concat());
        assert_eq!(player[16..18], [6, 9]);
        // The opponent's last checker stands right behind it.
        assert_eq!(opponent[0], 0);
        assert_eq!(opponent[2..4], [0, 0]);
        let [_, free] = numbers(&[&prime[..], &[(12, -1)]].concat());
        assert_eq!(free[0], LEAPS);
        // A checker that was hit would be held, though none is.
        assert_eq!(free[2..4], [0, LEAPS]);
    }
}
