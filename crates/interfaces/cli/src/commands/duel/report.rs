//! What a duel showed, as text and as JSON.

use std::time::Duration;

use serde::Serialize;
use tavola_arena::{
    Clock, CubeCounts, DuelResult, Estimate, PairFailure, SprtResult, Stronger, Verdict, Wins,
    win_probability,
};
use tavola_play::DuelUnit;

use crate::args::FormArgs;
use crate::failure::Outcome;
use crate::report::format;
use crate::report::provenance::Provenance;
use crate::report::table::{Out, Table};

/// A duel that was played.
pub struct DuelReport<'a> {
    /// What came out.
    pub result: &'a DuelResult,
    /// Name and version of what evaluated the luck.
    pub luck_evaluator: Option<&'a str>,
    /// Whose points are counted.
    pub a: NamedPlayer<'a>,
    /// The opponent.
    pub b: NamedPlayer<'a>,
    /// How many start positions were given.
    pub starts: usize,
    /// What was played now, unless all was played before.
    pub session: Option<DuelTiming<'a>>,
    /// How the report came about.
    pub provenance: Provenance,
}

/// One of the players, afterwards.
#[derive(Clone, Copy)]
pub struct NamedPlayer<'a> {
    /// As typed.
    pub name: &'a str,
    /// Checksum or version; may be empty.
    pub version: &'a str,
}

/// What was played in this process.
#[derive(Clone, Copy)]
pub struct DuelTiming<'a> {
    /// Games, of which a result may have more from before.
    pub games: u64,
    /// Wall-clock time.
    pub time: Duration,
    /// How long a and b have thought.
    pub clocks: &'a [Clock; 2],
}

/// The result as JSON. Points are from player a, time is in seconds.
#[derive(Serialize)]
pub struct Answer<'a> {
    a: &'a str,
    b: &'a str,
    a_version: &'a str,
    b_version: &'a str,
    game: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    terms: Option<&'a str>,
    /// Matches, where matches are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<u64>,
    /// Games, those of matches one by one.
    games: u64,
    pairs: u64,
    seed: u64,
    #[serde(skip_serializing_if = "is_zero")]
    starts: usize,
    #[serde(flatten)]
    raw: Figure,
    #[serde(skip_serializing_if = "Option::is_none")]
    luck_adjusted: Option<LuckAdjusted<'a>>,
    verdict: Stronger,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<Test>,
    a_wins: WinsAnswer,
    b_wins: WinsAnswer,
    draws: u64,
    unfinished: u64,
    #[serde(flatten)]
    cube: Option<CubeCounts>,
    failures: &'a [PairFailure],
    #[serde(flatten)]
    session: Option<DuelTimingAnswer>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// An estimate: points per game, or the probability of winning a match.
#[derive(Serialize)]
struct Figure {
    #[serde(skip_serializing_if = "Option::is_none")]
    ppg: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_winning_probability: Option<f64>,
    standard_error: f64,
    interval: [f64; 2],
    /// Of a pair, per game or match.
    standard_deviation: f64,
}

/// Wins by their kind, or with a cube their number.
#[derive(Serialize)]
#[serde(untagged)]
enum WinsAnswer {
    Kinds(Wins),
    Number(u64),
}

/// The part that is about now.
#[derive(Serialize)]
struct DuelTimingAnswer {
    games_now: u64,
    seconds: f64,
    /// Processor time, and the share of a play among several.
    a_seconds: f64,
    b_seconds: f64,
    a_decision_seconds: Option<f64>,
    b_decision_seconds: Option<f64>,
}

/// The result without the luck.
#[derive(Serialize)]
struct LuckAdjusted<'a> {
    evaluator: &'a str,
    #[serde(flatten)]
    figure: Figure,
}

/// The sequential test; strengths in points per game.
#[derive(Serialize)]
struct Test {
    #[serde(flatten)]
    result: SprtResult,
    bounds: [f64; 2],
}

impl From<SprtResult> for Test {
    fn from(result: SprtResult) -> Self {
        let (low, high) = result.test.bounds();
        Self { result, bounds: [low, high] }
    }
}

impl From<DuelTiming<'_>> for DuelTimingAnswer {
    fn from(session: DuelTiming<'_>) -> Self {
        let [a, b] = session.clocks;
        let each = |clock: &Clock| clock.of_a_decision().map(|time| time.as_secs_f64());
        Self {
            games_now: session.games,
            seconds: session.time.as_secs_f64(),
            a_seconds: a.elapsed().as_secs_f64(),
            b_seconds: b.elapsed().as_secs_f64(),
            a_decision_seconds: each(a),
            b_decision_seconds: each(b),
        }
    }
}

impl DuelReport<'_> {
    /// Writes the result as the arguments ask for.
    pub fn write(&self, output: &FormArgs, out: &mut dyn Out) -> Outcome {
        if output.json {
            return self.provenance.write_json(&self.answer(), out);
        }
        if !(output.csv || output.markdown) {
            return self.write_text(out);
        }
        Self::table([self.row()]).write(out)
    }

    /// A table for rows of results, with its headings.
    pub fn table(rows: impl IntoIterator<Item = [String; 10]>) -> Table {
        let headings = "a b game games unit result low high luck_evaluator stronger".split(' ');
        Table::of(headings.map(|name| name.replace('_', " ")), rows)
    }

    /// The result as one row of a table; the interval is that of 95 %.
    pub fn row(&self) -> [String; 10] {
        let adjusted = self.result.luck_adjusted.zip(self.luck_evaluator);
        let (points, evaluator) = adjusted.unwrap_or((self.result.points, ""));
        let Estimate { mean, low, high, .. } = self.shown(points);
        let unit = if self.is_match() { "match winning probability of A" } else { "ppg of A" };
        let stronger = serde_json::to_value(self.result.stronger()).unwrap_or_default();
        [
            self.a.name.to_owned(),
            self.b.name.to_owned(),
            self.result.game.clone(),
            self.games().to_string(),
            unit.to_owned(),
            format!("{mean:.4}"),
            format!("{low:.4}"),
            format!("{high:.4}"),
            evaluator.to_owned(),
            stronger.as_str().unwrap_or_default().to_owned(),
        ]
    }

    /// Whether the result is a probability to win a match.
    pub fn is_match(&self) -> bool {
        self.result.unit == DuelUnit::Matches
    }

    /// In the unit that people read: points per game, or a probability to win.
    pub fn shown(&self, points: Estimate) -> Estimate {
        if self.is_match() { win_probability(points) } else { points }
    }

    fn figure(&self, points: Estimate) -> Figure {
        let Estimate { mean, standard_error, low, high } = self.shown(points);
        Figure {
            ppg: (!self.is_match()).then_some(mean),
            match_winning_probability: self.is_match().then_some(mean),
            standard_error,
            interval: [low, high],
            standard_deviation: standard_error * (self.result.pairs as f64).sqrt(),
        }
    }

    /// Games, those of matches one by one.
    pub fn games(&self) -> u64 {
        self.result.cube.map_or(self.result.played(), |cube| cube.games)
    }

    /// The result as it is written in JSON.
    pub fn answer(&self) -> Answer<'_> {
        let result = self.result;
        let wins = |wins: Wins| match result.cube {
            None => WinsAnswer::Kinds(wins),
            Some(_) => WinsAnswer::Number(wins.wins),
        };
        let adjusted = result.luck_adjusted.zip(self.luck_evaluator);
        Answer {
            a: self.a.name,
            b: self.b.name,
            a_version: self.a.version,
            b_version: self.b.version,
            game: &result.game,
            terms: result.terms.as_deref(),
            matches: self.is_match().then_some(result.played()),
            games: self.games(),
            pairs: result.pairs,
            seed: result.seed,
            starts: self.starts,
            raw: self.figure(result.points),
            luck_adjusted: adjusted
                .map(|(points, evaluator)| LuckAdjusted { evaluator, figure: self.figure(points) }),
            verdict: result.stronger(),
            sprt: result.sprt.map(Test::from),
            a_wins: wins(result.a),
            b_wins: wins(result.b),
            draws: result.draws,
            unfinished: result.unfinished,
            cube: result.cube,
            failures: &result.failures,
            session: self.session.map(DuelTimingAnswer::from),
        }
    }

    /// A result with its 95 % interval.
    pub fn strength(&self, points: Estimate) -> String {
        let Estimate { mean, low, high, .. } = self.shown(points);
        if self.is_match() {
            format::win_probability(mean, [low, high])
        } else {
            format::strength(mean, [low, high])
        }
    }

    fn write_text(&self, out: &mut dyn Out) -> Outcome {
        let result = self.result;
        for (letter, side) in [("A", self.a), ("B", self.b)] {
            writeln!(out, "{letter}  {}", format::named(side.name, side.version))?;
        }
        writeln!(out)?;
        let best = result.best();
        let kind = match result.luck_adjusted {
            Some(adjusted) if adjusted == best => ", luck-adjusted",
            Some(_) => ", raw",
            None => "",
        };
        let (scores, what) = match self.is_match() {
            true => ("wins", "probability of A to win a match"),
            false => ("scores", "points per game of A"),
        };
        writeln!(
            out,
            "A {scores} {} (95 % CI{kind}): {}",
            self.strength(best),
            format::verdict(result.stronger())
        )?;
        if let Some(sprt) = &result.sprt {
            writeln!(out, "{}", sentence(sprt))?;
        }
        let mut table = Table::new([what, ">95 % CI", ">SD of a pair"]);
        let estimates = [("luck-adjusted", result.luck_adjusted), ("raw", Some(result.points))];
        for (name, points) in estimates {
            if let Some(points) = points {
                let deviation = self.figure(points).standard_deviation;
                table.row([name.to_owned(), self.strength(points), format!("{deviation:.3}")]);
            }
        }
        table.write_apart(out)?;
        writeln!(out)?;
        match &result.cube {
            Some(cube) => write_cube(cube, out)?,
            None => self.write_wins(out)?,
        }
        if result.draws > 0 {
            writeln!(out, "{} drawn", format::plural(result.draws as usize, "game"))?;
        }
        if result.unfinished > 0 {
            let unit = format::unit(result.unit);
            writeln!(
                out,
                "{unit} truncated at the turn limit: {}",
                format::count(result.unfinished)
            )?;
        }
        writeln!(out)?;
        self.write_summary(out)
    }

    /// Wins by their kind.
    fn write_wins(&self, out: &mut dyn Out) -> Outcome {
        let result = self.result;
        let share = |number: u64| format!("{:.1}", 100.0 * number as f64 / result.played() as f64);
        let row = |name: &str, wins: Wins| {
            let Wins { wins, gammons, backgammons } = wins;
            [name.to_owned(), share(wins), share(gammons), share(backgammons)]
        };
        let rows = [row("A", result.a), row("B", result.b)];
        Table::of(["percent of games", ">win", ">gammon", ">backgammon"], rows).write(out)
    }

    /// What was played, how long it took, and what evaluated the luck.
    fn write_summary(&self, out: &mut dyn Out) -> Outcome {
        let result = self.result;
        let matches = match self.is_match() {
            true => format!("{} matches, ", format::count(result.played())),
            false => String::new(),
        };
        let terms = result.terms.as_ref().map_or_else(String::new, |terms| format!(": {terms}"));
        let starts = match self.starts {
            0 => String::new(),
            number => format!(", from {}", format::plural(number, "start position")),
        };
        out.prose(&format!(
            "{matches}{} games of {} ({} on the same dice){terms}, seed {}{starts}",
            format::count(self.games()),
            result.game,
            format::plural(result.pairs as usize, "pair"),
            result.seed
        ))?;
        if result.cube.is_some() {
            let [a, b] = [result.a, result.b].map(|wins| format::count(wins.wins));
            writeln!(out, "{} won: A {a}, B {b}", format::unit(result.unit))?;
        }
        let unit = format::unit(result.unit);
        if let Some(session) = self.session {
            let [a, b] = session.clocks.each_ref().map(|clock| {
                let each = clock.of_a_decision().unwrap_or_default();
                let all = format::duration(clock.elapsed());
                format!("{all}, {:.3} ms a decision", each.as_secs_f64() * 1e3)
            });
            writeln!(
                out,
                "{} {unit} now in {}, {:.1} {unit}/s\nprocessor time: A {a}; B {b}",
                format::count(session.games),
                format::duration(session.time),
                session.games as f64 / session.time.as_secs_f64().max(1e-9),
            )?;
        }
        match self.luck_evaluator {
            Some(evaluator) if result.cube.is_some() => {
                writeln!(out, "variance reduction by {evaluator}, with the cube model")?;
            }
            Some(evaluator) => writeln!(out, "variance reduction by {evaluator}")?,
            None => writeln!(out, "no variance reduction")?,
        }
        Ok(())
    }
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
    let (low, high) = (strength(test.low()), strength(test.high()));
    let verdict = match sprt.verdict {
        Verdict::High => format!("A's advantage is nearer {high} than {low}"),
        Verdict::Low => format!("A's advantage is nearer {low} than {high}"),
        Verdict::Open => format!("not decided between {low} and {high}"),
    };
    format!("SPRT: {verdict} ({})", format::log_likelihood_ratio(test, sprt.log_likelihood_ratio))
}
