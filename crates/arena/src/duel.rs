//! Which of two agents is stronger, and by how much.
//!
//! Most of what decides a game is the dice, so games come in pairs: the second has the dice of
//! the first, roll by roll, with the seats swapped. Luck that favours the seat cancels within
//! the pair. Of what is left, a judge can take off the most: see [`Duel::luck`].
//!
//! A duel can go on from [pairs that are known](Duel::known), for example from a
//! [`PairLog`](crate::PairLog), and [end early](Duel::sprt) when it has shown enough.

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tavola_rules::{Game, Outcome};

use crate::contest::Contest;
use crate::sprt::{Sprt, Verdict};
use crate::stats::{PairFailure, PairResult, Scores, Tally, Wins};
use tavola_evaluator::Estimate;
use tavola_play::Contender;
use tavola_play::Workers;
use tavola_play::random::{Purpose, game_rng};
use tavola_play::{DEFAULT_MAX_TURNS, FirstRoll, GameError, GameLoop, RandomRolls, Seat, Seats};
use tavola_play::{LuckJudge, LuckMeter, Trace};

/// How a duel is fought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DuelSettings {
    /// Pairs of games, at least 2: the spread between pairs tells how sure the result is.
    pub pairs: u64,
    /// Number of the first pair. Duels of the same seed that have no pair in common can be played
    /// apart and counted together.
    pub first: u64,
    /// Seed of the dice.
    pub seed: u64,
    /// Turns, at least 1, after which a game is given up and counts as no points.
    pub max_turns: NonZeroU32,
}

impl Default for DuelSettings {
    fn default() -> Self {
        Self { pairs: 1000, first: 0, seed: 1, max_turns: DEFAULT_MAX_TURNS }
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
    /// What the sequential test said, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtResult>,
}

/// What a sequential test said in the end, of the luck-adjusted points if there are any.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtResult {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// The log-likelihood ratio of the higher strength to the lower.
    pub log_likelihood_ratio: f64,
    /// Which hypothesis it means, if any.
    pub verdict: Verdict,
}

impl SprtResult {
    /// What the test says of these pairs; `None` with fewer than two.
    pub fn of(test: Sprt, scores: &Scores) -> Option<Self> {
        let ppg = scores.luck_adjusted().or_else(|| scores.points_per_game())?;
        let ratio = test.log_likelihood_ratio(scores.pairs(), ppg.mean, ppg.standard_error);
        // The formula may say infinity, which JSON can't.
        let ratio = ratio.clamp(f64::MIN, f64::MAX);
        Some(Self { test, log_likelihood_ratio: ratio, verdict: test.verdict(ratio) })
    }
}

impl DuelResult {
    /// The result of pairs that were played before, in the order of their numbers; `None` with
    /// fewer than two. A test ends where it would have ended the duel, and later pairs are left
    /// out.
    pub fn of_pairs(
        game: String,
        seed: u64,
        pairs: &[PairResult],
        sprt: Option<Sprt>,
    ) -> Option<Self> {
        let mut tally = Tally::default();
        for pair in pairs {
            tally.add(pair);
            let said = sprt.and_then(|test| SprtResult::of(test, tally.scores()));
            if said.is_some_and(|said| said.verdict != Verdict::Open) {
                break;
            }
        }
        Self::of_tally(game, seed, &tally, Vec::new(), sprt)
    }

    /// The result with these sums.
    fn of_tally(
        game: String,
        seed: u64,
        tally: &Tally,
        failures: Vec<PairFailure>,
        sprt: Option<Sprt>,
    ) -> Option<Self> {
        Some(Self {
            game,
            seed,
            pairs: tally.pairs(),
            games: 2 * tally.pairs(),
            ppg: tally.points_per_game()?,
            luck_adjusted: tally.luck_adjusted(),
            a: tally.a(),
            b: tally.b(),
            draws: tally.draws(),
            unfinished: tally.unfinished(),
            failures,
            sprt: sprt.and_then(|test| SprtResult::of(test, tally.scores())),
        })
    }
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
    /// A start position in which nothing is left to play.
    #[error("start position {number} of the duel is finished, expected one that goes on")]
    FinishedStart {
        /// Which one, counted from 1.
        number: usize,
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
    Duel::new(game, a, b).play(settings, workers, observer)
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
    /// narrower.
    pub luck: Option<LuckJudge<'a, G>>,
    /// Where games begin: pair number i in position i modulo their number, with any roll. If there
    /// is none, in the start position of the game with its opening roll.
    pub starts: &'a [G::State],
    /// Pairs that were played before with the same players, seed, starts and judge of luck. They
    /// are counted and not played again.
    pub known: &'a [PairResult],
    /// A test that may end the duel. It is asked after every pair in the order of their numbers,
    /// so it ends after the same pair on any number of threads.
    pub sprt: Option<Sprt>,
}

impl<'a, G: Game> Duel<'a, G> {
    /// A duel from the start of the game, without a judge of luck or a test.
    pub const fn new(game: &'a G, a: &'a dyn Contender<G>, b: &'a dyn Contender<G>) -> Self {
        Self { game, a, b, luck: None, starts: &[], known: &[], sprt: None }
    }
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
    /// `observer` is called after every pair that is played, by the thread that played it, and
    /// before the pair is counted. It may cancel the duel once it has seen enough; the result is
    /// then that of the first so many pairs, all of which were played to the end, so short games
    /// are not favoured.
    ///
    /// A pair in which an agent fails is left out and [reported](DuelResult::failures).
    ///
    /// # Errors
    ///
    /// [`DuelError`] if there are fewer than two pairs, asked for or played, or nothing to play in
    /// a start position.
    pub fn play(
        &self,
        settings: &DuelSettings,
        workers: Workers<'_>,
        observer: &(dyn Fn(&PairResult) + Sync),
    ) -> Result<DuelResult, DuelError> {
        let DuelSettings { pairs: asked, first, seed, max_turns } = *settings;
        if asked < 2 {
            return Err(DuelError::TooFewPairs { pairs: asked });
        }
        if let Some(i) = self.starts.iter().position(|start| self.game.outcome(start).is_some()) {
            return Err(DuelError::FinishedStart { number: i + 1 });
        }
        // Agents may stay on their thread; forks behind a lock let every thread make its own.
        let meter = self.luck.as_ref().map(|luck| LuckMeter::new(self.game.clone(), luck));
        let originals = Mutex::new((self.a.fork(), self.b.fork(), meter));
        let contest = Contest {
            pairs: first..first.saturating_add(asked),
            known: self.known,
            sprt: self.sprt,
        };
        let (pairs, failures) = contest.play(
            workers,
            || {
                // A poisoned lock means that a fork panicked, which changed nothing in the
                // original.
                let originals = originals.lock().unwrap_or_else(PoisonError::into_inner);
                let (a, b, meter) = &*originals;
                Table {
                    games: GameLoop::new(self.game.clone(), max_turns),
                    a: a.fork(),
                    b: b.fork(),
                    luck: meter.as_ref().map(LuckMeter::fork),
                    a_first: Trace::new(),
                    b_first: Trace::new(),
                }
            },
            |table, pair| table.pair(self.game, self.starts, seed, pair),
            observer,
        );
        let mut tally = Tally::default();
        pairs.iter().for_each(|pair| tally.add(pair));
        let finished = tally.pairs();
        let first_failure = failures.first().map(|failure| failure.reason.clone());
        let failed = failures.len() as u64;
        DuelResult::of_tally(self.game.id(), seed, &tally, failures, self.sprt).ok_or(
            match first_failure {
                Some(reason) => DuelError::Failed { failed, finished, reason },
                None => DuelError::Cancelled { finished, asked },
            },
        )
    }
}

/// Parts of a point to which luck is rounded, so that it is the same after it was written as a
/// decimal number and read.
pub(crate) const LUCK_STEPS: f64 = 1e6;

impl<G: Game> Table<G> {
    fn pair(
        &mut self,
        game: &G,
        starts: &[G::State],
        seed: u64,
        pair: u64,
    ) -> Result<PairResult, PairFailure> {
        let Self { games, a, b, luck, a_first, b_first } = self;
        let (start, first_roll) = match starts.len() as u64 {
            0 => (game.start(), FirstRoll::Opening),
            number => (starts[(pair % number) as usize], FirstRoll::Ordinary),
        };
        let mut play = |seats: Seats<'_, G>, seat_of_a, trace: &mut Trace<G>| {
            trace.clear();
            let rng = game_rng(seed, pair, Purpose::DuelRolls);
            let mut rolls = RandomRolls::new(rng, first_roll);
            match games.play(&start, &mut rolls, seats, trace) {
                Ok(end) => Ok(Some(end.outcome_for(seat_of_a))),
                Err(GameError::NoChoice { reason, .. }) => {
                    Err(PairFailure { pair, reason: reason.to_string() })
                }
                // Too long, since no game starts finished: that was looked at before.
                Err(_) => Ok(None),
            }
        };
        let seats = Seats::Two { first: a.as_mut(), second: b.as_mut() };
        let with_a_first: Option<Outcome> = play(seats, Seat::First, a_first)?;
        let seats = Seats::Two { first: b.as_mut(), second: a.as_mut() };
        let with_b_first = play(seats, Seat::Second, b_first)?;
        let luck = luck
            .as_mut()
            .map(|luck| (luck.pair(a_first, b_first) * LUCK_STEPS).round() / LUCK_STEPS);
        Ok(PairResult { pair, a_first: with_a_first, b_first: with_b_first, luck })
    }
}
