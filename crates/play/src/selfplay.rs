//! An evaluator plays itself, on many threads.

use std::num::NonZeroU32;
use std::ops::Range;

use rand::RngExt;
use serde::{Deserialize, Serialize};
use tavola_data::RecordOf;
use tavola_evaluator::{Evaluator, Workers};
use tavola_rules::{Game, Outcome};

use crate::agent::EvaluatorAgent;
use crate::explore::{Chance, ExploreSettings, ExploringAgent};
use crate::game::{DEFAULT_MAX_TURNS, FirstRoll, GameLoop, RandomRolls, Recorder, Seats};
use crate::random::{Purpose, game_rng};

/// How self-play games are played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlaySettings {
    /// Which plays are drawn at random.
    pub explore: ExploreSettings,
    /// Chance of each game, from 0 to 1, to begin in one of the listed start positions, all of
    /// them alike often, instead of the start of the game.
    pub listed_start: Chance,
    /// Turns, at least 1, after which a game is given up and leaves no record. Far more than any
    /// sensible game has: it keeps networks that have learnt nothing from playing for ever.
    pub max_turns: NonZeroU32,
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        Self {
            explore: ExploreSettings::default(),
            listed_start: Chance::NEVER,
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
    /// The listed start positions, each from the player on roll; may be empty if
    /// [`SelfPlaySettings::listed_start`] is 0.
    pub starts: &'a [S],
}

/// A self-play game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameDone {
    /// Its number within the run.
    pub index: u64,
    /// Turns played, passes included.
    pub turns: u32,
    /// The outcome from the player on roll in the last state; `None` if the game was given up
    /// after [`SelfPlaySettings::max_turns`] and leaves no record.
    pub outcome: Option<Outcome>,
}

/// Why there are no records.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelfPlayError {
    /// The caller called the games off.
    #[error("cancelled after {finished} of {asked} games")]
    Cancelled {
        /// Games that were played and are dropped.
        finished: u64,
        /// Games that were to be played.
        asked: u64,
    },
    /// Games are to begin in listed positions, but there are none.
    #[error("{chance} of the games are to begin in a listed position, expected at least one")]
    NoStarts {
        /// The chance in the settings, in words.
        chance: String,
    },
    /// A listed start position leaves nothing to play.
    #[error("listed start position {number} is finished, expected one to play from: {position}")]
    FinishedStart {
        /// Its number in the list, counted from 1.
        number: usize,
        /// What it looks like.
        position: String,
    },
}

/// Plays games of `evaluator` against itself, 0-ply, and returns their records in the order of
/// their numbers. The records are the same on any number of threads.
///
/// `observer` is called after every game, by the thread that played it.
///
/// # Errors
///
/// [`SelfPlayError`]; nothing is returned of games that were called off halfway.
pub fn selfplay<G: Game>(
    game: &G,
    evaluator: &dyn Evaluator<G>,
    settings: &SelfPlaySettings,
    games: &SelfPlayGames<'_, G::State>,
    workers: Workers<'_>,
    observer: &(dyn Fn(GameDone) + Sync),
) -> Result<Vec<RecordOf<G>>, SelfPlayError> {
    check_starts(game, settings, games.starts)?;
    let SelfPlayGames { run_seed, ref indices, starts } = *games;
    let played = workers.run(
        indices.clone(),
        || {
            let games = GameLoop::new(game.clone(), settings.max_turns);
            (games, EvaluatorAgent::new(evaluator.fork()), Recorder::new())
        },
        |(games, agent, recorder), index| {
            let mut rng = game_rng(run_seed, index, Purpose::Exploration);
            let (start, first) = if settings.listed_start.happens(&mut rng) {
                let number = rng.random_range(0..starts.len() as u64);
                (starts[number as usize], FirstRoll::Ordinary)
            } else {
                (game.start(), FirstRoll::Opening)
            };
            let mut agent = ExploringAgent::new(agent, settings.explore, rng);
            let rng = game_rng(run_seed, index, Purpose::SelfPlayRolls);
            let mut rolls = RandomRolls::new(rng, first);
            match games.play(&start, &mut rolls, Seats::Same(&mut agent), recorder) {
                Ok(end) => {
                    observer(GameDone { index, turns: end.turns, outcome: Some(end.outcome) });
                    Some(recorder.take(index, start, end))
                }
                // The starts were checked and evaluators can't fail, so the game was too long.
                Err(_) => {
                    recorder.discard();
                    observer(GameDone { index, turns: settings.max_turns.get(), outcome: None });
                    None
                }
            }
        },
    );
    let (finished, asked) = (played.len() as u64, indices.end.saturating_sub(indices.start));
    if finished < asked {
        return Err(SelfPlayError::Cancelled { finished, asked });
    }
    Ok(played.into_iter().flatten().collect())
}

fn check_starts<G: Game>(
    game: &G,
    settings: &SelfPlaySettings,
    starts: &[G::State],
) -> Result<(), SelfPlayError> {
    if starts.is_empty() && settings.listed_start > Chance::NEVER {
        let chance = format!("{} %", 100.0 * settings.listed_start.get());
        return Err(SelfPlayError::NoStarts { chance });
    }
    match starts.iter().position(|start| game.outcome(start).is_some()) {
        None => Ok(()),
        Some(i) => Err(SelfPlayError::FinishedStart {
            number: i + 1,
            position: format!("{:?}", starts[i]),
        }),
    }
}
