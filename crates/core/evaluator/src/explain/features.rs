//! What players see in a position: points, primes, what can be played without giving them up.

use schemars::JsonSchema;
use serde::Serialize;
use tavola_rules::Position;

/// The fewest points in a row that are called a prime.
const PRIME: usize = 4;

/// What a side has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Side {
    /// Points with two checkers or more, as their owner numbers them, the highest first.
    pub points: Vec<u8>,
    /// The lowest and the highest point of the longest row of four points or more.
    pub prime: Option<[u8; 2]>,
    /// The point of the last checker, 25 on the bar, 0 if all are off.
    pub last: u8,
    /// Checkers on the bar.
    pub bar: u8,
    /// Checkers borne off.
    pub off: u8,
    /// What all checkers have to go.
    pub pips: u32,
    /// The most pips that can be played before a point of the own home board, of the prime or an
    /// anchor has to break, if nothing is hit or in the way.
    pub free: u32,
    /// Checkers that are not yet in the home board.
    pub outside: u8,
    /// Points of the home board without a checker, below the one of the last checker.
    pub gaps: Vec<u8>,
}

/// What a play does, and what both sides have after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Features {
    /// Points that the play makes.
    pub made: Vec<u8>,
    /// Points that it gives up.
    pub given_up: Vec<u8>,
    /// Checkers that it hits.
    pub hit: u8,
    /// Whether the sides have not yet passed each other.
    pub contact: bool,
    /// The player who makes the play.
    pub player: Side,
    /// The opponent, who numbers points from the other side.
    pub opponent: Side,
}

impl Features {
    /// Of a play, by the position before it, seen by the player, and the one after it, seen by the
    /// opponent.
    pub fn of(before: &Position, after: &Position) -> Self {
        let (earlier, player) = (Side::of(before), Side::of(&after.flip()));
        let lacking = |these: &Side, others: &Side| {
            let points = these.points.iter().filter(|point| !others.points.contains(point));
            points.copied().collect()
        };
        Self {
            made: lacking(&player, &earlier),
            given_up: lacking(&earlier, &player),
            hit: after.bar() - before.opponent_bar(),
            contact: after.has_contact(),
            player,
            opponent: Side::of(after),
        }
    }
}

/// Points in a list.
pub fn listed(points: &[u8]) -> String {
    points.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

impl Side {
    /// Of the player on roll.
    fn of(position: &Position) -> Self {
        let held = |point: usize| position.point(point) > 1;
        let points: Vec<u8> = (1..=24).rev().filter(|&it| held(it)).map(|it| it as u8).collect();
        let mut prime = None;
        let mut low = 1;
        for point in 1..=25 {
            if point == 25 || !held(point) {
                let longest =
                    prime.map_or(PRIME - 1, |[low, high]: [u8; 2]| usize::from(high - low) + 1);
                if point - low > longest {
                    prime = Some([low as u8, point as u8 - 1]);
                }
                low = point + 1;
            }
        }
        let last = match position.bar() {
            0 => (1..=24).rev().find(|&it| position.point(it) > 0).unwrap_or(0) as u8,
            _ => 25,
        };
        let in_prime = |point: u8| prime.is_some_and(|[low, high]| (low..=high).contains(&point));
        let is_kept = |point: u8| in_prime(point) || !(7..19).contains(&point);
        let kept: u32 =
            points.iter().filter(|&&it| is_kept(it)).map(|&it| 2 * (u32::from(it) - 1)).sum();
        let all: u32 = (1..=24)
            .map(|point| {
                u32::from(position.point(point).max(0).unsigned_abs()) * (point as u32 - 1)
            })
            .sum();
        let at_home: u8 = (1..=6).map(|it| position.point(it).max(0) as u8).sum();
        let gaps = (1..=6).rev().filter(|&it| it < last && position.point(it.into()) < 1);
        Self {
            points,
            outside: position.checkers() - position.off() - at_home,
            gaps: gaps.collect(),
            prime,
            last,
            bar: position.bar(),
            off: position.off(),
            pips: position.pip_count(),
            free: all - kept + 24 * u32::from(position.bar()),
        }
    }

    /// How many points of the own home board are held.
    pub fn home(&self) -> usize {
        self.points.iter().filter(|&&point| point <= 6).count()
    }

    /// The length of the prime, if a checker of the other side is behind it.
    pub fn prime_before(&self, other: &Self) -> Option<u8> {
        let [low, high] = self.prime?;
        (other.last > 25 - low).then_some(high - low + 1)
    }

    /// The points that are held in the opponent's home board.
    pub fn anchors(&self) -> Vec<u8> {
        self.points.iter().copied().filter(|&point| point >= 19).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_row_of_four_points_is_a_prime() {
        let own = [(24, 2), (9, 2), (8, 2), (7, 2), (6, 2), (5, 2), (3, 2), (2, 1)];
        let side = Side::of(&Position::from_points(&own, &[(12, 2)], 15).unwrap());
        assert_eq!(side.points, [24, 9, 8, 7, 6, 5, 3]);
        assert_eq!((side.prime, side.home(), side.anchors()), (Some([5, 9]), 3, vec![24]));
        // All but the blot on 2 is kept: it may step down to 1.
        assert_eq!((side.free, side.pips), (1, 48 + 70 + 6 + 2));
        let three = [(6, 2), (5, 2), (4, 2), (13, 3)];
        let side = Side::of(&Position::from_points(&three, &[], 15).unwrap());
        assert_eq!((side.prime, side.free, side.off), (None, 36, 6));
        let closed: Vec<(usize, u8)> = (1..=6).map(|point| (point, 2)).collect();
        let side = Side::of(&Position::from_points(&closed, &[(25, 1)], 15).unwrap());
        assert_eq!((side.prime, side.home(), side.free), (Some([1, 6]), 6, 0));
        let on = |point| Side::of(&Position::from_points(&[(point, 1)], &[], 15).unwrap());
        assert_eq!((side.prime_before(&on(25)), side.prime_before(&on(24))), (Some(6), None));
    }

    #[test]
    fn what_a_play_makes_gives_up_and_hits_is_told() {
        let before =
            Position::from_points(&[(8, 3), (6, 4), (13, 2)], &[(20, 1), (1, 2)], 15).unwrap();
        // 8/5* 6/5, the opponent's blot is on their 20.
        let after =
            Position::from_points(&[(8, 2), (6, 3), (5, 2), (13, 2)], &[(25, 1), (1, 2)], 15);
        let features = Features::of(&before, &after.unwrap().flip());
        assert_eq!((features.made, features.given_up), (vec![5], vec![]));
        assert_eq!((features.hit, features.opponent.bar, features.contact), (1, 1, true));
        assert_eq!(features.player.points, [13, 8, 6, 5]);
    }
}
