//! How self-play games are varied.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use tavola_data::Choice;
use tavola_files::Failure;
use tavola_rules::Game;

use crate::agent::{Agent, AgentChoice, AgentError};
use crate::game::ChoosingPlayer;

/// A probability from 0 to 1; [never](Self::NEVER) by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct Probability(f64);

impl Probability {
    /// It does not happen.
    pub const NEVER: Self = Self(0.0);

    /// It happens each time.
    pub const ALWAYS: Self = Self(1.0);

    /// A probability from its number.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it is not from 0 to 1.
    pub fn new(probability: f64) -> Result<Self, Failure> {
        if (0.0..=1.0).contains(&probability) {
            Ok(Self(probability))
        } else {
            Err(Failure::input(format!("a probability of {probability}, expected 0 to 1")))
        }
    }

    /// The number from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Whether it happens this time.
    pub(crate) fn happens(self, rng: &mut ChaCha8Rng) -> bool {
        rng.random_bool(self.0)
    }
}

impl TryFrom<f64> for Probability {
    type Error = Failure;

    fn try_from(probability: f64) -> Result<Self, Failure> {
        Self::new(probability)
    }
}

/// How often a play is drawn at random instead of chosen. The defaults draw none: the dice alone
/// vary the games of backgammon a lot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExploreSettings {
    /// Probability of each play, from 0 to 1, to be drawn at random from all afterstates of its
    /// roll. More than a few per cent make the games, and with them the outcomes, worse than those
    /// the network is to evaluate.
    pub random_play: Probability,
    /// Most plays drawn at random at the start of a game, both players counted. Each game has
    /// from none to this number of them, each equally often, so that the usual openings stay
    /// in. They lead to positions that a network's own openings never reach.
    pub random_opening_plays: u32,
}

/// Plays one game like another agent, but for the plays that are drawn at random.
pub(crate) struct ExploringAgent<'a, G> {
    agent: &'a mut dyn Agent<G>,
    settings: ExploreSettings,
    rng: ChaCha8Rng,
    opening_plays: u32,
}

impl<'a, G: Game> ExploringAgent<'a, G> {
    /// An agent for one game, whose random plays come from `rng`.
    pub(crate) fn new(
        agent: &'a mut dyn Agent<G>,
        settings: ExploreSettings,
        mut rng: ChaCha8Rng,
    ) -> Self {
        let opening_plays = rng.random_range(0..=settings.random_opening_plays);
        Self { agent, settings, rng, opening_plays }
    }
}

impl<G: Game> Agent<G> for ExploringAgent<'_, G> {
    fn choose(&mut self, situation: &ChoosingPlayer<'_, G>) -> Result<AgentChoice, AgentError> {
        // Drawn in every turn, so that one draw does not change what later ones say.
        let random = self.settings.random_play.happens(&mut self.rng);
        let afterstates = situation.afterstates;
        if afterstates.len() == 1 || !(random || situation.turn < self.opening_plays) {
            return self.agent.choose(situation);
        }
        // The generator's numbers must not depend on the width of `usize`.
        let index = self.rng.random_range(0..afterstates.len() as u64) as usize;
        // With only this afterstate to choose from, the agent evaluates it.
        let only = ChoosingPlayer { afterstates: &afterstates[index..=index], ..*situation };
        let evaluated = self.agent.choose(&only)?;
        Ok(AgentChoice { index, probs: evaluated.probs, choice: Choice::Explored })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_chance_is_refused() {
        for number in [-0.1, 1.5, f64::NAN, f64::INFINITY] {
            let error = Probability::new(number).unwrap_err();
            assert!(error.to_string().ends_with("expected 0 to 1"), "{error}");
        }
        assert_eq!(Probability::new(0.25).unwrap().get(), 0.25);
    }
}
