//! Which player is stronger, and by how much: duels, sequential tests, ratings, grades, profiles.
//!
//! A [`Duel`] plays pairs of games or matches on the same dice with the seats swapped, with or
//! without a cube. It reduces the variance of its result and ends early by an [`Sprt`] where it is
//! asked to; a [`PairLog`] keeps its pairs on disk. [`ladder`] rates many versions
//! by their duels, [`grade`] measures single decisions by the phase of their positions,
//! [`profile`] gathers the [`GameStatistics`] of players and says what two do differently, and an
//! [`ExternalAgent`] is another program.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::sync::atomic::AtomicBool;
//!
//! use tavola_arena::{Duel, DuelSettings};
//! use tavola_evaluator::{PipCountEvaluator, RandomEvaluator};
//! use tavola_play::{EvaluatorAgent, Workers};
//! use tavola_rules::Backgammon;
//!
//! let game = Backgammon::Hypergammon;
//! let racer = EvaluatorAgent::new(Box::new(PipCountEvaluator::new(game)));
//! let random = EvaluatorAgent::new(Box::new(RandomEvaluator::new(game, 1)));
//! let cancel = AtomicBool::new(false);
//! let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
//! let settings = DuelSettings { pairs: 200, ..DuelSettings::default() };
//! let result = Duel::new(&game, &racer, &random).play(&settings, workers, &|_| {})?;
//! assert!(result.points.low > 0.0, "hitting pays: {:?}", result.points);
//! # Ok::<(), tavola_files::Failure>(())
//! ```

mod job;
mod progress;
mod quality;
mod stats;
mod strength;
pub mod words;

pub use self::quality::{bench, exact, grade, perft, profile};
pub use self::strength::{ladder, many, player};
pub use job::{JobContext, JobWarning};
pub use progress::Progress;
pub use quality::statistics::{
    EndingCount, EventCount, GameCounter, GameReport, GameReportSettings, GameStatistics, Length,
    Occurrences, OpeningRoll, StrengthReport, WinKinds, openings,
};
pub use stats::{
    CubeCounts, PairFailure, PairResult, Scores, Stronger, Tally, Wins, win_probability,
};
pub use strength::answer::{DuelAnswer, DuelFigure, DuelReport, DuelTiming, NamedPlayer};
pub use strength::duel::{
    ChouetteJob, Duel, DuelJob, DuelResult, DuelSettings, PlayedPair, SprtResult, without_cube,
};
pub use strength::external::{
    CubeQuestions, ExternalAgent, GNUBG_MOST_PLIES, SAGE_MOST_PLIES, answers, beside, gnubg, sage,
};
pub use strength::luck::{LoadedLuckEvaluator, LuckNetwork};
pub use strength::pair_log::{DuelHeader, Merged, PairLog};
pub use strength::player::{Player, PlayerContext, PlayerError, PlayerName, RAW};
pub use strength::remote::{DUEL, RemoteDuel, open_duel};
pub use strength::run::KeptPairs;
pub use strength::saved_games::SavedGames;
pub use strength::sprt::{Sprt, SprtVerdict};
pub use strength::timed::{Clock, Timed};
pub use tavola_evaluator::Estimate;
pub use tavola_protocols::EngineCommand;
