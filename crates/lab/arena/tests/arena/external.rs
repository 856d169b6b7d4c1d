//! Engines in other processes: the test program itself, started again, is one.

use std::env;
use std::io::{BufRead, Write};
use std::num::NonZeroUsize;
use std::process::exit;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::Duration;

use tavola_arena::{CubeQuestions, Duel, DuelResult, DuelSettings, EngineCommand, ExternalAgent};
use tavola_equity::MatchEquityTable;
use tavola_evaluator::{CubefulEvaluator, NEVER, PipCountEvaluator, PlayableGame};
use tavola_play::{
    Agent, AgentChoice, AgentError, BeforeRoll, ChoosingPlayer, Contender, CubeReply, CubeTerms,
    CubeView, CubefulAgent, EvaluatorAgent, ResignReply, Workers,
};
use tavola_rules::notation::{decode_position_id_with_checkers, encode_position_id};
use tavola_rules::{Backgammon, Cube, Dice, Game, Offer, Options, Position, WinKind};

const GAME: Backgammon = Backgammon::Hypergammon;

/// Says how the engine below behaves.
const BEHAVIOR: &str = "TAVOLA_TEST_ENGINE";

/// After this number of answers the engine below does what its behavior says.
const GOOD_ANSWERS: u32 = 40;

fn racer() -> EvaluatorAgent<Backgammon> {
    EvaluatorAgent::new(Box::new(PipCountEvaluator::new(GAME)))
}

/// Not a test: the engine that the tests talk to. It plays by pip count. What the test harness
/// prints before stands for the banners of real engines.
#[test]
fn engine() {
    let Ok(behavior) = env::var(BEHAVIOR) else { return };
    let mut out = std::io::stdout();
    let mut agent = racer();
    let mut answers = 0;
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[..] {
            ["tavola-engine", "1", "hypergammon"] if behavior == "old" => {
                "\ntavola-engine 0 Old".to_owned()
            }
            ["tavola-engine", "1", "hypergammon"] => {
                "\ntavola-engine 1 Racer 1.0, 0-ply".to_owned()
            }
            ["tavola-engine", "1", "hypergammon", "cube"] => {
                "\ntavola-engine 1 Racer 1.0, 0-ply, doubles at once".to_owned()
            }
            ["double", _, "cube", "1", "center", "match", ..] => "double perhaps".to_owned(),
            ["double", _, "cube", "1", "center", "money", ..] => "double yes".to_owned(),
            ["double", _, "cube", ..] => "double no".to_owned(),
            ["answer", _, "double", "cube", ..] => "answer take".to_owned(),
            ["tavola-engine", "1", game] => format!("\nerror can't play {game}"),
            ["best", position, high, low] | ["best", position, high, low, "cube", ..] => {
                answers += 1;
                if answers > GOOD_ANSWERS {
                    match behavior.as_str() {
                        "crash" => {
                            eprintln!("out of cheese");
                            exit(3);
                        }
                        "hang" => sleep(Duration::from_secs(100)),
                        "cheat" => {
                            // As if nothing had been rolled.
                            writeln!(out, "best {position}").unwrap();
                            continue;
                        }
                        "babble" => {
                            writeln!(out, "Let me think").unwrap();
                            continue;
                        }
                        "confess" => {
                            writeln!(out, "error I don't know").unwrap();
                            continue;
                        }
                        _ => {}
                    }
                }
                let state = decode_position_id_with_checkers(position, 3).unwrap();
                let roll = Dice::new(high.parse().unwrap(), low.parse().unwrap()).unwrap();
                let mut afterstates = Vec::new();
                GAME.afterstates(&state, roll, &mut afterstates);
                let situation = ChoosingPlayer::first(&GAME, &state, roll, &afterstates);
                let index = agent.choose(&situation).unwrap().index;
                format!("best {}", encode_position_id(&afterstates[index]))
            }
            _ => "error unknown request".to_owned(),
        };
        writeln!(out, "{answer}").unwrap();
        out.flush().unwrap();
    }
    exit(0);
}

fn command(behavior: &str) -> EngineCommand {
    EngineCommand {
        program: env::current_exe().unwrap().to_str().unwrap().to_owned(),
        args: ["--exact", "external::engine", "--nocapture", "--test-threads", "1"]
            .map(str::to_owned)
            .into(),
        env: vec![(BEHAVIOR.to_owned(), behavior.to_owned())],
        timeout: Duration::from_secs(30),
        called_off: &NEVER,
    }
}

fn external(behavior: &str) -> ExternalAgent<Backgammon> {
    ExternalAgent::new(command(behavior), GAME, CubeQuestions::Unasked).unwrap()
}

fn play(
    a: &dyn Contender<Backgammon>,
    b: &dyn Contender<Backgammon>,
    pairs: u64,
    threads: usize,
) -> Result<DuelResult, tavola_files::Failure> {
    let cancel = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &cancel };
    let settings = DuelSettings { pairs, seed: 3, ..DuelSettings::default() };
    Duel::new(&GAME, a, b).play(&settings, workers, &|_| {})
}

#[test]
fn an_engine_plays_like_the_same_player_in_this_process() {
    let engine = external("good");
    assert_eq!(engine.name(), "Racer 1.0, 0-ply");
    let random = tavola_evaluator::RandomEvaluator::new(GAME, 1);
    let random = EvaluatorAgent::new(Box::new(random));
    let outside = play(&engine, &random, 60, 2).unwrap();
    assert_eq!(outside, play(&racer(), &random, 60, 1).unwrap());
    assert!(outside.failures.is_empty() && outside.points.low > 0.0, "{outside:?}");
    // And so it comes out even against that player.
    let even = play(&engine, &racer(), 20, 2).unwrap();
    assert_eq!((even.points.mean, even.points.standard_error), (0.0, 0.0));
}

#[test]
fn whatever_an_engine_does_wrong_is_told_and_costs_no_finished_pair() {
    let random = EvaluatorAgent::new(Box::new(tavola_evaluator::RandomEvaluator::new(GAME, 1)));
    for (behavior, said) in [
        ("crash", "out of cheese"),
        ("cheat", "expected a position that a legal play leads to"),
        ("babble", "\"Let me think\""),
        ("confess", "the engine says: I don't know"),
    ] {
        let result = play(&external(behavior), &random, 1000, 1).unwrap();
        // It is started anew after each failure, until that has happened too often.
        assert_eq!(result.failures.len(), 5, "{behavior}: {result:?}");
        assert!(result.pairs >= 5, "{behavior}: {result:?}");
        for failure in &result.failures {
            assert!(failure.reason.contains(said), "{behavior}: {failure:?}");
            assert!(failure.reason.contains("Racer 1.0") && failure.reason.contains("\"best "));
        }
        // The pairs that were played are those of a player who does nothing wrong.
        let failed = result.failures.iter().map(|failure| failure.pair);
        assert_eq!(failed.max(), Some(result.pairs + 4));
    }
}

#[test]
fn an_engine_that_hangs_is_ended() {
    let random = EvaluatorAgent::new(Box::new(tavola_evaluator::RandomEvaluator::new(GAME, 1)));
    let patient = external("hang");
    let hasty = EngineCommand { timeout: Duration::from_millis(700), ..command("hang") };
    drop(patient);
    let hasty = ExternalAgent::new(hasty, GAME, CubeQuestions::Unasked).unwrap();
    let result = play(&hasty, &random, 1000, 2).unwrap();
    assert!((5..=6).contains(&result.failures.len()), "{result:?}");
    let reason = &result.failures[0].reason;
    assert!(reason.contains("within 0.7 s"), "{reason}");
}

#[test]
fn engines_that_cannot_be_used_are_refused_at_once() {
    let error = |command, game| match ExternalAgent::new(command, game, CubeQuestions::Unasked) {
        Ok(agent) => panic!("{} is welcome", agent.name()),
        Err(error) => error.to_string(),
    };
    let nothing = EngineCommand { program: "/nowhere/engine".to_owned(), ..command("good") };
    assert!(error(nothing, GAME).contains("cannot start \"/nowhere/engine\""));
    let other = error(command("good"), Backgammon::Standard);
    assert!(other.contains("says: can't play backgammon"), "{other}");
    let old = error(command("old"), GAME);
    assert!(old.contains("\"tavola-engine 0 Old\"") && old.contains("expected"), "{old}");
    // Without its environment variable the test program ends without a word of the protocol.
    let silent = EngineCommand { env: Vec::new(), ..command("good") };
    let silent = error(silent, GAME);
    assert!(
        silent.contains("ended instead of answering \"tavola-engine 1 hypergammon\""),
        "{silent}"
    );
}

/// What the engine above does with a cube, in this process.
struct DoublesAtOnce(EvaluatorAgent<Backgammon>);

impl Agent<Backgammon> for DoublesAtOnce {
    fn before_roll(&mut self, view: &CubeView<'_>, _: &Position) -> Result<BeforeRoll, AgentError> {
        Ok(if view.cube == Cube::START { BeforeRoll::Double } else { BeforeRoll::Roll })
    }

    fn answer(
        &mut self,
        _: &CubeView<'_>,
        _: &Position,
        _: Offer,
    ) -> Result<CubeReply, AgentError> {
        Ok(CubeReply::Take)
    }

    fn answer_resignation(
        &mut self,
        _: &CubeView<'_>,
        position: &Position,
        offered: WinKind,
    ) -> Result<ResignReply, AgentError> {
        let enough = offered >= GAME.most_to_lose(position);
        Ok(if enough { ResignReply::Accept } else { ResignReply::Refuse })
    }

    fn choose(
        &mut self,
        situation: &ChoosingPlayer<'_, Backgammon>,
    ) -> Result<AgentChoice, AgentError> {
        self.0.choose(situation)
    }
}

impl Contender<Backgammon> for DoublesAtOnce {
    fn fork(&self) -> Box<dyn Contender<Backgammon>> {
        Box::new(Self(racer()))
    }
}

fn play_cube(
    terms: &CubeTerms,
    a: &dyn Contender<Backgammon>,
    b: &dyn Contender<Backgammon>,
    pairs: u64,
) -> Result<DuelResult, tavola_files::Failure> {
    let cancel = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
    let duel = Duel { format: terms, ..Duel::new(&GAME, a, b) };
    let settings = DuelSettings { pairs, seed: 3, ..DuelSettings::default() };
    duel.play(&settings, workers, &|_| {})
}

#[test]
fn an_engine_is_asked_about_the_cube_and_its_answers_are_followed() {
    let options = Options { start: GAME, ..Options::default() };
    let money = CubeTerms::money(&options).unwrap();
    let engine = ExternalAgent::new(command("good"), GAME, CubeQuestions::Asked).unwrap();
    assert_eq!(engine.name(), "Racer 1.0, 0-ply, doubles at once");
    let evaluator = CubefulEvaluator::new(GAME, Box::new(PipCountEvaluator::new(GAME)), None);
    let evaluator = CubefulAgent::new(evaluator);
    let outside = play_cube(&money, &engine, &evaluator, 10).unwrap();
    assert_eq!(outside, play_cube(&money, &DoublesAtOnce(racer()), &evaluator, 10).unwrap());
    assert!(
        outside.failures.is_empty()
            && outside.cube.is_some_and(|cube| cube.turned + cube.dropped > 10),
        "{outside:?}"
    );

    // In a match it answers what is no answer: that ends the pairs, and is told.
    let table = MatchEquityTable::kazaross_xg2();
    let match_to_3 = CubeTerms::match_to(3, &options, table).unwrap();
    let error = play_cube(&match_to_3, &engine, &evaluator, 10).unwrap_err().to_string();
    assert!(error.contains("\"double perhaps\"") && error.contains("double yes"), "{error}");
    assert!(error.contains("cube 1 center match 3 0 0"), "{error}");
}
