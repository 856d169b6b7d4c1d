//! Training and duels, on the smallest scale that is real.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::run::tavola;

/// Two rounds of a few games with a tiny network.
const TINY: &str = "
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

fn config(folder: &Path, text: &str) -> String {
    let path = folder.join("tiny.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn train_makes_a_network_that_can_be_asked_and_described_and_matched() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), TINY);
    let out = folder.path().join("run");
    let out = out.to_str().unwrap();
    let report = tavola(&["train", &config, "--out", out, "--threads", "2", "--json"]).json();
    assert_eq!(report["finished"], true, "{report}");
    assert_eq!((&report["rounds_done"], &report["games"]), (&2.into(), &16.into()), "{report}");
    assert_eq!(report["evaluations"][0]["opponent"], "random");
    let weights = report["weights"].as_str().unwrap();
    let manifest = fs::read(Path::new(out).join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    // The build script finds the commit wherever this is a checkout.
    let commit = option_env!("TAVOLA_COMMIT").map_or(Value::Null, Value::from);
    assert_eq!(manifest["sessions"][0]["tool"]["commit"], commit, "{manifest}");

    let model = tavola(&["model", weights, "--json"]).json();
    assert_eq!((&model["game"], &model["hidden"][0]), (&"hypergammon".into(), &8.into()));
    assert!(!model["training"].as_object().unwrap().is_empty());
    let best = ["best", "--game", "hypergammon", "--model", weights, "--roll", "31", "--json"];
    assert!(!tavola(&best).json()["plays"].as_array().unwrap().is_empty());
    tavola(&["eval", "--model", weights]).refused(&["hypergammon", "backgammon"]);

    let duel = ["duel", weights, weights, "--game", "hypergammon", "--games", "8", "--json"];
    let duel = tavola(&duel).json();
    assert_eq!(duel["ppg"], 0.0, "{duel}");

    // A file is no place for a run.
    let file = format!("{config}/run");
    tavola(&["train", &config, "--out", &file]).refused(&[&file, "run directory"]);
    // The directory is taken, and only --resume may use it.
    tavola(&["train", &config, "--out", out]).refused(&[out, "resume"]);
    let again = tavola(&["train", &config, "--out", out, "--resume", "--json"]).json();
    assert_eq!(again["weights"], report["weights"]);
}

#[test]
fn train_tells_where_the_result_is_and_how_strong_it_got() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), TINY);
    let out = folder.path().join("run");
    let run = tavola(&["train", &config, "--out", out.to_str().unwrap(), "--threads", "1"]).done();
    assert!(run.stdout.starts_with("2 rounds, 16 games, "), "{run:?}");
    assert!(run.stdout.contains("ppg against random (8 games, too few to tell, seed "), "{run:?}");
    assert!(run.stdout.contains("final.safetensors"), "{run:?}");
    // No bars without a terminal, but the evaluations stay in a log; the report has the last one.
    assert!(run.stderr.lines().any(|line| line.starts_with("round    0: ")), "{run:?}");
    assert!(!run.stderr.contains("round    2: "), "{run:?}");
    let table = fs::read_to_string(out.join("metrics.csv")).unwrap();
    assert!(table.starts_with("round,games,") && table.lines().count() == 4, "{table}");
    assert!(!run.stderr.contains('\r') && !run.stderr.contains('\x1b'), "{run:?}");
}

#[test]
fn positions_of_a_run_are_shown_with_their_targets_the_worst_first() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), TINY);
    let out = folder.path().join("run");
    let out = out.to_str().unwrap();
    let empty = folder.path().to_str().unwrap();
    for wrong in [out, empty, &config] {
        let expected = ["holds no run to sample, expected a directory", "manifest.json", wrong];
        tavola(&["dataset", "sample", wrong]).refused(&expected);
    }
    tavola(&["train", &config, "--out", out, "--threads", "1"]).done();
    // A folder of runs names one.
    tavola(&["dataset", "sample", empty]).refused(&["such as", out]);
    tavola(&["model", out]).refused(&["it is a folder, expected", "run/final.safetensors"]);
    tavola(&["model", empty]).refused(&["it is a folder, expected a weights file\n"]);
    let asked = ["dataset", "sample", out, "--games", "3", "--top", "4"];
    let json = tavola(&[&asked[..], &["--json"]].concat()).json();
    assert_eq!((&json["round"], &json["game"]), (&3.into(), &"hypergammon".into()));
    let worst = json["worst"].as_array().unwrap();
    let losses: Vec<f64> = worst.iter().map(|it| it["loss"].as_f64().unwrap()).collect();
    assert!(losses.len() == 4 && losses.is_sorted_by(|a, b| a >= b) && losses[0] > 0.0, "{json}");
    assert!(json["states"].as_u64().unwrap() >= 4, "{json}");
    let text = tavola(&asked).done().stdout;
    assert_eq!(text.matches("\ntarget ").count(), 4, "{text}");
    assert!(text.contains("BAR") && text.contains("\nnetwork "), "{text}");
}

#[test]
fn a_dry_run_measures_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), TINY);
    let out = folder.path().join("run");
    let dry = ["train", &config, "--dry-run", "--threads", "1", "--out", out.to_str().unwrap()];
    let json = tavola(&[&dry[..], &["--json"]].concat()).json();
    assert_eq!((&json["measured_rounds"], &json["measured_games"]), (&2.into(), &16.into()));
    assert_eq!(json["phases"][0]["games"], 16, "{json}");
    assert_eq!((&json["phases"][0]["evaluations"], &json["exists"]), (&2.into(), &false.into()));
    assert!(json["seconds"].as_f64().unwrap() > 0.0 && json["memory"].as_u64().unwrap() > 0);
    let text = tavola(&dry).done().stdout;
    for part in ["nothing is written", "2 rounds in ", "16 games, on 1 thread", "metrics.csv"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80 || line.contains("run")), "{text}");
    // A single run has no times of phases.
    assert!(!text.contains("minutes by the file"), "{text}");
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(names, [Path::new(&config)]);
    tavola(&[&dry[..], &["--resume"]].concat()).refused(&["--dry-run", "--resume"]);
    // What can't be trained can't be tried.
    let wrong = self::config(folder.path(), "rounds = 0");
    tavola(&["train", &wrong, "--dry-run"]).refused(&["rounds"]);
}

#[test]
fn several_seeds_have_a_mean_and_go_on_where_one_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), TINY);
    let out = folder.path().join("many");
    let train = ["train", &config, "--threads", "1", "--out", out.to_str().unwrap()];
    let run = tavola(&[&train[..], &["--seeds", "1,2"]].concat()).done();
    assert!(run.stdout.starts_with("2 seeds after round 2:"), "{run:?}");
    assert!(run.stdout.contains("ppg_random"), "{run:?}");
    let table = fs::read_to_string(out.join("seeds.csv")).unwrap();
    assert!(table.contains("\n2,16,ppg_random,2,"), "{table}");
    assert!(fs::read_to_string(out.join("seeds.svg")).unwrap().contains("mean of 2 seeds"));
    // Each is the run of its seed alone.
    let single = folder.path().join("single");
    let single = single.to_str().unwrap();
    tavola(&["train", &config, "--threads", "1", "--out", single, "--seed", "2"]).done();
    let weights = |folder: &Path| fs::read(folder.join("final.safetensors")).unwrap();
    assert_eq!(weights(Path::new(single)), weights(&out.join("seed-2")));
    assert_ne!(weights(Path::new(single)), weights(&out.join("seed-1")));
    tavola(&[&train[..], &["--seeds", "1,2"]].concat()).refused(&["seed-1", "--resume"]);
    let more = tavola(&[&train[..], &["--seeds", "1,2,3", "--resume", "--json"]].concat()).json();
    assert_eq!(more["runs"].as_array().unwrap().len(), 3);
    assert!(fs::read_to_string(out.join("seeds.csv")).unwrap().contains(",ppg_random,3,"));
    tavola(&[&train[..], &["--seeds", "1,1", "--resume"]].concat())
        .refused(&["--seeds", "1 twice"]);
}

#[test]
fn unusable_configurations_are_refused_with_file_and_key() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let out = out.to_str().unwrap();
    for (text, parts) in [
        ("rounds = 0", ["rounds", "0"]),
        ("roundz = 3", ["roundz", "rounds"]),
        ("rounds = \"many\"", ["many", "a whole number"]),
        ("game = \"chess\"", ["chess", "nackgammon"]),
        ("rounds = ", ["tiny.toml", "line 1"]),
    ] {
        let config = config(folder.path(), text);
        tavola(&["train", &config, "--out", out]).refused(&[&["tiny.toml"], &parts[..]].concat());
    }
    tavola(&["train", "nowhere.toml", "--out", out]).refused(&["nowhere.toml"]);
    let config = config(folder.path(), TINY);
    tavola(&["train", &config, "--out", out, "--resume"]).refused(&[out, "resume"]);
    tavola(&["train", &config, "--threads", "0"]).refused(&["--threads"]);
    assert!(!Path::new(out).exists());
}

#[test]
fn overrides_are_part_of_the_configuration_that_the_run_stores() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), TINY);
    let out = folder.path().join("run");
    let out = out.to_str().unwrap();
    let train = |more: &[&str]| tavola(&[&["train", &config, "--out", out], more].concat());
    let options = ["--set", "network.hidden=[4]", "--seed", "7", "--rounds", "1", "--json"];
    assert_eq!(train(&options).json()["rounds"], 1);
    let stored = fs::read_to_string(Path::new(out).join("config.toml")).unwrap();
    for line in ["seed = 7", "rounds = 1", "hidden = [4]"] {
        assert!(stored.lines().any(|found| found == line), "{line} is not in {stored}");
    }
    // The run is resumed with the same ones, and only with them.
    train(&["--resume"]).refused(&["network.hidden: [4], [8]", "seed: 7, 5"]);
    train(&[&options[..], &["--resume"]].concat()).json();

    train(&["--set", "rounds"]).refused(&["--set", "KEY=VALUE"]);
    train(&["--set", "learner.speed=3"]).refused(&["learner.speed=3", "batch_size"]);
    train(&["--rounds", "-1"]).refused(&["--rounds", "-1", "from 1 to 999,999"]);
    train(&["--seed", "-1"]).refused(&["--seed", "-1"]);
}

#[test]
fn a_configuration_to_begin_with_is_written_once_and_can_be_trained() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my first.toml");
    let path = path.to_str().unwrap();
    let wrote = tavola(&["train", "--init", path]).done();
    assert!(wrote.stdout.contains(&format!("tavola train '{path}'")), "{wrote:?}");
    assert_eq!(fs::read_to_string(path).unwrap(), tavola(&["train", "--init"]).done().stdout);
    tavola(&["train", "--init", path]).refused(&[path, "exists"]);
    tavola(&["train", path, "--init"]).refused(&["--init", "cannot be used with"]);
    tavola(&["train"]).refused(&["CONFIG"]);

    let out = folder.path().join("run");
    let mut options = vec!["train", path, "--out", out.to_str().unwrap(), "--rounds", "1"];
    for set in ["game=hypergammon", "games_per_round=4", "evaluation.games=4", "network.hidden=[4]"]
    {
        options.extend(["--set", set]);
    }
    assert_eq!(tavola(&[&options[..], &["--json"]].concat()).json()["rounds_done"], 1);
    // The same run with more rounds goes on where it ended.
    options[5] = "3";
    tavola(&options).refused(&["already holds a run", "resume"]);
    let longer = tavola(&[&options[..], &["--resume"]].concat()).done();
    assert!(longer.stdout.starts_with("3 rounds, 12 games"), "{longer:?}");
    assert!(longer.stderr.contains("resuming after round 1 in"), "{longer:?}");
}

#[test]
fn evaluations_know_the_players_of_duels_and_miss_a_program_before_the_first_round() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let out = out.to_str().unwrap();
    let text = "game = \"backgammon\"\nrounds = 1\ngames_per_round = 2\nfirst_round_games = 1\n\
        [network]\nhidden = [4]\n[evaluation]\ngames = 4\n";
    let config = config(folder.path(), text);
    let train = |opponents: &str| {
        let set = format!("evaluation.opponents={opponents}");
        tavola(&["train", &config, "--out", out, "--set", &set, "--threads", "2", "--json"])
    };
    train("[\"exec:/nowhere/engine\"]").refused(&["exec:/nowhere/engine", "cannot start"]);
    train("[\"gnubg:9\"]").refused(&["gnubg:9", "0 to 7"]);
    train("[\"defualt\"]").refused(&["evaluation.opponents is \"defualt\"", "gnubg:PLY"]);
    train("[\"default@1/hug\"]").refused(&["\"default@1/hug\"", "fast, normal, wide or full"]);
    train("[\"default#000000000000\"]").refused(&["000000000000", "has the network"]);
    assert!(!Path::new(out).exists());

    let report = train("[\"default\", \"raw:default@1/fast\"]").json();
    let names: Vec<_> =
        report["evaluations"].as_array().unwrap().iter().map(|e| e["opponent"].clone()).collect();
    assert_eq!(names, ["default", "raw:default@1/fast"]);
    let manifest = fs::read(Path::new(out).join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let model = tavola(&["model", "--json"]).json();
    assert_eq!(manifest["inputs"]["default"], model["sha256"], "{manifest}");
}

#[cfg(unix)]
#[test]
fn an_opponent_that_fails_ends_the_run_and_leaves_what_was_learned() {
    let folder = tempfile::tempdir().unwrap();
    let engine = "exec:sh -c 'read line; echo tavola-engine 1 quitter'";
    let text = TINY.replace("\"random\"", &format!("{engine:?}"));
    let config =
        config(folder.path(), &text.replace("[network]", "checkpoint.every_rounds = 9\n[network]"));
    let out = folder.path().join("run");
    let run = tavola(&["train", &config, "--out", out.to_str().unwrap(), "--threads", "1"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("after round 0") && run.stderr.contains("quitter"), "{run:?}");
}

#[cfg(not(feature = "wgpu"))]
#[test]
fn a_gpu_that_this_program_cannot_use_is_refused_with_the_way_to_build_it() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), "learner = { device = \"gpu\" }");
    let out = folder.path().join("run");
    tavola(&["train", &config, "--out", out.to_str().unwrap()]).refused(&[
        "tiny.toml: learner.device is \"gpu\", expected \"cpu\"",
        "cargo build --release -p tavola-cli --features wgpu",
    ]);
    assert!(!out.exists());
}

#[cfg(unix)]
#[test]
fn a_run_is_shown_in_the_browser_while_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), TINY);
    let out = folder.path().join("run");
    let train = ["train", &config, "--out", out.to_str().unwrap(), "--watch=0", "--json"];
    let run = tavola(&train);
    let told = "watch it at http://127.0.0.1:";
    assert!(run.stderr.lines().any(|line| line.starts_with(told) && line.ends_with("/#/watch")));
    // It ends with the run and says how it goes on; stdout is still one object.
    let again = "it goes on with tavola serve --port ";
    let of_run = format!("--run {}", out.display());
    assert!(
        run.stderr.lines().any(|line| line.contains(again) && line.ends_with(&of_run)),
        "{}",
        run.stderr
    );
    assert_eq!(run.json()["finished"], true);
    tavola(&["train", &config, "--watch=port"]).refused(&["--watch", "port"]);
}

#[test]
fn an_interrupt_stops_cleanly_and_says_how_to_go_on() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Command;

    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), &TINY.replace("rounds = 2", "rounds = 999999"));
    let out = folder.path().join("my run");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tavola"))
        .args(["train", &config, "--threads", "1", "--out"])
        .arg(&out)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("training in "), "{line}");
    // Not as Ctrl-C does: whoever runs the tests in the background has that signal ignored.
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest}");
    assert!(rest.contains("Ctrl-C again"), "{rest}");
    let again = format!("--out '{}' --resume", out.display());
    assert!(rest.contains("stopped after round ") && rest.contains(&again), "{rest}");
}

#[cfg(target_os = "linux")]
#[test]
fn signals_that_the_parent_has_ignored_stop_nothing() {
    use std::process::Command;
    use std::thread::sleep;
    use std::time::Duration;

    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), TINY);
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP INT; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_tavola")])
        .args(["train", &config, "--threads", "1", "--out"])
        .arg(folder.path().join("run"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // At first the shell is there, which has not yet had them ignored.
    let ignores = |child: &std::process::Child| {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
        u64::from_str_radix(mask, 16).unwrap() & 3 == 3
    };
    while !ignores(&child) && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    while child.try_wait().unwrap().is_none() {
        for signal in ["-HUP", "-INT"] {
            Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        }
        sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !stderr.contains("Ctrl-C"), "{stderr}");
}

#[test]
fn duel_tells_the_stronger_player_with_an_interval() {
    let args = ["duel", "pip-count", "random", "--games", "200", "--seed", "3", "--no-luck"];
    let text = tavola(&args).done().stdout;
    assert!(text.contains("A is stronger"), "{text}");
    assert!(text.contains("200 games of backgammon"), "{text}");
    let json = |threads| tavola(&[&args[..], &["--json", "--threads", threads]].concat()).json();
    let (one, two): (Value, Value) = (json("1"), json("2"));
    assert!(one["ppg"].as_f64().unwrap() > 0.5, "{one}");
    let interval = one["interval"].as_array().unwrap();
    assert!(
        interval[0].as_f64() < one["ppg"].as_f64() && one["ppg"].as_f64() < interval[1].as_f64()
    );
    assert_eq!((&one["games"], &one["seed"]), (&200.into(), &3.into()));
    for key in ["ppg", "interval", "a_wins", "b_wins"] {
        assert_eq!(one[key], two[key], "{key} differs between 1 and 2 threads");
    }
}

#[test]
fn duels_that_cannot_be_played_are_refused() {
    tavola(&["duel", "default", "nobody"]).refused(&["\"nobody\"", "pip-count"]);
    tavola(&["duel", "random", "random", "--games", "3"]).refused(&["3", "even"]);
    tavola(&["duel", "random", "random", "--games", "many"]).refused(&["many", "--games"]);
    tavola(&["duel", "default", "random", "--game", "nowhere"]).refused(&["nowhere"]);
    tavola(&["duel", "random"]).refused(&["<B>"]);
    tavola(&["duel", "Cargo.toml", "random"]).refused(&["Cargo.toml", "safetensors"]);
}
