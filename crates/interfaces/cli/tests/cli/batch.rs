//! The machine interface: one JSON object a line in, one out, whatever comes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::run::tavola_with_input;

/// The answers to these lines, one each.
fn answers(input: &[u8], expected: usize) -> Vec<Value> {
    let run = tavola_with_input(&["batch"], input).done();
    assert_eq!(run.stderr, "");
    let answers: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), expected, "{}", run.stdout);
    answers
}

/// The answer to one request.
fn answer(request: &Value) -> Value {
    answers(format!("{request}\n").as_bytes(), 1).remove(0)
}

/// Checks that each request is refused with this kind and a message with this part.
fn refused(requests: &[(Value, &str, &str)]) {
    let input: String = requests.iter().map(|(request, ..)| format!("{request}\n")).collect();
    for (answer, (request, kind, part)) in
        answers(input.as_bytes(), requests.len()).iter().zip(requests)
    {
        assert_eq!(answer["error"]["kind"], *kind, "{request} {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{request} {answer}");
        assert_eq!(answer["id"], request["id"]);
        assert_eq!(answer.as_object().unwrap().len(), 2);
    }
}

#[test]
fn an_id_that_is_nested_too_deep_is_refused() {
    let line = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(
            "{{\"id\": {open}{close}, \"op\": \"legal\", \"position\": \"start\", \"dice\": \"31\"}}\n"
        )
    };
    let found = answers([64, 65, 1_000, 100_000].map(line).concat().as_bytes(), 4);
    assert!(found[0]["id"].is_array() && found[0]["plays"].is_array(), "{}", found[0]);
    for answer in &found[1..] {
        assert_eq!((&answer["id"], &answer["error"]["kind"]), (&Value::Null, &json!("request")));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("levels of brackets, expected at most 64"), "{message}");
    }
}

#[test]
fn a_request_says_how_deep_and_wide_to_look() {
    let start = "4HPwATDgc/ABMA";
    let requests = [
        json!({"op": "best", "position": start, "dice": [6, 2]}),
        json!({"op": "best", "position": start, "dice": [6, 2], "ply": 1, "preset": "full"}),
        json!({"op": "best", "position": start, "dice": [6, 2], "ply": 1, "preset": "fast"}),
        json!({"op": "best", "position": start, "dice": [6, 2], "ply": 1, "time": "1h"}),
        json!({"op": "best", "position": start, "dice": [6, 2]}),
    ];
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let answers = answers(input.as_bytes(), requests.len());
    let plies = |i: usize| -> Vec<u64> {
        let plays = answers[i]["plays"].as_array().unwrap();
        plays.iter().map(|play| play["ply"].as_u64().unwrap()).collect()
    };
    assert_eq!(plies(0)[..5], [2; 5], "the depth of the commands");
    assert!(plies(1).iter().all(|&ply| ply == 1));
    assert!(plies(2).contains(&1) && plies(2).contains(&0));
    assert_eq!(plies(3)[0], 1);
    assert_eq!(answers[4], answers[0], "one request has no influence on the next");
}

#[test]
fn what_cannot_be_answered_is_refused_in_place_with_its_kind() {
    let start = "4HPwATDgc/ABMA";
    refused(&[
        (json!({"id": 1}), "request", "missing field \"op\""),
        (json!({"id": 2, "op": "dance"}), "op", "\"dance\""),
        (json!({"id": 3, "op": 5}), "request", "\"op\" is 5"),
        (json!({"id": 4, "op": "legal", "dice": [3, 1]}), "request", "missing field \"position\""),
        (json!({"id": 5, "op": "legal", "position": start}), "dice", "no roll"),
        (json!({"id": 6, "op": "legal", "position": start, "dice": [3, 7]}), "dice", "[3,7]"),
        (json!({"id": 7, "op": "legal", "position": start, "dice": [3]}), "dice", "[3]"),
        (json!({"id": 8, "op": "legal", "position": start, "dice": {}}), "dice", "{}"),
        (json!({"id": 9, "op": "eval", "position": "hello"}), "position", "hello"),
        (json!({"id": 10, "op": "eval", "position": [1, 2, 3]}), "position", "26"),
        (json!({"id": 11, "op": "eval", "position": vec![0; 26]}), "position", "checker"),
        (json!({"id": 12, "op": "eval", "position": vec![999; 26]}), "position", "999"),
        (json!({"id": 13, "op": "eval", "position": 1.5}), "position", "1.5"),
        (json!({"id": 14, "op": "eval", "position": start, "ply": 4}), "request", "0 to 3"),
        (json!({"id": 14, "op": "eval", "position": start, "preset": "x"}), "preset", "normal"),
        (
            json!({"id": 14, "op": "eval", "position": start, "level": "9"}),
            "request",
            "\"9\", expected 0, 0+",
        ),
        (
            json!({"id": 14, "op": "eval", "position": start, "level": 2}),
            "request",
            "is 2, expected a text, one of 0, 0+",
        ),
        (json!({"id": 14, "op": "eval", "position": start, "time": "soon"}), "request", "200ms"),
        (json!({"id": 15, "op": "eval", "position": start, "ply": -1}), "request", "-1"),
        (json!({"id": 16, "op": "eval", "position": start, "plies": 0}), "request", "\"plies\""),
        (
            json!({"id": 17, "op": "cube", "position": start, "cubeful": true}),
            "request",
            "\"cubeful\"",
        ),
        (json!({"id": 18, "op": "rollout", "position": start, "trials": 0}), "request", "trials"),
        (json!({"id": 19, "op": "eval", "position": start, "v": 2}), "request", "\"v\" is 2"),
        (json!({"id": 20, "op": "convert", "position": start, "to": "fen"}), "request", "fen"),
        (
            json!({"id": 22, "op": "eval", "position": start, "cube": {"value": 3, "owner": "center"}}),
            "request",
            "power of two",
        ),
        (
            json!({"id": 23, "op": "eval", "position": start,
                   "match": {"length": 7, "player": 7, "opponent": 0}}),
            "request",
            "both below 7",
        ),
        (
            json!({"id": 26, "op": "legal", "position": start, "dice": [3, 1],
                   "match": {"length": 7, "player": 3, "opponent": 5, "crawford": true}}),
            "request",
            "one point from winning",
        ),
        (
            json!({"id": 27, "op": "eval", "position": start,
                   "cube": {"value": 1_u64 << 40, "owner": "center"}}),
            "request",
            "1099511627776",
        ),
        (
            json!({"id": 28, "op": "eval", "position": start, "cube": {"value": 1, "owner": "player"}}),
            "request",
            "at least 2",
        ),
        (
            json!({"id": 29, "op": "eval",
                   "position": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:7:9:0:7:10"}),
            "position",
            "both below 7",
        ),
        (
            json!({"id": 24, "op": "eval", "position": start, "jacoby": true,
                   "match": {"length": 7, "player": 0, "opponent": 0}}),
            "request",
            "money",
        ),
        (
            json!({"id": 25, "op": "eval", "position": start, "cubeful": 1}),
            "request",
            "\"cubeful\" is 1",
        ),
        (json!({"id": {"deep": [1]}, "op": ["best"]}), "request", "[\"best\"]"),
    ]);
}

#[test]
fn an_id_comes_back_as_it_was_written_and_a_key_stands_once() {
    let ids = ["12345678901234567890123", r#"{"b":1,"a":[1.10,"}"]}"#, "\"\\u0041\""];
    for id in ids {
        let line = format!(r#"{{"op":"convert","id": {id} ,"position":"start","to":"ints"}}"#);
        let run = tavola_with_input(&["batch"], line.as_bytes()).done();
        assert!(run.stdout.starts_with(&format!(r#"{{"id":{id},"position":[0,-2,"#)), "{run:?}");
        let line = format!(r#"{{"op":"dance","id":{id}}}"#);
        let run = tavola_with_input(&["batch"], line.as_bytes()).done();
        assert!(run.stdout.starts_with(&format!(r#"{{"id":{id},"error":"#)), "{run:?}");
    }
    for line in [
        r#"{"id":1,"op":"eval","position":"start","op":"legal"}"#,
        r#"{"id":1,"op":"eval","position":"start","cube":{"value":1,"owner":"center","value":2}}"#,
    ] {
        let answer = answers(line.as_bytes(), 1).remove(0);
        assert_eq!((&answer["id"], &answer["error"]["kind"]), (&json!(1), &json!("request")));
        assert!(answer["error"]["message"].as_str().unwrap().contains("stands twice"), "{answer}");
    }
}

#[test]
fn a_rollout_ends_when_its_time_is_over() {
    let rolled = answer(&json!({
        "op": "rollout", "position": "start", "trials": 1_000_000_000, "time": "30ms",
    }));
    assert_eq!(rolled["ended"], "time");
    assert!(rolled["trials"].as_u64().unwrap() < 1_000_000_000, "{rolled}");
}

#[test]
fn what_is_said_in_vain_is_listed_in_the_answer() {
    let xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:6:6:1:7:2";
    let found = answer(&json!({"id": 1, "op": "legal", "position": xgid}));
    let warnings = found["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2, "{found}");
    assert_eq!(warnings[0], "ignored: the position's largest cube 4");
    // A network that is asked about another game than its own is doubted in every answer, but not
    // where it is known to be the best.
    let known = answer(&json!({"op": "eval", "game": "nackgammon", "position": "start"}));
    assert_eq!(known["warnings"], Value::Null);
    let request = r#"{"op":"eval","game":"puff:cap=none","position":"start"}"#;
    let twice = answers(format!("{request}\n{request}\n").as_bytes(), 2);
    assert!(twice[0]["warnings"][0].as_str().unwrap().contains("cap=none"), "{twice:?}");
    assert_eq!(twice[0], twice[1]);
}

#[test]
fn a_hostile_stream_gets_an_answer_a_line_and_never_stops() {
    let good = br#"{"id":"still here","op":"legal","position":"4HPwATDgc/ABMA","dice":[3,1]}"#;
    let hostile: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"   ".to_vec(),
        b"hello".to_vec(),
        b"[1,2,3]".to_vec(),
        b"null".to_vec(),
        b"{\"id\":1,".to_vec(),
        b"\xff\xfe{\"id\":1}".to_vec(),
        b"{\"id\":1,\"op\":\"\xff\"}".to_vec(),
        b"\0\0\0".to_vec(),
        b"{\"op\":\"eval\",\"position\":1e999}".to_vec(),
        b"{\"op\":\"eval\",\"position\":123456789012345678901234567890}".to_vec(),
        "{\"op\":\"eval\",\"position\":\"\u{1F3B2}\u{301}XGID=\u{1F3B2}\"}".as_bytes().to_vec(),
        [vec![b'['; 100_000], vec![b']'; 100_000]].concat(),
        vec![b'x'; 10_000_000],
        format!("{{\"op\":\"eval\",\"position\":\"{}\"}}", "A".repeat(500_000)).into_bytes(),
    ];
    let mut input = Vec::new();
    for line in &hostile {
        input.extend(line);
        input.push(b'\n');
        input.extend(good);
        input.push(b'\n');
    }
    let answers = answers(&input, 2 * hostile.len());
    for pair in answers.chunks(2) {
        assert!(pair[0]["error"]["message"].as_str().unwrap().len() < 1000, "{}", pair[0]);
        assert_eq!(pair[1]["id"], "still here");
        assert_eq!(pair[1]["plays"].as_array().unwrap().len(), 16);
    }
}

#[test]
fn each_answer_comes_before_the_next_request_is_asked() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tavola"))
        .arg("batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for id in 0..3 {
        writeln!(stdin, r#"{{"id":{id},"op":"eval","position":"4HPwATDgc/ABMA"}}"#).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// Every operation, asked by a command and by `batch`.
#[test]
fn a_command_prints_the_answer_of_batch() {
    let middle = "62aCAQPWnBsAAw";
    let xgid = "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:0:10";
    let score = json!({"length": 7, "player": 3, "opponent": 5});
    for (command, mut request) in [
        (format!("legal {middle} --roll 31"), json!({"op": "legal", "dice": [3, 1]})),
        (
            "legal --game tabula --roll 652".to_owned(),
            json!({"op": "legal", "game": "tabula", "dice": "652", "position": "start"}),
        ),
        (
            format!("best {middle} --roll 42 --ply 0 --top 3 --explain --played '8/4 6/4'"),
            json!({"op": "best", "dice": "42", "ply": 0, "top": 3, "explain": true, "played": "8/4 6/4"}),
        ),
        (
            format!("best {xgid} --ply 1 --preset fast"),
            json!({"op": "best", "position": xgid, "ply": 1, "top": 5, "preset": "fast"}),
        ),
        (
            format!("best {middle} --roll 42 --ply 0 --cubeless"),
            json!({"op": "best", "dice": "42", "ply": 0, "top": 5, "cubeful": false}),
        ),
        (
            format!("eval {xgid} --ply 0 --jacoby"),
            json!({"op": "eval", "position": xgid, "ply": 0, "jacoby": true}),
        ),
        (
            format!("cube {middle} --ply 0 --match-length 7 --score 3-5"),
            json!({"op": "cube", "ply": 0, "match": score}),
        ),
        (
            format!("cube {middle} --ply 0 --team 3 --settled -2"),
            json!({"op": "cube", "ply": 0, "team": 3, "settled": -2}),
        ),
        (
            format!("cube {middle} --ply 0 --matrix --away 2 --cube 2 --owner player"),
            json!({"op": "matrix", "ply": 0, "away": 2, "cube": {"value": 2, "owner": "player"}}),
        ),
        (
            format!(
                "rollout {middle} --trials 36 --seed 5 --truncate 3 --leaf-ply 1 --no-vr --time 1h"
            ),
            json!({
                "op": "rollout", "trials": 36, "seed": 5, "truncate": 3, "leaf_ply": 1, "vr": false,
                "time": "1h",
            }),
        ),
        (
            format!(
                "rollout {middle} --roll 42 --play '8/4 6/4' --play 9/3 --trials 36 --truncate 3 --beavers --random-dice --keep-all --later-ply 0 --later-from 2 --preset fast --cube-ply 0"
            ),
            json!({
                "op": "rollout", "dice": "42", "plays": ["8/4 6/4", "9/3"], "trials": 36,
                "truncate": 3, "beavers": true, "random_dice": true, "keep_all": true,
                "later_ply": 0, "later_from": 2, "preset": "fast", "cube_ply": 0,
            }),
        ),
        (format!("convert {xgid}"), json!({"op": "convert", "position": xgid})),
        (
            format!("convert {xgid} --to match-id --roll 11"),
            json!({"op": "convert", "position": xgid, "to": "match-id", "dice": [1, 1]}),
        ),
        (
            format!("show {middle} --roll 42 --play '8/4 6/4'"),
            json!({"op": "show", "dice": [4, 2], "play": "8/4 6/4"}),
        ),
        (
            "show --game buffa start".to_owned(),
            json!({"op": "show", "game": "buffa", "position": "start"}),
        ),
        (
            "best start --game four-seasons --roll 552 --top 2".to_owned(),
            json!({"op": "best", "game": "four-seasons", "position": "start", "dice": "552", "top": 2}),
        ),
        (
            "eval start --game four-seasons".to_owned(),
            json!({"op": "eval", "game": "four-seasons", "position": "start"}),
        ),
    ] {
        if request["position"].is_null() {
            request["position"] = middle.into();
        }
        let words = shlex::split(&format!("{command} --json")).unwrap();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let printed = tavola_with_input(&words, b"").done().stdout;
        let answered = tavola_with_input(&["batch"], request.to_string().as_bytes()).done().stdout;
        assert_eq!(printed, answered, "{command}");
        assert!(!answered.contains("\"error\""), "{answered}");
    }
}
