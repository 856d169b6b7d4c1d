//! `tavola quiz`: questions about positions, from own errors or close decisions.

use std::io::{self, BufRead, IsTerminal};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use serde::Serialize;
use tavola_engine::quiz::{Deck, DueDay, QuizCard, QuizQuestion, RatedAnswer};
use tavola_engine::{Analysis, Effort, Engine, EngineError, ErrorKind, Rollouts};
use tavola_matches::analysis::{Thresholds, phase_in_words};
use tavola_rules::board::{BoardView, Side};

use crate::args::{BoardArgs, EngineArgs, OutputArgs};
use crate::ask::{draw, watched, write_ids, write_json};
use crate::commands::analyze;
use crate::commands::play::command::{listed, numbered};
use crate::failure::{Blame, Failure, Outcome};
use crate::outputs::{Content, KeptFile, keeps};
use crate::report::advice;
use crate::report::table::Out;

/// Practice: positions from your own errors, or close decisions.
///
/// Each question is a roll to be played, a double to be offered, or one to be answered. The engine
/// says what the answer loses. `plays` lists the plays of the roll, and the number of one is an
/// answer too. A question that was answered well comes back after 1, 3, 7, 16, 35 and 90 days, a
/// wrong answer immediately.
///
/// FILE is a match of yours, or a folder of matches: the errors of --player are added to the
/// questions. A new collection begins with close decisions from the engine's own games.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  \
        tavola quiz                                  # what is due today\n  \
        tavola quiz match.mat --player Ann           # add Ann's errors, then ask\n  \
        tavola quiz --list                           # how many questions are due when\n  \
        printf '13/11 6/5\\nquit\\n' | tavola quiz      # answers from a script",
    mut_arg("time", |arg| arg.hide(true))
)]
pub struct QuizArgs {
    /// Files of matches whose errors are added, or folders of them
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Whose errors of FILE are added; both players' if this is not given
    #[arg(long, value_name = "NAME", requires = "files")]
    pub player: Option<String>,
    /// Add decisions that lost this much equity, or more
    #[arg(long, value_name = "E", default_value_t = 0.04, value_parser = analyze::threshold)]
    pub least: f64,
    /// Ask this many questions
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub count: usize,
    /// The file with the questions and how they went [default: quiz.json in the user's data folder]
    #[arg(long, value_name = "FILE", value_parser = keeps(Content::Deck))]
    pub deck: Option<KeptFile>,
    /// Tell how many questions there are and when they are due, and ask none
    #[arg(long)]
    pub list: bool,
    /// How far to look ahead.
    #[command(flatten)]
    pub effort: Effort,
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// With --list: text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What `--list --json` prints.
#[derive(Serialize)]
struct Listed<'a> {
    deck: String,
    questions: usize,
    due: usize,
    days: &'a [DueDay],
}

/// Asks.
pub fn run(args: &QuizArgs, out: &mut dyn Out) -> Outcome {
    if args.output.json && !args.list {
        return Err(Failure::input("--json goes with --list: questions are asked in text"));
    }
    let path = match &args.deck {
        Some(path) => path.to_path_buf(),
        None => Deck::of_user().ok_or_else(|| {
            Failure::input("no home folder was found, expected --deck FILE for the questions")
        })?,
    };
    let mut deck = Deck::open(&path).or_input()?;
    let effort = analyze::without_time(&args.effort)?;
    if !args.files.is_empty() {
        add(args, &effort, &mut deck, out)?;
    }
    if args.list {
        return list(args, &deck, out);
    }
    ask(args, &effort, &mut deck, out)
}

/// Analyses the files and adds the errors.
fn add(args: &QuizArgs, effort: &Effort, deck: &mut Deck, out: &mut dyn Out) -> Outcome {
    let engine = Engine::new(NonZeroUsize::MIN, args.engine.store());
    let analysis = Analysis {
        effort: *effort,
        thresholds: Thresholds::default(),
        model: args.engine.model(),
        met: None,
        rollouts: effort.level.and_then(Rollouts::of_level),
        workers: args.engine.threads.count(),
    };
    let findings = analyze::findings(&engine, &analysis);
    let analyzed = analyze::analyze_files(&args.files, None, &engine, &analysis, &*findings)?;
    if analyzed.is_empty() {
        return Err(Failure::input("no match is in the files, expected some to take errors from"));
    }
    let mut names: Vec<&str> = Vec::new();
    let mut added = 0;
    for (_, analysis) in &analyzed {
        names.extend(analysis.players.iter().map(|player| player.name.as_str()));
        added += deck.add_errors(analysis, args.player.as_deref(), args.least);
    }
    if let Some(player) = &args.player
        && !names.iter().any(|name| name.to_lowercase() == player.to_lowercase())
    {
        names.sort_unstable();
        names.dedup();
        return Err(Failure::input(format_args!(
            "no match has a player {player:?}, expected one of {}",
            names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
        )));
    }
    deck.save().or_work_in("cannot keep the questions")?;
    if !args.output.json {
        writeln!(out, "{added} new questions, kept in {}", deck.path().display())?;
    }
    Ok(())
}

/// Tells when questions are due.
fn list(args: &QuizArgs, deck: &Deck, out: &mut dyn Out) -> Outcome {
    let days = deck.days();
    let due = deck.due(SystemTime::now()).len();
    let questions = deck.cards().len();
    if args.output.json {
        let deck = deck.path().display().to_string();
        return write_json(&Listed { deck, questions, due, days: &days }, out).map(drop);
    }
    writeln!(out, "{questions} questions in {}, {due} of them due", deck.path().display())?;
    for day in &days {
        writeln!(out, "  {:<12} {:>4}", day.day, day.questions)?;
    }
    Ok(())
}

/// Asks what is due and keeps how it went.
fn ask(args: &QuizArgs, effort: &Effort, deck: &mut Deck, out: &mut dyn Out) -> Outcome {
    let due = deck.due(SystemTime::now());
    if due.is_empty() {
        writeln!(out, "nothing is due; `tavola quiz --list` tells when")?;
        return Ok(());
    }
    let engine = args.engine.engine();
    let mut lines = io::stdin().lock().lines();
    let of = due.len().min(args.count);
    let (mut answers, mut best, mut lost) = (0_u32, 0_u32, 0.0);
    'questions: for (number, &index) in (1..).zip(due.iter().take(args.count)) {
        let card = deck.cards()[index].clone();
        let question = QuizQuestion::new(&card.position)?;
        writeln!(out, "\nQuestion {number} of {of} ({})", phase_in_words(&card.phase))?;
        if !args.board.no_board {
            let mut view = BoardView::from(question.seen());
            // As the player sees it who has to decide.
            if question.is_response() {
                view.on_roll = Side::Opponent;
            }
            draw(&view.into(), &args.board, out)?;
            write_ids(Some(&card.position), out)?;
            writeln!(out)?;
        }
        writeln!(out, "{}", question.text())?;
        let rated = loop {
            if io::stdin().is_terminal() {
                write!(out, "> ")?;
            }
            out.flush()?;
            let Some(line) = lines.next() else { break 'questions };
            let line = line.or_work_in("cannot read the next answer")?;
            match line.trim() {
                "" => continue,
                "quit" | "q" => break 'questions,
                "skip" | "s" => continue 'questions,
                "?" | "help" => {
                    writeln!(out, "Answer with {}; or skip, quit.", question.expected())?;
                    continue;
                }
                line => {
                    let plays = question.plays();
                    if let ("plays", false) =
                        (line.split(' ').next().unwrap_or(""), plays.is_empty())
                    {
                        let lines = listed(&plays, line.trim_start_matches("plays"));
                        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
                        continue;
                    }
                    let answer = match numbered(line, || plays) {
                        Some(Err(error)) => {
                            writeln!(out, "error: {error}")?;
                            continue;
                        }
                        Some(Ok(play)) => play,
                        None => line.to_owned(),
                    };
                    match watched(|watch| engine.rate_answer(&question, &answer, effort, watch)) {
                        Ok(rated) => break rated,
                        Err(error) if is_about_the_answer(&error) => {
                            writeln!(out, "error: {error}")?;
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        };
        let back = deck.answered(index, rated.loss, SystemTime::now());
        deck.save().or_work_in("cannot keep the questions")?;
        answers += 1;
        best += u32::from(rated.loss == 0.0);
        lost += rated.loss;
        tell(&rated, &card, &back, out)?;
    }
    if answers > 0 {
        writeln!(
            out,
            "\n{answers} answered, {best} of them with the best choice; lost {:.3} a question",
            lost / f64::from(answers)
        )?;
    }
    Ok(())
}

fn is_about_the_answer(error: &EngineError) -> bool {
    matches!(error.kind(), ErrorKind::Play | ErrorKind::Request)
}

/// What an answer was worth.
fn tell(rated: &RatedAnswer, card: &QuizCard, back: &str, out: &mut dyn Out) -> Outcome {
    writeln!(out, "{}: {}", rated.answer, rated.in_words())?;
    for line in advice::hint(&rated.figures) {
        writeln!(out, "  {line}")?;
    }
    if !card.source.is_empty() {
        writeln!(out, "  from {}: {} was chosen", card.source, card.done)?;
    }
    writeln!(out, "  asked again on {back}; {}", card.position)?;
    Ok(())
}
