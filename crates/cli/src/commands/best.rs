//! `tavola best`: the plays of a roll, best first.

use crate::args::{BoardArgs, ModelArg, OutputArgs, PositionArgs, RollArgs, TableArgs, example};
use clap::Args;
use std::io::Write;

use serde::Serialize;

use self::reasons::PlayReasons;
use crate::cubeful;
use crate::failure::{Failure, Outcome};
use crate::family;
use crate::judge::Judge;
use crate::lookahead::{LookaheadArgs, SearchBar};
use crate::query::{self, Judgement, RatedPlay};
use crate::question::Question;
use crate::report::table::{Align, Table};
use crate::report::{board, format};
use crate::terms::{Terms, TermsArgs};
use tavola_games::AnyGame;
use tavola_rules::Dice;
use tavola_rules::notation::encode_position_id;

mod reasons;

/// Arguments of `best`.
#[derive(Debug, Args)]
#[command(
    about = "Rank the plays of a roll, best first",
    long_about = "Rank the plays of a roll, best first.\n\n\
        Prints the board, then every play with its equity (expected points per game with the cube \
        at 1, seen by the player who makes the play), what it loses to the best play, and the \
        five chances in percent: win, win a gammon or better, win a backgammon, lose a gammon or \
        worse, lose a backgammon.\n\n\
        The plays nearest the best are judged two rolls ahead unless --ply says otherwise, the others \
        less deep: the column ply tells. Figures of different depth can't be compared, so a loss is \
        one at the depth of its line. docs/search.md explains the presets.\n\n\
        At a score, with a turned cube or with --cubeful the plays are ranked by what they are worth \
        with the cube: the column cubeful, per unit of the cube, in a match EMG. docs/cube.md \
        explains it.",
    after_help = example(
        "  tavola best --roll 31\n  \
         tavola best XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10 --top 3\n  \
         tavola best 4HPwATDgc/ABMA --roll 6-4 --json\n  \
         tavola best 62aCAQPWnBsAAw --roll 42 --ply 3 --preset wide\n  \
         tavola best 62aCAQPWnBsAAw --roll 42 --time 500ms\n  \
         tavola best 62aCAQPWnBsAAw --roll 42 --top 2 --explain\n  \
         tavola best 62aCAQPWnBsAAw --roll 42 --match-length 7 --score 3-5\n  \
         tavola best --game puff --model puff.safetensors --roll 52"
    )
)]
pub struct BestArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// Cube and score.
    #[command(flatten)]
    pub terms: TermsArgs,
    /// Rank by what plays are worth with the cube, for money with a centred cube too
    #[arg(long)]
    pub cubeful: bool,
    /// How many plays to print
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub top: u16,
    /// Say in numbers what each play printed changes, what it risks, and which replies it allows
    #[arg(long)]
    pub explain: bool,
    /// The judge.
    #[command(flatten)]
    pub model: ModelArg,
    /// Endgame tables.
    #[command(flatten)]
    pub tables: TableArgs,
    /// Depth and width.
    #[command(flatten)]
    pub lookahead: LookaheadArgs,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The ranking as JSON.
#[derive(Serialize)]
struct Ranking<'a> {
    position: String,
    dice: Dice,
    legal: usize,
    /// What the position is worth before the roll, if plays are explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a Judgement>,
    plays: Vec<Explained<'a>>,
}

/// A play with its reasons, if they are asked for.
#[derive(Serialize)]
struct Explained<'a> {
    #[serde(flatten)]
    play: &'a RatedPlay,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasons: Option<&'a PlayReasons>,
}

/// Ranks the plays.
pub fn run(args: &BestArgs, out: &mut dyn Write) -> Outcome {
    if let AnyGame::Tables(game) = &args.position.game {
        if args.explain {
            return Err(Failure::input(
                "--explain knows only the shots of backgammon and its variants, expected one of them",
            ));
        }
        if args.cubeful {
            return Err(Failure::input(format_args!(
                "--cubeful asks for figures with a cube, but {} is played without one",
                args.position.game
            )));
        }
        args.terms.refuse_for(&args.position.game)?;
        return family::best(game, args, out);
    }
    let mut question = Question::with_roll(&args.position, &args.roll)?;
    args.terms.apply(&mut question.situation)?;
    let terms = args.terms.terms(&question.situation)?;
    let with_cube = args.cubeful || Terms::matter_in(&question.situation);
    let dice = question.dice()?;
    let position = question.situation.position;
    let mut judge = Judge::load(args.model.model.as_deref(), &args.tables)?;
    if let Some(warning) = judge.suits(question.game)? {
        warning.print();
    }
    let lookahead = args.lookahead.lookahead();
    let mut search = judge.search(lookahead.settings, args.lookahead.threads())?;
    let plays = if with_cube {
        let judge = judge.cubeful(lookahead.settings, args.lookahead.threads())?;
        SearchBar::watch(lookahead.limit, |watch| {
            cubeful::best(&judge, &position, dice, &terms, watch)
        })
    } else {
        SearchBar::watch(lookahead.limit, |watch| query::best(&mut search, &position, dice, watch))
    };
    let top = &plays[..plays.len().min(usize::from(args.top))];
    let explained = (args.explain && !top.is_empty()).then(|| {
        let before =
            SearchBar::watch(lookahead.limit, |watch| query::eval(&mut search, &position, watch));
        let reasons = reasons::find(&mut judge.evaluator, &before, top);
        (before, reasons)
    });
    if args.output.json {
        let position = encode_position_id(&position);
        let before = explained.as_ref().map(|(before, _)| before);
        let reasons = |i: usize| explained.as_ref().map(|(_, reasons)| &reasons[i]);
        let explain = |(i, play)| Explained { play, reasons: reasons(i) };
        let explained = top.iter().enumerate().map(explain).collect();
        let ranking = Ranking { position, dice, legal: plays.len(), before, plays: explained };
        serde_json::to_writer(&mut *out, &ranking)?;
        writeln!(out)?;
        return Ok(());
    }
    board::write(&question.situation, &args.board, out)?;
    writeln!(out)?;
    if let Some(outcome) = query::outcome(&position) {
        writeln!(out, "{}", board::outcome(outcome))?;
    } else if plays.is_empty() {
        writeln!(out, "{dice}: no legal play")?;
    } else {
        let shown = if top.len() < plays.len() {
            format!("{}, the best {}:", format::plural(plays.len(), "play"), top.len())
        } else {
            format!("{}:", format::plural(plays.len(), "play"))
        };
        writeln!(out, "{dice}: {shown}")?;
        if with_cube {
            writeln!(out, "{terms}")?;
        }
        writeln!(out)?;
        table(top).write(out)?;
        if let Some((before, reasons)) = &explained {
            reasons::write(before, top, reasons, out)?;
        }
    }
    Ok(())
}

fn table(plays: &[RatedPlay]) -> Table {
    use Align::{Left, Right};
    let with_cube = plays.first().is_some_and(|play| play.cubeful.is_some());
    let mut columns = vec![Right, Left, Right, Right, Right];
    let mut headings = vec!["", "play", "ply", "equity", "loss"];
    if with_cube {
        columns.insert(3, Right);
        headings.insert(3, "cubeful");
    }
    columns.extend([Right; 5]);
    headings.extend(format::CHANCE_HEADINGS);
    let mut table = Table::new(columns);
    table.row(headings);
    for (i, play) in plays.iter().enumerate() {
        let loss = if i == 0 { String::new() } else { format!("{:.3}", play.loss) };
        let (rank, ply) = ((i + 1).to_string(), play.ply.to_string());
        let mut cells = vec![rank, play.play.clone(), ply, format::equity(play.equity), loss];
        if let Some(figures) = play.cubeful {
            cells.insert(3, format::equity(figures.cubeful_equity as f32));
        }
        cells.extend(format::chances(&play.probs));
        table.row(cells);
    }
    table
}
