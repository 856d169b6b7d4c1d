//! Players that are other programs.
//!
//! An engine is a child process that answers lines on stdin with lines on stdout, one each. The
//! project's documentation describes the protocol for those who write one; this module is the
//! side that asks.

mod adapters;
pub mod answers;
pub mod beside;
mod ubgi;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tavola_data::Choice;
use tavola_evaluator::PlayableGame;
use tavola_files::Failure;
use tavola_play::{
    Agent, AgentChoice, AgentError, BeforeRoll, ChoosingPlayer, Contender, CubeReply, CubeView,
    ResignReply,
};
use tavola_rules::{Offer, WinKind};
use tempfile::TempDir;

pub use self::adapters::{GNUBG_MOST_PLIES, SAGE_MOST_PLIES, gnubg, sage};
pub(crate) use self::ubgi::UbgiAgent;
use tavola_protocols::{EngineCommand, Process, ProcessEnd};

/// The first word of the greeting and of its answer.
const GREETING: &str = "tavola-engine";

/// The version of the protocol, the second word of both.
const VERSION: &str = "1";

/// The word after the game by which a greeting asks for play with the cube.
const CUBE: &str = "cube";

/// Whether an engine is asked about the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CubeQuestions {
    /// It plays without one.
    Unasked,
    /// It says what it does with it.
    Asked,
}

/// A program that plays, which is called like this by its file until it says its name.
#[derive(Clone, Debug)]
struct Program {
    command: Arc<EngineCommand>,
    name: Arc<str>,
    cube: CubeQuestions,
}

impl Program {
    fn new(command: EngineCommand, cube: CubeQuestions) -> Self {
        Self { name: command.program.as_str().into(), command: Arc::new(command), cube }
    }

    fn start(&self) -> Result<Process, Failure> {
        Process::start(&self.command).map_err(|error| {
            Failure::work(format!("cannot start {:?}: {error}", self.command.program))
        })
    }

    /// It has not answered.
    fn failed(&self, request: &str, ending: ProcessEnd) -> Failure {
        let engine = &self.name;
        Failure::work(match ending {
            ProcessEnd::Hung => {
                let timeout = self.command.timeout.as_secs_f64();
                format!("{engine}: no answer to {request:?} within {timeout} s")
            }
            ProcessEnd::Ended { status, last_words } => {
                let status = status.map_or_else(String::new, |status| format!(" ({status})"));
                let words = match last_words.as_str() {
                    "" => String::new(),
                    words => format!(", its last words: {words}"),
                };
                format!("{engine}: ended instead of answering {request:?}{status}{words}")
            }
        })
    }

    /// It says that it can't answer.
    fn refused(&self, request: &str, message: &str) -> Failure {
        Failure::work(format!("{}: asked {request:?}, the engine says: {message}", self.name))
    }

    /// It does not keep to the protocol, or to the rules of the game.
    fn wrong(&self, request: &str, answer: &str, expected: &str) -> Failure {
        let engine = &self.name;
        Failure::work(format!("{engine}: answered {answer:?} to {request:?}, expected {expected}"))
    }
}

/// A player whose plays are chosen by an engine.
///
/// The process is started when there is the first play to choose, and again after it has failed;
/// every fork has a process of its own, which ends with it. Plays without an alternative are made
/// without asking.
pub struct ExternalAgent<G: PlayableGame> {
    program: Program,
    game: G,
    /// The process, and what it had taken when it was ready.
    process: Option<(Process, Duration)>,
    /// What the process reads while it plays.
    files: Option<Arc<TempDir>>,
}

impl<G: PlayableGame> ExternalAgent<G> {
    /// The player that this command starts, for this game. The engine is started
    /// once to learn its name, and that it is there.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it can't be started, does not answer or refuses the game; one that knows no
    /// cube may say so already if it is asked about it.
    pub fn new(command: EngineCommand, game: G, cube: CubeQuestions) -> Result<Self, Failure> {
        let program = Program::new(command, cube);
        let mut agent = Self { program, game, process: None, files: None };
        let (_, name) = agent.start()?;
        agent.program.name = name.into();
        Ok(agent)
    }

    /// This player, which keeps these files for as long as it plays.
    #[must_use]
    pub fn with_files(self, files: Option<TempDir>) -> Self {
        Self { files: files.map(Arc::new), ..self }
    }

    /// The same player with a process of its own.
    fn again(&self) -> Self {
        let (program, game) = (self.program.clone(), self.game.clone());
        Self { program, game, process: None, files: self.files.clone() }
    }

    /// What the engine calls itself, with its version and settings.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// Starts a process and greets it. Returns its name too.
    fn start(&self) -> Result<(Process, String), Failure> {
        let mut process = self.program.start()?;
        let mut request = format!("{GREETING} {VERSION} {}", self.game.id());
        if self.program.cube == CubeQuestions::Asked {
            request = format!("{request} {CUBE}");
        }
        let deadline = Instant::now() + self.program.command.timeout;
        let failed = |ending| self.program.failed(&request, ending);
        process.send(&request).map_err(failed)?;
        loop {
            // Programs may say what they like before they speak the protocol: banners, licenses.
            let answer = process.receive(deadline).map_err(failed)?;
            if let Some(message) = answer.strip_prefix("error ") {
                return Err(self.program.refused(&request, message));
            }
            let Some(rest) = answer.strip_prefix(GREETING) else { continue };
            let rest = rest.trim_start();
            return match rest.split_once(' ') {
                Some((VERSION, name)) if !name.trim().is_empty() => {
                    Ok((process, name.trim().to_owned()))
                }
                _ => Err(self.program.wrong(&request, &answer, "\"tavola-engine 1\" and a name")),
            };
        }
    }

    /// The engine's answer to a request, as `understand` reads it or says what was expected.
    fn ask<T>(
        &mut self,
        request: &str,
        understand: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Result<T, Failure> {
        let (mut process, ready) = match self.process.take() {
            Some(running) => running,
            None => {
                let process = self.start()?.0;
                let ready = process.time();
                (process, ready)
            }
        };
        let deadline = Instant::now() + self.program.command.timeout;
        let failed = |ending| self.program.failed(request, ending);
        process.send(request).map_err(failed)?;
        let answer = process.receive(deadline).map_err(failed)?;
        if let Some(message) = answer.strip_prefix("error ") {
            return Err(self.program.refused(request, message));
        }
        let understood = understand(&answer)
            .map_err(|expected| self.program.wrong(request, &answer, expected))?;
        // Kept only now: who has failed once is not asked again.
        self.process = Some((process, ready));
        Ok(understood)
    }

    /// The engine's choice among the results.
    fn index(&mut self, situation: &ChoosingPlayer<'_, G>) -> Result<usize, Failure> {
        if situation.afterstates.len() == 1 {
            return Ok(0);
        }
        let game = self.game.clone();
        let numbers = game.numbers(situation.roll).into_iter().map(|number| number.to_string());
        let roll = numbers.collect::<Vec<_>>().join(" ");
        let terms = situation.cube.map(answers::terms).unwrap_or_default();
        let request = format!("best {} {roll}{terms}", game.write_state(situation.state));
        self.ask(&request, |answer| answers::best(&game, situation.afterstates, answer))
    }
}

/// The engine is not asked about resignations: it never resigns, and accepts nothing less than the
/// [most that can be lost](PlayableGame::most_to_lose).
impl<G: PlayableGame> Agent<G> for ExternalAgent<G> {
    fn time_of_program(&self) -> Duration {
        let taken = |(process, ready): &(Process, Duration)| process.time().saturating_sub(*ready);
        self.process.as_ref().map_or(Duration::ZERO, taken)
    }

    fn choose(&mut self, situation: &ChoosingPlayer<'_, G>) -> Result<AgentChoice, AgentError> {
        let index = self.index(situation).map_err(AgentError::of)?;
        Ok(AgentChoice { index, probs: None, choice: Choice::Best })
    }

    fn before_roll(
        &mut self,
        view: &CubeView<'_>,
        state: &G::State,
    ) -> Result<BeforeRoll, AgentError> {
        if view.stakes.may_double(view.cube).is_err() {
            return Ok(BeforeRoll::Roll);
        }
        let request = format!("double {}{}", self.game.write_state(state), answers::terms(view));
        self.ask(&request, answers::before_roll).map_err(AgentError::of)
    }

    fn answer(
        &mut self,
        view: &CubeView<'_>,
        state: &G::State,
        offer: Offer,
    ) -> Result<CubeReply, AgentError> {
        let state = self.game.write_state(state);
        let request = format!("answer {state} {offer}{}", answers::terms(view));
        self.ask(&request, answers::reply).map_err(AgentError::of)
    }

    fn answer_resignation(
        &mut self,
        _: &CubeView<'_>,
        state: &G::State,
        offered: WinKind,
    ) -> Result<ResignReply, AgentError> {
        let enough = offered >= self.game.most_to_lose(state);
        Ok(if enough { ResignReply::Accept } else { ResignReply::Refuse })
    }
}

impl<G: PlayableGame> Contender<G> for ExternalAgent<G> {
    /// The same player with a process of its own.
    fn fork(&self) -> Box<dyn Contender<G>> {
        Box::new(self.again())
    }
}
