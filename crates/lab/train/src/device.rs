//! Where a learner computes.

use serde::{Deserialize, Serialize};

use crate::learner::LearnerError;

/// What a learner computes on, and where its parameters live while it learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearnerDevice {
    /// One thread of the processor.
    #[default]
    Cpu,
    /// The graphics card, through Vulkan, Metal or DirectX 12. Needs the cargo feature `wgpu`.
    Gpu,
}

impl LearnerDevice {
    /// Whether it is the processor.
    pub const fn is_cpu(&self) -> bool {
        matches!(self, Self::Cpu)
    }

    /// Whether this program can use such a device at all, be there one or not.
    ///
    /// # Errors
    ///
    /// [`LearnerError::GpuNotBuilt`]
    pub const fn check_built(self) -> Result<(), LearnerError> {
        match self {
            Self::Gpu if !cfg!(feature = "wgpu") => Err(LearnerError::GpuNotBuilt),
            Self::Cpu | Self::Gpu => Ok(()),
        }
    }

    /// Looks for the device, and keeps it open for all learners of this process. The name of the
    /// GPU and its driver; none for the processor.
    ///
    /// # Errors
    ///
    /// [`LearnerError::GpuNotBuilt`] and [`LearnerError::NoGpu`].
    pub fn open(self) -> Result<Option<String>, LearnerError> {
        match self {
            Self::Cpu => Ok(None),
            #[cfg(feature = "wgpu")]
            Self::Gpu => Ok(Some(crate::gpu::open()?.name)),
            #[cfg(not(feature = "wgpu"))]
            Self::Gpu => Err(LearnerError::GpuNotBuilt),
        }
    }
}
