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
use tavola_engine::live::{Hint, Mistake, NewGame, SeatAction};
use tavola_engine::operations;

use crate::error::{OWN_KINDS, json_response};
use crate::games::Shown;
use crate::jobs::JobView;
use crate::seats::{ClockWish, Guest, NewShared};

/// Everything but the schemas. A path has `body` (the name of a schema, and an example) in place of
/// `requestBody`, and `answers` (the name of a schema, or `error`, and a meaning) in place of
/// `responses`; a path names its `parameters`; operations have an example alone.
const TEMPLATE: &str = include_str!("openapi.json");

/// Why requests of any path are refused; the last two only where there is a body.
const REFUSALS: [(&str, &str); 6] = [
    ("400", "The request can't be used"),
    ("401", "The token is missing"),
    ("403", "Another site asks"),
    ("429", "There is too much to do, or it takes too long"),
    ("413", "The body is too large"),
    ("415", "The body is of another type"),
];

/// `GET /openapi.json`
pub(crate) async fn show() -> Response {
    // Making it takes longer than most questions.
    static TEXT: LazyLock<String> = LazyLock::new(|| document().to_string());
    json_response(StatusCode::OK, TEXT.clone())
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
    let mut own = vec![
        ("new_game", generator.subschema_for::<NewGame>()),
        ("action", generator.subschema_for::<SeatAction>()),
        ("new_shared", generator.subschema_for::<NewShared>()),
        ("guest", generator.subschema_for::<Guest>()),
        ("clock_wish", generator.subschema_for::<ClockWish>()),
    ];
    schemas.extend(generator.take_definitions(true));
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    own.extend([
        ("game", generator.subschema_for::<Shown>()),
        ("hint", generator.subschema_for::<Hint>()),
        ("mistake", generator.subschema_for::<Option<Mistake>>()),
        ("job", generator.subschema_for::<JobView>()),
    ]);
    for (name, schema) in generator.take_definitions(true) {
        schemas.entry(name).or_insert(schema);
    }
    for (name, schema) in own {
        schemas.insert(name.to_owned(), schema.to_value());
    }
    let mut document: Value = serde_json::from_str(TEMPLATE).expect("it is JSON");
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    document["components"]["schemas"] = schemas.into();
    document["paths"] = paths(&mut document);
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

/// JSON of this schema, or the error, with its meaning behind a colon.
fn answered(what: &str) -> Value {
    let (schema, meaning) = what.split_once(": ").unwrap_or(("error", what));
    let schema = json!({"$ref": format!("#/components/schemas/{schema}")});
    json!({"description": meaning, "content": {"application/json": {"schema": schema}}})
}

/// An operation of the template, with its body and all its answers in full.
fn whole(operation: &mut Map<String, Value>) {
    if let Some(body) = operation.remove("body") {
        let schema = body["schema"].as_str().unwrap_or_default();
        let content = json!({
            "schema": {"$ref": format!("#/components/schemas/{schema}")},
            "example": body["example"],
        });
        let body = json!({"required": true, "content": {"application/json": content}});
        operation.insert("requestBody".to_owned(), body);
    }
    let usual = if operation.contains_key("requestBody") { &REFUSALS[..] } else { &REFUSALS[..4] };
    let mut responses: Map<String, Value> =
        usual.iter().map(|(status, why)| ((*status).to_owned(), answered(why))).collect();
    if let Some(Value::Object(answers)) = operation.remove("answers") {
        responses.extend(answers.into_iter().map(|(status, answer)| match answer.as_str() {
            Some(what) => (status, answered(what)),
            None => (status, answer),
        }));
    }
    operation.insert("responses".to_owned(), responses.into());
}

/// All paths: those of the template, and one for each operation.
fn paths(document: &mut Value) -> Value {
    let mut paths = document["paths"].take();
    let known = document.as_object_mut().and_then(|it| it.remove("operations"));
    let known = known.unwrap_or_default();
    for name in operations::names() {
        let about = &known[name];
        paths[format!("/api/v1/{name}")] = json!({"post": {
            "operationId": name, "summary": about["summary"], "tags": ["operations"],
            "body": {"schema": format!("{name}_request"), "example": about["example"]},
            "answers": {"200": format!("{name}_answer: The answer")},
        }});
    }
    let job = &mut paths["/api/v1/jobs"]["post"]["requestBody"]["content"]["application/json"];
    job["schema"]["properties"]["op"]["enum"] = operations::names().to_vec().into();
    let parameters = document.as_object_mut().and_then(|it| it.remove("parameters"));
    let parameters = parameters.unwrap_or_default();
    let names = paths.as_object_mut().into_iter().flatten();
    // Those of a path, and those of one of its methods.
    for (_, path) in names {
        let own = path.as_object_mut().into_iter().flatten().map(|(_, method)| method);
        let (lists, methods): (Vec<_>, Vec<_>) = own.partition(|it| it.is_array());
        let of_methods = methods.into_iter().filter_map(|method| method.get_mut("parameters"));
        for list in lists.into_iter().chain(of_methods).filter_map(Value::as_array_mut) {
            for name in list.iter_mut().filter(|name| name.is_string()) {
                *name = parameters[name.as_str().unwrap_or_default()].clone();
            }
        }
    }
    let methods = paths.as_object_mut().into_iter().flatten().flat_map(|(_, path)| {
        path.as_object_mut().into_iter().flatten().filter_map(|(_, method)| method.as_object_mut())
    });
    methods.for_each(whole);
    paths
}
