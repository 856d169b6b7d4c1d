//! `tavola duel`: which of two players is stronger, and by how much.

use crate::args::{OutputArgs, ThreadArgs, seconds};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_games::{AnyGame, Tables};
use tavola_play::{
    Clock, Duel, DuelError, DuelResult, DuelSettings, Estimate, PairFailure, PairResult,
    TimedAgent, Wins, Workers,
};
use tavola_rules::{Backgammon, Game};

use self::player::Player;
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::judge::{self, Judge};
use crate::report::format;
use crate::report::progress::DuelProgress;
use crate::report::table::{Align, Table};
use crate::report::warning;

pub mod player;

/// Arguments of `duel`.
#[derive(Debug, Args)]
#[command(
    about = "Play two players against each other",
    long_about = "Play two players against each other, without a cube, and say which is stronger.\n\n\
        A and B are each one of\n  \
        default       the built-in network\n  \
        FILE          the network of a weights file\n  \
        NAME@PLY      either of these, looking so many rolls ahead (1 to 3)\n  \
        random        plays at random\n  \
        pip-count     plays to lead the race (backgammon and its variants)\n  \
        rule-based    follows a few rules of thumb (the other games)\n  \
        gnubg[:PLY]   GNU Backgammon, if it is installed, 0-ply unless told otherwise\n  \
        exec:COMMAND  another engine, which docs/external-engines.md tells how to write\n\n\
        Games come in pairs on the same dice with the seats swapped, and a judge takes off the luck \
        that is left: the value of each roll less the mean over all rolls. That moves no result on \
        average, whoever judges, and makes the interval narrower between players that are near each \
        other; against random and pip-count nobody judges unless --luck-judge names somebody. The \
        answer is A's gain in points per game (ppg) with its 95 % interval.",
    after_help = "Examples:\n  \
        tavola duel default pip-count\n  \
        tavola duel default gnubg:0 --games 400 --threads 8\n  \
        tavola duel runs/a/final.safetensors runs/b/final.safetensors --games 20000 --seed 7 --json"
)]
pub struct DuelArgs {
    /// The first player
    #[arg(value_name = "A")]
    pub a: String,
    /// The second player
    #[arg(value_name = "B")]
    pub b: String,
    /// Games to play; an even number, because games come in pairs
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(2..))]
    pub games: u64,
    /// Seed of the dice
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Weights file of the network that judges the luck [default: the built-in network]
    #[arg(long, value_name = "FILE")]
    pub luck_judge: Option<PathBuf>,
    /// Leave the luck in: several times the games for the same certainty, but between two
    /// networks many more games a second
    #[arg(long, conflicts_with = "luck_judge")]
    pub no_luck: bool,
    /// Seconds that another engine may take to start, and for a play, before it counts as hung
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    pub engine_timeout: f64,
    /// The game: backgammon, nackgammon, hypergammon, longgammon, tabula, puff, fallas, emperador or
    /// buffa, with options as in puff:cap=none
    #[arg(long, default_value = "backgammon")]
    pub game: AnyGame,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The judge of luck.
struct LuckJudge<G: Game> {
    evaluator: NetEvaluator<G>,
    /// Name and checksum.
    identity: String,
}

/// A duel that was played.
struct Played<'a> {
    args: &'a DuelArgs,
    result: &'a DuelResult,
    luck_judge: Option<&'a str>,
    a: Side<'a>,
    b: Side<'a>,
    time: Duration,
}

/// One of the players, afterwards.
#[derive(Clone, Copy)]
struct Side<'a> {
    /// As typed.
    name: &'a str,
    /// Checksum or version; may be empty.
    version: &'a str,
    /// Spent on choosing plays, all threads together.
    thought: Duration,
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
    ppg: f64,
    standard_error: f64,
    interval: [f64; 2],
    /// Of a pair's points per game.
    standard_deviation: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    luck_adjusted: Option<LuckAdjusted<'a>>,
    a_wins: Wins,
    b_wins: Wins,
    draws: u64,
    unfinished: u64,
    failures: &'a [PairFailure],
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

/// Plays the duel.
pub fn run(args: &DuelArgs, out: &mut dyn Write) -> Outcome {
    if args.games % 2 == 1 || args.games < 4 {
        return Err(Failure::input(format_args!(
            "--games is {}, expected an even number from 4, because games come in pairs and the \
             spread between pairs tells how sure the result is",
            args.games
        )));
    }
    match &args.game {
        &AnyGame::Backgammon(game) => {
            let timeout = Duration::from_secs_f64(args.engine_timeout);
            let a = Player::new(&args.a, game, timeout)?;
            let b = Player::new(&args.b, game, timeout)?;
            let asked = args.luck_judge.is_some() || !(a.is_baseline || b.is_baseline);
            let luck_judge = if asked { luck_judge(args, game)? } else { None };
            play(args, &game, a, b, luck_judge, out)
        }
        AnyGame::Tables(game) => {
            let a = Player::of_family(&args.a, game)?;
            let b = Player::of_family(&args.b, game)?;
            play(args, game, a, b, family_luck_judge(args, game)?, out)
        }
    }
}

/// Plays the duel of these two.
fn play<G: Game>(
    args: &DuelArgs,
    game: &G,
    a: Player<G>,
    b: Player<G>,
    luck_judge: Option<LuckJudge<G>>,
    out: &mut dyn Write,
) -> Outcome {
    let (a_clock, b_clock) = (Clock::default(), Clock::default());
    let (timed_a, timed_b) =
        (TimedAgent::new(a.agent, &a_clock), TimedAgent::new(b.agent, &b_clock));
    let luck = luck_judge.as_ref().map(|judge| tavola_play::LuckJudge {
        judge: &judge.evaluator as &dyn Evaluator<G>,
        pruning: None,
    });
    let duel = Duel { luck, ..Duel::new(game, &timed_a, &timed_b) };
    let settings =
        DuelSettings { pairs: args.games / 2, seed: args.seed, ..DuelSettings::default() };
    let cancelled = cancel::on_interrupt("stopping after the games that are being played")?;
    let workers = Workers { threads: args.threads.count(), cancel: cancelled };
    let progress = DuelProgress::new(args.games);
    let started = Instant::now();
    let result = duel.play(&settings, workers, &|pair: &PairResult| progress.pair_played(pair));
    progress.finish();
    let result = result.map_err(|error| match error {
        DuelError::Cancelled { .. } => Failure::stopped(error),
        DuelError::Failed { .. } => Failure::work(error),
        error => Failure::input(error),
    })?;
    let played = Played {
        args,
        result: &result,
        luck_judge: luck_judge.as_ref().map(|judge| judge.identity.as_str()),
        a: Side { name: &args.a, version: &a.version, thought: a_clock.elapsed() },
        b: Side { name: &args.b, version: &b.version, thought: b_clock.elapsed() },
        time: started.elapsed(),
    };
    if args.output.json {
        serde_json::to_writer(&mut *out, &played.answer())?;
        writeln!(out)?;
    } else {
        played.write_text(out)?;
    }
    for PairFailure { pair, reason } in &result.failures {
        warning::note(&format!("pair {pair} does not count: {reason}"));
    }
    if result.games < args.games {
        let how_far =
            format!("{} of {} games", format::count(result.games), format::count(args.games));
        return Err(match result.failures.len() {
            0 => Failure::stopped(format_args!("stopped after {how_far}")),
            failed => Failure::work(format_args!(
                "{} failed; the result is that of {how_far}",
                format::plural(failed, "pair")
            )),
        });
    }
    Ok(())
}

/// Who judges the luck: the network asked for, or the built-in one if it can.
fn luck_judge(args: &DuelArgs, game: Backgammon) -> Outcome<Option<LuckJudge<Backgammon>>> {
    if args.no_luck {
        return Ok(None);
    }
    let file = args.luck_judge.as_deref();
    let weights = judge::load_weights(file)?;
    let name = judge::name(file);
    let judge = Judge::new(&weights, &name)?;
    match judge.suits(game) {
        Ok(problem) => {
            // A player may have been warned of the built-in network already.
            if let Some(problem) = problem.filter(|_| file.is_some()) {
                problem.print();
            }
            let identity = format!("{name}, {}, 0-ply", judge::version(&weights));
            Ok(Some(LuckJudge { evaluator: judge.evaluator, identity }))
        }
        Err(_) if file.is_none() => {
            warning::note(&format!(
                "the luck stays in: the built-in network can't judge {}; name one that can with \
                 --luck-judge",
                game.name()
            ));
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// Who judges the luck in a historical game: the network asked for, as none is built in.
fn family_luck_judge(args: &DuelArgs, game: &Tables) -> Outcome<Option<LuckJudge<Tables>>> {
    let Some(file) = args.luck_judge.as_deref() else { return Ok(None) };
    let weights = judge::load_weights(Some(file))?;
    let name = judge::name(Some(file));
    let evaluator =
        NetEvaluator::new(&weights, game.clone()).or_input_in(format_args!("cannot use {name}"))?;
    let identity = format!("{name}, {}, 0-ply", judge::version(&weights));
    Ok(Some(LuckJudge { evaluator, identity }))
}

impl Played<'_> {
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
            a_wins: result.a,
            b_wins: result.b,
            draws: result.draws,
            unfinished: result.unfinished,
            failures: &result.failures,
            seconds: self.time.as_secs_f64(),
            a_seconds: self.a.thought.as_secs_f64(),
            b_seconds: self.b.thought.as_secs_f64(),
        }
    }

    /// The standard deviation of a pair's points per game.
    fn deviation(&self, ppg: Estimate) -> f64 {
        ppg.standard_error * (self.result.pairs as f64).sqrt()
    }

    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        let result = self.result;
        for (letter, side) in [("A", self.a), ("B", self.b)] {
            writeln!(out, "{letter}  {}", named(side.name, side.version))?;
        }
        writeln!(out)?;
        // Both estimate the same; the one that says it more sharply leads.
        let (kind, best) = match result.luck_adjusted {
            Some(adjusted) if adjusted.standard_error <= result.ppg.standard_error => {
                (", luck-adjusted", adjusted)
            }
            Some(_) => (", raw", result.ppg),
            None => ("", result.ppg),
        };
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
        writeln!(
            out,
            "{} games of {} ({} on the same dice) in {}, {:.1} games/s, seed {}",
            format::count(result.games),
            result.game,
            format::plural(result.pairs as usize, "pair"),
            format::duration(self.time),
            result.games as f64 / self.time.as_secs_f64().max(1e-9),
            self.args.seed
        )?;
        writeln!(
            out,
            "A chose its plays in {}, B in {} (all threads together)",
            format::duration(self.a.thought),
            format::duration(self.b.thought)
        )?;
        match self.luck_judge {
            Some(judge) => writeln!(out, "luck judged by {judge}")?,
            None => writeln!(out, "luck not judged")?,
        }
        Ok(())
    }
}

fn named(name: &str, version: &str) -> String {
    if version.is_empty() { name.to_owned() } else { format!("{name} ({version})") }
}
