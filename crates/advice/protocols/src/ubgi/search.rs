//! Decisions: the question of a `go`, asked of the engine, one ply after the other.
//!
//! Each ply ends with info lines, and `stop` or the end of the time leaves the answer of the last
//! one that was finished.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tavola_engine::operations::{
    Best, Cube, CubeAnswer, CubeQuestion, EvaluatedPlay, Rollout, RolloutResult,
};
use tavola_engine::{
    Effort, Engine, EngineError, EngineEvent, ErrorKind, Operation, Question, RolloutSoFar, Watch,
};
use tavola_equity::{CubeAction, CubeVerdict, Probs, Response};
use tavola_evaluator::search::MAX_PLY;
use tavola_evaluator::{Level, Preset};
use tavola_rules::Backgammon;
use tavola_rules::notation::{Form, Situation, parse_play};

use super::Dialect;
use super::command::{Go, Role};
use super::context::Context;
use super::moves::write_hops;
use super::refusal::{Fault, Refusal, refused};
use super::settings::{Settings, State};

/// The most plays that a rollout compares.
const ROLLED_OUT: u16 = 5;

/// A decision that is searched for.
pub(super) struct Search<'a> {
    pub(super) engine: &'a Engine,
    /// The network, and the match equity table.
    pub(super) question: &'a Question,
    pub(super) state: State,
    pub(super) go: Go,
    /// Set once the answer should come at once.
    pub(super) stop: &'a AtomicBool,
    /// Takes info lines.
    pub(super) tell: &'a (dyn Fn(String) + Sync),
}

/// What was found, in the words that protocols share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decision {
    /// A play.
    Play(BestPlay),
    /// What the player on roll does with the cube, or how an offer is answered.
    Cube(&'static str),
    /// Both.
    Turn { cube: &'static str, play: Option<BestPlay> },
}

/// The play of a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BestPlay {
    /// Hop by hop; empty for a pass.
    pub(crate) hops: String,
    /// The GNU Position ID after it, the opponent on roll.
    pub(super) after: String,
}

impl Search<'_> {
    /// What can be said against the question before a search.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        let (context, most) = (&self.state.context, MAX_PLY);
        if let Some(depth) = self.go.depth.filter(|depth| *depth > most) {
            return Err(refused(format_args!("depth {depth}, expected plies from 0 to {most}")));
        }
        context.situation()?;
        if self.go.role == Role::Chequer && context.offer.is_some() {
            let detail = "a double is offered, expected go for the cube";
            return Err(Refusal::new(Fault::State, detail));
        }
        if self.go.role == Role::Chequer && context.dice.is_none() {
            return Err(Refusal::new(Fault::State, "no dice, expected dice before go"));
        }
        Ok(())
    }

    /// The decision.
    pub(super) fn decide(&self) -> Result<Decision, Refusal> {
        self.check()?;
        let context = &self.state.context;
        if context.offer.is_some() {
            return self.cube(context).map(Decision::Cube);
        }
        match self.go.role {
            Role::Chequer => self.play(context).map(Decision::Play),
            Role::Cube => self.cube(context).map(Decision::Cube),
            Role::Turn => {
                let cube = self.cube(context)?;
                let mut after = context.clone();
                if cube == "double" {
                    after.cube_value *= 2;
                    after.cube_owner = Some(after.turn.flip());
                }
                let play = after.dice.map(|_| self.play(&after)).transpose()?;
                Ok(Decision::Turn { cube, play })
            }
        }
    }

    /// What the context says, as a question to the engine.
    fn question(&self, context: &Context) -> Result<Question, Refusal> {
        let situation = context.situation()?;
        let position =
            Form::Xgid.write(&situation).map_err(|error| refused(tavola_files::chain(&error)))?;
        Ok(Question {
            game: self.state.settings.game.into(),
            position: Some(position),
            ..self.question.clone()
        })
    }

    /// Asks; what the engine warns of is told.
    fn ask<O: Operation>(
        &self,
        question: &Question,
        operation: &O,
        cancel: &AtomicBool,
        rollout: &(dyn Fn(&RolloutSoFar<'_>) + Sync),
    ) -> Result<O::Answer, Refusal> {
        let events = |event: EngineEvent<'_>| match event {
            EngineEvent::Warning(warning) => (self.tell)(format!("info string {warning}")),
            EngineEvent::Rollout(so_far) => rollout(so_far),
            _ => {}
        };
        let watch = Watch { cancel, events: &events };
        let answered = self.engine.ask(question, operation, &watch).map_err(unanswered)?;
        if answered.end.is_some() {
            return Err(Refusal::new(Fault::State, "the game is over"));
        }
        Ok(answered.answer)
    }

    /// The time for the decision.
    fn time(&self) -> Option<Duration> {
        self.go.movetime.or(self.state.settings.effort.time)
    }

    /// One ply after the other to the depth or the level of the settings, or without an end.
    fn steps(&self) -> impl Iterator<Item = Effort> {
        let Effort { level, ply, preset, sure, .. } = self.state.settings.effort;
        let limit = self.go.depth.or(self.time().map(|_| MAX_PLY));
        let level = level.filter(|_| limit.is_none());
        let plies = level.and_then(Level::plies);
        let (deepest, preset) = match level {
            Some(_) => (plies.unwrap_or_default(), Preset::default()),
            None => (limit.or(ply).unwrap_or(Effort::DEFAULT_PLY), preset),
        };
        let is_last = sure.is_some() || level.is_some() && plies.is_none();
        let last = Effort { level, sure, ..Effort::default() };
        (0..=deepest)
            .map(move |ply| Effort::new(ply, preset))
            .chain((is_last && limit.is_none()).then_some(last))
    }

    /// Asks one ply after the other, as deep as depth, time and `stop` allow.
    fn deepen<O: Operation>(
        &self,
        question: &Question,
        operation: &O,
        reached: impl Fn(&O::Answer) -> u8,
        report: impl Fn(&O::Answer, u128),
    ) -> Result<O::Answer, Refusal> {
        let started = Instant::now();
        let mut best = None;
        for step in self.steps() {
            let never = AtomicBool::new(false);
            let (mut limit, mut cancel) = (None, &never);
            // The first answer comes in any case.
            if best.is_some() {
                limit = self.time().map(|time| time.saturating_sub(started.elapsed()));
                if limit == Some(Duration::ZERO) || self.stop.load(Ordering::Relaxed) {
                    break;
                }
                cancel = self.stop;
            }
            let effort = Effort { time: limit, ..step };
            match self.ask(&Question { effort, ..question.clone() }, operation, cancel, &|_| {}) {
                Ok(answer) => {
                    report(&answer, started.elapsed().as_millis());
                    let complete = reached(&answer) >= step.ply.unwrap_or_default();
                    best = Some(answer);
                    if !complete {
                        break;
                    }
                }
                Err(_) if best.is_some() && self.stop.load(Ordering::Relaxed) => break,
                Err(refusal) => return Err(refusal),
            }
        }
        Ok(best.expect("the first question is answered or refused"))
    }

    fn play(&self, context: &Context) -> Result<BestPlay, Refusal> {
        let question = self.question(context)?;
        let settings = &self.state.settings;
        if let Some(trials) = self.go.trials {
            let rolled = self.roll_out(&question, trials, Some(ROLLED_OUT))?;
            let RolloutResult::Plays { plays, .. } = rolled else {
                unreachable!("with a roll plays are rolled out")
            };
            let Some(first) = plays.first() else { return Ok(BestPlay::default()) };
            return self.best_play(context, &first.play, &first.position);
        }
        let best = Best {
            top: u32::try_from(settings.lines.max(1)).ok(),
            cubeful: settings.cubeful,
            ..Best::default()
        };
        let reached = |answer: &tavola_engine::operations::BestAnswer| {
            answer.plays.first().map_or(0, |play| play.ply)
        };
        let answer = self.deepen(&question, &best, reached, |answer, time| {
            for (place, play) in answer.plays.iter().take(settings.lines).enumerate() {
                if let Ok(best) = self.best_play(context, &play.play, &play.position) {
                    (self.tell)(play_line(play, place + 1, time, &best.hops));
                }
            }
        })?;
        let Some(first) = answer.plays.first() else { return Ok(BestPlay::default()) };
        self.best_play(context, &first.play, &first.position)
    }

    /// A play in words, as the protocol writes it.
    fn best_play(&self, context: &Context, play: &str, after: &str) -> Result<BestPlay, Refusal> {
        let (Some(position), Some(dice)) = (context.position, context.dice) else {
            return Ok(BestPlay::default());
        };
        let (play, _) =
            parse_play(play, &position, dice).map_err(|error| Refusal::new(Fault::Work, error))?;
        Ok(BestPlay { hops: write_hops(&play), after: after.to_owned() })
    }

    /// `double`, `nodouble`, or the answer to an offer.
    fn cube(&self, context: &Context) -> Result<&'static str, Refusal> {
        let before = Context { dice: None, ..context.clone() };
        let question = self.question(&before)?;
        let asked =
            if before.offer.is_some() { CubeQuestion::Response } else { CubeQuestion::Double };
        if let Some(trials) = self.go.trials {
            let RolloutResult::Position(rolled) = self.roll_out(&question, trials, None)? else {
                unreachable!("without a roll the position is rolled out")
            };
            // Without an action there is no cube to turn.
            let Some(action) = rolled.action else { return Ok("nodouble") };
            return Ok(word(asked, &action.verdict));
        }
        let answer = self.deepen(
            &question,
            &Cube::default(),
            |answer| answer.ply,
            |answer: &CubeAnswer, time| {
                (self.tell)(cube_line(answer, time));
            },
        )?;
        Ok(word(answer.question, &answer.verdict))
    }

    fn roll_out(
        &self,
        question: &Question,
        trials: u64,
        top: Option<u16>,
    ) -> Result<RolloutResult, Refusal> {
        let started = Instant::now();
        let (settings, role) = (&self.state.settings, self.go.role);
        // A cube decision is always about the cube.
        let cubeful = if top.is_none() { Some(true) } else { settings.cubeful };
        let (seed, time) = (settings.seed, self.time());
        let rollout = Rollout { trials, seed, time, top, cubeful, ..Rollout::default() };
        let report = |so_far: &RolloutSoFar<'_>| {
            (self.tell)(format!(
                "info role {} trials {} time_ms {} eq {:.4} se {:.4}",
                role.name(),
                so_far.trials,
                started.elapsed().as_millis(),
                so_far.equity.mean,
                so_far.equity.standard_error
            ));
        };
        Ok(self.ask(question, &rollout, self.stop, &report)?.rolled)
    }
}

/// Why a question has no answer. Only `stop` and `quit` call one off.
fn unanswered(error: EngineError) -> Refusal {
    match error.kind() {
        ErrorKind::Canceled => Refusal::new(Fault::Work, "stopped before the first answer"),
        _ => error.into(),
    }
}

/// The cube action in the words of the protocol.
fn word(asked: CubeQuestion, verdict: &CubeVerdict) -> &'static str {
    match (asked, verdict.response) {
        (CubeQuestion::Response, Some(Response::Pass)) => "drop",
        (CubeQuestion::Response, Some(Response::Beaver)) => "beaver",
        (CubeQuestion::Response, _) => "take",
        (CubeQuestion::Double, _) => match verdict.action {
            CubeAction::DoubleTake | CubeAction::DoublePass => "double",
            _ => "nodouble",
        },
    }
}

fn chances(line: &mut String, probs: &Probs) {
    let Probs { win, win_gammon, win_backgammon, lose_gammon, lose_backgammon } = probs;
    write!(
        line,
        " pwin {win:.4} pgammon {win_gammon:.4} pbg {win_backgammon:.4} \
         plosegammon {lose_gammon:.4} plosebg {lose_backgammon:.4}"
    )
    .expect("a string takes whatever is written");
}

fn play_line(play: &EvaluatedPlay, place: usize, time: u128, hops: &str) -> String {
    let equity = play.cubeful.map_or(f64::from(play.equity), |figures| figures.cubeful_equity);
    let mut line = format!(
        "info role chequer depth {} multipv {place} time_ms {time} eq {equity:.4}",
        play.ply
    );
    if let Some(mwc) = play.cubeful.and_then(|figures| figures.mwc) {
        line += &format!(" mwc {mwc:.4}");
    }
    line += &format!(" loss {:.4}", play.loss);
    interval(&mut line, play.interval);
    chances(&mut line, &play.probs);
    line + " pv " + if hops.is_empty() { "pass" } else { hops }
}

fn cube_line(answer: &CubeAnswer, time: u128) -> String {
    let mut line = format!(
        "info role cube depth {} time_ms {time} eq {:.4} nodouble {:.4}",
        answer.ply, answer.cubeful_equity, answer.no_double
    );
    let figures = [
        ("doubletake", answer.double_take),
        ("doublepass", answer.double_pass),
        ("doublebeaver", answer.double_beaver),
    ];
    for (name, figure) in figures {
        if let Some(figure) = figure {
            line += &format!(" {name} {figure:.4}");
        }
    }
    interval(&mut line, answer.interval);
    chances(&mut line, &answer.probs);
    line
}

/// Half of the 95 % interval of a loss.
fn interval(line: &mut String, interval: Option<f64>) {
    if let Some(interval) = interval {
        *line += &format!(" interval {interval:.4}");
    }
}

/// What has to be done in a situation: a play where there is a roll, else a cube action.
pub(crate) fn act(
    engine: &Engine,
    question: &Question,
    situation: &Situation,
) -> Result<Decision, String> {
    let context = Context::of(situation);
    let effort = question.effort;
    let settings = Settings::new(effort, engine.threads(), Backgammon::Standard);
    let depth = effort.ply.filter(|_| effort.time.is_some());
    let go = Go { role: role_of(&context), depth, ..Go::default() };
    let state = State { settings, context };
    let stop = &AtomicBool::new(false);
    let search = Search { engine, question, state, go, stop, tell: &|_| {} };
    search.decide().map_err(|refusal| refusal.line(Dialect::V0_2))
}

/// The bare answer of draft 0.01.
pub(super) fn bare(decision: &Decision) -> String {
    match decision {
        Decision::Cube("nodouble") => "roll".to_owned(),
        // The draft knows no beaver.
        Decision::Cube("beaver") => "take".to_owned(),
        Decision::Cube(word) => (*word).to_owned(),
        Decision::Play(play) => play.hops.clone(),
        Decision::Turn { cube, .. } => bare(&Decision::Cube(cube)),
    }
}

/// The role of a bare position: what has to be decided in it.
pub(super) fn role_of(context: &Context) -> Role {
    match (context.offer, context.dice) {
        (Some(_), _) | (None, None) => Role::Cube,
        (None, Some(_)) => Role::Chequer,
    }
}
