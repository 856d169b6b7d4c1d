//! Questions of the command line: from arguments to the engine, and what is shown meanwhile.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde::Serialize;
use tavola_engine::{
    AnyAnswer, Engine, EngineError, EngineEvent, FullAnswer, Operation, Question, Watch,
};
use tavola_evaluator::NEVER;
use tavola_evaluator::search::SearchProgress;
use tavola_files::locked;
use tavola_rules::board::Board;
use tavola_rules::notation::{self, Form};

use crate::args::{BoardArgs, PositionArgs, RollArgs};
use crate::failure::Outcome;
use crate::networks;
use crate::report::board;
use crate::report::progress::{CountProgress, TableProgress, style};
use crate::report::table::Out;
use crate::report::warning::{self, Volume};

/// A position of the arguments, for the engine.
pub fn question(args: &PositionArgs, roll: Option<&RollArgs>) -> Question {
    let (position, dice) = (args.position.clone(), roll.and_then(|roll| roll.roll.clone()));
    Question { position, dice, ..Question::start(args.game.clone()) }
}

/// Asks, with bars for what takes long, and prints warnings.
pub fn ask<O: Operation>(
    engine: &Engine,
    question: &Question,
    operation: &O,
) -> Outcome<FullAnswer<O::Answer>> {
    asked::<O, _>(engine, question, |watch| engine.ask(question, operation, watch))
}

/// Asks about a position of any game.
pub fn ask_any<O: Operation>(
    engine: &Engine,
    question: &Question,
    operation: &O,
) -> Outcome<AnyAnswer<O>> {
    asked::<O, _>(engine, question, |watch| engine.ask_any(question, operation, watch))
}

fn asked<O: Operation, A>(
    engine: &Engine,
    question: &Question,
    ask: impl FnOnce(&Watch<'_>) -> Result<A, EngineError>,
) -> Outcome<A> {
    let answered = watched(ask)?;
    if O::SEARCHES && warning::volume() == Volume::Verbose {
        let network = engine.network(question.model.as_deref(), &question.game.id())?;
        let tables = engine.tables(&Watch::default()).names();
        let (name, version) = (network.name(), networks::version(network.weights()));
        warning::detail(&format!("{name}, {version}; threads {}", engine.threads()));
        warning::detail(&format!("bear-off databases: {}", tables.join("; ")));
    }
    Ok(answered)
}

/// Writes the board and, where the game is over, how it ended; whether it goes on.
pub fn write_board<A>(
    answered: &FullAnswer<A>,
    args: &BoardArgs,
    out: &mut dyn Out,
) -> Outcome<bool> {
    if !args.no_board {
        draw(&answered.board, args, out)?;
        write_ids(answered.xgid.as_deref(), out)?;
        writeln!(out)?;
    }
    if let Some(end) = &answered.end {
        writeln!(out, "{end}")?;
    }
    Ok(answered.end.is_none())
}

/// Writes the IDs of a position below its board, if its game has some: the XGID and, with `--verbose`,
/// that of GNU Backgammon.
pub fn write_ids(xgid: Option<&str>, out: &mut dyn Out) -> Outcome {
    let Some(xgid) = xgid else { return Ok(()) };
    writeln!(out, "{xgid}")?;
    let situation = notation::parse_situation(xgid).ok();
    let gnubg_id = situation.and_then(|it| Form::PositionAndMatchId.write(&it).ok());
    match gnubg_id.filter(|_| warning::volume() == Volume::Verbose) {
        Some(id) => Ok(writeln!(out, "GNUBGID={id}")?),
        None => Ok(()),
    }
}

/// Writes a board in the style that the arguments ask for.
pub fn draw(drawing: &Board, args: &BoardArgs, out: &mut dyn Out) -> Outcome {
    let (charset, color) = board::style(args);
    let drawing = drawing.clone().turned(args.orientation());
    Ok(out.drawing(&drawing.text(charset, color))?)
}

/// Writes an answer as `batch` does; whether it is [complete](Out::whole).
pub fn write_answer<A: Serialize>(answered: &FullAnswer<A>, out: &mut dyn Out) -> Outcome<bool> {
    Ok(out.whole(&(answered.to_line(None) + "\n"))?)
}

/// Writes something as one line of JSON; whether the answer is [complete](Out::whole).
pub fn write_json(answer: &impl Serialize, out: &mut dyn Out) -> Outcome<bool> {
    Ok(out.whole(&(serde_json::to_string(answer)? + "\n"))?)
}

/// Does what is watched, with bars for what takes longer than one wants to wait without one.
///
/// # Errors
///
/// As what is watched.
pub fn watched<T>(
    ask: impl FnOnce(&Watch<'_>) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    QuestionBars::new().watch(&NEVER, ask)
}

/// As [`watched`], with a bar for `things` of which many are done, until the work is canceled.
///
/// # Errors
///
/// As what is watched.
pub fn counted<T>(
    things: &'static str,
    cancel: &AtomicBool,
    ask: impl FnOnce(&Watch<'_>, &(dyn Fn(usize, usize) + Sync)) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let progress = CountProgress::new(0, things);
    let done = |done, of| progress.done_of(done, of);
    QuestionBars::new().watch(cancel, |watch| ask(watch, &done))
}

/// Bars on stderr for what takes longer than one wants to wait without one. They are gone when this
/// is dropped.
pub struct QuestionBars {
    started: Instant,
    search: Mutex<Option<ProgressBar>>,
    tables: TableProgress,
}

impl QuestionBars {
    /// How long a search runs before its bar is shown.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// Bars that are not shown yet.
    pub fn new() -> Self {
        Self { started: Instant::now(), search: Mutex::default(), tables: TableProgress::default() }
    }

    /// Does what is watched, and takes the bars away.
    fn watch<T>(
        self,
        cancel: &AtomicBool,
        ask: impl FnOnce(&Watch<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        ask(&Watch { cancel, events: &|event| self.show(event) })
    }

    /// Shows an event.
    pub fn show(&self, event: EngineEvent<'_>) {
        match event {
            EngineEvent::Table(progress) => self.tables.generated(&progress),
            EngineEvent::Search(progress) => self.searched(progress),
            EngineEvent::Verdicts { open, of } => self.settled(open, of),
            EngineEvent::Warning(warning) => {
                self.tables.finish();
                networks::warn_of(&warning);
            }
            _ => {}
        }
    }

    /// Moves the bar, which is new with this template; threads report in any order.
    fn advance(&self, template: &'static str, message: String, done: usize, of: usize) {
        let mut bar = locked(&self.search);
        let bar = bar.get_or_insert_with(|| warning::bar(Some(0)).with_style(style(template)));
        bar.set_message(message);
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    }

    fn settled(&self, open: usize, of: usize) {
        let template = "{bar:32} {msg}, {elapsed} gone";
        let message = format!("{open} of {of} verdicts open");
        self.advance(template, message, of.saturating_sub(open), of);
    }

    fn searched(&self, progress: SearchProgress) {
        if self.started.elapsed() < Self::PATIENCE {
            return;
        }
        let template = "looking {msg} ahead {bar:32} {pos}/{len} replies, {elapsed} gone";
        let rolls = if progress.ply == 1 { "1 roll" } else { &format!("{} rolls", progress.ply) };
        self.advance(template, rolls.to_owned(), progress.done, progress.of);
    }
}
