//! Taking the keys of a request, with errors that say what was found and what was expected.

use serde_json::{Map, Value};

use super::Refusal;

/// The keys of a request that nobody has asked for yet.
pub struct Fields {
    left: Map<String, Value>,
    /// The keys asked for, to be listed when another one is left.
    known: Vec<&'static str>,
}

impl Fields {
    /// All keys of the request.
    pub fn new(request: Map<String, Value>) -> Self {
        Self { left: request, known: Vec::new() }
    }

    /// Takes a value of any type; an explicit null counts as absent.
    pub fn value(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.left.remove(key).filter(|value| !value.is_null())
    }

    /// Takes a text.
    pub fn text(&mut self, key: &'static str) -> Result<Option<String>, Refusal> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(key, &other, "a text")),
        }
    }

    /// Takes true or false.
    pub fn flag(&mut self, key: &'static str) -> Result<Option<bool>, Refusal> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(wrong(key, &other, "true or false")),
        }
    }

    /// Takes a whole number from `min` to `max`.
    pub fn number(
        &mut self,
        key: &'static str,
        min: u64,
        max: u64,
    ) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        value
            .as_u64()
            .filter(|number| (min..=max).contains(number))
            .map(Some)
            .ok_or_else(|| wrong(key, &value, &format!("a whole number from {min} to {max}")))
    }

    /// Takes a number above zero.
    pub fn positive(&mut self, key: &'static str) -> Result<Option<f64>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        value
            .as_f64()
            .filter(|number| number.is_finite() && *number > 0.0)
            .map(Some)
            .ok_or_else(|| wrong(key, &value, "a number above 0"))
    }

    /// Insists that a key was there.
    pub fn required<T>(&self, key: &str, value: Option<T>) -> Result<T, Refusal> {
        value.ok_or_else(|| {
            Refusal::request(format!("{key:?} is missing in the request, expected it there"))
        })
    }

    /// Refuses keys that nobody has asked for.
    pub fn finish(self) -> Result<(), Refusal> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(key) => Err(Refusal::request(format!(
                "unknown key {} in the request, expected only {}",
                quote(&Value::from(key.as_str())),
                self.known.join(", ")
            ))),
        }
    }
}

/// A value of the wrong type or out of range.
pub fn wrong(key: &str, found: &Value, expected: &str) -> Refusal {
    Refusal::request(format!("{key:?} is {}, expected {expected}", quote(found)))
}

/// A value as typed, cut short if it is long.
pub fn quote(value: &Value) -> String {
    const LONGEST: usize = 80;
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}
