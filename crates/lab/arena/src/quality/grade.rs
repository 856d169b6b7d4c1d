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

mod benchmark;
mod decision;
mod file;
mod grader;
mod grading;
mod header;
mod network;
mod player;
mod plies;
mod pools;
mod report;
mod rollout;
mod sample;
mod siblings;
pub mod states;
mod summary;

use std::sync::atomic::{AtomicBool, Ordering};

pub use self::benchmark::{BenchmarkRating, BenchmarkReport, Plan, Rating};
pub use self::decision::{GradedDecision, QuestionOf, RatedAfterstate};
pub use self::file::sage::unpacked;
pub use self::file::{Decisions, Reference};
pub use self::grader::{RolloutGrader, RolloutGraderSettings, in_words};
pub use self::grading::{grade_decisions, unfinished_path};
pub use self::header::{GraderInfo, GroupShare, Header, PhaseShare, Purpose, SampleLabels};
use self::network::GradingNetwork;
pub use self::network::file_name;
pub use self::player::{GradedPlayer, Rmse};
pub use self::plies::{PliesReport, PlyDifference, PlyGrades, StatesFile};
pub use self::report::GradeReport;
pub use self::rollout::{Rated, RolloutRating};
pub use self::sample::{Draw, Sample, SampleSettings};
pub use self::siblings::{SiblingGrades, grade_siblings};
pub use self::summary::{GraderError, Grades, PhaseSummary, Summary, compare};
use tavola_evaluator::{Phase, PlayableGame};
use tavola_files::Failure;
use tavola_play::{AgentError, ChoosingPlayer, Contender, Workers, canceled};

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

/// Asks forks of `player` a number of questions. The answers come in their order and are the same on any
/// number of threads; `observer` is called after each.
fn ask<G: PlayableGame, T: Send>(
    player: &dyn Contender<G>,
    asked: usize,
    workers: Workers<'_>,
    observer: &(dyn Fn() + Sync),
    answer: impl Fn(&mut dyn Contender<G>, usize) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let failed = AtomicBool::new(false);
    let answers = workers.run(
        0..asked as u64,
        || player.fork(),
        |player, index| {
            // An engine that has failed may take its whole time out in each of the others.
            if failed.load(Ordering::Relaxed) {
                return None;
            }
            let answer = answer(player.as_mut(), index as usize);
            if answer.is_err() && workers.cancel.load(Ordering::Relaxed) {
                return None;
            }
            failed.fetch_or(answer.is_err(), Ordering::Relaxed);
            observer();
            Some(answer)
        },
    );
    // The first failure is reported, not that others were not asked because of it.
    let answers = answers.into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
    let finished = answers.len();
    if finished < asked {
        return Err(canceled(finished as u64, asked as u64, "answers"));
    }
    Ok(answers)
}

/// The error of a player who has no answer to a decision.
fn no_answer<G: PlayableGame>(
    game: &G,
    (position, roll): &QuestionOf<G>,
) -> impl Fn(AgentError) -> Failure {
    let question = format!("{roll} in {}", game.write_state(position));
    move |reason| Failure::work(format!("no answer to {question}: {reason}"))
}

/// Asks `player` for every decision of the reference. The answers come in its order and are the
/// same on any number of threads; `observer` is called after each.
///
/// # Errors
///
/// [`Failure`] if the player fails once, or the caller calls it off.
pub fn grade<G: PlayableGame>(
    game: &G,
    reference: &Reference<G>,
    player: &dyn Contender<G>,
    workers: Workers<'_>,
    observer: &(dyn Fn() + Sync),
) -> Result<Vec<Graded>, Failure> {
    let decisions = &reference.decisions;
    ask(player, decisions.len(), workers, observer, |player, index| {
        let decision = &decisions[index];
        decide(game, decision, player).map_err(no_answer(game, &decision.question))
    })
}

fn decide<G: PlayableGame>(
    game: &G,
    decision: &GradedDecision<G>,
    player: &mut dyn Contender<G>,
) -> Result<Graded, AgentError> {
    let ((state, roll), mut afterstates) = (decision.question, Vec::new());
    game.afterstates(&state, roll, &mut afterstates);
    let chosen = player.choose(&ChoosingPlayer::first(game, &state, roll, &afterstates))?;
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
