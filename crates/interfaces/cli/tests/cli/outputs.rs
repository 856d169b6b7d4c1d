//! The rule of outputs, which every command that writes a file obeys: `tests/outputs.txt` has them.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::SMALL;
use crate::run::{Run, tavola_at};

/// All options that name a file to write.
const TABLE: &str = include_str!("../outputs.txt");

/// A short match.
const MATCH: &str = " 1 point match\n\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5   42: 8/4 6/4\n  2) 53: 8/3 6/3\n";

/// Endings of records of games.
const RECORDS: [&str; 12] =
    ["mat", "sgf", "xg", "xgp", "txt", "json", "ogxm", "MAT", "Sgf", "gam", "bgf", "jsonl"];

/// An option with the endings that fit, and a command line that writes it.
struct Output {
    option: &'static str,
    endings: Vec<&'static str>,
    words: Vec<&'static str>,
    /// Whether the command goes on with a file that exists.
    goes_on: bool,
}

fn outputs() -> Vec<Output> {
    let mut goes_on = false;
    let mut outputs = Vec::new();
    for line in TABLE.lines() {
        if line.starts_with('#') {
            goes_on |= line.contains("goes on with");
            continue;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let &[_, option, endings, words] = &cells[..] else { panic!("{line}") };
        let endings = endings.split(',').collect();
        outputs.push(Output { option, endings, words: words.split(' ').collect(), goes_on });
    }
    outputs
}

impl Output {
    /// Runs the command in a folder with this file to write.
    fn run(&self, folder: &TempDir, out: &str, more: &[&str]) -> Run {
        let words: Vec<String> = self
            .words
            .iter()
            .map(|word| {
                word.replace("OUT", out)
                    .replace("PAIRS", "in.pairs")
                    .replace("NET", SMALL)
                    .replace("IN", "in.mat")
            })
            .collect();
        let words: Vec<&str> =
            words.iter().map(String::as_str).chain(more.iter().copied()).collect();
        tavola_at(folder.path(), &[], &words, b"")
    }

    /// `--force`, where the command may replace a file.
    fn force(&self) -> &'static [&'static str] {
        if self.goes_on && !self.words[0].starts_with("ladder") { &[] } else { &["--force"] }
    }

    fn said(&self) -> String {
        format!("{} {}", self.words.join(" "), self.option)
    }
}

/// A folder with a match to be read.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.mat"), MATCH).unwrap();
    folder
}

#[test]
fn a_file_that_exists_is_refused_and_stays() {
    let folder = folder();
    for output in outputs() {
        let name = format!("old.{}", output.endings[0]);
        let path = folder.path().join(&name);
        fs::write(&path, "precious\n").unwrap();
        let run = output.run(&folder, &name, &[]);
        assert_eq!(fs::read(&path).unwrap(), b"precious\n", "{}: {run:?}", output.said());
        if output.goes_on {
            assert_ne!(run.code, Some(0), "{}: {run:?}", output.said());
        } else {
            run.refused(&[&name, "exists already", "--force"]);
        }
        // What can be resumed is replaced where it is of the same kind alone.
        if output.words.contains(&"--save") || output.words.contains(&"--save-games") {
            output
                .run(&folder, &name, &["--force"])
                .refused(&[&name, "--force does not replace it"]);
            assert_eq!(fs::read(&path).unwrap(), b"precious\n", "{}", output.said());
        }
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_record_of_games_is_never_replaced_by_anything_else() {
    let folder = folder();
    for output in outputs() {
        let other = |ending: &&str| !output.endings.contains(&&*ending.to_lowercase());
        for ending in RECORDS.into_iter().chain(["pdf", "zip"]).filter(other) {
            let name = format!("other.{ending}");
            let path = folder.path().join(&name);
            fs::write(&path, MATCH).unwrap();
            output
                .run(&folder, &name, output.force())
                .refused(&[&name, "expected a name that ends in"]);
            assert_eq!(fs::read_to_string(&path).unwrap(), MATCH, "{}", output.said());
            fs::remove_file(&path).unwrap();
        }
        // Nor is one whose name says nothing.
        let fits = ["convert", "play", "duel"].contains(&output.words[0])
            || ["--sgf", "--ogxm", "--save"].contains(&output.option)
            || ["--output", "--svg"].contains(&output.option)
            || output.goes_on;
        if !fits {
            fs::write(folder.path().join("plain"), MATCH).unwrap();
            output.run(&folder, "plain", &["--force"]).refused(&["plain holds a match"]);
            assert_eq!(fs::read_to_string(folder.path().join("plain")).unwrap(), MATCH);
        }
    }
}

#[test]
fn what_another_program_saved_is_not_replaced_either() {
    let folder = folder();
    let mut position = vec![0x7e, 0];
    position.resize(159, 0);
    fs::write(folder.path().join("plain"), &position).unwrap();
    let run =
        tavola_at(folder.path(), &[], &["analyze", "in.mat", "--html", "plain", "--force"], b"");
    run.refused(&["plain holds a position of Jellyfish"]);
    assert_eq!(fs::read(folder.path().join("plain")).unwrap(), position);
}

#[test]
fn what_is_read_is_never_written() {
    let folder = folder();
    fs::write(folder.path().join("in.pairs"), "").unwrap();
    fs::create_dir(folder.path().join("inner")).unwrap();
    for output in outputs() {
        let input = match &output.words {
            words if words.contains(&"PAIRS") => "in.pairs",
            words if words.contains(&"IN") => "in.mat",
            _ => continue,
        };
        let text = fs::read_to_string(folder.path().join(input)).unwrap();
        let link = format!("link.{}", output.endings[0]);
        let place = folder.path().join(&link);
        fs::hard_link(folder.path().join(input), &place).unwrap();
        let spelled = format!("inner/../{link}");
        for name in [&link, &spelled] {
            output.run(&folder, name, output.force()).refused(&[name, "is read by this command"]);
        }
        fs::remove_file(&place).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(input, &place).unwrap();
            output.run(&folder, &link, output.force()).refused(&[&link, "is read by this command"]);
            fs::remove_file(&place).unwrap();
        }
        assert_eq!(fs::read_to_string(folder.path().join(input)).unwrap(), text);
    }
    let twice = ["analyze", "in.mat", "--html", "a", "--cards", "./a"];
    tavola_at(folder.path(), &[], &twice, b"").refused(&["--html and --cards", "two files"]);
}

#[test]
fn a_place_where_nothing_can_be_written_is_refused_before_the_work() {
    let folder = folder();
    for output in outputs().into_iter().filter(|output| output.option != "--deck") {
        let name = format!("no/such/folder/new.{}", output.endings[0]);
        let run = output.run(&folder, &name, &[]);
        assert_eq!(run.code, Some(2), "{}: {run:?}", output.said());
        assert!(run.stderr.contains("no/such/folder"), "{}: {run:?}", output.said());
    }
}

#[test]
fn force_replaces_a_file_and_a_second_run_needs_it() {
    let folder = folder();
    let quick = ["analyze", "convert", "model", "show", "cube", "train", "met", "rollout"];
    for output in outputs().iter().filter(|it| quick.contains(&it.words[0]) && !it.goes_on) {
        let name = format!("new.{}", output.endings[0]);
        let path = folder.path().join(&name);
        let first = output.run(&folder, &name, &[]);
        assert_eq!(first.code, Some(0), "{}: {first:?}", output.said());
        let written = fs::read(&path).unwrap();
        assert!(!written.is_empty(), "{}", output.said());
        output.run(&folder, &name, &[]).refused(&[&name, "--force"]);
        if output.words[0] != "rollout" {
            fs::write(&path, "old").unwrap();
        }
        output.run(&folder, &name, &["--force"]).done();
        assert!(fs::read(&path).unwrap() == written, "{}: the same again", output.said());
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_wildcard_destroys_no_match() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..10).map(|number| format!("{number}.mat")).collect();
    for (number, name) in names.iter().enumerate() {
        let text = MATCH.replace("Ann", &format!("Ann {number}"));
        fs::write(folder.path().join(name), text).unwrap();
    }
    let read = || -> Vec<Vec<u8>> {
        names.iter().map(|name| fs::read(folder.path().join(name)).unwrap()).collect()
    };
    let before = read();
    let run = |option: &str, more: &[&str]| {
        let files = names.iter().map(String::as_str);
        let words: Vec<&str> = ["analyze", "--ply", "0", option]
            .into_iter()
            .chain(files)
            .chain(more.iter().copied())
            .collect();
        tavola_at(folder.path(), &[], &words, b"")
    };
    let csv = run("--csv", &[]).done().stdout;
    assert!(csv.starts_with("source,game,turn,row,player,"), "{csv}");
    for number in 0..10 {
        assert!(csv.contains(&format!("\n{number}.mat,1,1,")), "{csv}");
    }
    for option in ["--html", "--sgf", "--cards", "--csv=0.mat"] {
        for more in [&[][..], &["--force"]] {
            run(option, more).refused(&["0.mat", "expected a name that ends in"]);
        }
    }
    assert_eq!(read(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 10);
    // The old spelling of a file is explained.
    tavola_at(folder.path(), &[], &["analyze", "0.mat", "--csv", "all.csv"], b"")
        .refused(&["all.csv does not exist", "--csv=all.csv"]);
    // The same words write and print.
    let words = ["analyze", ".", "--ply", "0", "--csv=all.csv"];
    let text = tavola_at(folder.path(), &[], &words, b"").done().stdout;
    assert!(text.contains("Ann 3"), "{text}");
    let written = fs::read_to_string(folder.path().join("all.csv")).unwrap();
    assert_eq!(written.replace("./", ""), csv);
}

#[test]
fn what_is_printed_stands_beside_tables_in_a_file() {
    let folder = folder();
    let run = |words: &str, more: &[&str]| {
        let words: Vec<&str> = words.split(' ').chain(more.iter().copied()).collect();
        tavola_at(folder.path(), &[], &words, b"")
    };
    // Without the time that a duel took, the machine and its threads.
    let steady = |text: &str| {
        let told: Result<Vec<serde_json::Value>, _> =
            text.lines().map(serde_json::from_str::<serde_json::Value>).collect();
        let mut told = told.unwrap_or_else(|_| vec![text.into()]);
        for line in told.iter_mut().filter_map(|line| line.as_object_mut()) {
            line.retain(|key, _| !["provenance", "seconds"].contains(&key.as_str()));
        }
        told
    };
    fs::write(folder.path().join("positions"), "4HPwATDgc/ABMA 31\n4HPwATDgc/ABMA 42\n").unwrap();
    let commands = [
        "best --roll 31 --level 0",
        "best --input positions --level 0",
        "best --roll 31 --matrix --away 3 --level 0",
        "best --game astronomy --roll 532",
        "cube --level 0",
        "cube --matrix --away 3 --level 0",
        "eval --level 0",
        "legal --roll 31",
        "rollout --roll 31 --trials 36 --top 2",
        "met --away 3",
        "met --away 3 --take-points",
        "model",
        "perft --depth 1",
        "bearoff info",
        "duel pip-count random --games 4 --no-luck",
        "duel pip-count default random --games 4 --no-luck",
        "ladder pip-count random --time 10ms --pairs 2 --no-luck --file l",
        "ladder --file l",
        "analyze in.mat --ply 0 --no-cache",
    ];
    for words in commands {
        let csv = run(words, &["--csv"]).done();
        let is_timed = ["duel", "ladder", "rollout"].iter().any(|it| words.starts_with(it));
        for form in [&[][..], &["--json"], &["--markdown"]] {
            let alone = run(words, form).done();
            let both = run(words, &[form, &["--csv=t.csv", "--force"]].concat()).done();
            let values = fs::read_to_string(folder.path().join("t.csv")).unwrap();
            if !is_timed {
                assert_eq!(steady(&both.stdout), steady(&alone.stdout), "{words} {form:?}");
                assert_eq!(values, csv.stdout, "{words} {form:?}");
            }
            assert!(values.contains(','), "{words} {form:?}: {values}");
        }
    }
    // Drawings and texts of other programs, too.
    for (words, form) in [
        ("met --away 3", &["--svg"][..]),
        ("met --away 3", &["--xml"]),
        ("best --roll 31 --level 0", &["--xg-text"]),
        ("best --input positions --level 0", &["--xg-text"]),
        ("cube --level 0", &["--xg-text"]),
        ("cube --matrix --away 3 --level 0", &["--svg", "-"]),
    ] {
        let (alone, csv) = (run(words, form).done().stdout, run(words, &["--csv"]).done().stdout);
        let both = run(words, &[form, &["--csv=t.csv", "--force"]].concat()).done().stdout;
        assert!(both == alone && !alone.is_empty(), "{words} {form:?}: {both}");
        assert_eq!(fs::read_to_string(folder.path().join("t.csv")).unwrap(), csv, "{words}");
    }
    let three = ["--svg", "m.svg", "--csv=m.csv", "--json"];
    run("cube --matrix --away 3 --level 0", &three).json();
    assert!(["m.svg", "m.csv"].iter().all(|name| folder.path().join(name).exists()));
}

#[test]
fn one_form_is_printed_and_two_are_named() {
    let one_of = "both say what is printed, expected one of them";
    for (words, names) in [
        ("best --roll 31 --json --csv", &["--json and --csv", "--csv=FILE"][..]),
        ("best --roll 31 --markdown --json", &["--json and --markdown"]),
        ("best --roll 31 --csv --markdown", &["--csv and --markdown", "--csv=FILE"]),
        ("best --roll 31 --xg-text --json", &["--xg-text", "--json"]),
        ("met --svg --json", &["--svg", "--json"]),
        ("met --xml --csv", &["--xml", "--csv=FILE"]),
        ("cube --matrix --svg - --json", &["--svg -", "--json", "--svg FILE"]),
        ("show --output - --json", &["--output -", "--json", "--output FILE"]),
        ("analyze in.mat --csv --json", &["--csv", "--json", "--csv=FILE"]),
        ("analyze in.mat --markdown --json", &["--markdown", "--json"]),
        ("duel pip-count random --csv --json", &["--csv", "--json"]),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let folder = folder();
        let parts: Vec<&str> = names.iter().copied().chain([one_of]).collect();
        tavola_at(folder.path(), &[], &words, b"").refused(&parts);
    }
}

#[cfg(unix)]
#[test]
fn a_write_that_fails_is_work_that_failed() {
    let folder = folder();
    fs::write(folder.path().join("in.pairs"), "").unwrap();
    // Files may have no byte, which is as good as a full disk.
    let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let quick = ["analyze", "convert", "model", "show", "cube", "train", "met", "rollout", "duel"];
    for output in outputs() {
        if output.goes_on || !quick.contains(&output.words[0]) || output.words.contains(&"PAIRS") {
            continue;
        }
        let name = format!("new.{}", output.endings[0]);
        let words = output
            .words
            .iter()
            .map(|word| word.replace("OUT", &name).replace("NET", SMALL).replace("IN", "in.mat"));
        // A file of findings without a byte would stay in the folder of all tests.
        let afresh = (output.words[0] == "analyze").then_some("--no-cache");
        let run = std::process::Command::new("sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_tavola")])
            .args(words)
            .args(afresh)
            .current_dir(folder.path())
            .env("TAVOLA_CACHE_DIR", crate::run::CACHE)
            .output()
            .unwrap();
        assert_eq!(run.status.code(), Some(1), "{}: {run:?}", output.said());
        assert!(String::from_utf8_lossy(&run.stderr).contains(&name), "{}: {run:?}", output.said());
        let left = fs::read(folder.path().join(&name));
        assert!(left.is_err() || left.is_ok_and(|bytes| bytes.is_empty()), "{}", output.said());
        let _ = fs::remove_file(folder.path().join(&name));
    }
}

#[test]
fn a_game_is_saved_by_a_typed_name_that_is_new() {
    let folder = folder();
    fs::write(folder.path().join("old.json"), "precious").unwrap();
    let typed = b"save in.mat\nsave old.json\nsave new.json\nsave new.json\nquit\n";
    let words = ["play", "--plain", "--dice", "typed"];
    let run = tavola_at(folder.path(), &[], &words, typed).done();
    let answers: Vec<&str> =
        run.stdout.lines().filter(|it| it.contains(".json") || it.contains(".mat")).collect();
    assert!(answers[0].contains("error: cannot write a running game to in.mat"), "{run:?}");
    assert!(answers[1].contains("error: old.json exists already"), "{run:?}");
    assert_eq!(answers[2..], ["saved to new.json"; 2], "{run:?}");
    assert_eq!(fs::read_to_string(folder.path().join("in.mat")).unwrap(), MATCH);
    assert_eq!(fs::read_to_string(folder.path().join("old.json")).unwrap(), "precious");
    assert!(Path::exists(&folder.path().join("new.json")));
}
