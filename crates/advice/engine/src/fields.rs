//! Taking the fields of a request, with errors that say what was found and what was expected.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::EngineError;

/// The fields of a request that were not read yet.
#[derive(Debug)]
pub struct Fields {
    left: Map<String, Value>,
    /// The fields read, to be listed when another one is left, and what they may hold.
    known: Vec<(&'static str, Shape)>,
    /// The fields without which there is no answer.
    required: Vec<&'static str>,
}

/// What a field may hold.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A text.
    Text,
    /// One of these texts.
    OneOf(fn() -> Vec<&'static str>),
    /// A text or a list of texts.
    Texts,
    /// True or false.
    Flag,
    /// A whole number in this range.
    Number(u64, u64),
    /// A number above zero.
    Positive,
    /// Something with a JSON Schema of its own.
    Of(fn() -> Value),
}

impl Fields {
    /// All fields of a request.
    pub const fn new(request: Map<String, Value>) -> Self {
        Self { left: request, known: Vec::new(), required: Vec::new() }
    }

    /// What was taken so far, and what of it is required.
    pub(crate) fn asked_for(&self) -> (&[(&'static str, Shape)], Vec<&'static str>) {
        (&self.known, self.required.clone())
    }

    /// Takes a value of any type; an explicit null counts as absent. The shape is for the schema.
    pub fn value(&mut self, key: &'static str, shape: Shape) -> Option<Value> {
        self.known.push((key, shape));
        self.left.remove(key).filter(|value| !value.is_null())
    }

    /// Takes a text.
    ///
    /// # Errors
    ///
    /// [`EngineError`], as for all methods here, if the value is of another type.
    pub fn text(&mut self, key: &'static str) -> Result<Option<String>, EngineError> {
        self.shaped_text(key, Shape::Text)
    }

    /// Takes a text, one of these names; the caller says what is wrong with another one.
    ///
    /// # Errors
    ///
    /// As [`text`](Self::text).
    pub fn name(
        &mut self,
        key: &'static str,
        names: fn() -> Vec<&'static str>,
    ) -> Result<Option<String>, EngineError> {
        self.shaped_text(key, Shape::OneOf(names))
    }

    fn shaped_text(
        &mut self,
        key: &'static str,
        shape: Shape,
    ) -> Result<Option<String>, EngineError> {
        match self.value(key, shape) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(key, &other, "a text")),
        }
    }

    /// Takes a list of texts; a missing one is empty.
    ///
    /// # Errors
    ///
    /// As [`text`](Self::text).
    pub fn texts(&mut self, key: &'static str) -> Result<Vec<String>, EngineError> {
        match self.value(key, Shape::Texts) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(value) => serde_json::from_value(value.clone())
                .map_err(|_| wrong(key, &value, "a text or a list of texts")),
        }
    }

    /// Takes true or false.
    ///
    /// # Errors
    ///
    /// As [`text`](Self::text).
    pub fn flag(&mut self, key: &'static str) -> Result<Option<bool>, EngineError> {
        match self.value(key, Shape::Flag) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(wrong(key, &other, "true or false")),
        }
    }

    /// Takes a whole number from `min` to `max`.
    ///
    /// # Errors
    ///
    /// As [`text`](Self::text).
    pub fn number(
        &mut self,
        key: &'static str,
        min: u64,
        max: u64,
    ) -> Result<Option<u64>, EngineError> {
        let Some(value) = self.value(key, Shape::Number(min, max)) else { return Ok(None) };
        value
            .as_u64()
            .filter(|number| (min..=max).contains(number))
            .map(Some)
            .ok_or_else(|| wrong(key, &value, &format!("a whole number from {min} to {max}")))
    }

    /// Takes a number above zero.
    ///
    /// # Errors
    ///
    /// As [`text`](Self::text).
    pub fn positive(&mut self, key: &'static str) -> Result<Option<f64>, EngineError> {
        let Some(value) = self.value(key, Shape::Positive) else { return Ok(None) };
        value
            .as_f64()
            .filter(|number| number.is_finite() && *number > 0.0)
            .map(Some)
            .ok_or_else(|| wrong(key, &value, "a number above 0"))
    }

    /// Takes an object that a type of the rules reads; `example` is one, for messages.
    ///
    /// # Errors
    ///
    /// As [`text`](Self::text).
    pub fn object<T: DeserializeOwned>(
        &mut self,
        key: &'static str,
        example: &str,
        schema: fn() -> Value,
    ) -> Result<Option<T>, EngineError> {
        let Some(value) = self.value(key, Shape::Of(schema)) else { return Ok(None) };
        let quoted = quote(&value);
        serde_json::from_value(value).map(Some).map_err(|error| {
            EngineError::request(format_args!(
                "{key:?} is {quoted}: {error}, for example {example}"
            ))
        })
    }

    /// Insists that a field was there.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if it was not.
    pub fn required<T>(&mut self, key: &'static str, value: Option<T>) -> Result<T, EngineError> {
        self.required.push(key);
        value.ok_or_else(|| {
            EngineError::request(format_args!(
                "{key:?} is missing in the request, expected it there"
            ))
        })
    }

    /// Refuses fields that were not read.
    ///
    /// # Errors
    ///
    /// [`EngineError`] names the first of them.
    pub fn finish(self) -> Result<(), EngineError> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(key) => Err(EngineError::request(format_args!(
                "unknown key {} in the request, expected only {}",
                quote(&Value::from(key.as_str())),
                self.known.iter().map(|(key, _)| *key).collect::<Vec<_>>().join(", ")
            ))),
        }
    }
}

/// A value of the wrong type or out of range.
pub(crate) fn wrong(key: &str, found: &Value, expected: &str) -> EngineError {
    EngineError::request(format_args!("{key:?} is {}, expected {expected}", quote(found)))
}

/// A value as typed, cut short if it is long.
pub(crate) fn quote(value: &Value) -> String {
    const LONGEST: usize = 80;
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}
