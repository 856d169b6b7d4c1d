//! Matches of the project's own JSON, written and read back.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::*;
use crate::{mat, sgf};

fn there_and_back(matches: &[Match]) {
    let text = write(matches);
    let (again, notes) = read(&text, ReadWatch::default()).unwrap();
    assert_eq!((again.as_slice(), notes.len()), (matches, 0));
}

fn files() -> Vec<Match> {
    let mut matches = Vec::new();
    for text in [
        include_str!("../../tests/files/money-set-up.sgf"),
        include_str!("../../tests/files/analyzed.sgf"),
        "(;GM[6]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B]RE[B+1];W[31hefe];B[65aaaa])",
        "(;GM[6]MI[length:0][game:0][ws:0][bs:0]RU[Hypergammon3]C[x];W[31wtvu];RS[B:gammon]C[?])",
    ] {
        matches.extend(sgf::read(text, None, ReadWatch::default()).unwrap().0);
    }
    matches
}

#[test]
fn everything_comes_back() {
    let matches = files();
    assert_eq!(matches.len(), 4);
    assert!(matches[2].games[0].broken.is_some());
    assert_eq!(matches[3].options.start, tavola_rules::Backgammon::Hypergammon);
    there_and_back(&matches);
}

#[test]
fn an_action_is_a_line() {
    // The example of the document is what is written.
    let document =
        include_str!("../../../../../docs/matches.md").split("\n    {\n").nth(1).unwrap();
    let example: String = document
        .lines()
        .take_while(|line| line.starts_with("    "))
        .map(|line| format!("{}\n", &line[4..]))
        .collect();
    let example = format!("{{\n{example}");
    assert_eq!(write(&read(&example, ReadWatch::default()).unwrap().0), example);
}

#[test]
fn what_few_bytes_of_another_format_say_is_said_in_at_most_32_times_as_many() {
    // Positions that five bytes set up, and as many actions as fit.
    let head = "(;GM[6]MI[length:0][game:0][ws:0][bs:0]";
    for part in [";AE[]", ";DI[31]", ";B[double];W[take]", ";AE[]CV[2]CP[w]", ";C[\"]A[]"] {
        let file = format!("{head}{})", part.repeat(50_000 / part.len()));
        let reading = crate::read(file.as_bytes()).unwrap();
        let text = write(&reading.matches);
        assert!(text.len() <= 32 * file.len(), "{part}: {} bytes", text.len());
        assert_eq!(crate::read(text.as_bytes()).unwrap().matches, reading.matches);
    }
}

#[test]
fn an_impossible_score_of_another_file_comes_back() {
    let text = "\n 3 point match\n\n Game 1\n A : 7   B : 0\n  1) 31: 8/5 6/5\n Wins 1 point\n";
    let (matches, _) = mat::read(text, None, ReadWatch::default()).unwrap();
    assert!(matches[0].games[0].broken.is_some());
    there_and_back(&matches);
}

#[test]
fn errors_say_where_and_what() {
    let record = r#"{"format": "tavola match", "version": 1, "matches": [{"players": ["A", "B"],
        "length": 3, "games": [{"score": [0, 0], "actions": [
        {"player": 1, "act": "roll", "dice": [3, 1], "play": "8/5 6/5"}]}]}]}"#;
    assert!(read(record, ReadWatch::default()).is_ok());
    for (from, to, expected) in [
        ("tavola match", "gnubg", "the format is \"gnubg\" version 1, expected \"tavola match\""),
        ("\"length\": 3", "\"length\": -3", "line 2: "),
        ("\"length\": 3", "\"length\": 3, \"lenght\": 3", "unknown field `lenght`"),
        ("8/5 6/5", "8/2", "match 1, game 1, action 1: \"8/2\" is illegal"),
        ("\"dice\": [3, 1], ", "", "action 1: dice is missing"),
        ("[3, 1]", "[3, 7]", "action 1: "),
        (
            "5\"}]",
            "5\", \"properties\": [{\"name\": \"B\", \"values\": [\"\"]}]}]",
            "key of its own",
        ),
        ("\"player\": 1", "\"player\": 3", "player 3, expected 1 or 2"),
        ("\"act\": \"roll\"", "\"act\": \"take\"", "dice does not belong to this action"),
        ("[0, 0]", "[3, 0]", "match 1, game 1: "),
        (
            "5\"}]",
            "5\"}], \"result\": {\"winner\": 1, \"points\": 1, \"cube\": 1, \
          \"ending\": \"dropped\"}",
            "but the actions lead to no result",
        ),
        (
            "5\"}]",
            "5\"}], \"properties\": [{\"name\": \"g\", \"values\": [\"\"]}]",
            "property \"g\"",
        ),
    ] {
        let text = record.replacen(from, to, 1);
        assert_ne!(text, record);
        let error = read(&text, ReadWatch::default()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_backup_of_the_page_is_its_matches_in_their_own_formats() {
    let mat = include_str!("../../tests/files/three-points.mat");
    let sgf = include_str!("../../tests/files/three-points.sgf");
    let bytes = STANDARD.encode(sgf);
    let entry = |record: serde_json::Value| json!({"names": ["A", "B"], "pr": [5.5, null], "record": record});
    let entries = json!([
        entry(mat.into()), entry(json!({"bytes": bytes})), entry(write(&files()).into()),
        entry(serde_json::Value::Null), entry("no match".into()), entry(json!({"bytes": "?"})),
        {"names": ["A"], "game": "tabula", "record": "a transcript"},
    ]);
    let backup = json!({"format": "tavola history", "version": 1, "matches": entries, "cards": []});
    // Older pages wrote neither the format nor the version.
    let older = json!({"matches": entries});
    for text in [backup.to_string(), older.to_string()] {
        let reading = crate::read(text.as_bytes()).unwrap();
        let mut expected = mat::read(mat, None, ReadWatch::default()).unwrap().0;
        expected.extend(sgf::read(sgf, None, ReadWatch::default()).unwrap().0);
        expected.extend(files());
        assert_eq!(reading.matches, expected);
        let notes: Vec<_> = reading.notes.iter().map(ToString::to_string).collect();
        for (entry, why) in [
            (4, "nothing of it was saved"),
            (5, "no record of games was found"),
            (6, "not valid base64"),
            (7, "a game of tabula has no match"),
        ] {
            let found = notes
                .iter()
                .any(|note| note.starts_with(&format!("entry {entry} (A")) && note.contains(why));
            assert!(found, "{entry}: {notes:?}");
        }
    }
    for (text, expected) in [
        (backup.to_string().replace("\"version\":1", "\"version\":2"), "expected version 1"),
        (backup.to_string()[..400].to_owned(), "line 1: EOF"),
        (
            json!({"format": "tavola history", "matches": [entry("no".into())]}).to_string(),
            "entry 1 (A – B)",
        ),
        (json!({"format": "tavola history", "matches": []}).to_string(), "it has no matches"),
        (json!({"matches": []}).to_string(), "expected \"tavola match\""),
    ] {
        let error = crate::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
