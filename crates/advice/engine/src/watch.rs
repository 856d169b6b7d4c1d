//! What happens while a question is answered.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_bearoff::GenerationProgress;
use tavola_evaluator::rollout::{SampleMean, SavedRollout};
use tavola_evaluator::search::SearchProgress;
use tavola_evaluator::{NEVER, SearchWatch};

use crate::error::{EngineError, ErrorKind, Lacking, Result};

/// Something that the caller may want to show.
#[non_exhaustive]
pub enum EngineEvent<'a> {
    /// An endgame database is being generated.
    Table(GenerationProgress),
    /// A part of a search is done.
    Search(SearchProgress),
    /// Games of a rollout were played; a few times a second.
    Rollout(&'a RolloutSoFar<'a>),
    /// Verdicts of an analysis have become certain.
    Verdicts {
        /// Those that are not.
        open: usize,
        /// Those that were not after the search.
        of: usize,
    },
    /// The answer may not be what the caller expects.
    Warning(Warning),
}

/// What a rollout has come to.
pub struct RolloutSoFar<'a> {
    /// Games so far of each candidate that is not dropped.
    pub trials: u64,
    /// The best play so far; `None` if a position is rolled out.
    pub best: Option<String>,
    /// Its equity.
    pub equity: SampleMean,
    /// Where the player on roll may double: not doubling, and a double that is taken, per unit of
    /// the cube before the double. One that is passed is worth 1.
    pub cube: Option<[SampleMean; 2]>,
    /// Everything that was found so far.
    pub(crate) save: &'a dyn Fn() -> SavedRollout,
}

impl RolloutSoFar<'_> {
    /// The state of the rollout so far, to resume it another time.
    pub fn save(&self) -> SavedRollout {
        (self.save)()
    }
}

impl fmt::Debug for RolloutSoFar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RolloutSoFar").field("trials", &self.trials).finish_non_exhaustive()
    }
}

/// Something that a user should know before trusting an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// The network was trained for a variant with another start, or with other options.
    #[error("the network was trained for {network} and may misjudge what is different in {game}")]
    OtherGame {
        /// The game of the network.
        network: String,
        /// The requested game.
        game: String,
    },
    /// There is no network for the game, so the simple player evaluates.
    #[error("no network for {game} is built in, so {player} evaluates")]
    NoNetwork {
        /// The requested game.
        game: String,
        /// The name of the simple player.
        player: &'static str,
    },
    /// Endgame databases could not be kept or had to be generated again.
    #[error("{0}")]
    Tables(String),
    /// Something in the question has no influence on the answer.
    #[error("{0}")]
    Ignored(String),
}

impl Warning {
    /// What the question lacks, if that is what the warning is about.
    pub const fn lacks(&self) -> Option<Lacking> {
        match self {
            Self::OtherGame { .. } | Self::NoNetwork { .. } => Some(Lacking::Network),
            Self::Tables(_) | Self::Ignored(_) => None,
        }
    }
}

/// How a caller watches and cancels a question.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Once it is true, the answer stops with an error of kind `canceled`; a rollout keeps its
    /// state.
    pub cancel: &'a AtomicBool,
    /// Is told of events, by any thread.
    pub events: &'a (dyn Fn(EngineEvent<'_>) + Sync),
}

impl<'a> Watch<'a> {
    /// A search that ends when the caller cancels, and tells nothing.
    pub(crate) const fn searching(&self) -> SearchWatch<'a> {
        SearchWatch { limit: None, cancel: Some(self.cancel), progress: &|_| {} }
    }

    /// Tells what in the question has no influence on the answer.
    pub(crate) fn ignored(&self, what: fmt::Arguments<'_>) {
        (self.events)(EngineEvent::Warning(Warning::Ignored(format!("ignored: {what}"))));
    }

    /// An error if the caller has canceled.
    pub(crate) fn check(&self) -> Result<()> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(EngineError::new(ErrorKind::Canceled, "canceled by the caller"));
        }
        Ok(())
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("cancel", self.cancel).finish_non_exhaustive()
    }
}

impl Default for Watch<'_> {
    /// Events go nowhere, and nothing is canceled.
    fn default() -> Self {
        Self { cancel: &NEVER, events: &|_| {} }
    }
}
