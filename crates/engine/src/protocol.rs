//! Questions as lines of JSON: `tavola batch`, as a function.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};
use crate::fields::{Fields, quote, wrong};
use crate::operations::{self, Operation};
use crate::subject::Subject;
use crate::watch::Watch;

/// The longest request in bytes; real ones have some hundred.
pub const LONGEST_LINE: usize = 1 << 20;

/// An answer, or why there is none, with the id of the request.
#[derive(Serialize)]
struct Reply<'a, A> {
    id: &'a Value,
    #[serde(flatten)]
    body: A,
}

#[derive(Serialize)]
struct Refused<'a> {
    error: &'a EngineError,
}

impl Engine {
    /// The answer to one line of JSON, as a line of JSON without its end. What the request does not
    /// name is that of `default`; whatever the line is, there is an answer.
    pub fn answer_line(&self, line: &[u8], default: &Subject, watch: &Watch<'_>) -> String {
        let mut id = Value::Null;
        let answer = parse_line(line).and_then(|mut object| {
            id = object.remove("id").unwrap_or_default();
            operations::answer(self, object, &id, default, watch)
        });
        answer.unwrap_or_else(|error| refusal(&id, &error))
    }

    /// The answer to a line that was longer than [`LONGEST_LINE`] and was not kept.
    pub fn refuse_long_line(&self) -> String {
        let error = not_an_object(format_args!("the line is longer than {LONGEST_LINE} bytes"));
        refusal(&Value::Null, &error)
    }
}

fn refusal(id: &Value, error: &EngineError) -> String {
    to_line(&Reply { id, body: Refused { error } })
}

fn to_line(reply: &impl Serialize) -> String {
    serde_json::to_string(reply).expect("answers have text keys and finite or null numbers")
}

fn not_an_object(reason: impl std::fmt::Display) -> EngineError {
    EngineError::new(ErrorKind::Json, format_args!("{reason}, expected one JSON object a line"))
}

fn parse_line(line: &[u8]) -> Result<Map<String, Value>, EngineError> {
    if line.trim_ascii().is_empty() {
        return Err(not_an_object("the line is empty"));
    }
    match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(not_an_object(format_args!("{} is no object", quote(&other)))),
        Err(error) => {
            let text = quote(&Value::from(String::from_utf8_lossy(line)));
            Err(not_an_object(format_args!("{text} is not JSON: {error}")))
        }
    }
}

/// Reads the rest of a request for this operation, and answers it.
pub(crate) fn answer<O: Operation>(
    engine: &Engine,
    mut fields: Fields,
    id: &Value,
    default: &Subject,
    watch: &Watch<'_>,
) -> Result<String, EngineError> {
    let subject = Subject::read(&mut fields, default, O::BEFORE_THE_ROLL)?;
    let operation = O::read(&mut fields)?;
    fields.finish()?;
    let body = engine.ask(&subject, &operation, watch)?.answer;
    Ok(to_line(&Reply { id, body }))
}

/// The fields of a request, of which the version and the name of the operation are taken.
pub(crate) fn open(object: Map<String, Value>) -> Result<(Fields, String), EngineError> {
    let mut fields = Fields::new(object);
    if let Some(version) = fields.value("v")
        && version.as_u64() != Some(1)
    {
        return Err(wrong("v", &version, "1"));
    }
    let name = fields.text("op")?;
    let name = fields.required("op", name)?;
    Ok((fields, name))
}
