//! What a job runs with, whatever its game, and why it has no result.

use std::error::Error;
use std::fmt::{self, Display};

use tavola_bearoff::{Store, Tables};
use tavola_engine::{EngineError, ErrorKind, Network, Warning};
use tavola_evaluator::{Evaluator, PlayableGame, Workers};

use crate::duel::DuelError;
use crate::player::{Player, PlayerContext, PlayerError};
use crate::profile::ProfileError;
use crate::progress::Progress;
use crate::run::DuelRunError;

/// What a job runs with. None of it has an influence on the result.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// Threads, and what calls the job off.
    pub workers: Workers<'a>,
    /// Receives the progress of the job.
    pub progress: &'a dyn Progress,
    /// What players are made with.
    pub players: PlayerContext<'a>,
    /// Receives what a user should know before trusting the result.
    pub warn: &'a dyn Fn(&JobWarning),
}

/// Something that a user should know before trusting a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobWarning {
    /// About the network that plays.
    #[error(transparent)]
    Network(Warning),
    /// The luck of a duel is not evaluated.
    #[error("no variance reduction: the built-in network can't evaluate {game}")]
    NoLuck {
        /// The id of the game.
        game: String,
    },
    /// A player of a ladder is one of those named before.
    #[error("{name} is on the ladder already, under another name")]
    OnLadder {
        /// As it was named.
        name: String,
    },
    /// A file ends in the middle of a line.
    #[error("{file}: {end}")]
    File {
        /// The file.
        file: String,
        /// How it ends.
        end: String,
    },
}

/// How a player is made, with a cube or without.
pub(crate) type MakePlayer<G> = fn(&str, &G, &PlayerContext<'_>) -> Result<Player<G>, PlayerError>;

impl Job<'_> {
    /// A network as an evaluator of the game.
    pub(crate) fn evaluator<G: PlayableGame>(
        &self,
        network: &Network,
        game: &G,
    ) -> Result<Box<dyn Evaluator<G>>, JobError> {
        let (evaluator, warning) = network.evaluator(game)?;
        if let Some(warning) = warning {
            (self.warn)(&JobWarning::Network(warning));
        }
        Ok(evaluator)
    }
}

impl PlayerContext<'_> {
    /// The bear-off databases of the user, generated if they are not there yet.
    pub(crate) fn tables(&self) -> Tables {
        let (tables, warnings) = Store::of_user().load_all(self.progress);
        for warning in &warnings {
            (self.warn)(&tavola_files::chain(warning));
        }
        tables
    }
}

/// Whose fault it is that a job has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The question or its files.
    Input,
    /// The work failed.
    Work,
    /// No fault: the caller called it off.
    Stopped,
}

/// Why a job has no result.
#[derive(Debug)]
pub struct JobError {
    /// Whose fault it is.
    pub fault: Fault,
    /// The reason, with its sources.
    pub reason: Box<dyn Error + Send + Sync>,
}

impl Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl Error for JobError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.reason.source()
    }
}

/// A reason behind what was tried.
#[derive(Debug, thiserror::Error)]
#[error("{context}")]
struct InContext {
    context: String,
    source: Box<dyn Error + Send + Sync>,
}

impl JobError {
    pub(crate) fn input(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { fault: Fault::Input, reason: reason.into() }
    }

    pub(crate) fn work(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { fault: Fault::Work, reason: reason.into() }
    }

    pub(crate) fn stopped(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { fault: Fault::Stopped, reason: reason.into() }
    }

    /// This reason behind what was tried.
    pub(crate) fn while_trying(self, context: impl Display) -> Self {
        let context = context.to_string();
        Self { reason: Box::new(InContext { context, source: self.reason }), ..self }
    }
}

/// The input is at fault, with `context` before the reason.
pub(crate) fn input_in<E: Into<Box<dyn Error + Send + Sync>>>(
    context: impl Display,
) -> impl FnOnce(E) -> JobError {
    move |error| JobError::input(error).while_trying(context)
}

/// The work failed, with `context` before the reason.
pub(crate) fn work_in<E: Into<Box<dyn Error + Send + Sync>>>(
    context: impl Display,
) -> impl FnOnce(E) -> JobError {
    move |error| JobError::work(error).while_trying(context)
}

impl From<EngineError> for JobError {
    fn from(error: EngineError) -> Self {
        match error.kind() {
            ErrorKind::Canceled => Self::stopped(error),
            _ if error.is_input() => Self::input(error),
            _ => Self::work(error),
        }
    }
}

impl From<PlayerError> for JobError {
    fn from(error: PlayerError) -> Self {
        Self::input(error)
    }
}

impl From<DuelRunError> for JobError {
    fn from(error: DuelRunError) -> Self {
        match error {
            DuelRunError::Duel(DuelError::Canceled { .. }) => Self::stopped(error),
            error if error.is_input() => Self::input(error),
            error => Self::work(error),
        }
    }
}

impl From<ProfileError> for JobError {
    fn from(error: ProfileError) -> Self {
        match error {
            ProfileError::Duel(error) => DuelRunError::from(error).into(),
            error => Self::stopped(error),
        }
    }
}
