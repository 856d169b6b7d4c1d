//! What graded decisions add up to.

use std::collections::BTreeMap;

use serde::Serialize;
use tavola_evaluator::{Estimate, Phase};

use super::Graded;
use super::header::Header;

/// Means of a number that every decision has, by phase and in all.
///
/// The intervals are those of the decisions: they say how far the mean over all decisions of
/// their kind may be from this one. Errors of the grader that are independent from one decision to
/// the next, as those of rollouts are, spread the numbers and so are in the intervals;
/// [`GraderError`] tells how much of them they make. What the grader sees wrongly everywhere is not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The phases that there are, in the order of [`Phase::ALL`].
    pub phases: Vec<PhaseSummary>,
    /// Phases weighted by their share in play.
    pub in_play: Estimate,
    /// All phases alike.
    pub phases_alike: Estimate,
}

/// The mean of one phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseSummary {
    /// The phase; all decisions together in a game without phases.
    pub phase: Option<Phase>,
    /// Its share in play, from 0 to 1: all of the phases that there are make one.
    pub share: f64,
    /// Decisions.
    pub decisions: u64,
    /// The mean.
    pub mean: Estimate,
}

impl Summary {
    /// The means of `number` over all decisions; `graded` has at least two of each phase.
    pub fn of(header: &Header, graded: &[Graded], number: impl Fn(usize, &Graded) -> f64) -> Self {
        let mut numbers: BTreeMap<Option<Phase>, Vec<f64>> = BTreeMap::new();
        for (index, decision) in graded.iter().enumerate() {
            numbers.entry(decision.phase).or_default().push(number(index, decision));
        }
        let summary = |(phase, numbers): (Option<Phase>, Vec<f64>)| {
            let (share, decisions) = (header.share(phase), numbers.len() as u64);
            PhaseSummary { phase, share, decisions, mean: mean(&numbers) }
        };
        let mut phases: Vec<PhaseSummary> = numbers.into_iter().map(summary).collect();
        let all: f64 = phases.iter().map(|summary| summary.share).sum();
        let alike = 1.0 / phases.len().max(1) as f64;
        for summary in &mut phases {
            // A file whose phases have no shares at all has them all alike.
            summary.share = if all > 0.0 { summary.share / all } else { alike };
        }
        Self {
            in_play: combine(&phases, |summary| summary.share),
            phases_alike: combine(&phases, |_| 1.0),
            phases,
        }
    }
}

/// The mean of numbers with its error.
fn mean(numbers: &[f64]) -> Estimate {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let spread: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    Estimate::new(mean, (spread / (count - 1.0).max(1.0) / count).sqrt())
}

/// The mean over phases, each an independent sample, by these weights. Their sum divides at the
/// end, so that what is one in every phase is one in all, to the last bit.
fn combine(phases: &[PhaseSummary], weight: impl Fn(&PhaseSummary) -> f64) -> Estimate {
    let (mut sum, mut mean, mut variance) = (0.0, 0.0, 0.0);
    for phase in phases {
        sum += weight(phase);
        mean += weight(phase) * phase.mean.mean;
        variance += (weight(phase) * phase.mean.standard_error).powi(2);
    }
    Estimate::new(mean / sum, variance.sqrt() / sum)
}

/// How well a player decides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grades {
    /// Equity lost a decision, in points.
    pub loss: Summary,
    /// Share of decisions in which the player's choice is a best play, from 0 to 1.
    pub best: Summary,
    /// Mean square of the difference between the player's equity of the grader's best play and the
    /// grader's, in square points, less the grader's own variance where it is known; `None` if the
    /// player says nothing of it.
    pub square_error: Option<Summary>,
    /// Choices that the grader has not rated, so that their loss is a lower bound.
    pub unrated: u64,
    /// What the grader's errors contribute to those of the losses; `None` if they are not known.
    pub grader_error: Option<GraderError>,
}

/// The standard errors that means of losses would have if nothing but the grader's own standard
/// errors made them uncertain, in points. Choices that the grader thinks best, and those that are
/// not rated, contribute none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GraderError {
    /// Phases weighted by their share in play.
    pub in_play: f64,
    /// All phases alike.
    pub phases_alike: f64,
}

impl GraderError {
    fn of(header: &Header, graded: &[Graded]) -> Option<Self> {
        if graded.iter().any(|decision| decision.best_error.is_none()) {
            return None;
        }
        let variance = |_: usize, decision: &Graded| decision.loss_error.unwrap_or(0.0).powi(2);
        let variances = Summary::of(header, graded, variance);
        let combine = |weight: &dyn Fn(&PhaseSummary) -> f64| {
            let (mut sum, mut all) = (0.0, 0.0);
            for phase in &variances.phases {
                // The variance of a mean is that of its terms over their number.
                sum += weight(phase).powi(2) * phase.mean.mean / phase.decisions as f64;
                all += weight(phase);
            }
            sum.sqrt() / all
        };
        Some(Self { in_play: combine(&|phase| phase.share), phases_alike: combine(&|_| 1.0) })
    }
}

impl Grades {
    /// The sums of graded decisions.
    pub fn of(header: &Header, graded: &[Graded]) -> Self {
        let square = |_: usize, decision: &Graded| {
            let graders = decision.best_error.unwrap_or(0.0);
            decision.equity_error.unwrap_or(0.0).powi(2) - graders.powi(2)
        };
        let says = graded.iter().all(|decision| decision.equity_error.is_some());
        Self {
            loss: Summary::of(header, graded, |_, decision| decision.loss),
            best: Summary::of(header, graded, |_, decision| {
                f64::from(u8::from(decision.loss == 0.0))
            }),
            square_error: says.then(|| Summary::of(header, graded, square)),
            unrated: graded.iter().filter(|decision| !decision.rated).count() as u64,
            grader_error: GraderError::of(header, graded),
        }
    }

    /// The performance rating, 500 times the mean loss of a decision in play: 0 is perfect.
    pub fn performance_rating(&self) -> f64 {
        500.0 * self.loss.in_play.mean
    }
}

/// What `a` loses more than `b`, in points a decision. Both were graded by the same reference, so
/// each decision is compared with itself and the interval is much narrower than those of the two.
pub fn compare(header: &Header, a: &[Graded], b: &[Graded]) -> Summary {
    Summary::of(header, a, |index, decision| decision.loss - b[index].loss)
}
