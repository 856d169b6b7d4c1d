//! Weight averaging: the running mean of the weights.

use tavola_net::Layer;

/// The part of all steps so far that the mean covers at most. Early steps lead far, and a mean
/// over many of them would only lag behind.
const LARGEST_PART: u64 = 10;

/// An exponentially decaying mean of weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WeightAverage {
    layers: Vec<Layer>,
    /// Steps after which the part of a weight has decayed to 1/e, at least 1.
    window: u64,
}

impl WeightAverage {
    /// A mean that stands at `layers`.
    pub(crate) fn new(layers: Vec<Layer>, window: u64) -> Self {
        Self { layers, window }
    }

    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Adds weights of the same shapes, to which the last `steps` steps have led. `steps_so_far`
    /// are all steps of the learner.
    pub(crate) fn add(&mut self, layers: &[Layer], steps: u64, steps_so_far: u64) {
        let window = self.window.min(steps_so_far / LARGEST_PART).max(1);
        let weight = 1.0 - (-(steps as f64) / window as f64).exp();
        for (mean, layer) in self.layers.iter_mut().zip(layers) {
            add(&mut mean.weights, &layer.weights, weight as f32);
            add(&mut mean.biases, &layer.biases, weight as f32);
        }
    }
}

fn add(mean: &mut [f32], numbers: &[f32], weight: f32) {
    for (mean, number) in mean.iter_mut().zip(numbers) {
        *mean += weight * (number - *mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(number: f32) -> Vec<Layer> {
        vec![Layer { inputs: 1, outputs: 1, weights: vec![number], biases: vec![-number] }]
    }

    #[test]
    fn what_was_added_decays_with_the_window() {
        let mut mean = WeightAverage::new(layers(1.0), 200);
        for _ in 0..4 {
            mean.add(&layers(0.0), 50, 1_000_000);
        }
        let [layer] = mean.layers() else { panic!("one layer") };
        assert!((layer.weights[0] - (-1.0_f32).exp()).abs() < 1e-6);
        assert_eq!(layer.biases[0], -layer.weights[0]);
    }

    #[test]
    fn the_window_is_a_tenth_of_the_steps_at_most() {
        let mut mean = WeightAverage::new(layers(1.0), 1_000_000);
        mean.add(&layers(0.0), 50, 500);
        assert!((mean.layers()[0].weights[0] - (-1.0_f32).exp()).abs() < 1e-6);
        // A first call that is all there was leaves nothing of the random beginning.
        let mut mean = WeightAverage::new(layers(1.0), 1_000_000);
        mean.add(&layers(0.0), 300, 300);
        assert!(mean.layers()[0].weights[0] < 1e-4);
    }
}
