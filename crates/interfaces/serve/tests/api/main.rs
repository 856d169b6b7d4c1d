//! A real server on a free port, asked on every path with good and bad input.

mod http;
mod limits;
mod load;
mod model;
mod seats;
mod tables;

use std::path::Path;

use serde_json::{Value, json};
use tavola_serve::{ServeError, ServerSettings};

use crate::http::World;

const XGID: &str = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10";

#[test]
fn every_operation_answers() {
    let world = World::new();
    let start = json!({"position": "start", "dice": [3, 1], "ply": 0}).to_string();
    let best = world.post("/api/v1/best", &start);
    assert_eq!((best.status, &best.json()["plays"][0]["play"]), (200, &json!("8/5 6/5")));
    let legal = world.post("/api/v1/legal", r#"{"id": 7, "position": "start", "dice": [3, 1]}"#);
    assert_eq!(
        (legal.json()["id"].clone(), legal.json()["plays"].as_array().unwrap().len()),
        (json!(7), 16)
    );
    let eval = world.post("/api/v1/eval", r#"{"position": "start", "ply": 0}"#).json();
    assert!((0.45..0.6).contains(&eval["probs"][0].as_f64().unwrap()), "{eval}");
    let cube = world.post("/api/v1/cube", r#"{"position": "start", "ply": 0}"#).json();
    assert_eq!(cube["action"], "no_double_take");
    let convert = world.post("/api/v1/convert", r#"{"position": "start", "to": "position-id"}"#);
    assert_eq!(convert.json()["position"], "4HPwATDgc/ABMA");
    let show = world.post("/api/v1/show", &json!({"position": XGID}).to_string()).json();
    assert_eq!(show["pips"], 167);
    let rollout = r#"{"position": "start", "trials": 36, "truncate": 2, "seed": 1}"#;
    assert_eq!(world.post("/api/v1/rollout", rollout).json()["trials"], 36);
    let matrix = world.post("/api/v1/matrix", r#"{"position": "start", "away": 2, "ply": 0}"#);
    assert_eq!(matrix.status, 200, "{}", matrix.body);
    // The name of the path and the one in the body must agree.
    assert_eq!(world.post("/api/v1/legal", r#"{"op": "best"}"#).kind(), "request");
}

#[test]
fn answers_are_those_of_batch() {
    let world = World::new();
    let engine = tavola_engine::Engine::without_tables();
    let default = tavola_engine::Question::start("backgammon".parse().unwrap());
    for body in [
        r#"{"id": "a", "op": "eval", "position": "start", "ply": 1}"#,
        r#"{"op": "eval", "position": "nonsense"}"#,
        r#"{"op": "eval", "position": "start", "colour": "red"}"#,
    ] {
        let own = engine.answer_line(body.as_bytes(), &default, &tavola_engine::Watch::default());
        assert_eq!(world.post("/api/v1/eval", body).body, own);
    }
}

#[test]
fn what_can_not_be_answered_is_told_with_its_status() {
    let world = World::new();
    for (body, kind) in [
        ("", "json"),
        ("[]", "json"),
        ("{\"position\": ", "json"),
        ("{}", "request"),
        (r#"{"position": "nonsense"}"#, "position"),
        (r#"{"position": "start", "ply": 99}"#, "request"),
        (r#"{"position": "start", "cube": {"value": 3, "owner": "center"}}"#, "request"),
        (r#"{"position": "start", "game": "chess"}"#, "game"),
        (r#"{"position": "start", "model": "/etc/passwd"}"#, "request"),
    ] {
        let answer = world.post("/api/v1/eval", body);
        assert_eq!((answer.status, answer.kind().as_str()), (400, kind), "{body}");
    }
    let unknown = world.post("/api/v1/nothing", "{}");
    assert_eq!((unknown.status, unknown.kind()), (404, "not_found".to_owned()));
    assert!(unknown.body.contains("rollout"), "{}", unknown.body);
    assert_eq!(world.get("/api/v1/nowhere/at/all").status, 404);
    let wrong = world.get("/api/v1/best");
    assert_eq!((wrong.status, wrong.kind()), (405, "method".to_owned()));
    assert!(wrong.head.to_ascii_lowercase().contains("allow: post"), "{}", wrong.head);
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(world.send("POST", "/api/v1/best", &form, b"a=b").status, 415);
    let multipart = [("Content-Type", "multipart/form-data; boundary=x")];
    assert_eq!(world.send("POST", "/api/v1/analyses", &multipart, b"--x").status, 415);
    // As curl sends it.
    let body = br#" {"position": "start", "dice": [3, 1]}"#;
    assert_eq!(world.send("POST", "/api/v1/best", &form, body).status, 200);
    assert_eq!(world.send("POST", "/api/v1/analyses", &form, b" 1 point match").kind(), "request");
    let large = format!(r#"{{"position": "{}"}}"#, "x".repeat(1 << 20));
    assert_eq!(world.post("/api/v1/best", &large).status, 413);
    assert_eq!(world.raw(b"\x16\x03\x01nonsense\r\n\r\n").status, 400);
    assert_eq!(world.get("/api/v1/games/%FF%FE").status, 400);
    // It still answers.
    assert_eq!(world.get("/api/v1/engine").json()["name"], "tavola");
}

#[test]
fn no_path_reaches_the_file_system() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.json");
    std::fs::write(&secret, "{}").unwrap();
    let world = World::with_games(folder.path().join("games"));
    for path in [
        "/../Cargo.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/api/v1/games/..%2Fsecret",
        "/api/v1/games/../secret",
        "/api/v1/runs/..%2F..%2Fetc",
        "/api/v1/runs/0",
        "//etc/passwd",
    ] {
        assert_eq!(world.get(path).status, 404, "{path}");
    }
    assert_eq!(world.delete("/api/v1/games/..%2Fsecret").status, 404);
    assert!(secret.exists());
}

/// The engine acts until the user is asked, who does the first thing that is allowed.
fn play_on(world: &World, game: &str, mut state: Value, turns: usize) -> Value {
    for _ in 0..turns {
        let action = match state["waiting"]["for"].as_str().unwrap() {
            "roll" => json!({"act": "roll"}),
            "play" => {
                let nodes = state["waiting"]["graph"].as_array().unwrap().clone();
                let whole = nodes.iter().find_map(|node| node["play"].as_str()).unwrap();
                json!({"act": "play", "play": whole})
            }
            "answer" => json!({"act": "take"}),
            "resignation" => json!({"act": "accept"}),
            "game_over" => json!({"act": "next_game"}),
            _ => return state,
        };
        let path = format!("/api/v1/games/{game}/actions");
        let answer = world.post(&path, &action.to_string());
        assert_eq!(answer.status, 200, "{action}: {}", answer.body);
        state = answer.json()["state"].clone();
    }
    state
}

#[test]
fn a_match_is_played_to_its_end() {
    let world = World::new();
    let setup = r#"{"length": 1, "seed": 4, "strength": "casual", "name": "Ann"}"#;
    let begun = world.post("/api/v1/games", setup);
    assert_eq!(begun.status, 201, "{}", begun.body);
    let begun = begun.json();
    let id = begun["id"].as_str().unwrap();
    let state = play_on(&world, id, begun["state"].clone(), 500);
    assert_eq!(state["waiting"]["for"], "match_over", "{state}");
    let record = world.get(&format!("/api/v1/games/{id}/record"));
    assert!(
        record.body.contains("1 point match") && record.body.contains("Ann"),
        "{}",
        record.body
    );

    // The same file, analyzed as a job.
    let text = [("Content-Type", "text/plain")];
    let job = world.send("POST", "/api/v1/analyses?ply=0", &text, record.body.as_bytes());
    assert_eq!(job.status, 202, "{}", job.body);
    let job = job.json()["id"].as_str().unwrap().to_owned();
    let events = world.get(&format!("/api/v1/jobs/{job}/events"));
    assert!(events.head.contains("text/event-stream"), "{}", events.head);
    let last = events.body.rsplit("data: ").next().unwrap().trim();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(last["state"], "done", "{last}");
    assert!(!last["answer"]["matches"][0]["decisions"].as_array().unwrap().is_empty());

    assert_eq!(world.delete(&format!("/api/v1/games/{id}")).status, 204);
    assert_eq!(world.get(&format!("/api/v1/games/{id}")).status, 404);
}

#[test]
fn actions_that_do_not_fit_change_nothing() {
    let world = World::new();
    let begun = world.post("/api/v1/games", r#"{"dice": "typed"}"#).json();
    let path = format!("/api/v1/games/{}/actions", begun["id"].as_str().unwrap());
    for (action, kind) in [
        (r#"{"act": "roll"}"#, "request"),
        (r#"{"act": "dance"}"#, "request"),
        (r#"{"act": "roll", "dice": [3, 3]}"#, "request"),
        (r#"{"act": "roll", "dice": [0, 9]}"#, "dice"),
        (r#"{"act": "next_game"}"#, "request"),
        (r#"{"act": "take_back"}"#, "request"),
        (r#"{"act": "take"}"#, "request"),
        (r#"{"act": "roll", "dice": [3]}"#, "dice"),
        ("nonsense", "json"),
    ] {
        let answer = world.post(&path, action);
        assert_eq!((answer.status, answer.kind().as_str()), (400, kind), "{action}");
    }
    let opened = world.post(&path, r#"{"act": "roll", "dice": [3, 1]}"#).json();
    assert_eq!(opened["state"]["waiting"]["dice"], json!([3, 1]));
    let hint = world.get(&path.replace("actions", "hint")).json();
    assert_eq!((&hint["about"], &hint["plays"][0]["play"]), (&json!("plays"), &json!("8/5 6/5")));
    let mistake = path.replace("actions", "mistake");
    let lost = world.post(&mistake, r#"{"act": "play", "play": "13/9"}"#).json();
    assert_eq!(lost["better"], "8/5 6/5");
    assert_eq!(world.post(&mistake, r#"{"act": "play", "play": "8/5 6/5"}"#).body, "null");
    assert_eq!(world.post(&path, r#"{"act": "play", "play": "24/1"}"#).kind(), "play");
    for setup in [
        r#"{"length": 65}"#,
        r#"{"length": -1}"#,
        r#"{"name": "a:b"}"#,
        r#"{"strength": "godlike"}"#,
        r#"{"length": 3, "jacoby": true}"#,
        r#"{"model": "/etc/passwd"}"#,
    ] {
        assert_eq!(world.post("/api/v1/games", setup).kind(), "request", "{setup}");
    }
    let wrong = world.post(&path, r#"{"act": "take"}"#);
    assert_eq!((wrong.status, wrong.kind().as_str()), (400, "request"));
    let words = "\\\"take\\\" does not fit now, expected a play of 3-1, such as";
    assert!(wrong.body.contains(words), "{}", wrong.body);
}

#[test]
fn a_restart_loses_no_match() {
    let folder = tempfile::tempdir().unwrap();
    let (id, before) = {
        let world = World::with_games(folder.path().to_owned());
        let begun = world.post("/api/v1/games", r#"{"length": 3, "seed": 9}"#).json();
        let id = begun["id"].as_str().unwrap().to_owned();
        let state = play_on(&world, &id, begun["state"].clone(), 6);
        (id, state)
    };
    let world = World::with_games(folder.path().to_owned());
    assert_eq!(world.get(&format!("/api/v1/games/{id}")).json()["state"], before);
}

#[test]
fn a_job_reports_ends_and_is_canceled() {
    let world = World::new();
    let short = r#"{"op": "rollout", "position": "start", "trials": 36, "truncate": 2}"#;
    let job = world.post("/api/v1/jobs", short);
    assert_eq!(job.status, 202);
    let id = job.json()["id"].as_str().unwrap().to_owned();
    let events = world.get(&format!("/api/v1/jobs/{id}/events")).body;
    assert!(events.contains("event: end"), "{events}");
    let done = world.get(&format!("/api/v1/jobs/{id}")).json();
    assert_eq!((&done["state"], &done["answer"]["trials"]), (&json!("done"), &json!(36)));

    let long = r#"{"op": "rollout", "position": "start", "trials": 100000000}"#;
    let id = world.post("/api/v1/jobs", long).json()["id"].as_str().unwrap().to_owned();
    assert_eq!(world.delete(&format!("/api/v1/jobs/{id}")).status, 204);
    let events = world.get(&format!("/api/v1/jobs/{id}/events")).body;
    assert!(events.contains("\"state\":\"canceled\""), "{events}");

    let failed = world.post("/api/v1/jobs", r#"{"op": "eval", "position": "nonsense"}"#).json();
    let path = format!("/api/v1/jobs/{}", failed["id"].as_str().unwrap());
    world.get(&format!("{path}/events"));
    assert_eq!(world.get(&path).json()["error"]["kind"], "position");
    assert_eq!(world.get("/api/v1/jobs/aaaaaaaaaaaaaaaaaaaaaaaa").status, 404);
    let text = [("Content-Type", "text/plain")];
    let nothing = world.send("POST", "/api/v1/analyses", &text, b"no match at all");
    assert_eq!((nothing.status, nothing.kind().as_str()), (400, "request"));
    assert_eq!(world.send("POST", "/api/v1/analyses?ply=9", &text, b"x").status, 400);
    assert_eq!(world.send("POST", "/api/v1/analyses?colour=red", &text, b"x").status, 400);
}

#[test]
fn files_wait_for_a_worker_and_are_not_read_by_the_network() {
    let patience = std::time::Duration::from_millis(100);
    let world = World::with(ServerSettings { patience, ..ServerSettings::default() });
    let id = |answer: crate::http::Answer| answer.json()["id"].as_str().unwrap().to_owned();
    let long = r#"{"op": "rollout", "position": "start", "trials": 100000000}"#;
    let long = id(world.post("/api/v1/jobs", long));
    let text = [("Content-Type", "text/plain")];
    // It is too much for the thread that does short jobs.
    let file = b"no match at all\n".repeat(100);
    let upload = world.send("POST", "/api/v1/analyses?ply=3", &text, &file);
    assert_eq!(upload.status, 202, "{}", upload.body);
    let path = format!("/api/v1/jobs/{}", id(upload));
    assert_eq!(world.get(&path).json()["state"], "waiting");
    world.delete(&format!("/api/v1/jobs/{long}"));
    world.get(&format!("{path}/events"));
    let failed = world.get(&path).json();
    assert_eq!((&failed["state"], &failed["error"]["kind"]), (&json!("failed"), &json!("request")));
}

#[test]
fn long_work_is_refused_and_pointed_to_jobs() {
    let settings = ServerSettings {
        patience: std::time::Duration::from_millis(50),
        ..ServerSettings::default()
    };
    let world = World::with(settings);
    let long = r#"{"position": "start", "trials": 1000000}"#;
    let answer = world.post("/api/v1/rollout", long);
    assert_eq!((answer.status, answer.kind().as_str()), (429, "busy"));
    assert!(answer.body.contains("/api/v1/jobs"), "{}", answer.body);
    assert!(answer.head.to_ascii_lowercase().contains("retry-after"), "{}", answer.head);
}

#[test]
fn other_sites_and_strangers_are_refused() {
    let world = World::new();
    let body = br#"{"position": "start", "ply": 0}"#;
    let ask = |headers: &[(&str, &str)]| {
        let json = [("Content-Type", "application/json")];
        world.send("POST", "/api/v1/eval", &[&json[..], headers].concat(), body).status
    };
    assert_eq!(ask(&[]), 200);
    assert_eq!(ask(&[("Host", "example.org")]), 403);
    assert_eq!(ask(&[("Origin", "https://example.org")]), 403);
    assert_eq!(ask(&[("Host", "localhost:1"), ("Origin", "http://localhost:1")]), 200);
    for host in ["[::1].example.org", "127.0.0.1:1@example.org"] {
        assert_eq!(ask(&[("Host", host)]), 403, "{host}");
    }
    assert_eq!(ask(&[("Host", "localhost"), ("Host", "localhost")]), 400);
    for origin in ["ftp://localhost:1", "null", "localhost:1", "http://localhost:1/"] {
        assert_eq!(ask(&[("Host", "localhost:1"), ("Origin", origin)]), 403, "{origin}");
    }
    // What the request line names is what is meant, and the Host has to say the same.
    for (line, host, status) in [
        ("http://evil.example/icon.svg", "localhost", 400),
        ("http://localhost:1/icon.svg", "localhost", 400),
        ("http://localhost/icon.svg", "localhost", 200),
        ("http://LocalHost:1/icon.svg", "localhost:1", 200),
        ("http://evil.example/icon.svg", "evil.example", 403),
    ] {
        let request = format!("GET {line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert_eq!(world.raw(request.as_bytes()).status, status, "{line} {host}");
    }
    let link = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")];
    let link = [&link[..], &[("Sec-Fetch-Dest", "document")]].concat();
    for site in ["cross-site", "same-site"] {
        assert_eq!(ask(&[("Sec-Fetch-Site", site)]), 403, "{site}");
        let part = world.send("GET", "/icon.svg", &[("Sec-Fetch-Site", site)], b"");
        assert_eq!(part.status, 403, "{site}");
    }
    assert_eq!(ask(&link), 403);
    assert_eq!(world.send("GET", "/api/v1/engine", &link, b"").status, 403);
    assert_eq!(world.send("GET", "/", &link, b"").status, 200);
    assert_eq!(ask(&[("Sec-Fetch-Site", "same-origin")]), 200);
    assert_eq!(ask(&[("Sec-Fetch-Site", "none")]), 200);
    let head = world.get("/icon.svg").head.to_ascii_lowercase();
    assert!(head.contains("cross-origin-resource-policy: same-origin"), "{head}");
    // Of two lengths one is taken, and what follows is no second request.
    let smuggled = world.raw(
        b"POST /api/v1/eval HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\
          Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n",
    );
    assert_eq!(smuggled.status, 400);
    assert!(!smuggled.body.contains("HTTP/1.1"), "{}", smuggled.body);
    let preflight = world.send("OPTIONS", "/api/v1/eval", &[("Origin", "https://e.org")], b"");
    assert_eq!(preflight.status, 403);
    assert!(!preflight.head.to_ascii_lowercase().contains("access-control"));

    let token = Some("0123456789abcdef".to_owned());
    let world = World::with(ServerSettings { token, ..ServerSettings::default() });
    assert_eq!(world.get("/api/v1/engine").status, 200);
    let lower = [("Authorization", "bearer 0123456789abcdef")];
    assert_eq!(world.send("GET", "/api/v1/engine", &lower, b"").status, 200);
    let wrong = [("Authorization", "Bearer wrong")];
    assert_eq!(world.send("GET", "/api/v1/engine", &wrong, b"").status, 401);
    assert_eq!(world.send("GET", "/metrics", &wrong, b"").status, 401);
    assert_eq!(world.send("GET", "/", &wrong, b"").status, 200);
}

#[test]
fn other_machines_need_a_token() {
    let settings =
        ServerSettings { address: ([0, 0, 0, 0], 0).into(), ..ServerSettings::default() };
    let error = World::start(settings).err().unwrap();
    assert!(matches!(error, ServeError::NoToken { .. }), "{error}");
}

#[test]
fn page_metrics_and_runs_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("mine");
    std::fs::create_dir(&run).unwrap();
    let log = folder.path().join("log");
    let settings = ServerSettings {
        runs: vec![run.clone()],
        log: Some(log.clone()),
        ..ServerSettings::default()
    };
    let world = World::with(settings);
    let page = world.get("/");
    assert!(page.body.contains("<title>tavola</title>"));
    assert!(page.head.contains("content-security-policy"), "{}", page.head);
    assert!(world.get("/app.js").head.contains("text/javascript"));
    assert_eq!(world.post("/app.js", "{}").status, 405);
    assert_eq!(world.get("/api/v1/runs").json()["runs"], json!(["mine"]));
    assert_eq!(world.get("/api/v1/runs/0").status, 404);
    // The last line is being written.
    std::fs::write(run.join("metrics.jsonl"), "{\"type\":\"round\",\"round\":1}\n{\"type\":")
        .unwrap();
    assert_eq!(world.get("/api/v1/runs/0").json()["lines"].as_array().unwrap().len(), 1);
    let metrics = world.get("/metrics").body;
    let counted = "tavola_http_requests_total{route=\"/api/v1/runs/{number}\",status=\"200\"} 1";
    assert!(metrics.contains(counted), "{metrics}");
    // Keys of matches and the token are in no log.
    let log = std::fs::read_to_string(log).unwrap();
    let line: Value = serde_json::from_str(log.lines().nth(4).unwrap()).unwrap();
    assert_eq!((&line["route"], &line["status"]), (&json!("/api/v1/runs/{number}"), &json!(404)));
    assert_eq!((&line["client"], &line["method"]), (&json!("127.0.0.1"), &json!("GET")));
}

/// `UPDATE_GOLDEN=1` writes the file again.
#[test]
fn the_document_in_the_repository_is_the_one_that_is_served() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/openapi.json");
    let mut text = serde_json::to_string_pretty(&tavola_serve::document()).unwrap();
    text.push('\n');
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let is_same = std::fs::read_to_string(&path).unwrap() == text;
    assert!(is_same, "docs/openapi.json is another one: UPDATE_GOLDEN=1 writes it again");
    let served = World::new().get("/openapi.json").json();
    assert_eq!(served["openapi"], "3.1.0");
    assert_eq!(served, tavola_serve::document());
}

#[test]
fn examples_of_the_document_are_answered() {
    let world = World::new();
    let document = tavola_serve::document();
    for (path, item) in document["paths"].as_object().unwrap() {
        let body = &item["post"]["requestBody"]["content"]["application/json"]["example"];
        if body.is_null() || path.contains('{') {
            continue;
        }
        let answer = world.post(path, &body.to_string());
        assert!((200..300).contains(&answer.status), "{path}: {}", answer.body);
    }
}
