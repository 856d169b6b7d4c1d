//! Grading: sampling, grading and asking players, as other crates do it.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::{Value, json};
use tavola_arena::grade::{
    Decisions, Graded, Grades, Purpose, Reference, Sample, SampleLabels, SampleSettings, compare,
    grade,
};
use tavola_equity::OutcomeProbs;
use tavola_evaluator::{Evaluator, FakeEvaluator, PipCountEvaluator, RandomEvaluator};
use tavola_files::seal;
use tavola_play::{
    Agent, AgentChoice, AgentError, ChoosingPlayer, Contender, EvaluatorAgent, Phase, Workers,
};
use tavola_rules::notation::{decode_position_id, encode_position_id};
use tavola_rules::{Backgammon, Dice, Game, Position};

const GAME: Backgammon = Backgammon::Standard;
static GO_ON: AtomicBool = AtomicBool::new(false);

fn workers(threads: usize) -> Workers<'static> {
    Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &GO_ON }
}

fn draw(
    settings: SampleSettings,
    excluded: &HashSet<(Position, Dice)>,
    threads: usize,
) -> Result<Sample<Backgammon>, tavola_files::Failure> {
    let (purpose, command, network) = (Purpose::Tuning, "test".to_owned(), "grader".to_owned());
    let labels = SampleLabels { purpose, command, network };
    Sample::draw(&GAME, &evaluate(), &settings, excluded, labels, workers(threads), &|| ())
}

fn text(sample: &Sample<Backgammon>) -> String {
    let mut text = Vec::new();
    sample.write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// What the grader of these tests thinks, who also plays the games of the samples: the race
/// counts, blots are bad, and points in front of the home are good, so that primes come up.
fn evaluation(state: &Position) -> OutcomeProbs {
    let expectation = |side: &Position| {
        let blots = (1..=24).filter(|&point| side.point(point) == 1).count() as f32;
        let blocks = (3..=9).filter(|&point| side.point(point) >= 2).count() as f32;
        0.4 * blocks - 0.2 * blots - side.pip_count() as f32 / 30.0
    };
    let win = 1.0 / (1.0 + (expectation(&state.flip()) - expectation(state)).exp());
    OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
}

fn evaluate() -> FakeEvaluator<Backgammon, fn(&Position) -> OutcomeProbs> {
    FakeEvaluator::new(GAME, evaluation as fn(&Position) -> OutcomeProbs)
}

/// Grades a sample as the documentation of the format says, all plays of each decision.
fn graded(sample: &str) -> String {
    let mut lines = sample.lines();
    let mut header: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    header["grader"] = json!({"name": "test", "settings": "", "rated": "all", "margin": 0.3});
    header.as_object_mut().unwrap().remove("crc32");
    let mut text = seal(&header.to_string()) + "\n";
    for line in lines {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("crc32");
        let afterstates = line.as_object_mut().unwrap().remove("afterstates").unwrap();
        let plays: Vec<Value> = afterstates
            .as_array()
            .unwrap()
            .iter()
            .map(|id| {
                let after = decode_position_id(id.as_str().unwrap()).unwrap();
                let mut probs = Vec::new();
                evaluate().evaluate(&[after], &mut probs);
                json!([id, -f64::from(probs[0].equity())])
            })
            .collect();
        line["plays"] = plays.into();
        text += &(seal(&line.to_string()) + "\n");
    }
    text
}

const SMALL: SampleSettings = SampleSettings { games: 60, seed: 3, per_phase: 4 };

#[test]
fn a_sample_has_every_phase_and_does_not_depend_on_threads() {
    let none = HashSet::new();
    let sample = draw(SMALL, &none, 1).unwrap();
    assert_eq!(text(&sample), text(&draw(SMALL, &none, 3).unwrap()));
    let header = &sample.header;
    assert_eq!(header.phases.len(), Phase::ALL.len());
    assert!((header.phases.iter().map(|phase| phase.share).sum::<f64>() - 1.0).abs() < 1e-4);
    assert!(header.phases.iter().all(|phase| phase.drawn == 4 && phase.seeded <= 4));
    let questions: HashSet<_> = sample.questions.iter().copied().collect();
    assert_eq!(questions.len(), 4 * Phase::ALL.len(), "each is drawn once");
    for (position, roll) in &questions {
        let mut afterstates = Vec::new();
        GAME.afterstates(position, *roll, &mut afterstates);
        assert!(afterstates.len() > 1, "{position:?} {roll}");
    }
    let read = Decisions::read(&GAME, text(&sample).as_bytes()).unwrap().questions;
    assert_eq!(read.into_iter().map(|(question, _)| question).collect::<HashSet<_>>(), questions);
    // What one sample has, another can leave out.
    let other = draw(SMALL, &questions, 2).unwrap();
    assert!(other.questions.iter().all(|question| !questions.contains(question)));
}

#[test]
fn a_phase_that_does_not_come_up_is_named() {
    let settings = SampleSettings { games: 1, per_phase: 500, ..SMALL };
    let error = draw(settings, &HashSet::new(), 2).unwrap_err();
    assert!(error.to_string().contains("expected 500; play more games"), "{error}");
    assert!(error.to_string().contains("play more games"), "{error}");
}

fn reference() -> Reference<Backgammon> {
    Reference::read(&GAME, graded(&text(&draw(SMALL, &HashSet::new(), 2).unwrap())).as_bytes())
        .unwrap()
}

fn ask(
    reference: &Reference<Backgammon>,
    player: impl Evaluator<Backgammon> + 'static,
) -> Vec<Graded> {
    let player = EvaluatorAgent::new(Box::new(player));
    let asked = AtomicU64::new(0);
    let count = || {
        asked.fetch_add(1, Ordering::Relaxed);
    };
    let graded = grade(&GAME, reference, &player, workers(2), &count).unwrap();
    assert_eq!(asked.into_inner(), reference.decisions.len() as u64);
    assert_eq!(graded, grade(&GAME, reference, &player, workers(1), &|| ()).unwrap());
    graded
}

#[test]
fn the_evaluator_loses_nothing_against_itself_and_others_lose_something() {
    let reference = reference();
    let own = ask(&reference, evaluate());
    assert!(own.iter().all(|decision| decision.loss == 0.0 && decision.rated));
    let grades = Grades::of(&reference.header, &own);
    assert_eq!((grades.loss.in_play.mean, grades.performance_rating()), (0.0, 0.0));
    assert_eq!((grades.best.phases_alike.mean, grades.unrated), (1.0, 0));
    assert!(grades.square_error.unwrap().in_play.mean < 1e-9);

    let racing = ask(&reference, PipCountEvaluator::new(GAME));
    let racer = Grades::of(&reference.header, &racing);
    assert!(racer.loss.in_play.low > 0.0, "{racer:?}");
    assert!(racer.square_error.unwrap().in_play.mean > 0.001);

    // The same player has no difference to himself, whatever he loses.
    let same = compare(&reference.header, &racing, &racing);
    assert_eq!((same.in_play.mean, same.in_play.standard_error), (0.0, 0.0));
    let gain = compare(&reference.header, &racing, &own);
    assert!((gain.in_play.mean - racer.loss.in_play.mean).abs() < 1e-12);
}

#[test]
fn means_are_weighted_by_share_or_alike() {
    let reference = reference();
    let graded = ask(&reference, RandomEvaluator::new(GAME, 5));
    let loss = Grades::of(&reference.header, &graded).loss;
    let mean_of = |phase| {
        let losses: Vec<f64> = graded.iter().filter(|d| d.phase == phase).map(|d| d.loss).collect();
        losses.iter().sum::<f64>() / losses.len() as f64
    };
    let (mut by_share, mut alike) = (0.0, 0.0);
    for share in &reference.header.phases {
        by_share += share.share * mean_of(share.phase);
        alike += mean_of(share.phase) / 9.0;
    }
    // The shares in the header are rounded.
    assert!((loss.in_play.mean - by_share).abs() < 1e-4);
    assert!((loss.phases_alike.mean - alike).abs() < 1e-12);
    assert!(loss.phases.iter().all(|phase| phase.decisions == 4));
}

/// A player who says nothing, and dies in one position.
struct Mute {
    dies_in: Option<Position>,
}

impl Agent<Backgammon> for Mute {
    fn choose(
        &mut self,
        situation: &ChoosingPlayer<'_, Backgammon>,
    ) -> Result<AgentChoice, AgentError> {
        if Some(*situation.state) == self.dies_in {
            return Err(AgentError("dead".to_owned()));
        }
        let index = situation.afterstates.len() - 1;
        Ok(AgentChoice { index, probs: None, choice: tavola_data::Choice::Best })
    }
}

impl Contender<Backgammon> for Mute {
    fn fork(&self) -> Box<dyn Contender<Backgammon>> {
        Box::new(Self { ..*self })
    }
}

#[test]
fn a_player_may_be_silent_but_not_fail() {
    let reference = reference();
    let graded = grade(&GAME, &reference, &Mute { dies_in: None }, workers(2), &|| ()).unwrap();
    assert_eq!(Grades::of(&reference.header, &graded).square_error, None);
    let place = reference.decisions[5].question.0;
    let error =
        grade(&GAME, &reference, &Mute { dies_in: Some(place) }, workers(2), &|| ()).unwrap_err();
    assert!(error.to_string().starts_with("no answer to"), "{error:?}");
    assert!(error.to_string().contains(&encode_position_id(&place)), "{error}");
}

#[test]
fn a_canceled_grading_says_how_far_it_got() {
    let stop = AtomicBool::new(true);
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &stop };
    let error = grade(&GAME, &reference(), &Mute { dies_in: None }, workers, &|| ()).unwrap_err();
    assert!(error.is_stop() && error.to_string() == "canceled after 0 of 36 answers", "{error}");
}
