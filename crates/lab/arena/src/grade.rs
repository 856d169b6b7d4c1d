//! Grading players by single decisions.
//!
//! A [`Reference`] has decisions, drawn from all phases of the game, with the
//! equities of their plays as a grader sees them. [`grade`] asks a player for each decision and
//! tells how much equity their choice loses; [`Grades`] sums up and [`compare`] compares two
//! players. [`grade_siblings`] tells how far the errors within the siblings of a roll spread. A
//! grader may be another engine, or a [`RolloutGrader`]; [`grade_decisions`] has it grade what a
//! [`Sample`] has drawn. Grading takes seconds where a duel takes minutes, and shows where a player
//! errs; but the graders err too, so a duel has the last word.
//!
//! References grade. What they hold must never become training material.

mod decision;
mod file;
mod grader;
mod grading;
mod header;
mod network;
mod player;
mod plies;
mod report;
mod rollout;
mod sample;
mod siblings;
pub mod states;
mod summary;

use std::sync::atomic::{AtomicBool, Ordering};

pub use self::decision::{GradedDecision, QuestionOf, RatedAfterstate};
pub use self::file::{Decisions, GradeFileError, Reference, read_questions};
pub use self::grader::{Ahead, RolloutGrader, RolloutGraderSettings};
pub use self::grading::{GradingError, grade_decisions, unfinished_path};
pub use self::header::{GraderInfo, Header, PhaseShare, Purpose};
use self::network::GradingNetwork;
pub use self::player::{GradedPlayer, Rmse};
pub use self::plies::{PliesReport, PlyGrades};
pub use self::report::GradeReport;
pub use self::rollout::{Rated, RolloutRating, file_name};
pub use self::sample::{Draw, Sample, SampleError, SampleLabels, SampleSettings};
pub use self::siblings::{SiblingGrades, grade_siblings};
pub use self::summary::{GraderError, Grades, PhaseSummary, Summary, compare};
use tavola_evaluator::{Phase, PlayableGame};
use tavola_play::{AgentError, Contender, Seat, Situation, Workers};

/// What a player made of one decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Graded {
    /// The phase of the position, in a game with phases.
    pub phase: Option<Phase>,
    /// Equity lost against the grader's best play, in points.
    pub loss: f64,
    /// Whether the grader has rated the choice; otherwise the loss is a lower bound.
    pub rated: bool,
    /// The player's equity of the grader's best play less the grader's, in points, both for the
    /// player who makes it; `None` if the player says nothing of it.
    pub equity_error: Option<f64>,
    /// The standard error that the grader's errors give the loss, in points; 0 where the choice is
    /// the grader's best play, `None` where the errors or the choice's equity are not known.
    pub loss_error: Option<f64>,
    /// The standard error of the grader's equity of the best play, in points, if it is known.
    pub best_error: Option<f64>,
}

/// Why a player has no grades.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GradeError {
    /// The player could not choose.
    #[error("no choice with {roll} in {position}: {reason}")]
    NoChoice {
        /// The position.
        position: String,
        /// The roll.
        roll: String,
        /// Why.
        reason: AgentError,
    },
    /// The caller called it off.
    #[error("canceled after {finished} of {asked} decisions")]
    Canceled {
        /// Decisions that were made.
        finished: usize,
        /// Decisions to be made.
        asked: usize,
    },
}

impl GradeError {
    fn no_choice<G: PlayableGame>(
        game: &G,
        decision: &GradedDecision<G>,
        reason: AgentError,
    ) -> Self {
        let (position, roll) = decision.question;
        let (position, roll) = (game.write_state(&position), roll.to_string());
        Self::NoChoice { position, roll, reason }
    }
}

/// Asks `player` for every decision of the reference. The answers come in its order and are the
/// same on any number of threads; `observer` is called after each.
///
/// # Errors
///
/// [`GradeError`] if the player fails once, or the caller calls it off.
pub fn grade<G: PlayableGame>(
    game: &G,
    reference: &Reference<G>,
    player: &dyn Contender<G>,
    workers: Workers<'_>,
    observer: &(dyn Fn() + Sync),
) -> Result<Vec<Graded>, GradeError> {
    let failed = AtomicBool::new(false);
    let graded = workers.run(
        0..reference.decisions.len() as u64,
        || (player.fork(), Vec::new()),
        |(player, afterstates), index| {
            // An engine that has failed may take its whole time out in each of the others.
            if failed.load(Ordering::Relaxed) {
                return None;
            }
            let decision = &reference.decisions[index as usize];
            let graded = decide(game, decision, player.as_mut(), afterstates).map_err(|reason| {
                failed.store(true, Ordering::Relaxed);
                GradeError::no_choice(game, decision, reason)
            });
            observer();
            Some(graded)
        },
    );
    let (finished, asked) = (graded.len(), reference.decisions.len());
    // The first failure is reported, not that others were not asked because of it.
    let graded = graded.into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
    if finished < asked {
        return Err(GradeError::Canceled { finished, asked });
    }
    Ok(graded)
}

fn decide<G: PlayableGame>(
    game: &G,
    decision: &GradedDecision<G>,
    player: &mut dyn Contender<G>,
    afterstates: &mut Vec<G::State>,
) -> Result<Graded, AgentError> {
    let (state, roll) = decision.question;
    afterstates.clear();
    game.afterstates(&state, roll, afterstates);
    let situation = Situation {
        game,
        state: &state,
        roll,
        afterstates,
        turn: 0,
        seat: Seat::First,
        cube: None,
    };
    let chosen = player.choose(&situation)?;
    let after = afterstates[chosen.index];
    let (loss, rated) = decision.loss_of(&after);
    let best = decision.best();
    let probs = match player.evaluate(&best.after)? {
        None if after == best.after => chosen.probs,
        probs => probs,
    };
    let equity_error = probs.map(|probs| f64::from(probs.flip().equity()) - best.equity);
    Ok(Graded {
        phase: decision.phase,
        loss,
        rated,
        equity_error,
        loss_error: decision.loss_error_of(&after),
        best_error: best.standard_error,
    })
}
