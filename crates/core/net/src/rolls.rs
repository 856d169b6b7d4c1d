//! What the 21 rolls do for one side of a backgammon board, all rolls side by side.
//!
//! Each loop does the same to every roll, without branches, so that compilers make vectors of it:
//! places are bits of a number, and a die moves all of them at once.

use std::hint::black_box;

use crate::side::{BAR, POINTS, Side, mirror, zone};

/// The rolls, padded to whole vectors.
const ROLLS: usize = 32;

/// The dice of each roll: the 15 rolls of unlike dice, the six doubles, and behind them some that
/// count for nothing.
struct Rolls {
    first: [u32; ROLLS],
    second: [u32; ROLLS],
    /// All bits of a double, and none of other rolls.
    double: [u32; ROLLS],
    /// How many of the 36 throws are this roll.
    throws: [u32; ROLLS],
}

/// Read through a [`black_box`], because a compiler that knows these numbers makes a line of code of
/// each roll.
static ALL: Rolls = {
    // A die that moves everything off the board.
    let off = u32::BITS - 1;
    let mut all =
        Rolls { first: [off; ROLLS], second: [off; ROLLS], double: [0; ROLLS], throws: [0; ROLLS] };
    let (mut roll, mut first) = (0, 1);
    while first <= 6 {
        let mut second = 1;
        while second <= first {
            all.first[roll] = first;
            all.second[roll] = second;
            all.double[roll] = if first == second { u32::MAX } else { 0 };
            all.throws[roll] = if first == second { 1 } else { 2 };
            roll += 1;
            second += 1;
        }
        first += 1;
    }
    all
};

/// What of the 36 throws hit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shots {
    /// Throws that hit.
    pub(crate) hits: i16,
    /// Those that can hit one of several blots.
    pub(crate) choices: i16,
    /// Those that can hit in the home board of the side that is hit.
    pub(crate) home: i16,
    /// The pips that the blot which has come farthest loses, summed over the throws.
    pub(crate) cost: i16,
}

/// How many of the 36 throws make a point, where none was made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NewPoints {
    /// On the points 1 to 6.
    pub(crate) home: i16,
    /// On the points 4 to 9.
    pub(crate) blockade: i16,
    /// On the points 14 to 22.
    pub(crate) anchors: i16,
}

impl Side {
    /// The shots of the player on roll and those of the opponent.
    #[inline(always)]
    pub(crate) fn both_shots([player, opponent]: &[Self; 2]) -> [Shots; 2] {
        [player.shots(opponent), opponent.shots(player)]
    }

    /// The throws that hit the other side's blots, each for itself. With two or more on the bar only
    /// entering checkers are looked at.
    #[inline(always)]
    fn shots(&self, other: &Self) -> Shots {
        let (blocked, blots) = (mirror(other.made), mirror(other.blots()));
        if blots == 0 {
            return Shots::default();
        }
        let open = POINTS & !blocked;
        let on_board = self.checkers & POINTS;
        let movable = if self.bar() == 0 { on_board } else { 1 << BAR };
        // What moves on after a first die beside the checker that it has moved.
        let others = if self.bar() == 1 { on_board } else { 0 };
        let moves_on = if self.bar() > 1 { 0 } else { u32::MAX };
        let landed = |moved: u32| {
            let landed = moved & open;
            (landed | if landed == 0 { 0 } else { others }) & moves_on
        };
        let (mut hitting, mut choices, mut home, mut cost) = (0, 0, 0, 0);
        let all = black_box(&ALL);
        for roll in 0..ROLLS {
            let (first, second) = (all.first[roll], all.second[roll]);
            let (one, two) = (movable >> first, movable >> second);
            let both = landed(one) >> second | landed(two) >> first;
            let third = (both & open) >> first & all.double[roll];
            let fourth = (third & open) >> first;
            let hits = blots & (one | two | both | third | fourth);
            let throws = |counts: bool| if counts { all.throws[roll] } else { 0 };
            hitting += throws(hits != 0);
            choices += throws(hits & hits.wrapping_sub(1) != 0);
            home += throws(hits & zone(19, 24) != 0);
            // The last one as the side that hits sees it.
            cost += all.throws[roll] * (31 - (hits | 1).leading_zeros());
        }
        let [hits, choices, home, cost] = [hitting, choices, home, cost].map(|sum| sum as i16);
        Shots { hits, choices, home, cost }
    }

    /// The throws that make points. None with a checker on the bar.
    #[inline(always)]
    pub(crate) fn new_points(&self, other: &Self) -> NewPoints {
        if self.bar() > 0 {
            return NewPoints::default();
        }
        let open = POINTS & !mirror(other.made);
        // Checkers that leave no made point behind.
        let spare = self.blots() | self.stacks;
        let (blots, empty) = (self.blots(), open & !self.checkers);
        let (mut home, mut blockade, mut anchors) = (0, 0, 0);
        let all = black_box(&ALL);
        for roll in 0..ROLLS {
            let (first, second, double) = (all.first[roll], all.second[roll], all.double[roll]);
            let (one, two) = (spare >> first, spare >> second);
            let both = (one & open) >> second | (two & open) >> first;
            // A double brings both checkers of a point.
            let pair = self.made >> first;
            let twice = (pair & open) >> first;
            let together = (pair | twice) & double | one & two & !double;
            let made = blots & (one | two | both) | empty & together;
            let throws = |points: u32| if made & points != 0 { all.throws[roll] } else { 0 };
            home += throws(zone(1, 6));
            blockade += throws(zone(4, 9));
            anchors += throws(zone(14, 22));
        }
        let [home, blockade, anchors] = [home, blockade, anchors].map(|sum: u32| sum as i16);
        NewPoints { home, blockade, anchors }
    }
}
