//! What the games or matches of a duel add up to.

use serde::{Deserialize, Serialize};
use tavola_evaluator::{Estimate, Z_95};
use tavola_play::{DuelUnit, Score};

/// Two games, or two matches, on the same dice with the seats swapped. Scores are from player a,
/// and `None` where a game was truncated at the turn limit, which counts as no points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairResult {
    /// Number of the pair, counted from 0.
    pub pair: u64,
    /// With a in the first seat.
    pub a_first: Option<Score>,
    /// With b in the first seat.
    pub b_first: Option<Score>,
    /// The luck that a had with the dice in both together, in the unit of [`Score::points`], if it
    /// was evaluated.
    pub luck: Option<f64>,
}

impl PairResult {
    /// Points won by a, per game.
    pub fn per_game(&self) -> f64 {
        let scores = [self.a_first, self.b_first].into_iter().flatten();
        scores.map(|score| f64::from(score.points)).sum::<f64>() / 2.0
    }
}

/// A pair that could not be played to its end, because a player failed. It does not count.
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
pub(crate) struct Moments {
    count: u64,
    sum: i128,
    squares: i128,
}

impl Moments {
    /// Numbers are counted in steps of a millionth, far below anything that matters. A power of
    /// two, so that points are a whole number of steps and divide without rounding. The squares
    /// of numbers below a thousand fit for some billions of them.
    const STEPS: f64 = (1 << 20) as f64;

    /// Those of numbers that each came so often.
    pub(crate) fn of(numbers: impl IntoIterator<Item = (f64, u64)>) -> Self {
        let mut moments = Self::default();
        numbers.into_iter().for_each(|(number, times)| moments.add(number, times));
        moments
    }

    fn add(&mut self, number: f64, times: u64) {
        let steps = (number * Self::STEPS).round() as i128;
        self.count += times;
        self.sum += steps * i128::from(times);
        self.squares += steps * steps * i128::from(times);
    }

    /// The mean of the numbers; 0 of none.
    pub(crate) fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64 / Self::STEPS
    }

    /// The variance of a single number, in steps, of which there are two at least.
    fn variance(&self) -> f64 {
        let count = i128::from(self.count);
        let spread = count * self.squares - self.sum * self.sum;
        spread as f64 / (count * (count - 1)) as f64
    }

    /// The standard deviation of a single number; 0 with fewer than two.
    pub(crate) fn deviation(&self) -> f64 {
        if self.count < 2 { 0.0 } else { self.variance().sqrt() / Self::STEPS }
    }

    /// The standard error of the mean; 0 with fewer than two.
    pub(crate) fn standard_error(&self) -> f64 {
        self.deviation() / (self.count.max(1) as f64).sqrt()
    }

    /// The mean of the numbers, `None` with fewer than two, which have no spread.
    pub(crate) fn estimate(&self) -> Option<Estimate> {
        if self.count < 2 {
            return None;
        }
        let error = (self.variance() / self.count as f64).sqrt();
        Estimate::of_sample(self.mean(), error / Self::STEPS, self.count)
    }
}

/// The points of pairs, with luck and without. The order of the pairs has no influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// Points of a, per game and not per pair.
    points: Moments,
    /// Points of a less the luck, of the pairs whose luck is known.
    adjusted: Moments,
}

impl Scores {
    /// Counts a pair.
    pub fn add(&mut self, pair: &PairResult) {
        self.points.add(pair.per_game(), 1);
        if let Some(luck) = pair.luck {
            // The luck has the expectation of 0.
            self.adjusted.add(pair.per_game() - luck / 2.0, 1);
        }
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

    /// Points of a per game less the luck. `None` unless the luck of every pair is known.
    pub fn luck_adjusted(&self) -> Option<Estimate> {
        if self.adjusted.count == self.points.count { self.adjusted.estimate() } else { None }
    }
}

/// Pairs from which on a verdict is given: fewer say too little of their own spread.
pub(crate) const ENOUGH_PAIRS: u64 = 30;

/// What an estimate of the strength of a says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stronger {
    /// The whole interval is above zero.
    A,
    /// The whole interval is below zero.
    B,
    /// The interval includes zero.
    NotSignificant,
    /// Every pair is exactly zero.
    Even,
    /// There are fewer than 30 pairs, too few to tell.
    TooFewPairs,
}

impl Stronger {
    /// In words.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::A => "A is stronger",
            Self::B => "B is stronger",
            Self::NotSignificant => "not significant (95 % CI includes 0)",
            Self::Even => "even in every pair",
            Self::TooFewPairs => "too few pairs to tell",
        }
    }

    /// What this estimate from a number of pairs says.
    pub fn by(estimate: Estimate, pairs: u64) -> Self {
        match (estimate.low, estimate.high) {
            (low, high) if low == 0.0 && high == 0.0 => Self::Even,
            _ if pairs < ENOUGH_PAIRS => Self::TooFewPairs,
            (low, _) if low > 0.0 => Self::A,
            (_, high) if high < 0.0 => Self::B,
            _ => Self::NotSignificant,
        }
    }
}

/// Games or matches that one side won. Where there is a cube, `gammons` and `backgammons` stay 0:
/// [`CubeCounts`] has them for both sides together.
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

    /// Gammons per win (not per game), backgammons included; 0 without a win.
    pub fn gammon_rate(&self) -> f64 {
        self.gammons as f64 / self.wins.max(1) as f64
    }

    /// Backgammons per win (not per game); 0 without a win.
    pub fn backgammon_rate(&self) -> f64 {
        self.backgammons as f64 / self.wins.max(1) as f64
    }
}

/// What the cube did in the games of a duel, those of matches one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CubeCounts {
    /// Games.
    #[serde(skip)]
    pub games: u64,
    /// Games in which the cube was turned and taken.
    pub turned: u64,
    /// Games that ended with a dropped cube.
    pub dropped: u64,
    /// Games that ended with a resignation.
    pub resigned: u64,
    /// Games that were won with a gammon or backgammon.
    pub gammons: u64,
    /// Games whose cube stood at its limit in the end.
    pub capped: u64,
    /// The highest cube that was played at.
    pub highest_cube: u32,
}

impl CubeCounts {
    fn add(&mut self, score: &Score) {
        self.games += u64::from(score.games);
        self.turned += u64::from(score.turned);
        self.dropped += u64::from(score.dropped);
        self.resigned += u64::from(score.resigned);
        self.gammons += u64::from(score.gammons);
        self.capped += u64::from(score.capped);
        self.highest_cube = self.highest_cube.max(score.highest_cube);
    }
}

/// A result of matches as the probability of winning one.
pub fn win_probability(points: Estimate) -> Estimate {
    Estimate {
        mean: (1.0 + points.mean) / 2.0,
        standard_error: points.standard_error / 2.0,
        low: (1.0 + points.low) / 2.0,
        high: (1.0 + points.high) / 2.0,
    }
}

/// Matches that both sides have to have won before the spread of the pairs tells how sure their
/// result is: the customary five of each kind from which shares are taken as normally distributed.
const ENOUGH_WINS: u64 = 5;

/// Counts pairs of games or matches. All sums are whole numbers, so the order of the pairs, and
/// with it the number of threads, has no influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The points alone.
    pub scores: Scores,
    has_cube: bool,
    /// Games or matches that a won.
    pub a: Wins,
    /// Games or matches that b won.
    pub b: Wins,
    /// Games that neither side won by the rules.
    pub draws: u64,
    /// Games or matches that were truncated at the turn limit.
    pub unfinished: u64,
    cube: CubeCounts,
}

impl Tally {
    /// Counts nothing yet, of games with a cube or without one.
    pub fn new(has_cube: bool) -> Self {
        Self { has_cube, ..Self::default() }
    }

    /// Counts a pair.
    pub fn add(&mut self, pair: &PairResult) {
        self.scores.add(pair);
        for score in [pair.a_first, pair.b_first] {
            let Some(score) = score else {
                self.unfinished += 1;
                continue;
            };
            // With a cube points say nothing of gammons.
            let points = if self.has_cube { 1 } else { score.points.unsigned_abs() };
            match score.points.signum() {
                1 => self.a.add(points),
                -1 => self.b.add(points),
                _ => self.draws += 1,
            }
            self.cube.add(&score);
        }
    }

    /// What the cube did; `None` without one.
    pub fn cube(&self) -> Option<CubeCounts> {
        self.has_cube.then_some(self.cube)
    }

    /// Points of a per game, or wins less losses per match; `None` with fewer than two pairs.
    ///
    /// The interval is from the spread of the pairs, or, for matches of which a side has won hardly
    /// any, so that the pairs are all alike, from their number. Matches that were split in every
    /// pair are left at no spread: players that always play alike split them all.
    pub fn points(&self, unit: DuelUnit) -> Option<Estimate> {
        let points = self.scores.points_per_game()?;
        let all_split = (points.mean, points.standard_error) == (0.0, 0.0);
        let few = self.a.wins.min(self.b.wins) < ENOUGH_WINS;
        Some(match unit {
            DuelUnit::Matches if few && !all_split => {
                one_sided_result(points.mean, 2 * self.scores.pairs())
            }
            _ => points,
        })
    }
}

/// The result of matches, in wins less losses, where one side has won next to none: the score
/// interval of Wilson ("Probable Inference, the Law of Succession, and Statistical Inference",
/// Journal of the American Statistical Association 22, 1927) for this many matches, with a standard
/// error that would have an interval as wide.
///
/// With `p` won of `n` matches and `z` = 1.96 it is (p + z²/2n ± z √(p (1 - p) / n + z²/4n²)) /
/// (1 + z²/n). It takes matches as independent. The two of a pair, on the same dice with the seats
/// swapped, are rather won by different sides, so it is wide rather than narrow.
fn one_sided_result(mean: f64, matches: u64) -> Estimate {
    let (n, p) = (matches as f64, (1.0 + mean) / 2.0);
    let shrink = 1.0 + Z_95 * Z_95 / n;
    let middle = (p + Z_95 * Z_95 / (2.0 * n)) / shrink;
    let half = Z_95 / shrink * (p * (1.0 - p) / n + (Z_95 / (2.0 * n)).powi(2)).sqrt();
    // A probability of p is 2 p - 1 in wins less losses.
    let points = |probability: f64| 2.0 * probability - 1.0;
    Estimate {
        mean,
        standard_error: 2.0 * half / Z_95,
        low: points(middle - half),
        high: points(middle + half),
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::Outcome;

    use super::*;

    fn pair(a_first: Outcome, b_first: Outcome) -> PairResult {
        let score = |outcome| Some(Score::of(outcome));
        PairResult { pair: 0, a_first: score(a_first), b_first: score(b_first), luck: None }
    }

    #[test]
    fn draws_are_wins_of_neither_side_and_worth_nothing() {
        let mut tally = Tally::default();
        tally.add(&pair(Outcome::Draw, Outcome::WinSingle));
        tally.add(&pair(Outcome::Draw, Outcome::Draw));
        assert_eq!((tally.draws, tally.a.wins, tally.b.wins), (3, 1, 0));
        assert_eq!(tally.scores.points_per_game().map(|ppg| ppg.mean), Some(0.25));
    }

    #[test]
    fn points_per_game_and_their_error_follow_from_the_pairs() {
        use Outcome::{LoseSingle, WinBackgammon, WinGammon, WinSingle};
        let mut tally = Tally::default();
        assert_eq!(tally.scores.points_per_game(), None);
        // Pair means 2, 0, 0.5.
        tally.add(&pair(WinBackgammon, WinSingle));
        assert_eq!(tally.scores.points_per_game(), None);
        tally.add(&pair(LoseSingle, WinSingle));
        tally.add(&pair(WinGammon, LoseSingle));
        let ppg = tally.scores.points_per_game().unwrap();
        let mean: f64 = 2.5 / 3.0;
        let variance = [2.0, 0.0, 0.5].iter().map(|x: &f64| (x - mean).powi(2)).sum::<f64>() / 2.0;
        assert!((ppg.mean - mean).abs() < 1e-12);
        assert!((ppg.standard_error - (variance / 3.0).sqrt()).abs() < 1e-12);
        // Student's t with two degrees of freedom.
        assert!((ppg.high - ppg.mean - 4.303 * ppg.standard_error).abs() < 1e-3);
        assert!((ppg.high + ppg.low - 2.0 * ppg.mean).abs() < 1e-12);
        assert_eq!(tally.a, Wins { wins: 4, gammons: 2, backgammons: 1 });
        assert_eq!(tally.b, Wins { wins: 2, gammons: 0, backgammons: 0 });
        assert_eq!((tally.a.gammon_rate(), tally.b.gammon_rate()), (0.5, 0.0));
        assert_eq!((tally.scores.pairs(), tally.unfinished), (3, 0));
    }

    #[test]
    fn a_truncated_game_is_worth_nothing() {
        let mut tally = Tally::default();
        for pair in 0..2 {
            let b_first = Some(Score::of(Outcome::LoseGammon));
            tally.add(&PairResult { pair, a_first: None, b_first, luck: None });
        }
        assert_eq!(tally.scores.points_per_game(), Some(Estimate::new(-1.0, 0.0)));
        assert_eq!((tally.unfinished, tally.b.gammons), (2, 2));
    }

    #[test]
    fn luck_is_taken_off_the_points_of_its_pair_and_must_be_known_of_all() {
        use Outcome::{LoseSingle, WinGammon, WinSingle};
        let mut tally = Tally::default();
        // Pair means 1 and 0, less half of a luck of 1.5 and -0.5.
        tally.add(&PairResult { luck: Some(1.5), ..pair(WinSingle, WinSingle) });
        tally.add(&PairResult { luck: Some(-0.5), ..pair(WinSingle, LoseSingle) });
        assert_eq!(tally.scores.points_per_game().map(|ppg| ppg.mean), Some(0.5));
        assert_eq!(tally.scores.luck_adjusted(), Some(Estimate::new(0.25, 0.0)));
        tally.add(&pair(WinGammon, WinSingle));
        assert_eq!(tally.scores.luck_adjusted(), None);
    }

    #[test]
    fn the_order_of_the_pairs_has_no_influence_on_a_single_bit() {
        let pairs: Vec<_> = (1..200_i32)
            .map(|i| PairResult {
                luck: Some(3.0 * f64::from(i).sin()),
                ..pair(Outcome::ALL[i as usize % 6], Outcome::ALL[i as usize * i as usize % 6])
            })
            .collect();
        let mut forward = Tally::default();
        pairs.iter().for_each(|pair| forward.add(pair));
        let mut other = Tally::default();
        pairs.iter().rev().for_each(|pair| other.add(pair));
        assert_eq!(other, forward);
    }

    /// Pairs of matches of which a won the first `won`, in each pair that begun by a first.
    fn matches(won: u64, pairs: u64) -> Tally {
        let score = |number: u64| {
            let points = if number < won { 1 } else { -1 };
            Some(Score { points, games: 3, highest_cube: 2, ..Score::default() })
        };
        let pairs: Vec<_> = (0..pairs)
            .map(|pair| {
                let (a_first, b_first) = (score(2 * pair), score(2 * pair + 1));
                PairResult { pair, a_first, b_first, luck: None }
            })
            .collect();
        let mut tally = Tally::new(true);
        pairs.iter().for_each(|pair| tally.add(pair));
        tally
    }

    fn points(won: u64, pairs: u64) -> Estimate {
        matches(won, pairs).points(DuelUnit::Matches).unwrap()
    }

    fn probability(won: u64, pairs: u64) -> [f64; 3] {
        let Estimate { mean, low, high, .. } = win_probability(points(won, pairs));
        [low, mean, high]
    }

    #[track_caller]
    fn assert_near(found: [f64; 3], expected: [f64; 3]) {
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 5e-5, "{found}, expected {expected}");
        }
    }

    #[test]
    fn matches_won_without_exception_leave_room_for_those_that_were_not_played() {
        // n / (n + z²) for n of n, by hand: 80 / 83.8415.
        assert_near(probability(80, 40), [0.95418, 1.0, 1.0]);
        assert_near(probability(0, 40), [0.0, 0.0, 1.0 - 0.95418]);
        // One of 40 lost: (0.975 + 0.048018 ± 1.959964 sqrt(0.000609375 + 0.000600228)) /
        // 1.0960365.
        assert_near(probability(39, 20), [0.87118, 0.975, 0.99557]);
        let points = points(80, 40);
        assert!(points.standard_error > 0.0 && points.high <= 1.0, "{points:?}");
        let wide = |won, pairs| probability(won, pairs)[2] - probability(won, pairs)[0];
        assert!(wide(8, 4) > wide(80, 40) && wide(80, 40) > wide(800, 400));
    }

    #[test]
    fn intervals_follow_the_spread_of_pairs_once_both_sides_win() {
        let mixed = matches(10, 10);
        assert_eq!((mixed.a.wins, mixed.b.wins), (10, 10));
        let means = |pair: u64| if pair < 5 { 1.0 } else { -1.0 };
        let variance = (0..10).map(|pair| f64::powi(means(pair), 2)).sum::<f64>() / 9.0;
        assert!((points(10, 10).standard_error - (variance / 10.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn matches_split_in_every_pair_are_even_without_a_doubt() {
        let split = |pair| {
            let score = |points| Some(Score { points, games: 1, ..Score::default() });
            PairResult { pair, a_first: score(1), b_first: score(-1), luck: None }
        };
        let pairs: Vec<_> = (0..3).map(split).collect();
        let mut tally = Tally::new(true);
        pairs.iter().for_each(|pair| tally.add(pair));
        assert_eq!(tally.points(DuelUnit::Matches), Some(Estimate::new(0.0, 0.0)));
        // Points for money have their spread whatever it is.
        assert_eq!(tally.points(DuelUnit::Games), Some(Estimate::new(0.0, 0.0)));
    }

    #[test]
    fn no_verdict_is_given_on_few_pairs() {
        let sure = Estimate::new(0.5, 0.01);
        assert_eq!(Stronger::by(sure, 29), Stronger::TooFewPairs);
        assert_eq!(Stronger::by(sure, 30), Stronger::A);
        assert_eq!(Stronger::by(Estimate::new(-0.5, 0.01), 30), Stronger::B);
        assert_eq!(Stronger::by(Estimate::new(0.01, 0.01), 30), Stronger::NotSignificant);
        assert_eq!(Stronger::by(Estimate::new(0.0, 0.0), 2), Stronger::Even);
    }
}
