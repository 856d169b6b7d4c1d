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

/// Two positions as eXtreme Gammon copies them, one with a comment.
const OF_XG: &str = "\u{feff}XGID=-b----E-C--AeD---bAdb---A-:0:0:1:52:0:0:3:0:10\r\n\
    X:Player 1   O:Player 2\r\nScore is X:0 O:0. Unlimited Game, Jacoby Beaver\r\n\
    \x20+12-11-10--9--8--7-------6--5--4--3--2--1-+\r\nPip count  X: 159  O: 163 X-O: 0-0\r\n\
    Cube: 1\r\nX to play 52\r\n\r\n    1. XG Roller++ 18/11  eq:-0.0026\r\n\
    When ahead in the race, race!\r\n\r\neXtreme Gammon Version: 2.10\r\n\r\n\
    XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10\nX:Ann O:Bob\nX to play 31\n";

#[test]
fn a_text_of_extreme_gammon_is_the_position_in_it() {
    let args = ["best", "-", "--ply", "0", "--json"];
    let many = json_lines(&tavola_with_input(&args, OF_XG.as_bytes()).done().stdout);
    let best: Vec<_> = many.iter().map(|answer| answer["plays"][0]["play"].clone()).collect();
    assert_eq!(best, ["18/11", "8/5 6/5"]);
    let one = tavola(&["best", &OF_XG[3..], "--ply", "0", "--json"]).json();
    assert_eq!(one["plays"], many[0]["plays"]);
}

/// What GNU Backgammon draws, at 3-5 to 7.
const OF_GNUBG: &str = " GNU Backgammon  Position ID: 4HPwATDgc/ABMA
                 Match ID   : cAngAFAAGAAA
 +13-14-15-16-17-18------19-20-21-22-23-24-+     O: Bob
 | X           O    |   | O              X |     3 points
 | X                |   | O                |
v|                  |BAR|                  |     7 point match (Cube: 1)
 | O           X    |   | X              O |     On roll
 +12-11-10--9--8--7-------6--5--4--3--2--1-+     X: Ann
Pip counts: O 167, X 167
";

#[test]
fn a_drawn_board_of_gnubg_is_one_position_at_its_score() {
    let cube = |input: &str| {
        let run = tavola_with_input(&["cube", "-", "--level", "0", "--json"], input.as_bytes());
        json_lines(&run.done().stdout)
    };
    let figures = |it: &Value| {
        ["no_double", "double_take"].map(|name| format!("{:.3}", it[name].as_f64().unwrap()))
    };
    let one = cube(OF_GNUBG);
    let single = figures(&one[0]);
    assert_eq!((one.len(), &single), (1, &["0.407", "0.347"].map(str::to_owned)));
    // Two with text between them, then a line as usual and one that is none.
    let text = "1. Double, pass +1.000\nProper cube action: Redouble, pass\n";
    let two = cube(&format!("{OF_GNUBG}\n{text}\n{OF_GNUBG}{text}4HPwATDgc/ABMA\n"));
    assert_eq!(two.len(), 3);
    assert_eq!([figures(&two[0]), figures(&two[1])], [single.clone(), single.clone()]);
    assert_ne!(figures(&two[2]), single);
    let wrong = format!("{OF_GNUBG}4HPwATDgc/ABMA\nfoo\n");
    let run = tavola_with_input(&["cube", "-", "--level", "0", "--json"], wrong.as_bytes());
    assert_eq!((run.code, json_lines(&run.stdout).len()), (Some(1), 3));
    // As an argument, and without a Match ID.
    assert_eq!(figures(&tavola(&["cube", OF_GNUBG, "--level", "0", "--json"]).json()), single);
    assert_eq!(cube("Position ID: 4HPwATDgc/ABMA\n4HPwATDgc/ABMA\n").len(), 2);
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
