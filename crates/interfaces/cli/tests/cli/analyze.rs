//! `tavola analyze`: a match that GNU Backgammon played against itself with noise, and bad files.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::run::tavola;

/// A match to 3 points: `root` plays with noise.
fn file() -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cli/files");
    folder.join("three-points.mat").to_str().unwrap().to_owned()
}

fn analyze(more: &[&str]) -> crate::run::Run {
    let file = file();
    tavola(&[&["analyze", file.as_str(), "--ply", "0", "--no-cache", "--no-tables"], more].concat())
}

#[test]
fn the_figures_are_those_of_the_match_and_the_same_on_any_number_of_threads() {
    let one = analyze(&["--json", "--threads", "1"]).report();
    assert_eq!(one, analyze(&["--json", "--threads", "3"]).report());
    let [gnubg, root] = [0, 1].map(|seat| &one["players"][seat]);
    assert_eq!((gnubg["name"].as_str(), root["name"].as_str()), (Some("gnubg"), Some("root")));
    // As GNU Backgammon counts them in its own analysis of this match.
    assert_eq!(
        (gnubg["unforced_plays"].as_u64(), root["unforced_plays"].as_u64()),
        (Some(29), Some(19))
    );
    assert_eq!(gnubg["close_cube_decisions"], 5);
    let rate = |player: &serde_json::Value| player["error_rate_memg"].as_f64().unwrap();
    assert!(rate(gnubg) < 6.0 && rate(root) > 15.0, "{} {}", rate(gnubg), rate(root));
    assert!(root["pr"].as_f64() > gnubg["pr"].as_f64());
    let luck = |player: &serde_json::Value| player["luck_mwc"].as_f64().unwrap();
    let adjusted = gnubg["luck_adjusted_result"].as_f64().unwrap();
    assert!((adjusted - (1.0 - luck(gnubg) + luck(root))).abs() < 1e-9);
    let decisions = one["decisions"].as_array().unwrap();
    let lost: f64 = decisions
        .iter()
        .filter(|decision| decision["player"] == 2 && decision["kind"] == "checker")
        .map(|decision| decision["loss"].as_f64().unwrap())
        .sum();
    assert!((lost - root["checker_error_emg"].as_f64().unwrap()).abs() < 1e-9);
    assert!(decisions.iter().all(|decision| decision["loss"].as_f64().unwrap() >= 0.0));
}

#[test]
fn a_roll_that_is_given_up_is_no_play() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, last: &str| {
        let path = folder.path().join(name);
        let rows =
            "  1) 31: 8/5 6/5                  62: 24/18 13/11\n  2) 42: 24/20 13/11              ";
        let head = " 3 point match\n\n Game 1\n Ann : 0                    Bob : 0\n";
        fs::write(&path, format!("{head}{rows}{last}\n      Wins 1 point\n")).unwrap();
        let args = ["analyze", path.to_str().unwrap(), "--ply", "0", "--no-cache", "--json"];
        tavola(&args).json()
    };
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    // With a roll before the resignation and without one: the same plays, rates and losses.
    for (name, last) in [("a.mat", "51: ????"), ("b.mat", "51: Resigns"), ("c.mat", "Concedes")] {
        let report = write(name, last);
        let [ann, bob] = [0, 1].map(|seat| &report["players"][seat]);
        assert_eq!((&ann["plays"], &bob["plays"]), (&2.into(), &1.into()), "{last}: {report}");
        let lost = number(&ann["checker_error_emg"]) + number(&ann["cube_error_emg"]);
        let rate = number(&ann["snowie_error_rate_memg"]);
        assert!((rate - 1000.0 * lost / 3.0).abs() < 1e-9 && lost > 0.0, "{last}: {report}");
    }
}

#[test]
fn text_page_table_and_cards_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (html, csv, cards) = (path("match.html"), path("match.csv"), path("cards.tsv"));
    let table = format!("--csv={csv}");
    let run = analyze(&["--html", &html, &table, "--cards", &cards]).done();
    for part in ["gnubg - root, match to 3 points", "PR (eXtreme Gammon)", "The worst decisions"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let markdown = analyze(&["--markdown"]).done().stdout;
    for part in ["|  | gnubg | root |", "| game | turn | row | player | loss | done | best |"] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    let page = fs::read_to_string(html).unwrap();
    // The row of the file, and a minus that is no hyphen.
    assert!(page.contains(", turn 16 (row 9): ") && page.contains("<td>\u{2212}0."), "{page}");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.contains("XGID="));
    assert!(!page.contains("http://") || !page.contains("src="), "the page needs nothing else");
    let csv = fs::read_to_string(csv).unwrap();
    let columns = csv.lines().next().unwrap().split(',').count();
    assert_eq!(columns, 25);
    assert!(csv.lines().count() > 60);
    let cards = fs::read_to_string(cards).unwrap();
    let rows: Vec<&str> = cards.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.split('\t').count() == 4));
    // Anki knows a card by its key, which is the same in every export.
    let key = |row: &&str| row.split('\t').next().unwrap().to_owned();
    let keys: Vec<String> = rows.iter().map(key).collect();
    let package = path("cards.apkg");
    analyze(&["--cards", &package]).done();
    let package = fs::read(package).unwrap();
    let holds = |part: &str| package.windows(part.len()).any(|bytes| bytes == part.as_bytes());
    assert!(package.starts_with(b"PK") && holds("tavola decision") && holds("Double or roll?"));
    assert!(keys.iter().all(|key| key.starts_with("tavola-") && holds(key)), "{keys:?}");
    let distinct: std::collections::HashSet<&String> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len());
}

#[test]
fn findings_are_kept_for_the_next_time() {
    let cache = tempfile::tempdir().unwrap();
    let cache = cache.path().to_str().unwrap();
    let file = file();
    let args = ["analyze", file.as_str(), "--ply", "0", "--no-tables", "--json"];
    let first = crate::run::tavola_in(&[("TAVOLA_CACHE_DIR", cache)], &args, b"").report();
    let kept: Vec<_> = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    // Half of it, as after a kill: the next run goes on and finds the same.
    let text = fs::read_to_string(&kept[0]).unwrap();
    fs::write(&kept[0], &text[..text.len() / 2]).unwrap();
    let second = crate::run::tavola_in(&[("TAVOLA_CACHE_DIR", cache)], &args, b"").report();
    assert_eq!(first, second);
}

#[test]
fn a_report_is_repeated_on_other_instructions_and_a_changed_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, path) = (file(), folder.path().join("report.json"));
    let report = path.to_str().unwrap();
    let args = ["analyze", &file, "--ply", "0", "--no-tables", "--no-cache", "--json"];
    let text = crate::run::tavola(&args).done().stdout;
    fs::write(&path, &text).unwrap();
    let verify = ["verify", report, &file, "--no-tables"];
    let portable = [("TAVOLA_KERNEL", "portable")];
    let run = crate::run::tavola_in(&portable, &[&verify[..], &["--threads", "1"]].concat(), b"");
    assert!(run.done().stdout.starts_with("the same to the last bit: "));

    let run = crate::run::tavola(&[&verify[..], &["--one-in", "4"]].concat()).done();
    assert!(run.stdout.starts_with("the same to the last bit: "), "{run:?}");

    // A report with one changed figure, and then with a digest that fits it.
    let mut other: Value = serde_json::from_str(&text).unwrap();
    let digest = |decisions: &Value| tavola_files::sha256(decisions.to_string().as_bytes());
    assert_eq!(digest(&other["decisions"]), other["provenance"]["settings"]["digest"]);
    other["decisions"][3]["equity"] = 0.5.into();
    let differs = |report: &Value, parts: &[&str]| {
        fs::write(&path, report.to_string()).unwrap();
        let run = crate::run::tavola(&verify);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(parts.iter().all(|part| run.stdout.contains(part)), "{parts:?}: {run:?}");
        assert!(run.stderr.contains("can't be repeated"), "{run:?}");
    };
    let said = ["1 of ", "decisions[3].equity is 0.5 in the report"];
    differs(&other, &said);
    other["provenance"]["settings"]["digest"] = digest(&other["decisions"]).into();
    differs(&other, &said);
    // What is counted of the decisions, and the digest alone.
    for (part, changed) in [
        ("/players/1/pr", "players[1].pr is 0.5"),
        ("/games/0/points", "games[0].points is 0.5"),
        ("/provenance/settings/digest", "provenance.settings.digest is 0.5"),
    ] {
        let mut other: Value = serde_json::from_str(&text).unwrap();
        *other.pointer_mut(part).unwrap() =
            if part.ends_with("digest") { "0.5".into() } else { 0.5.into() };
        differs(
            &other,
            &["the decisions are the same", &changed.replace("digest is 0.5", "digest is \"0.5\"")],
        );
    }

    other["provenance"]["settings"]["network"] = "sha256 0".into();
    fs::write(&path, other.to_string()).unwrap();
    crate::run::tavola(&verify).refused(&["the network sha256 0"]);
    crate::run::tavola(&["verify", &file, &file])
        .refused(&["is no report of an analysis: expected value"]);
}

#[test]
fn a_report_says_which_game_its_files_are_about_and_why_plays_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, report, page) = (path("nack.mat"), path("report.json"), path("page.html"));
    let text = " 1 point match\n\n Game 1\n Ann : 0   Bob : 0\n  \
        1) 31: 8/5 6/5            21: 13/11 6/5\n  2) 64: 24/14             55: 13/3(2)\n";
    fs::write(&file, text).unwrap();
    let args =
        ["analyse", &file, "--game", "nackgammon", "--ply", "0", "--no-tables", "--no-cache"];
    let found = crate::run::tavola(&[&args[..], &["--html", &page, "--json"]].concat()).done();
    fs::write(&report, &found.stdout).unwrap();
    crate::run::tavola(&["verify", &report, &file, "--no-tables"]).done();
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    let page = fs::read_to_string(page).unwrap();
    for decision in found["decisions"].as_array().unwrap() {
        let is_error = decision["kind"] == "checker" && decision["loss"].as_f64().unwrap() >= 0.02;
        let why = decision["why"].as_array().into_iter().flatten().collect::<Vec<_>>();
        assert_eq!(!why.is_empty(), is_error, "{decision}");
        assert!(why.iter().all(|it| page.contains(it.as_str().unwrap())), "{why:?}");
    }
    assert!(found["decisions"].as_array().unwrap().iter().any(|it| it["why"].is_array()));
}

#[test]
fn what_is_not_certain_in_the_time_is_listed_and_its_report_is_not_verified() {
    let run = analyze(&["--sure=1ms"]).done();
    let (_, open) = run.stdout.split_once("when the time was over:\n").unwrap();
    assert!(open.contains("best play: ") && open.contains("; the play made "), "{open}");
    assert!(!run.stdout.contains("close to call"), "{}", run.stdout);
    // Certain and open are not said of the same thing: a blunder is one either way, or open.
    for line in run.stdout.lines().filter(|line| line.contains(" either way")) {
        assert!(!line.contains("may be") && !line.contains("perhaps"), "{line}");
    }
    let report = analyze(&["--sure=1ms", "--json"]).done().stdout;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    fs::write(&path, &report).unwrap();
    crate::run::tavola(&["verify", path.to_str().unwrap(), &file(), "--no-tables"])
        .refused(&["made until every verdict was sure"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let decisions = report["decisions"].as_array().unwrap();
    assert!(decisions.iter().any(|decision| decision["open"].is_array()));
    assert!(decisions.iter().all(|decision| decision["interval"].as_f64().unwrap() >= 0.0));
    assert!(report["players"][0]["pr_interval"].as_f64().unwrap() > 0.0);
    analyze(&["--time", "1s"]).refused(&["--sure"]);
}

#[test]
fn a_file_that_is_no_match_is_named_and_the_others_are_analyzed() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(file(), folder.path().join("a.mat")).unwrap();
    fs::write(folder.path().join("b.mat"), b"no match at all").unwrap();
    fs::write(folder.path().join("c.mat"), b"").unwrap();
    let name = folder.path().to_str().unwrap();
    let args = ["analyze", name, "--ply", "0", "--no-cache", "--no-tables"];
    let run = tavola(&args).done();
    assert!(run.stderr.contains("2 of 3 files left out"), "{run:?}");
    let run = tavola(&[&args[..], &["--verbose"]].concat()).done();
    assert!(run.stderr.contains("b.mat") && run.stderr.contains("no match at all"), "{run:?}");
    assert!(run.stderr.contains("c.mat") && run.stderr.contains("empty"), "{run:?}");
    let bad = folder.path().join("b.mat");
    tavola(&["analyze", bad.to_str().unwrap(), "--no-cache"])
        .refused(&["b.mat", "no match at all"]);
    tavola(&["analyze", "nowhere.mat"]).refused(&["nowhere.mat"]);
    tavola(&["analyze", name, "--error", "0.2", "--blunder", "0.1"]).refused(&["--error 0.2"]);
}

#[test]
fn close_decisions_are_rolled_out_where_that_is_wanted() {
    let plain = analyze(&["--json"]).report();
    let rolled = analyze(&["--json", "--rollout-within", "0.002", "--trials", "36"]).report();
    let decisions = |report: &serde_json::Value| report["decisions"].as_array().unwrap().clone();
    let (plain, rolled) = (decisions(&plain), decisions(&rolled));
    assert_eq!(plain.len(), rolled.len());
    let by_rollout: Vec<_> =
        plain.iter().zip(&rolled).filter(|(_, after)| after.get("rollout").is_some()).collect();
    assert!(!by_rollout.is_empty() && by_rollout.len() < plain.len() / 2, "{}", by_rollout.len());
    for (before, after) in by_rollout {
        assert_eq!(before["done"], after["done"]);
        assert_ne!(before["equity"], after["equity"], "{after}");
    }
    analyze(&["--trials", "36"]).refused(&["--rollout-within"]);
}
