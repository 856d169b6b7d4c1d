//! An evaluator plays itself, on many threads.

use std::num::NonZeroU32;
use std::ops::Range;

use rand::RngExt;
use serde::{Deserialize, Serialize};
use tavola_data::RecordOf;
use tavola_evaluator::{Evaluator, Level, Search, Workers};
use tavola_files::Failure;
use tavola_rules::Game;

use crate::agent::{Agent, EvaluatorAgent};
use crate::explore::{ExploreSettings, ExploringAgent, Probability};
use crate::game::{DEFAULT_MAX_TURNS, FirstRoll, GameLoop, RandomRolls, Recorder, Seats};
use crate::pace::Pace;
use crate::random::{RandomFor, game_rng};
use crate::search_agent::SearchAgent;

/// How self-play games are played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlaySettings {
    /// How much work goes into each play.
    #[serde(skip_serializing_if = "is_bare")]
    pub level: Level,
    /// Which plays are drawn at random.
    pub explore: ExploreSettings,
    /// Probability of each game to begin in a position of the start book, all of them equally
    /// likely, instead of the start of the game.
    pub start_book_share: Probability,
    /// Turn limit, at least 1: a longer game is truncated and leaves no record. Sensible games are
    /// far shorter.
    pub max_turns: NonZeroU32,
}

/// Whether the network plays without a search: files of a run, and checksums of them, leave it out.
fn is_bare(level: &Level) -> bool {
    *level == Level::ZeroPly
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        Self {
            level: Level::ZeroPly,
            explore: ExploreSettings::default(),
            start_book_share: Probability::NEVER,
            max_turns: DEFAULT_MAX_TURNS,
        }
    }
}

/// Which games of a run are to be played.
#[derive(Clone, Debug)]
pub struct SelfPlayGames<'a, S> {
    /// Seed of everything random in the run.
    pub run_seed: u64,
    /// Numbers of the games within the run: with the seed, they fix all that is random in them.
    pub indices: Range<u64>,
    /// The start book, each position from the player on roll; may be empty if
    /// [`SelfPlaySettings::start_book_share`] is 0.
    pub starts: &'a [S],
}

/// The caller called off a number of games, answers or other `things`; those that were finished are
/// dropped.
pub fn canceled(finished: u64, asked: u64, things: &str) -> Failure {
    Failure::stopped(format!("canceled after {finished} of {asked} {things}"))
}

/// An evaluator that plays itself, on one thread.
pub struct SelfPlayer<'a, G: Game> {
    game: G,
    games: GameLoop<G>,
    agent: Box<dyn Agent<G> + Send>,
    recorder: Recorder<G>,
    settings: SelfPlaySettings,
    run_seed: u64,
    starts: &'a [G::State],
}

impl<'a, G: Game> SelfPlayer<'a, G> {
    /// A player of a run with this seed. `pruning` is the network that prunes its searches; without
    /// one they evaluate every afterstate. Settings and start positions must fit together, see
    /// [`check_starts`].
    pub fn new(
        game: &G,
        evaluator: &dyn Evaluator<G>,
        pruning: Option<&dyn Evaluator<G>>,
        settings: &SelfPlaySettings,
        run_seed: u64,
        starts: &'a [G::State],
    ) -> Self {
        let agent: Box<dyn Agent<G> + Send> = match settings.level {
            Level::ZeroPly => Box::new(EvaluatorAgent::new(evaluator.fork())),
            level => {
                let (evaluator, pruning) = (evaluator.fork(), pruning.map(Evaluator::fork));
                let search = Search::new(game.clone(), evaluator, pruning, level.search());
                let pace = Pace::Even(level.rollout().map(Box::new));
                Box::new(SearchAgent::new(search).with_pace(pace))
            }
        };
        Self {
            game: game.clone(),
            games: GameLoop::new(game.clone(), settings.max_turns),
            agent,
            recorder: Recorder::default(),
            settings: *settings,
            run_seed,
            starts,
        }
    }

    /// Plays game number `index` of the run, which with the seed fixes all that is random in it.
    /// `None` if it reached the turn limit.
    pub fn play(&mut self, index: u64) -> Option<RecordOf<G>> {
        let mut rng = game_rng(self.run_seed, index, RandomFor::Exploration);
        let (start, first) = if self.settings.start_book_share.happens(&mut rng) {
            let number = rng.random_range(0..self.starts.len() as u64);
            (self.starts[number as usize], FirstRoll::Ordinary)
        } else {
            (self.game.start(), FirstRoll::Opening)
        };
        let mut agent = ExploringAgent::new(&mut *self.agent, self.settings.explore, rng);
        let rng = game_rng(self.run_seed, index, RandomFor::SelfPlayRolls);
        let mut rolls = RandomRolls::new(rng, first);
        let seats = Seats::Same(&mut agent);
        match self.games.play(&start, &mut rolls, seats, &mut self.recorder) {
            Ok(end) => Some(self.recorder.take(index, start, end)),
            // The starts were checked, and neither evaluators nor the rollouts of a level fail, so the
            // game was too long.
            Err(_) => {
                self.recorder.discard();
                None
            }
        }
    }
}

/// Plays games of `evaluator` against itself, without a pruning network, and returns their records in the order of
/// their numbers. The records are the same on any number of threads.
///
/// `observer` is called with the number of every game that is over, by the thread that played it; a
/// game that was truncated leaves no record.
///
/// # Errors
///
/// [`Failure`]; nothing is returned of games that were canceled halfway.
pub fn selfplay<G: Game>(
    game: &G,
    evaluator: &dyn Evaluator<G>,
    settings: &SelfPlaySettings,
    games: &SelfPlayGames<'_, G::State>,
    workers: Workers<'_>,
    observer: &(dyn Fn(u64) + Sync),
) -> Result<Vec<RecordOf<G>>, Failure> {
    check_starts(game, settings, games.starts)?;
    let SelfPlayGames { run_seed, ref indices, starts } = *games;
    let played = workers.run(
        indices.clone(),
        || SelfPlayer::new(game, evaluator, None, settings, run_seed, starts),
        |player, index| {
            let record = player.play(index);
            observer(index);
            record
        },
    );
    let (finished, asked) = (played.len() as u64, indices.end.saturating_sub(indices.start));
    if finished < asked {
        return Err(canceled(finished, asked, "games"));
    }
    Ok(played.into_iter().flatten().collect())
}

/// Whether games can begin as the settings say.
///
/// # Errors
///
/// A share of a start book without positions, or a position of it that is terminal.
pub fn check_starts<G: Game>(
    game: &G,
    settings: &SelfPlaySettings,
    starts: &[G::State],
) -> Result<(), Failure> {
    if starts.is_empty() && settings.start_book_share > Probability::NEVER {
        let probability = format!("{} %", 100.0 * settings.start_book_share.get());
        let what = "of the games are to begin in the start book, which has no position";
        return Err(Failure::input(format!("{probability} {what}")));
    }
    match starts.iter().position(|start| game.outcome(start).is_some()) {
        None => Ok(()),
        Some(i) => Err(Failure::input(format!(
            "position {} of the start book is terminal, expected one to play from: {:?}",
            i + 1,
            starts[i]
        ))),
    }
}
