//! A duel as it is reported: its figures by their keys, and as a row.

use std::time::Duration;

use serde::Serialize;
use tavola_evaluator::Estimate;
use tavola_play::DuelUnit;

use crate::stats::{CubeCounts, PairFailure, Stronger, Wins, win_probability};
use crate::strength::duel::{DuelResult, SprtResult};
use crate::strength::timed::Clock;

/// A duel that was played.
#[derive(Clone, Debug)]
pub struct DuelReport {
    /// What came out.
    pub result: DuelResult,
    /// Name and version of what evaluated the luck.
    pub luck_evaluator: Option<String>,
    /// Whose points are counted.
    pub a: NamedPlayer,
    /// The opponent.
    pub b: NamedPlayer,
    /// How many start positions were given.
    pub starts: usize,
    /// What was played now, unless all was played before.
    pub timing: Option<DuelTiming>,
    /// The checksums of all networks, each with what it is for.
    pub networks: Vec<(String, String)>,
}

/// One of the players, afterwards.
#[derive(Clone, Debug)]
pub struct NamedPlayer {
    /// As typed.
    pub name: String,
    /// Checksum or version; may be empty.
    pub version: String,
}

/// What was played in this process.
#[derive(Clone, Debug)]
pub struct DuelTiming {
    /// Games, of which a result may have more from before.
    pub games: u64,
    /// Wall-clock time.
    pub time: Duration,
    /// How long a and b have thought.
    pub clocks: [Clock; 2],
}

/// The result as JSON. Points are from player a, time is in seconds.
#[derive(Serialize)]
pub struct DuelAnswer<'a> {
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
    raw: DuelFigure,
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
    timing: Option<TimingAnswer>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// An estimate: points per game, or the probability of winning a match.
#[derive(Clone, Debug, Serialize)]
pub struct DuelFigure {
    #[serde(skip_serializing_if = "Option::is_none")]
    ppg: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_winning_probability: Option<f64>,
    standard_error: f64,
    interval: [f64; 2],
    /// Of a pair, per game or match.
    pub standard_deviation: f64,
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
struct TimingAnswer {
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
    figure: DuelFigure,
}

/// The sequential test; strengths in points per game.
#[derive(Serialize)]
struct Test {
    #[serde(flatten)]
    result: SprtResult,
    bounds: [f64; 2],
}

impl From<&DuelTiming> for TimingAnswer {
    fn from(timing: &DuelTiming) -> Self {
        let [a, b] = &timing.clocks;
        let each = |clock: &Clock| clock.of_a_decision().map(|time| time.as_secs_f64());
        Self {
            games_now: timing.games,
            seconds: timing.time.as_secs_f64(),
            a_seconds: a.elapsed().as_secs_f64(),
            b_seconds: b.elapsed().as_secs_f64(),
            a_decision_seconds: each(a),
            b_decision_seconds: each(b),
        }
    }
}

impl DuelReport {
    /// The result as one row of a table; the interval is that of 95 %.
    pub fn row(&self) -> [String; 10] {
        let adjusted = self.result.luck_adjusted.zip(self.luck_evaluator.as_deref());
        let (points, evaluator) = adjusted.unwrap_or((self.result.points, ""));
        let Estimate { mean, low, high, .. } = self.shown(points);
        let unit = if self.is_match() { "match winning probability of A" } else { "ppg of A" };
        let stronger = serde_json::to_value(self.result.stronger()).unwrap_or_default();
        [
            self.a.name.clone(),
            self.b.name.clone(),
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

    /// An estimate with its interval and its spread.
    pub fn figure(&self, points: Estimate) -> DuelFigure {
        let Estimate { mean, standard_error, low, high } = self.shown(points);
        DuelFigure {
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
    pub fn answer(&self) -> DuelAnswer<'_> {
        let result = &self.result;
        let wins = |wins: Wins| match result.cube {
            None => WinsAnswer::Kinds(wins),
            Some(_) => WinsAnswer::Number(wins.wins),
        };
        let adjusted = result.luck_adjusted.zip(self.luck_evaluator.as_deref());
        let test = |result: SprtResult| Test { result, bounds: result.test.bounds().into() };
        DuelAnswer {
            a: &self.a.name,
            b: &self.b.name,
            a_version: &self.a.version,
            b_version: &self.b.version,
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
            sprt: result.sprt.map(test),
            a_wins: wins(result.a),
            b_wins: wins(result.b),
            draws: result.draws,
            unfinished: result.unfinished,
            cube: result.cube,
            failures: &result.failures,
            timing: self.timing.as_ref().map(TimingAnswer::from),
        }
    }
}
