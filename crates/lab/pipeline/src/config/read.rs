//! The text of a configuration, and all that can't be read in it.

use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IntoDeserializer};
use tavola_files::Failure;
use toml::de::{DeTable, DeValue, Deserializer};

use super::{Config, error};

/// Reads a configuration in TOML, unchecked: a table without the keys that can't be read, and what
/// is wrong with them.
pub(super) fn parse(text: &str, file: &Path) -> Result<(toml::Table, Mistakes), Failure> {
    let mut table: toml::Table = of_text(text, file)?;
    // All keys have defaults, so that a file cut to nothing would be a long run.
    if table.is_empty() {
        let what = "is empty, expected a training configuration such as configs/smoke.toml";
        return Err(Failure::input(format!("{} {what}", file.display())));
    }
    if table.contains_key("phase") {
        return Err(Failure::input(format!(
            "{} is a recipe, expected the configuration of one run; a phase that has begun keeps its \
             own in DIRECTORY/PHASE/config.toml",
            file.display()
        )));
    }
    let mut mistakes = Mistakes::default();
    let Ok(mut tree) = DeTable::parse(text) else { return Ok((table, mistakes)) };
    let mut first = of_text::<Config>(text, file).err().map(|failure| failure.to_string());
    while let Err(error) = Config::deserialize(Deserializer::from(tree.clone())) {
        let place = error.span().unwrap_or_default();
        let line = 1 + text[..place.start.min(text.len())].matches('\n').count();
        // The first is shown with its line of the file.
        let told = first.take().unwrap_or_else(|| {
            format!("{}, line {line}: {}", file.display(), error::in_words(error.message()))
        });
        mistakes.add(told);
        let Some(path) = key_at(tree.get_ref(), place.start) else {
            return Err(mistakes.failure());
        };
        take_out(tree.get_mut(), &path);
        remove(&mut table, &path.join("."));
    }
    Ok((table, mistakes))
}

/// What a text of TOML says.
pub(crate) fn of_text<T: DeserializeOwned>(text: &str, file: &Path) -> Result<T, Failure> {
    if is_too_deep(text) {
        let reason = format!("more than {DEEPEST} brackets are open at once");
        return Err(error::invalid(file, &reason));
    }
    toml::from_str(text).map_err(|error| error::invalid(file, &error::in_words(&error.to_string())))
}

/// The configuration that a table stands for. The error is in words and without lines, since those of
/// the table are not those of a file.
pub(super) fn of_table(table: toml::Table) -> Result<Config, String> {
    Config::deserialize(table.into_deserializer()).map_err(|error: toml::de::Error| {
        error::in_words(&error.to_string()).trim_end().replace('\n', " ")
    })
}

/// What is wrong with a configuration, each thing in words that stand for themselves.
#[derive(Default)]
pub(super) struct Mistakes(Vec<String>);

impl Mistakes {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One more, unless it is there.
    pub(super) fn add(&mut self, mistake: String) {
        let mistake = mistake.trim_end().to_owned();
        if !self.0.contains(&mistake) {
            self.0.push(mistake);
        }
    }

    /// The failure that tells all of them.
    pub(super) fn failure(self) -> Failure {
        Failure::input(self.0.join("\n"))
    }

    /// `last` alone, as it is, or behind those that were found before.
    pub(super) fn or(mut self, last: Failure) -> Failure {
        if self.is_empty() {
            return last;
        }
        self.add(last.to_string());
        self.failure()
    }
}

/// The path to the innermost key whose name or value is at this place of the text.
fn key_at(table: &DeTable<'_>, place: usize) -> Option<Vec<String>> {
    for (key, value) in table {
        let inner = match value.get_ref() {
            DeValue::Table(inner) => key_at(inner, place),
            _ => None,
        };
        let is_here = || [key.span(), value.span()].iter().any(|span| span.contains(&place));
        if let Some(path) = inner.or_else(|| is_here().then(Vec::new)) {
            return Some([key.get_ref().to_string()].into_iter().chain(path).collect());
        }
    }
    None
}

/// Takes the value at a path out of a table.
fn take_out(table: &mut DeTable<'_>, path: &[String]) {
    let [key, rest @ ..] = path else { return };
    match table.get_mut(key.as_str()).map(|value| value.get_mut()) {
        Some(DeValue::Table(inner)) if !rest.is_empty() => take_out(inner, rest),
        _ => {
            table.remove(key.as_str());
        }
    }
}

/// Takes a key, with the names of its tables, out of a table that stands for a configuration; a
/// table of a `kind` goes as a whole. Whether it was there.
pub(super) fn remove(table: &mut toml::Table, key: &str) -> bool {
    match key.split_once('.') {
        Some((first, rest)) => match table.get_mut(first) {
            Some(toml::Value::Table(inner)) if !inner.contains_key("kind") => remove(inner, rest),
            Some(_) => table.remove(first).is_some(),
            None => false,
        },
        None => table.remove(key).is_some(),
    }
}

/// The most brackets of a configuration that may be open at once: the reader of TOML takes some of
/// the stack for each.
const DEEPEST: usize = 256;

pub(super) fn is_too_deep(text: &str) -> bool {
    let mut open = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > DEEPEST
    })
}
