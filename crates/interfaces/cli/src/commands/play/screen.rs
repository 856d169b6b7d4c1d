//! The match as a full screen, with keys and the mouse.
//!
//! `terminal` enters the screen and always leaves it, `thinker` asks the engine on a thread of its
//! own, `input` says what keys and clicks do, `draw` draws.

use std::io;
use std::time::{Duration, Instant};

use ratatui::crossterm::event;
use tavola_engine::live::{Awaited, MatchTable, SeatAction};
use tavola_rules::{PartialPlay, Position};

use self::draw::Targets;
use self::terminal::Screen;
use self::thinker::{Answer, Task, Thinker};
use super::PlaySession;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::advice;
use crate::report::table::Out;

mod board;
mod draw;
mod input;
mod terminal;
mod thinker;

/// The seat of the user.
const USER: usize = 0;
/// The seat of the engine.
const ENGINE: usize = 1;

/// How long the screen waits for a key before it looks after the engine.
const TICK: Duration = Duration::from_millis(30);
/// How long a checker of the engine stands still before the next one moves.
const STEP: Duration = Duration::from_millis(250);

/// Why a match on the screen ends early.
pub enum ScreenError {
    /// This terminal has no full screen.
    NoTerminal(io::Error),
    /// Something failed.
    Failed(Failure),
}

impl<E: Into<Failure>> From<E> for ScreenError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Plays on the full screen.
pub fn run(session: &mut PlaySession, out: &mut dyn Out) -> Result<(), ScreenError> {
    let mut screen = Screen::enter().map_err(ScreenError::NoTerminal)?;
    let result = Game::new(session).run(&mut screen);
    drop(screen);
    let finished = session.finish(out);
    result?;
    Ok(finished?)
}

/// A question to the user that the next key answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialog {
    Resign,
    Quit,
    Help,
    Card,
}

/// A play of the engine that is shown checker by checker.
struct Animation {
    play: PartialPlay,
    steps: Vec<u8>,
    /// When the next checker moves.
    next: Instant,
    whole: SeatAction,
}

/// What the screen knows beside the match.
struct Game<'a> {
    session: &'a mut PlaySession,
    thinker: Thinker,
    /// The play of the user so far.
    partial: Option<PartialPlay>,
    animation: Option<Animation>,
    /// What is being typed.
    input: Option<String>,
    dialog: Option<Dialog>,
    /// What was done, the latest last.
    log: Vec<String>,
    /// How many lines of the game are in it.
    told: usize,
    /// A hint or an evaluation, until the next choice.
    advice: Vec<String>,
    /// An error or a warning, until the next key.
    message: String,
    /// The figures of a match that is over.
    card: String,
    /// The choice that the tutor has warned of.
    warned: Option<SeatAction>,
    /// Where clicks go, as drawn last.
    targets: Targets,
    over: bool,
}

impl<'a> Game<'a> {
    fn new(session: &'a mut PlaySession) -> Self {
        let thinker = Thinker::start(session.engine.clone());
        let log = vec![session.live.headline(), session.live.score_in_words()];
        let mut game = Self {
            session,
            thinker,
            partial: None,
            animation: None,
            input: None,
            dialog: None,
            log,
            told: 0,
            advice: Vec::new(),
            message: String::new(),
            card: String::new(),
            warned: None,
            targets: Targets::default(),
            over: false,
        };
        game.changed();
        game
    }

    fn run(&mut self, screen: &mut Screen) -> Outcome {
        let mut is_new = true;
        while !self.over {
            if screen.is_stopped() {
                return Err(Failure::stopped("stopped by a signal"));
            }
            is_new |= self.go_on()?;
            if is_new {
                let session = &mut *self;
                screen.draw(|frame| session.draw(frame))?;
            }
            is_new = screen.wait(TICK).or_work_in("the match stops")?;
            if is_new {
                self.handle(&event::read()?)?;
            }
        }
        Ok(())
    }

    /// Looks after the engine and its animation; whether something has changed.
    fn go_on(&mut self) -> Outcome<bool> {
        let mut is_new = false;
        while let Some(answer) = self.thinker.answer() {
            is_new = true;
            match answer? {
                Answer::Decided(Some(action)) => self.engine_chooses(action)?,
                Answer::Decided(None) => {}
                Answer::Advice(lines) => self.advice = lines,
                Answer::Card(text) => {
                    self.dialog = self.dialog.or((!text.is_empty()).then_some(Dialog::Card));
                    self.card = text;
                }
                Answer::Checked(action, mistake) => {
                    match mistake.filter(|mistake| mistake.is_doubtful()) {
                        Some(mistake) => {
                            let again = "enter it again to do it anyway";
                            self.message = format!("{}; {again}", advice::mistake(&mistake));
                            self.warned = Some(action);
                        }
                        None => self.do_action(&action)?,
                    }
                }
            }
        }
        if let Some(animation) = &mut self.animation
            && Instant::now() >= animation.next
        {
            is_new = true;
            if animation.steps.is_empty() {
                self.finish_animation()?;
            } else {
                let from = animation.steps.remove(0);
                animation.play.step(from, 0);
                animation.next += STEP;
            }
        }
        let live = &self.session.live;
        if self.animation.is_none() && !self.thinker.is_busy() && live.engine_acts() {
            is_new = true;
            self.thinker.ask(&self.session.live, Task::Decide);
        }
        Ok(is_new)
    }

    /// The match.
    fn table(&self) -> &MatchTable {
        self.session.live.cubed().expect("the screen shows games with a cube")
    }

    /// Shows a play of the engine checker by checker; whether that can be done.
    fn animate(&mut self, action: &SeatAction) -> bool {
        let SeatAction::Play { play: words } = action else { return false };
        let table = self.table();
        let (Ok(whole), Some(play)) = (table.parse_play(words), table.partial_play()) else {
            return false;
        };
        // A step by the wrong die first would end elsewhere; such plays are shown as a whole.
        let steps: Vec<u8> = whole.steps().iter().map(|step| step.from).collect();
        let mut tried = play.clone();
        let fits = steps.iter().all(|&from| tried.step(from, 0).is_some());
        if steps.is_empty() || !fits || tried.play() != Some(whole) {
            return false;
        }
        let next = Instant::now() + STEP;
        self.animation = Some(Animation { play, steps, next, whole: action.clone() });
        true
    }

    /// Shows the end of the engine's play at once.
    fn finish_animation(&mut self) -> Outcome {
        match self.animation.take() {
            Some(animation) => self.do_for_engine(&animation.whole),
            None => Ok(()),
        }
    }

    fn engine_chooses(&mut self, action: SeatAction) -> Outcome {
        let is_engines = self.session.live.to_act() != Some(USER);
        if self.session.animation && is_engines && self.animate(&action) {
            return Ok(());
        }
        self.do_for_engine(&action)
    }

    fn do_for_engine(&mut self, action: &SeatAction) -> Outcome {
        self.session.live.follow(action).or_work_in("the action of the engine")?;
        self.changed();
        if self.session.live.engine_acts() { Ok(()) } else { self.session.save() }
    }

    /// The user has chosen; the tutor may object first.
    fn choose(&mut self, action: SeatAction) -> Outcome {
        let live = &self.session.live;
        let warns = live.setup().tutor && self.warned.as_ref() != Some(&action);
        if warns && live.clone().choose(&action).is_ok() {
            self.thinker.ask(live, Task::Check(action));
            return Ok(());
        }
        self.do_action(&action)
    }

    fn do_action(&mut self, action: &SeatAction) -> Outcome {
        match self.session.live.choose(action) {
            Ok(_) => {
                self.changed();
                self.session.save()
            }
            Err(error) => {
                self.message = error.to_string();
                Ok(())
            }
        }
    }

    /// Something was done in the match: what depends on it is told and made anew.
    fn changed(&mut self) {
        self.thinker.forget();
        let live = &self.session.live;
        let lines = live.log();
        for happened in &lines[self.told.min(lines.len())..] {
            self.log.push(live.in_words(happened));
        }
        self.told = lines.len();
        self.partial = match live.to_act() {
            Some(USER) => self.table().partial_play(),
            _ => None,
        };
        self.advice.clear();
        self.message.clear();
        self.warned = None;
        if matches!(self.session.live.awaited(), Awaited::MatchOver(_)) {
            self.thinker.ask(&self.session.live, Task::Card);
        }
    }

    fn take_back(&mut self) {
        self.thinker.forget();
        self.animation = None;
        match self.session.live.take_back() {
            Ok(()) => {
                self.told = self.session.live.log().len();
                self.log.push("taken back".to_owned());
                self.changed();
            }
            Err(error) => self.message = error.to_string(),
        }
    }

    fn next_game(&mut self) {
        // While it waits, the prompt says how the game ended.
        let ended = self.session.live.result_in_words();
        match self.session.live.next_game() {
            Ok(()) => {
                self.told = 0;
                self.log.extend(ended);
                self.log.push(self.session.live.score_in_words());
                self.changed();
            }
            Err(error) => self.message = error.to_string(),
        }
    }

    /// The checkers as the user sees them, with what is moved but not played yet.
    fn position(&self) -> Position {
        match (&self.partial, &self.animation) {
            (Some(partial), _) => *partial.position(),
            (_, Some(animation)) => animation.play.position().flip(),
            _ => self.table().seen_by(USER).position,
        }
    }
}
