//! What the user is told: hints, evaluations, and the cost of a mistake before it is made.

use serde::Serialize;
use tavola_evaluator::Preset;
use tavola_rules::notation::Situation;
use tavola_rules::{Offer, WinKind};

use super::{Awaited, Choice, LiveMatch, USER};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::lookahead::Lookahead;
use crate::operations::{Best, BestAnswer, Cube, CubeAnswer, Eval, EvalAnswer};
use crate::watch::Watch;

/// Advice on the decision of the user.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum Hint {
    /// The plays of the roll, best first.
    Plays(BestAnswer),
    /// To double or not, or the answer to a double; the figures are those of the doubler.
    Cube(CubeAnswer),
    /// Whether to accept a resignation.
    Resignation {
        /// To accept it, and not to play on.
        accept: bool,
    },
    /// There is nothing to decide.
    Nothing,
}

/// A choice that loses equity.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Mistake {
    /// The choice in words.
    pub chosen: String,
    /// The best one.
    pub better: String,
    /// Equity lost, in a match EMG.
    pub loss: f64,
}

impl Mistake {
    /// What GNU Backgammon marks as doubtful since 2019.
    const DOUBTFUL: f64 = 0.03;

    /// Whether it loses enough for a tutor to speak up.
    pub fn is_doubtful(&self) -> bool {
        self.loss >= Self::DOUBTFUL
    }
}

/// Advice looks this far ahead.
const PLY: u8 = 2;

fn lookahead() -> Lookahead {
    Lookahead::new(Some(PLY), Preset::default(), None, PLY)
}

impl LiveMatch {
    /// The situation before the roll, seen by the player on roll.
    fn before_roll(&self) -> Situation {
        Situation { dice: None, offer: None, ..self.recorder.playback().situation() }
    }

    /// Advice on what the user must decide.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn hint(&self, engine: &Engine, watch: &Watch<'_>) -> Result<Hint, EngineError> {
        match self.awaited() {
            Awaited::Play(USER, _) => {
                let situation = self.recorder.playback().situation();
                let best = Best { lookahead: lookahead(), top: Some(5), ..Best::default() };
                Ok(Hint::Plays(engine.ask(&self.subject(&situation), &best, watch)?.answer))
            }
            Awaited::Roll(USER) if self.may_double() => self.cube_advice(engine, watch),
            Awaited::Answer(USER, Offer::Double) => self.cube_advice(engine, watch),
            Awaited::Resignation(USER, win) => {
                Ok(Hint::Resignation { accept: self.should_accept(win, engine, watch)? })
            }
            _ => Ok(Hint::Nothing),
        }
    }

    fn cube_advice(&self, engine: &Engine, watch: &Watch<'_>) -> Result<Hint, EngineError> {
        let question = Cube { lookahead: lookahead() };
        let subject = self.subject(&self.before_roll());
        Ok(Hint::Cube(engine.ask(&subject, &question, watch)?.answer))
    }

    /// What the position is worth to the player on roll, before the roll.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn evaluate(&self, engine: &Engine, watch: &Watch<'_>) -> Result<EvalAnswer, EngineError> {
        let eval = Eval { lookahead: lookahead(), cubeful: None };
        Ok(engine.ask(&self.subject(&self.before_roll()), &eval, watch)?.answer)
    }

    /// What a choice of the user loses, before it is made; `None` if it is the best one, or nothing
    /// can be lost by it.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn mistake(
        &self,
        choice: &Choice,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Mistake>, EngineError> {
        let mistake =
            match choice {
                Choice::Play(play) => {
                    let situation = self.recorder.playback().situation();
                    let best = Best {
                        lookahead: lookahead(),
                        top: Some(1),
                        played: Some(play.to_string()),
                        ..Best::default()
                    };
                    let answer = engine.ask(&self.subject(&situation), &best, watch)?.answer;
                    answer.played.zip(answer.plays.into_iter().next()).map(|(played, best)| {
                        Mistake { chosen: played.play, better: best.play, loss: played.loss.into() }
                    })
                }
                Choice::Double | Choice::Roll(_) if self.user_may_double() => {
                    self.cube_mistake(choice, engine, watch)?
                }
                Choice::Take | Choice::Drop | Choice::Beaver
                    if self.awaited() == Awaited::Answer(USER, Offer::Double) =>
                {
                    self.cube_mistake(choice, engine, watch)?
                }
                _ => None,
            };
        Ok(mistake.filter(|mistake| mistake.loss > 0.0))
    }

    fn cube_mistake(
        &self,
        choice: &Choice,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Mistake>, EngineError> {
        let Hint::Cube(answer) = self.cube_advice(engine, watch)? else { return Ok(None) };
        let Some(losses) = answer.losses else { return Ok(None) };
        let before = [("no double", losses.no_double), ("double", losses.double)];
        let mut answers = vec![("take", losses.take), ("drop", losses.pass)];
        answers.extend(losses.beaver.map(|loss| ("beaver", loss)));
        let (chosen, among) = match choice {
            Choice::Double => ("double", &before[..]),
            Choice::Take => ("take", &answers[..]),
            Choice::Drop => ("drop", &answers[..]),
            Choice::Beaver => ("beaver", &answers[..]),
            _ => ("no double", &before[..]),
        };
        let loss = among.iter().find(|(name, _)| *name == chosen).map(|(_, loss)| *loss);
        let better = among.iter().min_by(|(_, a), (_, b)| a.total_cmp(b));
        Ok(loss.zip(better).map(|(loss, (better, _))| Mistake {
            chosen: chosen.to_owned(),
            better: (*better).to_owned(),
            loss,
        }))
    }

    /// Whether the user gains no more by playing on than the engine offers.
    fn should_accept(
        &self,
        win: WinKind,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<bool, EngineError> {
        self.accepts_resignation(win, engine, watch)
    }
}
