//! The network as a burn module.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use tavola_net::Layer;

/// A fully connected network: rectified linear units between the layers, logits at the end.
///
/// It takes its shape from the layers it is made of, see [`tavola_net::Arch`].
#[derive(Module, Debug)]
pub(crate) struct Model {
    layers: Vec<Linear>,
}

impl Model {
    /// The network with these layers, first to last. Its parameters ask for gradients if the
    /// device records them.
    pub(crate) fn from_layers(layers: &[Layer], device: &Device) -> Self {
        let layers = layers
            .iter()
            .map(|layer| Linear {
                weight: param(layer.weights.clone(), [layer.inputs, layer.outputs], device),
                bias: Some(param(layer.biases.clone(), [layer.outputs], device)),
            })
            .collect();
        Self { layers }
    }

    /// A copy of the layers, first to last.
    pub(crate) fn to_layers(&self) -> Vec<Layer> {
        self.layers
            .iter()
            .map(|layer| {
                let [inputs, outputs] = layer.weight.dims();
                let bias = layer.bias.as_ref().expect("every layer is made with a bias");
                Layer {
                    inputs,
                    outputs,
                    weights: numbers(layer.weight.val().inner()),
                    biases: numbers(bias.val().inner()),
                }
            })
            .collect()
    }

    /// The logits of the six outcome classes, from the player on roll.
    ///
    /// # Shapes
    ///
    /// `features`: `[batch, inputs]`; result: `[batch, 6]`
    pub(crate) fn forward(&self, features: Tensor<2>) -> Tensor<2> {
        let (last, hidden) = self.layers.split_last().expect("a network has layers");
        let activations = hidden.iter().fold(features, |x, layer| relu(layer.forward(x)));
        last.forward(activations)
    }

    /// Takes the gradients of all parameters out of a backward pass, in the shapes of the layers.
    pub(crate) fn take_gradients(&self, gradients: &mut Gradients) -> Vec<Layer> {
        self.layers
            .iter()
            .map(|layer| {
                let [inputs, outputs] = layer.weight.dims();
                let bias = layer.bias.as_ref().expect("every layer is made with a bias");
                Layer {
                    inputs,
                    outputs,
                    weights: gradient(&layer.weight.val(), gradients),
                    biases: gradient(&bias.val(), gradients),
                }
            })
            .collect()
    }

    /// Lets `change` change the parameters of each layer: its number, weights and biases.
    pub(crate) fn update(&mut self, mut change: impl FnMut(usize, &mut [f32], &mut [f32])) {
        for (i, layer) in std::mem::take(&mut self.layers).into_iter().enumerate() {
            let device = layer.weight.val().device();
            let shape: [usize; 2] = layer.weight.dims();
            let bias = layer.bias.expect("every layer is made with a bias");
            let mut weights = numbers(layer.weight.into_value().inner());
            let mut biases = numbers(bias.into_value().inner());
            change(i, &mut weights, &mut biases);
            let outputs = biases.len();
            self.layers.push(Linear {
                weight: param(weights, shape, &device),
                bias: Some(param(biases, [outputs], &device)),
            });
        }
    }
}

fn param<const D: usize>(
    numbers: Vec<f32>,
    shape: [usize; D],
    device: &Device,
) -> Param<Tensor<D>> {
    Param::from_tensor(Tensor::from_data(TensorData::new(numbers, shape), device))
}

fn gradient<const D: usize>(parameter: &Tensor<D>, gradients: &mut Gradients) -> Vec<f32> {
    numbers(parameter.grad_remove(gradients).expect("the loss depends on every parameter"))
}

/// The numbers of a tensor that belongs to no graph, row-major.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("all tensors here are f32")
}

#[cfg(test)]
mod tests {
    use tavola_net::{EncoderKind, random_weights};

    use super::*;

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

    #[test]
    fn logits_are_those_of_a_plain_loop() {
        let layers = random_weights(EncoderKind::Tesauro, &[9, 4], 5).layers;
        let inputs = layers[0].inputs;
        let features: Vec<f32> = (0..2 * inputs).map(|i| ((i * 7) % 5) as f32 / 4.0).collect();
        let device = Device::flex();
        let batch = TensorData::new(features.clone(), [2, inputs]);
        let model = Model::from_layers(&layers, &device);
        let logits = numbers(model.forward(Tensor::from_data(batch, &device)));
        for (row, found) in features.chunks(inputs).zip(logits.chunks(6)) {
            let mut x = row.to_vec();
            for (i, layer) in layers.iter().enumerate() {
                x = (0..layer.outputs)
                    .map(|o| {
                        let sum = x.iter().enumerate().fold(layer.biases[o], |sum, (i, x)| {
                            sum + x * layer.weights[i * layer.outputs + o]
                        });
                        if i + 1 < layers.len() { sum.max(0.0) } else { sum }
                    })
                    .collect();
            }
            for (expected, found) in x.iter().zip(found) {
                assert!((expected - found).abs() < 1e-5, "{expected} {found}");
            }
        }
    }
}
