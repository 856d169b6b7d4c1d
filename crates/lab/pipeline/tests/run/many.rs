//! Runs of games for more than two players.

use std::path::Path;

use tavola_pipeline::{Begin, Metrics, Plan, RunEvent, read_metrics};

use crate::{assert_same_run, final_weights, finish, stop_at};

fn plan_text(game: &str, more: &str) -> String {
    format!(
        r#"
        game = "{game}"
        seed = 5
        rounds = 3
        rule_based_rounds = 2
        games_per_round = 6
        network = {{ encoder = "one-hot", hidden = [8] }}
        {more}
        "#
    )
}

fn plan(game: &str) -> Plan {
    let more = r#"evaluation = { every_rounds = 2, games = 14, opponents = ["rule-based"] }"#;
    Plan::from_toml(&plan_text(game, more), Path::new("test.toml")).unwrap()
}

#[test]
fn a_stopped_run_of_four_players_goes_on_to_the_same_network_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, stopped) = (folder.path().join("whole"), folder.path().join("stopped"));
    let report = finish(&plan("four-seasons"), &whole, Begin::New, 1);
    assert_eq!((report.games, report.rounds_done, report.rounds), (18, 3, 3));
    assert!(report.positions > 18 * 48);
    let in_round_two =
        |event: &RunEvent| matches!(event, RunEvent::GamesPlayed { round: 2, done: 3, .. });
    stop_at(&plan("four-seasons"), &stopped, Begin::New, 2, &in_round_two);
    finish(&plan("four-seasons"), &stopped, Begin::Resume, 2);
    assert_same_run(&whole, &stopped);
    let weights = final_weights(&whole);
    assert_eq!((weights.game.as_str(), weights.arch.outputs), ("four-seasons", 4));
    // An evaluation at the start, after two rounds and at the end.
    let metrics = read_metrics(&whole.join("metrics.jsonl")).unwrap();
    let evaluated: Vec<u32> = metrics
        .iter()
        .filter(|line| matches!(line, Metrics::Evaluation(_)))
        .map(Metrics::round)
        .collect();
    assert_eq!(evaluated, [0, 2, 3]);
}

#[test]
fn seven_players_are_learned_too() {
    let folder = tempfile::tempdir().unwrap();
    finish(&plan("astronomy"), folder.path(), Begin::New, 2);
    assert_eq!(final_weights(folder.path()).arch.outputs, 7);
    assert!(folder.path().join("learning-curve.svg").is_file());
}

#[test]
fn what_only_games_for_two_have_is_refused_with_its_key() {
    for (more, key) in [
        ("replay = { window = 3 }", "replay"),
        (r#"start_book = ["start"]"#, "start_book"),
        (r#"targets = { kind = "expected-backup" }"#, "targets (but kind"),
        (r#"selfplay = { level = "1" }"#, "selfplay.level"),
        ("evaluation = { games = 2 }", "evaluation.games"),
        (r#"evaluation = { opponents = ["gnubg"] }"#, "evaluation.opponents"),
    ] {
        let error = Plan::from_toml(&plan_text("astronomy", more), Path::new("test.toml"));
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with(&format!("test.toml: {key}")), "{error}");
    }
}
