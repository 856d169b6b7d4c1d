//! Rollouts of the decisions of a match that are close.

use serde::{Deserialize, Serialize};
use tavola_equity::Response;
use tavola_evaluator::rollout::SavedRollout;
use tavola_evaluator::{CloseRollout, Level, Z_95};
use tavola_matches::analysis::{Decision, DecisionKind, MistakeKind, RatedPlay, RolledOut};
use tavola_rules::Beavers;

use super::Analysis;
use super::decide::{rate_double, rate_response};
use crate::engine::Engine;
use crate::error::Result;
use crate::operations::{RolledAction, RolledPlay, Rollout, RolloutResult, interval_of_best};
use crate::question::{Question, Terms};
use crate::watch::Watch;

/// Fewer games than this, where the clock stops them, say nothing.
const FEWEST: u64 = 72;

/// Which decisions are rolled out, and how.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rollouts {
    /// A decision is rolled out if, at the depth of the analysis, another choice is within so much
    /// equity of the best one. Those choices, and the one that was made, are rolled out.
    pub within: f64,
    /// Games of each choice, fewer if one is three standard errors in the lead.
    pub trials: u64,
    /// The level whose rollouts they are; `None` for whole games played at 0-ply.
    pub level: Option<Level>,
}

impl Rollouts {
    /// Rollouts of this number of games of decisions whose best choices are within this equity of
    /// each other.
    pub const fn new(within: f64, trials: u64) -> Self {
        Self { within, trials, level: None }
    }

    /// Those of a level; `None` if it rolls nothing out.
    pub fn of_level(level: Level) -> Option<Self> {
        let CloseRollout { within, settings, .. } = level.rollout()?;
        Some(Self { within: f64::from(within), trials: settings.trials, level: Some(level) })
    }

    /// What a finding depends on, besides the decision.
    pub(super) fn key(&self, key: &str) -> String {
        format!("{key} rolled out {:?}", self)
    }

    /// The plays that are rolled out; none if the decision is not close.
    fn plays(&self, decision: &Decision) -> Vec<String> {
        let close = |play: &&RatedPlay| play.loss <= self.within;
        if decision.plays.iter().filter(close).count() < 2 {
            return Vec::new();
        }
        let wanted = |play: &&RatedPlay| close(play) || play.play == decision.done;
        decision.plays.iter().filter(wanted).map(|play| play.play.clone()).collect()
    }

    /// Whether a decision is rolled out.
    pub(super) fn concern(&self, decision: &Decision) -> bool {
        let Some(figures) = &decision.actions else { return !self.plays(decision).is_empty() };
        figures.apart(decision.kind).is_some_and(|apart| apart <= self.within)
    }

    /// The decision with the figures of rollouts.
    pub(super) fn decide(
        &self,
        engine: &Engine,
        decision: &Decision,
        question: &Question,
        watch: &Watch<'_>,
    ) -> Result<Decision> {
        let operation = match self.level.and_then(Level::rollout) {
            Some(close) => Rollout::from(&close.settings),
            None => Rollout { trials: self.trials, until_jsd: Some(3.0), ..Rollout::default() },
        };
        let operation = Rollout { plays: self.plays(decision), ..operation };
        let mut decision = decision.clone();
        roll(engine, &mut decision, operation, question, watch)?;
        Ok(decision)
    }
}

/// Rolls a decision out with the cube, and puts the figures in place of those that it has. The
/// answer is the rollout, to resume it.
pub(super) fn roll(
    engine: &Engine,
    decision: &mut Decision,
    operation: Rollout,
    question: &Question,
    watch: &Watch<'_>,
) -> Result<Option<SavedRollout>> {
    let question = Question { position: Some(decision.position.clone()), ..question.clone() };
    let operation = Rollout { cubeful: Some(true), ..operation };
    let timed = operation.time.is_some();
    let answer = engine.ask(&question, &operation, watch)?.answer;
    let trials = answer.trials;
    match answer.rolled {
        _ if timed && trials < FEWEST => {}
        RolloutResult::Plays { plays, .. } => replace_plays(decision, &plays, trials),
        RolloutResult::Position(position) => {
            if let Some(action) = &position.action {
                replace_action(decision, action, trials);
            }
        }
    }
    Ok(answer.saved)
}

/// What the answers depend on besides position and score: network, match equity table and beavers.
pub(super) fn question(analysis: &Analysis, beavers: Beavers, is_match: bool) -> Question {
    let terms = Terms {
        met: analysis.met.clone().filter(|_| is_match),
        raccoons: !is_match && beavers == Beavers::Raccoons,
        ..Terms::default()
    };
    Question { terms, ..Question::backgammon(analysis.model.clone()) }
}

/// Puts the figures of a rollout in place of those of the search. Plays that were not rolled out
/// follow with the losses that they had.
fn replace_plays(decision: &mut Decision, rolled: &[RolledPlay], trials: u64) {
    let equity = |play: &RolledPlay| {
        play.figures.cubeful.map_or(play.figures.equity, |cubeful| cubeful.cubeful_equity)
    };
    let mwc = |play: &RolledPlay| play.figures.cubeful.and_then(|cubeful| cubeful.mwc);
    let mut plays: Vec<RatedPlay> = rolled
        .iter()
        .map(|play| RatedPlay {
            play: play.play.clone(),
            equity: equity(play),
            mwc: mwc(play),
            loss: 0.0,
            interval: Z_95 * play.loss_se,
            probs: play.figures.probs.map(|prob| prob as f32),
            ply: play.figures.ply,
        })
        .collect();
    plays.sort_by(|a, b| b.equity.total_cmp(&a.equity));
    let Some(first) = plays.first().map(|play| play.equity) else { return };
    for play in &mut plays {
        play.loss = first - play.equity;
    }
    let Some(made) = plays.iter().find(|play| play.play == decision.done).cloned() else { return };
    let loss_se =
        rolled.iter().find(|play| play.play == made.play).map_or(0.0, |play| play.loss_se);
    decision.best.clone_from(&plays[0].play);
    decision.loss = made.loss;
    let rivals = plays[1..].iter().map(|play| (play.loss, play.interval));
    decision.interval = if made.loss > 0.0 { made.interval } else { interval_of_best(rivals) };
    decision.loss_mwc = plays[0].mwc.zip(made.mwc).map(|(best, made)| (best - made).max(0.0));
    decision.fault = (made.loss > 0.0).then_some(MistakeKind::Play);
    (decision.equity, decision.mwc) = (made.equity, made.mwc);
    decision.rollout = Some(RolledOut { trials, loss_se });
    let searched = std::mem::take(&mut decision.plays);
    let others =
        searched.into_iter().filter(|play| plays.iter().all(|known| known.play != play.play));
    decision.plays = plays.iter().cloned().chain(others).collect();
}

/// Puts a rollout in place of what was found of a decision about the cube.
fn replace_action(decision: &mut Decision, rolled: &RolledAction, trials: u64) {
    let Some(figures) = &mut decision.actions else { return };
    figures.verdict = rolled.verdict.to_string();
    figures.no_double = rolled.no_double;
    figures.double_take = rolled.double_take;
    figures.double_pass = rolled.double_pass;
    let mwc = rolled
        .mwc
        .and_then(|mwc| Some([mwc.mwc_no_double, mwc.mwc_double_take?, mwc.mwc_double_pass?]));
    figures.mwc = mwc;
    let Ok(double) = rolled.decision.double else { return };
    let loss_se = match decision.kind {
        DecisionKind::Double => rolled.gain_of_doubling_se,
        _ => rolled.gain_of_taking_se,
    };
    figures.interval = Z_95 * loss_se;
    let (interval, apart) = (figures.interval, figures.apart(decision.kind).unwrap_or(0.0));
    if decision.kind == DecisionKind::Double {
        let made = (decision.made == Some(1), figures.terms.redouble);
        rate_double(decision, &rolled.decision, double, made);
    } else {
        let answer = match decision.made {
            Some(1) => Response::Pass,
            Some(2) => Response::Beaver,
            _ => Response::Take,
        };
        rate_response(decision, double, answer);
    }
    decision.interval = if decision.loss > 0.0 { interval } else { (interval - apart).max(0.0) };
    decision.rollout = Some(RolledOut { trials, loss_se });
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use tavola_matches::analysis::Thresholds;

    use super::super::NoFindings;
    use super::*;
    use crate::effort::Effort;

    #[test]
    fn what_is_close_is_rolled_out_and_the_same_on_any_number_of_threads() {
        let file = b" 5 point match\n\n Game 1\n Ann : 0   Bob : 0\n  \
            1) 31: 8/5 6/5            21: 13/11 6/5\n  2) 64: 24/14             55: 8/3(2) 6/1(2)\n";
        let reading = tavola_matches::read(file).unwrap();
        let engine = Engine::new(NonZeroUsize::MIN, None);
        let analyze = |workers, rollouts| {
            let analysis = Analysis {
                effort: Effort::at(0),
                thresholds: Thresholds::default(),
                model: None,
                met: None,
                workers: NonZeroUsize::new(workers).unwrap(),
                rollouts,
            };
            let watch = Watch::default();
            engine
                .analyze("x", &reading.matches[0], &analysis, &NoFindings, &watch, &|_, _| {})
                .unwrap()
        };
        let rollouts = Some(Rollouts::new(0.04, 36));
        let (plain, rolled) = (analyze(1, None), analyze(1, rollouts));
        assert_eq!(rolled.decisions, analyze(3, rollouts).decisions);
        assert_eq!(plain.decisions.len(), rolled.decisions.len());
        let mut concerned = 0;
        for (before, after) in plain.decisions.iter().zip(&rolled.decisions) {
            let Some(rollout) = &after.rollout else {
                assert_eq!(before, after);
                continue;
            };
            concerned += 1;
            assert_eq!(rollout.trials, 36);
            assert_ne!(before.equity, after.equity);
            assert!(after.loss >= 0.0 && before.done == after.done);
            if after.kind == DecisionKind::Checker {
                assert_eq!(after.plays[0].play, after.best);
                assert_eq!(before.plays.len(), after.plays.len());
                let made = after.plays.iter().find(|play| play.play == after.done).unwrap();
                assert!((made.loss - after.loss).abs() < 1e-12);
            }
        }
        assert!(concerned > 0);
    }
}
