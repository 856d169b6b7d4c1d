//! Playing games: the game loop, agents, self-play, the referee of games with a cube.
//!
//! There is one loop, [`GameLoop`]: [`selfplay`](selfplay()) makes records to learn from with it.
//! Every game's randomness follows from a seed and the number of the game, so results don't depend
//! on the number of threads.

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

pub use agent::{Agent, AgentError, Contender, Decision, EvaluatorAgent};
pub use cube_play::{
    BeforeRoll, ChouettePlayError, CubeReply, CubeTerms, CubeView, CubefulAgent, MatchOrMoney,
    ResignReply, play_chouette,
};
pub use explore::{ExploreSettings, Probability, ProbabilityError};
pub use format::{
    CubeAction, CubeTurn, DuelUnit, Format, Played, Points, Rolled, RolledOf, Score, Seated, Trace,
};
pub use game::{
    DEFAULT_MAX_TURNS, FirstRoll, GameEnd, GameError, GameLoop, GameObserver, RandomRolls,
    Recorder, RollSource, Seat, Seats, Situation,
};
pub use labels::{LabelSettings, Labeler, TdTargets};
pub use pace::{Effort, Pace};
pub use search_agent::SearchAgent;
pub use selfplay::{
    GameDone, SelfPlayError, SelfPlayGames, SelfPlaySettings, SelfPlayer, check_starts, selfplay,
};
pub use shards::{Dataset, DatasetError, GamesOnFleet, ShardDone, shard_path, shards};
pub use stepped::{Stepped, SteppedGames, UnknownPlay};
pub use tavola_evaluator::{Estimate, Phase, ThreadsBeside, Workers, in_pool};
pub use variance_reduction::{LuckEvaluator, LuckMeter};
