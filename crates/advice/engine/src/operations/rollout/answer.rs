//! What a rollout answers.

use serde::Serialize;
use tavola_equity::{CubeDecision, CubeVerdict};
use tavola_evaluator::rollout::{Ended, Luck, RolloutCube, SampleMean, SavedRollout};
use tavola_evaluator::{PlayableGame, rollout};

use super::super::MwcAnswer;
use super::super::cube::CubeQuestion;
use crate::question::PositionQuestion;

/// Figures with their standard errors, which have the same key and `_se` behind it. Five numbers
/// are win, win gammon, win backgammon, lose gammon and lose backgammon.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RolledFigures {
    /// Cubeless money equity.
    pub equity: f64,
    /// Its standard error.
    pub equity_se: f64,
    /// The five probabilities.
    pub probs: [f64; 5],
    /// Their standard errors.
    pub probs_se: [f64; 5],
    /// Of the exclusive outcomes: lose a single game, a gammon, a backgammon, win likewise.
    pub outcomes: [f64; 6],
    /// Their standard errors.
    pub outcomes_se: [f64; 6],
    /// With the cube, where games are played with it.
    #[serde(flatten)]
    pub cubeful: Option<RolledCubeful>,
    /// The equity, with the cube if there is one, of the same games without variance reduction, if
    /// there was any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain_equity: Option<f64>,
    /// Its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain_equity_se: Option<f64>,
    /// Games.
    pub trials: u64,
    /// Plies of lookahead in the play of the games.
    pub ply: u8,
}

/// What a position or a play is worth with a cube.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RolledCubeful {
    /// Money equity per unit of the cube, in a match EMG.
    pub cubeful_equity: f64,
    /// Its standard error.
    pub cubeful_equity_se: f64,
    /// The probability of winning the match, in a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mwc: Option<f64>,
    /// Its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mwc_se: Option<f64>,
}

impl RolledCubeful {
    fn new(equity: SampleMean, terms: &RolloutCube) -> Self {
        let mwc = terms.mwc(equity);
        Self {
            cubeful_equity: equity.mean,
            cubeful_equity_se: equity.standard_error,
            mwc: mwc.map(|mwc| mwc.mean),
            mwc_se: mwc.map(|mwc| mwc.standard_error),
        }
    }
}

impl RolledFigures {
    fn new<G: PlayableGame>(rollout: &rollout::Rollout<G>, candidate: usize) -> Self {
        let (figures, settings) = (rollout.figures(candidate), rollout.settings());
        let (equity, plain) = (figures.equity(), figures.plain_equity());
        let (five, six) = (figures.cumulative(), figures.outcomes());
        let reduced = settings.luck == Luck::TakenOff;
        Self {
            equity: equity.mean,
            equity_se: equity.standard_error,
            probs: five.map(probability),
            probs_se: five.map(|estimate| estimate.standard_error),
            outcomes: six.map(probability),
            outcomes_se: six.map(|estimate| estimate.standard_error),
            cubeful: figures
                .cubeful()
                .zip(rollout.cube())
                .map(|(equity, terms)| RolledCubeful::new(equity, terms)),
            plain_equity: reduced.then_some(plain.mean),
            plain_equity_se: reduced.then_some(plain.standard_error),
            trials: figures.trials,
            ply: settings.play.ply,
        }
    }
}

/// A probability as people expect it: with variance reduction a rare outcome may come out a hair
/// below zero, or a sure one above one.
const fn probability(estimate: SampleMean) -> f64 {
    estimate.mean.clamp(0.0, 1.0)
}

/// A position that was rolled out. With a cube the figures are those of the games without a double,
/// and the equity and MWC with the cube are those of the best action.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RolledPosition {
    /// The figures.
    #[serde(flatten)]
    pub figures: RolledFigures,
    /// The cube action, where the player on roll may double.
    #[serde(flatten)]
    pub action: Option<RolledAction>,
}

/// A cube action by rollout, from the player on roll: equities per unit of the cube before a
/// double, in a match EMG, and their standard errors.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RolledAction {
    /// Whose decision it is.
    pub question: CubeQuestion,
    /// What both sides should do.
    #[serde(flatten)]
    pub verdict: CubeVerdict,
    /// Rolling without a double.
    pub no_double: f64,
    /// Its standard error.
    pub no_double_se: f64,
    /// A double that is taken.
    pub double_take: f64,
    /// Its standard error.
    pub double_take_se: f64,
    /// A double that is passed.
    pub double_pass: f64,
    /// A double that is beavered, where beavers are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub double_beaver: Option<f64>,
    /// Its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub double_beaver_se: Option<f64>,
    /// The same as probabilities to win the match, in a match.
    #[serde(flatten)]
    pub mwc: Option<MwcAnswer>,
    /// By how much doubling is better than rolling, if the opponent answers as they should.
    pub gain_of_doubling: f64,
    /// Of the difference, game by game on the same dice.
    pub gain_of_doubling_se: f64,
    /// By how much taking, or beavering, is better for the opponent than passing.
    pub gain_of_taking: f64,
    /// Its standard error.
    pub gain_of_taking_se: f64,
    /// The probability that doubling is right for the player on roll, as far as the games tell.
    pub double_is_right: f64,
    /// The probability that taking is right for the opponent.
    pub take_is_right: f64,
    /// The figures of the games after a double that is taken.
    pub taken: Box<RolledFigures>,
    /// The decision that follows from the equities.
    #[serde(skip)]
    pub decision: CubeDecision,
}

impl RolledAction {
    fn new<G: PlayableGame>(rollout: &rollout::Rollout<G>, question: CubeQuestion) -> Option<Self> {
        let rolled = rollout.cube_action()?;
        let doubled = rolled.decision.double.ok()?;
        let terms = rollout.cube()?;
        Some(Self {
            question,
            verdict: rolled.decision.verdict(terms.cube),
            no_double: rolled.no_double.mean,
            no_double_se: rolled.no_double.standard_error,
            double_take: rolled.double_take.mean,
            double_take_se: rolled.double_take.standard_error,
            double_pass: doubled.pass.equity(),
            double_beaver: rolled.beaver.map(|beaver| beaver.mean),
            double_beaver_se: rolled.beaver.map(|beaver| beaver.standard_error),
            mwc: MwcAnswer::of(&rolled.decision),
            gain_of_doubling: rolled.gain_of_doubling.mean,
            gain_of_doubling_se: rolled.gain_of_doubling.standard_error,
            gain_of_taking: rolled.gain_of_taking.mean,
            gain_of_taking_se: rolled.gain_of_taking.standard_error,
            double_is_right: rollout.probability_above_zero(rolled.gain_of_doubling),
            take_is_right: rollout.probability_above_zero(rolled.gain_of_taking),
            taken: Box::new(RolledFigures::new(rollout, 1)),
            decision: rolled.decision,
        })
    }
}

impl RolledPosition {
    fn new<G: PlayableGame>(rollout: &rollout::Rollout<G>, question: CubeQuestion) -> Self {
        let mut figures = RolledFigures::new(rollout, 0);
        if let Some((rolled, terms)) = rollout.cube_action().zip(rollout.cube()) {
            figures.cubeful = Some(RolledCubeful::new(rolled.best(), terms));
        }
        Self { figures, action: RolledAction::new(rollout, question) }
    }
}

/// A play that was rolled out.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RolledPlay {
    /// The play in words.
    pub play: String,
    /// The afterstate in the notation of the game, the opponent on roll.
    pub position: String,
    /// What it is worth to the player who makes it.
    #[serde(flatten)]
    pub figures: RolledFigures,
    /// Equity lost against the best play, or, if it was dropped, against the one that was best
    /// then.
    pub loss: f64,
    /// Of the difference, game by game on the same dice.
    pub loss_se: f64,
    /// Whether it was dropped because it clearly loses.
    pub dropped: bool,
}

/// What a rollout has come to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[derive(schemars::JsonSchema)]
pub enum RolloutResult {
    /// Before the roll.
    Position(Box<RolledPosition>),
    /// Best first; those that were dropped come last.
    Plays {
        /// The plays.
        plays: Vec<RolledPlay>,
        /// The probability that the first play is better than the second, as far as the games tell:
        /// at least this where `ended` is `lead`. Absent if there is one play alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        best_is_right: Option<f64>,
    },
}

/// What [`Rollout`](super::Rollout) answers.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RolloutAnswer {
    /// The figures.
    #[serde(flatten)]
    pub rolled: RolloutResult,
    /// Why there are no more games; absent if there is nothing to roll out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// The stakes in words, where games are played with the cube.
    #[serde(skip)]
    pub terms: Option<String>,
    /// Seed of the dice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Games of each candidate that was not dropped.
    #[serde(skip)]
    pub trials: u64,
    /// The state of the rollout, to resume it.
    #[serde(skip)]
    pub saved: Option<SavedRollout>,
}

/// What the rollouts of a level have found about a choice: games, and standard errors in points or
/// EMG.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Spread {
    /// Games.
    pub trials: u64,
    /// Standard error of the equity that choices are compared by.
    pub equity_se: f64,
    /// Standard error of the loss, game by game on the same dice.
    pub loss_se: f64,
}

/// The figures, the best candidate first, those that were dropped last.
pub(super) fn rolled<G: PlayableGame>(
    asked: &PositionQuestion<'_, G>,
    rollout: &rollout::Rollout<G>,
    plays: Option<&[(G::Play, G::State)]>,
    question: CubeQuestion,
) -> RolloutResult {
    let Some(plays) = plays else {
        return RolloutResult::Position(Box::new(RolledPosition::new(rollout, question)));
    };
    let mut order: Vec<usize> = (0..plays.len()).collect();
    let key = |candidate: usize| {
        let figures = rollout.figures(candidate);
        // Where the opponent cashes after every play, they are told apart by cubeless equity.
        let preference = [figures.compared().mean, figures.equity().mean];
        (rollout.dropped(candidate).is_some(), preference)
    };
    order.sort_by(|&a, &b| {
        let ((a_is_dropped, a), (b_is_dropped, b)) = (key(a), key(b));
        let compared = || b[0].total_cmp(&a[0]);
        a_is_dropped.cmp(&b_is_dropped).then_with(compared).then_with(|| b[1].total_cmp(&a[1]))
    });
    let play = |candidate: usize| {
        let (play, after) = &plays[candidate];
        let dropped = rollout.dropped(candidate);
        let loss = match dropped {
            Some(dropped) => dropped.by(),
            None => rollout.behind(rollout.best(), candidate).unwrap_or_default(),
        };
        RolledPlay {
            play: play.to_string(),
            position: asked.game.write_state(after),
            figures: RolledFigures::new(rollout, candidate),
            loss: loss.mean,
            loss_se: loss.standard_error,
            dropped: dropped.is_some(),
        }
    };
    let plays: Vec<RolledPlay> = order.into_iter().map(play).collect();
    let best_is_right = plays.get(1).map(|second| {
        let lead = SampleMean { mean: second.loss, standard_error: second.loss_se };
        rollout.probability_above_zero(lead)
    });
    RolloutResult::Plays { plays, best_is_right }
}
