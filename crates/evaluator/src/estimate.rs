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
    /// The estimate with this mean and standard error. The interval takes the mean as normally
    /// distributed, which is fair from some thirty pairs on.
    pub fn new(mean: f64, standard_error: f64) -> Self {
        let half = Z_95 * standard_error;
        Self { mean, standard_error, low: mean - half, high: mean + half }
    }
}
