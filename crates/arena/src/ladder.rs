//! One rating for each of many versions, from duels between some of them.
//!
//! # Model
//!
//! Every player has a rating r, in points per game. In a duel player i scores, on average,
//!
//! ```text
//! S tanh((r_i - r_j) / S)        S = 3 points
//! ```
//!
//! a game against player j: among players that are near each other that is the difference of their
//! ratings, and nobody scores more than a backgammon a game. Ratings are the weighted least squares
//! fit of all duels at once, with the weight of a duel one over the square of its standard error
//! and of a [share](MODEL_ERROR) of what it is expected to show, because no single number tells
//! how each fares against each; where players are near each other that term is nothing. The rating
//! of an [`Anchor`] is given and not fitted. A weak pull towards zero (as of one duel with an error
//! of [`PULL`] points) keeps a player who has met nobody on the scale.
//!
//! Standard errors are those of the fit (the inverse of the normal matrix), times the root of the
//! reduced chi-squared where that is above one (R. T. Birge, "The Calculation of Errors by
//! the Method of Least Squares", Physical Review 40, 1932).
//!
//! # Elo
//!
//! On FIBS the better of two players wins a match of n points with the probability
//! 1 / (1 + 10^(-D sqrt(n) / 2000)), D the difference of their ratings
//! (<http://www.fibs.com/ratings.html>). A game of backgammon as a match to one point, with x = r /
//! g the rating in units of the points g that a game is worth on average, is won with a probability
//! of (1 + x) / 2 to first order, which is D = 4000 x / ln 10.
//!
//! # What to play next
//!
//! [`Standings::most_informative`] is the duel that makes what any two players would score against
//! each other best known for its time: it lowers the mean variance of that the most, which follows
//! from the fit without playing it. Scores and not ratings, because far down the scale a large
//! difference of ratings is a small one of scores.

use serde::{Deserialize, Serialize};

use tavola_evaluator::Estimate;

mod file;

pub use file::{LadderFile, LadderFileError};

/// The most points per game that the model expects of anybody.
const MOST_POINTS: f64 = 3.0;

/// How far the model may be off, as a share of the points that it expects of a duel.
pub const MODEL_ERROR: f64 = 0.05;

/// The standard error, in points, of the duel against nobody that pulls ratings towards zero.
pub const PULL: f64 = 4.0;

/// Pairs hardly ever deviate by less than this, and a few that did may have been alike by chance.
const LEAST_DEVIATION: f64 = 0.1;

/// What pairs deviate by as long as too few are known.
const USUAL_DEVIATION: f64 = 0.5;

/// Pairs that tell how much pairs deviate.
const ENOUGH_PAIRS: u64 = 20;

/// Duels in which neither side scores more tell what a game is worth among equals.
const NEAR: f64 = 0.5;

/// Steps of the fit, which takes about five.
const MOST_STEPS: u32 = 200;

/// A version on the ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// What identifies it: a hash of weights with settings, the name of a program.
    pub id: String,
    /// What people call it.
    pub name: String,
}

/// Some pairs that two versions have played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchUp {
    /// The [`id`](Version::id) of player a.
    pub a: String,
    /// The one of player b.
    pub b: String,
    /// Number of the first pair.
    pub first: u64,
    /// Number of pairs, at least 2.
    pub pairs: u64,
    /// Points per game of a.
    pub ppg: f64,
    /// Standard deviation of the points per game of a pair.
    pub deviation: f64,
    /// What a game was worth: mean of the points won by whoever won.
    pub stake: f64,
    /// Time that the pairs took, in seconds.
    pub seconds: f64,
    /// Who evaluated the luck, if it was taken off.
    #[serde(alias = "luck_judge")]
    pub luck_evaluator: Option<String>,
}

/// A version whose rating is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// Its [`id`](Version::id).
    pub id: String,
    /// Its rating, in points per game.
    pub ppg: f64,
}

/// All versions, and what they have played against each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ladder {
    versions: Vec<Version>,
    match_ups: Vec<MatchUp>,
}

/// Why there are no ratings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LadderError {
    /// An anchor or match-up of somebody else.
    #[error("{id:?} is not on the ladder")]
    Unknown {
        /// Who.
        id: String,
    },
    /// Without a given rating the others have no zero.
    #[error("no anchor, expected the rating of at least one version")]
    NoAnchor,
    /// Figures that no duel has.
    #[error("pairs {first} to {last} of {a:?} against {b:?} {problem}")]
    MatchUp {
        /// The [`id`](Version::id) of player a.
        a: String,
        /// The one of player b.
        b: String,
        /// Number of the first pair.
        first: u64,
        /// Number of the last one.
        last: u64,
        /// What is wrong with them.
        problem: &'static str,
    },
}

/// A rating with what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// Who.
    pub version: Version,
    /// The rating in points per game, with its interval; that of an anchor has no width.
    pub ppg: Estimate,
    /// The same on the scale of FIBS, relative to a rating of zero.
    pub elo: Estimate,
    /// Pairs played.
    pub pairs: u64,
    /// Different opponents.
    pub opponents: usize,
}

/// The ratings of all versions, in the order in which they came to the ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// One for each version.
    pub ratings: Vec<Rating>,
    /// What a game among players near each other was worth on average, in points.
    pub stake: f64,
    /// Weighted squares of what the model misses, a degree of freedom; 1 is what luck explains,
    /// `None` if there are no more duels than ratings.
    pub chi_squared: Option<f64>,
    /// Covariance of the ratings, before the factor of [`chi_squared`](Self::chi_squared); zero for anchors.
    covariance: Vec<Vec<f64>>,
    duels: Vec<Duels>,
}

/// Everything that two versions have played, the one with the smaller index first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Duels {
    a: usize,
    b: usize,
    pairs: u64,
    mean: f64,
    /// Sum of the squares of the deviations from the mean.
    squares: f64,
    seconds: f64,
}

impl Duels {
    fn deviation(&self) -> f64 {
        if self.pairs < ENOUGH_PAIRS {
            return USUAL_DEVIATION;
        }
        (self.squares / (self.pairs - 1) as f64).sqrt().max(LEAST_DEVIATION)
    }

    /// The weight of `pairs` pairs that are expected to show a mean of `expected`.
    fn weight(&self, pairs: u64, expected: f64) -> f64 {
        if pairs == 0 {
            return 0.0;
        }
        let model = MODEL_ERROR * expected;
        (self.deviation().powi(2) / pairs as f64 + model * model).recip()
    }
}

/// What the model expects of a difference of ratings, and how that changes with it.
fn expected(difference: f64) -> (f64, f64) {
    let t = (difference / MOST_POINTS).tanh();
    (MOST_POINTS * t, 1.0 - t * t)
}

impl Ladder {
    /// A ladder without anybody.
    pub fn new() -> Self {
        Self::default()
    }

    /// All versions, in the order in which they came.
    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// All match-ups.
    pub fn match_ups(&self) -> &[MatchUp] {
        &self.match_ups
    }

    /// The index of the version with this [`id`](Version::id).
    pub fn index(&self, id: &str) -> Option<usize> {
        self.versions.iter().position(|version| version.id == id)
    }

    /// Adds a version; one that is known keeps its place and takes the new name.
    pub fn add_version(&mut self, version: Version) {
        match self.index(&version.id) {
            Some(index) => self.versions[index] = version,
            None => self.versions.push(version),
        }
    }

    /// Adds what two versions have played.
    ///
    /// # Errors
    ///
    /// [`LadderError`] if one of them is unknown, if its figures can't be, or if any of the pairs
    /// was counted before.
    pub fn add_match_up(&mut self, match_up: MatchUp) -> Result<(), LadderError> {
        for id in [&match_up.a, &match_up.b] {
            if self.index(id).is_none() {
                return Err(LadderError::Unknown { id: id.clone() });
            }
        }
        let (first, end) = (match_up.first, match_up.first.saturating_add(match_up.pairs));
        let figures = [match_up.ppg, match_up.deviation, match_up.stake, match_up.seconds];
        let overlaps = |other: &MatchUp| {
            same_players(other, &match_up.a, &match_up.b)
                && first < other.first.saturating_add(other.pairs)
                && other.first < end
        };
        let problem = if match_up.pairs < 2 {
            "are fewer than two"
        } else if match_up.a == match_up.b {
            "are of a version against itself"
        } else if !figures.iter().all(|figure| figure.is_finite()) {
            "have figures that are no numbers"
        } else if self.match_ups.iter().any(overlaps) {
            "would count twice"
        } else {
            self.match_ups.push(match_up);
            return Ok(());
        };
        let MatchUp { a, b, .. } = match_up;
        Err(LadderError::MatchUp { a, b, first, last: end.saturating_sub(1), problem })
    }

    /// The number of the next pair that these two have not played.
    pub fn next_pair(&self, a: &str, b: &str) -> u64 {
        let theirs = self.match_ups.iter().filter(|match_up| same_players(match_up, a, b));
        theirs.map(|match_up| match_up.first.saturating_add(match_up.pairs)).max().unwrap_or(0)
    }

    /// The ratings that fit all match-ups best, with those of the anchors given.
    ///
    /// # Errors
    ///
    /// [`LadderError`] if there is no anchor, or one is not on the ladder.
    pub fn standings(&self, anchors: &[Anchor]) -> Result<Standings, LadderError> {
        if anchors.is_empty() {
            return Err(LadderError::NoAnchor);
        }
        let mut ratings = vec![0.0; self.versions.len()];
        let mut fixed = vec![false; self.versions.len()];
        for Anchor { id, ppg } in anchors {
            let index = self.index(id).ok_or_else(|| LadderError::Unknown { id: id.clone() })?;
            (ratings[index], fixed[index]) = (*ppg, true);
        }
        let duels = self.duels();
        let covariance = fit(&duels, &fixed, &mut ratings);
        let free = fixed.iter().filter(|&&fixed| !fixed).count();
        let chi_squared = (duels.len() > free).then(|| {
            let squares = duels.iter().map(|duel| {
                let (mean, _) = expected(ratings[duel.a] - ratings[duel.b]);
                duel.weight(duel.pairs, mean) * (duel.mean - mean).powi(2)
            });
            squares.sum::<f64>() / (duels.len() - free) as f64
        });
        let scale = chi_squared.unwrap_or(1.0).max(1.0).sqrt();
        let stake = self.stake();
        let elo = 4000.0 / (stake.max(1.0) * std::f64::consts::LN_10);
        let ratings = self.versions.iter().enumerate().map(|(i, version)| {
            let error = covariance[i][i].max(0.0).sqrt() * scale;
            let met = || duels.iter().filter(|duel| duel.a == i || duel.b == i);
            Rating {
                version: version.clone(),
                ppg: Estimate::new(ratings[i], error),
                elo: Estimate::new(elo * ratings[i], elo * error),
                pairs: met().map(|duel| duel.pairs).sum(),
                opponents: met().count(),
            }
        });
        let ratings = ratings.collect();
        Ok(Standings { ratings, stake, chi_squared, covariance, duels })
    }

    /// What a game is worth among players that are near each other, or at all if no two are.
    fn stake(&self) -> f64 {
        let mean = |pick: &dyn Fn(&MatchUp) -> bool| {
            let (points, pairs) = self
                .match_ups
                .iter()
                .filter(|match_up| pick(match_up))
                .map(|match_up| (match_up.stake * match_up.pairs as f64, match_up.pairs))
                .fold((0.0, 0), |(points, pairs), (more, some)| (points + more, pairs + some));
            (pairs > 0).then(|| points / pairs as f64)
        };
        mean(&|match_up| match_up.ppg.abs() < NEAR).or_else(|| mean(&|_| true)).unwrap_or(1.0)
    }

    fn duels(&self) -> Vec<Duels> {
        let mut duels: Vec<Duels> = Vec::new();
        for match_up in &self.match_ups {
            let index = |id| self.index(id).expect("who meets is on the ladder");
            let (a, b) = (index(&match_up.a), index(&match_up.b));
            let (a, b, mean) = if a < b { (a, b, match_up.ppg) } else { (b, a, -match_up.ppg) };
            let place = duels.iter().position(|duel| (duel.a, duel.b) == (a, b));
            let place = place.unwrap_or_else(|| {
                duels.push(Duels { a, b, ..Duels::default() });
                duels.len() - 1
            });
            let duel = &mut duels[place];
            // Both parts have means of their own, so their squares are moved to the common one.
            let (n, m) = (duel.pairs as f64, match_up.pairs as f64);
            let apart = mean - duel.mean;
            duel.squares +=
                match_up.deviation.powi(2) * (m - 1.0) + apart * apart * n * m / (n + m);
            duel.mean += apart * m / (n + m);
            duel.pairs += match_up.pairs;
            duel.seconds += match_up.seconds;
        }
        duels
    }
}

fn same_players(match_up: &MatchUp, a: &str, b: &str) -> bool {
    (match_up.a == a && match_up.b == b) || (match_up.a == b && match_up.b == a)
}

/// Fits the ratings that are not fixed by Gauss-Newton steps; returns their covariance.
fn fit(duels: &[Duels], fixed: &[bool], ratings: &mut [f64]) -> Vec<Vec<f64>> {
    let size = ratings.len();
    let free: Vec<usize> = (0..size).filter(|&i| !fixed[i]).collect();
    let place: Vec<Option<usize>> =
        (0..size).map(|i| free.iter().position(|&free| free == i)).collect();
    let mut inverse = Vec::new();
    for _ in 0..MOST_STEPS {
        let pull = PULL.powi(-2);
        let mut normal = vec![vec![0.0; free.len()]; free.len()];
        let mut right: Vec<f64> = free.iter().map(|&i| -pull * ratings[i]).collect();
        (0..free.len()).for_each(|i| normal[i][i] = pull);
        for duel in duels {
            let (mean, slope) = expected(ratings[duel.a] - ratings[duel.b]);
            let weight = duel.weight(duel.pairs, mean);
            let residual = duel.mean - mean;
            let ends = [(place[duel.a], slope), (place[duel.b], -slope)];
            for (i, x) in ends {
                let Some(i) = i else { continue };
                right[i] += weight * x * residual;
                for (j, y) in ends {
                    if let Some(j) = j {
                        normal[i][j] += weight * x * y;
                    }
                }
            }
        }
        inverse = inverted(normal);
        let mut largest: f64 = 0.0;
        for (i, row) in inverse.iter().enumerate() {
            let step: f64 = row.iter().zip(&right).map(|(x, y)| x * y).sum();
            // Far from the solution the slope says little.
            let step = step.clamp(-0.5, 0.5);
            ratings[free[i]] += step;
            largest = largest.max(step.abs());
        }
        if largest < 1e-10 {
            break;
        }
    }
    let entry = |i: usize, j: usize| match (place[i], place[j]) {
        (Some(i), Some(j)) => inverse[i][j],
        _ => 0.0,
    };
    (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect()
}

/// The inverse of a positive definite matrix, by elimination; no pivot of one is zero.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for k in 0..size {
        let pivot = matrix[k][k];
        for row in [&mut matrix[k], &mut inverse[k]] {
            row.iter_mut().for_each(|x| *x /= pivot);
        }
        for i in (0..size).filter(|&i| i != k) {
            let factor = matrix[i][k];
            for matrix in [&mut matrix, &mut inverse] {
                let pivot_row = matrix[k].clone();
                for (x, y) in matrix[i].iter_mut().zip(pivot_row) {
                    *x -= factor * y;
                }
            }
        }
    }
    inverse
}

impl Standings {
    /// How much stronger one version is than another, in points per game, by their indices. Its
    /// interval may be far narrower than those of the two ratings, which share what is not known
    /// of their distance to the anchors.
    pub fn difference(&self, one: usize, other: usize) -> Estimate {
        let c = &self.covariance;
        let variance = c[one][one] + c[other][other] - 2.0 * c[one][other];
        let scale = self.chi_squared.unwrap_or(1.0).max(1.0);
        let mean = self.ratings[one].ppg.mean - self.ratings[other].ppg.mean;
        Estimate::new(mean, (variance.max(0.0) * scale).sqrt())
    }

    /// The two of `among`, indices of versions, whose next `pairs` pairs lower the mean variance of
    /// what two versions score against each other the most for their time; `None` with fewer than
    /// two.
    ///
    /// Time is that of the pairs that the two have played, or else of all pairs that either of
    /// them has, or `usual_seconds` a pair for newcomers.
    pub fn most_informative(
        &self,
        among: &[usize],
        pairs: u64,
        usual_seconds: f64,
    ) -> Option<(usize, usize)> {
        let mut best: Option<(f64, (usize, usize))> = None;
        for (n, &one) in among.iter().enumerate() {
            for &other in &among[n + 1..] {
                let (a, b) = (one.min(other), one.max(other));
                let gain = self.gain(a, b, pairs) / self.seconds(a, b, usual_seconds);
                if a != b && best.is_none_or(|(most, _)| gain > most) {
                    best = Some((gain, (a, b)));
                }
            }
        }
        best.map(|(_, pairing)| pairing)
    }

    /// By how much the sum of the variances of all expected scores falls with more pairs: the
    /// update of an inverse by one more row (Sherman and Morrison 1950).
    fn gain(&self, a: usize, b: usize, pairs: u64) -> f64 {
        let (mean, slope) = expected(self.ratings[a].ppg.mean - self.ratings[b].ppg.mean);
        let known = self.duels.iter().find(|duel| (duel.a, duel.b) == (a, b)).copied();
        let known = known.unwrap_or_default();
        let more = known.weight(known.pairs + pairs, mean) - known.weight(known.pairs, mean);
        let column: Vec<f64> =
            self.covariance.iter().map(|row| slope * (row[a] - row[b])).collect();
        let along = slope * (column[a] - column[b]);
        let mut spread = 0.0;
        for (i, x) in column.iter().enumerate() {
            for (j, y) in column[..i].iter().enumerate() {
                let apart = self.ratings[i].ppg.mean - self.ratings[j].ppg.mean;
                spread += (expected(apart).1 * (x - y)).powi(2);
            }
        }
        more * spread / (1.0 + more * along)
    }

    /// Seconds that a pair takes.
    fn seconds(&self, a: usize, b: usize, usual: f64) -> f64 {
        let mean = |pick: &dyn Fn(&Duels) -> bool| {
            let (pairs, seconds) = self
                .duels
                .iter()
                .filter(|duel| pick(duel))
                .fold((0, 0.0), |(pairs, seconds), duel| {
                    (pairs + duel.pairs, seconds + duel.seconds)
                });
            (pairs > 0 && seconds > 0.0).then(|| seconds / pairs as f64)
        };
        mean(&|duel| (duel.a, duel.b) == (a, b))
            .or_else(|| mean(&|duel| [duel.a, duel.b].iter().any(|i| [a, b].contains(i))))
            .unwrap_or(usual)
            .max(1e-6)
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn ladder(players: usize) -> Ladder {
        let mut ladder = Ladder::new();
        for i in 0..players {
            ladder.add_version(Version { id: i.to_string(), name: format!("player {i}") });
        }
        ladder
    }

    fn match_up(a: usize, b: usize, first: u64, pairs: u64, ppg: f64) -> MatchUp {
        MatchUp {
            a: a.to_string(),
            b: b.to_string(),
            first,
            pairs,
            ppg,
            deviation: 0.4,
            stake: 1.25,
            seconds: pairs as f64 * 0.01,
            luck_evaluator: None,
        }
    }

    fn anchor(i: usize, ppg: f64) -> Anchor {
        Anchor { id: i.to_string(), ppg }
    }

    /// About normal.
    fn noise(deviation: f64, rng: &mut ChaCha8Rng) -> f64 {
        let sum: f64 = (0..12).map(|_| rng.random::<f64>()).sum();
        deviation * (sum - 6.0)
    }

    #[test]
    fn ratings_come_back_from_duels_and_intervals_hold_them() {
        let truth = [0.0, 0.9, 2.0, 2.05, 2.08];
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let (mut inside, mut all) = (0, 0);
        for _ in 0..60 {
            let mut ladder = ladder(truth.len());
            for a in 0..truth.len() {
                for b in 0..a {
                    let (mean, _) = expected(truth[a] - truth[b]);
                    let error = (0.4 * 0.4 / 400.0 + (MODEL_ERROR * mean).powi(2)).sqrt();
                    let ppg = mean + noise(error, &mut rng);
                    ladder.add_match_up(match_up(a, b, 0, 400, ppg)).unwrap();
                }
            }
            let standings = ladder.standings(&[anchor(0, truth[0])]).unwrap();
            for (rating, truth) in standings.ratings.iter().zip(truth).skip(1) {
                assert!((rating.ppg.mean - truth).abs() < 0.6, "{rating:?}");
                inside += u32::from((rating.ppg.low..rating.ppg.high).contains(&truth));
                all += 1;
            }
            assert_eq!(standings.ratings[0].ppg, Estimate::new(0.0, 0.0));
            assert_eq!(standings.ratings[1].opponents, 4);
        }
        let share = f64::from(inside) / f64::from(all);
        assert!((0.9..=1.0).contains(&share), "{share} of the intervals hold the truth");
    }

    #[test]
    fn parts_of_a_duel_count_like_the_whole_from_either_side_and_never_twice() {
        let anchors = [anchor(0, 0.5)];
        let mut whole = ladder(2);
        whole.add_match_up(match_up(0, 1, 0, 400, -0.1)).unwrap();
        let mut parts = ladder(2);
        parts.add_match_up(match_up(0, 1, 0, 100, -0.1)).unwrap();
        parts.add_match_up(match_up(1, 0, 100, 300, 0.1)).unwrap();
        let rating = |ladder: &Ladder| ladder.standings(&anchors).unwrap().ratings[1].ppg;
        assert!((rating(&whole).mean - rating(&parts).mean).abs() < 1e-6);
        assert!((rating(&whole).standard_error - rating(&parts).standard_error).abs() < 1e-4);
        assert!((rating(&whole).mean - 0.6).abs() < 0.01);
        assert_eq!(parts.next_pair("1", "0"), 400);
        for (first, pairs) in [(399, 10), (0, 2), (50, 1000)] {
            let error = parts.add_match_up(match_up(1, 0, first, pairs, 0.0)).unwrap_err();
            assert!(error.to_string().contains("count twice"), "{error}");
        }
        assert!(parts.add_match_up(match_up(0, 7, 0, 10, 0.0)).is_err());
        assert!(parts.add_match_up(match_up(1, 1, 0, 10, 0.0)).is_err());
        assert!(parts.add_match_up(match_up(0, 1, 500, 10, f64::NAN)).is_err());
        assert_eq!(parts.match_ups().len(), 2);
    }

    #[test]
    fn without_an_anchor_there_is_no_scale_and_elo_follows_the_formula() {
        let mut ladder = ladder(3);
        assert_eq!(ladder.standings(&[]), Err(LadderError::NoAnchor));
        assert!(ladder.standings(&[anchor(5, 0.0)]).is_err());
        ladder.add_match_up(match_up(1, 0, 0, 100_000, 0.1)).unwrap();
        let standings = ladder.standings(&[anchor(0, 0.0)]).unwrap();
        let rating = &standings.ratings[1];
        assert_eq!(standings.stake, 1.25);
        let difference = standings.difference(1, 0);
        assert_eq!(difference, standings.ratings[1].ppg);
        assert!(standings.difference(1, 1).standard_error < 1e-9);
        // By the formula of FIBS for a match to one point.
        let difference = rating.elo.mean;
        let probability = 1.0 / (1.0 + 10_f64.powf(-difference / 2000.0));
        assert!((probability - (1.0 + rating.ppg.mean / 1.25) / 2.0).abs() < 1e-3);
        // Who has met nobody is anywhere.
        let nobody = &standings.ratings[2];
        assert_eq!((nobody.ppg.mean, nobody.opponents), (0.0, 0));
        assert!((nobody.ppg.standard_error - PULL).abs() < 1e-6);
    }

    #[test]
    fn contradictions_widen_the_intervals() {
        let circle = |last: f64| {
            let mut ladder = ladder(3);
            ladder.add_match_up(match_up(0, 1, 0, 10_000, 0.1)).unwrap();
            ladder.add_match_up(match_up(1, 2, 0, 10_000, 0.1)).unwrap();
            ladder.add_match_up(match_up(0, 2, 0, 10_000, last)).unwrap();
            ladder.standings(&[anchor(0, 0.0)]).unwrap()
        };
        let (straight, round) = (circle(0.2), circle(-0.1));
        assert!(straight.chi_squared.unwrap() < 1.0 && round.chi_squared.unwrap() > 10.0);
        let error = |standings: &Standings| standings.ratings[1].ppg.standard_error;
        assert!(error(&round) > 3.0 * error(&straight));
    }

    #[test]
    fn the_next_duel_is_one_of_the_player_who_is_known_least_with_a_near_one() {
        let mut ladder = ladder(4);
        for (a, b, ppg) in [(1, 0, 1.5), (2, 0, 2.5), (2, 1, 1.5)] {
            ladder.add_match_up(match_up(a, b, 0, 2000, ppg)).unwrap();
        }
        // Somewhere near player 2.
        ladder.add_match_up(match_up(3, 2, 0, 20, 0.02)).unwrap();
        let standings = ladder.standings(&[anchor(0, 0.0)]).unwrap();
        assert_eq!(standings.most_informative(&[0, 1, 2, 3], 200, 0.01), Some((2, 3)));
        assert_eq!(standings.most_informative(&[3, 0], 200, 0.01), Some((0, 3)));
        assert_eq!(standings.most_informative(&[1], 200, 0.01), None);
    }

    #[test]
    fn the_gain_is_what_playing_brings() {
        let mut ladder = ladder(3);
        ladder.add_match_up(match_up(1, 0, 0, 500, 0.2)).unwrap();
        ladder.add_match_up(match_up(2, 0, 0, 500, 0.1)).unwrap();
        let sum = |standings: &Standings, at: &Standings| {
            let pairs = [(0, 1), (0, 2), (1, 2)];
            pairs.map(|(i, j)| {
                let slope = expected(at.difference(i, j).mean).1;
                let c = &standings.covariance;
                slope.powi(2) * (c[i][i] + c[j][j] - 2.0 * c[i][j])
            })
        };
        let before = ladder.standings(&[anchor(0, 0.0)]).unwrap();
        let promised = before.gain(1, 2, 400);
        let (mean, _) = expected(before.ratings[1].ppg.mean - before.ratings[2].ppg.mean);
        // The deviation of strangers is guessed, so they play as guessed.
        let played = MatchUp { deviation: USUAL_DEVIATION, ..match_up(1, 2, 0, 400, mean) };
        ladder.add_match_up(played).unwrap();
        let after = ladder.standings(&[anchor(0, 0.0)]).unwrap();
        let gained =
            sum(&before, &before).iter().sum::<f64>() - sum(&after, &before).iter().sum::<f64>();
        assert!((gained / promised - 1.0).abs() < 0.01, "{gained} of {promised}");
    }
}
