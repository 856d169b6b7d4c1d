//! A player who looks ahead.

use std::sync::atomic::AtomicBool;

use tavola_data::Choice;
use tavola_equity::OutcomeProbs;
use tavola_evaluator::search::{SearchSettings, SinglePlay};
use tavola_evaluator::{NEVER, Search};
use tavola_rules::Game;

use crate::agent::{Agent, AgentChoice, AgentError, Contender, check, watching};
use crate::game::ChoosingPlayer;
use crate::pace::Pace;

/// Plays what a search finds best. Without a time limit it always chooses the same in the same
/// situation, whatever it has played before.
pub struct SearchAgent<G: Game> {
    search: Search<G>,
    pace: Pace,
    called_off: &'static AtomicBool,
}

impl<G: Game> SearchAgent<G> {
    /// The agent that follows this search. A play that has no rival left is made without another
    /// look, whatever the settings say of it.
    pub fn new(mut search: Search<G>) -> Self {
        let settings = SearchSettings { single_play: SinglePlay::Accept, ..*search.settings() };
        search.set_settings(settings);
        Self { search, pace: Pace::Even(None), called_off: &NEVER }
    }

    /// This agent with another pace for its decisions.
    #[must_use]
    pub fn with_pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// This agent, who ends a search without a choice once the flag is true.
    #[must_use]
    pub fn called_off_by(self, called_off: &'static AtomicBool) -> Self {
        Self { called_off, ..self }
    }
}

impl<G: Game> Agent<G> for SearchAgent<G> {
    fn choose(&mut self, situation: &ChoosingPlayer<'_, G>) -> Result<AgentChoice, AgentError> {
        let ChoosingPlayer { state, afterstates, .. } = situation;
        let is_choice = afterstates.len() > 1;
        if let Some(settings) = is_choice.then(|| self.pace.begin(true)).flatten() {
            self.search.set_settings(settings);
        }
        let ranking = self.search.rank_among(state, afterstates, 1, watching(self.called_off));
        let plays = ranking.iter().map(|play| (play.state, play.loss, play.ply));
        let rollout = |after: &[_], settings| self.search.rollout_of_plays(after, settings);
        let best = if is_choice { self.pace.best(plays, rollout, self.called_off)? } else { 0 };
        check(self.called_off)?;
        let best = &ranking[best];
        let index = afterstates.iter().position(|result| *result == best.state);
        let index = index.expect("a ranking holds what was to be ranked");
        Ok(AgentChoice { index, probs: Some(best.value.flip()), choice: Choice::Best })
    }

    fn evaluate(&mut self, state: &G::State) -> Result<Option<OutcomeProbs>, AgentError> {
        let probs = self.search.evaluate(state, watching(self.called_off)).0;
        check(self.called_off)?;
        Ok(Some(probs))
    }
}

impl<G: Game> Contender<G> for SearchAgent<G> {
    fn fork(&self) -> Box<dyn Contender<G>> {
        Box::new(Self { search: self.search.fork(), pace: self.pace.clone(), ..*self })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use tavola_equity::Stakes;
    use tavola_evaluator::{CubefulEvaluator, FakeEvaluator, Level, PipCountEvaluator, Preset};
    use tavola_rules::{Backgammon, Cube, Dice, Options, Position};

    use super::*;
    use crate::agent::EvaluatorAgent;
    use crate::cube_play::{CubeView, CubefulAgent};
    use crate::labels::ExpectedBackup;

    const GAME: Backgammon = Backgammon::Standard;

    fn choose(agent: &mut dyn Agent<Backgammon>, state: &Position, roll: Dice) -> AgentChoice {
        let mut afterstates = Vec::new();
        GAME.afterstates(state, roll, &mut afterstates);
        agent.choose(&ChoosingPlayer::first(&GAME, state, roll, &afterstates)).unwrap()
    }

    fn racer(ply: u8) -> SearchAgent<Backgammon> {
        let evaluator = Box::new(PipCountEvaluator::new(GAME));
        SearchAgent::new(Search::new(GAME, evaluator, None, Preset::Full.at(ply)))
    }

    #[test]
    fn at_0_ply_it_plays_like_its_evaluator() {
        let mut plain = EvaluatorAgent::new(Box::new(PipCountEvaluator::new(GAME)));
        for (roll, _) in Dice::ALL {
            let expected = choose(&mut plain, &Position::STANDARD, roll);
            assert_eq!(choose(&mut racer(0), &Position::STANDARD, roll), expected);
            assert_eq!(choose(&mut *racer(0).fork(), &Position::STANDARD, roll), expected);
        }
    }

    #[test]
    fn who_is_called_off_inside_a_search_ends_it_without_a_choice() {
        let called_off: &'static AtomicBool = Box::leak(Box::default());
        let asked = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&asked);
        let fake = FakeEvaluator::new(GAME, move |_: &Position| {
            if counted.fetch_add(1, Ordering::Relaxed) == 10_000 {
                called_off.store(true, Ordering::Relaxed);
            }
            OutcomeProbs([0.5, 0.0, 0.0, 0.5, 0.0, 0.0])
        });
        let search = Search::new(GAME, Box::new(fake), None, Preset::Full.at(3));
        let mut agent = SearchAgent::new(search).called_off_by(called_off).fork();
        let error = AgentError("called off".to_owned());
        let (state, roll) = (Position::STANDARD, Dice::new(4, 2).unwrap());
        let mut afterstates = Vec::new();
        GAME.afterstates(&state, roll, &mut afterstates);
        let situation = ChoosingPlayer::first(&GAME, &state, roll, &afterstates);
        assert_eq!(agent.choose(&situation), Err(error.clone()));
        assert_eq!(agent.evaluate(&state), Err(error.clone()));
        // A 3-ply search has millions of states.
        assert!(asked.load(Ordering::Relaxed) < 15_000, "{asked:?}");
        // Neither a decision about the cube nor a rollout of close plays.
        called_off.store(false, Ordering::Relaxed);
        for level in [Level::ThreePly, Level::RollerPlus] {
            let fake = PipCountEvaluator::new(GAME);
            let evaluator =
                CubefulEvaluator::new(GAME, Box::new(fake), None).with_settings(level.search());
            let pace = Pace::Even(level.rollout().map(Box::new));
            let mut agent =
                CubefulAgent::new(evaluator).with_pace(pace).called_off_by(called_off).fork();
            called_off.store(true, Ordering::Relaxed);
            let options = Options::default();
            let stakes = Stakes::money(&options).unwrap();
            let view =
                CubeView { stakes: &stakes, cube: Cube::START, score: None, options: &options };
            assert_eq!(agent.before_roll(&view, &state), Err(error.clone()));
            let situation = ChoosingPlayer { cube: Some(&view), ..situation };
            assert_eq!(agent.choose(&situation), Err(error.clone()));
        }
    }

    /// Three quarters of the mean over the rolls, and one quarter of the state's own value.
    fn at_1_ply(state: &Position) -> OutcomeProbs {
        let mean = ExpectedBackup::new(GAME, Box::new(PipCountEvaluator::new(GAME))).target(state);
        let own = EvaluatorAgent::new(Box::new(PipCountEvaluator::new(GAME))).evaluate(state);
        let own = own.unwrap().unwrap();
        OutcomeProbs(std::array::from_fn(|i| (3.0 * mean.0[i] + own.0[i]) / 4.0))
    }

    #[test]
    fn it_evaluates_states_as_far_ahead_as_it_looks() {
        let of = |ply: u8| racer(ply).evaluate(&Position::STANDARD).unwrap().unwrap();
        for (found, expected) in of(1).0.into_iter().zip(at_1_ply(&Position::STANDARD).0) {
            assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
        }
        let mut plain = EvaluatorAgent::new(Box::new(PipCountEvaluator::new(GAME)));
        assert_eq!(of(0), plain.evaluate(&Position::STANDARD).unwrap().unwrap());
        assert_ne!(of(0), of(1));
    }

    #[test]
    fn it_chooses_among_the_results_that_it_is_given() {
        let (state, roll) = (Position::STANDARD, Dice::new(3, 1).unwrap());
        let mut afterstates = Vec::new();
        GAME.afterstates(&state, roll, &mut afterstates);
        let best = choose(&mut racer(1), &state, roll).index;
        afterstates.remove(best);
        let situation = ChoosingPlayer::first(&GAME, &state, roll, &afterstates);
        assert!(racer(1).choose(&situation).unwrap().index < afterstates.len());
    }

    #[test]
    fn at_1_ply_it_chooses_by_the_mean_over_the_opponents_rolls_and_the_own_value() {
        let mut other_than_at_0_ply = 0;
        for (roll, _) in Dice::ALL {
            let decision = choose(&mut racer(1), &Position::STANDARD, roll);
            let mut afterstates = Vec::new();
            GAME.afterstates(&Position::STANDARD, roll, &mut afterstates);
            let expectation: Vec<f32> =
                afterstates.iter().map(|result| -at_1_ply(result).equity()).collect();
            let best = expectation.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert!(best - expectation[decision.index] < 1e-6);
            assert!((decision.probs.unwrap().equity() + best).abs() < 1e-6);
            let at_0_ply = choose(&mut racer(0), &Position::STANDARD, roll);
            other_than_at_0_ply += u32::from(at_0_ply.index != decision.index);
        }
        assert!(other_than_at_0_ply > 0, "a search changes something");
    }
}
