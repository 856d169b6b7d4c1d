//! How long a player thinks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tavola_rules::Game;

use crate::agent::{Agent, AgentError, Contender, Decision};
use crate::game::Situation;

/// Adds up thinking time, of all forks of an agent together.
#[derive(Clone, Debug, Default)]
pub struct Clock(Arc<AtomicU64>);

impl Clock {
    /// The time so far. Threads that think at the same time all count.
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }

    /// Counts some thinking.
    pub(crate) fn add(&self, time: Duration) {
        // 2^64 nanoseconds are 584 years.
        self.0.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// Plays like another agent while a clock runs.
pub struct TimedAgent<G: Game> {
    agent: Box<dyn Contender<G>>,
    clock: Clock,
}

impl<G: Game> TimedAgent<G> {
    /// The agent, timed by this clock.
    pub fn new(agent: Box<dyn Contender<G>>, clock: &Clock) -> Self {
        Self { agent, clock: clock.clone() }
    }
}

impl<G: Game> Agent<G> for TimedAgent<G> {
    fn choose(&mut self, situation: &Situation<'_, G>) -> Result<Decision, AgentError> {
        let began = Instant::now();
        let decision = self.agent.choose(situation);
        self.clock.add(began.elapsed());
        decision
    }
}

impl<G: Game> Contender<G> for TimedAgent<G> {
    fn fork(&self) -> Box<dyn Contender<G>> {
        Box::new(Self { agent: self.agent.fork(), clock: self.clock.clone() })
    }
}
