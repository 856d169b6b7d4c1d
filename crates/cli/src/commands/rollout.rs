//! `tavola rollout`: what a position or plays are worth by playing them out many times.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use tavola_evaluator::Preset;
use tavola_evaluator::rollout::{
    Ended, Estimate, FirstRolls, LaterPlay, Luck, Rollout, RolloutSettings, RolloutWatch,
    SavedRollout, StopRules,
};
use tavola_evaluator::search::MAX_PLY;
use tavola_rules::notation::{encode_position_id, parse_play};
use tavola_rules::{Backgammon, Dice, Position};

use crate::args::{
    BoardArgs, ModelArg, OutputArgs, PositionArgs, RollArgs, TableArgs, ThreadArgs, example,
};
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::judge::Judge;
use crate::query;
use crate::question::Question;
use crate::report::progress::RolloutProgress;
use crate::report::table::{Align, Table};
use crate::report::{board, format};
use crate::rollout::{self, Candidates, DEFAULT_TOP, DEFAULT_TRIALS, MOST_TRIALS, Rolled, Run};

/// Arguments of `rollout`.
#[derive(Debug, Args)]
#[command(
    about = "Play a position or plays out many times",
    long_about = "Play a position or plays out many times, and say how sure the result is.\n\n\
        With a roll, its best plays at 0-ply are rolled out side by side on the same dice; those \
        that clearly lose are dropped early. Without one, the position is rolled out before the \
        roll. Every figure is followed by its standard error: two times in three the truth is no \
        farther off, if the players were right. The first two rolls of the games come as often as \
        they should, and the luck of all rolls is taken off, which needs no more trust in the \
        network. Figures are cubeless money figures. docs/rollouts.md explains it all.\n\n\
        The same seed gives the same figures on any number of threads, and a rollout that was \
        saved and resumed has those of an unbroken one.",
    after_help = example(
        "  tavola rollout 62aCAQPWnBsAAw\n  \
         tavola rollout 62aCAQPWnBsAAw --roll 42 --until-jsd 3 --trials 20000\n  \
         tavola rollout --roll 41 --play '24/23 13/9' --play '13/9 6/5'\n  \
         tavola rollout 62aCAQPWnBsAAw --ply 1 --truncate 11 --save r.json\n  \
         tavola rollout 62aCAQPWnBsAAw --ply 1 --truncate 11 --resume r.json"
    )
)]
pub struct RolloutArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// How many of the roll's best plays to roll out [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=500), conflicts_with = "play")]
    pub top: Option<u16>,
    /// Roll out this play; may be repeated
    #[arg(long, value_name = "PLAY")]
    pub play: Vec<String>,
    /// Games for the position or each play, at most; in 1,296 every pair of first rolls comes once
    #[arg(long, value_name = "N", default_value_t = DEFAULT_TRIALS, value_parser = clap::value_parser!(u64).range(2..=MOST_TRIALS))]
    pub trials: u64,
    /// Seed of the dice
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Cut games short after so many rolls and judge them there by network or table
    #[arg(long, value_name = "N")]
    pub truncate: Option<NonZeroU32>,
    /// Rolls to look ahead where games are cut short, 0 to 3
    #[arg(long, value_name = "N", default_value_t = 0, requires = "truncate", value_parser = clap::value_parser!(u8).range(..=i64::from(MAX_PLY)))]
    pub leaf_ply: u8,
    /// Rolls to look ahead for each play of the games, 0 to 3
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=i64::from(MAX_PLY)))]
    pub ply: u8,
    /// How wide to look: fast, normal, wide or full
    #[arg(long, value_name = "NAME", default_value_t)]
    pub preset: Preset,
    /// Rolls to look ahead once --later-from turns are played
    #[arg(long, value_name = "N", requires = "later_from", value_parser = clap::value_parser!(u8).range(..=i64::from(MAX_PLY)))]
    pub later_ply: Option<u8>,
    /// Turns of both sides after which --later-ply applies
    #[arg(long, value_name = "N", requires = "later_ply")]
    pub later_from: Option<NonZeroU32>,
    /// Leave the luck of the dice in the results
    #[arg(long)]
    pub no_vr: bool,
    /// Draw the first two rolls like all others
    #[arg(long)]
    pub random_dice: bool,
    /// Stop once the equity of all that is still rolled out has this standard error, in points
    #[arg(long, value_name = "X", value_parser = positive)]
    pub until_se: Option<f64>,
    /// Stop once the best play is ahead of all others by so many standard errors of the difference
    #[arg(long, value_name = "X", value_parser = positive)]
    pub until_jsd: Option<f64>,
    /// Drop a play once it is behind by so many standard errors of the difference
    #[arg(long, value_name = "X", default_value_t = 4.0, value_parser = positive)]
    pub drop_jsd: f64,
    /// Drop no play
    #[arg(long, conflicts_with = "drop_jsd")]
    pub keep_all: bool,
    /// Save the rollout to this file every few seconds and when it ends or is stopped
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Go on with the rollout that was saved to this file, and save it there unless --save names
    /// another; number of trials and rules to stop may differ, all else must be the same
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// The judge.
    #[command(flatten)]
    pub model: ModelArg,
    /// Endgame tables.
    #[command(flatten)]
    pub tables: TableArgs,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// A positive, finite number, as it is typed.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

/// How often a rollout is saved.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// The result as JSON.
#[derive(Serialize)]
struct Answer {
    position: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    dice: Option<Dice>,
    #[serde(flatten)]
    rolled: Rolled,
    #[serde(flatten)]
    run: Run,
    seconds: f64,
}

impl RolloutArgs {
    fn settings(&self) -> RolloutSettings {
        let later = self.later_from.zip(self.later_ply);
        RolloutSettings {
            trials: self.trials,
            seed: self.seed,
            truncate: self.truncate,
            leaf: self.preset.at(self.leaf_ply),
            dice: if self.random_dice { FirstRolls::Random } else { FirstRolls::Stratified },
            luck: if self.no_vr { Luck::Left } else { Luck::TakenOff },
            play: self.preset.at(self.ply),
            later: later.map(|(after, ply)| LaterPlay { after, play: self.preset.at(ply) }),
            doubling: RolloutSettings::default().doubling,
            stop: StopRules { standard_error: self.until_se, lead: self.until_jsd },
            drop: (!self.keep_all).then_some(self.drop_jsd),
        }
    }

    /// What is to be rolled out; `None` if there is a roll and no play of it.
    fn candidates(
        &self,
        judge: &mut Judge<tavola_evaluator::TableEvaluator>,
        position: &Position,
        dice: Option<Dice>,
    ) -> Outcome<Option<Candidates>> {
        let Some(dice) = dice else {
            return match self.play.is_empty() && self.top.is_none() {
                true => Ok(Some(Candidates::Position)),
                false => Err(Failure::input(
                    "plays are asked for without a roll, expected --roll 31 beside them",
                )),
            };
        };
        if !self.play.is_empty() {
            let mut plays: Vec<(String, Position)> = Vec::new();
            for text in &self.play {
                let (play, after) = parse_play(text, position, dice).or_input()?;
                if plays.iter().any(|(_, other)| *other == after) {
                    return Err(Failure::input(format_args!(
                        "the play {text:?} is asked for twice, expected different ones"
                    )));
                }
                plays.push((play.to_string(), after));
            }
            return Ok(Some(Candidates::Plays(plays)));
        }
        let top = self.top.map_or(DEFAULT_TOP, usize::from);
        let plays = rollout::best_plays(&mut judge.evaluator, position, dice, top);
        Ok((!plays.is_empty()).then_some(Candidates::Plays(plays)))
    }
}

/// Rolls out.
pub fn run(args: &RolloutArgs, out: &mut dyn Write) -> Outcome {
    let question = Question::with_roll(&args.position, &args.roll)?;
    let (position, dice) = (question.situation.position, question.situation.dice);
    if let Some(outcome) = query::outcome(&position) {
        return Err(Failure::input(format_args!(
            "{}: there is nothing to roll out, expected a position in which the game goes on",
            board::outcome(outcome).trim_end_matches('.')
        )));
    }
    let mut judge = Judge::load(args.model.model.as_deref(), &args.tables)?;
    if let Some(warning) = judge.suits(question.game)? {
        warning.print();
    }
    let Some(candidates) = args.candidates(&mut judge, &position, dice)? else {
        return no_play(args, &question, out);
    };
    let pruning = judge.pruning()?;
    let (settings, threads) = (args.settings(), args.threads.count());
    let mut rollout =
        rollout::start(&judge, pruning.as_deref(), settings, threads, &position, &candidates)
            .or_input()?;
    let file = prepare(args, &mut rollout)?;
    let (ended, time) = roll(&mut rollout, file, &candidates)?;

    if args.output.json {
        let answer = Answer {
            position: encode_position_id(&position),
            dice,
            rolled: rollout::answer(&rollout, &candidates),
            run: Run { ended, seed: args.seed },
            seconds: time.as_secs_f64(),
        };
        serde_json::to_writer(&mut *out, &answer)?;
        writeln!(out)?;
    } else {
        board::write(&question.situation, &args.board, out)?;
        writeln!(out)?;
        write_text(&rollout, &candidates, dice, time, threads, out)?;
    }
    if ended != Ended::Cancelled {
        return Ok(());
    }
    let done = format::plural(usize::try_from(rollout.trials()).unwrap_or(usize::MAX), "game");
    Err(Failure::stopped(match file {
        Some(file) => format!(
            "stopped after {done} each; go on with the same command and --resume {}",
            file.display()
        ),
        None => format!("stopped after {done} each, which are lost; --save FILE keeps them"),
    }))
}

/// There is a roll, and the player can't move.
fn no_play(args: &RolloutArgs, question: &Question, out: &mut dyn Write) -> Outcome {
    let position = &question.situation.position;
    if args.output.json {
        let dice = question.situation.dice;
        let answer = serde_json::json!({
            "position": encode_position_id(position), "dice": dice, "plays": []
        });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    board::write(&question.situation, &args.board, out)?;
    writeln!(out, "\n{}: no legal play", question.dice()?)?;
    Ok(())
}

/// Goes on with what was saved, if that is wanted, and says where to save.
fn prepare<'a>(
    args: &'a RolloutArgs,
    rollout: &mut Rollout<Backgammon>,
) -> Outcome<Option<&'a Path>> {
    if let Some(path) = &args.resume {
        let saved = read(path).or_input_in(format_args!("cannot go on with {}", path.display()))?;
        let cannot = format!("cannot go on with {}", path.display());
        rollout.resume(saved).or_input_in(cannot)?;
    }
    let file = args.save.as_deref().or(args.resume.as_deref());
    if let Some(path) = file {
        if args.resume.as_deref() != Some(path) && path.exists() {
            return Err(Failure::input(format_args!(
                "{} exists already, expected --resume to go on with it or another name",
                path.display()
            )));
        }
        // At once, so that a place where nothing can be written is noticed now.
        save(rollout, path).or_input_in(format_args!("cannot save to {}", path.display()))?;
    }
    Ok(file)
}

fn read(path: &Path) -> io::Result<SavedRollout> {
    Ok(serde_json::from_reader(BufReader::new(File::open(path)?))?)
}

/// Puts the rollout into the file: after a crash at any moment it holds the old or the new one.
fn save(rollout: &Rollout<Backgammon>, path: &Path) -> io::Result<()> {
    tavola_files::write(path, &serde_json::to_vec(&rollout.save())?)
}

/// Plays the games, shows how it goes and saves now and then.
fn roll(
    rollout: &mut Rollout<Backgammon>,
    file: Option<&Path>,
    candidates: &Candidates,
) -> Outcome<(Ended, Duration)> {
    let cancel: &AtomicBool = cancel::on_interrupt(match file {
        Some(_) => "stopping and saving after the games that are being played",
        None => "stopping after the games that are being played",
    })?;
    let progress = RolloutProgress::new(rollout.settings().trials);
    let started = Instant::now();
    let (mut saved, mut failure) = (Instant::now(), None);
    let ended = rollout.run(&mut RolloutWatch {
        cancel,
        progress: &mut |rollout| {
            progress.played(rollout.trials(), so_far(rollout, candidates));
            if let Some(path) = file
                && saved.elapsed() >= SAVE_EVERY
                && failure.is_none()
            {
                if let Err(error) = save(rollout, path) {
                    failure = Some(error);
                    cancel.store(true, Ordering::Relaxed);
                }
                saved = Instant::now();
            }
        },
    });
    progress.finish();
    let time = started.elapsed();
    if let Some(path) = file {
        let last = failure.map_or_else(|| save(rollout, path), Err);
        last.or_work_in(format_args!("cannot save to {}", path.display()))?;
    }
    Ok((ended, time))
}

/// The best figure so far, for the bar.
fn so_far(rollout: &Rollout<Backgammon>, candidates: &Candidates) -> String {
    let best = rollout.best();
    let equity = with_error(rollout.figures(best).equity());
    match candidates {
        Candidates::Position => equity,
        Candidates::Plays(plays) => format!("{} {equity}", plays[best].0),
    }
}

/// `+0.123 ± 0.004`.
fn with_error(estimate: Estimate) -> String {
    format!("{} ± {:.3}", format::equity(estimate.mean as f32), estimate.standard_error)
}

/// A chance in percent: `54.3 ± 0.2`.
fn percent(estimate: Estimate) -> String {
    let chance = rollout::chance(estimate) as f32;
    format!("{} ± {:.1}", format::percent(chance), 100.0 * estimate.standard_error)
}

fn write_text(
    rollout: &Rollout<Backgammon>,
    candidates: &Candidates,
    dice: Option<Dice>,
    time: Duration,
    threads: NonZeroUsize,
    out: &mut dyn Write,
) -> Outcome {
    let games = |number: u64| format::plural(usize::try_from(number).unwrap_or(usize::MAX), "game");
    match candidates {
        Candidates::Position => {
            let figures = rollout.figures(0);
            writeln!(
                out,
                "equity {} for the player on roll (cubeless), {}",
                with_error(figures.equity()),
                games(figures.trials)
            )?;
            writeln!(out)?;
            let mut table = Table::new([Align::Left, Align::Right, Align::Right, Align::Right]);
            table.row(["percent", "any", "gammon", "backgammon"]);
            let [win, gammon, backgammon, lose_gammon, lose_backgammon] = figures.cumulative();
            table.row(["wins", &percent(win), &percent(gammon), &percent(backgammon)]);
            let lose = Estimate { mean: 1.0 - win.mean, ..win };
            table.row(["loses", &percent(lose), &percent(lose_gammon), &percent(lose_backgammon)]);
            table.write(out)?;
        }
        Candidates::Plays(plays) => {
            let dice = dice.map(|dice| dice.to_string()).unwrap_or_default();
            writeln!(
                out,
                "{dice}: {}, up to {} each on the same dice:\n",
                format::plural(plays.len(), "play"),
                games(rollout.trials())
            )?;
            table_of_plays(rollout, plays).write(out)?;
        }
    }
    writeln!(out, "\n± is one standard error; {}", how(rollout, time, threads))?;
    if rollout.settings().luck == Luck::TakenOff {
        let figures = rollout.figures(rollout.best());
        let [left, off] = [figures.plain_equity(), figures.equity()].map(|e| e.standard_error);
        if off > 0.0 && left.is_finite() {
            let root = (figures.trials as f64).sqrt();
            writeln!(
                out,
                "luck taken off: the standard deviation of a game is {:.3}, not {:.3}, {:.1} times \
                 less",
                off * root,
                left * root,
                left / off
            )?;
        }
    }
    Ok(())
}

/// How the games were played, in a few words.
fn how(rollout: &Rollout<Backgammon>, time: Duration, threads: NonZeroUsize) -> String {
    let RolloutSettings { seed, truncate, leaf, play, later, .. } = rollout.settings();
    let mut how = format!("{}-ply", play.ply);
    if let Some(LaterPlay { after, play }) = later {
        how += &format!(", {}-ply after {after} turns", play.ply);
    }
    how += &match truncate {
        Some(rolls) if leaf.ply > 0 => {
            format!(", cut after {rolls} rolls and judged there at {}-ply", leaf.ply)
        }
        Some(rolls) => format!(", cut after {rolls} rolls"),
        None => ", to the end".to_owned(),
    };
    let threads = format::plural(threads.get(), "thread");
    format!("{how}, seed {seed}, {} on {threads}", format::duration(time))
}

fn table_of_plays(rollout: &Rollout<Backgammon>, plays: &[(String, Position)]) -> Table {
    use Align::{Left, Right};
    let mut table =
        Table::new([Right, Left, Right, Right, Right, Right, Right, Right, Right, Right, Left]);
    let mut headings = vec!["", "play", "games", "equity", "loss"];
    headings.extend(format::CHANCE_HEADINGS);
    headings.push("");
    table.row(headings);
    for (rank, candidate) in rollout::order(rollout).into_iter().enumerate() {
        let figures = rollout.figures(candidate);
        let loss = rollout::loss(rollout, candidate);
        let loss = match candidate == rollout.best() {
            true => String::new(),
            false => format!("{:.3} ± {:.3}", loss.mean, loss.standard_error),
        };
        let mut cells = vec![
            (rank + 1).to_string(),
            plays[candidate].0.clone(),
            format::count(figures.trials),
            with_error(figures.equity()),
            loss,
        ];
        cells.extend(figures.cumulative().map(percent));
        let dropped = rollout.dropped(candidate).is_some();
        cells.push(if dropped { "dropped" } else { "" }.to_owned());
        table.row(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_positive_numbers_are_bounds() {
        assert_eq!(positive("0.01"), Ok(0.01));
        for text in ["0", "-1", "nan", "inf", "", "x"] {
            assert!(positive(text).unwrap_err().contains("above 0"), "{text:?}");
        }
    }
}
