//! Why a fleet can't work.

use std::path::PathBuf;

use tavola_evaluator::remote::RemoteError;

/// Why a fleet can't work. Losses of the connection are no error: they are waited out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// No server answers at the address, or it refuses the credentials.
    #[error(
        "cannot connect to the NATS server at {url:?}, expected a running nats-server with JetStream (-js) there: {reason}"
    )]
    Connect {
        /// The address, without a password.
        url: String,
        /// What the client says.
        reason: String,
    },
    /// The server takes small messages alone.
    #[error(
        "the NATS server at {url:?} takes messages of {found} bytes at most, expected max_payload \
         of {expected} or more in its configuration"
    )]
    MaxPayload {
        /// The address, without a password.
        url: String,
        /// What it takes.
        found: usize,
        /// What a fleet needs.
        expected: usize,
    },
    /// The file with credentials can't be read.
    #[error("cannot read the credentials {}", path.display())]
    Credentials {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The system has no threads to give.
    #[error("cannot start the threads of the connection")]
    Runtime(#[source] std::io::Error),
    /// The server did not do what it was asked.
    #[error("the NATS server failed: {action}: {reason}")]
    Server {
        /// What it was asked.
        action: &'static str,
        /// What the client says.
        reason: String,
    },
    /// Nothing useful can be made of a message.
    #[error("a message is damaged: {what}")]
    Message {
        /// What is wrong with it.
        what: String,
    },
    /// The learner is of another version, whose games may differ.
    #[error("the learner is {found}, this worker is {expected}: use the same binary")]
    OtherVersion {
        /// Version of the learner.
        found: String,
        /// Version of the worker.
        expected: String,
    },
    /// The learner has found wrong games of this worker.
    #[error(
        "the learner excluded this worker: its results are wrong; check the memory of this machine"
    )]
    Excluded,
    /// The work can't be done.
    #[error("the work can't be done")]
    Work(#[source] RemoteError),
    /// There is no place for the files of a work.
    #[error("cannot make a folder for the files of a work")]
    Folder(#[source] std::io::Error),
}

impl FleetError {
    /// An error of the server, with what it was asked.
    pub(crate) fn server<E: std::fmt::Display>(action: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::Server { action, reason: error.to_string() }
    }

    /// A damaged message.
    pub(crate) fn message(what: impl Into<String>) -> Self {
        Self::Message { what: what.into() }
    }

    /// Whether the arguments are at fault, and not the work.
    pub const fn is_unusable_input(&self) -> bool {
        matches!(self, Self::Connect { .. } | Self::Credentials { .. } | Self::MaxPayload { .. })
    }
}
