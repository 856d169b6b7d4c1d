//! The commands of a fleet, as their users meet them. What a fleet does is tested in
//! `crates/fleet/tests`.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::run::tavola;

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

#[test]
fn a_server_a_worker_and_a_learner_make_a_network() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("tiny.toml"), CONFIG).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let number = port.to_string();
    let server = ["-js", "-a", "127.0.0.1", "-p", &number, "-sd", &path("jetstream")];
    let Some(_server) = Process::start("nats-server", &server) else {
        eprintln!("skipped: there is no nats-server, install the package nats-server");
        return;
    };
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(60), "the server does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    let url = format!("nats://127.0.0.1:{port}");
    let status = tavola(&["fleet", "status", &url]).done();
    assert!(status.stdout.contains("queue    none yet"), "{status:?}");

    let worker = ["worker", &url, "--threads", "1", "--name", "tester"];
    let _worker = Process::start(env!("CARGO_BIN_EXE_tavola"), &worker).unwrap();
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
