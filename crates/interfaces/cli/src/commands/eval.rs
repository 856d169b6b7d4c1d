//! `tavola eval`: what a position is worth before the roll.

use clap::Args;
use tavola_engine::operations::Eval;
use tavola_engine::{Engine, Subject};

use crate::args::{BoardArgs, EngineArgs, FormArgs, PositionArgs, example};
use crate::ask;
use crate::failure::Outcome;
use crate::many::ManyArgs;
use crate::many_players;
use crate::report::format;
use crate::report::table::{Out, Table};
use crate::terms::TermsArgs;

/// Arguments of `eval`.
#[derive(Debug, Args)]
#[command(
    about = "Evaluate a position before the roll",
    long_about = "Evaluate a position before the roll.\n\n\
        Prints the board, the five probabilities and the equity of the player on roll: expected \
        points per game with the cube at 1, at 2-ply unless --ply says otherwise; beside it the \
        cubeful equity, per unit of the cube, in a match EMG. Dice that the \
        position carries are ignored. docs/search.md explains the presets, docs/cube.md the cube.",
    after_help = example(
        "  tavola eval 4HPwATDgc/ABMA\n  \
         tavola eval 4HPwATDgc/ABMA --ply 3 --json\n  \
         tavola eval 62aCAQPWnBsAAw --cube 2 --owner opponent --match-length 5 --score 1-3\n  \
         tavola eval - --json < positions.txt\n  \
         tavola eval --game tabula '20:15 / 18:2 19:13'"
    )
)]
pub struct EvalArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// Many positions.
    #[command(flatten)]
    pub many: ManyArgs,
    /// Cube and score.
    #[command(flatten)]
    pub terms: TermsArgs,
    /// Network, endgame databases and threads.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// The question.
    #[command(flatten)]
    pub eval: Eval,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Evaluates the position.
pub fn run(args: &EvalArgs, out: &mut dyn Out) -> Outcome {
    if let Some(game) = args.position.game.for_more() {
        many_players::refuse(&[("--input", args.many.input.is_some())])?;
        many_players::refuse_lookahead(&args.eval.lookahead, &args.terms)?;
        let subject = many_players::subject(
            game,
            &args.position,
            None,
            Some(&args.engine),
            Some(&args.eval.lookahead),
        );
        return many_players::eval(&subject, &args.engine, (&args.board, &args.output), out);
    }
    let subject = ask::subject(&args.position, None, Some(&args.terms), Some(&args.engine))?;
    let engine = args.engine.engine();
    args.many
        .answer(&subject, args.output.json, out, |subject, out| answer(args, &engine, subject, out))
}

fn answer(args: &EvalArgs, engine: &Engine, subject: &Subject, out: &mut dyn Out) -> Outcome {
    let answered = ask::ask(engine, subject, &args.eval)?;
    let answer = &answered.answer;
    if args.output.json {
        return ask::write_answer(&answered, out);
    }
    if !ask::write_board(&answered, &args.board, out)? {
        return Ok(());
    }
    let evaluation = &answer.evaluation;
    let cubeless = if answer.cubeful.is_some() { ", cubeless, money play" } else { "" };
    writeln!(
        out,
        "equity {} for the player on roll ({}-ply{cubeless})",
        format::equity(evaluation.equity),
        evaluation.ply
    )?;
    if let Some((cubeful, terms)) = answer.cubeful.zip(answer.terms.as_ref()) {
        let equity = format::equity(cubeful.cubeful_equity as f32);
        writeln!(out, "       {equity} cubeful ({terms})")?;
        if let Some(mwc) = cubeful.mwc {
            writeln!(out, "match winning chance {:.2} %", 100.0 * mwc)?;
        }
    }
    let mut table = Table::new(["percent", ">any", ">gammon", ">backgammon"]);
    let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] =
        format::probabilities(&evaluation.probs);
    table.row(["wins", &win, &win_gammon, &win_backgammon]);
    let lose = format::percent(1.0 - evaluation.probs.win);
    table.row(["loses", &lose, &lose_gammon, &lose_backgammon]);
    table.write_apart(out)
}
