//! A run with more rounds than before.

use std::fs;
use std::path::Path;

use tavola_net::Weights;
use tavola_pipeline::{Begin, Config, Manifest, Metrics, Plan, RunEvent, Schedule};

use crate::{final_weights, finish, plan_with, refused, stop_at, timeless_metrics};

const CONSTANT: &str = "learning_rate = { kind = \"constant\", value = 1e-3 }\n\
    targets = { kind = \"td\", lambda = { kind = \"constant\", value = 0.6 } }\n\
    replay = { window = 2 }\n";

fn with_rounds(plan: &Plan, rounds: u32, schedule_rounds: Option<u32>) -> Plan {
    let config = Config { rounds, schedule_rounds, ..plan.config().clone() };
    Plan::new(config, Path::new("test.toml")).unwrap()
}

fn manifest(directory: &Path) -> Manifest {
    serde_json::from_slice(&fs::read(directory.join("manifest.json")).unwrap()).unwrap()
}

/// The figures of the rounds, without the evaluation at the old end.
fn rounds(directory: &Path) -> Vec<Metrics> {
    let metrics = timeless_metrics(directory).into_iter();
    metrics.filter(|line| matches!(line, Metrics::Round(_)) || line.round() != 4).collect()
}

#[test]
fn four_rounds_extended_to_six_are_six_rounds_where_no_schedule_depends_on_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let (six, four) = (folder.path().join("six"), folder.path().join("four"));
    let plan = plan_with(CONSTANT);
    finish(&with_rounds(&plan, 6, None), &six, Begin::New, 2);
    finish(&with_rounds(&plan, 4, None), &four, Begin::New, 2);
    let report = finish(&with_rounds(&plan, 6, None), &four, Begin::Resume, 1);
    assert_eq!((report.rounds_done, report.rounds, report.games), (6, 6, 120));
    let file = |directory: &Path, name: &str| fs::read(directory.join(name)).unwrap();
    for name in ["final.safetensors", "config.toml"] {
        assert!(file(&six, name) == file(&four, name), "{name}");
    }
    assert_eq!(rounds(&four), rounds(&six));
    let manifest = manifest(&four);
    assert_eq!(manifest.config.schedule_rounds, None);
    assert_eq!(manifest.sessions.iter().map(|s| s.after_round).collect::<Vec<_>>(), [0, 4]);
    assert!(manifest.finished.is_some());
}

#[test]
fn schedules_keep_their_last_values_in_the_rounds_of_an_extension() {
    let folder = tempfile::tempdir().unwrap();
    let (six, four) = (folder.path().join("six"), folder.path().join("four"));
    let plan = plan_with("");
    assert!(matches!(plan.config().learning_rate, Schedule::Cosine { to: 3e-5, .. }));
    finish(&with_rounds(&plan, 6, Some(4)), &six, Begin::New, 2);
    finish(&with_rounds(&plan, 4, None), &four, Begin::New, 2);
    let extended = with_rounds(&plan, 6, None);
    // Stopped in the extension and resumed, with and without the key that it got.
    let in_round_five = |event: &RunEvent| matches!(event, RunEvent::GamesPlayed { round: 5, .. });
    stop_at(&extended, &four, Begin::Resume, 1, &in_round_five);
    assert_eq!(manifest(&four).config.schedule_rounds, Some(4));
    let in_round_six = |event: &RunEvent| matches!(event, RunEvent::GamesPlayed { round: 6, .. });
    stop_at(&with_rounds(&plan, 6, Some(4)), &four, Begin::Resume, 1, &in_round_six);
    finish(&extended, &four, Begin::Resume, 2);
    assert_eq!(final_weights(&four).checksum(), final_weights(&six).checksum());
    assert_eq!(rounds(&four), rounds(&six));
    let rates: Vec<f64> = rounds(&four)
        .iter()
        .filter_map(|line| match line {
            Metrics::Round(round) => Some(round.learning_rate),
            Metrics::Evaluation(_) | Metrics::States(_) => None,
        })
        .collect();
    assert_eq!(rates[3..], [3e-5; 3], "{rates:?}");
    let stored = Weights::load(&four.join("final.safetensors")).unwrap().training;
    assert_eq!(stored["config_sha256"], manifest(&four).config_sha256);
}

#[test]
fn other_differences_than_more_rounds_are_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let plan = plan_with("");
    finish(&with_rounds(&plan, 2, None), &run, Begin::New, 2);
    let differences = |plan: &Plan| {
        let error = refused(plan, &run, Begin::Resume).to_string();
        let (_, differences) = error.split_once("(key: stored, given): ").expect("differences");
        differences.split(';').next().map(str::to_owned)
    };
    assert_eq!(differences(&with_rounds(&plan, 1, None)).as_deref(), Some("rounds: 2, 1"));
    assert_eq!(
        differences(&with_rounds(&plan, 3, Some(3))).as_deref(),
        Some("schedule_rounds: 2, 3")
    );
    let config = Config { seed: 9, rounds: 3, ..plan.config().clone() };
    let other = Plan::new(config, Path::new("test.toml")).unwrap();
    assert_eq!(differences(&other).as_deref(), Some("seed: 11, 9"));
    // Nothing was changed, so the run can still be resumed as it was.
    finish(&with_rounds(&plan, 2, None), &run, Begin::Resume, 2);
}
