//! What networks do, as data and as a page.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tavola_games::OldGame;
use tavola_net::{EncoderKind, Interface, initial_weights};
use tavola_rules::Backgammon;

use crate::run::tavola;

/// A page whose tags are balanced, which refers to nothing outside itself.
#[track_caller]
fn assert_self_contained(page: &str) {
    for part in ["http", "src=", "href=", "url(", "@import", "<script", "<link", "NaN"] {
        assert!(!page.contains(part), "{part} is in the page");
    }
    let mut open: Vec<&str> = Vec::new();
    let body = page.strip_prefix("<!DOCTYPE html>").unwrap();
    for tag in body.split('<').skip(1).map(|rest| rest.split_once('>').expect("a tag ends").0) {
        let name = tag.split([' ', '/']).find(|word| !word.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "</{name}> closes another tag");
        } else if !(tag.ends_with('/') || ["meta", "br"].contains(&name)) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} are left open");
}

/// A small untrained network for hypergammon, whose games are short.
fn network(folder: &Path, name: &str, seed: u64) -> String {
    let file = folder.join(name);
    let game = Backgammon::Hypergammon;
    initial_weights(&Interface::of(&game), EncoderKind::OneHot, &[8], seed)
        .unwrap()
        .save(&file)
        .unwrap();
    file.to_str().unwrap().to_owned()
}

fn list<'a>(report: &'a Value, key: &str) -> &'a Vec<Value> {
    report[key].as_array().unwrap_or_else(|| panic!("{key} in {report}"))
}

#[test]
fn a_profile_of_two_networks_is_complete_and_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (network(folder.path(), "a", 1), network(folder.path(), "b<&>", 2));
    let page = folder.path().join("page.html");
    let run = |threads: &str| {
        let what = ["profile", &a, &b, "--games", "20", "--seed", "3", "--json"];
        let how = ["--threads", threads, "--out", page.to_str().unwrap(), "--force"];
        let report = tavola(&[&what[..], &how[..]].concat()).report();
        (report, fs::read_to_string(&page).unwrap())
    };
    let (report, html) = run("1");
    assert_eq!((report.clone(), html.clone()), run("3"));
    assert_self_contained(&html);
    assert!(html.contains("b&lt;&amp;&gt;") && html.contains("prefers-color-scheme: dark"));

    assert_eq!(report["game"], "hypergammon");
    assert!(report["command"].as_str().unwrap().contains("--games 20 --seed 3"));
    for (network, file) in list(&report, "networks").iter().zip([&a, &b]) {
        assert_eq!(network["name"], **file);
        assert_eq!(network["sha256"].as_str().unwrap().len(), 64);
        let own = &network["self_play"];
        assert_eq!(own["games"].as_u64().unwrap() + own["unfinished"].as_u64().unwrap(), 20);
        let rates = ["single_rate", "gammon_rate", "backgammon_rate", "draw_rate"];
        let sum: f64 = rates.iter().map(|rate| own[rate].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{own}");
    }
    assert_eq!(report["duel"]["games"], 20);
    assert_eq!(list(&report, "openings").len(), 15, "a game never begins with a double");
    assert!(list(&report, "replies").iter().all(|first| list(first, "replies").len() == 21));
    for key in ["plays", "equities"] {
        let shown = list(&report, key);
        assert_eq!(shown.len(), 3);
        for one in shown {
            assert!(one["id"].as_str().unwrap().starts_with("XGID="), "{one}");
            assert!(html.contains(one["id"].as_str().unwrap()));
            let equities = list(one, "equities");
            assert!(equities.iter().all(|of_play| of_play.as_array().unwrap().len() == 2));
        }
    }
    assert!(list(&report, "plays").iter().all(|one| one["differ"] == true));
    assert_eq!(html.matches("<svg class=\"board\"").count(), 6);
}

#[test]
fn a_network_does_not_differ_from_itself() {
    let folder = tempfile::tempdir().unwrap();
    let a = network(folder.path(), "a", 1);
    let report = tavola(&["profile", &a, &a, "--games", "8", "--json"]).json();
    assert_eq!(report["networks"][0], report["networks"][1]);
    assert_eq!(report["duel"]["ppg"]["mean"], 0.0);
    assert_eq!(report["duel"]["luck_adjusted"]["high"], 0.0);
    assert!(list(&report, "openings").iter().all(|one| one["differ"] == false));
    assert!(list(&report, "plays").is_empty() && list(&report, "equities").is_empty());
    let phases = list(&report, "phases");
    assert!(phases.iter().all(|row| row["differing"] == 0.0 && row["absolute_gap"] == 0.0));
}

#[test]
fn one_network_and_a_historical_game_have_a_page_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.safetensors");
    let game = OldGame::new("tabula".parse().unwrap());
    initial_weights(&Interface::of(&game), EncoderKind::OneHot, &[8], 1)
        .unwrap()
        .save(&file)
        .unwrap();
    let page = folder.path().join("page.html");
    let network = file.to_str().unwrap();
    let out = page.to_str().unwrap();
    let run = tavola(&["profile", network, "--games", "4", "--out", out]).done();
    assert!(run.stdout.contains("turns") && run.stdout.contains(out), "{run:?}");
    let html = fs::read_to_string(&page).unwrap();
    assert_self_contained(&html);
    assert!(!html.contains("B plays") && html.contains("tabula"));
    let both = ["profile", network, network, "--games", "4", "--force", "--out", out];
    tavola(&both).done();
    assert_self_contained(&fs::read_to_string(&page).unwrap());
}

#[test]
fn the_built_in_network_opens_as_books_do() {
    let report = tavola(&["profile", "default", "--games", "4", "--json"]).json();
    let openings = list(&report, "openings");
    assert_eq!(openings.len(), 15, "backgammon never begins with a double");
    let three_one = openings.iter().find(|one| one["roll"] == "3-1").unwrap();
    assert_eq!(three_one["plays"][0], "8/5 6/5");
    assert!(report.get("duel").is_none() && list(&report, "phases").is_empty());
}

#[test]
fn what_can_not_be_profiled_is_refused() {
    tavola(&["profile", "default"]).refused(&["--out"]);
    tavola(&["profile", "gnubg", "--json"]).refused(&["unknown network \"gnubg\"", "weights file"]);
    tavola(&["profile", "default", "--games", "5", "--json"]).refused(&["--games is 5", "even"]);
    tavola(&["profile", "default", "--out", "/no/such/folder/page.html"])
        .refused(&["/no/such/folder/page.html"]);
}
