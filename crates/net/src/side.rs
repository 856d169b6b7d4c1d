//! The checkers of one side of a backgammon board, for the cells that encoders derive.

/// Bits of the points 1 to 24.
pub(crate) const POINTS: u64 = 0x1ff_fffe;

/// The checkers of one side as its owner sees them: place 25 is the bar, and checkers move down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    /// Checkers on each place.
    pub(crate) counts: [u8; 26],
    /// Where there is a checker.
    pub(crate) checkers: u64,
    /// Points with two or more.
    pub(crate) made: u64,
    /// Checkers on the bar.
    pub(crate) bar: i8,
    pub(crate) pips: i32,
}

impl Side {
    /// The player on roll and the opponent.
    pub(crate) fn both(cells: &[i8]) -> [Self; 2] {
        let none = Self { counts: [0; 26], checkers: 0, made: 0, bar: 0, pips: 0 };
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
        self.counts[usize::from(place)] = count.unsigned_abs();
        self.checkers |= 1 << place;
        self.made |= u64::from(count > 1) << place & POINTS;
        self.bar += if place == 25 { count } else { 0 };
        self.pips += i32::from(place) * i32::from(count);
    }

    /// The place of the last checker, 25 on the bar, 0 if all are off.
    pub(crate) fn last(&self) -> u32 {
        self.checkers.checked_ilog2().unwrap_or(0)
    }

    /// The place of the last checker but those that stand with the last one, 0 if there is none.
    pub(crate) fn next(&self) -> u32 {
        (self.checkers & !(1 << self.last())).checked_ilog2().unwrap_or(0)
    }

    pub(crate) fn blots(&self) -> u64 {
        self.checkers & !self.made & POINTS
    }

    /// Which of the other side's blots each roll can hit: the shots of the player on roll and those
    /// of the opponent, each as they see them who hit.
    pub(crate) fn both_shots([player, opponent]: &[Self; 2]) -> [OfRolls; 2] {
        [(player, opponent), (opponent, player)]
            .map(|(side, other)| side.shots(mirror(other.made), mirror(other.blots())))
    }

    /// Which of `blots`, as this side sees them, each of the rolls can hit, each for itself; the
    /// points in `blocked` are closed. With two or more on the bar only entering checkers are
    /// looked at.
    fn shots(&self, blocked: u64, blots: u64) -> OfRolls {
        if blots == 0 {
            return OfRolls([0; 21]);
        }
        let open = POINTS & !blocked;
        let on_board = self.checkers & POINTS;
        // By which dice a checker hits at once, and where the dice lead otherwise.
        let movable = if self.bar == 0 { on_board } else { 1 << 25 };
        let moved: [u64; 7] = std::array::from_fn(|die| movable >> die);
        let goes_on: [u64; 7] = std::array::from_fn(|die| {
            let landed = moved[die] & open;
            match self.bar {
                0 => landed,
                1 if landed != 0 => on_board | landed,
                _ => 0,
            }
        });
        OfRolls::new(|first, second| {
            let reached = match first == second {
                true => self.reached_by_double(first, open),
                false => {
                    let direct = moved[first] | moved[second];
                    direct | goes_on[first] >> second | goes_on[second] >> first
                }
            };
            (reached & blots) as u32
        })
    }

    /// Where a double leads on the way and at last.
    fn reached_by_double(&self, die: usize, open: u64) -> u64 {
        let (mut movable, mut reached, mut moves) = (self.checkers & POINTS, 0, 4);
        if self.bar > 0 {
            let entered = (1u64 << 25 >> die) & open;
            if entered == 0 || self.bar > 1 {
                return entered;
            }
            movable |= entered;
            reached = entered;
            moves = 3;
        }
        for _ in 0..moves {
            movable = movable >> die & open;
            reached |= movable;
        }
        reached
    }
}

/// Points, as bits, that each of the 21 rolls does something to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfRolls(pub(crate) [u32; 21]);

impl OfRolls {
    /// Asks for each roll, the larger die first.
    #[inline]
    pub(crate) fn new(points: impl Fn(usize, usize) -> u32) -> Self {
        let mut of_rolls = [0; 21];
        for (of_roll, (first, second)) in of_rolls.iter_mut().zip(ROLLS) {
            *of_roll = points(first, second);
        }
        Self(of_rolls)
    }

    /// How many of the 36 throws do something of which `counts` says so.
    #[inline]
    pub(crate) fn throws(&self, counts: impl Fn(u32) -> bool) -> i32 {
        let throws = self.0.iter().zip(THROWS);
        throws.map(|(&points, throws)| if counts(points) { throws } else { 0 }).sum()
    }
}

/// The 21 rolls, the larger die first.
pub(crate) const ROLLS: [(usize, usize); 21] = {
    let mut rolls = [(0, 0); 21];
    let (mut i, mut first) = (0, 1);
    while first <= 6 {
        let mut second = 1;
        while second <= first {
            rolls[i] = (first, second);
            i += 1;
            second += 1;
        }
        first += 1;
    }
    rolls
};

/// How many of the 36 throws make each roll.
pub(crate) const THROWS: [i32; 21] = {
    let mut throws = [2; 21];
    let mut i = 0;
    while i < 21 {
        throws[i] = if ROLLS[i].0 == ROLLS[i].1 { 1 } else { 2 };
        i += 1;
    }
    throws
};

/// The points as the other side counts them.
pub(crate) fn mirror(points: u64) -> u64 {
    points.reverse_bits() >> 38
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
