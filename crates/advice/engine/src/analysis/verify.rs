//! Whether a report of an analysis can be repeated.

use std::hash::{BuildHasher, RandomState};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tavola_matches::analysis::{MatchAnalysis, Thresholds};
use tavola_rules::Backgammon;

use super::{Analyses, Analysis, Finding, Findings, Rollouts};
use crate::effort::Effort;
use crate::engine::Engine;
use crate::error::{EngineError, Lacking, Result};
use crate::watch::Watch;

/// What an analysis depends on beside the matches, as a report has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportSettings {
    #[serde(rename = "lookahead")]
    effort: Effort,
    thresholds: Thresholds,
    met: Option<String>,
    rollouts: Option<Rollouts>,
    /// The game of files that do not say it.
    game: Option<Backgammon>,
    /// The checksum of the network.
    network: String,
    /// The endgame databases.
    tables: Vec<String>,
    /// The checksum of all decisions.
    digest: String,
}

impl ReportSettings {
    /// Those of a report about these matches, of this game where their files do not say it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model` if the network can't be used.
    pub fn new(
        engine: &Engine,
        analysis: &Analysis,
        game: Option<Backgammon>,
        matches: &[MatchAnalysis],
    ) -> Result<Self> {
        let network = engine.network(analysis.model.as_deref(), "backgammon")?;
        let Analysis { effort, thresholds, rollouts, .. } = *analysis;
        Ok(Self {
            effort,
            thresholds,
            met: analysis.met.clone(),
            rollouts,
            game,
            network: network.version(),
            tables: engine.tables(&Watch::default()).names(),
            digest: digest(&decisions(&serde_json::json!({"matches": figures(&matches)}))),
        })
    }
}

/// A report of an analysis in JSON, as it was written.
#[derive(Debug)]
pub struct AnalysisReport {
    name: String,
    settings: ReportSettings,
    found: Value,
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
    /// Decisions that differ; if none does, what is counted of them and differs.
    pub differences: Vec<Difference>,
}

/// A line of a report that is another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The game, from 1; null if it is no decision.
    pub game: Value,
    /// The turn within the game, from 1.
    pub number: Value,
    /// The position before the decision.
    pub position: Value,
    /// The path in the report to the first of its figures that differs, such as
    /// `decisions[3].plays[1].equity`.
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
    /// [`EngineError`] of kind `request`: it is none, or can't be repeated because a clock stopped
    /// it.
    pub fn read(text: &str, name: String) -> Result<Self> {
        let refused = |why: String| EngineError::request(format_args!("{name} {why}"));
        let found: Value = serde_json::from_str(text)
            .map_err(|error| refused(format!("is no report of an analysis: {error}")))?;
        let settings = found["provenance"]["settings"].clone();
        let settings: ReportSettings = serde_json::from_value(settings).map_err(|error| {
            let expected = "expected a report of an analysis";
            refused(format!("has no usable settings, {expected}: {error}"))
        })?;
        if settings.effort.sure.is_some() {
            let why =
                "was made until every verdict was sure, which a clock stops, expected another";
            return Err(refused(why.to_owned()));
        }
        Ok(Self { name, settings, found })
    }

    /// The game of files that do not say it.
    pub const fn game(&self) -> Option<Backgammon> {
        self.settings.game
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
    ) -> Result<Analysis> {
        let Self { name, settings, .. } = self;
        let version = engine.network(model.as_deref(), "backgammon")?.version();
        if version != settings.network {
            return Err(EngineError::request(format_args!(
                "{name} was made with the network {}, this is {version}, expected the same",
                settings.network
            ))
            .lacking(Lacking::Network));
        }
        let tables = engine.tables(&Watch::default()).names();
        if tables != settings.tables {
            return Err(EngineError::request(format_args!(
                "{name} was made with the endgame databases {:?}, expected {tables:?}",
                settings.tables
            )));
        }
        Ok(Analysis {
            effort: settings.effort,
            thresholds: settings.thresholds,
            model,
            met: settings.met.clone(),
            rollouts: settings.rollouts,
            workers,
        })
    }

    /// Compares it with what was found now, figure by figure; with a [`RandomShare`] of the
    /// decisions these alone.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request` if it is about other matches.
    pub fn compare(&self, again: &Analyses, sampled: bool) -> Result<Verification> {
        let now = figures(again);
        let now = if self.found["matches"].is_array() { &now } else { &now["matches"][0] };
        let (mut theirs, ours) = (decisions(&self.found), decisions(now));
        let whole = digest(if sampled { &theirs } else { &ours });
        if sampled {
            let mut rest = theirs.into_iter();
            theirs = ours.iter().filter_map(|our| rest.find(|it| is_same_turn(it, our))).collect();
        }
        if theirs.len() != ours.len() {
            return Err(EngineError::request(format_args!(
                "{} has {} decisions, the files have {}: it is about others",
                self.name,
                theirs.len(),
                ours.len()
            )));
        }
        let differs = |(path, their): &(String, &Value), our: &Value| {
            let (key, report, found) = difference(path, their, our)?;
            let [game, number, position] =
                ["game", "number", "position"].map(|key| our[key].clone());
            Some(Difference { game, number, position, key, report, found })
        };
        let mut differences: Vec<Difference> =
            theirs.iter().zip(&ours).filter_map(|(their, (_, our))| differs(their, our)).collect();
        if differences.is_empty() && !sampled {
            differences.extend(differs(&(String::new(), &self.found), now));
        }
        if differences.is_empty() {
            let [their, our] = [&self.settings.digest, &whole].map(|it| Value::from(it.as_str()));
            differences.extend(differs(&("provenance.settings.digest".into(), &their), &our));
        }
        let (matches, decisions, same) = (again.matches.len(), ours.len(), differences.is_empty());
        Ok(Verification { same, matches, decisions, differences })
    }
}

/// Leaves decisions out of an analysis, all but a random share, another one each time.
pub struct RandomShare {
    one_in: NonZeroU64,
    random: RandomState,
}

impl RandomShare {
    /// One in N.
    pub fn new(one_in: NonZeroU64) -> Self {
        Self { one_in, random: RandomState::new() }
    }
}

impl Findings for RandomShare {
    fn find(&self, key: &str) -> Option<Finding> {
        (self.random.hash_one(key) % self.one_in != 0).then_some(Finding(None))
    }
}

/// Whether two decisions with their paths are about the same turn of the same match.
fn is_same_turn((a, one): &(String, &Value), (b, other): &(String, &Value)) -> bool {
    let of_match = |path: &str| path.split("decisions").next().map(str::to_owned);
    of_match(a) == of_match(b)
        && ["game", "number", "kind"].iter().all(|&key| one[key] == other[key])
}

/// What a report has of this: numbers are those of its text.
fn figures(of: &impl Serialize) -> Value {
    let text = serde_json::to_string(of).expect("analyses are plain data");
    serde_json::from_str(&text).expect("what was written is read")
}

/// The decisions of a report, of one match or of several, with the paths to them.
fn decisions(report: &Value) -> Vec<(String, &Value)> {
    let matches: Vec<(String, &Value)> = match report["matches"].as_array() {
        Some(matches) => {
            matches.iter().enumerate().map(|(at, it)| (format!("matches[{at}]."), it)).collect()
        }
        None => vec![(String::new(), report)],
    };
    let of_each =
        matches.into_iter().filter_map(|(path, it)| Some((path, it["decisions"].as_array()?)));
    let named = of_each.flat_map(|(path, decisions)| {
        let named = move |(at, it)| (format!("{path}decisions[{at}]"), it);
        decisions.iter().enumerate().map(named)
    });
    named.collect()
}

fn digest(decisions: &[(String, &Value)]) -> String {
    let decisions: Vec<Value> = decisions.iter().map(|it| it.1.clone()).collect();
    tavola_files::sha256(Value::from(decisions).to_string().as_bytes())
}

/// What is no finding: what a file is called, files that can't be read, who wrote the report.
const ASIDE: [&str; 3] = ["source", "failed", "provenance"];

/// The path to the first value that differs, and both values.
fn difference(path: &str, their: &Value, our: &Value) -> Option<(String, Value, Value)> {
    match (their, our) {
        (Value::Object(theirs), Value::Object(ours)) => {
            let mut keys =
                theirs.keys().chain(ours.keys()).filter(|it| !ASIDE.contains(&it.as_str()));
            let dot = if path.is_empty() { "" } else { "." };
            keys.find_map(|key| difference(&format!("{path}{dot}{key}"), &their[key], &our[key]))
        }
        (Value::Array(theirs), Value::Array(ours)) if theirs.len() == ours.len() => {
            let mut pairs = theirs.iter().zip(ours).enumerate();
            pairs.find_map(|(at, (a, b))| difference(&format!("{path}[{at}]"), a, b))
        }
        _ => (their != our).then(|| (path.to_owned(), their.clone(), our.clone())),
    }
}
