//! `tavola legal`: every play of a roll.

use crate::args::{OutputArgs, PositionArgs, RollArgs, example};
use clap::Args;
use std::io::Write;

use serde::Serialize;
use tavola_games::AnyGame;
use tavola_rules::Dice;
use tavola_rules::notation::encode_position_id;

use crate::failure::Outcome;
use crate::family;
use crate::query::{self, LegalPlay};
use crate::question::Question;
use crate::report::table::{Align, Table};
use crate::report::{board, format};

/// Arguments of `legal`.
#[derive(Debug, Args)]
#[command(
    about = "List every legal play of a roll",
    long_about = "List every legal play of a roll.\n\n\
        Each distinct resulting position is listed once, with one way to play it and its GNU \
        Position ID, the opponent on roll.",
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
    pub output: OutputArgs,
}

/// The list as JSON.
#[derive(Serialize)]
struct Listing<'a> {
    position: String,
    dice: Dice,
    plays: &'a [LegalPlay],
}

/// Lists the plays.
pub fn run(args: &LegalArgs, out: &mut dyn Write) -> Outcome {
    if let AnyGame::Tables(game) = &args.position.game {
        return family::legal(game, args, out);
    }
    let question = Question::with_roll(&args.position, &args.roll)?;
    let dice = question.dice()?;
    let position = question.situation.position;
    let plays = query::legal(&position, dice);
    if args.output.json {
        let listing = Listing { position: encode_position_id(&position), dice, plays: &plays };
        serde_json::to_writer(&mut *out, &listing)?;
        writeln!(out)?;
    } else if let Some(outcome) = query::outcome(&position) {
        writeln!(out, "{}", board::outcome(outcome))?;
    } else if plays.is_empty() {
        writeln!(out, "{dice}: no legal play")?;
    } else {
        writeln!(out, "{dice}: {}", format::plural(plays.len(), "play"))?;
        writeln!(out)?;
        let mut table = Table::new([Align::Left, Align::Left]);
        table.row(["play", "leads to"]);
        for LegalPlay { play, position } in plays {
            table.row([play, position]);
        }
        table.write(out)?;
    }
    Ok(())
}
