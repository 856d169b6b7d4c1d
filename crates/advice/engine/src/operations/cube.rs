//! `cube`: whether to double and to take, and what the alternatives cost.

use serde::{Deserialize, Serialize};
use tavola_equity::{
    CubeDecision, CubePoints, CubeVerdict, Efficiency, GammonRates, GammonValues, Probs, Response,
    Value,
};
use tavola_evaluator::{CubeAnalysis, PlayableGame, Z_95, error_bar};
use tavola_rules::Offer;

use super::eval::as_five;
use super::rollout::{self, Certainty, Spread};
use super::team::TeamAnswer;
use super::{Operation, searched};
use crate::effort::Effort;
use crate::error::{EngineError, ErrorKind, Result};
use crate::question::PositionQuestion;
use crate::session::Evaluators;
use crate::terms::ResolvedTerms;

/// Asks whether the player on roll should double and how the opponent should respond. In a position
/// in which the cube is offered the response is the question.
#[derive(Clone, Copy, Debug, Default, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct Cube {
    /// The player on roll is the box of a chouette against this many who play on, for money
    #[cfg_attr(feature = "clap", arg(long, value_name = "MEMBERS", value_parser = clap::value_parser!(u8).range(1..=20)))]
    #[schemars(range(min = 1, max = 20))]
    pub team: Option<u8>,
    /// Points that the box has won from members who have dropped, or lost to them [default: 0]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "POINTS", requires = "team", allow_negative_numbers = true,
            value_parser = clap::value_parser!(i32).range(-100_000..=100_000))
    )]
    #[schemars(range(min = -100_000, max = 100_000))]
    pub settled: Option<i32>,
}

/// What a cube decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Question")]
pub enum CubeQuestion {
    /// The player on roll may double.
    Double,
    /// The player on roll has doubled: the opponent takes, passes or beavers.
    Response,
}

/// A cube decision. All equities and probabilities are those of the player on roll, who is the
/// doubler also where the response is the question. Equities are money equity per unit of the cube
/// before a double, in a match EMG.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct CubeAnswer {
    /// Whose decision it is.
    pub question: CubeQuestion,
    /// What both sides should do.
    #[serde(flatten)]
    pub verdict: CubeVerdict,
    /// Why there is no cube to turn; only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Rolling without a double.
    pub no_double: f64,
    /// A double that is taken; null where there is none.
    pub double_take: Option<f64>,
    /// A double that is passed; null where there is none.
    pub double_pass: Option<f64>,
    /// A double that is beavered, where beavers are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub double_beaver: Option<f64>,
    /// The same as probabilities to win the match, in a match.
    #[serde(flatten)]
    pub mwc: Option<MwcAnswer>,
    /// What the alternatives give away; null where there is no choice.
    pub losses: Option<Losses>,
    /// Half of the 95 % interval of what the wrong action loses, of doubling and rolling or of the
    /// two answers, whichever is the question: by the games of a rollout, else as it was measured
    /// for searches of this depth; missing where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
    /// Where decisions turn; null where the cube can't be turned.
    pub points: Option<PointsAnswer>,
    /// What a gammon adds to a single win, in units of the distance between winning and losing.
    pub gammon_values: GammonValues,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon, without regard to the cube.
    #[serde(serialize_with = "as_five")]
    #[schemars(with = "[f32; 5]")]
    pub probs: Probs,
    /// Cubeless money equity.
    pub equity: f32,
    /// Equity with best use of the cube.
    pub cubeful_equity: f64,
    /// Plies of lookahead.
    pub ply: u8,
    /// Where a level rolled the decision out: its equities are those of the rollout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout: Option<Spread>,
    /// Whether the action is certain to be right, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure: Option<Certainty>,
    /// What it is worth to the box of a chouette, where there is a team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamAnswer>,
    /// The stakes in words.
    #[serde(skip)]
    pub terms: String,
    /// The value of the cube before a double.
    #[serde(skip)]
    pub cube: u32,
}

/// Probabilities to win the match.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MwcAnswer {
    /// Rolling without a double.
    pub mwc_no_double: f64,
    /// A double that is taken.
    pub mwc_double_take: Option<f64>,
    /// A double that is passed.
    pub mwc_double_pass: Option<f64>,
}

impl MwcAnswer {
    /// Those of a decision, in a match.
    pub(super) fn of(decision: &CubeDecision) -> Option<Self> {
        let mwc = |value: Value| value.mwc().map(|mwc| mwc.0);
        let doubled = decision.double.ok();
        Some(Self {
            mwc_no_double: mwc(decision.no_double)?,
            mwc_double_take: doubled.and_then(|doubled| mwc(doubled.take)),
            mwc_double_pass: doubled.and_then(|doubled| mwc(doubled.pass)),
        })
    }
}

/// Equity that the player who chooses it gives away, 0 for the right choice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Losses {
    /// Not doubling: the player on roll.
    pub no_double: f64,
    /// Doubling: the player on roll.
    pub double: f64,
    /// Taking: the opponent.
    pub take: f64,
    /// Passing: the opponent.
    pub pass: f64,
    /// Beavering: the opponent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beaver: Option<f64>,
}

/// Winning probabilities at which decisions turn while gammons stay as they are, by the cube model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PointsAnswer {
    /// The opponent takes a double from here on, by the cube efficiency of the position: their own
    /// probability.
    pub take: f64,
    /// The opponent takes from here on if the cube is never turned again.
    pub take_dead: f64,
    /// The opponent takes from here on if the cube is always turned at the perfect moment.
    pub take_live: f64,
    /// The player on roll doubles from here on; null if never.
    pub double: Option<f64>,
    /// The player on roll plays on for a gammon from here on; null if never.
    pub too_good: Option<f64>,
}

impl Operation for Cube {
    const NAME: &'static str = "cube";
    const SEARCHES: bool = true;
    const BEFORE_THE_ROLL: bool = true;
    const ABOUT_OFFERS: bool = true;
    type Answer = CubeAnswer;
    type Many = ();

    fn answer<G: PlayableGame>(&self, asked: &PositionQuestion<'_, G>) -> Result<CubeAnswer> {
        asked.expect_cube()?;
        asked.expect_unfinished()?;
        let terms = asked.terms()?;
        if self.team.is_some() && terms.stakes.is_match() {
            return Err(EngineError::request("a chouette is for money: no match has a team"));
        }
        if self.settled.is_some() && self.team.is_none() {
            return Err(EngineError::request("settled points are those of a team, expected team"));
        }
        let question = question(asked)?;
        asked.effort().check()?;
        let mut analysis =
            asked.with_session(|session| decide(asked, session, &terms, asked.effort()))??;
        let close = asked.effort().rollout().filter(|close| close.concerns(&analysis.decision));
        let (mut spread, mut certainty) = (None, Certainty::APART);
        if let Some(close) = close {
            let (rollout, ended) = asked.with_session(|session| {
                let mut rollout =
                    rollout::prepare(asked, session, Some(&terms), None, close.settings)?;
                let ended = rollout::run(asked.watch, &mut rollout)?;
                Ok::<_, EngineError>((rollout, ended))
            })??;
            let action = rollout.cube_action().expect("a close decision has a cube to turn");
            analysis.decision = action.decision;
            let (doubling, taking) = (action.gain_of_doubling, action.gain_of_taking);
            let (gain, also) = match question {
                CubeQuestion::Double => (doubling, action.decision.is_double().then_some(taking)),
                CubeQuestion::Response => (taking, None),
            };
            certainty = Certainty::of(&rollout, ended, [gain].into_iter().chain(also));
            spread = Some(Spread {
                trials: rollout.trials(),
                equity_se: action.best().standard_error,
                loss_se: gain.standard_error,
            });
        }
        let answer = CubeAnswer::new(&analysis, &terms, question);
        let settled = self.settled.unwrap_or(0);
        Ok(CubeAnswer {
            interval: spread.map(|spread| Z_95 * spread.loss_se).or(answer.interval),
            rollout: spread,
            sure: asked.effort().sure.map(|_| certainty),
            team: self.team.map(|members| TeamAnswer::new(&answer, members, settled)),
            ..answer
        })
    }
}

/// Whose decision a position asks for.
pub(super) fn question<G: PlayableGame>(asked: &PositionQuestion<'_, G>) -> Result<CubeQuestion> {
    let refused = |message: String| Err(EngineError::new(ErrorKind::Cube, message));
    match asked.situation.offer {
        None => Ok(CubeQuestion::Double),
        Some(Offer::Double) => match asked.terms()?.may_double() {
            Ok(()) => Ok(CubeQuestion::Response),
            Err(reason) => refused(format!("the position offers a double, but {reason}")),
        },
        Some(offer) => refused(format!(
            "the position offers a {offer}, which `cube` does not answer, expected a double \
             (D in an XGID) or no offer"
        )),
    }
}

/// The cube decision in a position that is not finished.
pub(super) fn decide<G: PlayableGame>(
    asked: &PositionQuestion<'_, G>,
    session: &mut Evaluators<G>,
    ResolvedTerms { stakes, cube, .. }: &ResolvedTerms,
    effort: &Effort,
) -> Result<CubeAnalysis> {
    let evaluator = session.cube(effort.settings());
    let analysis = searched(asked.watch, effort, |watch| {
        evaluator.decide(asked.state(), stakes, *cube, watch)
    })?;
    Ok(analysis.expect("terms have a cube that fits their stakes"))
}

impl CubeAnswer {
    fn new(analysis: &CubeAnalysis, terms: &ResolvedTerms, question: CubeQuestion) -> Self {
        let probs = analysis.probs.cumulative();
        let decision = &analysis.decision;
        let doubled = decision.double.ok();
        let beaver = doubled.and_then(|doubled| doubled.beaver);
        Self {
            question,
            verdict: decision.verdict(terms.cube),
            reason: decision.double.err().map(|reason| reason.to_string()),
            no_double: decision.no_double.equity(),
            double_take: doubled.map(|doubled| doubled.take.equity()),
            double_pass: doubled.map(|doubled| doubled.pass.equity()),
            double_beaver: beaver.map(|(value, _)| value.equity()),
            mwc: MwcAnswer::of(decision),
            losses: losses(decision),
            interval: doubled.filter(|_| beaver.is_none()).map(|doubled| {
                let (one, other) = match question {
                    CubeQuestion::Double => (decision.no_double, doubled.value()),
                    CubeQuestion::Response => (doubled.take, doubled.pass),
                };
                error_bar(analysis.ply, None, (one.equity() - other.equity()).abs())
            }),
            points: points(&probs, terms, analysis.efficiency),
            gammon_values: terms.stakes.gammon_values(terms.cube),
            probs,
            equity: probs.equity(),
            cubeful_equity: decision.best().equity(),
            ply: analysis.ply,
            rollout: None,
            sure: None,
            team: None,
            terms: terms.to_string(),
            cube: terms.cube.value(),
        }
    }
}

pub(super) fn losses(decision: &CubeDecision) -> Option<Losses> {
    Some(Losses {
        no_double: decision.loss_of_no_double(),
        double: decision.loss_of_double(),
        take: decision.loss_of_answer(Response::Take)?,
        pass: decision.loss_of_answer(Response::Pass)?,
        beaver: decision.loss_of_answer(Response::Beaver),
    })
}

fn points(probs: &Probs, terms: &ResolvedTerms, efficiency: Efficiency) -> Option<PointsAnswer> {
    let ResolvedTerms { stakes, cube, .. } = terms;
    let rates = GammonRates::of(probs);
    let mine: CubePoints = stakes.points(&rates, *cube, efficiency).ok()?;
    stakes.may_double(*cube).ok()?;
    // The taker's probability, to be compared with what players know by heart.
    let take = |efficiency| Some(1.0 - stakes.points(&rates, *cube, efficiency).ok()?.cash);
    Some(PointsAnswer {
        take: take(efficiency)?,
        take_dead: take(Efficiency::DEAD)?,
        take_live: take(Efficiency::LIVE)?,
        double: mine.double,
        too_good: mine.too_good,
    })
}
