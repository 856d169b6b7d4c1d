//! `tavola eval`: what a position is worth before the roll.

use crate::args::{BoardArgs, ModelArg, OutputArgs, PositionArgs, TableArgs, example};
use clap::Args;
use std::io::Write;

use serde::Serialize;
use tavola_games::AnyGame;
use tavola_rules::notation::encode_position_id;

use crate::cubeful::{self, CubefulFigures};
use crate::failure::Outcome;
use crate::family;
use crate::judge::Judge;
use crate::lookahead::{LookaheadArgs, SearchBar};
use crate::query::{self, Judgement};
use crate::question::Question;
use crate::report::table::{Align, Table};
use crate::report::{board, format};
use crate::terms::TermsArgs;

/// Arguments of `eval`.
#[derive(Debug, Args)]
#[command(
    about = "Judge a position before the roll",
    long_about = "Judge a position before the roll.\n\n\
        Prints the board, the five chances of the player on roll and his equity: expected points \
        per game with the cube at 1, two rolls ahead unless --ply says otherwise; beside it the \
        equity with best use of the cube, per unit of the cube, in a match EMG. Dice that the \
        position carries are ignored. docs/search.md explains the presets, docs/cube.md the cube.",
    after_help = example(
        "  tavola eval 4HPwATDgc/ABMA\n  \
         tavola eval 4HPwATDgc/ABMA --ply 3 --json\n  \
         tavola eval 62aCAQPWnBsAAw --cube 2 --owner opponent --match-length 5 --score 1-3\n  \
         tavola eval --game tabula --model tabula.safetensors '20:15 / 18:2 19:13'"
    )
)]
pub struct EvalArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// Cube and score.
    #[command(flatten)]
    pub terms: TermsArgs,
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

/// The judgement as JSON.
#[derive(Serialize)]
struct Answer {
    position: String,
    #[serde(flatten)]
    judgement: Judgement,
    #[serde(flatten)]
    cubeful: CubefulFigures,
}

/// Judges the position.
pub fn run(args: &EvalArgs, out: &mut dyn Write) -> Outcome {
    if let AnyGame::Tables(game) = &args.position.game {
        args.terms.refuse_for(&args.position.game)?;
        return family::eval(game, args, out);
    }
    let mut question = Question::new(&args.position)?;
    // The judgement is that before the roll, so a roll beside it would mislead.
    question.situation.dice = None;
    args.terms.apply(&mut question.situation)?;
    let terms = args.terms.terms(&question.situation)?;
    let position = question.situation.position;
    let judge = Judge::load(args.model.model.as_deref(), &args.tables)?;
    if let Some(warning) = judge.suits(question.game)? {
        warning.print();
    }
    let lookahead = args.lookahead.lookahead();
    let mut search = judge.search(lookahead.settings, args.lookahead.threads())?;
    let cube_judge = judge.cubeful(lookahead.settings, args.lookahead.threads())?;
    // With a cube and without share the time.
    let limit = lookahead.limit.map(|limit| limit / 2);
    let judgement = SearchBar::watch(limit, |watch| query::eval(&mut search, &position, watch));
    let cubeful =
        SearchBar::watch(limit, |watch| cubeful::eval(&cube_judge, &position, &terms, watch));
    if args.output.json {
        let answer = Answer { position: encode_position_id(&position), judgement, cubeful };
        serde_json::to_writer(&mut *out, &answer)?;
        writeln!(out)?;
        return Ok(());
    }
    board::write(&question.situation, &args.board, out)?;
    writeln!(out)?;
    if let Some(outcome) = query::outcome(&position) {
        writeln!(out, "{}", board::outcome(outcome))?;
        return Ok(());
    }
    let Judgement { probs, equity, ply } = judgement;
    writeln!(
        out,
        "equity {} for the player on roll ({ply}-ply, cubeless)",
        format::equity(equity)
    )?;
    let cubeful_equity = format::equity(cubeful.cubeful_equity as f32);
    write!(out, "       {cubeful_equity} with best use of the cube ({terms}")?;
    match cubeful.mwc {
        Some(mwc) => writeln!(out, "; wins it {:.2} %)", 100.0 * mwc)?,
        None => writeln!(out, ")")?,
    }
    writeln!(out)?;
    let mut table = Table::new([Align::Left, Align::Right, Align::Right, Align::Right]);
    table.row(["percent", "any", "gammon", "backgammon"]);
    let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = format::chances(&probs);
    table.row(["wins", &win, &win_gammon, &win_backgammon]);
    let lose = format::percent(1.0 - probs.win);
    table.row(["loses", &lose, &lose_gammon, &lose_backgammon]);
    table.write(out)?;
    Ok(())
}
