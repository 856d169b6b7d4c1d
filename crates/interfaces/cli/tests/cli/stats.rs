//! Statistics of games that a network plays against itself.

use serde_json::Value;
use tavola_games::OldGame;
use tavola_net::{EncoderKind, Interface, initial_weights};

use crate::run::tavola;

/// The sum of a number that each entry of a list has.
fn sum(list: &Value, key: &str) -> f64 {
    list.as_array().unwrap().iter().map(|entry| entry[key].as_f64().unwrap()).sum()
}

#[test]
fn statistics_of_a_historical_game_add_up_and_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let game = "fallas:historical_fail=on";
    let file = folder.path().join("net.safetensors");
    let tables = OldGame::new(game.parse().unwrap());
    initial_weights(&Interface::of(&tables), EncoderKind::OneHot, &[8], 1)
        .unwrap()
        .save(&file)
        .unwrap();
    let model = file.to_str().unwrap();
    let run = |threads: &str| {
        let stats = ["stats", "--model", model, "--games", "60", "--duel-games", "20"];
        tavola(&[&stats[..], &["--threads", threads, "--json"]].concat()).report()
    };
    let report = run("1");
    assert_eq!(report, run("3"));
    assert_eq!((&report["game"], &report["games"]), (&game.into(), &60.into()));
    let wins = &report["wins"];
    let of = |key: &str| wins[key].as_u64().unwrap();
    assert_eq!(of("first") + of("second") + of("draws"), 60);
    assert_eq!(of("single") + of("gammon") + of("backgammon") + of("draws"), 60);
    let mean = report["first_mover"]["mean"].as_f64().unwrap();
    assert!((mean - (of("first") as f64 - of("second") as f64) / 60.0).abs() < 1e-12);
    assert_eq!(sum(&report["endings"], "games"), 60.0);
    // Whoever can't play a die loses here, and random play soon comes to that.
    let endings = report["endings"].as_array().unwrap();
    assert!(endings.iter().any(|ending| ending["rule"] == "stuck"), "{endings:?}");
    assert!((sum(&report["openings"], "probability") - 1.0).abs() < 1e-9);
    assert_eq!(report["openings"].as_array().unwrap().len(), 56);
    let opponents: Vec<_> =
        report["strength"].as_array().unwrap().iter().map(|other| &other["opponent"]).collect();
    assert_eq!(opponents, ["random", "rule-based"]);
}

#[test]
fn statistics_of_what_there_is_not_are_refused() {
    tavola(&["stats", "--duel-games", "3"]).refused(&["--duel-games is 3"]);
    tavola(&["stats", "--game", "ludo"]).refused(&["ludo"]);
}
