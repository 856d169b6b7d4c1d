//! `tavola convert`: a position in another notation, a match in another format.

use std::path::Path;

use clap::Args;
use serde_json::json;
use tavola_engine::Engine;
use tavola_engine::operations::{Convert, ConvertTarget, Converted};
use tavola_games::AnyGame;
use tavola_matches::ReadWatch;
use tavola_rules::Backgammon;
use tavola_rules::board::Theme;

use crate::args::{BoardArgs, OutputArgs, PositionArgs, RollArgs, example};
use crate::ask;
use crate::failure::{Blame, Failure, Outcome};
use crate::match_files;
use crate::outputs::{Content, OutputFile, writes};
use crate::report::table::{Out, Table};
use crate::report::warning;

/// Write a position in another notation, a match in another format.
///
/// Without --to, all notations are listed. Cube, score and dice are kept where the notation has
/// room for them; where the position carries none, a money game with the cube in the middle is
/// written. The historical games have one notation, of which the usual spelling is written; --to
/// board and --to svg draw them.
///
/// With OUT, POSITION is a file with matches, whose format is found by its content: match text,
/// SGF, OGXM, or our own JSON. OUT ends in .mat, .sgf, .ogxm or .json. Repairs are reported; docs/matches.md
/// says what each format keeps.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola convert 4HPwATDgc/ABMA --to xgid\n  \
         tavola convert XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\n  \
         tavola convert match.mat match.sgf              # a match, for GNU Backgammon\n  \
         tavola convert --game tabula '5:1 3:2 hand:12 first / bar:1 12:14'"
    )
)]
pub struct ConvertArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// Write the matches of the file POSITION to this file
    #[arg(value_name = "OUT", requires = "position", conflicts_with_all = ["to", "roll"],
          value_parser = writes(Content::Matches))]
    pub out: Option<OutputFile>,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// The question.
    #[command(flatten)]
    pub convert: Convert,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Writes the position in the form of `--to`, or in all of them.
pub fn run(args: &ConvertArgs, out: &mut dyn Out) -> Outcome {
    if let (Some(from), Some(to)) = (&args.position.position, &args.out) {
        let game = match args.position.game.two().or_input()? {
            // The default: what the file says, or its first plays.
            AnyGame::Backgammon(Backgammon::Standard) => None,
            AnyGame::Backgammon(game) => Some(*game),
            other => {
                return Err(Failure::input(format_args!(
                    "--game {}: it has no match files, expected backgammon or a variant of it",
                    other.id()
                )));
            }
        };
        return matches(Path::new(from), to, game, args.output.json, out);
    }
    if let Some(from) = args.position.position.as_ref().filter(|from| Path::new(from).is_file()) {
        return Err(Failure::input(format_args!(
            "{from} is a file, expected the file to write behind it, such as match.sgf"
        )));
    }
    let question = ask::question(&args.position, Some(&args.roll));
    let (answered, to) =
        (ask::ask(&Engine::without_tables(), &question, &args.convert)?, args.convert.to);
    if args.output.json {
        return ask::write_answer(&answered, out).map(drop);
    }
    if args.board.no_board && to == Some(ConvertTarget::Board) {
        return Err(Failure::input("--to board and --no-board, expected one of them"));
    }
    match (to, &answered.answer) {
        (Some(ConvertTarget::Svg), _) => {
            let orientation = args.board.orientation();
            let board = answered.board.clone().turned(orientation);
            write!(out, "{}", board.svg(&Theme::default()))?;
        }
        (Some(ConvertTarget::Board), _) => ask::draw(&answered.board, &args.board, out)?,
        (_, Converted::One { position }) => writeln!(out, "{}", position.to_string().trim_end())?,
        (_, Converted::All(forms)) => {
            let mut table = Table::plain(["", ""]);
            for known in ConvertTarget::ALL {
                if let Some(written) = forms.get(&known.name.replace('-', "_")) {
                    table.row([known.name.to_owned(), written.to_string()]);
                }
            }
            table.write(out)?;
        }
    }
    Ok(())
}

/// Writes the matches of a file in the format of another one.
fn matches(
    from: &Path,
    to: &OutputFile,
    game: Option<Backgammon>,
    as_json: bool,
    out: &mut dyn Out,
) -> Outcome {
    // A name that says no format is refused before anything is read.
    tavola_matches::write(&[], to).or_input()?;
    let bytes = tavola_files::read(from, &tavola_matches::largest(from))
        .or_input_in(format_args!("cannot read {}", from.display()))?;
    if tavola_matches::is_output(&bytes) {
        return Err(match_files::own_output(&from.display()));
    }
    let reading = tavola_engine::live::read_matches(&bytes, game, ReadWatch::default())
        .or_input_in(format_args!("{} has no match", from.display()))?;
    for note in &reading.notes {
        warning::warn(&format_args!("{}: {note}", from.display()));
    }
    to.write(&tavola_matches::write(&reading.matches, to).or_input()?)?;
    let games: usize = reading.matches.iter().map(|record| record.games.len()).sum();
    let several = reading.matches.len();
    if as_json {
        let notes: Vec<String> = reading.notes.iter().map(ToString::to_string).collect();
        let told = json!({
            "read": reading.format, "written": to.display().to_string(),
            "matches": several, "games": games, "notes": notes,
        });
        return ask::write_json(&told, out).map(drop);
    }
    let plural = |count: usize, one: &str, many: &str| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    let (several, games) = (plural(several, "match", "matches"), plural(games, "game", "games"));
    let all = reading.matches.iter().flat_map(|record| &record.games);
    let open = all.filter(|game| game.result.is_none() && game.broken.is_none()).count();
    let open = if open > 0 { format!(", {open} not finished,") } else { String::new() };
    writeln!(out, "{several} with {games}{open} written to {}", to.display())?;
    Ok(())
}
