//! Analyses whose decisions other processes evaluate: what travels, and what is accepted.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use tavola_evaluator::remote::{OnFleet, RemoteError, ShardRunner, Task, Work, WorkFiles, collect};
use tavola_files::locked;
use tavola_matches::analysis::{Decision, DecisionPoint, Thresholds, questions};
use tavola_matches::{Match, MatchFormat, json, read_as};
use tavola_rules::{Beavers, Player};

use super::decide::Decider;
use super::{Analysis, Finding, Findings, Rollouts, key_of, rollouts, written};
use crate::effort::Effort;
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Result};
use crate::remote::Sources;
use crate::watch::Watch;

/// The name of this kind of work. Its items are decisions, in the order of matches and games.
pub const ANALYSIS: &str = "analysis";

/// The file of the matches, and that of decisions to roll out.
const MATCHES: &str = "matches";
const DECISIONS: &str = "decisions";

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    sources: Sources,
    effort: Effort,
    /// With these, decisions are rolled out, and else evaluated.
    rollouts: Option<Rollouts>,
}

/// A decision to roll out, with what it depends on beside itself.
#[derive(Clone, Serialize, Deserialize)]
struct Close {
    decision: Decision,
    beavers: Beavers,
    is_match: bool,
}

/// What does such work, on any machine; `folder` is for its files and stays as long.
///
/// # Errors
///
/// Why it can't: invalid settings, matches that can't be read, other bear-off databases.
pub fn open_analysis(work: &Work, folder: &Path) -> Result<Box<dyn ShardRunner>, RemoteError> {
    let settings: Settings = serde_json::from_str(&work.settings)?;
    work.write_files(folder)?;
    let engine = settings.sources.engine()?;
    let analysis = Analysis {
        effort: settings.effort,
        thresholds: Thresholds::default(),
        model: settings.sources.model(folder)?,
        met: settings.sources.met(folder)?,
        rollouts: settings.rollouts,
        workers: std::num::NonZeroUsize::MIN,
    };
    if let Some(rollouts) = settings.rollouts {
        let close = serde_json::from_slice(work.file(DECISIONS).unwrap_or_default())?;
        return Ok(Box::new(RollingOut { engine, rollouts, analysis, close }));
    }
    let records = read_matches(work.file(MATCHES).unwrap_or_default())?;
    let asked = asked(&records);
    Ok(Box::new(Evaluating { engine, analysis, records, asked }))
}

fn read_matches(bytes: &[u8]) -> Result<Vec<Match>, RemoteError> {
    Ok(read_as(MatchFormat::Json, bytes)?.matches)
}

/// All questions of matches, each with the number of its match.
fn asked(records: &[Match]) -> Vec<(usize, DecisionPoint)> {
    let of = |(number, record)| questions(record).into_iter().map(move |asked| (number, asked));
    records.iter().enumerate().flat_map(of).collect()
}

/// Evaluates decisions of matches.
struct Evaluating {
    engine: Engine,
    analysis: Analysis,
    records: Vec<Match>,
    asked: Vec<(usize, DecisionPoint)>,
}

/// The items of a range, which must be there.
fn of_range<'a, T>(all: &'a [T], items: &Range<u64>) -> Result<&'a [T], RemoteError> {
    all.get(items.start as usize..items.end as usize)
        .ok_or_else(|| format!("decisions {items:?} of {}", all.len()).into())
}

impl ShardRunner for Evaluating {
    fn run(&self, items: Range<u64>, cancel: &AtomicBool) -> Result<Option<Vec<u8>>, RemoteError> {
        let Self { engine, analysis, records, asked } = self;
        let watch = Watch { cancel, events: &|_| {} };
        let mut findings = Vec::new();
        for (number, question) in of_range(asked, &items)? {
            let record = &records[*number];
            let (game, table) = (record.options.start, engine.table_of(analysis, record)?);
            let model = analysis.model.as_ref();
            let watch = &watch;
            let found = engine.sessions.with(engine, model, &game, watch, |session| {
                Decider { game, table, record, analysis, session, watch }.decide(question)
            })?;
            match found {
                Err(error) if error.kind() == ErrorKind::Canceled => return Ok(None),
                found => findings.push(Finding(found?)),
            }
        }
        Ok(Some(serde_json::to_vec(&findings)?))
    }
}

/// Rolls decisions out.
struct RollingOut {
    engine: Engine,
    rollouts: Rollouts,
    analysis: Analysis,
    close: Vec<Close>,
}

impl ShardRunner for RollingOut {
    fn run(&self, items: Range<u64>, cancel: &AtomicBool) -> Result<Option<Vec<u8>>, RemoteError> {
        let watch = Watch { cancel, events: &|_| {} };
        let mut findings = Vec::new();
        for Close { decision, beavers, is_match } in of_range(&self.close, &items)? {
            let asked = rollouts::question(&self.analysis, *beavers, *is_match);
            let rolled = self.rollouts.decide(&self.engine, decision, &asked, &watch);
            // A rollout that was called off has an answer, of fewer games.
            if cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            findings.push(Finding(Some(rolled?)));
        }
        Ok(Some(serde_json::to_vec(&findings)?))
    }
}

/// What was found by other processes, before what was kept.
pub struct Gathered<'a> {
    kept: &'a dyn Findings,
    found: Mutex<HashMap<String, Finding>>,
}

impl Findings for Gathered<'_> {
    fn find(&self, key: &str) -> Option<Finding> {
        locked(&self.found).get(key).cloned().or_else(|| self.kept.find(key))
    }

    fn keep(&self, key: &str, finding: &Finding) -> Result<()> {
        locked(&self.found).insert(key.to_owned(), finding.clone());
        self.kept.keep(key, finding)
    }
}

/// Consecutive numbers as ranges.
fn ranges<'a>(numbers: impl Iterator<Item = &'a u64>) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some(last) if last.end == number => last.end += 1,
            _ => ranges.push(number..number + 1),
        }
    }
    ranges
}

/// The findings of these items, each about the position and player that are wanted.
fn read_findings(
    wanted: &BTreeMap<u64, (String, Player)>,
    items: &Range<u64>,
    bytes: &[u8],
) -> Result<Vec<Finding>, RemoteError> {
    let findings: Vec<Finding> = serde_json::from_slice(bytes)?;
    if findings.len() as u64 != items.end - items.start {
        return Err(format!("{} findings of {items:?}", findings.len()).into());
    }
    for (item, Finding(found)) in items.clone().zip(&findings) {
        let is_of = |(position, player): &(String, Player)| {
            found.as_ref().is_none_or(|it| it.position == *position && it.player == *player)
        };
        if !wanted.get(&item).is_some_and(is_of) {
            return Err(format!("decision {item} is about another position").into());
        }
    }
    Ok(findings)
}

impl Engine {
    /// Has the decisions of all these matches evaluated by other processes, as far as they are not
    /// known, and keeps what was found. With the result, [`analyze`](Self::analyze) has nothing
    /// left to evaluate, and says the same as without.
    ///
    /// `done` is called now and then with how many decisions are done and how many there are.
    ///
    /// # Errors
    ///
    /// [`EngineError`]: a network or table that can't be used, processes that can't do it, or the
    /// caller canceled.
    pub fn gather<'a>(
        &self,
        on_fleet: OnFleet<'_>,
        records: &[&Match],
        analysis: &Analysis,
        kept: &'a dyn Findings,
        watch: &Watch<'_>,
        done: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Gathered<'a>> {
        // The matches as workers read them.
        let file = json::write(&records.iter().map(|&record| record.clone()).collect::<Vec<_>>());
        let records =
            read_matches(file.as_bytes()).map_err(|error| EngineError::of_fleet(&*error))?;
        let gathered = Gathered { kept, found: Mutex::default() };
        let mut files = WorkFiles::default();
        let (model, met) = (analysis.model.as_deref(), analysis.met.as_deref());
        let sources = Sources::new(self.has_tables(), model, met, &mut files)?;
        let effort = analysis.effort;
        let files = files.into_files();
        let decisions = |settings: &Settings, file: (&str, Vec<u8>), wanted: BTreeMap<u64, _>| {
            if wanted.is_empty() {
                return Ok(Vec::new());
            }
            let settings = serde_json::to_string(settings).expect("settings are plain data");
            let mut files = files.clone();
            files.push((file.0.to_owned(), file.1));
            let (OnFleet { remote, warn }, all) = (on_fleet, wanted.len());
            let work = Work { kind: ANALYSIS, settings, files };
            let task = Task::new(&work, ranges(wanted.keys()), watch.cancel, warn);
            let read = |items: &Range<u64>, bytes: &[u8]| read_findings(&wanted, items, bytes);
            let shards = collect(remote, task, read, |count| done(count as usize, all));
            let shards = shards.map_err(|error| EngineError::of_fleet(&*error))?;
            watch.check()?;
            let found = |(first, (end, found)): (u64, (u64, Vec<Finding>))| (first..end).zip(found);
            Ok::<Vec<(u64, Finding)>, EngineError>(shards.into_iter().flat_map(found).collect())
        };

        let asked = asked(&records);
        let keys: Vec<String> =
            asked.iter().map(|(number, question)| key_of(question, &records[*number])).collect();
        let mut seen = HashSet::new();
        let mut is_wanted = |key: &String| seen.insert(key.clone()) && gathered.find(key).is_none();
        let wanted = asked.iter().zip(&keys).enumerate();
        let wanted = wanted.filter(|(_, (_, key))| is_wanted(key));
        let wanted = wanted.map(|(item, ((_, question), _))| {
            (item as u64, (written(&question.situation), question.player))
        });
        let settings = Settings { sources: sources.clone(), effort, rollouts: None };
        let found = decisions(&settings, (MATCHES, file.into_bytes()), wanted.collect())?;
        for (item, finding) in found {
            gathered.keep(&keys[item as usize], &finding)?;
        }

        let Some(rollouts) = &analysis.rollouts else { return Ok(gathered) };
        let (mut close, mut close_keys, mut wanted) = (Vec::new(), Vec::new(), BTreeMap::new());
        for ((number, question), key) in asked.iter().zip(&keys) {
            let Some(Finding(Some(found))) = gathered.find(key) else { continue };
            let decision = Decision {
                game: question.game + 1,
                number: question.turn,
                row: question.row,
                player: question.player,
                ..found
            };
            let key = rollouts.key(key);
            let is_new = rollouts.concern(&decision)
                && gathered.find(&key).is_none()
                && !close_keys.contains(&key);
            if is_new {
                wanted.insert(close.len() as u64, (decision.position.clone(), decision.player));
                let Match { options, length, .. } = &records[*number];
                let (beavers, is_match) = (options.beavers, *length > 0);
                close.push(Close { decision, beavers, is_match });
                close_keys.push(key);
            }
        }
        let settings = Settings { sources, effort, rollouts: Some(*rollouts) };
        let file = serde_json::to_vec(&close).expect("decisions are plain data");
        for (item, finding) in decisions(&settings, (DECISIONS, file), wanted)? {
            gathered.keep(&close_keys[item as usize], &finding)?;
        }
        Ok(gathered)
    }
}
