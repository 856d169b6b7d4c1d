//! Where the parameters of a learner live, and who steps there.

use std::borrow::Cow;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};
use tavola_equity::OutcomeProbs;
use tavola_net::{Encoder, Layer, OUTPUTS};

use crate::adam::Adam;
use crate::device::LearnerDevice;
#[cfg(feature = "wgpu")]
use crate::gpu::GpuHome;
use crate::learner::{Laps, LearnerError, LearnerSettings, StageSeconds};
use crate::loss::{pulled, soft_cross_entropy, with_rivals};
use crate::model::{Model, numbers};
use crate::sparse::SparseFeatures;
use crate::targets::Samples;

/// Parameters and moments, on one device or the other.
#[derive(Debug)]
pub(crate) enum Home {
    Cpu(Box<CpuHome>),
    #[cfg(feature = "wgpu")]
    Gpu(GpuHome),
}

/// What one step learns from, and how.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) encoder: &'a Encoder,
    pub(crate) samples: &'a Samples,
    /// Numbers of the samples in the batch, at least one; rivals right after what they are
    /// rivals of.
    pub(crate) batch: &'a [usize],
    pub(crate) learning_rate: f64,
    pub(crate) settings: &'a LearnerSettings,
}

impl Step<'_> {
    /// Puts the features of the batch in place of what was there.
    pub(crate) fn encode(&self, features: &mut SparseFeatures) {
        let cells = self.batch.iter().map(|&sample| self.samples.cells(sample));
        features.encode(self.encoder, cells);
    }

    /// The rows of the batch that are rivals of the rows before them.
    pub(crate) fn rivals(&self) -> Vec<usize> {
        let is_rival = |&row: &usize| self.samples.is_rival(self.batch[row]);
        (0..self.batch.len()).filter(is_rival).collect()
    }

    /// # Shapes
    ///
    /// `[batch, 6]`
    pub(crate) fn targets(&self) -> TensorData {
        let targets = self.batch.iter().flat_map(|&sample| self.samples.targets()[sample].0);
        TensorData::new(targets.collect(), [self.batch.len(), OUTPUTS])
    }
}

impl Home {
    /// A home on `device` for these parameters and moments, which have the same shapes.
    pub(crate) fn new(
        device: LearnerDevice,
        layers: &[Layer],
        adam: Adam,
    ) -> Result<Self, LearnerError> {
        match device {
            LearnerDevice::Cpu => Ok(Self::Cpu(Box::new(CpuHome::new(layers, adam)))),
            #[cfg(feature = "wgpu")]
            LearnerDevice::Gpu => Ok(Self::Gpu(GpuHome::new(layers, adam)?)),
            #[cfg(not(feature = "wgpu"))]
            LearnerDevice::Gpu => Err(LearnerError::GpuNotBuilt),
        }
    }

    /// Steps made so far.
    pub(crate) const fn steps(&self) -> u64 {
        match self {
            Self::Cpu(home) => home.adam.steps,
            #[cfg(feature = "wgpu")]
            Self::Gpu(home) => home.steps(),
        }
    }

    /// Makes a step, and gives the loss (summed over samples) of all steps whose loss is known by
    /// now and was not given before: of this one, or of many at once now and then.
    pub(crate) fn step(
        &mut self,
        step: Step<'_>,
        seconds: &mut StageSeconds,
    ) -> Result<f64, LearnerError> {
        match self {
            Self::Cpu(home) => home.step(step, seconds),
            #[cfg(feature = "wgpu")]
            Self::Gpu(home) => home.step(step, seconds),
        }
    }

    /// To be called after the last of some steps: waits for them, and gives the loss of those not
    /// given before.
    pub(crate) fn finish(&mut self) -> Result<f64, LearnerError> {
        match self {
            Self::Cpu(_) => Ok(0.0),
            #[cfg(feature = "wgpu")]
            Self::Gpu(home) => home.finish(),
        }
    }

    /// A copy of the layers, first to last, as they were when the last steps were finished.
    pub(crate) fn layers(&self) -> Vec<Layer> {
        match self {
            Self::Cpu(home) => home.model.to_layers(),
            #[cfg(feature = "wgpu")]
            Self::Gpu(home) => home.layers().to_vec(),
        }
    }

    /// The moments.
    pub(crate) fn adam(&self) -> Result<Cow<'_, Adam>, LearnerError> {
        match self {
            Self::Cpu(home) => Ok(Cow::Borrowed(&home.adam)),
            #[cfg(feature = "wgpu")]
            Self::Gpu(home) => home.adam().map(Cow::Owned),
        }
    }

    /// The chances in these states.
    pub(crate) fn judge(&self, features: &SparseFeatures) -> Vec<OutcomeProbs> {
        match self {
            Self::Cpu(home) => judge(&home.model, features),
            #[cfg(feature = "wgpu")]
            Self::Gpu(home) => judge(&Model::from_layers(home.layers(), &Device::flex()), features),
        }
    }
}

fn judge(model: &Model, features: &SparseFeatures) -> Vec<OutcomeProbs> {
    let activations = model.activations(features, Vec::new());
    let probs = numbers(softmax(model.logits(activations), 1).inner());
    probs.as_chunks::<OUTPUTS>().0.iter().copied().map(OutcomeProbs).collect()
}

/// Parameters in memory, the first layer and Adam in plain Rust.
#[derive(Debug)]
pub(crate) struct CpuHome {
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

impl CpuHome {
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

    fn step(&mut self, step: Step<'_>, seconds: &mut StageSeconds) -> Result<f64, LearnerError> {
        let mut laps = Laps::begin();

        let Memory { features, activations, gradients: layers } = &mut self.memory;
        step.encode(features);
        if step.settings.lazy_features {
            features.find_present(step.encoder);
        }
        let targets = Tensor::from_data(step.targets(), &self.device);
        laps.end(&mut seconds.encode);

        let first = self.model.activations(features, std::mem::take(activations));
        let logits = self.model.logits(first.clone());
        let loss = soft_cross_entropy(logits.clone(), targets.clone());
        let mean = f64::from(numbers(loss.clone().inner())[0]);
        let weight = step.settings.rival_weight;
        let loss = with_rivals(loss, logits.clone(), targets, &step.rivals(), weight);
        laps.end(&mut seconds.forward);

        let mut gradients = pulled(loss, logits, step.settings.logit_pull).backward();
        *activations = self.model.take_gradients(&mut gradients, features, first, layers);
        drop(gradients);
        laps.end(&mut seconds.backward);

        let present = features.present();
        self.adam.step(&mut self.model, layers, present, step.learning_rate, step.settings);
        laps.end(&mut seconds.update);
        if mean.is_finite() {
            Ok(mean * step.batch.len() as f64)
        } else {
            Err(LearnerError::Diverged { step: self.adam.steps, loss: mean })
        }
    }
}
