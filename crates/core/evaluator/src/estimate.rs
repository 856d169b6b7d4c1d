//! An expectation with its uncertainty.

use serde::{Deserialize, Serialize};

/// How many standard errors a 95 % interval reaches to either side, if all is normally distributed.
pub const Z_95: f64 = 1.959_964;

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
    /// The estimate with this mean and standard error, where the mean is as good as normally
    /// distributed.
    pub fn new(mean: f64, standard_error: f64) -> Self {
        Self::reaching(mean, standard_error, Z_95)
    }

    /// The estimate from this many independent values, whose spread tells the standard error: the
    /// interval is that of Student's t. `None` with fewer than two, which have no spread.
    pub fn of_sample(mean: f64, standard_error: f64, values: u64) -> Option<Self> {
        let freedom = values.checked_sub(1).filter(|&freedom| freedom > 0)?;
        Some(Self::reaching(mean, standard_error, t_95(freedom)))
    }

    /// The mean of values that do not depend on each other; of one alone without an interval.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count();
        let n = count.max(1) as f64;
        let mean = values.clone().sum::<f64>() / n;
        let spread: f64 = values.map(|value| (value - mean).powi(2)).sum();
        let error = (spread / (n - 1.0).max(1.0) / n).sqrt();
        Self::of_sample(mean, error, count as u64).unwrap_or_else(|| Self::new(mean, error))
    }

    fn reaching(mean: f64, standard_error: f64, errors: f64) -> Self {
        let half = errors * standard_error;
        Self { mean, standard_error, low: mean - half, high: mean + half }
    }

    /// Whether the interval excludes zero.
    pub fn is_significant(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// How far the interval reaches to either side, on average.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// How many standard errors a 95 % interval reaches to either side, if the error was estimated with
/// this many degrees of freedom, at least one: the quantile of Student's t at 0.975.
///
/// By the expansion 26.7.5 of Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964),
/// which is right to 5e-6 from 10 degrees on; below, by their table 26.10.
pub fn t_95(freedom: u64) -> f64 {
    const FEW: [f64; 9] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
        2.262_157,
    ];
    if let Some(&few) = usize::try_from(freedom).ok().and_then(|n| FEW.get(n.checked_sub(1)?)) {
        return few;
    }
    let z = Z_95;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5)
            - 1920.0 * z.powi(3)
            - 945.0 * z)
            / 92160.0,
    ];
    let n = freedom as f64;
    terms.iter().rev().fold(0.0, |sum, term| (sum + term) / n) + z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_few_values_are_wide_and_those_of_many_are_normal() {
        // Table 26.10 of Abramowitz and Stegun, which has three decimals more than any report.
        for (freedom, expected) in [
            (1, 12.706),
            (2, 4.303),
            (9, 2.262),
            (10, 2.228),
            (11, 2.201),
            (29, 2.045),
            (120, 1.980),
        ] {
            assert!((t_95(freedom) - expected).abs() < 6e-4, "{freedom}: {}", t_95(freedom));
        }
        assert!((t_95(u64::MAX) - Z_95).abs() < 1e-12);
        assert_eq!(Estimate::of_sample(0.0, 1.0, 1), None);
        let two = Estimate::of_sample(1.0, 0.1, 2).unwrap();
        assert!((two.half_width() - 1.2706205).abs() < 1e-9 && two.low < 0.0, "{two:?}");
    }
}
