//! The network that learns.

use burn::tensor::activation::relu;
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use pulp::Arch;
use tavola_net::Layer;

use crate::sparse::{Forward, SparseFeatures};

/// The activations of the first layer, whose inputs are mostly zero: computed by hand. `memory` is
/// used for them.
///
/// # Shapes
///
/// Result: `[batch, first.outputs]`
pub(crate) fn activations(
    first: &Layer,
    features: &SparseFeatures,
    mut memory: Vec<f32>,
) -> Vec<f32> {
    memory.resize(features.len() * first.outputs, 0.0);
    Arch::new().dispatch(Forward { layer: first, features, activations: &mut memory });
    memory
}

/// Some layers as tensors of burn, weights and biases of each, without a graph.
///
/// # Shapes
///
/// Of each layer: `[inputs, outputs]`, `[outputs]`
pub(crate) type LayerTensors = Vec<(Tensor<2>, Tensor<1>)>;

/// A copy of these layers on a device.
pub(crate) fn tensors(layers: &[Layer], device: &Device) -> LayerTensors {
    let of = |Layer { inputs, outputs, weights, biases }: &Layer| {
        let weights = TensorData::new(weights.clone(), [*inputs, *outputs]);
        let biases = TensorData::new(biases.clone(), [*outputs]);
        (Tensor::from_data(weights, device), Tensor::from_data(biases, device))
    };
    layers.iter().map(of).collect()
}

/// Tensors as leaves of a graph of their own.
pub(crate) fn leaves(layers: &[(Tensor<2>, Tensor<1>)]) -> LayerTensors {
    let leaf = |(weights, biases): &(Tensor<2>, Tensor<1>)| {
        (weights.clone().autodiff().require_grad(), biases.clone().autodiff().require_grad())
    };
    layers.iter().map(leaf).collect()
}

/// The logits of the outcome classes or players, from the player on roll: rectified linear units
/// between the layers behind the first, which are `upper`, at least one.
///
/// # Shapes
///
/// `activations` of the first layer: `[batch, inputs or 2 * inputs of the second]`; result:
/// `[batch, outputs]`
pub(crate) fn logits(upper: &[(Tensor<2>, Tensor<1>)], activations: Tensor<2>) -> Tensor<2> {
    let (last, hidden) = upper.split_last().expect("a network has a hidden layer");
    let [inputs, _] = upper[0].0.dims();
    let sums = |x: Tensor<2>, (weights, biases): &(Tensor<2>, Tensor<1>)| {
        x.matmul(weights.clone()) + biases.clone().unsqueeze()
    };
    let activations = products(activations, inputs);
    sums(hidden.iter().fold(activations, |x, layer| relu(sums(x, layer))), last)
}

/// The activations of a first layer as the second one, which has this number of inputs, gets them:
/// as they are, or, if there are twice as many, the products of [`tavola_net::Arch`].
///
/// # Shapes
///
/// `activations`: `[batch, inputs or 2 * inputs]`; result: `[batch, inputs]`
fn products(activations: Tensor<2>, inputs: usize) -> Tensor<2> {
    let [_, width] = activations.dims();
    if width == inputs {
        return activations;
    }
    activations.clone().narrow(1, 0, inputs) * activations.narrow(1, inputs, inputs)
}

/// Takes the gradients of these leaves out of a backward pass, in the shapes of the layers.
pub(crate) fn take_gradients(
    leaves: &[(Tensor<2>, Tensor<1>)],
    gradients: &mut Gradients,
) -> Vec<Layer> {
    let mut take = |(weights, biases): &(Tensor<2>, Tensor<1>)| {
        let [inputs, outputs] = weights.dims();
        let (weights, biases) = (gradient(weights, gradients), gradient(biases, gradients));
        Layer { inputs, outputs, weights, biases }
    };
    leaves.iter().map(&mut take).collect()
}

/// The gradient of a leaf; zeros if the loss does not depend on it.
pub(crate) fn gradient<const D: usize>(leaf: &Tensor<D>, gradients: &mut Gradients) -> Vec<f32> {
    match leaf.grad_remove(gradients) {
        Some(gradient) => numbers(gradient),
        None => vec![0.0; leaf.dims().iter().product()],
    }
}

/// The numbers of a tensor that belongs to no graph, row-major.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("all tensors here are f32")
}
