//! The events of a run, for its observer.

use std::path::PathBuf;

use crate::metrics::{EvaluationMetrics, RoundMetrics, StatesMetrics};
use crate::report::RunReport;

/// Something that happened in a run, in the order in which it happened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunEvent {
    /// A phase of a recipe begins or goes on.
    PhaseBegan {
        /// Its name.
        name: String,
        /// Its number, from 1.
        number: usize,
        /// How many there are.
        of: usize,
        /// Seconds that it and the phases after it are expected to take, at the speed of those that
        /// were finished just now, else by the file; 0 if the file does not say.
        seconds_left: f64,
        /// Seconds that the whole phase takes by the file, and all phases after it.
        by_the_file: [f64; 2],
    },
    /// A phase of a recipe has ended; its last evaluations are in the report.
    PhaseFinished(Box<RunReport>),
    /// The run begins or goes on.
    Started {
        /// Its directory.
        directory: PathBuf,
        /// Rounds that are done.
        after_round: u32,
        /// Rounds to do in all.
        rounds: u32,
        /// Self-play games of a full round; the first rounds are smaller.
        games_per_round: u32,
        /// Threads that it uses.
        threads: usize,
        /// About how many bytes of memory it takes.
        memory: u64,
    },
    /// A checkpoint could not be used, an older one is tried.
    CheckpointRefused {
        /// The checkpoint.
        path: PathBuf,
        /// Why, in words.
        reason: String,
    },
    /// A file of the run is missing or damaged, and the run goes on without it.
    Incomplete {
        /// The file.
        path: PathBuf,
        /// What is missing, in words.
        reason: String,
    },
    /// Something that a user should know, in words.
    Warning(String),
    /// What is done now and may take long, in words.
    Doing(String),
    /// Self-play games of a round were played.
    GamesPlayed {
        /// The round, from 1.
        round: u32,
        /// Games played so far.
        done: u64,
        /// Games of the round.
        of: u64,
    },
    /// A round was played and learned.
    RoundFinished(RoundMetrics),
    /// Evaluation games were played.
    EvaluationGamesPlayed {
        /// The round after which the network plays.
        round: u32,
        /// The opponent.
        opponent: String,
        /// Games played so far.
        done: u64,
        /// Games against this opponent.
        of: u64,
    },
    /// All games against an opponent were played.
    EvaluationFinished(EvaluationMetrics),
    /// The network has evaluated rolled-out states.
    StatesEvaluated(Box<StatesMetrics>),
    /// All that is needed to go on after this round is on the disk.
    CheckpointSaved {
        /// The round.
        round: u32,
        /// The checkpoint.
        path: PathBuf,
    },
}

/// The observer of a run. Progress of games is reported from the threads that play them, so an
/// observer should be quick.
pub trait Observer: Sync {
    /// Something happened.
    fn observe(&self, event: &RunEvent);
}

impl<F: Fn(&RunEvent) + Sync> Observer for F {
    fn observe(&self, event: &RunEvent) {
        self(event);
    }
}
