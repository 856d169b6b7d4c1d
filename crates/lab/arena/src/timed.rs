//! How long a player thinks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tavola_equity::OutcomeProbs;
use tavola_play::{
    Agent, AgentError, BeforeRoll, Contender, CubeReply, CubeView, Decision, ResignReply, Situation,
};
use tavola_rules::{Game, Offer, WinKind};

/// Adds up thinking time, of all forks of an agent together.
#[derive(Clone, Debug, Default)]
pub struct Clock(Arc<AtomicU64>);

impl Clock {
    /// The time so far. Threads that think at the same time all count.
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }

    /// Counts some thinking.
    fn add(&self, time: Duration) {
        // 2^64 nanoseconds are 584 years.
        self.0.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
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
        let began = Instant::now();
        let decision = decide(&mut *self.agent);
        self.clock.add(began.elapsed());
        decision
    }
}

impl<G: Game> Agent<G> for Timed<G> {
    fn choose(&mut self, situation: &Situation<'_, G>) -> Result<Decision, AgentError> {
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
