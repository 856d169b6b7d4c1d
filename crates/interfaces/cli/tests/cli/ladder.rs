//! Ladders: files that go on, formats, and who is refused.

use std::fs;

use serde_json::Value;

use crate::run::tavola;

#[test]
fn a_ladder_ranks_its_players_and_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, svg) = (path("ladder.jsonl"), path("ladder.svg"));
    let play = ["ladder", "--file", &file, "default", "pip-count", "random", "--pairs", "10"];
    let first = tavola(&[&play[..], &["--time", "300ms", "--json"]].concat()).json();
    let count = |answer: &Value| answer["match_ups"].as_array().unwrap().len();
    assert!(count(&first) >= 1, "{first}");

    // Killed while it wrote.
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text + "{\"match_up\":{").unwrap();
    let second = tavola(&[&play[..], &["--time", "2s", "--json", "--svg", &svg]].concat()).json();
    let (before, after) = (count(&first), count(&second));
    assert!(after > before, "{before} {after}");
    let match_ups = second["match_ups"].as_array().unwrap();
    assert_eq!(match_ups[..before], first["match_ups"].as_array().unwrap()[..]);
    let mut seen = std::collections::HashSet::new();
    for match_up in match_ups {
        let key = |name: &str| match_up[name].to_string();
        assert!(seen.insert((key("a"), key("b"), key("first"))), "{match_up} counts twice");
    }
    let names: Vec<&str> =
        second["ratings"].as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["default", "pip-count", "random"]);
    assert_eq!(second["anchors"][0]["version"], "pip-count");
    assert!(second["ratings"][0]["version"].as_str().unwrap().starts_with("sha256"));
    assert!(fs::read_to_string(&svg).unwrap().contains("default"));

    // Without players it is only shown.
    let show = ["ladder", "--file", &file];
    let text = tavola(&show).done().stdout;
    assert!(text.contains("anchor pip-count = +0.000"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // One match-up leaves a player without any, whose rating says nothing.
    let alone = path("alone.jsonl");
    let short = ["--pairs", "4", "--time", "1ms"];
    let few = ["ladder", "--file", &alone, "default", "pip-count", "random"];
    let text = tavola(&[&few[..], &short].concat()).done().stdout;
    assert!(text.contains("? nothing or next to nothing"), "{text}");
    let unknown = text.lines().find(|line| line.contains("?  ")).unwrap();
    assert!(!unknown.contains('±'), "{text}");
    let csv = tavola(&[&show[..], &["--csv"]].concat()).done().stdout;
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.starts_with("name,version,rating,"), "{csv}");
    let markdown = tavola(&[&show[..], &["--markdown"]].concat()).done().stdout;
    assert!(markdown.starts_with("| player |") && markdown.contains("| default |"), "{markdown}");
    let moved = tavola(&[&show[..], &["--anchor", "random=1", "--json"]].concat()).json();
    assert_eq!(moved["ratings"][2]["rating"], 1.0);
    assert_eq!(moved["match_ups"], second["match_ups"]);

    tavola(&[&show[..], &["--anchor", "nobody=1"]].concat()).refused(&["nobody"]);
    tavola(&[&show[..], &["--game", "nackgammon"]].concat()).refused(&["nackgammon"]);
    tavola(&[&show[..], &["random"]].concat()).refused(&["1 player", "at least two"]);
}

#[test]
fn files_of_something_else_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.jsonl").display().to_string();
    fs::write(&file, "not a ladder\n").unwrap();
    tavola(&["ladder", "--file", &file, "random", "pip-count"]).refused(&["notes.jsonl", "line 1"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a ladder\n");
    tavola(&["ladder", "--file", "/nowhere/x"]).refused(&["/nowhere/x", "players to begin one"]);
    // Nor does a name that is no player leave one.
    let new = folder.path().join("new.jsonl");
    let none = ["ladder", "--file", new.to_str().unwrap(), "random"];
    tavola(&[&none[..], &["nobody"]].concat()).refused(&["nobody"]);
    tavola(&none).refused(&["at least two"]);
    assert!(!new.exists());
}
