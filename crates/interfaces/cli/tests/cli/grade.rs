//! Grading by a reference, and the samples that references are made from.

use std::fs;

use serde_json::{Value, json};

use crate::SMALL;
use crate::family::fresh_network;
use crate::run::tavola;

/// Draws a small sample and has the network that drew it grade the first two plays of each
/// decision: the order of the results is its own.
fn reference(folder: &std::path::Path) -> String {
    let sample = folder.join("sample.jsonl");
    let path = sample.to_str().unwrap();
    let args = ["--games", "400", "--seed", "7", "--per-phase", "3", "--purpose", "reporting"];
    let run = tavola(&[&["grade", "sample", "--out", path], &args[..]].concat()).done();
    assert!(run.stdout.contains("bear-off with contact"), "{}", run.stdout);
    let text = fs::read_to_string(&sample).unwrap();
    let mut lines = text.lines();
    let mut header: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(header["purpose"], "reporting");
    assert!(header["command"].as_str().unwrap().starts_with("tavola grade sample --games 400"));
    header["grader"] = json!({"name": "order", "settings": "0-ply", "rated": "two", "margin": 0.5});
    let sealed = |line: &mut Value| {
        line.as_object_mut().unwrap().remove("crc32");
        tavola_files::seal(&line.to_string()) + "\n"
    };
    let mut graded = sealed(&mut header);
    for line in lines {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let results = line.as_object_mut().unwrap().remove("afterstates").unwrap();
        line["plays"] = json!([[results[0], 0.1], [results[1], 0.0]]);
        graded += &sealed(&mut line);
    }
    let file = folder.join("reference.jsonl");
    fs::write(&file, graded).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_sample_can_leave_out_what_another_has() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (first, again, other) = (file("first"), file("again"), file("other"));
    let draw = |out: &str, more: &[&str]| {
        let args = ["grade", "sample", "--games", "400", "--per-phase", "2", "--model", SMALL];
        tavola(&[&args[..], &["--out", out], more].concat()).done();
        fs::read_to_string(out).unwrap()
    };
    let decisions = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let one = decisions(&draw(&first, &["--threads", "1"]));
    assert_eq!(decisions(&draw(&again, &["--threads", "2"])), one);
    let rest = decisions(&draw(&other, &["--exclude", &first]));
    assert_eq!(rest.len(), one.len());
    assert!(rest.iter().all(|decision| !one.contains(decision)));
}

#[test]
fn what_cannot_be_graded_is_refused() {
    tavola(&["grade", "default"]).refused(&["--reference"]);
    tavola(&["grade", "default", "--reference", "/nowhere/x"]).refused(&["/nowhere/x"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.jsonl");
    fs::write(&file, "{\"format\":\"tavola-grade\",\"version\":9}\n").unwrap();
    let path = file.to_str().unwrap();
    tavola(&["grade", "default", "--reference", path]).refused(&[
        "bad.jsonl",
        "line 1",
        "version 9",
        "expected version 3",
    ]);
    tavola(&["grade", "nobody", "--reference", &reference(folder.path())])
        .refused(&["unknown player \"nobody\"", "ubgi:COMMAND"]);
    let missing = tavola(&["duel", "runs/none/final.safetensors", "default", "--games", "4"]);
    missing.refused(&["runs/none/final.safetensors", "expected a weights file that exists"]);
}

#[test]
fn decisions_are_evaluated_by_rollouts_and_evaluated_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (sample, reference) = (file("sample.jsonl"), file("reference.jsonl"));
    let draw = ["--games", "400", "--per-phase", "2", "--out", &sample];
    tavola(&[&["grade", "sample"], &draw[..]].concat()).done();
    let quick = ["--look", "0", "--within", "0.02", "--top", "3", "--play", "0", "--leaf", "0"];
    let short = ["--truncate", "2", "--trials", "36", "--no-tables"];
    let evaluate = |from: &str, out: &str, more: &[&str]| {
        let args = ["grade", "rollout", from, "--out", out];
        tavola(&[&args[..], &quick, &short, more].concat())
    };
    let said = evaluate(&sample, &reference, &["--threads", "2"]).done().stdout;
    assert!(said.contains("18 decisions") && said.contains("median"), "{said}");
    let text = fs::read_to_string(&reference).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let name = header["grader"]["name"].as_str().unwrap();
    assert!(name.starts_with("rollouts by a network (sha256 "), "{name}");
    assert!(header["grader"]["identity"].as_str().unwrap().contains("pruning network"));

    // A reference may be graded anew, and is not overwritten by that.
    evaluate(&sample, &reference, &[]).refused(&["exists already"]);
    evaluate(&reference, &reference, &["--force"]).refused(&["is read by this command"]);
    let again = file("again.jsonl");
    evaluate(&reference, &again, &["--threads", "1"]).done();
    assert_eq!(fs::read_to_string(&again).unwrap(), text);
    evaluate(&reference, &again, &["--seed", "2", "--force"]).done();
    let other = fs::read_to_string(&again).unwrap();
    assert_ne!(other, text);
    assert_eq!(other.lines().count(), text.lines().count());

    let graded = tavola(&["grade", "default@1", "--reference", &reference]).done().stdout;
    assert!(graded.contains("the grader's own standard errors"), "{graded}");
    let json = tavola(&["grade", "default", "--reference", &reference, "--json"]).json();
    let player = &json["players"][0];
    assert!(player["grader_error"]["in_play"].as_f64().unwrap() >= 0.0, "{json}");
    assert!(player["equity_rmse"]["in_play_se"].as_f64().unwrap() > 0.0, "{json}");
}

#[test]
fn what_cannot_be_evaluated_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").to_str().unwrap().to_owned();
    let evaluate = |more: &[&str]| tavola(&[&["grade", "rollout", "--out", &out], more].concat());
    evaluate(&["/nowhere/x"]).refused(&["/nowhere/x"]);
    evaluate(&["x", "--play", "9"]).refused(&["9", "as in 1/fast"]);
    evaluate(&["x", "--within", "7"]).refused(&["points from 0 to 6"]);
    evaluate(&["x", "--until-se", "0"]).refused(&["above 0"]);
    let empty = folder.path().join("empty.jsonl").to_str().unwrap().to_owned();
    fs::write(&empty, "").unwrap();
    evaluate(&[&empty]).refused(&["empty.jsonl", "line 1"]);
}

fn path_of(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

#[test]
fn states_are_rolled_out_and_networks_graded_by_them_at_several_plies() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drawn.states");
    let states = path.to_str().unwrap();
    let draw = ["--games", "4", "--per-group", "1", "--trials", "2", "--truncate", "1"];
    let made = tavola(&[&["grade", "states", "--out", states], &draw[..]].concat()).done();
    assert!(made.stdout.contains("standard error of the equity"), "{}", made.stdout);
    let text = fs::read_to_string(&path).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert!(header["command"].as_str().unwrap().starts_with("tavola grade states --games 4"));

    let args = ["grade", "plies", "raw:default", "default", "--states", states, "--plies", "0,1"];
    let graded = tavola(&[&args[..], &["--json"]].concat()).json();
    let players = graded["players"].as_array().unwrap();
    assert_eq!(players.len(), 4);
    assert_eq!(players[1]["ply"], 1);
    let drawn = header["groups"].as_array().unwrap().iter().map(|it| it["drawn"].as_u64().unwrap());
    assert_eq!(players[0]["states"][0]["states"], drawn.sum::<u64>());
    assert!(players[2]["states"][0]["rmse"].as_f64().unwrap() > 0.0, "{graded}");
    assert_eq!(graded["states"][0]["purpose"], "tuning");
    let text = tavola(&args).done().stdout;
    // The first player is compared with, at each depth.
    let worse_by = &players[3]["worse_by"]["states"][0];
    assert!(players[1].get("worse_by").is_none() && worse_by["cube"]["mean"].is_f64(), "{graded}");
    for part in ["raw:default@0", "default@1", "RMSE", "siblings s", "worse than raw:default by"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");

    // Several files side by side, and the groups of one.
    let back = folder.path().join("back.states").display().to_string();
    let draw = ["--of", "back-games", "--games", "300", "--per-group", "1", "--trials", "2"];
    let made = ["grade", "states", "--truncate", "1", "--out", &back];
    let made = tavola(&[&made[..], &draw].concat()).done().stdout;
    assert!(made.contains("points held and side") && made.contains("5-4, back game on"), "{made}");
    let both = tavola(&[&args[..], &["--states", &back]].concat()).done().stdout;
    for part in ["default@1 back", "default@1 drawn", "against a back game", "back game on roll"] {
        assert!(both.contains(part), "{part:?} is not in {both}");
    }
    tavola(&["grade", "states", "--of", "snakes", "--out", &back])
        .refused(&["snakes", "back-games"]);
    let none = ["grade", "states", "--game", "puff", "--of", "back-games", "--games", "4"];
    tavola(&[&none[..], &["--out", &path_of(&folder, "none")]].concat())
        .refused(&["0 states of the kind back-games in 4 games of puff"]);

    tavola(&["grade", "plies", "random", "--states", states])
        .refused(&["unknown player \"random@1\""]);
    tavola(&["grade", "states", "--out", states]).refused(&["exists already"]);
    tavola(&["grade", "plies", "default", "--states", "README.md"]).refused(&["README.md"]);
}

#[test]
fn a_release_that_is_worse_is_refused_with_the_families_and_depths_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let decisions = reference(folder.path());
    fs::copy(&decisions, folder.path().join("races.jsonl")).unwrap();
    let states = path_of(&folder, "drawn.states");
    let draw = ["--games", "20", "--per-group", "2", "--trials", "2", "--truncate", "1"];
    tavola(&[&["grade", "states", "--out", &states], &draw[..]].concat()).done();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../scripts/families.py");
    let gate = |player: &str| {
        let gate = ["gate", "--player", player, "--against", "raw:default", "--plies", "0"];
        let mut python = std::process::Command::new("python3");
        python.args([script]).args(gate).args(["--states", &states, "--reference", &decisions]);
        // Two folders count as one.
        python.arg("--").args([folder.path(), folder.path()]);
        python
            .env("TAVOLA", env!("CARGO_BIN_EXE_tavola"))
            .env("TAVOLA_CACHE_DIR", crate::run::CACHE);
        python.output()
    };
    let fresh = fresh_network(folder.path(), "backgammon");
    let Ok(worse) = gate(&format!("raw:{fresh}")) else {
        eprintln!("SKIPPED: there is no python3, which runs the gate");
        return;
    };
    let said = String::from_utf8_lossy(&worse.stderr);
    assert_eq!(worse.status.code(), Some(1), "{worse:?}");
    for part in ["is worse than raw:default in: plays 0-ply", "races 0-ply", "rmse 0-ply in drawn"]
    {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
    let same = gate("raw:default").unwrap();
    assert_eq!(same.status.code(), Some(0), "{same:?}");
    assert!(
        String::from_utf8_lossy(&same.stdout).contains("| cube 0-ply in drawn | +0.00 ± 0.00 |")
    );
}

/// A benchmark in the form of Open Sage: the start with two rolls, a game each, whose first play is
/// best, and a cube position.
fn benchmark(folder: &std::path::Path) -> String {
    use tavola_rules::{Backgammon, Dice, Game, Position};
    let board = |position: Position| {
        let mut counts = position.counts();
        counts[0] = -counts[0];
        counts.to_vec()
    };
    let decision = |game: u64, high: u8| {
        let mut after = Vec::new();
        let dice = Dice::new(high, 1).unwrap();
        Backgammon::Standard.afterstates(&Position::STANDARD, dice, &mut after);
        let moves: Vec<Value> = (0..)
            .zip(&after)
            .map(|(place, after)| {
                json!({"board": board(after.flip()), "equity": 0.0,
                       "cubeless_equity": -0.01 * f64::from(place)})
            })
            .collect();
        json!({"kind": "checker", "board": board(Position::STANDARD), "dice": [high, 1],
               "moves": moves, "key": format!("{game}-{high}"), "game_plan": "racing", "seed": game})
    };
    let cube = json!({"kind": "cube", "board": board(Position::STANDARD), "key": "c", "seed": 1});
    let decisions = [decision(1, 2), decision(1, 4), cube, decision(2, 5)];
    let text = json!({"meta": {"n_games": 2, "seed": 1}, "decisions": decisions}).to_string();
    let file = folder.join("benchmark.json");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_public_benchmark_grades_players_on_its_own_scale() {
    let folder = tempfile::tempdir().unwrap();
    let path = benchmark(folder.path());
    let args = ["grade", "default", "--reference", &path, "--against", "random"];
    let text = tavola(&args).done().stdout;
    for part in [
        "graded by Open Sage",
        "PR in all decisions alike, ± over 2 games",
        "racing",
        "1 cube position of the file is not graded",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let json = tavola(&[&args[..], &["--json"]].concat()).json();
    let rating = &json["benchmark"]["players"][0];
    let mean = 500.0 * json["players"][0]["loss"]["in_play"]["mean"].as_f64().unwrap();
    let found = rating["performance_rating"]["mean"].as_f64().unwrap();
    assert!((found - mean).abs() < 1e-9 && rating["plans"]["racing"]["mean"] == found, "{json}");
    assert_eq!(json["benchmark"].get("published"), None, "this is not the public file");
    assert_eq!(json["purpose"], "reporting");
    tavola(&["grade", "plies", "default", "--states", &path]).refused(&["a file of decisions"]);
}
