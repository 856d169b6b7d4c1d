//! Questions as lines of JSON: `tavola batch`, as a function.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value};
use tavola_games::many::AnyManyGame;

use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};
use crate::fields::{Fields, Shape, quote, wrong};
use crate::operations::{self, Operation};
use crate::scan::scan;
use crate::subject::Subject;
use crate::watch::{Event, Warning, Watch};

/// The longest request in bytes; real ones have some hundred.
pub const LONGEST_LINE: usize = tavola_files::limits::LINE_BYTES.default as usize;

/// The answer to a request in JSON.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The answer, or the error, as a line of JSON without its end.
    pub text: String,
    /// What is wrong with the request; `None` if it is answered.
    pub refused: Option<ErrorKind>,
}

#[derive(Serialize)]
struct Refused<'a> {
    error: &'a EngineError,
}

impl Engine {
    /// The answer to one line of JSON, as a line of JSON without its end. What the request does not
    /// name is that of `default`; whatever the line is, there is an answer.
    ///
    /// Warnings stand in the answer; those of endgame databases, which are about no request, go to
    /// `watch`.
    pub fn answer_line(&self, line: &[u8], default: &Subject, watch: &Watch<'_>) -> String {
        self.answer_request(None, line, default, watch).text
    }

    /// The same where a request that names no game is about one for more than two players.
    pub fn answer_line_about(
        &self,
        game: &AnyManyGame,
        line: &[u8],
        default: &Subject,
        watch: &Watch<'_>,
    ) -> String {
        self.reply_to(line, default, watch, |mut object| {
            object.entry("game").or_insert_with(|| game.id().into());
            Ok(object)
        })
        .text
    }

    /// The same for a door that has a place of its own for the name of the operation, and wants to
    /// know whether there was an answer. A request that names the operation too must name this one.
    pub fn answer_request(
        &self,
        operation: Option<&str>,
        line: &[u8],
        default: &Subject,
        watch: &Watch<'_>,
    ) -> Reply {
        self.reply_to(line, default, watch, |object| named(object, operation))
    }

    fn reply_to(
        &self,
        line: &[u8],
        default: &Subject,
        watch: &Watch<'_>,
        completed: impl FnOnce(Map<String, Value>) -> Result<Map<String, Value>, EngineError>,
    ) -> Reply {
        let warnings = Mutex::new(Vec::new());
        let events = |event: Event<'_>| match event {
            Event::Warning(warning) if !matches!(warning, Warning::Tables(_)) => {
                warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning.to_string());
            }
            event => (watch.events)(event),
        };
        let watch = Watch { events: &events, ..*watch };
        let mut id = None;
        let answer = parse_line(line, &mut id)
            .and_then(completed)
            .and_then(|object| operations::answer(self, object, default, &watch));
        match answer {
            Err(error) => Reply { text: refusal(id, &error), refused: Some(error.kind()) },
            Ok(body) => {
                let warnings = warnings.into_inner().unwrap_or_else(PoisonError::into_inner);
                Reply { text: reply(id, &body, &warnings), refused: None }
            }
        }
    }

    /// The answer to a line that was longer than [`LONGEST_LINE`] and was not kept.
    pub fn refuse_long_line(&self) -> String {
        refusal(None, &not_an_object(format_args!("the line is longer than {LONGEST_LINE} bytes")))
    }
}

/// The request with the name of the operation that the door knows.
fn named(
    mut object: Map<String, Value>,
    operation: Option<&str>,
) -> Result<Map<String, Value>, EngineError> {
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
    reply(id, &to_json(&Refused { error }), &[])
}

/// A line with the id of the request as it was written, before what is answered: an object of JSON.
fn reply(id: Option<&str>, body: &str, warnings: &[String]) -> String {
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

pub(crate) fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers have text keys and finite or null numbers")
}

fn not_an_object(reason: impl std::fmt::Display) -> EngineError {
    EngineError::new(ErrorKind::Json, format_args!("{reason}, expected one JSON object a line"))
}

/// The fields of a request but its id, whose text goes into `id` even where they can't be used.
fn parse_line<'a>(
    line: &'a [u8],
    id: &mut Option<&'a str>,
) -> Result<Map<String, Value>, EngineError> {
    if line.trim_ascii().is_empty() {
        return Err(not_an_object("the line is empty"));
    }
    let not_json = |error: &dyn std::fmt::Display| {
        let text = quote(&Value::from(String::from_utf8_lossy(line)));
        not_an_object(format_args!("{text} is not JSON: {error}"))
    };
    let text = std::str::from_utf8(line).map_err(|error| not_json(&error))?;
    match serde_json::from_str(text).map_err(|error| not_json(&error))? {
        Value::Object(mut object) => {
            let (found, twice) = scan(text);
            *id = found;
            object.remove("id");
            twice.map_or(Ok(object), |key| {
                Err(EngineError::request(format_args!(
                    "the key {} stands twice, expected it once",
                    quote(&Value::from(key))
                )))
            })
        }
        other => Err(not_an_object(format_args!("{} is no object", quote(&other)))),
    }
}

/// Reads the rest of a request for this operation, and answers it.
pub(crate) fn answer<O: Operation>(
    engine: &Engine,
    mut fields: Fields,
    default: &Subject,
    watch: &Watch<'_>,
) -> Result<String, EngineError> {
    let subject = Subject::read(&mut fields, default, O::BEFORE_THE_ROLL)?;
    let operation = O::read(&mut fields)?;
    fields.finish()?;
    Ok(to_json(&engine.ask(&subject, &operation, watch)?.answer))
}

/// The fields of a request, of which the version and the name of the operation are taken.
pub(crate) fn open(object: Map<String, Value>) -> Result<(Fields, String), EngineError> {
    let mut fields = Fields::new(object);
    if let Some(version) = fields.value("v", Shape::Number(1, 1))
        && version.as_u64() != Some(1)
    {
        return Err(wrong("v", &version, "1"));
    }
    let name = fields.text("op")?;
    let name = fields.required("op", name)?;
    Ok((fields, name))
}
