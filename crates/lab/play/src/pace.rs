//! How much work an agent puts into a decision: that of a level, or what its time allows.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tavola_evaluator::rollout::{Rollout, RolloutError, RolloutSettings};
use tavola_evaluator::search::SinglePlay;
use tavola_evaluator::{CloseRollout, Level, SearchSettings};
use tavola_rules::Game;

use crate::agent::AgentError;

/// How much work an agent puts into a decision.
#[derive(Clone, Debug)]
pub enum Pace {
    /// A search as deep as the agent's settings say, then these rollouts of what is close.
    Even(Option<Box<CloseRollout>>),
    /// What the time of a decision allows.
    Timed(TimedPace),
}

impl Pace {
    /// A decision begins, about a play or about the cube: how deep to search, if not as always.
    pub(crate) fn begin(&mut self, is_play: bool) -> Option<SearchSettings> {
        match self {
            Self::Even(_) => None,
            Self::Timed(pace) => Some(pace.begin(is_play)),
        }
    }

    /// The number of the play to make, of a ranking with state, loss and depth of each.
    pub(crate) fn best<G: Game>(
        &mut self,
        ranking: impl Iterator<Item = (G::State, f32, u8)> + Clone,
        rollout: impl FnOnce(&[G::State], RolloutSettings) -> Result<Rollout<G>, RolloutError>,
        called_off: &AtomicBool,
    ) -> Result<usize, AgentError> {
        let rivals =
            |close: &CloseRollout| close.rivals(ranking.clone().map(|(_, loss, ply)| (loss, ply)));
        let close = match self {
            Self::Even(close) => close.as_deref().copied(),
            Self::Timed(pace) => pace.searched(rivals(&TimedPace::close())),
        };
        let Some(close) = close else { return Ok(0) };
        let games = close.settings.trials * rivals(&close) as u64;
        let best = close
            .best(ranking, rollout, called_off)
            .map_err(|error| AgentError(error.to_string()))?;
        if let Self::Timed(pace) = self {
            pace.rolled(games);
        }
        Ok(best)
    }

    /// A decision about the cube was made.
    pub(crate) fn decided(&mut self) {
        if let Self::Timed(pace) = self {
            pace.searched(0);
        }
    }
}

/// A clock: the time so far.
type Now = dyn Fn() -> Duration + Send + Sync;

/// The levels of a search in the order of their cost. Rollouts of what is close follow the last.
const STEPS: [Level; 4] = [Level::ZeroPly, Level::Quick, Level::OnePly, Level::TwoPly];

/// A step that was not tried yet is taken to cost this many times what the one before costs.
const UNTRIED: f64 = 4.0;

/// The fewest games of each play that can say more than the search.
const FEWEST_GAMES: u64 = 72;

/// Plays decisions that take a given time on average.
///
/// Each play brings that time. It is searched as deep as the time saved so far pays for, by what
/// the depths have cost in the mean. After the deepest search close plays are rolled out, with as
/// many games as half of what is saved then pays for. A step that takes longer is paid back by
/// the decisions that follow.
#[derive(Clone)]
pub struct TimedPace {
    /// In seconds, as all times here.
    each: f64,
    saved: f64,
    step: usize,
    begun: Duration,
    of_steps: [Mean; STEPS.len()],
    of_games: Mean,
    now: Arc<Now>,
}

impl fmt::Debug for TimedPace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimedPace").field("each", &self.each).finish_non_exhaustive()
    }
}

/// A mean of costs that forgets the oldest slowly.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    count: f64,
    mean: f64,
}

impl Mean {
    const MEMORY: f64 = 256.0;

    fn add(&mut self, cost: f64) {
        self.count = (self.count + 1.0).min(Self::MEMORY);
        self.mean += (cost - self.mean) / self.count;
    }

    fn known(&self) -> Option<f64> {
        (self.count > 0.0).then_some(self.mean)
    }
}

impl TimedPace {
    /// Plays that take this time on average, by a clock.
    pub fn new(each: Duration, now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self {
            each: each.as_secs_f64(),
            saved: 0.0,
            step: 0,
            begun: Duration::ZERO,
            of_steps: [Mean::default(); STEPS.len()],
            of_games: Mean::default(),
            now: Arc::new(now),
        }
    }

    /// Which plays are rolled out after the deepest search, and with how many games at most.
    fn close() -> CloseRollout {
        Level::RollerPlus.rollout().expect("the level has rollouts")
    }

    fn begin(&mut self, is_play: bool) -> SearchSettings {
        self.begun = (self.now)();
        self.saved += if is_play { self.each } else { 0.0 };
        let mut cost = f64::INFINITY;
        self.step = 0;
        for (step, known) in self.of_steps.iter().enumerate() {
            cost = known.known().unwrap_or(UNTRIED * cost);
            if cost <= self.saved {
                self.step = step;
            }
        }
        SearchSettings { single_play: SinglePlay::Accept, ..STEPS[self.step].search() }
    }

    /// The time since the last call, which is taken from what is saved.
    fn spent(&mut self) -> f64 {
        let now = (self.now)();
        let spent = now.saturating_sub(self.begun).as_secs_f64();
        self.begun = now;
        self.saved -= spent;
        spent
    }

    /// A search has ended with `rivals` plays close to the best: the rollouts that are affordable.
    fn searched(&mut self, rivals: usize) -> Option<CloseRollout> {
        let spent = self.spent();
        self.of_steps[self.step].add(spent);
        if rivals == 0 || self.step + 1 < STEPS.len() {
            return None;
        }
        let mut close = Self::close();
        let game = self.of_games.known().unwrap_or(spent / UNTRIED);
        let games = (self.saved / 2.0 / (game * rivals as f64)) as u64;
        close.settings.trials = games.min(close.settings.trials);
        (games >= FEWEST_GAMES).then_some(close)
    }

    /// At most this number of games was played, those of all plays together.
    fn rolled(&mut self, games: u64) {
        let cost = self.spent() / games.max(1) as f64;
        self.of_games.add(cost);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Decisions whose steps cost this many milliseconds, a third of them close, with games of
    /// this cost: the mean time of one, and how often each step was taken.
    fn play(each: u64, costs: [u64; 4], game: u64) -> (f64, [u32; 4], u64) {
        let clock = Arc::new(Mutex::new(Duration::ZERO));
        let read = Arc::clone(&clock);
        let pass = |micros| *clock.lock().unwrap() += Duration::from_micros(micros);
        let mut pace = TimedPace::new(Duration::from_micros(each), move || *read.lock().unwrap());
        let (mut steps, mut games) = ([0; 4], 0);
        let count = 3000;
        for decision in 0..count {
            pace.begin(true);
            steps[pace.step] += 1;
            pass(costs[pace.step]);
            let rivals = if decision % 3 == 0 { 2 } else { 0 };
            if let Some(close) = pace.searched(rivals) {
                assert!(close.settings.trials >= FEWEST_GAMES);
                let played = 2 * close.settings.trials;
                games += played;
                pass(played * game);
                pace.rolled(played);
            }
            // A look at the cube brings no time.
            if decision % 10 == 0 {
                pace.begin(false);
                pass(costs[pace.step]);
                pace.searched(0);
            }
        }
        (clock.lock().unwrap().as_secs_f64() * 1e6 / f64::from(count), steps, games)
    }

    #[test]
    fn decisions_take_their_time_on_average_whatever_they_cost() {
        let costs = [500, 900, 1500, 5000];
        for each in [700, 1000, 2000, 6000, 60_000] {
            let (mean, steps, games) = play(each, costs, 400);
            let off = (mean / each as f64 - 1.0).abs();
            assert!(off < 0.05, "{each}: {mean} by {steps:?} and {games} games");
            assert_eq!(games > 0, each > 5000, "{each}: {steps:?} and {games} games");
        }
    }

    #[test]
    fn what_no_time_pays_for_is_played_at_the_least_and_no_time_is_left_where_nothing_is_close() {
        let (mean, steps, games) = play(100, [500, 900, 1500, 5000], 400);
        assert_eq!((steps, games), ([3000, 0, 0, 0], 0));
        assert!((mean - 550.0).abs() < 1.0, "{mean}");
        // Games that cost next to nothing are never too many.
        let (mean, _, games) = play(1_000_000, [500, 900, 1500, 5000], 1);
        assert!(mean < 10_000.0 && games > 2 * 1296 * 990, "{mean} {games}");
    }
}
