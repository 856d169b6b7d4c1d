//! Adam (Kingma and Ba 2015, "Adam: a method for stochastic optimization").
//!
//! Written out instead of burn's: one pass over each parameter instead of a dozen tensor
//! operations with as many temporary tensors, and moments that can be saved as they are.

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;
use tavola_net::Layer;

use crate::learner::LearnerSettings;

/// Parameters that a thread takes at least at once.
pub(crate) const TOGETHER: usize = 8192;

/// The moments of the gradients, in the shapes of the layers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Adam {
    /// Decaying mean of the gradients.
    pub(crate) first: Vec<Layer>,
    /// Decaying mean of their squares.
    pub(crate) second: Vec<Layer>,
    /// Steps made so far.
    pub(crate) steps: u64,
}

/// The numbers of one step.
#[derive(Clone, Copy)]
struct Step {
    /// Learning rate over the bias correction of the first moment.
    rate: f32,
    /// One over the square root of the bias correction of the second moment.
    correction: f32,
    beta_1: f32,
    beta_2: f32,
    epsilon: f32,
    /// Factor of all gradients.
    scale: f32,
}

impl Adam {
    /// Before the first step of a network with these layers.
    pub(crate) fn new(layers: &[Layer]) -> Self {
        let zeros: Vec<Layer> = layers
            .iter()
            .map(|layer| Layer {
                weights: vec![0.0; layer.weights.len()],
                biases: vec![0.0; layer.biases.len()],
                ..*layer
            })
            .collect();
        Self { first: zeros.clone(), second: zeros, steps: 0 }
    }

    /// Moves the parameters of `layers` by one step against `gradients`, on the threads of the rayon
    /// pool. Rows of the first layer of which `is_present` is false are not read in its gradient,
    /// and their weights and moments stay.
    pub(crate) fn step(
        &mut self,
        layers: &mut [Layer],
        gradients: &[Layer],
        is_present: impl Fn(usize) -> bool + Sync,
        rate: f64,
        settings: &LearnerSettings,
    ) {
        self.steps += 1;
        let steps = self.steps as f64;
        let scale = match settings.gradient_clip {
            Some(largest) => (largest / norm(gradients, &is_present)).min(1.0),
            None => 1.0,
        };
        let step = Step {
            rate: (rate / (1.0 - settings.beta_1.powf(steps))) as f32,
            correction: (1.0 - settings.beta_2.powf(steps)).sqrt().recip() as f32,
            beta_1: settings.beta_1 as f32,
            beta_2: settings.beta_2 as f32,
            epsilon: settings.epsilon as f32,
            scale: scale as f32,
        };
        let arch = Arch::new();
        let moments = self.first.par_iter_mut().zip(&mut self.second);
        let layers = layers.par_iter_mut().zip(gradients).zip(moments).enumerate();
        layers.for_each(|(i, ((layer, gradient), (first, second)))| {
            let width = layer.outputs;
            let moments =
                first.weights.par_chunks_mut(width).zip(second.weights.par_chunks_mut(width));
            let rows = layer.weights.par_chunks_mut(width).zip(gradient.weights.par_chunks(width));
            let rows = rows.zip(moments).enumerate().with_min_len(TOGETHER.div_ceil(width));
            rows.filter(|&(row, _)| i > 0 || is_present(row)).for_each(
                |(_, ((values, gradients), (first, second)))| {
                    arch.dispatch(Update { step, values, gradients, first, second });
                },
            );
            arch.dispatch(Update {
                step,
                values: &mut layer.biases,
                gradients: &gradient.biases,
                first: &mut first.biases,
                second: &mut second.biases,
            });
        });
    }
}

/// One step of some parameters, all slices alike long; with [`Arch::dispatch`].
struct Update<'a> {
    step: Step,
    values: &'a mut [f32],
    gradients: &'a [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl NullaryFnOnce for Update<'_> {
    type Output = ();

    // What is not inlined is compiled for the oldest of processors.
    #[inline(always)]
    fn call(self) {
        let Self { step, values, gradients, first, second } = self;
        let moments = first.iter_mut().zip(second);
        for ((value, &gradient), (first, second)) in values.iter_mut().zip(gradients).zip(moments) {
            let gradient = gradient * step.scale;
            *first = normal(step.beta_1 * *first + (1.0 - step.beta_1) * gradient);
            *second = normal(step.beta_2 * *second + (1.0 - step.beta_2) * gradient * gradient);
            *value -= step.rate * *first / (second.sqrt() * step.correction + step.epsilon);
        }
    }
}

/// The number, or zero for one so small that arithmetic with it is slow. The moments of an input
/// that has become rare decay to such numbers and would stay there.
#[inline(always)]
fn normal(number: f32) -> f32 {
    if number.abs() < f32::MIN_POSITIVE { 0.0 } else { number }
}

/// The length of all gradients as one vector, those of rows of the first layer that are not
/// present left out.
fn norm(gradients: &[Layer], is_present: impl Fn(usize) -> bool) -> f64 {
    // One sum a layer in f32 would lose the small ones; a sum in f64 is not worth vectorizing.
    let squares =
        |numbers: &[f32]| numbers.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>();
    let of_layer = |(i, layer): (usize, &Layer)| {
        let rows = layer.weights.chunks(layer.outputs).enumerate();
        let rows = rows.filter(|&(row, _)| i > 0 || is_present(row));
        rows.map(|(_, row)| squares(row)).sum::<f64>() + squares(&layer.biases)
    };
    gradients.iter().enumerate().map(of_layer).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(weight: f32, bias: f32) -> Layer {
        Layer { inputs: 1, outputs: 1, weights: vec![weight], biases: vec![bias] }
    }

    /// The weight and the bias after steps with the given gradients.
    fn after(gradients: &[(f32, f32)], settings: &LearnerSettings) -> (f32, f32) {
        let mut layers = [layer(1.0, -1.0)];
        let mut adam = Adam::new(&layers);
        for &(weight, bias) in gradients {
            adam.step(&mut layers, &[layer(weight, bias)], |_| true, 0.1, settings);
        }
        (layers[0].weights[0], layers[0].biases[0])
    }

    #[test]
    fn the_first_step_has_the_length_of_the_rate_whatever_the_gradient() {
        let (weight, bias) = after(&[(3.0, -0.01)], &LearnerSettings::default());
        assert!((weight - 0.9).abs() < 1e-6 && (bias + 0.9).abs() < 1e-6);
    }

    #[test]
    fn the_second_step_is_that_of_the_published_algorithm() {
        let (weight, _) = after(&[(1.0, 0.0), (-0.5, 0.0)], &LearnerSettings::default());
        // m = 0.9 * 0.1 - 0.1 * 0.5 = 0.04, over 1 - 0.81; v = 0.999 * 0.001 + 0.001 * 0.25,
        // over 1 - 0.998001.
        let m: f64 = 0.04 / 0.19;
        let v: f64 = (0.000999 + 0.00025) / 0.001999;
        assert!((f64::from(weight) - (0.9 - 0.1 * m / v.sqrt())).abs() < 1e-6);
    }

    #[test]
    fn clipping_shortens_the_gradient_and_keeps_its_direction() {
        // With such an epsilon a step is as long as the gradient.
        let settings = LearnerSettings {
            epsilon: 1e6,
            gradient_clip: Some(5.0),
            ..LearnerSettings::default()
        };
        let (clipped, short) = (after(&[(30.0, 40.0)], &settings), after(&[(3.0, 4.0)], &settings));
        assert_eq!(clipped, short);
        assert_ne!(clipped, after(&[(1.5, 2.0)], &settings));
    }

    #[test]
    fn features_that_are_absent_keep_weights_and_moments() {
        let rows = |numbers: [f32; 4]| Layer {
            inputs: 2,
            outputs: 2,
            weights: numbers.to_vec(),
            biases: vec![0.0; 2],
        };
        let mut layers = [rows([1.0; 4])];
        let mut adam = Adam::new(&layers);
        let settings = LearnerSettings { gradient_clip: Some(5.0), ..LearnerSettings::default() };
        // What stands in the rows that are absent is left from an earlier batch.
        let gradients = [rows([f32::NAN, 9.0, 1.0, -1.0])];
        adam.step(&mut layers, &gradients, |row| row == 1, 0.1, &settings);
        let [first] = &layers;
        assert_eq!(first.weights[..2], [1.0, 1.0]);
        assert!((first.weights[2] - 0.9).abs() < 1e-6 && (first.weights[3] - 1.1).abs() < 1e-6);
        assert_eq!(adam.first[0].weights[..2], [0.0, 0.0]);
        assert_ne!(adam.second[0].weights[2], 0.0);
    }

    #[test]
    fn moments_never_become_denormal() {
        let mut layers = [layer(1.0, 1.0)];
        let mut adam = Adam::new(&layers);
        let settings = LearnerSettings::default();
        adam.step(&mut layers, &[layer(1e-15, 1e-30)], |_| true, 0.1, &settings);
        for _ in 0..700 {
            adam.step(&mut layers, &[layer(0.0, 0.0)], |_| true, 0.1, &settings);
        }
        assert_eq!(adam.first, [layer(0.0, 0.0)]);
    }
}
