//! Open Sage as a player: the real one where it is installed, and its adapter with a package that
//! stands for it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::run::{bounded, tavola, tavola_in};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../scripts/sage-engine.py");

/// What stands for Sage: it answers with what it was asked, plays 8/5 6/5 and doubles at a cube of 2.
const STAND_IN: &str = r#"
import sys
from types import SimpleNamespace as Of
PROBS = Of(win=0.5, gammon_win=0.25, backgammon_win=0, gammon_loss=0.125, backgammon_loss=0)
class BgBotAnalyzer:
    def __init__(self, eval_level, cubeful, parallel_threads):
        print("loading", eval_level, cubeful)
    def told(self, *asked, **terms):
        print(*asked, *(f"{key}={value}" for key, value in sorted(terms.items())))
    def checker_play(self, board, high, low, force_boards=(), **terms):
        self.told(board, high, low, **terms)
        after = list(board)
        after[8], after[6], after[5] = after[8] - 1, after[6] - 1, after[5] + 2
        return Of(moves=[Of(board=after, equity=0.25, probs=PROBS)])
    def cube_action(self, board, **terms):
        self.told(board, **terms)
        return Of(should_double=terms["cube_value"] == 2, should_take=terms["cube_value"] < 8,
                  is_beaver=terms["beaver"], equity_nd=0.3, equity_dt=0.1, equity_dp=1, probs=PROBS)
"#;

fn python() -> Option<String> {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    match asked {
        Ok(asked) if asked.status.success() => {
            Some(String::from_utf8_lossy(&asked.stdout).trim().to_owned())
        }
        _ => {
            eprintln!("SKIPPED: there is no python3, which runs Open Sage");
            None
        }
    }
}

/// A folder for Python's search path with the stand-in as this version of the package.
fn stand_in(folder: &Path, version: &str) -> String {
    fs::write(folder.join("bgsage.py"), STAND_IN).unwrap();
    let about = folder.join(format!("bgsage-{version}.dist-info"));
    fs::create_dir(&about).unwrap();
    let text = format!("Metadata-Version: 2.1\nName: bgsage\nVersion: {version}\n");
    fs::write(about.join("METADATA"), text).unwrap();
    folder.display().to_string()
}

#[test]
fn the_adapter_of_open_sage_keeps_the_protocol_and_tells_the_stakes() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let packages = stand_in(folder.path(), "2.0.20260907");
    let start = "4HPwATDgc/ABMA";
    let with_bars = "4HPwAVDgc/ABUA";
    let exchange = [
        (
            "tavola-engine 1 hypergammon",
            "error plays backgammon, nackgammon, longgammon and not hypergammon",
        ),
        (
            "tavola-engine 1 backgammon cube",
            "tavola-engine 1 Open Sage 2.0.20260907, 3ply, cubeful",
        ),
        ("best START 3 1 cube 1 center money jacoby", "best sGfwATDgc/ABMA"),
        ("best START 3 1", "best sGfwATDgc/ABMA"),
        ("best 4HPw 3 1", "error not a Position ID: 4HPw"),
        ("best START 3 7", "error not two dice: 3 7"),
        ("double START cube 1 center money", "double no"),
        ("double BARS cube 2 player match 7 3 5", "double yes"),
        (
            "double START cube 1 center match 30 2 6",
            "error a player needs 28 points, expected at most 25 for Open Sage",
        ),
        ("answer START double cube 1 center money beavers", "answer turn"),
        ("answer START beaver cube 1 center money beavers", "answer take"),
        ("answer START beaver cube 1 center money raccoons", "answer turn"),
        ("answer START double cube 4 opponent match 7 3 5 crawford", "answer take"),
        ("answer START double cube 8 center money", "answer drop"),
        (
            "equities START 3 1 sGfwATDgc/ABMA cube 1 center money",
            "equities 0.250000 0.500000 0.250000 0.000000 0.125000 0.000000",
        ),
        ("equities START 3 1 START", "error no play of 3 1 leads to 4HPwATDgc/ABMA"),
        (
            "equities START cube 2 player match 7 3 5",
            "equities 0.300000 0.100000 1.000000 0.500000 0.250000 0.000000 0.125000 0.000000",
        ),
        ("equities START", "error no cube in: equities 4HPwATDgc/ABMA"),
        ("hint", "error unknown request: hint"),
    ];
    let mut child = Command::new(python)
        .args([SCRIPT, "3ply"])
        .env("PYTHONPATH", packages)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut asked = child.stdin.take().unwrap();
    for (question, _) in exchange {
        let question = question.replace("START", start).replace("BARS", with_bars);
        writeln!(asked, "{question}").unwrap();
    }
    drop(asked);
    let run = bounded(child, "sage-engine.py").done();
    let expected: Vec<&str> = exchange.iter().map(|(_, answer)| *answer).collect();
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), expected);
    // What the package prints never reaches the other side. Jacoby and beavers are as they are told,
    // off where nobody speaks of them, and both bars are above zero.
    let board =
        "[0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]";
    let bars = "[1, -1, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 1, 1]";
    let money = "beaver=False cube_owner=centered cube_value=1";
    for told in [
        "loading 3ply True".to_owned(),
        format!("{board} 3 1 {money} jacoby=True"),
        format!("{board} 3 1 beaver=False cube_owner=None jacoby=False"),
        format!("{board} {money} jacoby=False"),
        format!(
            "{bars} away1=4 away2=2 beaver=False cube_owner=player cube_value=2 is_crawford=False"
        ),
        format!(
            "{board} away1=4 away2=2 beaver=False cube_owner=opponent cube_value=4 is_crawford=True"
        ),
    ] {
        assert!(run.stderr.contains(&told), "{told:?} is not in {run:?}");
    }
}

#[test]
fn a_missing_python_package_and_another_version_are_told_with_the_command_that_installs() {
    let install = "pip install bgsage==2.0.20260907";
    let nowhere = tempfile::tempdir().unwrap();
    let duel = ["duel", "random", "sage:2ply", "--games", "4"];
    tavola_in(&[("PATH", &nowhere.path().display().to_string())], &duel, b"")
        .refused(&["python3 is not installed", install]);
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let old = stand_in(folder.path(), "1.0");
    tavola_in(&[("PYTHONPATH", &old)], &duel, b"").refused(&[
        "bgsage 1.0 is installed, expected Open Sage",
        &python,
        install,
    ]);
    tavola(&["duel", "default", "sage:5ply"]).refused(&["\"sage:5ply\"", "from 1ply to 4ply"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        // A Python without the packages of its user.
        let bare = nowhere.path().join("python3");
        fs::write(&bare, format!("#!/bin/sh\nexec {python} -S \"$@\"\n")).unwrap();
        fs::set_permissions(&bare, fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/bin:/usr/bin", nowhere.path().display());
        tavola_in(&[("PATH", &path)], &duel, b"").refused(&["no Python package bgsage", install]);
    }
}

#[test]
fn open_sage_plays_cubeless_with_the_cube_and_matches() {
    let Some(python) = python() else { return };
    let version = "from importlib.metadata import version; print(version('bgsage'))";
    let found = Command::new(python).args(["-c", version]).output().unwrap();
    if found.stdout.trim_ascii() != b"2.0.20260907" {
        eprintln!(
            "SKIPPED: bgsage 2.0.20260907 is not installed (scripts/test.sh installs it where pip is there)"
        );
        return;
    }
    let duel = |a: &str, more: &[&str]| {
        let args = ["duel", a, "sage", "--threads", "1", "--json"];
        let answer = tavola(&[&args[..], more].concat()).json();
        assert_eq!(answer["failures"], serde_json::json!([]), "{answer}");
        answer
    };
    // Against itself a deterministic player comes out at zero in every pair.
    for stakes in [&[][..], &["--cube", "--jacoby", "--beavers"], &["--match", "3"]] {
        let even = duel("sage:1ply", &[&["--games", "8"], stakes].concat());
        assert_eq!(even["standard_error"], 0.0, "{even}");
        let kind = if stakes.is_empty() { "1ply, cubeless" } else { "1ply, cubeful" };
        let name = format!("Open Sage 2.0.20260907, {kind}");
        assert_eq!(even["b_version"], name.as_str(), "{even}");
    }
    let deeper = duel("sage:2ply", &["--games", "4"]);
    assert_eq!(deeper["a_version"], "Open Sage 2.0.20260907, 2ply, cubeless", "{deeper}");
    let weak = duel("random", &["--games", "8", "--game", "nackgammon"]);
    assert!(weak["ppg"].as_f64().unwrap() < -1.0, "{weak}");
    tavola(&["duel", "random", "sage", "--game", "hypergammon"]).refused(&["not hypergammon"]);
}
