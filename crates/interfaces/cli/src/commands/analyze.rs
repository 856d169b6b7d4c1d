//! `tavola analyze`: what the players of a match lost, and where.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use tavola_bearoff::Store;
use tavola_engine::{
    Analyses, Analysis, DEFAULT_MET, Effort, Engine, Findings, Gathered, NamedMatch, NoFindings,
    ReportSettings, Rollouts, SavedFindings,
};
use tavola_evaluator::remote::OnFleet;
use tavola_matches::analysis::{MatchAnalysis, Thresholds};
use tavola_matches::{Match, ogxm, page, sgf};
use tavola_rules::Backgammon;

use crate::args::{EngineArgs, FleetArgs, FormArgs, number, on_fleet};
use crate::ask;
use crate::beside::BesideArgs;
use crate::cancel;
use crate::failure::{Failure, Outcome};
use crate::match_files;
use crate::outputs::{Content, OutputFile, writes};
use crate::report::provenance::Provenance;
use crate::report::table::Out;
use crate::report::warning;

pub mod report;
mod review;

/// What `--csv` does here.
const CSV: &str = "Print a row of comma-separated values for each decision, and no text; --csv=FILE \
    writes them to a file, beside what is printed";

/// What `--sure` does here.
const SURE: &str = "Roll out decisions whose verdict (best choice, error, blunder) is in doubt, at most \
    for this time a match [default: 60s]";

/// Analyze matches: error rates, luck, and the worst errors.
///
/// Every play, double, take, pass and resignation is evaluated. Error rates are those of GNU
/// Backgammon, the performance rating PR is that of eXtreme Gammon; docs/analysis.md says which
/// decisions count. A saved game without a cube is analyzed too, at 1-ply or --ply.
///
/// FILE is a match text (.mat, .txt) of GNU Backgammon, Jellyfish, Snowie, eXtreme Gammon,
/// GridGammon, Galaxy and others, an SGF file, our own JSON, or a folder of such files. What is
/// found is kept in the user's cache folder, so that a stopped analysis resumes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  \
        tavola analyze match.mat\n  \
        tavola analyze match.mat --html match.html      # a page with boards, to look at\n  \
        tavola analyze matches/ --ply 1 --csv=errors.csv\n  \
        tavola analyze match.mat --rollout-within 0.03  # the close ones by rollouts\n  \
        tavola analyze match.mat --sure=10m             # until every verdict is certain\n  \
        tavola analyze match.mat --cards errors.tsv     # flash cards for Anki\n  \
        tavola analyze match.mat --sgf analyzed.sgf     # for GNU Backgammon to show\n  \
        tavola analyze match.mat --beside gnubg:2,sage:3ply\n  \
        tavola analyze match.mat --json",
    mut_arg("time", |arg| arg.hide(true)),
    mut_arg("sure", |arg| arg.help(SURE)),
    mut_arg("csv", |arg| arg.help(CSV))
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
    pub effort: Effort,
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
    #[arg(long, value_name = "FILE", value_parser = writes(Content::Page))]
    pub html: Option<OutputFile>,
    /// Write the errors as flash cards, for Anki to import: a package if FILE ends in .apkg, else
    /// text
    #[arg(long, value_name = "FILE", value_parser = writes(Content::Cards))]
    pub cards: Option<OutputFile>,
    /// Write the matches with their analysis as SGF, which GNU Backgammon reads
    #[arg(long, value_name = "FILE", value_parser = writes(Content::Sgf))]
    pub sgf: Option<OutputFile>,
    /// Write the matches with our analysis beside those that they have as OGXM
    #[arg(long, value_name = "FILE", value_parser = writes(Content::Ogxm))]
    pub ogxm: Option<OutputFile>,
    /// Evaluate everything again, and keep nothing for the next time
    #[arg(long)]
    pub no_cache: bool,
    /// Other engines.
    #[command(flatten)]
    pub beside: BesideArgs,
    /// The fleet that evaluates the decisions.
    #[command(flatten)]
    pub remote: FleetArgs,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Text, JSON, CSV or Markdown.
    #[command(flatten)]
    pub output: FormArgs,
}

/// A loss of equity from 0 up.
pub fn threshold(text: &str) -> Result<f64, String> {
    number(0.0..=10.0, "equity such as 0.02")(text)
}

impl AnalyzeArgs {
    fn thresholds(&self) -> Thresholds {
        Thresholds { error: self.error, blunder: self.blunder }
    }
}

/// How far an analysis looks ahead: every decision as far, so that errors can be compared.
pub fn without_time(effort: &Effort) -> Outcome<Effort> {
    let ply = effort.ply.or(effort.level.is_none().then_some(Effort::DEFAULT_PLY));
    // The depth that it takes in any case.
    let ply = ply.map(|ply| if effort.sure.is_some() { ply.max(2) } else { ply });
    match effort.time {
        None => Ok(Effort { ply, ..*effort }),
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
    if matches!(args.output.csv, Some(None)) {
        let is_csv = |file: &&PathBuf| file.extension().is_some_and(|ending| ending == "csv");
        if let Some(file) = args.files.iter().filter(is_csv).find(|file| !file.exists()) {
            let file = file.display();
            return Err(Failure::input(format_args!(
                "{file} does not exist, expected a match, or --csv={file} to write it"
            )));
        }
    }
    let effort = without_time(&args.effort)?;
    let files = match_files::find(&args.files)?;
    let threads = args.engine.threads.count();
    // Decisions are evaluated side by side, each on one thread.
    let engine = Engine::new(NonZeroUsize::MIN, args.engine.store());
    // A pipe can be read once.
    if let [file] = &files[..]
        && file.is_file()
        && let Some(live) = review::saved(file)
    {
        return review::run(args, &live, &engine, out);
    }
    let analysis = Analysis {
        effort,
        thresholds: args.thresholds(),
        model: args.engine.model(),
        met: Some(args.met.clone()),
        rollouts: match effort.level {
            Some(level) => Rollouts::of_level(level),
            None => args.rollout_within.map(|within| Rollouts::new(within, args.trials)),
        },
        workers: threads,
    };
    let findings: Box<dyn Findings> =
        if args.no_cache { Box::new(NoFindings) } else { findings(&engine, &analysis) };
    let fleet = args.remote.connect(None)?;
    let (found, failed) = match_files::read(&files, args.game)?;
    // An engine that can't be started is an error before the long work.
    let mut games: Vec<Backgammon> = Vec::new();
    for game in found.iter().map(|named| named.record.options.start) {
        if !games.contains(&game) {
            games.push(game);
            args.beside.start(game, true)?;
        }
    }
    let gather = |fleet| gather(fleet, &found, &engine, &analysis, &*findings);
    let gathered = on_fleet(&fleet).map(gather).transpose()?;
    let findings = gathered.as_ref().map_or(&*findings, |gathered| gathered as &dyn Findings);
    let mut analyses = analyze_found(found, &engine, &analysis, findings)?;
    for (record, analyzed) in &mut analyses {
        args.beside.ask(record, analyzed, threads.get())?;
    }
    if analyses.is_empty() {
        let why = failed.first().map_or_else(
            || "no match is in the files".to_owned(),
            |failed| format!("{}: {}", failed.file, failed.error),
        );
        return Err(Failure::input(format_args!("nothing was analyzed: {why}")));
    }
    let (records, analyses): (Vec<Match>, Vec<MatchAnalysis>) = analyses.into_iter().unzip();
    write_files(args, &records, &analyses)?;
    if args.output.csv.is_some() {
        out.values(&page::csv(&analyses))?;
    }
    let analyses = Analyses::new(analyses, failed);
    if args.output.json {
        let network = engine.network(analysis.model.as_deref(), "backgammon")?;
        let settings = ReportSettings::new(&engine, &analysis, args.game, &analyses.matches)?;
        let provenance = Provenance::of(threads, [(network.name(), network.version())])
            .with_settings(&settings)?;
        let written = match (&analyses.matches[..], &analyses.failed[..]) {
            ([only], []) => provenance.write_json(only, out),
            _ => provenance.write_json(&analyses, out),
        };
        return written.map(drop);
    }
    let thresholds = &analysis.thresholds;
    for (index, (record, analyzed)) in records.iter().zip(&analyses.matches).enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let mut document = report::report(record, analyzed, thresholds, args.worst);
        let sure = args.effort.sure.is_some();
        report::add_open(analyzed, thresholds, args.worst, sure, &mut document);
        document.write(out)?;
    }
    if analyses.matches.len() > 1 {
        writeln!(out)?;
        page::report::totals(&analyses.totals, analyses.matches.len()).write(out)?;
    }
    Ok(())
}

/// Analyzes all matches of files and folders, of this game where they do not say it, with a bar.
pub fn analyze_files(
    named: &[PathBuf],
    game: Option<Backgammon>,
    engine: &Engine,
    analysis: &Analysis,
    findings: &dyn Findings,
) -> Outcome<Vec<(Match, MatchAnalysis)>> {
    let (found, _) = match_files::read(&match_files::find(named)?, game)?;
    analyze_found(found, engine, analysis, findings)
}

/// Has the decisions of matches evaluated by a fleet, with a bar.
fn gather<'a>(
    fleet: OnFleet<'_>,
    found: &[NamedMatch],
    engine: &Engine,
    analysis: &Analysis,
    findings: &'a dyn Findings,
) -> Outcome<Gathered<'a>> {
    let canceled = cancel::on_interrupt("stopping; what is found is lost")?;
    let records: Vec<&Match> = found.iter().map(|named| &named.record).collect();
    Ok(ask::counted("decisions", canceled, |watch, done| {
        engine.gather(fleet, &records, analysis, findings, watch, done)
    })?)
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
        let analyzed = ask::counted("decisions", canceled, |watch, done| {
            engine.analyze_match(&named, analysis, findings, watch, done)
        })?;
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

/// Writes the files that the arguments ask for.
fn write_files(args: &AnalyzeArgs, records: &[Match], analyses: &[MatchAnalysis]) -> Outcome {
    let thresholds = args.thresholds();
    if let Some(file) = &args.html {
        file.write(page::html(records, analyses, &thresholds).as_bytes())?;
    }
    let analyzed = || records.iter().zip(analyses);
    if let Some(file) = &args.sgf {
        let games = analyzed().map(|(it, found)| sgf::write(&sgf::annotated(it, found)));
        file.write(games.collect::<String>().as_bytes())?;
    }
    if let Some(file) = &args.ogxm {
        let games = analyzed().flat_map(|(it, found)| ogxm::write(it, Some(found)));
        file.write(&games.collect::<Vec<u8>>())?;
    }
    if let Some(file) = &args.cards {
        let cards = page::cards(analyses, &thresholds);
        if file.extension().is_some_and(|it| it.eq_ignore_ascii_case("apkg")) {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            file.write(&page::package(&cards, now.as_secs() as i64))?;
        } else {
            file.write(page::cards_text(&cards).as_bytes())?;
        }
    }
    Ok(())
}
