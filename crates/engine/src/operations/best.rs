//! `best`: the plays of a roll, best first.

use serde::Serialize;
use tavola_equity::{OutcomeProbs, Probs};
use tavola_evaluator::PlayableGame;

use super::eval::{CubefulFigures, Evaluation, as_five, evaluate};
use super::explain::{self, PlayReasons};
use super::{Operation, searched};
use crate::error::EngineError;
use crate::fields::Fields;
use crate::lookahead::Lookahead;
use crate::session::Session;
use crate::subject::Asked;
use crate::terms::Terms;

/// Asks for the plays of the roll, best first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Best {
    /// How far to look ahead.
    pub lookahead: Lookahead,
    /// The most plays to answer; `None` is all of them.
    pub top: Option<usize>,
    /// Whether plays are ranked by what they are worth with the cube; without a word they are where
    /// cube or score matter.
    pub cubeful: Option<bool>,
    /// Whether each play comes with what it changes, risks and allows.
    pub explain: bool,
}

/// A play with what it is worth to the player who makes it.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct EvaluatedPlay {
    /// The play in words.
    pub play: String,
    /// The afterstate in the notation of the game, the opponent on roll.
    pub position: String,
    /// Cubeless money equity in points.
    pub equity: f32,
    /// Equity lost against the best play as evaluated at the same depth, never negative.
    pub loss: f32,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    #[serde(serialize_with = "as_five")]
    #[schemars(with = "[f32; 5]")]
    pub probs: Probs,
    /// With a cube, where plays are ranked so.
    #[serde(flatten)]
    pub cubeful: Option<CubefulFigures>,
    /// Plies of lookahead.
    pub ply: u8,
    /// What the play changes, risks and allows, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<PlayReasons>,
}

/// What [`Best`] answers.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct BestAnswer {
    /// What the position is worth before the roll, if plays are explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Evaluation>,
    /// The plays, those evaluated deepest first and best first among these; none if the player
    /// can't move or the game is over.
    pub plays: Vec<EvaluatedPlay>,
    /// How many plays there are.
    #[serde(skip)]
    pub legal: usize,
    /// The stakes in words, where plays are ranked with the cube.
    #[serde(skip)]
    pub terms: Option<String>,
}

/// A play on its way to an answer.
pub(super) struct Ranked<S> {
    pub(super) after: S,
    pub(super) probs: Probs,
    equity: f32,
    loss: f32,
    cubeful: Option<CubefulFigures>,
    pub(super) ply: u8,
}

impl Operation for Best {
    const NAME: &'static str = "best";
    type Answer = BestAnswer;

    fn read(fields: &mut Fields) -> Result<Self, EngineError> {
        Ok(Self {
            cubeful: fields.flag("cubeful")?,
            lookahead: Lookahead::read(fields, 0)?,
            top: fields.number("top", 1, u32::MAX.into())?.map(|top| top as usize),
            explain: fields.flag("explain")?.unwrap_or(false),
        })
    }

    fn answer<G: PlayableGame>(&self, asked: &Asked<'_, G>) -> Result<BestAnswer, EngineError> {
        let with_cube = self.cubeful.unwrap_or_else(|| Terms::matter_in(&asked.situation));
        let terms = with_cube.then(|| asked.terms()).transpose()?;
        let plays = asked.game.plays(asked.state(), asked.dice()?);
        asked.with_session(|session| {
            let afterstates: Vec<G::State> = plays.iter().map(|(_, after)| *after).collect();
            let mut ranking = match &terms {
                _ if plays.is_empty() => Vec::new(),
                Some(terms) => self.rank_with_cube(asked, session, &afterstates, terms)?,
                None => self.rank(asked, session, &afterstates)?,
            };
            ranking.truncate(self.top.unwrap_or(usize::MAX));
            let name = |after: &G::State| {
                let play = plays.iter().find(|(_, result)| result == after);
                play.expect("a ranking is one of these plays").0.to_string()
            };
            let (mut before, mut reasons) = (None, Vec::new());
            if self.explain && !ranking.is_empty() {
                let evaluation = evaluate(asked, session, &self.lookahead)?;
                reasons = explain::reasons(asked, session, &evaluation, &ranking, &name);
                before = Some(evaluation);
            }
            let mut reasons = reasons.into_iter();
            let evaluated = |ranked: Ranked<G::State>| EvaluatedPlay {
                play: name(&ranked.after),
                position: asked.game.write_state(&ranked.after),
                equity: ranked.equity,
                loss: ranked.loss,
                probs: ranked.probs,
                cubeful: ranked.cubeful,
                ply: ranked.ply,
                reasons: reasons.next(),
            };
            Ok(BestAnswer {
                before,
                plays: ranking.into_iter().map(evaluated).collect(),
                legal: plays.len(),
                terms: terms.map(|terms| terms.to_string()),
            })
        })?
    }
}

impl Best {
    /// By cubeless money equity.
    fn rank<G: PlayableGame>(
        &self,
        asked: &Asked<'_, G>,
        session: &mut Session<G>,
        afterstates: &[G::State],
    ) -> Result<Vec<Ranked<G::State>>, EngineError> {
        let search = session.search(self.lookahead.settings);
        let ranking = searched(asked.watch, &self.lookahead, |watch| {
            search.rank_among(asked.state(), afterstates, watch)
        })?;
        let ranked = ranking.into_iter().map(|play| Ranked {
            after: play.state,
            probs: play.value.cumulative(),
            equity: play.expectation,
            loss: play.loss,
            cubeful: None,
            ply: play.ply,
        });
        Ok(ranked.collect())
    }

    /// By what plays are worth with the cube.
    fn rank_with_cube<G: PlayableGame>(
        &self,
        asked: &Asked<'_, G>,
        session: &mut Session<G>,
        afterstates: &[G::State],
        Terms { stakes, cube, .. }: &Terms,
    ) -> Result<Vec<Ranked<G::State>>, EngineError> {
        let settings = self.lookahead.settings;
        let evaluator = session.cube(settings).expect("terms exist in games with a cube alone");
        let ranking = searched(asked.watch, &self.lookahead, |watch| {
            evaluator.rank_among(asked.state(), afterstates, stakes, *cube, watch)
        })?;
        let ranking = ranking.expect("terms have a cube that fits their stakes");
        let ranked = ranking.into_iter().map(|play| {
            let probs = OutcomeProbs::cumulative(&play.probs);
            Ranked {
                after: play.position,
                probs,
                equity: probs.equity(),
                loss: play.loss,
                cubeful: Some(play.value.into()),
                ply: play.ply,
            }
        });
        Ok(ranked.collect())
    }
}
