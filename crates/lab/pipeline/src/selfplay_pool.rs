//! The self-play worker pool: the games of a round, played and labeled beside the learner.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use tavola_data::{Comparison, Label, LabeledGame, LabeledGameOf};
use tavola_evaluator::remote::{OnFleet, Remote};
use tavola_evaluator::{Evaluator, NetEvaluator, Pruning};
use tavola_files::Failure;
use tavola_games::PlayableGame;
use tavola_net::Weights;
use tavola_play::{Labeler, LuckEvaluator, SelfPlayer, ThreadsBeside, check_starts, in_pool};
use tavola_rules::Game;

use crate::config::TargetSettings;
use crate::context::{RunContext, load_named};
use crate::error;
use crate::events::RunEvent;
use crate::shards::{games_on_fleet, selfplay_work};
use crate::two::TwoRounds;

/// The games of one round.
pub(crate) struct Played<G> {
    /// In the order of their numbers.
    pub(crate) games: Vec<G>,
    /// Seconds from the beginning of the first game to the end of the last.
    pub(crate) seconds: f64,
}

/// The games of a round; `None` when the run was asked to stop.
pub(crate) type PlayedRound<G> = Result<Option<Played<G>>, Failure>;

/// States with a target of their own, and pairs of candidates.
pub(crate) fn given<G: Game>(games: &[LabeledGameOf<G>]) -> u64 {
    let is_given = |label: &&Label| matches!(label, Label::Given(_));
    let is_pair = |pair: &&Comparison<G::State>| matches!(pair, Comparison::Candidates { .. });
    let of_game = |game: &LabeledGameOf<G>| {
        game.labels.labels.iter().filter(is_given).count()
            + game.labels.comparisons.iter().filter(is_pair).count()
    };
    games.iter().map(of_game).sum::<usize>() as u64
}

/// What names the pruning network in a message.
const NETWORK_KEY: &str = "the pruning network of targets";

/// The pruning network beside the self-play network.
pub(crate) struct PruningNetwork<G: Game> {
    pub(crate) network: NetEvaluator<G>,
    /// Its weights, for other processes.
    pub(crate) weights: Weights,
    /// Which afterstates it leaves to the self-play network, if any.
    pub(crate) pruning: Option<Pruning>,
}

impl<G: Game> PruningNetwork<G> {
    /// The network that targets name, if they name one. Its name and checksum go into `inputs`.
    pub(crate) fn of(
        game: &G,
        targets: &TargetSettings,
        inputs: &mut BTreeMap<String, String>,
    ) -> Result<Option<Self>, Failure> {
        let Some(settings) = targets.pruning() else { return Ok(None) };
        let weights = load_named(NETWORK_KEY, &settings.network, &game.id(), inputs)?;
        let input = error::input("the weights file", NETWORK_KEY, &settings.network.path);
        let network = NetEvaluator::new(&weights, game.clone()).map_err(input)?;
        Ok(Some(Self { network, weights, pruning: settings.pruning() }))
    }

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

/// Plays the games of a round on all threads, of which some do `job` first and then help; a game
/// that is `None` was truncated. No games when the run was asked to stop.
pub(crate) fn play_all<W: Send, G: Send, T: Send>(
    context: &RunContext<'_>,
    beside: &mut ThreadsBeside,
    round: u32,
    worker: impl Fn() -> W,
    play: impl Fn(&mut W, u64) -> Option<G> + Sync,
    job: impl FnOnce() -> T + Send,
) -> (T, Option<Played<G>>) {
    let games = context.plan.games_of(round);
    let of = games.end - games.start;
    let done = AtomicU64::new(0);
    let play = |worker: &mut W, index| {
        let began = Instant::now();
        let game = play(worker, index);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        context.observer.observe(&RunEvent::GamesPlayed { round, done, of });
        (game, began, Instant::now())
    };
    let (job, played) = context.workers().run_beside(beside, games, worker, play, job);
    if (played.len() as u64) < of {
        return (job, None);
    }
    let began = played.iter().map(|&(_, began, _)| began).min();
    let ended = played.iter().map(|&(_, _, ended)| ended).max();
    let seconds = began.zip(ended).map_or(0.0, |(began, ended)| (ended - began).as_secs_f64());
    let games = played.into_iter().filter_map(|(game, ..)| game).collect();
    (job, Some(Played { games, seconds }))
}

/// Plays the games of a round with the self-play network, which also labels them, beside `job`.
pub(crate) fn played_here<G: PlayableGame, T: Send>(
    rounds: &TwoRounds<'_, G>,
    context: &RunContext<'_>,
    beside: &mut ThreadsBeside,
    round: u32,
    selfplay: &Weights,
    job: impl FnOnce() -> T + Send,
) -> (T, PlayedRound<LabeledGameOf<G>>) {
    let TwoRounds { game, pruning, teacher, starts, .. } = rounds;
    let config = context.plan.config();
    let evaluator = match NetEvaluator::new(selfplay, game.clone()) {
        Ok(evaluator) => evaluator,
        Err(error) => return (job(), Err(error::weights(error))),
    };
    if let Err(error) = check_starts(game, &config.selfplay, starts) {
        return (job(), Err(error::play(error)));
    }
    let luck = pruning.as_ref().map(|pruning| pruning.evaluators(&evaluator));
    let worker = || {
        let network = luck.as_ref().and_then(LuckEvaluator::pruning_network);
        let (settings, seed) = (&config.selfplay, config.seed);
        let player = SelfPlayer::new(game, &evaluator, network, settings, seed, starts);
        let labels = config.targets.labels();
        let exact = teacher.as_ref().map(|teacher| teacher.evaluator(game));
        let by = exact.as_deref().unwrap_or(&evaluator);
        (player, Labeler::new(game, by, labels, luck.as_ref(), config.seed))
    };
    let play = |(player, labeler): &mut (SelfPlayer<'_, G>, Labeler<G>), index| {
        let record = player.play(index)?;
        Some(LabeledGame { labels: labeler.label(&record), record })
    };
    let (job, played) = play_all(context, beside, round, worker, play, job);
    (job, Ok(played))
}

/// Has the games of a round played by a fleet while the threads do `job`.
pub(crate) fn played_on_fleet<G: PlayableGame, T: Send>(
    rounds: &TwoRounds<'_, G>,
    context: &RunContext<'_>,
    remote: &dyn Remote,
    number: u32,
    selfplay: &Weights,
    job: impl FnOnce() -> T + Send,
) -> (T, PlayedRound<LabeledGameOf<G>>) {
    let RunContext { plan, observer, cancel, .. } = context;
    let TwoRounds { game, starts, pruning, .. } = rounds;
    let work = match selfplay_work(plan.config(), selfplay, pruning.as_ref()) {
        Ok(work) => work,
        Err(error) => return (job(), Err(error::weights(error))),
    };
    let games = plan.games_of(number);
    let of = games.end - games.start;
    let played = |done| observer.observe(&RunEvent::GamesPlayed { round: number, done, of });
    let warn = |text| observer.observe(&RunEvent::Warning(text));
    let (on_fleet, began) = (OnFleet { remote, warn: &warn }, Instant::now());
    let play = || games_on_fleet(on_fleet, (game, starts), &work, (number, games), cancel, played);
    let (job, played) = thread::scope(|scope| {
        let playing = scope.spawn(|| (play(), began.elapsed().as_secs_f64()));
        let job = in_pool(context.threads, job);
        (job, playing.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let (games, seconds) = played;
    let played = games.map(|games| games.map(|games| Played { games, seconds }));
    (job, played.map_err(error::play))
}
