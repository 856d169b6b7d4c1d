//! How long a player thinks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tavola_equity::OutcomeProbs;
use tavola_play::{
    Agent, AgentChoice, AgentError, BeforeRoll, ChoosingPlayer, Contender, CubeReply, CubeView,
    ResignReply,
};
use tavola_rules::{Game, Offer, WinKind};

/// Adds up thinking time, of all forks of an agent together.
#[derive(Clone, Debug, Default)]
pub struct Clock(Arc<[AtomicU64; 2]>);

impl Clock {
    /// Processor time so far, of all threads and of the program that an agent asks.
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.0[0].load(Ordering::Relaxed))
    }

    /// The time of a play that was chosen among several, with the decisions about the cube before
    /// it; `None` without any.
    pub fn of_a_decision(&self) -> Option<Duration> {
        let decisions = self.0[1].load(Ordering::Relaxed);
        (decisions > 0).then(|| self.elapsed().div_f64(decisions as f64))
    }

    /// Counts some thinking.
    fn add(&self, time: Duration) {
        // 2^64 nanoseconds are 584 years.
        self.0[0].fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// Processor time that this thread has taken.
#[cfg(unix)]
pub(crate) fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// The time since the first call: this system's processor time is not known to us.
#[cfg(not(unix))]
pub(crate) fn thread_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

/// Decides like another agent while a clock runs.
pub struct Timed<G: Game> {
    agent: Box<dyn Contender<G>>,
    clock: Clock,
}

impl<G: Game> Timed<G> {
    /// The agent, timed by this clock.
    pub fn new(agent: Box<dyn Contender<G>>, clock: &Clock) -> Self {
        Self { agent, clock: clock.clone() }
    }

    fn timed<T>(&mut self, decide: impl FnOnce(&mut dyn Contender<G>) -> T) -> T {
        let began = thread_time() + self.agent.time_of_program();
        let decision = decide(&mut *self.agent);
        let ended = thread_time() + self.agent.time_of_program();
        self.clock.add(ended.saturating_sub(began));
        decision
    }
}

impl<G: Game> Agent<G> for Timed<G> {
    fn choose(&mut self, situation: &ChoosingPlayer<'_, G>) -> Result<AgentChoice, AgentError> {
        if situation.afterstates.len() > 1 {
            self.clock.0[1].fetch_add(1, Ordering::Relaxed);
        }
        self.timed(|agent| agent.choose(situation))
    }

    fn evaluate(&mut self, state: &G::State) -> Result<Option<OutcomeProbs>, AgentError> {
        self.timed(|agent| agent.evaluate(state))
    }

    fn before_roll(
        &mut self,
        view: &CubeView<'_>,
        state: &G::State,
    ) -> Result<BeforeRoll, AgentError> {
        self.timed(|agent| agent.before_roll(view, state))
    }

    fn answer(
        &mut self,
        view: &CubeView<'_>,
        state: &G::State,
        offer: Offer,
    ) -> Result<CubeReply, AgentError> {
        self.timed(|agent| agent.answer(view, state, offer))
    }

    fn answer_resignation(
        &mut self,
        view: &CubeView<'_>,
        state: &G::State,
        offered: WinKind,
    ) -> Result<ResignReply, AgentError> {
        self.timed(|agent| agent.answer_resignation(view, state, offered))
    }
}

impl<G: Game> Contender<G> for Timed<G> {
    fn fork(&self) -> Box<dyn Contender<G>> {
        Box::new(Self::new(self.agent.fork(), &self.clock))
    }
}
