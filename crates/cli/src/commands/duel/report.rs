//! What a duel showed, as text and as JSON.

use std::io::Write;
use std::time::Duration;

use serde::Serialize;
use tavola_arena::{DuelResult, Estimate, PairFailure, Sprt, SprtResult, Verdict, Wins};

use crate::args::OutputArgs;
use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::{Align, Table};

/// A duel that was played, without a cube unless the result is of another kind.
pub struct Played<'a, R = DuelResult> {
    /// What came out.
    pub result: &'a R,
    /// Name and version of the judge of luck.
    pub luck_judge: Option<&'a str>,
    /// Whose points are counted.
    pub a: Side<'a>,
    /// The opponent.
    pub b: Side<'a>,
    /// How many start positions were given.
    pub starts: usize,
    /// What was played now, unless all was played before.
    pub session: Option<Session>,
}

/// One of the players, afterwards.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// As typed.
    pub name: &'a str,
    /// Checksum or version; may be empty.
    pub version: &'a str,
}

/// What was played in this process.
#[derive(Clone, Copy)]
pub struct Session {
    /// Games, of which a result may have more from before.
    pub games: u64,
    /// By the clock on the wall.
    pub time: Duration,
    /// Spent on choosing plays, all threads together.
    pub a_thought: Duration,
    /// The same of b.
    pub b_thought: Duration,
}

/// The result as JSON. Points are from player a, time is in seconds.
#[derive(Serialize)]
struct Answer<'a> {
    a: &'a str,
    b: &'a str,
    a_version: &'a str,
    b_version: &'a str,
    game: &'a str,
    games: u64,
    pairs: u64,
    seed: u64,
    #[serde(skip_serializing_if = "is_zero")]
    starts: usize,
    ppg: f64,
    standard_error: f64,
    interval: [f64; 2],
    /// Of a pair's points per game.
    standard_deviation: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    luck_adjusted: Option<LuckAdjusted<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<Test>,
    a_wins: Wins,
    b_wins: Wins,
    draws: u64,
    unfinished: u64,
    failures: &'a [PairFailure],
    #[serde(flatten)]
    session: Option<SessionAnswer>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The part that is about now.
#[derive(Serialize)]
pub struct SessionAnswer {
    games_now: u64,
    seconds: f64,
    a_seconds: f64,
    b_seconds: f64,
}

/// The result without the luck.
#[derive(Serialize)]
struct LuckAdjusted<'a> {
    judge: &'a str,
    ppg: f64,
    standard_error: f64,
    interval: [f64; 2],
    standard_deviation: f64,
}

/// The sequential test; strengths in points per game.
#[derive(Serialize)]
pub struct Test {
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

impl From<Session> for SessionAnswer {
    fn from(session: Session) -> Self {
        Self {
            games_now: session.games,
            seconds: session.time.as_secs_f64(),
            a_seconds: session.a_thought.as_secs_f64(),
            b_seconds: session.b_thought.as_secs_f64(),
        }
    }
}

impl Played<'_> {
    /// Writes the result as the arguments ask for.
    pub fn write(&self, output: &OutputArgs, out: &mut dyn Write) -> Outcome {
        if output.json {
            serde_json::to_writer(&mut *out, &self.answer())?;
            writeln!(out)?;
            Ok(())
        } else {
            self.write_text(out)
        }
    }

    fn answer(&self) -> Answer<'_> {
        let result = self.result;
        let adjusted = result.luck_adjusted.zip(self.luck_judge);
        Answer {
            a: self.a.name,
            b: self.b.name,
            a_version: self.a.version,
            b_version: self.b.version,
            game: &result.game,
            games: result.games,
            pairs: result.pairs,
            seed: result.seed,
            starts: self.starts,
            ppg: result.ppg.mean,
            standard_error: result.ppg.standard_error,
            interval: [result.ppg.low, result.ppg.high],
            standard_deviation: self.deviation(result.ppg),
            luck_adjusted: adjusted.map(|(ppg, judge)| LuckAdjusted {
                judge,
                ppg: ppg.mean,
                standard_error: ppg.standard_error,
                interval: [ppg.low, ppg.high],
                standard_deviation: self.deviation(ppg),
            }),
            sprt: result.sprt.map(Test::from),
            a_wins: result.a,
            b_wins: result.b,
            draws: result.draws,
            unfinished: result.unfinished,
            failures: &result.failures,
            session: self.session.map(SessionAnswer::from),
        }
    }

    /// The standard deviation of a pair's points per game.
    fn deviation(&self, ppg: Estimate) -> f64 {
        ppg.standard_error * (self.result.pairs as f64).sqrt()
    }

    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        let result = self.result;
        write_sides(self.a, self.b, out)?;
        let (kind, best) = leading(result.ppg, result.luck_adjusted);
        let verdict = if best.low > 0.0 {
            "A is stronger"
        } else if best.high < 0.0 {
            "B is stronger"
        } else if (best.low, best.high) == (0.0, 0.0) {
            "zero in every pair, as of players that always play alike"
        } else {
            "the interval holds zero: play more games to tell who is stronger"
        };
        writeln!(
            out,
            "A scores {} (95 % CI{kind}): {verdict}",
            format::strength(best.mean, [best.low, best.high])
        )?;
        if let Some(sprt) = &result.sprt {
            writeln!(out, "{}", sentence(sprt))?;
        }
        writeln!(out)?;
        let mut table = Table::new([Align::Left, Align::Right, Align::Right]);
        table.row(["points per game of A", "95 % CI", "SD of a pair"]);
        let estimates = [("luck-adjusted", result.luck_adjusted), ("raw", Some(result.ppg))];
        for (name, ppg) in estimates {
            if let Some(ppg) = ppg {
                table.row([
                    name.to_owned(),
                    format::strength(ppg.mean, [ppg.low, ppg.high]),
                    format!("{:.3}", self.deviation(ppg)),
                ]);
            }
        }
        table.write(out)?;
        writeln!(out)?;
        let mut table = Table::new([Align::Left, Align::Right, Align::Right, Align::Right]);
        table.row(["percent of games", "any win", "gammon", "backgammon"]);
        for (name, wins) in [("A", result.a), ("B", result.b)] {
            let share = |number: u64| format!("{:.1}", 100.0 * number as f64 / result.games as f64);
            table.row([
                name.to_owned(),
                share(wins.wins),
                share(wins.gammons),
                share(wins.backgammons),
            ]);
        }
        table.write(out)?;
        if result.draws > 0 {
            writeln!(out, "{} drawn", format::plural(result.draws as usize, "game"))?;
        }
        if result.unfinished > 0 {
            writeln!(
                out,
                "{} given up as too long",
                format::plural(result.unfinished as usize, "game")
            )?;
        }
        writeln!(out)?;
        let starts = match self.starts {
            0 => String::new(),
            number => format!(", from {}", format::plural(number, "start position")),
        };
        writeln!(
            out,
            "{} games of {} ({} on the same dice), seed {}{starts}",
            format::count(result.games),
            result.game,
            format::plural(result.pairs as usize, "pair"),
            result.seed
        )?;
        if let Some(session) = self.session {
            writeln!(
                out,
                "{} games now in {}, {:.1} games/s; A chose its plays in {}, B in {} (all threads \
                 together)",
                format::count(session.games),
                format::duration(session.time),
                session.games as f64 / session.time.as_secs_f64().max(1e-9),
                format::duration(session.a_thought),
                format::duration(session.b_thought)
            )?;
        }
        match self.luck_judge {
            Some(judge) => writeln!(out, "luck judged by {judge}")?,
            None => writeln!(out, "luck not judged")?,
        }
        Ok(())
    }
}

/// A name with its version, if it has one.
fn named(name: &str, version: &str) -> String {
    if version.is_empty() { name.to_owned() } else { format!("{name} ({version})") }
}

/// What the test says, in words.
pub fn sentence(sprt: &SprtResult) -> String {
    let test = &sprt.test;
    let strength = |ppg: f64| format!("{:+} millipoints", (ppg * 1e6).round() / 1e3);
    let (low, high) = (strength(test.low()), strength(test.high()));
    let verdict = match sprt.verdict {
        Verdict::High => format!("A is {high} stronger rather than {low}"),
        Verdict::Low => format!("A is {low} stronger rather than {high}"),
        Verdict::Open => format!("not decided between {low} and {high}"),
    };
    format!("SPRT: {verdict} ({})", ratio(test, sprt.log_likelihood_ratio))
}

/// A log-likelihood ratio between its bounds: `LLR +1.27 in -2.94..+2.94`.
pub fn ratio(test: &Sprt, log_likelihood_ratio: f64) -> String {
    let (low, high) = test.bounds();
    // Players who always play alike have ratios beyond all numbers.
    let shown = log_likelihood_ratio.clamp(-999.0, 999.0);
    format!("LLR {shown:+.2} in {low:+.2}..{high:+.2}")
}

/// Says who plays, before the result.
pub fn write_sides(a: Side<'_>, b: Side<'_>, out: &mut dyn Write) -> Outcome {
    for (letter, side) in [("A", a), ("B", b)] {
        writeln!(out, "{letter}  {}", named(side.name, side.version))?;
    }
    writeln!(out)?;
    Ok(())
}

/// What a result is told by, and what to call it. Both estimate the same; the one that says it more
/// sharply leads.
pub fn leading(raw: Estimate, adjusted: Option<Estimate>) -> (&'static str, Estimate) {
    match adjusted {
        Some(adjusted) if adjusted.standard_error <= raw.standard_error => {
            (", luck-adjusted", adjusted)
        }
        Some(_) => (", raw", raw),
        None => ("", raw),
    }
}
