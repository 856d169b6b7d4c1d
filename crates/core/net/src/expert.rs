//! What players say of a backgammon position, as further cells: numbers that matter by their size.
//!
//! How hard it is for the last checkers to escape, what the opponent's next roll can hit and what
//! that would cost, which rolls make points, what can be played before a structure breaks. Networks
//! have been fed such numbers since Neurogammon (Tesauro 1990) and gnubg's are, and a network that
//! sees only points and patterns does not find them by itself: see "what gnubg's network knows" in
//! `docs/log/learning.md`. Each is one feature, so that what is learned of one size holds for all.

use std::hint::black_box;
use std::sync::LazyLock;

use tavola_rules::{Cell, CellKind};

use crate::rolls::Shots;
use crate::side::{BAR, OfPlaces, PIPS, PLACES, Side, zone};

/// Rolls that get a checker seven pips or farther with nothing in its way.
const LEAPS: i16 = 23;

/// What each of the two sides' cells is, in the order of [`Side::expert`], and the largest value.
const OF_SIDE: [i16; 28] = [
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
    let side = OF_SIDE.map(|max| Cell { kind: CellKind::Measure, min: 0, max: max as i8 });
    side.into_iter().chain(side)
}

/// Appends the numbers of the player on roll and those of the opponent.
#[inline(always)]
pub(crate) fn append([player, opponent]: &[Side; 2], shots: &[Shots; 2], out: &mut Vec<i8>) {
    out.extend(player.expert(opponent, &shots[1]));
    out.extend(opponent.expert(player, &shots[0]));
}

/// How a single checker moves with a roll, summed over the 36 throws, for each set of blocked
/// points among the twelve before it, the nearest in the lowest bit.
#[derive(Clone, Copy)]
struct Mobility {
    /// Throws that get it seven pips or farther: past a prime right before it.
    leaps: i16,
    /// Pips that it can move at most.
    pips: i16,
}

static MOBILITY: LazyLock<[Mobility; AHEAD as usize + 1]> =
    LazyLock::new(|| std::array::from_fn(|blocked| mobility(blocked as u32)));

/// Bits of the twelve points that a roll of two unlike dice may reach.
const AHEAD: u32 = 0xfff;

fn mobility(blocked: u32) -> Mobility {
    let is_free = |pips: usize| pips > 12 || blocked >> (pips - 1) & 1 == 0;
    let mut sum = Mobility { leaps: 0, pips: 0 };
    let mut add = |throws: i16, pips: usize| {
        sum.leaps += if pips > 6 { throws } else { 0 };
        sum.pips += throws * pips as i16;
    };
    for (first, second) in (2..=6).flat_map(|first| (1..first).map(move |second| (first, second))) {
        let pips = match (is_free(first), is_free(second)) {
            (false, false) => 0,
            _ if is_free(first + second) => first + second,
            (true, _) => first,
            (false, true) => second,
        };
        add(2, pips);
    }
    for die in 1..=6 {
        add(1, die * (1..=4).take_while(|moves| is_free(moves * die)).count());
    }
    sum
}

/// What a checker on each place counts for.
struct OfPlace {
    pips: OfPlaces,
    /// Pips that it needs to come home.
    to_home: OfPlaces,
    /// The same, between the home boards alone.
    outside: OfPlaces,
    /// A one in the opponent's home board and on the bar.
    back: OfPlaces,
}

/// Read through a [`black_box`], because a compiler that knows these numbers makes a line of code of
/// each place.
static OF_PLACES: OfPlace = {
    let [mut to_home, mut outside, mut back] = [[0; PLACES]; 3];
    let mut place = 7;
    while place <= BAR {
        to_home[place] = PIPS[place] - 6;
        if place <= 18 {
            outside[place] = to_home[place];
        } else {
            back[place] = 1;
        }
        place += 1;
    }
    OfPlace { pips: PIPS, to_home, outside, back }
};

impl Side {
    /// `shots` are those of the other side.
    #[inline(always)]
    fn expert(&self, other: &Self, shots: &Shots) -> [i8; OF_SIDE.len()] {
        let mobility = &*MOBILITY;
        // What a checker there has before it; one that is off has nothing.
        let from = |place: usize| mobility[(other.made >> (BAR + 1 - place) & AHEAD) as usize];
        let leaps = |place: usize| if place == 0 { LEAPS } else { from(place).leaps };
        let (last, next) = (self.last() as usize, self.next() as usize);
        let (mut leaps_of, mut pips_of) = ([LEAPS; PLACES], [0; PLACES]);
        for place in 7..BAR + 1 {
            let Mobility { leaps, pips } = from(place);
            (leaps_of[place], pips_of[place]) = (leaps, pips);
        }
        let (mut hardest, mut hardest_on_way) = (LEAPS, LEAPS);
        let (mut movable, mut leaping) = (0, 0);
        let (passed_from, mean) = (25 - other.last() as i16, (self.pips / 15) as i16);
        let (mut outside, mut behind, mut back, mut passed, mut to_home) = (0, 0, 0, 0, 0);
        let mut spares = 0;
        let of_places = black_box(&OF_PLACES);
        for (place, &count) in self.counts.iter().enumerate() {
            let pips = of_places.pips[place];
            outside += count * of_places.outside[place];
            behind += count * (pips - mean).max(0).pow(2);
            back += count * of_places.back[place];
            passed += if pips < passed_from { count * pips } else { 0 };
            to_home += count * of_places.to_home[place];
            spares += (count - 2).max(0);
            hardest = hardest.min(leaps_of[place]);
            hardest_on_way =
                hardest_on_way.min(if pips <= last as i16 { leaps_of[place] } else { LEAPS });
            movable += count * pips_of[place];
            leaping += if pips > 12 { count * leaps_of[place] } else { 0 };
        }
        let new_points = self.new_points(other);
        let anchors = self.made & zone(13, 24);
        let (longest, end) = self.longest_prime();
        let closed = (other.made & zone(1, 6)).count_ones() as i16;
        let on = |places: u32| (self.made & places).count_ones() as i16;
        let values = [
            leaps(last),
            leaps(next),
            hardest,
            hardest_on_way,
            movable / 90,
            leaping / 8,
            shots.hits,
            shots.choices,
            shots.home,
            shots.cost / 20,
            outside / 4,
            behind / 30,
            anchors.checked_ilog2().map_or(0, |place| place as i16 - 12),
            if anchors == 0 { 0 } else { anchors.trailing_zeros() as i16 - 12 },
            back,
            on(zone(1, 6)),
            longest,
            end,
            spares,
            self.blots().count_ones() as i16,
            passed / 8,
            (self.pips / 8) as i16,
            last as i16,
            to_home / 6,
            new_points.home,
            new_points.blockade,
            new_points.anchors,
            36 - closed * closed,
        ];
        let mut measures = [0; OF_SIDE.len()];
        for ((measure, value), largest) in measures.iter_mut().zip(values).zip(OF_SIDE) {
            *measure = value.max(0).min(largest) as i8;
        }
        measures
    }

    /// How many made points stand in a row at most, and the last of them; of several such rows the
    /// last one.
    #[inline(always)]
    fn longest_prime(&self) -> (i16, i16) {
        let (mut row, mut longest) = (self.made, 0);
        let mut first = 0;
        while row != 0 {
            longest += 1;
            first = row.ilog2() as i16;
            row &= row >> 1;
        }
        (longest, if longest == 0 { 0 } else { first + longest - 1 })
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Backgammon, Game, Position};

    use super::*;
    use crate::side::{at_least, derived};

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
        assert_eq!(mobility(blocked(&[])).leaps, LEAPS);
        assert_eq!(mobility(blocked(&[])).pips, 294);
        // Behind five points in a row there is but a 6 to begin with: 6-1 to 6-5, and 6-6.
        assert_eq!(mobility(blocked(&[1, 2, 3, 4, 5])).leaps, 11);
        assert_eq!(mobility(blocked(&[1, 2, 3, 4, 5])).pips, 2 * (7 + 8 + 9 + 10 + 11) + 24);
        // Where the 6 ends twelve away, 6-6 stops at once.
        assert_eq!(mobility(blocked(&[1, 2, 3, 4, 5, 12])).leaps, 10);
        assert_eq!(mobility(blocked(&[1, 2, 3, 4, 5, 6])).pips, 0);
    }

    #[test]
    fn the_start_position_looks_the_same_from_both_sides() {
        let mut found = Vec::new();
        let sides = Side::both(Backgammon::cells(&Position::STANDARD), at_least);
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
        // 4-2, 3-1, 5-3 and 6-4 bring both together at home; every double brings two from one point.
        let unlike = 2 * 4;
        let doubles = player[24] - unlike;
        assert_eq!(doubles, 6, "{player:?}");
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
        assert_eq!(free[0], LEAPS as i8);
        // A checker that was hit would be held, though none is.
        assert_eq!(free[2..4], [0, LEAPS as i8]);
    }
}
