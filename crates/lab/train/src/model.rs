//! The network that learns.

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use pulp::Arch;
use tavola_net::Layer;

use crate::sparse::{Backward, Forward, SparseFeatures};

/// A fully connected network: rectified linear units between the layers, logits at the end.
///
/// The first layer, whose inputs are mostly zero, is computed by hand, the others by burn.
/// It takes its shape from the layers it is made of, see [`tavola_net::Arch`].
#[derive(Debug)]
pub(crate) struct Model {
    first: Layer,
    /// The layers behind the first.
    rest: Vec<Linear>,
    device: Device,
    arch: Arch,
}

impl Model {
    /// The network with these layers, first to last. Its parameters ask for gradients if the device
    /// records them.
    pub(crate) fn from_layers(layers: &[Layer], device: &Device) -> Self {
        let (first, rest) = layers.split_first().expect("a network has layers");
        let rest = rest.iter().map(|layer| linear(layer.clone(), device)).collect();
        Self { first: first.clone(), rest, device: device.clone(), arch: Arch::new() }
    }

    /// The layers behind the first with what `read` reads of each, whose numbers have the shapes of
    /// weights and biases.
    fn read(&self, mut read: impl FnMut(&Linear) -> (Vec<f32>, Vec<f32>)) -> Vec<Layer> {
        let layer = |linear: &Linear| {
            let [inputs, outputs] = linear.weight.dims();
            let (weights, biases) = read(linear);
            Layer { inputs, outputs, weights, biases }
        };
        self.rest.iter().map(layer).collect()
    }

    /// A copy of the layers, first to last.
    pub(crate) fn to_layers(&self) -> Vec<Layer> {
        let rest = self.read(|layer| {
            (numbers(layer.weight.val().inner()), numbers(bias(layer).val().inner()))
        });
        std::iter::once(self.first.clone()).chain(rest).collect()
    }

    /// The activations of the first layer, a leaf of the graph if the device records one.
    /// `memory` is used for them and given back by [`numbers`].
    ///
    /// # Shapes
    ///
    /// `[batch, outputs of the first layer]`
    pub(crate) fn activations(&self, features: &SparseFeatures, mut memory: Vec<f32>) -> Tensor<2> {
        let shape = [features.len(), self.first.outputs];
        memory.resize(shape[0] * shape[1], 0.0);
        self.arch.dispatch(Forward { layer: &self.first, features, activations: &mut memory });
        let activations = Tensor::from_data(TensorData::new(memory, shape), &self.device);
        if self.device.is_autodiff() { activations.require_grad() } else { activations }
    }

    /// The logits of the outcome classes or players, from the player on roll.
    ///
    /// # Shapes
    ///
    /// `activations`: `[batch, outputs of the first layer]`; result: `[batch, outputs]`
    pub(crate) fn logits(&self, activations: Tensor<2>) -> Tensor<2> {
        let (last, hidden) = self.rest.split_last().expect("a network has a hidden layer");
        let [inputs, _] = self.rest[0].weight.dims();
        let activations = products(activations, inputs);
        last.forward(hidden.iter().fold(activations, |x, layer| relu(layer.forward(x))))
    }

    /// Takes the gradients of all parameters out of a backward pass and puts them into
    /// `layers`, which have the shapes of the network. `activations` are those of the pass; their
    /// memory is given back.
    pub(crate) fn take_gradients(
        &self,
        gradients: &mut Gradients,
        features: &SparseFeatures,
        activations: Tensor<2>,
        layers: &mut [Layer],
    ) -> Vec<f32> {
        let (first, rest) = layers.split_first_mut().expect("a network has layers");
        let taken = self.read(|layer| {
            (gradient(&layer.weight.val(), gradients), gradient(&bias(layer).val(), gradients))
        });
        rest.iter_mut().zip(taken).for_each(|(layer, taken)| *layer = taken);
        let mut of_activations = gradient(&activations, gradients);
        let activations = numbers(activations.inner());
        self.arch.dispatch(Backward {
            features,
            activations: &activations,
            of_activations: &mut of_activations,
            gradient: first,
        });
        activations
    }

    /// Lets `change` change the parameters of each layer: its number, weights and biases.
    pub(crate) fn update(&mut self, mut change: impl FnMut(usize, &mut [f32], &mut [f32])) {
        change(0, &mut self.first.weights, &mut self.first.biases);
        let mut rest = self.to_layers().split_off(1);
        (1..)
            .zip(&mut rest)
            .for_each(|(i, layer)| change(i, &mut layer.weights, &mut layer.biases));
        self.rest = rest.into_iter().map(|layer| linear(layer, &self.device)).collect();
    }
}

/// The activations of a first layer as the second one, which has this number of inputs, gets them:
/// as they are, or, if there are twice as many, the products of [`tavola_net::Arch`].
///
/// # Shapes
///
/// `activations`: `[batch, inputs or 2 * inputs]`; result: `[batch, inputs]`
pub(crate) fn products(activations: Tensor<2>, inputs: usize) -> Tensor<2> {
    let [_, width] = activations.dims();
    if width == inputs {
        return activations;
    }
    activations.clone().narrow(1, 0, inputs) * activations.narrow(1, inputs, inputs)
}

fn linear(layer: Layer, device: &Device) -> Linear {
    Linear {
        weight: param(layer.weights, [layer.inputs, layer.outputs], device),
        bias: Some(param(layer.biases, [layer.outputs], device)),
    }
}

fn param<const D: usize>(
    numbers: Vec<f32>,
    shape: [usize; D],
    device: &Device,
) -> Param<Tensor<D>> {
    Param::from_tensor(Tensor::from_data(TensorData::new(numbers, shape), device))
}

fn bias(layer: &Linear) -> &Param<Tensor<1>> {
    layer.bias.as_ref().expect("every layer is made with a bias")
}

/// The gradient of a parameter; zeros if the loss does not depend on it.
fn gradient<const D: usize>(parameter: &Tensor<D>, gradients: &mut Gradients) -> Vec<f32> {
    match parameter.grad_remove(gradients) {
        Some(gradient) => numbers(gradient),
        None => vec![0.0; parameter.dims().iter().product()],
    }
}

/// The numbers of a tensor that belongs to no graph, row-major.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("all tensors here are f32")
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use tavola_equity::OutcomeProbs;
    use tavola_net::{Encoder, EncoderKind, random_weights};
    use tavola_rules::{Backgammon, Game, Outcome, Position};

    use super::*;
    use crate::loss::soft_cross_entropy;

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

    fn sparse(encoder: &Encoder, states: &[Position]) -> SparseFeatures {
        let mut features = SparseFeatures::default();
        features.encode(encoder, states.iter().map(Backgammon::cells));
        features
    }

    /// The dense form.
    fn dense(encoder: &Encoder, states: &[Position], device: &Device) -> Tensor<2> {
        let mut features = vec![0.0; states.len() * encoder.inputs()];
        for (state, row) in states.iter().zip(features.chunks_mut(encoder.inputs())) {
            encoder.encode(Backgammon::cells(state), row);
        }
        Tensor::from_data(TensorData::new(features, [states.len(), encoder.inputs()]), device)
    }

    #[test]
    fn layers_survive_the_trip_through_burn() {
        let layers = random_weights(EncoderKind::Tesauro, &[7, 5], 3).layers;
        for device in [Device::flex(), Device::flex().autodiff()] {
            let mut model = Model::from_layers(&layers, &device);
            assert_eq!(model.to_layers(), layers);
            model.update(|i, weights, biases| {
                weights[0] += 1.0;
                biases[0] -= i as f32;
            });
            let updated = model.to_layers();
            for (i, (new, old)) in updated.iter().zip(&layers).enumerate() {
                assert_eq!(new.weights[0], old.weights[0] + 1.0);
                assert_eq!(new.weights[1..], old.weights[1..]);
                assert_eq!(new.biases[0], old.biases[0] - i as f32);
            }
        }
    }

    /// Logits, and the gradients of all layers, as burn finds them in the dense form.
    fn by_burn(
        layers: &[Layer],
        features: Tensor<2>,
        targets: Tensor<2>,
        device: &Device,
    ) -> (Vec<f32>, Vec<Layer>) {
        let tensors: Vec<(Tensor<2>, Tensor<1>)> = layers
            .iter()
            .map(|layer| {
                let shape = [layer.inputs, layer.outputs];
                let weights = TensorData::new(layer.weights.clone(), shape);
                let biases = TensorData::new(layer.biases.clone(), [layer.outputs]);
                let weights = Tensor::<2>::from_data(weights, device).require_grad();
                (weights, Tensor::<1>::from_data(biases, device).require_grad())
            })
            .collect();
        let mut x = features;
        for (i, (weights, biases)) in tensors.iter().enumerate() {
            let sums = x.matmul(weights.clone()) + biases.clone().unsqueeze();
            x = if i + 1 < layers.len() { relu(sums) } else { sums };
        }
        let logits = numbers(x.clone().inner());
        let mut gradients = soft_cross_entropy(x, targets).backward();
        let found = layers.iter().zip(&tensors).map(|(layer, (weights, biases))| Layer {
            weights: gradient(weights, &mut gradients),
            biases: gradient(biases, &mut gradients),
            ..*layer
        });
        (logits, found.collect())
    }

    fn assert_close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{found}, expected {expected}");
        }
    }

    #[test]
    fn logits_and_gradients_are_those_of_the_dense_form() {
        let states = states(40);
        let device = Device::flex().autodiff();
        let targets: Vec<f32> =
            (0..states.len()).flat_map(|i| OutcomeProbs::certain(Outcome::ALL[i % 6]).0).collect();
        let targets = || Tensor::<2>::from_data(TensorData::new(targets.clone(), [40, 6]), &device);
        for kind in [EncoderKind::Tesauro, EncoderKind::OneHot] {
            for hidden in [&[19][..], &[33, 17]] {
                let encoder = encoder(kind);
                let mut layers = random_weights(kind, hidden, 5).layers;
                for layer in &mut layers {
                    layer.biases.iter_mut().enumerate().for_each(|(i, b)| *b = 0.1 * i as f32);
                }
                let dense = dense(&encoder, &states, &device);
                let (logits, gradients) = by_burn(&layers, dense, targets(), &device);

                let model = Model::from_layers(&layers, &device);
                let features = sparse(&encoder, &states);
                let activations = model.activations(&features, vec![7.0; 3]);
                let found = model.logits(activations.clone());
                assert_close(&numbers(found.clone().inner()), &logits);
                let mut taken = soft_cross_entropy(found, targets()).backward();
                // What was there before must not matter.
                let mut layers = layers.clone();
                model.take_gradients(&mut taken, &features, activations, &mut layers);
                for (found, expected) in layers.iter().zip(&gradients) {
                    assert_close(&found.weights, &expected.weights);
                    assert_close(&found.biases, &expected.biases);
                    assert!(expected.weights.iter().any(|gradient| gradient.abs() > 1e-3));
                }
            }
        }
    }
}
