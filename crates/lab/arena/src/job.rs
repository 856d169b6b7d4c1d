//! What a job runs with, whatever its game.

use tavola_bearoff::{Store, Tables};
use tavola_engine::{LoadedNetwork, Warning};
use tavola_evaluator::{Evaluator, PlayableGame, Workers};
use tavola_files::Failure;

use crate::progress::Progress;
use crate::strength::player::{Player, PlayerContext, PlayerError};

/// What a job runs with. None of it has an influence on the result.
#[derive(Clone, Copy)]
pub struct JobContext<'a> {
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

impl JobContext<'_> {
    /// A network as an evaluator of the game.
    pub(crate) fn evaluator<G: PlayableGame>(
        &self,
        network: &LoadedNetwork,
        game: &G,
    ) -> Result<Box<dyn Evaluator<G>>, Failure> {
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

impl From<PlayerError> for Failure {
    fn from(error: PlayerError) -> Self {
        Self::input(error)
    }
}
