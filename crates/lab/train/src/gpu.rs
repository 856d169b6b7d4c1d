//! Learning on a GPU: parameters, moments and gradients stay there.
//!
//! The weights go up once, a batch with each step, and the weights come down when all steps of a
//! call are done. In between nothing is waited for but the losses, many at a time, so that the
//! GPU always has work in store and never too much.
//!
//! The first layer is a dense product here: a batch goes up as lists of features, of which the
//! GPU makes the rows of zeros and ones (and some numbers between) that it multiplies.

use std::borrow::Cow;
use std::fmt;
use std::sync::Mutex;

use burn::optim::{self, AdamConfig, AdamState, AdaptiveMomentumState, Optimizer};
use burn::tensor::activation::relu;
use burn::tensor::wgpu::wgpu::{Backend, DeviceType};
use burn::tensor::{Device, Gradients, IndexingUpdateOp, Int, Tensor, TensorData, Transaction};
use tavola_files::locked;
use tavola_net::Layer;

use crate::adam::Adam;
use crate::learner::{LearnerError, LearnerSettings, StageSeconds, StageTimer};
use crate::loss::{soft_cross_entropy, squared_differences, with_logit_l2, with_pairwise};
use crate::model::{LayerTensors, leaves, logits};
use crate::sparse::SparseFeatures;
use crate::store::{Losses, ParameterStore, Step};

/// Steps whose losses are read together. Reading waits for the GPU, so it should be rare; and it
/// keeps the learner from running ahead of the GPU by more steps than these.
const LOSSES_READ_TOGETHER: usize = 64;

/// The variable by which the runtime is told which device to use.
const CHOICE: &str = "CUBECL_WGPU_DEFAULT_DEVICE";

/// A GPU that is open.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    /// Records no gradients.
    device: Device,
    /// The card and its driver.
    pub(crate) name: String,
}

/// The GPU of this process: the runtime can be set up once only.
static OPEN: Mutex<Option<Gpu>> = Mutex::new(None);

/// The best GPU there is, or the device that [`CHOICE`] names. A program that pretends to be a
/// GPU is used only if it is named: the CPU is faster without it.
pub(crate) fn open() -> Result<Gpu, LearnerError> {
    let no_gpu = |reason: String| LearnerError::NoGpu { reason };
    let mut open = locked(&OPEN);
    if let Some(gpu) = &*open {
        return Ok(gpu.clone());
    }
    let (device, setup) = Device::wgpu_options()
        .init_with_setup()
        .map_err(|error| no_gpu(format!("found none that can be used: {error}")))?;
    let info = setup.adapter.get_info();
    let name = format!("{} ({})", info.name, setup.backend);
    if setup.backend == Backend::Gl {
        // The thread that polls such a device panics when it waits too long for the context, as
        // it did with Mesa 22.3.
        return Err(no_gpu(format!("found only {name}, and OpenGL is not enough")));
    }
    if info.device_type == DeviceType::Cpu && std::env::var_os(CHOICE).is_none() {
        return Err(no_gpu(format!(
            "found only {name}, which computes on the CPU; {CHOICE}=Cpu uses it all the same"
        )));
    }
    let gpu = Gpu { device, name };
    *open = Some(gpu.clone());
    Ok(gpu)
}

/// Parameters and moments on a GPU, with burn's optimizer.
pub(crate) struct GpuStore {
    device: Device,
    parameters: Vec<GpuLayer>,
    steps: u64,
    /// The layers when steps were last finished.
    layers: Vec<Layer>,
    features: SparseFeatures,
    /// The cross-entropy of the latest steps that was not read yet, with the samples of each, and
    /// their squared differences.
    losses: Vec<(Tensor<1>, usize)>,
    differences: Vec<Tensor<1>>,
}

// Tensors on a card print nothing of use.
impl fmt::Debug for GpuStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuStore")
            .field("device", &self.device)
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

/// One layer. All tensors record no gradients.
struct GpuLayer {
    /// # Shapes
    ///
    /// `[inputs, outputs]`
    weights: Parameter<2>,
    /// # Shapes
    ///
    /// `[outputs]`
    biases: Parameter<1>,
}

struct Parameter<const D: usize> {
    values: Tensor<D>,
    moments: AdamState<D>,
}

impl<const D: usize> Parameter<D> {
    /// One with these values and moments, on `device`.
    fn new(shape: [usize; D], numbers: [&[f32]; 3], steps: u64, device: &Device) -> Self {
        let [values, first, second] = numbers
            .map(|numbers| Tensor::from_data(TensorData::new(numbers.to_vec(), shape), device));
        // After that number of steps one more or less makes no difference to the bias correction.
        let time = i32::try_from(steps).unwrap_or(i32::MAX - 1) as usize;
        let moments = AdamState::new(AdaptiveMomentumState::new(time, first, second));
        Self { values, moments }
    }

    fn stepped(self, optimizer: &optim::Adam, rate: f64, gradient: Tensor<D>) -> Self {
        let (values, moments) = optimizer.step(rate, self.values, gradient, Some(self.moments));
        Self { values, moments: moments.expect("Adam has a state after a step") }
    }
}

impl GpuStore {
    /// Brings these parameters and moments to the GPU of this process.
    pub(crate) fn new(layers: &[Layer], adam: Adam) -> Result<Self, LearnerError> {
        let Gpu { device, .. } = open()?;
        let moments = adam.first.iter().zip(&adam.second);
        let parameters = layers
            .iter()
            .zip(moments)
            .map(|(layer, (first, second))| GpuLayer {
                weights: Parameter::new(
                    [layer.inputs, layer.outputs],
                    [&layer.weights, &first.weights, &second.weights],
                    adam.steps,
                    &device,
                ),
                biases: Parameter::new(
                    [layer.outputs],
                    [&layer.biases, &first.biases, &second.biases],
                    adam.steps,
                    &device,
                ),
            })
            .collect();
        Ok(Self {
            device,
            parameters,
            steps: adam.steps,
            layers: layers.to_vec(),
            features: SparseFeatures::default(),
            losses: Vec::new(),
            differences: Vec::new(),
        })
    }

    /// The parameters of each layer.
    fn values(&self) -> LayerTensors {
        let values = |layer: &GpuLayer| (layer.weights.values.clone(), layer.biases.values.clone());
        self.parameters.iter().map(values).collect()
    }

    /// Brings the features up and makes them dense.
    ///
    /// # Shapes
    ///
    /// `[batch, inputs]`
    fn rows(&self) -> Tensor<2> {
        let batch = self.features.len();
        let most = self.features.states().map(<[_]>::len).max().unwrap_or_default().max(1);
        // Where a state has fewer, zero is added to its first feature.
        let mut numbers = vec![0_i32; batch * most];
        let mut values = vec![0_f32; batch * most];
        let rows = numbers.chunks_exact_mut(most).zip(values.chunks_exact_mut(most));
        for (active, (numbers, values)) in self.features.states().zip(rows) {
            for (&(feature, value), (number, to)) in
                active.iter().zip(numbers.iter_mut().zip(values))
            {
                *number = feature as i32;
                *to = value;
            }
        }
        let shape = [batch, most];
        let numbers = Tensor::<2, Int>::from_data(TensorData::new(numbers, shape), &self.device);
        let values = Tensor::from_data(TensorData::new(values, shape), &self.device);
        let inputs = self.layers[0].inputs;
        Tensor::zeros([batch, inputs], &self.device).scatter(
            1,
            numbers,
            values,
            IndexingUpdateOp::Add,
        )
    }

    /// Moves the parameters against the gradients of each layer's weights and biases.
    fn update(
        &mut self,
        mut gradients: Vec<(Tensor<2>, Tensor<1>)>,
        rate: f64,
        settings: &LearnerSettings,
    ) {
        if let Some(largest) = settings.gradient_clip {
            let scale = (norm(&gradients).recip() * largest as f32).clamp_max(1.0);
            for (weights, biases) in &mut gradients {
                *weights = weights.clone() * scale.clone().unsqueeze();
                *biases = biases.clone() * scale.clone();
            }
        }
        let optimizer = AdamConfig::new()
            .with_beta_1(settings.beta_1 as f32)
            .with_beta_2(settings.beta_2 as f32)
            .with_epsilon(settings.epsilon as f32)
            .build();
        self.parameters = std::mem::take(&mut self.parameters)
            .into_iter()
            .zip(gradients)
            .map(|(layer, (weights, biases))| GpuLayer {
                weights: layer.weights.stepped(&optimizer, rate, weights),
                biases: layer.biases.stepped(&optimizer, rate, biases),
            })
            .collect();
        self.steps += 1;
    }

    /// Waits for the steps made so far; their losses, summed over samples.
    fn read_losses(&mut self) -> Result<Losses, LearnerError> {
        let (losses, samples): (Vec<_>, Vec<_>) = self.losses.drain(..).unzip();
        if losses.is_empty() {
            return Ok(Losses::default());
        }
        let first = self.steps - losses.len() as u64 + 1;
        let means = Tensor::cat(losses, 0).try_into_data().map_err(failed)?;
        let means: Vec<f32> = means.try_into_vec().map_err(failed)?;
        let mut cross_entropy = 0.0;
        for ((step, mean), samples) in (first..).zip(means).zip(samples) {
            if !mean.is_finite() {
                return Err(LearnerError::Diverged { step, loss: f64::from(mean) });
            }
            cross_entropy += f64::from(mean) * samples as f64;
        }
        let mut squared_differences = 0.0;
        if !self.differences.is_empty() {
            let sums = Tensor::cat(std::mem::take(&mut self.differences), 0);
            let sums: Vec<f32> =
                sums.try_into_data().map_err(failed)?.try_into_vec().map_err(failed)?;
            squared_differences = sums.into_iter().map(f64::from).sum();
        }
        Ok(Losses { cross_entropy, squared_differences })
    }

    /// Brings down tensors in the shapes of the layers, all at once.
    fn fetch(&self, tensors: Vec<(Tensor<2>, Tensor<1>)>) -> Result<Vec<Layer>, LearnerError> {
        let transaction =
            tensors.into_iter().fold(Transaction::default(), |all, (weights, biases)| {
                all.register(weights).register(biases)
            });
        let mut fetched = transaction.try_execute().map_err(failed)?.into_iter();
        let mut next = || {
            let data = fetched.next().expect("a transaction gives what was registered");
            data.try_into_vec().map_err(failed)
        };
        self.layers
            .iter()
            .map(|layer| Ok(Layer { weights: next()?, biases: next()?, ..*layer }))
            .collect()
    }
}

impl ParameterStore for GpuStore {
    fn steps(&self) -> u64 {
        self.steps
    }

    /// The layers when steps were last finished.
    fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Fetches the moments.
    fn adam(&self) -> Result<Cow<'_, Adam>, LearnerError> {
        let moments = |layer: &GpuLayer| {
            let (weights, biases) =
                (&layer.weights.moments.momentum, &layer.biases.moments.momentum);
            (
                (weights.moment_1.clone(), biases.moment_1.clone()),
                (weights.moment_2.clone(), biases.moment_2.clone()),
            )
        };
        let (first, second): (Vec<_>, Vec<_>) = self.parameters.iter().map(moments).unzip();
        let (first, second) = (self.fetch(first)?, self.fetch(second)?);
        Ok(Cow::Owned(Adam { first, second, steps: self.steps }))
    }

    /// As in the trait: the losses of many steps now and then.
    fn step(
        &mut self,
        step: &Step<'_>,
        seconds: &mut StageSeconds,
    ) -> Result<Losses, LearnerError> {
        let mut timer = StageTimer::begin();

        step.encode(&mut self.features);
        let features = self.rows();
        let targets = Tensor::from_data(step.targets(), &self.device);
        timer.end(&mut seconds.encode);

        let leaves = leaves(&self.values());
        let (weights, biases) = &leaves[0];
        let first = relu(features.matmul(weights.clone()) + biases.clone().unsqueeze());
        let logits = logits(&leaves[1..], first);
        let batch = step.batch.len();
        let loss = soft_cross_entropy(logits.clone(), targets.clone(), batch);
        self.losses.push((loss.clone().inner(), batch));
        let weight = step.settings.pairwise_loss_weight;
        let differences = squared_differences(logits.clone(), targets, step.pairs());
        self.differences.extend(differences.clone().map(Tensor::inner));
        let loss = with_pairwise(loss, differences, batch, weight);
        timer.end(&mut seconds.forward);

        let mut graph = with_logit_l2(loss, logits, batch, step.settings.logit_l2).backward();
        let gradients = leaves
            .into_iter()
            .map(|(weights, biases)| (take(&weights, &mut graph), take(&biases, &mut graph)))
            .collect();
        timer.end(&mut seconds.backward);

        self.update(gradients, step.learning_rate, step.settings);
        let known = match self.losses.len() {
            0..LOSSES_READ_TOGETHER => Ok(Losses::default()),
            _ => self.read_losses(),
        };
        timer.end(&mut seconds.update);
        known
    }

    fn finish(&mut self) -> Result<Losses, LearnerError> {
        let losses = self.read_losses()?;
        self.layers = self.fetch(self.values())?;
        Ok(losses)
    }
}

fn take<const D: usize>(leaf: &Tensor<D>, gradients: &mut Gradients) -> Tensor<D> {
    leaf.grad_remove(gradients).expect("the loss depends on every parameter")
}

/// The length of all gradients as one vector.
///
/// # Shapes
///
/// Result: `[1]`
fn norm(gradients: &[(Tensor<2>, Tensor<1>)]) -> Tensor<1> {
    let squares = gradients
        .iter()
        .map(|(weights, biases)| weights.clone().square().sum() + biases.clone().square().sum());
    squares.reduce(|a, b| a + b).expect("a network has layers").sqrt()
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> LearnerError {
    LearnerError::Gpu(Box::new(error))
}
