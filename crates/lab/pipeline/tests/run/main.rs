//! Whole runs, of seconds: hypergammon, whose games are short.

mod best;
mod dataset;
mod extension;
mod many;
mod overrides;
mod recipe;
mod resume;
mod targets;

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_net::Weights;
use tavola_pipeline::{
    Begin, Metrics, Plan, RunEvent, RunOptions, RunReport, Tool, read_metrics, run,
};

const ROUNDS: u32 = 6;

/// When to stop.
type IsTime = dyn Fn(&RunEvent) -> bool + Sync;

/// A run that trains on this number of rounds at a time.
fn plan(window: u32) -> Plan {
    plan_with(&format!("replay = {{ window = {window} }}"))
}

/// The same with other targets.
fn targets_plan(targets: &str) -> Plan {
    plan_with(&format!("targets = {{ {targets} }}"))
}

fn plan_with(more: &str) -> Plan {
    let text = format!(
        r#"
        game = "hypergammon"
        seed = 11
        rounds = {ROUNDS}
        games_per_round = 20
        network = {{ encoder = "tesauro", hidden = [12, 8] }}
        learner = {{ batch_size = 64 }}
        selfplay = {{ explore = {{ random_play = 0.05 }} }}
        {more}
        evaluation = {{ every_rounds = 3, games = 20, opponents = ["random", "pip-count"] }}
        "#
    );
    Plan::from_toml(&text, Path::new("test.toml")).unwrap()
}

fn options(directory: &Path, begin: Begin, threads: usize) -> RunOptions {
    RunOptions {
        directory: directory.to_owned(),
        begin,
        threads: NonZeroUsize::new(threads).unwrap(),
        tool: Tool { version: "1.2.3".to_owned(), commit: Some("abcdef".to_owned()) },
    }
}

fn finish(plan: &Plan, directory: &Path, begin: Begin, threads: usize) -> RunReport {
    let never = AtomicBool::new(false);
    let report =
        run(plan, &options(directory, begin, threads), None, &|_: &RunEvent| {}, &never).unwrap();
    let weights = directory.join("final.safetensors");
    assert_eq!(report.weights, Some(weights));
    report
}

/// Runs until an event says stop, as Ctrl-C would.
fn stop_at(
    plan: &Plan,
    directory: &Path,
    begin: Begin,
    threads: usize,
    is_time: &IsTime,
) -> RunReport {
    let cancel = AtomicBool::new(false);
    let observer = |event: &RunEvent| {
        if is_time(event) {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let report = run(plan, &options(directory, begin, threads), None, &observer, &cancel).unwrap();
    assert!(!report.finished);
    report
}

fn final_weights(directory: &Path) -> Weights {
    Weights::load(&directory.join("final.safetensors")).unwrap()
}

/// The metrics without the times, which no two runs share.
fn timeless_metrics(directory: &Path) -> Vec<Metrics> {
    let mut metrics = read_metrics(&directory.join("metrics.jsonl")).unwrap();
    for line in &mut metrics {
        match line {
            Metrics::Round(round) => {
                round.games_per_second = 0.0;
                round.positions_per_second = 0.0;
                round.given_targets_per_second = 0.0;
                round.selfplay_seconds = 0.0;
                round.learning_seconds = 0.0;
                round.seconds = 0.0;
            }
            Metrics::Evaluation(evaluation) => evaluation.seconds = 0.0,
            Metrics::States(states) => states.seconds = 0.0,
        }
    }
    metrics
}

fn assert_same_run(a: &Path, b: &Path) {
    let file = |directory: &Path| fs::read(directory.join("final.safetensors")).unwrap();
    assert!(file(a) == file(b), "the weights files differ");
    assert_eq!(timeless_metrics(a), timeless_metrics(b));
}

/// Stops the run among the games of a round, goes on with as many threads as come second, and
/// expects what `whole` has, where it was not stopped.
fn assert_survives_a_stop(
    plan: &Plan,
    whole: &Path,
    stopped: &Path,
    in_round: u32,
    threads: [usize; 2],
) {
    let time = move |event: &RunEvent| match event {
        RunEvent::GamesPlayed { round, done: 9, .. } => *round == in_round,
        _ => false,
    };
    stop_at(plan, stopped, Begin::New, threads[0], &time);
    finish(plan, stopped, Begin::Resume, threads[1]);
    assert_same_run(whole, stopped);
}

/// Why a run does not begin.
fn refused(plan: &Plan, directory: &Path, begin: Begin) -> tavola_files::Failure {
    let never = AtomicBool::new(false);
    run(plan, &options(directory, begin, 1), None, &|_: &RunEvent| {}, &never).unwrap_err()
}
