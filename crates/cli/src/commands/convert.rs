//! `tavola convert`: a position in another notation.

use std::io::Write;

use clap::Args;
use tavola_engine::operations::{Convert, Converted, Form};
use tavola_rules::board::Theme;

use crate::args::{BoardArgs, OutputArgs, PositionArgs, RollArgs, example, form};
use crate::ask;
use crate::failure::{Failure, Outcome};
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
    #[arg(long, value_name = "FORM", value_parser = form())]
    pub to: Option<Form>,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Writes the position in the form asked for, or in all of them.
pub fn run(args: &ConvertArgs, out: &mut dyn Write) -> Outcome {
    let subject = ask::subject(&args.position, Some(&args.roll), None, None)?;
    let answered = ask::ask_rules(&subject, &Convert { to: args.to })?;
    if args.output.json {
        return ask::write_json(&answered.answer, out);
    }
    if args.board.no_board && args.to == Some(Form::Board) {
        return Err(Failure::input("--to board and --no-board, expected one of them"));
    }
    match (args.to, &answered.answer) {
        (Some(Form::Svg), _) => {
            let orientation = args.board.orientation();
            let board = answered.board.clone().turned(orientation);
            write!(out, "{}", board.svg(&Theme::default()))?;
        }
        (Some(Form::Board), _) => ask::draw(&answered.board, &args.board, out)?,
        (_, Converted::One { position }) => writeln!(out, "{}", position.to_string().trim_end())?,
        (_, Converted::All(forms)) => {
            let mut table = Table::new([Align::Left, Align::Left]);
            for known in Form::ALL {
                if let Some(written) = forms.get(&known.name.replace('-', "_")) {
                    table.row([known.name.to_owned(), written.to_string()]);
                }
            }
            table.write(out)?;
        }
    }
    Ok(())
}
