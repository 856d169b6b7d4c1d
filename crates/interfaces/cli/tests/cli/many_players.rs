//! Games for more than two players on the command line.

use std::path::Path;

use serde_json::{Value, json};
use tavola_games::many::{AnyManyGame, ManyGame};
use tavola_games::with_many_game;
use tavola_net::{EncoderKind, initial_weights};

use crate::run::{tavola, tavola_with_input};

/// A weights file of a network that has learned nothing of this game.
fn fresh_network(folder: &Path, game: &str) -> String {
    let any: AnyManyGame = game.parse().unwrap();
    let interface = with_many_game!(&any, |game| game.interface());
    let weights = initial_weights(&interface, EncoderKind::OneHot, &[8], 1).unwrap();
    let file = folder.join(format!("{game}.safetensors"));
    weights.save(&file).unwrap();
    file.to_str().unwrap().to_owned()
}

fn payoffs(play: &Value) -> Vec<f64> {
    play["payoffs"].as_array().unwrap().iter().map(|payoff| payoff.as_f64().unwrap()).collect()
}

#[test]
fn plays_are_listed_and_ranked_with_a_number_for_each_player() {
    let folder = tempfile::tempdir().unwrap();
    for (game, roll, players) in [("four-seasons", "641", 4), ("astronomy", "7-7-7", 7)] {
        let legal = tavola(&["legal", "--game", game, "--roll", roll, "--json"]).json();
        let plays = legal["plays"].as_array().unwrap();
        let network = fresh_network(folder.path(), game);
        let args = ["best", "--game", game, "--roll", roll, "--model", &network];
        let best = tavola(&[&args[..], &["--top", "50", "--json"]].concat()).json();
        let best = best["plays"].as_array().unwrap();
        assert_eq!(plays.len(), best.len());
        for play in best {
            let payoffs = payoffs(play);
            assert_eq!(payoffs.len(), players);
            assert!(payoffs.iter().sum::<f64>().abs() < 1e-3, "{payoffs:?}");
        }
        let own: Vec<f64> = best.iter().map(|play| payoffs(play)[0]).collect();
        assert!(own.is_sorted_by(|a, b| a >= b), "{own:?}");
        let text = tavola(&args).done().stdout;
        assert!(text.ends_with("expected points of each player, 2-ply\n"), "{text}");
        let eval = tavola(&["eval", "--game", game, "--model", &network, "--json"]).json();
        assert_eq!(payoffs(&eval).len(), players);
    }
}

#[test]
fn a_network_of_a_duel_may_look_ahead() {
    let duel = |player: &str| {
        let args = ["--game", "four-seasons", "--games", "8", "--seed", "5", "--json"];
        tavola(&[&["duel", player, "default"], &args[..]].concat())
    };
    assert_eq!(duel("default@0").json(), duel("default").json());
    assert_ne!(duel("default@1").json(), duel("default").json());
    duel("default@3").refused(&["\"default@3\"", "0 to 2 plies"]);
    duel("random@1").refused(&["unknown player \"random@1\""]);
}

#[test]
fn a_game_that_is_over_has_no_table_of_plays() {
    let over = "off:12 / hand:12 / hand:12 / hand:12";
    let text = tavola(&["best", "--game", "four-seasons", over, "--roll", "236"]).done().stdout;
    assert!(text.contains("the game is over") && !text.contains("play"), "{text}");
}

#[test]
fn an_example_of_a_roll_has_as_many_dice_as_the_game() {
    for (game, example) in [("four-seasons", "2-1-1"), ("four-seasons:dice=2", "2-1")] {
        let refused = tavola(&["legal", "--game", game]).stderr;
        assert!(refused.trim_end().ends_with(&format!("--roll {example}")), "{refused}");
    }
}

#[test]
fn a_play_says_what_moves_and_what_is_hit() {
    let position = "5:1 12:11 / 1:1 2:2 12:9 / hand:12 / hand:12";
    let answer =
        tavola(&["legal", "--game", "four-seasons", position, "--roll", "236", "--json"]).json();
    let plays: Vec<&str> = answer["plays"]
        .as_array()
        .unwrap()
        .iter()
        .map(|play| play["play"].as_str().unwrap())
        .collect();
    assert_eq!(plays.len(), 7);
    assert_eq!(plays.iter().filter(|play| play.contains("5-7*")).count(), 2, "{plays:?}");
}

#[test]
fn boards_are_lines_in_text_and_rings_in_pictures() {
    let shown = tavola(&["show", "--game", "four-seasons", "--ascii"]).done().stdout;
    assert!(shown.contains("spring: hand 12, on roll"), "{shown}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("planets.svg");
    tavola(&["show", "--game", "astronomy", "--svg", file.to_str().unwrap()]).done();
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.contains("Mercury") && svg.matches("<path").count() == 49 + 7);
    tavola(&["show", "--game", "astronomy", "0:7 / 7:8"]).refused(&["7 players"]);
}

#[test]
fn batch_knows_the_games_of_several_players() {
    let folder = tempfile::tempdir().unwrap();
    let network = fresh_network(folder.path(), "four-seasons");
    let game = "four-seasons";
    let requests = [
        json!({"id": 1, "op": "legal", "game": game, "position": "start", "dice": [5, 5, 2]}),
        json!({"id": 2, "op": "best", "game": game, "position": "start", "dice": "552", "top": 1}),
        json!({"id": 3, "op": "eval", "game": game, "position": "start"}),
        json!({"id": 4, "op": "cube", "game": game, "position": "start"}),
        json!({"id": 5, "op": "legal", "game": game, "position": "start", "dice": [9, 5, 2]}),
    ];
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let run = tavola_with_input(&["batch", "--model", &network], input.as_bytes()).done();
    let answers: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let play = "hand-5 hand-5 hand-2";
    assert_eq!(answers[0]["plays"].as_array().unwrap().len(), 1);
    let words = answers[0]["plays"][0]["play"].as_str().unwrap();
    assert_eq!(words.len(), play.len(), "{words}");
    assert_eq!(answers[1]["plays"][0]["play"], words);
    assert_eq!(answers[2]["payoffs"].as_array().unwrap().len(), 4);
    assert_eq!(answers[3]["error"]["kind"], "unsupported");
    assert_eq!(answers[4]["error"]["kind"], "dice");
}

#[test]
fn batch_has_a_default_game_for_several_players_and_looks_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let network = fresh_network(folder.path(), "four-seasons");
    let position = "12:12 / 1:12 / 13:1 18:1 / hand:12";
    let requests = [
        json!({"id": 1, "op": "best", "position": position, "dice": "552", "ply": 1}),
        json!({"id": 2, "op": "eval", "position": position, "ply": 1}),
        json!({"id": 3, "op": "eval", "position": position, "ply": 3}),
        json!({"id": 4, "op": "legal", "game": "tabula", "position": "start", "dice": [5, 5, 2]}),
    ];
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let args = ["batch", "--game", "four-seasons", "--model", &network];
    let run = tavola_with_input(&args, input.as_bytes()).done();
    let answers: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(payoffs(&answers[0]["plays"][0]).iter().sum::<f64>().abs() < 1e-3, "{answers:?}");
    assert_eq!(payoffs(&answers[1]).len(), 4);
    assert!(answers[2]["error"]["message"].as_str().unwrap().contains("\"ply\""), "{answers:?}");
    assert!(answers[3]["plays"].is_array(), "{answers:?}");
    let best = ["best", "--game", "four-seasons", "--roll", "552", "--model", &network];
    for (option, word) in [
        (&["--ply", "3"][..], "expected 0 to 2"),
        (&["--time", "1s"], "\"time\""),
        (&["--cubeful"], "--cubeful"),
        (&["--jacoby"], "\"jacoby\""),
    ] {
        tavola(&[&best[..], option].concat()).refused(&[word]);
    }
    let text = tavola(&[&best[..], &["--ply", "1"]].concat()).done().stdout;
    assert!(text.contains("1-ply"), "{text}");
}

#[test]
fn a_user_plays_in_a_seat_and_may_ask_for_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let network = fresh_network(folder.path(), "astronomy");
    let args = ["play", "--game", "astronomy", "--seat", "3", "--seed", "4", "--model", &network];
    let run = tavola_with_input(&args, b"hint\nplays 14\n99\n1\nquit\n").done();
    assert!(
        run.stdout.contains("astronomy: you are Mars, the others world-class, seed 4"),
        "{run:?}"
    );
    assert!(run.stdout.contains("Saturn: "), "{run:?}");
    assert!(run.stdout.contains("\"99\" is no play's number"), "{run:?}");
    tavola(&["play", "--game", "four-seasons", "--seat", "5"])
        .refused(&["\"seat\" is 5", "1 to 4"]);
    // A game for seven is kept, resumed and written down as any other.
    let [file, record] = ["game.json", "game.txt"].map(|name| folder.path().join(name));
    let [file, record] = [&file, &record].map(|path| path.to_str().unwrap());
    let args = ["play", "--game", "astronomy", "--seed", "4", "--strength", "casual"];
    tavola_with_input(&[&args[..], &["--save", file]].concat(), b"1\nundo\n1\n").done();
    let run = tavola_with_input(&["play", "--resume", file, "--export", record], b"eval\n").done();
    assert!(run.stdout.contains("the others casual, seed 4"), "{run:?}");
    assert!(run.stdout.contains("You +") || run.stdout.contains("You -"), "{run:?}");
    assert!(std::fs::read_to_string(record).unwrap().contains("Jupiter: "), "{run:?}");
    tavola(&["play", "--game", "astronomy", "--strength", "3-ply"]).refused(&["at most 2-ply"]);
}

#[test]
fn people_and_the_engine_sit_at_a_chouette() {
    let folder = tempfile::tempdir().unwrap();
    let [file, sheet] = ["game.json", "sheet.csv"].map(|name| folder.path().join(name));
    let [file, sheet] = [&file, &sheet].map(|path| path.to_str().unwrap());
    let play = ["play", "--chouette", "4", "--people", "3=Cleo", "--names", "Ann,tavola"];
    let args = ["--cubes", "each", "--extras", "optional", "--seed", "4", "--save", file];
    // A number is a play, and one of the others fits whatever is awaited.
    let lines = "hint\n".to_owned() + &"1\nroll\nleave\ntake\n".repeat(40);
    let run = tavola_with_input(&[&play[..], &args].concat(), lines.as_bytes()).done();
    let head = "chouette of 4 of backgammon: Ann, tavola 2, Cleo, tavola 4 (engine world-class)";
    assert!(run.stdout.starts_with(head), "{}", &run.stdout[..200]);
    assert!(run.stdout.contains("; box ") && run.stdout.contains("captain "), "{head}");
    for name in ["Ann: rolls", "Cleo: ", "tavola 2: ", "tavola 4: "] {
        assert!(run.stdout.contains(name), "{name}");
    }
    let run = tavola_with_input(&["play", "--resume", file, "--export", sheet], b"").done();
    assert!(run.stdout.contains("exported to"), "{run:?}");
    assert!(std::fs::read_to_string(sheet).unwrap().starts_with("game,box,captain,Ann,tavola 2"));
    tavola(&["play", "--chouette", "2"]).refused(&["from 3 to 20"]);
    tavola(&["play", "--extras", "optional"]).refused(&["--chouette"]);
    tavola(&["play", "--people", "Ben"]).refused(&["2=Ben"]);
    tavola(&["play", "--people", "2=You"]).refused(&["\"You\""]);
    tavola(&["play", "--condone"]).refused(&["--people"]);
}

#[test]
fn statistics_have_every_seat() {
    let folder = tempfile::tempdir().unwrap();
    let network = fresh_network(folder.path(), "four-seasons");
    let args = ["stats", "--game", "four-seasons", "--model", &network, "--games", "4"];
    let answer = tavola(&[&args[..], &["--duel-games", "0", "--json"]].concat()).json();
    assert_eq!(answer["seats"].as_array().unwrap().len(), 4);
    assert_eq!(answer["games"], 4);
}

#[test]
fn a_duel_of_several_players_is_one_of_seats() {
    let asked = ["rule-based", "random", "--game", "four-seasons", "--json"];
    let duel = tavola(&[&["duel"], &asked[..], &["--games", "12"]].concat()).json();
    assert_eq!((&duel["rounds"], duel["seats"].as_array().map(Vec::len)), (&json!(3), Some(4)));
    tavola(&["duel", "rule-based", "random", "--game", "astronomy", "--cube"])
        .refused(&["no cube", "--games"]);
}

#[test]
fn options_of_several_players_are_read_and_refused() {
    let game = "four-seasons:dice=2";
    let shown = tavola(&["legal", "--game", game, "start", "--roll", "52", "--json"]).json();
    assert_eq!(shown["plays"].as_array().unwrap().len(), 1);
    tavola(&["show", "--game", "four-seasons:dice=4"]).refused(&["dice=4", "`2`"]);
    let request = json!({"op": "legal", "game": "astronomy:win_only=1", "position": "start"});
    let run = tavola_with_input(&["batch"], format!("{request}\n").as_bytes()).done();
    assert!(run.stdout.contains("win_only=1") && run.stdout.contains("\"game\""), "{run:?}");
}

#[test]
fn other_commands_say_that_they_are_for_two() {
    tavola(&["rollout", "--game", "astronomy"])
        .refused(&["astronomy is for more than two players"]);
    tavola(&["duel", "nobody", "random", "--game", "astronomy"]).refused(&["\"nobody\""]);
}
