//! Each limit, and a request beyond it.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tavola_files::limits::{self, Limit, Limits};
use tavola_serve::{ServeError, ServerSettings};

use crate::http::World;

const LONG: &str = r#"{"op": "rollout", "position": "start", "trials": 100000000}"#;
const SHORT: &str = r#"{"op": "eval", "position": "start", "ply": 0}"#;

/// What is read of a connection until the server closes it.
fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset is an end too; a read that takes half a minute is not.
    if let Err(error) = stream.read_to_end(&mut bytes) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A server with this limit set to this value.
fn limited(limit: &Limit, value: u64) -> World {
    let limits = Limits::default().with(limit, value);
    World::with(ServerSettings { limits, ..ServerSettings::default() })
}

/// Begins a job and waits for its end.
fn done(world: &World, body: &str) -> (String, Value) {
    let begun = world.post("/api/v1/jobs", body);
    assert_eq!(begun.status, 202, "{}", begun.body);
    let path = format!("/api/v1/jobs/{}", begun.json()["id"].as_str().unwrap());
    let last = last_event(world, &path);
    (path, last)
}

/// The job at its end.
fn last_event(world: &World, path: &str) -> Value {
    let events = world.get(&format!("{path}/events")).body;
    serde_json::from_str(events.rsplit("data: ").next().unwrap().trim()).unwrap()
}

/// Match text with this many games of one play.
fn games(count: usize) -> String {
    (1..=count)
        .map(|game| format!(" Game {game}\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5\n\n"))
        .fold(" 25 point match\n\n".to_owned(), |text, game| text + &game)
}

#[test]
fn uploads_have_a_size_and_numbers_of_matches_games_and_actions() {
    // What is wrong with a file is the answer, or on a busy machine the error of the job.
    let send = |world: &World, text: &str| {
        let answer = world.send("POST", "/api/v1/analyses", &[], text.as_bytes()).json();
        match answer["id"].as_str() {
            Some(id) => last_event(world, &format!("/api/v1/jobs/{id}"))["error"].clone(),
            None => answer["error"].clone(),
        }
    };
    let (two, twice) = (games(2), games(1) + &games(1));
    for (limit, value, text, message) in [
        (limits::UPLOAD_BYTES, 40, &two, "larger than 40 bytes"),
        (limits::UPLOAD_MATCHES, 1, &twice, "the file has 2 matches, expected at most 1"),
        (limits::UPLOAD_GAMES, 1, &two, "the file has 2 games, expected at most 1"),
        (limits::UPLOAD_ACTIONS, 1, &two, "the file has 2 plays and cube actions"),
    ] {
        let error = send(&limited(&limit, value), text);
        assert_eq!(error["kind"], "too_large", "{error}");
        assert!(error["message"].as_str().unwrap().contains(message), "{error}");
    }
    let world = World::new();
    assert_eq!(send(&world, &twice), Value::Null);
    assert_eq!(send(&world, &games(1001))["kind"], "too_large");
}

#[test]
fn answers_are_kept_within_number_bytes_and_age() {
    // What a job takes beside its answer is 4 KiB.
    for (limit, value) in [(limits::JOBS, 2), (limits::JOBS_BYTES, 11_000)] {
        let world = limited(&limit, value);
        let paths: Vec<String> = (0..3).map(|_| done(&world, SHORT).0).collect();
        let found: Vec<u16> = paths.iter().map(|path| world.get(path).status).collect();
        assert_eq!(found, [404, 200, 200], "{}", limit.name);
    }
    let world = limited(&limits::JOB_AGE, 0);
    let id = world.post("/api/v1/jobs", SHORT).json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/jobs/{id}");
    let gone = (0..10_000).any(|_| world.get(&path).status == 404);
    assert!(gone, "it is kept after its end");

    let (_, last) = done(&limited(&limits::ANSWER_BYTES, 10), SHORT);
    assert_eq!((&last["state"], &last["error"]["kind"]), (&json!("failed"), &json!("too_large")));
}

#[test]
fn jobs_of_a_client_have_a_number_a_time_and_bytes_that_wait() {
    let world = limited(&limits::JOBS_OF_CLIENT, 1);
    let id = world.post("/api/v1/jobs", LONG).json()["id"].as_str().unwrap().to_owned();
    assert_eq!(world.post("/api/v1/jobs", SHORT).kind(), "busy");
    world.delete(&format!("/api/v1/jobs/{id}"));

    let (_, last) = done(&limited(&limits::JOB_SECONDS, 0), LONG);
    assert_eq!(last["state"], "canceled", "{last}");

    let world = limited(&limits::JOBS_BYTES, 10_000);
    let file = games(200);
    let refused = world.send("POST", "/api/v1/analyses", &[], file.as_bytes());
    assert_eq!((refused.status, refused.kind().as_str()), (429, "busy"), "{}", refused.body);
}

#[test]
fn saved_matches_have_a_number_and_their_folder_one_server() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits::default().with(&limits::SAVED_MATCHES, 2);
    let games = Some(folder.path().to_owned());
    let settings = ServerSettings { limits, games, ..ServerSettings::default() };
    let world = World::with(settings.clone());
    let begin = |world: &World, game: &str| {
        world.post("/api/v1/games", &json!({"game": game, "length": 3}).to_string())
    };
    let first = begin(&world, "backgammon").json()["id"].as_str().unwrap().to_owned();
    assert_eq!(begin(&world, "tabula").status, 201);
    let full = begin(&world, "backgammon");
    assert_eq!((full.status, full.kind().as_str()), (507, "storage"), "{}", full.body);

    let second = World::start(settings.clone()).err().unwrap();
    assert!(matches!(second, ServeError::InUse { .. }), "{second}");
    drop(world);
    // Those of before count.
    let world = World::with(settings);
    assert_eq!(begin(&world, "tabula").status, 507);
    assert_eq!(world.delete(&format!("/api/v1/games/{first}")).status, 204);
    assert_eq!(begin(&world, "tabula").status, 201);
}

#[test]
fn matches_in_memory_have_a_number_and_who_has_most_loses_one() {
    let limits = Limits::default().with(&limits::MATCHES_IN_MEMORY, 3);
    let proxies = vec![std::net::Ipv4Addr::LOCALHOST.into()];
    let world = World::with(ServerSettings { limits, proxies, ..ServerSettings::default() });
    let begin = |client: &str| {
        let headers = [("X-Forwarded-For", client), ("Content-Type", "application/json")];
        let begun = world.send("POST", "/api/v1/games", &headers, br#"{"length": 3}"#);
        format!("/api/v1/games/{}", begun.json()["id"].as_str().unwrap())
    };
    let alone = begin("192.0.2.1");
    let many: Vec<String> = (0..4).map(|_| begin("192.0.2.2")).collect();
    assert_eq!(world.get(&alone).status, 200);
    let found: Vec<u16> = many.iter().map(|path| world.get(path).status).collect();
    assert_eq!(found, [404, 404, 200, 200]);
}

#[test]
fn connections_have_a_number_and_headers_bodies_and_readers_a_time() {
    for limit in [limits::CONNECTIONS, limits::CONNECTIONS_OF_CLIENT] {
        let world = limited(&limit, 2);
        let open = [world.connect(), world.connect()];
        let refused = rest(world.connect());
        assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("busy"), "{refused}");
        drop(open);
        while world.get("/api/v1/engine").status != 200 {}
    }
    let world = limited(&limits::HEADER_SECONDS, 1);
    let mut half = world.connect();
    half.write_all(b"GET / HTTP/1.1\r\nHost: local").unwrap();
    let mut idle = world.connect();
    idle.write_all(b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    assert!(!rest(half).contains("200 OK"));
    assert!(rest(idle).contains("200 OK"));

    let world = limited(&limits::BODY_SECONDS, 1);
    // A body that says that it is too large is not waited for.
    let patient = limited(&limits::BODY_SECONDS, 100_000);
    for path in ["best", "jobs", "analyses", "games"] {
        let request = format!(
            "POST /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\n\
             Content-Length: 9000000000000000000\r\n\r\n{{"
        );
        assert_eq!(patient.raw(request.as_bytes()).status, 413, "{path}");
    }

    let late =
        world.raw(b"POST /api/v1/best HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{");
    assert!(late.body.contains("did not arrive within 1 seconds"), "{}", late.body);

    let world = limited(&limits::STALL_SECONDS, 1);
    let mut greedy = world.connect();
    greedy.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
    // It asks and does not read: the server stops reading and then gives up.
    let request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000);
    while greedy.write_all(&request).is_ok() {}
}

#[test]
fn the_header_of_a_request_has_a_size() {
    let world = World::new();
    let request = |bytes: usize| {
        let long = "x".repeat(bytes);
        world.raw(
            format!("GET /icon.svg HTTP/1.1\r\nHost: localhost\r\nX: {long}\r\n\r\n").as_bytes(),
        )
    };
    assert_eq!(request(50_000).status, 200);
    // What is read at once may be a little more than the limit.
    assert_eq!(request(200_000).status, 431);
}

#[test]
fn names_and_lines_have_a_length() {
    let world = World::new();
    let begin = |letters: usize| {
        world.post("/api/v1/games", &json!({"length": 3, "name": "ü".repeat(letters)}).to_string())
    };
    assert_eq!(begin(24).status, 201);
    let refused = begin(25);
    assert_eq!((refused.status, refused.kind().as_str()), (400, "request"), "{}", refused.body);
    let long = world.post("/api/v1/eval", &json!({"position": "x".repeat(1 << 20)}).to_string());
    assert_eq!((long.status, long.kind().as_str()), (413, "too_large"), "{}", long.body);
}

#[test]
fn requests_and_jobs_that_wait_have_a_number() {
    let world = limited(&limits::JOB_QUEUE, 1);
    let begin = || world.post("/api/v1/jobs", LONG);
    let running = begin().json()["id"].as_str().unwrap().to_owned();
    while world.get(&format!("/api/v1/jobs/{running}")).json()["state"] == "waiting" {}
    let waiting = begin().json()["id"].as_str().unwrap().to_owned();
    let refused = begin();
    assert_eq!((refused.status, refused.kind().as_str()), (429, "busy"), "{}", refused.body);
    for id in [running, waiting] {
        world.delete(&format!("/api/v1/jobs/{id}"));
    }

    // One is worked on, one waits, and one is too many, in whatever order they come.
    let limits = Limits::default().with(&limits::QUEUE, 1);
    let patience = Duration::from_secs(1);
    let world = World::with(ServerSettings { limits, patience, ..ServerSettings::default() });
    let text = LONG.replace("\"op\": \"rollout\", ", "");
    let request = format!(
        "POST /api/v1/rollout HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{text}",
        text.len()
    );
    let mut streams = [world.connect(), world.connect(), world.connect()];
    for stream in &mut streams {
        stream.write_all(request.as_bytes()).unwrap();
    }
    let answers = streams.map(rest);
    assert!(answers.iter().all(|answer| answer.starts_with("HTTP/1.1 429")), "{answers:?}");
    assert!(answers.iter().any(|answer| answer.contains("the queue is full")), "{answers:?}");
}
