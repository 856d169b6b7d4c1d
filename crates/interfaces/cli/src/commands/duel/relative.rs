//! A duel with several opponents: one table that compares all players with the first.

use serde::Serialize;
use tavola_arena::{DuelReport, Estimate};

use super::{DuelArgs, one, report};
use crate::failure::{Outcome, refuse_given};
use crate::report::format;
use crate::report::provenance::Provenance;
use crate::report::table::{Out, Table};

/// All duels as JSON.
#[derive(Serialize)]
struct Answer<'a, D> {
    a: &'a str,
    duels: Vec<D>,
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
            args.names()[0]
        )
    })?;
    let mut all: Vec<DuelReport> = Vec::new();
    for b in &args.b {
        one(args, b, &mut |report, _| {
            all.push(report.clone());
            Ok(())
        })?;
    }
    if args.output.json {
        let duels = all.iter().map(DuelReport::answer).collect();
        let answer = Answer { a: args.names()[0], duels };
        if Provenance::of(args.threads.count(), []).write_json(&answer, out)? {
            return Ok(());
        }
    }
    let rows = all.iter().map(DuelReport::row);
    if report::write_rows(rows, &args.output, out)? { Ok(()) } else { write(args, all, out) }
}

/// Points per game of A, or the probability that A wins a match.
fn shown(report: &DuelReport) -> Estimate {
    report.shown(report.result.best())
}

/// The table, the strongest first, and a sentence for each.
fn write(args: &DuelArgs, mut all: Vec<DuelReport>, out: &mut dyn Out) -> Outcome {
    let a = args.names()[0];
    all.sort_by(|one, two| shown(one).mean.total_cmp(&shown(two).mean));
    let is_match = all.iter().any(DuelReport::is_match);
    let what = if is_match { ">A wins a match" } else { ">A scores" };
    writeln!(out, "A  {a}\n")?;
    let rows = all.iter().enumerate().map(|(index, it)| {
        let lead = all.get(index + 1).filter(|_| !is_match).map(|next| lead(it, next));
        [
            it.b.name.clone(),
            report::strength(it, it.result.best()),
            it.result.stronger().in_words().to_owned(),
            format::count(it.games()),
            lead.unwrap_or_default(),
        ]
    });
    Table::of(["against", what, "", ">games", ">ahead of the next"], rows).write(out)?;
    writeln!(out)?;
    for it in all.iter().filter(|_| !is_match) {
        let (name, points) = (&it.b.name, shown(it));
        let relation = if points.mean < 0.0 { "weaker" } else { "stronger" };
        let [by, within] = [points.mean.abs(), points.half_width()];
        writeln!(out, "{a} is {by:.3} ± {within:.3} points per game {relation} than {name}")?;
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
fn lead(better: &DuelReport, next: &DuelReport) -> String {
    let [better, next] = [better, next].map(shown);
    let error = better.standard_error.hypot(next.standard_error);
    format::strength(Estimate::new(next.mean - better.mean, error))
}
