//! The historical games on the command line.

use crate::run::tavola;

#[test]
fn the_plays_of_a_historical_game_are_listed_in_its_own_notation() {
    let answer = tavola(&["legal", "--game", "tabula", "--roll", "356", "--json"]).json();
    assert_eq!(answer["position"], "hand:15 first / hand:15 first");
    assert_eq!(answer["dice"], serde_json::json!([6, 5, 3]));
    let plays = answer["plays"].as_array().unwrap();
    assert_eq!(plays.len(), 1);
    assert_eq!(plays[0]["position"], "hand:15 first / 3:1 5:1 6:1 hand:12");
    let position = "20:1 off:14 / 1:15";
    let run = tavola(&["legal", position, "--game", "puff", "--roll", "31"]).done();
    assert!(run.stdout.contains("20-21"), "{run:?}");
}

#[test]
fn boards_of_every_historical_game_are_drawn() {
    for game in ["tabula", "puff", "fallas", "emperador", "buffa"] {
        let run = tavola(&["show", "--game", game, "--ascii"]).done();
        assert!(run.stdout.starts_with("+13-14-15"), "{run:?}");
        // The start comes with its text and a few words about the game.
        assert!(run.stdout.contains(" / ") && run.stdout.contains("wins"), "{run:?}");
        let svg = tavola(&["show", "--game", game, "--svg", "-"]).done().stdout;
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }
    let play = ["show", "--game", "emperador", "--roll", "123", "--play", "1-7"];
    tavola(&play).refused(&["\"1-7\" is no play", "tavola legal --game emperador"]);
}

#[test]
fn bad_positions_options_rolls_and_networks_are_refused_with_the_reason() {
    let legal = |rest: &[&str]| {
        let args = [&["legal"], rest].concat();
        tavola(&args)
    };
    legal(&["3:16 / 2:15", "--game", "tabula", "--roll", "123"]).refused(&["0 to 15"]);
    legal(&["--game", "tabula", "--roll", "31"]).refused(&["2 dice, expected 3"]);
    legal(&["--game", "tabula"]).refused(&["no roll is given"]);
    legal(&["--game", "puff:cap=some", "--roll", "31"]).refused(&["`everywhere`"]);
    legal(&["--game", "ludo", "--roll", "31"]).refused(&["ludo", "emperador"]);
    tavola(&["best", "--game", "tabula", "--roll", "321"]).refused(&["--model"]);
    tavola(&["eval", "--game", "tabula", "--model", "default"])
        .refused(&["trained for \"backgammon\", not for \"tabula\""]);
    tavola(&["duel", "random", "pip-count", "--game", "tabula", "--games", "4"])
        .refused(&["unknown player \"pip-count\"", "rule-based"]);
    tavola(&["convert", "--game", "tabula", "--to", "xgid"]).refused(&["does not know tabula"]);
}

#[test]
fn the_player_of_rules_beats_the_random_one() {
    let duel = ["duel", "rule-based", "random", "--game", "fallas", "--games", "40", "--json"];
    let answer = tavola(&duel).json();
    assert_eq!(answer["game"], "fallas");
    assert!(answer["interval"][0].as_f64().unwrap() > 0.0, "{answer}");
}

#[test]
fn a_historical_game_is_trained_and_its_network_answers() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    let text = "game = \"fallas:historical_fail=on\"\nrounds = 2\ngames_per_round = 8\n\
        network = { encoder = \"one-hot\", hidden = [8] }\n\
        evaluation = { games = 8, every_rounds = 2 }\n";
    std::fs::write(&config, text).unwrap();
    let out = folder.path().join("run");
    let (config, out) = (config.to_str().unwrap(), out.to_str().unwrap());
    let report = tavola(&["train", config, "--out", out, "--json"]).json();
    let weights = report["weights"].as_str().unwrap();
    let game = "fallas:historical_fail=on";
    let best = ["best", "--game", game, "--model", weights, "--roll", "666", "--json"];
    let answer = tavola(&best).json();
    assert_eq!((&answer["legal"], answer["plays"].as_array().map(Vec::len)), (&6.into(), Some(5)));
    tavola(&["eval", "--game", game, "--model", weights]).done();
    // The same game with other options is another game.
    tavola(&["eval", "--game", "fallas", "--model", weights])
        .refused(&["historical_fail=on", "not for \"fallas\""]);
    let duel = ["duel", weights, "rule-based", "--game", game, "--games", "4", "--json"];
    let luck = [&duel[..], &["--luck-judge", weights]].concat();
    assert!(tavola(&luck).json()["luck_adjusted"].is_object());
}
