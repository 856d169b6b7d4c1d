//! `tavola convert` of matches, and their analysis as SGF.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::run::tavola;

fn sample() -> String {
    format!("{}/tests/cli/files/three-points.mat", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_match_goes_through_every_format_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (sgf, json, mat) = (path("m.sgf"), path("m.JSON"), path("m.txt"));
    let run = tavola(&["convert", &sample(), &sgf]).done();
    assert!(run.stdout.starts_with("1 match with "), "{}", run.stdout);
    tavola(&["convert", &sgf, &json]).done();
    let told = tavola(&["convert", &json, &mat, "--json"]).json();
    assert_eq!((told["read"].as_str(), told["matches"].as_u64()), (Some("json"), Some(1)));
    let again = path("again.json");
    tavola(&["convert", &mat, &again]).done();
    let read =
        |file: &str| -> Value { serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap() };
    assert_eq!(read(&again)["matches"][0]["games"], read(&json)["matches"][0]["games"]);
}

#[test]
fn what_can_not_be_converted_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.sgf").display().to_string();
    let bad = folder.path().join("bad.mat");
    fs::write(&bad, "hello").unwrap();
    tavola(&["convert", &sample(), "out.xg"]).refused(&["out.xg", ".mat, .sgf or .json"]);
    tavola(&["convert", bad.to_str().unwrap(), &out]).refused(&["bad.mat", "\"hello\""]);
    tavola(&["convert", "nowhere.mat", &out]).refused(&["nowhere.mat"]);
    tavola(&["convert", &sample()]).refused(&["is a file, expected the file to write"]);
    tavola(&["convert", &sample(), &out, "--to", "xgid"]).refused(&["--to"]);
    assert!(!PathBuf::from(out).exists());
}

#[test]
fn an_analysis_is_written_in_the_words_of_gnu_backgammon() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.sgf").display().to_string();
    let file = sample();
    let args = ["analyse", file.as_str(), "--ply", "0", "--no-cache", "--no-tables", "--json"];
    let report = tavola(&[&args[..], &["--sgf", &out]].concat()).report();
    let text = fs::read_to_string(&out).unwrap();
    let plays = report["decisions"].as_array().unwrap().iter();
    let rated = plays.clone().filter(|it| it["kind"] == "checker" && it["forced"] == false);
    assert_eq!(text.matches("]A[").count(), rated.count());
    let rolls = plays.filter(|it| it["luck"].is_object());
    assert_eq!(text.matches("LU[").count(), rolls.count());
    assert!(text.contains("DA[E ver 3 0C 1 0.000000 1 "), "{text}");
    // What was written is the same match.
    let again = tavola(&[&["analyse", out.as_str()], &args[2..]].concat()).report();
    assert_eq!(again["players"], report["players"]);
}
