//! The historical games on the command line.

use std::path::Path;

use serde_json::{Value, json};
use tavola_games::{AnyGame, with_game};
use tavola_net::{EncoderKind, Interface, initial_weights};

use crate::run::{tavola, tavola_with_input};

const NAMES: [&str; 7] = ["tabula", "puff", "fallas", "emperador", "buffa", "ludus", "trictrac"];

/// A weights file of a network that has learned nothing of this game.
pub fn fresh_network(folder: &Path, game: &str) -> String {
    let any: AnyGame = game.parse().unwrap();
    let file = folder.join(format!("{game}.safetensors"));
    let interface = with_game!(&any, |game| Interface::of(game));
    let weights = initial_weights(&interface, EncoderKind::OneHot, &[8], 1).unwrap();
    weights.save(&file).unwrap();
    file.to_str().unwrap().to_owned()
}

/// The answers of `tavola batch` to these requests.
fn batch(args: &[&str], requests: &[Value]) -> Vec<Value> {
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let run = tavola_with_input(&[&["batch"], args].concat(), input.as_bytes()).done();
    let answers: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), requests.len(), "{run:?}");
    answers
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
    tavola(&["duel", "random", "pip-count", "--game", "tabula", "--games", "4"])
        .refused(&["unknown player \"pip-count\"", "rule-based"]);
    tavola(&["convert", "--game", "tabula", "--to", "xgid"])
        .refused(&["xgid", "text, board or svg"]);
    tavola(&["cube", "--game", "tabula"]).refused(&["without a cube"]);
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
    assert_eq!(answer["plays"].as_array().map(Vec::len), Some(5));
    tavola(&["eval", "--game", game, "--model", weights]).done();
    // The same game with other options is evaluated with a warning.
    let other = tavola(&["eval", "--game", "fallas", "--model", weights]).done();
    assert!(other.stderr.contains("historical_fail=on and may misjudge"), "{other:?}");
    let duel = ["duel", weights, "rule-based", "--game", game, "--games", "4", "--json"];
    let luck = [&duel[..], &["--luck-network", weights]].concat();
    assert!(tavola(&luck).json()["luck_adjusted"].is_object());
}

#[test]
fn positions_are_written_as_the_game_itself_writes_them() {
    let odd = " 5:1 3:2   first hand:12 / bar:1 12:14";
    let run = tavola(&["convert", "--game", "tabula", odd]).done();
    assert_eq!(run.stdout, "3:2 5:1 hand:12 first / 12:14 bar:1\n");
    let json = tavola(&["convert", "--game", "tabula", odd, "--json"]).json();
    assert_eq!(json["position"], run.stdout.trim_end());
    let board = tavola(&["convert", "--game", "puff", "--to", "board", "--roll", "31"]).done();
    assert!(board.stdout.contains("3-1"), "{board:?}");
    let text = tavola(&["convert", "4HPwATDgc/ABMA", "--to", "text"]).done();
    assert_eq!(text.stdout, "4HPwATDgc/ABMA\n");
}

#[test]
fn a_network_of_a_historical_game_ranks_and_evaluates_at_every_ply() {
    let folder = tempfile::tempdir().unwrap();
    let model = &fresh_network(folder.path(), "fallas");
    for ply in ["0", "1", "2"] {
        let args = ["--game", "fallas", "--model", model, "--ply", ply, "--json"];
        let best = tavola(&[&["best", "--roll", "632"], &args[..]].concat()).json();
        let play = &best["plays"][0];
        assert_eq!(play["ply"].to_string(), ply);
        let after = play["position"].as_str().unwrap();
        let eval = tavola(&[&["eval", after], &args[..]].concat()).json();
        assert_eq!(eval["ply"].to_string(), ply);
        let sum = play["equity"].as_f64().unwrap() + eval["equity"].as_f64().unwrap();
        assert!(sum.abs() < 1e-4, "{best} {eval}");
    }
    let over = "moff:2 / 19:13 m1:2";
    let args = ["--game", "fallas", "--model", model];
    let run = tavola(&[&["eval", over], &args[..]].concat()).done();
    assert!(run.stdout.contains("over") || run.stdout.contains("won"), "{run:?}");
    let run = tavola(&[&["best", over, "--roll", "321"], &args[..]].concat()).done();
    assert!(!run.stdout.contains("plays"), "{run:?}");
}

#[test]
fn every_game_is_evaluated_without_naming_a_network() {
    let mut signs = Vec::new();
    let with_network = [&NAMES[..], &["backgammon", "hypergammon"]].concat();
    for &game in &with_network {
        let own = json!({"op": "eval", "game": game, "position": "start", "ply": 0});
        let answer = &batch(&["--no-tables"], &[own])[0];
        assert!(answer["equity"].is_f64(), "{game}: {answer}");
        signs.push(answer["equity"].to_string());
        let text = tavola(&["eval", "--game", game, "--ply", "0", "--no-tables"]).done().stdout;
        assert!(text.contains("equity"), "{game}: {text}");
    }
    // Each of them has a network of its own.
    signs.sort_unstable();
    signs.dedup();
    assert_eq!(signs.len(), with_network.len());
    for game in ["fallas", "trictrac"] {
        let duel = ["duel", "default", "rule-based", "--game", game, "--games", "20", "--json"];
        assert!(tavola(&duel).json()["ppg"].as_f64().unwrap() > 0.0, "{game}");
    }
}

#[test]
fn batch_answers_for_every_historical_game() {
    let folder = tempfile::tempdir().unwrap();
    for game in NAMES {
        let model = fresh_network(folder.path(), game);
        let two = ["puff", "trictrac"].contains(&game);
        let dice = if two { json!([5, 2]) } else { json!([6, 5, 3]) };
        let requests = [
            json!({"id": 1, "op": "legal", "position": "start", "dice": dice}),
            json!({"id": 2, "op": "best", "position": "start", "dice": dice, "top": 1}),
            json!({"id": 3, "op": "eval", "position": "start", "game": game, "jacoby": false}),
            json!({"id": 4, "op": "convert", "position": "start", "to": "text"}),
            json!({"id": 5, "op": "convert", "position": "start", "to": "svg", "dice": dice}),
        ];
        let answers = batch(&["--game", game, "--model", &model], &requests);
        let plays = answers[0]["plays"].as_array().unwrap();
        assert!(!plays.is_empty() && plays[0].as_object().unwrap().len() == 2, "{plays:?}");
        let best = &answers[1]["plays"][0];
        assert!(plays.iter().any(|play| play["play"] == best["play"]), "{best}");
        assert_eq!(best["probs"].as_array().unwrap().len(), 5);
        assert!(answers[2]["equity"].is_f64() && answers[2]["ply"] == 2, "{}", answers[2]);
        let text = answers[3]["position"].as_str().unwrap();
        assert!(text.contains(" / "), "{text}");
        assert!(answers[4]["position"].as_str().unwrap().starts_with("<svg"));
        assert!((1..=5).zip(&answers).all(|(id, answer)| answer["id"] == id));
    }
}

#[test]
fn batch_refuses_what_a_historical_game_has_not() {
    let folder = tempfile::tempdir().unwrap();
    let fallas = fresh_network(folder.path(), "fallas");
    let legal = |key: &str, value: Value| {
        let mut request =
            json!({"op": "legal", "game": "puff", "position": "start", "dice": [5, 2]});
        request[key] = value;
        request
    };
    let cases = [
        (
            json!({"op": "cube", "game": "puff", "position": "start"}),
            "unsupported",
            "without a cube",
        ),
        (legal("op", json!("rollout")), "model", "can't evaluate puff"),
        (legal("cube", json!({"value": 2, "owner": "player"})), "unsupported", "\"cube\""),
        (
            legal("match", json!({"length": 3, "player": 0, "opponent": 0})),
            "unsupported",
            "\"match\"",
        ),
        (legal("beavers", json!(true)), "unsupported", "\"beavers\""),
        (legal("position", json!("4HPwATDgc/ABMA")), "position", "4HPwATDgc/ABMA"),
        (legal("position", json!([0, 1])), "position", "\"0,1\""),
        (legal("dice", json!([5, 2, 1])), "dice", "two numbers from 1 to 6"),
        (legal("dice", json!([52])), "dice", "numbers from 1 to 6"),
        (legal("dice", json!([7, 1])), "dice", "numbers from 1 to 6"),
        (legal("dice", Value::Null), "dice", "no roll is given"),
        (legal("game", json!("puff:cap=some")), "game", "`everywhere`"),
        (legal("game", json!("ludo")), "game", "\"ludo\""),
        (legal("surprise", json!(1)), "request", "\"surprise\""),
        (json!({"op": "eval", "game": "puff", "position": "start"}), "model", "for fallas"),
        (json!({"op": "eval", "position": "4HPwATDgc/ABMA"}), "model", "can't evaluate backgammon"),
        (
            json!({"op": "convert", "game": "puff", "position": "start", "to": "xgid"}),
            "to",
            "text, board or svg",
        ),
        (
            json!({"op": "eval", "game": "fallas:alfonso1283=on", "position": "start"}),
            "model",
            "can't evaluate fallas:alfonso1283=on",
        ),
    ];
    let requests: Vec<Value> = cases.iter().map(|(request, ..)| request.clone()).collect();
    for (answer, (request, kind, part)) in
        batch(&["--model", &fallas], &requests).iter().zip(&cases)
    {
        assert_eq!(answer["error"]["kind"], *kind, "{request} {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{request} {answer}");
    }
}

/// By the network of the same game, or by the simple player where a state has other numbers.
#[test]
fn games_with_options_are_evaluated_with_a_word_by_what() {
    for (game, roll, word) in [
        ("tabula:gammons=on", "321", "trained for tabula "),
        ("puff:cap=everywhere", "52", "trained for puff "),
        ("puff:direction=reverse", "52", "trained for puff "),
        ("fallas:goal=all15", "321", "trained for fallas "),
        ("fallas:alfonso1283=on", "321", "rule-based evaluates"),
        ("emperador:barata_zone=12", "321", "trained for emperador "),
        ("emperador:barata=historical", "321", "rule-based evaluates"),
        ("buffa:inherit=whole_roll", "321", "trained for buffa "),
        ("ludus:stack_move=off", "321", "trained for ludus "),
        ("ludus:home_needed=false", "321", "trained for ludus "),
        ("trictrac:exit_exact=free", "31", "trained for trictrac "),
        ("four-seasons:dice=2", "31", "trained for four-seasons "),
        ("four-seasons:full_lap=on", "321", "rule-based evaluates"),
        ("astronomy:win_only=on", "321", "trained for astronomy "),
    ] {
        let run = tavola(&["best", "--game", game, "--roll", roll, "--ply", "0", "--no-tables"]);
        let run = run.done();
        assert!(run.stderr.contains(word), "{game}: {run:?}");
    }
    let request =
        json!({"op": "best", "game": "puff:cap=none", "position": "start", "dice": [5, 2]});
    let answers = batch(&["--no-tables"], &[request]);
    assert!(answers[0]["warnings"][0].as_str().unwrap().contains("for puff "), "{answers:?}");
    // A game is played to its end.
    for game in ["fallas:alfonso1283=on", "emperador:barata=historical", "ludus:stack_move=off"] {
        let args = ["duel", "default", "random", "--game", game, "--games", "4", "--json"];
        let report = tavola(&args).json();
        assert_eq!(report["games"], 4, "{report}");
    }
}

#[test]
fn a_network_of_a_historical_game_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let model = fresh_network(folder.path(), "fallas");
    let bench = ["bench", "--full", "--model", &model, "--seconds", "0.005", "--threads", "2"];
    let report = tavola(&[&bench[..], &["--json"]].concat()).json();
    for key in [
        "movegen_pairs_per_s",
        "encode_per_s",
        "evals_per_s",
        "evals_single_per_s",
        "decisions_0ply_per_s",
        "decision_2ply_ms",
        "rollout_games_per_s",
        "selfplay_games_per_s",
        "selfplay_games_per_s_all_threads",
    ] {
        assert!(report[key].as_f64().unwrap() > 0.0, "{key} in {report}");
    }
    assert_eq!(report["signature"].as_str().map(str::len), Some(16));
    let positions = folder.path().join("p");
    let write = ["--write-positions", positions.to_str().unwrap()];
    let text = tavola(&[&bench[..], &write].concat()).done().stdout;
    assert!(text.contains("0-ply decisions") && text.contains("rollout games"), "{text}");
    let positions = std::fs::read_to_string(positions).unwrap();
    let words: Vec<&str> = positions.lines().next().unwrap().split(' ').collect();
    let (position, dice) = words.split_at(words.len() - 3);
    let arguments = ["legal", "--game", "fallas", &position.join(" "), "--roll", &dice.concat()];
    tavola(&arguments).done();
}

/// The released network of Tabula.
fn tabula() -> String {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../models/games");
    models.join("tabula.safetensors").to_str().unwrap().to_owned()
}

#[test]
fn a_historical_game_is_rolled_out_and_its_plays_are_explained() {
    let network = tabula();
    let position = "5:3 9:2 11:3 12:3 14:2 17:2 / 2:2 3:2 4:3 7:3 8:2 10:3";
    let asked = ["--game", "tabula", position, "--model", &network, "--roll", "321"];
    let short = ["--trials", "36", "--truncate", "2", "--top", "2", "--json"];
    let rolled = tavola(&[&["rollout"], &asked[..], &short].concat()).json();
    assert_eq!(rolled["plays"].as_array().unwrap().len(), 2, "{rolled}");
    assert!(rolled["plays"][0]["equity_se"].as_f64().unwrap() > 0.0, "{rolled}");
    let explain = ["--ply", "0", "--top", "1", "--explain", "full"];
    let text = tavola(&[&["best"], &asked[..], &explain].concat()).done().stdout;
    assert!(text.contains("the opponent's best rolls"), "{text}");
}

#[test]
fn duels_of_a_historical_game_begin_in_positions_and_its_players_have_a_ladder() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (position, book) = ("2:4 4:11 / 5:3 9:12", file("book.txt"));
    std::fs::write(&book, format!("# a comment\nstart\n{position}\n")).unwrap();
    let duel = ["duel", "rule-based", "random", "--game", "tabula", "--games", "8"];
    for (from, positions) in [(["--start", position], "1 start"), (["--book", &book], "2 start")] {
        let text = tavola(&[&duel[..], &from].concat()).done().stdout;
        assert!(text.contains(&format!("from {positions} position")), "{text}");
    }
    tavola(&[&duel[..], &["--start", "25:1"]].concat()).refused(&["25:1"]);

    let ladder = ["ladder", "--file", &file("ladder.jsonl"), "--game", "puff", "--pairs", "4"];
    let players = ["rule-based", "random", "--time", "0.2s", "--json"];
    let standings = tavola(&[&ladder[..], &players].concat()).json();
    assert_eq!(standings["ratings"][0]["name"], "rule-based", "{standings}");
    assert_eq!(standings["game"], "puff");
}

#[test]
fn players_of_a_historical_game_are_graded() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (sample, reference, network) = (file("sample.jsonl"), file("reference.jsonl"), tabula());
    let draw = ["grade", "sample", "--model", &network, "--games", "8", "--per-phase", "4"];
    tavola(&[&draw[..], &["--out", &sample]].concat()).done();
    let quick = ["--look", "0", "--top", "3", "--play", "0", "--leaf", "0", "--truncate", "1"];
    let rate = ["grade", "rollout", &sample, "--model", &network, "--out", &reference];
    tavola(&[&rate[..], &quick, &["--trials", "8"]].concat()).done();
    let by = ["--reference", &reference, "--against", "rule-based", "--json"];
    let graded = tavola(&[&["grade", &network], &by[..]].concat()).json();
    assert_eq!(graded["decisions"], 4, "{graded}");
    assert!(graded["players"][1]["loss"]["in_play"]["mean"].as_f64().unwrap() > 0.0, "{graded}");
    let phases = graded["players"][0]["loss"]["phases"].as_array().unwrap();
    assert!(matches!(&phases[..], [all] if all["phase"].is_null()), "{graded}");
    tavola(&["grade", "gnubg:0", "--reference", &reference]).refused(&["gnubg"]);
}

#[test]
fn a_game_without_gammons_has_none_in_its_figures() {
    let folder = tempfile::tempdir().unwrap();
    for (name, most) in [("puff", 1), ("tabula", 1), ("tabula:gammons=on", 2)] {
        let network = fresh_network(folder.path(), name);
        let eval = ["eval", "start", "--game", name, "--model", &network, "--ply", "0", "--json"];
        let answer = tavola(&eval).json();
        let probs: Vec<f64> =
            answer["probs"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect();
        assert!(probs[0] > 0.0, "{answer}");
        for (probability, points) in probs[1..].iter().zip([2, 3, 2, 3]) {
            assert_eq!(*probability > 0.0, points <= most, "{name}: {answer}");
        }
    }
}
