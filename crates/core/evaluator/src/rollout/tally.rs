//! Sums over games, and the figures that they make.

use serde::{Deserialize, Serialize};
use tavola_equity::OutcomeProbs;

use super::scoring::Parts;
use super::trial::TrialResult;

/// Equity by outcome, in the order of [`tavola_rules::Outcome`].
const POINTS: [f64; 6] = [-1.0, -2.0, -3.0, 1.0, 2.0, 3.0];

/// A number whose text keeps every bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(super) struct Exact(pub(super) f64);

impl From<Exact> for String {
    fn from(number: Exact) -> Self {
        // The shortest text that reads back to the same number.
        number.0.to_string()
    }
}

impl TryFrom<String> for Exact {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Self(number)),
            _ => Err(format!("{text:?} is not a finite number")),
        }
    }
}

/// Sums over the games of one candidate, in the order of the games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tally {
    trials: u64,
    /// Of the six probabilities.
    sums: [Exact; 6],
    /// Of the products of two probabilities: row by row, what is on the diagonal and left of it.
    products: [Exact; 21],
    /// Of the equity without variance reduction, and its square.
    plain: [Exact; 2],
    /// Of the equity with the cube and its square, where there is a cube.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cubeful: Option<[Exact; 2]>,
}

/// A mean with its uncertainty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SampleMean {
    /// The mean over the games.
    pub mean: f64,
    /// How far off the mean typically is: the standard deviation of a game over the square root
    /// of the number of games.
    ///
    /// Planned first rolls make the true error smaller than this says, since it takes games for
    /// independent.
    pub standard_error: f64,
}

/// What the games say of a candidate, from its player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Games.
    pub trials: u64,
    mean: [f64; 6],
    /// Of a game.
    covariance: [[f64; 6]; 6],
    plain: SampleMean,
    cubeful: Option<SampleMean>,
}

impl Tally {
    /// No trials yet, of a game with or without a cube.
    pub(super) fn new(cubeful: bool) -> Self {
        Self { cubeful: cubeful.then(Default::default), ..Self::default() }
    }

    pub(super) const fn is_cubeful(&self) -> bool {
        self.cubeful.is_some()
    }

    pub(super) fn trials(&self) -> u64 {
        self.trials
    }

    pub(super) fn add(&mut self, result: &TrialResult) {
        self.trials += 1;
        let mut products = self.products.iter_mut();
        for (i, &x) in probabilities(&result.parts).iter().enumerate() {
            self.sums[i].0 += x;
            for (y, product) in result.parts[..=i].iter().zip(products.by_ref()) {
                product.0 += x * y;
            }
        }
        self.plain[0].0 += result.plain;
        self.plain[1].0 += result.plain * result.plain;
        if let Some([sum, squares]) = &mut self.cubeful {
            sum.0 += result.equity;
            squares.0 += result.equity * result.equity;
        }
    }

    /// The figures so far.
    pub(super) fn figures(&self) -> Figures {
        let n = self.trials.max(1) as f64;
        let mean = self.sums.map(|sum| sum.0 / n);
        let covariance = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let (row, column) = (i.max(j), i.min(j));
                let product = self.products[row * (row + 1) / 2 + column].0;
                covariance_of(product, self.sums[i].0, self.sums[j].0, self.trials)
            })
        });
        let estimate = |[sum, squares]: [Exact; 2]| {
            let variance = covariance_of(squares.0, sum.0, sum.0, self.trials);
            SampleMean::new(sum.0 / n, variance, self.trials)
        };
        let (plain, cubeful) = (estimate(self.plain), self.cubeful.map(estimate));
        Figures { trials: self.trials, mean, covariance, plain, cubeful }
    }
}

/// The covariance of a game from sums over `trials` games; zero where one game tells nothing.
pub(super) fn covariance_of(product: f64, x: f64, y: f64, trials: u64) -> f64 {
    let n = trials as f64;
    if trials < 2 { 0.0 } else { (product - x * y / n) / (n - 1.0) }
}

impl SampleMean {
    /// The probability that the true figure is above zero, as far as the games tell: XG's
    /// confidence, where this is a difference.
    pub fn probability_above_zero(&self) -> f64 {
        if self.standard_error > 0.0 {
            normal_below(self.mean / self.standard_error)
        } else {
            0.5 + 0.5 * self.mean.partial_cmp(&0.0).map_or(0.0, |order| order as i8 as f64)
        }
    }

    /// From the variance of a game, which rounding may have made negative.
    pub(super) fn new(mean: f64, variance: f64, trials: u64) -> Self {
        let standard_error = (variance.max(0.0) / trials.max(1) as f64).sqrt();
        Self { mean, standard_error }
    }
}

/// The probability that a standard normal variable is below `z`, within 1e-7 (Abramowitz and
/// Stegun, 26.2.17).
fn normal_below(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let polynomial = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_53]
        .into_iter()
        .fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    let tail = polynomial * (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    if z > 0.0 { 1.0 - tail } else { tail }
}

impl Figures {
    /// The probabilities of the six exclusive outcomes. With variance reduction they sum to one,
    /// but a rare outcome may come out a hair below zero.
    pub fn outcomes(&self) -> [SampleMean; 6] {
        std::array::from_fn(|i| {
            let mut weights = [0.0; 6];
            weights[i] = 1.0;
            self.estimate(&weights)
        })
    }

    /// The six probabilities as other evaluators give them, none below zero.
    pub fn probs(&self) -> OutcomeProbs {
        OutcomeProbs(self.mean.map(|probability| probability.clamp(0.0, 1.0) as f32))
    }

    /// The five customary cumulative numbers: win, win gammon, win backgammon, lose gammon, lose
    /// backgammon.
    pub fn cumulative(&self) -> [SampleMean; 5] {
        [
            [0.0, 0.0, 0.0, 1.0, 1.0, 1.0],
            [0.0, 0.0, 0.0, 0.0, 1.0, 1.0],
            [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        ]
        .map(|weights| self.estimate(&weights))
    }

    /// Cubeless money equity in points.
    pub fn equity(&self) -> SampleMean {
        self.estimate(&POINTS)
    }

    /// The equity with the cube, where there is a cube: for money in units of the cube before the
    /// first roll, in a match EMG at that cube.
    pub const fn cubeful(&self) -> Option<SampleMean> {
        self.cubeful
    }

    /// What candidates are compared by: the equity with the cube, where there is a cube.
    pub fn compared(&self) -> SampleMean {
        self.cubeful.unwrap_or_else(|| self.equity())
    }

    /// The figure that candidates are compared by, of the same games without variance reduction.
    pub fn plain_equity(&self) -> SampleMean {
        self.plain
    }

    /// The figures as the other player sees them.
    #[must_use]
    pub fn flip(&self) -> Self {
        let other = |i: usize| (i + 3) % 6;
        let negated = |estimate: SampleMean| SampleMean { mean: -estimate.mean, ..estimate };
        Self {
            trials: self.trials,
            mean: std::array::from_fn(|i| self.mean[other(i)]),
            covariance: std::array::from_fn(|i| {
                std::array::from_fn(|j| self.covariance[other(i)][other(j)])
            }),
            plain: negated(self.plain),
            cubeful: self.cubeful.map(negated),
        }
    }

    /// A weighted sum of the probabilities.
    fn estimate(&self, weights: &[f64; 6]) -> SampleMean {
        let dot = |row: &[f64; 6]| row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
        let variance = dot(&self.covariance.map(|row| dot(&row)));
        SampleMean::new(dot(&self.mean), variance, self.trials)
    }
}

/// The six outcome probabilities among the parts.
pub(super) fn probabilities(parts: &Parts) -> &[f64; 6] {
    parts.first_chunk().expect("seven parts have six in front")
}

/// The equity of a single game.
pub(super) fn equity(probabilities: &[f64; 6]) -> f64 {
    probabilities.iter().zip(POINTS).map(|(probability, points)| probability * points).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(games: &[[f64; 6]]) -> Tally {
        let mut tally = Tally::default();
        for probabilities in games {
            let [a, b, c, d, e, f] = *probabilities;
            let parts = [a, b, c, d, e, f, 0.0];
            tally.add(&TrialResult {
                parts,
                equity: equity(probabilities),
                plain: equity(probabilities),
            });
        }
        tally
    }

    /// The textbook mean and standard error.
    fn plain(numbers: &[f64]) -> SampleMean {
        let n = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / n;
        let squares = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        SampleMean { mean, standard_error: (squares / (n - 1.0) / n).sqrt() }
    }

    fn assert_near(a: SampleMean, b: SampleMean) {
        assert!((a.mean - b.mean).abs() < 1e-12, "{a:?} {b:?}");
        assert!((a.standard_error - b.standard_error).abs() < 1e-12, "{a:?} {b:?}");
    }

    const GAMES: [[f64; 6]; 5] = [
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.1, 0.2, 0.05, 0.4, 0.3, -0.05],
        [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    ];

    #[test]
    fn figures_are_the_textbook_means_and_errors() {
        let figures = tally(&GAMES).figures();
        for (i, estimate) in figures.outcomes().into_iter().enumerate() {
            assert_near(estimate, plain(&GAMES.map(|game| game[i])));
        }
        let wins = GAMES.map(|game| game[3] + game[4] + game[5]);
        let [win, .., lose_gammon, _] = figures.cumulative();
        assert_near(win, plain(&wins));
        assert_near(lose_gammon, plain(&GAMES.map(|game| game[1] + game[2])));
        assert_near(figures.equity(), plain(&GAMES.map(|game| equity(&game))));
        assert_near(figures.equity(), figures.plain_equity());
    }

    #[test]
    fn the_other_side_sees_the_same_figures() {
        let figures = tally(&GAMES).figures();
        let flipped = figures.flip();
        assert_eq!(flipped.flip(), figures);
        assert_near(flipped.outcomes()[0], figures.outcomes()[3]);
        let equity = figures.equity();
        assert_near(flipped.equity(), SampleMean { mean: -equity.mean, ..equity });
    }

    #[test]
    fn sums_keep_every_bit_in_text() {
        let mut tally = tally(&GAMES);
        tally.cubeful = Some([Exact(0.1), Exact(1e-17)]);
        let parts = [1.0 / 3.0, 0.1, 1e-17, 0.2, -1e-9, 0.3, 0.7];
        tally.add(&TrialResult { parts, equity: 0.7, plain: 0.1 });
        let text = serde_json::to_string(&tally).unwrap();
        assert_eq!(serde_json::from_str::<Tally>(&text).unwrap(), tally);
        for damaged in ["NaN", "inf", "x", ""] {
            assert!(Exact::try_from(damaged.to_owned()).is_err());
        }
    }
}
