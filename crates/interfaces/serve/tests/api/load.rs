//! Many clients at once: who waits for whom, and what leaves when.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};
use tavola_files::limits::{self, Limits};
use tavola_serve::ServerSettings;

use crate::http::{Answer, World};

const LONG: &str = r#"{"op": "rollout", "position": "start", "trials": 100000000}"#;
/// Where files are sent whose analysis takes long.
const FILES: &str = "/api/v1/analyses?ply=3";
const CHEAP: &str = r#"{"position": "start", "dice": [3, 1], "ply": 0}"#;

/// A server that believes this machine for whom it asks, so that a test has many clients.
fn behind_a_proxy(limits: Limits) -> World {
    World::with(ServerSettings {
        proxies: vec![IpAddr::V4(Ipv4Addr::LOCALHOST)],
        patience: Duration::from_secs(600),
        limits,
        ..ServerSettings::default()
    })
}

fn as_client(world: &World, client: &str, method: &str, path: &str, body: &[u8]) -> Answer {
    let headers = [("X-Forwarded-For", client), ("Content-Type", "application/json")];
    world.send(method, path, &headers, body)
}

/// Begins to ask, and waits for no answer.
fn ask(world: &World, client: &str, path: &str, body: &str) -> TcpStream {
    let mut stream = world.connect();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {client}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Waits until `count` requests wait for a worker.
fn until_waiting(world: &World, count: usize) {
    let line = format!("tavola_queue_length {count}\n");
    while !world.get("/metrics").body.contains(&line) {
        std::thread::yield_now();
    }
}

/// Begins a job and returns its path.
fn job(world: &World, client: &str, path: &str, body: &[u8]) -> String {
    let begun = as_client(world, client, "POST", path, body);
    assert_eq!(begun.status, 202, "{}", begun.body);
    format!("/api/v1/jobs/{}", begun.json()["id"].as_str().unwrap())
}

fn state(world: &World, path: &str) -> Value {
    world.get(path).json()["state"].clone()
}

#[test]
fn a_cheap_question_is_answered_while_dear_ones_of_sixteen_clients_wait() {
    let world = behind_a_proxy(Limits::default());
    let dear: Vec<TcpStream> = (0..16)
        .map(|client| ask(&world, &format!("192.0.2.{client}"), "/api/v1/rollout", LONG))
        .collect();
    until_waiting(&world, 15);
    for client in ["198.51.100.1", "192.0.2.1"] {
        let answer = as_client(&world, client, "POST", "/api/v1/best", CHEAP.as_bytes());
        assert_eq!((answer.status, &answer.json()["plays"][0]["play"]), (200, &json!("8/5 6/5")));
        let two = json!({"position": "start", "dice": [3, 1]}).to_string();
        assert_eq!(as_client(&world, client, "POST", "/api/v1/best", two.as_bytes()).status, 200);
    }
    let begun = as_client(&world, "198.51.100.1", "POST", "/api/v1/games", br#"{"length": 3}"#);
    assert_eq!(begun.status, 201, "{}", begun.body);
    until_waiting(&world, 15);
    // Who goes away leaves the queue at once, and the one that is worked on its thread.
    drop(dear);
    until_waiting(&world, 0);
    let large = json!({"position": "start", "dice": [3, 1], "ply": 2, "preset": "full"});
    let answer =
        as_client(&world, "198.51.100.1", "POST", "/api/v1/best", large.to_string().as_bytes());
    assert_eq!(answer.status, 200, "the thread for dear questions is free");
}

#[test]
fn a_canceled_job_that_waits_leaves_at_once_with_its_bytes() {
    let world = behind_a_proxy(Limits::default().with(&limits::JOBS_BYTES, 200_000));
    let file = vec![b' '; 70_000];
    let running = job(&world, "192.0.2.1", "/api/v1/jobs", LONG.as_bytes());
    while state(&world, &running) != "running" {}
    // The thread for long jobs is at work: what is long waits.
    let waiting = job(&world, "192.0.2.2", "/api/v1/jobs", LONG.as_bytes());
    let held = upload(&world, "192.0.2.3", &file);
    while !world.get("/metrics").body.contains("tavola_jobs_running 3\n") {}
    let refused = as_client(&world, "192.0.2.3", "POST", FILES, &file);
    assert_eq!((refused.status, refused.kind().as_str()), (429, "busy"), "{}", refused.body);
    // A small job of any client is taken beside it.
    let small = job(&world, "192.0.2.3", "/api/v1/jobs", LONG.as_bytes());
    for path in [&waiting, &small] {
        assert_eq!(world.delete(path).status, 204);
        assert_eq!(state(&world, path), "canceled");
    }
    assert_eq!(state(&world, &running), "running");
    world.delete(&running);
    drop(held);
    while !world.get("/metrics").body.contains("tavola_jobs_running 0\n") {}
    let later = as_client(&world, "192.0.2.3", "POST", FILES, &file);
    assert_eq!(later.status, 400, "it is read, and no file of matches");
}

/// Sends a file, and waits for no answer.
fn upload(world: &World, client: &str, file: &[u8]) -> TcpStream {
    ask(world, client, FILES, std::str::from_utf8(file).unwrap())
}

#[test]
fn files_that_wait_leave_room_for_those_of_others() {
    let world = behind_a_proxy(Limits::default().with(&limits::JOBS_BYTES, 400_000));
    let running = job(&world, "192.0.2.1", "/api/v1/jobs", LONG.as_bytes());
    while state(&world, &running) != "running" {}
    let (file, mut held) = (vec![b' '; 40_000], Vec::new());
    for (number, client) in ["192.0.2.2", "192.0.2.3", "192.0.2.4"].into_iter().enumerate() {
        held.push(upload(&world, client, &file));
        let line = format!("tavola_jobs_running {}\n", 2 + number);
        while !world.get("/metrics").body.contains(&line) {}
    }
    // The first has half, and each other half of what is left.
    let refused = as_client(&world, "192.0.2.2", "POST", FILES, &[b' '; 150_000]);
    assert_eq!((refused.status, refused.kind().as_str()), (429, "busy"), "{}", refused.body);
    world.delete(&running);
}
