//! Analysis of matches: every decision of a record evaluated, and the luck of every roll.

use std::mem::take;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use serde::{Deserialize, Serialize};
use tavola_equity::MatchEquityTable;
use tavola_evaluator::{Phase, is_blitz};
use tavola_files::{locked, unlocked};
use tavola_matches::Match;
use tavola_matches::analysis::{
    Choice, Decision, DecisionPoint, MatchAnalysis, Thresholds, questions, stored,
};
use tavola_rules::Position;
use tavola_rules::notation::{Form, Situation};

use crate::effort::Effort;
use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::met::DEFAULT_MET;
use crate::watch::Watch;

mod decide;
mod file;
mod remote;
mod rollouts;
mod saved;
mod sure;
mod verify;
mod why;

use self::decide::Decider;
pub use self::file::{Analyses, AnalysisProgress, FailedFile, NamedMatch};
pub use self::remote::{ANALYSIS, Gathered, open_analysis};
pub use self::rollouts::Rollouts;
pub use self::saved::{SavedFindings, findings_in};
pub use self::verify::{AnalysisReport, Difference, RandomShare, ReportSettings, Verification};

/// How to analyze a match.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// How far to look ahead.
    pub effort: Effort,
    /// From which loss on a decision is an error or a blunder.
    pub thresholds: Thresholds,
    /// The weights file of the network; `None` is the built-in one.
    pub model: Option<PathBuf>,
    /// The match equity table: a name or an XML file; `None` is Kazaross-XG2.
    pub met: Option<String>,
    /// Which decisions are rolled out after that; `None` for none.
    pub rollouts: Option<Rollouts>,
    /// Decisions that are evaluated at the same time. The answers do not depend on it.
    pub workers: NonZeroUsize,
}

/// What was found before, kept by callers that want to go on after a stop.
pub trait Findings: Sync {
    /// The decision that was kept under this key.
    fn find(&self, _key: &str) -> Option<Finding> {
        None
    }

    /// Keeps a decision.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if it can't be kept.
    fn keep(&self, _key: &str, _finding: &Finding) -> Result<()> {
        Ok(())
    }
}

/// No memory.
pub struct NoFindings;

impl Findings for NoFindings {}

/// What was found about a question, apart from where in a match it came up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding(Option<Decision>);

impl Engine {
    /// Evaluates every decision of a match.
    ///
    /// `done` is called after each decision with how many are done and how many there are. The
    /// engine should use one thread for a question: decisions are evaluated side by side.
    ///
    /// # Errors
    ///
    /// [`EngineError`]: a network, table or game that can't be used, or the caller canceled.
    pub fn analyze(
        &self,
        source: &str,
        record: &Match,
        analysis: &Analysis,
        findings: &dyn Findings,
        watch: &Watch<'_>,
        done: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<MatchAnalysis> {
        let table = self.table_of(analysis, record)?;
        let questions = questions(record);
        let slots: Vec<OnceLock<Option<Decision>>> =
            questions.iter().map(|_| OnceLock::new()).collect();
        let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
        side_by_side(analysis.workers.get().min(questions.len()), &next, &|| {
            let game = record.options.start;
            self.sessions.with(self, analysis.model.as_ref(), &game, watch, |session| {
                let mut decider =
                    Decider { game, table: table.clone(), record, analysis, session, watch };
                loop {
                    watch.check()?;
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(question) = questions.get(index) else { return Ok(()) };
                    let key = key_of(question, record);
                    let decision = match findings.find(&key) {
                        Some(Finding(known)) => known,
                        None => {
                            let decision = decider.decide(question)?;
                            findings.keep(&key, &Finding(decision.clone()))?;
                            decision
                        }
                    };
                    let decision = decision.map(|decision| Decision {
                        game: question.game + 1,
                        number: question.turn,
                        row: question.row,
                        player: question.player,
                        beside: stored(record, question),
                        comment: question.comment(record).to_owned(),
                        ..decision
                    });
                    let _ = slots[index].set(decision);
                    done(finished.fetch_add(1, Ordering::Relaxed) + 1, questions.len());
                }
            })?
        })?;
        let found = slots.into_iter().enumerate();
        let mut decisions: Vec<(usize, Decision)> =
            found.filter_map(|(index, slot)| Some((index, slot.into_inner()??))).collect();
        let asked = rollouts::question(analysis, record.options.beavers, record.length > 0);
        if let Some(rollouts) = &analysis.rollouts {
            let close = decisions.iter_mut().filter(|(_, decision)| rollouts.concern(decision));
            let close: Vec<&mut (usize, Decision)> = close.collect();
            let (of, finished) = (close.len(), AtomicUsize::new(0));
            for_each(close.into_iter(), analysis.workers, watch, &|(index, decision)| {
                let key = rollouts.key(&key_of(&questions[*index], record));
                let rolled = match findings.find(&key) {
                    Some(Finding(Some(known))) => known,
                    _ => {
                        let rolled = rollouts.decide(self, decision, &asked, watch)?;
                        findings.keep(&key, &Finding(Some(rolled.clone())))?;
                        rolled
                    }
                };
                let Decision { game, number, row, player, .. } = *decision;
                let (beside, comment) = (take(&mut decision.beside), take(&mut decision.comment));
                *decision = Decision { game, number, row, player, beside, comment, ..rolled };
                let rolled = finished.fetch_add(1, Ordering::Relaxed) + 1;
                done(questions.len() + rolled, questions.len() + of);
                Ok(())
            })?;
        }
        if let Some(limit) = analysis.effort.sure {
            let rounds = (limit, &sure::ROUNDS[..]);
            sure::make_sure(self, rounds, analysis, &asked, &mut decisions, watch)?;
        }
        self.explain_errors(record, analysis, &questions, &mut decisions, watch)?;
        let decisions = decisions.into_iter().map(|(_, decision)| decision).collect();
        Ok(MatchAnalysis::new(source.to_owned(), record, decisions, &analysis.thresholds))
    }

    /// The match equity table of a match.
    fn table_of(
        &self,
        analysis: &Analysis,
        record: &Match,
    ) -> Result<Option<Arc<MatchEquityTable>>> {
        let name = analysis.met.as_deref().unwrap_or(DEFAULT_MET);
        (record.length > 0).then(|| self.match_equities(name, record.length)).transpose()
    }
}

/// Does something with each of these, on several threads side by side.
fn for_each<'a, T: Send + 'a>(
    all: impl Iterator<Item = &'a mut T>,
    workers: NonZeroUsize,
    watch: &Watch<'_>,
    work: &(dyn Fn(&mut T) -> Result<()> + Sync),
) -> Result<()> {
    let slots: Vec<Mutex<&mut T>> = all.map(Mutex::new).collect();
    let next = AtomicUsize::new(0);
    side_by_side(workers.get().min(slots.len()), &next, &|| {
        loop {
            watch.check()?;
            let Some(slot) = slots.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return Ok(());
            };
            work(&mut locked(slot))?;
        }
    })
}

/// Runs the same work on several threads, which take their tasks from `next`. The first failure
/// ends all of them: no task is beyond it.
fn side_by_side(
    threads: usize,
    next: &AtomicUsize,
    work: &(dyn Fn() -> Result<()> + Sync),
) -> Result<()> {
    let failure: Mutex<Option<EngineError>> = Mutex::new(None);
    let keep = |error: EngineError| {
        next.store(usize::MAX / 2, Ordering::Relaxed);
        let mut failure = locked(&failure);
        failure.get_or_insert(error);
    };
    std::thread::scope(|scope| {
        // One of them is this thread: in a browser there are no others.
        for _ in 1..threads {
            scope.spawn(|| work().unwrap_or_else(&keep));
        }
        work().unwrap_or_else(&keep);
    });
    unlocked(failure).map_or(Ok(()), Err)
}

/// What a finding depends on, besides network, depth and table.
fn key_of(question: &DecisionPoint, record: &Match) -> String {
    let position = written(&question.situation);
    let beavers = record.options.beavers;
    match question.choice {
        Choice::Play { dice, play, opening } => {
            let play = play.map_or("-".to_owned(), |play| play.to_string());
            let opening = if opening { " first" } else { "" };
            format!("{position} {dice} {play}{opening} {beavers:?}")
        }
        other => format!("{position} {other:?} {beavers:?} {:?}", question.player),
    }
}

/// The phase as players speak of it: that of gradings, or a blitz.
fn phase(position: &Position) -> &'static str {
    match Phase::of(position) {
        Phase::Opening | Phase::Middle if is_blitz(position) => "blitz",
        phase => phase.name(),
    }
}

/// A position in words that other programs read.
fn written(situation: &Situation) -> String {
    Form::Xgid.write(situation).unwrap_or_default()
}
