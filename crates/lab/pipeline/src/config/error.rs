//! Why a configuration can't be used.

use std::path::Path;

use tavola_files::Failure;
use tavola_files::limits::CONFIGURATION_BYTES;
use tavola_rules::did_you_mean;

use super::template::keys;

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

/// Names that other programs have for a key or a value, and what it is called here.
const ELSEWHERE: [(&str, &str); 14] = [
    ("lr", "learning_rate"),
    ("alpha", "learning_rate"),
    ("batch", "learner.batch_size"),
    ("lambd", "targets.lambda"),
    ("episodes", "games_per_round"),
    ("games", "games_per_round"),
    ("iterations", "rounds"),
    ("steps", "rounds"),
    ("layers", "network.hidden"),
    ("weight_decay", "learner.logit_l2"),
    ("ema", "learner.weight_averaging_steps"),
    ("cuda", "gpu"),
    ("metal", "gpu"),
    ("vulkan", "gpu"),
];

/// What the reader of TOML says, with types in words. It names what it expected in its text alone.
pub(super) fn in_words(said: &str) -> String {
    let mut reason = said.replace("expected a sequence", "expected a list");
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
    reason = reason
        .replace("unknown field `", "unknown key `")
        .replace("unknown variant `", "unknown value `");
    let named = reason.split_once("unknown key `").or_else(|| reason.split_once("unknown value `"));
    if let Some((_, names)) = named {
        let mut names = names.split('`').step_by(2);
        let hint = hint(names.next().unwrap_or_default(), names);
        reason = format!("{}{hint}", reason.trim_end());
    }
    reason
}

/// What may be meant by a name that is none of those expected here.
fn hint<'a>(name: &str, expected: impl Iterator<Item = &'a str>) -> String {
    let elsewhere = ELSEWHERE.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
    let keys = keys();
    let in_a_table =
        || keys.iter().map(|key| &**key).find(|key| key.ends_with(&format!(".{name}")));
    match did_you_mean(name, expected) {
        hint if !hint.is_empty() => hint,
        hint => elsewhere.or_else(in_a_table).map_or(hint, |key| format!(" (did you mean {key}?)")),
    }
}
