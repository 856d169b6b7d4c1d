//! `tavola verify`: whether a report of an analysis can be repeated.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use tavola_engine::{AnalysisReport, Difference, Engine, NoFindings, Verification};
use tavola_files::limits::FILE_BYTES;
use tavola_matches::analysis::MatchAnalysis;

use super::analyze;
use crate::args::{EngineArgs, OutputArgs};
use crate::ask;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::format;
use crate::report::table::Out;

/// The most differences that are listed.
const MOST_LISTED: usize = 10;

/// Repeat the analysis of a report, and say whether it is the same.
///
/// REPORT is what `tavola analyze FILE --json` wrote. Every decision of the match is evaluated
/// again with the settings of the report. The answers are the same to the last bit on every
/// machine, with any instructions of the processor and any number of threads, so a report that was
/// made by this program with the same network is the same. Exits with 1 where it is not.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
        tavola analyze match.mat --json > report.json\n  \
        tavola verify report.json match.mat")]
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

/// Repeats the analysis.
pub fn run(args: &VerifyArgs, out: &mut dyn Out) -> Outcome {
    let name = args.report.display();
    let text = tavola_files::read_text(&args.report, &FILE_BYTES)
        .or_input_in(format_args!("cannot read {name}"))?;
    let report = AnalysisReport::read(&text, name.to_string())?;
    let engine = Engine::new(NonZeroUsize::MIN, args.engine.store());
    let analysis = report.analysis(&engine, args.engine.model(), args.engine.threads.count())?;
    let files: Vec<PathBuf> = analyze::find(&args.files)?;
    let again = analyze::analyze_files(&files, &engine, &analysis, &NoFindings)?;
    let again: Vec<MatchAnalysis> = again.into_iter().map(|(_, found)| found).collect();
    let verification = report.compare(&again)?;
    if args.output.json {
        ask::write_json(&verification, out)?;
    } else {
        write(&verification, out)?;
    }
    match verification.same {
        true => Ok(()),
        false => Err(Failure::work(format_args!("{name} can't be repeated"))),
    }
}

fn write(verification: &Verification, out: &mut dyn Out) -> Outcome {
    let Verification { same, decisions, differences, .. } = verification;
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
