//! Many positions, one a line.

use serde_json::Value;

use crate::run::{tavola, tavola_with_input};

const LINES: &[u8] = b"# the start position, and a roll\n4HPwATDgc/ABMA 31\n\n\
    XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10\r\nstart\t6-5\n";

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn lines_have_the_answers_that_single_positions_have() {
    let best = ["best", "-", "--ply", "0", "--top", "2", "--json"];
    let many = json_lines(&tavola_with_input(&best, LINES).done().stdout);
    let single = [
        tavola(&["best", "4HPwATDgc/ABMA", "--roll", "31", "--ply", "0", "--top", "2", "--json"]),
        tavola(&["best", "start", "--roll", "52", "--ply", "0", "--top", "2", "--json"]),
        tavola(&["best", "start", "--roll", "65", "--ply", "0", "--top", "2", "--json"]),
    ];
    assert_eq!(many.len(), single.len());
    for (many, single) in many.iter().zip(single) {
        assert_eq!(many["plays"], single.json()["plays"]);
    }
}

#[test]
fn a_file_is_answered_in_order_with_each_line_above_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("positions.txt");
    std::fs::write(&file, LINES).unwrap();
    let file = file.to_str().unwrap();
    for command in ["eval", "cube"] {
        let text = tavola(&[command, "--input", file, "--ply", "0", "--no-board"]).done().stdout;
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("line ")).collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(lines[0], "line 2: 4HPwATDgc/ABMA 31");
        assert!(lines[2].starts_with("line 5: start"), "{text}");
    }
    let rollout = ["rollout", "--input", file, "--trials", "36", "--truncate", "2", "--json"];
    assert_eq!(json_lines(&tavola(&rollout).done().stdout).len(), 3);
}

#[test]
fn a_line_without_an_answer_has_its_error_and_the_others_are_answered() {
    let input = b"4HPwATDgc/ABMA 31\nfoo 31\n\xff\n4HPwATDgc/ABMA 66\n";
    let run = tavola_with_input(&["best", "-", "--ply", "0", "--json"], input);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let answers = json_lines(&run.stdout);
    assert_eq!(answers.len(), 4);
    assert!(answers[0]["plays"].is_array() && answers[3]["plays"].is_array());
    assert_eq!(answers[1]["error"]["line"], 2);
    assert_eq!(answers[1]["error"]["kind"], "position");
    assert!(answers[1]["error"]["message"].as_str().unwrap().contains("foo"));
    assert_eq!(answers[2]["error"]["line"], 3);
    assert!(run.stderr.contains("2 of 4 positions could not be answered"), "{}", run.stderr);

    let run = tavola_with_input(&["best", "-", "--ply", "0", "--no-board"], input);
    assert!(run.stdout.contains("line 2: foo 31\nerror: "), "{}", run.stdout);
}

#[test]
fn what_makes_no_sense_for_many_is_refused() {
    tavola_with_input(&["eval", "-"], b"\n# nothing\n").refused(&["no position"]);
    tavola(&["eval", "--input", "nowhere.txt"]).refused(&["nowhere.txt"]);
    tavola(&["eval", "4HPwATDgc/ABMA", "--input", "a.txt"]).refused(&["--input"]);
    let cube = ["cube", "-", "--matrix", "--svg", "matrix.svg"];
    tavola_with_input(&cube, LINES).refused(&["--svg takes one position"]);
    let rollout = ["rollout", "-", "--save", "r.json"];
    tavola_with_input(&rollout, LINES).refused(&["take one position"]);
}

#[test]
fn what_is_wrong_or_ignored_in_a_line_is_told_with_its_number() {
    let input = b"start\nstart 77\nstart 31\n";
    let run = tavola_with_input(&["cube", "-", "--ply", "0", "--json"], input);
    let answers = json_lines(&run.stdout);
    let error = answers[1]["error"]["message"].as_str().unwrap();
    assert!(error.contains("\"77\" is not a roll"), "{error}");
    let warning = "warning: line 3: ignored: the roll 3-1, as the answer is about the position";
    assert!(run.stderr.starts_with(warning), "{}", run.stderr);
    assert!(answers[2]["no_double"].is_number());
}
