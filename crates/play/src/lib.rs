//! Playing games: the game loop, agents, self-play, the referee of games with a cube.
//!
//! There is one loop, [`GameLoop`]: [`selfplay`](selfplay()) makes records to learn from with it.
//! Every game's randomness follows from a seed and the number of the game, so results don't depend
//! on the number of threads.

mod agent;
mod cube_play;
mod explore;
mod game;
mod imitate;
pub mod journal;
mod luck;
pub mod random;
mod relabel;
mod rivals;
mod search_agent;
mod selfplay;
mod workers {
    pub use tavola_evaluator::Workers;
}

pub use agent::{Agent, AgentError, Contender, Decision, EvaluatorAgent};
pub use cube_play::{
    BeforeRoll, Contest, CubeAgent, CubeLuck, CubeReply, CubeTerms, CubefulAgent, ResignReply,
    TableView, most_to_lose, referee,
};
pub use explore::{Chance, ChanceError, ExploreSettings};
pub use game::{
    DEFAULT_MAX_TURNS, FirstRoll, GameEnd, GameError, GameLoop, GameObserver, RandomRolls,
    Recorder, RollSource, Seat, Seats, Situation,
};
pub use imitate::ImitateSettings;
pub use luck::{LuckJudge, LuckMeter, Trace};
pub use relabel::{ExactJudge, ExactSettings, RelabelCancelled, RelabelSettings, relabel};
pub use rivals::{RivalSettings, RollsAhead, RollsAheadError};
pub use search_agent::SearchAgent;
pub use selfplay::{GameDone, SelfPlayError, SelfPlayGames, SelfPlaySettings, selfplay};
pub use tavola_evaluator::{Estimate, Phase, UnknownPhase};
pub use workers::Workers;
