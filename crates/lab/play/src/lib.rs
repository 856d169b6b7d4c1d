//! Playing games: the game loop, agents, self-play, the referee of games with a cube.
//!
//! There is one loop, [`GameLoop`]: [`selfplay`](selfplay()) makes records to learn from with it.
//! Every game's randomness follows from a seed and the number of the game, so results don't depend
//! on the number of threads.
//!
//! ```
//! use tavola_play::SteppedGames;
//! use tavola_rules::Backgammon;
//!
//! // In both games the first of the plays is made until one is over.
//! let mut games = SteppedGames::new(Backgammon::Standard, 2, 1);
//! let points = loop {
//!     if let Some(ended) = games.step(&[0, 0])?.iter().find(|game| game.over) {
//!         break ended.points;
//!     }
//! };
//! assert!((1..=3).contains(&points));
//! # Ok::<(), tavola_play::UnknownPlay>(())
//! ```

mod agent;
mod cube_play;
mod explore;
mod format;
mod game;
pub mod labels;
mod pace;
pub mod random;
mod search_agent;
mod selfplay;
mod shards;
mod stepped;
mod variance_reduction;

pub use agent::{Agent, AgentChoice, AgentError, Contender, EvaluatorAgent};
pub use cube_play::{
    BeforeRoll, CubeReply, CubeTerms, CubeView, CubefulAgent, ResignReply, play_chouette,
};
pub use explore::{ExploreSettings, Probability};
pub use format::{
    CubeTurn, DoubleOrResign, DuelUnit, Format, Played, Points, Rolled, RolledOf, Score,
    SeatedAgent, Trace,
};
pub use game::{
    ChoosingPlayer, DEFAULT_MAX_TURNS, FirstRoll, GameEnd, GameError, GameLoop, GameObserver,
    RandomRolls, Recorder, RollSource, Seat, Seats,
};
pub use labels::{LabelSettings, Labeler, TdTargets};
pub use pace::{Pace, TimedPace};
pub use search_agent::SearchAgent;
pub use selfplay::{SelfPlayGames, SelfPlaySettings, SelfPlayer, canceled, check_starts, selfplay};
pub use shards::{Dataset, GamesOnFleet, ShardDone, shard_path, shards};
pub use stepped::{Stepped, SteppedGames, UnknownPlay};
pub use tavola_evaluator::{Estimate, Phase, ThreadsBeside, Workers, in_pool};
pub use variance_reduction::{LuckEvaluator, LuckMeter};
