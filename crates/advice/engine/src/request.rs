//! Reading a request in two passes: first the line, of which the id is kept as it was written and no
//! key may stand twice, then what its operation knows. What a key may hold is said by the schema of
//! the type that reads it, and so are refusals.

use std::fmt;

use serde::de::{DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tavola_rules::did_you_mean;

use crate::error::{EngineError, ErrorKind, Result};

/// A line: an object of JSON.
#[derive(Debug, PartialEq)]
pub(crate) struct Line<'a> {
    /// The text of its id.
    pub(crate) id: Option<&'a str>,
    /// What stands in it beside the id.
    pub(crate) fields: Map<String, Value>,
    /// A key that stands twice in it, or in an object in it.
    pub(crate) twice: Option<String>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Line<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Line<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut line = Line { id: None, fields: Map::new(), twice: None };
                while let Some(key) = map.next_key::<String>()? {
                    if key != "id" {
                        let value = map.next_value_seed(Unique(&mut line.twice))?;
                        keep(&mut line.fields, key, value, &mut line.twice);
                    } else if line.id.replace(map.next_value::<&RawValue>()?.get()).is_some() {
                        line.twice.get_or_insert(key);
                    }
                }
                Ok(line)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

fn keep(fields: &mut Map<String, Value>, key: String, value: Value, twice: &mut Option<String>) {
    if fields.insert(key.clone(), value).is_some() {
        twice.get_or_insert(key);
    }
}

/// Reads any value, and notes the first key that stands twice in an object.
struct Unique<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(Unique(self.0))? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key()? {
            let value = map.next_value_seed(Unique(self.0))?;
            keep(&mut fields, key, value, self.0);
        }
        Ok(fields.into())
    }
}

/// Refuses keys that the schema of a request does not have, values out of its bounds, and missing
/// keys. A null is taken away: it is the same as no key.
pub(crate) fn check(schema: &Value, fields: &mut Map<String, Value>) -> Result<()> {
    let properties = schema["properties"].as_object().expect("a request is an object");
    fields.retain(|_, value| !value.is_null());
    if let Some(key) = fields.keys().find(|&key| !properties.contains_key(key)) {
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        return Err(EngineError::request(format_args!(
            "unknown key {} in the request, expected only {}{}",
            quote(&Value::from(key.as_str())),
            known.join(", "),
            did_you_mean(key, known.iter().copied())
        )));
    }
    for (key, value) in &*fields {
        if let Some(expected) = misfit(&properties[key], value) {
            return Err(wrong(key, value, &expected));
        }
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    match required.into_iter().find(|&key| !fields.contains_key(key)) {
        None => Ok(()),
        Some(key) => Err(missing(key)),
    }
}

/// What a schema of one simple type expects of a value that is not of it, or out of its bounds.
/// Other types say what is wrong when they are read.
fn misfit(schema: &Value, value: &Value) -> Option<String> {
    if let Some(names) = schema["enum"].as_array()
        && names.iter().all(|name| name.is_string() || name.is_null())
    {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        return (!value.is_string()).then(|| format!("a text, one of {}", names.join(", ")));
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => match kinds.as_slice() {
            [kind, Value::String(null)] if null == "null" => kind.as_str()?,
            _ => return None,
        },
        kind => kind.as_str()?,
    };
    match kind {
        "boolean" => (!value.is_boolean()).then(|| "true or false".to_owned()),
        "string" => (!value.is_string()).then(|| "a text".to_owned()),
        "number" => {
            let fits = value.as_f64().is_some_and(|number| number.is_finite() && number > 0.0);
            (!fits).then(|| "a number above 0".to_owned())
        }
        "integer" => {
            let whole = |number: &Value| {
                number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
            };
            let least = whole(&schema["minimum"]).unwrap_or(0);
            let most = whole(&schema["maximum"]).unwrap_or(i128::from(u64::MAX));
            let fits = whole(value).is_some_and(|number| (least..=most).contains(&number));
            (!fits).then(|| format!("a whole number from {least} to {most}"))
        }
        _ => None,
    }
}

/// Reads those of the fields that a type knows.
pub(crate) fn read<T: DeserializeOwned>(fields: &Map<String, Value>) -> Result<T> {
    T::deserialize(Value::Object(fields.clone())).map_err(|error| {
        let alone =
            |key: &&String| T::deserialize(serde_json::json!({*key: fields[*key]})).is_err();
        let kind = match fields.keys().find(alone).map(String::as_str) {
            Some("game") => ErrorKind::Game,
            Some("position") => ErrorKind::Position,
            Some("preset") => ErrorKind::Preset,
            _ => ErrorKind::Request,
        };
        EngineError::new(kind, error)
    })
}

fn missing(key: &str) -> EngineError {
    EngineError::request(format_args!("missing field {key:?}"))
}

/// The name of the operation, if the version is one that is known.
pub(crate) fn operation(fields: &Map<String, Value>) -> Result<&str> {
    let named = |key| fields.get(key).filter(|value| !value.is_null());
    if let Some(version) = named("v")
        && version.as_u64() != Some(1)
    {
        return Err(wrong("v", version, "1"));
    }
    let name = named("op").ok_or_else(|| missing("op"))?;
    name.as_str().ok_or_else(|| wrong("op", name, "a text"))
}

/// How deep the brackets of a text of JSON stand in each other.
pub(crate) fn levels(json: &str) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
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

/// Texts, or one of them alone.
pub(crate) fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    if let Value::String(text) = value {
        return Ok(vec![text]);
    }
    let texts = Vec::deserialize(&value);
    texts.map_err(|_| serde::de::Error::custom(wrong("plays", &value, "a text or a list of texts")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line<'_> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_id_is_kept_as_it_was_written() {
        for (text, expected) in [
            (r#"{"op":"x","id":12345678901234567890123}"#, Some("12345678901234567890123")),
            (
                r#"{"id": {"b": [1, 2], "a": "}\"," } , "op": 1}"#,
                Some(r#"{"b": [1, 2], "a": "}\"," }"#),
            ),
            (r#" {"id":1.10,"a":{"id":2}} "#, Some("1.10")),
            (r#"{"id": 1e999}"#, Some("1e999")),
            (r#"{"i\u0064":"é"}"#, Some("\"é\"")),
            (r#"{"a":{"id":2},"b":["id",{"id":3}],"c":"id"}"#, None),
            ("{}", None),
        ] {
            let line = line(text);
            assert_eq!((line.id, line.twice), (expected, None), "{text}");
        }
    }

    #[test]
    fn the_levels_of_a_text_are_those_of_its_brackets() {
        for (text, expected) in [
            ("1", 0),
            ("\"[[[\"", 0),
            (r#""\"[[""#, 0),
            (r#"["\\",[{"a":"}"}],[]]"#, 3),
            (&"[".repeat(1000), 1000),
        ] {
            assert_eq!(levels(text), expected, "{text}");
        }
    }

    #[test]
    fn keys_that_stand_twice_are_found_at_any_depth() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":1}"#,
            r#"{"b":[{"c":0,"a":1,"a":[]}]}"#,
            r#"{"x":{"x":{"a":1},"a":2,"a":null}}"#,
        ] {
            assert_eq!(line(text).twice.as_deref(), Some("a"), "{text}");
        }
        assert_eq!(line(r#"{"a":{"a":1},"b":{"a":["a","a"]},"":1}"#).twice, None);
        let both = line(r#"{"a":1,"a":2,"id":[7]}"#);
        assert_eq!((both.id, both.twice.as_deref()), (Some("[7]"), Some("a")));
        assert_eq!(line(r#"{"id":1,"id":2}"#).twice.as_deref(), Some("id"));
    }
}
