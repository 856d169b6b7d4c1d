//! How much work an agent puts into a decision: that of a level, or what its time allows.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tavola_evaluator::rollout::{Rollout, RolloutError, RolloutSettings};
use tavola_evaluator::search::SinglePlay;
use tavola_evaluator::{CloseRollout, Level, Preset, SearchSettings};
use tavola_rules::Game;

use crate::agent::AgentError;

/// How much work an agent puts into a decision.
#[derive(Clone, Debug)]
pub enum Pace {
    /// A search as deep as the agent's settings say, then these rollouts of what is close.
    Even(Option<Box<CloseRollout>>),
    /// What the time of a decision allows.
    Timed(Box<TimedPace>),
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
        let best = close.best(ranking, rollout, called_off).map_err(AgentError::of)?;
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

/// How near the best a play must be at 0-ply to be looked at with 1-ply, step by step, and at 1-ply
/// with 2-ply. The last of each are those of the normal preset.
const NEAR: ([f32; 7], [f32; 4]) =
    ([0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12], [0.005, 0.01, 0.02, 0.035]);

/// The searches in the order of their cost: the bare network, then ever more plays at 1-ply and at
/// 2-ply. Rollouts of what is close follow the last.
const STEPS: usize = 1 + NEAR.0.len() + NEAR.1.len();

/// The search of a step.
fn search(step: usize) -> SearchSettings {
    let (one, two) = NEAR;
    let ply = if step > one.len() { 2 } else { step.min(1) as u8 };
    let mut settings = Preset::Normal.at(ply);
    match ply {
        0 => {}
        1 => settings.filters[0].within = one[step - 1],
        _ => settings.filters[1].within = two[step - 1 - one.len()],
    }
    SearchSettings { single_play: SinglePlay::Accept, ..settings }
}

/// A step that was not tried yet is taken to cost this many times what the one before costs.
const UNTRIED: f64 = 1.5;

/// A game of a rollout that was not tried yet is taken to cost this part of a search.
const UNTRIED_GAME: f64 = 0.25;

/// What is saved or owed is spread over this many plays.
const HORIZON: f64 = 32.0;

/// The fewest games of each play that can say more than the search.
const FEWEST_GAMES: u64 = 72;

/// Plays decisions that take a given time on average.
///
/// Each play brings that time. All are searched alike, as deep and as widely as that pays for by
/// what such searches have cost in the mean: then the time goes to the plays that are close. What
/// is saved or owed makes the next searches a little wider or narrower. After the deepest search
/// close plays are rolled out, with as many games as half of what is saved then pays for.
#[derive(Clone)]
pub struct TimedPace {
    /// In seconds, as all times here.
    each: f64,
    saved: f64,
    step: usize,
    begun: Duration,
    of_steps: [Mean; STEPS],
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
            of_steps: [Mean::default(); STEPS],
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
        let affordable = self.each + self.saved / HORIZON;
        self.saved += if is_play { self.each } else { 0.0 };
        let mut cost = f64::INFINITY;
        self.step = 0;
        for (step, known) in self.of_steps.iter().enumerate() {
            cost = known.known().unwrap_or(UNTRIED * cost);
            if cost <= affordable {
                self.step = step;
            }
        }
        search(self.step)
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
        if rivals == 0 || self.step + 1 < STEPS {
            return None;
        }
        let mut close = Self::close();
        let game = self.of_games.known().unwrap_or(UNTRIED_GAME * spent);
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

    /// The cost of a step in microseconds, from 500 to 3,715.
    fn cost(step: usize) -> u64 {
        (500.0 * 1.2_f64.powi(step as i32)) as u64
    }

    /// Decisions with this time in microseconds, a third of them close, with games of this cost:
    /// the mean time of one, and how often each step was taken.
    fn play(each: u64, game: u64) -> (f64, [u32; STEPS], u64) {
        let clock = Arc::new(Mutex::new(Duration::ZERO));
        let read = Arc::clone(&clock);
        let pass = |micros| *clock.lock().unwrap() += Duration::from_micros(micros);
        let mut pace = TimedPace::new(Duration::from_micros(each), move || *read.lock().unwrap());
        let (mut steps, mut games) = ([0; STEPS], 0);
        let count = 3000;
        for decision in 0..count {
            pace.begin(true);
            steps[pace.step] += 1;
            pass(cost(pace.step));
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
                pass(cost(pace.step));
                pace.searched(0);
            }
        }
        (clock.lock().unwrap().as_secs_f64() * 1e6 / f64::from(count), steps, games)
    }

    #[test]
    fn decisions_take_their_time_on_average_and_are_searched_alike() {
        for each in [700, 1000, 2000, 6000, 60_000] {
            let (mean, steps, games) = play(each, 400);
            let off = (mean / each as f64 - 1.0).abs();
            assert!(off < 0.05, "{each}: {mean} by {steps:?} and {games} games");
            assert_eq!(games > 0, each > 5000, "{each}: {steps:?} and {games} games");
            let often = steps.iter().filter(|&&count| count > 100).count();
            assert!(often <= 3, "{each}: {steps:?}");
        }
    }

    #[test]
    fn what_no_time_pays_for_is_played_at_the_least_and_no_time_is_left_where_nothing_is_close() {
        let (mean, steps, games) = play(100, 400);
        assert_eq!((steps[0], games), (3000, 0));
        assert!((mean - 550.0).abs() < 1.0, "{mean}");
        // Games that cost next to nothing are never too many.
        let (mean, _, games) = play(1_000_000, 1);
        assert!(mean < 10_000.0 && games > 2 * 1296 * 990, "{mean} {games}");
    }

    #[test]
    fn searches_go_from_the_bare_network_to_the_normal_preset_ever_wider() {
        let plies: Vec<u8> = (0..STEPS).map(|step| search(step).ply).collect();
        assert_eq!(plies, [0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2]);
        for (step, level) in [(0, Level::ZeroPly), (7, Level::OnePly), (11, Level::TwoPly)] {
            let normal = SearchSettings { single_play: SinglePlay::Accept, ..level.search() };
            assert_eq!(search(step), normal);
        }
        assert_eq!(search(4), Level::Quick.search());
    }
}
