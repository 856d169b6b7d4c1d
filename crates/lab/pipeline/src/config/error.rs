//! Why a configuration can't be used.

use std::io;
use std::path::{Path, PathBuf};

use tavola_rules::did_you_mean;

/// Why a configuration can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file can't be read.
    #[error("cannot read the configuration {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Not TOML, an unknown key, or a value of another type.
    #[error("{} is not a valid training configuration: {reason}", file.display())]
    Toml {
        /// The file.
        file: PathBuf,
        /// Line, key and what was expected.
        reason: String,
    },
    /// Nothing at all, or comments alone.
    #[error("{} is empty, expected a training configuration such as configs/smoke.toml", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// A recipe, where one run is expected.
    #[error(
        "{} is a recipe, expected the configuration of one run; a phase that has begun keeps its own \
         in DIRECTORY/PHASE/config.toml", file.display()
    )]
    Recipe {
        /// The file.
        file: PathBuf,
    },
    /// An override that does not fit the configuration.
    #[error("cannot set {set} in {}: {reason}", file.display())]
    Override {
        /// The file.
        file: PathBuf,
        /// The key and its value.
        set: String,
        /// What is wrong with them, and what was expected.
        reason: String,
    },
    /// A value that can't be used.
    #[error("{}: {key} is {value}, expected {expected}", file.display())]
    Value {
        /// The file.
        file: PathBuf,
        /// The key, with the names of its tables.
        key: String,
        /// Its value.
        value: String,
        /// What would do.
        expected: String,
    },
}

impl ConfigError {
    /// The error with the name of the phase in which it is.
    pub(crate) fn in_phase(self, name: &str) -> Self {
        match self {
            Self::Value { file, key, value, expected } => {
                Self::Value { file, key: format!("{key} in phase {name}"), value, expected }
            }
            Self::Toml { file, reason } => {
                Self::Toml { file, reason: format!("in phase {name}: {reason}") }
            }
            other => other,
        }
    }

    /// The error of a file that is not TOML, or has other types.
    pub(crate) fn toml(file: &Path, error: &toml::de::Error) -> Self {
        Self::Toml { file: file.to_owned(), reason: in_words(error) }
    }
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
