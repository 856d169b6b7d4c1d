//! Whether a report of an analysis can be repeated.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tavola_matches::analysis::{MatchAnalysis, Thresholds};

use super::{Analysis, Rollouts};
use crate::engine::Engine;
use crate::error::{EngineError, Lacking};
use crate::lookahead::Lookahead;
use crate::watch::Watch;

/// What an analysis depends on beside the matches, as a report has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportSettings {
    lookahead: Lookahead,
    thresholds: Thresholds,
    met: Option<String>,
    rollouts: Option<Rollouts>,
    /// The checksum of the network.
    network: String,
    /// The endgame databases.
    tables: Vec<String>,
    /// The checksum of all decisions.
    digest: String,
}

impl ReportSettings {
    /// Those of a report about these matches.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model` if the network can't be used.
    pub fn new(
        engine: &Engine,
        analysis: &Analysis,
        matches: &[MatchAnalysis],
    ) -> Result<Self, EngineError> {
        let network = engine.network(analysis.model.as_deref(), "backgammon")?;
        let Analysis { lookahead, thresholds, rollouts, .. } = *analysis;
        Ok(Self {
            lookahead,
            thresholds,
            met: analysis.met.clone(),
            rollouts,
            network: network.version(),
            tables: tables(engine),
            digest: digest(&decisions(matches)),
        })
    }
}

/// A report of an analysis in JSON, as it was written.
#[derive(Debug)]
pub struct AnalysisReport {
    name: String,
    settings: ReportSettings,
    decisions: Vec<Value>,
}

/// What came of repeating a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// Nothing differs.
    pub same: bool,
    /// Matches.
    pub matches: usize,
    /// Decisions.
    pub decisions: usize,
    /// Decisions that differ.
    pub differences: Vec<Difference>,
}

/// A decision that is another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The game, from 1.
    pub game: Value,
    /// The turn within the game, from 1.
    pub number: Value,
    /// The position before the decision.
    pub position: Value,
    /// The first of its figures that differs.
    pub key: String,
    /// What the report has.
    pub report: Value,
    /// What was found now.
    pub found: Value,
}

impl AnalysisReport {
    /// Reads a report; errors call it `name`.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request`: it is none, was changed since, or can't be repeated
    /// because a clock stopped it.
    pub fn read(text: &str, name: String) -> Result<Self, EngineError> {
        let refused = |message: String| Err(EngineError::request(message));
        let report: Value = match serde_json::from_str(text) {
            Ok(report) => report,
            Err(error) => {
                return refused(format!("{name} is no report of an analysis: {error}"));
            }
        };
        let settings = report["provenance"]["settings"].clone();
        let settings: ReportSettings = match serde_json::from_value(settings) {
            Ok(settings) => settings,
            Err(error) => {
                return refused(format!(
                    "{name} has no usable settings, expected a report of an analysis: {error}"
                ));
            }
        };
        let decisions = reported(&report);
        let found = digest(&decisions);
        if found != settings.digest {
            return refused(format!(
                "{name} was changed after it was written: its digest is {:.12}, that of its \
                 decisions {found:.12}",
                settings.digest
            ));
        }
        if settings.lookahead.sure.is_some() {
            return refused(format!(
                "{name} was made until every verdict was sure, which a clock stops, expected another"
            ));
        }
        Ok(Self { name, settings, decisions })
    }

    /// The analysis that repeats it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request` if the report was made with another network or with other
    /// endgame databases, of kind `model` if the network can't be used.
    pub fn analysis(
        &self,
        engine: &Engine,
        model: Option<PathBuf>,
        workers: NonZeroUsize,
    ) -> Result<Analysis, EngineError> {
        let Self { name, settings, .. } = self;
        let version = engine.network(model.as_deref(), "backgammon")?.version();
        if version != settings.network {
            return Err(EngineError::request(format_args!(
                "{name} was made with the network {}, this is {version}, expected the same",
                settings.network
            ))
            .lacking(Lacking::Network));
        }
        let tables = tables(engine);
        if tables != settings.tables {
            return Err(EngineError::request(format_args!(
                "{name} was made with the endgame databases {:?}, expected {tables:?}",
                settings.tables
            )));
        }
        Ok(Analysis {
            lookahead: settings.lookahead,
            thresholds: settings.thresholds,
            model,
            met: settings.met.clone(),
            rollouts: settings.rollouts,
            workers,
        })
    }

    /// Compares it with what was found now, figure by figure.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request` if it is about other matches.
    pub fn compare(&self, again: &[MatchAnalysis]) -> Result<Verification, EngineError> {
        let (theirs, ours) = (&self.decisions, decisions(again));
        if theirs.len() != ours.len() {
            return Err(EngineError::request(format_args!(
                "{} has {} decisions, the files have {}: it is about others",
                self.name,
                theirs.len(),
                ours.len()
            )));
        }
        let differences: Vec<_> =
            theirs.iter().zip(&ours).filter_map(|(their, our)| difference(their, our)).collect();
        let (matches, decisions, same) = (again.len(), ours.len(), differences.is_empty());
        Ok(Verification { same, matches, decisions, differences })
    }
}

/// The endgame databases of an engine.
fn tables(engine: &Engine) -> Vec<String> {
    engine.tables(&Watch::default()).iter().map(|table| table.spec().to_string()).collect()
}

/// The decisions of matches as a report has them: numbers are those of its text.
fn decisions(matches: &[MatchAnalysis]) -> Vec<Value> {
    let decisions: Vec<_> = matches.iter().flat_map(|found| &found.decisions).collect();
    let text = serde_json::to_string(&decisions).expect("decisions are plain data");
    serde_json::from_str(&text).expect("what was written is read")
}

/// The decisions of a report, of one match or of several.
fn reported(report: &Value) -> Vec<Value> {
    let of = |found: &Value| found["decisions"].as_array().cloned().unwrap_or_default();
    match report["matches"].as_array() {
        Some(matches) => matches.iter().flat_map(of).collect(),
        None => of(report),
    }
}

fn digest(decisions: &[Value]) -> String {
    tavola_files::sha256(Value::from(decisions).to_string().as_bytes())
}

fn difference(their: &Value, our: &Value) -> Option<Difference> {
    let keys = their.as_object().into_iter().chain(our.as_object()).flatten();
    let key = keys.map(|(key, _)| key).find(|&key| their[key] != our[key])?;
    Some(Difference {
        game: our["game"].clone(),
        number: our["number"].clone(),
        position: our["position"].clone(),
        key: key.clone(),
        report: their[key].clone(),
        found: our[key].clone(),
    })
}
