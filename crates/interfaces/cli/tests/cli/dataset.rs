//! Datasets: the same bytes on any threads, what they hold, and which folders are refused.

use std::fs;
use std::path::Path;

use crate::run::tavola;

const TINY: &str = "
game = \"hypergammon\"
seed = 5
[network]
hidden = [8]
";

const SHARDS: [&str; 2] = ["000000.shard", "000001.shard"];

/// Writes a configuration and returns its path.
fn config(folder: &Path, text: &str) -> String {
    let path = folder.join("tiny.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The arguments that make seven games in shards of four.
fn generate<'a>(config: &'a str, out: &'a str, threads: &'a str) -> Vec<&'a str> {
    let sizes = ["--games", "7", "--games-per-shard", "4", "--json"];
    [&["dataset", "generate", config, "--out", out, "--threads", threads], &sizes[..]].concat()
}

#[test]
fn a_dataset_is_the_same_on_any_threads_goes_on_and_tells_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), TINY);
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    let [first, second] = [&one, &two].map(|path| path.to_str().unwrap());
    let report = tavola(&generate(&config, first, "1")).json();
    assert_eq!((&report["shards"], &report["found"]), (&2.into(), &0.into()), "{report}");
    tavola(&generate(&config, second, "2")).done();
    for name in SHARDS.into_iter().chain(["manifest.json"]) {
        assert_eq!(fs::read(one.join(name)).unwrap(), fs::read(two.join(name)).unwrap(), "{name}");
    }

    // As after a stop.
    fs::remove_file(two.join(SHARDS[1])).unwrap();
    let info = tavola(&["dataset", "info", second, "--json"]).json();
    assert_eq!((&info["finished"], &info["games"]), (&false.into(), &4.into()), "{info}");
    let again = tavola(&generate(&config, second, "2")).json();
    assert_eq!((&again["found"], &again["states"]), (&1.into(), &report["states"]), "{again}");
    assert_eq!(fs::read(one.join(SHARDS[1])).unwrap(), fs::read(two.join(SHARDS[1])).unwrap());

    let info = tavola(&["dataset", "info", first, "--json"]).json();
    assert_eq!((&info["finished"], &info["games"]), (&true.into(), &7.into()), "{info}");
    assert_eq!((&info["states"], &info["siblings"]), (&report["states"], &0.into()), "{info}");
    let games: Vec<_> = info["shards"].as_array().unwrap().iter().map(|s| &s["games"]).collect();
    assert_eq!(games, [4, 3], "{info}");
    let bands = info["equities"].as_array().unwrap();
    let states: u64 = bands.iter().map(|band| band["states"].as_u64().unwrap()).sum();
    assert_eq!(states, report["states"].as_u64().unwrap(), "{info}");
    assert!(states > 7, "{info}");
}

#[test]
fn states_of_backgammon_are_counted_by_phase() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), "seed = 2\n[network]\nhidden = [8]\n");
    let out = folder.path().join("data");
    let out = out.to_str().unwrap();
    tavola(&["dataset", "generate", &config, "--out", out, "--games", "2"]).done();
    let info = tavola(&["dataset", "info", out, "--json"]).json();
    let phases = info["phases"].as_array().unwrap();
    let states: u64 = phases.iter().map(|phase| phase["states"].as_u64().unwrap()).sum();
    assert_eq!(states, info["states"].as_u64().unwrap(), "{info}");
    assert!(phases.iter().any(|phase| phase["phase"] == "opening"), "{info}");
    let text = tavola(&["dataset", "info", out]).done().stdout;
    assert!(text.contains("all checksums right") && text.contains("opening"), "{text}");
}

#[test]
fn other_datasets_other_files_and_damage_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let tiny = config(folder.path(), TINY);
    let data = folder.path().join("data");
    let out = data.to_str().unwrap();
    tavola(&generate(&tiny, out, "1")).done();
    // Without the warning about random weights.
    let quiet = |args: &[&str]| tavola(&[args, &["-q"]].concat());
    let more = ["dataset", "generate", &tiny, "--out", out, "--games", "8"];
    quiet(&more).refused(&[out, "games: 7, 8", "games per shard: 4, 1000"]);
    let other = config(folder.path(), &TINY.replace("seed = 5", "seed = 6"));
    quiet(&generate(&other, out, "1")).refused(&["seed: 5, 6", "player network"]);
    let foreign = folder.path().to_str().unwrap();
    quiet(&generate(&other, foreign, "1")).refused(&[foreign, "manifest.json"]);

    let shard = data.join(SHARDS[1]);
    let mut bytes = fs::read(&shard).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&shard, bytes).unwrap();
    tavola(&["dataset", "info", out]).refused(&[SHARDS[1], "checksum"]);
}
