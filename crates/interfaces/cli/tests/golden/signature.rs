//! The bench signature: which plays the built-in network chooses on fixed positions.

use std::fs;

use tavola_net::{KERNEL_VARIABLE, Kernel};

use crate::run::{tavola, tavola_in};
use crate::workspace;

/// A change of the network or of the rules changes it: put the new value here and into the commit.
const SIGNATURE: &str = "1ac85f2251fd3c0b";

const BENCH: [&str; 6] = ["bench", "--seconds", "0.001", "--threads", "1", "--json"];

#[test]
fn the_built_in_network_chooses_the_plays_of_the_pinned_signature() {
    let figures = tavola(&BENCH).json();
    assert_eq!(figures["signature"], SIGNATURE);
}

#[test]
fn every_kernel_of_this_machine_has_the_same_signature_answers_analysis_and_training() {
    let root = workspace();
    let requests = root.join("crates/interfaces/cli/tests/golden/requests/backgammon.jsonl");
    let requests = fs::read(requests).unwrap();
    let game = root.join("crates/advice/matches/tests/files/three-points.mat");
    let (runs, smoke) = (tempfile::tempdir().unwrap(), root.join("configs/smoke.toml"));
    let small =
        ["rounds=2", "games_per_round=8", "evaluation.games=4", "evaluation.every_rounds=2"];
    let small: Vec<&str> = small.iter().flat_map(|key| ["--set", key]).collect();
    let found = Kernel::available().into_iter().map(|kernel| {
        let run = |args: &[&str], input: &[u8]| {
            tavola_in(&[(KERNEL_VARIABLE, kernel.name())], args, input).done()
        };
        let signature = run(&BENCH, b"").json()["signature"].clone();
        let answers = run(&["batch", "--threads", "1"], &requests).stdout;
        let analysis =
            run(&["analyze", game.to_str().unwrap(), "--ply", "1", "--json"], b"").stdout;
        let out = runs.path().join(kernel.name());
        let train = ["train", smoke.to_str().unwrap(), "--out", out.to_str().unwrap(), "--json"];
        let trained = run(&[&train, &small[..]].concat(), b"").json();
        let network =
            tavola_files::sha256(&fs::read(trained["weights"].as_str().unwrap()).unwrap());
        (signature, answers, analysis, network)
    });
    let found: Vec<_> = found.collect();
    assert_eq!(found[0].0, SIGNATURE);
    assert!(found.iter().all(|other| *other == found[0]), "{found:?}");
    tavola_in(&[(KERNEL_VARIABLE, "sse2")], &["eval", "start"], b"")
        .refused(&["TAVOLA_KERNEL is \"sse2\", expected one that this processor", "portable"]);
}
