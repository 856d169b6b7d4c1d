//! Runs that learn from a dataset.

use std::fs;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tavola_pipeline::{
    Begin, DatasetOptions, Metrics, Plan, RunEvent, generate_dataset, read_metrics,
};
use tavola_play::Workers;

use crate::{assert_same_run, final_weights, finish, plan, refused, stop_at};

/// A dataset of 20 games in ten shards, and the plan of a run that goes over it twice.
fn dataset(folder: &Path) -> Plan {
    let options = DatasetOptions {
        folder: folder.to_owned(),
        games: NonZeroU64::new(20).unwrap(),
        games_per_shard: NonZeroU32::new(2).unwrap(),
    };
    let never = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &never };
    assert!(generate_dataset(None, &plan(1), &options, workers, &|_| {}).unwrap().finished);
    let text = format!(
        r#"
        game = "hypergammon"
        rounds = 5
        network = {{ encoder = "tesauro", hidden = [12, 8] }}
        dataset = {{ folders = [{folder:?}], shards_per_round = 4 }}
        evaluation = {{ every_rounds = 5, games = 20, opponents = ["random"] }}
        "#
    );
    Plan::from_toml(&text, Path::new("test.toml")).unwrap()
}

#[test]
fn a_dataset_is_learned_and_the_run_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [data, whole, stopped] = ["data", "whole", "stopped"].map(|name| folder.path().join(name));
    let plan = dataset(&data);
    finish(&plan, &whole, Begin::New, 1);
    let third =
        |event: &RunEvent| matches!(event, RunEvent::RoundFinished(round) if round.round == 3);
    stop_at(&plan, &stopped, Begin::New, 1, &third);
    finish(&plan, &stopped, Begin::Resume, 2);
    assert_same_run(&whole, &stopped);

    let metrics = read_metrics(&whole.join("metrics.jsonl")).unwrap();
    let rounds: Vec<_> = metrics
        .iter()
        .filter_map(|line| match line {
            Metrics::Round(round) => Some(round),
            _ => None,
        })
        .collect();
    assert_eq!(rounds.iter().map(|round| round.games).collect::<Vec<_>>(), [8, 16, 24, 32, 40]);
    // The dataset was learned twice.
    assert_eq!(rounds[4].positions % 2, 0);
    assert!(rounds[4].loss < rounds[0].loss, "{} to {}", rounds[0].loss, rounds[4].loss);
    assert_eq!(final_weights(&whole).training["games"], "40");
}

#[test]
fn an_incomplete_or_damaged_dataset_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [data, run] = ["data", "run"].map(|name| folder.path().join(name));
    let plan = dataset(&data);
    let manifest = data.join("manifest.json");
    let hidden = folder.path().join("hidden.json");
    fs::rename(&manifest, &hidden).unwrap();
    let error = refused(&plan, &run, Begin::New);
    let message = tavola_files::chain(&error);
    assert!(error.is_input() && message.contains("has no manifest.json"), "{message}");
    fs::rename(&hidden, &manifest).unwrap();

    let shard = data.join("000007.shard");
    let mut bytes = fs::read(&shard).unwrap();
    fs::remove_file(&shard).unwrap();
    let error = refused(&plan, &run, Begin::New);
    assert!(error.is_input());
    let message = tavola_files::chain(&error);
    assert!(message.contains("000007.shard") && message.contains("not complete"), "{message}");
    assert!(!run.exists());

    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&shard, bytes).unwrap();
    let error = refused(&plan, &run, Begin::New);
    let message = tavola_files::chain(&error);
    assert!(message.contains("000007.shard"), "{message}");
}
