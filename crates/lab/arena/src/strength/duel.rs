//! Which of two agents is stronger, and by how much.
//!
//! Most of what decides a game is the dice, so games come in pairs: the second has the dice of
//! the first, roll by roll, with the seats swapped. Luck that favors the seat cancels within
//! the pair. Of what is left, variance reduction removes the most: see [`Duel::luck`].
//!
//! The [`Format`] says what a game is played for: single games for points, games with a cube, or
//! matches. A duel can resume from [cached pairs](Duel::known), for example from a
//! [`PairLog`](crate::PairLog), and [end early](Duel::sprt) when it has shown enough.

mod chouette;
mod play;

use std::num::NonZeroU32;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use tavola_evaluator::Estimate;
use tavola_files::Failure;
use tavola_play::{
    AgentError, Contender, DEFAULT_MAX_TURNS, DuelUnit, Format, GameLoop, LuckEvaluator, LuckMeter,
    Played, Points, Score, Workers, canceled,
};
use tavola_rules::Game;

pub use self::chouette::ChouetteJob;
pub use self::play::{DuelJob, without_cube};
use crate::stats::{CubeCounts, PairFailure, PairResult, Scores, Stronger, Tally, Wins};
use crate::strength::pair_log::DuelHeader;
use crate::strength::remote::{RemoteDuel, play_on_fleet};
use crate::strength::schedule::play_pairs;
use crate::strength::sprt::{Sprt, SprtVerdict};

/// How a duel is played.
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
    /// Turns, at least 1, after which a game is truncated and counts as no points.
    pub max_turns: NonZeroU32,
}

impl Default for DuelSettings {
    fn default() -> Self {
        Self { pairs: 1000, first: 0, seed: 1, max_turns: DEFAULT_MAX_TURNS }
    }
}

/// What a duel showed. Points are from player a; in matches a win is 1 and a loss -1, see
/// [`win_probability`](crate::win_probability).
#[derive(Clone, Debug, PartialEq)]
pub struct DuelResult {
    /// The [`id`](Game::id) of the game.
    pub game: String,
    /// The stakes in words; `None` without a cube.
    pub terms: Option<String>,
    /// The unit that is counted: games or matches.
    pub unit: DuelUnit,
    /// Seed of the dice.
    pub seed: u64,
    /// Pairs that were played: fewer than the settings' if the duel was canceled.
    pub pairs: u64,
    /// Points of a, per game or per match: how much stronger it is than b.
    pub points: Estimate,
    /// Points of a without the luck of the dice, if it was evaluated: another estimate of that
    /// number, and usually a far closer one.
    pub luck_adjusted: Option<Estimate>,
    /// Games or matches that a won.
    pub a: Wins,
    /// Games or matches that b won.
    pub b: Wins,
    /// Games that neither side won by the rules; zero in games that have no draws.
    pub draws: u64,
    /// Games or matches that were truncated at the turn limit.
    pub unfinished: u64,
    /// What the cube did; `None` without one.
    pub cube: Option<CubeCounts>,
    /// Pairs in which a player failed, which do not count. After a few of them the duel ends.
    pub failures: Vec<PairFailure>,
    /// What the sequential test said, if there was one.
    pub sprt: Option<SprtResult>,
    /// All pairs, if the observer was told of some that turned out to be wrong, as can happen
    /// where other processes play. The result is that of the right ones.
    pub corrected: Option<Vec<PairResult>>,
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
    pub verdict: SprtVerdict,
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
    /// The result of these pairs of a game with these terms; `None` with fewer than two.
    fn of(
        (game, terms): (String, Option<String>),
        unit: DuelUnit,
        seed: u64,
        pairs: &[PairResult],
        failures: Vec<PairFailure>,
        sprt: Option<Sprt>,
    ) -> Option<Self> {
        let mut tally = Tally::new(terms.is_some());
        for pair in pairs {
            tally.add(pair);
            let said = sprt.and_then(|test| SprtResult::of(test, &tally.scores));
            if said.is_some_and(|said| said.verdict != SprtVerdict::Open) {
                break;
            }
        }
        Some(Self {
            game,
            terms,
            unit,
            seed,
            pairs: tally.scores.pairs(),
            points: tally.points(unit)?,
            luck_adjusted: tally.scores.luck_adjusted(),
            a: tally.a,
            b: tally.b,
            draws: tally.draws,
            unfinished: tally.unfinished,
            cube: tally.cube(),
            failures,
            sprt: sprt.and_then(|test| SprtResult::of(test, &tally.scores)),
            corrected: None,
        })
    }

    /// The result of the pairs of a file, in the order of their numbers; `None` with fewer than
    /// two. A test ends where it would have ended the duel, and later pairs are left out.
    pub fn of_pairs(header: &DuelHeader, pairs: &[PairResult], sprt: Option<Sprt>) -> Option<Self> {
        let of = (header.game.clone(), header.terms.clone());
        Self::of(of, header.unit, header.seed, pairs, Vec::new(), sprt)
    }

    /// Games or matches that were played, two a pair.
    pub const fn played(&self) -> u64 {
        2 * self.pairs
    }

    /// Who is stronger by the better estimate.
    pub fn stronger(&self) -> Stronger {
        Stronger::by(self.best(), self.pairs)
    }

    /// The estimate with the smaller standard error: luck-adjusted, or raw.
    pub fn best(&self) -> Estimate {
        match self.luck_adjusted {
            Some(adjusted) if adjusted.standard_error <= self.points.standard_error => adjusted,
            _ => self.points,
        }
    }
}

/// Players failed before there was anything to tell, or at all where a part is no result.
fn failed(failed: u64, finished: u64, reason: &str) -> Failure {
    Failure::work(format!(
        "{failed} pairs failed, {finished} were played; the first failure: {reason}"
    ))
}

/// Two players, and what they play.
pub struct Duel<'a, G: Game> {
    /// The game, from its start.
    pub game: &'a G,
    /// The format: points, or [`CubeTerms`](tavola_play::CubeTerms), whose variant is the game.
    pub format: &'a dyn Format<G>,
    /// The player whose points are counted.
    pub a: &'a dyn Contender<G>,
    /// The opponent.
    pub b: &'a dyn Contender<G>,
    /// What evaluates the luck of each roll, if the variance is to be reduced. Whatever it says,
    /// whichever agents play, the result stays the same on average; a good evaluator makes its
    /// interval narrower.
    pub luck: Option<LuckEvaluator<'a, G>>,
    /// Where games begin: pair number i in position i modulo their number, with any roll. If there
    /// is none, in the start position of the game with its opening roll.
    pub starts: &'a [G::State],
    /// Pairs that were played before with the same players, format, seed, starts and evaluator of
    /// luck. They are counted and not played again.
    pub known: &'a [PairResult],
    /// Is told of the games of every pair that was played, whether it counts or not, by the thread
    /// that played it: in the first game a has seat one, in the second b.
    pub games: Option<&'a PlayedPair<'a, G>>,
    /// A test that may end the duel. It is asked after every pair in the order of their numbers,
    /// so it ends after the same pair on any number of threads.
    pub sprt: Option<Sprt>,
    /// Has the pairs played by other processes, which leaves `games` out. The result is the same.
    pub remote: Option<RemoteDuel<'a>>,
}

impl<'a, G: Game> Duel<'a, G> {
    /// A duel for points from the start of the game, without variance reduction or a test.
    pub const fn new(game: &'a G, a: &'a dyn Contender<G>, b: &'a dyn Contender<G>) -> Self {
        Self {
            game,
            format: &Points,
            a,
            b,
            luck: None,
            starts: &[],
            known: &[],
            games: None,
            sprt: None,
            remote: None,
        }
    }
}

/// Is told of the two games or matches of a pair.
pub type PlayedPair<'a, G> = dyn Fn(u64, [&Played<G>; 2]) + Sync + 'a;

/// What a thread needs to play pairs.
pub(crate) struct PairWorker<G: Game> {
    pub(crate) games: GameLoop<G>,
    pub(crate) a: Box<dyn Contender<G>>,
    pub(crate) b: Box<dyn Contender<G>>,
    pub(crate) luck: Option<LuckMeter<G>>,
}

impl<G: Game> Duel<'_, G> {
    /// Plays all the games, up to where a test decides: a part of them would be another measurement
    /// than the seed promises.
    ///
    /// # Errors
    ///
    /// Those of [`play`](Self::play), also where it has the result of a part.
    pub fn play_all(
        &self,
        settings: &DuelSettings,
        workers: Workers<'_>,
        observer: &(dyn Fn(&PairResult) + Sync),
    ) -> Result<DuelResult, Failure> {
        let result = self.play(settings, workers, observer)?;
        let is_decided = result.sprt.is_some_and(|sprt| sprt.verdict != SprtVerdict::Open);
        let (finished, asked) = (result.pairs, settings.pairs);
        match result.failures.first() {
            Some(failure) => Err(failed(result.failures.len() as u64, finished, &failure.reason)),
            None if finished < asked && !is_decided => Err(canceled(finished, asked, "pairs")),
            None => Ok(result),
        }
    }

    /// Plays the games.
    ///
    /// The dice of a turn depend on the seed, the pair, the game of the match and the turn's number
    /// alone. The result is the same on any number of threads, and an agent that plays itself has
    /// exactly zero in every pair, with variance reduction and without.
    ///
    /// `observer` is called for every pair that is played and counts, in the order of their
    /// numbers. It may cancel the duel once it has seen enough; the result is then that of the
    /// pairs up to some number, all of which were played to the end, so short games are not
    /// favored.
    ///
    /// A pair in which an agent fails is left out and [reported](DuelResult::failures).
    ///
    /// # Errors
    ///
    /// [`Failure`] if there are fewer than two pairs, in the settings or played, or nothing to
    /// play in a start position.
    pub fn play(
        &self,
        settings: &DuelSettings,
        workers: Workers<'_>,
        observer: &(dyn Fn(&PairResult) + Sync),
    ) -> Result<DuelResult, Failure> {
        let DuelSettings { pairs: asked, first, seed, .. } = *settings;
        if asked < 2 {
            let reason = format!("a duel of {asked} pairs, expected at least 2");
            return Err(Failure::input(reason));
        }
        if let Some(i) = self.starts.iter().position(|start| self.game.outcome(start).is_some()) {
            let number = i + 1;
            return Err(Failure::input(format!(
                "start position {number} of the duel is finished, expected one that goes on"
            )));
        }
        let pairs = first..first.saturating_add(asked);
        let (pairs, failures, corrected) = match &self.remote {
            Some(remote) => {
                let kind = (self.format.terms().is_some(), self.luck.is_some());
                let (known, cancel) = (self.known, workers.cancel);
                play_on_fleet(remote, pairs, known, self.sprt, kind, cancel, observer)
                    .map_err(Failure::work_in("the fleet can't play the pairs"))?
            }
            None => {
                let (played, failures) = self.play_here(settings, pairs, workers, observer);
                (played, failures, false)
            }
        };
        let (finished, failed) = (pairs.len() as u64, failures.len() as u64);
        let first_failure = failures.first().map(|failure| failure.reason.clone());
        let (of, unit) = ((self.game.id(), self.format.terms()), self.format.unit());
        let result = DuelResult::of(of, unit, seed, &pairs, failures, self.sprt);
        let corrected = corrected.then_some(pairs);
        result.map(|result| DuelResult { corrected, ..result }).ok_or_else(|| match first_failure {
            Some(reason) => self::failed(failed, finished, &reason),
            None => canceled(finished, asked, "pairs"),
        })
    }

    fn play_here(
        &self,
        settings: &DuelSettings,
        pairs: Range<u64>,
        workers: Workers<'_>,
        observer: &(dyn Fn(&PairResult) + Sync),
    ) -> (Vec<PairResult>, Vec<PairFailure>) {
        let DuelSettings { seed, max_turns, .. } = *settings;
        let meter = self.luck.as_ref().map(|luck| LuckMeter::new(self.game.clone(), luck));
        let (format, starts, games) = (self.format, self.starts, self.games);
        play_pairs(
            (pairs, self.known, self.sprt),
            workers,
            || PairWorker {
                games: GameLoop::new(self.game.clone(), max_turns),
                a: self.a.fork(),
                b: self.b.fork(),
                luck: meter.as_ref().map(LuckMeter::fork),
            },
            |worker, pair| {
                let (played, result) = worker.pair(format, starts, seed, pair)?;
                if let Some(games) = games {
                    let [one, other] = &played;
                    games(pair, [one, other]);
                }
                Ok(result)
            },
            observer,
        )
    }
}

/// Parts of a point to which luck is rounded, so that it is the same after it was written as a
/// decimal number and read.
const LUCK_STEPS: f64 = 1e6;

impl<G: Game> PairWorker<G> {
    pub(crate) fn pair(
        &mut self,
        format: &dyn Format<G>,
        starts: &[G::State],
        seed: u64,
        pair: u64,
    ) -> Result<([Played<G>; 2], PairResult), PairFailure> {
        let Self { games, a, b, luck } = self;
        let start = match starts.len() as u64 {
            0 => None,
            number => Some(&starts[(pair % number) as usize]),
        };
        let failed = |reason: AgentError| PairFailure { pair, reason: reason.to_string() };
        let one =
            format.play(games, start, [a.as_mut(), b.as_mut()], seed, pair).map_err(failed)?;
        let other =
            format.play(games, start, [b.as_mut(), a.as_mut()], seed, pair).map_err(failed)?;
        let luck = luck.as_mut().map(|meter| {
            let luck = meter.pair(format, &one.traces, &other.traces);
            (luck * LUCK_STEPS).round() / LUCK_STEPS
        });
        let (a_first, b_first) = (one.score, other.score.map(Score::flip));
        Ok(([one, other], PairResult { pair, a_first, b_first, luck }))
    }
}
