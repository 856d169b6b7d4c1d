//! Questions as lines of JSON: `tavola batch`, as a function.

use serde::Serialize;
use serde_json::{Map, Value, json};
use tavola_files::limits::NESTING;

use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Result};
use crate::operations::{self, JsonRequest, Operation};
use crate::question::{Question, TwoOrMany};
use crate::request::{self, Line, quote, wrong};
use crate::watch::{EngineEvent, Warning, Watch};

/// The longest request in bytes; real ones have some hundred.
pub const LONGEST_LINE: usize = tavola_files::limits::LINE_BYTES.default as usize;

/// The answer to a request in JSON.
#[derive(Clone, Debug)]
pub struct JsonReply {
    /// The answer, or the error, as a line of JSON without its end.
    pub text: String,
    /// What is wrong with the request; `None` if it is answered.
    pub refused: Option<ErrorKind>,
}

impl Engine {
    /// The answer to one line of JSON, as a line of JSON without its end. What the request does not
    /// name is that of `default`; whatever the line is, there is an answer.
    ///
    /// Warnings stand in the answer; those of endgame databases, which are about no request, go to
    /// `watch`.
    pub fn answer_line(&self, line: &[u8], default: &Question, watch: &Watch<'_>) -> String {
        self.answer_request(None, line, default, watch).text
    }

    /// Answers a request whose operation may be named outside of it, and tells whether there was an
    /// answer. A request that names the operation too must name this one.
    pub fn answer_request(
        &self,
        operation: Option<&str>,
        line: &[u8],
        default: &Question,
        watch: &Watch<'_>,
    ) -> JsonReply {
        let events = |event: EngineEvent<'_>| match event {
            EngineEvent::Warning(warning) if !matches!(warning, Warning::Tables(_)) => {}
            event => (watch.events)(event),
        };
        let watch = &Watch { events: &events, ..*watch };
        let mut id = None;
        let fields = parse_line(line, &mut id).and_then(|object| named(object, operation));
        let answer = fields.and_then(|fields| {
            operations::answer(self, JsonRequest { id, fields, default, watch })
        });
        match answer {
            Err(error) => JsonReply { text: refusal(id, &error), refused: Some(error.kind()) },
            Ok(text) => JsonReply { text, refused: None },
        }
    }

    /// The answer to a line that was longer than [`LONGEST_LINE`] and was not kept.
    pub fn refuse_long_line(&self) -> String {
        refusal(None, &not_an_object(format_args!("the line is longer than {LONGEST_LINE} bytes")))
    }
}

/// The fields of a request whose operation may be named outside of it, without those that are null.
pub(crate) fn fields_of(operation: Option<&str>, line: &[u8]) -> Result<Map<String, Value>> {
    let mut fields = named(parse_line(line, &mut None)?, operation)?;
    fields.retain(|_, value| !value.is_null());
    Ok(fields)
}

/// The request with the name of the operation that the door knows.
fn named(mut object: Map<String, Value>, operation: Option<&str>) -> Result<Map<String, Value>> {
    let Some(operation) = operation else { return Ok(object) };
    match object.get("op") {
        Some(Value::String(op)) if op == operation => {}
        Some(other) if !other.is_null() => {
            return Err(wrong("op", other, &format!("{operation:?}")));
        }
        _ => {
            object.insert("op".to_owned(), operation.into());
        }
    }
    Ok(object)
}

fn refusal(id: Option<&str>, error: &EngineError) -> String {
    answer_line(id, &json!({"error": error}), &[])
}

/// A line with the id of the request as it was written, before what is answered: an object of JSON.
pub fn answer_line(id: Option<&str>, answer: &impl Serialize, warnings: &[String]) -> String {
    let body = to_json(answer);
    // Whoever asks with a request of several lines gets an answer of one: between the parts of a
    // JSON text a line end is as good as a space, and inside a text it cannot stand.
    let id = id.unwrap_or("null").replace(['\n', '\r'], " ");
    let mut line = format!(r#"{{"id":{id}"#);
    let fields = body.strip_prefix('{').and_then(|body| body.strip_suffix('}')).unwrap_or_default();
    if !fields.is_empty() {
        line.push(',');
        line.push_str(fields);
    }
    if !warnings.is_empty() {
        line.push_str(r#","warnings":"#);
        line.push_str(&to_json(&warnings));
    }
    line.push('}');
    line
}

fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers have text keys and finite or null numbers")
}

fn not_an_object(reason: impl std::fmt::Display) -> EngineError {
    EngineError::new(ErrorKind::Json, format_args!("{reason}, expected a JSON object"))
}

/// The fields of a request but its id, whose text goes into `id` even where they can't be used.
fn parse_line<'a>(line: &'a [u8], id: &mut Option<&'a str>) -> Result<Map<String, Value>> {
    if line.trim_ascii().is_empty() {
        return Err(not_an_object("the line is empty"));
    }
    let not_json = |error: &dyn std::fmt::Display| {
        let text = quote(&Value::from(String::from_utf8_lossy(line)));
        not_an_object(format_args!("{text} is not JSON: {error}"))
    };
    let text = std::str::from_utf8(line).map_err(|error| not_json(&error))?;
    let line: Line<'_> = serde_json::from_str(text).map_err(|_| {
        // What is JSON at all is no object.
        match serde_json::from_str::<Value>(text) {
            Ok(other) => not_an_object(format_args!("{} is not an object", quote(&other))),
            Err(error) => not_json(&error),
        }
    })?;
    let levels = line.id.map_or(0, request::levels);
    if levels as u64 > NESTING.default {
        return Err(EngineError::request(format_args!(
            "the id has {levels} levels of brackets, expected at most {}",
            NESTING.default
        )));
    }
    *id = line.id;
    line.twice.map_or(Ok(line.fields), |key| {
        Err(EngineError::request(format_args!(
            "the key {} stands twice, expected it once",
            quote(&Value::from(key))
        )))
    })
}

/// Reads the rest of a request for this operation, whose schema this is, and answers it.
pub(crate) fn answer<O: Operation>(
    engine: &Engine,
    schema: &Value,
    JsonRequest { id, mut fields, default, watch }: JsonRequest<'_>,
) -> Result<String> {
    request::check(schema, &mut fields)?;
    let question = Question::read(&fields, default)?;
    let operation = request::read::<O>(&fields)?;
    Ok(match engine.ask_any(&question, &operation, watch)? {
        TwoOrMany::Two(answer) => answer.to_line(id),
        TwoOrMany::Many(answer) => answer.to_line(id),
    })
}
