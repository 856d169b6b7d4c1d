//! Duels with the cube, and what they showed, as text and as JSON.

use std::io::Write;

use serde::Serialize;
use tavola_arena::{
    Clock, CubeDuel, CubeDuelResult, DuelUnit, Estimate, PairFailure, Timed, Verdict,
};
use tavola_play::CubeTerms;
use tavola_rules::{Backgammon, Game};

use super::luck::{CliLuckJudge, of_backgammon};
use super::player::CubePlayer;
use super::report::{Played, SessionAnswer, Side, Test, leading, sentence, write_sides};
use super::{DuelArgs, conclude, header, play_logged, settings, starts};
use crate::args::OutputArgs;
use crate::failure::{Failure, Outcome};
use crate::report::format;
use crate::report::table::{Align, Table};

/// Plays the duel.
pub fn play(args: &DuelArgs, game: Backgammon, terms: &CubeTerms, out: &mut dyn Write) -> Outcome {
    let unit = DuelUnit::from(terms.contest());
    let matches = unit == DuelUnit::Matches;
    if matches && !(args.start.is_empty() && args.book.is_none()) {
        return Err(Failure::input(
            "--start and --book are for games, but --match plays matches from their start",
        ));
    }
    if matches && args.sprt.sprt.is_some() {
        return Err(Failure::input(
            "--sprt tests points per game, which --match does not count; expected --cube or neither",
        ));
    }
    let timeout = std::time::Duration::from_secs_f64(args.engine_timeout);
    let (a_name, b_name) = args.names();
    let a = CubePlayer::new(a_name, game, timeout)?;
    let b = CubePlayer::new(b_name, game, timeout)?;
    let asked = args.luck.luck_judge.is_some() || !(a.is_baseline || b.is_baseline);
    let luck_judge = if asked { of_backgammon(&args.luck, game)? } else { None };
    let starts = starts(args, game)?;
    let judge_identity = luck_judge.as_ref().map(|judge| judge.identity.clone());
    let header = tavola_arena::DuelHeader {
        terms: Some(terms.to_string()),
        unit: Some(unit),
        ..header(args, game.id(), [&a.identity, &b.identity], judge_identity, &starts.names)
    };
    let sprt = args.sprt.test()?;
    let clocks = [&Clock::default(), &Clock::default()];
    let (timed_a, timed_b) = (Timed::new(a.agent, clocks[0]), Timed::new(b.agent, clocks[1]));
    let (result, session) =
        play_logged(args, &header, unit, sprt, clocks, |known, workers, observer| {
            let duel = CubeDuel {
                terms,
                a: &timed_a,
                b: &timed_b,
                luck: luck_judge.as_ref().map(CliLuckJudge::judge),
                starts: &starts.states,
                known,
                sprt,
            };
            duel.play(&settings(args), workers, observer)
        })?;
    let played = Played {
        result: &result,
        luck_judge: luck_judge.as_ref().map(|judge| judge.name.as_str()),
        a: Side { name: a_name, version: &a.version },
        b: Side { name: b_name, version: &b.version },
        starts: starts.states.len(),
        session: Some(session),
    };
    played.write(&args.output, out)?;
    let decided = result.sprt.is_some_and(|sprt| sprt.verdict != Verdict::Open);
    conclude(args, 2 * result.pairs, decided, &result.failures)
}

/// The result as JSON. Points are from player a, time is in seconds.
#[derive(Serialize)]
struct Answer<'a> {
    a: &'a str,
    b: &'a str,
    a_version: &'a str,
    b_version: &'a str,
    terms: &'a str,
    pairs: u64,
    /// Matches, where matches are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<u64>,
    games: u64,
    seed: u64,
    starts: usize,
    /// For money.
    #[serde(skip_serializing_if = "Option::is_none")]
    ppg: Option<f64>,
    /// In matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    match_winning_chance: Option<f64>,
    standard_error: f64,
    interval: [f64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    luck_adjusted: Option<LuckAdjusted<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<Test>,
    a_wins: u64,
    b_wins: u64,
    turned: u64,
    dropped: u64,
    resigned: u64,
    gammons: u64,
    capped: u64,
    highest_cube: u32,
    unfinished: u64,
    failures: &'a [PairFailure],
    #[serde(flatten)]
    session: Option<SessionAnswer>,
}

/// The result without the luck, in the same unit.
#[derive(Serialize)]
struct LuckAdjusted<'a> {
    judge: &'a str,
    mean: f64,
    standard_error: f64,
    interval: [f64; 2],
}

impl Played<'_, CubeDuelResult> {
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

    fn is_match(&self) -> bool {
        self.result.unit == DuelUnit::Matches
    }

    /// In the unit that people read: points per game, or a chance to win.
    fn shown(&self, points: Estimate) -> Estimate {
        if self.is_match() { CubeDuelResult::chance(points) } else { points }
    }

    fn answer(&self) -> Answer<'_> {
        let result = self.result;
        let raw = self.shown(result.points);
        Answer {
            a: self.a.name,
            b: self.b.name,
            a_version: self.a.version,
            b_version: self.b.version,
            terms: &result.terms,
            pairs: result.pairs,
            matches: self.is_match().then_some(2 * result.pairs),
            games: result.games,
            seed: result.seed,
            starts: self.starts,
            ppg: (!self.is_match()).then_some(raw.mean),
            match_winning_chance: self.is_match().then_some(raw.mean),
            standard_error: raw.standard_error,
            interval: [raw.low, raw.high],
            luck_adjusted: result.luck_adjusted.zip(self.luck_judge).map(|(points, judge)| {
                let Estimate { mean, standard_error, low, high } = self.shown(points);
                LuckAdjusted { judge, mean, standard_error, interval: [low, high] }
            }),
            sprt: result.sprt.map(Test::from),
            a_wins: result.a_wins,
            b_wins: result.b_wins,
            turned: result.turned,
            dropped: result.dropped,
            resigned: result.resigned,
            gammons: result.gammons,
            capped: result.capped,
            highest_cube: result.highest_cube,
            unfinished: result.unfinished,
            failures: &result.failures,
            session: self.session.map(SessionAnswer::from),
        }
    }

    fn strength(&self, points: Estimate) -> String {
        let Estimate { mean, low, high, .. } = self.shown(points);
        if self.is_match() {
            format::win_chance(mean, [low, high])
        } else {
            format::strength(mean, [low, high])
        }
    }

    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        let result = self.result;
        write_sides(self.a, self.b, out)?;
        let (kind, best) = leading(result.points, result.luck_adjusted);
        let verdict = if best.low > 0.0 {
            "A is stronger"
        } else if best.high < 0.0 {
            "B is stronger"
        } else if (best.low, best.high) == (0.0, 0.0) {
            "even in every pair, as of players that always play alike"
        } else {
            "nobody is shown to be stronger: play more to tell"
        };
        let (scores, what) = match self.is_match() {
            true => ("wins", "chance of A to win a match"),
            false => ("scores", "points per game of A"),
        };
        writeln!(out, "A {scores} {} (95 % CI{kind}): {verdict}", self.strength(best))?;
        if let Some(sprt) = &result.sprt {
            writeln!(out, "{}", sentence(sprt))?;
        }
        writeln!(out)?;
        let mut table = Table::new([Align::Left, Align::Right]);
        table.row([what, "95 % CI"]);
        let estimates = [("luck-adjusted", result.luck_adjusted), ("raw", Some(result.points))];
        for (name, points) in estimates {
            if let Some(points) = points {
                table.row([name.to_owned(), self.strength(points)]);
            }
        }
        table.write(out)?;
        writeln!(out)?;
        let share = |number: u64| {
            let percent = 100.0 * number as f64 / result.games.max(1) as f64;
            [format::count(number), format!("{percent:.1}")]
        };
        let mut table = Table::new([Align::Left, Align::Right, Align::Right]);
        table.row(["games", "number", "percent"]);
        for (name, number) in [
            ("with a turned cube", result.turned),
            ("ended by a dropped cube", result.dropped),
            ("ended by a resignation", result.resigned),
            ("won with a gammon", result.gammons),
            ("with the cube at its limit", result.capped),
        ] {
            let [number, percent] = share(number);
            table.row([name.to_owned(), number, percent]);
        }
        table.write(out)?;
        writeln!(out, "highest cube {}", result.highest_cube)?;
        if result.unfinished > 0 {
            writeln!(out, "{} given up as too long", format::count(result.unfinished))?;
        }
        writeln!(out)?;
        let asked = format::count(2 * result.pairs);
        let number = match self.is_match() {
            true => format!("{asked} matches of {} games", format::count(result.games)),
            false => format!("{asked} games"),
        };
        let starts = match self.starts {
            0 => String::new(),
            number => format!(", from {}", format::plural(number, "start position")),
        };
        writeln!(
            out,
            "{number} ({} on the same dice): {}, seed {}{starts}; A won {}, B {}",
            format::plural(result.pairs as usize, "pair"),
            result.terms,
            result.seed,
            format::count(result.a_wins),
            format::count(result.b_wins),
        )?;
        if let Some(session) = self.session {
            writeln!(
                out,
                "{} now in {}; A thought for {}, B for {} (all threads together)",
                format::count(session.games),
                format::duration(session.time),
                format::duration(session.a_thought),
                format::duration(session.b_thought)
            )?;
        }
        match self.luck_judge {
            Some(judge) => writeln!(out, "luck judged by {judge}, with the cube model")?,
            None => writeln!(out, "luck not judged")?,
        }
        Ok(())
    }
}
