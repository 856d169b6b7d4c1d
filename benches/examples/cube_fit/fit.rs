//! How much of a live cube's value is realised in play: efficiencies fitted to games.
//!
//! For every roll of games between two players who follow one evaluator ([`sample_games`]) the
//! efficiency x is the least squares fit of
//!
//! ```text
//! turned out - dead = error of the evaluator + x (live - dead)
//! ```
//!
//! with one constant for the evaluator's mean error, so that an evaluator that thinks too well of
//! the player on roll does not pass for a cube. In races x is linear between a short and a long
//! race, as [`EfficiencyModel`](tavola_equity::EfficiencyModel) has it. Rolls of one game depend on
//! each other, so the errors are those of whole games (the sandwich estimate for clusters: K.-Y.
//! Liang and S. Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73,
//! 1986).

use tavola_equity::Stage;
use tavola_evaluator::CubefulEvaluator;
use tavola_evaluator::cubeful::stage;
use tavola_rules::{Backgammon, CubeOwner};

use tavola_arena::Estimate;
use tavola_play::{AgentError, LuckEvaluator, Workers};

use crate::samples::{CubeSample, sample_games};

/// The most parameters of a fit: the constant, and two efficiencies.
const MOST: usize = 3;

/// Which games are played, and where races are short and long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitSettings {
    /// Games.
    pub games: u64,
    /// Seed of the dice.
    pub seed: u64,
    /// The pip count of the player on roll up to which a race is short.
    pub short_pips: u32,
    /// The pip count from which on it is long.
    pub long_pips: u32,
}

/// An efficiency with its interval, and what it was fitted to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedEfficiency {
    /// The efficiency.
    pub x: Estimate,
    /// Rolls that it was fitted to.
    pub rolls: u64,
    /// Games that these come from.
    pub games: u64,
    /// The evaluator's mean error that was fitted beside, in points per unit of the cube.
    pub grader_error: f64,
}

/// Fitted efficiencies for cubes that are owned, by either player, and for centred ones. `None`
/// where there were too few positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EfficiencyFit {
    /// With contact: owned, centred.
    pub contact: [Option<FittedEfficiency>; 2],
    /// In short races.
    pub short_race: [Option<FittedEfficiency>; 2],
    /// In long races.
    pub long_race: [Option<FittedEfficiency>; 2],
    /// Games played.
    pub games: u64,
}

/// The normal equations of one game in one of the fits.
#[derive(Clone, Copy, Debug, Default)]
struct Normal {
    rolls: u64,
    squares: [[f64; MOST]; MOST],
    products: [f64; MOST],
}

impl Normal {
    fn add(&mut self, regressors: [f64; MOST], y: f64) {
        self.rolls += 1;
        for (row, a) in self.squares.iter_mut().zip(regressors) {
            for (sum, b) in row.iter_mut().zip(regressors) {
                *sum += a * b;
            }
        }
        for (sum, a) in self.products.iter_mut().zip(regressors) {
            *sum += a * y;
        }
    }

    fn merge(&mut self, other: &Self) {
        self.rolls += other.rolls;
        for (row, others) in self.squares.iter_mut().zip(other.squares) {
            for (sum, other) in row.iter_mut().zip(others) {
                *sum += other;
            }
        }
        for (sum, other) in self.products.iter_mut().zip(other.products) {
            *sum += other;
        }
    }
}

/// The four fits: contact and race, owned and centred.
type Fits = [[Normal; 2]; 2];

/// Fits efficiencies to games of `evaluator` against itself; `luck` takes the luck off. The answer
/// is the same on any number of threads.
///
/// # Errors
///
/// [`AgentError`], which only a broken evaluator can cause.
pub fn fit_efficiency(
    evaluator: &CubefulEvaluator,
    luck: &LuckEvaluator<'_, Backgammon>,
    settings: FitSettings,
    workers: Workers<'_>,
) -> Result<EfficiencyFit, AgentError> {
    let races = [settings.short_pips, settings.long_pips];
    // Game by game, as the samples of all games together may be many.
    let games =
        sample_games(evaluator, luck, 0..settings.games, settings.seed, workers, |samples| {
            fits(&samples, races)
        })?;
    Ok(EfficiencyFit::of_fits(&games))
}

impl EfficiencyFit {
    fn of_fits(games: &[Fits]) -> Self {
        let fit = |stage: usize, owner: usize, parameter: usize| {
            let parts: Vec<Normal> = games.iter().map(|game| game[stage][owner]).collect();
            solve(&parts, stage + 2, parameter)
        };
        let both = |stage, parameter| [fit(stage, 0, parameter), fit(stage, 1, parameter)];
        Self {
            contact: both(0, 1),
            short_race: both(1, 1),
            long_race: both(1, 2),
            games: games.len() as u64,
        }
    }
}

/// The normal equations of one game.
fn fits(samples: &[CubeSample], [short_pips, long_pips]: [u32; 2]) -> Fits {
    let mut fits = Fits::default();
    for sample in samples {
        let (fit, short) = match stage(&sample.position) {
            Stage::Contact => (0, 1.0),
            Stage::LastRoll => continue,
            Stage::Race { pips } => {
                let beyond = f64::from(pips) - f64::from(short_pips);
                let width = f64::from(long_pips) - f64::from(short_pips);
                (1, 1.0 - (beyond / width).clamp(0.0, 1.0))
            }
        };
        let (y, z) = (sample.turned_out - sample.dead, sample.live - sample.dead);
        let owner = usize::from(sample.owner == CubeOwner::Center);
        fits[fit][owner].add([1.0, z * short, z * (1.0 - short)], y);
    }
    fits
}

/// The `wanted` of the first `count` parameters with its error from game to game.
fn solve(games: &[Normal], count: usize, wanted: usize) -> Option<FittedEfficiency> {
    let mut total = Normal::default();
    games.iter().for_each(|game| total.merge(game));
    let inverse = invert(&total.squares, count)?;
    let times = |row: &[f64; MOST], column: &[f64; MOST]| -> f64 {
        (0..count).map(|i| row[i] * column[i]).sum()
    };
    let beta: [f64; MOST] =
        std::array::from_fn(|i| if i < count { times(&inverse[i], &total.products) } else { 0.0 });
    let mut variance = 0.0;
    let mut with_rolls = 0;
    for game in games.iter().filter(|game| game.rolls > 0) {
        let score: [f64; MOST] =
            std::array::from_fn(|i| game.products[i] - times(&game.squares[i], &beta));
        variance += times(&inverse[wanted], &score).powi(2);
        with_rolls += 1;
    }
    (with_rolls > MOST as u64).then(|| FittedEfficiency {
        x: Estimate::new(beta[wanted], variance.sqrt()),
        rolls: total.rolls,
        games: with_rolls,
        grader_error: beta[0],
    })
}

/// The inverse of the upper left part of a symmetric matrix, `None` if there is none.
fn invert(matrix: &[[f64; MOST]; MOST], count: usize) -> Option<[[f64; MOST]; MOST]> {
    let mut left = *matrix;
    let mut right = [[0.0; MOST]; MOST];
    for (i, row) in right.iter_mut().enumerate().take(count) {
        row[i] = 1.0;
    }
    for i in 0..count {
        let pivot = left[i][i];
        // No pivoting: the matrix has no negative eigenvalue. A zero is a lack of data.
        if pivot.abs() < 1e-9 {
            return None;
        }
        for j in 0..count {
            left[i][j] /= pivot;
            right[i][j] /= pivot;
        }
        for other in (0..count).filter(|&other| other != i) {
            let factor = left[other][i];
            for j in 0..count {
                left[other][j] -= factor * left[i][j];
                right[other][j] -= factor * right[i][j];
            }
        }
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_line_is_found_and_its_error_is_that_between_games() {
        // y = 0.1 + 0.7 z, and a game's own deviation that is twice up and twice down.
        let mut games = Vec::new();
        for (number, deviation) in [0.05, -0.05, 0.05, -0.05].into_iter().enumerate() {
            let mut game = Normal::default();
            for step in 0..5 {
                let z = 0.1 * f64::from(step) - 0.2;
                game.add([1.0, z, 0.0], 0.1 + 0.7 * z + deviation);
                game.add([1.0, -z, 0.0], 0.1 - 0.7 * z + deviation);
            }
            assert_eq!((game.rolls, number < 4), (10, true));
            games.push(game);
        }
        let fit = solve(&games, 2, 1).unwrap();
        assert!((fit.x.mean - 0.7).abs() < 1e-12 && (fit.grader_error - 0.1).abs() < 1e-12);
        assert!(fit.x.standard_error < 1e-12, "deviations of whole games say nothing of the slope");
        let constant = solve(&games, 2, 0).unwrap();
        assert!((constant.x.standard_error - 0.025).abs() < 1e-12, "{constant:?}");
        assert_eq!((fit.rolls, fit.games), (40, 4));
        assert_eq!(solve(&games, 3, 2), None, "nothing is known of a race");
    }

    #[test]
    fn a_slope_that_differs_from_game_to_game_is_uncertain() {
        let games: Vec<Normal> = [0.5, 0.9, 0.5, 0.9]
            .into_iter()
            .map(|slope| {
                let mut game = Normal::default();
                for z in [-1.0, 1.0] {
                    game.add([1.0, z, 0.0], slope * z);
                }
                game
            })
            .collect();
        let fit = solve(&games, 2, 1).unwrap();
        assert!((fit.x.mean - 0.7).abs() < 1e-12);
        assert!((fit.x.standard_error - 0.1).abs() < 1e-12, "{fit:?}");
    }
}
