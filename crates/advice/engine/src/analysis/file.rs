//! The analysis of files of matches.

use serde::Serialize;
use tavola_evaluator::search::MAX_PLY;
use tavola_matches::analysis::{MatchAnalysis, PlayerTotals, Thresholds, totals};
use tavola_matches::{Match, ReadError, ReadWatch};
use tavola_rules::Backgammon;

use super::{Analysis, Findings, NoFindings};
use crate::effort::Effort;
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Result};
use crate::live;
use crate::watch::Watch;

/// A match of a file.
#[derive(Clone, Debug)]
pub struct NamedMatch {
    /// The name of the file, and the number of the match where there are several.
    pub source: String,
    /// The match.
    pub record: Match,
    /// What reading the file had to mend.
    pub notes: Vec<String>,
}

impl NamedMatch {
    /// The matches of a file in any format that is read, of this game where it says none.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request`: there is none in it; of kind `canceled`.
    pub fn read(
        file: &str,
        bytes: &[u8],
        game: Option<Backgammon>,
        watch: ReadWatch<'_>,
    ) -> Result<Vec<Self>> {
        let kind = |error: &ReadError| match error {
            ReadError::Canceled => ErrorKind::Canceled,
            _ => ErrorKind::Request,
        };
        let reading = live::read_matches(bytes, game, watch)
            .map_err(|error| EngineError::new(kind(&error), error))?;
        let notes: Vec<String> = reading.notes.iter().map(ToString::to_string).collect();
        let several = reading.matches.len() > 1;
        let named = reading.matches.into_iter().enumerate().map(|(index, record)| {
            let source =
                if several { format!("{file}, match {}", index + 1) } else { file.to_owned() };
            Self { source, record, notes: notes.clone() }
        });
        Ok(named.collect())
    }
}

/// A file that has no analysis.
#[derive(Clone, Debug, Serialize)]
pub struct FailedFile {
    /// Its name.
    pub file: String,
    /// Why not.
    pub error: String,
}

/// The analyses of the matches of files.
#[derive(Debug, Serialize)]
pub struct Analyses {
    /// The matches, each with what had to be mended in its file.
    pub matches: Vec<MatchAnalysis>,
    /// The figures of each player over all matches.
    pub totals: Vec<PlayerTotals>,
    /// Files without an analysis.
    pub failed: Vec<FailedFile>,
}

impl Analyses {
    /// The analyses with their totals.
    pub fn new(matches: Vec<MatchAnalysis>, failed: Vec<FailedFile>) -> Self {
        Self { totals: totals(&matches), matches, failed }
    }
}

/// How far the analysis of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AnalysisProgress {
    /// Decisions of the match that are done.
    pub done: usize,
    /// Decisions of the match.
    pub total: usize,
    /// The number of the match, from 1.
    #[serde(rename = "match")]
    pub number: usize,
    /// How many matches there are.
    pub matches: usize,
}

impl Analysis {
    /// The usual analysis by the built-in network on one thread.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request` for a ply above [`MAX_PLY`].
    pub fn at_ply(ply: u8) -> Result<Self> {
        if ply > MAX_PLY {
            return Err(EngineError::request(format_args!(
                "\"ply\" is {ply}, expected a whole number from 0 to {MAX_PLY}"
            )));
        }
        Ok(Self {
            effort: Effort::at(ply),
            thresholds: Thresholds::default(),
            model: None,
            met: None,
            rollouts: None,
            workers: std::num::NonZeroUsize::MIN,
        })
    }
}

impl Engine {
    /// Evaluates every decision of a match of a file, see [`analyze`](Self::analyze).
    ///
    /// # Errors
    ///
    /// As [`analyze`](Self::analyze).
    pub fn analyze_match(
        &self,
        NamedMatch { source, record, notes }: &NamedMatch,
        analysis: &Analysis,
        findings: &dyn Findings,
        watch: &Watch<'_>,
        done: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<MatchAnalysis> {
        let found = self.analyze(source, record, analysis, findings, watch, done)?;
        Ok(MatchAnalysis { notes: notes.clone(), ..found })
    }

    /// Evaluates every decision of all matches of a file.
    ///
    /// # Errors
    ///
    /// As [`analyze`](Self::analyze).
    pub fn analyze_file(
        &self,
        matches: &[NamedMatch],
        analysis: &Analysis,
        watch: &Watch<'_>,
        progress: &(dyn Fn(AnalysisProgress) + Sync),
    ) -> Result<Analyses> {
        let analyzed = matches.iter().zip(1..).map(|(named, number)| {
            let done = |done, total| {
                progress(AnalysisProgress { done, total, number, matches: matches.len() });
            };
            self.analyze_match(named, analysis, &NoFindings, watch, &done)
        });
        Ok(Analyses::new(analyzed.collect::<Result<_, _>>()?, Vec::new()))
    }
}
