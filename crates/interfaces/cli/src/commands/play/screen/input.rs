//! What keys and clicks do.

use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use tavola_engine::live::{Awaited, DiceSource, SeatAction};
use tavola_rules::{Offer, WinKind};

use super::draw::Target;
use super::thinker::Task;
use super::{Dialog, Game, USER};
use crate::commands::play::command::{Command, listed, parse};
use crate::failure::Outcome;

impl Game<'_> {
    /// Does what an event says.
    pub fn handle(&mut self, event: &Event) -> Outcome {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(*key),
            Event::Mouse(mouse) => self.mouse(*mouse),
            Event::Paste(text) => {
                self.input.get_or_insert_default().push_str(text.trim());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn key(&mut self, key: KeyEvent) -> Outcome {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'd')) {
            self.over = true;
            return Ok(());
        }
        if self.animation.is_some() {
            self.finish_animation()?;
        }
        self.message.clear();
        match (self.dialog.take(), &mut self.input) {
            (Some(dialog), _) => self.answer_dialog(dialog, key.code),
            (None, Some(text)) => {
                match key.code {
                    KeyCode::Char(char) => text.push(char),
                    KeyCode::Backspace if !text.is_empty() => drop(text.pop()),
                    KeyCode::Backspace | KeyCode::Esc => self.input = None,
                    KeyCode::Enter => {
                        let line = self.input.take().unwrap_or_default();
                        if !line.trim().is_empty() {
                            return self.line(&line);
                        }
                    }
                    _ => {}
                }
                Ok(())
            }
            (None, None) => self.command_key(key.code),
        }
    }

    fn answer_dialog(&mut self, dialog: Dialog, code: KeyCode) -> Outcome {
        self.over |= (dialog, code) == (Dialog::Quit, KeyCode::Char('q'));
        let size = match (dialog, code) {
            (Dialog::Resign, KeyCode::Char('1' | 's')) => WinKind::Single,
            (Dialog::Resign, KeyCode::Char('2' | 'g')) => WinKind::Gammon,
            (Dialog::Resign, KeyCode::Char('3' | 'b')) => WinKind::Backgammon,
            _ => return Ok(()),
        };
        self.choose(SeatAction::Resign { size })
    }

    /// A line that was typed.
    fn line(&mut self, line: &str) -> Outcome {
        match parse(line, self.session) {
            Ok(command) => self.command(command),
            Err(message) => {
                self.message = message;
                Ok(())
            }
        }
    }

    fn command(&mut self, command: Command) -> Outcome {
        match command {
            Command::Choose(action) => return self.choose(action),
            Command::Plays(words) => self.advice = listed(&self.session.live.plays(), &words),
            Command::Next => self.next_game(),
            Command::Hint => self.ask(Task::Hint),
            Command::Evaluate => self.ask(Task::Evaluate),
            Command::TakeBack => self.take_back(),
            Command::Board => self.advice.clear(),
            Command::Help => self.dialog = Some(Dialog::Help),
            Command::Quit => self.dialog = Some(Dialog::Quit),
            Command::Save(path) => match path.or_else(|| self.session.save.clone()) {
                None => self.input = Some("save ".to_owned()),
                Some(path) => {
                    self.message = match self.session.save_as(&path) {
                        Ok(()) => format!("saved to {}", path.display()),
                        Err(failure) => failure.message(),
                    };
                }
            },
        }
        Ok(())
    }

    fn ask(&mut self, task: Task) {
        if self.session.live.engine_acts() {
            self.message = "the engine is thinking".to_owned();
            return;
        }
        self.thinker.ask(&self.session.live, task);
    }

    fn command_key(&mut self, code: KeyCode) -> Outcome {
        let awaited = self.session.live.awaited();
        let plays = matches!(awaited, Awaited::Play(USER));
        let is_resigned = matches!(awaited, Awaited::Resignation(..));
        match code {
            KeyCode::Enter => return self.enter(),
            KeyCode::Esc => self.advice.clear(),
            KeyCode::Backspace => self.undo(),
            // The beginning of a play, such as bar/20, or of a roll.
            KeyCode::Char(char) if char.is_ascii_digit() || plays && char == 'b' => {
                self.input = Some(char.to_string());
            }
            KeyCode::Char(':') => self.input = Some(String::new()),
            KeyCode::Char(' ') => {
                if let Some(partial) = &mut self.partial {
                    partial.swap();
                }
            }
            KeyCode::Char(char) => match char {
                'r' if matches!(awaited, Awaited::GameOver(_)) => self.next_game(),
                'r' => return self.choose(SeatAction::Roll { dice: None }),
                'd' => return self.choose(SeatAction::Double),
                't' | 'y' if is_resigned => return self.choose(SeatAction::Accept),
                'p' | 'n' if is_resigned => return self.choose(SeatAction::Refuse),
                't' => return self.choose(SeatAction::Take),
                'p' => return self.choose(SeatAction::Drop),
                'b' if self.session.live.may_turn_back(Offer::Beaver) => {
                    return self.choose(SeatAction::Raccoon);
                }
                'b' => return self.choose(SeatAction::Beaver),
                'n' => self.next_game(),
                'h' => self.ask(Task::Hint),
                'e' => self.ask(Task::Evaluate),
                'u' => self.undo(),
                'x' if self.session.live.may_resign() => self.dialog = Some(Dialog::Resign),
                'x' => self.message = format!("expected {}", self.session.expected()),
                's' => return self.command(Command::Save(None)),
                'q' => self.dialog = Some(Dialog::Quit),
                '?' => self.dialog = Some(Dialog::Help),
                _ => self.message = format!("{char:?} is no key here, ? shows the keys"),
            },
            _ => {}
        }
        Ok(())
    }

    /// Confirms a play, rolls, or begins the next game. It never answers an offer.
    fn enter(&mut self) -> Outcome {
        let live = &self.session.live;
        match live.awaited() {
            Awaited::Play(USER) => match self.partial.as_ref().and_then(|it| it.play()) {
                Some(play) => return self.choose(SeatAction::Play { play: play.to_string() }),
                None => {
                    self.message = format!("the play is not whole, expected {}", live.expected())
                }
            },
            Awaited::Roll(USER) if live.setup().dice == DiceSource::Computer => {
                return self.choose(SeatAction::Roll { dice: None });
            }
            Awaited::GameOver(_) => self.next_game(),
            _ => self.message = format!("expected {}", self.session.expected()),
        }
        Ok(())
    }

    /// Takes back a checker, or else the decision before.
    fn undo(&mut self) {
        let moved_back = self.partial.as_mut().is_some_and(|partial| partial.undo());
        if !moved_back {
            self.take_back();
        }
    }

    fn mouse(&mut self, mouse: MouseEvent) -> Outcome {
        let nth = match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => 0,
            MouseEventKind::Down(MouseButton::Right) => 1,
            _ => return Ok(()),
        };
        if self.animation.is_some() {
            return self.finish_animation();
        }
        self.message.clear();
        self.dialog = None;
        match self.targets.at(mouse.column, mouse.row) {
            Some(Target::Point(from)) => {
                if let Some(partial) = &mut self.partial
                    && partial.step(from, nth).is_none()
                {
                    let place = if from == 25 { "the bar" } else { &format!("point {from}") };
                    self.message = format!("no legal step from {place}");
                }
                Ok(())
            }
            Some(Target::Dice) => match &mut self.partial {
                Some(partial) if partial.steps() == 0 => {
                    partial.swap();
                    Ok(())
                }
                Some(_) => self.enter(),
                None => Ok(()),
            },
            Some(Target::Cube) if self.session.live.may_double() => self.choose(SeatAction::Double),
            Some(Target::Cube) | None => Ok(()),
        }
    }
}
