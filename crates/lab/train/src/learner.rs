//! The steps of learning.

use std::ops::AddAssign;
use std::time::Instant;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use tavola_equity::OutcomeProbs;
use tavola_net::{Arch, Encoder, Interface, Layer, OUTPUTS, Weights, WeightsError};

use crate::adam::Adam;
use crate::device::LearnerDevice;
use crate::sparse::SparseFeatures;
use crate::store::{Losses, ParameterStore, Step, parameter_store};
use crate::weight_averaging::WeightAverage;
use tavola_data::Samples;

/// How to learn; the learning rate comes with each call, as it changes over a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearnerSettings {
    /// Samples for each step, at least 1; siblings of one before them are not counted. Samples are
    /// split into batches as equal as possible, so that a small rest has no full step of its own.
    pub batch_size: usize,
    /// How often each call goes through its samples, at least 1.
    pub epochs: usize,
    /// Decay of Adam's mean of gradients a step, from 0 to below 1.
    pub beta_1: f64,
    /// Decay of Adam's mean of squared gradients a step, from 0 to below 1.
    pub beta_2: f64,
    /// What Adam adds to the root of the mean square, above 0.
    pub epsilon: f64,
    /// The greatest length, above 0, of the gradient of all parameters as one vector; a longer
    /// one is shortened to it. Absent: gradients are taken as they are.
    pub gradient_clip: Option<f64>,
    /// L2 penalty on the logits, 0 or more: this times half the sum of their squares is added to
    /// the loss. Cross-entropy alone never stops pushing the logits of saturated states apart;
    /// after millions of games they are in the thousands, beyond what fixed point can hold. With
    /// the default of 1e-5 they come to rest at a probability error of about 1e-4.
    pub logit_l2: f64,
    /// Weight of the pairwise loss, 0 or more: this times the squared error of the difference of
    /// the two equities of each pair of siblings, in points, is added to the loss. The pairs of `n`
    /// siblings count `2 / n` each.
    #[serde(skip_serializing_if = "is_default_pairwise_loss_weight")]
    pub pairwise_loss_weight: f64,
    /// Weight averaging: the network that plays and is saved is the exponential moving average of
    /// the weights over about this many steps, at least 1, and never more than a tenth of all steps
    /// so far (Polyak and Juditsky 1992, "Acceleration of stochastic approximation by averaging").
    /// Absent: it is the weights after the last step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_averaging_steps: Option<u64>,
    /// Whether Adam is sparse: the weights and moments of a feature stay as they are in steps whose
    /// batch does not have the feature. Otherwise moments decay in each step, and every step goes
    /// over all weights, which takes long with many features. Not on a GPU.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sparse_adam: bool,
    /// What to compute on. The same samples teach the same on either, up to rounding.
    // Left out where it is the default: so a configuration reads as it did before there was a
    // choice.
    #[serde(skip_serializing_if = "LearnerDevice::is_cpu")]
    pub device: LearnerDevice,
}

/// Never to be changed: configurations that are kept with a run leave it out.
const DEFAULT_PAIRWISE_LOSS_WEIGHT: f64 = 10.0;

fn is_default_pairwise_loss_weight(weight: &f64) -> bool {
    *weight == DEFAULT_PAIRWISE_LOSS_WEIGHT
}

impl Default for LearnerSettings {
    fn default() -> Self {
        Self {
            batch_size: 256,
            epochs: 1,
            beta_1: 0.9,
            beta_2: 0.999,
            epsilon: 1e-8,
            gradient_clip: None,
            logit_l2: 1e-5,
            pairwise_loss_weight: DEFAULT_PAIRWISE_LOSS_WEIGHT,
            weight_averaging_steps: None,
            sparse_adam: false,
            device: LearnerDevice::Cpu,
        }
    }
}

impl LearnerSettings {
    /// Whether all settings are in their ranges, and the device one that this program can use.
    ///
    /// # Errors
    ///
    /// [`LearnerError::Setting`] names the first that is not; [`LearnerError::GpuNotBuilt`].
    pub fn check(&self) -> Result<(), LearnerError> {
        let setting = |name, found: f64, fits: bool, expected| {
            if fits { Ok(()) } else { Err(LearnerError::Setting { name, found, expected }) }
        };
        let positive = |number: f64| number.is_finite() && number > 0.0;
        let decay = |number: f64| (0.0..1.0).contains(&number);
        let count = "1 or more";
        setting("batch_size", self.batch_size as f64, self.batch_size > 0, count)?;
        setting("epochs", self.epochs as f64, self.epochs > 0, count)?;
        setting("beta_1", self.beta_1, decay(self.beta_1), "from 0 to below 1")?;
        setting("beta_2", self.beta_2, decay(self.beta_2), "from 0 to below 1")?;
        setting("epsilon", self.epsilon, positive(self.epsilon), "above 0")?;
        let clip = self.gradient_clip.unwrap_or(1.0);
        setting("gradient_clip", clip, positive(clip), "above 0")?;
        let penalty = self.logit_l2;
        setting("logit_l2", penalty, penalty.is_finite() && penalty >= 0.0, "of 0 or more")?;
        let weight = self.pairwise_loss_weight;
        setting(
            "pairwise_loss_weight",
            weight,
            weight.is_finite() && weight >= 0.0,
            "of 0 or more",
        )?;
        let average = self.weight_averaging_steps.unwrap_or(1);
        setting("weight_averaging_steps", average as f64, average > 0, count)?;
        if self.sparse_adam && self.device != LearnerDevice::Cpu {
            return Err(LearnerError::SparseAdamOnGpu);
        }
        self.device.check_built()
    }
}

/// Why a learner can't learn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnerError {
    /// A setting out of its range.
    #[error("{name} is {found}, expected a number {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// What it is.
        found: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// The network to begin with does not fit the game or itself.
    #[error("the network can't be trained for this game")]
    Weights(#[from] WeightsError),
    /// A learning rate that is no step length.
    #[error("the learning rate is {found}, expected a number of 0 or more")]
    LearningRate {
        /// As given.
        found: f64,
    },
    /// Nothing to learn from.
    #[error("there are no samples to learn from")]
    NoSamples,
    /// Samples of another game.
    #[error("samples have {found} cells, expected {expected} as in the game that is learned")]
    Cells {
        /// As given.
        found: usize,
        /// As needed.
        expected: usize,
    },
    /// Targets of another game.
    #[error("targets have {found} numbers, expected {expected} as the network has outputs")]
    Outputs {
        /// As given.
        found: usize,
        /// As needed.
        expected: usize,
    },
    /// Learning ran out of control; the learner is of no use any more.
    #[error(
        "the loss of step {step} is {loss}, expected a finite number: try a lower learning rate"
    )]
    Diverged {
        /// The number of the step, counted over the learner's life.
        step: u64,
        /// The loss there.
        loss: f64,
    },
    /// The configuration names a GPU, but this program was built without its backend.
    #[error(
        "this program was built without GPU support: learn on the CPU, or build it with \
         `cargo build --release -p tavola-cli --features wgpu`"
    )]
    GpuNotBuilt,
    /// A setting that a GPU does not know.
    #[error("sparse_adam is true, expected false on a GPU")]
    SparseAdamOnGpu,
    /// There is no GPU that can be used.
    #[error(
        "there is no GPU to learn on (looked for one with a Vulkan, Metal or DirectX 12 driver, \
         or as the variable CUBECL_WGPU_DEFAULT_DEVICE says): {reason}"
    )]
    NoGpu {
        /// What was found instead.
        reason: String,
    },
    /// The GPU stopped working; the learner is of no use any more.
    #[error("the GPU failed")]
    Gpu(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// What one call of [`Learner::learn`] did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LearnReport {
    /// Mean cross-entropy of the samples in nats, each measured just before the step that learned
    /// from it, without the pairwise loss and the L2 penalty. The entropy of the targets is its
    /// minimum.
    pub loss: f64,
    /// Root of the mean squared error of the differences in equity of siblings, in points, measured
    /// in the same steps: how well they are told apart. `None` without siblings.
    pub pair_rmse: Option<f64>,
    /// Samples learned from; those of later epochs count again.
    pub samples: usize,
    /// Steps made.
    pub batches: usize,
    /// Where the time went.
    pub seconds: StageSeconds,
}

/// Time of the stages of learning, in seconds, of all threads together.
///
/// A GPU works on its own and is only told what to do in each stage: there these are the seconds
/// that the telling took, and those spent waiting for it count as `update`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StageSeconds {
    /// From cells to features.
    pub encode: f64,
    /// From features to the loss.
    pub forward: f64,
    /// From the loss to the gradients.
    pub backward: f64,
    /// From the gradients to new parameters.
    pub update: f64,
}

impl StageSeconds {
    /// All stages together.
    pub fn total(&self) -> f64 {
        self.encode + self.forward + self.backward + self.update
    }
}

impl AddAssign for StageSeconds {
    fn add_assign(&mut self, other: Self) {
        self.encode += other.encode;
        self.forward += other.forward;
        self.backward += other.backward;
        self.update += other.update;
    }
}

/// Measures one stage of learning after the other.
pub(crate) struct StageTimer {
    began: Instant,
}

impl StageTimer {
    pub(crate) fn begin() -> Self {
        Self { began: Instant::now() }
    }

    /// As [`end`](Self::end), of a stage that all threads of the rayon pool work in.
    pub(crate) fn end_on_all_threads(&mut self, stage: &mut f64) {
        let mut seconds = 0.0;
        self.end(&mut seconds);
        *stage += seconds * rayon::current_num_threads() as f64;
    }

    /// Ends a stage and begins the next.
    pub(crate) fn end(&mut self, stage: &mut f64) {
        let now = Instant::now();
        *stage += (now - self.began).as_secs_f64();
        self.began = now;
    }
}

/// A network that learns, with all that it needs to go on.
///
/// On the CPU it computes on the threads of the rayon pool in which it is called, and the same calls
/// on the same samples give the same network to the last bit on any number of threads of the same
/// kind of processor. On a GPU the network is the same up to
/// rounding: which kernels compute it, and so in which order they add up, is chosen by measuring.
#[derive(Debug)]
pub struct Learner {
    pub(crate) settings: LearnerSettings,
    pub(crate) game: String,
    pub(crate) encoder: Encoder,
    pub(crate) arch: Arch,
    pub(crate) store: Box<dyn ParameterStore>,
    pub(crate) mean: Option<WeightAverage>,
}

impl Learner {
    /// A learner that begins with these weights, for example
    /// [`initial_weights`](tavola_net::initial_weights), and has made no step yet.
    ///
    /// # Errors
    ///
    /// [`LearnerError::Setting`] and [`LearnerError::Weights`]; if it is to learn on a GPU,
    /// [`LearnerError::GpuNotBuilt`] and [`LearnerError::NoGpu`].
    pub fn new(
        interface: &Interface,
        settings: LearnerSettings,
        weights: &Weights,
    ) -> Result<Self, LearnerError> {
        Self::resumed(interface, settings, weights, Adam::new(&weights.layers), None)
    }

    /// A learner with these weights, moments, and mean of weights, which have the same shapes.
    /// Without a mean it begins at the weights.
    pub(crate) fn resumed(
        interface: &Interface,
        settings: LearnerSettings,
        weights: &Weights,
        adam: Adam,
        mean: Option<Vec<Layer>>,
    ) -> Result<Self, LearnerError> {
        settings.check()?;
        // What can play can learn: the same conditions.
        let encoder = interface.check(weights)?;
        let store = parameter_store(settings.device, &weights.layers, adam)?;
        let mean = settings.weight_averaging_steps.map(|window| {
            WeightAverage::new(mean.unwrap_or_else(|| weights.layers.clone()), window)
        });
        Ok(Self {
            mean,
            settings,
            game: weights.game.clone(),
            encoder,
            arch: weights.arch.clone(),
            store,
        })
    }

    /// Steps made so far, those before the last save included.
    pub fn steps(&self) -> u64 {
        self.store.steps()
    }

    /// Goes through the samples in random order, in batches, one step for each. `shuffle_seed`
    /// fixes the order; give every call its own.
    ///
    /// # Errors
    ///
    /// [`LearnerError`]: no samples or samples of another game, an unusable rate, a loss that is
    /// no longer finite, or a GPU that failed.
    pub fn learn(
        &mut self,
        samples: &Samples,
        learning_rate: f64,
        shuffle_seed: u64,
    ) -> Result<LearnReport, LearnerError> {
        if !learning_rate.is_finite() || learning_rate < 0.0 {
            return Err(LearnerError::LearningRate { found: learning_rate });
        }
        if samples.is_empty() {
            return Err(LearnerError::NoSamples);
        }
        let expected = self.encoder.layout().len();
        if samples.stride() != expected {
            return Err(LearnerError::Cells { found: samples.stride(), expected });
        }
        let (found, expected) = (samples.outputs(), self.arch.outputs);
        if found != expected {
            return Err(LearnerError::Outputs { found, expected });
        }
        let mut rng = ChaCha8Rng::seed_from_u64(shuffle_seed);
        // Siblings stay together.
        let mut order: Vec<usize> =
            (0..samples.len()).filter(|&i| !samples.is_sibling(i)).collect();
        let batches = order.len().div_ceil(self.settings.batch_size);
        let mut batch = Vec::new();
        let mut seconds = StageSeconds::default();
        let mut losses = Losses::default();
        // In the pool as a whole, not once for each step.
        rayon::scope(|_| -> Result<(), LearnerError> {
            for _ in 0..self.settings.epochs {
                order.shuffle(&mut rng);
                for number in 0..batches {
                    let bound = |number| number * order.len() / batches;
                    batch.clear();
                    for &sample in &order[bound(number)..bound(number + 1)] {
                        batch.extend(samples.family(sample));
                    }
                    let step = Step {
                        encoder: &self.encoder,
                        samples,
                        batch: &batch,
                        learning_rate,
                        settings: &self.settings,
                    };
                    losses += self.store.step(&step, &mut seconds)?;
                }
            }
            Ok(())
        })?;
        let mut timer = StageTimer::begin();
        losses += self.store.finish()?;
        if let Some(mean) = &mut self.mean {
            let steps = batches * self.settings.epochs;
            mean.add(self.store.layers(), steps as u64, self.store.steps());
        }
        timer.end(&mut seconds.update);
        let learned = samples.len() * self.settings.epochs;
        // The pairs of `n` siblings, which count `2 / n` each, are `n - 1`.
        let pairs = (samples.len() - order.len()) * self.settings.epochs;
        let pair_rmse = (pairs > 0).then(|| (losses.squared_differences / pairs as f64).sqrt());
        Ok(LearnReport {
            loss: losses.cross_entropy / learned as f64,
            pair_rmse,
            samples: learned,
            batches: batches * self.settings.epochs,
            seconds,
        })
    }

    /// The mean cross-entropy of samples with the weights as they are, in nats, computed on the CPU;
    /// nothing is learned. `None` without samples.
    pub fn loss(&self, samples: &Samples, of: impl Iterator<Item = usize> + Clone) -> Option<f64> {
        let mut features = SparseFeatures::default();
        features.encode(&self.encoder, of.clone().map(|sample| samples.cells(sample)));
        let probabilities = self.store.probabilities(&features);
        let mut rows = probabilities.chunks_exact(self.arch.outputs);
        let (mut sum, mut number) = (0.0, 0_u32);
        for (sample, row) in of.zip(&mut rows) {
            let pairs = samples.target(sample).iter().zip(row);
            let nats = pairs.map(|(&target, &p)| f64::from(target) * f64::from(p).max(1e-30).ln());
            sum -= nats.sum::<f64>();
            number += 1;
        }
        (number > 0).then(|| sum / f64::from(number))
    }

    /// Evaluates states of a game for two with its own forward pass, on the CPU: their
    /// probabilities from the player on roll. Slow; self-play uses [`tavola_net::Network`].
    ///
    /// # Shapes
    ///
    /// Each of `states`: at least `[layout]`; result: one for each state.
    pub fn evaluate<'a>(&self, states: impl IntoIterator<Item = &'a [i8]>) -> Vec<OutcomeProbs> {
        let mut features = SparseFeatures::default();
        features.encode(&self.encoder, states.into_iter());
        let probs = self.store.probabilities(&features);
        probs.as_chunks::<OUTPUTS>().0.iter().copied().map(OutcomeProbs).collect()
    }
}
