//! The contract of requests and answers in JSON, as a JSON Schema made from the code that reads and
//! writes them.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use tavola_evaluator::{Level, Preset};

use crate::effort::Effort;
use crate::error::ErrorKind;
use crate::operations::{self, ConvertTarget, Operation};
use crate::question::Question;

/// The schema of a line of `tavola batch`: `$defs` has `request`, `answer` and `error`, and
/// `NAME_request` and `NAME_answer` of each operation. The schema itself is that of a request.
///
/// All are made from the types that read and write them.
pub fn batch_schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let (mut requests, mut answers, mut own) = (Vec::new(), Vec::new(), Map::new());
    let mut define = |kind: &str, name: &str, schema: Value| {
        let key = format!("{name}_{kind}");
        let reference = json!({"$ref": format!("#/$defs/{key}")});
        own.insert(key, schema);
        reference
    };
    for (name, request, answer) in operations::all_described(&mut generator) {
        requests.push(define("request", name, request));
        answers.push(define("answer", name, answer));
    }
    let mut definitions = generator.take_definitions(true);
    definitions.extend(own);
    let kinds = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<ErrorKind>();
    definitions.insert("error".to_owned(), refusal(kinds.to_value()));
    answers.push(json!({"$ref": "#/$defs/error"}));
    definitions.insert("request".to_owned(), json!({"oneOf": requests}));
    definitions.insert("answer".to_owned(), json!({"anyOf": answers}));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tavola batch",
        "description": "A request; its answer is $defs/answer.",
        "$ref": "#/$defs/request",
        "$defs": definitions,
    })
}

/// The schema of a request for this operation.
pub(crate) fn request<O: Operation>() -> Value {
    let mut properties = properties_of::<Question>();
    // It is that of the interface.
    properties["game"].as_object_mut().and_then(|game| game.remove("default"));
    if O::BEFORE_THE_ROLL {
        properties.remove("dice");
    }
    if !O::SEARCHES {
        properties_of::<Effort>().keys().for_each(|key| drop(properties.remove(key)));
    }
    properties.extend(properties_of::<O>());
    properties.insert("op".to_owned(), json!({"const": O::NAME}));
    properties.insert("id".to_owned(), json!({"description": "Anything; it is repeated"}));
    properties.insert("v".to_owned(), json!({"description": "The contract", "enum": [1, null]}));
    json!({
        "type": "object",
        "properties": properties,
        "required": ["op", "position"],
        "additionalProperties": false,
    })
}

/// The schemas of the fields of a type that is read; null is the same as no field.
fn properties_of<T: JsonSchema>() -> Map<String, Value> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let Some(Value::Object(mut fields)) = schema.get_mut("properties").map(Value::take) else {
        return Map::new();
    };
    for field in fields.values_mut().filter_map(Value::as_object_mut) {
        field.remove("format");
        if field.get("default").is_some_and(Value::is_null) {
            field.remove("default");
        }
        if let Some(Value::String(kind)) = field.get("type") {
            field.insert("type".to_owned(), json!([kind, "null"]));
        }
    }
    fields
}

/// The schema of an answer of this type.
pub(crate) fn answer<A: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    json!({
        "allOf": [generator.subschema_for::<A>()],
        "properties": {
            "id": {"description": "The id of the request as it was written; else null."},
            "warnings": {
                "description": "What the request says without influence on the answer, and doubts.",
                "type": "array", "items": {"type": "string"}, "minItems": 1,
            },
        },
        "required": ["id"],
        "unevaluatedProperties": false,
    })
}

fn refusal(kinds: Value) -> Value {
    let kinds = kinds.get("oneOf").or_else(|| kinds.get("enum")).cloned().unwrap_or_default();
    let key = if kinds[0].is_string() { "enum" } else { "oneOf" };
    json!({
        "type": "object",
        "properties": {
            "id": true,
            "error": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", key: kinds},
                    "message": {"type": "string"},
                },
                "required": ["kind", "message"],
                "additionalProperties": false,
            },
        },
        "required": ["id", "error"],
        "additionalProperties": false,
    })
}

/// One of these names.
fn names(names: &[&str]) -> Schema {
    let names = names.iter().copied().map(Value::from).chain([Value::Null]);
    json_schema!({"enum": names.collect::<Vec<_>>()})
}

/// How much work goes into a decision.
pub(crate) fn level(_: &mut SchemaGenerator) -> Schema {
    names(&Level::ALL.map(Level::name))
}

/// How wide a search is.
pub(crate) fn preset(_: &mut SchemaGenerator) -> Schema {
    names(&Preset::ALL.map(Preset::name))
}

/// A form in which a position can be written.
pub(crate) fn form(_: &mut SchemaGenerator) -> Schema {
    names(&ConvertTarget::names())
}

/// Texts, or one of them alone.
pub(crate) fn texts(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["string", "array", "null"], "items": {"type": "string"}})
}

/// A text in a notation, or the 26 integers of one.
pub(crate) fn position(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["string", "array"],
        "items": {"type": "integer", "minimum": -15, "maximum": 15}, "minItems": 26, "maxItems": 26,
    })
}

/// The roll.
pub(crate) fn dice(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["array", "string", "null"],
        "items": {"type": "integer", "minimum": 1, "maximum": 6}, "minItems": 2, "maxItems": 3,
    })
}

/// A cube of a request.
pub(crate) fn cube_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["object", "null"],
        "properties": {
            "value": {"description": "A power of two.", "type": "integer", "minimum": 1},
            "owner": {"enum": ["center", "player", "opponent"]},
        },
        "required": ["value", "owner"], "additionalProperties": false,
    })
}

/// The score of a request.
pub(crate) fn score_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["object", "null"],
        "properties": {
            "length": {"type": "integer", "minimum": 1},
            "player": {"type": "integer", "minimum": 0},
            "opponent": {"type": "integer", "minimum": 0},
            "crawford": {"type": "boolean"},
        },
        "required": ["length", "player", "opponent"], "additionalProperties": false,
    })
}

/// A position that was [`Written`](tavola_evaluator::Written).
pub(crate) fn written(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["string", "array"], "items": {"type": "integer"}})
}

/// A position in every form, by the name of the form.
pub(crate) fn forms(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": {"type": ["string", "array"], "items": {"type": "integer"}},
    })
}
