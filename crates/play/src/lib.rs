//! Playing games: the game loop, parallel self-play, duels.
//!
//! There is one loop, [`GameLoop`]; [`selfplay`](selfplay()) makes records to learn from with it
//! and [`duel`] measures which of two agents is stronger; [`Duel`] also takes the luck off its
//! result, and an [`ExternalAgent`] is another program. [`grade`] measures single decisions, by
//! the [`Phase`] of their positions. Every game's randomness follows from a seed and the number
//! of the game, so results don't depend on the number of threads.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::sync::atomic::AtomicBool;
//!
//! use tavola_evaluator::{PipCountEvaluator, RandomEvaluator};
//! use tavola_play::{DuelSettings, EvaluatorAgent, Workers, duel};
//! use tavola_rules::Backgammon;
//!
//! let game = Backgammon::Hypergammon;
//! let racer = EvaluatorAgent::new(Box::new(PipCountEvaluator::new(game)));
//! let random = EvaluatorAgent::new(Box::new(RandomEvaluator::new(game, 1)));
//! let cancel = AtomicBool::new(false);
//! let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
//! let settings = DuelSettings { pairs: 200, ..DuelSettings::default() };
//! let result = duel(&game, &racer, &random, &settings, workers, &|_| {})?;
//! assert!(result.ppg.low > 0.0, "hitting pays: {:?}", result.ppg);
//! # Ok::<(), tavola_play::DuelError>(())
//! ```

mod agent;
mod arena;
mod contest;
mod cube_play;
mod explore;
mod external;
mod game;
pub mod grade;
mod imitate;
mod journal;
pub mod ladder;
mod luck;
mod pair_log;
pub mod profile;
mod random;
mod relabel;
mod rivals;
mod search_agent;
mod selfplay;
mod sprt;
mod stats;
mod timed;
mod workers {
    pub use tavola_evaluator::Workers;
}

pub use agent::{Agent, AgentError, Contender, Decision, EvaluatorAgent};
pub use arena::{Duel, DuelError, DuelResult, DuelSettings, SprtResult, duel};
pub use cube_play::{
    BeforeRoll, Contest, CubeAgent, CubeDuel, CubeDuelResult, CubePair, CubeReply, CubeSample,
    CubeScore, CubeTally, CubeTerms, CubefulAgent, DuelUnit, EfficiencyFit, FitSettings,
    FittedEfficiency, ResignReply, SampleError, SampledGame, TableView, cube_samples,
    fit_efficiency, fit_share, most_to_lose,
};
pub use explore::{Chance, ChanceError, ExploreSettings};
pub use external::{EngineCommand, EngineError, ExternalAgent};
pub use game::{
    FirstRoll, GameEnd, GameError, GameLoop, GameObserver, RandomRolls, Recorder, RollSource, Seat,
    Seats, Situation,
};
pub use imitate::ImitateSettings;
pub use journal::JournalError;
pub use luck::LuckJudge;
pub use pair_log::{CubePairLine, DuelHeader, LoggedPair, PairLine, PairLog, PairLogError};
pub use relabel::{ExactJudge, ExactSettings, RelabelCancelled, RelabelSettings, relabel};
pub use rivals::{RivalSettings, RollsAhead, RollsAheadError};
pub use search_agent::SearchAgent;
pub use selfplay::{GameDone, SelfPlayError, SelfPlayGames, SelfPlaySettings, selfplay};
pub use sprt::{Sprt, SprtError, Verdict};
pub use stats::{Estimate, PairFailure, PairResult, PairScore, Scores, Tally, Wins};
pub use tavola_evaluator::{Phase, UnknownPhase};
pub use timed::{Clock, Timed};
pub use workers::Workers;
