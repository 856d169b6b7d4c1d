//! Answers with a cube, for commands and `batch`: cube decisions, and plays ranked by what they
//! are worth with it.

use std::collections::HashMap;

use serde::Serialize;
use tavola_equity::{
    Answer, CubeAction, CubeDecision, CubePoints, Efficiency, EfficiencyModel, GammonRates,
    OutcomeProbs, Probs, Value,
};
use tavola_evaluator::cubeful::stage;
use tavola_evaluator::{CubefulJudge, SearchWatch};
use tavola_rules::{Dice, Position};

use crate::query::{self, RatedPlay, as_five};
use crate::terms::Terms;

/// A cube decision, from the player on roll. Equities are money equity per unit of the cube before
/// a double, in a match EMG.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CubeAnswer {
    /// What both sides should do.
    pub action: CubeAction,
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
    /// The same as chances to win the match, in a match.
    #[serde(flatten)]
    pub mwc: Option<MwcAnswer>,
    /// What the alternatives give away; null where nobody has a choice.
    pub losses: Option<Losses>,
    /// Where decisions turn; null where nobody can turn the cube.
    pub points: Option<PointsAnswer>,
    /// What a gammon adds to a single win, in units of the distance between winning and losing.
    pub gammon_values: GammonValuesAnswer,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon, without regard to the cube.
    #[serde(serialize_with = "as_five")]
    pub probs: Probs,
    /// Cubeless money equity.
    pub equity: f32,
    /// Equity with best use of the cube.
    pub cubeful_equity: f64,
    /// Plies of lookahead.
    pub ply: u8,
}

/// Chances to win the match.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MwcAnswer {
    /// Rolling without a double.
    pub mwc_no_double: f64,
    /// A double that is taken.
    pub mwc_double_take: Option<f64>,
    /// A double that is passed.
    pub mwc_double_pass: Option<f64>,
}

/// Equity that the player who chooses it gives away, 0 for the right choice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Losses {
    /// Not doubling: the player on roll.
    pub no_double: f64,
    /// Doubling: the player on roll.
    pub double: f64,
    /// Taking: his opponent.
    pub take: f64,
    /// Passing: his opponent.
    pub pass: f64,
    /// Beavering: his opponent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beaver: Option<f64>,
}

/// Winning chances at which decisions turn while gammons stay as they are, by the cube model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PointsAnswer {
    /// The opponent takes a double from here on, as far as the cube is live here: his own chance.
    pub take: f64,
    /// The same if the cube is never turned again.
    pub take_dead: f64,
    /// The same if it is always turned at the perfect moment.
    pub take_live: f64,
    /// The player on roll doubles from here on; null if never.
    pub double: Option<f64>,
    /// He plays on for a gammon from here on; null if never.
    pub too_good: Option<f64>,
}

/// See [`tavola_equity::GammonValues`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GammonValuesAnswer {
    /// For the player on roll.
    pub player: f64,
    /// For his opponent.
    pub opponent: f64,
}

/// What a play is worth with a cube.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CubefulFigures {
    /// Money equity per unit of the cube, in a match EMG.
    pub cubeful_equity: f64,
    /// The chance to win the match, in a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mwc: Option<f64>,
}

impl From<Value> for CubefulFigures {
    fn from(value: Value) -> Self {
        Self { cubeful_equity: value.equity(), mwc: value.mwc().map(|mwc| mwc.0) }
    }
}

/// The cube decision in a position that is not finished.
pub fn decide(
    judge: &CubefulJudge,
    position: &Position,
    terms: &Terms,
    watch: SearchWatch<'_>,
) -> CubeAnswer {
    let Terms { stakes, cube, .. } = terms;
    let analysis = judge
        .decide(position, stakes, *cube, watch)
        .expect("terms have a cube that fits their stakes");
    let probs = analysis.probs.cumulative();
    let decision = &analysis.decision;
    let doubled = decision.double.ok();
    let mwc = |value: Value| value.mwc().map(|mwc| mwc.0);
    CubeAnswer {
        action: decision.action,
        reason: decision.double.err().map(|reason| reason.to_string()),
        no_double: decision.no_double.equity(),
        double_take: doubled.map(|doubled| doubled.take.equity()),
        double_pass: doubled.map(|doubled| doubled.pass.equity()),
        double_beaver: doubled.and_then(|doubled| doubled.beaver).map(|(value, _)| value.equity()),
        mwc: mwc(decision.no_double).map(|mwc_no_double| MwcAnswer {
            mwc_no_double,
            mwc_double_take: doubled.and_then(|doubled| mwc(doubled.take)),
            mwc_double_pass: doubled.and_then(|doubled| mwc(doubled.pass)),
        }),
        losses: losses(decision),
        points: points(position, &probs, terms),
        gammon_values: {
            let values = stakes.gammon_values(*cube);
            GammonValuesAnswer { player: values.player, opponent: values.opponent }
        },
        probs,
        equity: probs.equity(),
        cubeful_equity: decision.best().equity(),
        ply: analysis.ply,
    }
}

fn losses(decision: &CubeDecision) -> Option<Losses> {
    Some(Losses {
        no_double: decision.loss_of_no_double(),
        double: decision.loss_of_double(),
        take: decision.loss_of_answer(Answer::Take)?,
        pass: decision.loss_of_answer(Answer::Pass)?,
        beaver: decision.loss_of_answer(Answer::Beaver),
    })
}

fn points(position: &Position, probs: &Probs, terms: &Terms) -> Option<PointsAnswer> {
    let Terms { stakes, cube, .. } = terms;
    let rates = GammonRates::of(probs);
    let efficiency = EfficiencyModel::default().at(stage(position));
    let mine: CubePoints = stakes.points(&rates, *cube, efficiency).ok()?;
    stakes.may_double(*cube).ok()?;
    // The taker's chance, so that it can be compared with what people know by heart.
    let take = |efficiency| Some(1.0 - stakes.points(&rates, *cube, efficiency).ok()?.cash);
    Some(PointsAnswer {
        take: take(efficiency)?,
        take_dead: take(Efficiency::DEAD)?,
        take_live: take(Efficiency::LIVE)?,
        double: mine.double,
        too_good: mine.too_good,
    })
}

/// The plays of a roll, the best with this cube first; none if the player can't move or the game
/// is over.
pub fn best(
    judge: &CubefulJudge,
    position: &Position,
    dice: Dice,
    terms: &Terms,
    watch: SearchWatch<'_>,
) -> Vec<RatedPlay> {
    let plays: HashMap<_, _> = query::ways_to_play(position, dice)
        .into_iter()
        .map(|(play, result)| (result, play))
        .collect();
    if plays.is_empty() {
        return Vec::new();
    }
    judge
        .rank(position, dice, &terms.stakes, terms.cube, watch)
        .expect("terms have a cube that fits their stakes")
        .into_iter()
        .map(|ranked| {
            let (after, probs) = (&ranked.position, ranked.probs.cumulative());
            let rated = query::rated(&plays[after], after, probs, ranked.loss, ranked.ply);
            RatedPlay { cubeful: Some(ranked.value.into()), ..rated }
        })
        .collect()
}

/// What the position is worth before the roll, with best use of the cube by both sides.
pub fn eval(
    judge: &CubefulJudge,
    position: &Position,
    terms: &Terms,
    watch: SearchWatch<'_>,
) -> CubefulFigures {
    let Terms { stakes, cube, .. } = terms;
    if let Some(outcome) = query::outcome(position) {
        let probs = OutcomeProbs::certain(outcome).cumulative();
        return stakes.value(stakes.cubeless(&probs, *cube), *cube).into();
    }
    judge
        .decide(position, stakes, *cube, watch)
        .expect("terms have a cube that fits their stakes")
        .decision
        .best()
        .into()
}
