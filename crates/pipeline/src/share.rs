//! The games of a round, played and labelled by all threads beside the learner.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use tavola_data::{Label, LabelledGame, LabelledGameOf};
use tavola_evaluator::{Evaluator, NetEvaluator, Pruning};
use tavola_net::Weights;
use tavola_play::{
    GameDone, LuckJudge, RelabelCancelled, SelfPlayError, SelfPlayGames, Workers, relabel, selfplay,
};
use tavola_rules::Game;

use crate::cycle::Surroundings;
use crate::events::Event;
use crate::run::RunError;

/// The games of one round.
pub(crate) struct Played<G: Game> {
    /// In the order of their numbers.
    pub(crate) games: Vec<LabelledGameOf<G>>,
    /// Seconds from the beginning of the first game to the end of the last.
    pub(crate) seconds: f64,
}

impl<G: Game> Played<G> {
    /// All turns.
    pub(crate) fn positions(&self) -> usize {
        self.games.iter().map(|game| game.record.turns.len()).sum()
    }

    /// States with a target of their own, and pairs.
    pub(crate) fn given(&self) -> usize {
        let is_given = |label: &&Label| matches!(label, Label::Given(_));
        let given = |game: &LabelledGameOf<G>| game.labels.labels.iter().filter(is_given).count();
        self.games.iter().map(|game| given(game) + game.labels.pairs.len()).sum()
    }

    /// Rivals of states, and pairs.
    pub(crate) fn rivals(&self) -> usize {
        self.games.iter().map(|game| game.labels.rivals.len() + game.labels.pairs.len()).sum()
    }
}

/// Who judges the luck of self-play rolls.
pub(crate) struct QuickJudge<G: Game> {
    pub(crate) quick: NetEvaluator<G>,
    /// Which results it leaves to the network that plays, if any.
    pub(crate) pruning: Option<Pruning>,
}

impl<G: Game> QuickJudge<G> {
    /// The judge beside this network that plays.
    pub(crate) fn judge<'a>(&'a self, playing: &'a dyn Evaluator<G>) -> LuckJudge<'a, G> {
        match self.pruning {
            Some(pruning) => LuckJudge { judge: playing, pruning: Some((&self.quick, pruning)) },
            None => LuckJudge { judge: &self.quick, pruning: None },
        }
    }
}

/// Plays the games of a round on all threads but this one, which does `job` first and then helps
/// to play what is left. Whoever plays a game labels it too, with the same network. The games are `None` when there is no round to play, or when the run was
/// asked to stop.
pub(crate) fn play_beside<G: Game, T>(
    around: &Surroundings<'_, G>,
    round: Option<u32>,
    acting: &Weights,
    job: impl FnOnce() -> T,
) -> (T, Result<Option<Played<G>>, RunError>) {
    let Some(round) = round else {
        return (job(), Ok(None));
    };
    let evaluator = match NetEvaluator::new(acting, around.game.clone()) {
        Ok(evaluator) => evaluator,
        Err(error) => return (job(), Err(RunError::Weights(error))),
    };
    let share = Share::new(around, round, &evaluator);
    let done = thread::scope(|scope| {
        for _ in 1..around.threads.get() {
            scope.spawn(|| share.play());
        }
        let done = job();
        share.play();
        done
    });
    (done, share.finish())
}

/// The games of a round, which any number of threads play in portions.
struct Share<'a, G: Game> {
    around: &'a Surroundings<'a, G>,
    round: u32,
    evaluator: &'a NetEvaluator<G>,
    games: Range<u64>,
    next: AtomicU64,
    done: AtomicU64,
    played: Mutex<Portions<G>>,
}

/// What was played so far, in no order.
struct Portions<G: Game> {
    games: Vec<LabelledGameOf<G>>,
    began: Option<Instant>,
    ended: Option<Instant>,
    error: Option<PlayError>,
}

/// Why a portion is missing.
#[derive(Debug, thiserror::Error)]
enum PlayError {
    #[error(transparent)]
    SelfPlay(#[from] SelfPlayError),
    #[error(transparent)]
    Relabel(#[from] RelabelCancelled),
}

/// Games that a thread takes at a time: few, so that all threads end together, and enough to
/// make nothing of what it costs to begin.
const PORTION: u64 = 8;

impl<'a, G: Game> Share<'a, G> {
    fn new(around: &'a Surroundings<'a, G>, round: u32, evaluator: &'a NetEvaluator<G>) -> Self {
        let games = around.plan.games_of(round);
        let portions = Portions { games: Vec::new(), began: None, ended: None, error: None };
        Self {
            around,
            round,
            evaluator,
            next: AtomicU64::new(games.start),
            games,
            done: AtomicU64::new(0),
            played: Mutex::new(portions),
        }
    }

    /// Plays on this thread until no portion is left or the run is asked to stop.
    fn play(&self) {
        let Surroundings { plan, observer, cancel, .. } = self.around;
        let config = plan.config();
        let of = self.games.end - self.games.start;
        let workers = Workers { threads: NonZeroUsize::MIN, cancel };
        loop {
            let start = self.next.fetch_add(PORTION, Ordering::Relaxed);
            if start >= self.games.end {
                return;
            }
            let indices = start..(start + PORTION).min(self.games.end);
            self.portions().began.get_or_insert_with(Instant::now);
            let games =
                SelfPlayGames { run_seed: config.seed, indices, starts: &self.around.starts };
            let observe = |_| {
                let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
                observer.observe(&Event::GamesPlayed { round: self.round, done, of });
            };
            let played = self.play_portion(&games, workers, &observe);
            let mut portions = self.portions();
            portions.ended = Some(Instant::now());
            match played {
                Ok(games) => portions.games.extend(games),
                Err(error) => {
                    portions.error = Some(error);
                    return;
                }
            }
        }
    }

    fn play_portion(
        &self,
        games: &SelfPlayGames<'_, G::State>,
        workers: Workers<'_>,
        observe: &(dyn Fn(GameDone) + Sync),
    ) -> Result<Vec<LabelledGameOf<G>>, PlayError> {
        let Surroundings { game, plan, .. } = self.around;
        let config = plan.config();
        let records = selfplay(game, self.evaluator, &config.selfplay, games, workers, observe)?;
        let labelling = config.targets.labelling();
        let luck = self.around.luck.as_ref().map(|luck| luck.judge(self.evaluator));
        let labels = relabel(
            game,
            self.evaluator,
            &records,
            &labelling,
            luck.as_ref(),
            config.seed,
            workers,
        )?;
        let label = |(record, labels)| LabelledGame { record, labels };
        Ok(records.into_iter().zip(labels).map(label).collect())
    }

    fn portions(&self) -> MutexGuard<'_, Portions<G>> {
        // A thread that panicked takes the whole run with it.
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All games in order; `None` when the run was asked to stop.
    fn finish(self) -> Result<Option<Played<G>>, RunError> {
        let mut portions = self.played.into_inner().unwrap_or_else(PoisonError::into_inner);
        match portions.error {
            Some(PlayError::SelfPlay(SelfPlayError::Cancelled { .. }) | PlayError::Relabel(_)) => {
                return Ok(None);
            }
            Some(error) => return Err(RunError::Play(Box::new(error))),
            None => {}
        }
        portions.games.sort_unstable_by_key(|game| game.record.index);
        let seconds = match (portions.began, portions.ended) {
            (Some(began), Some(ended)) => (ended - began).as_secs_f64(),
            _ => 0.0,
        };
        Ok(Some(Played { games: portions.games, seconds }))
    }
}
