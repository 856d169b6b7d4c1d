//! What the games of a duel add up to.

use serde::{Deserialize, Serialize};
use tavola_evaluator::Estimate;
use tavola_rules::Outcome;

/// The two games of a pair: the same dice with the seats swapped. Outcomes are from player a,
/// and `None` for a game that was given up as too long, which counts as no points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairResult {
    /// Number of the pair, counted from 0.
    pub pair: u64,
    /// How the game ended in which a began.
    pub a_first: Option<Outcome>,
    /// How the game ended in which b began.
    pub b_first: Option<Outcome>,
    /// The luck that a had with the dice in both games together, in points, if there was a judge
    /// to tell.
    pub luck: Option<f64>,
}

impl PairResult {
    /// Points won by a in both games together.
    pub fn points(&self) -> i32 {
        [self.a_first, self.b_first].into_iter().flatten().map(Outcome::points).sum()
    }

    /// Those points less the luck, which have the same expectation.
    pub fn points_without_luck(&self) -> Option<f64> {
        self.luck.map(|luck| f64::from(self.points()) - luck)
    }
}

/// What counts of a pair, whatever was played for.
pub trait PairScore: Clone + Send + Sync {
    /// Number of the pair, counted from 0.
    fn number(&self) -> u64;

    /// Points of a, per game.
    fn per_game(&self) -> f64;

    /// The same less the luck, if it is known.
    fn per_game_without_luck(&self) -> Option<f64>;
}

impl PairScore for PairResult {
    fn number(&self) -> u64 {
        self.pair
    }

    fn per_game(&self) -> f64 {
        f64::from(self.points()) / 2.0
    }

    fn per_game_without_luck(&self) -> Option<f64> {
        self.points_without_luck().map(|points| points / 2.0)
    }
}

/// A pair that could not be played to its end, because a player failed. It counts for nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairFailure {
    /// Number of the pair, counted from 0.
    pub pair: u64,
    /// What happened.
    pub reason: String,
}

/// Sum of numbers and of their squares. Both are whole, so the order of the numbers has no
/// influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moments {
    count: u64,
    sum: i128,
    squares: i128,
}

impl Moments {
    /// Numbers are counted in steps of a millionth, far below anything that matters. A power of
    /// two, so that points are a whole number of steps and divide without rounding. The squares
    /// of numbers below a thousand fit for some billions of them.
    const STEPS: f64 = (1 << 20) as f64;

    fn add(&mut self, number: f64) {
        let steps = (number * Self::STEPS).round() as i128;
        self.count += 1;
        self.sum += steps;
        self.squares += steps * steps;
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The mean of the numbers, `None` with fewer than two, which have no spread.
    fn estimate(&self) -> Option<Estimate> {
        if self.count < 2 {
            return None;
        }
        let count = i128::from(self.count);
        let spread = count * self.squares - self.sum * self.sum;
        let variance = spread as f64 / (count * (count - 1)) as f64;
        let error = (variance / self.count as f64).sqrt();
        Some(Estimate::new(self.sum as f64 / self.count as f64 / Self::STEPS, error / Self::STEPS))
    }
}

/// The points of pairs, with luck and without. The order of the pairs has no influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// Points of a, per game and not per pair.
    points: Moments,
    /// The same less the luck, of the pairs whose luck is known.
    adjusted: Moments,
}

impl Scores {
    /// Counts a pair.
    pub fn add(&mut self, pair: &impl PairScore) {
        self.points.add(pair.per_game());
        if let Some(points) = pair.per_game_without_luck() {
            self.adjusted.add(points);
        }
    }

    /// Counts what others have counted.
    pub fn merge(&mut self, other: &Self) {
        self.points.merge(&other.points);
        self.adjusted.merge(&other.adjusted);
    }

    /// Pairs counted.
    pub const fn pairs(&self) -> u64 {
        self.points.count
    }

    /// Points per game of a. The standard error is from the spread of the pairs, whose two games
    /// are not independent. `None` with fewer than two pairs, which have no spread.
    pub fn points_per_game(&self) -> Option<Estimate> {
        self.points.estimate()
    }

    /// The same less the luck. `None` unless the luck of every pair is known.
    pub fn luck_adjusted(&self) -> Option<Estimate> {
        if self.adjusted.count == self.points.count { self.adjusted.estimate() } else { None }
    }
}

/// Games that one side won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wins {
    /// Wins of any kind.
    pub wins: u64,
    /// Wins by a gammon or backgammon.
    pub gammons: u64,
    /// Wins by a backgammon.
    pub backgammons: u64,
}

impl Wins {
    fn add(&mut self, points: u32) {
        self.wins += 1;
        self.gammons += u64::from(points >= 2);
        self.backgammons += u64::from(points >= 3);
    }

    fn merge(&mut self, other: &Self) {
        self.wins += other.wins;
        self.gammons += other.gammons;
        self.backgammons += other.backgammons;
    }

    /// Gammons per win (not per game), backgammons included; 0 without a win.
    pub fn gammon_rate(&self) -> f64 {
        self.gammons as f64 / self.wins.max(1) as f64
    }

    /// Backgammons per win (not per game); 0 without a win.
    pub fn backgammon_rate(&self) -> f64 {
        self.backgammons as f64 / self.wins.max(1) as f64
    }
}

/// Counts pairs of games. All sums are whole numbers, so the order of the pairs, and with it the
/// number of threads, has no influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    scores: Scores,
    a: Wins,
    b: Wins,
    draws: u64,
    unfinished: u64,
}

impl Tally {
    /// Counts a pair.
    pub fn add(&mut self, pair: &PairResult) {
        self.scores.add(pair);
        for outcome in [pair.a_first, pair.b_first] {
            match outcome.map(Outcome::points) {
                Some(points) if points > 0 => self.a.add(points.unsigned_abs()),
                Some(0) => self.draws += 1,
                Some(points) => self.b.add(points.unsigned_abs()),
                None => self.unfinished += 1,
            }
        }
    }

    /// Counts what another tally has counted.
    pub fn merge(&mut self, other: &Self) {
        self.scores.merge(&other.scores);
        self.a.merge(&other.a);
        self.b.merge(&other.b);
        self.draws += other.draws;
        self.unfinished += other.unfinished;
    }

    /// Pairs counted.
    pub const fn pairs(&self) -> u64 {
        self.scores.pairs()
    }

    /// The points alone.
    pub const fn scores(&self) -> &Scores {
        &self.scores
    }

    /// Games that a won.
    pub const fn a(&self) -> Wins {
        self.a
    }

    /// Games that b won.
    pub const fn b(&self) -> Wins {
        self.b
    }

    /// Games that nobody won by the rules.
    pub const fn draws(&self) -> u64 {
        self.draws
    }

    /// Games that were given up.
    pub const fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// See [`Scores::points_per_game`].
    pub fn points_per_game(&self) -> Option<Estimate> {
        self.scores.points_per_game()
    }

    /// See [`Scores::luck_adjusted`].
    pub fn luck_adjusted(&self) -> Option<Estimate> {
        self.scores.luck_adjusted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a_first: Outcome, b_first: Outcome) -> PairResult {
        PairResult { pair: 0, a_first: Some(a_first), b_first: Some(b_first), luck: None }
    }

    #[test]
    fn draws_are_nobodys_wins_and_worth_nothing() {
        let mut tally = Tally::default();
        tally.add(&pair(Outcome::Draw, Outcome::WinSingle));
        tally.add(&pair(Outcome::Draw, Outcome::Draw));
        assert_eq!((tally.draws(), tally.a().wins, tally.b().wins), (3, 1, 0));
        assert_eq!(tally.points_per_game().map(|ppg| ppg.mean), Some(0.25));
    }

    #[test]
    fn points_per_game_and_their_error_follow_from_the_pairs() {
        use Outcome::{LoseSingle, WinBackgammon, WinGammon, WinSingle};
        let mut tally = Tally::default();
        assert_eq!(tally.points_per_game(), None);
        // Pair means 2, 0, 0.5.
        tally.add(&pair(WinBackgammon, WinSingle));
        assert_eq!(tally.points_per_game(), None);
        tally.add(&pair(LoseSingle, WinSingle));
        let mut rest = Tally::default();
        rest.add(&pair(WinGammon, LoseSingle));
        tally.merge(&rest);
        let ppg = tally.points_per_game().unwrap();
        let mean: f64 = 2.5 / 3.0;
        let variance = [2.0, 0.0, 0.5].iter().map(|x: &f64| (x - mean).powi(2)).sum::<f64>() / 2.0;
        assert!((ppg.mean - mean).abs() < 1e-12);
        assert!((ppg.standard_error - (variance / 3.0).sqrt()).abs() < 1e-12);
        assert!((ppg.high - ppg.mean - 1.96 * ppg.standard_error).abs() < 1e-4);
        assert!((ppg.high + ppg.low - 2.0 * ppg.mean).abs() < 1e-12);
        assert_eq!(tally.a(), Wins { wins: 4, gammons: 2, backgammons: 1 });
        assert_eq!(tally.b(), Wins { wins: 2, gammons: 0, backgammons: 0 });
        assert_eq!((tally.a().gammon_rate(), tally.b().gammon_rate()), (0.5, 0.0));
        assert_eq!((tally.pairs(), tally.unfinished()), (3, 0));
    }

    #[test]
    fn a_game_that_was_given_up_is_worth_nothing() {
        let mut tally = Tally::default();
        for pair in 0..2 {
            let b_first = Some(Outcome::LoseGammon);
            tally.add(&PairResult { pair, a_first: None, b_first, luck: None });
        }
        assert_eq!(tally.points_per_game(), Some(Estimate::new(-1.0, 0.0)));
        assert_eq!((tally.unfinished(), tally.b().gammons), (2, 2));
    }

    #[test]
    fn luck_is_taken_off_the_points_of_its_pair_and_must_be_known_of_all() {
        use Outcome::{LoseSingle, WinGammon, WinSingle};
        let mut tally = Tally::default();
        // Pair means 1 and 0, less half of a luck of 1.5 and -0.5.
        tally.add(&PairResult { luck: Some(1.5), ..pair(WinSingle, WinSingle) });
        tally.add(&PairResult { luck: Some(-0.5), ..pair(WinSingle, LoseSingle) });
        assert_eq!(tally.points_per_game().map(|ppg| ppg.mean), Some(0.5));
        assert_eq!(tally.luck_adjusted(), Some(Estimate::new(0.25, 0.0)));
        tally.add(&pair(WinGammon, WinSingle));
        assert_eq!(tally.luck_adjusted(), None);
    }

    #[test]
    fn the_order_of_the_pairs_has_no_influence_on_a_single_bit() {
        let pairs: Vec<_> = (1..200)
            .map(|i| PairResult {
                luck: Some(3.0 * f64::from(i).sin()),
                ..pair(Outcome::ALL[i as usize % 6], Outcome::ALL[i as usize * i as usize % 6])
            })
            .collect();
        let mut forward = Tally::default();
        pairs.iter().for_each(|pair| forward.add(pair));
        let (mut one, mut other) = (Tally::default(), Tally::default());
        pairs[..70].iter().rev().for_each(|pair| one.add(pair));
        pairs[70..].iter().rev().for_each(|pair| other.add(pair));
        other.merge(&one);
        assert_eq!(other, forward);
    }
}
