//! `tavola legal`: every play of a roll.

use clap::Args;
use tavola_engine::operations::{Legal, LegalPlay};
use tavola_engine::{Engine, TwoOrMany};

use crate::args::{FormArgs, PositionArgs, RollArgs, example};
use crate::ask;
use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::{Out, Table};

/// List every legal play of a roll.
///
/// Each distinct resulting position is listed once, with one way to play it and its GNU Position
/// ID, the opponent on roll.
#[derive(Debug, Args)]
#[command(
    after_help = example("  tavola legal --roll 31\n  tavola legal --game nackgammon --roll 66 --json")
)]
pub struct LegalArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Lists the plays.
pub fn run(args: &LegalArgs, out: &mut dyn Out) -> Outcome {
    let question = ask::question(&args.position, Some(&args.roll));
    let (TwoOrMany::Two(answered) | TwoOrMany::Many(answered)) =
        ask::ask_any(&Engine::without_tables(), &question, &Legal {})?;
    let plays = &answered.answer.plays;
    let dice = format::dice(answered.dice.as_deref());
    if args.output.json && ask::write_answer(&answered, out)? {
        return Ok(());
    }
    if let Some(end) = &answered.end {
        writeln!(out, "{end}")?;
    } else if plays.is_empty() {
        writeln!(out, "{dice}: no legal play")?;
    } else {
        writeln!(out, "{dice}: {}\n", format::plural(plays.len(), "play"))?;
        let rows = plays.iter().map(|LegalPlay { play, position }| [play, position]);
        Table::of(["play", "leads to"], rows).write(out)?;
    }
    Ok(())
}
