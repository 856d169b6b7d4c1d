//! Learning on the CPU: the first layer and Adam in plain Rust, the layers between by burn.
//!
//! A batch is learned in parts, each with a graph of its own, on the threads of the rayon pool that
//! the learner is called in. Parts depend on the batch alone and are added up in their order, so
//! that the network is the same on any number of threads.

use std::borrow::Cow;
use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};
use pulp::Arch;
use rayon::prelude::*;
use tavola_net::Layer;

use crate::adam::{Adam, TOGETHER};
use crate::learner::{LearnerError, StageSeconds, StageTimer};
use crate::loss::{soft_cross_entropy, squared_differences, with_logit_l2, with_pairwise};
use crate::model::{
    LayerTensors, activations, gradient, leaves, logits, numbers, take_gradients, tensors,
};
use crate::sparse::{FeatureGradient, SparseFeatures, StatesOfFeatures};
use crate::store::{Losses, ParameterStore, Step};

/// Products of a forward pass in a part of a batch, about: fewer are not worth a graph of their own,
/// more leave cores idle. Another number adds up in another order.
const PRODUCTS: usize = 6_400_000;

/// Features that a state has, about.
const ACTIVE: usize = 60;

/// Parameters in memory.
#[derive(Debug)]
pub(crate) struct CpuStore {
    layers: Vec<Layer>,
    adam: Adam,
    /// Samples in a part of a batch, or some more where siblings stay together.
    samples_a_part: usize,
    // What a step leaves to the next one, so that it need not ask for memory.
    parts: Vec<Part>,
    states_of_features: StatesOfFeatures,
    gradients: Vec<Layer>,
}

/// What one thread computes of a step.
#[derive(Debug, Default)]
struct Part {
    features: SparseFeatures,
    /// Of the first layer.
    ///
    /// # Shapes
    ///
    /// `[samples, outputs]`
    activations: Vec<f32>,
    /// The gradients of the sums before the first layer's rectifier, in the same shape.
    of_sums: Vec<f32>,
    /// Those of the layers behind the first.
    upper: Vec<Layer>,
    losses: Losses,
    seconds: StageSeconds,
}

impl CpuStore {
    pub(crate) fn new(layers: &[Layer], adam: Adam) -> Self {
        let upper: usize = layers[1..].iter().map(|layer| layer.weights.len()).sum();
        Self {
            layers: layers.to_vec(),
            adam,
            samples_a_part: PRODUCTS.div_ceil(ACTIVE * layers[0].outputs + upper),
            parts: Vec::new(),
            states_of_features: StatesOfFeatures::default(),
            gradients: layers.to_vec(),
        }
    }

    /// Computes the gradients of all parameters.
    fn differentiate(&mut self, step: &Step<'_>, seconds: &mut StageSeconds) {
        let (first, upper) = self.layers.split_first().expect("a network has layers");
        let upper = tensors(upper, &Device::flex());
        let ranges = self.parts(step);
        let batch = step.batch.len();
        self.parts.resize_with(ranges.len(), Part::default);
        self.parts.par_iter_mut().zip(ranges).for_each(|(part, range)| {
            part.learn(first, &upper, &Step { batch: &step.batch[range], ..*step }, batch);
        });
        self.parts.iter().for_each(|part| *seconds += part.seconds);
        let mut timer = StageTimer::begin();
        self.add_up(step);
        timer.end_on_all_threads(&mut seconds.backward);
    }

    /// Ranges of the batch, a part each, that leave siblings together.
    fn parts(&self, step: &Step<'_>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut begin = 0;
        for (i, &sample) in step.batch.iter().enumerate() {
            if i >= begin + self.samples_a_part && !step.samples.is_sibling(sample) {
                parts.push(begin..i);
                begin = i;
            }
        }
        parts.push(begin..step.batch.len());
        parts
    }

    /// Adds up the gradients of the parts.
    fn add_up(&mut self, step: &Step<'_>) {
        let (first, upper) = self.gradients.split_first_mut().expect("a network has layers");
        let features = self.parts.iter().map(|part| &part.features);
        self.states_of_features.sort(first.inputs, features);
        let states = &self.states_of_features;
        let width = first.outputs;
        let of_sums: Vec<&[f32]> =
            self.parts.iter().flat_map(|part| part.of_sums.chunks_exact(width)).collect();
        let arch = Arch::new();
        let Layer { weights, biases, .. } = first;
        let rows =
            weights.par_chunks_exact_mut(width).enumerate().with_min_len(TOGETHER.div_ceil(width));
        let rows = || {
            rows.for_each(|(feature, gradient)| {
                let states = states.of(feature);
                // Sparse Adam does not read the others.
                if !step.settings.sparse_adam || !states.is_empty() {
                    arch.dispatch(FeatureGradient { states, of_sums: &of_sums, gradient });
                }
            });
        };
        let all: Vec<(usize, f32)> = (0..of_sums.len()).map(|state| (state, 1.0)).collect();
        let parts = &self.parts;
        let rest = || {
            arch.dispatch(FeatureGradient { states: &all, of_sums: &of_sums, gradient: biases });
            upper.par_iter_mut().enumerate().for_each(|(i, layer)| {
                let parts = || parts.iter().map(|part| &part.upper[i]);
                sum(&mut layer.weights, parts().map(|part| part.weights.as_slice()));
                sum(&mut layer.biases, parts().map(|part| part.biases.as_slice()));
            });
        };
        rayon::join(rows, rest);
    }
}

impl ParameterStore for CpuStore {
    fn steps(&self) -> u64 {
        self.adam.steps
    }

    /// As in the trait: its own losses.
    fn step(
        &mut self,
        step: &Step<'_>,
        seconds: &mut StageSeconds,
    ) -> Result<Losses, LearnerError> {
        self.differentiate(step, seconds);
        let mut timer = StageTimer::begin();
        let states = &self.states_of_features;
        let is_present = |feature| !step.settings.sparse_adam || !states.of(feature).is_empty();
        let (layers, gradients) = (&mut self.layers, &self.gradients);
        self.adam.step(layers, gradients, is_present, step.learning_rate, step.settings);
        timer.end_on_all_threads(&mut seconds.update);

        let mut losses = Losses::default();
        for part in &self.parts {
            losses += part.losses;
        }
        let mean = losses.cross_entropy / step.batch.len() as f64;
        if mean.is_finite() {
            Ok(losses)
        } else {
            Err(LearnerError::Diverged { step: self.adam.steps, loss: mean })
        }
    }

    fn layers(&self) -> &[Layer] {
        &self.layers
    }

    fn adam(&self) -> Result<Cow<'_, Adam>, LearnerError> {
        Ok(Cow::Borrowed(&self.adam))
    }
}

impl Part {
    /// Computes the gradients of these samples of a batch that has `batch` of them.
    fn learn(&mut self, first: &Layer, upper: &LayerTensors, step: &Step<'_>, batch: usize) {
        self.seconds = StageSeconds::default();
        let mut timer = StageTimer::begin();
        let device = Device::flex().autodiff();
        step.encode(&mut self.features);
        let targets = Tensor::from_data(step.targets(), &device);
        timer.end(&mut self.seconds.encode);

        let shape = [self.features.len(), first.outputs];
        let sums = activations(first, &self.features, std::mem::take(&mut self.activations));
        let inputs = Tensor::<2>::from_data(TensorData::new(sums, shape), &device).require_grad();
        let upper = leaves(upper);
        let logits = logits(&upper, inputs.clone());
        let loss = soft_cross_entropy(logits.clone(), targets.clone(), batch);
        let cross_entropy = f64::from(numbers(loss.clone().inner())[0]) * batch as f64;
        let weight = step.settings.pairwise_loss_weight;
        let differences = squared_differences(logits.clone(), targets, step.pairs());
        let squared_differences =
            differences.as_ref().map_or(0.0, |sum| f64::from(numbers(sum.clone().inner())[0]));
        self.losses = Losses { cross_entropy, squared_differences };
        let loss = with_pairwise(loss, differences, batch, weight);
        timer.end(&mut self.seconds.forward);

        let mut graph = with_logit_l2(loss, logits, batch, step.settings.logit_l2).backward();
        self.upper = take_gradients(&upper, &mut graph);
        self.of_sums = gradient(&inputs, &mut graph);
        drop(graph);
        self.activations = numbers(inputs.inner());
        for (number, &activation) in self.of_sums.iter_mut().zip(&self.activations) {
            *number = if activation <= 0.0 { 0.0 } else { *number };
        }
        timer.end(&mut self.seconds.backward);
    }
}

/// Puts the sum of these, all alike long, in place of what was there, added in their order.
fn sum<'a>(total: &mut [f32], numbers: impl Iterator<Item = &'a [f32]>) {
    let numbers: Vec<&[f32]> = numbers.collect();
    total.par_chunks_mut(TOGETHER).enumerate().for_each(|(chunk, total)| {
        let range = chunk * TOGETHER..chunk * TOGETHER + total.len();
        total.fill(0.0);
        for numbers in &numbers {
            total.iter_mut().zip(&numbers[range.clone()]).for_each(|(sum, number)| *sum += number);
        }
    });
}

#[cfg(test)]
mod tests {
    use burn::tensor::activation::relu;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use tavola_data::Samples;
    use tavola_equity::OutcomeProbs;
    use tavola_net::{Encoder, EncoderKind, OUTPUTS, random_weights};
    use tavola_rules::{Backgammon, Game, Outcome, Position};

    use super::*;
    use crate::learner::LearnerSettings;

    /// States of a random game.
    fn states(number: usize) -> Vec<Position> {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let mut states = vec![Position::STANDARD];
        while states.len() < number {
            let game = Backgammon::Standard;
            let mut afterstates = Vec::new();
            game.afterstates(&states[states.len() - 1], game.roll(&mut rng), &mut afterstates);
            states.push(afterstates[states.len() % afterstates.len()]);
        }
        states
    }

    fn encoder(kind: EncoderKind) -> Encoder {
        Encoder::new(kind, Backgammon::Standard.layout())
    }

    /// The dense form.
    fn dense(encoder: &Encoder, states: &[Position], device: &Device) -> Tensor<2> {
        let mut features = vec![0.0; states.len() * encoder.inputs()];
        for (state, row) in states.iter().zip(features.chunks_mut(encoder.inputs())) {
            encoder.encode(Backgammon::cells(state), row);
        }
        Tensor::from_data(TensorData::new(features, [states.len(), encoder.inputs()]), device)
    }

    /// The loss, and the gradients of all layers, as burn finds them in the dense form.
    fn by_burn(layers: &[Layer], features: Tensor<2>, targets: Tensor<2>) -> (f64, Vec<Layer>) {
        let tensors = leaves(&tensors(layers, &Device::flex()));
        let mut x = features;
        for (i, (weights, biases)) in tensors.iter().enumerate() {
            let sums = x.matmul(weights.clone()) + biases.clone().unsqueeze();
            x = if i + 1 < layers.len() { relu(sums) } else { sums };
        }
        let [rows, _] = x.dims();
        let loss = soft_cross_entropy(x, targets, rows);
        let mut graph = loss.clone().backward();
        (f64::from(numbers(loss.inner())[0]), take_gradients(&tensors, &mut graph))
    }

    fn assert_close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{found}, expected {expected}");
        }
    }

    #[test]
    fn loss_and_gradients_are_those_of_the_dense_form() {
        let states = states(40);
        let device = Device::flex().autodiff();
        let targets: Vec<f32> =
            (0..states.len()).flat_map(|i| OutcomeProbs::certain(Outcome::ALL[i % 6]).0).collect();
        for kind in [EncoderKind::Tesauro, EncoderKind::OneHot] {
            for hidden in [&[19][..], &[33, 17]] {
                let encoder = encoder(kind);
                let mut layers = random_weights(kind, hidden, 5).layers;
                for layer in &mut layers {
                    layer.biases.iter_mut().enumerate().for_each(|(i, b)| *b = 0.1 * i as f32);
                }
                let dense = dense(&encoder, &states, &device);
                let shape = [states.len(), OUTPUTS];
                let expected = TensorData::new(targets.clone(), shape);
                let (loss, gradients) =
                    by_burn(&layers, dense, Tensor::from_data(expected, &device));
                let mut samples = Samples::new(Backgammon::Standard.layout().len());
                for (state, target) in states.iter().zip(targets.as_chunks().0) {
                    samples.push(Backgammon::cells(state), OutcomeProbs(*target));
                }
                let settings = LearnerSettings { logit_l2: 0.0, ..LearnerSettings::default() };
                let batch: Vec<usize> = (0..states.len()).collect();
                let step = Step {
                    encoder: &encoder,
                    samples: &samples,
                    batch: &batch,
                    learning_rate: 0.0,
                    settings: &settings,
                };
                let mut store = CpuStore::new(&layers, Adam::new(&layers));
                // The second time around, what was there before must not matter.
                for samples in [7, 1000] {
                    store.samples_a_part = samples;
                    store.differentiate(&step, &mut StageSeconds::default());
                    let found: f64 = store.parts.iter().map(|part| part.losses.cross_entropy).sum();
                    assert!((found / 40.0 - loss).abs() < 1e-5, "{found} for 40, expected {loss}");
                    for (found, expected) in store.gradients.iter().zip(&gradients) {
                        assert_close(&found.weights, &expected.weights);
                        assert_close(&found.biases, &expected.biases);
                        assert!(expected.weights.iter().any(|gradient| gradient.abs() > 1e-3));
                    }
                }
            }
        }
    }
}
