//! `tavola cube`: double or not, take or pass, and what the alternatives cost.

use clap::Args;
use clap::builder::RangedU64ValueParser;
use tavola_engine::operations::{Cube, CubeAnswer, CubeQuestion, Matrix, TeamAnswer};
use tavola_engine::{Effort, Engine, Question};
use tavola_equity::{CubeDecision, Response};
use tavola_evaluator::Z_95;
use tavola_matches::analysis::{CubeFigures, OpenDecision, Opinion};

use crate::about::AboutArgs;
use crate::args::example;
use crate::ask;
use crate::beside::{self, BesideArgs, Running};
use crate::failure::{Failure, Outcome};
use crate::outputs::{Content, OutputFile, writes};
use crate::report::table::{Out, Table};
use crate::report::xg_text::{self, XgTextArg};
use crate::report::{format, picture};

pub mod matrix;

/// Double or not, take or pass: for money and at any score.
///
/// Prints the right action and the equities of no double, of a double that is taken and of one that
/// is passed, each with its difference from the right action; the errors of both sides; the take
/// point and the gammon values. All figures are those of the player on roll. Equities are per unit
/// of the cube before the double; in a match they are EMG (the stake lost now is -1, won +1), with
/// the match winning chance (MWC) beside them. The decision is that before the roll: dice of the
/// position are ignored.
///
/// A position in which the cube is offered (D in place of the dice of an XGID, or a Match ID that
/// says so) asks for the response: take, pass or beaver. The figures stay those of the player on
/// roll, who has doubled.
///
/// Cube and score are those of an XGID or a Match ID unless options say otherwise; without either
/// it is money play with a centered cube.
///
/// With --team the player on roll is the box of a chouette. What each number of takers is worth to
/// it is added, and what an extra is worth to its giver (docs/cube.md).
///
/// With --matrix the action at every score is printed, as a table or a drawing; --errors adds what
/// the wrong choice between doubling and rolling loses. docs/cube.md explains the figures.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola cube 4HPwATDgc/ABMA\n  \
         tavola cube XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:0:10 --ply 2\n  \
         tavola cube 62aCAQPWnBsAAw --match-length 7 --score 3-5\n  \
         tavola cube 62aCAQPWnBsAAw --cube 2 --owner player --jacoby --json\n  \
         tavola cube XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:D:0:0:0:0:10\n  \
         tavola cube --input positions.txt --json\n  \
         tavola cube 62aCAQPWnBsAAw --beside gnubg:2\n  \
         tavola cube 62aCAQPWnBsAAw --matrix --svg matrix.svg"
    )
)]
pub struct CubeArgs {
    /// Print the action at every score, whatever the score
    #[arg(long, conflicts_with_all = ["match_length", "team", "xg_text", "beside"])]
    pub matrix: bool,
    /// Points to go up to which the matrix extends, 2 to 25 [default: 9]; 11 fit 80 columns
    #[arg(long, value_name = "POINTS", requires = "matrix", value_parser = away())]
    pub away: Option<u16>,
    /// Print below each action of the matrix what the wrong one loses, in thousandths
    #[arg(long, requires = "matrix")]
    pub errors: bool,
    /// Write the matrix as a drawing to this file, which ends in .svg or .png; - is SVG on stdout
    #[arg(long, value_name = "FILE", requires = "matrix", value_parser = writes(Content::Picture))]
    pub svg: Option<OutputFile>,
    /// The question.
    #[command(flatten)]
    pub cube: Cube,
    /// How much work goes into the answer.
    #[command(flatten)]
    pub effort: Effort,
    /// Other engines.
    #[command(flatten)]
    pub beside: BesideArgs,
    /// The form of another program.
    #[command(flatten)]
    pub form: XgTextArg,
    /// What it is about.
    #[command(flatten)]
    pub about: AboutArgs,
}

/// Points to go up to which a matrix extends.
pub fn away() -> RangedU64ValueParser<u16> {
    RangedU64ValueParser::new().range(u64::from(Matrix::MIN_AWAY)..=u64::from(Matrix::MAX_AWAY))
}

/// Decides.
pub fn run(args: &CubeArgs, out: &mut dyn Out) -> Outcome {
    if args.about.are_many() && args.svg.is_some() {
        return Err(Failure::input("--svg takes one position, not many"));
    }
    let mut others = args.beside.run(&args.about.position.game, true)?;
    args.about.answer(None, args.effort, out, |engine, question, said, out| {
        answer(args, engine, question, (&mut others, said), out)
    })
}

fn answer(
    args: &CubeArgs,
    engine: &Engine,
    question: &Question,
    (others, said): (&mut Running, Option<&OpenDecision>),
    out: &mut dyn Out,
) -> Outcome {
    if args.matrix {
        let away = args.away.unwrap_or(Matrix::DEFAULT_AWAY);
        let answered = ask::ask(engine, question, &Matrix { away })?;
        let (position, answer) = (&answered.position, &answered.answer);
        if let Some(file) = &args.svg {
            picture::write(&matrix::svg(position, answer, args.errors), file, out)?;
        }
        if args.about.output.json && ask::write_answer(&answered, out)? {
            return Ok(());
        }
        if args.svg.is_some() && args.about.output.csv.is_none() {
            return Ok(());
        }
        ask::write_board(&answered, &args.about.board, out)?;
        return matrix::write(answer, args.errors, out);
    }
    let answered = ask::ask(engine, question, &args.cube)?;
    let answer = &answered.answer;
    let opinions = others.on_cube(&question.game, &answered, said)?;
    if args.about.output.json && beside::write_answer(&answered, &opinions, out)? {
        return Ok(());
    }
    if args.form.xg_text {
        if answer.team.is_some() {
            return Err(Failure::input("--xg-text has no place for a team"));
        }
        if xg_text::write_cube(&answered, out)? {
            return Ok(());
        }
    }
    ask::write_board(&answered, &args.about.board, out)?;
    writeln!(out, "{}", answer.terms)?;
    write(answer, &opinions, out)?;
    answer.team.as_ref().map_or(Ok(()), |team| write_team(team, out))
}

/// The decision in words and figures.
fn write(answer: &CubeAnswer, opinions: &[Opinion], out: &mut dyn Out) -> Outcome {
    let depth = match answer.rollout {
        Some(spread) => format!(
            "{} games, equity ± {:.3}, difference ± {:.3}",
            spread.trials,
            Z_95 * spread.equity_se,
            Z_95 * spread.loss_se
        ),
        None => format!("{}-ply", answer.ply),
    };
    let sure = answer.sure.map_or_else(String::new, |certainty| format!("; {certainty}"));
    let depth = depth + &sure;
    let whose = match answer.question {
        CubeQuestion::Double => "",
        CubeQuestion::Response => "\nfigures for the player on roll, who has doubled",
    };
    writeln!(out, "{}{whose} ({depth})\n", headline(answer))?;
    let [shown, values] = [false, true].map(|csv| table(answer, opinions, csv));
    out.tables(&shown, &values)?;
    writeln!(out)?;
    for Opinion { name, engine, actions, .. } in opinions {
        let Some(CubeFigures { verdict, .. }) = actions else { continue };
        writeln!(out, "{name}: {verdict} ({engine})")?;
    }
    if !opinions.is_empty() {
        writeln!(out)?;
    }
    let [win, win_gammon, _, lose_gammon, _] = format::probabilities(&answer.probs);
    writeln!(
        out,
        "wins {win} %, {win_gammon} % gammons; loses {lose_gammon} % gammons; cubeless equity {}",
        format::equity(answer.equity)
    )?;
    if let Some(points) = &answer.points {
        let [take, dead, live] = [points.take, points.take_dead, points.take_live]
            .map(|chance| format::chance(chance, 1));
        let wins = format::chance(1.0 - f64::from(answer.probs.win), 1);
        write!(out, "take point {take} % (dead cube {dead} %, live cube {live} %); ")?;
        writeln!(out, "opponent wins {wins} %")?;
    }
    let [own, theirs] = [answer.gammon_values.player, answer.gammon_values.opponent];
    Ok(writeln!(out, "gammon value {own:.2}, opponent's {theirs:.2} (money 0.50)")?)
}

/// The answer in a line: to whom the cube is offered what the others lose, else the verdict.
fn headline(answer: &CubeAnswer) -> String {
    let verdict = &answer.verdict;
    let (Some(losses), Some(response)) = (answer.losses, verdict.response) else {
        return format!("no cube: {}", answer.reason.as_deref().unwrap_or("it can't be turned"));
    };
    if answer.question == CubeQuestion::Double {
        return verdict.to_string();
    }
    let within = format::within(answer.interval);
    let response = match response {
        Response::Take if losses.pass <= CubeDecision::OPTIONAL => {
            "take or pass (both are worth the same".to_owned()
        }
        Response::Take => format!("take (passing loses {:.3}{within}", losses.pass),
        Response::Pass => format!("pass (taking loses {:.3}{within}", losses.take),
        Response::Beaver => {
            format!("beaver (taking loses {:.3}, passing {:.3}", losses.take, losses.pass)
        }
    };
    let double = match losses.double {
        _ if verdict.dead => "without effect, as the cube is dead".to_owned(),
        _ if verdict.optional => "optional".to_owned(),
        loss if loss > 0.0 => format!("an error of {loss:.3}"),
        _ => "right".to_owned(),
    };
    format!("{response}; the {} was {double})", verdict.double())
}

/// The rows that players know: equity, difference from the right action, and the errors in words.
fn table(answer: &CubeAnswer, opinions: &[Opinion], csv: bool) -> Table {
    let verdict = &answer.verdict;
    let (double, capital, doubling) = match verdict.redouble {
        false => ("double", "Double", "doubling"),
        true => ("redouble", "Redouble", "redoubling"),
    };
    let mwc = answer.mwc;
    let (unit, mwc_heading) = if mwc.is_some() { (">EMG", ">MWC") } else { (">equity", ">_MWC") };
    let names: Vec<String> = opinions.iter().map(|opinion| format!(">{}", opinion.name)).collect();
    let names = names.iter().map(String::as_str);
    // Programs have the losses as numbers.
    let last = if csv { [">loss", "of"] } else { ["_", "_"] };
    let heads = ["_action", unit, if csv { ">difference" } else { "" }].into_iter();
    let heads =
        heads.chain(names).chain([mwc_heading]).chain(last.into_iter().skip(usize::from(!csv)));
    let mut table = Table::new(heads);
    let mut has_best = false;
    type Figure = fn(&CubeFigures) -> f64;
    let mut row = |name: String,
                   (value, theirs): (f64, Figure),
                   mwc: Option<f64>,
                   (what, loss): (String, f64)| {
        let own = what.ends_with(doubling) == (answer.question == CubeQuestion::Double);
        let interval = answer.interval.filter(|_| own);
        let difference = value - answer.cubeful_equity;
        let is_best = difference.abs() < 0.0005;
        let difference = if is_best { String::new() } else { format!("({difference:+.3})") };
        let ours = [name, format::equity(value as f32), difference];
        let figure = |it: &CubeFigures| format::equity(theirs(it) as f32);
        let others = opinions.iter().map(|it| it.actions.as_ref().map_or_else(String::new, figure));
        // Two digits: cube errors in a match are a fraction of a percent.
        let mwc = mwc.map_or(String::new(), |mwc| format!("{} %", format::chance(mwc, 2)));
        let lost = match loss {
            loss if loss > CubeDecision::OPTIONAL => [format::loss(loss, interval), what],
            _ => [const { String::new() }; 2],
        };
        let lost = match &lost {
            _ if csv => lost.to_vec(),
            [loss, what] if !what.is_empty() => vec![format!("{what}: error {loss}")],
            _ => vec![String::new()],
        };
        let cells = ours.into_iter().chain(others).chain([mwc]).chain(lost);
        table.ranked_row(is_best && !has_best, cells);
        has_best |= is_best;
    };
    let no_double = answer.losses.map_or(0.0, |losses| losses.no_double);
    let (mwc_no_double, not) = (mwc.map(|mwc| mwc.mwc_no_double), format!("not {doubling}"));
    let ours: (f64, Figure) = (answer.no_double, |it| it.no_double);
    row(format!("No {double}"), ours, mwc_no_double, (not, no_double));
    let Some(losses) = answer.losses else { return table };
    let (mwc_take, mwc_pass) =
        mwc.map_or((None, None), |mwc| (mwc.mwc_double_take, mwc.mwc_double_pass));
    for response in [Response::Take, Response::Beaver, Response::Pass] {
        let (name, doing, loss) = match response {
            Response::Take => ("take", "taking", losses.take),
            Response::Beaver => ("beaver", "beavering", losses.beaver.unwrap_or(0.0)),
            Response::Pass => ("pass", "passing", losses.pass),
        };
        let (value, theirs, mwc): (_, Figure, _) = match response {
            Response::Take => (answer.double_take, |it| it.double_take, mwc_take),
            Response::Beaver => (answer.double_beaver, |it| 2.0 * it.double_take, None),
            Response::Pass => (answer.double_pass, |it| it.double_pass, mwc_pass),
        };
        let Some(value) = value else { continue };
        // A double is an error, if it is one, whatever the opponent does; the opponent errs
        // in the other rows.
        let error = match verdict.response == Some(response) {
            true => (doubling.to_owned(), losses.double),
            false => (doing.to_owned(), loss),
        };
        row(format!("{capital}, {name}"), (value, theirs), mwc, error);
    }
    table
}

/// What the decision is worth to the box of a chouette.
fn write_team(team: &TeamAnswer, out: &mut dyn Out) -> Outcome {
    let mut table = Table::plain(["", ">"]);
    let mut row = |what: String, points: f64| table.row([what, format!("{points:+.3}")]);
    row("no double".to_owned(), team.no_double);
    for (takers, points) in team.double_taken_by.iter().flatten().enumerate() {
        row(format!("double, {takers} of {} take", team.members), *points);
    }
    if let Some(points) = team.extra {
        row("an extra, to its giver".to_owned(), points);
    }
    let TeamAnswer { members, settled, .. } = team;
    writeln!(out, "\npoints of the box against {members} who play on, {settled:+} settled")?;
    Ok(table.write(out)?)
}
