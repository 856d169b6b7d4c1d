//! The schema of requests and answers: it stands in `docs/`, and all that is asked and answered in
//! these tests keeps to it.

use std::fs;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};
use tavola_engine::batch_schema;

use crate::run::tavola_with_input;
use crate::text::rounded;
use crate::workspace;

/// What checks requests, and what checks answers.
static VALIDATORS: LazyLock<[Validator; 2]> = LazyLock::new(|| {
    ["request", "answer"].map(|kind| {
        let mut schema = batch_schema();
        schema["$ref"] = json!(format!("#/$defs/{kind}"));
        jsonschema::validator_for(&schema).unwrap()
    })
});

fn assert_keeps_to(validator: &Validator, instance: &Value) {
    let errors: Vec<String> = validator
        .iter_errors(instance)
        .map(|error| format!("{} at {}", error, error.instance_path))
        .collect();
    assert!(errors.is_empty(), "{instance}\n{}", errors.join("\n"));
}

/// Checks an answer, and the request if it is answered.
pub fn assert_valid(request: &[u8], answer: &str) {
    let [requests, answers] = &*VALIDATORS;
    let answer: Value = serde_json::from_str(answer).unwrap();
    assert_keeps_to(answers, &answer);
    if answer.get("error").is_none() {
        assert_keeps_to(requests, &serde_json::from_slice(request).unwrap());
    }
}

#[test]
fn the_schema_stands_in_the_documents() {
    let file = workspace().join("docs/batch.schema.json");
    let text = format!("{:#}\n", batch_schema());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        return fs::write(file, text).unwrap();
    }
    let stored = fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        stored == text,
        "docs/batch.schema.json is another one; UPDATE_GOLDEN=1 cargo test --workspace --test golden"
    );
}

#[test]
fn the_schema_of_matches_stands_in_the_documents_and_describes_them() {
    let file = workspace().join("docs/match.schema.json");
    let text = format!("{:#}\n", tavola_matches::json::schema());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        return fs::write(file, text).unwrap();
    }
    let stored = fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        stored == text,
        "docs/match.schema.json is another one; UPDATE_GOLDEN=1 cargo test --workspace --test golden"
    );
    let validator = jsonschema::validator_for(&tavola_matches::json::schema()).unwrap();
    let bytes =
        fs::read(workspace().join("crates/advice/matches/tests/files/money-set-up.sgf")).unwrap();
    let matches = tavola_matches::read(&bytes).unwrap().matches;
    let mut written: Value = serde_json::from_str(&tavola_matches::json::write(&matches)).unwrap();
    assert_keeps_to(&validator, &written);
    written["matches"][0]["games"][0]["actions"][0]["player"] = json!(3);
    assert!(!validator.is_valid(&written));
}

#[test]
fn the_schema_refuses_what_is_refused() {
    let [requests, answers] = &*VALIDATORS;
    for request in [
        json!({}),
        json!({"op": "dance", "position": "start"}),
        json!({"op": "eval"}),
        json!({"op": "eval", "position": 1.5}),
        json!({"op": "eval", "position": "start", "plies": 1}),
        json!({"op": "eval", "position": "start", "ply": -1}),
        json!({"op": "eval", "position": "start", "preset": "deep"}),
        json!({"op": "convert", "position": "start", "to": "fen"}),
        json!({"op": "legal", "position": "start", "dice": [0, 7]}),
        json!({"op": "cube", "position": "start", "cube": {"value": 2}}),
        json!({"op": "rollout", "position": "start", "trials": 1}),
        json!({"op": "best", "position": "start", "v": 2}),
    ] {
        assert!(!requests.is_valid(&request), "{request}");
        let run = tavola_with_input(&["batch"], request.to_string().as_bytes()).done();
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        assert!(answer["error"]["kind"].is_string(), "{request} {answer}");
        assert_keeps_to(answers, &answer);
    }
    for answer in [json!({}), json!({"id": 1}), json!({"id": 1, "plays": [], "unknown": 1})] {
        assert!(!answers.is_valid(&answer), "{answer}");
    }
}

/// Every request of the guide, with the answer that stands below it up to `...`.
#[test]
fn examples_of_the_guide_are_answered_as_it_says() {
    let text = fs::read_to_string(workspace().join("docs/batch.md")).unwrap();
    let mut lines = text.lines().map(str::trim);
    let mut compared = 0;
    while let Some(request) = lines.by_ref().find(|line| line.starts_with("{\"")) {
        let expected = lines.next().unwrap_or_default();
        let run = tavola_with_input(&["batch"], request.as_bytes()).done();
        assert_valid(request.as_bytes(), run.stdout.trim());
        let answer = rounded(run.stdout.trim());
        let (start, is_cut) = match expected.strip_suffix("...") {
            Some(start) => (start, true),
            None => (expected, false),
        };
        let is_right = if is_cut { answer.starts_with(start) } else { answer == start };
        assert!(is_right, "{request}\n{answer}\nis not\n{expected}");
        compared += 1;
    }
    assert!(compared > 8, "the guide has lost its examples");
}
