//! The parameter store: where the parameters of a learner live, and where its steps are made.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::AddAssign;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};
use tavola_data::Samples;
use tavola_net::{Encoder, Layer};

use crate::adam::Adam;
use crate::cpu::CpuStore;
use crate::device::LearnerDevice;
use crate::learner::{LearnerError, LearnerSettings, StageSeconds};
use crate::loss::Pairs;
use crate::model::{activations, logits, numbers, tensors};
use crate::sparse::SparseFeatures;

/// Parameters and moments, on one device or the other.
pub(crate) trait ParameterStore: Debug + Send {
    /// Steps made so far.
    fn steps(&self) -> u64;

    /// Makes a step, and gives the losses of all steps whose losses are known by now and were not
    /// given before: of this one, or of many at once now and then.
    fn step(&mut self, step: &Step<'_>, seconds: &mut StageSeconds)
    -> Result<Losses, LearnerError>;

    /// To be called after the last of some steps: waits for them, and gives the losses of those
    /// not given before.
    fn finish(&mut self) -> Result<Losses, LearnerError> {
        Ok(Losses::default())
    }

    /// The layers, first to last, as they were when the last steps were finished.
    fn layers(&self) -> &[Layer];

    /// The moments.
    fn adam(&self) -> Result<Cow<'_, Adam>, LearnerError>;

    /// The outputs in these states as probabilities, computed on the CPU.
    ///
    /// # Shapes
    ///
    /// `[states, outputs]`
    fn probabilities(&self, features: &SparseFeatures) -> Vec<f32> {
        let (first, upper) = self.layers().split_first().expect("a network has layers");
        let shape = [features.len(), first.outputs];
        let device = Device::flex();
        let activations = TensorData::new(activations(first, features, Vec::new()), shape);
        let activations = Tensor::from_data(activations, &device);
        numbers(softmax(logits(&tensors(upper, &device), activations), 1))
    }
}

/// A store on `device` for these parameters and moments, which have the same shapes.
pub(crate) fn parameter_store(
    device: LearnerDevice,
    layers: &[Layer],
    adam: Adam,
) -> Result<Box<dyn ParameterStore>, LearnerError> {
    match device {
        LearnerDevice::Cpu => Ok(Box::new(CpuStore::new(layers, adam))),
        #[cfg(feature = "wgpu")]
        LearnerDevice::Gpu => Ok(Box::new(crate::gpu::GpuStore::new(layers, adam)?)),
        #[cfg(not(feature = "wgpu"))]
        LearnerDevice::Gpu => Err(LearnerError::GpuNotBuilt),
    }
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
