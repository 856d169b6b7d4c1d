//! What the command and `batch` share of rollouts: from a question to figures, and how these are
//! answered. Figures are cubeless money figures.

use std::num::NonZeroUsize;

use serde::Serialize;
use tavola_evaluator::rollout::{
    Ended, Estimate, Figures, Luck, Rollout, RolloutError, RolloutSettings,
};
use tavola_evaluator::{Evaluator, TableEvaluator, rank_results};
use tavola_rules::moves;
use tavola_rules::notation::encode_position_id;
use tavola_rules::{Backgammon, Dice, Position};

use crate::judge::Judge;
use crate::query;

/// What people want who name no number of trials: every pair of first rolls once.
pub const DEFAULT_TRIALS: u64 = 1296;

/// The most trials that may be asked for.
pub const MOST_TRIALS: u64 = 1_000_000_000;

/// The plays that are rolled out if nobody says how many or which.
pub const DEFAULT_TOP: usize = 5;

/// What is to be rolled out.
#[derive(Clone, Debug)]
pub enum Candidates {
    /// The position before the roll.
    Position,
    /// Plays of a roll, with their texts and the positions after them.
    Plays(Vec<(String, Position)>),
}

/// The plays of a roll that look best at 0-ply, at most so many. None if the player can't move
/// or the game is over.
pub fn best_plays(
    judge: &mut dyn Evaluator<Backgammon>,
    position: &Position,
    dice: Dice,
    top: usize,
) -> Vec<(String, Position)> {
    if query::outcome(position).is_some() || moves::plays(position, dice).is_empty() {
        return Vec::new();
    }
    let mut ranked = rank_results(&Backgammon::Standard, judge, position, dice);
    ranked.truncate(top);
    let play = |state: Position| {
        let play = moves::play_to(position, dice, &state).expect("a result of this roll");
        (play.to_string(), state)
    };
    ranked.into_iter().map(|result| play(result.state)).collect()
}

/// The rollout of the candidates that this judge makes.
pub fn start(
    judge: &Judge<TableEvaluator>,
    pruning: Option<&dyn Evaluator<Backgammon>>,
    mut settings: RolloutSettings,
    threads: NonZeroUsize,
    position: &Position,
    candidates: &Candidates,
) -> Result<Rollout<Backgammon>, RolloutError> {
    // Rules and results are those of every variant; only the start positions differ.
    let (game, name) = (Backgammon::Standard, judge.identity());
    let rollout = match candidates {
        Candidates::Position => {
            Rollout::of_state(game, &judge.evaluator, pruning, &name, settings, *position)?
        }
        Candidates::Plays(plays) => {
            if plays.len() == 1 {
                // The only play has nobody to be ahead of, which is no mistake of who asks.
                settings.stop.lead = None;
            }
            let after: Vec<Position> = plays.iter().map(|(_, after)| *after).collect();
            Rollout::of_plays(game, &judge.evaluator, pruning, &name, settings, &after)?
        }
    };
    Ok(rollout.on_threads(threads))
}

/// Figures with their standard errors, which have the same key and `_se` behind it. Five numbers
/// are win, win gammon, win backgammon, lose gammon and lose backgammon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RolledFigures {
    equity: f64,
    equity_se: f64,
    probs: [f64; 5],
    probs_se: [f64; 5],
    /// Of the exclusive outcomes: lose a single game, a gammon, a backgammon, win likewise.
    outcomes: [f64; 6],
    outcomes_se: [f64; 6],
    /// The equity of the same games with the luck left in, if it was taken off.
    #[serde(skip_serializing_if = "Option::is_none")]
    plain_equity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plain_equity_se: Option<f64>,
    /// Games.
    trials: u64,
    /// Plies of lookahead in the play of the games.
    ply: u8,
}

impl RolledFigures {
    fn new(figures: &Figures, settings: &RolloutSettings) -> Self {
        let (equity, plain) = (figures.equity(), figures.plain_equity());
        let (five, six) = (figures.cumulative(), figures.outcomes());
        let reduced = settings.luck == Luck::TakenOff;
        Self {
            equity: equity.mean,
            equity_se: equity.standard_error,
            probs: five.map(chance),
            probs_se: five.map(|estimate| estimate.standard_error),
            outcomes: six.map(chance),
            outcomes_se: six.map(|estimate| estimate.standard_error),
            plain_equity: reduced.then_some(plain.mean),
            plain_equity_se: reduced.then_some(plain.standard_error),
            trials: figures.trials,
            ply: settings.play.ply,
        }
    }
}

/// A chance as people expect it: a rare outcome may come out a hair below zero, or a sure one
/// above one, once the luck is taken off.
pub fn chance(estimate: Estimate) -> f64 {
    estimate.mean.clamp(0.0, 1.0)
}

/// A play that was rolled out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RolledPlay {
    /// Canonical move text.
    pub play: String,
    /// GNU Position ID of the result, the opponent on roll.
    pub position: String,
    #[serde(flatten)]
    figures: RolledFigures,
    /// Equity lost against the best play, or, if it was dropped, against the one that was best
    /// then.
    loss: f64,
    /// Of the difference, game by game on the same dice.
    loss_se: f64,
    /// Whether it was dropped because it clearly loses.
    dropped: bool,
}

/// What a rollout has come to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Rolled {
    /// Before the roll.
    Position(Box<RolledFigures>),
    /// Best first; those that were dropped come last.
    Plays {
        /// The plays.
        plays: Vec<RolledPlay>,
    },
}

/// Why there are no more games, and where their dice come from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Run {
    /// See [`Ended`].
    pub ended: Ended,
    /// Seed of the dice.
    pub seed: u64,
}

/// The order in which candidates are shown: best first, those that were dropped last.
pub fn order(rollout: &Rollout<Backgammon>) -> Vec<usize> {
    let key = |&candidate: &usize| {
        (rollout.dropped(candidate).is_some(), -rollout.figures(candidate).equity().mean)
    };
    let mut order: Vec<usize> = (0..rollout.candidates().len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    order
}

/// How far a candidate is behind the best one, or behind the one that was best when it was
/// dropped.
pub fn loss(rollout: &Rollout<Backgammon>, candidate: usize) -> Estimate {
    match rollout.dropped(candidate) {
        Some(dropped) => dropped.by(),
        None => rollout.behind(rollout.best(), candidate).unwrap_or_default(),
    }
}

/// The figures of a rollout.
pub fn answer(rollout: &Rollout<Backgammon>, candidates: &Candidates) -> Rolled {
    let figures = |candidate| RolledFigures::new(&rollout.figures(candidate), rollout.settings());
    match candidates {
        Candidates::Position => Rolled::Position(Box::new(figures(0))),
        Candidates::Plays(plays) => {
            let play = |candidate: usize| {
                let (play, after) = &plays[candidate];
                let loss = loss(rollout, candidate);
                RolledPlay {
                    play: play.clone(),
                    position: encode_position_id(after),
                    figures: figures(candidate),
                    loss: loss.mean,
                    loss_se: loss.standard_error,
                    dropped: rollout.dropped(candidate).is_some(),
                }
            };
            Rolled::Plays { plays: order(rollout).into_iter().map(play).collect() }
        }
    }
}
