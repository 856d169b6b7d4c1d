//! What a duel showed, as text.

use tavola_arena::{CubeCounts, DuelReport, Estimate, SprtResult, SprtVerdict, Wins};

use crate::args::FormArgs;
use crate::failure::Outcome;
use crate::report::format;
use crate::report::provenance::Provenance;
use crate::report::table::{Out, Table};

/// Writes the result as the arguments ask for.
pub fn write(
    report: &DuelReport,
    provenance: &Provenance,
    output: &FormArgs,
    out: &mut dyn Out,
) -> Outcome {
    if output.json && provenance.write_json(&report.answer(), out)? {
        return Ok(());
    }
    if write_rows([report.row()], output, out)? { Ok(()) } else { write_text(report, out) }
}

/// Writes rows of results as values or Markdown; whether nothing else is printed.
pub fn write_rows(
    rows: impl IntoIterator<Item = [String; 10]>,
    output: &FormArgs,
    out: &mut dyn Out,
) -> Outcome<bool> {
    let headings = "a b game games unit result low high luck_evaluator stronger".split(' ');
    let table = Table::of(headings.map(|name| name.replace('_', " ")), rows);
    match (output.markdown, &output.csv) {
        (true, _) => table.write(out)?,
        (false, Some(_)) => out.values(&table.csv(None, true))?,
        (false, None) => {}
    }
    Ok(output.markdown)
}

/// A result with its 95 % interval.
pub fn strength(report: &DuelReport, points: Estimate) -> String {
    let shown = report.shown(points);
    if report.is_match() { format::win_probability(shown) } else { format::strength(shown) }
}

fn write_text(report: &DuelReport, out: &mut dyn Out) -> Outcome {
    let result = &report.result;
    for (letter, side) in [("A", &report.a), ("B", &report.b)] {
        writeln!(out, "{letter}  {}", format::named(&side.name, &side.version))?;
    }
    writeln!(out)?;
    let best = result.best();
    let kind = match result.luck_adjusted {
        Some(adjusted) if adjusted == best => ", luck-adjusted",
        Some(_) => ", raw",
        None => "",
    };
    let (scores, what) = match report.is_match() {
        true => ("wins", "probability of A to win a match"),
        false => ("scores", "points per game of A"),
    };
    let (gain, stronger) = (strength(report, best), result.stronger().in_words());
    writeln!(out, "A {scores} {gain} (95 % CI{kind}): {stronger}")?;
    if let Some(sprt) = &result.sprt {
        writeln!(out, "{}", sentence(sprt))?;
    }
    let estimates = [("luck-adjusted", result.luck_adjusted), ("raw", Some(result.points))];
    let rows = estimates.into_iter().filter_map(|(name, points)| {
        let deviation = report.figure(points?).standard_deviation;
        Some([name.to_owned(), strength(report, points?), format!("{deviation:.3}")])
    });
    Table::of([what, ">95 % CI", ">SD of a pair"], rows).write_apart(out)?;
    writeln!(out)?;
    match &result.cube {
        Some(cube) => write_cube(cube, out)?,
        None => write_wins(report, out)?,
    }
    if result.draws > 0 {
        writeln!(out, "{} drawn", format::plural(result.draws as usize, "game"))?;
    }
    if result.unfinished > 0 {
        let unit = result.unit.plural();
        writeln!(out, "{unit} truncated at the turn limit: {}", format::count(result.unfinished))?;
    }
    writeln!(out)?;
    write_summary(report, out)
}

/// Wins by their kind.
fn write_wins(report: &DuelReport, out: &mut dyn Out) -> Outcome {
    let result = &report.result;
    let share = |number: u64| format!("{:.1}", 100.0 * number as f64 / result.played() as f64);
    let row = |name: &str, wins: Wins| {
        let Wins { wins, gammons, backgammons } = wins;
        [name.to_owned(), share(wins), share(gammons), share(backgammons)]
    };
    let rows = [row("A", result.a), row("B", result.b)];
    Ok(Table::of(["percent of games", ">win", ">gammon", ">backgammon"], rows).write(out)?)
}

/// What was played, how long it took, and what evaluated the luck.
fn write_summary(report: &DuelReport, out: &mut dyn Out) -> Outcome {
    let result = &report.result;
    let matches = match report.is_match() {
        true => format!("{} matches, ", format::count(result.played())),
        false => String::new(),
    };
    let terms = result.terms.as_ref().map_or_else(String::new, |terms| format!(": {terms}"));
    let starts = match report.starts {
        0 => String::new(),
        number => format!(", from {}", format::plural(number, "start position")),
    };
    let (games, game, seed) = (format::count(report.games()), &result.game, result.seed);
    let pairs = format::plural(result.pairs as usize, "pair");
    let played = format!("{matches}{games} games of {game} ({pairs} on the same dice)");
    out.prose(&format!("{played}{terms}, seed {seed}{starts}"))?;
    if result.cube.is_some() {
        let [a, b] = [result.a, result.b].map(|wins| format::count(wins.wins));
        writeln!(out, "{} won: A {a}, B {b}", result.unit.plural())?;
    }
    let unit = result.unit.plural();
    if let Some(timing) = &report.timing {
        let [a, b] = timing.clocks.each_ref().map(|clock| {
            let each = clock.of_a_decision().unwrap_or_default();
            let all = format::duration(clock.elapsed());
            format!("{all}, {:.3} ms a decision", each.as_secs_f64() * 1e3)
        });
        let (games, time) = (format::count(timing.games), format::duration(timing.time));
        let rate = timing.games as f64 / timing.time.as_secs_f64().max(1e-9);
        writeln!(out, "{games} {unit} now in {time}, {rate:.1} {unit}/s")?;
        writeln!(out, "processor time: A {a}; B {b}")?;
    }
    let model = if result.cube.is_some() { ", with the cube model" } else { "" };
    match &report.luck_evaluator {
        Some(evaluator) => writeln!(out, "variance reduction by {evaluator}{model}")?,
        None => writeln!(out, "no variance reduction")?,
    }
    Ok(())
}

/// What the cube did.
fn write_cube(cube: &CubeCounts, out: &mut dyn Out) -> Outcome {
    let rows = [
        ("with a turned cube", cube.turned),
        ("ended by a dropped cube", cube.dropped),
        ("ended by a resignation", cube.resigned),
        ("won with a gammon", cube.gammons),
        ("with the cube at its limit", cube.capped),
    ]
    .map(|(name, number)| {
        let percent = 100.0 * number as f64 / cube.games.max(1) as f64;
        [name.to_owned(), format::count(number), format!("{percent:.1}")]
    });
    Table::of(["games", ">number", ">percent"], rows).write(out)?;
    writeln!(out, "highest cube {}", cube.highest_cube)?;
    Ok(())
}

/// What the test says, in words.
fn sentence(sprt: &SprtResult) -> String {
    let test = &sprt.test;
    let strength = |ppg: f64| format!("{:+} millipoints", (ppg * 1e6).round() / 1e3);
    let (low, high) = (strength(test.low), strength(test.high));
    let verdict = match sprt.verdict {
        SprtVerdict::High => format!("A's advantage is nearer {high} than {low}"),
        SprtVerdict::Low => format!("A's advantage is nearer {low} than {high}"),
        SprtVerdict::Open => format!("not decided between {low} and {high}"),
    };
    format!("SPRT: {verdict} ({})", format::log_likelihood_ratio(test, sprt.log_likelihood_ratio))
}
