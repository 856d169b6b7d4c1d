//! `tavola show`: the board, on the terminal or as a picture.

use clap::{Args, ValueEnum};
use tavola_engine::operations::Show;
use tavola_engine::{Engine, TwoOrMany};
use tavola_evaluator::Written;
use tavola_rules::board::{Color, Theme};

use crate::args::{BoardArgs, OutputArgs, PositionArgs, RollArgs, example};
use crate::ask;
use crate::failure::Outcome;
use crate::many;
use crate::outputs::{Content, OutputFile, writes};
use crate::report::table::Out;
use crate::report::{board, picture};

/// Draw the board.
///
/// The board is seen from the player on roll.
///
/// With --output the board is written as a picture instead, SVG or PNG by the ending of the name; -
/// is SVG on stdout. With --play the picture shows the play as arrows, and the board on the
/// terminal is the one after the play, which the opponent sees. The words of a PNG need an
/// installed font, or one that TAVOLA_FONT names.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola show --roll 31\n  \
         tavola show 4HPwATDgc/ABMA --ascii\n  \
         tavola show --clockwise --flip\n  \
         tavola show --roll 31 --play '8/5 6/5' --output board.svg\n  \
         tavola show --theme print --output board.png"
    )
)]
pub struct ShowArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// The question.
    #[command(flatten)]
    pub show: Show,
    /// Write the board as a picture to this file, which ends in .svg or .png; - is SVG on stdout
    #[arg(long = "output", short, value_name = "FILE", visible_alias = "svg", alias = "png",
          value_parser = writes(Content::Picture))]
    pub output_file: Option<OutputFile>,
    /// The colors of the picture
    #[arg(long, value_enum, value_name = "NAME", requires = "output_file", default_value_t)]
    pub theme: ThemeArg,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The colors of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ThemeArg {
    /// Brown and green, for a screen
    #[default]
    Wood,
    /// Black, white and grays, for paper
    Print,
}

impl ThemeArg {
    pub const fn theme(self) -> Theme {
        match self {
            Self::Wood => Theme::WOOD,
            Self::Print => Theme::PRINT,
        }
    }
}

/// Draws the position.
pub fn run(args: &ShowArgs, out: &mut dyn Out) -> Outcome {
    let question = ask::question(&args.position, Some(&args.roll));
    let show = Show { arrows: args.output_file.is_some(), ..args.show.clone() };
    let mut answered = match ask::ask_any(&Engine::without_tables(), &question, &show)? {
        TwoOrMany::Two(answered) => answered,
        TwoOrMany::Many(answered) => return many::write_shown(&answered, args, out),
    };
    let shown = &mut answered.answer;
    shown.drawing = shown.drawing.clone().turned(args.board.orientation());
    if let Some(file) = &args.output_file {
        picture::write(&shown.drawing.svg(&args.theme.theme()), file, out)?;
    }
    if args.output.json {
        let (charset, _) = board::style(&args.board);
        shown.board = shown.drawing.text(charset, Color::Never);
        return ask::write_answer(&answered, out).map(drop);
    }
    if args.output_file.is_some() {
        return Ok(());
    }
    if args.board.no_board {
        let xgid = shown.xgid.as_ref().map(Written::to_string);
        writeln!(out, "{}", xgid.as_ref().unwrap_or(&shown.position))?;
        writeln!(out, "pips {}, opponent {}", shown.pips, shown.opponent_pips)?;
        writeln!(out, "off {}, opponent {}", shown.off, shown.opponent_off)?;
    } else {
        ask::draw(&shown.drawing, &args.board, out)?;
        ask::write_ids(shown.xgid.as_ref().map(Written::to_string).as_deref(), out)?;
    }
    if shown.xgid.is_none() {
        // A game without IDs has a notation that can be read, and rules that may be unknown.
        writeln!(out, "\n{}", shown.position)?;
        if shown.end.is_none() && args.position.position.is_none() && show.play.is_none() {
            out.prose(shown.rules)?;
            many::write_options(&shown.game, out)?;
        }
    }
    if let Some(end) = &shown.end {
        writeln!(out, "\n{end}")?;
    }
    Ok(())
}
