//! The parameter store: where the parameters of a learner live, and where its steps are made.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::AddAssign;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};
use tavola_data::Samples;
use tavola_equity::OutcomeProbs;
use tavola_net::{Encoder, Layer, OUTPUTS};

use crate::adam::Adam;
use crate::device::LearnerDevice;
#[cfg(feature = "wgpu")]
use crate::gpu::GpuStore;
use crate::learner::{LearnerError, LearnerSettings, StageSeconds, StageTimer};
use crate::loss::{Pairs, soft_cross_entropy, squared_differences, with_logit_l2, with_pairwise};
use crate::model::{Model, numbers};
use crate::sparse::SparseFeatures;

/// Parameters and moments, on one device or the other.
#[derive(Debug)]
pub(crate) enum ParameterStore {
    Cpu(Box<CpuStore>),
    #[cfg(feature = "wgpu")]
    Gpu(GpuStore),
}

/// What one step learns from, and how.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) encoder: &'a Encoder,
    pub(crate) samples: &'a Samples,
    /// Numbers of the samples in the batch, at least one; with both of a pair.
    pub(crate) batch: &'a [usize],
    pub(crate) learning_rate: f64,
    pub(crate) settings: &'a LearnerSettings,
}

/// The losses of steps, summed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    /// Cross-entropy of the samples, in nats.
    pub(crate) cross_entropy: f64,
    /// Squared errors of the differences of siblings as they count, in points squared.
    pub(crate) squared_differences: f64,
}

impl AddAssign for Losses {
    fn add_assign(&mut self, other: Self) {
        self.cross_entropy += other.cross_entropy;
        self.squared_differences += other.squared_differences;
    }
}

impl Step<'_> {
    /// Puts the features of the batch in place of what was there.
    pub(crate) fn encode(&self, features: &mut SparseFeatures) {
        let cells = self.batch.iter().map(|&sample| self.samples.cells(sample));
        features.encode(self.encoder, cells);
    }

    /// The rows of the batch that make pairs of siblings, and how much each pair counts.
    pub(crate) fn pairs(&self) -> Pairs {
        let rows = self.batch.iter().enumerate();
        let row_of: HashMap<usize, usize> = rows.map(|(row, &sample)| (sample, row)).collect();
        let mut pairs = Pairs::default();
        for &sample in self.batch.iter().filter(|&&sample| !self.samples.is_sibling(sample)) {
            let family = self.samples.family(sample);
            let weight = 2.0 / family.len() as f32;
            for second in family.clone().skip(1) {
                for first in family.start..second {
                    pairs.rows.push([row_of[&first], row_of[&second]]);
                    pairs.weights.push(weight);
                }
            }
        }
        pairs
    }

    /// # Shapes
    ///
    /// `[batch, outputs]`
    pub(crate) fn targets(&self) -> TensorData {
        let targets = self.batch.iter().flat_map(|&sample| self.samples.target(sample));
        TensorData::new(targets.copied().collect(), [self.batch.len(), self.samples.outputs()])
    }
}

impl ParameterStore {
    /// A store on `device` for these parameters and moments, which have the same shapes.
    pub(crate) fn new(
        device: LearnerDevice,
        layers: &[Layer],
        adam: Adam,
    ) -> Result<Self, LearnerError> {
        match device {
            LearnerDevice::Cpu => Ok(Self::Cpu(Box::new(CpuStore::new(layers, adam)))),
            #[cfg(feature = "wgpu")]
            LearnerDevice::Gpu => Ok(Self::Gpu(GpuStore::new(layers, adam)?)),
            #[cfg(not(feature = "wgpu"))]
            LearnerDevice::Gpu => Err(LearnerError::GpuNotBuilt),
        }
    }

    /// Steps made so far.
    pub(crate) const fn steps(&self) -> u64 {
        match self {
            Self::Cpu(store) => store.adam.steps,
            #[cfg(feature = "wgpu")]
            Self::Gpu(store) => store.steps(),
        }
    }

    /// Makes a step, and gives the losses of all steps whose losses are known by now and were not
    /// given before: of this one, or of many at once now and then.
    pub(crate) fn step(
        &mut self,
        step: Step<'_>,
        seconds: &mut StageSeconds,
    ) -> Result<Losses, LearnerError> {
        match self {
            Self::Cpu(store) => store.step(step, seconds),
            #[cfg(feature = "wgpu")]
            Self::Gpu(store) => store.step(step, seconds),
        }
    }

    /// To be called after the last of some steps: waits for them, and gives the losses of those
    /// not given before.
    pub(crate) fn finish(&mut self) -> Result<Losses, LearnerError> {
        match self {
            Self::Cpu(_) => Ok(Losses::default()),
            #[cfg(feature = "wgpu")]
            Self::Gpu(store) => store.finish(),
        }
    }

    /// A copy of the layers, first to last, as they were when the last steps were finished.
    pub(crate) fn layers(&self) -> Vec<Layer> {
        match self {
            Self::Cpu(store) => store.model.to_layers(),
            #[cfg(feature = "wgpu")]
            Self::Gpu(store) => store.layers().to_vec(),
        }
    }

    /// The moments.
    pub(crate) fn adam(&self) -> Result<Cow<'_, Adam>, LearnerError> {
        match self {
            Self::Cpu(store) => Ok(Cow::Borrowed(&store.adam)),
            #[cfg(feature = "wgpu")]
            Self::Gpu(store) => store.adam().map(Cow::Owned),
        }
    }

    /// The probabilities in these states.
    pub(crate) fn evaluate(&self, features: &SparseFeatures) -> Vec<OutcomeProbs> {
        match self {
            Self::Cpu(store) => evaluate(&store.model, features),
            #[cfg(feature = "wgpu")]
            Self::Gpu(store) => {
                evaluate(&Model::from_layers(store.layers(), &Device::flex()), features)
            }
        }
    }
}

fn evaluate(model: &Model, features: &SparseFeatures) -> Vec<OutcomeProbs> {
    let activations = model.activations(features, Vec::new());
    let probs = numbers(softmax(model.logits(activations), 1).inner());
    probs.as_chunks::<OUTPUTS>().0.iter().copied().map(OutcomeProbs).collect()
}

/// Parameters in memory, the first layer and Adam in plain Rust.
#[derive(Debug)]
pub(crate) struct CpuStore {
    model: Model,
    adam: Adam,
    device: Device,
    memory: Memory,
}

/// What a step leaves to the next one, so that it need not ask for memory.
#[derive(Debug)]
struct Memory {
    features: SparseFeatures,
    /// Activations of the first layer.
    activations: Vec<f32>,
    gradients: Vec<Layer>,
}

impl CpuStore {
    fn new(layers: &[Layer], adam: Adam) -> Self {
        let device = Device::flex().autodiff();
        Self {
            model: Model::from_layers(layers, &device),
            adam,
            device,
            memory: Memory {
                features: SparseFeatures::default(),
                activations: Vec::new(),
                gradients: layers.to_vec(),
            },
        }
    }

    fn step(&mut self, step: Step<'_>, seconds: &mut StageSeconds) -> Result<Losses, LearnerError> {
        let mut timer = StageTimer::begin();

        let Memory { features, activations, gradients: layers } = &mut self.memory;
        step.encode(features);
        if step.settings.sparse_adam {
            features.find_present(step.encoder);
        }
        let targets = Tensor::from_data(step.targets(), &self.device);
        timer.end(&mut seconds.encode);

        let first = self.model.activations(features, std::mem::take(activations));
        let logits = self.model.logits(first.clone());
        let loss = soft_cross_entropy(logits.clone(), targets.clone());
        let mean = f64::from(numbers(loss.clone().inner())[0]);
        let weight = step.settings.pairwise_loss_weight;
        let differences = squared_differences(logits.clone(), targets, step.pairs());
        let squared_differences =
            differences.as_ref().map_or(0.0, |sum| f64::from(numbers(sum.clone().inner())[0]));
        let loss = with_pairwise(loss, differences, step.batch.len(), weight);
        timer.end(&mut seconds.forward);

        let mut gradients = with_logit_l2(loss, logits, step.settings.logit_l2).backward();
        *activations = self.model.take_gradients(&mut gradients, features, first, layers);
        drop(gradients);
        timer.end(&mut seconds.backward);

        let present = features.present();
        self.adam.step(&mut self.model, layers, present, step.learning_rate, step.settings);
        timer.end(&mut seconds.update);
        if mean.is_finite() {
            Ok(Losses { cross_entropy: mean * step.batch.len() as f64, squared_differences })
        } else {
            Err(LearnerError::Diverged { step: self.adam.steps, loss: mean })
        }
    }
}
