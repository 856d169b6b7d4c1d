//! `tavola show`: the board, on the terminal or as a picture.

use crate::args::{BoardArgs, Form, OutputArgs, PositionArgs, RollArgs, example};
use clap::Args;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::path::PathBuf;

use serde::Serialize;
use tavola_games::AnyGame;
use tavola_rules::board::{BoardView, Theme};
use tavola_rules::notation::{Situation, encode_position_id, parse_play};
use tavola_rules::{Dice, Play};

use crate::failure::{Blame, Failure, Outcome};
use crate::family;
use crate::query::{self, Converted};
use crate::question::Question;
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

/// The position as JSON.
#[derive(Serialize)]
struct Answer {
    position: String,
    xgid: Converted,
    board: Converted,
    dice: Option<Dice>,
    pips: u32,
    opponent_pips: u32,
    off: u8,
    opponent_off: u8,
    over: bool,
}

/// Draws the position.
pub fn run(args: &ShowArgs, out: &mut dyn Write) -> Outcome {
    if let AnyGame::Tables(game) = &args.position.game {
        return family::show(game, args, out);
    }
    let question = Question::with_roll(&args.position, &args.roll)?;
    let mut situation = question.situation;
    let mut arrows = None;
    if let Some(text) = &args.play {
        let (play, after) = parse_play(text, &situation.position, question.dice()?).or_input()?;
        match args.svg {
            Some(_) => arrows = Some(play),
            None => situation = situation.after_play(after),
        }
    }
    if args.output.json && args.svg.as_deref() == Some(Path::new("-")) {
        return Err(Failure::input(
            "--svg - and --json both write to stdout, expected a file for the picture",
        ));
    }
    if let Some(file) = &args.svg {
        write_svg(&situation, arrows.as_ref(), file, out)?;
    }
    if args.output.json {
        serde_json::to_writer(&mut *out, &answer(&situation)?)?;
        writeln!(out)?;
    } else if args.svg.is_none() {
        board::write(&situation, &args.board, out)?;
        if let Some(outcome) = query::outcome(&situation.position) {
            writeln!(out)?;
            writeln!(out, "{}", board::outcome(outcome))?;
        }
    }
    Ok(())
}

fn write_svg(
    situation: &Situation,
    play: Option<&Play>,
    file: &Path,
    out: &mut dyn Write,
) -> Outcome {
    let board = BoardView::from(situation);
    let board = match play {
        Some(play) => board.with_play(&situation.position, play, Theme::default().arrow),
        None => board,
    };
    write_picture(&board.svg(&Theme::default()), file, out)
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

fn answer(situation: &Situation) -> Outcome<Answer> {
    let position = &situation.position;
    Ok(Answer {
        position: encode_position_id(position),
        xgid: query::convert(situation, Form::Xgid).or_input()?,
        board: query::convert(situation, Form::Board).or_input()?,
        dice: situation.dice,
        pips: position.pip_count(),
        opponent_pips: position.opponent_pip_count(),
        off: position.off(),
        opponent_off: position.opponent_off(),
        over: query::outcome(position).is_some(),
    })
}
