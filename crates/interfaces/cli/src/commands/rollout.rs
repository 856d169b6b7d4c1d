//! `tavola rollout`: what a position or plays are worth by playing them out many times.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Args;
use tavola_engine::operations::{
    CubeQuestion, RolledAction, RolledFigures, RolledPlay, RolledPosition, Rollout, RolloutAnswer,
    RolloutResult,
};
use tavola_engine::{Effort, Engine, EngineEvent, ErrorKind, FullAnswer, Question, RolloutFile};
use tavola_equity::{CubeAction, Response};
use tavola_evaluator::Z_95;
use tavola_evaluator::remote::OnFleet;
use tavola_evaluator::rollout::{Ended, LaterPlay, RolloutSettings};
use tavola_files::{locked, unlocked};

use crate::about::AboutArgs;
use crate::args::{FleetArgs, RollArgs, example, on_fleet};
use crate::ask::{self, QuestionBars};
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::outputs::{Content, OutputFile, writes};
use crate::report::format;
use crate::report::progress::CountProgress;
use crate::report::table::{Out, Table};

/// Roll out a position or candidate plays.
///
/// With a roll, its best plays at 0-ply are rolled out side by side on the same dice; those that
/// clearly lose are dropped early. Without one, the position is rolled out before the roll. Every
/// figure is followed by its 95 % confidence interval, which assumes that the players were right.
/// Variance reduction subtracts the luck of all rolls.
///
/// Where there is a cube, both players use it in the games, equities are per unit of the cube (in a
/// match EMG), and a position is rolled out without a double and after a double that is taken, on
/// the same dice. With --cubeless figures are cubeless money figures. docs/search.md explains it
/// all.
///
/// The same seed gives the same figures on any number of threads, and after --resume.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola rollout 62aCAQPWnBsAAw\n  \
         tavola rollout 62aCAQPWnBsAAw --roll 42 --until-jsd 3 --trials 20000\n  \
         tavola rollout --roll 41 --play '24/23 13/9' --play '13/9 6/5'\n  \
         tavola rollout 62aCAQPWnBsAAw --match-length 7 --score 2-4\n  \
         tavola rollout - --until-se 0.01 < positions.txt\n  \
         tavola rollout 62aCAQPWnBsAAw --ply 1 --truncate 11 --save r.json\n  \
         tavola rollout 62aCAQPWnBsAAw --ply 1 --truncate 11 --resume r.json"
    )
)]
pub struct RolloutArgs {
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// Show the intervals of all probabilities, backgammons, and the cubeless equities beside those
    /// with the cube: wider than 80 columns
    #[arg(long)]
    pub wide: bool,
    /// The question.
    #[command(flatten)]
    pub rollout: Rollout,
    /// Save the rollout here every few seconds and at its end
    #[arg(long, value_name = "FILE", value_parser = writes(Content::SavedRollout))]
    pub save: Option<OutputFile>,
    /// Resume the rollout that was saved to this file, and save it there unless --save names
    /// another; number of trials and rules to stop may differ, all else must be the same
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// The fleet that plays the trials.
    #[command(flatten)]
    pub remote: FleetArgs,
    /// What it is about.
    #[command(flatten)]
    pub about: AboutArgs,
}

impl RolloutArgs {
    fn operation(&self) -> Outcome<Rollout> {
        let resume = self.resume.as_deref().map(|path| {
            RolloutFile::read(path).or_input_in(format_args!("cannot resume {}", path.display()))
        });
        Ok(Rollout { resume: resume.transpose()?, ..self.rollout.clone() })
    }

    /// Where to save, if anywhere.
    fn file(&self) -> Option<&Path> {
        self.save.as_deref().or(self.resume.as_deref())
    }
}

/// Rolls out.
pub fn run(args: &RolloutArgs, out: &mut dyn Out) -> Outcome {
    if args.about.are_many() && args.file().is_some() {
        return Err(Failure::input("--save and --resume take one position, not many"));
    }
    let fleet = args.remote.connect(None)?;
    args.about.answer(Some(&args.roll), Effort::default(), out, |engine, question, _, out| {
        answer(args, engine, on_fleet(&fleet), question, out)
    })
}

fn answer(
    args: &RolloutArgs,
    engine: &Engine,
    on_fleet: Option<OnFleet<'_>>,
    question: &Question,
    out: &mut dyn Out,
) -> Outcome {
    let operation = args.operation()?;
    let file = args.file();
    let started = Instant::now();
    let answered = roll(engine, on_fleet, question, &operation, file)?;
    let (time, answer) = (started.elapsed(), &answered.answer);
    let settings = operation.settings();
    if !(args.about.output.json && ask::write_answer(&answered, out)?) {
        ask::write_board(&answered, &args.about.board, out)?;
        if let Some(terms) = &answer.terms {
            writeln!(out, "{terms}")?;
        }
        let cubeless = if answer.terms.is_some() { "" } else { " (cubeless)" };
        let dice = format::dice(answered.dice.as_deref());
        match &answer.rolled {
            RolloutResult::Plays { plays, .. } if plays.is_empty() => {
                writeln!(out, "{dice}: no legal play")?;
            }
            RolloutResult::Plays { plays, best_is_right } => {
                let (number, games) = (format::plural(plays.len(), "play"), games(answer.trials));
                writeln!(
                    out,
                    "{dice}: {number}, up to {games} each on the same dice{cubeless}:\n"
                )?;
                table_of_plays(plays, args.wide).write(out)?;
                if plays.iter().any(|play| play.dropped) {
                    writeln!(out, "* dropped: clearly worse after the trials shown")?;
                }
                if let Some(best_is_right) = best_is_right {
                    // A probability is never certain.
                    let percent = format::percent((*best_is_right as f32).min(0.999));
                    let (least, why) = match answer.ended {
                        Some(Ended::Lead) => ("at least ", " (each look at the lead counted)"),
                        _ => ("", ""),
                    };
                    write!(out, "\n{least}{percent} % probability that the first play is better")?;
                    writeln!(out, "{why}")?;
                }
                write_how(&plays[0].figures, &settings, time, engine, out)?;
            }
            RolloutResult::Position(position) => {
                write_position(position, out)?;
                write_how(&position.figures, &settings, time, engine, out)?;
            }
        }
    }
    if answer.ended != Some(Ended::Canceled) {
        return Ok(());
    }
    let done = games(answer.trials);
    Err(Failure::stopped(match file {
        Some(file) => format!(
            "stopped after {done} each; resume with the same command and --resume {}",
            format::shell_word(file.display())
        ),
        None => format!("stopped after {done} each; with --save FILE it could be resumed"),
    }))
}

fn games(number: u64) -> String {
    format::plural(usize::try_from(number).unwrap_or(usize::MAX), "game")
}

/// Plays the games, shows how it goes and saves now and then.
fn roll(
    engine: &Engine,
    on_fleet: Option<OnFleet<'_>>,
    question: &Question,
    operation: &Rollout,
    file: Option<&Path>,
) -> Outcome<FullAnswer<RolloutAnswer>> {
    let cancel = cancel::on_interrupt(match file {
        Some(_) => "stopping and saving after the games that are being played",
        None => "stopping; the games that are being played do not count",
    })?;
    let (shown, bar) = (QuestionBars::new(), CountProgress::new(operation.trials, "games"));
    let saving = file.map(|path| Mutex::new(RolloutFile::new(path)));
    let events = |event: EngineEvent<'_>| match event {
        EngineEvent::Rollout(so_far) => {
            let equity = with_error((so_far.equity.mean, so_far.equity.standard_error));
            let best = so_far.best.as_ref().map(|play| format!("{play} ")).unwrap_or_default();
            bar.done_so_far(so_far.trials, format!("{best}{equity} (95 %)"));
            if let Some(saving) = &saving {
                locked(saving).keep(so_far, cancel);
            }
        }
        event => shown.show(event),
    };
    let watch = tavola_engine::Watch { cancel, events: &events };
    let answered = engine.ask_on(on_fleet, question, operation, &watch);
    drop((bar, shown));
    let answered = answered.map_err(|error| match (error.kind(), file) {
        (ErrorKind::Resume, Some(file)) => {
            Failure::input(format_args!("cannot resume {}: {error}", file.display()))
        }
        _ => error.into(),
    })?;
    if let (Some(saving), Some(path)) = (saving, file) {
        let saving = unlocked(saving);
        let cannot = format!("cannot save to {}", path.display());
        saving.kept().or_work_in(&cannot)?;
        if let Some(saved) = &answered.answer.saved {
            RolloutFile::write(path, saved).or_work_in(cannot)?;
        }
    }
    Ok(answered)
}

/// `+0.123 ± 0.004`, the 95 % interval of a mean and its standard error.
fn with_error((mean, error): (f64, f64)) -> String {
    format!("{} ± {:.3}", format::equity(mean as f32), Z_95 * error)
}

/// The equity without the cube, with its interval.
fn cubeless(figures: &RolledFigures) -> String {
    with_error((figures.equity, figures.equity_se))
}

/// A probability in percent: `54.3 ± 0.2`.
fn percent((probability, error): (f64, f64)) -> String {
    format!("{} ± {:.1}", format::percent(probability as f32), 100.0 * Z_95 * error)
}

/// The five probabilities with their errors.
fn five(figures: &RolledFigures) -> [(f64, f64); 5] {
    std::array::from_fn(|i| (figures.probs[i], figures.probs_se[i]))
}

/// What candidates are compared by, and its standard error: the equity with the cube, if there is
/// one.
fn compared(figures: &RolledFigures) -> (f64, f64) {
    match figures.cubeful {
        Some(cubeful) => (cubeful.cubeful_equity, cubeful.cubeful_equity_se),
        None => (figures.equity, figures.equity_se),
    }
}

/// Match-winning probabilities in words, in a match.
fn mwc(figures: &RolledFigures) -> String {
    let mwc = figures.cubeful.and_then(|cubeful| cubeful.mwc.zip(cubeful.mwc_se));
    mwc.map_or_else(String::new, |mwc| format!(", {} % to win the match", percent(mwc)))
}

fn write_position(position: &RolledPosition, out: &mut dyn Out) -> Outcome {
    let figures = &position.figures;
    if let Some(action) = &position.action {
        write_action(action, figures, out)?;
    } else {
        let (equity, games) = (with_error(compared(figures)), games(figures.trials));
        write!(out, "equity {equity} for the player on roll")?;
        if figures.cubeful.is_some() {
            writeln!(out, " with the cube{}, {games}", mwc(figures))?;
            writeln!(out, "       {} cubeless", cubeless(figures))?;
        } else {
            writeln!(out, " (cubeless), {games}")?;
        }
    }
    let mut table = Table::new(["percent", ">any", ">gammon", ">backgammon"]);
    let [win, gammon, backgammon, lose_gammon, lose_backgammon] = five(figures);
    table.row(["wins", &percent(win), &percent(gammon), &percent(backgammon)]);
    let lose = (1.0 - win.0, win.1);
    table.row(["loses", &percent(lose), &percent(lose_gammon), &percent(lose_backgammon)]);
    Ok(table.write_apart(out)?)
}

/// What is to be decided, in the words of players.
fn headline(action: &RolledAction) -> String {
    let verdict = &action.verdict;
    if action.question == CubeQuestion::Double {
        return verdict.to_string();
    }
    let response = match verdict.response {
        Some(Response::Pass) => "pass",
        Some(Response::Beaver) => "beaver",
        Some(Response::Take) | None => "take",
    };
    let double = match verdict.action {
        _ if verdict.dead => "without effect, as the cube is dead",
        _ if verdict.optional => "optional",
        CubeAction::DoubleTake | CubeAction::DoublePass => "right",
        _ => "an error",
    };
    format!("{response}; the {} was {double}", verdict.double())
}

/// The cube action and its alternatives.
fn write_action(action: &RolledAction, figures: &RolledFigures, out: &mut dyn Out) -> Outcome {
    let (mwc, games) = (mwc(figures), games(figures.trials));
    writeln!(out, "{}{mwc}, {games} each on the same dice", headline(action))?;
    if action.question == CubeQuestion::Response {
        writeln!(out, "figures for the player on roll, who has doubled")?;
    }
    let double = action.verdict.double();
    let mut table = Table::new(["_action", ">equity"]);
    table.row([format!("no {double}"), with_error((action.no_double, action.no_double_se))]);
    let take = with_error((action.double_take, action.double_take_se));
    table.row([format!("{double}, take"), take]);
    if let Some(beaver) = action.double_beaver.zip(action.double_beaver_se) {
        table.row([format!("{double}, beaver"), with_error(beaver)]);
    }
    table.row([format!("{double}, pass"), format::equity(action.double_pass as f32)]);
    table.write_apart(out)?;
    writeln!(out)?;
    let doubling = if action.verdict.redouble { "redoubling" } else { "doubling" };
    let taking = match action.verdict.response {
        Some(Response::Beaver) => "beavering",
        _ => "taking",
    };
    let gained = (action.gain_of_doubling, action.gain_of_doubling_se);
    let kept = (action.gain_of_taking, action.gain_of_taking_se);
    for (what, gain, right) in
        [(doubling, gained, action.double_is_right), (taking, kept, action.take_is_right)]
    {
        let (gain, right) = (with_error(gain), format::percent(right as f32));
        writeln!(out, "{what} gains {gain} and is right with a probability of {right} %")?;
    }
    Ok(writeln!(out, "without a {double} {} cubeless, and:", cubeless(figures))?)
}

/// How the games were played, and how much less spread variance reduction has left.
fn write_how(
    best: &RolledFigures,
    settings: &RolloutSettings,
    time: Duration,
    engine: &Engine,
    out: &mut dyn Out,
) -> Outcome {
    let RolloutSettings { seed, truncate, leaf, play, later, doubling, look_again, .. } = settings;
    let error = compared(best).1;
    let mut how = format!("{}-ply", play.ply);
    if let Some(LaterPlay { after, play }) = later {
        how += &format!(", {}-ply after {after} turns", play.ply);
    }
    how += &match truncate {
        Some(rolls) if leaf.ply > 0 => {
            format!(", cut after {rolls} rolls and evaluated there at {}-ply", leaf.ply)
        }
        Some(rolls) => format!(", cut after {rolls} rolls"),
        None => ", to the end".to_owned(),
    };
    if best.cubeful.is_some() && doubling.ply > 0 {
        how += &format!(", {}-ply cube decisions", doubling.ply);
    }
    let threads = format::plural(engine.threads().get(), "thread");
    let time = format::duration(time);
    writeln!(out, "\n± is the 95 % interval; {how}, seed {seed}, {time} on {threads}")?;
    if best.cubeful.is_some() && doubling.ply == 0 && look_again.is_some() {
        writeln!(out, "cubes that are close at 0-ply are decided at 1-ply")?;
    }
    if let Some(plain) = best.plain_equity_se
        && error > 0.0
        && plain.is_finite()
    {
        let root = (best.trials as f64).sqrt();
        let (with, without) = (error * root, plain * root);
        write!(out, "variance reduction: SD of a game {with:.3}, ")?;
        if plain > error {
            writeln!(out, "without it {without:.3}, {:.1} times less", plain / error)?;
        } else {
            writeln!(
                out,
                "and {without:.3} without:\nthe network evaluates these games wrongly, "
            )?;
            writeln!(out, "so --no-vr has the smaller intervals")?;
        }
    }
    Ok(())
}

/// The plays; `wide` adds what does not fit 80 columns.
fn table_of_plays(plays: &[RolledPlay], wide: bool) -> Table {
    let with_cube = plays.iter().any(|play| play.figures.cubeful.is_some());
    let mut headings = vec![">_rank", "play", ">games"];
    headings.extend(match (with_cube, wide) {
        (true, true) => &[">cubeful", ">cubeless"][..],
        (true, false) => &[">cubeful"],
        (false, _) => &[">equity"],
    });
    headings.push(">loss");
    headings.extend(if wide { &format::CHANCE_HEADINGS[..] } else { &[">W", ">WG", ">LG"] });
    let mut table = Table::new(headings);
    for (rank, play) in plays.iter().enumerate() {
        let loss = match rank {
            0 => String::new(),
            _ => format!("{:+.3} ± {:.3}", -play.loss, Z_95 * play.loss_se),
        };
        let figures = &play.figures;
        let (games, mark) = (format::count(figures.trials), if play.dropped { "*" } else { "" });
        let mut cells = vec![(rank + 1).to_string(), play.play.clone(), format!("{games}{mark}")];
        cells.extend(with_cube.then(|| with_error(compared(figures))));
        cells.extend((wide || !with_cube).then(|| cubeless(figures)));
        cells.push(loss);
        let [win, gammon, _, lose_gammon, _] = five(figures);
        match wide {
            true => cells.extend(five(figures).map(percent)),
            false => {
                cells.extend([win, gammon, lose_gammon].map(|(p, _)| format::percent(p as f32)));
            }
        }
        table.ranked_row(rank == 0, cells);
    }
    table
}
