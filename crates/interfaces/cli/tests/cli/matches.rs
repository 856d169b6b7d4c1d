//! `tavola convert` of matches, and their analysis as SGF.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tavola_matches::{Act, Property, ReadWatch, json, read};

use crate::external::{command_gnubg, gnubg};
use crate::run::{tavola, tavola_with_input};

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
    // A file that ends early is one whose last game is open.
    let short = path("short.mat");
    let text = fs::read_to_string(sample()).unwrap();
    fs::write(&short, &text[..text.rfind(" 5)").unwrap()]).unwrap();
    let run = tavola(&["convert", &short, &path("short.sgf")]).done();
    assert!(run.stdout.contains(", 1 not finished, written to"), "{run:?}");
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
    tavola(&["convert", &sample(), "out.xg"])
        .refused(&["out.xg", ".json, .txt, .ogxm, .gvab, .ogxms or .gva"]);
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
    let args = ["analyze", file.as_str(), "--ply", "0", "--no-cache", "--no-tables", "--json"];
    let report = tavola(&[&args[..], &["--sgf", &out]].concat()).report();
    let text = fs::read_to_string(&out).unwrap();
    let plays = report["decisions"].as_array().unwrap().iter();
    let rated = plays.clone().filter(|it| it["kind"] == "checker" && it["forced"] == false);
    assert_eq!(text.matches("]A[").count(), rated.count());
    let rolls = plays.filter(|it| it["luck"].is_object());
    assert_eq!(text.matches("LU[").count(), rolls.count());
    assert!(text.contains("DA[E ver 3 0C 1 0.000000 1 "), "{text}");
    // A play counts as forced there if it has one candidate.
    let deep = ["analyze", file.as_str(), "--ply", "1", "--no-cache", "--no-tables", "--json"];
    for decision in tavola(&deep).report()["decisions"].as_array().unwrap() {
        if decision["kind"] == "checker" && decision["forced"] == false {
            assert!([0, 1].iter().all(|&at| decision["plays"][at]["ply"] == 1), "{decision}");
        }
    }
    // What was written is the same match.
    let again = tavola(&[&["analyze", out.as_str()], &args[2..]].concat()).report();
    assert_eq!(again["players"], report["players"]);
}

/// The rolls and plays of the first match of a file that is read by us.
fn plays_of(name: &str, bytes: &[u8]) -> Vec<String> {
    let reading = tavola_engine::live::read_matches(bytes, None, ReadWatch::default());
    let reading = reading.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(reading.notes, Vec::new(), "{name}");
    let games = &reading.matches[0].games;
    assert!(games.iter().all(|game| game.broken.is_none() && game.result.is_some()), "{name}");
    let actions = games.iter().flat_map(|game| &game.actions);
    let play = |act: Act| match act {
        Act::Roll(dice, Some(play)) => Some(format!("{dice} {play}")),
        _ => None,
    };
    actions.filter_map(|action| play(action.act)).collect()
}

#[test]
fn what_is_written_is_read_by_us_and_by_gnu_backgammon() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut files: Vec<String> = Vec::new();
    // Saved games of duels: for money with and without the cube, a match, a variant.
    for (name, more) in [
        ("money.mat", &[][..]),
        ("cube.mat", &["--cube"]),
        ("match.mat", &["--match", "3"]),
        ("nack.mat", &["--game", "nackgammon"]),
    ] {
        let file = path(name);
        let duel = ["duel", "raw:default", "pip-count", "--games", "4", "--no-luck"];
        tavola(&[&duel[..], more, &["--save-games", &file]].concat()).done();
        files.push(file);
    }
    // Saved matches and what `play` exports, of each variant, in each format.
    for game in ["backgammon", "nackgammon", "hypergammon", "longgammon"] {
        let (saved, mat) = (path(&format!("{game}.json")), path(&format!("{game}.mat")));
        let play = ["play", "--plain", "--game", game, "--match-length", "1", "--dice", "typed"];
        let files_of = ["--names", "Ann,Bob", "--strength", "beginner"];
        let rolls = "13\n31\nresign\nquit\n";
        let kept = ["--save", &saved, "--export", &mat];
        let args = [&play[..], &files_of, &kept, &["--no-tables"]].concat();
        tavola_with_input(&args, rolls.as_bytes()).done();
        files.extend([saved.clone(), mat]);
        for ending in ["sgf", "JSON"] {
            let other = path(&format!("{game}-again.{ending}"));
            tavola(&["convert", &saved, &other]).done();
            files.push(other);
        }
    }
    let mut expected = Vec::new();
    for file in &files {
        let plays = plays_of(file, &fs::read(file).unwrap());
        assert!(!plays.is_empty(), "{file}");
        expected.push(plays);
    }
    let Some(program) = gnubg() else { return };
    // It knows no longgammon.
    let known = |file: &&String| {
        (file.ends_with(".mat") || file.ends_with(".sgf")) && !file.contains("longgammon")
    };
    let mut commands =
        "set confirm new off\nset confirm save off\nset display off\nset jacoby off\n".to_owned();
    for file in files.iter().filter(known) {
        let how = if file.ends_with(".mat") { "import mat" } else { "load match" };
        commands.push_str(&format!("{how} {file}\nsave match {file}.gnu.sgf\n"));
    }
    let told = command_gnubg(&program, folder.path(), &commands);
    for (file, plays) in files.iter().zip(&expected).filter(|(file, _)| known(file)) {
        let again = fs::read(format!("{file}.gnu.sgf"));
        let again = again.unwrap_or_else(|error| panic!("{file}: {error}\n{told}"));
        assert_eq!(&plays_of(file, &again), plays, "{file}\n{told}");
    }
}

/// GammonView's library and the reference codec of OGXM read a file and write it again, where they
/// are installed.
const THROUGH_GAMMONVIEW: &str = "
import sys
try:
    import gvformat, ogxm
except ImportError:
    sys.exit(3)
data = open(sys.argv[1], 'rb').read()
document = ogxm.binary_to_json(data)
assert ogxm.v2_problem(document) is None and ogxm.json_to_binary(document) == data
open(sys.argv[2], 'wb').write(gvformat.write_gvab(gvformat.read_gvab(data)))
";

#[test]
fn both_analyses_and_comments_go_to_ogxm_and_through_gammonview() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut record = read(&fs::read(sample()).unwrap()).unwrap().matches.remove(0);
    let action = &mut record.games[0].actions[0];
    action.comment = "the usual play".to_owned();
    let values = vec!["-0.0410".to_owned(), "0.0910".to_owned()];
    action.properties.push(Property { name: "XG".to_owned(), values });
    fs::write(path("in.json"), json::write(&[record])).unwrap();
    let args = ["analyze", &path("in.json"), "--ply", "0", "--no-cache", "--no-tables"];
    tavola(&[&args[..], &["--ogxm", &path("out.ogxm"), "--cards", &path("c.tsv")]].concat()).done();
    let read_back = |name: &str| read(&fs::read(path(name)).unwrap()).unwrap().matches.remove(0);
    let found = read_back("out.ogxm");
    let blocks = found.details.other.iter().filter(|(name, _)| name.starts_with("OGXM analysis"));
    assert_eq!(blocks.count(), 2);
    assert_eq!(found.games[0].actions[0].comment, "the usual play");
    let python = Command::new("python3")
        .args(["-c", THROUGH_GAMMONVIEW, &path("out.ogxm"), &path("back.ogxm")])
        .status();
    match python.map(|status| status.code()) {
        Ok(Some(0)) => assert_eq!(read_back("back.ogxm"), found),
        Ok(Some(3)) | Err(_) => eprintln!("left out: no ogxm 2.3.2 and gammonview 3.1.0"),
        other => panic!("{other:?}"),
    }
}
