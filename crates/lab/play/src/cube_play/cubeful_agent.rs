//! A player that decides by the cubeful evaluator.

use std::sync::atomic::AtomicBool;

use tavola_data::Choice;
use tavola_equity::{BeaverAnswer, CubeDecision, OutcomeProbs, Probs, Response, Stakes};
use tavola_evaluator::rollout::RolloutWatch;
use tavola_evaluator::search::{SearchSettings, SinglePlay};
use tavola_evaluator::{CubeEvaluator, CubefulEvaluator, NEVER, PlayableGame};
use tavola_rules::{Backgammon, Cube, CubeOwner, Offer, Outcome, Position, WinKind};

use super::view::{BeforeRoll, CubeReply, CubeView, ResignReply};
use crate::agent::{Agent, AgentChoice, AgentError, Contender, check, watching};
use crate::game::ChoosingPlayer;
use crate::pace::Pace;

/// How near to certain a loss must be before it is offered, where it is not known exactly: the most
/// that may be left to hope for, as a winning probability and in equity (EMG in a match). Half a
/// millipoint is a tenth of what duels can tell apart; only a wrong evaluation gives it away.
const HOPELESS: f64 = 0.0005;

/// Plays checkers and cube by a [`CubefulEvaluator`], as deep and wide as its settings say.
///
/// # Resigning
///
/// By its evaluator, at 0-ply: on roll, before a double, it offers the smallest loss that is not
/// better for it than playing on, if that gives away at most 0.0005 in cubeless equity (EMG
/// in a match) and the probability of winning is at most 0.0005. Where the evaluator is
/// [exact](tavola_evaluator::Evaluator::is_exact) nothing at all may be given away: only what is
/// lost for certain is conceded. It accepts whatever is not worth less to it than playing on, and
/// the [most that can be lost](PlayableGame::most_to_lose) in any case.
///
/// That leaves the adjustment for luck without bias. Luck is the change of a value over rolls that
/// were thrown, with mean zero for each of them; whether there is another is decided before it is
/// thrown.
pub struct CubefulAgent {
    evaluator: CubefulEvaluator,
    pace: Pace,
    called_off: &'static AtomicBool,
}

impl CubefulAgent {
    /// The agent that follows this evaluator. A play without an alternative is made without a
    /// search, whatever the settings say of it.
    pub fn new(mut evaluator: CubefulEvaluator) -> Self {
        let settings = SearchSettings { single_play: SinglePlay::Accept, ..*evaluator.settings() };
        evaluator.set_settings(settings);
        Self { evaluator, pace: Pace::Even(None), called_off: &NEVER }
    }

    /// This agent with another pace for its decisions.
    #[must_use]
    pub fn with_pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// This agent, who ends a search without a decision once the flag is true.
    #[must_use]
    pub fn called_off_by(self, called_off: &'static AtomicBool) -> Self {
        Self { called_off, ..self }
    }

    /// Doubling and answering at this cube, from the player on roll.
    fn decide(
        &mut self,
        position: &Position,
        stakes: &Stakes,
        cube: Cube,
    ) -> Result<CubeDecision, AgentError> {
        let watch = watching(self.called_off);
        if let Some(settings) = self.pace.begin(false) {
            self.evaluator.set_settings(settings);
        }
        let searched =
            self.evaluator.decide(position, stakes, cube, watch).map_err(AgentError::of)?;
        let close = match &mut self.pace {
            Pace::Even(close) => {
                close.as_deref().copied().filter(|close| close.concerns(&searched.decision))
            }
            Pace::Timed(_) => None,
        };
        self.pace.decided();
        check(self.called_off)?;
        let Some(close) = close else { return Ok(searched.decision) };
        let rollout = self.evaluator.rollout_of_cube(position, stakes, cube, "", close.settings);
        let mut rolled = rollout.map_err(AgentError::of)?;
        rolled.run(&mut RolloutWatch { cancel: self.called_off, progress: &mut |_| {} });
        check(self.called_off)?;
        Ok(rolled.cube_action().map_or(searched.decision, |rolled| rolled.decision))
    }

    /// The probabilities of the player on roll, at 0-ply.
    fn probs(&self, position: &Position) -> Probs {
        let mut evaluator = self.evaluator.evaluator().fork();
        let mut evaluated: Vec<OutcomeProbs> = Vec::with_capacity(1);
        evaluator.evaluate(std::slice::from_ref(position), &mut evaluated);
        evaluated[0].cumulative()
    }
}

/// What it is worth to the player on roll to lose so much, in equity at the cube.
fn loss(stakes: &Stakes, cube: Cube, kind: WinKind) -> f64 {
    let outcome = match kind {
        WinKind::Single => Outcome::LoseSingle,
        WinKind::Gammon => Outcome::LoseGammon,
        WinKind::Backgammon => Outcome::LoseBackgammon,
    };
    equity(stakes, cube, &OutcomeProbs::certain(outcome).cumulative())
}

/// What outcomes are worth as they fall, in equity at the cube.
fn equity(stakes: &Stakes, cube: Cube, probs: &Probs) -> f64 {
    stakes.value(stakes.cubeless(probs, cube), cube).equity()
}

/// The loss that a player with these probabilities should offer, if any, where they may give away
/// `most`.
fn resignation(stakes: &Stakes, cube: Cube, probs: &Probs, most: f64) -> Option<WinKind> {
    if f64::from(probs.win) > most {
        return None;
    }
    let playing_on = equity(stakes, cube, probs);
    [WinKind::Single, WinKind::Gammon, WinKind::Backgammon]
        .into_iter()
        .find(|&kind| loss(stakes, cube, kind) <= playing_on)
        .filter(|&kind| playing_on - loss(stakes, cube, kind) <= most)
}

impl Agent<Backgammon> for CubefulAgent {
    fn before_roll(
        &mut self,
        view: &CubeView<'_>,
        position: &Position,
    ) -> Result<BeforeRoll, AgentError> {
        let CubeView { stakes, cube, .. } = *view;
        if view.options.resignation {
            let most = if self.evaluator.evaluator().is_exact(position) { 0.0 } else { HOPELESS };
            if let Some(kind) = resignation(stakes, cube, &self.probs(position), most) {
                return Ok(BeforeRoll::Resign(kind));
            }
        }
        if stakes.may_double(cube).is_err() {
            return Ok(BeforeRoll::Roll);
        }
        Ok(if self.decide(position, stakes, cube)?.is_double() {
            BeforeRoll::Double
        } else {
            BeforeRoll::Roll
        })
    }

    fn answer(
        &mut self,
        view: &CubeView<'_>,
        position: &Position,
        offer: Offer,
    ) -> Result<CubeReply, AgentError> {
        let CubeView { stakes, cube, .. } = *view;
        // To take a raccoon is to take a double from a cube that was turned twice.
        let from = match offer {
            Offer::Double | Offer::Beaver => cube,
            Offer::Raccoon => {
                Cube::new(cube.exponent() + 2, CubeOwner::Player).map_err(AgentError::of)?
            }
        };
        let decision = self.decide(position, stakes, from)?;
        let doubled = decision.double.map_err(AgentError::of)?;
        Ok(match (offer, doubled.answer, doubled.beaver) {
            (Offer::Double, Response::Beaver, _) => CubeReply::Turn,
            (Offer::Double | Offer::Raccoon, Response::Pass, _) => CubeReply::Drop,
            (Offer::Beaver, _, Some((_, BeaverAnswer::Raccoon))) => CubeReply::Turn,
            (Offer::Beaver, _, Some((_, BeaverAnswer::Pass))) => CubeReply::Drop,
            _ => CubeReply::Take,
        })
    }

    fn answer_resignation(
        &mut self,
        view: &CubeView<'_>,
        position: &Position,
        offered: WinKind,
    ) -> Result<ResignReply, AgentError> {
        if offered >= Backgammon::Standard.most_to_lose(position) {
            return Ok(ResignReply::Accept);
        }
        let CubeView { stakes, cube, .. } = *view;
        let playing_on = equity(stakes, cube, &self.probs(position));
        let enough = loss(stakes, cube, offered) <= playing_on;
        Ok(if enough { ResignReply::Accept } else { ResignReply::Refuse })
    }

    fn choose(
        &mut self,
        situation: &ChoosingPlayer<'_, Backgammon>,
    ) -> Result<AgentChoice, AgentError> {
        let forced = AgentChoice { index: 0, probs: None, choice: Choice::Best };
        if situation.afterstates.len() == 1 {
            return Ok(forced);
        }
        let &CubeView { stakes, cube, .. } =
            situation.cube.ok_or_else(|| AgentError("a game without a cube".to_owned()))?;
        if let Some(settings) = self.pace.begin(true) {
            self.evaluator.set_settings(settings);
        }
        let watch = watching(self.called_off);
        let ranking = self
            .evaluator
            .rank(situation.state, situation.roll, stakes, cube, watch)
            .map_err(AgentError::of)?;
        let plays = ranking.iter().map(|play| (play.position, play.loss, play.ply));
        let rollout = |after: &[_], settings| {
            self.evaluator.rollout_of_plays(after, stakes, cube, "", settings)
        };
        let best = self.pace.best(plays, rollout, self.called_off)?;
        check(self.called_off)?;
        let best = &ranking[best];
        let index = situation.afterstates.iter().position(|result| *result == best.position);
        let index = index.expect("both list the afterstates of the same roll");
        Ok(AgentChoice { index, probs: Some(best.probs.flip()), ..forced })
    }
}

impl Contender<Backgammon> for CubefulAgent {
    fn fork(&self) -> Box<dyn Contender<Backgammon>> {
        Box::new(Self { evaluator: self.evaluator.fork(), pace: self.pace.clone(), ..*self })
    }
}

#[cfg(test)]
mod tests {
    use tavola_equity::MatchEquityTable;
    use tavola_evaluator::Evaluator;
    use tavola_rules::{MatchScore, Options};

    use super::*;

    fn losing(win: f32, lose_gammon: f32) -> Probs {
        Probs { win, lose_gammon, ..Probs::default() }
    }

    #[test]
    fn the_smallest_loss_is_offered_that_costs_next_to_nothing() {
        let money = Stakes::money(&Options::default()).unwrap();
        let offer = |win, gammon| resignation(&money, Cube::START, &losing(win, gammon), HOPELESS);
        assert_eq!(offer(0.0, 0.0), Some(WinKind::Single));
        assert_eq!(offer(0.0002, 0.0), Some(WinKind::Single));
        assert_eq!(offer(0.0, 1.0), Some(WinKind::Gammon));
        assert_eq!(offer(0.0, 0.9997), Some(WinKind::Gammon));
        let sure = Probs { lose_backgammon: 1.0, ..losing(0.0, 1.0) };
        let backgammon = resignation(&money, Cube::START, &sure, HOPELESS);
        assert_eq!(backgammon, Some(WinKind::Backgammon));
        // A player gives away nothing that they may still save, or win.
        assert_eq!(offer(0.0, 0.5), None);
        assert_eq!(offer(0.0003, 0.0), None);
        assert_eq!(offer(0.0, 0.9993), None);
        // A single loss would be refused here, and a gammon is not lost yet.
        assert_eq!(offer(0.0, 0.01), None);
    }

    #[test]
    fn gammons_that_cost_nothing_are_not_offered() {
        let jacoby = Options { jacoby: true, ..Options::default() };
        let money = Stakes::money(&jacoby).unwrap();
        let sure = losing(0.0, 1.0);
        let offer = |stakes: &Stakes, cube| resignation(stakes, cube, &sure, HOPELESS);
        assert_eq!(offer(&money, Cube::START), Some(WinKind::Single));
        let turned = Cube::new(1, CubeOwner::Player).unwrap();
        assert_eq!(offer(&money, turned), Some(WinKind::Gammon));
        let table = MatchEquityTable::kazaross_xg2();
        let score = MatchScore::new(7, 2, 6).unwrap();
        let stakes = Stakes::for_match(score, table, &Options::default()).unwrap();
        assert_eq!(offer(&stakes, Cube::START), Some(WinKind::Single));
    }

    /// Gives every position these probabilities, and says whether it knows them exactly.
    #[derive(Clone, Copy)]
    struct Sure {
        win: f32,
        exact: bool,
    }

    impl Evaluator<Backgammon> for Sure {
        fn evaluate(&mut self, states: &[Position], out: &mut Vec<OutcomeProbs>) {
            let mut probs = OutcomeProbs::default();
            probs.0[Outcome::WinSingle as usize] = self.win;
            probs.0[Outcome::LoseSingle as usize] = 1.0 - self.win;
            out.clear();
            out.resize(states.len(), probs);
        }

        fn is_exact(&self, _: &Position) -> bool {
            self.exact
        }

        fn fork(&self) -> Box<dyn Evaluator<Backgammon>> {
            Box::new(*self)
        }
    }

    #[test]
    fn whoever_knows_exactly_that_a_probability_is_left_plays_on() {
        let options = Options::default();
        let table = MatchEquityTable::kazaross_xg2();
        let score = MatchScore::new(5, 3, 1).unwrap();
        for stakes in
            [Stakes::money(&options).unwrap(), Stakes::for_match(score, table, &options).unwrap()]
        {
            let view =
                CubeView { stakes: &stakes, cube: Cube::START, score: None, options: &options };
            let before_roll = |win, exact| {
                let evaluator = CubefulEvaluator::new(
                    Backgammon::Standard,
                    Box::new(Sure { win, exact }),
                    None,
                );
                CubefulAgent::new(evaluator).before_roll(&view, &Position::STANDARD).unwrap()
            };
            let gives_up = BeforeRoll::Resign(WinKind::Single);
            assert_eq!(before_roll(0.0, true), gives_up);
            assert_eq!(before_roll(0.0, false), gives_up);
            assert_eq!(before_roll(1e-5, false), gives_up, "next to nothing by a network");
            // The smallest probability that a table can hold, and all above it.
            for win in [f32::EPSILON / 4.0, 1e-6, 1e-4, 0.01] {
                assert_ne!(before_roll(win, true), gives_up, "{win} is known exactly");
            }
        }
    }
}
