//! What the games of a duel add up to.

use serde::{Deserialize, Serialize};
use tavola_rules::Outcome;

/// The two games of a pair: the same dice with the seats swapped. Outcomes are from player a,
/// and `None` for a game that was given up as too long, which counts as no points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairResult {
    /// Number of the pair, counted from 0.
    pub pair: u64,
    /// How the game ended in which a began.
    pub a_first: Option<Outcome>,
    /// How the game ended in which b began.
    pub b_first: Option<Outcome>,
}

impl PairResult {
    /// Points won by a in both games together.
    pub fn points(&self) -> i32 {
        [self.a_first, self.b_first].into_iter().flatten().map(Outcome::points).sum()
    }
}

/// An expectation with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean of the sample.
    pub mean: f64,
    /// The standard error of that mean.
    pub standard_error: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Estimate {
    /// The estimate with this mean and standard error. The interval takes the mean as normally
    /// distributed, which is fair from some thirty pairs on.
    pub fn new(mean: f64, standard_error: f64) -> Self {
        let half = 1.959_964 * standard_error;
        Self { mean, standard_error, low: mean - half, high: mean + half }
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
    pairs: u64,
    /// Sum over the pairs of the points of a, and of their squares.
    points: i64,
    squares: u64,
    a: Wins,
    b: Wins,
    unfinished: u64,
}

impl Tally {
    /// Counts a pair.
    pub fn add(&mut self, pair: &PairResult) {
        let points = pair.points();
        self.pairs += 1;
        self.points += i64::from(points);
        self.squares += u64::from(points.unsigned_abs().pow(2));
        for outcome in [pair.a_first, pair.b_first] {
            match outcome.map(Outcome::points) {
                Some(points) if points > 0 => self.a.add(points.unsigned_abs()),
                Some(points) => self.b.add(points.unsigned_abs()),
                None => self.unfinished += 1,
            }
        }
    }

    /// Counts what another tally has counted.
    pub fn merge(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.points += other.points;
        self.squares += other.squares;
        self.a.merge(&other.a);
        self.b.merge(&other.b);
        self.unfinished += other.unfinished;
    }

    /// Pairs counted.
    pub const fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Games that a won.
    pub const fn a(&self) -> Wins {
        self.a
    }

    /// Games that b won.
    pub const fn b(&self) -> Wins {
        self.b
    }

    /// Games that were given up.
    pub const fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// Points per game of a. The standard error is from the spread of the pairs, whose two games
    /// are not independent. `None` with fewer than two pairs, which have no spread.
    pub fn points_per_game(&self) -> Option<Estimate> {
        if self.pairs < 2 {
            return None;
        }
        let (pairs, points) = (i128::from(self.pairs), i128::from(self.points));
        let spread = pairs * i128::from(self.squares) - points * points;
        // Of the pairs' sums; a pair's mean is half of that.
        let variance = spread as f64 / (pairs * (pairs - 1)) as f64;
        let mean = self.points as f64 / (2 * self.pairs) as f64;
        Some(Estimate::new(mean, (variance / self.pairs as f64).sqrt() / 2.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a_first: Outcome, b_first: Outcome) -> PairResult {
        PairResult { pair: 0, a_first: Some(a_first), b_first: Some(b_first) }
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
            tally.add(&PairResult { pair, a_first: None, b_first: Some(Outcome::LoseGammon) });
        }
        assert_eq!(tally.points_per_game(), Some(Estimate::new(-1.0, 0.0)));
        assert_eq!((tally.unfinished(), tally.b().gammons), (2, 2));
    }
}
