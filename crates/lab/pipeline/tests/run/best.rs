//! What a run measures of itself: held-out loss, the best weights, early stopping, TensorBoard.

use std::fs;
use std::path::Path;

use tavola_net::Weights;
use tavola_pipeline::{Begin, Metrics, Plan, read_metrics};

use crate::{finish, plan};

/// A run that learns next to nothing, with more keys of the table of evaluations.
fn idle_plan(evaluation: &str) -> Plan {
    let text = format!(
        r#"
        game = "hypergammon"
        seed = 11
        rounds = 9
        games_per_round = 10
        network = {{ encoder = "tesauro", hidden = [8] }}
        learning_rate = 1e-12
        evaluation = {{ every_rounds = 2, games = 10, opponents = ["random"], {evaluation} }}
        "#
    );
    Plan::from_toml(&text, Path::new("test.toml")).unwrap()
}

#[test]
fn a_run_without_progress_ends_early_with_its_best_weights() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let report = finish(&idle_plan("best = \"random\""), &whole, Begin::New, 1);
    assert_eq!((report.rounds_done, report.rounds), (9, 9));
    assert!(whole.join("best.safetensors").is_file());

    let early = folder.path().join("early");
    let plan = idle_plan("best = \"random\", patience = 2");
    let report = finish(&plan, &early, Begin::New, 1);
    // The first evaluation is the best, as nothing changes.
    assert_eq!((report.rounds_done, report.rounds), (4, 9));
    let weights = |name: &str| Weights::load(&early.join(name)).unwrap();
    assert_eq!(weights("final.safetensors").layers, weights("best.safetensors").layers);
    assert_eq!(weights("best.safetensors").training["rounds"], "0 of 9");
    // It stays ended.
    let report = finish(&plan, &early, Begin::Resume, 1);
    assert_eq!((report.rounds_done, report.rounds), (4, 9));
}

#[test]
fn the_yardstick_is_something_that_is_measured() {
    let refused = |keys: &str| {
        let text = format!("rounds = 2\n[evaluation]\nopponents = [\"random\"]\n{keys}");
        Plan::from_toml(&text, Path::new("test.toml")).unwrap_err().to_string()
    };
    let error = refused("best = \"gnubg\"");
    assert!(error.contains("evaluation.best is \"gnubg\", expected what is measured"), "{error}");
    assert!(error.contains("random, held-out-loss"), "{error}");
    let error = refused("patience = 3");
    assert!(error.contains("evaluation.patience is 3, expected evaluation.best"), "{error}");
}

#[test]
fn new_positions_have_a_loss_before_they_are_learned() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    finish(&plan(3), &path, Begin::New, 1);
    let metrics = read_metrics(&path.join("metrics.jsonl")).unwrap();
    let losses: Vec<[f64; 2]> = metrics
        .iter()
        .filter_map(|line| match line {
            Metrics::Round(round) => Some([round.loss, round.held_out_loss.unwrap()]),
            _ => None,
        })
        .collect();
    assert_eq!(losses.len(), 6);
    assert!(losses.iter().flatten().all(|loss| (0.1..3.0).contains(loss)), "{losses:?}");
    // The first weights are random, and what is learned is known better than what is new.
    assert!(losses[0][1] > losses[5][1] && losses[5][1] > losses[5][0], "{losses:?}");
}

#[test]
fn events_for_tensorboard_have_all_figures_once_after_a_resume() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    finish(&plan(1), &path, Begin::New, 1);
    let events = || {
        let bytes = fs::read(path.join("events.out.tfevents.tavola")).unwrap();
        let (mut rest, mut events) = (&bytes[..], Vec::new());
        while !rest.is_empty() {
            let length = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
            events.push(String::from_utf8_lossy(&rest[12..12 + length]).into_owned());
            rest = &rest[12 + length + 4..];
        }
        events
    };
    let first = events();
    assert!(first[0].contains("brain.Event:2"));
    let with = |events: &[String], tag| events.iter().filter(|event| event.contains(tag)).count();
    for (tag, times) in [("round/held_out_loss", 6), ("evaluation/ppg_pip-count", 3)] {
        assert_eq!(with(&first, tag), times, "{tag}");
    }
    finish(&plan(1), &path, Begin::Resume, 1);
    assert_eq!(events().len(), first.len());
}
