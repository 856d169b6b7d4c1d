//! The document of the API, OpenAPI 3.1.
//!
//! Schemas come from the code that reads and writes JSON: those of operations from
//! [`tavola_engine::batch_schema`], the others from their types. OpenAPI 3.1 takes JSON Schema as it
//! is, so only references change.

mod running;

use axum::http::StatusCode;
use axum::response::Response;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use tavola_engine::live_game::{AnyLiveGame, GameAction, NewGame, PlayInQuestion};
use tavola_engine::live_match::{Action, Hint, LiveMatch, Mistake, NewMatch};
use tavola_engine::many::{AnyManyLive, ManyPlays, NewManyGame};
use tavola_engine::{Running, operations};

use self::running::{KINDS, add_running};
use crate::error::{OWN_KINDS, json_response};
use crate::games::Shown;
use crate::jobs::JobView;

/// `GET /openapi.json`
pub(crate) async fn show() -> Response {
    json_response(StatusCode::OK, document().to_string())
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
        ("new_match", generator.subschema_for::<NewMatch>()),
        ("action", generator.subschema_for::<Action>()),
        ("new_tables_game", generator.subschema_for::<NewGame>()),
        ("tables_action", generator.subschema_for::<GameAction>()),
        ("new_several_game", generator.subschema_for::<NewManyGame>()),
        ("play_in_question", generator.subschema_for::<PlayInQuestion>()),
    ];
    let mut own: Vec<(&str, Value)> =
        inputs.into_iter().map(|(name, schema)| (name, schema.to_value())).collect();
    schemas.extend(generator.take_definitions(true));
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    own.extend([
        ("game", shown::<LiveMatch>(&mut generator)),
        ("tables_game", shown::<AnyLiveGame>(&mut generator)),
        ("several_game", shown::<AnyManyLive>(&mut generator)),
        ("several_plays", generator.subschema_for::<ManyPlays>().to_value()),
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

/// The schema of a running game.
fn shown<L: Running>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<Shown<L::Event, L::View>>().to_value()
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
    for kind in &KINDS {
        add_running(kind, &mut add, &with_body, &missing);
    }
    add(
        "/api/v1/games/{id}/record",
        json!({"parameters": key("The key of the match"), "get": {
            "operationId": "record", "summary": "The match as a file (.mat)", "tags": ["matches"],
            "responses": responses(&[
                ("200", json!({
                    "description": "Match text",
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
            "operationId": "analyse", "summary": "Analyse a file of matches, as a job",
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
            "operationId": "new_game_against", "tags": ["matches"],
            "summary": "Begin a match against a network of a training run",
            "requestBody": body("new_match", &json!({"length": 1})),
            "responses": with_body(&[("201", answered("The match", "game")), missing()]),
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
