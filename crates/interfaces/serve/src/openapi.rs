//! The document of the API, OpenAPI 3.1.
//!
//! Schemas come from the code that reads and writes JSON: those of operations from
//! [`tavola_engine::batch_schema`], the others from their types. OpenAPI 3.1 takes JSON Schema as it
//! is, so only references change.

use std::sync::LazyLock;

use axum::http::StatusCode;
use axum::response::Response;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use tavola_engine::live::{Action, Hint, Mistake, NewGame};
use tavola_engine::operations;

use crate::error::{OWN_KINDS, json_response};
use crate::games::Shown;
use crate::jobs::JobView;

/// `GET /openapi.json`
pub(crate) async fn show() -> Response {
    // Making it takes longer than most questions.
    static TEXT: LazyLock<String> = LazyLock::new(|| document().to_string());
    json_response(StatusCode::OK, TEXT.clone())
}

/// What an operation is for, and a request that shows it.
fn about(operation: &str) -> (&'static str, Value) {
    match operation {
        "legal" => {
            ("Every distinct result of a roll", json!({"position": "start", "dice": [3, 1]}))
        }
        "best" => (
            "The plays of a roll, best first",
            json!({"position": "4HPwATDgc/ABMA", "dice": [3, 1], "top": 3, "ply": 0}),
        ),
        "eval" => {
            ("What a position is worth before the roll", json!({"position": "start", "ply": 0}))
        }
        "convert" => ("A position in another notation", json!({"position": "start", "to": "xgid"})),
        "cube" => (
            "To double, to take, to pass",
            json!({
                "position": "start", "ply": 0,
                "match": {"length": 7, "player": 3, "opponent": 5},
            }),
        ),
        "matrix" => {
            ("The cube action at every score", json!({"position": "start", "away": 2, "ply": 0}))
        }
        "rollout" => (
            "A position, or the plays of a roll, played out many times",
            json!({"position": "start", "trials": 36, "truncate": 4, "seed": 1}),
        ),
        "show" => ("The board and what can be counted", json!({"position": "start"})),
        _ => ("", json!({"position": "start"})),
    }
}

/// The document of the API.
pub fn document() -> Value {
    let mut schemas = Map::new();
    let mut batch = tavola_engine::batch_schema();
    if let Some(Value::Object(definitions)) = batch.get_mut("$defs").map(Value::take) {
        for (name, mut schema) in definitions {
            if name == "request" || name == "answer" {
                continue;
            }
            if name == "error" {
                add_own_kinds(&mut schema);
            }
            if name.ends_with("_request") {
                without_operation(&mut schema);
            }
            schemas.insert(name, schema);
        }
    }
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let inputs = [
        ("new_game", generator.subschema_for::<NewGame>()),
        ("action", generator.subschema_for::<Action>()),
    ];
    let mut own: Vec<(&str, Value)> =
        inputs.into_iter().map(|(name, schema)| (name, schema.to_value())).collect();
    schemas.extend(generator.take_definitions(true));
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    own.extend([
        ("game", generator.subschema_for::<Shown>().to_value()),
        ("hint", generator.subschema_for::<Hint>().to_value()),
        ("mistake", generator.subschema_for::<Option<Mistake>>().to_value()),
        ("job", generator.subschema_for::<JobView>().to_value()),
    ]);
    for (name, schema) in generator.take_definitions(true) {
        schemas.entry(name).or_insert(schema);
    }
    for (name, schema) in own {
        schemas.insert(name.to_owned(), schema);
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "tavola",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A backgammon engine over HTTP. Positions are seen from the player on \
                roll; equities are per cube, in a match EMG; five probabilities are win, win gammon, \
                win backgammon, lose gammon, lose backgammon, each counting the better ones too.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "paths": paths(),
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    });
    point(&mut document);
    document
}

/// References of schemas to where OpenAPI keeps them.
fn point(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get_mut("$ref") {
                *target = target.replace("#/$defs/", "#/components/schemas/");
            }
            object.values_mut().for_each(point);
        }
        Value::Array(values) => values.iter_mut().for_each(point),
        _ => {}
    }
}

/// The path names the operation, so the body need not.
fn without_operation(schema: &mut Value) {
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|key| key != "op");
    }
}

fn add_own_kinds(schema: &mut Value) {
    let kind = &mut schema["properties"]["error"]["properties"]["kind"];
    let own = OWN_KINDS.map(Value::from);
    if let Some(kinds) = kind.get_mut("enum").and_then(Value::as_array_mut) {
        kinds.extend(own);
    } else if let Some(kinds) = kind.get_mut("oneOf").and_then(Value::as_array_mut) {
        kinds.push(json!({"enum": own}));
    }
    // Errors of the server itself have no request to repeat the id of.
    schema["required"] = json!(["error"]);
}

fn refused(meaning: &str) -> Value {
    json!({
        "description": meaning,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/error"}}},
    })
}

fn answered(meaning: &str, schema: &str) -> Value {
    json!({
        "description": meaning,
        "content": {
            "application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}},
        },
    })
}

/// The answers of a path: its own, and those that every path may give.
fn responses(own: &[(&str, Value)]) -> Value {
    let mut responses = Map::new();
    responses.insert("400".to_owned(), refused("The request can't be used"));
    responses.insert("401".to_owned(), refused("The token is missing"));
    responses.insert("403".to_owned(), refused("Another site asks"));
    responses.insert("429".to_owned(), refused("There is too much to do, or it takes too long"));
    for (status, response) in own {
        responses.insert((*status).to_owned(), response.clone());
    }
    Value::Object(responses)
}

fn body(schema: &str, example: &Value) -> Value {
    json!({
        "required": true,
        "content": {"application/json": {
            "schema": {"$ref": format!("#/components/schemas/{schema}")},
            "example": example,
        }},
    })
}

fn key(what: &str) -> Value {
    json!([{
        "name": "id", "in": "path", "required": true, "description": what,
        "schema": {"type": "string", "pattern": "^[a-km-np-z2-9]{24}$"},
    }])
}

fn paths() -> Value {
    let mut paths = Map::new();
    let bodies = [
        ("413", refused("The body is too large")),
        ("415", refused("The body is of another type")),
    ];
    let with_body = |own: &[(&str, Value)]| responses(&[own, &bodies].concat());
    for name in operations::names() {
        let (summary, example) = about(name);
        let path = json!({"post": {
            "operationId": name, "summary": summary, "tags": ["operations"],
            "requestBody": body(&format!("{name}_request"), &example),
            "responses": with_body(&[("200", answered("The answer", &format!("{name}_answer")))]),
        }});
        paths.insert(format!("/api/v1/{name}"), path);
    }
    let missing = || ("404", refused("There is no such match or job"));
    let object = json!({"type": "object"});
    let mut add = |path: &str, value: Value| {
        paths.insert(path.to_owned(), value);
    };
    let game_key = || key("The key of the game");
    let the_game = || answered("The game", "game");
    let post = |id: &str, summary: &str, request: Value, answer: &[(&str, Value)]| {
        json!({
            "operationId": id, "summary": summary, "tags": ["games"],
            "requestBody": request, "responses": with_body(answer),
        })
    };
    let setup = body("new_game", &json!({"game": "backgammon", "length": 5}));
    let begin = "Begin a game against the engine: any game, with or without a cube";
    let begun = post("new_game", begin, setup, &[("201", the_game())]);
    add("/api/v1/games", json!({"post": begun}));
    add(
        "/api/v1/games/{id}",
        json!({
            "parameters": game_key(),
            "get": {
                "operationId": "game", "summary": "A game", "tags": ["games"],
                "responses": responses(&[("200", the_game()), missing()]),
            },
            "delete": {
                "operationId": "delete_game", "summary": "Forget a game", "tags": ["games"],
                "responses": responses(&[("204", json!({"description": "Done"})), missing()]),
            },
        }),
    );
    let played = body("action", &json!({"act": "play", "play": "8/5 6/5"}));
    let summary = "Do something; the engine answers";
    let act = post("act", summary, played, &[("200", the_game()), missing()]);
    add("/api/v1/games/{id}/actions", json!({"parameters": game_key(), "post": act}));
    add(
        "/api/v1/games/{id}/hint",
        json!({"parameters": game_key(), "get": {
            "operationId": "hint", "summary": "What is best now", "tags": ["games"],
            "responses": responses(&[("200", answered("Advice", "hint")), missing()]),
        }}),
    );
    let loss = ("200", answered("The loss; null if there is none", "mistake"));
    let asked = body("action", &json!({"act": "double"}));
    let summary = "What an action loses, before it is done";
    let asked = post("mistake", summary, asked, &[loss, missing()]);
    add("/api/v1/games/{id}/mistake", json!({"parameters": game_key(), "post": asked}));
    add(
        "/api/v1/games/{id}/record",
        json!({"parameters": game_key(), "get": {
            "operationId": "record", "tags": ["games"],
            "summary": "A match as a file (.mat), another game as a transcript",
            "responses": responses(&[
                ("200", json!({
                    "description": "Text",
                    "content": {"text/plain": {"schema": {"type": "string"}}},
                })),
                missing(),
            ]),
        }}),
    );
    add(
        "/api/v1/jobs",
        json!({"post": {
            "operationId": "new_job", "summary": "Ask any operation as a job", "tags": ["jobs"],
            "requestBody": {"required": true, "content": {"application/json": {
                "schema": {
                    "type": "object", "required": ["op"],
                    "properties": {"op": {"enum": operations::names()}},
                },
                "example": {"op": "rollout", "position": "start", "trials": 144},
            }}},
            "responses": with_body(&[("202", answered("The job", "job"))]),
        }}),
    );
    add(
        "/api/v1/jobs/{id}",
        json!({
            "parameters": key("The key of the job"),
            "get": {
                "operationId": "job", "summary": "A job", "tags": ["jobs"],
                "responses": responses(&[("200", answered("The job", "job")), missing()]),
            },
            "delete": {
                "operationId": "cancel_job", "summary": "Cancel a job", "tags": ["jobs"],
                "responses": responses(&[("204", json!({"description": "Done"})), missing()]),
            },
        }),
    );
    add(
        "/api/v1/jobs/{id}/events",
        json!({"parameters": key("The key of the job"), "get": {
            "operationId": "job_events", "tags": ["jobs"],
            "summary": "The job as it goes: events `progress`, and `end` at last",
            "responses": responses(&[
                ("200", json!({
                    "description": "Server-sent events, whose data is a job",
                    "content": {"text/event-stream": {"schema": {"type": "string"}}},
                })),
                missing(),
            ]),
        }}),
    );
    add(
        "/api/v1/analyses",
        json!({"post": {
            "operationId": "analyse", "summary": "Analyze a file of matches, as a job",
            "tags": ["jobs"],
            "parameters": [{
                "name": "ply", "in": "query", "required": false,
                "schema": {"type": "integer", "minimum": 0, "maximum": 3},
            }],
            "requestBody": {"required": true, "content": {
                "text/plain": {"schema": {"type": "string"}},
                "application/octet-stream": {"schema": {}},
            }},
            "responses": with_body(&[("202", answered("The job", "job"))]),
        }}),
    );
    let told = |schema: &Value| json!({"description": "The answer", "content": {"application/json": {"schema": schema}}});
    for (path, id, summary) in [
        ("/api/v1/engine", "engine", "What this server is and can do"),
        ("/api/v1/runs", "runs", "The training runs that are shown"),
        ("/api/v1/fleet", "fleet", "What the fleet of a training run is doing"),
    ] {
        add(
            path,
            json!({"get": {
                "operationId": id, "summary": summary, "tags": ["server"],
                "responses": responses(&[("200", told(&object))]),
            }}),
        );
    }
    add(
        "/api/v1/runs/{number}",
        json!({
            "parameters": [{
                "name": "number", "in": "path", "required": true,
                "schema": {"type": "integer", "minimum": 0},
            }],
            "get": {
                "operationId": "run", "summary": "What a training run has reported",
                "tags": ["server"],
                "responses": responses(&[
                    ("200", told(&object)), ("404", refused("There is no such run")),
                ]),
            },
        }),
    );
    let run = json!([
        {
            "name": "number", "in": "path", "required": true,
            "schema": {"type": "integer", "minimum": 0},
        },
        {
            "name": "network", "in": "path", "required": true,
            "description": "One of `networks` of the run, such as `latest` or `round-000120`",
            "schema": {"type": "string"},
        },
    ]);
    add(
        "/api/v1/runs/{number}/networks/{network}/games",
        json!({"parameters": run, "post": {
            "operationId": "new_game_against", "tags": ["games"],
            "summary": "Begin a game against a network of a training run",
            "requestBody": body("new_game", &json!({"length": 1})),
            "responses": with_body(&[("201", answered("The game", "game")), missing()]),
        }}),
    );
    add(
        "/api/v1/runs/{number}/networks/{network}/sample",
        json!({"parameters": run, "post": {
            "operationId": "sample", "tags": ["server"],
            "summary": "A game of a network of a training run against itself, as a file (.mat)",
            "responses": responses(&[
                ("200", json!({
                    "description": "Match text",
                    "content": {"text/plain": {"schema": {"type": "string"}}},
                })),
                missing(),
            ]),
        }}),
    );
    Value::Object(paths)
}
