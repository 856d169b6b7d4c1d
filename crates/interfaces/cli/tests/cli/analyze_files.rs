//! `tavola analyze` of folders: bad files among good ones, totals and trends, kills, and what GNU
//! Backgammon says of the annotated file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::external::{command_gnubg, gnubg};
use crate::run::{tavola, tavola_in};

/// One game.
const SAMPLE: &str = include_str!("files/three-points.mat");

/// Three games.
const SEVERAL: &str = include_str!("../../../../advice/matches/tests/files/three-points.mat");

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn analyze(files: &Path, more: &[&str]) -> crate::run::Run {
    let args = ["analyze", text(files), "--ply", "0", "--no-cache", "--no-tables"];
    tavola(&[&args[..], more].concat())
}

/// The match of the sample on another day, with other names.
fn on(date: &str, one: &str, two: &str) -> String {
    let named =
        SAMPLE.replace("gnubg :", &format!("{one} :")).replace("root :", &format!("{two} :"));
    named.replace("2026.11.23", date)
}

#[test]
fn hostile_files_are_named_with_their_lines_and_the_rest_is_analyzed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("a-good.mat", SAMPLE.as_bytes());
    // Cut within a play of the first game.
    let cut = SAMPLE.find("12) 44").unwrap() + 16;
    write("b-truncated.mat", &SAMPLE.as_bytes()[..cut]);
    // A line in UTF-8 and another in Windows-1252.
    let named = format!("; [Event \"Zo\u{eb}\"]\n{}", on("2026.11.23", "J@rgen", "Bob"));
    let mixed: Vec<u8> = named.bytes().map(|byte| if byte == b'@' { 0xfc } else { byte }).collect();
    write("c-encodings.mat", &mixed);
    write("d-dice.mat", SEVERAL.replacen("5) 53:", "5) 73:", 1).as_bytes());
    // Nothing of it can be played from there.
    write("e-play.mat", SAMPLE.replacen("7/4* 13/12", "2/1 2/1", 1).as_bytes());
    let sgf = "(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B]\
               ;AE[a:x]AW[a][a][a][a][a][a][a][a][a][a][a][a][a][a][a][a][a]PL[W];W[31hefe])";
    write("f-counts.sgf", sgf.as_bytes());
    write("g-truncated.sgf", b"(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B];W[31he");
    File::create(folder.path().join("h-huge.mat")).unwrap().set_len(100 << 20).unwrap();
    write("i-empty.mat", b"");
    write("j-picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    write(
        "k-json.json",
        br#"{"format": "tavola match", "version": 1, "matches": [{"length": -3}]}"#,
    );
    fs::create_dir(folder.path().join("l-folder")).unwrap();

    let run = analyze(folder.path(), &["--json"]).done();
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let analyzed: Vec<&Value> = report["matches"].as_array().unwrap().iter().collect();
    let find = |name: &str| {
        let found = analyzed.iter().find(|it| it["source"].as_str().unwrap().contains(name));
        *found.unwrap_or_else(|| panic!("{name}: {}", run.stderr))
    };
    let decisions = |name: &str| find(name)["decisions"].as_array().unwrap().len();
    let good = decisions("a-good.mat");
    assert!(good > 60, "{good}");
    for name in ["b-truncated", "d-dice", "e-play"] {
        let some = decisions(name);
        assert!(some > 10 && (some < good || name == "d-dice"), "{name}: {some}");
        let notes = find(name)["notes"].to_string();
        assert!(notes.contains("line "), "{name}: {notes}");
        assert!(run.stderr.contains(name), "{}", run.stderr);
    }
    // The first game ends there, and the other two are whole.
    let of_game = |game: u64| {
        let all = find("d-dice")["decisions"].as_array().unwrap().iter();
        all.filter(|decision| decision["game"] == game).count()
    };
    assert!(of_game(1) < 15 && of_game(2) > 40 && of_game(3) > 40, "{}", of_game(1));
    assert_eq!(decisions("c-encodings"), good);
    let mixed = find("c-encodings");
    assert_eq!((&mixed["players"][0]["name"], &mixed["event"]), (&json!("Jürgen"), &json!("Zoë")));
    let failed = report["failed"].as_array().unwrap();
    let why = |name: &str| {
        let entry = failed.iter().find(|it| it["file"].as_str().unwrap().contains(name));
        let entry = entry.unwrap_or_else(|| panic!("{name}: {}", run.stderr));
        entry["error"].as_str().unwrap().to_owned()
    };
    assert!(why("h-huge").contains("16777216 bytes"), "{}", why("h-huge"));
    assert!(why("i-empty").contains("empty"), "{}", why("i-empty"));
    assert!(why("j-picture").contains("no record of games"), "{}", why("j-picture"));
    assert!(why("k-json").contains("-3"), "{}", why("k-json"));
    for name in ["f-counts", "g-truncated"] {
        assert!(run.stderr.contains(name), "{name}: {}", run.stderr);
    }
    // One line of what was left out, and the reasons where they are wanted.
    let left_out: Vec<&str> =
        run.stderr.lines().filter(|line| line.contains("left out, no match")).collect();
    let [line] = left_out[..] else { panic!("{}", run.stderr) };
    for part in [&format!("{} of 11 files", failed.len())[..], "k-json.json", "--verbose"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(!run.stderr.contains("version 1"), "{}", run.stderr);
    let verbose = analyze(folder.path(), &["--verbose"]).done().stderr;
    assert!(verbose.contains(&why("k-json")), "{verbose}");
    // Every file is in one of the lists, and none in both.
    assert_eq!(analyzed.len() + failed.len(), 11, "{}", run.stderr);
}

#[test]
fn totals_of_a_folder_are_the_sums_and_the_trend_follows_the_dates() {
    let folder = tempfile::tempdir().unwrap();
    // The names of the files do not follow the dates.
    fs::write(folder.path().join("1.mat"), on("2026.11.20", "Ann", "Bob")).unwrap();
    fs::write(folder.path().join("2.mat"), on("2026.02.03", "Cid", "Ann")).unwrap();
    let html = folder.path().join("page.html");
    let report = analyze(folder.path(), &["--json", "--threads", "1"]).report();
    assert_eq!(report, analyze(folder.path(), &["--json", "--threads", "3"]).report());
    let totals = report["totals"].as_array().unwrap();
    let ann = totals.iter().find(|player| player["name"] == "Ann").unwrap();
    assert_eq!((ann["matches"].as_u64(), totals.len()), (Some(2), 3));
    let of = |source: &str, seat: usize| {
        let mut all = report["matches"].as_array().unwrap().iter();
        &all.find(|it| it["source"].as_str().unwrap().contains(source)).unwrap()["players"][seat]
    };
    let (first, second) = (of("1.mat", 0), of("2.mat", 1));
    for key in ["plays", "unforced_plays", "close_cube_decisions", "pr_decisions", "blunders"] {
        let sum = first[key].as_u64().unwrap() + second[key].as_u64().unwrap();
        assert_eq!(ann[key].as_u64(), Some(sum), "{key}");
    }
    for parts in ["faults", "phases"] {
        for (name, count) in ann[parts].as_object().unwrap() {
            let part = |of: &Value| of[parts][name]["loss_emg"].as_f64().unwrap_or(0.0);
            let sum = part(first) + part(second);
            assert!((count["loss_emg"].as_f64().unwrap() - sum).abs() < 1e-9, "{name}");
        }
    }
    let dates: Vec<&Value> =
        ann["trend"].as_array().unwrap().iter().map(|point| &point["date"]).collect();
    assert_eq!(dates, ["2026-02-03", "2026-11-20"]);

    let run = analyze(folder.path(), &["--html", text(&html)]).done();
    for part in ["Ann, by kind, by phase and by date:", "wrong play", "2026-02-03", "opening"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let page = fs::read_to_string(&html).unwrap();
    for part in ["aria-label=\"PR of each match\"", "by phase", "2026-11-20"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn errors_that_recur_have_their_cost_in_each_phase() {
    let folder = tempfile::tempdir().unwrap();
    for (name, date, other) in [("1.mat", "2026.11.20", "Ann"), ("2.mat", "2026.02.03", "Dan")] {
        fs::write(folder.path().join(name), on(date, other, "Bob")).unwrap();
    }
    let html = folder.path().join("page.html");
    let report = analyze(folder.path(), &["--json"]).report();
    let totals = report["totals"].as_array().unwrap();
    let bob = totals.iter().find(|player| player["name"] == "Bob").unwrap();
    let run = analyze(folder.path(), &["--html", text(&html)]).done();
    let page = fs::read_to_string(&html).unwrap();
    let values = analyze(folder.path(), &["--csv"]).done().stdout;
    let (_, rows) = run.stdout.split_once("recurring errors").unwrap();
    let (rows, _) = rows.split_once("\n\n").unwrap();
    let number = |count: &Value| count["errors"].as_u64().unwrap();
    let mut expected = 0;
    for phases in bob["habits"].as_object().unwrap().values() {
        let phases = phases.as_object().unwrap();
        if phases.values().map(number).sum::<u64>() < 2 {
            continue;
        }
        expected += phases.len() + usize::from(phases.len() > 1);
        for (phase, count) in phases {
            let lost = format!("{:.3}", count["loss_emg"].as_f64().unwrap());
            let is_row = |row: &str| row.contains(&phase.replace('-', " ")) && row.ends_with(&lost);
            assert!(rows.lines().any(is_row), "{phase} {lost}: {rows}");
            assert!(page.contains(&format!("<td>{}</td><td>{lost}</td>", number(count))), "{lost}");
        }
    }
    assert!(expected > 0 && rows.lines().skip(1).count() == expected, "{rows}");
    let name = rows.lines().nth(1).unwrap().split("  ").next().unwrap();
    assert!(values.lines().filter(|row| row.contains(name)).count() >= 2, "{name}: {values}");
}

#[test]
fn an_analysis_that_was_killed_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (files, cache) = (folder.path().join("files"), folder.path().join("cache"));
    fs::create_dir(&files).unwrap();
    fs::write(files.join("1.mat"), SAMPLE).unwrap();
    fs::write(
        files.join("2.mat"),
        on("2026.11.24", "Ann", "Bob").replace("13/11 24/23", "24/23 13/11"),
    )
    .unwrap();
    let args = ["analyze", text(&files), "--ply", "1", "--no-tables", "--json", "--threads", "1"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_tavola"))
        .args(args)
        .env("TAVOLA_CACHE_DIR", &cache)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let journal = || -> Option<PathBuf> {
        let entry = fs::read_dir(&cache).ok()?.next()?.ok()?;
        Some(entry.path())
    };
    let content = || journal().and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    let started = Instant::now();
    while content().lines().count() < 8 && child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < Duration::from_secs(300), "nothing was kept");
        std::thread::sleep(Duration::from_millis(5));
    }
    // It may be done before the signal comes; then all of it was kept.
    let _ = child.kill();
    child.wait().unwrap();
    let before = content();
    let whole = before.rfind('\n').map_or("", |end| &before[..=end]).to_owned();
    assert!(whole.lines().count() >= 8);
    let environment = [("TAVOLA_CACHE_DIR", text(&cache))];
    let resumed = tavola_in(&environment, &args, b"").report();
    let after = content();
    assert!(after.starts_with(&whole), "what was found is not found again");
    let mut keys: Vec<String> = after
        .lines()
        .filter_map(|line| {
            serde_json::from_str::<Value>(line).ok()?["key"].as_str().map(Into::into)
        })
        .collect();
    let lines = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), lines, "a decision was evaluated twice");
    let afresh = tavola(&[&args[..], &["--no-cache"]].concat()).report();
    assert_eq!(resumed, afresh);
    // Once more with nothing left to do.
    assert_eq!(tavola_in(&environment, &args, b"").report(), afresh);
    assert_eq!(content(), after);
}

/// GNU Backgammon opens the file and counts what we have written, without an analysis of its own.
#[test]
fn gnu_backgammon_shows_our_figures() {
    let Some(program) = gnubg() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("three.mat");
    let sgf = folder.path().join("three.sgf");
    fs::write(&file, SAMPLE).unwrap();
    let report = analyze(&file, &["--sgf", text(&sgf), "--json"]).report();
    let commands = format!(
        "set display off\nset output mwc off\nload match {}\nshow statistics match\nquit\ny\n",
        text(&sgf)
    );
    let told = command_gnubg(&program, folder.path(), &commands);
    let row = |name: &str, place: usize| -> Vec<f64> {
        let rows = told.lines().filter(|line| line.starts_with(name));
        let line = rows.clone().nth(place).unwrap_or_else(|| panic!("{name} in {told}"));
        // The numbers in parentheses are winning chances.
        let mut depth = 0_i32;
        let outside = line[name.len()..].chars().filter(|c| {
            depth += i32::from(*c == '(');
            let keep = depth == 0;
            depth -= i32::from(*c == ')');
            keep
        });
        let words: String = outside.collect();
        words.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let ours = |key: &str| [0, 1].map(|seat: usize| report["players"][seat][key].as_f64().unwrap());
    assert_eq!(row("Total moves", 0), ours("plays"), "{told}");
    assert_eq!(row("Unforced moves", 0), ours("unforced_plays"), "{told}");
    assert_eq!(row("Total cube decisions", 0), ours("cube_decisions"), "{told}");
    for (place, key) in [(0, "checker_error_emg"), (1, "cube_error_emg")] {
        let theirs = row("Error total EMG", place);
        for (theirs, ours) in theirs.iter().zip(ours(key)) {
            assert!((theirs + ours).abs() < 0.0011, "{key}: {ours} and {told}");
        }
        assert_eq!(theirs.len(), 2, "{told}");
    }
}

/// The names of the matches that are in a folder, as the analysis sees them.
fn sources(report: &Value) -> Vec<&str> {
    let all = report["matches"].as_array().map_or(std::slice::from_ref(report), Vec::as_slice);
    all.iter().map(|it| it["source"].as_str().unwrap()).collect()
}

#[test]
fn what_tavola_wrote_is_skipped_and_a_match_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("a.mat"), SEVERAL).unwrap();
    let (html, cards, sgf) = (path("a.html"), path("a.tsv"), path("a-shown.sgf"));
    let csv = format!("--csv={}", path("a.csv"));
    let alone = analyze(Path::new(&path("a.mat")), &["--html", &html, "--cards", &cards, &csv]);
    fs::write(path("report.txt"), alone.done().stdout).unwrap();
    let markdown = analyze(Path::new(&path("a.mat")), &["--markdown"]).done().stdout;
    fs::write(path("report.md"), markdown).unwrap();
    let report = analyze(Path::new(&path("a.mat")), &["--json", "--sgf", &sgf]).done().stdout;
    fs::write(path("report.json"), &report).unwrap();
    for ending in ["json", "sgf", "txt"] {
        tavola(&["convert", &path("a.mat"), &path(&format!("b.{ending}"))]).done();
    }
    // Pages of earlier versions have no mark.
    let page = fs::read_to_string(&html).unwrap();
    let old = page.replace("<meta name=\"generator\" content=\"tavola analyze\">", "");
    assert_ne!(page, old);
    fs::write(path("old.html"), old).unwrap();
    let old = fs::read_to_string(&cards).unwrap().replace("#generator:tavola analyze\n", "");
    fs::write(path("cards.txt"), old).unwrap();

    let run = analyze(folder.path(), &["--json"]).done();
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(sources(&found), [path("a-shown.sgf")]);
    let lines: Vec<&str> = run.stderr.lines().filter(|it| it.contains(" file")).collect();
    let [skipped, twice] = lines[..] else { panic!("{}", run.stderr) };
    assert_eq!(skipped, "8 files skipped: pages, tables and reports that tavola wrote");
    assert!(twice.starts_with("4 files hold a match that is here already: "), "{twice}");
    let whole: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(found["players"], whole["players"]);
    // The same file twice is one match, and what is verified is what was analyzed.
    let file = path("a.mat");
    let twice = analyze(Path::new(&file), &[&file, "--json"]);
    assert!(twice.stderr.contains("1 file holds a match that is here already"), "{twice:?}");
    assert_eq!(sources(&twice.json()), [file.as_str()]);
    let verify = ["verify", &path("report.json"), &file, &path("b.sgf"), &html, "--no-tables"];
    tavola(&verify).done();
    // By itself such a file is refused, and several of them alone are no match.
    analyze(Path::new(&html), &[]).refused(&["a.html", "tavola wrote it", "expected a match"]);
    let both = analyze(Path::new(&html), &[&cards]);
    assert_eq!(both.code, Some(2), "{both:?}");
    assert!(
        both.stderr.contains("2 files skipped") && both.stderr.contains("nothing was analyzed")
    );
    // A quiz reads the same.
    let deck = path("deck.json");
    let quiz = |files: &[&str]| {
        let words = ["quiz", "--deck", &deck, "--ply", "0", "--no-tables", "--list", "--json"];
        tavola(&[&words[..], files].concat())
    };
    let one = quiz(&[&file]).json();
    let all = quiz(&[folder.path().to_str().unwrap()]);
    assert!(all.stderr.contains("9 files skipped"), "{all:?}");
    assert_eq!(all.json()["questions"], one["questions"]);
}
