//! What was run: enough for another person to run it again.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::thread;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::config::Config;

/// The format of manifests and checkpoints, now 1; a reader refuses larger ones.
pub const FORMAT: u32 = 1;

/// The program that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its version.
    pub version: String,
    /// The commit it was built from, where the build knew it.
    pub commit: Option<String>,
}

/// The machine that a report comes from, as far as times depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The model of the processor, or its architecture where the system does not tell.
    pub cpu: String,
    /// The instruction sets of the kernels that it has.
    pub features: Vec<String>,
    /// Threads that it runs at once.
    pub cores: usize,
}

impl Machine {
    /// The machine that runs this program.
    pub fn this() -> Self {
        let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = told.lines().find_map(|line| line.strip_prefix("model name"));
        let model = model.and_then(|rest| rest.split_once(':')).map(|(_, model)| model.trim());
        #[cfg(target_arch = "x86_64")]
        let features = [
            ("avx2", is_x86_feature_detected!("avx2")),
            ("fma", is_x86_feature_detected!("fma")),
            ("avx512f", is_x86_feature_detected!("avx512f")),
            ("avx512bw", is_x86_feature_detected!("avx512bw")),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let features: [(&str, bool); 0] = [];
        let features = features.into_iter().filter(|(_, is_there)| *is_there);
        Self {
            cpu: model.unwrap_or(std::env::consts::ARCH).to_owned(),
            features: features.map(|(name, _)| name.to_owned()).collect(),
            cores: thread::available_parallelism().map_or(1, NonZeroUsize::get),
        }
    }
}

/// The content of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`] of the program that began the run.
    pub format: u32,
    /// The run's name: that of its directory when it began.
    pub name: String,
    /// The effective configuration, seeds included.
    pub config: Config,
    /// SHA-256 of the effective configuration as TOML, in hexadecimal.
    pub config_sha256: String,
    /// SHA-256 of each file that the configuration names and that must not change.
    pub inputs: BTreeMap<String, String>,
    /// The sessions of the run: one, and one more for each time it was resumed.
    pub sessions: Vec<RunSession>,
    /// When all was done, as RFC 3339 in UTC.
    pub finished: Option<String>,
}

impl Manifest {
    /// That of a run that has no session yet.
    pub(crate) fn begin(name: String, config: &Config, inputs: BTreeMap<String, String>) -> Self {
        Self {
            format: FORMAT,
            name,
            config: config.clone(),
            config_sha256: config.sha256(),
            inputs,
            sessions: Vec::new(),
            finished: None,
        }
    }
}

/// One uninterrupted part of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSession {
    /// When it began, as RFC 3339 in UTC.
    pub started: String,
    /// The last round that was done by then.
    pub after_round: u32,
    /// Threads that it used. The result does not depend on them, only the time.
    pub threads: usize,
    /// The GPU that the learner used and its driver; none if it used the CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// The program that ran.
    pub tool: Tool,
    /// The machine; none in manifests that were written before it was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
}

/// The time as RFC 3339 in UTC, to the second.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
