//! Why a question gets no answer.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::Serialize;

/// What is wrong with a question, as `kind` of an error in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The line is not a JSON object.
    Json,
    /// A field is missing, unknown, of the wrong type or out of range.
    Request,
    /// There is no such operation.
    Op,
    /// There is no such game.
    Game,
    /// The text is not a position of the game, or the game is over.
    Position,
    /// The dice are missing or not a roll of the game.
    Dice,
    /// The text is not a legal play.
    Play,
    /// There is no such preset.
    Preset,
    /// No network evaluates the game, or its file can't be used.
    Model,
    /// Such a cube can't be at such a score.
    Cube,
    /// The match equity table can't be used.
    Met,
    /// The position can't be written in this form.
    To,
    /// The question is understood, but this game or this version has no answer.
    Unsupported,
    /// A saved rollout can't be resumed.
    Resume,
    /// The caller canceled.
    Canceled,
    /// The engine itself is at fault.
    Internal,
}

/// What a question lacks, for interfaces to say how it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// A roll.
    Dice,
    /// The length of the match.
    MatchLength,
    /// A network that evaluates the game.
    Network,
}

/// Why a question gets no answer: a kind for programs and a message for people, which quotes what
/// was found and says what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
    kind: ErrorKind,
    message: String,
    #[serde(skip)]
    lacks: Option<Lacking>,
}

impl EngineError {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Display) -> Self {
        Self { kind, message: message.to_string(), lacks: None }
    }

    /// The same error, which this would mend.
    pub(crate) fn lacking(self, what: Lacking) -> Self {
        Self { lacks: Some(what), ..self }
    }

    /// An error with its causes in one line, after a word of where it happened.
    pub fn caused(
        kind: ErrorKind,
        context: impl Display,
        error: &(dyn std::error::Error + 'static),
    ) -> Self {
        let (context, causes) = (context.to_string(), tavola_files::chain(error));
        let separator = if context.is_empty() { "" } else { ": " };
        Self::new(kind, format_args!("{context}{separator}{causes}"))
    }

    /// What is wrong, for programs.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What the question lacks, if that is all that is wrong.
    pub const fn lacks(&self) -> Option<Lacking> {
        self.lacks
    }

    /// Whether the question is at fault, and not the engine or the machine.
    pub const fn is_input(&self) -> bool {
        !matches!(self.kind, ErrorKind::Canceled | ErrorKind::Internal)
    }

    /// A missing or unknown field, or a value of the wrong type or out of range.
    pub(crate) fn request(message: impl Display) -> Self {
        Self::new(ErrorKind::Request, message)
    }

    /// Something that this game or this version has no answer to.
    pub(crate) fn unsupported(message: impl Display) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }
}

/// What a question asks for, or why it gets no answer.
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

impl From<EngineError> for tavola_files::Failure {
    fn from(error: EngineError) -> Self {
        match error.kind {
            ErrorKind::Canceled => Self::stopped(error),
            _ if error.is_input() => Self::input(error),
            _ => Self::work(error),
        }
    }
}
