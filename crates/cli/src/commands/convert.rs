//! `tavola convert`: a position in another notation.

use crate::args::{BoardArgs, Form, OutputArgs, PositionArgs, RollArgs, example};
use clap::Args;
use std::io::Write;

use serde::Serialize;
use tavola_games::AnyGame;

use crate::failure::{Blame, Outcome};
use crate::family;
use crate::query::{self, Converted};
use crate::question::Question;
use crate::report::board;
use crate::report::table::{Align, Table};

/// Arguments of `convert`.
#[derive(Debug, Args)]
#[command(
    about = "Write a position in another notation",
    long_about = "Write a position in another notation.\n\n\
        Without --to, all notations are listed. Cube, score and dice are kept where the \
        notation has room for them; where the position carries none, a money game with the \
        cube in the middle is written. The historical games have one notation, of which the usual \
        spelling is written; --to board and --to svg draw them.",
    after_help = example(
        "  tavola convert 4HPwATDgc/ABMA --to xgid\n  \
         tavola convert XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\n  \
         tavola convert --game tabula '5:1 3:2 hand:12 first / bar:1 12:14'"
    )
)]
pub struct ConvertArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// The notation to write
    #[arg(long, value_enum, value_name = "FORM")]
    pub to: Option<Form>,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The forms that are listed when none is asked for: those that fit in a line.
const LISTED: [Form; 5] = [Form::PositionId, Form::MatchId, Form::GnubgId, Form::Xgid, Form::Ints];

/// One form as JSON.
#[derive(Serialize)]
struct Answer {
    position: Converted,
}

/// Writes the position in the form asked for, or in all of them.
pub fn run(args: &ConvertArgs, out: &mut dyn Write) -> Outcome {
    if let AnyGame::Tables(game) = &args.position.game {
        return family::convert(game, args, out);
    }
    let situation = Question::with_roll(&args.position, &args.roll)?.situation;
    match args.to {
        Some(form) if args.output.json => {
            let answer = Answer { position: query::convert(&situation, form).or_input()? };
            serde_json::to_writer(&mut *out, &answer)?;
            writeln!(out)?;
        }
        Some(Form::Board) => board::write(&situation, &args.board, out)?,
        Some(form) => {
            let text = query::convert(&situation, form).or_input()?.to_string();
            writeln!(out, "{}", text.trim_end())?;
        }
        None if args.output.json => {
            let mut all = serde_json::Map::new();
            for form in LISTED {
                let converted = query::convert(&situation, form).or_input()?;
                all.insert(form.name().replace('-', "_"), serde_json::to_value(converted)?);
            }
            serde_json::to_writer(&mut *out, &all)?;
            writeln!(out)?;
        }
        None => {
            let mut table = Table::new([Align::Left, Align::Left]);
            for form in LISTED {
                let converted = query::convert(&situation, form).or_input()?;
                table.row([form.name(), converted.to_string()]);
            }
            table.write(out)?;
        }
    }
    Ok(())
}
