//! The commands that answer questions about a position.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::SMALL;
use crate::run::tavola;

const START: &str = "4HPwATDgc/ABMA";
const START_XGID: &str = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10";
/// The opponent has borne off everything, the player on roll has all fifteen on their six point.
const LOST: &str = "0,0,0,0,0,0,15,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";

fn five(value: &Value) -> Vec<f64> {
    let five: Vec<f64> =
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
    assert_eq!(five.len(), 5);
    assert!(five.iter().all(|probability| (-1e-6..=1.000001).contains(probability)), "{five:?}");
    assert!(five[0] >= five[1] && five[1] >= five[2] && five[3] >= five[4], "{five:?}");
    five
}

#[test]
fn plays_that_are_printed_compare_and_what_the_play_made_loses_is_told() {
    let best = ["best", "--roll", "31", "--json"];
    let answer = tavola(&best).json();
    let plays = answer["plays"].as_array().unwrap();
    assert!(plays.len() == 5 && plays.iter().all(|play| play["ply"] == 2), "{plays:?}");
    let number = |play: &Value, key: &str| play[key].as_f64().unwrap();
    for play in plays {
        let difference = number(&plays[0], "cubeful_equity") - number(play, "cubeful_equity");
        assert!((number(play, "loss") - difference).abs() < 1e-6, "{play}");
    }
    // In the table or not, the play that was made is evaluated at the same depth.
    for made in ["13/10 6/5", "6/2"] {
        let played = tavola(&[&best[..], &["--top", "3", "--played", made]].concat()).json();
        let play = &played["played"];
        assert_eq!((&play["play"], &play["ply"]), (&made.into(), &2.into()));
        let difference = number(&plays[0], "cubeful_equity") - number(play, "cubeful_equity");
        assert!((number(play, "loss") - difference).abs() < 1e-6 && difference > 0.1, "{play}");
        assert_eq!(played["plays"].as_array().unwrap()[..], plays[..3]);
    }
    let text = tavola(&["best", "--roll", "31", "--played", "6/5 8/5"]).done().stdout;
    assert!(text.contains("played 8/5 6/5: no error (2-ply)"), "{text}");
    tavola(&["best", "--roll", "31", "--played", "8/4 6/5"]).refused(&["8/4 6/5", "8/5 6/5"]);
    // A score decides among other plays, and the cubeful losses are those of the cubeful figures.
    let score = ["best", "--roll", "64", "--match-length", "3", "--score", "1-2", "--crawford"];
    let answer = tavola(&[&score[..], &["--json", "--played", "24/14"]].concat()).json();
    let best = number(&answer["plays"][0], "cubeful_equity");
    let difference = best - number(&answer["played"], "cubeful_equity");
    assert!((number(&answer["played"], "loss") - difference).abs() < 1e-5, "{answer}");
}

#[test]
fn best_looks_two_rolls_ahead_and_says_what_it_evaluated_less_deep() {
    let best = ["best", "--roll", "11", "--top", "99", "--preset", "fast", "--cubeless", "--json"];
    let answer = tavola(&[&best[..], &["--threads", "1"]].concat()).json();
    let plays = answer["plays"].as_array().unwrap();
    let plies: Vec<u64> = plays.iter().map(|play| play["ply"].as_u64().unwrap()).collect();
    assert_eq!((plies[0], plies[plies.len() - 1]), (2, 0));
    assert!(plies.windows(2).all(|pair| pair[0] >= pair[1]), "{plies:?}");
    // Within a depth the best is first, and its loss is told at that depth.
    for pair in plays.windows(2).filter(|pair| pair[0]["ply"] == pair[1]["ply"]) {
        assert!(pair[0]["equity"].as_f64() >= pair[1]["equity"].as_f64());
        assert!(pair[0]["loss"].as_f64() <= pair[1]["loss"].as_f64());
    }
    assert_eq!(tavola(&[&best[..], &["--threads", "3"]].concat()).json(), answer);
    let fast = tavola(&[&best[..], &["--ply", "1"]].concat()).json();
    assert_eq!(fast["plays"][0]["ply"], 1);
}

#[test]
fn a_time_limit_ends_a_search_and_unusable_options_are_refused() {
    let limited = tavola(&["best", "--roll", "62", "--time", "1ms", "--json"]).json();
    assert!(limited["plays"][0]["ply"].as_u64().unwrap() <= 3);
    let limited = tavola(&["eval", "--time", "1ms", "--ply", "1", "--json"]).json();
    assert!(limited["ply"].as_u64().unwrap() <= 1);
    tavola(&["best", "--roll", "62", "--ply", "9"]).refused(&["--ply", "9", "from 0 to 3"]);
    tavola(&["eval", "--preset", "deep"]).refused(&["deep", "fast, normal, wide, full"]);
    tavola(&["eval", "--time", "200"]).refused(&["200", "200ms"]);
    tavola(&["eval", "--threads", "0"]).refused(&["--threads"]);
}

#[test]
fn an_xgid_brings_its_dice_and_a_named_roll_goes_before_them() {
    let with_dice = tavola(&["best", START_XGID, "--json"]).json();
    assert_eq!(with_dice["plays"][0]["play"], "8/5 6/5");
    let named = tavola(&["best", START_XGID, "--roll", "6,5", "--json"]).json();
    assert_eq!(named["plays"][0]["play"], "24/13");
    assert_eq!(named["warnings"][0], "ignored: the position's roll 3-1, as 6-5 is given");
    let bare = START_XGID.strip_prefix("XGID=").unwrap();
    assert_eq!(tavola(&["best", bare, "--json"]).json(), with_dice);
}

#[test]
fn unusable_positions_rolls_and_networks_are_refused_with_what_was_expected() {
    tavola(&["best"]).refused(&["no roll", "--roll"]);
    tavola(&["best", "--roll", "37"]).refused(&["37", "two dice from 1 to 6"]);
    tavola(&["best", "nonsense", "--roll", "31"]).refused(&["\"nonsense\"", "Position ID", "XGID"]);
    tavola(&["eval", "--jsn"]).refused(&["'--jsn'", "'--json'"]);
    tavola(&["eval", "--model", "no/such.safetensors"]).refused(&["no/such.safetensors", "cannot"]);
    tavola(&["eval", "--model", "Cargo.toml"]).refused(&["Cargo.toml", "safetensors file"]);
    tavola(&["eval", "--game", "chess"]).refused(&["chess", "nackgammon"]);
    let warned = tavola(&["eval", "--game", "puff:cap=none"]).done();
    assert!(warned.stderr.contains("trained for puff and may misjudge"), "{warned:?}");
    tavola(&["best", "--roll", "31", "--top", "0"]).refused(&["--top"]);
    tavola(&["convert", "--to", "fen"]).refused(&["fen", "xgid"]);
    tavola(&["frobnicate"]).refused(&["frobnicate"]);
}

#[test]
fn a_finished_game_is_worth_its_result() {
    let answer = tavola(&["eval", LOST, "--json"]).json();
    assert_eq!(answer["equity"], -2.0);
    assert_eq!(five(&answer["probs"]), [0.0, 0.0, 0.0, 1.0, 0.0]);
    assert!(tavola(&["eval", LOST]).done().stdout.contains("over"));
    let answer = tavola(&["best", LOST, "--roll", "31", "--json"]).json();
    assert_eq!(answer["plays"], serde_json::json!([]));
    assert!(tavola(&["legal", LOST, "--roll", "31"]).done().stdout.contains("over"));
}

#[test]
fn a_player_who_cannot_move_has_no_plays() {
    // Both checkers on the bar, the opponent's home closed.
    let closed = "0,0,0,0,0,0,13,0,0,0,0,0,-3,0,0,0,0,0,0,-2,-2,-2,-2,-2,-2,2";
    let answer = tavola(&["best", closed, "--roll", "66", "--json"]).json();
    assert_eq!(answer["plays"], serde_json::json!([]));
    assert!(tavola(&["best", closed, "--roll", "66"]).done().stdout.contains("no legal play"));
    assert!(tavola(&["legal", closed, "--roll", "66"]).done().stdout.contains("no legal play"));
}

#[test]
fn show_writes_a_picture_with_the_play() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("board.svg");
    let file = path.to_str().unwrap();
    tavola(&["show", "--roll", "31", "--play", "8/5 6/5", "--svg", file]).done();
    let svg = std::fs::read_to_string(&path).unwrap();
    assert!(svg.starts_with("<svg") || svg.starts_with("<?xml"), "{svg}");
    let plain = tavola(&["show", "--roll", "31", "--svg", "-"]).done().stdout;
    assert_ne!(svg, plain);
    let rules = tavola(&["show", "--game", "puff:cap=none"]).done().stdout;
    assert!(rules.contains("With cap=none"), "{rules}");
    assert!(!tavola(&["show", "--game", "puff"]).done().stdout.contains("With "));
    tavola(&["show", "--roll", "31", "--play", "24/2"]).refused(&["24/2"]);
    tavola(&["show", "--play", "8/5 6/5"]).refused(&["no roll"]);
    tavola(&["show", "--svg", "no/such/folder/board.svg"]).refused(&["no/such/folder/board.svg"]);
    tavola(&["show", "--svg", "-", "--json"]).refused(&["say what is printed"]);
}

#[test]
fn a_network_is_saved_with_half_the_size_and_answers_nearly_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let half = folder.path().join("half.safetensors");
    let half = half.to_str().unwrap();
    let answer = tavola(&["model", SMALL, "--save-half", half, "--json"]).json();
    assert_eq!(answer, tavola(&["model", half, "--json"]).json());
    assert_ne!(answer["sha256"], tavola(&["model", SMALL, "--json"]).json()["sha256"]);
    let bytes = |path: &str| std::fs::metadata(path).unwrap().len();
    assert!(bytes(half) * 9 < bytes(SMALL) * 5, "{} of {}", bytes(half), bytes(SMALL));
    let chances = |model: &str| {
        five(&tavola(&["eval", START, "--ply", "0", "--model", model, "--json"]).json()["probs"])
    };
    for (half, whole) in chances(half).into_iter().zip(chances(SMALL)) {
        assert!((half - whole).abs() < 0.002, "{half} {whole}");
    }
    tavola(&["model", SMALL, "--save-half", "/nowhere/at/all/half.safetensors"])
        .refused(&["/nowhere/at/all"]);
}

#[test]
fn the_mean_of_networks_is_that_of_each_number() {
    let folder = tempfile::tempdir().unwrap();
    let [half, mean] = ["half", "mean"].map(|name| folder.path().join(name));
    let [half, mean] = [&half, &mean].map(|path| path.to_str().unwrap());
    tavola(&["model", SMALL, "--save-half", half]).done();
    // Numbers of 16 bits, so that the mean of equal ones is the same number.
    let words = ["model", half, "--mean-with", half, "--save-half", mean, "--json"];
    let answer = tavola(&words).json();
    let same = tavola(&["model", half, "--json"]).json();
    assert_eq!(answer["sha256"], same["sha256"]);
    let name = same["sha256"].as_str().unwrap();
    assert_eq!(answer["training"]["mean_of"], format!("{name}, {name}"));
    // Twice the first and once the other.
    let weights = |path: &str| tavola_net::Weights::load(std::path::Path::new(path)).unwrap();
    let mut other = weights(half);
    other.layers[0].weights[0] += 1.5;
    other.layers[1].biases[0] -= 0.75;
    let changed = folder.path().join("changed");
    other.save(&changed).unwrap();
    let again = ["--mean-with", changed.to_str().unwrap(), "--mean-with", half, "--force"];
    tavola(&[&["model", half, "--save-half", mean][..], &again].concat()).done();
    let (found, before) = (weights(mean), weights(half));
    let moved = |of: fn(&tavola_net::Weights) -> f32| of(&found) - of(&before);
    assert!((moved(|it| it.layers[0].weights[0]) - 0.5).abs() < 1e-3);
    assert!((moved(|it| it.layers[1].biases[0]) + 0.25).abs() < 1e-3);
    assert_eq!(found.layers[2], before.layers[2]);
    let wider = ["model", half, "--mean-with", "default", "--save-half", mean, "--force"];
    tavola(&wider).refused(&["default", "layers", "expected"]);
    tavola(&["model", half, "--mean-with", half]).refused(&["--save-half"]);
}

#[test]
fn every_command_explains_itself_with_an_example() {
    for command in
        ["best", "eval", "legal", "show", "convert", "batch", "train", "duel", "model", "bench"]
    {
        let help = tavola(&["help", command]).done().stdout;
        assert!(help.contains("Example"), "{help}");
        assert!(help.contains(&format!("tavola {command}")), "{help}");
        assert!(tavola(&[command, "--help"]).done().stdout == help);
    }
    assert!(tavola(&["--version"]).done().stdout.starts_with("tavola "));
    let run = tavola(&[]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("Examples:"), "{run:?}");
}

#[test]
fn a_reader_who_leaves_early_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tavola"))
        .args(["legal", "--roll", "22"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{output:?}");
}

/// Both plays leave a double that is passed: they are worth the same with the cube.
const CASHED: &str = "XGID=-BB-B-------------------d-:0:0:1:26:3:4:0:7:10";

#[test]
fn plays_that_are_equal_with_the_cube_stand_in_the_order_of_their_cubeless_equities() {
    for (position, best) in [
        (CASHED, "4/off 2/off"),
        ("XGID=-ABCCCB---A------------a--:0:0:1:45:0:0:1:0:10", "10/5 4/off"),
        ("XGID=-BDAAB--A-----a----bBbBbh-:0:0:1:63:0:0:1:0:10", "20/14* 8/5"),
    ] {
        for ply in ["0", "1", "2"] {
            let answer = tavola(&["best", position, "--ply", ply, "--json"]).json();
            let plays = answer["plays"].as_array().unwrap();
            let of_second = plays[1]["cubeful_equity"].as_f64().unwrap();
            assert!((of_second + 1.0).abs() < 1e-6, "{answer}");
            let equities: Vec<_> = plays.iter().map(|play| play["equity"].as_f64()).collect();
            assert!(equities.is_sorted_by(|a, b| a >= b), "{ply}: {answer}");
            assert!(equities.first() > equities.last(), "{ply}: {answer}");
            if ply == "2" {
                assert_eq!(plays[0]["play"], best, "{answer}");
            }
        }
    }
    let rollout = ["rollout", CASHED, "--trials", "36", "--json"];
    assert_eq!(tavola(&rollout).json()["plays"][0]["play"], "4/off 2/off");
}

#[test]
fn replies_that_are_equal_with_the_cube_spoil_no_probabilities() {
    // After a roll that does not save the player, the opponent cashes whatever the play was.
    for position in [
        "XGID=---AABD------------bbbbba-:0:0:1:00:3:6:0:7:10",
        "XGID=-HBbBbB----A-----a--baadb-:0:0:1:00:0:0:1:0:10",
        "XGID=--B-a-F-C-a-bB-a-b-bbbbB--:0:0:1:00:0:0:1:0:10",
    ] {
        let probs = |command| five(&tavola(&[command, position, "--json"]).json()["probs"]);
        for (cube, eval) in probs("cube").into_iter().zip(probs("eval")) {
            assert!((cube - eval).abs() < 0.01, "{position}: {cube}, {eval}");
        }
    }
}

#[test]
fn the_number_of_plays_asked_for_below_five_does_not_change_which_is_best() {
    let position = "XGID=----BBBBBA---A-----A-abdB-:0:0:1:56:0:0:0:0:10";
    let best = |top| tavola(&["best", position, "--top", top, "--json"]).json()["plays"].clone();
    let five = best("5");
    for top in ["1", "2", "4"] {
        let plays = best(top);
        let plays = plays.as_array().unwrap();
        assert_eq!(plays[..], five.as_array().unwrap()[..plays.len()]);
    }
}
