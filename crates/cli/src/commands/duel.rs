//! `tavola duel`: which of two players is stronger, and by how much.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use tavola_evaluator::{Evaluator, PipCountEvaluator, RandomEvaluator};
use tavola_play::{
    DuelError, DuelResult, DuelSettings, EvaluatorAgent, PairResult, Wins, Workers, duel,
};
use tavola_rules::Backgammon;

use crate::args::DuelArgs;
use crate::builtin;
use crate::cancel;
use crate::failure::{Failure, Outcome};
use crate::judge::Judge;
use crate::report::format;
use crate::report::progress::DuelProgress;
use crate::report::table::{Align, Table};

/// The seed of the player who plays at random: he is the same one in every duel.
const RANDOM_PLAYER_SEED: u64 = 1;

/// The result as JSON. Points are from player a.
#[derive(Serialize)]
struct Answer<'a> {
    a: &'a str,
    b: &'a str,
    game: &'a str,
    games: u64,
    seed: u64,
    ppg: f64,
    standard_error: f64,
    interval: [f64; 2],
    a_wins: Wins,
    b_wins: Wins,
    unfinished: u64,
    seconds: f64,
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
    let game = Backgammon::from(args.game);
    let a = EvaluatorAgent::new(player(&args.a, game)?);
    let b = EvaluatorAgent::new(player(&args.b, game)?);
    let settings =
        DuelSettings { pairs: args.games / 2, seed: args.seed, ..DuelSettings::default() };
    let cancelled = cancel::on_interrupt("stopping after the games that are being played")?;
    let workers = Workers { threads: args.threads.count(), cancel: cancelled };
    let progress = DuelProgress::new(args.games);
    let started = Instant::now();
    let result =
        duel(&game, &a, &b, &settings, workers, &|pair: &PairResult| progress.pair_played(pair));
    progress.finish();
    let result = result.map_err(|error| match error {
        DuelError::Cancelled { .. } => Failure::stopped(error),
        error => Failure::input(error),
    })?;
    let time = started.elapsed();
    if args.output.json {
        serde_json::to_writer(&mut *out, &answer(args, &result, time.as_secs_f64()))?;
        writeln!(out)?;
    } else {
        write_text(args, &result, out)?;
        writeln!(out)?;
        writeln!(
            out,
            "{} games of {} in {}, seed {}",
            format::count(result.games),
            result.game,
            format::duration(time),
            result.seed
        )?;
    }
    if result.games < args.games {
        return Err(Failure::stopped(format_args!(
            "stopped after {} of {} games",
            format::count(result.games),
            format::count(args.games)
        )));
    }
    Ok(())
}

/// The judge that a player of this name follows.
fn player(name: &str, game: Backgammon) -> Outcome<Box<dyn Evaluator<Backgammon>>> {
    Ok(match name {
        "random" => Box::new(RandomEvaluator::new(game, RANDOM_PLAYER_SEED)),
        "pip-count" => Box::new(PipCountEvaluator::new(game)),
        name => {
            let path = Path::new(name);
            if name != builtin::NAME && !path.exists() {
                return Err(Failure::input(format_args!(
                    "unknown player {name:?}, expected default, random, pip-count or a weights file"
                )));
            }
            let judge = Judge::load(Some(path))?;
            if let Some(warning) = judge.suits(game)? {
                warning.print();
            }
            Box::new(judge.evaluator)
        }
    })
}

fn answer<'a>(args: &'a DuelArgs, result: &'a DuelResult, seconds: f64) -> Answer<'a> {
    Answer {
        a: &args.a,
        b: &args.b,
        game: &result.game,
        games: result.games,
        seed: result.seed,
        ppg: result.ppg.mean,
        standard_error: result.ppg.standard_error,
        interval: [result.ppg.low, result.ppg.high],
        a_wins: result.a,
        b_wins: result.b,
        unfinished: result.unfinished,
        seconds,
    }
}

fn write_text(args: &DuelArgs, result: &DuelResult, out: &mut dyn Write) -> Outcome {
    let ppg = result.ppg;
    let verdict = if ppg.low > 0.0 {
        "A is stronger"
    } else if ppg.high < 0.0 {
        "B is stronger"
    } else {
        "the interval holds zero: play more games to tell who is stronger"
    };
    writeln!(out, "A  {}", args.a)?;
    writeln!(out, "B  {}", args.b)?;
    writeln!(out)?;
    writeln!(
        out,
        "A scores {} (95 % CI): {verdict}",
        format::strength(ppg.mean, [ppg.low, ppg.high])
    )?;
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
    if result.unfinished > 0 {
        writeln!(
            out,
            "{} given up as too long",
            format::plural(result.unfinished as usize, "game")
        )?;
    }
    Ok(())
}
