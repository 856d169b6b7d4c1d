//! The match as lines, for scripts and screen readers.

use std::io::{self, BufRead, IsTerminal, Write};

use tavola_engine::live_match::{Awaited, Choice, USER};
use tavola_rules::board::{BoardView, Charset, Color, Side};
use tavola_rules::moves::Play;

use super::Session;
use super::command::{Command, HELP, expected, parse};
use crate::ask::Shown;
use crate::failure::{Blame, Outcome};
use crate::report::advice;

/// Reads lines and writes what happens, until the end of the input.
pub fn run(session: &mut Session, out: &mut dyn Write) -> Outcome {
    let mut plain = Plain { session, told: 0, warned: None };
    writeln!(out, "{}", plain.session.headline())?;
    writeln!(out, "{}", plain.session.score())?;
    plain.go_on(out)?;
    plain.say_awaited(true, out)?;
    let prompt = io::stdin().is_terminal();
    let mut lines = io::stdin().lock().lines();
    loop {
        if prompt {
            write!(out, "> ")?;
        }
        out.flush()?;
        let Some(line) = lines.next() else { break };
        let line = line.or_work_in("cannot read the next line")?;
        if !line.trim().is_empty() && !plain.answer(&line, out)? {
            break;
        }
    }
    plain.session.finish(out)
}

struct Plain<'a> {
    session: &'a mut Session,
    /// How many steps of the game have been told.
    told: usize,
    /// The choice that the tutor has warned of.
    warned: Option<Choice>,
}

impl Plain<'_> {
    /// Does what a line says; whether there may be another one.
    fn answer(&mut self, line: &str, out: &mut dyn Write) -> Outcome<bool> {
        match parse(line, &self.session.live) {
            Err(message) => writeln!(out, "error: {message}")?,
            Ok(Command::Quit) => return Ok(false),
            Ok(Command::Help) => writeln!(out, "{HELP}")?,
            Ok(Command::Board) => self.say_awaited(true, out)?,
            Ok(Command::Hint) => {
                let Session { live, engine, .. } = &*self.session;
                let hint = Shown::new().watch(None, |watch| live.hint(engine, watch))?;
                tell(&advice::hint(&hint), out)?;
            }
            Ok(Command::Evaluate) => {
                let Session { live, engine, .. } = &*self.session;
                let answer = Shown::new().watch(None, |watch| live.evaluate(engine, watch))?;
                let on_roll = live.on_roll().map_or("", |player| live.name(player));
                tell(&advice::evaluation(&answer, on_roll), out)?;
            }
            Ok(Command::Save(path)) => {
                let path = path.or_else(|| self.session.save.clone());
                match path {
                    None => writeln!(out, "error: {line:?} names no file, expected save FILE")?,
                    Some(path) => match self.session.live.save(&path) {
                        Ok(()) => writeln!(out, "saved to {}", path.display())?,
                        Err(error) => writeln!(out, "error: {}", tavola_files::chain(&error))?,
                    },
                }
            }
            Ok(Command::TakeBack) => match self.session.live.take_back() {
                Ok(()) => {
                    self.told = self.session.live.steps();
                    self.warned = None;
                    writeln!(out, "taken back")?;
                    self.say_awaited(true, out)?;
                }
                Err(error) => writeln!(out, "error: {error}")?,
            },
            Ok(Command::Next) => match self.session.live.next_game() {
                Ok(()) => {
                    self.told = 0;
                    writeln!(out, "\n{}", self.session.score())?;
                    self.go_on(out)?;
                    self.say_awaited(true, out)?;
                }
                Err(error) => writeln!(out, "error: {error}")?,
            },
            Ok(Command::Choose(choice)) => self.choose(choice, out)?,
        }
        Ok(true)
    }

    fn choose(&mut self, choice: Choice, out: &mut dyn Write) -> Outcome {
        if self.session.tutor && self.warned != Some(choice) && self.warns(choice, out)? {
            return Ok(());
        }
        self.warned = None;
        match self.session.live.choose(choice) {
            Ok(()) => {
                self.go_on(out)?;
                self.say_awaited(true, out)
            }
            Err(error) => {
                let error = error.to_string();
                write!(out, "error: \"{choice}\": {error}")?;
                match error.contains("expected") {
                    true => writeln!(out)?,
                    false => writeln!(out, "; expected {}", expected(&self.session.live))?,
                }
                Ok(())
            }
        }
    }

    /// Whether the tutor has something against a choice.
    fn warns(&mut self, choice: Choice, out: &mut dyn Write) -> Outcome<bool> {
        let Session { live, engine, .. } = &*self.session;
        let mistake = Shown::new().watch(None, |watch| live.mistake(&choice, engine, watch))?;
        let Some(mistake) = mistake.filter(|mistake| mistake.is_doubtful()) else {
            return Ok(false);
        };
        writeln!(out, "{}; repeat it to do it nevertheless", advice::mistake(&mistake))?;
        self.warned = Some(choice);
        Ok(true)
    }

    /// Lets the engine act and rolls that can't be played pass, until the user has to decide.
    fn go_on(&mut self, out: &mut dyn Write) -> Outcome {
        loop {
            self.tell_steps(out)?;
            let Session { live, engine, .. } = &mut *self.session;
            if live.user_dances() {
                live.choose(Choice::Play(Play::PASS)).or_work_in("the pass of a dance")?;
                continue;
            }
            out.flush()?;
            let choice = Shown::new().watch(None, |watch| live.decide(engine, watch))?;
            let Some(choice) = choice else { break };
            live.choose_for_engine(choice).or_work_in("the choice of the engine")?;
        }
        self.session.save()
    }

    /// Writes what has been done since.
    fn tell_steps(&mut self, out: &mut dyn Write) -> Outcome {
        let live = &self.session.live;
        while let Some(step) = live.step_in_words(self.told) {
            writeln!(out, "{step}")?;
            self.told += 1;
        }
        Ok(())
    }

    /// Writes the board, if wanted, and what the user is to do.
    fn say_awaited(&self, with_board: bool, out: &mut dyn Write) -> Outcome {
        let live = &self.session.live;
        if let Some(result) = self.session.result() {
            writeln!(out, "{result}")?;
        } else if with_board {
            writeln!(out, "{}", board(self.session))?;
        }
        writeln!(out, "your turn: {}", expected(live))?;
        Ok(())
    }
}

/// The board as the user sees it.
fn board(session: &Session) -> String {
    let live = &session.live;
    let view = BoardView::from(&live.seen_by(USER));
    let notes = [live.name(USER), live.name(tavola_engine::live_match::ENGINE)];
    let mut view = BoardView {
        on_roll: if live.on_roll() == Some(USER) { Side::Player } else { Side::Opponent },
        notes: [0, 1].map(|side| format!("{} {}", notes[side], view.notes[side])),
        ..view
    };
    let charset = if session.ascii { Charset::Ascii } else { Charset::Unicode };
    if live.awaited() == Awaited::Opening {
        view.status = "opening roll".to_owned();
        // Neither side is on roll yet.
        return view.text(charset, Color::Never).replace(", on roll", "");
    }
    view.text(charset, Color::Never)
}

fn tell(lines: &[String], out: &mut dyn Write) -> Outcome {
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
