//! Stopping a duel as soon as it has shown enough: a sequential probability ratio test.
//!
//! Two hypotheses about how much stronger a is than b: by [`low`](Sprt::low) points per game, or
//! by [`high`](Sprt::high). After every pair the test weighs how much likelier one makes what was
//! seen than the other, the log-likelihood ratio, and ends the duel when that leaves the interval
//! of [`bounds`](Sprt::bounds).
//!
//! The model is that of a generalized test: means of pairs are independent and alike, with an
//! unknown spread that is estimated from them (the maximum over it is put in place of the
//! parameter), and their mean is near enough to normal. Then, with n pairs of mean m and variance
//! v,
//!
//! ```text
//! LLR = n (high - low) (2 m - low - high) / (2 v)
//! ```
//!
//! which is what the test of chess engines' development comes to (Michel Van den Bergh, "A
//! Practical Introduction to the GSPRT", and "Comments on Normalized Elo", both 2020). The bounds
//! ln(beta / (1 - alpha)) and ln((1 - beta) / alpha) are those of Abraham Wald, "Sequential Tests
//! of Statistical Hypotheses" (Annals of Mathematical Statistics 16, 1945): taking `high` for true
//! when a is only `low` stronger happens with a probability of about `alpha`, the reverse with
//! `beta`. Overshooting a bound makes both probabilities rather smaller. Somewhere between the two
//! strengths the test takes longest; a duel has a most number of pairs in any case.

use serde::{Deserialize, Serialize};
use tavola_files::Failure;

/// Two hypotheses and how often the test may choose the wrong one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The strength of the first hypothesis.
    pub low: f64,
    /// The strength of the second hypothesis.
    pub high: f64,
    /// The probability that `high` is taken for true though `low` is.
    pub alpha: f64,
    /// The probability that `low` is taken for true though `high` is.
    pub beta: f64,
}

/// What a test says of the pairs so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtVerdict {
    /// The advantage of player a is nearer `low` than `high`.
    Low,
    /// The advantage of player a is nearer `high` than `low`.
    High,
    /// Not enough was seen.
    Open,
}

/// Pairs before which a test says nothing: their spread is not known well enough.
const FEWEST_PAIRS: u64 = 64;

impl Sprt {
    /// The test of `low` against `high`, in points per game of player a, that takes high for low
    /// with a probability of `beta` and low for high with one of `alpha`.
    ///
    /// # Errors
    ///
    /// [`Failure`] if low is not below high, a strength is beyond 3, or a rate is not between 0
    /// and 0.5.
    pub fn new(low: f64, high: f64, alpha: f64, beta: f64) -> Result<Self, Failure> {
        if !(low < high && low >= -3.0 && high <= 3.0) {
            return Err(Failure::input(format!(
                "a test of {low} against {high} points per game, expected two strengths from -3 to \
                 3, the smaller one first"
            )));
        }
        match [alpha, beta].into_iter().find(|&rate| !(rate > 0.0 && rate < 0.5)) {
            Some(rate) => Err(Failure::input(format!(
                "an error rate of {rate}, expected more than 0 and less than 0.5"
            ))),
            None => Ok(Self { low, high, alpha, beta }),
        }
    }

    /// The log-likelihood ratios at which the test ends, for `low` and for `high`.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of `high` to `low` after this number of pairs with this mean and this
    /// standard error of it, in points per game; 0 as long as their spread tells nothing.
    ///
    /// Pairs that were all alike, as those of a player against itself, tell that the strength is
    /// their mean, which is infinitely much of a reason for the nearer hypothesis.
    pub fn log_likelihood_ratio(&self, pairs: u64, mean: f64, standard_error: f64) -> f64 {
        let distance = 2.0 * mean - self.low - self.high;
        if pairs < FEWEST_PAIRS || distance == 0.0 {
            return 0.0;
        }
        (self.high - self.low) * distance / (2.0 * standard_error * standard_error)
    }

    /// What this log-likelihood ratio means.
    pub fn verdict(&self, log_likelihood_ratio: f64) -> SprtVerdict {
        let (low, high) = self.bounds();
        if log_likelihood_ratio <= low {
            SprtVerdict::Low
        } else if log_likelihood_ratio >= high {
            SprtVerdict::High
        } else {
            SprtVerdict::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;

    /// Pairs with a mean of `mean` points: as skewed and as heavy in their tails as the means of
    /// real pairs, -3 to 3 in halves, mostly small.
    fn pair(mean: f64, rng: &mut impl Rng) -> f64 {
        let size = match rng.random_range(0..100) {
            0..40 => 0.0,
            40..70 => 0.5,
            70..88 => 1.0,
            88..96 => 1.5,
            96..99 => 2.0,
            _ => 3.0,
        };
        mean + if rng.random::<bool>() { size } else { -size }
    }

    /// What the test says in the end, and after how many pairs.
    fn run(sprt: &Sprt, mean: f64, rng: &mut impl Rng) -> (SprtVerdict, u64) {
        let (mut sum, mut squares) = (0.0, 0.0);
        for pairs in 1..1_000_000 {
            let x = pair(mean, rng);
            sum += x;
            squares += x * x;
            let n = pairs as f64;
            let variance = (squares - sum * sum / n) / (n - 1.0).max(1.0);
            let ratio = sprt.log_likelihood_ratio(pairs, sum / n, (variance / n).sqrt());
            match sprt.verdict(ratio) {
                SprtVerdict::Open => {}
                verdict => return (verdict, pairs),
            }
        }
        panic!("a test that does not end");
    }

    #[test]
    fn errors_are_as_rare_as_was_asked_for() {
        const RUNS: u32 = 1500;
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for (alpha, beta) in [(0.05, 0.05), (0.1, 0.02)] {
            let sprt = Sprt::new(-0.05, 0.1, alpha, beta).unwrap();
            let mut wrong = |mean, right| {
                let runs = (0..RUNS).map(|_| run(&sprt, mean, &mut rng).0);
                f64::from(runs.filter(|&verdict| verdict != right).count() as u32) / f64::from(RUNS)
            };
            let (false_high, false_low) =
                (wrong(-0.05, SprtVerdict::Low), wrong(0.1, SprtVerdict::High));
            for (rate, claimed) in [(false_high, alpha), (false_low, beta)] {
                // Three standard errors of a share of so many runs, and not far too rare either.
                let margin = 3.0 * (claimed * (1.0 - claimed) / f64::from(RUNS)).sqrt();
                assert!(rate <= claimed + margin, "{rate} instead of {claimed}");
                assert!(rate >= 0.3 * claimed, "{rate} instead of {claimed}");
            }
        }
    }

    #[test]
    fn a_difference_beyond_both_hypotheses_is_seen_soon() {
        let sprt = Sprt::new(0.0, 0.05, 0.05, 0.05).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut mean_pairs =
            |mean| (0..40).map(|_| run(&sprt, mean, &mut rng).1).sum::<u64>() as f64 / 40.0;
        let (far, near) = (mean_pairs(0.3), mean_pairs(0.05));
        assert!(4.0 * far < near, "{far} {near}");
    }

    #[test]
    fn ratio_and_bounds_are_those_of_the_formulas() {
        let sprt = Sprt::new(0.0, 0.01, 0.05, 0.1).unwrap();
        let (low, high) = sprt.bounds();
        assert!((low - (0.1_f64 / 0.95).ln()).abs() < 1e-12);
        assert!((high - (0.9_f64 / 0.05).ln()).abs() < 1e-12);
        // 400 pairs of variance 0.16 and mean 0.02: 400 * 0.01 * 0.03 / 0.32.
        let ratio = sprt.log_likelihood_ratio(400, 0.02, 0.02);
        assert!((ratio - 0.375).abs() < 1e-12, "{ratio}");
        assert_eq!(sprt.verdict(ratio), SprtVerdict::Open);
        assert_eq!(sprt.log_likelihood_ratio(20, 3.0, 0.01), 0.0);
        assert_eq!(sprt.verdict(sprt.log_likelihood_ratio(100, 0.0, 0.0)), SprtVerdict::Low);
    }

    #[test]
    fn tests_of_nothing_are_refused() {
        for (low, high) in [(0.1, 0.0), (0.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            let error = Sprt::new(low, high, 0.05, 0.05).unwrap_err().to_string();
            assert!(error.contains("expected two strengths from -3 to 3"), "{error}");
        }
        for rate in [0.0, 0.5, -1.0, f64::NAN] {
            assert!(
                Sprt::new(0.0, 1.0, rate, 0.05)
                    .unwrap_err()
                    .to_string()
                    .contains("an error rate of")
            );
            assert!(
                Sprt::new(0.0, 1.0, 0.05, rate)
                    .unwrap_err()
                    .to_string()
                    .contains("an error rate of")
            );
        }
    }
}
