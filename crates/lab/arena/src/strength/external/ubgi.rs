//! Engines that speak UBGI, as players.
//!
//! A position goes over as an XGID, which says everything about it; without a cube, or where the
//! engine knows no XGIDs, the request has a GNU Position ID.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tavola_data::Choice;
use tavola_evaluator::{PlayableGame, SituationOf, WrittenForm};
use tavola_files::Failure;
use tavola_play::{
    Agent, AgentChoice, AgentError, BeforeRoll, ChoosingPlayer, Contender, CubeReply, CubeView,
    ResignReply,
};
use tavola_protocols::{EngineCommand, Process};
use tavola_rules::notation::{self, Situation as Text};
use tavola_rules::{Beavers, Offer, WinKind};

use super::{CubeQuestions, Program};

/// Lines that an engine may say before the one that is waited for.
const MOST_LINES: usize = tavola_files::limits::ENGINE_LINES.default as usize;

/// A player whose decisions come from an engine that speaks UBGI, 0.1 or 0.2.
///
/// The process is started when there is the first decision, and again after it has failed; every
/// fork has one of its own. Plays without an alternative are made without asking. The engine is not
/// asked about resignations.
#[derive(Debug)]
pub struct UbgiAgent<G: PlayableGame> {
    program: Program,
    options: Arc<[(String, String)]>,
    game: G,
    link: Option<Link>,
}

/// A running engine that has been greeted.
#[derive(Debug)]
struct Link {
    process: Process,
    /// What it had taken when it was ready.
    ready: Duration,
    /// Whether it has said `proto 0.2`: then roles are named without a word before them.
    speaks_0_2: bool,
    /// The names of its options and keys.
    options: Vec<String>,
    keys: Vec<String>,
    name: String,
    version: String,
}

impl<G: PlayableGame> UbgiAgent<G> {
    /// The player that this command starts, with these options. The engine is started once to
    /// learn its name, and that it is there.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it can't be started, does not answer or refuses an option; where it is asked
    /// about the cube, also if it does not answer a decision about it, which it is asked.
    pub(crate) fn new(
        command: EngineCommand,
        options: Vec<(String, String)>,
        game: G,
        cube: CubeQuestions,
    ) -> Result<Self, Failure> {
        let program = Program::new(command, cube);
        let mut agent = Self { program, options: options.into(), game, link: None };
        let link = agent.start()?;
        let (name, version) = (link.name.as_str(), link.version.as_str());
        let mut full = [name, version].join(" ").trim().to_owned();
        if full.is_empty() {
            full.clone_from(&agent.program.command.program);
        }
        for (name, value) in &*agent.options {
            full += &format!(", {name} {value}");
        }
        agent.program.name = full.into();
        agent.link = Some(link);
        if cube == CubeQuestions::Asked {
            let start = agent.game.start();
            let xgid = agent.write(Text::of(start))?;
            agent.ask_cube(&xgid)?;
        }
        Ok(agent)
    }

    /// What the engine calls itself, with its version and the options it was given.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// Starts a process, greets it, gives it its options and tells it that a game begins.
    fn start(&self) -> Result<Link, Failure> {
        let mut link = Link {
            process: self.program.start()?,
            ready: Duration::ZERO,
            speaks_0_2: false,
            options: Vec::new(),
            keys: Vec::new(),
            name: String::new(),
            version: String::new(),
        };
        let lines = self.exchange(&mut link, &["ubgi"], |line| line == "ubgiok")?;
        let second = |line: &str| line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        for line in &lines {
            if let Some(name) = line.strip_prefix("id name ") {
                link.name = name.trim().to_owned();
            } else if let Some(version) = line.strip_prefix("id version ") {
                link.version = version.trim().to_owned();
            } else if line == "proto 0.2" {
                link.speaks_0_2 = true;
            } else if let Some(option) = line.strip_prefix("option name ") {
                let name = option.split(" type ").next().unwrap_or(option);
                link.options.push(name.trim().to_owned());
            } else if line.starts_with("key ") {
                link.keys.push(second(line));
            }
        }
        if link.speaks_0_2 {
            let lines = self.exchange(&mut link, &["keys", "isready"], |line| line == "readyok")?;
            link.keys.extend(
                lines.iter().filter(|line| line.starts_with("key ")).map(|line| second(line)),
            );
        }
        for (name, value) in &*self.options {
            let is_option = link.options.iter().any(|option| option.eq_ignore_ascii_case(name));
            let request = match is_option || !link.keys.contains(name) {
                true => format!("setoption name {name} value {value}"),
                false => format!("set {name} {value}"),
            };
            self.tell(&mut link, &request)?;
        }
        self.tell(&mut link, "newgame")?;
        link.ready = link.process.time();
        Ok(link)
    }

    /// Sends lines and collects answers up to the last one, which `ends` recognizes.
    fn exchange(
        &self,
        link: &mut Link,
        requests: &[&str],
        ends: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Failure> {
        let asked = requests.join("; ");
        let deadline = Instant::now() + self.program.command.timeout;
        let failed = |ending| self.program.failed(&asked, ending);
        for request in requests {
            link.process.send(request).map_err(failed)?;
        }
        let mut lines = Vec::new();
        while lines.len() < MOST_LINES {
            let line = link.process.receive(deadline).map_err(failed)?.trim().to_owned();
            if let Some(message) = line.strip_prefix("error") {
                return Err(self.program.refused(&asked, message.trim()));
            }
            let is_last = ends(&line);
            lines.push(line);
            if is_last {
                return Ok(lines);
            }
        }
        Err(self.program.wrong(&asked, &lines[MOST_LINES - 1], "the end of its answer"))
    }

    /// Says something that has no answer, and makes sure that it was understood.
    fn tell(&self, link: &mut Link, request: &str) -> Result<(), Failure> {
        self.exchange(link, &[request, "isready"], |line| line == "readyok").map(drop)
    }

    /// Asks; an engine that fails is not asked again.
    fn ask<T>(
        &mut self,
        position: &str,
        dice: Option<&str>,
        role: &str,
        understand: impl FnOnce(&[String]) -> Result<T, &'static str>,
    ) -> Result<T, Failure> {
        let mut link = match self.link.take() {
            Some(link) => link,
            None => self.start()?,
        };
        let position = format!("position {position}");
        let go = if link.speaks_0_2 { format!("go {role}") } else { format!("go role {role}") };
        let requests: Vec<&str> =
            [Some(position.as_str()), dice, Some(&go)].into_iter().flatten().collect();
        let answer = match role {
            "cube" => "bestcube",
            _ => "bestmove",
        };
        let ends = |line: &str| line.split_whitespace().next() == Some(answer);
        let lines = self.exchange(&mut link, &requests, ends)?;
        let understood = understand(&lines).map_err(|expected| {
            let said = lines.last().map(String::as_str).unwrap_or_default();
            self.program.wrong(&requests.join("; "), said, expected)
        })?;
        self.link = Some(link);
        Ok(understood)
    }

    /// The cube action in a position.
    fn ask_cube(&mut self, xgid: &str) -> Result<String, Failure> {
        self.ask(&format!("xgid {xgid}"), None, "cube", |lines| {
            let word = lines.last().and_then(|line| line.strip_prefix("bestcube "));
            word.map(|word| word.trim().to_owned()).ok_or("\"bestcube\" and an action")
        })
    }

    /// A situation as XGID, without its prefix.
    fn write(&self, situation: SituationOf<G>) -> Result<String, Failure> {
        let written = self.game.write_as(&situation, WrittenForm::Xgid);
        let text = match written {
            Some(Ok(text)) => text.to_string(),
            Some(Err(error)) => return Err(self.unable(&error.to_string())),
            None => return Err(self.unable("the game has no XGIDs")),
        };
        Ok(text.trim_start_matches("XGID=").to_owned())
    }

    fn unable(&self, reason: &str) -> Failure {
        self.program.refused("position xgid", reason)
    }

    /// A position with all that belongs to it.
    fn xgid(
        &self,
        state: &G::State,
        view: &CubeView<'_>,
        roll: Option<G::Roll>,
        offer: Option<Offer>,
    ) -> Result<String, Failure> {
        let stakes = match view.score {
            Some(score) => notation::MoneyOrMatch::Match(score),
            None => notation::MoneyOrMatch::Money {
                jacoby: view.options.jacoby,
                beavers: Some(view.options.beavers != Beavers::Off),
            },
        };
        self.write(Text {
            position: *state,
            dice: roll,
            offer,
            cube: Some(view.cube),
            stakes: Some(stakes),
        })
    }

    /// The engine's choice among the results.
    fn index(&mut self, situation: &ChoosingPlayer<'_, G>) -> Result<usize, Failure> {
        if situation.afterstates.len() == 1 {
            return Ok(0);
        }
        let game = self.game.clone();
        let numbers = game.numbers(situation.roll);
        let words: Vec<String> = numbers.iter().map(u8::to_string).collect();
        let dice = format!("dice {}", words.join(" "));
        let position = match situation.cube {
            Some(view) => {
                format!("xgid {}", self.xgid(situation.state, view, Some(situation.roll), None)?)
            }
            None => match game.write_as(&Text::of(*situation.state), WrittenForm::PositionId) {
                Some(Ok(id)) => format!("gnubgid {id}"),
                _ => return Err(self.unable("the game has no GNU Position IDs")),
            },
        };
        let (state, roll, afterstates) = (situation.state, situation.roll, situation.afterstates);
        self.ask(&position, Some(&dice), "chequer", |lines| {
            let last =
                lines.last().and_then(|line| line.strip_prefix("bestmove")).unwrap_or_default();
            let (_, after) = game
                .parse_play(last.trim(), state, roll)
                .map_err(|_| "\"bestmove\" and a legal play such as 24/18 13/12")?;
            let index = afterstates.iter().position(|afterstate| *afterstate == after);
            index.ok_or("a play that leads to one of the afterstates")
        })
    }

    /// A cube action that is none; the engine is not asked again.
    fn unexpected(&mut self, xgid: &str, word: &str, expected: &'static str) -> AgentError {
        self.link = None;
        let request = format!("position xgid {xgid}; go cube");
        let answer = format!("bestcube {word}");
        AgentError::of(self.program.wrong(&request, &answer, expected))
    }
}

impl<G: PlayableGame> Agent<G> for UbgiAgent<G> {
    fn time_of_program(&self) -> Duration {
        self.link
            .as_ref()
            .map_or(Duration::ZERO, |link| link.process.time().saturating_sub(link.ready))
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
        let xgid = self.xgid(state, view, None, None).map_err(AgentError::of)?;
        match self.ask_cube(&xgid).map_err(AgentError::of)?.as_str() {
            "double" => Ok(BeforeRoll::Double),
            "nodouble" => Ok(BeforeRoll::Roll),
            other => {
                Err(self.unexpected(&xgid, other, "\"bestcube double\" or \"bestcube nodouble\""))
            }
        }
    }

    /// A beaver and a raccoon are answered as the protocol can: it has no word for these offers, so
    /// they are accepted.
    fn answer(
        &mut self,
        view: &CubeView<'_>,
        state: &G::State,
        offer: Offer,
    ) -> Result<CubeReply, AgentError> {
        if offer != Offer::Double {
            return Ok(CubeReply::Take);
        }
        let xgid = self.xgid(state, view, None, Some(offer)).map_err(AgentError::of)?;
        match self.ask_cube(&xgid).map_err(AgentError::of)?.as_str() {
            "take" => Ok(CubeReply::Take),
            "drop" | "pass" => Ok(CubeReply::Drop),
            "beaver" => Ok(CubeReply::Turn),
            other => Err(self.unexpected(&xgid, other, "\"bestcube\" and take, drop or beaver")),
        }
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

impl<G: PlayableGame> Contender<G> for UbgiAgent<G> {
    /// The same player with a process of its own.
    fn fork(&self) -> Box<dyn Contender<G>> {
        let (program, options) = (self.program.clone(), Arc::clone(&self.options));
        Box::new(Self { program, options, game: self.game.clone(), link: None })
    }
}
