//! The commands of a fleet, as their users meet them. What a fleet does is tested in
//! `crates/lab/fleet/tests`.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::SMALL;
use crate::run::{CACHE, tavola};

const CONFIG: &str = "
game = \"hypergammon\"
seed = 5
rounds = 2
games_per_round = 8
[network]
hidden = [8]
[evaluation]
games = 8
opponents = [\"random\"]
";

/// A child process that does not outlive the test.
struct Process(Child);

impl Process {
    fn start(program: &str, args: &[&str]) -> Option<Self> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("TAVOLA_CACHE_DIR", CACHE);
        command.spawn().ok().map(Self)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_address_without_a_server_is_refused_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    std::fs::write(&config, CONFIG).unwrap();
    let config = config.to_str().unwrap();
    let out = folder.path().join("run");
    // Nothing listens on the port of discarded bytes.
    let url = "nats://me:secret@127.0.0.1:9";
    let train = ["train", config, "--fleet", url, "--out", out.to_str().unwrap()];
    for args in [&train[..], &["worker", url], &["fleet", "status", url]] {
        let run = tavola(args);
        assert!(!run.stderr.contains("secret"), "{run:?}");
        run.refused(&["nats://127.0.0.1:9", "nats-server"]);
    }
    assert!(!out.exists(), "nothing is left behind");
    tavola(&["train", config, "--fleet-check", "0.5"]).refused(&["--fleet"]);
    tavola(&["train", config, "--fleet", url, "--fleet-check", "2"]).refused(&["from 0 to 1"]);
    tavola(&["worker", url, "--name", "a.b"]).refused(&["letters, digits"]);
}

/// A NATS server in a folder, and its address; `None`, with a message, where there is none.
fn server(folder: &Path) -> Option<(Process, String)> {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (number, store) = (port.to_string(), folder.join("jetstream"));
    let args = ["-js", "-a", "127.0.0.1", "-p", &number, "-sd", store.to_str().unwrap()];
    let Some(server) = Process::start("nats-server", &args) else {
        eprintln!("skipped: there is no nats-server, install the package nats-server");
        return None;
    };
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(60), "the server does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    Some((server, format!("nats://127.0.0.1:{port}")))
}

fn worker(url: &str, name: &str) -> Process {
    let args = ["worker", url, "--threads", "1", "--name", name];
    Process::start(env!("CARGO_BIN_EXE_tavola"), &args).unwrap()
}

#[test]
fn a_server_a_worker_and_a_learner_make_a_network() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("tiny.toml"), CONFIG).unwrap();
    let Some((_server, url)) = server(folder.path()) else { return };
    let status = tavola(&["fleet", "status", &url]).done();
    assert!(status.stdout.contains("queue    none yet"), "{status:?}");

    let _worker = worker(&url, "tester");
    let fleet = ["train", &path("tiny.toml"), "--out", &path("fleet"), "--fleet", &url, "--json"];
    let report = tavola(&fleet).json();
    assert_eq!((&report["finished"], &report["games"]), (&true.into(), &16.into()), "{report}");
    tavola(&["train", &path("tiny.toml"), "--out", &path("alone")]).done();
    let network = |run: &str| std::fs::read(path(run) + "/final.safetensors").unwrap();
    assert!(network("fleet") == network("alone"), "the networks differ");

    let status = tavola(&["fleet", "status", &url, "--json"]).json();
    assert_eq!(status["workers"][0]["worker"], "tester", "{status}");
    assert_eq!(status["workers"][0]["items"], 16, "{status}");
    assert_eq!(status["queue"]["waiting"], 0, "{status}");
    let metrics = tavola(&["fleet", "status", &url, "--metrics"]).done();
    assert!(metrics.stdout.contains("\ntavola_fleet_workers 1\n"), "{metrics:?}");
}

/// Runs a command on this machine and with a fleet, and takes the same part of both reports.
fn both(url: &str, args: &[&str], part: impl Fn(Value) -> Value) -> [Value; 2] {
    let fleet = ["--fleet", url, "--fleet-check", "0.3"];
    [&[][..], &fleet].map(|more| part(tavola(&[args, &["--json"], more].concat()).json()))
}

/// Leaves out of a report what differs from run to run.
fn without_time(mut report: Value) -> Value {
    let object = report.as_object_mut().unwrap();
    let is_time = |key: &str| key.ends_with("seconds") || key.ends_with("per_second");
    object.retain(|key, _| key != "provenance" && !is_time(key));
    report
}

#[test]
fn every_command_says_the_same_with_a_fleet_of_two_workers() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("tiny.toml"), CONFIG).unwrap();
    let Some((_server, url)) = server(folder.path()) else { return };
    let _workers = [worker(&url, "one"), worker(&url, "two")];
    let raw = format!("raw:{SMALL}");

    // Duels without and with a cube, with a file of a network, a start and a test.
    let [alone, fleet] = both(&url, &["duel", &raw, "raw:default", "--games", "24"], without_time);
    assert_eq!(alone, fleet);
    let cube = ["duel", SMALL, "pip-count", "--cube", "--jacoby", "--games", "16", "--no-luck"];
    let [alone, fleet] = both(&url, &cube, without_time);
    assert_eq!(alone, fleet);
    let sprt =
        ["duel", &raw, "random", "--sprt", "0..5", "--games", "200", "--start", "4HPwATDgc/ABMA"];
    let [alone, fleet] = both(&url, &sprt, without_time);
    assert_eq!(alone, fleet);
    // Pairs in files, and a file that is resumed.
    let pairs = |file: &str, games: &str, how: &str, more: &[&str]| {
        let file = path(file);
        let args = ["duel", &raw, "pip-count", "--games", games, how, &file];
        tavola(&[&args[..], more].concat()).done();
        std::fs::read_to_string(file).unwrap()
    };
    let alone = pairs("alone.pairs", "16", "--save", &[]);
    pairs("fleet.pairs", "6", "--save", &["--fleet", &url]);
    assert_eq!(alone, pairs("fleet.pairs", "16", "--resume", &["--fleet", &url]));

    // A ladder of one match-up: its time is left out.
    let ladder = |file: &str, more: &[&str]| {
        let file = path(file);
        let args = ["ladder", &raw, "random", "--file", &file, "--time", "1ms", "--pairs", "2"];
        let mut report = tavola(&[&args[..], &["--json"], more].concat()).report();
        report["match_ups"][0].as_object_mut().unwrap().remove("seconds").unwrap();
        report
    };
    assert_eq!(ladder("alone.jsonl", &[]), ladder("fleet.jsonl", &["--fleet", &url]));

    // Datasets.
    let dataset = |out: &str, more: &[&str]| {
        let (config, out) = (path("tiny.toml"), path(out));
        let args = ["dataset", "generate", &config, "--out", &out, "--games", "10"];
        tavola(&[&args[..], &["--games-per-shard", "6"], more].concat()).done();
        ["000000.shard", "000001.shard", "manifest.json"]
            .map(|name| std::fs::read(format!("{out}/{name}")).unwrap())
    };
    assert!(dataset("alone.data", &[]) == dataset("fleet.data", &["--fleet", &url]));

    // Rollouts: plays that may be dropped, and with the cube.
    let tables = "--no-tables";
    let position = ["rollout", "4HPwATDgc/ABMA", "--truncate", "3", tables];
    let plays = ["--roll", "31", "--top", "3", "--trials", "216"];
    let [alone, fleet] = both(&url, &[&position[..], &plays].concat(), without_time);
    assert_eq!(alone, fleet);
    let cubeful = ["--trials", "40", "--model", SMALL];
    let [alone, fleet] = both(&url, &[&position[..], &cubeful].concat(), without_time);
    assert_eq!(alone, fleet);

    // Analyses of two files, one of them with rollouts.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/files/three-points.mat");
    let again = path("again.mat");
    // With a name of its own: the same match would count once.
    let other = std::fs::read_to_string(file).unwrap().replacen(" : 0", "x : 0", 1);
    std::fs::write(&again, other).unwrap();
    let analyze = ["analyze", file, &again, "--model", SMALL, "--ply", "0", "--no-cache", tables];
    let close = ["--rollout-within", "0.004", "--trials", "36"];
    let [alone, fleet] = both(&url, &[&analyze[..], &close].concat(), without_time);
    assert_eq!(alone, fleet);
    assert!(alone["matches"][1]["decisions"].as_array().unwrap().len() > 20, "{alone}");

    // What a fleet can't do.
    let games = path("games.txt");
    tavola(&["duel", "default", "random", "--save-games", &games, "--fleet", &url])
        .refused(&["--fleet"]);
}
