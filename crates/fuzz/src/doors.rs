//! Lines that other programs write: requests to `batch`, and answers of external engines.

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tavola_arena::answers;
use tavola_engine::{Engine, Subject, Watch};
use tavola_games::{AnyGame, PlayableGame, Tables};
use tavola_rules::Backgammon;

use crate::Target;

const WORDS: &[&str] = &[
    "\"op\":",
    "\"best\"",
    "\"eval\"",
    "\"cube\"",
    "\"legal\"",
    "\"convert\"",
    "\"rollout\"",
    "\"position\":",
    "\"dice\":",
    "\"match\":",
    "\"cube\":{\"value\":2,\"owner\":\"player\"}",
    "{\"length\":7,\"player\":3,\"opponent\":5}",
    "\"jacoby\":true",
    "\"beavers\":true",
    "\"game\":\"tabula\"",
    "\"id\":",
    "\"v\":1",
    "\"ply\":0",
    "\"to\":\"xgid\"",
    "[1,1]",
    "[6,5,3]",
    "null",
    "{}",
    "\\ud800",
    "1e400",
];

pub(crate) const TARGETS: [Target; 2] = [
    Target::new("batch", batch).words(WORDS),
    Target::new("engine-line", engine_line).words(&[
        "best ",
        "double yes",
        "answer take",
        "error ",
    ]),
];

static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::without_tables);

/// Each line has one answer: a JSON object with the id of the request and either an answer or an
/// error with a kind and a message.
fn batch(input: &[u8]) {
    let request: Option<Value> = serde_json::from_slice(input).ok();
    // What looks ahead or rolls out is only begun: one such answer takes as long as thousands here.
    let cancel = AtomicBool::new(!request.as_ref().is_some_and(is_quick));
    let watch = Watch { cancel: &cancel, ..Watch::default() };
    for game in ["backgammon", "tabula"] {
        let game: AnyGame = game.parse().expect("the game exists");
        let line = ENGINE.answer_line(input, &Subject::start(game), &watch);
        assert!(!line.contains('\n'), "{line}");
        let answer: Value = serde_json::from_str(&line).expect("an answer is JSON");
        let answer = answer.as_object().expect("an answer is an object");
        if let Some(error) = answer.get("error") {
            for part in ["kind", "message"] {
                assert!(error[part].as_str().is_some_and(|text| !text.is_empty()), "{line}");
            }
        }
        if let Some(Value::Object(request)) = &request {
            let id = request.get("id").unwrap_or(&Value::Null);
            assert_eq!(answer.get("id"), Some(id), "{line}");
        }
    }
}

/// Whether a request asks for the network's own evaluation or less.
fn is_quick(request: &Value) -> bool {
    match request["op"].as_str() {
        Some("best" | "eval" | "cube") => {
            request["ply"] == 0 && request["time"].is_null() && request["preset"].is_null()
        }
        Some("legal" | "convert") => true,
        _ => false,
    }
}

/// An engine's line is an answer to at most one question, and a play is one of the legal ones.
fn engine_line(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let readings = [
        answers::before_roll(&text).is_ok(),
        answers::reply(&text).is_ok(),
        reads_best(&Backgammon::Standard, &text),
        reads_best(&Tables::new("tabula".parse().expect("the game exists")), &text),
    ];
    assert!(!(readings[0] && readings[1]), "{text:?}");
}

fn reads_best<G: PlayableGame>(game: &G, text: &str) -> bool {
    let mut afterstates = Vec::new();
    let (roll, _) = game.rolls()[1];
    game.afterstates(&game.start(), roll, &mut afterstates);
    let Ok(index) = answers::best(game, &afterstates, text) else { return false };
    let written = format!("best {}", game.write_state(&afterstates[index]));
    assert_eq!(answers::best(game, &afterstates, &written), Ok(index), "{text:?}");
    true
}
