//! `tavola verify`: whether a report of an analysis can be repeated.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tavola_engine::{Analysis, Engine, Lookahead, NoFindings, Rollouts, Watch};
use tavola_files::limits::FILE_BYTES;
use tavola_matches::analysis::{MatchAnalysis, Thresholds};

use super::analyse;
use crate::args::{EngineArgs, OutputArgs};
use crate::ask;
use crate::failure::{Blame, Failure, Outcome};
use crate::networks;
use crate::report::format;
use crate::report::table::Out;

/// The most differences that are listed.
const MOST_LISTED: usize = 10;

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(
    about = "Repeat the analysis of a report, and say whether it is the same",
    long_about = "Repeat the analysis of a report, and say whether it is the same.\n\n\
        REPORT is what `tavola analyse FILE --json` wrote. Every decision of the match is evaluated \
        again with the settings of the report. The answers are the same to the last bit on every \
        machine, with any instructions of the processor and any number of threads, so a report \
        that was made by this program with the same network is the same. Exits with 1 where it is not.",
    after_help = "Example:\n  \
        tavola analyse match.mat --json > report.json\n  \
        tavola verify report.json match.mat"
)]
pub struct VerifyArgs {
    /// The report, in JSON
    #[arg(value_name = "REPORT")]
    pub report: PathBuf,
    /// The files that it is about
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Network, endgame databases and threads.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What an analysis depends on beside the matches and the network, as a report has it.
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
    /// Those of a report.
    pub fn new(
        engine: &Engine,
        analysis: &Analysis,
        network: String,
        matches: &[MatchAnalysis],
    ) -> Outcome<Self> {
        let (met, rollouts) = (analysis.met.clone(), analysis.rollouts);
        let digest = digest(&decisions(matches)?);
        let Analysis { lookahead, thresholds, .. } = *analysis;
        let tables = tables(engine);
        Ok(Self { lookahead, thresholds, met, rollouts, network, tables, digest })
    }
}

/// The endgame databases of an engine.
fn tables(engine: &Engine) -> Vec<String> {
    engine.tables(&Watch::default()).iter().map(|table| table.spec().to_string()).collect()
}

/// The decisions of matches as JSON.
fn decisions(matches: &[MatchAnalysis]) -> Outcome<Vec<Value>> {
    let decisions = matches.iter().flat_map(|found| &found.decisions);
    let text = serde_json::to_string(&decisions.collect::<Vec<_>>());
    // As a report is read: its numbers are those of its text.
    let values = text.and_then(|text| serde_json::from_str(&text));
    values.or_work_in("cannot write the decisions")
}

fn digest(decisions: &[Value]) -> String {
    tavola_files::sha256(Value::from(decisions).to_string().as_bytes())
}

/// What came of it.
#[derive(Serialize)]
struct Verdict {
    same: bool,
    matches: usize,
    decisions: usize,
    differences: Vec<Difference>,
}

/// A line of a report that is another one.
#[derive(Serialize)]
struct Difference {
    game: Value,
    number: Value,
    position: Value,
    key: String,
    report: Value,
    found: Value,
}

/// Repeats the analysis.
pub fn run(args: &VerifyArgs, out: &mut dyn Out) -> Outcome {
    let name = args.report.display();
    let text = tavola_files::read_text(&args.report, &FILE_BYTES)
        .or_input_in(format_args!("cannot read {name}"))?;
    let report: Value = serde_json::from_str(&text)
        .or_input_in(format_args!("{name} is no report of `tavola analyse --json`"))?;
    let settings = report["provenance"]["settings"].clone();
    let settings: ReportSettings = serde_json::from_value(settings).or_input_in(format_args!(
        "{name} has no usable settings, expected a report of `tavola analyse --json`"
    ))?;
    let theirs = reported(&report);
    let found = digest(&theirs);
    if found != settings.digest {
        return Err(Failure::input(format_args!(
            "{name} was changed after it was written: its digest is {:.12}, that of its decisions {found:.12}",
            settings.digest
        )));
    }
    if settings.lookahead.sure.is_some() {
        return Err(Failure::input(format_args!(
            "{name} was made with --sure, which a clock stops, expected one without"
        )));
    }
    let engine = Engine::new(NonZeroUsize::MIN, args.engine.store());
    let network = engine.network(args.engine.model().as_deref(), "backgammon")?;
    let version = networks::version(network.weights());
    if version != settings.network {
        return Err(Failure::input(format_args!(
            "{name} was made with the network {}, expected {version}: --model names another one",
            settings.network
        )));
    }
    let tables = tables(&engine);
    if tables != settings.tables {
        return Err(Failure::input(format_args!(
            "{name} was made with the endgame databases {:?}, expected {tables:?}",
            settings.tables
        )));
    }
    let analysis = Analysis {
        lookahead: settings.lookahead,
        thresholds: settings.thresholds,
        model: args.engine.model(),
        met: settings.met,
        rollouts: settings.rollouts,
        workers: args.engine.threads.count(),
    };
    let files: Vec<PathBuf> = analyse::find(&args.files)?;
    let again = analyse::analyse_files(&files, &engine, &analysis, &NoFindings)?;
    let again: Vec<MatchAnalysis> = again.into_iter().map(|(_, found)| found).collect();
    let ours = decisions(&again)?;
    let differences = differences(&args.report, &theirs, &ours)?;
    let (matches, decisions, same) = (again.len(), ours.len(), differences.is_empty());
    let verdict = Verdict { same, matches, decisions, differences };
    if args.output.json {
        ask::write_json(&verdict, out)?;
    } else {
        write(&verdict, out)?;
    }
    match same {
        true => Ok(()),
        false => Err(Failure::work(format_args!("{name} can't be repeated"))),
    }
}

/// The decisions of a report, of one match or of several.
fn reported(report: &Value) -> Vec<Value> {
    let of = |found: &Value| found["decisions"].as_array().cloned().unwrap_or_default();
    match report["matches"].as_array() {
        Some(matches) => matches.iter().flat_map(of).collect(),
        None => of(report),
    }
}

fn differences(report: &Path, theirs: &[Value], ours: &[Value]) -> Outcome<Vec<Difference>> {
    if theirs.len() != ours.len() {
        return Err(Failure::input(format_args!(
            "{} has {} decisions, the files have {}: it is about others",
            report.display(),
            theirs.len(),
            ours.len()
        )));
    }
    let mut found = Vec::new();
    for (their, our) in theirs.iter().zip(ours) {
        let keys = their.as_object().into_iter().chain(our.as_object()).flatten();
        let Some(key) = keys.map(|(key, _)| key).find(|&key| their[key] != our[key]) else {
            continue;
        };
        found.push(Difference {
            game: our["game"].clone(),
            number: our["number"].clone(),
            position: our["position"].clone(),
            key: key.clone(),
            report: their[key].clone(),
            found: our[key].clone(),
        });
    }
    Ok(found)
}

fn write(verdict: &Verdict, out: &mut dyn Out) -> Outcome {
    let Verdict { same, decisions, differences, .. } = verdict;
    if *same {
        writeln!(out, "the same to the last bit: {}", format::plural(*decisions, "decision"))?;
        return Ok(());
    }
    writeln!(out, "{} of {decisions} decisions differ:", differences.len())?;
    for Difference { game, number, position, key, report, found } in
        differences.iter().take(MOST_LISTED)
    {
        writeln!(out, "game {game}, {number}: {key} is {report} in the report, {found} now")?;
        writeln!(out, "  {}", position.as_str().unwrap_or_default())?;
    }
    Ok(())
}
