//! Why a configuration can't be used.

use std::path::Path;

use tavola_files::Failure;
use tavola_files::limits::CONFIGURATION_BYTES;
use tavola_rules::did_you_mean;

/// The text of a configuration file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let context = format!("cannot read the configuration {}", path.display());
    tavola_files::read_text(path, &CONFIGURATION_BYTES).map_err(Failure::input_in(context))
}

/// Not TOML, an unknown key, or a value of another type: line, key and what was expected.
pub(super) fn invalid(file: &Path, reason: &str) -> Failure {
    Failure::input(format!("{} is not a valid training configuration: {reason}", file.display()))
}

/// A value that can't be used, with its key and what would do.
pub(crate) fn value(file: &Path, key: &str, value: &str, expected: &str) -> Failure {
    Failure::input(format!("{}: {key} is {value}, expected {expected}", file.display()))
}

/// An error of TOML with types in words. The reader of TOML names what it expected in its text alone.
pub(super) fn in_words(error: &toml::de::Error) -> String {
    let mut reason = error.to_string();
    for name in ["u8", "u16", "u32", "u64", "usize"] {
        reason = reason.replace(&format!("expected {name}"), "expected a whole number from 0 up");
    }
    for name in ["f32", "f64"] {
        reason = reason.replace(&format!("expected {name}"), "expected a number");
    }
    if let Some((before, behind)) = reason.split_once("expected struct ") {
        let rest = behind.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        reason = format!("{before}expected a table{rest}");
    }
    if let Some((_, names)) = reason.split_once("unknown field `") {
        let mut names = names.split('`').step_by(2);
        let hint = did_you_mean(names.next().unwrap_or_default(), names);
        reason = format!("{}{hint}", reason.trim_end());
    }
    reason
}
