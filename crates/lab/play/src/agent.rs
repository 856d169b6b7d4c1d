//! Who chooses the plays.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tavola_data::Choice;
use tavola_equity::OutcomeProbs;
use tavola_evaluator::expectation::least;
use tavola_evaluator::search::Preference;
use tavola_evaluator::{Evaluator, Pruner, SearchWatch};
use tavola_rules::{Game, Offer, WinKind};

use crate::cube_play::{BeforeRoll, CubeReply, CubeView, ResignReply};
use crate::game::ChoosingPlayer;

/// A player of the game `G`, with or without a cube.
///
/// An agent may keep scratch memory, so it is used through `&mut` by one thread.
pub trait Agent<G: Game> {
    /// Chooses one of the situation's afterstates, of which there is at least one.
    ///
    /// # Errors
    ///
    /// [`AgentError`] if the agent can't choose, for example because it is another program that
    /// has died. Agents that live in this process don't fail.
    fn choose(&mut self, situation: &ChoosingPlayer<'_, G>) -> Result<AgentChoice, AgentError>;

    /// The time that another program has taken to decide for the agent so far: processor time where
    /// the system tells it, else that of a clock. Nothing for agents that live in this process.
    fn time_of_program(&self) -> Duration {
        Duration::ZERO
    }

    /// What `state` is worth to its player on roll, before the roll and without a cube, at the
    /// agent's full depth; `None` if it does not say. A play without an alternative may be
    /// chosen without a search, but no state is evaluated without one.
    ///
    /// # Errors
    ///
    /// As [`choose`](Self::choose).
    fn evaluate(&mut self, state: &G::State) -> Result<Option<OutcomeProbs>, AgentError> {
        let _ = state;
        Ok(None)
    }

    /// What the player on roll, who is asked, does with the cube before the roll. They may double
    /// if [`Stakes::may_double`](tavola_equity::Stakes::may_double) says so, and resign if the
    /// options say so. Agents without a sense of the cube roll.
    ///
    /// # Errors
    ///
    /// As [`choose`](Self::choose), here and below.
    fn before_roll(
        &mut self,
        view: &CubeView<'_>,
        state: &G::State,
    ) -> Result<BeforeRoll, AgentError> {
        let _ = (view, state);
        Ok(BeforeRoll::Roll)
    }

    /// How `offer` is answered. A double and a raccoon are answered by the opponent of the player
    /// on roll, a beaver by the player on roll. Agents without a sense of the cube take.
    ///
    /// # Errors
    ///
    /// [`AgentError`].
    fn answer(
        &mut self,
        view: &CubeView<'_>,
        state: &G::State,
        offer: Offer,
    ) -> Result<CubeReply, AgentError> {
        let _ = (view, state, offer);
        Ok(CubeReply::Take)
    }

    /// Whether the opponent of the player on roll, who is asked, accepts that the latter loses this
    /// much. Agents without a sense of the cube refuse.
    ///
    /// # Errors
    ///
    /// [`AgentError`].
    fn answer_resignation(
        &mut self,
        view: &CubeView<'_>,
        state: &G::State,
        offered: WinKind,
    ) -> Result<ResignReply, AgentError> {
        let _ = (view, state, offered);
        Ok(ResignReply::Refuse)
    }
}

/// What a search for an agent watches: once the flag is true, it ends, and so does the game.
pub(crate) fn watching(called_off: &AtomicBool) -> SearchWatch<'_> {
    SearchWatch { cancel: Some(called_off), ..SearchWatch::default() }
}

/// An error once the flag is true: what was found meanwhile is no choice.
pub(crate) fn check(called_off: &AtomicBool) -> Result<(), AgentError> {
    match called_off.load(Ordering::Relaxed) {
        true => Err(AgentError("called off".to_owned())),
        false => Ok(()),
    }
}

/// Why an agent did not choose, in words: what can go wrong is each agent's own affair.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AgentError(pub String);

impl AgentError {
    /// What another error says.
    pub fn of(error: impl Display) -> Self {
        Self(error.to_string())
    }
}

/// An agent that always chooses the same in the same situation, so that it can play many games
/// at once, each thread with a fork of its own.
pub trait Contender<G: Game>: Agent<G> + Send {
    /// Another agent that plays alike, for use on another thread.
    fn fork(&self) -> Box<dyn Contender<G>>;
}

/// What an agent chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentChoice {
    /// Index of the chosen state in the situation's afterstates.
    pub index: usize,
    /// The agent's evaluation of that state from its player on roll, the opponent of the agent; the
    /// certain outcome if it is finished. `None` if the agent does not say.
    pub probs: Option<OutcomeProbs>,
    /// Why it was chosen.
    pub choice: Choice,
}

/// Plays what its evaluator likes best, looking no further (0-ply).
pub struct EvaluatorAgent<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    evaluated: Vec<OutcomeProbs>,
    pruner: Option<Pruner<G>>,
    /// What the pruner leaves.
    kept: Vec<G::State>,
}

impl<G: Game> EvaluatorAgent<G> {
    /// The agent that follows this evaluator.
    pub fn new(evaluator: Box<dyn Evaluator<G>>) -> Self {
        Self { evaluator, evaluated: Vec::new(), pruner: None, kept: Vec::new() }
    }

    /// This agent with an evaluator that looks at what `pruner` leaves and at nothing else: quicker,
    /// and hardly ever another choice.
    #[must_use]
    pub fn with_pruner(self, pruner: Pruner<G>) -> Self {
        Self { pruner: Some(pruner), ..self }
    }
}

impl<G: Game> Agent<G> for EvaluatorAgent<G> {
    /// The result with the least cubeless equity for the opponent; the first of equals, with a
    /// pruner the one that it likes better.
    fn choose(&mut self, situation: &ChoosingPlayer<'_, G>) -> Result<AgentChoice, AgentError> {
        let ChoosingPlayer { game, state, afterstates, .. } = *situation;
        let parent = game.flip(state);
        let looked_at = match &mut self.pruner {
            Some(pruner) if afterstates.len() > 1 => {
                self.kept.clear();
                let all = (afterstates, &[afterstates.len()][..]);
                let preference = |_: &G::State, probs: &OutcomeProbs| Preference::cubeless(probs);
                pruner.prune(&parent, all, preference, (&mut self.kept, &mut Vec::new()));
                &self.kept
            }
            _ => afterstates,
        };
        self.evaluator.evaluate_siblings(&parent, looked_at, &mut self.evaluated);
        let best =
            least(0..looked_at.len(), |i| self.evaluated[i].equity()).expect("as documented");
        let chosen = &looked_at[best];
        let index = match self.pruner {
            Some(_) => afterstates.iter().position(|result| result == chosen).expect("one of them"),
            None => best,
        };
        Ok(AgentChoice { index, probs: Some(self.evaluated[best]), choice: Choice::Best })
    }

    fn evaluate(&mut self, state: &G::State) -> Result<Option<OutcomeProbs>, AgentError> {
        self.evaluator.evaluate(std::slice::from_ref(state), &mut self.evaluated);
        Ok(Some(self.evaluated[0]))
    }
}

impl<G: Game> Contender<G> for EvaluatorAgent<G> {
    fn fork(&self) -> Box<dyn Contender<G>> {
        let agent = Self::new(self.evaluator.fork());
        Box::new(Self { pruner: self.pruner.as_ref().map(Pruner::fork), ..agent })
    }
}

#[cfg(test)]
mod tests {
    use tavola_evaluator::{FakeEvaluator, PipCountEvaluator, Pruning};
    use tavola_rules::{Backgammon, Dice, Outcome, Position};

    use super::*;

    fn choose(
        agent: &mut dyn Agent<Backgammon>,
        state: &Position,
        roll: Dice,
    ) -> (AgentChoice, Vec<Position>) {
        let game = Backgammon::Standard;
        let mut afterstates = Vec::new();
        game.afterstates(state, roll, &mut afterstates);
        let situation = ChoosingPlayer::first(&game, state, roll, &afterstates);
        (agent.choose(&situation).unwrap(), afterstates)
    }

    #[test]
    fn the_first_of_equals_is_chosen() {
        let even = |_: &Position| OutcomeProbs([0.5, 0.0, 0.0, 0.5, 0.0, 0.0]);
        let fake = FakeEvaluator::new(Backgammon::Standard, even);
        let (decision, afterstates) = choose(
            &mut EvaluatorAgent::new(Box::new(fake.clone())),
            &Position::STANDARD,
            Dice::new(3, 1).unwrap(),
        );
        assert_eq!(decision.index, 0);
        assert_eq!(decision.choice, Choice::Best);
        assert_eq!(fake.evaluated(), afterstates.len() as u64);
    }

    #[test]
    fn with_a_pruner_the_evaluator_sees_what_is_left() {
        let racer = || Box::new(PipCountEvaluator::new(Backgammon::Standard));
        let state = Position::STANDARD;
        let roll = Dice::new(6, 4).unwrap();
        let alone = choose(&mut EvaluatorAgent::new(racer()), &state, roll);
        for keep in [1, 3, 99] {
            let pruner = Pruner::new(racer(), Pruning { keep, within: 9.0 });
            let game = Backgammon::Standard;
            let fake = FakeEvaluator::new(game, |state: &Position| {
                let win = state.pip_count() as f32 / 400.0;
                OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
            });
            let agent = EvaluatorAgent::new(Box::new(fake.clone())).with_pruner(pruner);
            let (decision, afterstates) = choose(agent.fork().as_mut(), &state, roll);
            assert_eq!(fake.evaluated(), keep.min(afterstates.len()) as u64);
            let chosen = afterstates[decision.index];
            let win = chosen.pip_count() as f32 / 400.0;
            assert_eq!(decision.probs.unwrap().cumulative().win, win);
            if keep == 1 {
                assert_eq!(decision.index, alone.0.index);
            }
        }

        // A single afterstate is not pruned.
        let pruner = Pruner::new(racer(), Pruning { keep: 1, within: 0.0 });
        let mut agent = EvaluatorAgent::new(racer()).with_pruner(pruner);
        let shut_out = Position::from_points(&[(25, 1)], &[(6, 2), (5, 2)], 15).unwrap();
        let (decision, afterstates) = choose(&mut agent, &shut_out, Dice::new(5, 6).unwrap());
        assert_eq!((decision.index, afterstates.len()), (0, 1));
    }

    #[test]
    fn the_opponent_is_left_with_the_least_equity() {
        // The opponent likes to be on the bar, so the mover should not hit.
        let likes_the_bar = |state: &Position| {
            let lose = if state.bar() > 0 { 0.1 } else { 0.8 };
            OutcomeProbs([lose, 0.0, 0.0, 1.0 - lose, 0.0, 0.0])
        };
        let state = Position::from_points(&[(8, 1), (6, 2)], &[(21, 1), (5, 2)], 15).unwrap();
        let roll = Dice::new(4, 2).unwrap();
        let mut shy =
            EvaluatorAgent::new(Box::new(FakeEvaluator::new(Backgammon::Standard, likes_the_bar)));
        let (decision, afterstates) = choose(&mut shy, &state, roll);
        assert_eq!(afterstates[decision.index].bar(), 0);
        assert_eq!(decision.probs.unwrap().cumulative().win, 1.0 - 0.8);

        let mut racer = EvaluatorAgent::new(Box::new(PipCountEvaluator::new(Backgammon::Standard)));
        let (decision, afterstates) = choose(racer.fork().as_mut(), &state, roll);
        assert_eq!(afterstates[decision.index].bar(), 1);
        assert_eq!(choose(&mut racer, &state, roll).0, decision);
    }

    #[test]
    fn a_play_that_wins_is_made_whatever_the_evaluator_dreams_of() {
        let dream = |_: &Position| OutcomeProbs([0.9, 0.0, 0.0, 0.1, 0.0, 0.0]);
        let state = Position::from_points(&[(3, 1), (1, 1)], &[(5, 15)], 15).unwrap();
        let fake = FakeEvaluator::new(Backgammon::Standard, dream);
        let (decision, afterstates) =
            choose(&mut EvaluatorAgent::new(Box::new(fake)), &state, Dice::new(3, 1).unwrap());
        assert!(afterstates.len() > 1, "the checkers can be moved without bearing both off");
        assert_eq!(decision.probs, Some(OutcomeProbs::certain(Outcome::LoseGammon)));
        assert_eq!(Outcome::of(&afterstates[decision.index]), Some(Outcome::LoseGammon));
    }
}
