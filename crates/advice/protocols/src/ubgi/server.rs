//! The engine's side: lines in, lines out.
//!
//! The thread that reads is never the one that searches, so `stop`, `isready` and `quit` are
//! answered while a search goes on.

use std::io::{self, BufRead, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Scope, ScopedJoinHandle};

use tavola_engine::{AnyGame, Effort, Engine, Question};
use tavola_files::{locked, unlocked};
use tavola_rules::Backgammon;

use super::Dialect;
use super::command::{Command, Go, read};
use super::context::Context;
use super::refusal::{Fault, Refusal};
use super::search::{BestPlay, Decision, Search, bare, role_of};
use super::settings::{Settings, State, get_key, key_lines, option_lines, set_key, set_option};
use crate::lines::{Line, Lines};

/// Longest line in bytes.
const LONGEST_LINE: usize = 4096;

/// An engine that speaks the protocol.
///
/// It begins with both 0.1 and 0.2 in its greeting and answers each command as the dialect has it
/// that the command belongs to; bare positions of draft 0.01 are always understood.
pub struct UbgiServer {
    dialect: Dialect,
    /// Whether the dialect is the only one.
    is_fixed: bool,
    question: Question,
    make: Arc<dyn Fn(NonZeroUsize) -> Engine + Send + Sync>,
    state: State,
}

impl std::fmt::Debug for UbgiServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("dialect", &self.dialect).finish_non_exhaustive()
    }
}

impl UbgiServer {
    /// An engine whose answers come from `make(threads)`. Of the question network, match equity
    /// table, effort and game count, where the game is a variant of backgammon.
    pub fn new(
        question: Question,
        threads: NonZeroUsize,
        make: impl Fn(NonZeroUsize) -> Engine + Send + Sync + 'static,
    ) -> Self {
        let ply = question.effort.ply.or(Some(Effort::DEFAULT_PLY));
        let effort = Effort { ply, ..question.effort };
        let game = question.game.two().ok().and_then(AnyGame::backgammon);
        let settings = Settings::new(effort, threads, game.unwrap_or(Backgammon::Standard));
        let state = State { settings, context: Context::default() };
        Self { dialect: Dialect::V0_2, is_fixed: false, question, make: Arc::new(make), state }
    }

    /// A server that greets and answers as one dialect has it.
    #[must_use]
    pub fn with_dialect(self, dialect: Dialect) -> Self {
        Self { dialect, is_fixed: true, ..self }
    }

    /// Answers lines until `quit` or their end; a search that runs at the end is finished.
    ///
    /// # Errors
    ///
    /// What reading or writing fails with.
    pub fn serve(self, input: impl BufRead, output: impl Write + Send) -> io::Result<()> {
        let out = Out { stream: Mutex::new(output), failure: Mutex::new(None) };
        thread::scope(|scope| {
            let default = self.state.clone();
            let engine = Arc::new((self.make)(self.state.settings.threads));
            let mut session = Session {
                server: self,
                default,
                engine,
                scope,
                out: &out,
                search: None,
                version: None,
            };
            let mut lines = Lines::new(input, LONGEST_LINE);
            while let Some(line) = lines.next_line()? {
                let text = match line {
                    Line::Text(bytes) => String::from_utf8_lossy(bytes).trim().to_owned(),
                    Line::TooLong => {
                        let detail = format!("a line is longer than {LONGEST_LINE} bytes");
                        session.refuse(&Refusal::new(Fault::Command, detail));
                        continue;
                    }
                };
                let quits = !text.is_empty() && session.line(&text).is_break();
                if quits || locked(&out.failure).is_some() {
                    break;
                }
            }
            session.wait();
            Ok(())
        })
        .and_then(|()| unlocked(out.failure).map_or(Ok(()), Err))
    }
}

/// Where answers go, from either thread.
struct Out<W> {
    stream: Mutex<W>,
    /// The first failure of writing, which ends the session.
    failure: Mutex<Option<io::Error>>,
}

impl<W: Write> Out<W> {
    /// Writes whole lines at once.
    fn say(&self, lines: &[String]) {
        let mut stream = locked(&self.stream);
        let mut text = lines.join("\n");
        text.push('\n');
        let written = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
        if let Err(error) = written {
            locked(&self.failure).get_or_insert(error);
        }
    }
}

struct Session<'scope, 'env, W> {
    server: UbgiServer,
    /// What options are by default.
    default: State,
    engine: Arc<Engine>,
    scope: &'scope Scope<'scope, 'env>,
    out: &'scope Out<W>,
    search: Option<Running<'scope>>,
    /// What is said of the version: the checksum of a network takes milliseconds.
    version: Option<String>,
}

/// A search that goes on.
struct Running<'scope> {
    stop: Arc<AtomicBool>,
    /// Set before the answer is written: a program that has read it may ask again at once.
    done: Arc<AtomicBool>,
    thread: ScopedJoinHandle<'scope, ()>,
}

impl<'scope, W: Write + Send> Session<'scope, '_, W> {
    fn refuse(&self, refusal: &Refusal) {
        self.out.say(&[refusal.line(self.server.dialect)]);
    }

    /// Answers a line; `quit` ends the session.
    fn line(&mut self, text: &str) -> ControlFlow<()> {
        match read(text) {
            Err(refusal) => self.refuse(&refusal),
            Ok(Command::Quit) => {
                self.stop();
                return ControlFlow::Break(());
            }
            Ok(command) => {
                self.hear(&command);
                if let Err(refusal) = self.command(command) {
                    self.refuse(&refusal);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Learns the dialect of the other side from its words.
    fn hear(&mut self, command: &Command) {
        let dialect = match command {
            Command::SetOption(..) | Command::NewSession(_) => Dialect::V0_1,
            Command::Set(..) | Command::Get(_) | Command::Keys => Dialect::V0_2,
            Command::Go(Go { form: Some(dialect), .. }) => *dialect,
            _ => return,
        };
        if !self.server.is_fixed {
            self.server.dialect = dialect;
        }
    }

    fn command(&mut self, command: Command) -> Result<(), Refusal> {
        let game = self.server.state.settings.game;
        let State { context, .. } = &mut self.server.state;
        match command {
            Command::Hello => self.greet()?,
            Command::IsReady => self.out.say(&["readyok".to_owned()]),
            Command::NewGame => context.new_game(),
            Command::NewSession(words) => context.new_session(&words)?,
            Command::SetScore([one, two]) => {
                let mut new = context.clone();
                new.set_score(tavola_rules::Player::One, &one)?;
                new.set_score(tavola_rules::Player::Two, &two)?;
                *context = new;
            }
            Command::SetCube(value, owner) => context.set_cube(&value, &owner)?,
            Command::SetTurn(turn) => context.set_turn(&turn)?,
            Command::Position(notation, text) => context.set_position(notation, &text, game)?,
            Command::Dice(dice) => (context.dice, context.offer) = (Some(dice), None),
            Command::SetOption(name, value) => {
                self.change(|state| set_option(state, &name, &value))?
            }
            Command::Set(key, value) => self.change(|state| set_key(state, &key, &value))?,
            Command::Get(key) => self.out.say(&[get_key(&self.server.state, &key)?]),
            Command::Keys => self.out.say(&key_lines(&self.default)),
            Command::Stop => self.stop(),
            Command::Go(go) => {
                if self.is_searching() {
                    return Err(Refusal::new(Fault::Busy, "a search goes on, expected stop"));
                }
                return self.start(self.server.state.clone(), go, Some(self.server.dialect));
            }
            Command::Bare(text) => {
                // The draft has no word for an engine that is busy: the answer comes later.
                self.wait();
                let Ok(context) = Context::bare(&text, game) else {
                    self.out.say(&["sorry".to_owned()]);
                    return Ok(());
                };
                let go = Go { role: role_of(&context), ..Go::default() };
                let settings = self.server.state.settings.clone();
                return self.start(State { settings, context }, go, None);
            }
            Command::Quit => unreachable!("it ends the session"),
        }
        Ok(())
    }

    /// Who this is, and what can be set. The network is loaded here, so that one that can't be used
    /// is told at once.
    fn greet(&mut self) -> Result<(), Refusal> {
        if self.version.is_none() {
            let Question { model, game, .. } = &self.server.question;
            let network = self.engine.network(model.as_deref(), &game.id())?;
            let checksum = network.weights().checksum();
            let version = env!("CARGO_PKG_VERSION");
            self.version = Some(format!("id version {version} network {checksum:.12}"));
        }
        let mut lines =
            vec!["id name tavola".to_owned(), "id author tavola's contributors".to_owned()];
        lines.extend(self.version.clone());
        let dialect = self.server.is_fixed.then_some(self.server.dialect);
        if matches!(dialect, None | Some(Dialect::V0_1)) {
            lines.extend(option_lines(&self.default));
        }
        if matches!(dialect, None | Some(Dialect::V0_2)) {
            lines.push(format!("proto {}", Dialect::V0_2));
        }
        let end = if dialect == Some(Dialect::V0_01) { "readyok" } else { "ubgiok" };
        lines.push(end.to_owned());
        self.out.say(&lines);
        Ok(())
    }

    /// Changes a setting; an engine with another number of threads is another engine.
    fn change(
        &mut self,
        set: impl FnOnce(&mut State) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let before = self.server.state.settings.threads;
        set(&mut self.server.state)?;
        let threads = self.server.state.settings.threads;
        if threads != before {
            self.engine = Arc::new((self.server.make)(threads));
        }
        Ok(())
    }

    fn is_searching(&self) -> bool {
        self.search.as_ref().is_some_and(|search| !search.done.load(Ordering::Acquire))
    }

    /// Ends a search early; its answer comes from its own thread.
    fn stop(&self) {
        if let Some(search) = &self.search {
            search.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for the answer of a search.
    fn wait(&mut self) {
        if let Some(search) = self.search.take() {
            // A panic of the search is one of this thread.
            search.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    }

    /// Begins a search. Its answer is in the words of this dialect, or bare as in draft 0.01.
    fn start(&mut self, state: State, go: Go, named: Option<Dialect>) -> Result<(), Refusal> {
        self.wait();
        let (engine, question) = (&*self.engine, &self.server.question);
        let stop = &AtomicBool::new(false);
        Search { engine, question, state: state.clone(), go, stop, tell: &|_| {} }.check()?;
        let (engine, question) = (Arc::clone(&self.engine), self.server.question.clone());
        let (stop, out) = (Arc::new(AtomicBool::new(false)), self.out);
        let done = Arc::new(AtomicBool::new(false));
        let (stopped, answered) = (Arc::clone(&stop), Arc::clone(&done));
        let thread = self.scope.spawn(move || {
            let tell = |line: String| {
                if named.is_some() {
                    out.say(&[line]);
                }
            };
            let (engine, question, stop) = (&*engine, &question, &*stopped);
            let search = Search { engine, question, state, go, stop, tell: &tell };
            let lines = match (search.decide(), named) {
                (Ok(decision), None) => vec![bare(&decision)],
                (Ok(decision), Some(dialect)) => answer(&decision, dialect),
                (Err(_), None) => vec!["sorry".to_owned()],
                (Err(refusal), Some(dialect)) => vec![refusal.line(dialect)],
            };
            answered.store(true, Ordering::Release);
            out.say(&lines);
        });
        self.search = Some(Running { stop, done, thread });
        Ok(())
    }
}

/// The lines of an answer; the one that ends it comes last.
fn answer(decision: &Decision, dialect: Dialect) -> Vec<String> {
    let words = |play: &BestPlay| match play.hops.as_str() {
        "" => "pass".to_owned(),
        hops => hops.to_owned(),
    };
    match decision {
        Decision::Play(play) => {
            let mut lines = Vec::new();
            // Written first: a program that stops reading at bestmove has read all.
            if dialect == Dialect::V0_1 && !play.after.is_empty() {
                lines.push(format!("bestmoveid {}", play.after));
            }
            lines.push(format!("bestmove {}", words(play)));
            lines
        }
        Decision::Cube(word) => vec![format!("bestcube {word}")],
        Decision::Turn { cube, play } => {
            let mut line = format!("bestturn cube={cube}");
            if let Some(play) = play {
                line += &match dialect {
                    Dialect::V0_1 if !play.after.is_empty() => format!(" moveid={}", play.after),
                    _ => format!(" move={}", words(play)),
                };
            }
            vec![line]
        }
    }
}
