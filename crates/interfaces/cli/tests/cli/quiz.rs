//! `tavola quiz`: answers from a script, errors of a match, and bad input.

use std::fs;
use std::path::PathBuf;

use crate::run::{Run, tavola, tavola_with_input};

fn quiz(deck: &std::path::Path, input: &str, more: &[&str]) -> Run {
    let deck = deck.to_str().unwrap();
    let args = [&["quiz", "--deck", deck, "--ply", "0", "--no-tables"], more].concat();
    tavola_with_input(&args, input.as_bytes())
}

/// A deck with one play, one double and one response.
fn small_deck() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quiz.json");
    let card = |dice: &str, position: &str| {
        format!(r#"{{"phase":"test","position":"XGID={position}:0:0:1:{dice}:0:0:0:0:10"}}"#)
    };
    let race = "-CCBCCA------------bcddb--";
    let cards = [card("31", "-b----E-C---eE---c-e----B-"), card("00", race), card("D", race)];
    let text = format!(r#"{{"format":"tavola quiz","version":1,"cards":[{}]}}"#, cards.join(","));
    fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn answers_are_rated_and_kept() {
    let (_folder, deck) = small_deck();
    let run = quiz(&deck, "24/23 13/10\ntake\nroll\ntake\n", &["--ascii"]).done();
    for part in [
        "How do you play 3-1?",
        "loses",
        "against 8/5 6/5",
        "Do you double, or roll?",
        "roll: an error: loses",
        "You are doubled. Do you take, or pass?",
        "expected 'double' or 'roll'",
        "3 answered, 0 of them with the best choice",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let kept: serde_json::Value = serde_json::from_slice(&fs::read(&deck).unwrap()).unwrap();
    let cards = kept["cards"].as_array().unwrap();
    assert!(cards.iter().all(|card| card["memory"]["answers"] == 1), "{kept}");
    assert!(cards.iter().all(|card| card["memory"]["box"] == 0), "{kept}");

    // What was answered badly is due at once; the best answers are not due any more.
    let run = quiz(&deck, "8/5 6/5\ndouble\npass\n", &["--no-board"]).done();
    assert!(run.stdout.contains("3 answered, 3 of them with the best choice"), "{}", run.stdout);
    let run = quiz(&deck, "", &[]).done();
    assert!(run.stdout.contains("nothing is due"), "{}", run.stdout);
    let list = quiz(&deck, "", &["--list", "--json"]).json();
    assert_eq!((list["questions"].as_u64(), list["due"].as_u64()), (Some(3), Some(0)));
}

#[test]
fn what_is_no_answer_is_asked_again() {
    let (_folder, deck) = small_deck();
    let run = quiz(&deck, "8/3\n?\nskip\ntake\nquit\n", &["--no-board"]).done();
    assert!(run.stdout.contains("error: ") && run.stdout.contains("8/3"), "{}", run.stdout);
    assert!(run.stdout.contains("Answer with a play such as"), "{}", run.stdout);
    assert!(run.stdout.contains("\"take\" is no answer to this, expected 'double'"));
    assert!(!run.stdout.contains("answered"), "{}", run.stdout);
}

#[test]
fn a_play_is_answered_by_its_number_in_the_list() {
    let (_folder, deck) = small_deck();
    let run = quiz(&deck, "plays 8/5\nplays\n0\n17\nquit\n", &["--ascii"]).done();
    // The board ends before what follows it.
    assert!(run.stdout.contains("\nXGID=-b----E-C---eE---c-e----B-"), "{}", run.stdout);
    let listed: Vec<&str> = run.stdout.lines().filter(|line| line.ends_with(" 8/5 6/5")).collect();
    assert!(listed.len() == 2 && listed[0] == listed[1], "{}", run.stdout);
    for wrong in ["\"0\"", "\"17\""] {
        let error = format!("error: {wrong} is no play's number, expected one from 1 to 16");
        assert!(run.stdout.contains(&error), "{}", run.stdout);
    }
    let number = listed[0].split_whitespace().next().unwrap();
    let run = quiz(&deck, &format!("{number}\n1\nplays\n"), &["--no-board"]).done();
    assert!(run.stdout.contains("8/5 6/5: the best choice"), "{}", run.stdout);
    // A question about the cube has no plays.
    assert!(run.stdout.contains("\"1\" is the number of a play, but none"), "{}", run.stdout);
    assert!(run.stdout.contains("\"plays\" is no answer to this"), "{}", run.stdout);
}

#[test]
fn errors_of_a_player_become_questions() {
    let folder = tempfile::tempdir().unwrap();
    let deck = folder.path().join("quiz.json");
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cli/files/three-points.mat");
    let file = file.to_str().unwrap();
    let add = ["--player", "root", "--least", "0.02", "--list", "--json", "--quiet", file];
    let before = quiz(&deck, "", &["--list", "--json"]).json()["questions"].as_u64().unwrap();
    let after = quiz(&deck, "", &add).json()["questions"].as_u64().unwrap();
    assert!(after >= before + 2, "{before} {after}");
    assert_eq!(quiz(&deck, "", &add).json()["questions"].as_u64().unwrap(), after);
    // Own errors come before the positions of the program.
    let run = quiz(&deck, "skip\n", &["--no-board", "--count", "1"]).done();
    assert!(run.stdout.contains("Question 1 of 1"), "{}", run.stdout);
    quiz(&deck, "", &["--player", "Nobody", file]).refused(&["Nobody", "\"gnubg\", \"root\""]);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let deck = folder.path().join("quiz.json");
    fs::write(&deck, "[]").unwrap();
    quiz(&deck, "", &[]).refused(&["quiz.json is no file of quiz questions"]);
    assert_eq!(fs::read_to_string(&deck).unwrap(), "[]");
    quiz(&deck, "", &["--json"]).refused(&["--json goes with --list"]);
    quiz(&deck, "", &["--player", "Ann"]).refused(&["FILE"]);
    tavola(&["quiz", "no-such-file.mat", "--deck", "/nonexistent/x.json"])
        .refused(&["no-such-file.mat"]);
}
