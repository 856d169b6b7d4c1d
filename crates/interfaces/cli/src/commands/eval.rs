//! `tavola eval`: what a position is worth before the roll.

use clap::Args;
use tavola_engine::operations::{Eval, EvalAnswer, RaceAnswer};
use tavola_engine::{Effort, Engine, Question, TwoOrMany};

use crate::about::AboutArgs;
use crate::args::example;
use crate::ask;
use crate::failure::Outcome;
use crate::many;
use crate::report::format;
use crate::report::table::{Out, Table};

/// Evaluate a position before the roll.
///
/// Prints the board, the five probabilities and the equity of the player on roll: expected points
/// per game with the cube at 1, at 2-ply unless --ply says otherwise; beside it the cubeful equity,
/// per unit of the cube, in a match EMG. In a race that the bear-off databases know it adds for each
/// side the effective pip count (EPC: 49/6 pips for each expected roll) and the wastage. Dice that the position carries are ignored. docs/search.md
/// explains the presets, docs/cube.md the cube.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola eval 4HPwATDgc/ABMA\n  \
         tavola eval 4HPwATDgc/ABMA --ply 3 --json\n  \
         tavola eval 62aCAQPWnBsAAw --cube 2 --owner opponent --match-length 5 --score 1-3\n  \
         tavola eval - --json < positions.txt\n  \
         tavola eval --game tabula '20:15 / 18:2 19:13'"
    )
)]
pub struct EvalArgs {
    /// The question.
    #[command(flatten)]
    pub eval: Eval,
    /// How much work goes into the answer.
    #[command(flatten)]
    pub effort: Effort,
    /// What it is about.
    #[command(flatten)]
    pub about: AboutArgs,
}

/// Evaluates the position.
pub fn run(args: &EvalArgs, out: &mut dyn Out) -> Outcome {
    args.about.answer(None, args.effort, out, |engine, question, _, out| {
        answer(args, engine, question, out)
    })
}

fn answer(args: &EvalArgs, engine: &Engine, question: &Question, out: &mut dyn Out) -> Outcome {
    let answered = match ask::ask_any(engine, question, &args.eval)? {
        TwoOrMany::Two(answered) => answered,
        TwoOrMany::Many(answered) => return many::write_evaluation(&answered, &args.about, out),
    };
    let answer = &answered.answer;
    if args.about.output.json && ask::write_answer(&answered, out)? {
        return Ok(());
    }
    if !ask::write_board(&answered, &args.about.board, out)? {
        return Ok(());
    }
    let evaluation = &answer.evaluation;
    let cubeless = if answer.cubeful.is_some() { ", cubeless, money play" } else { "" };
    let (equity, ply) = (format::equity(evaluation.equity), evaluation.ply);
    writeln!(out, "equity {equity} for the player on roll ({ply}-ply{cubeless})")?;
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
    writeln!(out)?;
    out.tables(&table, &row(answer))?;
    answer.race.as_ref().map_or(Ok(()), |race| write_race(race, out))
}

/// The answer as a row for programs.
fn row(answer: &EvalAnswer) -> Table {
    let (evaluation, figure) = (&answer.evaluation, |value: f64| format!("{value:.4}"));
    let cubeful = answer.cubeful;
    let mut columns = vec![
        (">equity", figure(evaluation.equity.into())),
        (">cubeful", cubeful.map_or_else(String::new, |it| figure(it.cubeful_equity))),
        (">MWC", cubeful.and_then(|it| it.mwc).map_or_else(String::new, figure)),
        (">ply", evaluation.ply.to_string()),
    ];
    let names = [">win", ">win_gammon", ">win_backgammon", ">lose_gammon", ">lose_backgammon"];
    let probs = evaluation.probs.to_array().map(|it| figure(it.into()));
    columns.extend(names.into_iter().zip(probs));
    let (names, cells): (Vec<&str>, Vec<String>) = columns.into_iter().unzip();
    Table::of(names, [cells])
}

/// Both sides of a race, as far as the databases know them.
fn write_race(race: &RaceAnswer, out: &mut dyn Out) -> Outcome {
    let mut table = Table::new(["race", ">pips", ">EPC", ">wastage", ">expected rolls", ">SD"]);
    for (name, side) in [("player on roll", race.player), ("opponent", race.opponent)] {
        let Some(side) = side else { continue };
        let [epc, wastage] = [side.epc, side.wastage].map(|pips| format!("{pips:.2}"));
        let [rolls, sd] = [side.rolls, side.rolls_sd].map(|rolls| format!("{rolls:.3}"));
        table.row([name, &side.pips.to_string(), &epc, &wastage, &rolls, &sd]);
    }
    Ok(table.write_apart(out)?)
}
