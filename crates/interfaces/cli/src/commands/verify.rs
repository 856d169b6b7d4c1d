//! `tavola verify`: whether a report of an analysis can be repeated.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::Args;
use tavola_engine::{
    Analyses, AnalysisReport, Difference, Engine, Findings, NoFindings, RandomShare, Verification,
};
use tavola_files::limits::FILE_BYTES;

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
/// made by this program with the same network is the same. Exits with 1 where it is not, and names
/// each line that differs. Names of files, machine and time are not compared.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        tavola analyze match.mat --json > report.json\n  \
        tavola verify report.json match.mat\n  \
        tavola verify report.json match.mat --one-in 10   # a tenth of it")]
pub struct VerifyArgs {
    /// The report, in JSON
    #[arg(value_name = "REPORT")]
    pub report: PathBuf,
    /// The files that it is about
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Repeat one decision in N alone, drawn at random
    #[arg(long, value_name = "N")]
    pub one_in: Option<NonZeroU64>,
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
    let findings: Box<dyn Findings> = match args.one_in {
        Some(number) => Box::new(RandomShare::new(number)),
        None => Box::new(NoFindings),
    };
    let again = analyze::analyze_files(&args.files, report.game(), &engine, &analysis, &*findings)?;
    let again = again.into_iter().map(|(_, found)| found).collect();
    let verification = report.compare(&Analyses::new(again, Vec::new()), args.one_in.is_some())?;
    if args.output.json {
        ask::write_json(&verification, out)?;
    } else {
        write(&verification, out)?;
    }
    if verification.same {
        return Ok(());
    }
    Err(Failure::work(format_args!("{name} can't be repeated")))
}

fn write(verification: &Verification, out: &mut dyn Out) -> Outcome {
    let Verification { same, decisions, differences, .. } = verification;
    if *same {
        writeln!(out, "the same to the last bit: {}", format::plural(*decisions, "decision"))?;
        return Ok(());
    }
    match differences.first() {
        Some(Difference { game, .. }) if game.is_null() => {
            writeln!(out, "the decisions are the same, what is said of them differs:")?;
        }
        _ => writeln!(out, "{} of {decisions} decisions differ:", differences.len())?,
    }
    for Difference { game, number, position, key, report, found } in
        differences.iter().take(MOST_LISTED)
    {
        let turn = if game.is_null() { String::new() } else { format!("game {game}, {number}: ") };
        writeln!(out, "{turn}{key} is {report} in the report, {found} now")?;
        if let Some(position) = position.as_str() {
            writeln!(out, "  {position}")?;
        }
    }
    Ok(())
}
