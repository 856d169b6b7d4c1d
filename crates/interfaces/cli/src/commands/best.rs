//! `tavola best`: the plays of a roll, best first.

use clap::{Args, ValueEnum};
use tavola_engine::operations::{Best, EvaluatedPlay, Matrix, PlayMatrix};
use tavola_engine::{Effort, Engine, Question, TwoOrMany};
use tavola_matches::analysis::{OpenDecision, Opinion};

use crate::about::AboutArgs;
use crate::args::{RollArgs, example};
use crate::ask;
use crate::beside::{self, BesideArgs, Running};
use crate::commands::cube;
use crate::failure::{Outcome, refuse_given};
use crate::many;
use crate::report::format;
use crate::report::table::{Out, Table};
use crate::report::xg_text::{self, XgTextArg};

mod matrix;
mod reasons;

/// Rank the plays of a roll, best first.
///
/// Prints the board, then every play with its equity (expected points per game with the cube at 1,
/// seen by the player who makes the play), what it loses to the best play with its 95 % interval,
/// and the five probabilities in percent: win, win a gammon or better, win a backgammon, lose a
/// gammon or worse, lose a backgammon.
///
/// Plays are evaluated at 2-ply unless --ply says otherwise. The first ten that are shown are
/// evaluated at the full depth and can be compared. Rows marked ~ are less deep. docs/search.md
/// explains the presets.
///
/// In games with a cube the plays are ranked by what they are worth with it: the column cubeful,
/// per unit of the cube, in a match EMG; --cubeless ranks by the column cubeless. docs/cube.md
/// explains it. Races that the bear-off databases know have the player's EPC and expected rolls
/// after the play.
///
/// With --matrix the best play at every score is printed; --errors adds what the best play for money
/// loses there.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola best --roll 31\n  \
         tavola best XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10 --top 3\n  \
         tavola best 4HPwATDgc/ABMA --roll 6-4 --json\n  \
         tavola best 62aCAQPWnBsAAw --roll 42 --ply 3 --preset wide\n  \
         tavola best 62aCAQPWnBsAAw --roll 42 --time 500ms\n  \
         tavola best 62aCAQPWnBsAAw --roll 42 --top 2 --explain\n  \
         tavola best --roll 31 --played '13/10 6/5'\n  \
         tavola best --roll 43 --beside gnubg:2,sage:3ply\n  \
         tavola best 62aCAQPWnBsAAw --roll 42 --match-length 7 --score 3-5\n  \
         tavola best --roll 21 --matrix --away 5\n  \
         tavola best --input positions.txt --top 1 --json\n  \
         tavola best --game puff --roll 52"
    )
)]
pub struct BestArgs {
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// The question.
    #[command(flatten)]
    pub best: Best,
    /// How much work goes into the answer.
    #[command(flatten)]
    pub effort: Effort,
    /// Say in sentences why the best play is better than the next; `full` adds what each play
    /// changes, what it risks, and which replies it allows
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true,
          default_missing_value = "short", conflicts_with = "xg_text")]
    pub explain: Option<Explain>,
    /// Print the best play at every score, whatever the score
    #[arg(long, conflicts_with_all = ["match_length", "xg_text", "explain", "played", "top", "cubeful", "beside"])]
    pub matrix: bool,
    /// Points to go up to which the matrix extends, 2 to 25 [default: 9]
    #[arg(long, value_name = "POINTS", requires = "matrix", value_parser = cube::away())]
    pub away: Option<u16>,
    /// Print below each play of the matrix what the best play for money loses, in thousandths
    #[arg(long, requires = "matrix")]
    pub errors: bool,
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

/// How much is said of each play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Explain {
    /// A few sentences.
    Short,
    /// Every change, blots, the best and worst replies.
    Full,
}

/// The plays that are answered without --top.
const TOP: u32 = 5;

/// Ranks the plays.
pub fn run(args: &BestArgs, out: &mut dyn Out) -> Outcome {
    let is_cubeful = args.best.cubeful.unwrap_or(true);
    let mut others = args.beside.run(&args.about.position.game, is_cubeful)?;
    args.about.answer(Some(&args.roll), args.effort, out, |engine, question, said, out| {
        answer(args, engine, question, (&mut others, said), out)
    })
}

fn answer(
    args: &BestArgs,
    engine: &Engine,
    question: &Question,
    (others, said): (&mut Running, Option<&OpenDecision>),
    out: &mut dyn Out,
) -> Outcome {
    let operation = Best {
        top: Some(args.best.top.unwrap_or(TOP)),
        explain: args.explain.is_some(),
        ..args.best.clone()
    };
    if question.game.many().is_some() {
        refuse_given([("--xg-text", args.form.xg_text), ("--matrix", args.matrix)], |name| {
            format!("{name} is given, expected it in games for two alone")
        })?;
    }
    if args.matrix {
        let away = args.away.unwrap_or(Matrix::DEFAULT_AWAY);
        let answered = ask::ask(engine, question, &PlayMatrix { away })?;
        if args.about.output.json && ask::write_answer(&answered, out)? {
            return Ok(());
        }
        ask::write_board(&answered, &args.about.board, out)?;
        let dice = format::dice(answered.dice.as_deref());
        return matrix::write(&answered.answer, &dice, args.errors, out);
    }
    let answered = match ask::ask_any(engine, question, &operation)? {
        TwoOrMany::Two(answered) => answered,
        TwoOrMany::Many(answered) => {
            return many::write_plays(&answered, question.effort, &args.about, out);
        }
    };
    let answer = &answered.answer;
    let (plays, legal) = (&answer.plays, answer.legal);
    let opinions = others.on_plays(&question.game, &answered, said)?;
    if args.about.output.json && beside::write_answer(&answered, &opinions, out)? {
        return Ok(());
    }
    if args.form.xg_text && xg_text::write_plays(&answered, out)? {
        return Ok(());
    }
    if !ask::write_board(&answered, &args.about.board, out)? {
        return Ok(());
    }
    let dice = format::dice(answered.dice.as_deref());
    if plays.is_empty() {
        writeln!(out, "{dice}: no legal play")?;
        return Ok(());
    }
    let mut depth = one_depth(plays).map_or_else(String::new, |ply| format!(" at {ply}-ply"));
    if let Some(level) = args.effort.level.filter(|it| it.rollout().is_some() && !depth.is_empty())
    {
        depth += &format!(" ({level}: nothing is close)");
    }
    let shown = plays.len();
    let best = if shown < legal { format!(", the best {shown}") } else { String::new() };
    writeln!(out, "{dice}: {}{best}{depth}:", format::plural(legal, "play"))?;
    if let Some(terms) = &answer.terms {
        writeln!(out, "{terms}")?;
    }
    table(plays, &opinions).write_apart(out)?;
    write_opinions(plays, &opinions, out)?;
    if let Some(spread) = plays.iter().find_map(|play| play.rollout) {
        writeln!(out, "\nroll: up to {} games each, ± is the 95 % interval", spread.trials)?;
    }
    if let Some(certainty) = answer.sure {
        match (certainty.certain, plays.get(1)) {
            (false, Some(second)) => {
                let apart = format!("{:.3}{}", second.loss, format::within(second.interval));
                let [best, second] = [&plays[0].play, &second.play];
                writeln!(out, "\nbest play: {best} or {second} ({apart})")?;
                writeln!(out, "{certainty}; more time may tell")?;
            }
            _ => writeln!(out, "\n{}: {certainty}", plays[0].play)?,
        }
    }
    if plays.iter().any(|play| play.ply < plays[0].ply) {
        writeln!(out, "\n~ evaluated less deep than the first play: not to be compared with it")?;
    }
    if let Some(played) = &answer.played {
        writeln!(out, "\n{}", verdict(played, &plays[0]))?;
    }
    match args.explain {
        Some(Explain::Short) => answer.why.iter().try_for_each(|sentence| {
            writeln!(out)?;
            Ok(out.prose(sentence)?)
        }),
        Some(Explain::Full) => reasons::write(answer, out),
        None => Ok(()),
    }
}

/// Which play each of the other engines thinks best, and what ours loses then.
fn write_opinions(plays: &[EvaluatedPlay], opinions: &[Opinion], out: &mut dyn Out) -> Outcome {
    for (number, Opinion { name, engine, best, plays: theirs, .. }) in opinions.iter().enumerate() {
        let ours = theirs.iter().find(|it| it.play == plays[0].play);
        let loss = match ours.filter(|it| it.loss > 0.0) {
            Some(ours) => format!(", {} loses {:.3}", ours.play, ours.loss),
            None => String::new(),
        };
        let gap = if number == 0 { "\n" } else { "" };
        writeln!(out, "{gap}{name}: {best}{loss} ({engine})")?;
    }
    Ok(())
}

/// What the play that was made loses.
fn verdict(played: &EvaluatedPlay, best: &EvaluatedPlay) -> String {
    let EvaluatedPlay { play, ply, loss, interval, .. } = played;
    let mark = if *ply < best.ply { "~" } else { "" };
    let error = match *loss > 0.0 {
        true => {
            format!("error {mark}{} against {}", format::loss((*loss).into(), *interval), best.play)
        }
        false => "no error".to_owned(),
    };
    format!("played {play}: {error} ({ply}-ply)")
}

/// The depth of all plays, if it is the same and none was rolled out.
fn one_depth(plays: &[EvaluatedPlay]) -> Option<u8> {
    let first = plays.first()?.ply;
    plays.iter().all(|play| play.ply == first && play.rollout.is_none()).then_some(first)
}

fn table(plays: &[EvaluatedPlay], opinions: &[Opinion]) -> Table {
    let with_cube = plays.first().is_some_and(|play| play.cubeful.is_some());
    let one_depth = one_depth(plays).is_some();
    let mut headings = vec![">_rank", "play"];
    headings.extend((!one_depth).then_some(">ply"));
    headings.extend(match with_cube {
        true => &[">cubeful", ">loss", ">cubeless"][..],
        false => &[">equity", ">loss"],
    });
    let names: Vec<String> = opinions.iter().map(|opinion| format!(">{}", opinion.name)).collect();
    headings.extend(names.iter().map(String::as_str));
    headings.extend(format::CHANCE_HEADINGS);
    let is_race = plays.iter().any(|play| play.race.is_some());
    headings.extend(is_race.then_some([">EPC", ">rolls"]).into_iter().flatten());
    let mut table = Table::new(headings);
    for (i, play) in plays.iter().enumerate() {
        let mark = if play.ply < plays[0].ply { "~" } else { "" };
        let loss = format::loss(play.loss.into(), play.interval);
        let loss = if i == 0 { String::new() } else { loss };
        let ply = play.rollout.map_or_else(|| play.ply.to_string(), |_| "roll".to_owned());
        let rank = (i + 1).to_string();
        let equity = |equity| format!("{mark}{}", format::equity(equity));
        let mut cells = vec![rank, play.play.clone()];
        if !one_depth {
            cells.push(ply);
        }
        match play.cubeful {
            Some(figures) => {
                cells.extend([equity(figures.cubeful_equity as f32), loss, equity(play.equity)])
            }
            None => cells.extend([equity(play.equity), loss]),
        }
        cells.extend(opinions.iter().map(|opinion| {
            let theirs = opinion.plays.iter().find(|it| it.play == play.play);
            theirs.map_or_else(String::new, |it| format::equity(it.equity as f32))
        }));
        cells.extend(format::probabilities(&play.probs));
        if is_race {
            let race = play.race.map(|side| [side.epc, side.rolls].map(|it| format!("{it:.2}")));
            cells.extend(race.unwrap_or_default());
        }
        table.ranked_row(i == 0, cells);
    }
    table
}
