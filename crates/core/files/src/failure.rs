//! Why work has no result, where callers tell reasons apart by nothing but whose fault they are.

use std::error::Error;
use std::fmt::{self, Display};

/// Whose fault it is that work has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The question or its files.
    Input,
    /// The work failed.
    Work,
    /// No fault: the caller called it off.
    Stopped,
}

/// Why work has no result: a reason with its causes, which quotes what was found and says what was
/// expected.
#[derive(Debug)]
pub struct Failure {
    /// Whose fault it is.
    pub fault: Fault,
    /// The reason, with its sources.
    pub reason: Box<dyn Error + Send + Sync>,
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.reason.source()
    }
}

/// A reason behind what was tried.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct InContext(String, #[source] Box<dyn Error + Send + Sync>);

impl Failure {
    /// With this reason; of another failure its reason.
    fn new(fault: Fault, reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let reason = reason.into();
        let reason = reason.downcast::<Self>().map_or_else(|other| other, |inner| inner.reason);
        Self { fault, reason }
    }

    /// The question or its files are at fault.
    pub fn input(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Fault::Input, reason)
    }

    /// The work failed.
    pub fn work(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Fault::Work, reason)
    }

    /// The caller called it off.
    pub fn stopped(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Fault::Stopped, reason)
    }

    /// This reason behind what was tried.
    #[must_use]
    pub fn while_trying(self, context: impl Display) -> Self {
        Self { reason: Box::new(InContext(context.to_string(), self.reason)), ..self }
    }

    /// As an argument of `map_err`: the input is at fault, with `context` before the reason.
    pub fn input_in<E: Into<Box<dyn Error + Send + Sync>>>(
        context: impl Display,
    ) -> impl Fn(E) -> Self {
        let context = context.to_string();
        move |error| Self::input(error).while_trying(&context)
    }

    /// As an argument of `map_err`: the work failed, with `context` before the reason.
    pub fn work_in<E: Into<Box<dyn Error + Send + Sync>>>(
        context: impl Display,
    ) -> impl Fn(E) -> Self {
        let context = context.to_string();
        move |error| Self::work(error).while_trying(&context)
    }

    /// Whether the caller called it off.
    pub const fn is_stop(&self) -> bool {
        matches!(self.fault, Fault::Stopped)
    }

    /// Whether the question or its files are at fault.
    pub const fn is_input(&self) -> bool {
        matches!(self.fault, Fault::Input)
    }
}

impl From<crate::FileError> for Failure {
    fn from(error: crate::FileError) -> Self {
        Self::work(error)
    }
}

impl From<crate::JournalError> for Failure {
    /// A file that is there already, in use or damaged is the caller's.
    fn from(error: crate::JournalError) -> Self {
        match error {
            crate::JournalError::Io(error) => Self::work(error),
            error => Self::input(error),
        }
    }
}
