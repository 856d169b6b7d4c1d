//! Lines that other programs write: requests to `batch` and to the server, and answers of external
//! engines.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde::de::IgnoredAny;
use serde_json::Value;
use tavola_arena::answers;
use tavola_engine::{Engine, Question, Watch};
use tavola_files::limits::{self, Limits};
use tavola_games::{AnyGame, OldGame, PlayableGame};
use tavola_rules::Backgammon;
use tavola_serve::{Server, ServerSettings};

use crate::Target;

pub(crate) const TARGETS: [Target; 3] = [
    Target::new("batch", batch).words("batch"),
    Target::new("http", http).words("http").longest(16 << 10),
    Target::new("engine-line", engine_line).words("engine-line"),
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
        let line = ENGINE.answer_line(input, &Question::start(game.into()), &watch);
        assert!(!line.contains('\n'), "{line}");
        let _: IgnoredAny = serde_json::from_str(&line).expect("an answer is JSON");
        let Ok(Value::Object(answer)) = serde_json::from_str(&line) else {
            // An id such as 1e999 is kept as it was written, and is not read here.
            assert!(line.starts_with('{') && request.is_none(), "{line}");
            continue;
        };
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

/// A server that has little patience and little room.
static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let limits = [(limits::JOB_SECONDS, 1), (limits::JOBS, 4), (limits::UPLOAD_BYTES, 16 << 10)];
    let limits = limits.iter().fold(Limits::default(), |all, (limit, most)| all.with(limit, *most));
    let settings =
        ServerSettings { limits, patience: Duration::from_millis(50), ..ServerSettings::default() };
    let start = Question::start("backgammon".parse().expect("the game exists"));
    Server::start(settings, Arc::new(Engine::without_tables()), start).expect("a port is free")
});

/// Whatever a client sends, the server closes the connection and is never at fault.
fn http(input: &[u8]) {
    let mut stream = TcpStream::connect(SERVER.address()).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a minute is a time");
    // A server that has refused a body closes before it has read all of it.
    let _ = stream.write_all(input).and_then(|()| stream.shutdown(Shutdown::Write));
    // Short requests can have answers of gigabytes, of which no more than a part is kept.
    let mut part = Vec::new();
    let mut is_first = true;
    loop {
        let before = part.len();
        if let Err(error) = (&mut stream).take(1 << 16).read_to_end(&mut part) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{error}");
        }
        let answer = String::from_utf8_lossy(&part);
        assert!(!is_first || answer.is_empty() || answer.starts_with("HTTP/1."), "{answer}");
        assert!(!answer.contains("HTTP/1.1 500"), "{answer}");
        if part.len() == before {
            break;
        }
        is_first = false;
        // What is looked for may lie across two parts.
        part.drain(..part.len().saturating_sub(16));
    }
}

/// An engine's line is an answer to at most one question, and a play is one of the legal ones.
fn engine_line(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let readings = [
        answers::before_roll(&text).is_ok(),
        answers::reply(&text).is_ok(),
        reads_best(&Backgammon::Standard, &text),
        reads_best(&OldGame::new("tabula".parse().expect("the game exists")), &text),
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
