//! Games between people on several devices: links, seats, watching, hints and the clock.

use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tavola_files::limits::{self, Limits};
use tavola_serve::ServerSettings;

use crate::http::{Answer, World};

/// A game with people, and what its host has.
struct Shared<'a> {
    world: &'a World,
    path: String,
    host: String,
    begun: Value,
}

impl<'a> Shared<'a> {
    fn begin(world: &'a World, asked: &Value) -> Self {
        let answer = world.post("/api/v1/invitations", &asked.to_string());
        assert_eq!(answer.status, 201, "{}", answer.body);
        let begun = answer.json();
        let path = format!("/api/v1/games/{}", begun["id"].as_str().unwrap());
        let host = begun["seats"]["token"].as_str().unwrap().to_owned();
        Self { world, path, host, begun }
    }

    fn invitation(&self) -> String {
        let people = self.begun["seats"]["people"].as_array().unwrap();
        people.iter().find_map(|person| person["invitation"].as_str()).unwrap().to_owned()
    }

    fn watch(&self) -> String {
        self.begun["seats"]["watch"].as_str().unwrap().to_owned()
    }

    fn send(&self, method: &str, token: &str, path: &str, body: &Value) -> Answer {
        let headers = [("Content-Type", "application/json"), ("Tavola-Seat", token)];
        let body = if method == "GET" { String::new() } else { body.to_string() };
        self.world.send(method, &format!("{}{path}", self.path), &headers, body.as_bytes())
    }

    fn get(&self, token: &str, query: &str) -> Value {
        let answer = self.send("GET", token, query, &Value::Null);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    fn act(&self, token: &str, action: &Value) -> Answer {
        self.send("POST", token, "/actions", action)
    }

    /// The token of the guest who comes by the link.
    fn join(&self, name: &str) -> String {
        let joined = self.send("POST", &self.invitation(), "/seats", &json!({"name": name}));
        assert_eq!(joined.status, 200, "{}", joined.body);
        joined.json()["seats"]["token"].as_str().unwrap().to_owned()
    }
}

/// What a person does who never doubles and takes everything.
fn next(state: &Value) -> Value {
    match state["waiting"]["for"].as_str().unwrap() {
        "roll" => json!({"act": "roll"}),
        "play" => json!({"act": "play", "play": state["waiting"]["plays"][0]}),
        "answer" => json!({"act": "take"}),
        "game_over" => json!({"act": "next_game"}),
        other => panic!("{other}: {state}"),
    }
}

fn refused(answer: &Answer, kind: &str, message: &str) {
    assert!((400..500).contains(&answer.status), "{}", answer.body);
    assert_eq!(answer.kind(), kind, "{}", answer.body);
    assert!(answer.body.contains(message), "{message}: {}", answer.body);
}

#[test]
fn two_people_play_a_match_each_from_their_own_side() {
    let world = World::new();
    for (game, seat) in [("backgammon", 2), ("tabula", 1), ("nackgammon", 1)] {
        let asked = json!({"seat": seat, "game": {"game": game, "length": 1, "name": "Ann"}});
        let shared = Shared::begin(&world, &asked);
        assert_eq!(shared.begun["state"]["waiting"]["for"], "engine", "{game}");
        refused(
            &shared.act(&shared.host, &json!({"act": "roll"})),
            "seat",
            "once all seats are taken",
        );
        let guest = shared.join("Ben");
        let seats = [(&shared.host, seat), (&guest, 3 - seat)];
        // Whoever knew the seed would know the dice.
        assert_eq!(shared.get(&guest, "")["state"]["seed"], 0);
        for (token, seat) in seats {
            let shown = shared.get(token, "");
            assert_eq!(
                (&shown["seats"]["you"], &shown["state"]["seat"]),
                (&json!(seat), &json!(seat))
            );
            assert_eq!(
                shown["state"]["names"][seat - 1],
                if token == &shared.host { "Ann" } else { "Ben" }
            );
        }
        let mut turns = 0;
        loop {
            let shown = shared.get(&shared.host, "");
            let Some(acts) = shown["seats"]["acts"].as_u64() else { break };
            let [own, other] = if acts == seats[0].1 as u64 { [0, 1] } else { [1, 0] };
            let [state, waits] =
                [own, other].map(|at| shared.get(seats[at].0, "")["state"].clone());
            assert_eq!(waits["waiting"]["for"], "engine", "{waits}");
            // What one has at the bottom the other one has above.
            if let (Some(own), Some(other)) =
                (state["board"]["points"].as_array(), waits["board"]["points"].as_array())
                && own.len() == 26
            {
                let turned: Vec<i64> =
                    own.iter().rev().map(|count| -count.as_i64().unwrap()).collect();
                assert_eq!(json!(turned), json!(other), "{game}");
            }
            let action = next(&state);
            let wrong = shared.act(seats[other].0, &action);
            assert_eq!(wrong.status, 400, "{}", wrong.body);
            assert!(wrong.body.contains("it is the turn of"), "{}", wrong.body);
            let log = state["log"].as_array().unwrap().len();
            let done = shared.act(seats[own].0, &action);
            assert_eq!(done.status, 200, "{action}: {}", done.body);
            // The other one is told the same, from the other side.
            let told = shared.get(seats[other].0, &format!("?game=1&shown={log}"));
            let [mine, theirs] = [&done.json(), &told].map(|shown| {
                shown["happened"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|it| it["words"].clone())
                    .collect::<Vec<_>>()
            });
            assert_eq!(mine, theirs, "{action}");
            turns += 1;
            assert!(turns < 600, "{state}");
        }
        let end = shared.get(&guest, "");
        assert_eq!(end["state"]["waiting"]["for"], "match_over", "{end}");
        let record = shared.send("GET", &guest, "/record", &Value::Null).body;
        assert!(record.contains("Ann") && record.contains("Ben"), "{record}");
    }
}

#[test]
fn nobody_acts_without_the_token_of_the_seat() {
    let world = World::new();
    let shared = Shared::begin(&world, &json!({"game": {"name": "Ann"}, "seat": 1}));
    let (invitation, watch) = (shared.invitation(), shared.watch());
    // The key of the game alone opens nothing.
    for (method, path) in [
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/actions"),
        ("GET", "/record"),
        ("POST", "/seats"),
        ("POST", "/clock"),
        ("POST", "/links"),
        ("GET", "/hint"),
    ] {
        let body = json!({"act": "roll"});
        let body = match path {
            "/actions" => body,
            "/clock" => json!({"off": true}),
            _ => json!({}),
        };
        refused(
            &shared.send(method, "aaaaaaaaaaaaaaaaaaaaaaaa", path, &body),
            "seat",
            "opens no seat",
        );
        let bare =
            world.send(method, &format!("{}{path}", shared.path), &[], body.to_string().as_bytes());
        refused(&bare, "seat", "Tavola-Seat");
    }
    let asked = shared.get(&invitation, "");
    assert_eq!((&asked["seats"]["you"], &asked["seats"]["invited"]), (&Value::Null, &json!(2)));
    assert_eq!(asked["seats"]["watch"], Value::Null);
    // An answer that was lost is asked for again: with the same token it is the same seat.
    let chosen = "abcdefghijkmnpqrstuvwxyz";
    let body = json!({"name": "Ann", "token": chosen});
    for _ in 0..2 {
        let joined = shared.send("POST", &invitation, "/seats", &body);
        assert_eq!(joined.json()["seats"]["token"], chosen, "{}", joined.body);
    }
    let names = shared.get(chosen, "")["state"]["names"].clone();
    assert_eq!(names, json!(["Ann", "Ann 2"]));
    refused(
        &shared.send("POST", &invitation, "/seats", &json!({"token": "short"})),
        "request",
        "24 letters",
    );
    // A third person watches.
    refused(
        &shared.send("POST", &invitation, "/seats", &json!({"name": "Eve"})),
        "seat",
        "is taken",
    );
    refused(&shared.send("POST", &watch, "/seats", &json!({})), "seat", "for those who watch");
    for token in [&invitation, &watch] {
        let seen = shared.get(token, "");
        assert_eq!(seen["state"]["waiting"]["for"], "engine", "{seen}");
        assert!(!seen.to_string().contains("invitation\":\"") && seen["seats"]["token"].is_null());
        for action in [
            json!({"act": "roll"}),
            json!({"act": "resign", "size": "single"}),
            json!({"act": "next_game"}),
        ] {
            refused(&shared.act(token, &action), "seat", "who watches can't act");
        }
        refused(&shared.send("DELETE", token, "", &Value::Null), "seat", "only who began");
    }
    assert_eq!(shared.get(&invitation, "")["seats"]["closed"], "taken");
    refused(&shared.act(chosen, &json!({"act": "take_back"})), "seat", "can't be taken back");
    // No hints, unless they were agreed on.
    refused(&shared.send("GET", &shared.host, "/hint", &Value::Null), "seat", "no hints");
    refused(&shared.send("POST", chosen, "/mistake", &json!({"act": "roll"})), "seat", "no hints");
    refused(&shared.send("DELETE", chosen, "", &Value::Null), "seat", "only who began");
    assert_eq!(shared.send("DELETE", &shared.host, "", &Value::Null).status, 204);
    assert_eq!(shared.send("GET", &invitation, "", &Value::Null).status, 404);
    let with_hints = Shared::begin(&world, &json!({"hints": true, "game": {}}));
    let tokens = [with_hints.host.clone(), with_hints.join("Ben")];
    let hints = tokens
        .map(|token| with_hints.send("GET", &token, "/hint", &Value::Null).json()["about"].clone());
    assert!(hints.contains(&json!("plays")) && hints.contains(&json!("nothing")), "{hints:?}");
}

#[test]
fn what_does_not_fit_a_game_on_several_devices_is_refused() {
    let world = World::new();
    for (asked, message) in [
        (json!({"seat": 3}), "\\\"seat\\\" is 3, expected 1 to 2"),
        (json!({"guests": 2}), "\\\"guests\\\" is 2, expected 1 to 1"),
        (json!({"guests": 0}), "\\\"guests\\\" is 0"),
        (json!({"game": {"dice": "typed"}}), "the server rolls"),
        (json!({"game": {"chouette": 4}}), "the server rolls"),
        (json!({"game": {"people": {"2": "Ben"}}}), "a link seats each person"),
        (json!({"game": {"seed": 4}}), "the server rolls"),
        (json!({"clock": {"reserve": 0, "delay": 2}}), "a reserve of 0"),
        (json!({"clock": {"reserve": 9, "delay": 40000}}), "a delay of 40000"),
        (
            json!({"game": {"game": "astronomy"}, "clock": {"reserve": 9, "delay": 2}}),
            "between 7 players",
        ),
        (json!({"game": {"name": "a:b"}}), "without a colon"),
        (json!({"color": "red"}), "unknown field"),
    ] {
        refused(&world.post("/api/v1/invitations", &asked.to_string()), "request", message);
    }
    // A game of one device has no seats to take.
    let alone = world.post("/api/v1/games", "{}").json();
    let path = format!("/api/v1/games/{}/seats", alone["id"].as_str().unwrap());
    refused(&world.post(&path, "{}"), "seat", "played on one device");
    refused(
        &world.get(&format!("{}?after=x", path.trim_end_matches("/seats"))),
        "request",
        "after=VERSION",
    );
}

#[test]
fn three_people_and_the_engine_share_a_table_for_seven() {
    let world = World::new();
    let asked = json!({"guests": 2, "seat": 6, "game": {"game": "astronomy", "name": "Ann", "opponents": "rule-based"}});
    let shared = Shared::begin(&world, &asked);
    let people = shared.begun["seats"]["people"].as_array().unwrap();
    let seats: Vec<u64> = people.iter().map(|person| person["seat"].as_u64().unwrap()).collect();
    assert_eq!(seats, [1, 6, 7]);
    let mut tokens = vec![(6, shared.host.clone())];
    for (person, name) in
        people.iter().filter(|it| !it["invitation"].is_null()).zip(["Ben", "Cleo"])
    {
        let link = person["invitation"].as_str().unwrap();
        let joined = shared.send("POST", link, "/seats", &json!({"name": name})).json();
        tokens.push((
            joined["seats"]["you"].as_u64().unwrap(),
            joined["seats"]["token"].as_str().unwrap().to_owned(),
        ));
    }
    for _ in 0..12 {
        let acts = shared.get(&shared.host, "")["seats"]["acts"].as_u64().unwrap();
        let (_, token) = tokens.iter().find(|(seat, _)| *seat == acts).unwrap();
        let state = shared.get(token, "")["state"].clone();
        let done = shared.act(token, &next(&state));
        assert_eq!(done.status, 200, "{}", done.body);
    }
}

#[test]
fn who_waits_is_told_at_once_and_a_restart_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let asked = json!({"seat": 1, "clock": {"reserve": 600, "delay": 5}, "game": {"name": "Ann"}});
    let (path, tokens, before, watch) = {
        let world = World::with_games(folder.path().to_owned());
        let shared = Shared::begin(&world, &asked);
        let version = shared.begun["seats"]["version"].clone();
        // The host is told that the guest has come, and someone who watches counts.
        let began = Instant::now();
        let (told, seen) = scope(|scope| {
            let told = scope
                .spawn(|| shared.get(&shared.host, &format!("?after={version}&game=1&shown=0")));
            let watcher = scope.spawn(|| shared.get(&shared.watch(), &format!("?after={version}")));
            sleep(Duration::from_millis(300));
            shared.join("Ben");
            (told.join().unwrap(), watcher.join().unwrap())
        });
        assert!(began.elapsed() < Duration::from_secs(5));
        assert_eq!(
            (&told["seats"]["begun"], &told["happened"][0]["act"]),
            (&json!(true), &json!("roll"))
        );
        assert_eq!((&seen["seats"]["you"], &seen["seats"]["watching"]), (&Value::Null, &json!(1)));
        assert_ne!(told["seats"]["version"], version);
        assert_eq!(told["seats"]["people"][1]["here"], true);
        let guest = shared.send("POST", &shared.invitation(), "/seats", &json!({})).status;
        assert_eq!(guest, 403);
        (shared.path.clone(), shared.host.clone(), told["state"].clone(), shared.watch())
    };
    let world = World::with_games(folder.path().to_owned());
    let shared =
        Shared { world: &world, path, host: tokens, begun: json!({"seats": {"watch": watch}}) };
    let after = shared.get(&shared.host, "");
    assert_eq!(after["state"], before);
    assert_eq!(after["seats"]["clock"]["left"], json!([600_000, 600_000]));
    assert_eq!(shared.get(&shared.watch(), "")["seats"]["you"], Value::Null);
    assert_eq!(shared.send("DELETE", &shared.host, "", &Value::Null).status, 204);
    let left = std::fs::read_dir(folder.path()).unwrap().flatten().map(|file| file.file_name());
    assert!(left.into_iter().all(|name| name == ".lock" || name == "networks"));
}

#[test]
fn time_runs_for_who_acts_until_it_is_up_or_switched_off() {
    let world = World::new();
    let asked = json!({"seat": 1, "clock": {"reserve": 1, "delay": 0}, "game": {"name": "Ann", "length": 3}});
    let shared = Shared::begin(&world, &asked);
    sleep(Duration::from_millis(1100));
    // Nobody's time runs before all have come.
    assert_eq!(shared.get(&shared.host, "")["seats"]["clock"]["left"], json!([1000, 1000]));
    let guest = shared.join("Ben");
    let acts = shared.get(&guest, "")["seats"]["acts"].as_u64().unwrap() as usize;
    let tokens = [&shared.host, &guest];
    sleep(Duration::from_millis(1100));
    let shown = shared.get(tokens[acts - 1], "");
    let clock = &shown["seats"]["clock"];
    assert_eq!((&clock["lost"], &clock["left"][2 - acts]), (&json!(acts), &json!(1000)), "{clock}");
    let waiting = &shown["state"]["waiting"];
    assert_eq!(
        (&waiting["for"], &waiting["winner"], &waiting["how"]),
        (&json!("match_over"), &json!(3 - acts), &json!("on time"))
    );
    assert_eq!(shown["state"]["score"][2 - acts], 3.0);
    refused(
        &shared.act(tokens[acts - 1], &json!({"act": "roll"})),
        "seat",
        "time of a player was up",
    );

    // A delay is given in each turn, and both may switch the clock off.
    let asked = json!({"seat": 1, "clock": {"reserve": 1, "delay": 60}, "game": {}});
    let shared = Shared::begin(&world, &asked);
    let guest = shared.join("Ben");
    sleep(Duration::from_millis(1100));
    let clock = shared.get(&guest, "")["seats"]["clock"].clone();
    assert_eq!((&clock["left"], &clock["lost"]), (&json!([1000, 1000]), &Value::Null));
    assert!(clock["delay_left"].as_u64().unwrap() < 59_500, "{clock}");
    let first = shared.send("POST", &guest, "/clock", &json!({"off": true})).json();
    assert_eq!(first["seats"]["clock"]["off"], json!([2]));
    refused(
        &shared.send("POST", &shared.watch(), "/clock", &json!({"off": true})),
        "seat",
        "who watches",
    );
    let second = shared.send("POST", &shared.host, "/clock", &json!({"off": true})).json();
    assert_eq!(second["seats"]["clock"], Value::Null);
}

#[test]
fn links_end_and_few_wait_at_a_game() {
    let limits = Limits::default().with(&limits::LINK_AGE, 3).with(&limits::WATCHERS, 1);
    let world = World::with(ServerSettings { limits, ..ServerSettings::default() });
    let mut shared = Shared::begin(&world, &json!({"game": {}}));
    let old = shared.invitation();
    sleep(Duration::from_millis(4100));
    let late = shared.send("POST", &old, "/seats", &json!({"name": "Ben"}));
    assert_eq!(late.status, 410);
    refused(&late, "expired", "the link has expired");
    assert_eq!(shared.get(&old, "")["seats"]["closed"], "expired");
    refused(&shared.send("POST", &old, "/links", &json!({})), "seat", "only who began");
    let renewed = shared.send("POST", &shared.host, "/links", &json!({}));
    assert_eq!(renewed.status, 200, "{}", renewed.body);
    shared.begun = renewed.json();
    refused(&shared.send("POST", &old, "/seats", &json!({})), "seat", "opens no seat");
    let version = &renewed.json()["seats"]["version"];
    scope(|scope| {
        let waits = scope.spawn(|| shared.get(&shared.host, &format!("?after={version}")));
        sleep(Duration::from_millis(300));
        refused(
            &shared.send("GET", &shared.host, &format!("?after={version}"), &Value::Null),
            "busy",
            "requests wait",
        );
        shared.join("Ben");
        waits.join().unwrap();
    });
}
