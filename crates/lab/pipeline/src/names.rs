//! The names of what a run writes in its directory; see [`run_dir`](crate::run_dir).

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const CONFIG: &str = "config.toml";
pub(crate) const METRICS: &str = "metrics.jsonl";
pub(crate) const TABLE: &str = "metrics.csv";
pub(crate) const CURVE: &str = "learning-curve.svg";
pub(crate) const EVALUATED: &str = "evaluated";
pub(crate) const EVENTS: &str = "events.out.tfevents.tavola";
pub(crate) const BEST: &str = "best.safetensors";
pub(crate) const LATEST: &str = "latest.safetensors";
pub(crate) const FINAL: &str = "final.safetensors";
pub(crate) const CHECKPOINTS: &str = "checkpoints";
pub(crate) const RECORDS: &str = "records";
pub(crate) const LOCK: &str = "lock";

/// All names that a run writes in its directory.
pub(crate) const NAMES: [&str; 13] = [
    MANIFEST,
    CONFIG,
    METRICS,
    TABLE,
    CURVE,
    EVENTS,
    EVALUATED,
    LATEST,
    BEST,
    FINAL,
    CHECKPOINTS,
    RECORDS,
    LOCK,
];
