//! Games without a cube, and the networks of training runs.

use std::path::Path;

use serde_json::{Value, json};
use tavola_serve::ServerSettings;

use crate::World;

/// Plays the first play until the game is over.
fn play_on(world: &World, id: &str, mut state: Value) -> Value {
    for _ in 0..400 {
        let Some(plays) = state["waiting"]["plays"].as_array() else { return state };
        let action = json!({"act": "play", "play": plays[0]});
        let path = format!("/api/v1/games/{id}/actions");
        let answer = world.post(&path, &action.to_string());
        assert_eq!(answer.status, 200, "{action}: {}", answer.body);
        state = answer.json()["state"].clone();
    }
    panic!("{state} is still going on");
}

#[test]
fn historical_games_are_played_to_their_end() {
    let world = World::new();
    for (game, kind) in [("tabula", "points"), ("ludus", "scripta")] {
        let setup = json!({"game": game, "seed": 3, "strength": "beginner", "name": "Ann"});
        let begun = world.post("/api/v1/games", &setup.to_string());
        assert_eq!(begun.status, 201, "{}", begun.body);
        let begun = begun.json();
        let (id, state) = (begun["id"].as_str().unwrap(), begun["state"].clone());
        assert_eq!((&state["board"]["kind"], &state["names"][0]), (&json!(kind), &json!("Ann")));
        let hint = world.get(&format!("/api/v1/games/{id}/hint")).json();
        let best = hint["plays"][0]["play"].as_str().unwrap();
        assert!(state["waiting"]["plays"].as_array().unwrap().contains(&json!(best)), "{hint}");
        let asked = json!({"act": "play", "play": best}).to_string();
        let mistake = world.post(&format!("/api/v1/games/{id}/mistake"), &asked);
        assert_eq!(mistake.body, "null");
        let end = play_on(&world, id, state);
        assert_eq!(end["waiting"]["for"], "match_over", "{end}");
        assert_eq!(world.get(&format!("/api/v1/games/{id}")).json()["state"], end);
        let next = world.post(&format!("/api/v1/games/{id}/actions"), r#"{"act": "next_game"}"#);
        assert_eq!((next.status, next.kind().as_str()), (400, "request"));
        assert_eq!(world.delete(&format!("/api/v1/games/{id}")).status, 204);
        assert_eq!(world.get(&format!("/api/v1/games/{id}")).status, 404);
    }
}

#[test]
fn games_for_many_are_played_and_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (id, state) = {
        let world = World::with_games(folder.path().to_owned());
        let engine = world.get("/api/v1/engine").json();
        assert_eq!(engine["many"][1]["seats"][6], "Moon", "{engine}");
        for (setup, kind) in [
            (r#"{"game": "astronomy", "seat": 8}"#, "request"),
            (r#"{"game": "tabula", "seat": 2}"#, "request"),
            (r#"{"game": "astronomy:win_only=1"}"#, "game"),
            (r#"{"game": "astronomy", "strength": "3-ply"}"#, "request"),
            (r#"{"game": "astronomy", "opponents": "nobody"}"#, "request"),
        ] {
            assert_eq!(world.post("/api/v1/games", setup).kind(), kind, "{setup}");
        }
        let setup = r#"{"game": "astronomy", "seat": 3, "opponents": "rule-based", "seed": 7}"#;
        let begun = world.post("/api/v1/games", setup);
        assert_eq!(begun.status, 201, "{}", begun.body);
        let begun = begun.json();
        // The dice find who begins, and the engine plays up to the user's seat.
        let starter = begun["happened"][0]["seat"].as_u64().unwrap() as usize;
        let turns = begun["happened"].as_array().unwrap().len();
        assert_eq!((&begun["happened"][0]["act"], turns), (&json!("roll"), 1 + (10 - starter) % 7));
        let (id, path) = (begun["id"].as_str().unwrap().to_owned(), "/api/v1/games");
        let hint = world.get(&format!("{path}/{id}/hint")).json();
        let best = json!({"act": "play", "play": &hint["plays"][0]["play"]}).to_string();
        assert_eq!(world.post(&format!("{path}/{id}/mistake"), &best).body, "null");
        let wrong =
            world.post(&format!("{path}/{id}/mistake"), r#"{"act": "play", "play": "0-99"}"#);
        assert_eq!((wrong.status, wrong.kind().as_str()), (400, "play"));
        let action = json!({"act": "play", "play": &hint["plays"][0]["play"]}).to_string();
        let played = world.post(&format!("{path}/{id}/actions"), &action);
        assert_eq!(played.status, 200, "{}", played.body);
        assert_eq!(played.json()["happened"][0]["seat"], 3);
        (id, played.json()["state"].clone())
    };
    let world = World::with_games(folder.path().to_owned());
    assert_eq!(world.get(&format!("/api/v1/games/{id}")).json()["state"], state);
    assert_eq!(world.delete(&format!("/api/v1/games/{id}")).status, 204);
}

#[test]
fn every_game_for_many_is_played_by_the_strongest_at_hand() {
    let world = World::new();
    let engine = world.get("/api/v1/engine").json();
    for known in engine["many"].as_array().unwrap() {
        let setup = json!({"game": known["game"], "seat": 2, "seed": 1}).to_string();
        let begun = world.post("/api/v1/games", &setup);
        assert_eq!(begun.status, 201, "{}", begun.body);
        let begun = begun.json();
        let (id, state) = (begun["id"].as_str().unwrap(), &begun["state"]);
        let trained = engine["trained"].as_array().unwrap().contains(&known["game"]);
        let expected = if trained { "network" } else { "rule-based" };
        assert_eq!(state["opponents"], expected, "{known}");
        let hint = world.get(&format!("/api/v1/games/{id}/hint")).json();
        let action = json!({"act": "play", "play": &hint["plays"][0]["play"]}).to_string();
        let played = world.post(&format!("/api/v1/games/{id}/actions"), &action);
        assert_eq!(played.status, 200, "{}", played.body);
    }
}

#[test]
fn a_chouette_is_played_by_a_person_and_the_engine() {
    let world = World::new();
    let setup = json!({"chouette": 4, "cubes": "each", "extras": "mandatory", "seed": 8});
    let begun = world.post("/api/v1/games", &setup.to_string());
    assert_eq!(begun.status, 201, "{}", begun.body);
    let begun = begun.json();
    let (id, mut state) = (begun["id"].as_str().unwrap(), begun["state"].clone());
    assert_eq!(state["chouette"]["order"].as_array().unwrap().len(), 4, "{state}");
    for _ in 0..200 {
        let action = match state["waiting"]["for"].as_str().unwrap() {
            "roll" => json!({"act": "roll"}),
            "cube" => json!({"act": "leave"}),
            "answer" => json!({"act": "take"}),
            "play" => json!({"act": "play", "play": state["waiting"]["plays"][0]}),
            "game_over" => break,
            other => panic!("{other}: {state}"),
        };
        let answer = world.post(&format!("/api/v1/games/{id}/actions"), &action.to_string());
        assert_eq!(answer.status, 200, "{action}: {}", answer.body);
        state = answer.json()["state"].clone();
    }
    assert_eq!(state["waiting"]["for"], "game_over", "{state}");
    let score: f64 = state["score"].as_array().unwrap().iter().filter_map(Value::as_f64).sum();
    assert_eq!((score, state["chouette"]["games"].as_array().unwrap().len()), (0.0, 1), "{state}");
    let record = world.get(&format!("/api/v1/games/{id}/record"));
    assert!(record.body.contains("game  box"), "{}", record.body);
    let refused = world.post("/api/v1/games", r#"{"chouette": 30}"#);
    assert_eq!(refused.kind(), "request");
}

#[test]
fn every_game_for_two_begins() {
    let world = World::new();
    let engine = world.get("/api/v1/engine").json();
    for game in engine["games"].as_array().unwrap() {
        let answer = world.post("/api/v1/games", &json!({"game": game, "seed": 1}).to_string());
        assert_eq!(answer.status, 201, "{game}: {}", answer.body);
        let state = &answer.json()["state"];
        assert!(["play", "roll"].map(Value::from).contains(&state["waiting"]["for"]), "{state}");
        let record =
            world.get(&format!("/api/v1/games/{}/record", answer.json()["id"].as_str().unwrap()));
        assert!(record.body.contains("You"), "{}", record.body);
        assert!(!state["rules"].as_str().unwrap().is_empty());
    }
}

#[test]
fn what_is_no_play_changes_nothing_and_a_restart_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (id, before) = {
        let world = World::with_games(folder.path().to_owned());
        let begun = world.post("/api/v1/games", r#"{"game": "emperador", "seed": 2}"#).json();
        let id = begun["id"].as_str().unwrap().to_owned();
        let path = format!("/api/v1/games/{id}/actions");
        for (action, kind) in [
            (r#"{"act": "play", "play": "1-99"}"#, "play"),
            (r#"{"act": "play", "play": ""}"#, "play"),
            (r#"{"act": "next_game"}"#, "request"),
            (r#"{"act": "double"}"#, "request"),
            ("nonsense", "json"),
        ] {
            let answer = world.post(&path, action);
            assert_eq!((answer.status, answer.kind().as_str()), (400, kind), "{action}");
        }
        for setup in [
            r#"{"game": "tabula", "length": 65}"#,
            r#"{"game": "tabula", "name": "a:b"}"#,
            r#"{"game": "tabula", "model": "/etc/passwd"}"#,
        ] {
            assert_eq!(world.post("/api/v1/games", setup).kind(), "request", "{setup}");
        }
        assert_eq!(world.post("/api/v1/games", r#"{"game": "chess"}"#).kind(), "game");
        assert_eq!(world.get(&format!("/api/v1/games/{id}")).json()["state"], begun["state"]);
        let play = &begun["state"]["waiting"]["plays"][0];
        let played = world.post(&path, &json!({"act": "play", "play": play}).to_string()).json();
        assert_ne!(played["state"]["log"], begun["state"]["log"]);
        let back = world.post(&path, r#"{"act": "take_back"}"#).json();
        assert_eq!(back["state"]["waiting"], begun["state"]["waiting"]);
        world.post(&path, &json!({"act": "play", "play": play}).to_string());
        (id, played["state"].clone())
    };
    let world = World::with_games(folder.path().to_owned());
    assert_eq!(world.get(&format!("/api/v1/games/{id}")).json()["state"], before);
    assert_eq!(world.delete(&format!("/api/v1/games/{id}")).status, 204);
    assert_eq!(world.get(&format!("/api/v1/games/{id}")).status, 404);
}

#[test]
fn networks_of_a_run_are_played_against_and_watched() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("mine");
    std::fs::create_dir_all(run.join("evaluated")).unwrap();
    let student = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../models/student.safetensors");
    std::fs::copy(&student, run.join("evaluated/round-000040.safetensors")).unwrap();
    std::fs::write(run.join("latest.safetensors"), "no network").unwrap();
    std::fs::write(run.join("metrics.jsonl"), "{\"type\":\"round\",\"round\":40}\n").unwrap();
    let settings = ServerSettings { runs: vec![run.clone()], ..ServerSettings::default() };
    let world = World::with(settings);
    let shown = world.get("/api/v1/runs/0").json();
    assert_eq!(shown["networks"][0], json!({"name": "round-000040", "round": 40}));
    assert_eq!(shown["networks"][1], json!({"name": "latest", "round": null}));

    let path = "/api/v1/runs/0/networks/round-000040";
    let setup = r#"{"length": 1, "seed": 4}"#;
    let begun = world.post(&format!("{path}/games"), setup);
    assert_eq!(begun.status, 201, "{}", begun.body);
    // The run may do with its file what it likes.
    std::fs::remove_file(run.join("evaluated/round-000040.safetensors")).unwrap();
    let id = begun.json()["id"].as_str().unwrap().to_owned();
    let state = crate::play_on(&world, &id, begun.json()["state"].clone(), 500);
    assert_eq!(state["waiting"]["for"], "match_over", "{state}");
    assert_eq!(world.post(&format!("{path}/games"), setup).status, 404);

    std::fs::copy(&student, run.join("evaluated/round-000080.safetensors")).unwrap();
    let sample = world.post("/api/v1/runs/0/networks/round-000080/sample", "");
    assert_eq!(sample.status, 200, "{}", sample.body);
    let read = tavola_matches::read(sample.body.as_bytes()).unwrap();
    assert_eq!((read.matches[0].games.len(), read.notes.len()), (1, 0), "{}", sample.body);
    assert!(read.matches[0].games[0].result.is_some());

    let broken = world.post("/api/v1/runs/0/networks/latest/games", setup);
    assert_eq!((broken.status, broken.kind().as_str()), (400, "model"), "{}", broken.body);
    for path in
        ["0/networks/..%2Flatest/games", "0/networks/other/games", "7/networks/latest/games"]
    {
        assert_eq!(world.post(&format!("/api/v1/runs/{path}"), setup).status, 404, "{path}");
    }
}
