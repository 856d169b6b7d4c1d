//! The bear-off databases on the command line.

use std::fs;

use serde_json::{Value, json};

use crate::run::{tavola, tavola_in};

/// Two checkers on the two point against two on the ace point, the opponent second.
const TWO_ON_TWO: &str = "0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,0";
/// Ten checkers a side, all home.
const TEN_EACH: &str = "0,2,2,2,2,1,1,0,0,0,0,0,0,0,0,0,0,0,0,-1,-1,-2,-2,-2,-2,0";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn show_knows_distributions_and_exact_equities() {
    let shown = tavola(&["bearoff", "show", TWO_ON_TWO, "--json"]).json();
    assert!((number(&shown["player"]["all_off"][0]) - 26.0 / 36.0).abs() < 1e-6, "{shown}");
    assert!((number(&shown["player"]["mean_rolls"]) - 46.0 / 36.0).abs() < 1e-6, "{shown}");
    assert_eq!(shown["opponent"]["all_off"], json!([1.0]));
    assert!((number(&shown["exact"]["cubeless"]) - 16.0 / 36.0).abs() < 1e-6, "{shown}");
    assert!((number(&shown["exact"]["center"]) - 32.0 / 36.0).abs() < 1e-6, "{shown}");
    let text = tavola(&["bearoff", "show", TWO_ON_TWO]).done().stdout;
    for part in ["4 pips, 1.278 rolls", "72.222", "equity +0.444", "exact", "+0.889"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn eval_best_and_batch_answer_from_the_tables_unless_told_not_to() {
    let shown = tavola(&["bearoff", "show", TEN_EACH, "--json"]).json();
    assert_eq!(shown["exact"], Value::Null);
    let eval = tavola(&["eval", TEN_EACH, "--ply", "0", "--json"]).json();
    assert_eq!(eval["probs"], shown["probs"]);
    let network = tavola(&["eval", TEN_EACH, "--ply", "0", "--json", "--no-tables"]).json();
    assert_ne!(network["probs"], shown["probs"]);
    // 2-1 leaves one of the two checkers on the board either way; the other side bears off both.
    let best = tavola(&["best", TWO_ON_TWO, "--roll", "21", "--json"]).json();
    assert_eq!(best["plays"][0]["equity"], json!(-1.0), "{best}");
    let request = json!({"op": "eval", "position": TEN_EACH, "ply": 0}).to_string();
    let batch = tavola_in(&[], &["batch"], request.as_bytes()).json();
    assert_eq!(batch["probs"], shown["probs"]);
}

#[test]
fn network_and_tables_meet_without_a_seam() {
    // One side has its last checker outside: the network evaluates it, the tables all that follows.
    let before = [
        "0,1,2,3,3,2,3,1,0,0,0,0,0,0,0,0,0,0,0,-4,-3,-3,-2,-2,-1,0",
        "0,1,3,2,2,2,3,2,0,0,0,0,0,0,0,0,0,0,0,-4,-3,-3,-2,-2,-1,0",
        "0,0,1,2,3,4,4,1,0,0,0,0,0,0,0,0,0,0,0,-3,-3,-3,-2,-2,-2,0",
    ];
    let mut requests = String::new();
    for position in before {
        let counts: Vec<i8> = position.split(',').map(|count| count.parse().unwrap()).collect();
        requests += &format!("{}\n", json!({"op": "eval", "position": counts}));
        for high in 1..=6 {
            for low in 1..=high {
                let request =
                    json!({"op": "best", "position": counts, "dice": [high, low], "top": 1});
                requests += &format!("{request}\n");
            }
        }
    }
    let answers = tavola_in(&[], &["batch"], requests.as_bytes()).done().stdout;
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for answers in answers.chunks(22) {
        let (eval, rolls) = answers.split_first().unwrap();
        let mut mean = 0.0;
        let mut rolls = rolls.iter();
        for high in 1..=6 {
            for low in 1..=high {
                let weight = if high == low { 1.0 } else { 2.0 };
                mean += weight / 36.0 * number(&rolls.next().unwrap()["plays"][0]["equity"]);
            }
        }
        // The error of the built-in network in such races, see docs/search.md, and some.
        let seam = number(&eval["equity"]) - mean;
        assert!(seam.abs() < 0.15, "{seam} {eval}");
    }
}

#[test]
fn tables_are_generated_listed_and_found_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().to_str().unwrap();
    let run = |args: &[&str]| tavola_in(&[("TAVOLA_CACHE_DIR", cache)], args, b"");
    let args = ["bearoff", "generate", "--points", "7", "--checkers", "2", "--two-sided", "1"];
    let made = run(&[&args[..], &["--json", "--threads", "2"]].concat()).json();
    assert_eq!(made["directory"], cache);
    assert_eq!(made["tables"][0]["positions"], 36);
    assert_eq!(made["tables"][1]["bytes"], 64 + 7 * 7 * 16);
    let state = |args: &[&str]| run(args).json()["tables"][0]["state"].clone();
    assert_eq!(made["tables"][0]["state"], "generated");
    let again = [&args[..], &["--json"]].concat();
    assert_eq!(state(&again), "kept");
    assert_eq!(state(&[&again[..], &["--again"]].concat()), "generated");
    let file = made["tables"][1]["file"].as_str().unwrap();
    fs::write(file, "no table").unwrap();
    let info = run(&["bearoff", "info"]).done().stdout;
    for part in ["sound", "missing", "is not a bear-off database", "54,264", "853,776"] {
        assert!(info.contains(part), "{part:?} is not in {info}");
    }
    assert!(fs::read_dir(cache).unwrap().count() == 2, "info generates nothing");
}

#[test]
fn without_a_writable_cache_the_answer_comes_with_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let cache = [("TAVOLA_CACHE_DIR", file.to_str().unwrap())];
    let eval = tavola_in(&cache, &["eval", TEN_EACH, "--json"], b"").done();
    assert!(eval.stderr.starts_with("warning: cannot keep a bear-off table"), "{eval:?}");
    assert!(eval.stderr.contains("TAVOLA_CACHE_DIR"), "{eval:?}");
    assert_eq!(eval.json()["ply"], 2);
    // Keeping a table is all that generate is for.
    let generate = tavola_in(&cache, &["bearoff", "generate", "--two-sided", "1"], b"");
    assert_eq!(generate.code, Some(1), "{generate:?}");
    assert!(generate.stderr.contains("two-sided, 1 checkers"), "{generate:?}");
}

#[test]
fn impossible_tables_and_positions_outside_are_refused_with_what_was_expected() {
    tavola(&["bearoff", "generate", "--points", "19"]).refused(&["19 points", "6 to 18"]);
    tavola(&["bearoff", "generate", "--two-sided", "11"]).refused(&["11", "1 to 10"]);
    tavola(&["bearoff", "generate", "--points", "18"]).refused(&["fewer points or checkers"]);
    tavola(&["bearoff", "generate", "--checkers", "3"]).refused(&["--points"]);
    tavola(&["bearoff", "show"]).refused(&["no table covers", "first 6 points"]);
    tavola(&["bearoff", "show", "nonsense"]).refused(&["\"nonsense\"", "Position ID"]);
    let over = "0,0,0,0,0,0,15,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
    tavola(&["bearoff", "show", over]).refused(&["nothing is left to bear off"]);
}

#[test]
fn clear_removes_what_is_cached_and_nothing_else() {
    let cache = tempfile::tempdir().unwrap();
    let folder = cache.path().join("cache");
    let environment = [("TAVOLA_CACHE_DIR", folder.to_str().unwrap())];
    let clear = || tavola_in(&environment, &["bearoff", "clear", "--json"], b"").json();
    assert_eq!(clear(), json!({"files": [], "bytes": 0}), "without a folder");
    fs::create_dir(&folder).unwrap();
    for name in ["two-sided-6-3.bearoff", "findings-0123456789abcdef.jsonl", "notes.txt"] {
        fs::write(folder.join(name), "0123456789").unwrap();
    }
    let removed = clear();
    assert_eq!(removed["bytes"], 20, "{removed}");
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["notes.txt"]);
    let told = tavola_in(&environment, &["bearoff", "clear"], b"").done().stdout;
    assert!(told.contains("0 files and 0 bytes removed"), "{told}");
}
