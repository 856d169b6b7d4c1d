//! Configurations of training runs, and the files of a run directory.

use std::path::Path;

use tavola_pipeline::{CheckpointState, Manifest, Plan, read_metrics};

use crate::{Target, repair, scratch};

pub(crate) const TARGETS: [Target; 4] = [
    Target::new("configuration", configuration).words("configuration"),
    Target::new("manifest", manifest),
    Target::new("metrics", metrics),
    Target::new("state", state).repaired(repair::sealed),
];

/// A configuration that is accepted is written as TOML that is accepted as the same.
fn configuration(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let file = Path::new("run.toml");
    let Ok(plan) = Plan::from_toml(&text, file) else { return };
    let written = plan.config().to_toml();
    let again = Plan::from_toml(&written, file)
        .unwrap_or_else(|error| panic!("{text:?} is written as {written}: {error}"));
    assert_eq!(again.config(), plan.config());
    assert_eq!(again.config().sha256(), plan.config().sha256());
    assert!(again.config().differences(plan.config()).is_empty());
}

fn manifest(input: &[u8]) {
    let Ok(manifest) = serde_json::from_slice::<Manifest>(input) else { return };
    let written = serde_json::to_string(&manifest).expect("the manifest has string keys");
    let again: Manifest = serde_json::from_str(&written).expect("what was written can be read");
    assert_eq!(serde_json::to_string(&again).expect("the manifest has string keys"), written);
}

fn metrics(input: &[u8]) {
    scratch::with_file("metrics.jsonl", input, |path| {
        let Ok(metrics) = read_metrics(path) else { return };
        let lines = input.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(metrics.len(), lines, "each finished line is one of metrics");
    });
}

/// A state that is read is written with the same content.
fn state(input: &[u8]) {
    let Ok(state) = CheckpointState::from_bytes(input) else { return };
    let again =
        CheckpointState::from_bytes(&state.to_bytes()).expect("what was written can be read");
    assert_eq!(again.to_bytes(), state.to_bytes());
}
