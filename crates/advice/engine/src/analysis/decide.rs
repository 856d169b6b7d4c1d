//! The answers to the questions of a match, one at a time.
//!
//! `play` rates plays and the luck of rolls, `cube` doubles, `resignation` resignations.

use std::sync::Arc;

use tavola_equity::{MatchEquityTable, Value};
use tavola_matches::Match;
use tavola_matches::analysis::{Choice, Decision, DecisionPoint};
use tavola_rules::Backgammon;
use tavola_rules::notation::Situation;

use super::{Analysis, phase, written};
use crate::error::{EngineError, ErrorKind, Result};
use crate::session::Evaluators;
use crate::terms::ResolvedTerms;
use crate::watch::Watch;

pub(super) use self::cube::{rate_double, rate_response};

mod cube;
mod play;
mod resignation;

/// Plays that differ by no more are no choice, as eXtreme Gammon counts.
const NO_CHOICE: f64 = 0.001;

/// What answers the questions of one match, one at a time.
pub(super) struct Decider<'a> {
    pub(super) game: Backgammon,
    pub(super) table: Option<Arc<MatchEquityTable>>,
    pub(super) record: &'a Match,
    pub(super) analysis: &'a Analysis,
    pub(super) session: &'a mut Evaluators<Backgammon>,
    pub(super) watch: &'a Watch<'a>,
}

impl Decider<'_> {
    fn terms(&self, situation: &Situation) -> Result<ResolvedTerms> {
        let any = MatchEquityTable::kazaross_xg2();
        let table = self.table.as_deref().unwrap_or(any);
        ResolvedTerms::new(situation, table, self.record.options.beavers)
            .map_err(|error| EngineError::new(ErrorKind::Cube, error))
    }

    /// The answer to a question; `None` where there was nothing to decide.
    pub(super) fn decide(&mut self, question: &DecisionPoint) -> Result<Option<Decision>> {
        let decided = self.searched(question);
        // What a canceled search says is no answer.
        self.watch.check()?;
        decided
    }

    fn searched(&mut self, question: &DecisionPoint) -> Result<Option<Decision>> {
        let situation = &question.situation;
        let terms = self.terms(situation)?;
        let blank = Decision {
            player: question.player,
            position: written(situation),
            phase: phase(&situation.position).to_owned(),
            cube: terms.cube.value(),
            made: question.choice.place(),
            loss_mwc: terms.stakes.is_match().then_some(0.0),
            ..Decision::default()
        };
        match question.choice {
            Choice::Play { dice, play, opening } => {
                self.play(blank, situation, &terms, dice, play, opening).map(Some)
            }
            Choice::Double { doubled } => self.double(blank, situation, &terms, doubled),
            Choice::Answer(act) => self.response(blank, situation, &terms, act),
            Choice::Resign(win) => {
                self.resignation(blank, situation, &terms, question, win, None).map(Some)
            }
            Choice::AnswerResignation { win, accepted } => {
                self.resignation(blank, situation, &terms, question, win, Some(accepted)).map(Some)
            }
        }
    }
}

fn mwc(value: Value) -> Option<f64> {
    value.mwc().map(|mwc| mwc.0)
}

/// The chances that the second value has less.
fn lost_mwc(best: Value, made: Value) -> Option<f64> {
    Some((mwc(best)? - mwc(made)?).max(0.0))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::super::{Finding, Findings};
    use super::*;
    use crate::engine::Engine;

    /// Cancels when the second decision is looked up.
    #[derive(Default)]
    struct Canceling {
        cancel: AtomicBool,
        asked: AtomicUsize,
        kept: AtomicUsize,
    }

    impl Findings for Canceling {
        fn find(&self, _: &str) -> Option<Finding> {
            if self.asked.fetch_add(1, Ordering::Relaxed) == 1 {
                self.cancel.store(true, Ordering::Relaxed);
            }
            None
        }

        fn keep(&self, _: &str, _: &Finding) -> Result<()> {
            self.kept.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    #[test]
    fn a_canceled_analysis_ends_inside_of_a_decision_and_keeps_nothing_of_it() {
        let file = b" 5 point match\n\n Game 1\n Ann : 0   Bob : 0\n  \
            1) 31: 8/5 6/5            21: 13/11 6/5\n  2) 64: 24/14             55: 8/3(2) 6/1(2)\n";
        let reading = tavola_matches::read(file).unwrap();
        let (engine, canceling) = (Engine::new(NonZeroUsize::MIN, None), Canceling::default());
        let analysis = Analysis::at_ply(1).unwrap();
        let watch = Watch { cancel: &canceling.cancel, events: &|_| {} };
        let record = &reading.matches[0];
        let error = engine.analyze("x", record, &analysis, &canceling, &watch, &|_, _| {});
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Canceled);
        assert_eq!(canceling.kept.into_inner(), 1);
    }
}
