//! How long a player thinks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tavola_rules::{Backgammon, Game, Offer, Position, WinKind};

use tavola_play::Situation;
use tavola_play::{Agent, AgentError, Contender, Decision};
use tavola_play::{BeforeRoll, CubeAgent, CubeReply, ResignReply, TableView};

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

/// Decides like another agent while a clock runs: `Timed<dyn Contender<G>>` without a cube,
/// `Timed<dyn CubeAgent>` with one.
pub struct Timed<A: ?Sized> {
    agent: Box<A>,
    clock: Clock,
}

impl<A: ?Sized> Timed<A> {
    /// The agent, timed by this clock.
    pub fn new(agent: Box<A>, clock: &Clock) -> Self {
        Self { agent, clock: clock.clone() }
    }

    fn timed<T>(&mut self, decide: impl FnOnce(&mut A) -> T) -> T {
        let began = Instant::now();
        let decision = decide(&mut self.agent);
        self.clock.add(began.elapsed());
        decision
    }
}

impl<G: Game> Agent<G> for Timed<dyn Contender<G>> {
    fn choose(&mut self, situation: &Situation<'_, G>) -> Result<Decision, AgentError> {
        self.timed(|agent| agent.choose(situation))
    }
}

impl<G: Game> Contender<G> for Timed<dyn Contender<G>> {
    fn fork(&self) -> Box<dyn Contender<G>> {
        Box::new(Self::new(self.agent.fork(), &self.clock))
    }
}

impl CubeAgent for Timed<dyn CubeAgent> {
    fn before_roll(
        &mut self,
        view: &TableView<'_>,
        position: &Position,
    ) -> Result<BeforeRoll, AgentError> {
        self.timed(|agent| agent.before_roll(view, position))
    }

    fn answer(
        &mut self,
        view: &TableView<'_>,
        position: &Position,
        offer: Offer,
    ) -> Result<CubeReply, AgentError> {
        self.timed(|agent| agent.answer(view, position, offer))
    }

    fn answer_resignation(
        &mut self,
        view: &TableView<'_>,
        position: &Position,
        offered: WinKind,
    ) -> Result<ResignReply, AgentError> {
        self.timed(|agent| agent.answer_resignation(view, position, offered))
    }

    fn play(
        &mut self,
        view: &TableView<'_>,
        situation: &Situation<'_, Backgammon>,
    ) -> Result<Decision, AgentError> {
        self.timed(|agent| agent.play(view, situation))
    }

    fn fork(&self) -> Box<dyn CubeAgent> {
        Box::new(Self::new(self.agent.fork(), &self.clock))
    }
}
