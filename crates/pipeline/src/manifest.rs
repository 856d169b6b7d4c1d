//! What was run: enough for another person to run it again.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::gate::GateResult;

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
    pub sessions: Vec<Session>,
    /// When all was done, as RFC 3339 in UTC.
    pub finished: Option<String>,
    /// What the gate said, if the configuration has one and it was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateResult>,
}

/// One uninterrupted part of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
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
}

/// The time as RFC 3339 in UTC, to the second.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
