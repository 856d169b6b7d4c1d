//! `tavola external`: GNU Backgammon over its socket, either way.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::run::{bounded, tavola};

/// GNU Backgammon, or a message for the one who runs the tests.
pub fn gnubg() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain(["/usr/games".into()])
        .map(|folder| folder.join("gnubg"))
        .find(|program| program.is_file());
    if found.is_none() {
        eprintln!(
            "SKIPPED: gnubg is not installed (scripts/test.sh installs it where apt is there)"
        );
    }
    found
}

/// `tavola external --port 0 --once`, and its port.
fn server(args: &[&str]) -> (Child, u16) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tavola"))
        .args(["external", "--port", "0", "--once", "--ply", "0"])
        .args(args)
        .env("TAVOLA_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().rsplit(':').next().unwrap().parse().unwrap();
    (child, port)
}

fn told(server: Child) -> String {
    let run = bounded(server, "tavola external");
    assert_eq!(run.code, Some(0), "{run:?}");
    run.stderr
}

/// Gives GNU Backgammon commands and waits for its end.
pub fn command_gnubg(program: &PathBuf, home: &std::path::Path, commands: &str) -> String {
    let mut child = Command::new(program)
        .args(["-t", "-q", "-r"])
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    bounded(child, "gnubg").stdout
}

#[test]
fn gnubg_plays_matches_in_which_every_decision_of_tavola_is_its_best() {
    let Some(program) = gnubg() else { return };
    let folder = tempfile::tempdir().unwrap();
    for seat in [0, 1] {
        let (server, port) = server(&[]);
        let file = folder.path().join(format!("{seat}.mat"));
        let other = 1 - seat;
        let commands = format!(
            "set automatic game on\nset automatic roll on\nset automatic move on\nset display off\n\
             set rng mersenne\nset seed 4\nset defaultnames p0 p1\n\
             set player {seat} external localhost:{port}\nset player {other} gnubg\n\
             set player {other} chequer evaluation plies 0\n\
             set player {other} cube evaluation plies 0\n\
             new match 5\nexport match mat {}\n",
            file.display()
        );
        let text = command_gnubg(&program, folder.path(), &commands);
        assert!(text.contains("has won the match"), "{text}");
        let told = told(server);
        assert!(told.contains(" 0 refused lines"), "{told}");
        // Read wrongly, a position, score or cube would lead to plays that lose equity.
        let report = tavola(&["analyze", file.to_str().unwrap(), "--ply", "0", "--json"]).json();
        let player = &report["players"][seat];
        for key in ["checker_error_emg", "cube_error_emg"] {
            assert_eq!(player[key], 0.0, "seat {seat}: {player}");
        }
    }
}

#[test]
fn gnubg_evaluates_positions_over_its_socket() {
    let Some(program) = gnubg() else { return };
    let folder = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut child = Command::new(program)
        .args(["-t", "-q", "-r"])
        .env("HOME", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    writeln!(child.stdin.as_mut().unwrap(), "external localhost:{port}").unwrap();
    let address = format!("localhost:{port}");
    let deadline = Instant::now() + Duration::from_secs(30);
    // It takes one connection; a first one would be the only one.
    let run = loop {
        let run = tavola(&["external", "--ask", &address, "start", "--ply", "0", "--json"]);
        if run.code == Some(0) || Instant::now() > deadline {
            break run;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    let answer = run.json();
    child.kill().unwrap();
    child.wait().unwrap();
    let equity = answer["value"].as_f64().unwrap();
    assert!((0.06..0.075).contains(&equity), "{answer}");
    assert!((0.52..0.53).contains(&answer["probs"][0].as_f64().unwrap()), "{answer}");
}

#[test]
fn any_program_may_connect() {
    let (server, port) = server(&[]);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let board = "board:You:Opponent:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:\
        1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    write!(stream, "version\n{board}\n\0evaluation fibsboard {board} plies 0\nnonsense\nexit\n")
        .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Interface: 2");
    assert_eq!(lines[4], "8/5 6/5");
    assert_eq!(lines[5].split(' ').count(), 6);
    assert!(lines[6].starts_with("Error: \"nonsense\""), "{lines:?}");
    assert!(told(server).contains("1 decisions, 1 evaluations, 1 refused lines"));
}

#[test]
fn what_can_not_be_asked_is_refused() {
    tavola(&["external"]).refused(&["--port"]);
    tavola(&["external", "--ask", "localhost:1"]).refused(&["localhost:1"]);
    tavola(&["external", "--ask", "localhost:1", "nonsense"]).refused(&["nonsense"]);
    tavola(&["external", "--port", "0", "--host", "nowhere.invalid"]).refused(&["nowhere.invalid"]);
}
