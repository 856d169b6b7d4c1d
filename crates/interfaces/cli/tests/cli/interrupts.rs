//! A command that is interrupted, as Ctrl-C does, ends before its search, game or round does.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::run::{CACHE, Run, bounded, tavola};

/// Long enough for a command to be in its work, not for any of these to end.
const BEGIN: Duration = Duration::from_secs(3);

fn start(args: &[&str]) -> Child {
    start_with_temporary(std::env::temp_dir().as_path(), args)
}

/// Starts a command whose folder for temporary files is this one.
fn start_with_temporary(folder: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_tavola"))
        .args(args)
        .env("TMPDIR", folder)
        .env("TAVOLA_CACHE_DIR", CACHE)
        .env("TAVOLA_THREADS", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Asks it to end. Not as Ctrl-C does: that signal is ignored where tests run in the background.
fn interrupt(child: Child, name: &str) -> Run {
    let asked = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(asked.success(), "{name} has ended before");
    bounded(child, name)
}

#[test]
fn every_command_ends_by_itself_at_every_depth() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
    let reference = format!("{samples}/benches/grade/tuning.jsonl");
    let config = format!("{samples}/configs/small.toml");
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/files/three-points.mat");
    let (ladder, page, states, set) =
        (path("ladder.jsonl"), path("page.html"), path("states.jsonl"), path("set"));
    let (run, rated) = (path("run"), path("rated.jsonl"));
    let keep = ["--time", "1h", "--file", &ladder];
    let commands: Vec<Vec<&str>> = vec![
        vec!["duel", "default@3", "default@3", "--games", "1000"],
        vec!["duel", "default@3", "default@3", "--games", "1000", "--match", "25"],
        vec!["duel", "default@3", "default@3", "--games", "1000", "--cube", "--chouette", "5"],
        vec!["duel", "default@roller+", "default@3", "--games", "1000", "--cube"],
        [&["ladder", "default@3", "default@2"][..], &keep].concat(),
        vec!["grade", "default@3", "--reference", &reference],
        vec!["grade", "rollout", &reference, "--look", "3", "--play", "3", "--out", &rated],
        vec!["grade", "states", "--games", "9000", "--play", "3", "--out", &states],
        vec!["profile", "default", "--games", "100000", "--out", &page],
        vec!["rollout", "--ply", "3", "--trials", "100000"],
        vec!["rollout", "--roll", "31", "--ply", "2", "--cube-ply", "2", "--trials", "100000"],
        vec!["analyze", book, "--ply", "3", "--no-cache"],
        vec!["train", &config, "--out", &run],
        vec!["dataset", "generate", &config, "--games", "1000000", "--out", &set],
        vec!["best", "--roll", "42", "--ply", "3", "--preset", "full"],
        vec!["cube", "--ply", "3", "--preset", "full"],
        vec!["bench"],
        vec!["perft", "--depth", "6"],
    ];
    let started: Vec<(String, Child)> =
        commands.iter().map(|args| (args.join(" "), start(args))).collect();
    sleep(BEGIN);
    for (name, mut child) in started {
        if let Some(status) = child.try_wait().unwrap() {
            let run = bounded(child, &name);
            panic!("{name} has ended before, {status}: {run:?}");
        }
        let Run { code, stdout, stderr } = interrupt(child, &name);
        // Ended by the signal itself, or with what was kept, or as one that was interrupted.
        assert!(matches!(code, None | Some(0 | 1 | 130)), "{name}: {code:?} {stdout} {stderr}");
        assert!(!stderr.contains("panicked") && !stderr.contains("called off"), "{name}: {stderr}");
    }
}

#[test]
fn a_duel_that_is_interrupted_inside_its_games_goes_on_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = folder.path().join("a.pairs").display().to_string();
    let duel =
        ["duel", "default@1", "pip-count", "--games", "12", "--json", "--luck-network", "default"];
    let kept = || [if fs::exists(&pairs).unwrap() { "--resume" } else { "--save" }, &pairs];
    let figures = |run: Run| {
        let report = run.json();
        ["games", "a_wins", "b_wins", "ppg", "interval", "luck_adjusted", "failures"]
            .map(|name| report[name].clone())
    };
    for begun in 1..=5 {
        let mut child = start(&[&duel[..], &kept()].concat());
        sleep(Duration::from_millis(400 * begun));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        let run = interrupt(child, "duel");
        assert!(!run.stderr.contains("called off") && !run.stderr.contains("failed"), "{run:?}");
    }
    let resumed = figures(tavola(&[&duel[..], &kept()].concat()));
    assert_eq!(resumed, figures(tavola(&duel)));
}

#[test]
fn a_dry_run_leaves_nothing_behind_however_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../configs/small.toml");
    let begin = || start_with_temporary(folder.path(), &["train", config, "--dry-run"]);
    let trials = || -> Vec<_> {
        let trials = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path());
        trials.filter(|trial| trial.join("run/lock").exists()).collect()
    };
    let begun = |but: &[_]| {
        while trials().iter().all(|trial| but.contains(trial)) {
            sleep(Duration::from_millis(20));
        }
    };
    let child = begin();
    begun(&[]);
    let run = interrupt(child, "dry run");
    assert_eq!((run.code, trials().len()), (Some(1), 0), "{run:?}");
    assert!(run.stderr.contains("stopped before the speed was known"), "{run:?}");
    // What one leaves that was killed, the next removes.
    let mut child = begin();
    begun(&[]);
    child.kill().unwrap();
    child.wait().unwrap();
    let left = trials();
    assert_eq!(left.len(), 1);
    let child = begin();
    begun(&left);
    assert!(!left[0].exists());
    interrupt(child, "dry run");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
