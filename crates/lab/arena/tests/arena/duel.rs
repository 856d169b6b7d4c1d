//! Duels: mirrored pairs, determinism, and who is stronger.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_arena::{
    Clock, Duel, DuelHeader, DuelResult, DuelSettings, Estimate, PairResult, Sprt, SprtVerdict,
    Timed,
};
use tavola_equity::OutcomeProbs;
use tavola_evaluator::{Evaluator, NetEvaluator, PipCountEvaluator, RandomEvaluator};
use tavola_net::{EncoderKind, Weights, random_weights};
use tavola_play::{Contender, DuelUnit, EvaluatorAgent, LuckEvaluator, Workers};
use tavola_rules::{Backgammon, Position};

static NOT_CANCELED: AtomicBool = AtomicBool::new(false);

fn workers(threads: usize) -> Workers<'static> {
    Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &NOT_CANCELED }
}

fn pairs(pairs: u64) -> DuelSettings {
    DuelSettings { pairs, seed: 11, ..DuelSettings::default() }
}

fn random(game: Backgammon, seed: u64) -> EvaluatorAgent<Backgammon> {
    EvaluatorAgent::new(Box::new(RandomEvaluator::new(game, seed)))
}

fn racer(game: Backgammon) -> EvaluatorAgent<Backgammon> {
    EvaluatorAgent::new(Box::new(PipCountEvaluator::new(game)))
}

/// The result with all pairs in order.
fn watch(
    game: Backgammon,
    a: &dyn Contender<Backgammon>,
    b: &dyn Contender<Backgammon>,
    settings: &DuelSettings,
    threads: usize,
) -> (DuelResult, Vec<PairResult>) {
    watch_luck(game, a, b, None, settings, threads)
}

/// The same with an evaluator of luck.
fn watch_luck(
    game: Backgammon,
    a: &dyn Contender<Backgammon>,
    b: &dyn Contender<Backgammon>,
    luck_evaluator: Option<&dyn Evaluator<Backgammon>>,
    settings: &DuelSettings,
    threads: usize,
) -> (DuelResult, Vec<PairResult>) {
    let seen = Mutex::new(Vec::new());
    let luck = luck_evaluator.map(|evaluator| LuckEvaluator { evaluator, pruning: None });
    let duel = Duel { luck, ..Duel::new(&game, a, b) };
    let result = duel.play(settings, workers(threads), &|&pair| seen.lock().unwrap().push(pair));
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable_by_key(|pair| pair.pair);
    (result.unwrap(), seen)
}

/// The header of a file with the pairs of this result.
fn header(result: &DuelResult) -> DuelHeader {
    DuelHeader {
        game: result.game.clone(),
        a: "a".to_owned(),
        b: "b".to_owned(),
        luck_evaluator: None,
        seed: result.seed,
        max_turns: NonZeroU32::MIN,
        starts: Vec::new(),
        terms: None,
        unit: DuelUnit::Games,
    }
}

#[test]
fn an_agent_has_exactly_zero_against_itself_in_every_pair() {
    let game = Backgammon::Standard;
    let weights = random_weights(EncoderKind::OneHot, &[16], 2);
    let net = EvaluatorAgent::new(Box::new(NetEvaluator::new(&weights, game).unwrap()));
    for agent in [&random(game, 1), &net] {
        let (result, seen) = watch(game, agent, agent, &pairs(15), 2);
        assert_eq!(seen.len(), 15);
        for pair in seen {
            assert_eq!(pair.per_game(), 0.0, "{pair:?}");
            assert_eq!(pair.a_first, pair.b_first.map(|outcome| outcome.flip()));
        }
        assert_eq!((result.points.mean, result.points.standard_error), (0.0, 0.0));
        assert_eq!(result.a, result.b);
        assert_eq!((result.a.wins, result.played(), result.unfinished), (15, 30, 0));
    }
}

#[test]
fn counting_pips_beats_playing_at_random() {
    let game = Backgammon::Standard;
    let (result, seen) = watch(game, &racer(game), &random(game, 1), &pairs(150), 2);
    assert_eq!((result.pairs, result.played(), seen.len()), (150, 300, 150));
    assert!(result.points.low > 1.0, "{result:?}");
    assert_eq!(result.a.wins + result.b.wins, 300);
    // The other way round it is the same duel with the signs changed.
    let (reverse, _) = watch(game, &random(game, 1), &racer(game), &pairs(150), 2);
    assert!(reverse.points.high < -1.0, "{reverse:?}");
    assert_eq!(reverse.points.mean, -result.points.mean);
    assert_eq!((reverse.a, reverse.b), (result.b, result.a));
}

#[test]
fn a_duel_is_the_same_on_one_and_on_four_threads() {
    let game = Backgammon::Hypergammon;
    let one = watch(game, &racer(game), &random(game, 2), &pairs(100), 1);
    let four = watch(game, &racer(game), &random(game, 2), &pairs(100), 4);
    assert_eq!(one, four);
    let other = DuelSettings { seed: 12, ..pairs(100) };
    assert_ne!(watch(game, &racer(game), &random(game, 2), &other, 4).1, four.1);
    // A longer duel begins with the shorter one.
    assert_eq!(watch(game, &racer(game), &random(game, 2), &pairs(120), 2).1[..100], one.1);
}

#[test]
fn a_canceled_duel_reports_the_pairs_before() {
    let game = Backgammon::Hypergammon;
    let (a, b) = (racer(game), random(game, 2));
    let cancel = AtomicBool::new(false);
    let stop_at = |last: u64| {
        cancel.store(false, Ordering::Relaxed);
        let workers = Workers { cancel: &cancel, ..workers(1) };
        Duel::new(&game, &a, &b).play(&pairs(1_000_000_000), workers, &|pair| {
            if pair.pair == last {
                cancel.store(true, Ordering::Relaxed);
            }
        })
    };
    assert_eq!(stop_at(29).unwrap(), watch(game, &a, &b, &pairs(30), 2).0);
    let stopped = stop_at(0).unwrap_err();
    assert!(stopped.is_stop());
    assert_eq!(stopped.to_string(), "canceled after 1 of 1000000000 pairs");
    let error = Duel::new(&game, &a, &b).play(&pairs(1), workers(1), &|_| {}).unwrap_err();
    assert_eq!(error.to_string(), "a duel of 1 pairs, expected at least 2");
}

#[test]
fn games_that_are_too_long_count_as_nothing() {
    let game = Backgammon::Standard;
    let settings = DuelSettings { max_turns: NonZeroU32::MIN, ..pairs(4) };
    let (result, _) = watch(game, &racer(game), &random(game, 1), &settings, 1);
    assert_eq!((result.unfinished, result.points.mean), (8, 0.0));
    assert_eq!(result.a.wins + result.b.wins, 0);
}

/// A trained network as the evaluator; any other would do, with a wider interval.
fn trained(game: Backgammon) -> NetEvaluator<Backgammon> {
    let bytes = include_bytes!("../../../../../models/default.safetensors");
    NetEvaluator::new(&Weights::from_bytes(bytes).unwrap(), game).unwrap()
}

/// Evaluates like another evaluator, but for one part in eight at random.
struct Blurred {
    clear: Box<dyn Evaluator<Backgammon>>,
    noise: RandomEvaluator<Backgammon>,
}

impl Evaluator<Backgammon> for Blurred {
    fn evaluate(&mut self, states: &[Position], out: &mut Vec<OutcomeProbs>) {
        let mut noise = Vec::new();
        self.noise.evaluate(states, &mut noise);
        self.clear.evaluate(states, out);
        for (clear, noise) in out.iter_mut().zip(noise) {
            for (clear, noise) in clear.0.iter_mut().zip(noise.0) {
                *clear += 0.125 * (noise - *clear);
            }
        }
    }

    fn fork(&self) -> Box<dyn Evaluator<Backgammon>> {
        Box::new(Self { clear: self.clear.fork(), noise: self.noise.clone() })
    }
}

#[test]
fn without_luck_the_mean_stays_and_the_error_shrinks() {
    let game = Backgammon::Standard;
    let evaluator = trained(game);
    let clear = EvaluatorAgent::new(evaluator.fork());
    let blurred = Blurred { clear: evaluator.fork(), noise: RandomEvaluator::new(game, 1) };
    let blurred = EvaluatorAgent::new(Box::new(blurred));
    let (result, _) = watch_luck(game, &clear, &blurred, Some(&evaluator), &pairs(50), 2);
    let (raw, adjusted) = (result.points, result.luck_adjusted.unwrap());
    assert!(adjusted.standard_error < 0.6 * raw.standard_error, "{raw:?} {adjusted:?}");
    let joint = raw.standard_error.hypot(adjusted.standard_error);
    assert!((raw.mean - adjusted.mean).abs() < 3.0 * joint, "{raw:?} {adjusted:?}");
    assert!(adjusted.low > 0.0, "noise costs points: {adjusted:?}");
}

#[test]
fn a_evaluator_who_knows_little_does_not_move_the_mean_either() {
    let game = Backgammon::Hypergammon;
    let evaluator = PipCountEvaluator::new(game);
    let (a, b) = (random(game, 2), random(game, 1));
    let (result, _) = watch_luck(game, &a, &b, Some(&evaluator), &pairs(1000), 2);
    let (raw, adjusted) = (result.points, result.luck_adjusted.unwrap());
    // Both have the same dice, so they differ by less than independent estimates would.
    let joint = raw.standard_error.hypot(adjusted.standard_error);
    assert!((raw.mean - adjusted.mean).abs() < 3.0 * joint, "{raw:?} {adjusted:?}");
    assert_ne!(raw.mean, adjusted.mean);
}

#[test]
fn an_agent_has_no_luck_against_itself_and_any_number_of_threads_the_same() {
    let game = Backgammon::Hypergammon;
    let evaluator = RandomEvaluator::new(game, 9);
    let same = watch_luck(game, &racer(game), &racer(game), Some(&evaluator), &pairs(20), 2);
    assert_eq!(same.0.luck_adjusted, Some(Estimate::new(0.0, 0.0)));
    assert!(same.1.iter().all(|pair| pair.luck == Some(0.0)));

    let play = |threads| {
        watch_luck(game, &racer(game), &random(game, 2), Some(&evaluator), &pairs(40), threads)
    };
    assert_eq!(play(1), play(4));
    // The games are those without an evaluator.
    let plain = watch(game, &racer(game), &random(game, 2), &pairs(40), 2).0;
    assert_eq!(DuelResult { luck_adjusted: None, ..play(2).0 }, plain);
}

#[test]
fn a_clock_runs_while_its_player_thinks() {
    let game = Backgammon::Hypergammon;
    let (clock, idle) = (Clock::default(), Clock::default());
    let timed = Timed::new(Box::new(racer(game)), &clock);
    let result = watch(game, &timed, &random(game, 2), &pairs(10), 2).0;
    assert_eq!(result, watch(game, &racer(game), &random(game, 2), &pairs(10), 2).0);
    assert!(clock.elapsed() > idle.elapsed() && idle.elapsed().is_zero());
}

#[test]
fn games_begin_in_the_positions_of_a_book_in_turn() {
    let game = Backgammon::Hypergammon;
    let ace = |mine| Position::from_points(&[(1, mine)], &[(1, 1)], 3).unwrap();
    // Whoever begins has borne off his last checker with any roll, or has lost with any.
    let (won, lost) = (ace(1), ace(3));
    let starts = [won, lost];
    let (a, b) = (racer(game), random(game, 2));
    let duel = Duel { starts: &starts, ..Duel::new(&game, &a, &b) };
    let seen = Mutex::new(Vec::new());
    let settings = DuelSettings { first: 10, ..pairs(6) };
    let see = |&pair: &PairResult| seen.lock().unwrap().push(pair);
    let result = duel.play(&settings, workers(1), &see).unwrap();
    assert_eq!((result.points.mean, result.a.wins), (0.0, 6));
    for pair in seen.into_inner().unwrap() {
        let a_wins = pair.a_first.unwrap().points > 0;
        if pair.pair % 2 == 0 {
            assert!(a_wins && pair.b_first.unwrap().points < 0, "{pair:?}");
        }
        assert!((10..16).contains(&pair.pair));
    }
    let finished = Position::from_points(&[(2, 1), (1, 1)], &[], 3).unwrap();
    let starts = [won, finished];
    let over = Duel { starts: &starts, ..Duel::new(&game, &a, &b) };
    let error = over.play(&pairs(4), workers(1), &|_| {}).unwrap_err();
    assert!(error.to_string().starts_with("start position 2 of the duel is finished"), "{error}");
}

#[test]
fn pairs_that_are_known_are_counted_and_not_played_again() {
    let game = Backgammon::Hypergammon;
    let (a, b) = (racer(game), random(game, 2));
    let evaluator = RandomEvaluator::new(game, 9);
    let (whole, all) = watch_luck(game, &a, &b, Some(&evaluator), &pairs(40), 2);
    let known: Vec<PairResult> = [&all[25..30], &all[..10]].concat();
    let luck = Some(LuckEvaluator { evaluator: &evaluator, pruning: None });
    let duel = Duel { luck, known: &known, ..Duel::new(&game, &a, &b) };
    let played = Mutex::new(Vec::new());
    let result = duel.play(&pairs(40), workers(2), &|pair| played.lock().unwrap().push(pair.pair));
    assert_eq!(result.unwrap(), whole);
    let mut played = played.into_inner().unwrap();
    played.sort_unstable();
    assert_eq!(played, (10..25).chain(30..40).collect::<Vec<_>>());
    let again = DuelResult::of_pairs(&header(&whole), &all, None);
    assert_eq!(again, Some(whole));
}

#[test]
fn a_test_ends_a_duel_after_the_same_pair_on_any_number_of_threads() {
    let game = Backgammon::Hypergammon;
    let (a, b) = (racer(game), random(game, 2));
    let sprt = Sprt::new(0.0, 0.1, 0.05, 0.05).unwrap();
    let duel = Duel { sprt: Some(sprt), ..Duel::new(&game, &a, &b) };
    let play = |threads| duel.play(&pairs(100_000), workers(threads), &|_| {}).unwrap();
    let one = play(1);
    let said = one.sprt.unwrap();
    assert_eq!(said.verdict, SprtVerdict::High);
    assert!(said.log_likelihood_ratio >= sprt.bounds().1);
    assert!((64..5000).contains(&one.pairs), "{}", one.pairs);
    assert_eq!(play(4), one);
    // The same of pairs that were played before, with some more after the end.
    let (_, all) = watch(game, &a, &b, &pairs(one.pairs + 20), 2);
    let of_pairs = DuelResult::of_pairs(&header(&one), &all, Some(sprt));
    assert_eq!(of_pairs, Some(one.clone()));
    let known = Duel { sprt: Some(sprt), known: &all, ..Duel::new(&game, &a, &b) };
    let play_nothing = |pair: &PairResult| panic!("{pair:?} was known");
    assert_eq!(known.play(&pairs(one.pairs + 20), workers(1), &play_nothing).unwrap(), one);
    // Cut off before it is decided.
    let short = DuelSettings { pairs: 30, ..pairs(2) };
    let cut = duel.play(&short, workers(2), &|_| {}).unwrap();
    assert_eq!((cut.pairs, cut.sprt.unwrap().verdict), (30, SprtVerdict::Open));
}
