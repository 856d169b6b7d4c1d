//! Rollouts: what a state is worth by playing it out many times.
//!
//! A game is played from the state to its end, or truncated after a number of rolls and evaluated
//! there. The mean over many games is the estimate, and their spread gives its standard error.
//!
//! # Candidates
//!
//! The plays of a roll are rolled out side by side: game number `i` of every play has the same
//! rolls, so that much of the luck falls out of their *difference*. Its standard error is that of
//! the differences game by game, which is smaller than the sum over two separate rollouts. A play
//! that is a [number](RolloutSettings::drop) of these behind the best is dropped and keeps its
//! figures. With four, one check drops a play that is as good as the best once in 30,000 times.
//!
//! # Less spread for the same truth
//!
//! The first two rolls follow a [plan](FirstRolls::Stratified) in which each comes as often as it
//! should. And the [luck](Luck::TakenOff) of every roll is subtracted: what the evaluator thinks
//! of the best play of that roll, less the mean of that over all rolls. Before the dice fall, that
//! difference is zero on average, whatever the evaluator thinks, since it depends on nothing but
//! the state and the roll; so the subtraction moves no estimate on average, and the better the
//! evaluator, the less spread it leaves. To be quick the pruning network chooses the best play of
//! each roll here, and the main evaluator evaluates only that play. The luck is then less precise,
//! but still zero on average.
//!
//! Where the evaluator [knows a state exactly](Evaluator::is_exact) a game ends with that.
//!
//! # Determinism
//!
//! Figures depend on the settings, the evaluator and the number of games, to the last bit. They
//! don't depend on the number of threads, nor on whether the rollout was [put
//! away](Rollout::save) in between: rolls follow from the seed and the number of the game, sums
//! are made in the order of the games, and rules are looked at after fixed numbers of games.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use tavola_evaluator::rollout::{Rollout, RolloutSettings, RolloutWatch};
//! use tavola_evaluator::PipCountEvaluator;
//! use tavola_rules::{Backgammon, Position};
//!
//! let game = Backgammon::Standard;
//! // Two checkers on the ace point against two: the player who rolls first wins.
//! let position = Position::from_points(&[(1, 2)], &[(1, 2)], 15)?;
//! let evaluator = PipCountEvaluator::new(game);
//! let settings = RolloutSettings { trials: 36, ..RolloutSettings::default() };
//! let mut rollout = Rollout::of_state(game, &evaluator, None, "pips", settings, position)?;
//! rollout.run(&mut RolloutWatch { cancel: &AtomicBool::new(false), progress: &mut |_| {} });
//! assert!((rollout.figures(0).equity().mean - 1.0).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tavola_rules::Game;

pub use self::cube::{RolledOutCube, RolloutCube};
pub use self::on_fleet::{TrialRunner, TrialsOnFleet};
pub use self::saved::{ResumeError, SavedRollout};
pub(crate) use self::scoring::{Parts, Scoring, Settled};
use self::settings::next_check;
pub use self::settings::{
    FirstRolls, LaterPlay, Luck, MAX_CANDIDATES, RolloutError, RolloutSettings, StopRules,
    first_check,
};
use self::tally::{Exact, Tally, covariance_of};
pub use self::tally::{Figures, SampleMean};
use self::trial::TrialResult;
pub(crate) use self::trial::{Start, TrialPlayer, Trials};
use web_time::Instant;

use crate::evaluator::Evaluator;
use crate::remote::RemoteError;
use crate::search::{Cubeless, Search};
use crate::workers::Pool;

mod cube;
mod dice;
mod on_fleet;
mod saved;
mod scoring;
mod settings;
mod tally;
#[cfg(test)]
mod tests;
mod trial;

/// About how long passes between two calls of [`RolloutWatch::progress`].
const PATIENCE: Duration = Duration::from_millis(250);

/// The most games between two of these calls, so that their afterstates take little memory.
const LARGEST_STEP: u64 = 1 << 14;

/// Who sees the figures of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Perspective {
    /// The player on roll in the candidate.
    OnRoll,
    /// The player who made the play that led to the candidate.
    Mover,
}

/// A candidate that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dropped {
    /// Games after which it was dropped.
    pub trials: u64,
    /// The number of the candidate that was best then.
    pub behind: usize,
    /// How far it was behind that, and the standard error.
    by: [Exact; 2],
}

impl Dropped {
    /// How far its equity was behind, game by game.
    pub const fn by(&self) -> SampleMean {
        let [Exact(mean), Exact(standard_error)] = self.by;
        SampleMean { mean, standard_error }
    }
}

/// Why a rollout has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// All trials are done.
    Trials,
    /// The standard errors are as small as the limit.
    StandardError,
    /// The lead of the best candidate has reached the limit.
    Lead,
    /// The time is over.
    Time,
    /// It was called off; it can be run on.
    Canceled,
}

/// What goes on around a rollout.
pub struct RolloutWatch<'a, G: Game> {
    /// Once it is true, no more games are begun, and those that are being played are left out.
    pub cancel: &'a AtomicBool,
    /// Is called a few times a second, and in the end, between games.
    pub progress: &'a mut dyn FnMut(&Rollout<G>),
}

impl<G: Game> fmt::Debug for RolloutWatch<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RolloutWatch").field("cancel", self.cancel).finish_non_exhaustive()
    }
}

/// A rollout of one state, or of several that lead from one decision.
pub struct Rollout<G: Game> {
    settings: RolloutSettings,
    perspective: Perspective,
    starts: Vec<G::State>,
    /// What the trials gave so far.
    found: SavedRollout,
    game: G,
    /// Where there is a cube.
    cube: Option<RolloutCube>,
    player: MakePlayer,
    pool: Pool<Box<dyn Trials>>,
}

/// Plays some games of a rollout.
type Step<'a, G> = dyn FnMut(&mut Rollout<G>, &AtomicBool) -> Result<(), RemoteError> + 'a;

/// Makes a player of trials for another thread.
type MakePlayer = Box<dyn Fn() -> Box<dyn Trials> + Send>;

impl<G: Game> Rollout<G> {
    /// A rollout of `state`; the figures are those of its player on roll, before the roll.
    ///
    /// `evaluator` chooses the plays, evaluates luck and games that are cut short, and knows what
    /// is exact. `pruning` makes luck cheaper to evaluate and thins out searches, see
    /// [`Search::new`](crate::Search::new). `name` tells them from others in a saved rollout.
    ///
    /// # Errors
    ///
    /// [`RolloutError`]: impossible settings, or a state in which the game is over.
    pub fn of_state(
        game: G,
        evaluator: &dyn Evaluator<G>,
        pruning: Option<&dyn Evaluator<G>>,
        name: &str,
        settings: RolloutSettings,
        state: G::State,
    ) -> Result<Self, RolloutError> {
        if game.outcome(&state).is_some() {
            return Err(RolloutError::Finished);
        }
        let starts = vec![state];
        Self::cubeless(game, (evaluator, pruning), name, settings, Perspective::OnRoll, starts)
    }

    /// A rollout of plays, given by the states after them, which the opponent sees. The figures
    /// are those of the player who makes the play. A play may end the game.
    ///
    /// # Errors
    ///
    /// [`RolloutError`]: impossible settings, no play or too many.
    pub fn of_plays(
        game: G,
        evaluator: &dyn Evaluator<G>,
        pruning: Option<&dyn Evaluator<G>>,
        name: &str,
        settings: RolloutSettings,
        after: &[G::State],
    ) -> Result<Self, RolloutError> {
        let starts = after.to_vec();
        Self::cubeless(game, (evaluator, pruning), name, settings, Perspective::Mover, starts)
    }

    fn cubeless(
        game: G,
        (evaluator, pruning): (&dyn Evaluator<G>, Option<&dyn Evaluator<G>>),
        name: &str,
        settings: RolloutSettings,
        perspective: Perspective,
        states: Vec<G::State>,
    ) -> Result<Self, RolloutError> {
        let start = |&state: &G::State| Start { state, cube: (), may_double: true };
        let starts: Arc<[_]> = states.iter().map(start).collect();
        let (evaluator, pruning) = (evaluator.fork(), pruning.map(Evaluator::fork));
        let of_players = game.clone();
        let player = move || -> Box<dyn Trials> {
            let evaluators = (&*evaluator, pruning.as_deref());
            let starts = Arc::clone(&starts);
            Box::new(TrialPlayer::new(&of_players, Cubeless, evaluators, &settings, starts))
        };
        Self::new(game, name, settings, perspective, states, None, Box::new(player))
    }

    /// A rollout with a cube, of these states.
    pub(crate) fn with_cube(
        game: G,
        name: &str,
        settings: RolloutSettings,
        states: Vec<G::State>,
        cube: RolloutCube,
        player: MakePlayer,
    ) -> Result<Self, RolloutError> {
        let perspective = cube.perspective();
        Self::new(game, name, settings, perspective, states, Some(cube), player)
    }

    fn new(
        game: G,
        name: &str,
        settings: RolloutSettings,
        perspective: Perspective,
        starts: Vec<G::State>,
        cube: Option<RolloutCube>,
        player: MakePlayer,
    ) -> Result<Self, RolloutError> {
        settings.check(starts.len())?;
        let candidates = starts.len();
        let identity = saved::identity(&game, name, &settings, perspective, &starts, cube.as_ref());
        let found = SavedRollout {
            format: saved::FORMAT,
            identity,
            trials: 0,
            tallies: vec![Tally::new(cube.is_some()); candidates],
            differences: vec![Exact::default(); candidates * (candidates - 1) / 2],
            dropped: vec![None; candidates],
        };
        let pool = Pool::new(NonZeroUsize::MIN, &player);
        Ok(Self { settings, perspective, starts, found, game, cube, player, pool })
    }

    /// Sets the number of threads; the figures do not depend on it.
    #[must_use]
    pub fn on_threads(mut self, threads: NonZeroUsize) -> Self {
        self.pool = Pool::new(threads, &self.player);
        self
    }

    /// The settings.
    pub const fn settings(&self) -> &RolloutSettings {
        &self.settings
    }

    /// Games so far of each candidate that is not dropped.
    pub const fn trials(&self) -> u64 {
        self.found.trials
    }

    /// What is rolled out, as it was given.
    pub fn candidates(&self) -> &[G::State] {
        &self.starts
    }

    /// The figures of a candidate so far.
    ///
    /// # Panics
    ///
    /// If there is no candidate of this number.
    pub fn figures(&self, candidate: usize) -> Figures {
        let figures = self.found.tallies[candidate].figures();
        match self.perspective {
            Perspective::OnRoll => figures,
            Perspective::Mover => figures.flip(),
        }
    }

    /// Whether and when a candidate was dropped.
    ///
    /// # Panics
    ///
    /// If there is no candidate of this number.
    pub fn dropped(&self, candidate: usize) -> Option<Dropped> {
        self.found.dropped[candidate]
    }

    /// The candidate that is best so far, the first of equals.
    pub fn best(&self) -> usize {
        let equity = |candidate: usize| self.figures(candidate).compared().mean;
        let mut best = None;
        for candidate in self.running() {
            let equity = equity(candidate);
            if best.is_none_or(|(_, other)| equity > other) {
                best = Some((candidate, equity));
            }
        }
        best.map_or(0, |(candidate, _)| candidate)
    }

    /// How far the equity of the second candidate is behind that of the first, game by game. Where
    /// one of them was dropped, that is known only of it and the one that was best then.
    ///
    /// # Panics
    ///
    /// If there is no candidate of these numbers.
    pub fn behind(&self, first: usize, second: usize) -> Option<SampleMean> {
        match (self.found.dropped[first], self.found.dropped[second]) {
            (None, None) => Some(self.difference(first, second)),
            (_, Some(dropped)) if dropped.behind == first => Some(dropped.by()),
            _ => None,
        }
    }

    /// How far the second candidate is behind the first; both have had the same games.
    fn difference(&self, first: usize, second: usize) -> SampleMean {
        if first == second {
            return SampleMean::default();
        }
        let n = self.found.trials.max(1) as f64;
        let mean = self.figures(first).compared().mean - self.figures(second).compared().mean;
        let squares = self.found.differences[pair(first, second)].0;
        let variance = covariance_of(squares, n * mean, n * mean, self.found.trials);
        SampleMean::new(mean, variance, self.found.trials)
    }

    /// The state of the rollout, to resume it another time.
    pub fn save(&self) -> SavedRollout {
        self.found.clone()
    }

    /// Goes on where a saved rollout was left, in place of what was found so far. The number of
    /// trials and the rules to stop may be others than before: the figures are those of a rollout
    /// that had them from the beginning.
    ///
    /// # Errors
    ///
    /// [`ResumeError`] if the saved rollout has other settings, another evaluator or other
    /// candidates, or is damaged; nothing is changed then.
    pub fn resume(&mut self, saved: SavedRollout) -> Result<(), ResumeError> {
        saved.check(&self.found.identity, self.starts.len(), self.cube.is_some())?;
        self.found = saved;
        Ok(())
    }

    /// Plays games until there are enough of them, or the watch calls them off.
    pub fn run(&mut self, watch: &mut RolloutWatch<'_, G>) -> Ended {
        let mut step = 1;
        let ended = self.run_by(watch, &mut |rollout, cancel| {
            let until =
                next_check(rollout.found.trials, G::TOTAL_WEIGHT).min(rollout.settings.trials);
            let games = step.min(until - rollout.found.trials);
            let started = Instant::now();
            rollout.play(games, cancel);
            // The size of a step has no influence on any figure.
            step = match started.elapsed() < PATIENCE {
                true => (2 * step).min(LARGEST_STEP),
                false => (step / 2).max(1),
            };
            Ok(())
        });
        ended.expect("no step fails")
    }

    /// Plays steps until there are enough games, or the watch calls them off.
    fn run_by(
        &mut self,
        watch: &mut RolloutWatch<'_, G>,
        step: &mut Step<'_, G>,
    ) -> Result<Ended, RemoteError> {
        let begun = Instant::now();
        loop {
            let late = self.settings.stop.time.is_some_and(|limit| begun.elapsed() >= limit);
            let over = (late && self.found.trials >= 2).then_some(Ended::Time);
            if let Some(ended) = self.ended().or(over) {
                (watch.progress)(self);
                return Ok(ended);
            }
            if watch.cancel.load(Ordering::Relaxed) {
                (watch.progress)(self);
                return Ok(Ended::Canceled);
            }
            step(self, watch.cancel)?;
            (watch.progress)(self);
        }
    }

    /// Plays this number of games with each candidate that is not dropped, fewer if called off, and
    /// checks whether a candidate is to be dropped.
    fn play(&mut self, games: u64, cancel: &AtomicBool) {
        let running: Vec<usize> = self.running().collect();
        let first = self.found.trials;
        let jobs = usize::try_from(games).unwrap_or(usize::MAX);
        let played: Vec<Option<Vec<TrialResult>>> = self.pool.run(jobs, |player, index| {
            let play = |&candidate: &usize| player.play(candidate, first + index as u64, cancel);
            running.iter().map(play).collect()
        });
        // Once called off, what lies behind the first gap is lost.
        for results in played.into_iter().map_while(|results| results) {
            self.add(&running, &results);
        }
        self.check();
    }

    /// Drops candidates that are lost, where the rules are looked at.
    fn check(&mut self) {
        if next_check(self.found.trials.saturating_sub(1), G::TOTAL_WEIGHT) == self.found.trials {
            self.drop_the_lost();
        }
    }

    fn add(&mut self, running: &[usize], results: &[TrialResult]) {
        self.found.trials += 1;
        for (i, (&candidate, result)) in running.iter().zip(results).enumerate() {
            self.found.tallies[candidate].add(result);
            for (&other, before) in running[..i].iter().zip(results) {
                let difference = result.equity - before.equity;
                self.found.differences[pair(other, candidate)].0 += difference * difference;
            }
        }
    }

    fn drop_the_lost(&mut self) {
        let Some(limit) = self.settings.drop else { return };
        let best = self.best();
        let lost: Vec<usize> = self
            .running()
            .filter(|&other| other != best && self.is_ahead(best, other, limit))
            .collect();
        for candidate in lost {
            let SampleMean { mean, standard_error } = self.difference(best, candidate);
            let by = [Exact(mean), Exact(standard_error)];
            self.found.dropped[candidate] =
                Some(Dropped { trials: self.found.trials, behind: best, by });
        }
    }

    /// Whether the first candidate is this number of standard errors ahead of the second.
    fn is_ahead(&self, first: usize, second: usize, errors: f64) -> bool {
        let behind = self.difference(first, second);
        behind.mean > 0.0 && behind.mean >= errors * behind.standard_error
    }

    /// The candidates that are not dropped.
    fn running(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.starts.len()).filter(|&candidate| self.found.dropped[candidate].is_none())
    }

    /// The probability that what was estimated is above zero, as far as the games tell. Where a lead
    /// has ended the rollout it is a bound: every look at the rules might have done so by chance.
    pub fn probability_above_zero(&self, estimate: SampleMean) -> f64 {
        let above = estimate.probability_above_zero();
        let errs = match self.ended() {
            Some(Ended::Lead) => {
                let checks = std::iter::successors(Some(0), |&trials| {
                    Some(next_check(trials, G::TOTAL_WEIGHT))
                });
                let looks =
                    checks.skip(1).take_while(|&trials| trials <= self.found.trials).count();
                (looks as f64 * above.min(1.0 - above)).min(0.5)
            }
            _ => above.min(1.0 - above),
        };
        if above < 0.5 { errs } else { 1.0 - errs }
    }

    /// Why no more games are to be played, if so.
    fn ended(&self) -> Option<Ended> {
        let StopRules { standard_error, lead, time: _ } = self.settings.stop;
        if next_check(self.found.trials.saturating_sub(1), G::TOTAL_WEIGHT) == self.found.trials {
            let sure = |limit: f64| {
                self.running().all(|c| self.figures(c).compared().standard_error <= limit)
            };
            if standard_error.is_some_and(sure) {
                return Some(Ended::StandardError);
            }
            let best = self.best();
            let ahead = |limit: f64| match self.cube_action() {
                Some(action) => action.is_clear(limit),
                None => {
                    self.running().all(|other| other == best || self.is_ahead(best, other, limit))
                }
            };
            if lead.is_some_and(ahead) {
                return Some(Ended::Lead);
            }
        }
        (self.found.trials >= self.settings.trials).then_some(Ended::Trials)
    }
}

impl<G: Game> Search<G> {
    /// A rollout of plays by the evaluators of this search, given by the states after them.
    ///
    /// # Errors
    ///
    /// As for [`Rollout::of_plays`].
    pub fn rollout_of_plays(
        &self,
        after: &[G::State],
        settings: RolloutSettings,
    ) -> Result<Rollout<G>, RolloutError> {
        let pruning = self.pruning.as_deref();
        let rollout =
            Rollout::of_plays(self.game.clone(), &*self.main, pruning, "", settings, after)?;
        Ok(rollout.on_threads(self.threads))
    }
}

impl<G: Game> fmt::Debug for Rollout<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rollout")
            .field("game", &self.game)
            .field("settings", &self.settings)
            .field("starts", &self.starts)
            .field("trials", &self.found.trials)
            .finish_non_exhaustive()
    }
}

/// The number of the pair of two different candidates.
fn pair(one: usize, other: usize) -> usize {
    let (low, high) = (one.min(other), one.max(other));
    high * (high - 1) / 2 + low
}
