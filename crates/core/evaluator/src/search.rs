//! Lookahead search: the value of a play some plies on, with the best play of both sides.
//!
//! # What n-ply means
//!
//! At 0-ply the value of a state is the evaluator's. At n-ply it is the mean, over all rolls of the
//! player on roll, of the value of the afterstate at (n-1)-ply. The play of a roll is the one whose
//! afterstate is best at 0-ply, at every node of the tree. Finished states, and those that the
//! evaluator knows exactly, have the same value at every depth.
//!
//! At the root the 1-ply value is three quarters of that mean and one quarter of the 0-ply value,
//! since the errors of the two have little in common. Rolls after which nothing is estimated leave
//! the share of the 0-ply value out.
//!
//! # What is left out
//!
//! Two things make a search fast, and both can be turned off ([`Preset::Full`]). At the root a
//! [`MoveFilter`] lets only the plays near the best go on to the next depth; the [`Ranking`] gives
//! the depth of each play. Inside the tree a pruning network evaluates all afterstates of a roll
//! and leaves a few for the main one, fewer at the last rolls than before them ([`TreePruning`]).
//!
//! # Determinism
//!
//! The answers do not depend on the number of threads, nor on what was searched before. A
//! search with a time limit is the exception: what it finishes in time depends on the machine.
//!
//! ```
//! use tavola_evaluator::{PipCountEvaluator, Preset, Search, SearchWatch};
//! use tavola_rules::{Backgammon, Position};
//!
//! let game = Backgammon::Standard;
//! let evaluator = Box::new(PipCountEvaluator::new(game));
//! let mut search = Search::new(game, evaluator, None, Preset::Fast.at(1));
//! let ranking = search.rank(&Position::STANDARD, "31".parse()?, SearchWatch::default());
//! assert_eq!(ranking.len(), 16);
//! assert_eq!((ranking[0].ply, ranking[15].ply), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use self::cache::NodeCache;
use self::deepen::{Deepening, Watch};
use self::node::Worker;
pub use self::settings::{
    MAX_PLY, MOST_AFTERSTATES, MoveFilter, Preset, SearchSettings, SinglePlay, TreePruning,
};
use crate::evaluator::Evaluator;
use crate::expectation::RollExpectation;
use crate::pruning::{Pruner, Pruning};
pub use crate::utility::{Cubeless, Preference, Utility};
use crate::workers::Pool;

mod cache;
mod deepen;
mod node;
mod settings;
#[cfg(test)]
mod tests;

/// The memory that a search and its forks together may take for the values of nodes that may come
/// up again, in bytes.
pub const CACHE_BYTES: usize = 64 << 20;

/// A play with what it is worth to the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchedPlay<S, V> {
    /// The state after the play, seen by the opponent, who is on roll.
    pub state: S,
    /// The value of that state, seen by the player who made the play.
    pub value: V,
    /// The [expectation](Preference::expectation) of the mover: equity for [`Cubeless`].
    pub expectation: f32,
    /// How much less this is than the worth of the best play *at the same depth*; never negative.
    pub loss: f32,
    /// Rolls that were looked ahead, counted from the state after the play.
    pub ply: u8,
}

/// The plays of a roll. Those evaluated deepest come first, among them the best. Plays that a
/// filter left behind follow with the figures of the depth that they reached. Within a depth the
/// one that the mover [prefers](Preference) is first, and equals keep the order of the depth
/// before, which at 0-ply is that of the rules; none is first that another
/// [surpasses](Game::surpasses).
pub type Ranking<S, V> = Vec<SearchedPlay<S, V>>;

/// How far a search has come at the depth that it is working on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchProgress {
    /// The depth.
    pub ply: u8,
    /// Parts that are done; they are about equal.
    pub done: usize,
    /// All parts.
    pub of: usize,
}

/// What goes on around a search.
#[derive(Clone, Copy)]
pub struct SearchWatch<'a> {
    /// When to stop. What is not done by then is left at the depth before, so that the answer
    /// depends on the machine; 0-ply is always done. Every node of the tree looks at the clock.
    pub limit: Option<Duration>,
    /// Once it is true, the search stops as when time is over.
    pub cancel: Option<&'a AtomicBool>,
    /// Is told of every part that is done, by any thread.
    pub progress: &'a (dyn Fn(SearchProgress) + Sync),
}

impl Default for SearchWatch<'_> {
    /// No limit, no watcher.
    fn default() -> Self {
        Self { limit: None, cancel: None, progress: &|_| {} }
    }
}

/// Looks ahead in the game `G` with one evaluator at the leaves.
pub struct Search<G: Game, U: Utility<G> = Cubeless> {
    pub(crate) game: G,
    utility: U,
    settings: SearchSettings,
    pub(crate) main: Box<dyn Evaluator<G>>,
    pub(crate) pruning: Option<Box<dyn Evaluator<G>>>,
    cache: Arc<NodeCache<G::State, U::Value>>,
    pub(crate) threads: NonZeroUsize,
    pool: Pool<Worker<G, U>>,
}

impl<G: Game> Search<G> {
    /// A search on one thread for money without a cube. `main` evaluates. `pruning` leaves it fewer
    /// candidates if the settings say so; without it nothing is pruned.
    pub fn new(
        game: G,
        main: Box<dyn Evaluator<G>>,
        pruning: Option<Box<dyn Evaluator<G>>>,
        settings: SearchSettings,
    ) -> Self {
        Self::with_utility(game, main, pruning, settings, Cubeless)
    }
}

impl<G: Game, U: Utility<G>> Search<G, U> {
    /// As [`Search::new`], where the players strive for something else.
    pub fn with_utility(
        game: G,
        main: Box<dyn Evaluator<G>>,
        pruning: Option<Box<dyn Evaluator<G>>>,
        settings: SearchSettings,
        utility: U,
    ) -> Self {
        let cache = Arc::new(NodeCache::new(CACHE_BYTES));
        Self::with_cache(game, main, pruning, settings, utility, cache)
    }

    fn with_cache(
        game: G,
        main: Box<dyn Evaluator<G>>,
        pruning: Option<Box<dyn Evaluator<G>>>,
        settings: SearchSettings,
        utility: U,
        cache: Arc<NodeCache<G::State, U::Value>>,
    ) -> Self {
        let threads = NonZeroUsize::MIN;
        let worker = worker(&game, &utility, &*main, pruning.as_deref(), &settings, &cache);
        let pool = Pool::new(threads, worker);
        Self { game, utility, settings, main, pruning, cache, threads, pool }
    }

    /// Sets the number of threads; the answers do not depend on it.
    #[must_use]
    pub fn on_threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self.restart();
        self
    }

    /// Another search with the same answers, on one thread. Forks share what they have
    /// found.
    #[must_use]
    pub fn fork(&self) -> Self {
        let pruning = self.pruning.as_ref().map(|pruning| pruning.fork());
        let (game, utility) = (self.game.clone(), self.utility.clone());
        let cache = Arc::clone(&self.cache);
        Self::with_cache(game, self.main.fork(), pruning, self.settings, utility, cache)
    }

    /// How deep and wide it looks.
    pub const fn settings(&self) -> &SearchSettings {
        &self.settings
    }

    /// Looks so deep and wide from now on.
    pub fn set_settings(&mut self, settings: SearchSettings) {
        let same = settings.pruning == self.settings.pruning;
        self.settings = settings;
        if !same {
            // Values in the cache are those of a way to prune.
            self.cache = Arc::new(NodeCache::new(CACHE_BYTES));
            self.restart();
        }
    }

    /// Makes workers for the settings and threads in force.
    fn restart(&mut self) {
        let (main, pruning) = (&*self.main, self.pruning.as_deref());
        let (game, utility, settings) = (&self.game, &self.utility, &self.settings);
        let worker = worker(game, utility, main, pruning, settings, &self.cache);
        self.pool = Pool::new(self.threads, worker);
    }

    fn deepening(&self) -> Deepening<G, U> {
        let (game, utility) = (self.game.clone(), self.utility.clone());
        Deepening { game, utility, settings: self.settings }
    }

    /// What `state` is worth to its player on roll, before the roll, and how many rolls were
    /// looked ahead: as many as the settings say, unless time was over.
    pub fn evaluate(&mut self, state: &G::State, watch: SearchWatch<'_>) -> (U::Value, u8) {
        self.deepening().evaluate(&mut self.pool, state, &Watch::new(watch))
    }

    /// The plays of `roll` in `state`, best first. A player who can't move has one, the pass.
    ///
    /// With a time limit, plays that look better are evaluated first at each depth.
    ///
    /// `state` must not be finished, as for [`Game::afterstates`].
    pub fn rank(
        &mut self,
        state: &G::State,
        roll: G::Roll,
        watch: SearchWatch<'_>,
    ) -> Ranking<G::State, U::Value> {
        let mut afterstates = Vec::new();
        self.game.afterstates(state, roll, &mut afterstates);
        self.rank_among(state, &afterstates, 1, watch)
    }

    /// As [`rank`](Self::rank), among these afterstates of plays in `state` alone, of which there
    /// is at least one. At least `compared` plays, the best ones, reach the full depth, so that their
    /// losses are the differences of their expectations.
    pub fn rank_among(
        &mut self,
        state: &G::State,
        afterstates: &[G::State],
        compared: usize,
        watch: SearchWatch<'_>,
    ) -> Ranking<G::State, U::Value> {
        self.deepening().rank(&mut self.pool, state, afterstates, compared, &Watch::new(watch))
    }

    /// As [`evaluate`](Self::evaluate) without a limit, of many states: the threads share them
    /// out.
    pub fn evaluate_all(&mut self, states: &[G::State]) -> Vec<U::Value> {
        let deepening = self.deepening();
        self.pool.run(states.len(), |worker, index| {
            deepening.evaluate(worker, &states[index], &Watch::new(SearchWatch::default())).0
        })
    }
}

/// The search as an evaluator, with the depth of its settings.
impl<G: Game> Evaluator<G> for Search<G> {
    fn evaluate(&mut self, states: &[G::State], out: &mut Vec<OutcomeProbs>) {
        *out = self.evaluate_all(states);
    }

    fn fork(&self) -> Box<dyn Evaluator<G>> {
        Box::new(Self::fork(self))
    }
}

/// How to make a worker.
fn worker<'a, G: Game, U: Utility<G>>(
    game: &'a G,
    utility: &'a U,
    main: &'a dyn Evaluator<G>,
    pruning: Option<&'a dyn Evaluator<G>>,
    settings: &'a SearchSettings,
    cache: &'a Arc<NodeCache<G::State, U::Value>>,
) -> impl Fn() -> Worker<G, U> + 'a {
    move || {
        let expectation = |part: fn(TreePruning) -> Pruning| {
            let pruner = pruning.zip(settings.pruning);
            let pruner = pruner.map(|(network, how)| Pruner::new(network.fork(), part(how)));
            RollExpectation::new(game.clone(), main.fork(), pruner)
        };
        let expectations = [expectation(|how| how.inner), expectation(|how| how.leaves)];
        Worker::new(game.clone(), utility.clone(), expectations, Arc::clone(cache))
    }
}
