//! Training on a GPU, or on the software that stands in for one; configs/README.md has the command.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::run::{tavola, tavola_in};

const TINY: &str = "
game = \"hypergammon\"
seed = 5
rounds = 3
games_per_round = 8
[network]
hidden = [8]
[learner]
device = \"gpu\"
[evaluation]
games = 8
opponents = [\"random\"]
";

fn sessions(run: &Path) -> Vec<Value> {
    let manifest = fs::read(run.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    manifest["sessions"].as_array().unwrap().clone()
}

#[test]
#[ignore = "needs a GPU driver"]
fn gpu_runs_train_to_the_end_and_go_on_with_the_cpu() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    let run = folder.path().join("run");
    fs::write(&config, TINY).unwrap();
    let (path, out) = (config.to_str().unwrap(), run.to_str().unwrap());
    let report = tavola(&["train", path, "--out", out, "--threads", "2", "--json"]).json();
    assert_eq!((&report["finished"], &report["rounds_done"]), (&true.into(), &3.into()));
    assert!(sessions(&run)[0]["gpu"].as_str().is_some_and(|name| !name.is_empty()));
    let weights = report["weights"].as_str().unwrap();
    tavola(&["eval", "--game", "hypergammon", "--model", weights]).done();

    // As if killed after the second round, and taken to a machine without a GPU.
    fs::remove_file(weights).unwrap();
    let checkpoints = fs::read_dir(run.join("checkpoints")).unwrap();
    let newest = checkpoints.map(|entry| entry.unwrap().path()).max().unwrap();
    fs::remove_dir_all(newest).unwrap();
    fs::write(&config, TINY.replace("\"gpu\"", "\"cpu\"")).unwrap();
    let report = tavola(&["train", path, "--out", out, "--resume", "--json"]).json();
    assert_eq!(report["finished"], true, "{report}");
    let sessions = sessions(&run);
    assert_eq!((&sessions[1]["after_round"], &sessions[1]["gpu"]), (&2.into(), &Value::Null));
    tavola(&["eval", "--game", "hypergammon", "--model", weights]).done();
}

#[test]
fn gpu_runs_without_a_gpu_say_what_was_looked_for_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    let out = folder.path().join("run");
    fs::write(&config, TINY).unwrap();
    let args = ["train", config.to_str().unwrap(), "--out", out.to_str().unwrap()];
    // A second card of a kind that nobody has so many of.
    let nowhere = [("CUBECL_WGPU_DEFAULT_DEVICE", "DiscreteGpu(1000)")];
    tavola_in(&nowhere, &args, b"").refused(&["learner.device", "no GPU", "Vulkan", "Metal"]);
    tavola_in(&[("CUBECL_WGPU_DEFAULT_DEVICE", "Cpuu")], &args, b"").refused(&["Cpuu"]);
    assert!(!out.exists());
}
