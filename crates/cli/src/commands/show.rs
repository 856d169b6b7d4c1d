//! `tavola show`: the board, on the terminal or as a picture.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use tavola_engine::operations::Show;
use tavola_rules::board::{Color, Theme};

use crate::args::{BoardArgs, OutputArgs, PositionArgs, RollArgs, example};
use crate::ask;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::board;

/// Arguments of `show`.
#[derive(Debug, Args)]
#[command(
    about = "Draw the board",
    long_about = "Draw the board, seen from the player on roll.\n\n\
        With --svg the board is written as a picture instead; a file named - is stdout. With \
        --play the picture shows the play as arrows, and the board on the terminal is the one \
        after the play, which the opponent sees.",
    after_help = example(
        "  tavola show --roll 31\n  \
         tavola show 4HPwATDgc/ABMA --ascii\n  \
         tavola show --roll 31 --play '8/5 6/5' --svg board.svg"
    )
)]
pub struct ShowArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// A play of the roll to show, such as '8/5 6/5'
    #[arg(long, value_name = "PLAY")]
    pub play: Option<String>,
    /// Write the board as an SVG picture to this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Draws the position.
pub fn run(args: &ShowArgs, out: &mut dyn Write) -> Outcome {
    let subject = ask::subject(&args.position, Some(&args.roll), None, None)?;
    let show = Show { play: args.play.clone(), arrows: args.svg.is_some() };
    let mut shown = ask::ask_rules(&subject, &show)?.answer;
    refuse_two_on_stdout(args.svg.as_deref(), &args.output)?;
    if let Some(file) = &args.svg {
        write_picture(&shown.drawing.svg(&Theme::default()), file, out)?;
    }
    if args.output.json {
        let (charset, _) = board::style(&args.board);
        shown.board = shown.drawing.text(charset, Color::Never);
        return ask::write_json(&shown, out);
    }
    if args.svg.is_some() {
        return Ok(());
    }
    ask::draw(&shown.drawing, &args.board, out)?;
    if shown.xgid.is_none() {
        // A game without IDs has a notation that can be read, and rules that may be unknown.
        writeln!(out, "\n{}", shown.position)?;
        if shown.end.is_none() && args.position.position.is_none() && args.play.is_none() {
            writeln!(out, "{}", shown.rules)?;
        }
    }
    if let Some(end) = &shown.end {
        writeln!(out, "\n{end}")?;
    }
    Ok(())
}

/// Refuses a picture and JSON that both go to stdout.
pub fn refuse_two_on_stdout(picture: Option<&Path>, output: &OutputArgs) -> Outcome {
    if output.json && picture == Some(Path::new("-")) {
        return Err(Failure::input(
            "--svg - and --json both write to stdout, expected a file for the picture",
        ));
    }
    Ok(())
}

/// Writes a picture to a file, or to stdout if that is `-`.
pub fn write_picture(svg: &str, file: &Path, out: &mut dyn Write) -> Outcome {
    if file == Path::new("-") {
        writeln!(out, "{}", svg.trim_end())?;
        Ok(())
    } else {
        let context = format_args!("cannot write {}", file.display());
        match fs::write(file, svg) {
            // The name is as good as any other.
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                Err(error).or_work_in(context)
            }
            written => written.or_input_in(context),
        }
    }
}
