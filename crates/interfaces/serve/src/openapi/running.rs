//! Running games in the document: every kind has the same paths.

use serde_json::{Value, json};

use super::{answered, body, key, responses};

/// A kind of running games in the document.
pub(super) struct Kind {
    /// The last part of the path.
    path: &'static str,
    tag: &'static str,
    /// What one is called.
    noun: &'static str,
    begin: &'static str,
    /// Ids of: begin, show, forget, act, advise, ask for a mistake.
    ids: [&'static str; 6],
    /// Schemas of: the setup, the game, an action, advice, a question.
    schemas: [&'static str; 5],
    /// Examples of a setup, an action and a question.
    examples: [&'static str; 3],
}

pub(super) const KINDS: [Kind; 3] = [
    Kind {
        path: "games",
        tag: "matches",
        noun: "match",
        begin: "Begin a match against the engine",
        ids: ["new_game", "game", "delete_game", "act", "hint", "mistake"],
        schemas: ["new_match", "game", "action", "hint", "action"],
        examples: [
            r#"{"length": 5, "strength": "world-class"}"#,
            r#"{"act": "play", "play": "8/5 6/5"}"#,
            r#"{"act": "double"}"#,
        ],
    },
    Kind {
        path: "tables",
        tag: "games without a cube",
        noun: "game",
        begin: "Begin a historical game against the engine",
        ids: [
            "new_tables_game",
            "tables_game",
            "delete_tables_game",
            "act_in_tables_game",
            "hint_in_tables_game",
            "mistake_in_tables_game",
        ],
        schemas: [
            "new_tables_game",
            "tables_game",
            "tables_action",
            "best_answer",
            "play_in_question",
        ],
        examples: [
            r#"{"game": "tabula", "length": 3}"#,
            r#"{"act": "play", "play": "hand-6 hand-5 hand-3"}"#,
            r#"{"play": "hand-6 hand-5 hand-3"}"#,
        ],
    },
    Kind {
        path: "several",
        tag: "games for more than two",
        noun: "game",
        begin: "Begin a game for more than two players, the engine in the other seats",
        ids: [
            "new_several_game",
            "several_game",
            "delete_several_game",
            "act_in_several_game",
            "hint_in_several_game",
            "mistake_in_several_game",
        ],
        schemas: [
            "new_several_game",
            "several_game",
            "tables_action",
            "several_plays",
            "play_in_question",
        ],
        examples: [
            r#"{"game": "four-seasons", "seat": 1}"#,
            r#"{"act": "play", "play": "hand-6 hand-5 hand-3"}"#,
            r#"{"play": "hand-6 hand-5 hand-3"}"#,
        ],
    },
];

/// The paths of a kind of running games.
pub(super) fn add_running(
    kind: &Kind,
    add: &mut impl FnMut(&str, Value),
    with_body: &impl Fn(&[(&str, Value)]) -> Value,
    missing: &impl Fn() -> (&'static str, Value),
) {
    let Kind { path, tag, noun, begin, ids, schemas, examples } = kind;
    let key = || key(&format!("The key of the {noun}"));
    let [setup, game, action, advice, question] = *schemas;
    let [new, played, asked] = examples.map(|text| text.parse::<Value>().unwrap_or_default());
    let the_game = || answered(&format!("The {noun}"), game);
    let post = |id: &str, summary: &str, request: Value, answer: &[(&str, Value)]| {
        json!({
            "operationId": id, "summary": summary, "tags": [tag],
            "requestBody": request, "responses": with_body(answer),
        })
    };
    let begun = post(ids[0], begin, body(setup, &new), &[("201", the_game())]);
    add(&format!("/api/v1/{path}"), json!({"post": begun}));
    add(
        &format!("/api/v1/{path}/{{id}}"),
        json!({
            "parameters": key(),
            "get": {
                "operationId": ids[1], "summary": format!("A {noun}"), "tags": [tag],
                "responses": responses(&[("200", the_game()), missing()]),
            },
            "delete": {
                "operationId": ids[2], "summary": format!("Forget a {noun}"), "tags": [tag],
                "responses": responses(&[("204", json!({"description": "Done"})), missing()]),
            },
        }),
    );
    let summary = "Do something; the engine answers";
    let act = post(ids[3], summary, body(action, &played), &[("200", the_game()), missing()]);
    add(&format!("/api/v1/{path}/{{id}}/actions"), json!({"parameters": key(), "post": act}));
    add(
        &format!("/api/v1/{path}/{{id}}/hint"),
        json!({"parameters": key(), "get": {
            "operationId": ids[4], "summary": "What is best now", "tags": [tag],
            "responses": responses(&[("200", answered("Advice", advice)), missing()]),
        }}),
    );
    let loss = ("200", answered("The loss; null if there is none", "mistake"));
    let summary = "What something loses, before it is done";
    let asked = post(ids[5], summary, body(question, &asked), &[loss, missing()]);
    add(&format!("/api/v1/{path}/{{id}}/mistake"), json!({"parameters": key(), "post": asked}));
}
