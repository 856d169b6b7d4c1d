//! `tavola analyze`: what the players of a match lost, and where.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use tavola_bearoff::Store;
use tavola_engine::{
    Analyses, Analysis, DEFAULT_MET, Engine, FailedFile, Findings, Gathered, Lookahead, NamedMatch,
    NoFindings, ReportSettings, Rollouts, SavedFindings,
};
use tavola_evaluator::remote::OnFleet;
use tavola_matches::analysis::{MatchAnalysis, Thresholds};
use tavola_matches::{Match, MatchFormat, page, sgf};
use tavola_rules::Backgammon;

use crate::args::{EngineArgs, Fleet, FleetArgs, OutputArgs};
use crate::ask::QuestionBars;
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::progress::CountProgress;
use crate::report::provenance::Provenance;
use crate::report::table::Out;
use crate::report::warning;

pub mod report;
mod review;

/// What `--sure` does here.
const SURE: &str = "Roll out what is not certain after at least 2-ply: the best choice, whether there \
    is an error, or a blunder; the cheapest first, until all is or for this time a match [default: 60s]";

/// Analyze matches: error rates, luck, and the worst errors.
///
/// Every play, every double that was made or missed, every take, pass and resignation is evaluated.
/// Error rates are those of GNU Backgammon (all errors per unforced play and close cube decision),
/// the performance rating PR is that of eXtreme Gammon. docs/analysis.md says which decisions
/// count.
///
/// A saved game without a cube is analyzed too, at 1-ply or --ply, as text or --json.
///
/// FILE is a match text (.mat, .txt) of GNU Backgammon, Jellyfish, Snowie, eXtreme Gammon,
/// GridGammon, Galaxy and others, an SGF file, our own JSON, or a folder of such files. What is
/// found is kept in the user's cache folder, so that a stopped analysis resumes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  \
        tavola analyze match.mat\n  \
        tavola analyze match.mat --html match.html      # a page with boards, to look at\n  \
        tavola analyze matches/ --ply 1 --csv errors.csv\n  \
        tavola analyze match.mat --rollout-within 0.03  # the close ones by rollouts\n  \
        tavola analyze match.mat --sure=10m             # until every verdict is certain\n  \
        tavola analyze match.mat --cards errors.txt     # flash cards for Anki\n  \
        tavola analyze match.mat --sgf analyzed.sgf     # for GNU Backgammon to show\n  \
        tavola analyze match.mat --json",
    mut_arg("time", |arg| arg.hide(true)),
    mut_arg("sure", |arg| arg.help(SURE))
)]
pub struct AnalyzeArgs {
    /// Files of matches, or folders of them
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The game of files that do not say it: nackgammon, hypergammon or longgammon
    #[arg(long, value_name = "GAME", value_parser = str::parse::<Backgammon>)]
    pub game: Option<Backgammon>,
    /// How far to look ahead.
    #[command(flatten)]
    pub lookahead: Lookahead,
    /// Match equities: kazaross-xg2, rockwell-kazaross, own, or an XML file
    #[arg(long, value_name = "NAME", default_value = DEFAULT_MET)]
    pub met: String,
    /// Least loss of equity that counts as an error
    #[arg(long, value_name = "E", default_value_t = 0.02, value_parser = threshold)]
    pub error: f64,
    /// Least loss of equity that counts as a blunder
    #[arg(long, value_name = "E", default_value_t = 0.08, value_parser = threshold)]
    pub blunder: f64,
    /// Roll out every decision whose best choices are within this equity of each other
    #[arg(long, value_name = "E", value_parser = threshold, conflicts_with = "level")]
    pub rollout_within: Option<f64>,
    /// Games of a rollout, fewer if a choice is three standard errors ahead
    #[arg(long, short = 'n', value_name = "N", default_value_t = 324, requires = "rollout_within",
          value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    pub trials: u64,
    /// Show this many of the worst decisions
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub worst: usize,
    /// Write a page with boards, curves and the worst errors
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write a row of comma-separated values for each decision
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the errors as flash cards, for Anki to import
    #[arg(long, value_name = "FILE")]
    pub cards: Option<PathBuf>,
    /// Write the matches with their analysis as SGF, which GNU Backgammon reads
    #[arg(long, value_name = "FILE")]
    pub sgf: Option<PathBuf>,
    /// Evaluate everything again, and keep nothing for the next time
    #[arg(long)]
    pub no_cache: bool,
    /// The fleet that evaluates the decisions.
    #[command(flatten)]
    pub remote: FleetArgs,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Print tables as Markdown
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// A loss of equity from 0 up.
pub fn threshold(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=10.0).contains(&value) => Ok(value),
        _ => Err("expected equity such as 0.02".to_owned()),
    }
}

/// How far an analysis looks ahead: every decision as far, so that errors can be compared.
pub fn without_time(lookahead: &Lookahead) -> Outcome<Lookahead> {
    let ply = lookahead.ply.or(lookahead.level.is_none().then_some(Lookahead::DEFAULT_PLY));
    // The depth that it takes in any case.
    let ply = ply.map(|ply| if lookahead.sure.is_some() { ply.max(2) } else { ply });
    match lookahead.time {
        None => Ok(Lookahead { ply, ..*lookahead }),
        Some(_) => Err(Failure::input(
            "--time goes with single questions, an analysis is as deep in every decision: \
             expected --ply, --level or --sure",
        )),
    }
}

/// Analyzes the files.
pub fn run(args: &AnalyzeArgs, out: &mut dyn Out) -> Outcome {
    if args.error > args.blunder {
        return Err(Failure::input(format_args!(
            "--error {} is above --blunder {}, expected an error to be the lesser",
            args.error, args.blunder
        )));
    }
    let lookahead = without_time(&args.lookahead)?;
    let files = find(&args.files)?;
    let threads = args.engine.threads.count();
    // Decisions are evaluated side by side, each on one thread.
    let engine = Engine::new(NonZeroUsize::MIN, args.engine.store());
    if let [file] = &files[..]
        && let Some(live) = review::saved(file)
    {
        return review::run(args, &live, &engine, out);
    }
    let analysis = Analysis {
        lookahead,
        thresholds: Thresholds { error: args.error, blunder: args.blunder },
        model: args.engine.model(),
        met: Some(args.met.clone()),
        rollouts: match lookahead.level {
            Some(level) => Rollouts::of_level(level),
            None => args.rollout_within.map(|within| Rollouts::new(within, args.trials)),
        },
        workers: threads,
    };
    let findings: Box<dyn Findings> =
        if args.no_cache { Box::new(NoFindings) } else { findings(&engine, &analysis) };
    let fleet = args.remote.connect(None)?;
    let (found, failed) = read_all(&files, args.game)?;
    let gathered = match &fleet {
        Some(fleet) => Some(gather(fleet, &found, &engine, &analysis, &*findings)?),
        None => None,
    };
    let findings = gathered.as_ref().map_or(&*findings, |gathered| gathered as &dyn Findings);
    let analyses = analyze_found(found, &engine, &analysis, findings)?;
    if analyses.is_empty() {
        let why = failed.first().map_or_else(
            || "no file was found".to_owned(),
            |failed| format!("{}: {}", failed.file, failed.error),
        );
        return Err(Failure::input(format_args!("nothing was analyzed: {why}")));
    }
    let (records, analyses): (Vec<Match>, Vec<MatchAnalysis>) = analyses.into_iter().unzip();
    write_files(args, &records, &analyses)?;
    let analyses = Analyses::new(analyses, failed);
    if args.output.json {
        let network = engine.network(analysis.model.as_deref(), "backgammon")?;
        let settings = ReportSettings::new(&engine, &analysis, args.game, &analyses.matches)?;
        let provenance = Provenance::of(threads, [(network.name(), network.version())])
            .with_settings(&settings)?;
        return match (&analyses.matches[..], &analyses.failed[..]) {
            ([only], []) => provenance.write_json(only, out),
            _ => provenance.write_json(&analyses, out),
        };
    }
    for (index, analyzed) in analyses.matches.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        report::write(analyzed, args.worst, out)?;
        report::write_open(analyzed, args.worst, args.lookahead.sure.is_some(), out)?;
    }
    if analyses.matches.len() > 1 {
        writeln!(out)?;
        report::write_totals(&analyses.totals, out)?;
    }
    Ok(())
}

/// Analyzes all matches of the files, of this game where they do not say it, with a bar.
pub fn analyze_files(
    files: &[PathBuf],
    game: Option<Backgammon>,
    engine: &Engine,
    analysis: &Analysis,
    findings: &dyn Findings,
) -> Outcome<Vec<(Match, MatchAnalysis)>> {
    let (found, _) = read_all(files, game)?;
    analyze_found(found, engine, analysis, findings)
}

/// The matches of files with their names and notes, and the files without any.
fn read_all(
    files: &[PathBuf],
    game: Option<Backgammon>,
) -> Outcome<(Vec<NamedMatch>, Vec<FailedFile>)> {
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    for file in files {
        match read(file, game) {
            Ok(records) => found.extend(records),
            Err(failure) if files.len() == 1 => {
                let message = format!("{}: {}", file.display(), failure.message());
                return Err(Failure::input(message));
            }
            Err(failure) => {
                let error = failure.message();
                warning::detail(&format!("{}: {error}", file.display()));
                failed.push(FailedFile { file: file.display().to_string(), error });
            }
        }
    }
    if !failed.is_empty() {
        warning::warn(&left_out(&failed, files.len()));
    }
    Ok((found, failed))
}

/// One line of the files without a match, those first that are named like one.
fn left_out(failed: &[FailedFile], of: usize) -> String {
    const SHOWN: usize = 6;
    let mut names: Vec<&str> = failed.iter().map(|failed| failed.file.as_str()).collect();
    names.sort_by_key(|name| MatchFormat::of_path(name.as_ref()).is_none());
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.truncate(SHOWN);
    format!(
        "{} of {of} files left out, no match that can be read: {}{more} (--verbose says why)",
        failed.len(),
        names.join(", ")
    )
}

/// Has the decisions of matches evaluated by a fleet, with a bar.
fn gather<'a>(
    fleet: &Fleet,
    found: &[NamedMatch],
    engine: &Engine,
    analysis: &Analysis,
    findings: &'a dyn Findings,
) -> Outcome<Gathered<'a>> {
    let canceled = cancel::on_interrupt("stopping; what is found is lost")?;
    let warn = |text: String| warning::note(&text);
    let on_fleet = OnFleet { remote: fleet, warn: &warn };
    let records: Vec<&Match> = found.iter().map(|named| &named.record).collect();
    let (shown, progress) = (QuestionBars::new(), CountProgress::new(0, "decisions"));
    let done = |done, of| progress.done_of(done as u64, of as u64);
    let gathered = shown.watch(Some(canceled), |watch| {
        engine.gather(on_fleet, &records, analysis, findings, watch, &done)
    });
    gathered.map_err(Failure::from)
}

/// Analyses matches, with a bar.
fn analyze_found(
    found: Vec<NamedMatch>,
    engine: &Engine,
    analysis: &Analysis,
    findings: &dyn Findings,
) -> Outcome<Vec<(Match, MatchAnalysis)>> {
    let canceled = cancel::on_interrupt("stopping; what is found is kept")?;
    let mut analyses = Vec::new();
    for named in found {
        let progress = CountProgress::new(0, "decisions");
        let shown = QuestionBars::new();
        let analyzed = shown.watch(Some(canceled), |watch| {
            let done = |done, of| progress.done_of(done as u64, of as u64);
            engine.analyze_match(&named, analysis, findings, watch, &done)
        });
        drop(progress);
        let analyzed = analyzed.map_err(Failure::from)?;
        if analyzed.decisions.is_empty() {
            warning::warn(&format_args!(
                "{}: it has no decision that can be evaluated",
                named.source
            ));
        }
        analyses.push((named.record, analyzed));
    }
    Ok(analyses)
}

/// What was found before with this network and these settings.
pub fn findings(engine: &Engine, analysis: &Analysis) -> Box<dyn Findings> {
    let store = Store::of_user();
    let Some(folder) = store.directory() else { return Box::new(NoFindings) };
    match SavedFindings::open(folder, engine, analysis) {
        Ok(kept) => {
            warning::detail(&format!("findings are kept in {}", kept.path().display()));
            Box::new(kept)
        }
        Err(error) => {
            warning::warn(&format_args!("{error}; going on without what was found before"));
            Box::new(NoFindings)
        }
    }
}

/// The files that are named, and those of folders that are.
pub fn find(named: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries =
            fs::read_dir(path).or_input_in(format_args!("cannot open {}", path.display()))?;
        let mut inside = Vec::new();
        for entry in entries {
            let entry = entry.or_input_in(format_args!("cannot read {}", path.display()))?.path();
            if entry.is_file() {
                inside.push(entry);
            }
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// The matches of a file.
fn read(file: &Path, game: Option<Backgammon>) -> Outcome<Vec<NamedMatch>> {
    let bytes =
        tavola_files::read(file, &tavola_matches::largest(file)).or_input_in("cannot be read")?;
    let name = file.display().to_string();
    let matches = NamedMatch::read(&name, &bytes, game)?;
    for note in matches.first().map_or(&[][..], |named| &named.notes) {
        warning::warn(&format_args!("{name}: {note}"));
    }
    Ok(matches)
}

/// Writes the files that the arguments ask for.
fn write_files(args: &AnalyzeArgs, records: &[Match], analyses: &[MatchAnalysis]) -> Outcome {
    let thresholds = Thresholds { error: args.error, blunder: args.blunder };
    let write = |path: &Path, text: String| {
        tavola_files::write(path, text.as_bytes())
            .or_input_in(format_args!("cannot write {}", path.display()))
    };
    if let Some(path) = &args.html {
        write(path, page::html(records, analyses, &thresholds))?;
    }
    if let Some(path) = &args.csv {
        write(path, page::csv(analyses))?;
    }
    if let Some(path) = &args.sgf {
        let annotated = records.iter().zip(analyses);
        write(path, annotated.map(|(it, found)| sgf::write(&sgf::annotated(it, found))).collect())?;
    }
    if let Some(path) = &args.cards {
        write(path, page::cards(analyses, &thresholds))?;
    }
    Ok(())
}
