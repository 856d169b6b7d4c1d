//! Other engines that give their figures beside ours.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tavola_files::{Failure, locked};
use tavola_matches::Match;
use tavola_matches::analysis::{
    Choice, CubeFigures, Decision, DecisionKind, DecisionPoint, MatchAnalysis, Opinion, RatedPlay,
    ResponseTerms, questions,
};
use tavola_rules::notation::{MoneyOrMatch, Situation, encode_position_id, parse_play};
use tavola_rules::{Backgammon, Beavers, Cube, Dice, Game, Play, Position, moves};

use super::{CubeQuestions, ExternalAgent, answers};
use crate::strength::player::{Made, MadeProgram, PlayerContext, PlayerError, PlayerName};

/// Plays that one request is about: its answer has six numbers of each in a line of 4,096 bytes.
const PLAYS: usize = 60;

/// Failures after which an engine is asked no more.
const MOST_FAILURES: usize = 5;

/// What can be asked.
const EXPECTED: &str = "another engine: gnubg:PLY, sage:LEVEL or exec:COMMAND";

/// An engine that is asked beside ours.
pub struct Beside {
    name: String,
    ply: u8,
    agent: ExternalAgent<Backgammon>,
}

impl Beside {
    /// The engine of this name, which is started; its figures are with the cube or without.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] if the name is not that of another engine, or it can't be started.
    pub fn new(
        text: &str,
        game: Backgammon,
        is_cubeful: bool,
        context: &PlayerContext<'_>,
    ) -> Result<Self, PlayerError> {
        let unknown =
            || PlayerError::Unknown { text: text.to_owned(), expected: EXPECTED.to_owned() };
        let name = PlayerName::parse(text, &game)?;
        let ply = name.plies_of_engine().ok_or_else(unknown)?;
        let Made::Program(MadeProgram::Engine { command, files }) =
            Made::new(&name, &game, context)?
        else {
            return Err(unknown());
        };
        let cube = if is_cubeful { CubeQuestions::Asked } else { CubeQuestions::Unasked };
        let agent = ExternalAgent::new(command, game, cube)?.with_files(files);
        Ok(Self { name: text.to_owned(), ply, agent })
    }

    /// The name that it was asked by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same with a process of its own.
    fn again(&self) -> Self {
        Self { name: self.name.clone(), ply: self.ply, agent: self.agent.again() }
    }

    /// The words of a request that say what the game is played for.
    fn terms(&self, situation: &Situation) -> String {
        if self.agent.program.cube == CubeQuestions::Unasked {
            return String::new();
        }
        let (score, jacoby, beavers) = match situation.stakes {
            Some(MoneyOrMatch::Match(score)) => (Some(score), false, false),
            Some(MoneyOrMatch::Money { jacoby, beavers }) => (None, jacoby, beavers == Some(true)),
            None => (None, false, false),
        };
        let beavers = if beavers { Beavers::Beavers } else { Beavers::Off };
        answers::terms_of(situation.cube.unwrap_or(Cube::START), score, jacoby, beavers)
    }

    /// What it says of the plays of a roll: of its own best one, of those that lead to the `shown`
    /// positions, and of the one that was made. `None` if there is nothing to choose, or a play ends
    /// the game.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it does not answer as it should.
    pub fn on_plays(
        &mut self,
        situation: &Situation,
        dice: Dice,
        shown: &[Position],
        made: &Position,
    ) -> Result<Option<Opinion>, Failure> {
        let game = self.agent.game;
        let plays = moves::plays(&situation.position, dice);
        let ends = |(_, after): &(Play, Position)| game.outcome(after).is_some();
        if plays.len() < 2 || plays.iter().any(ends) {
            return Ok(None);
        }
        let terms = self.terms(situation);
        let roll =
            format!("{} {} {}", encode_position_id(&situation.position), dice.high(), dice.low());
        let afterstates: Vec<Position> = plays.iter().map(|(_, after)| *after).collect();
        let best = |answer: &str| answers::best(&game, &afterstates, answer);
        let best = afterstates[self.agent.ask(&format!("best {roll}{terms}"), best)?];
        let mut asked = vec![best, *made];
        asked.extend(shown);
        let mut seen = Vec::new();
        asked.retain(|it| !seen.contains(it) && (seen.push(*it), true).1);
        let mut rated = Vec::new();
        for asked in asked.chunks(PLAYS) {
            let ids: Vec<String> = asked.iter().map(encode_position_id).collect();
            let request = format!("equities {roll} {}{terms}", ids.join(" "));
            let each = vec![6; asked.len()];
            let numbers = self.agent.ask(&request, |answer| answers::equities(answer, &each))?;
            for (after, numbers) in asked.iter().zip(numbers.chunks(6)) {
                let play = plays.iter().find(|(_, it)| it == after);
                let probs = std::array::from_fn(|at| numbers[at + 1] as f32);
                rated.push((
                    *after,
                    RatedPlay {
                        play: play.map_or_else(String::new, |(play, _)| play.to_string()),
                        equity: numbers[0],
                        mwc: None,
                        loss: 0.0,
                        interval: 0.0,
                        probs,
                        ply: self.ply,
                    },
                ));
            }
        }
        // Its choice comes first, whatever a filter of its search has left out.
        let top = rated[0].1.equity;
        let loss = |play: &RatedPlay| (top - play.equity).max(0.0);
        let done = rated.iter().find(|(after, _)| after == made).map_or(&rated[0].1, |it| &it.1);
        let (equity, lost) = (done.equity, loss(done));
        let mut plays: Vec<RatedPlay> =
            rated.into_iter().map(|(_, play)| RatedPlay { loss: loss(&play), ..play }).collect();
        plays[1..].sort_by(|a, b| b.equity.total_cmp(&a.equity));
        Ok(Some(Opinion {
            best: plays[0].play.clone(),
            equity,
            loss: lost,
            plays,
            ..self.opinion()
        }))
    }

    /// What it says of the cube, where the player on roll may turn it; `made` is a place in
    /// [`CubeFigures::choices`].
    ///
    /// # Errors
    ///
    /// [`Failure`] if it does not answer as it should.
    pub fn on_cube(
        &mut self,
        situation: &Situation,
        kind: DecisionKind,
        made: Option<usize>,
    ) -> Result<Opinion, Failure> {
        let terms = self.terms(situation);
        let position = encode_position_id(&situation.position);
        let request = format!("equities {position}{terms}");
        let numbers = self.agent.ask(&request, |answer| answers::equities(answer, &[3, 5]))?;
        let figures = CubeFigures {
            probs: Some(std::array::from_fn(|at| numbers[at + 3] as f32)),
            ..CubeFigures::new([numbers[0], numbers[1], numbers[2]], ResponseTerms::of(situation))
        };
        Ok(self.opinion().on_cube(figures, kind, made))
    }

    /// An opinion with nothing but who has it.
    fn opinion(&self) -> Opinion {
        let (name, engine) = (self.name.clone(), self.agent.name().to_owned());
        Opinion { name, engine, ..Opinion::default() }
    }

    /// What it says of a decision of a match; `None` where there was nothing to choose.
    fn on_decision(
        &mut self,
        question: &DecisionPoint,
        decision: &Decision,
    ) -> Result<Option<Opinion>, Failure> {
        let situation = &question.situation;
        match question.choice {
            Choice::Play { dice, play: Some(play), .. } => {
                let position = &situation.position;
                let Ok(made) = play.apply(position) else { return Ok(None) };
                let after = |play: &RatedPlay| Some(parse_play(&play.play, position, dice).ok()?.1);
                let shown: Vec<Position> = decision.plays.iter().filter_map(after).collect();
                self.on_plays(situation, dice, &shown, &made)
            }
            Choice::Double { .. } | Choice::Answer(_) => {
                self.on_cube(situation, decision.kind, decision.made).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// Asks an engine about all decisions of a match, with a number of processes at a time, and puts what
/// it says beside ours. Returns the failures; after some of them it is asked no more.
///
/// `done` is called after each decision with how many are done and how many there are; it tells
/// whether to go on.
pub fn ask_beside(
    engine: &Beside,
    record: &Match,
    analysis: &mut MatchAnalysis,
    processes: usize,
    done: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Vec<Failure> {
    let mut questions = questions(record).into_iter().peekable();
    let mut open = Vec::new();
    for (index, decision) in analysis.decisions.iter().enumerate() {
        let found = questions.find(|question| decision.is_about(question));
        open.extend(found.map(|question| (index, question)));
    }
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (found, failures) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let decisions = &analysis.decisions;
    let work = |mut engine: Beside| {
        while let Some((index, question)) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
            match engine.on_decision(question, &decisions[*index]) {
                Ok(opinion) => locked(&found).extend(opinion.map(|opinion| (*index, opinion))),
                Err(failure) => {
                    let mut failures = locked(&failures);
                    failures.push(failure);
                    if failures.len() >= MOST_FAILURES {
                        next.store(open.len(), Ordering::Relaxed);
                    }
                }
            }
            if !done(finished.fetch_add(1, Ordering::Relaxed) + 1, open.len()) {
                next.store(open.len(), Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..processes.min(open.len()) {
            let (work, engine) = (&work, engine.again());
            scope.spawn(move || work(engine));
        }
        work(engine.again());
    });
    for (index, opinion) in tavola_files::unlocked(found) {
        let beside = &mut analysis.decisions[index].beside;
        // It says it anew where the file had it.
        beside.retain(|it| it.name != opinion.name);
        beside.push(opinion);
    }
    tavola_files::unlocked(failures)
}
