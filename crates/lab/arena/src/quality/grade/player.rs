//! The grades of a player, as a report has them.

use serde::Serialize;
use tavola_evaluator::{Estimate, PlayableGame};
use tavola_files::Failure;
use tavola_play::Workers;

use super::{Graded, GraderError, Grades, Reference, Summary, grade};
use crate::progress::Progress;
use crate::strength::player::Player;

/// A player and its grades, in points.
#[derive(Debug, Serialize)]
pub struct GradedPlayer<'a> {
    /// As it was named.
    pub player: &'a str,
    /// See [`Player::version`].
    pub version: String,
    /// What the choices lose.
    pub loss: Summary,
    /// How often the best play was chosen.
    pub best: Summary,
    /// How far the evaluations are off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equity_rmse: Option<Rmse>,
    /// 500 times the mean loss, as in play.
    pub performance_rating: f64,
    /// How sure the grader is of the losses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grader_error: Option<GraderError>,
    /// Choices that the grader has not rated.
    pub unrated: u64,
    /// Each decision.
    #[serde(skip)]
    pub graded: Vec<Graded>,
}

impl<'a> GradedPlayer<'a> {
    /// Has a player decide, and grades it; `progress` counts every decision.
    ///
    /// # Errors
    ///
    /// The player fails once, or the caller calls it off.
    pub fn of<G: PlayableGame>(
        game: &G,
        reference: &Reference<G>,
        name: &'a str,
        player: &Player<G>,
        workers: Workers<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let agent = player.agent.as_ref();
        let graded = grade(game, reference, agent, workers, &|| progress.one_done())?;
        let grades = Grades::of(&reference.header, &graded);
        Ok(Self {
            player: name,
            version: player.version.clone(),
            performance_rating: grades.performance_rating(),
            equity_rmse: grades.square_error.as_ref().map(Rmse::of),
            loss: grades.loss,
            best: grades.best,
            grader_error: grades.grader_error,
            unrated: grades.unrated,
            graded,
        })
    }
}

/// Root mean squares of a summary of squares, with their standard errors.
#[derive(Debug, Serialize)]
pub struct Rmse {
    /// By phase.
    pub phases: Vec<f64>,
    /// See [`phases`](Self::phases).
    pub phases_se: Vec<f64>,
    /// Of all, as in play.
    pub in_play: f64,
    /// See [`in_play`](Self::in_play).
    pub in_play_se: f64,
    /// Of all phases alike.
    pub phases_alike: f64,
    /// See [`phases_alike`](Self::phases_alike).
    pub phases_alike_se: f64,
}

impl Rmse {
    fn of(squares: &Summary) -> Self {
        let (phases, phases_se) =
            squares.phases.iter().map(|phase| root(phase.mean)).collect::<(Vec<_>, Vec<_>)>();
        let (in_play, in_play_se) = root(squares.in_play);
        let (phases_alike, phases_alike_se) = root(squares.phases_alike);
        Self { phases, phases_se, in_play, in_play_se, phases_alike, phases_alike_se }
    }
}

/// The root of a mean square, and its standard error to the first order. Less the grader's
/// variance, a mean square may come out a little below zero.
pub(super) fn root(square: Estimate) -> (f64, f64) {
    let root = square.mean.max(0.0).sqrt();
    (root, if root > 0.0 { square.standard_error / (2.0 * root) } else { 0.0 })
}
