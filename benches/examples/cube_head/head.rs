//! A small network that says how live a cube is, and how it is taught.

use std::array;

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use tavola_equity::{Efficiency, EfficiencyModel, OutcomeProbs};
use tavola_evaluator::EfficiencyJudge;
use tavola_net::{Encoder, EncoderKind};
use tavola_play::CubeSample;
use tavola_rules::{Backgammon, CubeOwner, Game, Position};

/// Rectified units of the hidden layer.
const HIDDEN: usize = 64;
/// Owners of the cube: nobody, the player on roll, the opponent.
const OWNERS: usize = 3;
/// Inputs beside the checkers: six chances, two pip counts, contact.
const DENSE: usize = 9;
/// Decay of Adam's two moments, and what keeps it from dividing by zero.
const BETAS: [f64; 2] = [0.9, 0.999];
const EPSILON: f64 = 1e-8;

/// Says for each owner of the cube which share of the live cube's value is realised.
///
/// Inputs: the six chances without a cube, both pip counts, whether there is contact, and the
/// checkers, by an encoder or not at all; one hidden layer; a sigmoid for each owner. A new head
/// says the same of every position.
#[derive(Clone, Debug)]
pub struct CubeHead {
    encoder: Option<Encoder>,
    inputs: usize,
    /// `[inputs + 1, HIDDEN]`, the last row the biases, then `[OWNERS, HIDDEN]`, then `[OWNERS]`.
    parameters: Vec<f32>,
}

/// What a pass leaves behind.
struct Pass {
    hidden: [f32; HIDDEN],
    shares: [f32; OWNERS],
}

/// How a head is taught.
#[derive(Clone, Copy, Debug)]
pub struct Lessons {
    /// Times that each sample is looked at.
    pub epochs: usize,
    /// Samples between two steps.
    pub batch: usize,
    /// The learning rate at the start; it falls to zero along half a cosine.
    pub rate: f64,
    /// Seed of the order of the samples.
    pub seed: u64,
}

/// The output for a cube of this owner.
pub const fn output(owner: CubeOwner) -> usize {
    match owner {
        CubeOwner::Center => 0,
        CubeOwner::Player => 1,
        CubeOwner::Opponent => 2,
    }
}

impl CubeHead {
    /// A head that says `shares` (centred, of the player on roll, of the opponent; between 0 and 1,
    /// ends excluded) of every position.
    pub fn new(features: Option<EncoderKind>, shares: [f64; OWNERS], seed: u64) -> Self {
        let encoder = features.map(|kind| Encoder::new(kind, Backgammon::Standard.layout()));
        let inputs = DENSE + encoder.as_ref().map_or(0, Encoder::inputs);
        let mut parameters = vec![0.0; (inputs + 1) * HIDDEN + OWNERS * HIDDEN + OWNERS];
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Some thirty features are on at a time.
        let width = 0.2;
        for weight in &mut parameters[..inputs * HIDDEN] {
            *weight = rng.random_range(-width..width);
        }
        let biases = (inputs + 1 + OWNERS) * HIDDEN;
        for (bias, share) in parameters[biases..].iter_mut().zip(shares) {
            *bias = (share / (1.0 - share)).ln() as f32;
        }
        Self { encoder, inputs, parameters }
    }

    /// Calls `feature(input, value)` for each input that is not zero.
    fn features(
        &self,
        position: &Position,
        probs: &OutcomeProbs,
        mut feature: impl FnMut(usize, f32),
    ) {
        for (input, &chance) in probs.0.iter().enumerate() {
            feature(input, chance);
        }
        feature(6, position.pip_count() as f32 / 100.0);
        feature(7, position.opponent_pip_count() as f32 / 100.0);
        if position.has_contact() {
            feature(8, 1.0);
        }
        if let Some(encoder) = &self.encoder {
            let cells = Backgammon::cells(position).iter().take(encoder.layout().len());
            for (cell, &count) in cells.enumerate() {
                encoder.cell_features(cell, count, |index, value| feature(DENSE + index, value));
            }
        }
        feature(self.inputs, 1.0);
    }

    fn pass(&self, position: &Position, probs: &OutcomeProbs) -> Pass {
        let mut hidden = [0.0; HIDDEN];
        self.features(position, probs, |input, value| {
            let row = &self.parameters[input * HIDDEN..(input + 1) * HIDDEN];
            for (unit, weight) in hidden.iter_mut().zip(row) {
                *unit += value * weight;
            }
        });
        let (weights, biases) =
            self.parameters[(self.inputs + 1) * HIDDEN..].split_at(OWNERS * HIDDEN);
        let shares = array::from_fn(|owner| {
            let row = &weights[owner * HIDDEN..(owner + 1) * HIDDEN];
            let sum: f32 =
                row.iter().zip(&hidden).map(|(weight, unit)| weight * unit.max(0.0)).sum();
            1.0 / (1.0 + (-sum - biases[owner]).exp())
        });
        Pass { hidden, shares }
    }

    /// The share of the live cube's value, by who owns the cube.
    pub fn shares(&self, position: &Position, probs: &OutcomeProbs) -> [f64; OWNERS] {
        self.pass(position, probs).shares.map(f64::from)
    }

    /// Adds to `gradient` that of half the squared error of a sample, whose judge is off by
    /// `judge_error`.
    fn add_gradient(&self, sample: &CubeSample, judge_error: f64, gradient: &mut [f32]) {
        let CubeSample { position, probs, owner, dead, live, turned_out } = sample;
        let Pass { hidden, shares } = self.pass(position, probs);
        let owner = output(*owner);
        let share = shares[owner];
        let error = dead + judge_error + f64::from(share) * (live - dead) - turned_out;
        let slope = (error * (live - dead)) as f32 * share * (1.0 - share);
        let last = (self.inputs + 1) * HIDDEN;
        gradient[last + OWNERS * HIDDEN + owner] += slope;
        let row = last + owner * HIDDEN..last + (owner + 1) * HIDDEN;
        let mut back = [0.0; HIDDEN];
        let weights = self.parameters[row.clone()].iter().zip(&mut gradient[row]);
        for ((unit, back), (weight, gradient)) in hidden.iter().zip(&mut back).zip(weights) {
            if *unit > 0.0 {
                *gradient += slope * unit;
                *back = slope * weight;
            }
        }
        self.features(position, probs, |input, value| {
            let row = &mut gradient[input * HIDDEN..(input + 1) * HIDDEN];
            for (gradient, back) in row.iter_mut().zip(&back) {
                *gradient += value * back;
            }
        });
    }

    /// Least squares by Adam (Kingma and Ba 2015). `judge_error` is what a cubeless judge is off by
    /// in the mean of a kind of sample.
    pub fn learn(
        &mut self,
        samples: &[&CubeSample],
        judge_error: impl Fn(&CubeSample) -> f64,
        lessons: Lessons,
    ) {
        let mut order = samples.to_vec();
        let mut rng = ChaCha8Rng::seed_from_u64(lessons.seed);
        let mut gradient = vec![0.0_f32; self.parameters.len()];
        let mut moments = vec![[0.0_f32; 2]; self.parameters.len()];
        let steps = lessons.epochs * order.len().div_ceil(lessons.batch);
        let mut step = 0;
        for _ in 0..lessons.epochs {
            order.shuffle(&mut rng);
            for batch in order.chunks(lessons.batch) {
                gradient.fill(0.0);
                for sample in batch {
                    self.add_gradient(sample, judge_error(sample), &mut gradient);
                }
                let progress = f64::from(step) / steps as f64;
                let rate = lessons.rate * (1.0 + (std::f64::consts::PI * progress).cos()) / 2.0;
                step += 1;
                let corrections = BETAS.map(|beta| 1.0 - beta.powi(step));
                let rate = (rate * corrections[1].sqrt() / corrections[0]) as f32;
                let [beta_1, beta_2] = BETAS.map(|beta| beta as f32);
                let mean = 1.0 / batch.len() as f32;
                let all = self.parameters.iter_mut().zip(&gradient).zip(&mut moments);
                for ((parameter, gradient), [first, second]) in all {
                    let gradient = gradient * mean;
                    *first = beta_1 * *first + (1.0 - beta_1) * gradient;
                    *second = beta_2 * *second + (1.0 - beta_2) * gradient * gradient;
                    *parameter -= rate * *first / (second.sqrt() + EPSILON as f32);
                }
            }
        }
    }
}

impl EfficiencyJudge for CubeHead {
    fn efficiency(&self, position: &Position, probs: &OutcomeProbs) -> Efficiency {
        let [centred, player, opponent] = self.shares(position, probs);
        // A cube whose turn costs nothing does not come up for money, of which all lessons are.
        let automatic = EfficiencyModel::default().contact.automatic();
        Efficiency::new(centred, player, opponent, automatic).expect("a sigmoid is between 0 and 1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARES: [f64; OWNERS] = [0.8, 0.6, 0.7];

    fn samples() -> Vec<CubeSample> {
        let mut counts = [0; 26];
        (counts[6], counts[2], counts[20], counts[17]) = (8, 7, -9, -6);
        let race = Position::from_counts(&counts, 15).unwrap();
        let mut samples = Vec::new();
        for (position, x) in [(Position::STANDARD, 0.9), (race, 0.3)] {
            for owner in [CubeOwner::Center, CubeOwner::Player, CubeOwner::Opponent] {
                let (dead, live) = (0.1, if owner == CubeOwner::Opponent { -0.3 } else { 0.5 });
                let probs = OutcomeProbs([0.4, 0.14, 0.01, 0.34, 0.1, 0.01]);
                let turned_out = dead + 0.02 + x * (live - dead);
                samples.push(CubeSample { position, probs, owner, dead, live, turned_out });
            }
        }
        samples
    }

    #[test]
    fn a_new_head_says_the_same_of_every_position() {
        for features in [None, Some(EncoderKind::Tesauro), Some(EncoderKind::OneHot)] {
            let head = CubeHead::new(features, SHARES, 1);
            for sample in samples() {
                let shares = head.shares(&sample.position, &sample.probs);
                let near = shares.iter().zip(SHARES).all(|(a, b)| (a - b).abs() < 1e-6);
                assert!(near, "{shares:?}");
            }
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_squared_error() {
        let mut head = CubeHead::new(Some(EncoderKind::Tesauro), SHARES, 2);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for parameter in &mut head.parameters {
            *parameter += rng.random_range(-0.1..0.1);
        }
        let loss = |head: &CubeHead, sample: &CubeSample| {
            let share = head.shares(&sample.position, &sample.probs)[output(sample.owner)];
            let found = sample.dead + 0.02 + share * (sample.live - sample.dead);
            (found - sample.turned_out).powi(2) / 2.0
        };
        for sample in &samples() {
            let mut gradient = vec![0.0; head.parameters.len()];
            head.add_gradient(sample, 0.02, &mut gradient);
            let steepest = (0..gradient.len())
                .max_by(|&a, &b| gradient[a].abs().total_cmp(&gradient[b].abs()));
            let count = gradient.len();
            for i in [steepest.unwrap(), 3, 6 * HIDDEN + 5, count - HIDDEN, count - 1] {
                let step = 1e-2;
                let at = |offset: f32| {
                    let mut head = head.clone();
                    head.parameters[i] += offset;
                    loss(&head, sample)
                };
                let numeric = (at(step) - at(-step)) / f64::from(2.0 * step);
                let found = f64::from(gradient[i]);
                assert!(
                    (numeric - found).abs() < 1e-4 + 0.02 * found.abs(),
                    "{i}: {numeric} {found}"
                );
            }
        }
    }

    #[test]
    fn what_is_so_in_each_kind_of_position_is_learnt() {
        let samples = samples();
        let all: Vec<&CubeSample> = samples.iter().collect();
        let mut head = CubeHead::new(None, SHARES, 4);
        let lessons = Lessons { epochs: 2000, batch: 6, rate: 1e-2, seed: 5 };
        head.learn(&all, |_| 0.02, lessons);
        for (number, sample) in samples.iter().enumerate() {
            let share = head.shares(&sample.position, &sample.probs)[output(sample.owner)];
            let expected = if number < 3 { 0.9 } else { 0.3 };
            assert!((share - expected).abs() < 0.02, "{share} instead of {expected}");
        }
    }
}
