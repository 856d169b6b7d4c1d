//! The self-play worker pool: the games of a round, played and labeled beside the learner.

use std::borrow::Cow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use tavola_data::{Comparison, Label, LabeledGame, LabeledGameOf};
use tavola_evaluator::remote::Remote;
use tavola_evaluator::{Evaluator, NetEvaluator, Pruning};
use tavola_games::PlayableGame;
use tavola_net::Weights;
use tavola_play::{
    Labeler, LuckEvaluator, SelfPlayer, ThreadsBeside, Workers, check_starts, in_pool,
};
use tavola_rules::Game;

use crate::context::RunContext;
use crate::error::RunError;
use crate::events::Event;
use crate::shards::{GamesWatch, RemoteGames, selfplay_work};

/// The games of one round.
pub(crate) struct Played<G: Game> {
    /// In the order of their numbers.
    pub(crate) games: Vec<LabeledGameOf<G>>,
    /// Seconds from the beginning of the first game to the end of the last.
    pub(crate) seconds: f64,
}

impl<G: Game> Played<G> {
    /// All turns.
    pub(crate) fn positions(&self) -> usize {
        self.games.iter().map(|game| game.record.turns.len()).sum()
    }

    /// States with a target of their own, and pairs of candidates.
    pub(crate) fn given(&self) -> usize {
        let is_given = |label: &&Label| matches!(label, Label::Given(_));
        let is_pair = |pair: &&Comparison<G::State>| matches!(pair, Comparison::Candidates { .. });
        let labels = self.games.iter().map(|game| &game.labels);
        labels
            .map(|labels| {
                labels.labels.iter().filter(is_given).count()
                    + labels.comparisons.iter().filter(is_pair).count()
            })
            .sum()
    }

    /// Siblings and candidates.
    pub(crate) fn comparisons(&self) -> usize {
        self.games.iter().map(|game| game.labels.comparisons.len()).sum()
    }
}

/// The pruning network beside the self-play network.
pub(crate) struct PruningNetwork<G: Game> {
    pub(crate) network: NetEvaluator<G>,
    /// Which afterstates it leaves to the self-play network, if any.
    pub(crate) pruning: Option<Pruning>,
}

impl<G: Game> PruningNetwork<G> {
    /// The evaluators of variance reduction.
    pub(crate) fn evaluators<'a>(&'a self, selfplay: &'a dyn Evaluator<G>) -> LuckEvaluator<'a, G> {
        match self.pruning {
            Some(pruning) => {
                LuckEvaluator { evaluator: selfplay, pruning: Some((&self.network, pruning)) }
            }
            None => LuckEvaluator { evaluator: &self.network, pruning: None },
        }
    }
}

/// Plays the games of a round with the self-play network while some of the threads do `job` first
/// and then help; or has them played by a fleet, and all threads do `job`. The same network labels
/// them. A run that learns from a dataset has none to play. The games are `None` when there is no
/// round to play, or when the run was asked to stop.
pub(crate) fn play_beside<G: PlayableGame, T: Send>(
    context: &RunContext<'_, G>,
    beside: &mut ThreadsBeside,
    round: Option<u32>,
    selfplay: &Weights,
    job: impl FnOnce() -> T + Send,
) -> (T, Result<Option<Played<G>>, RunError>) {
    let Some(round) = round else {
        return (in_pool(context.threads, job), Ok(None));
    };
    if context.dataset.is_some() {
        let none = Played { games: Vec::new(), seconds: 0.0 };
        return (in_pool(context.threads, job), Ok(Some(none)));
    }
    if let Some(remote) = context.remote {
        return played_on_fleet(context, remote, round, selfplay, job);
    }
    let RunContext { game, plan, pruning, teacher, starts, threads, observer, cancel, .. } =
        context;
    let config = plan.config();
    let evaluator = match NetEvaluator::new(selfplay, game.clone()) {
        Ok(evaluator) => evaluator,
        Err(error) => return (job(), Err(RunError::Weights(error))),
    };
    if let Err(error) = check_starts(game, &config.selfplay, starts) {
        return (job(), Err(RunError::Play(Box::new(error))));
    }
    let games = plan.games_of(round);
    let of = games.end - games.start;
    let luck = pruning.as_ref().map(|pruning| pruning.evaluators(&evaluator));
    let worker = || {
        let player = SelfPlayer::new(game, &evaluator, &config.selfplay, config.seed, starts);
        let labels = config.targets.labels();
        let exact = teacher.as_ref().map(|teacher| teacher.evaluator(game));
        let by = exact.as_deref().unwrap_or(&evaluator);
        (player, Labeler::new(game, by, labels, luck.as_ref(), config.seed))
    };
    let done = AtomicU64::new(0);
    let play = |(player, labeler): &mut (SelfPlayer<'_, G>, Labeler<G>), index| {
        let began = Instant::now();
        let record = player.play(index);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        observer.observe(&Event::GamesPlayed { round, done, of });
        let game = record.map(|record| LabeledGame { labels: labeler.label(&record), record });
        (game, began, Instant::now())
    };
    let workers = Workers { threads: *threads, cancel };
    let (job, played) = workers.run_beside(beside, games, worker, play, job);
    if (played.len() as u64) < of {
        return (job, Ok(None));
    }
    let began = played.iter().map(|&(_, began, _)| began).min();
    let ended = played.iter().map(|&(_, _, ended)| ended).max();
    let seconds = began.zip(ended).map_or(0.0, |(began, ended)| (ended - began).as_secs_f64());
    let games = played.into_iter().filter_map(|(game, ..)| game).collect();
    (job, Ok(Some(Played { games, seconds })))
}

/// Has the games of a round played by a fleet while the threads do `job`.
fn played_on_fleet<G: Game, T: Send>(
    context: &RunContext<'_, G>,
    remote: &dyn Remote,
    number: u32,
    selfplay: &Weights,
    job: impl FnOnce() -> T + Send,
) -> (T, Result<Option<Played<G>>, RunError>) {
    let RunContext { game, plan, starts, observer, cancel, pruning_weights, .. } = context;
    let work = match selfplay_work(plan.config(), selfplay, pruning_weights.as_ref()) {
        Ok(work) => work,
        Err(error) => return (job(), Err(RunError::Weights(error))),
    };
    let games = plan.games_of(number);
    let of = games.end - games.start;
    let played = |done| observer.observe(&Event::GamesPlayed { round: number, done, of });
    let warn = |text| observer.observe(&Event::Warning(text));
    let watch = GamesWatch { played: &played, warn: &warn };
    let games = RemoteGames::new((game, starts), Cow::Owned(work), (number, games), cancel, watch);
    let began = Instant::now();
    let (job, played) = thread::scope(|scope| {
        let playing = scope.spawn(|| (remote.run(&games), began.elapsed().as_secs_f64()));
        let job = in_pool(context.threads, job);
        (job, playing.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let (ended, seconds) = played;
    if let Err(error) = ended {
        return (job, Err(RunError::Play(error)));
    }
    (job, Ok(games.finish().map(|games| Played { games, seconds })))
}
