//! Rollouts: the same games on any number of threads, and means that are right.

use std::num::NonZeroU32;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

use tavola_bearoff::{Store, TableSpec, Tables};
use tavola_equity::{OutcomeProbs, Stakes};
use tavola_net::{EncoderKind, random_weights};
use tavola_rules::{Backgammon, Cube, Dice, Options, Position};

use super::*;
use crate::evaluators::{FakeEvaluator, NetEvaluator, PipCountEvaluator, TableEvaluator};
use crate::search::{Preset, Search, SearchWatch};

const GAME: Backgammon = Backgammon::Standard;

static TABLES: LazyLock<Tables> =
    LazyLock::new(|| Store::in_memory().load(&[TableSpec::two_sided(3).unwrap()], &|_| {}).0);

fn net(seed: u64, width: usize) -> NetEvaluator<Backgammon> {
    NetEvaluator::new(&random_weights(EncoderKind::OneHot, &[width], seed), GAME).unwrap()
}

/// Says the exact probabilities inside the tables, but does not know that they are exact, so that
/// games are played to the end.
struct Modest(Box<dyn Evaluator<Backgammon>>);

impl Evaluator<Backgammon> for Modest {
    fn evaluate(&mut self, states: &[Position], out: &mut Vec<OutcomeProbs>) {
        self.0.evaluate(states, out);
    }

    fn fork(&self) -> Box<dyn Evaluator<Backgammon>> {
        Box::new(Self(self.0.fork()))
    }
}

/// Plays bear-offs perfectly, to their end.
fn modest() -> Modest {
    Modest(Box::new(TableEvaluator::new(TABLES.clone(), Box::new(net(1, 8)))))
}

/// Prefers what the tables prefer, but has a warped idea of the probabilities.
fn warped() -> impl Evaluator<Backgammon> {
    FakeEvaluator::new(GAME, |state: &Position| {
        let exact =
            TABLES.evaluate(state).expect("the test stays inside the tables").cumulative().win;
        // Increasing, so the order of plays is right; some gammons that never come.
        let win = 0.2 + 0.5 * exact * exact;
        OutcomeProbs([0.9 - win, 0.1, 0.0, win, 0.0, 0.0])
    })
}

fn settings() -> RolloutSettings {
    RolloutSettings { trials: 648, drop: None, ..RolloutSettings::default() }
}

fn of_state(
    evaluator: &dyn Evaluator<Backgammon>,
    settings: RolloutSettings,
    state: Position,
) -> Rollout<Backgammon> {
    Rollout::of_state(GAME, evaluator, None, "test", settings, state).unwrap()
}

fn run(rollout: &mut Rollout<Backgammon>) -> Ended {
    let cancel = AtomicBool::new(false);
    rollout.run(&mut RolloutWatch { cancel: &cancel, progress: &mut |_| {} })
}

/// How many standard errors an estimate is from the truth.
fn off_by(estimate: SampleMean, truth: f64) -> f64 {
    (estimate.mean - truth).abs() / estimate.standard_error
}

#[test]
fn a_bear_off_played_to_its_end_agrees_with_the_exact_value() {
    for (mine, theirs) in [
        (&[(6, 1), (5, 1), (4, 1)][..], &[(6, 1), (3, 2)][..]),
        (&[(6, 2), (2, 1)], &[(5, 1), (1, 2)]),
    ] {
        let state = Position::from_points(mine, theirs, 15).unwrap();
        let exact = f64::from(TABLES.two_sided(&state).unwrap().cubeless);
        for dice in [FirstRolls::Stratified, FirstRolls::Random] {
            let plain = RolloutSettings { luck: Luck::Left, dice, ..settings() };
            let mut rollout = of_state(&modest(), plain, state);
            assert_eq!(run(&mut rollout), Ended::Trials);
            let equity = rollout.figures(0).equity();
            assert_eq!(rollout.figures(0).trials, 648);
            assert!(equity.standard_error > 0.01, "{equity:?}");
            assert!(off_by(equity, exact) < 3.0, "{equity:?} {exact}");
        }
    }
}

#[test]
fn where_the_evaluator_is_exact_the_luck_taken_off_leaves_nothing_of_the_spread() {
    let state = Position::from_points(&[(6, 1), (5, 1), (4, 1)], &[(6, 1), (3, 2)], 15).unwrap();
    let exact = f64::from(TABLES.two_sided(&state).unwrap().cubeless);
    let mut rollout = of_state(&modest(), settings(), state);
    run(&mut rollout);
    let figures = rollout.figures(0);
    assert!((figures.equity().mean - exact).abs() < 1e-5, "{figures:?} {exact}");
    assert!(figures.equity().standard_error < 1e-5, "{figures:?}");
    assert!(figures.plain_equity().standard_error > 0.01, "{figures:?}");
}

#[test]
fn a_wrong_evaluator_of_luck_moves_no_estimate_but_leaves_some_spread() {
    for (seed, state) in [
        (1, Position::from_points(&[(6, 1), (5, 1), (4, 1)], &[(6, 1), (3, 2)], 15).unwrap()),
        (2, Position::from_points(&[(6, 3)], &[(6, 2), (5, 1)], 15).unwrap()),
        (3, Position::from_points(&[(5, 2), (1, 1)], &[(4, 1), (2, 1)], 15).unwrap()),
    ] {
        let exact = f64::from(TABLES.two_sided(&state).unwrap().cubeless);
        for dice in [FirstRolls::Stratified, FirstRolls::Random] {
            let settings = RolloutSettings { seed, dice, trials: 1296, ..settings() };
            let mut rollout = of_state(&warped(), settings, state);
            run(&mut rollout);
            let figures = rollout.figures(0);
            let (reduced, plain) = (figures.equity(), figures.plain_equity());
            assert!(off_by(reduced, exact) < 3.0, "{reduced:?} {exact}");
            assert!(off_by(plain, exact) < 3.0, "{plain:?} {exact}");
            assert!(reduced.standard_error > 1e-3, "{reduced:?}");
            assert!(reduced.standard_error < 0.7 * plain.standard_error, "{reduced:?} {plain:?}");
            // So does each probability: no player loses a gammon here, whatever the evaluator says.
            let [.., lose_gammon, lose_backgammon] = figures.cumulative();
            assert!(off_by(lose_gammon, 0.0) < 3.0, "{lose_gammon:?}");
            assert_eq!(lose_backgammon, SampleMean::default());
            let sum: f64 = figures.outcomes().iter().map(|probability| probability.mean).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        }
    }
}

#[test]
fn a_pruning_network_of_any_kind_leaves_luck_fair() {
    let state = Position::from_points(&[(6, 1), (5, 1), (4, 1)], &[(6, 1), (3, 2)], 15).unwrap();
    let exact = f64::from(TABLES.two_sided(&state).unwrap().cubeless);
    let settings = RolloutSettings { trials: 1296, ..settings() };
    // It knows nothing of bear-offs, so that the baseline often looks at the wrong play.
    let pruning = net(5, 8);
    let mut rollout =
        Rollout::of_state(GAME, &modest(), Some(&pruning), "test", settings, state).unwrap();
    run(&mut rollout);
    let figures = rollout.figures(0);
    assert!(figures.equity().standard_error > 1e-3, "{figures:?}");
    assert!(figures.equity().standard_error < figures.plain_equity().standard_error);
    assert!(off_by(figures.equity(), exact) < 3.0, "{figures:?} {exact}");
}

#[test]
fn games_end_where_the_tables_know() {
    let state = Position::from_points(&[(6, 1), (5, 1), (4, 1)], &[(6, 1), (3, 2)], 15).unwrap();
    let known = TABLES.evaluate(&state).unwrap();
    let evaluator = TableEvaluator::new(TABLES.clone(), Box::new(net(1, 8)));
    let mut rollout = of_state(&evaluator, settings(), state);
    run(&mut rollout);
    let figures = rollout.figures(0);
    assert_eq!(figures.probs(), known);
    assert!(figures.equity().standard_error < 1e-9);
}

#[test]
fn a_cut_game_is_worth_what_the_evaluator_says_at_the_cut() {
    // One roll, each in its share: the mean over the best plays, exactly.
    let one = RolloutSettings {
        trials: 36,
        truncate: NonZeroU32::new(1),
        luck: Luck::Left,
        ..settings()
    };
    let state = GAME.start();
    let mut evaluator = net(3, 16);
    let mut rollout = of_state(&evaluator, one, state);
    run(&mut rollout);
    let mean: f64 = Dice::ALL
        .iter()
        .map(|&(roll, weight)| {
            let best = crate::rank_afterstates(&GAME, &mut evaluator, &state, roll)[0].equity;
            f64::from(best) * f64::from(weight) / 36.0
        })
        .sum();
    let equity = rollout.figures(0).equity();
    assert!((equity.mean - mean).abs() < 1e-6, "{equity:?} {mean}");
    // With variance reduction every game says the same.
    let mut rollout = of_state(&evaluator, RolloutSettings { luck: Luck::TakenOff, ..one }, state);
    run(&mut rollout);
    let equity = rollout.figures(0).equity();
    assert!((equity.mean - mean).abs() < 1e-6, "{equity:?} {mean}");
    assert!(equity.standard_error < 1e-6, "{equity:?}");
}

#[test]
fn looking_ahead_where_games_are_cut_is_looking_ahead_by_that_much_more() {
    let state = GAME.start();
    let mut three = Search::new(GAME, Box::new(net(3, 16)), None, Preset::Full.at(3));
    let expected = f64::from(three.evaluate(&state, SearchWatch::default()).0.equity());
    let settings = RolloutSettings {
        trials: 36,
        truncate: NonZeroU32::new(1),
        leaf: Preset::Full.at(2),
        luck: Luck::Left,
        ..settings()
    };
    let mut rollout = of_state(&net(3, 16), settings, state);
    run(&mut rollout);
    let equity = rollout.figures(0).equity().mean;
    assert!((equity - expected).abs() < 1e-6, "{equity} {expected}");
    // It is not what the bare network says of the same games.
    let bare = RolloutSettings { leaf: Preset::Full.at(0), ..settings };
    let mut rollout = of_state(&net(3, 16), bare, state);
    run(&mut rollout);
    assert!((rollout.figures(0).equity().mean - expected).abs() > 1e-4);
}

/// Plays of 3-1 at the start, some good and some bad.
fn opening_plays() -> Vec<Position> {
    let mut afterstates = Vec::new();
    GAME.afterstates(&GAME.start(), Dice::new(3, 1).unwrap(), &mut afterstates);
    afterstates.truncate(4);
    afterstates
}

/// Short games of several plays, with all there is to settings.
fn several(threads: usize, settings: RolloutSettings) -> Rollout<Backgammon> {
    let (evaluator, pruning) = (net(1, 16), net(2, 8));
    Rollout::of_plays(GAME, &evaluator, Some(&pruning), "test", settings, &opening_plays())
        .unwrap()
        .on_threads(NonZeroUsize::new(threads).unwrap())
}

fn all_there_is() -> RolloutSettings {
    RolloutSettings {
        trials: 240,
        seed: 9,
        truncate: NonZeroU32::new(4),
        later: Some(LaterPlay { after: NonZeroU32::new(1).unwrap(), play: Preset::Fast.at(0) }),
        drop: Some(1.5),
        ..RolloutSettings::default()
    }
}

#[test]
fn figures_have_the_same_bits_on_any_number_of_threads() {
    let mut one = several(1, all_there_is());
    let mut four = several(4, all_there_is());
    assert_eq!(run(&mut one), Ended::Trials);
    run(&mut four);
    assert_eq!(one.save(), four.save());
    assert!(one.save().dropped.iter().any(Option::is_some), "some play is dropped");
    let mut searching = all_there_is();
    (searching.trials, searching.truncate) = (10, NonZeroU32::new(3));
    searching.play = Preset::Fast.at(1);
    let (mut one, mut four) = (several(1, searching), several(4, searching));
    run(&mut one);
    run(&mut four);
    assert_eq!(one.save(), four.save());
}

#[test]
fn a_rollout_that_was_broken_off_and_saved_goes_on_to_the_same_figures() {
    let mut unbroken = several(1, all_there_is());
    run(&mut unbroken);
    let mut saved: Option<String> = None;
    let mut pieces = 0;
    loop {
        let mut rollout = several(2, all_there_is());
        if let Some(text) = &saved {
            rollout.resume(serde_json::from_str(text).unwrap()).unwrap();
        }
        // Called off in the middle of whatever is going on.
        let cancel = AtomicBool::new(false);
        let before = rollout.trials();
        let ended = rollout.run(&mut RolloutWatch {
            cancel: &cancel,
            progress: &mut |rollout| {
                cancel.store(rollout.trials() >= before + 30, Ordering::Relaxed);
            },
        });
        saved = Some(serde_json::to_string(&rollout.save()).unwrap());
        pieces += 1;
        if ended == Ended::Trials {
            assert_eq!(rollout.save(), unbroken.save());
            break;
        }
    }
    assert!(pieces > 2, "{pieces}");
}

#[test]
fn a_game_that_is_called_off_at_any_moment_is_as_if_it_had_not_begun() {
    let play = Preset::Full.at(1);
    let settings = RolloutSettings { trials: 4, play, doubling: play, leaf: play, ..settings() };
    let asked = Arc::new(AtomicU64::new(0));
    let (cancel, limit) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(u64::MAX)));
    let evaluator = {
        let (asked, cancel, limit) = (asked.clone(), cancel.clone(), limit.clone());
        FakeEvaluator::new(Backgammon::Hypergammon, move |state: &Position| {
            if asked.fetch_add(1, Ordering::Relaxed) >= limit.load(Ordering::Relaxed) {
                cancel.store(true, Ordering::Relaxed);
            }
            let win = f32::from(state.pip_count() as u16) / 1000.0;
            OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
        })
    };
    let game = Backgammon::Hypergammon;
    let new = || Rollout::of_state(game, &evaluator, None, "test", settings, game.start()).unwrap();
    let mut unbroken = new();
    unbroken.run(&mut RolloutWatch { cancel: &AtomicBool::new(false), progress: &mut |_| {} });
    let all = asked.swap(0, Ordering::Relaxed);
    let mut rollout = new();
    let mut given_up = 0;
    for piece in 1.. {
        // Evaluations until it is called off, more each time.
        asked.store(0, Ordering::Relaxed);
        limit.store(piece * all / 7, Ordering::Relaxed);
        cancel.store(false, Ordering::Relaxed);
        let before = rollout.trials();
        let ended = rollout.run(&mut RolloutWatch { cancel: &cancel, progress: &mut |_| {} });
        if ended == Ended::Trials {
            break;
        }
        given_up += usize::from(rollout.trials() == before);
        let more = asked.load(Ordering::Relaxed) - piece * all / 7;
        assert!(more < 3_000, "{more} evaluations after it was called off");
    }
    assert!(given_up > 0);
    assert_eq!(rollout.save(), unbroken.save());
}

#[test]
fn more_trials_may_be_asked_for_later_and_rules_to_stop_as_well() {
    let settings = all_there_is();
    let mut unbroken = several(1, settings);
    run(&mut unbroken);
    let mut first = several(1, RolloutSettings { trials: 101, ..settings });
    run(&mut first);
    assert_eq!(first.trials(), 101);
    let mut rest = several(1, settings);
    rest.resume(first.save()).unwrap();
    run(&mut rest);
    assert_eq!(rest.save(), unbroken.save());
}

#[test]
fn a_saved_rollout_is_refused_by_any_other() {
    let mut rollout = several(1, RolloutSettings { trials: 5, ..all_there_is() });
    run(&mut rollout);
    let saved = rollout.save();
    let refused = |other: &mut Rollout<Backgammon>, saved: &SavedRollout, part: &str| {
        let error = other.resume(saved.clone()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(other.trials(), 0);
    };
    let other = |change: fn(&mut RolloutSettings)| {
        let mut settings = all_there_is();
        change(&mut settings);
        several(1, settings)
    };
    refused(&mut other(|s| s.seed = 10), &saved, "differs in seed: it has 9, expected 10");
    refused(&mut other(|s| s.luck = Luck::Left), &saved, "luck");
    refused(&mut other(|s| s.truncate = None), &saved, "truncation");
    refused(&mut other(|s| s.leaf = Preset::Wide.at(1)), &saved, "evaluation of truncated games");
    refused(&mut other(|s| s.later = None), &saved, "later play");
    refused(&mut other(|s| s.drop = None), &saved, "dropping");
    refused(&mut other(|s| s.play = Preset::Wide.at(1)), &saved, "play");
    let (evaluator, plays) = (net(1, 16), opening_plays());
    let settings = all_there_is();
    let of_plays = |name, plays: &[Position]| {
        Rollout::of_plays(GAME, &evaluator, None, name, settings, plays).unwrap()
    };
    refused(&mut of_plays("another", &plays), &saved, "the evaluator");
    refused(&mut of_plays("test", &plays[1..]), &saved, "the positions");
    let damage = |change: fn(&mut SavedRollout)| {
        let mut saved = saved.clone();
        change(&mut saved);
        saved
    };
    let mut same = several(1, settings);
    refused(&mut same, &damage(|s| s.format = 0), "format 0");
    refused(&mut same, &damage(|s| s.trials = 6), "damaged");
    refused(&mut same, &damage(|s| s.tallies.truncate(1)), "damaged");
    refused(&mut same, &damage(|s| s.differences.truncate(1)), "damaged");
    let all = |s: &mut SavedRollout| {
        let by = [Exact(1.0), Exact(0.1)];
        s.dropped = vec![Some(Dropped { trials: 5, behind: 0, by }); 4];
    };
    refused(&mut same, &damage(all), "every candidate is dropped");
    same.resume(saved).unwrap();
}

#[test]
fn plays_are_compared_on_the_same_dice_and_losers_are_dropped_with_their_figures() {
    // Twelve points behind or a checker from home against one that is: no doubt possible.
    let state = Position::from_points(&[(6, 1), (5, 1), (4, 1)], &[(6, 1), (3, 2)], 15).unwrap();
    let mut plays = Vec::new();
    GAME.afterstates(&state, Dice::new(6, 1).unwrap(), &mut plays);
    plays.extend_from_slice(&plays.clone()[..1]);
    let settings =
        RolloutSettings { luck: Luck::Left, drop: Some(4.0), trials: 1296, ..settings() };
    let mut rollout = Rollout::of_plays(GAME, &modest(), None, "test", settings, &plays).unwrap();
    run(&mut rollout);
    let exact = |play: usize| -f64::from(TABLES.two_sided(&plays[play]).unwrap().cubeless);
    let best = rollout.best();
    assert!((0..plays.len()).all(|play| exact(play) <= exact(best)));
    let last = plays.len() - 1;
    for play in 0..plays.len() {
        let figures = rollout.figures(play);
        assert!(off_by(figures.equity(), exact(play)) < 3.5, "{play}: {figures:?}");
        match rollout.dropped(play) {
            None => assert_eq!(figures.trials, 1296),
            Some(dropped) => {
                assert_eq!(figures.trials, dropped.trials);
                assert!(dropped.trials >= 144 && dropped.trials.is_multiple_of(36));
                let by = dropped.by();
                assert!(by.mean >= 4.0 * by.standard_error && by.mean > 0.0, "{by:?}");
                assert_eq!(rollout.behind(dropped.behind, play), Some(by));
                assert!(exact(play) < exact(best), "{play}");
            }
        }
    }
    assert!((0..plays.len()).any(|play| rollout.dropped(play).is_some()));
    // Equal plays have equal games, so that their difference is known at once.
    if rollout.dropped(0).is_none() {
        assert_eq!(rollout.behind(0, last), Some(SampleMean { mean: 0.0, standard_error: 0.0 }));
        assert_eq!(rollout.figures(0), rollout.figures(last));
    } else {
        assert_eq!(rollout.dropped(0), rollout.dropped(last));
    }
}

#[test]
fn differences_on_the_same_dice_spread_less_than_separate_rollouts() {
    let mut plays = Vec::new();
    let state = Position::from_points(&[(6, 1), (5, 1), (4, 1)], &[(6, 1), (3, 2)], 15).unwrap();
    GAME.afterstates(&state, Dice::new(2, 1).unwrap(), &mut plays);
    let settings = RolloutSettings { luck: Luck::Left, ..settings() };
    let mut rollout = Rollout::of_plays(GAME, &modest(), None, "test", settings, &plays).unwrap();
    run(&mut rollout);
    let error = |play| rollout.figures(play).equity().standard_error;
    let behind = rollout.behind(0, 1).unwrap();
    assert_eq!(rollout.behind(1, 0).unwrap().standard_error, behind.standard_error);
    assert!(behind.standard_error < 0.8 * f64::hypot(error(0), error(1)), "{behind:?}");
    let mean = rollout.figures(0).equity().mean - rollout.figures(1).equity().mean;
    assert_eq!(behind.mean, mean);
}

#[test]
fn rules_end_a_rollout_at_whole_sets_of_first_rolls() {
    let state = Position::from_points(&[(6, 1), (5, 1), (4, 1)], &[(6, 1), (3, 2)], 15).unwrap();
    let stop = StopRules { standard_error: Some(0.02), ..StopRules::default() };
    let settings = RolloutSettings { trials: 100_000, stop, luck: Luck::Left, ..settings() };
    let mut rollout = of_state(&modest(), settings, state);
    assert_eq!(run(&mut rollout), Ended::StandardError);
    assert!(rollout.trials() < 5_000 && rollout.trials().is_multiple_of(36));
    assert!(rollout.figures(0).equity().standard_error <= 0.02);
    // Asked again it has nothing to do.
    let trials = rollout.trials();
    assert_eq!(run(&mut rollout), Ended::StandardError);
    assert_eq!(rollout.trials(), trials);

    // The best play and the worst.
    let mut ranked =
        crate::rank_afterstates(&GAME, &mut modest(), &state, Dice::new(2, 1).unwrap());
    let plays = [ranked.remove(0).state, ranked.pop().unwrap().state];
    let stop = StopRules { lead: Some(2.0), ..StopRules::default() };
    let settings = RolloutSettings { stop, ..settings };
    let mut rollout = Rollout::of_plays(GAME, &modest(), None, "test", settings, &plays).unwrap();
    assert_eq!(run(&mut rollout), Ended::Lead);
    assert!(rollout.trials() < 5_000 && rollout.trials().is_multiple_of(36));
    assert_eq!(rollout.best(), 0);
    let behind = rollout.behind(0, 1).unwrap();
    assert!(behind.mean >= 2.0 * behind.standard_error, "{behind:?}");
    // Looks at 144, 180 ... trials: what one of them says by chance, all of them say oftener.
    let close = SampleMean { mean: 2.0, standard_error: 1.0 };
    let (one, looks) = (close.probability_above_zero(), (rollout.trials() / 36 - 3) as f64);
    let bound = rollout.probability_above_zero(close);
    assert!((bound - (1.0 - looks * (1.0 - one)).max(0.5)).abs() < 1e-12, "{bound} {looks}");
    let worse = SampleMean { mean: -2.0, ..close };
    assert!((rollout.probability_above_zero(worse) - (1.0 - bound)).abs() < 1e-12);
}

#[test]
fn a_long_rollout_of_short_games_comes_to_its_end() {
    // The steps are so numerous that a size that is always doubled would not fit any number.
    let state = Position::from_points(&[(1, 2)], &[(1, 2)], 15).unwrap();
    let settings = RolloutSettings { trials: 50_000, luck: Luck::Left, ..settings() };
    let mut rollout = of_state(&modest(), settings, state);
    assert_eq!(run(&mut rollout), Ended::Trials);
    assert_eq!((rollout.trials(), rollout.figures(0).trials), (50_000, 50_000));
    assert_eq!(rollout.figures(0).equity(), SampleMean { mean: 1.0, standard_error: 0.0 });
}

#[test]
fn finished_and_impossible_rollouts_are_refused() {
    let evaluator = PipCountEvaluator::new(GAME);
    let over = Position::from_points(&[(6, 3)], &[], 15).unwrap();
    let refused = |settings, state| {
        Rollout::of_state(GAME, &evaluator, None, "test", settings, state).unwrap_err()
    };
    assert_eq!(refused(settings(), over), RolloutError::Finished);
    let none = RolloutSettings { trials: 0, ..settings() };
    assert_eq!(refused(none, GAME.start()), RolloutError::TooFewTrials { found: 0 });
    let plays = Rollout::of_plays(GAME, &evaluator, None, "test", settings(), &[]);
    assert_eq!(plays.unwrap_err(), RolloutError::Candidates { found: 0 });
    // A play that ends the game has won it.
    let mut won = Rollout::of_plays(GAME, &evaluator, None, "test", settings(), &[over]).unwrap();
    run(&mut won);
    assert_eq!(won.figures(0).equity(), SampleMean { mean: 1.0, standard_error: 0.0 });
}

#[test]
fn what_cube_decisions_are_made_by_is_a_part_of_what_figures_depend_on() {
    let stakes = Stakes::money(&Options::default()).unwrap();
    let identity = |ply: u8, look_again: Option<f64>| {
        let settings =
            RolloutSettings { doubling: Preset::Normal.at(ply), look_again, ..settings() };
        RolloutCube::action(&stakes, Cube::START).identity(&settings)[2].1.clone()
    };
    assert_eq!(identity(0, Some(0.25)), "1-ply within 0.25");
    assert_ne!(identity(0, None), identity(0, Some(0.25)));
    // Deeper decisions are not looked at again.
    assert_eq!(identity(1, Some(0.25)), identity(1, None));
}
