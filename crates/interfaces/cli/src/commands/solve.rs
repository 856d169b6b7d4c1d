//! `tavola solve`: hypergammon exactly, and how far a network of it is from the truth.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;
use indicatif::ProgressStyle;
use rayon::prelude::*;
use serde::Serialize;
use tavola_bearoff::{Comparison, Errors, WholeGame, Worst};
use tavola_data::RecordOf;
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_games::PlayableGame;
use tavola_net::Weights;
use tavola_play::{SelfPlayGames, SelfPlaySettings, Workers, selfplay};
use tavola_rules::{Backgammon, Game, Position};

use crate::args::{OutputArgs, RollArgs, ThreadArgs, example_short};
use crate::ask;
use crate::failure::{Blame, Failure, Outcome};
use crate::networks::{load_weights, name, version};
use crate::report::table::{Align, Table};
use crate::report::{format, warning};

/// Arguments of `solve`.
#[derive(Debug, Args)]
#[command(
    about = "Solve hypergammon exactly, and compare a network with the truth",
    long_about = "Solve hypergammon exactly, and compare a network with the truth.\n\n\
        Hypergammon is backgammon with three checkers a side: few enough positions to give every one \
        its exact equity for cubeless money, gammons and backgammons included. That takes some \
        minutes of processor time and 250 MB of memory; --table keeps the result in a file of 43 MB.\n\n\
        Prints the equity of the position, and with --roll of every play. With --model a network is \
        compared with the truth: by the mean and largest error of its equities over all positions, \
        and by the equity that its 0-ply decisions lose, over all positions and in games against \
        itself.",
    after_help = example_short(
        "  tavola solve --table hypergammon.bin\n  \
         tavola solve --table hypergammon.bin --roll 31\n  \
         tavola solve --table hypergammon.bin --model models/games/hypergammon.safetensors --json"
    )
)]
pub struct SolveArgs {
    /// A position with three checkers a side, in any notation [default: the start position]
    #[arg(value_name = "POSITION")]
    pub position: Option<String>,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// Take the solution from this file, or write it there if there is none
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Weights file of a network to compare with the truth
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Games of the network against itself whose decisions are looked at
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub games: u64,
    /// Seed of these games
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The game that is solved.
const GAME: Backgammon = Backgammon::Hypergammon;

/// Passes go on until none of them changes an equity by more: what is left then is below a
/// millionth of a point.
const TOLERANCE: f64 = 1e-7;

/// A play and its exact worth.
#[derive(Debug, Serialize)]
struct ExactPlay {
    play: String,
    /// The result, the opponent on roll.
    position: String,
    equity: f32,
    loss: f32,
}

/// Errors over some positions as JSON.
#[derive(Debug, Serialize)]
struct ErrorFigures {
    positions: u64,
    mean_error: f64,
    root_mean_square: f64,
    largest_error: f32,
    largest_at: Option<String>,
    largest_exact: Option<f32>,
    largest_judged: Option<f32>,
    lost_a_decision: f64,
}

/// What the network lost in games against itself.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Played {
    games: u64,
    /// Turns, also those that leave no choice.
    decisions: u64,
    /// Of the positions before the turns.
    mean_error: f64,
    lost_a_decision: f64,
    /// By both sides together.
    lost_a_game: f64,
}

/// A network beside the truth.
#[derive(Debug, Serialize)]
struct NetworkFigures {
    network: String,
    all: ErrorFigures,
    reachable: ErrorFigures,
    played: Played,
    seed: u64,
}

/// Everything as JSON.
#[derive(Debug, Serialize)]
struct Report {
    game: String,
    position: String,
    equity: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plays: Option<Vec<ExactPlay>>,
    #[serde(flatten)]
    figures: Option<NetworkFigures>,
}

/// Solves and reports.
pub fn run(args: &SolveArgs, out: &mut dyn Write) -> Outcome {
    // What can be refused is refused before the work begins.
    let position = match &args.position {
        Some(text) => GAME.parse_state(text).or_input()?,
        None => GAME.start_position(),
    };
    let dice = args.roll.roll.as_ref().map(|text| GAME.parse_roll(text).or_input()).transpose()?;
    let weights = match &args.model {
        Some(path) => {
            let weights = load_weights(Some(path))?;
            NetEvaluator::new(&weights, GAME)
                .or_input_in(format_args!("cannot use {}", name(Some(path))))?;
            Some(weights)
        }
        None => None,
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.count().get())
        .build()
        .or_work_in("cannot start threads")?;
    let exact = pool.install(|| solution(args.table.as_deref()))?;
    let plays = dice.map(|dice| exact_plays(&exact, &position, dice));
    let figures =
        weights.map(|weights| pool.install(|| compare(&exact, &weights, args))).transpose()?;
    let report = Report {
        game: GAME.id(),
        position: GAME.write_state(&position),
        equity: expectation(&exact, &position),
        plays,
        figures,
    };
    if args.output.json { ask::write_json(&report, out) } else { report.write_text(out) }
}

/// The solution in the file, or a fresh one, which goes there.
fn solution(table: Option<&Path>) -> Outcome<WholeGame> {
    if let Some(path) = table
        && path.exists()
    {
        let context = format!("cannot use the table {}", path.display());
        let game = WholeGame::load(path).or_input_in(&context)?;
        if game.checkers() != GAME.checkers() {
            return Err(Failure::input(format_args!(
                "{context}: it has {} checkers a side, expected {}",
                game.checkers(),
                GAME.checkers()
            )));
        }
        return Ok(game);
    }
    let style = ProgressStyle::with_template("{spinner} solving, {elapsed} gone, {msg}")
        .expect("it is well formed");
    let bar = warning::bar(None).with_style(style);
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    let game = WholeGame::solve(GAME.checkers(), TOLERANCE, &|pass| {
        bar.set_message(format!("pass {}: changes up to {:.1e}", pass.number, pass.change));
    })
    .or_work_in("hypergammon could not be solved");
    bar.finish_and_clear();
    let game = game?;
    if let Some(path) = table {
        game.save(path).or_work_in(format_args!("cannot write the table {}", path.display()))?;
    }
    Ok(game)
}

/// The exact equity of a position, also of one in which the game is over.
fn expectation(exact: &WholeGame, position: &Position) -> Option<f32> {
    match GAME.outcome(position) {
        Some(outcome) => Some(outcome.points() as f32),
        None => exact.equity(position),
    }
}

/// The same where the position is known to be one of the game.
fn known_equity(exact: &WholeGame, position: &Position) -> f32 {
    expectation(exact, position).expect("positions of hypergammon have three checkers a side")
}

/// All plays, best first.
fn exact_plays(exact: &WholeGame, position: &Position, dice: tavola_rules::Dice) -> Vec<ExactPlay> {
    let mut plays: Vec<ExactPlay> = GAME
        .named_afterstates(position, dice)
        .into_iter()
        .map(|(play, after)| ExactPlay {
            play,
            position: GAME.write_state(&after),
            equity: -known_equity(exact, &after),
            loss: 0.0,
        })
        .collect();
    plays.sort_by(|a, b| b.equity.total_cmp(&a.equity));
    let best = plays.first().map_or(0.0, |play| play.equity);
    plays.iter_mut().for_each(|play| play.loss = best - play.equity);
    plays
}

fn compare(exact: &WholeGame, weights: &Weights, args: &SolveArgs) -> Outcome<NetworkFigures> {
    let mut evaluator =
        NetEvaluator::new(weights, GAME).or_work_in("the network was usable before")?;
    let mut evaluated = Vec::new();
    let Comparison { all, reachable } = exact.compare(&GAME.start_position(), |positions, out| {
        evaluator.evaluate(positions, &mut evaluated);
        out.extend(evaluated.iter().map(|probs| probs.equity()));
    });
    let games = SelfPlayGames { run_seed: args.seed, indices: 0..args.games, starts: &[] };
    let threads = args.threads.count();
    let workers = Workers { threads, cancel: &AtomicBool::new(false) };
    let settings = SelfPlaySettings::default();
    let records = selfplay(&GAME, &evaluator, &settings, &games, workers, &|_| {})
        .or_work_in("self-play failed")?;
    Ok(NetworkFigures {
        network: version(weights),
        all: figures(&all),
        reachable: figures(&reachable),
        played: played(exact, weights, &records)?,
        seed: args.seed,
    })
}

fn figures(errors: &Errors) -> ErrorFigures {
    let Errors { positions, mean_error, root_mean_square, largest, lost_a_decision } = *errors;
    let at = |worst: &Worst| GAME.write_state(&worst.position);
    ErrorFigures {
        positions,
        mean_error,
        root_mean_square,
        largest_error: largest.map_or(0.0, |worst| worst.error),
        largest_at: largest.as_ref().map(at),
        largest_exact: largest.map(|worst| worst.equity),
        largest_judged: largest.map(|worst| worst.evaluated),
        lost_a_decision,
    }
}

/// What the network lost in these games of its own.
fn played(
    exact: &WholeGame,
    weights: &Weights,
    records: &[RecordOf<Backgammon>],
) -> Outcome<Played> {
    let evaluator = NetEvaluator::new(weights, GAME).or_work_in("the network was usable before")?;
    let sums: Vec<(u64, f64, f64)> = records
        .par_iter()
        .map_init(
            || (evaluator.clone(), Vec::new(), Vec::new()),
            |(evaluator, afterstates, evaluated), record| {
                let states: Vec<Position> = record.states().collect();
                let before = &states[..record.turns.len()];
                evaluator.evaluate(before, evaluated);
                let (mut error, mut lost) = (0.0, 0.0);
                for ((state, turn), probs) in before.iter().zip(&record.turns).zip(&*evaluated) {
                    error += f64::from((probs.equity() - known_equity(exact, state)).abs());
                    afterstates.clear();
                    GAME.afterstates(state, turn.roll, afterstates);
                    let least = afterstates
                        .iter()
                        .map(|after| known_equity(exact, after))
                        .fold(f32::INFINITY, f32::min);
                    lost += f64::from(known_equity(exact, &turn.after) - least);
                }
                (record.turns.len() as u64, error, lost)
            },
        )
        .collect();
    let decisions: u64 = sums.iter().map(|&(turns, ..)| turns).sum();
    let error: f64 = sums.iter().map(|&(_, error, _)| error).sum();
    let lost: f64 = sums.iter().map(|&(.., lost)| lost).sum();
    let games = records.len() as u64;
    Ok(Played {
        games,
        decisions,
        mean_error: error / decisions.max(1) as f64,
        lost_a_decision: lost / decisions.max(1) as f64,
        lost_a_game: lost / games.max(1) as f64,
    })
}

impl Report {
    fn write_text(&self, out: &mut dyn Write) -> Outcome {
        use Align::{Left, Right};
        let equity = self.equity.map_or_else(|| "unknown".to_owned(), format::equity);
        writeln!(out, "{}  exact equity {equity}, cubeless money", self.position)?;
        if let Some(plays) = &self.plays {
            writeln!(out)?;
            let mut table = Table::new([Left, Right, Right]);
            table.row(["play", "equity", "loss"]);
            for ExactPlay { play, equity, loss, .. } in plays {
                table.row([play.clone(), format::equity(*equity), format!("{loss:.4}")]);
            }
            table.write(out)?;
        }
        let Some(NetworkFigures { network, all, reachable, played, seed }) = &self.figures else {
            return Ok(());
        };
        writeln!(out)?;
        writeln!(out, "{network}, 0-ply, beside the truth; millipoints")?;
        writeln!(out)?;
        let millis = |points: f64| format!("{:.2}", 1000.0 * points);
        let mut table = Table::new([Left, Right, Right, Right]);
        table.row(["", "all positions", "that can arise", "its own games"]);
        let positions = [all.positions, reachable.positions, played.decisions];
        let row = |name: &str, cells: [String; 3]| [&[name.to_owned()][..], &cells].concat();
        table.row(row("positions", positions.map(format::count)));
        let errors = [all.mean_error, reachable.mean_error, played.mean_error];
        table.row(row("mean error", errors.map(millis)));
        let lost = [all.lost_a_decision, reachable.lost_a_decision, played.lost_a_decision];
        table.row(row("lost a decision", lost.map(millis)));
        let largest = |figures: &ErrorFigures| millis(figures.largest_error.into());
        table.row(row("largest error", [largest(all), largest(reachable), String::new()]));
        table.write(out)?;
        writeln!(out)?;
        if let (Some(at), Some(exact), Some(evaluated)) =
            (&reachable.largest_at, reachable.largest_exact, reachable.largest_judged)
        {
            let (exact, evaluated) = (format::equity(exact), format::equity(evaluated));
            writeln!(
                out,
                "worst position that can arise: {at}, evaluated {evaluated}, truly {exact}"
            )?;
        }
        writeln!(
            out,
            "{} games against itself, seed {seed}: both sides together lose {} millipoints a game",
            format::count(played.games),
            millis(played.lost_a_game)
        )?;
        Ok(())
    }
}
