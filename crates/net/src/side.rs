//! The checkers of one side of a backgammon board, for the cells that encoders derive.
//!
//! Afterstates come by the hundred thousand a second, so counts are summed over all places at
//! once and points are bits, in loops without branches that compilers turn into vectors.

/// The places of a side, padded to whole vectors: 1 to 24 are the points, [`BAR`] is the bar, and
/// the others stay empty.
pub(crate) const PLACES: usize = 32;

/// The place of a side's bar.
pub(crate) const BAR: usize = 25;

/// Bits of the points 1 to 24.
pub(crate) const POINTS: u32 = 0x1ff_fffe;

/// A number for each place.
pub(crate) type OfPlaces = [i16; PLACES];

/// The checkers of one side as its owner sees them: checkers move down.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// Checkers on each place.
    pub(crate) counts: OfPlaces,
    /// Where there is a checker.
    pub(crate) checkers: u32,
    /// Points with two or more.
    pub(crate) made: u32,
    /// Points with three or more.
    pub(crate) stacks: u32,
    pub(crate) pips: i32,
}

impl Side {
    /// The player on roll and the opponent.
    #[inline]
    pub(crate) fn both(cells: &[i8]) -> [Self; 2] {
        let cells: &[i8; BAR + 1] = cells.first_chunk().expect("a backgammon board");
        let (mut player, mut opponent) = ([0; PLACES], [0; PLACES]);
        for place in 0..BAR + 1 {
            player[place] = cells[place];
            opponent[BAR - place] = -cells[place];
        }
        [Self::new(&player), Self::new(&opponent)]
    }

    /// `cells` has the checkers of the side, and those of the other side below zero.
    #[inline]
    fn new(cells: &[i8; PLACES]) -> Self {
        let mut counts = [0; PLACES];
        for (count, cell) in counts.iter_mut().zip(cells) {
            *count = i16::from(*cell).max(0);
        }
        let mut side = Self {
            counts,
            checkers: at_least::<1>(cells),
            made: at_least::<2>(cells) & POINTS,
            stacks: at_least::<3>(cells) & POINTS,
            pips: 0,
        };
        side.pips = side.sum(&PIPS);
        side
    }

    /// What the checkers count for together, each as much as its place says.
    #[inline]
    pub(crate) fn sum(&self, of_places: &OfPlaces) -> i32 {
        let products = self.counts.iter().zip(of_places);
        products.map(|(&count, &each)| i32::from(count) * i32::from(each)).sum()
    }

    /// Checkers on the bar.
    pub(crate) fn bar(&self) -> i16 {
        self.counts[BAR]
    }

    /// The place of the last checker, 25 on the bar, 0 if all are off.
    pub(crate) fn last(&self) -> u32 {
        self.checkers.checked_ilog2().unwrap_or(0)
    }

    /// The place of the last checker but those that stand with the last one, 0 if there is none.
    pub(crate) fn next(&self) -> u32 {
        (self.checkers & !(1 << self.last())).checked_ilog2().unwrap_or(0)
    }

    pub(crate) fn blots(&self) -> u32 {
        self.checkers & !self.made & POINTS
    }

    /// Which of the other side's blots each roll can hit: the shots of the player on roll and those
    /// of the opponent, each as they see them who hit.
    pub(crate) fn both_shots([player, opponent]: &[Self; 2]) -> [OfRolls; 2] {
        [player.shots(opponent), opponent.shots(player)]
    }

    /// Which of the other side's blots, as this side sees them, each of the rolls can hit, each for
    /// itself. With two or more on the bar only entering checkers are looked at.
    #[inline]
    fn shots(&self, other: &Self) -> OfRolls {
        let (blocked, blots) = (mirror(other.made), mirror(other.blots()));
        if blots == 0 {
            return OfRolls::NONE;
        }
        let open = POINTS & !blocked;
        let on_board = self.checkers & POINTS;
        // By which dice a checker hits at once, and where the dice lead otherwise.
        let movable = if self.bar() == 0 { on_board } else { 1 << BAR };
        let moved = by_die(movable);
        let mut goes_on = moved;
        for places in &mut goes_on {
            let landed = *places & open;
            *places = match self.bar() {
                0 => landed,
                1 if landed != 0 => on_board | landed,
                _ => 0,
            };
        }
        let far = by_second_die(&goes_on);
        OfRolls::new(
            |first, second| {
                blots & (moved[first] | moved[second] | far[first][second] | far[second][first])
            },
            |die| blots & self.reached_by_double(die, open),
        )
    }

    /// Where a double leads on the way and at last.
    #[inline(always)]
    fn reached_by_double(&self, die: usize, open: u32) -> u32 {
        let (mut movable, mut reached, mut moves) = (self.checkers & POINTS, 0, 4);
        if self.bar() > 0 {
            let entered = ((1u32 << BAR) >> die) & open;
            if entered == 0 || self.bar() > 1 {
                return entered;
            }
            movable |= entered;
            reached = entered;
            moves = 3;
        }
        for _ in 0..moves {
            movable = (movable >> die) & open;
            reached |= movable;
        }
        reached
    }
}

/// A number for each die, from 1 on.
type OfDice<T> = [T; 8];

/// How many pips a checker on each place has to go.
pub(crate) const PIPS: OfPlaces = {
    let mut pips = [0; PLACES];
    let mut place = 0;
    while place <= BAR {
        pips[place] = place as i16;
        place += 1;
    }
    pips
};

/// Bits of the places with at least `LEAST` checkers of the side.
#[inline]
fn at_least<const LEAST: u64>(cells: &[i8; PLACES]) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut bits = 0;
    for (eight, cells) in cells.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(cells.map(|cell| cell as u8));
        // The highest bit of each byte: whether the others are large enough, and no sign.
        let enough = ((word & (0x7f * ONES)) + (0x80 - LEAST) * ONES) & !word & (0x80 * ONES);
        // The product gathers them in the highest byte.
        bits |= ((enough >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * eight)) as u32;
    }
    bits
}

/// Where each die leads to from these places.
#[inline]
pub(crate) fn by_die(places: u32) -> OfDice<u32> {
    let mut led = [places; 8];
    let mut die = 0;
    while die < 8 {
        led[die] = places >> die;
        die += 1;
    }
    led
}

/// Where a second die, the first index, leads to from the places of a first one, the second index.
#[inline]
pub(crate) fn by_second_die(places: &OfDice<u32>) -> OfDice<OfDice<u32>> {
    let mut led = [[0; 8]; 8];
    let mut die = 0;
    while die < 8 {
        let mut first = 0;
        while first < 8 {
            led[die][first] = places[first] >> die;
            first += 1;
        }
        die += 1;
    }
    led
}

/// Points, as bits, that each of the 21 rolls does something to: the 15 rolls of unlike dice and
/// the six doubles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfRolls {
    pub(crate) unlike: [u32; 15],
    pub(crate) doubles: [u32; 6],
}

impl OfRolls {
    pub(crate) const NONE: Self = Self { unlike: [0; 15], doubles: [0; 6] };

    /// Asks for each roll, of unlike dice the larger first.
    #[inline(always)]
    pub(crate) fn new(unlike: impl Fn(usize, usize) -> u32, double: impl Fn(usize) -> u32) -> Self {
        let mut of_rolls = Self::NONE;
        let mut roll = 0;
        while roll < 15 {
            of_rolls.unlike[roll] = unlike(UNLIKE[roll].0, UNLIKE[roll].1);
            roll += 1;
        }
        let mut die = 1;
        while die <= 6 {
            of_rolls.doubles[die - 1] = double(die);
            die += 1;
        }
        of_rolls
    }

    /// The sum over the 36 throws of what their points count for.
    #[inline(always)]
    pub(crate) fn sum(&self, each: impl Fn(u32) -> i16) -> i16 {
        let unlike: i16 = self.unlike.iter().map(|&points| each(points)).sum();
        let doubles: i16 = self.doubles.iter().map(|&points| each(points)).sum();
        2 * unlike + doubles
    }

    /// How many of the 36 throws do something of which `counts` says so.
    #[inline(always)]
    pub(crate) fn throws(&self, counts: impl Fn(u32) -> bool) -> i16 {
        self.sum(|points| i16::from(counts(points)))
    }
}

/// The rolls of unlike dice, the larger die first.
const UNLIKE: [(usize, usize); 15] = {
    let mut rolls = [(0, 0); 15];
    let (mut i, mut first) = (0, 2);
    while first <= 6 {
        let mut second = 1;
        while second < first {
            rolls[i] = (first, second);
            i += 1;
            second += 1;
        }
        first += 1;
    }
    rolls
};

/// The points as the other side counts them.
pub(crate) fn mirror(points: u32) -> u32 {
    points.reverse_bits() >> 6
}

/// What `append` writes of a board that holds these numbers of checkers, which must keep within
/// `layout`.
#[cfg(test)]
pub(crate) fn derived(
    checkers: &[(usize, i8)],
    append: fn(&[Side; 2], &[OfRolls; 2], &mut Vec<i8>),
    layout: impl Iterator<Item = tavola_rules::Cell>,
) -> Vec<i8> {
    let mut cells = [0; 28];
    for &(place, count) in checkers {
        cells[place] = count;
    }
    let sides = Side::both(&cells);
    let mut out = Vec::new();
    append(&sides, &Side::both_shots(&sides), &mut out);
    assert!(out.iter().zip(layout).all(|(x, cell)| (cell.min..=cell.max).contains(x)));
    out
}
