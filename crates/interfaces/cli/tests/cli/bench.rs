//! Speed figures, as far as they can be tested: their keys, their sense, the files they leave.

use std::path::Path;

use tavola_net::{EncoderKind, random_weights};

use crate::run::tavola;

/// A weights file of a small network, so that an unoptimized bench does not take long.
fn small_network(folder: &Path) -> String {
    let file = folder.join("small.safetensors");
    random_weights(EncoderKind::OneHot, &[16], 1).save(&file).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn bench_names_its_figures_and_signs_the_behavior() {
    let folder = tempfile::tempdir().unwrap();
    let model = small_network(folder.path());
    let positions = folder.path().join("p");
    let bench = ["bench", "--model", &model, "--seconds", "0.005", "--threads", "2"];
    let written = ["--json", "--write-positions", positions.to_str().unwrap()];
    let first = tavola(&[&bench[..], &written].concat()).json();
    for key in [
        "movegen_pairs_per_s",
        "encode_per_s",
        "evals_per_s",
        "evals_single_per_s",
        "decisions_0ply_per_s",
        "decisions_0ply_pruned_per_s",
        "rollout_games_per_s",
        "rollout_vr_games_per_s",
        "selfplay_games_per_s",
        "selfplay_games_per_s_all_threads",
        "scaling_2_threads",
    ] {
        assert!(first[key].as_f64().unwrap() > 0.0, "{key} in {first}");
    }
    assert_eq!(first["hidden"], serde_json::json!([16]));
    let positions = std::fs::read_to_string(positions).unwrap();
    assert_eq!(positions.lines().count(), 4_000);
    let fields: Vec<&str> = positions.lines().next().unwrap().split(' ').collect();
    let [position, first_die, second_die] = fields[..] else { panic!("{fields:?}") };
    let roll = format!("{first_die}{second_die}");
    tavola(&["legal", position, "--roll", &roll]).done();

    let text = tavola(&bench).done().stdout;
    assert!(text.contains(first["signature"].as_str().unwrap()), "{text}");
    assert!(text.contains("on 2 threads") && !text.contains("rollout games"), "{text}");
    let alone = [&bench[..6], &["1", "--full"]].concat();
    let alone = tavola(&alone).done();
    assert!(alone.stdout.contains("rollout games"), "{}", alone.stdout);
    assert!(alone.stdout.contains("\n2-ply decisions "), "{}", alone.stdout);
    assert!(alone.stdout.contains("the same, wall clock, 1 thread"), "{}", alone.stdout);
    assert!(!alone.stdout.contains("2 threads"), "{}", alone.stdout);
    tavola(&["bench", "--seconds=-1"]).refused(&["--seconds"]);
    tavola(&["bench", "--model", "nowhere.safetensors"]).refused(&["nowhere.safetensors"]);
}
