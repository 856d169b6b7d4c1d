//! Running games against a simple model: a game is what was accepted, in order. Random actions of two
//! tabs, legal or not, on a server that is killed now and then.

use std::fs;
use std::path::Path;
use std::thread;

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::http::{Answer, World};

const GAMES: [&str; 14] = [
    "backgammon",
    "nackgammon",
    "hypergammon",
    "longgammon",
    "tabula",
    "puff",
    "fallas",
    "emperador",
    "buffa",
    "todas-tablas",
    "ludus",
    "trictrac",
    "four-seasons",
    "astronomy",
];

/// Actions that fit at no time.
const NEVER: [&str; 8] = [
    r#"{"act": "dance"}"#,
    r#"{"act": "roll", "dice": [0, 9]}"#,
    r#"{"act": "roll", "dice": [1, 2, 3, 4, 5, 6, 1, 2]}"#,
    r#"{"act": "play", "play": "24/1 nowhere"}"#,
    r#"{"act": "play", "play": ""}"#,
    r#"{"act": "resign", "size": "huge"}"#,
    r#"{"act": "take", "play": "8/5"}"#,
    "nonsense",
];

/// All that a user may do by what a page shows.
fn legal(state: &Value, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let waiting = &state["waiting"];
    let mut dice = |count: &Value, faces: &Value| -> Vec<u64> {
        let faces = faces.as_u64().unwrap();
        (0..count.as_u64().unwrap()).map(|_| rng.random_range(1..=faces)).collect()
    };
    let of = |act: &str| json!({ "act": act });
    let mut actions = match waiting["for"].as_str().unwrap() {
        "roll" => vec![of("roll")],
        "dice" | "opening" => {
            vec![json!({"act": "roll", "dice": dice(&waiting["dice"], &waiting["faces"])})]
        }
        "play" => {
            let plays = waiting["plays"].as_array().unwrap();
            plays.iter().map(|play| json!({"act": "play", "play": play})).collect()
        }
        "answer" => vec![of("take"), of("drop")],
        "resignation" => vec![of("accept"), of("refuse")],
        "game_over" => vec![of("next_game")],
        "match_over" => Vec::new(),
        other => panic!("waits for {other:?}"),
    };
    let may = [("may_double", "double"), ("may_beaver", "beaver"), ("may_raccoon", "raccoon")];
    actions.extend(may.iter().filter(|(name, _)| state["cube"][name] == true).map(|it| of(it.1)));
    if state["may_take_back"] == true {
        actions.push(of("take_back"));
    }
    if state["may_resign"] == true {
        actions.push(json!({"act": "resign", "size": "single"}));
    }
    actions
}

/// The checkers of both sides, wherever they are, of a board for two.
fn checkers(board: &Value) -> Option<[i64; 2]> {
    let track = if board["kind"] == "scripta" { &board["track"] } else { &board["points"] };
    let mut sides = [0, 0];
    for cell in track.as_array()? {
        let count = cell.as_i64().or_else(|| cell[0].as_i64())?;
        sides[usize::from(count < 0)] += count.abs();
    }
    for (side, count) in sides.iter_mut().enumerate() {
        for beside in ["bar", "hand", "off"] {
            *count += board[beside][side].as_i64().unwrap_or(0);
        }
        let entry = board["entry"][side].as_array();
        *count += entry.into_iter().flatten().filter_map(Value::as_i64).sum::<i64>();
    }
    Some(sides)
}

/// A game on a server, and what it should be.
struct Model {
    world: World,
    path: String,
    accepted: Vec<String>,
    shown: Value,
}

impl Model {
    fn begin(world: World, setup: &str) -> Self {
        let begun = world.post("/api/v1/games", setup);
        assert_eq!(begun.status, 201, "{}", begun.body);
        let begun = begun.json();
        let path = format!("/api/v1/games/{}", begun["id"].as_str().unwrap());
        Self { world, path, accepted: Vec::new(), shown: begun["state"].clone() }
    }

    fn state(&self) -> Value {
        let answer = self.world.get(&self.path);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["state"].clone()
    }

    fn send(&self, action: &str) -> Answer {
        self.world.post(&format!("{}/actions", self.path), action)
    }

    /// Does an action; the answer if it was refused.
    fn act(&mut self, action: &str) -> Result<(), String> {
        let answer = self.send(action);
        if answer.status != 200 {
            assert_eq!(answer.status, 400, "{action}: {}", answer.body);
            assert!(["request", "play", "dice", "json"].contains(&answer.kind().as_str()));
            assert_eq!(self.state(), self.shown, "{action} was refused and has changed something");
            return Err(answer.body);
        }
        self.accept(action, answer.json()["state"].clone());
        Ok(())
    }

    fn accept(&mut self, action: &str, state: Value) {
        assert_ne!(state, self.shown, "{action} was accepted and has changed nothing");
        assert_eq!(checkers(&state["board"]), checkers(&self.shown["board"]), "{action}");
        for same in ["game", "names", "seat", "length", "seed", "strength"] {
            assert_eq!(state[same], self.shown[same], "{action}");
        }
        self.accepted.push(action.to_owned());
        self.shown = state;
    }

    /// Both tabs send the same action at once: one after the other, in whatever order.
    fn act_twice(&mut self, action: &str) {
        let model = &*self;
        let answers = thread::scope(|scope| {
            [0, 1].map(|_| scope.spawn(|| model.send(action))).map(|tab| tab.join().unwrap())
        });
        let accepted = answers.iter().filter(|answer| answer.status == 200).count();
        assert!(accepted > 0, "{action}: {} {}", answers[0].body, answers[1].body);
        let state = self.state();
        let told = answers.iter().filter(|answer| answer.status == 200);
        assert!(told.map(|answer| answer.json()["state"].clone()).any(|it| it == state));
        for _ in 1..accepted {
            self.accepted.push(action.to_owned());
        }
        self.accept(action, state);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
}

fn play(game: &str, seed: u64, steps: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let folders = tempfile::tempdir().unwrap();
    let mut folder = folders.path().join("0");
    let typed = seed % 4 == 3;
    let dice = if typed { "typed" } else { "computer" };
    let setup = json!({"game": game, "seed": seed, "strength": "casual", "dice": dice}).to_string();
    let mut model = Model::begin(World::with_games(folder.clone()), &setup);
    let mut tabs = [model.shown.clone(), model.shown.clone()];
    for step in 1..=steps {
        let tab = rng.random_range(0..2);
        if rng.random_bool(0.7) {
            tabs[tab] = model.state();
            assert_eq!(tabs[tab], model.shown, "{game}, seed {seed}, step {step}");
        }
        let is_new = tabs[tab] == model.shown;
        let actions = legal(&tabs[tab], &mut rng);
        match actions.choose(&mut rng).map(Value::to_string) {
            Some(action) if is_new && !typed && rng.random_bool(0.1) => model.act_twice(&action),
            Some(action) if rng.random_bool(0.75) => {
                let done = model.act(&action);
                let place = format!("{game}, seed {seed}, step {step}: {action}");
                assert!(done.is_ok() || !is_new || typed, "{place}: {done:?}, {}", tabs[tab]);
            }
            _ => {
                let action = *NEVER.choose(&mut rng).unwrap();
                assert!(model.act(action).is_err(), "{game}, seed {seed}, step {step}: {action}");
            }
        }
        if rng.random_bool(0.1) {
            // What is on the disk now is all that a kill leaves behind.
            let other = folders.path().join(step.to_string());
            copy(&folder, &other);
            model.world = World::with_games(other.clone());
            folder = other;
            assert_eq!(model.state(), model.shown, "{game}, seed {seed}, killed at step {step}");
        }
    }
    // Whoever does the same again is in the same game.
    let mut again = Model::begin(World::new(), &setup);
    for action in &model.accepted {
        let done = again.act(action);
        assert!(done.is_ok(), "{game}, seed {seed}: {action} is refused now: {done:?}");
    }
    assert_eq!(again.shown, model.shown, "{game}, seed {seed}");
}

#[test]
fn every_game_is_what_was_accepted_whoever_acts_and_whenever_the_server_is_killed() {
    for game in GAMES {
        for seed in [1, 3] {
            play(game, seed, 30);
        }
    }
}

#[test]
fn a_model_has_the_games_that_there_are() {
    let world = World::new();
    let known = world.get("/api/v1/engine").json();
    let of_two = known["games"].as_array().unwrap().iter();
    let of_more = known["many"].as_array().unwrap().iter().map(|it| &it["game"]);
    let names: Vec<&str> = of_two.chain(of_more).map(|it| it.as_str().unwrap()).collect();
    assert_eq!(names, GAMES);
}
