//! Which of two agents is stronger, and by how much.
//!
//! Most of what decides a game is the dice, so games come in pairs: the second has the dice of
//! the first, roll by roll, with the seats swapped. Luck that favours the seat cancels within
//! the pair. Of what is left, a judge can take off the most: see [`Duel::luck_judge`].

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tavola_evaluator::Evaluator;
use tavola_rules::{Game, Outcome};

use crate::agent::Contender;
use crate::game::{DEFAULT_MAX_TURNS, FirstRoll, GameError, GameLoop, RandomRolls, Seat, Seats};
use crate::luck::{LuckMeter, Trace};
use crate::random::{Purpose, game_rng};
use crate::stats::{Estimate, PairFailure, PairResult, Tally, Wins};
use crate::workers::Workers;

/// Failed pairs after which a duel begins no others: a player who fails that often would do so
/// for hours.
const MOST_FAILURES: u64 = 5;

/// How a duel is fought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DuelSettings {
    /// Pairs of games, at least 2: the spread between pairs tells how sure the result is.
    pub pairs: u64,
    /// Seed of the dice.
    pub seed: u64,
    /// Turns, at least 1, after which a game is given up and counts as no points.
    pub max_turns: NonZeroU32,
}

impl Default for DuelSettings {
    fn default() -> Self {
        Self { pairs: 1000, seed: 1, max_turns: DEFAULT_MAX_TURNS }
    }
}

/// What a duel showed. Points are from player a.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuelResult {
    /// The [`id`](Game::id) of the game.
    pub game: String,
    /// Seed of the dice.
    pub seed: u64,
    /// Pairs that were played: fewer than asked for if the duel was cancelled.
    pub pairs: u64,
    /// Games that were played, two a pair.
    pub games: u64,
    /// Points per game of a: how much stronger it is than b.
    pub ppg: Estimate,
    /// The same without the luck of the dice, if there was a judge of it: another estimate of
    /// the same number, and usually a far closer one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck_adjusted: Option<Estimate>,
    /// Games that a won.
    pub a: Wins,
    /// Games that b won.
    pub b: Wins,
    /// Games that nobody won by the rules; zero in games that have no draws.
    #[serde(default)]
    pub draws: u64,
    /// Games that were given up as too long.
    pub unfinished: u64,
    /// Pairs in which a player failed, which count for nobody. After a few of them the duel ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<PairFailure>,
}

/// Why a duel has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DuelError {
    /// A spread needs two pairs.
    #[error("a duel of {pairs} pairs, expected at least 2")]
    TooFewPairs {
        /// Pairs asked for.
        pairs: u64,
    },
    /// The caller called the duel off before there was anything to tell.
    #[error("cancelled after {finished} of {asked} pairs, a result takes at least 2")]
    Cancelled {
        /// Pairs played.
        finished: u64,
        /// Pairs asked for.
        asked: u64,
    },
    /// Players failed before there was anything to tell.
    #[error("{failed} pairs failed, {finished} were played; the first failure: {reason}")]
    Failed {
        /// Pairs that failed.
        failed: u64,
        /// Pairs played.
        finished: u64,
        /// Why the first of them failed.
        reason: String,
    },
}

/// Plays `a` against `b`, without a judge of luck: short for [`Duel::play`].
///
/// # Errors
///
/// Those of [`Duel::play`].
pub fn duel<G: Game>(
    game: &G,
    a: &dyn Contender<G>,
    b: &dyn Contender<G>,
    settings: &DuelSettings,
    workers: Workers<'_>,
    observer: &(dyn Fn(&PairResult) + Sync),
) -> Result<DuelResult, DuelError> {
    Duel { game, a, b, luck_judge: None }.play(settings, workers, observer)
}

/// Two players, and what they play.
pub struct Duel<'a, G: Game> {
    /// The game, from its start.
    pub game: &'a G,
    /// The player whose points are counted.
    pub a: &'a dyn Contender<G>,
    /// The opponent.
    pub b: &'a dyn Contender<G>,
    /// Who tells how lucky each roll was, if luck is to be taken off the result. Whoever it is,
    /// and whoever plays, the result stays the same on average; a good judge makes its interval
    /// narrower. Its evaluations take most of the time of a duel between fast players.
    pub luck_judge: Option<&'a dyn Evaluator<G>>,
}

/// What a thread needs to play pairs.
struct Table<G: Game> {
    games: GameLoop<G>,
    a: Box<dyn Contender<G>>,
    b: Box<dyn Contender<G>>,
    luck: Option<LuckMeter<G>>,
    a_first: Trace<G>,
    b_first: Trace<G>,
}

impl<G: Game> Duel<'_, G> {
    /// Plays the games.
    ///
    /// The dice of a turn depend on the seed, the pair and the turn's number alone. The result is
    /// the same on any number of threads, and an agent that plays itself has exactly zero in every
    /// pair, with luck and without.
    ///
    /// `observer` is called after every pair, by the thread that played it. It may cancel the duel
    /// once it has seen enough; the result is then that of the first so many pairs, all of which
    /// were played to the end, so short games are not favoured.
    ///
    /// A pair in which an agent fails is left out and [reported](DuelResult::failures).
    ///
    /// # Errors
    ///
    /// [`DuelError`] if there are fewer than two pairs, asked for or played.
    pub fn play(
        &self,
        settings: &DuelSettings,
        workers: Workers<'_>,
        observer: &(dyn Fn(&PairResult) + Sync),
    ) -> Result<DuelResult, DuelError> {
        let DuelSettings { pairs: asked, seed, max_turns } = *settings;
        if asked < 2 {
            return Err(DuelError::TooFewPairs { pairs: asked });
        }
        // Agents may stay on their thread; forks behind a lock let every thread make its own.
        let judge = self.luck_judge.map(Evaluator::fork);
        let originals = Mutex::new((self.a.fork(), self.b.fork(), judge));
        // Set by the caller, or by too many failures.
        let stop = AtomicBool::new(workers.cancel.load(Ordering::Relaxed));
        let failed = AtomicU64::new(0);
        let pairs = Workers { cancel: &stop, ..workers }.run(
            0..asked,
            || {
                // A poisoned lock means that a fork panicked, which changed nothing in the
                // original.
                let originals = originals.lock().unwrap_or_else(PoisonError::into_inner);
                let (a, b, judge) = &*originals;
                Table {
                    games: GameLoop::new(self.game.clone(), max_turns),
                    a: a.fork(),
                    b: b.fork(),
                    luck: judge
                        .as_ref()
                        .map(|judge| LuckMeter::new(self.game.clone(), judge.fork())),
                    a_first: Trace::new(),
                    b_first: Trace::new(),
                }
            },
            |table, pair| {
                let result = table.pair(self.game, seed, pair);
                match &result {
                    Ok(result) => observer(result),
                    Err(_) if failed.fetch_add(1, Ordering::Relaxed) + 1 == MOST_FAILURES => {
                        stop.store(true, Ordering::Relaxed);
                    }
                    Err(_) => {}
                }
                if workers.cancel.load(Ordering::Relaxed) {
                    stop.store(true, Ordering::Relaxed);
                }
                result
            },
        );
        let mut tally = Tally::default();
        let mut failures = Vec::new();
        for pair in pairs {
            match pair {
                Ok(pair) => tally.add(&pair),
                Err(failure) => failures.push(failure),
            }
        }
        let finished = tally.pairs();
        let ppg = tally.points_per_game().ok_or_else(|| match failures.first() {
            Some(first) => DuelError::Failed {
                failed: failures.len() as u64,
                finished,
                reason: first.reason.clone(),
            },
            None => DuelError::Cancelled { finished, asked },
        })?;
        Ok(DuelResult {
            game: self.game.id(),
            seed,
            pairs: finished,
            games: 2 * finished,
            ppg,
            luck_adjusted: self.luck_judge.and_then(|_| tally.luck_adjusted()),
            a: tally.a(),
            b: tally.b(),
            draws: tally.draws(),
            unfinished: tally.unfinished(),
            failures,
        })
    }
}

impl<G: Game> Table<G> {
    fn pair(&mut self, game: &G, seed: u64, pair: u64) -> Result<PairResult, PairFailure> {
        let Self { games, a, b, luck, a_first, b_first } = self;
        let mut play = |seats: Seats<'_, G>, seat_of_a, trace: &mut Trace<G>| {
            trace.clear();
            let rng = game_rng(seed, pair, Purpose::DuelRolls);
            let mut rolls = RandomRolls::new(rng, FirstRoll::Opening);
            match games.play(&game.start(), &mut rolls, seats, trace) {
                Ok(end) => Ok(Some(end.outcome_for(seat_of_a))),
                Err(GameError::NoChoice { reason, .. }) => {
                    Err(PairFailure { pair, reason: reason.to_string() })
                }
                // Too long, since no game starts finished.
                Err(_) => Ok(None),
            }
        };
        let seats = Seats::Two { first: a.as_mut(), second: b.as_mut() };
        let with_a_first: Option<Outcome> = play(seats, Seat::First, a_first)?;
        let seats = Seats::Two { first: b.as_mut(), second: a.as_mut() };
        let with_b_first = play(seats, Seat::Second, b_first)?;
        let luck = luck.as_mut().map(|luck| luck.pair(a_first, b_first));
        Ok(PairResult { pair, a_first: with_a_first, b_first: with_b_first, luck })
    }
}
