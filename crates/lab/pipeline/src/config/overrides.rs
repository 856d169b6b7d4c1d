//! Values that replace those of a configuration file, as `learner.batch_size=512`.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::Config;
use tavola_files::Failure;

/// A value for one key, with the names of its tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// The key, with the names of its tables.
    pub(crate) key: String,
    pub(crate) value: toml::Value,
}

impl Override {
    /// An override with a whole number.
    pub fn number(key: &str, number: i64) -> Self {
        Self { key: key.to_owned(), value: toml::Value::Integer(number) }
    }

    /// Puts the value into a table, and reads the configuration that it then stands for.
    ///
    /// # Errors
    ///
    /// In words: a part of the key is a value, not a table, the key is unknown, or its value of
    /// another type; and what was expected.
    pub(super) fn apply(&self, table: &mut toml::Table) -> Result<Config, String> {
        let mut place = &mut *table;
        let mut parts: Vec<&str> = self.key.split('.').collect();
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            let inner = place.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            let found = inner.to_string();
            place = inner
                .as_table_mut()
                .ok_or_else(|| format!("{part} is {found}, expected a table with keys"))?;
        }
        place.insert(last.to_owned(), self.value.clone());
        super::read::of_table(table.clone())
    }
}

impl FromStr for Override {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let form = || {
            let expected = "expected KEY=VALUE with a key of the configuration, such as \
                            learner.batch_size=512";
            Failure::input(expected)
        };
        let (key, value) = text.split_once('=').ok_or_else(form)?;
        let (key, value) = (key.trim(), value.trim());
        let is_name = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'-')
        };
        if value.is_empty() || super::read::is_too_deep(value) || !key.split('.').all(is_name) {
            return Err(form());
        }
        let parsed = toml::de::ValueDeserializer::parse(value).and_then(toml::Value::deserialize);
        let value = match parsed {
            Ok(value) => value,
            // A name or a path needs no quotes.
            Err(_) if !value.contains(['"', '\'', '[', ']', '{', '}', '\n', ' ']) => {
                toml::Value::String(value.to_owned())
            }
            Err(error) => {
                return Err(Failure::input(format!(
                    "{value:?} is not a TOML value: {}; expected a number, true or false, a word, \
                     or a table or list with its strings in quotes",
                    error.message()
                )));
            }
        };
        Ok(Self { key: key.to_owned(), value })
    }
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}
