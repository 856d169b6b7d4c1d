//! The model of the ladder: what ratings say of duels, and the ratings that fit duels best.

use super::{MODEL_ERROR, PULL};

/// The most points per game that the model expects of anybody.
const MOST_POINTS: f64 = 3.0;

/// Pairs hardly ever deviate by less than this, and a few that did may have been alike by chance.
const LEAST_DEVIATION: f64 = 0.1;

/// What pairs deviate by as long as too few are known.
pub(super) const USUAL_DEVIATION: f64 = 0.5;

/// Pairs that tell how much pairs deviate.
const PAIRS_FOR_DEVIATION: u64 = 20;

/// Steps of the fit, which takes about five.
const MOST_STEPS: u32 = 200;

/// Everything that two versions have played, the one with the smaller index first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Duels {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) pairs: u64,
    pub(super) mean: f64,
    /// Sum of the squares of the deviations from the mean.
    pub(super) squares: f64,
    pub(super) seconds: f64,
}

impl Duels {
    fn deviation(&self) -> f64 {
        if self.pairs < PAIRS_FOR_DEVIATION {
            return USUAL_DEVIATION;
        }
        (self.squares / (self.pairs - 1) as f64).sqrt().max(LEAST_DEVIATION)
    }

    /// The weight of `pairs` pairs that are expected to show a mean of `expected`.
    pub(super) fn weight(&self, pairs: u64, expected: f64) -> f64 {
        if pairs == 0 {
            return 0.0;
        }
        let model = MODEL_ERROR * expected;
        (self.deviation().powi(2) / pairs as f64 + model * model).recip()
    }
}

/// What the model expects of a difference of ratings, and how that changes with it.
pub(super) fn expected(difference: f64) -> (f64, f64) {
    let t = (difference / MOST_POINTS).tanh();
    (MOST_POINTS * t, 1.0 - t * t)
}

/// Fits the ratings that are not fixed by Gauss-Newton steps; returns their covariance.
pub(super) fn fit(duels: &[Duels], fixed: &[bool], ratings: &mut [f64]) -> Vec<Vec<f64>> {
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
