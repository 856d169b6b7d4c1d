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
//! ratings, and no player scores more than a backgammon a game. Ratings are the weighted least
//! squares fit of all duels at once, with the weight of a duel one over the square of its standard
//! error and of a [share](MODEL_ERROR) of what it is expected to show, because no single number
//! tells how each fares against each; where players are near each other that term is nothing. The
//! rating of an [`Anchor`] is given and not fitted. A weak pull towards zero (as of one duel with
//! an error of [`PULL`] points) keeps a player without duels on the scale.
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

mod climb;
mod file;
mod fit;
mod play;
mod table;

use self::fit::{Duels, expected, fit};
use climb::Climb;
pub use file::LadderFile;
pub use play::{LadderJob, PlayedLadder};
pub use table::{LadderAnswer, LadderRow};
use tavola_files::Failure;

/// How far the model may be off, as a share of the points that it expects of a duel.
pub const MODEL_ERROR: f64 = 0.05;

/// The standard error, in points, of the prior that draws ratings towards zero.
pub const PULL: f64 = 4.0;

/// Duels in which neither side scores more tell what a game is worth among equals.
const NEAR: f64 = 0.5;

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
    /// Mean points of the winner of a game.
    pub stake: f64,
    /// Time that the pairs took, in seconds.
    pub seconds: f64,
    /// Who evaluated the luck, if it was taken off.
    pub luck_evaluator: Option<String>,
}

/// A version whose rating is given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Anchor {
    /// Its [`id`](Version::id).
    #[serde(rename = "version")]
    pub id: String,
    /// Its rating, in points per game.
    pub ppg: f64,
}

/// All versions, and what they have played against each other; at first there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ladder {
    versions: Vec<Version>,
    match_ups: Vec<MatchUp>,
}

/// A rating with what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderRating {
    /// Who.
    pub version: Version,
    /// The rating in points per game, with its interval; that of an anchor has no width.
    pub ppg: Estimate,
    /// The rating on the scale of FIBS, relative to a rating of zero.
    pub elo: Estimate,
    /// Pairs played.
    pub pairs: u64,
    /// Different opponents.
    pub opponents: usize,
}

impl LadderRating {
    /// Expected points per game against a player with a rating of 0, as an anchor usually has.
    pub fn expected_ppg(&self) -> f64 {
        expected(self.ppg.mean).0
    }
}

/// The ratings of all versions, in the order in which they came to the ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// One for each version.
    pub ratings: Vec<LadderRating>,
    /// What a game among players near each other was worth on average, in points.
    pub stake: f64,
    /// Weighted squares of what the model misses, a degree of freedom; 1 is what luck explains,
    /// `None` if there are no more duels than ratings.
    pub chi_squared: Option<f64>,
    /// Covariance of the ratings, before the factor of [`chi_squared`](Self::chi_squared); zero for
    /// anchors.
    covariance: Vec<Vec<f64>>,
    duels: Vec<Duels>,
}

/// An anchor or match-up of a player that is not on the ladder.
fn unknown(id: &str) -> Failure {
    Failure::input(format!("{id:?} is not on the ladder"))
}

impl Ladder {
    /// All versions, in the order in which they came.
    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// All match-ups.
    pub fn match_ups(&self) -> &[MatchUp] {
        &self.match_ups
    }

    /// The name of the version with this id, which is on the ladder.
    ///
    /// # Panics
    ///
    /// If it is not.
    pub fn name_of(&self, id: &str) -> &str {
        &self.versions[self.index(id).expect("the version is on the ladder")].name
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
    /// [`Failure`] if one of them is unknown, if its figures can't be, or if any of the pairs
    /// was counted before.
    pub fn add_match_up(&mut self, match_up: MatchUp) -> Result<(), Failure> {
        for id in [&match_up.a, &match_up.b] {
            if self.index(id).is_none() {
                return Err(unknown(id));
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
            "have values that are not finite"
        } else if self.match_ups.iter().any(overlaps) {
            "would count twice"
        } else {
            self.match_ups.push(match_up);
            return Ok(());
        };
        let MatchUp { a, b, .. } = match_up;
        let last = end.saturating_sub(1);
        let pairs = format!("pairs {first} to {last} of {a:?} against {b:?} {problem}");
        Err(Failure::input(pairs))
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
    /// [`Failure`] if there is no anchor, or one is not on the ladder.
    pub fn standings(&self, anchors: &[Anchor]) -> Result<Standings, Failure> {
        if anchors.is_empty() {
            return Err(Failure::input("no anchor, expected the rating of at least one version"));
        }
        let mut ratings = vec![0.0; self.versions.len()];
        let mut fixed = vec![false; self.versions.len()];
        for Anchor { id, ppg } in anchors {
            let index = self.index(id).ok_or_else(|| unknown(id))?;
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
            LadderRating {
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
            let picked = self.match_ups.iter().filter(|match_up| pick(match_up));
            of_a_pair(picked.map(|it| (it.stake * it.pairs as f64, it.pairs)))
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

/// The mean of a figure a pair, of parts with their sums and their pairs; `None` without pairs.
fn of_a_pair(parts: impl Iterator<Item = (f64, u64)>) -> Option<f64> {
    let (sum, pairs) =
        parts.fold((0.0, 0), |(sum, pairs), (more, some)| (sum + more, pairs + some));
    (pairs > 0).then(|| sum / pairs as f64)
}

fn same_players(match_up: &MatchUp, a: &str, b: &str) -> bool {
    (match_up.a == a && match_up.b == b) || (match_up.a == b && match_up.b == a)
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
            let picked = self.duels.iter().filter(|duel| pick(duel));
            of_a_pair(picked.map(|duel| (duel.seconds, duel.pairs))).filter(|it| *it > 0.0)
        };
        mean(&|duel| (duel.a, duel.b) == (a, b))
            .or_else(|| mean(&|duel| [duel.a, duel.b].iter().any(|i| [a, b].contains(i))))
            .unwrap_or(usual)
            .max(1e-6)
    }
}

#[cfg(test)]
mod tests;
