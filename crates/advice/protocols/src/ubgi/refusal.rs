//! Why a line can't be answered, in the words of each dialect.

use std::fmt::Display;

use tavola_engine::{EngineError, ErrorKind};

use super::Dialect;

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Its first word means nothing, or words are missing.
    Command,
    /// A word has an impossible value.
    Value,
    /// Something has to be said before it.
    State,
    /// A search goes on.
    Busy,
    /// This engine does not do that.
    Unsupported,
    /// The engine could not answer.
    Work,
}

/// A line that can't be answered, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    fault: Fault,
    detail: String,
}

impl Refusal {
    pub(super) fn new(fault: Fault, detail: impl Display) -> Self {
        // Whatever is quoted, an answer is one line.
        let detail = detail.to_string().replace(['\n', '\r'], " ");
        Self { fault, detail }
    }

    /// The line that tells of it.
    pub(super) fn line(&self, dialect: Dialect) -> String {
        use Fault::{Busy, Command, State, Unsupported, Value, Work};
        let code = match (dialect, self.fault) {
            (Dialect::V0_01, _) => return "sorry".to_owned(),
            (Dialect::V0_1, Command) => "unknown_command",
            (Dialect::V0_1, Value) => "bad_argument",
            (Dialect::V0_1, State) => "missing_context",
            (Dialect::V0_1, Busy) => "search_in_progress",
            (Dialect::V0_1, Unsupported) => "unsupported_feature",
            (Dialect::V0_1, Work) => "internal",
            (Dialect::V0_2, Command) => "bad_command",
            (Dialect::V0_2, Value) => "bad_value",
            (Dialect::V0_2, State | Busy | Work) => "bad_state",
            (Dialect::V0_2, Unsupported) => "unsupported",
        };
        format!("error {code} {}", self.detail)
    }
}

/// A word has an impossible value.
pub(super) fn refused(detail: impl Display) -> Refusal {
    Refusal::new(Fault::Value, detail)
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        let fault = match error.kind() {
            ErrorKind::Unsupported => Fault::Unsupported,
            _ if error.is_input() => Fault::Value,
            _ => Fault::Work,
        };
        Self::new(fault, error)
    }
}
