//! A duel with several opponents: one table that compares all players with the first.

use serde::Serialize;
use serde_json::Value;
use tavola_arena::{DuelReport, Estimate, Stronger};

use super::{DuelArgs, one, report};
use crate::failure::{Failure, Outcome, refuse_given};
use crate::report::format;
use crate::report::provenance::Provenance;
use crate::report::table::{Out, Table};

/// An opponent with what came out.
struct Compared {
    name: String,
    /// Points per game of A, or the probability that A wins a match.
    result: Estimate,
    /// The result with its interval, in words.
    shown: String,
    stronger: Stronger,
    games: u64,
    row: [String; 10],
    answer: Value,
    is_match: bool,
}

/// All duels as JSON.
#[derive(Serialize)]
struct Answer {
    a: String,
    duels: Vec<Value>,
}

/// Plays A against each, and compares them.
pub fn run(args: &DuelArgs, out: &mut dyn Out) -> Outcome {
    let given = [
        ("--save", args.save.is_some()),
        ("--resume", args.resume.is_some()),
        ("--save-games", args.save_games.is_some()),
        ("--chouette", args.chouette.chouette.is_some()),
        ("a game for more than two", args.game.many().is_some()),
    ];
    refuse_given(given, |what| {
        format!(
            "{what} is for a duel of two players, but {} are named after {}, expected one of them",
            args.b.len(),
            args.names().0
        )
    })?;
    let mut all: Vec<Compared> = Vec::new();
    for b in &args.b {
        one(args, b, &mut |report, _| {
            all.push(Compared::of(report)?);
            Ok(())
        })?;
    }
    if args.output.json {
        let a = args.names().0.to_owned();
        let answer = Answer { a, duels: all.iter().map(|it| it.answer.clone()).collect() };
        if Provenance::of(args.threads.count(), []).write_json(&answer, out)? {
            return Ok(());
        }
    }
    let rows = all.iter().map(|compared| compared.row.clone());
    if report::write_rows(rows, &args.output, out)? { Ok(()) } else { write(args, all, out) }
}

impl Compared {
    fn of(report: &DuelReport) -> Outcome<Self> {
        let best = report.result.best();
        Ok(Self {
            name: report.b.name.clone(),
            result: report.shown(best),
            shown: report::strength(report, best),
            stronger: report.result.stronger(),
            games: report.games(),
            row: report.row(),
            answer: serde_json::to_value(report.answer())
                .map_err(|error| Failure::work(format_args!("a result has no JSON: {error}")))?,
            is_match: report.is_match(),
        })
    }
}

/// The table, the strongest first, and a sentence for each.
fn write(args: &DuelArgs, mut all: Vec<Compared>, out: &mut dyn Out) -> Outcome {
    let a = args.names().0;
    all.sort_by(|one, two| one.result.mean.total_cmp(&two.result.mean));
    let is_match = all.iter().any(|it| it.is_match);
    let what = if is_match { ">A wins a match" } else { ">A scores" };
    writeln!(out, "A  {a}\n")?;
    let mut table = Table::new(["against", what, "", ">games", ">ahead of the next"]);
    for (index, it) in all.iter().enumerate() {
        let lead = all.get(index + 1).filter(|_| !is_match).map(|next| lead(it, next));
        table.row([
            it.name.clone(),
            it.shown.clone(),
            it.stronger.in_words().to_owned(),
            format::count(it.games),
            lead.unwrap_or_default(),
        ]);
    }
    table.write(out)?;
    writeln!(out)?;
    for it in all.iter().filter(|_| !is_match) {
        let Estimate { mean, .. } = it.result;
        let relation = if mean < 0.0 { "weaker" } else { "stronger" };
        writeln!(
            out,
            "{a} is {:.3} ± {:.3} points per game {relation} than {}",
            mean.abs(),
            it.result.half_width(),
            it.name
        )?;
    }
    writeln!(
        out,
        "{}seed {}, ± is the 95 % interval; a lead adds the variances of two duels",
        if is_match { "" } else { "\n" },
        args.seed
    )?;
    Ok(())
}

/// By how much an opponent does better against A than another one.
fn lead(better: &Compared, next: &Compared) -> String {
    let error = better.result.standard_error.hypot(next.result.standard_error);
    format::strength(Estimate::new(next.result.mean - better.result.mean, error))
}
