//! The checkers of one side of a backgammon board, for the cells that encoders derive.
//!
//! Afterstates come by the hundred thousand a second, so counts are summed over all places at
//! once and points are bits, in loops without branches that compilers turn into vectors. All of it
//! is inlined into [`Kernel::derive_cells`](crate::kernel::Kernel::derive_cells), which has the
//! instructions of the processor.

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
    #[inline(always)]
    pub(crate) fn both(
        cells: &[i8],
        at_least: impl Fn(&[i8; PLACES], i8) -> u32 + Copy,
    ) -> [Self; 2] {
        let cells: &[i8; BAR + 1] = cells.first_chunk().expect("a backgammon board");
        let (mut player, mut opponent) = ([0; PLACES], [0; PLACES]);
        for place in 0..BAR + 1 {
            player[place] = cells[place];
            opponent[BAR - place] = -cells[place];
        }
        [Self::new(&player, at_least), Self::new(&opponent, at_least)]
    }

    /// `cells` has the checkers of the side, and those of the other side below zero.
    #[inline(always)]
    fn new(cells: &[i8; PLACES], at_least: impl Fn(&[i8; PLACES], i8) -> u32) -> Self {
        let mut counts = [0; PLACES];
        for (count, cell) in counts.iter_mut().zip(cells) {
            *count = i16::from(*cell).max(0);
        }
        let pips = counts.iter().zip(PIPS).map(|(&count, pips)| i32::from(count) * i32::from(pips));
        Self {
            counts,
            checkers: at_least(cells, 1),
            made: at_least(cells, 2) & POINTS,
            stacks: at_least(cells, 3) & POINTS,
            pips: pips.sum(),
        }
    }

    /// Checkers on the bar.
    #[inline(always)]
    pub(crate) fn bar(&self) -> i16 {
        self.counts[BAR]
    }

    /// The place of the last checker, 25 on the bar, 0 if all are off.
    #[inline(always)]
    pub(crate) fn last(&self) -> u32 {
        self.checkers.checked_ilog2().unwrap_or(0)
    }

    /// The place of the last checker but those that stand with the last one, 0 if there is none.
    #[inline(always)]
    pub(crate) fn next(&self) -> u32 {
        (self.checkers & !(1 << self.last())).checked_ilog2().unwrap_or(0)
    }

    #[inline(always)]
    pub(crate) fn blots(&self) -> u32 {
        self.checkers & !self.made & POINTS
    }
}

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

/// Bits of the places with at least `least` checkers of the side.
#[inline(always)]
pub(crate) fn at_least(cells: &[i8; PLACES], least: i8) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut bits = 0;
    for (eight, cells) in cells.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(cells.map(|cell| cell as u8));
        // The highest bit of each byte: whether the others are large enough, and no sign.
        let enough = ((word & (0x7f * ONES)) + (0x80 - u64::from(least.unsigned_abs())) * ONES)
            & !word
            & (0x80 * ONES);
        // The product gathers them in the highest byte.
        bits |= ((enough >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * eight)) as u32;
    }
    bits
}

/// Bits of the points from `first` to `last`.
pub(crate) const fn zone(first: u32, last: u32) -> u32 {
    (2 << last) - (1 << first)
}

/// The points as the other side counts them.
#[inline(always)]
pub(crate) fn mirror(points: u32) -> u32 {
    points.reverse_bits() >> 6
}

/// What `append` writes of a board that holds these numbers of checkers, which must keep within
/// `layout`.
#[cfg(test)]
pub(crate) fn derived(
    checkers: &[(usize, i8)],
    append: fn(&[Side; 2], &[crate::rolls::Shots; 2], &mut Vec<i8>),
    layout: impl Iterator<Item = tavola_rules::Cell>,
) -> Vec<i8> {
    let mut cells = [0; 28];
    for &(place, count) in checkers {
        cells[place] = count;
    }
    let sides = Side::both(&cells, at_least);
    let mut out = Vec::new();
    append(&sides, &Side::both_shots(&sides), &mut out);
    assert!(out.iter().zip(layout).all(|(x, cell)| (cell.min..=cell.max).contains(x)));
    out
}
