//! Why a command ended without a result, and the exit code that says so.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use tavola_arena::PlayerError;
use tavola_engine::{EngineError, Lacking};
use tavola_files::{Fault, FileError, chain};

use crate::tips::MODEL_VARIABLE;

/// The result of a command.
pub type Outcome<T = ()> = Result<T, Failure>;

/// A failed command: the chain of reasons and whose fault it was.
#[derive(Debug)]
pub struct Failure {
    fault: Fault,
    /// Whether answers tell what failed, each in its place.
    is_answered: bool,
    error: anyhow::Error,
}

/// What the system says of a disk that is full; no name of a file is to blame for it.
const OF_A_DISK: [io::ErrorKind; 3] =
    [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];

/// The number of the system for a disk that is broken (EIO), which has no kind.
const BROKEN_DISK: i32 = 5;

impl Failure {
    fn new(fault: Fault, error: impl Into<anyhow::Error>) -> Self {
        Self { fault, is_answered: false, error: error.into() }
    }

    /// The input is unusable for the reason that `message` gives.
    pub fn input(message: impl Display) -> Self {
        Self::new(Fault::Input, anyhow::anyhow!("{message}"))
    }

    /// The command line can't be understood.
    pub fn arguments(error: clap::Error) -> Self {
        Self::new(Fault::Input, error)
    }

    /// The work failed; `message` says why, and what there is of it.
    pub fn work(message: impl Display) -> Self {
        Self::new(Fault::Work, anyhow::anyhow!("{message}"))
    }

    /// The input can't be used if `unusable`, otherwise the work failed: `context`, then the reason.
    fn of(error: impl Into<anyhow::Error>, unusable: bool, context: impl Display) -> Self {
        let fault = if unusable { Fault::Input } else { Fault::Work };
        Self::new(fault, error.into().context(context.to_string()))
    }

    /// As an argument of `map_err`: the error says whose fault it is, `context` what was tried.
    #[cfg(feature = "fleet")]
    pub fn of_fleet(context: &str) -> impl Fn(tavola_fleet::FleetError) -> Self {
        move |error| {
            let unusable = error.is_unusable_input();
            Self::of(error, unusable, context)
        }
    }

    /// The user has stopped the work; `message` says how far it got.
    pub fn stopped(message: impl Display) -> Self {
        Self::new(Fault::Stopped, anyhow::anyhow!("{message}"))
    }

    /// Some of many questions have no answer, and what stands in its place says why; `message` says
    /// how many.
    pub fn answered(message: impl Display) -> Self {
        Self { is_answered: true, ..Self::work(message) }
    }

    /// Whether the answers have said what went wrong.
    pub fn is_answered(&self) -> bool {
        self.is_answered
    }

    /// Whether nothing went wrong, the work was merely stopped.
    pub fn is_stop(&self) -> bool {
        self.fault == Fault::Stopped
    }

    /// Whether the reader of stdout has gone away, which is no failure: `tavola ... | head`.
    pub fn is_closed_pipe(&self) -> bool {
        let is_pipe = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        self.error.chain().any(|cause| cause.downcast_ref().is_some_and(is_pipe))
            // A pipe that pairs or games were to be saved to is not stdout.
            && !self.error.chain().any(|cause| cause.is::<FileError>())
    }

    /// The exit code: 1 failed while working, 2 unusable arguments or input.
    pub fn exit_code(&self) -> ExitCode {
        match self.fault() {
            Fault::Work | Fault::Stopped => ExitCode::from(1),
            Fault::Input => ExitCode::from(2),
        }
    }

    /// Whose fault it was. A disk that is full or broken is not that of the name of a file.
    fn fault(&self) -> Fault {
        let failed = |cause: &io::Error| {
            cause.raw_os_error().is_some_and(|number| {
                OF_A_DISK.contains(&cause.kind()) || (cfg!(unix) && number == BROKEN_DISK)
            })
        };
        match self.error.chain().any(|cause| cause.downcast_ref().is_some_and(failed)) {
            true if self.fault == Fault::Input => Fault::Work,
            _ => self.fault,
        }
    }

    /// What is wrong with the command line, if that is what failed.
    pub fn in_arguments(&self) -> Option<&clap::Error> {
        self.error.downcast_ref()
    }

    /// The whole chain in one line, the outermost context first.
    pub fn message(&self) -> String {
        match self.in_arguments() {
            None => {
                let (text, lacks) =
                    (chain(self.error.as_ref()), self.in_engine().and_then(EngineError::lacks));
                match lacks {
                    // The key of a request is an option here.
                    Some(Lacking::Dice) if text.contains("\"dice\" such as") => {
                        text.replace("\"dice\" such as", option_of(Lacking::Dice))
                    }
                    Some(lacking) => format!("{text} ({})", option_of(lacking)),
                    None => {
                        let said = of_environment(&text);
                        text + &said
                    }
                }
            }
            Some(error) => {
                // Behind the reason stand the usage and, last of all, where help is.
                let text = error.to_string();
                let (reason, _) = text.rsplit_once("\n\n").unwrap_or((&text, ""));
                let usage = match error.get(ContextKind::Usage) {
                    Some(ContextValue::StyledStr(usage)) => usage.to_string(),
                    _ => String::new(),
                };
                let reason = reason.trim_end().strip_suffix(usage.trim()).unwrap_or(reason);
                reason.trim_start_matches("error: ").trim().to_owned()
            }
        }
    }

    /// What the engine refused, if that is what failed.
    fn in_engine(&self) -> Option<&EngineError> {
        self.error.chain().find_map(|cause| cause.downcast_ref())
    }

    /// What a program is told: the object that `batch` answers, with its kinds of errors and
    /// `input` and `work` for what goes wrong outside the engine.
    pub fn to_json(&self) -> serde_json::Value {
        let kind = match (self.in_engine(), self.fault()) {
            (Some(error), _) => serde_json::to_value(error.kind()).unwrap_or_default(),
            (None, _) if self.in_arguments().is_some() => "request".into(),
            (None, Fault::Input) => "input".into(),
            (None, Fault::Work) => "work".into(),
            (None, Fault::Stopped) => "canceled".into(),
        };
        serde_json::json!({"error": {"kind": kind, "message": self.message()}})
    }
}

impl From<EngineError> for Failure {
    /// The kind says whose fault it is.
    fn from(error: EngineError) -> Self {
        tavola_files::Failure::from(error).into()
    }
}

impl From<tavola_files::Failure> for Failure {
    fn from(failure: tavola_files::Failure) -> Self {
        let tavola_files::Failure { fault, reason } = failure;
        if let Some(PlayerError::OtherGame { found, .. }) = reason.downcast_ref() {
            return Self::input(format_args!("{reason}; add --game {found}"));
        }
        // What the engine refused is looked for by its type, which a box would hide.
        let error = match reason.downcast::<EngineError>() {
            Ok(error) => anyhow::Error::new(*error),
            Err(reason) => anyhow::Error::from_boxed(reason),
        };
        Self::new(fault, error)
    }
}

impl From<io::Error> for Failure {
    /// Writing a result failed.
    fn from(error: io::Error) -> Self {
        Self::of(error, false, "cannot write the answer")
    }
}

impl From<serde_json::Error> for Failure {
    /// Writing a result as JSON failed; the cause decides whether it was a closed pipe.
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}

/// That the file of this message is the one that the environment names, if nothing else does.
fn of_environment(message: &str) -> String {
    let said = std::env::var(MODEL_VARIABLE).unwrap_or_default();
    let is_typed = || {
        std::env::args_os().any(|word| {
            let word = word.to_string_lossy();
            word.starts_with("--model") || word.contains(&said)
        })
    };
    match !said.is_empty() && message.contains(&said) && !is_typed() {
        true => format!(" (the value of {MODEL_VARIABLE} in the environment)"),
        false => String::new(),
    }
}

/// The option by which it is given.
pub const fn option_of(lacking: Lacking) -> &'static str {
    match lacking {
        Lacking::Dice => "--roll",
        Lacking::MatchLength => "--match-length",
        Lacking::Network => "--model",
    }
}

/// Refuses the first of these options that is given, with the message about its name.
///
/// # Errors
///
/// That the input is unusable.
pub fn refuse_given<'a>(
    options: impl IntoIterator<Item = (&'a str, bool)>,
    message: impl FnOnce(&str) -> String,
) -> Outcome {
    match options.into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Failure::input(message(name))),
        None => Ok(()),
    }
}

/// Says whose fault an error is.
pub trait Blame<T> {
    /// The arguments or the input are at fault.
    fn or_input(self) -> Outcome<T>;

    /// The arguments or the input are at fault, with `context` before the reason.
    fn or_input_in(self, context: impl Display) -> Outcome<T>;

    /// The work failed, with `context` before the reason.
    fn or_work_in(self, context: impl Display) -> Outcome<T>;
}

impl<T, E: Into<anyhow::Error>> Blame<T> for Result<T, E> {
    fn or_input(self) -> Outcome<T> {
        self.map_err(|error| Failure::new(Fault::Input, error))
    }

    fn or_input_in(self, context: impl Display) -> Outcome<T> {
        self.map_err(|error| Failure::of(error, true, context))
    }

    fn or_work_in(self, context: impl Display) -> Outcome<T> {
        self.map_err(|error| Failure::of(error, false, context))
    }
}
