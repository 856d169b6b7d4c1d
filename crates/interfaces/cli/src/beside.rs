//! Other engines that are asked beside ours, and what is shown of their answers.

use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use tavola_arena::PlayerContext;
use tavola_arena::beside::{Beside, ask_beside};
use tavola_engine::FullAnswer;
use tavola_engine::operations::{BestAnswer, CubeAnswer, CubeQuestion, EvaluatedPlay};
use tavola_games::{AnyGame, NamedGame};
use tavola_matches::Match;
use tavola_matches::analysis::{DecisionKind, MatchAnalysis, OpenDecision, Opinion};
use tavola_rules::notation::{Situation, parse_play, parse_situation, read_situation};
use tavola_rules::{Backgammon, Position};

use crate::args::seconds;
use crate::cancel;
use crate::failure::{Failure, Outcome};
use crate::report::progress::CountProgress;
use crate::report::table::Out;
use crate::report::{format, warning};

/// Which other engines are asked.
#[derive(Clone, Debug, Args)]
pub struct BesideArgs {
    /// Print what other engines say beside ours: gnubg:PLY, sage:LEVEL and exec:COMMAND, with commas
    /// between them (docs/engines.md)
    #[arg(long, value_name = "ENGINE,...")]
    pub beside: Option<EngineNames>,
    /// Seconds that such an engine may take to start, and for an answer, before it counts as hung
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds,
          requires = "beside")]
    engine_timeout: Duration,
}

/// Names of engines with commas between them; a command may have commas and stands last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineNames(Vec<String>);

impl FromStr for EngineNames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut names, mut rest) = (Vec::new(), text);
        while !rest.is_empty() {
            let end = if rest.starts_with("exec:") { None } else { rest.find(',') };
            let (name, behind) = end.map_or((rest, ""), |at| (&rest[..at], &rest[at + 1..]));
            let name = name.trim();
            if name.is_empty() || names.iter().any(|it| it == name) {
                return Err("expected different engines, such as gnubg:2,sage:3ply".to_owned());
            }
            names.push(name.to_owned());
            rest = behind;
        }
        if names.is_empty() {
            return Err("expected engines, such as gnubg:2,sage:3ply".to_owned());
        }
        Ok(Self(names))
    }
}

impl BesideArgs {
    /// Starts the engines, if any are asked, for a game.
    pub fn start(&self, game: Backgammon, is_cubeful: bool) -> Outcome<Vec<Beside>> {
        let context = PlayerContext {
            timeout: self.engine_timeout,
            progress: &|_| {},
            warn: &|warning| warning::warn(warning),
            called_off: &cancel::INTERRUPTED,
        };
        let names = self.beside.iter().flat_map(|names| &names.0);
        let start = |name: &String| {
            let _waiting = WaitNotice::of(name);
            Beside::new(name, game, is_cubeful, &context).map_err(Failure::input)
        };
        names.map(start).collect()
    }

    /// Starts the engines for questions about positions of a game, with the cube or without.
    pub fn run(&self, game: &NamedGame, is_cubeful: bool) -> Outcome<Running> {
        match game {
            _ if self.beside.is_none() => Ok(Running(Vec::new())),
            NamedGame::Two(AnyGame::Backgammon(game)) => self.start(*game, is_cubeful).map(Running),
            game => Err(Failure::input(format_args!(
                "--beside is given with {game}, expected it in backgammon and its variants"
            ))),
        }
    }

    /// Asks the engines about all decisions of a match.
    pub fn ask(&self, record: &Match, analysis: &mut MatchAnalysis, processes: usize) -> Outcome {
        for engine in self.start(record.options.start, true)? {
            let progress = CountProgress::new(0, "decisions beside");
            let done = |done, of| {
                progress.done_of(done, of);
                !cancel::INTERRUPTED.load(Ordering::SeqCst)
            };
            let failures = ask_beside(&engine, record, analysis, processes, &done);
            drop(progress);
            if cancel::INTERRUPTED.load(Ordering::SeqCst) {
                return Err(tavola_files::Failure::stopped("stopped").into());
            }
            if let Some(first) = failures.first() {
                let times = format::plural(failures.len(), "time");
                let (source, name) = (&analysis.source, engine.name());
                warning::warn(&format_args!(
                    "{source}: {name} failed {times}, its figures are not complete: {first}"
                ));
            }
        }
        Ok(())
    }
}

/// Engines that answer questions about positions.
pub struct Running(Vec<Beside>);

impl Running {
    /// What a position is for engines, if there are any or something is said of it.
    fn situation<A>(
        &self,
        game: &NamedGame,
        answered: &FullAnswer<A>,
        said: Option<&OpenDecision>,
    ) -> Option<Situation> {
        let NamedGame::Two(AnyGame::Backgammon(game)) = game else { return None };
        let xgid = answered.xgid.as_deref().filter(|_| said.is_some() || !self.0.is_empty())?;
        read_situation(xgid, *game).ok().map(|reading| reading.situation)
    }

    /// What they say of the plays of an answer, behind what is said of the position already.
    pub fn on_plays(
        &mut self,
        game: &NamedGame,
        answered: &FullAnswer<BestAnswer>,
        said: Option<&OpenDecision>,
    ) -> Outcome<Vec<Opinion>> {
        let Some(situation) = self.situation(game, answered, said) else { return Ok(Vec::new()) };
        let Some(dice) = situation.dice else { return Ok(Vec::new()) };
        let BestAnswer { plays, played, .. } = &answered.answer;
        let after =
            |play: &EvaluatedPlay| Some(parse_play(&play.play, &situation.position, dice).ok()?.1);
        let shown: Vec<Position> = plays.iter().filter_map(after).collect();
        let Some(made) = played.as_ref().or(plays.first()).and_then(after) else {
            return Ok(Vec::new());
        };
        let mut opinions = fitting(said, &situation, |it| !it.plays.is_empty());
        for engine in &mut self.0 {
            let _waiting = WaitNotice::of(engine.name());
            opinions.extend(engine.on_plays(&situation, dice, &shown, &made)?);
        }
        Ok(opinions)
    }

    /// What they say of the cube, where it may be turned.
    pub fn on_cube(
        &mut self,
        game: &NamedGame,
        answered: &FullAnswer<CubeAnswer>,
        said: Option<&OpenDecision>,
    ) -> Outcome<Vec<Opinion>> {
        let answer = &answered.answer;
        let situation = self.situation(game, answered, said).filter(|_| answer.losses.is_some());
        let Some(situation) = situation else { return Ok(Vec::new()) };
        let situation = Situation { dice: None, offer: None, ..situation };
        let mut opinions = fitting(said, &situation, |it| it.actions.is_some());
        let kind = match answer.question {
            CubeQuestion::Double => DecisionKind::Double,
            CubeQuestion::Response => DecisionKind::Response,
        };
        for engine in &mut self.0 {
            let _waiting = WaitNotice::of(engine.name());
            opinions.push(engine.on_cube(&situation, kind, None)?);
        }
        Ok(opinions)
    }
}

/// What is said of a position, if it is about the same question.
fn fitting(
    said: Option<&OpenDecision>,
    situation: &Situation,
    answers: impl Fn(&Opinion) -> bool,
) -> Vec<Opinion> {
    let Some(said) = said else { return Vec::new() };
    let opinion = said.opinion.clone().filter(answers);
    let same = |it: &Situation| {
        let about = |it: &Situation| Situation { offer: None, ..*it };
        let dice = if situation.dice.is_some() { it.dice } else { None };
        about(&Situation { dice, ..*it }) == about(situation)
    };
    let is_same = parse_situation(&said.xgid).is_ok_and(|it| same(&it));
    opinion.filter(|_| is_same).into_iter().collect()
}

/// Writes an answer as `ask::write_answer` does, with what other engines say.
pub fn write_answer<A: Serialize>(
    answered: &FullAnswer<A>,
    beside: &[Opinion],
    out: &mut dyn Out,
) -> Outcome<bool> {
    #[derive(Serialize)]
    struct AnswerBeside<'a, A> {
        #[serde(flatten)]
        answer: &'a A,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        beside: &'a [Opinion],
    }
    let answer = AnswerBeside { answer: &answered.answer, beside };
    Ok(out.whole(&(tavola_engine::answer_line(None, &answer, &answered.warnings) + "\n"))?)
}

/// Tells on stderr what is waited for, once it takes long; until it is dropped.
pub struct WaitNotice(Option<(Sender<()>, thread::JoinHandle<()>)>);

impl WaitNotice {
    /// How long a user waits without a word.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// Of this engine.
    pub fn of(name: &str) -> Self {
        let (done, waits) = channel();
        let message = format!("waiting for {name}");
        let wait = move || {
            if waits.recv_timeout(Self::PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = warning::bar(None).with_message(message);
            bar.enable_steady_tick(Duration::from_millis(250));
            let _ = waits.recv();
            bar.finish_and_clear();
        };
        // Without another thread there is no word.
        let thread = thread::Builder::new().spawn(wait).ok();
        Self(thread.map(|thread| (done, thread)))
    }
}

impl Drop for WaitNotice {
    fn drop(&mut self) {
        if let Some((done, thread)) = self.0.take() {
            drop(done);
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_stand_between_commas_and_a_command_last() {
        let names = |text: &str| text.parse::<EngineNames>().map(|names| names.0);
        assert_eq!(names("gnubg:2, sage:3ply").unwrap(), ["gnubg:2", "sage:3ply"]);
        assert_eq!(names("gnubg,exec:./a 1,2").unwrap(), ["gnubg", "exec:./a 1,2"]);
        for wrong in ["", ",gnubg", "gnubg,gnubg", "gnubg,,sage"] {
            assert!(names(wrong).unwrap_err().contains("gnubg:2,sage:3ply"), "{wrong}");
        }
    }
}
