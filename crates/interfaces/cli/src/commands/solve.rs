//! `tavola solve`: hypergammon exactly, and how far a network of it is from the truth.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde::Serialize;
use tavola_arena::exact::{self, ExactPlay, NetworkFigures, SOLVED as GAME, TOLERANCE};
use tavola_bearoff::WholeGame;
use tavola_engine::LoadedNetwork;
use tavola_games::PlayableGame;
use tavola_play::Workers;
use tavola_rules::Game;

use super::bearoff::in_pool;
use crate::args::{FormArgs, RollArgs, ThreadArgs, example};
use crate::failure::{Blame, Failure, Outcome};
use crate::outputs::{Content, KeptFile, keeps};
use crate::report::progress::style;
use crate::report::table::{Out, Table};
use crate::report::{format, warning};

/// Solve hypergammon exactly, and compare a network with the truth.
///
/// Hypergammon is backgammon with three checkers a side: few enough positions to give every one its
/// exact equity for cubeless money, gammons and backgammons included. That takes ten minutes of
/// processor time and 630 MB of memory; --table keeps the result, with the outcome probabilities
/// that networks can be taught, in a file of 172 MB.
///
/// Prints the equity of the position, and with --roll of every play. With --model a network is
/// compared with the truth: by the mean and largest error of its equities over all positions, and
/// by the equity that its 0-ply decisions lose, over all positions and in games against itself.
#[derive(Debug, Args)]
#[command(
    after_help = example(
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
    #[arg(long, value_name = "FILE", value_parser = keeps(Content::Solution))]
    pub table: Option<KeptFile>,
    /// Weights file of a network to compare with the truth
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Games of the network against itself whose decisions are looked at
    #[arg(long, short = 'n', value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub games: u64,
    /// Seed of these games
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
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
pub fn run(args: &SolveArgs, out: &mut dyn Out) -> Outcome {
    // What can be refused is refused before the work begins.
    let position = match &args.position {
        Some(text) => GAME.parse_state(text).or_input()?,
        None => GAME.start_position(),
    };
    let dice = args.roll.roll.as_ref().map(|text| GAME.parse_roll(text).or_input()).transpose()?;
    let load = |path: &PathBuf| LoadedNetwork::load(Some(path));
    let network = args.model.as_ref().map(load).transpose()?;
    if let Some(network) = &network {
        let name = network.name();
        exact::check(network.weights()).or_input_in(format_args!("cannot use {name}"))?;
    }
    let threads = args.threads.count();
    let exact = in_pool(threads, || solution(args.table.as_deref()))??;
    let plays = dice.map(|dice| exact::plays(&exact, &position, dice));
    let workers = Workers { threads, cancel: &AtomicBool::new(false) };
    let compare = |network: &LoadedNetwork| {
        exact::compare(&exact, network.weights(), args.games, args.seed, workers)
    };
    let figures = in_pool(threads, || network.as_ref().map(compare).transpose())??;
    let report = Report {
        game: GAME.id(),
        position: GAME.write_state(&position),
        equity: exact::equity(&exact, &position),
        plays,
        figures,
    };
    if args.output.answered(&report, out)? { Ok(()) } else { report.write_text(out) }
}

/// The solution in the file, or a fresh one, which goes there.
fn solution(table: Option<&Path>) -> Outcome<WholeGame> {
    if let Some(path) = table
        && path.exists()
    {
        let context = format!("cannot use the table {}", path.display());
        let game = WholeGame::load(path).or_input_in(&context)?;
        return match [game.checkers(), GAME.checkers()] {
            [found, expected] if found != expected => Err(Failure::input(format_args!(
                "{context}: it has {found} checkers a side, expected {expected}"
            ))),
            _ => Ok(game),
        };
    }
    let bar = warning::bar(None).with_style(style("{spinner} solving, {elapsed} gone, {msg}"));
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    let game = WholeGame::solve(GAME.checkers(), TOLERANCE, &|pass| {
        bar.set_message(format!("pass {}: changes up to {:.1e}", pass.number, pass.change));
    })
    .or_work_in("hypergammon could not be solved");
    drop(bar);
    let game = game?;
    if let Some(path) = table {
        game.save(path).or_work_in(format_args!("cannot write the table {}", path.display()))?;
    }
    Ok(game)
}

impl Report {
    fn write_text(&self, out: &mut dyn Out) -> Outcome {
        let equity = self.equity.map_or_else(|| "unknown".to_owned(), format::equity);
        writeln!(out, "{}  exact equity {equity}, cubeless money", self.position)?;
        if let Some(plays) = &self.plays {
            let rows = plays.iter().map(|ExactPlay { play, equity, loss, .. }| {
                [play.clone(), format::equity(*equity), format!("{loss:.4}")]
            });
            Table::of(["play", ">equity", ">loss"], rows).write_apart(out)?;
        }
        let Some(NetworkFigures { network, all, reachable, played, seed }) = &self.figures else {
            return Ok(());
        };
        writeln!(out, "\n{network}, 0-ply, beside the truth; millipoints\n")?;
        let millis = |points: f64| format!("{:.2}", 1000.0 * points);
        let mut table = Table::new(["", ">all positions", ">that can arise", ">its own games"]);
        let positions = [all.positions, reachable.positions, played.decisions];
        let row = |name: &str, cells: [String; 3]| [&[name.to_owned()][..], &cells].concat();
        table.row(row("positions", positions.map(format::count)));
        let errors = [all.mean_error, reachable.mean_error, played.mean_error];
        table.row(row("mean error", errors.map(millis)));
        let lost = [all.lost_a_decision, reachable.lost_a_decision, played.lost_a_decision];
        table.row(row("lost a decision", lost.map(millis)));
        let largest = |figures: &exact::ErrorFigures| millis(figures.largest_error.into());
        table.row(row("largest error", [largest(all), largest(reachable), String::new()]));
        table.write(out)?;
        writeln!(out)?;
        if let (Some(at), Some(exact), Some(evaluated)) =
            (&reachable.largest_at, reachable.largest_exact, reachable.largest_evaluated)
        {
            let (exact, evaluated) = (format::equity(exact), format::equity(evaluated));
            write!(out, "worst position that can arise: {at}, ")?;
            writeln!(out, "evaluated {evaluated}, truly {exact}")?;
        }
        let (games, lost) = (format::count(played.games), millis(played.lost_a_game));
        write!(out, "{games} games against itself, seed {seed}: ")?;
        Ok(writeln!(out, "both sides together lose {lost} millipoints a game")?)
    }
}
