//! `eval`: what a position is worth before the roll.

use serde::{Deserialize, Serialize, Serializer};
use tavola_equity::{OutcomeProbs, Probs, Value};
use tavola_evaluator::PlayableGame;
use tavola_games::many::ManyGame;

use super::race::{RaceAnswer, race};
use super::{Operation, cube, searched};
use crate::effort::Effort;
use crate::error::Result;
use crate::many::{self, ManyEvaluation, ManyQuestion};
use crate::question::PositionQuestion;
use crate::session::Evaluators;
use crate::terms::ResolvedTerms;

/// Asks what the position is worth to the player on roll.
#[derive(Clone, Copy, Debug, Default, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct Eval {
    /// Whether figures with the cube are wanted [default: where there is a cube]
    #[cfg_attr(
        feature = "clap",
        arg(
            long = "cubeless",
            num_args = 0,
            default_missing_value = "false",
            help = "Print cubeless figures alone"
        )
    )]
    pub cubeful: Option<bool>,
}

/// What a position is worth to the player on roll, before the roll and without a cube.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Evaluation {
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    #[serde(serialize_with = "as_five")]
    #[schemars(with = "[f32; 5]")]
    pub probs: Probs,
    /// Cubeless money equity in points.
    pub equity: f32,
    /// Plies of lookahead.
    pub ply: u8,
}

/// What a position or a play is worth with a cube.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct CubefulFigures {
    /// Money equity per unit of the cube, in a match EMG.
    pub cubeful_equity: f64,
    /// The probability of winning the match, in a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mwc: Option<f64>,
}

impl From<Value> for CubefulFigures {
    fn from(value: Value) -> Self {
        Self { cubeful_equity: value.equity(), mwc: value.mwc().map(|mwc| mwc.0) }
    }
}

/// What [`Eval`] answers.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct EvalAnswer {
    /// Without a cube.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// With best use of the cube by both sides, where it is wanted.
    #[serde(flatten)]
    pub cubeful: Option<CubefulFigures>,
    /// Expected rolls and wastage, in a race that the bear-off databases know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceAnswer>,
    /// The stakes in words, with figures for the cube.
    #[serde(skip)]
    pub terms: Option<String>,
}

impl Operation for Eval {
    const NAME: &'static str = "eval";
    const SEARCHES: bool = true;
    const BEFORE_THE_ROLL: bool = true;
    type Answer = EvalAnswer;
    type Many = ManyEvaluation;

    fn answer<G: PlayableGame>(&self, asked: &PositionQuestion<'_, G>) -> Result<EvalAnswer> {
        asked.effort().check_without_rollouts()?;
        let with_cube = self.cubeful.unwrap_or(G::HAS_CUBE);
        let terms = with_cube.then(|| asked.terms()).transpose()?;
        // The two evaluations share the time.
        let effort = asked.effort().share(1 + u32::from(terms.is_some()));
        asked.with_session(|session| {
            let evaluation = evaluate(asked, session, &effort)?;
            let worth = |terms| with_the_cube(asked, session, terms, &effort);
            let cubeful = terms.as_ref().map(worth).transpose()?;
            let race = race(asked, asked.state());
            let terms = terms.map(|terms| terms.to_string());
            Ok(EvalAnswer { evaluation, cubeful, race, terms })
        })?
    }

    fn answer_many<G: ManyGame>(&self, asked: &ManyQuestion<'_, G>) -> Result<ManyEvaluation> {
        many::refuse([("cubeful", self.cubeful.is_some())])?;
        asked.evaluation()
    }
}

/// What the position is worth before the roll, without a cube.
pub(super) fn evaluate<G: PlayableGame>(
    asked: &PositionQuestion<'_, G>,
    session: &mut Evaluators<G>,
    effort: &Effort,
) -> Result<Evaluation> {
    let search = session.search(effort.settings());
    let (probs, ply) =
        searched(asked.watch, effort, |watch| search.evaluate(asked.state(), watch))?;
    Ok(Evaluation { probs: probs.cumulative(), equity: probs.equity(), ply })
}

/// What the position is worth with best use of the cube by both sides.
fn with_the_cube<G: PlayableGame>(
    asked: &PositionQuestion<'_, G>,
    session: &mut Evaluators<G>,
    terms: &ResolvedTerms,
    effort: &Effort,
) -> Result<CubefulFigures> {
    if let Some(outcome) = asked.outcome() {
        return Ok(terms.cubeless(&OutcomeProbs::certain(outcome).cumulative()).into());
    }
    Ok(cube::decide(asked, session, terms, effort)?.decision.best().into())
}

/// Writes the five probabilities as an array in their customary order.
pub(super) fn as_five<S: Serializer>(probs: &Probs, serializer: S) -> Result<S::Ok, S::Error> {
    probs.to_array().serialize(serializer)
}
