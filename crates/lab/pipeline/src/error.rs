//! Why a run can't begin or go on.

use std::path::{Path, PathBuf};

use tavola_arena::grade::GradeError;
use tavola_arena::{DuelError, PlayerError};
use tavola_data::DataError;
use tavola_files::FileError;
use tavola_net::WeightsError;
use tavola_play::DatasetError;
use tavola_train::LearnerError;

use crate::checkpoint::CheckpointError;
use crate::curve::CurveError;
use crate::run_dir::RunDirError;

/// Why a run can't begin or go on. What was saved before stays usable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Something is wrong with the run directory, or it can't be written.
    #[error(transparent)]
    Directory(#[from] RunDirError),
    /// The run was begun with another configuration.
    #[error(
        "{} was begun with another configuration (key: stored, given): {}; \
         resume with the stored one, or begin a new run with `start`",
        path.display(), differences.join("; ")
    )]
    OtherConfig {
        /// The run directory.
        path: PathBuf,
        /// Each key with its stored and its given value.
        differences: Vec<String>,
    },
    /// A phase of a recipe is to be trained after one that follows from it.
    #[error(
        "{} is not finished, but phase {later} was begun after it: remove the directories of the \
         phases behind it, or begin in another directory", path.display()
    )]
    PhaseOrder {
        /// The directory of the phase that is not finished.
        path: PathBuf,
        /// A later phase.
        later: String,
    },
    /// A file that the configuration names isn't the one it was when the run began.
    #[error("{path} has changed since the run began: its checksum is {found}, expected {expected}")]
    OtherInput {
        /// The file.
        path: String,
        /// Its checksum now.
        found: String,
        /// Its checksum when the run began.
        expected: String,
    },
    /// The run would take more memory than there is.
    #[error(
        "the run takes about {:.1} GB of memory, and this process may have {:.1} GB: lower \
         games_per_round, replay.window or the widths of the network",
        *needed as f64 / f64::from(1 << 30), *there as f64 / f64::from(1 << 30)
    )]
    TooLarge {
        /// About how many bytes the run takes.
        needed: u64,
        /// The bytes of the memory.
        there: u64,
    },
    /// No checkpoint of the run can be read.
    #[error("no checkpoint in {} can be used; begin again in another directory", path.display())]
    NoCheckpoint {
        /// The run directory.
        path: PathBuf,
        /// What is wrong with the last one that was tried.
        source: Option<Box<CheckpointError>>,
    },
    /// A checkpoint can't be written.
    #[error("cannot save a checkpoint")]
    Checkpoint(#[source] Box<CheckpointError>),
    /// An opponent that the configuration names can't play.
    #[error("cannot play against {name:?} that evaluation.opponents names")]
    Opponent {
        /// Its name.
        name: String,
        /// Why not.
        source: PlayerError,
    },
    /// An opponent failed in the games of an evaluation.
    #[error("cannot evaluate the network after round {round}: {name:?} failed: {reason}")]
    OpponentFailed {
        /// The round.
        round: u32,
        /// The opponent.
        name: String,
        /// What it says.
        reason: String,
    },
    /// A file that the configuration names can't be used.
    #[error("cannot use {what} {} that {key} names", path.display())]
    Input {
        /// What it should hold.
        what: &'static str,
        /// The key that names it.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A weights file holds another network than the configuration says.
    #[error("{key} is {}, which holds the network {found}, expected {expected}", path.display())]
    OtherWeights {
        /// The configuration key.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// The checksum of its network.
        found: String,
        /// The first digits of the checksum in the configuration.
        expected: String,
    },
    /// The weights to start from have another shape than the configuration says.
    #[error(
        "{} can't be grown to the encoder and layers of the configuration; leave [network] out to take \
         both from the file", path.display()
    )]
    OtherNetwork {
        /// The weights file.
        path: PathBuf,
        /// What does not fit.
        source: WeightsError,
    },
    /// Another program has replaced the network that the gate was played against.
    #[error(
        "{} has changed since the gate began and stays as it is: its checksum is {found}, but it \
         is {expected} that was beaten", path.display()
    )]
    Overtaken {
        /// The weights file.
        path: PathBuf,
        /// Its checksum now.
        found: String,
        /// Its checksum when the gate began.
        expected: String,
    },
    /// A weights file can't be written.
    #[error("cannot save the weights")]
    Weights(#[source] WeightsError),
    /// Records of the replay window can't be written or read.
    #[error("cannot keep the records of the replay window")]
    Records(#[from] DataError),
    /// The picture can't be drawn.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// The caller called the run off. It ends as stopped, so that no caller sees this.
    #[error("canceled")]
    Canceled,
    /// A game was not played to its end.
    #[error("self-play or evaluation failed")]
    Play(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The device that the configuration names can't be used.
    #[error("cannot learn on the device that learner.device names")]
    Device(#[source] LearnerError),
    /// All games of a round, and of those before it that are learned from, reached the turn limit.
    #[error(
        "all games of round {round} reached the turn limit of {turns}, so there is nothing to learn \
         from: begin some of them near their end (start_book, selfplay.start_book_share), explore \
         more (selfplay.explore), or raise selfplay.max_turns"
    )]
    NoGames {
        /// The round.
        round: u32,
        /// The turns after which a game is truncated.
        turns: u32,
    },
    /// A dataset that the configuration names can't be learned from.
    #[error("cannot learn from the datasets that dataset.folders names")]
    Dataset(#[source] Box<DatasetFailure>),
    /// The learner refused its settings or samples.
    #[error("the learner failed")]
    Learn(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Why a dataset is not made, or can't be described. Shards that are there stay.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetFailure {
    /// A network of the configuration can't be used.
    #[error(transparent)]
    Network(#[from] RunError),
    /// Games can't be played, or a shard can't be written or read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A shard is damaged.
    #[error(transparent)]
    Shard(#[from] DataError),
    /// The system refused an operation.
    #[error(transparent)]
    Io(#[from] FileError),
    /// A folder or configuration that can't be used: what was found, and what was expected.
    #[error("{0}")]
    Unusable(String),
}

impl DatasetFailure {
    /// Whether the arguments or files that the caller named are at fault, and not the work.
    pub const fn is_unusable_input(&self) -> bool {
        match self {
            Self::Network(error) => error.is_unusable_input(),
            Self::Dataset(DatasetError::Shard(error)) | Self::Shard(error) => {
                matches!(error, DataError::Damaged { .. })
            }
            Self::Dataset(_) | Self::Io(_) => false,
            _ => true,
        }
    }
}

impl From<DatasetFailure> for RunError {
    fn from(failure: DatasetFailure) -> Self {
        Self::Dataset(Box::new(failure))
    }
}

impl From<DuelError> for RunError {
    fn from(error: DuelError) -> Self {
        if let DuelError::Canceled { .. } = error { Self::Canceled } else { Self::play(error) }
    }
}

impl From<GradeError> for RunError {
    fn from(error: GradeError) -> Self {
        if let GradeError::Canceled { .. } = error { Self::Canceled } else { Self::play(error) }
    }
}

impl RunError {
    /// That a file which `key` names can't be used as `what`, for the reason given.
    pub(crate) fn input<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        what: &'static str,
        key: &'static str,
        path: &Path,
    ) -> impl Fn(E) -> Self {
        let path = path.to_owned();
        move |source| Self::Input { what, key, path: path.clone(), source: source.into() }
    }

    /// That self-play or an evaluation failed.
    pub(crate) fn play(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Play(Box::new(error))
    }

    /// Whether the arguments or files that the caller named are at fault, and not the work.
    pub const fn is_unusable_input(&self) -> bool {
        match self {
            Self::Directory(error) => !matches!(error, RunDirError::Io(_)),
            Self::Dataset(failure) => failure.is_unusable_input(),
            Self::OtherConfig { .. }
            | Self::OtherInput { .. }
            | Self::PhaseOrder { .. }
            | Self::NoCheckpoint { .. }
            | Self::TooLarge { .. }
            | Self::Input { .. }
            | Self::Opponent { .. }
            | Self::OtherWeights { .. }
            | Self::Device(_)
            | Self::OtherNetwork { .. } => true,
            _ => false,
        }
    }
}
