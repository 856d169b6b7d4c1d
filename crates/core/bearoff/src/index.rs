//! Numbering the positions of one side, and the moves between them.
//!
//! With c_p checkers on point p of n, let s_i = c_n + ... + c_(n-i+1), the checkers on the i
//! rearmost points. The numbers a_i = s_i + i - 1 rise strictly, so that they are a set, and the
//! combinatorial number system (Derrick Lehmer, "The machine tools of combinatorics", 1964) numbers
//! sets without gaps: rank = sum of C(a_i, i). Three properties make it the right order here:
//!
//! - The rank does not depend on the most checkers that are allowed: positions of up to k checkers
//!   are the first C(k+n, n).
//! - Every move lowers some s_i and raises none, so it lowers the rank.
//! - By how much is a sum over the points that the checker passes: moving it from p to q lowers
//!   the rank by the sum of C(a_i - 1, i - 1) over the points q+1 to p.

use crate::counts::Counts;
use crate::spec::MAX_POINTS;

/// Binomial coefficients C(n, k) at `[k][n]`, as far as ranks need them.
static CHOOSE: [[u32; 34]; 19] = {
    let mut choose = [[0; 34]; 19];
    let mut n = 0;
    while n < 34 {
        choose[0][n] = 1;
        let mut k = 1;
        while k < 19 && k <= n {
            choose[k][n] = choose[k - 1][n - 1] + choose[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    choose
};

/// Positions of up to `checkers` checkers on `points` points.
pub(crate) fn positions(points: u8, checkers: u8) -> u32 {
    CHOOSE[usize::from(points)][usize::from(points + checkers)]
}

/// The rank of a side with `on(point)` checkers on each point 1 to `points`, and how many these
/// are.
///
/// The sum must not be above 15.
#[inline]
pub(crate) fn rank(points: u8, on: impl Fn(usize) -> u8) -> (u32, u8) {
    let points = usize::from(points);
    let (mut sum, mut rank) = (0, 0);
    for i in 1..=points {
        sum += usize::from(on(points + 1 - i));
        rank += CHOOSE[i][sum + i - 1];
    }
    (rank, sum as u8)
}

/// The checkers of a rank.
pub(crate) fn unrank(points: u8, mut rank: u32) -> Counts {
    let points = usize::from(points);
    let mut counts = [0; MAX_POINTS as usize];
    let mut behind = 0;
    for i in (1..=points).rev() {
        // The largest a with C(a, i) <= rank.
        let a = CHOOSE[i].partition_point(|&size| size <= rank) - 1;
        rank -= CHOOSE[i][a];
        let sum = a + 1 - i;
        // s_i is met from the last on: the difference of neighbors is the count of a point.
        if i < points {
            counts[points - i - 1] = (behind - sum) as u8;
        }
        behind = sum;
    }
    counts[points - 1] = behind as u8;
    counts
}

/// Pips that a side has to go.
pub(crate) fn pips(counts: &Counts) -> usize {
    counts.iter().enumerate().map(|(i, &count)| (i + 1) * usize::from(count)).sum()
}

/// The single moves of a side: ranks that each die leads to.
pub(crate) struct Moves {
    points: usize,
    rank: u32,
    counts: Counts,
    /// What moving a checker from point p to the bottom takes off the rank, at index p.
    fall: [u32; MAX_POINTS as usize + 1],
    rearmost: usize,
}

impl Moves {
    /// The moves of the side with this rank.
    pub(crate) fn new(points: u8, rank: u32) -> Self {
        let counts = unrank(points, rank);
        let points = usize::from(points);
        let mut fall = [0; MAX_POINTS as usize + 1];
        let mut sum = 0;
        for i in 1..=points {
            let point = points + 1 - i;
            sum += usize::from(counts[point - 1]);
            // Without a checker at or behind the point nothing can pass it.
            fall[point] = if sum == 0 { 0 } else { CHOOSE[i - 1][sum + i - 2] };
        }
        for point in 1..=points {
            fall[point] += fall[point - 1];
        }
        let rearmost = (1..=points).rev().find(|&point| counts[point - 1] > 0).unwrap_or(0);
        Self { points, rank, counts, fall, rearmost }
    }

    /// Calls `visit` with the rank after each legal move of a `die`, and whether the move bears a
    /// checker off. A side with a checker always has one: no checker is in its way.
    pub(crate) fn visit(&self, die: usize, mut visit: impl FnMut(u32, Destination)) {
        let all_home = self.rearmost <= 6;
        for point in 1..=self.points {
            if self.counts[point - 1] == 0 {
                continue;
            }
            if point > die {
                visit(self.rank - (self.fall[point] - self.fall[point - die]), Destination::Point);
            } else if all_home && (point == die || point == self.rearmost) {
                visit(self.rank - self.fall[point], Destination::Off);
            }
        }
    }
}

/// Where a checker comes to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// On a point.
    Point,
    /// Off the board.
    Off,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tavola_rules::{Dice, Position, movegen};

    use super::*;

    #[test]
    fn every_rank_is_a_position_and_back() {
        for (points, checkers) in [(6, 15), (9, 4), (18, 3)] {
            let mut previous = 0;
            for expected in 0..positions(points, checkers) {
                let counts = unrank(points, expected);
                let (found, sum) = rank(points, |point| counts[point - 1]);
                assert_eq!(found, expected);
                assert!(sum <= checkers && sum >= previous, "more checkers have higher ranks");
                assert!(counts[usize::from(points)..].iter().all(|&count| count == 0));
                previous = sum;
            }
            assert_eq!(previous, checkers);
        }
    }

    /// All afterstates of a roll by single moves in any order, the game ending with the last
    /// checker.
    fn afterstates(points: u8, rank: u32, dice: Dice) -> BTreeSet<u32> {
        let (high, low) = (dice.high().into(), dice.low().into());
        let orders: Vec<Vec<usize>> = match dice.is_double() {
            true => vec![vec![high; 4]],
            false => vec![vec![high, low], vec![low, high]],
        };
        let mut all = BTreeSet::new();
        for order in orders {
            let mut reached = BTreeSet::from([rank]);
            for die in order {
                reached = reached
                    .into_iter()
                    .flat_map(|rank| {
                        let mut next = Vec::new();
                        Moves::new(points, rank).visit(die, |rank, _| next.push(rank));
                        if rank == 0 { vec![0] } else { next }
                    })
                    .collect();
            }
            all.extend(reached);
        }
        all
    }

    #[test]
    fn moves_lead_where_the_move_generator_leads() {
        let mut afterstates_of_rules = Vec::new();
        let mut compared = 0;
        // Each fifth, and a sample of positions that reach beyond the home.
        for (points, checkers, step) in [(6, 5, 5), (8, 15, 4001), (12, 6, 701)] {
            for position in (1..positions(points, checkers)).step_by(step) {
                let counts = unrank(points, position);
                let mut cells = [0; 26];
                for (i, &count) in counts.iter().enumerate() {
                    cells[i + 1] = count as i8;
                }
                cells[24] = -1;
                let board = Position::from_counts(&cells, 15).unwrap();
                for (dice, _) in Dice::ALL {
                    afterstates_of_rules.clear();
                    movegen::afterstates(&board, dice, &mut afterstates_of_rules);
                    let expected: BTreeSet<u32> = afterstates_of_rules
                        .iter()
                        .map(|p| rank(points, |point| -p.cells()[25 - point] as u8).0)
                        .collect();
                    assert_eq!(afterstates(points, position, dice), expected, "{board:?} {dice}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 5_000, "{compared}");
    }

    #[test]
    fn a_move_lowers_rank_and_pips_and_says_when_it_bears_off() {
        for position in 1..positions(7, 4) {
            let moves = Moves::new(7, position);
            let stand = unrank(7, position);
            let before: u8 = stand.iter().sum();
            for die in 1..=6 {
                moves.visit(die, |next, destination| {
                    assert!(next < position);
                    let counts = unrank(7, next);
                    let after: u8 = counts.iter().sum();
                    assert_eq!(destination == Destination::Off, after < before);
                    assert!(pips(&counts) < pips(&stand));
                });
            }
        }
    }
}
