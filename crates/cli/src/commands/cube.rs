//! `tavola cube`: double or not, take or pass, and what the alternatives cost.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use tavola_engine::operations::{Cube, CubeAnswer, Losses, Matrix};
use tavola_equity::CubeAction;

use crate::args::{BoardArgs, EngineArgs, OutputArgs, PositionArgs, example};
use crate::ask;
use crate::failure::Outcome;
use crate::lookahead::LookaheadArgs;
use crate::report::table::{Align, Table};
use crate::report::{format, picture};
use crate::terms::TermsArgs;

mod matrix;

/// Arguments of `cube`.
#[derive(Debug, Args)]
#[command(
    about = "Double or not, take or pass: for money and at any score",
    long_about = "Double or not, take or pass: for money and at any score.\n\n\
        Prints what rolling, a double that is taken and a double that is passed are worth to the \
        player on roll, the right action, what the other choices give away, where the decision \
        turns, and what gammons are worth. Equities are per unit of the cube before the double; in \
        a match they are EMG (the stake lost now is -1, won +1), with the probability of winning the match \
        beside them. The decision is that before the roll: dice of the position are ignored.\n\n\
        Cube and score are those of an XGID or a Match ID unless options say otherwise; where \
        nobody says anything it is money play with a centred cube.\n\n\
        With --matrix the action at every score is printed, as a table or a drawing. \
        docs/cube.md explains the figures.",
    after_help = example(
        "  tavola cube 4HPwATDgc/ABMA\n  \
         tavola cube XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:0:10 --ply 2\n  \
         tavola cube 62aCAQPWnBsAAw --match-length 7 --score 3-5\n  \
         tavola cube 62aCAQPWnBsAAw --cube 2 --owner player --jacoby --json\n  \
         tavola cube 62aCAQPWnBsAAw --matrix --svg matrix.svg"
    )
)]
pub struct CubeArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// Cube and score.
    #[command(flatten)]
    pub terms: TermsArgs,
    /// Print the action at every score up to 9 points to go, whatever the score
    #[arg(long, conflicts_with_all = ["match_length", "jacoby", "beavers", "raccoons"])]
    pub matrix: bool,
    /// Write the matrix as a drawing to this file, which ends in .svg or .png; - is SVG on stdout
    #[arg(long, value_name = "FILE", requires = "matrix")]
    pub svg: Option<PathBuf>,
    /// Network, endgame databases and threads.
    #[command(flatten)]
    pub engine: EngineArgs,
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

/// An answer with its position, as JSON.
#[derive(Serialize)]
struct Answer<'a, A: Serialize> {
    position: &'a str,
    #[serde(flatten)]
    answer: &'a A,
}

/// Decides.
pub fn run(args: &CubeArgs, out: &mut dyn Write) -> Outcome {
    let subject = ask::subject(&args.position, None, Some(&args.terms), Some(&args.engine))?;
    let (engine, lookahead) = (args.engine.engine(), args.lookahead.lookahead());
    if args.matrix {
        let answered = ask::ask(&engine, &subject, &Matrix { lookahead })?;
        let (position, answer) = (&answered.position, &answered.answer);
        picture::refuse_two_on_stdout(args.svg.as_deref(), &args.output)?;
        if let Some(file) = &args.svg {
            picture::write(&matrix::svg(position, answer), file, out)?;
        }
        if args.output.json {
            return ask::write_json(&Answer { position, answer }, out);
        }
        if args.svg.is_none() {
            ask::write_board(&answered, &args.board, out)?;
            matrix::write(answer, out)?;
        }
        return Ok(());
    }
    let answered = ask::ask(&engine, &subject, &Cube { lookahead })?;
    let (position, answer) = (&answered.position, &answered.answer);
    if args.output.json {
        return ask::write_json(&Answer { position, answer }, out);
    }
    ask::write_board(&answered, &args.board, out)?;
    writeln!(out, "{}", answer.terms)?;
    write(answer, out)
}

/// The decision in words and figures.
fn write(answer: &CubeAnswer, out: &mut dyn Write) -> Outcome {
    let ply = answer.ply;
    match &answer.reason {
        Some(reason) => writeln!(out, "no cube: {reason} ({ply}-ply)")?,
        None => writeln!(out, "{} ({ply}-ply)", answer.action)?,
    }
    writeln!(out)?;
    table(answer).write(out)?;
    writeln!(out)?;
    let [win, win_gammon, _, lose_gammon, _] = format::probabilities(&answer.probs);
    writeln!(
        out,
        "wins {win} %, {win_gammon} % gammons; loses {lose_gammon} % gammons; cubeless equity {}",
        format::equity(answer.equity)
    )?;
    if let Some(points) = &answer.points {
        writeln!(
            out,
            "the opponent takes with {} % ({} % with a dead cube, {} % with a live one), has {} %",
            percent(points.take),
            percent(points.take_dead),
            percent(points.take_live),
            percent(1.0 - f64::from(answer.probs.win))
        )?;
    }
    let values = answer.gammon_values;
    writeln!(
        out,
        "a gammon is worth {:.2} to the player, {:.2} to the opponent (for money 0.50)",
        values.player, values.opponent
    )?;
    Ok(())
}

fn table(answer: &CubeAnswer) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([Left, Right, Right, Left]);
    let mwc_heading = if answer.mwc.is_some() { "match" } else { "" };
    table.row(["", "equity", mwc_heading, ""]);
    let mwc = answer.mwc;
    let probability =
        |mwc: Option<f64>| mwc.map_or(String::new(), |mwc| format!("{} %", percent2(mwc)));
    let lost = |who: &str, loss: f64| match loss {
        loss if loss > 0.0005 => format!("{who} loses {loss:.3}"),
        _ => String::new(),
    };
    let none = Losses { no_double: 0.0, double: 0.0, take: 0.0, pass: 0.0, beaver: None };
    let losses = answer.losses.unwrap_or(none);
    let mut row = |name: &str, value: f64, probability: String, remarks: [String; 2]| {
        let remarks: Vec<_> = remarks.into_iter().filter(|text| !text.is_empty()).collect();
        table.row([name.to_owned(), format::equity(value as f32), probability, remarks.join(", ")]);
    };
    row(
        "no double",
        answer.no_double,
        probability(mwc.map(|mwc| mwc.mwc_no_double)),
        [lost("the player", losses.no_double), String::new()],
    );
    let double = lost("the player", losses.double);
    if let Some(value) = answer.double_take {
        let remarks = [double.clone(), lost("the opponent", losses.take)];
        row("double, take", value, probability(mwc.and_then(|mwc| mwc.mwc_double_take)), remarks);
    }
    if let Some(value) = answer.double_pass {
        let remarks = [double.clone(), lost("the opponent", losses.pass)];
        row("double, pass", value, probability(mwc.and_then(|mwc| mwc.mwc_double_pass)), remarks);
    }
    if let Some(value) = answer.double_beaver {
        let remarks = [double, lost("the opponent", losses.beaver.unwrap_or(0.0))];
        row("double, beaver", value, String::new(), remarks);
    }
    table
}

fn percent(probability: f64) -> String {
    format!("{:.1}", 100.0 * probability)
}

/// Two digits: cube errors in a match are a fraction of a percent.
fn percent2(probability: f64) -> String {
    format!("{:.2}", 100.0 * probability)
}

/// The action as players write it.
const fn short(action: CubeAction) -> &'static str {
    match action {
        CubeAction::NoDoubleTake => "ND",
        CubeAction::DoubleTake => "D/T",
        CubeAction::DoublePass => "D/P",
        CubeAction::TooGoodTake => "TG/T",
        CubeAction::TooGoodPass => "TG/P",
        CubeAction::NoCube => "-",
    }
}
