//! Any game as lines, for scripts and screen readers.

use std::io::{self, BufRead, IsTerminal};

use tavola_engine::live::{LiveError, SeatAction};
use tavola_rules::board::{Charset, Color};

use super::PlaySession;
use super::command::{Command, HELP, HELP_OF_PEOPLE, HELP_WITHOUT_CUBE, listed, parse};
use crate::ask::watched;
use crate::failure::{Blame, Outcome};
use crate::report::advice;
use crate::report::table::Out;

/// The most plays that are listed at once.
const LISTED: usize = 40;

/// Reads lines and writes what happens, until the end of the input.
pub fn run(session: &mut PlaySession, out: &mut dyn Out) -> Outcome {
    let mut plain = Plain { session, warned: None };
    out.prose(&plain.session.live.headline())?;
    out.prose(&plain.session.live.score_in_words())?;
    for happened in plain.session.live.log() {
        writeln!(out, "{}", plain.session.live.in_words(&happened))?;
    }
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
    session: &'a mut PlaySession,
    /// The action that the tutor has warned of.
    warned: Option<SeatAction>,
}

impl Plain<'_> {
    /// Does what a line says; whether there may be another one.
    fn answer(&mut self, line: &str, out: &mut dyn Out) -> Outcome<bool> {
        let PlaySession { live, engine, .. } = &*self.session;
        match parse(line, self.session) {
            Err(message) => writeln!(out, "error: {message}")?,
            Ok(Command::Quit) => return Ok(false),
            Ok(Command::Help) if live.cubed().is_some() => {
                writeln!(out, "{HELP}\n{HELP_OF_PEOPLE}")?;
            }
            Ok(Command::Help) => writeln!(out, "{HELP_WITHOUT_CUBE}")?,
            Ok(Command::Board) => self.say_awaited(true, out)?,
            Ok(Command::Plays(words)) => self.list(&words, out)?,
            Ok(Command::Hint) => {
                let hint = watched(|watch| live.hint(engine, watch))?;
                tell(&advice::hint(&hint), out)?;
            }
            Ok(Command::Evaluate) if self.session.live.result_in_words().is_some() => {
                writeln!(out, "the game is over")?;
            }
            Ok(Command::Evaluate) => {
                let value = watched(|watch| live.evaluate(engine, watch))?;
                tell(&advice::position_value(&value, live), out)?;
            }
            Ok(Command::Save(path)) => match path.or_else(|| self.session.save.clone()) {
                None => writeln!(out, "error: {line:?} names no file, expected save FILE")?,
                Some(path) => match self.session.save_as(&path) {
                    Ok(()) => writeln!(out, "saved to {}", path.display())?,
                    Err(failure) => writeln!(out, "error: {}", failure.message())?,
                },
            },
            Ok(Command::TakeBack) => match self.session.live.take_back() {
                Ok(()) => {
                    self.warned = None;
                    writeln!(out, "taken back")?;
                    self.say_awaited(true, out)?;
                }
                Err(error) => writeln!(out, "error: {error}")?,
            },
            Ok(Command::Next) => match self.session.live.next_game() {
                Ok(()) => {
                    writeln!(out)?;
                    out.prose(&self.session.live.score_in_words())?;
                    self.go_on(out)?;
                    self.say_awaited(true, out)?;
                }
                Err(error) => writeln!(out, "error: {error}")?,
            },
            Ok(Command::Choose(action)) => self.choose(&action, out)?,
        }
        Ok(true)
    }

    fn choose(&mut self, action: &SeatAction, out: &mut dyn Out) -> Outcome {
        // What can't be done is not worth a warning.
        let done = self.session.live.clone().choose(action);
        if done.is_ok() && self.warned.as_ref() != Some(action) && self.warns(action, out)? {
            return Ok(());
        }
        self.warned = None;
        match self.session.live.choose(action) {
            Ok(happened) => {
                if let Some(happened) = happened {
                    writeln!(out, "{}", self.session.live.in_words(&happened))?;
                }
                self.go_on(out)?;
                self.say_awaited(true, out)
            }
            Err(error @ LiveError::NotAwaited { .. }) => Ok(writeln!(out, "error: {error}")?),
            Err(error) => Ok(writeln!(out, "error: \"{action}\": {error}")?),
        }
    }

    /// Whether the tutor has something against an action.
    fn warns(&mut self, action: &SeatAction, out: &mut dyn Out) -> Outcome<bool> {
        let PlaySession { live, engine, .. } = &*self.session;
        if !live.setup().tutor {
            return Ok(false);
        }
        let mistake = watched(|watch| live.mistake(action, engine, watch))?;
        let Some(mistake) = mistake.filter(|mistake| mistake.is_doubtful()) else {
            return Ok(false);
        };
        writeln!(out, "{}; repeat it to do it anyway", advice::mistake(&mistake))?;
        self.warned = Some(action.clone());
        Ok(true)
    }

    /// The numbered plays in which all of these words stand.
    fn list(&self, words: &str, out: &mut dyn Out) -> Outcome {
        let found = listed(&self.session.live.plays(), words);
        tell(&found[..found.len().min(LISTED)], out)?;
        if found.len() > LISTED {
            let (more, of) = (found.len() - LISTED, found.len());
            writeln!(out, "and {more} more of {of}; plays WORD lists those with a move as WORD")?;
        }
        Ok(())
    }

    /// Lets the engine act, and what leaves no choice, until the user has to decide.
    fn go_on(&mut self, out: &mut dyn Out) -> Outcome {
        loop {
            out.flush()?;
            let PlaySession { live, engine, .. } = &mut *self.session;
            let happened = watched(|watch| live.step(engine, watch))?;
            let Some(happened) = happened else { break };
            writeln!(out, "{}", live.in_words(&happened))?;
        }
        self.session.save()
    }

    /// Writes the board, if wanted, and what the user is to do.
    fn say_awaited(&self, with_board: bool, out: &mut dyn Out) -> Outcome {
        if let Some(result) = self.session.live.result_in_words() {
            writeln!(out, "{result}")?;
        } else if with_board {
            let charset = if self.session.ascii { Charset::Ascii } else { Charset::Unicode };
            writeln!(out, "{}", self.session.live.text(charset, Color::Never))?;
        }
        let live = &self.session.live;
        // Several people share the terminal.
        let name = match live.name(live.user()) {
            "You" => String::new(),
            _ if live.setup().people.is_empty() => String::new(),
            name => format!("{name}, "),
        };
        writeln!(out, "{name}your turn: {}", self.session.expected())?;
        Ok(())
    }
}

fn tell(lines: &[String], out: &mut dyn Out) -> Outcome {
    Ok(lines.iter().try_for_each(|line| writeln!(out, "{line}"))?)
}
