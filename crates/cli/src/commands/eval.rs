//! `tavola eval`: what a position is worth before the roll.

use crate::args::{BoardArgs, ModelArg, OutputArgs, PositionArgs, TableArgs, example};
use clap::Args;
use std::io::Write;

use serde::Serialize;
use tavola_games::AnyGame;
use tavola_rules::notation::encode_position_id;

use crate::failure::Outcome;
use crate::family;
use crate::judge::Judge;
use crate::lookahead::{LookaheadArgs, SearchBar};
use crate::query::{self, Judgement};
use crate::question::Question;
use crate::report::table::{Align, Table};
use crate::report::{board, format};

/// Arguments of `eval`.
#[derive(Debug, Args)]
#[command(
    about = "Judge a position before the roll",
    long_about = "Judge a position before the roll.\n\n\
        Prints the board, the five chances of the player on roll and his equity: expected points \
        per game with the cube at 1, two rolls ahead unless --ply says otherwise. Dice that the \
        position carries are ignored. docs/search.md explains the presets.",
    after_help = example(
        "  tavola eval 4HPwATDgc/ABMA\n  \
         tavola eval 4HPwATDgc/ABMA --ply 3 --json"
    )
)]
pub struct EvalArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
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
}

/// Judges the position.
pub fn run(args: &EvalArgs, out: &mut dyn Write) -> Outcome {
    if let AnyGame::Tables(game) = &args.position.game {
        return family::eval(game, args, out);
    }
    let mut question = Question::new(&args.position)?;
    // The judgement is that before the roll, so a roll beside it would mislead.
    question.situation.dice = None;
    let position = question.situation.position;
    let judge = Judge::load(args.model.model.as_deref(), &args.tables)?;
    if let Some(warning) = judge.suits(question.game)? {
        warning.print();
    }
    let lookahead = args.lookahead.lookahead();
    let mut search = judge.search(lookahead.settings, args.lookahead.threads())?;
    let judgement =
        SearchBar::watch(lookahead.limit, |watch| query::eval(&mut search, &position, watch));
    if args.output.json {
        let answer = Answer { position: encode_position_id(&position), judgement };
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
