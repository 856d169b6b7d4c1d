//! Rollouts with a cube against exact values.

use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use tavola_bearoff::{Store, TableSpec, Tables};
use tavola_equity::{BeaverAnswer, CubeAction, MatchEquityTable, Response};
use tavola_net::{EncoderKind, random_weights};
use tavola_rules::{Beavers, Game, MatchScore, Options, Position};

use super::*;
use crate::cubeful::endgame::tests::Slow;
use crate::cubeful::{CubeEvaluator, seated};
use crate::evaluator::Evaluator;
use crate::evaluators::{NetEvaluator, PipCountEvaluator, TableEvaluator};
use crate::rollout::{Ended, Luck, RolledOutCube, RolloutWatch, SampleMean, StopRules};
use crate::search::Preset;

/// Three checkers a side.
const SMALL: Backgammon = Backgammon::Hypergammon;

const GAME: Backgammon = Backgammon::Standard;

static TABLES: LazyLock<Tables> =
    LazyLock::new(|| Store::in_memory().load(&[TableSpec::two_sided(4).unwrap()], &|_| {}).0);

fn stakes(jacoby: bool, beavers: Beavers) -> Stakes {
    Stakes::money(&Options { jacoby, beavers, ..Options::default() }).unwrap()
}

fn money() -> Stakes {
    stakes(false, Beavers::Off)
}

fn at_score(score: MatchScore) -> Stakes {
    Stakes::for_match(score, MatchEquityTable::kazaross_xg2(), &Options::default()).unwrap()
}

fn owned(value: u32, owner: CubeOwner) -> Cube {
    Cube::from_value(value, owner).unwrap()
}

fn settings() -> RolloutSettings {
    RolloutSettings { trials: 36, ..RolloutSettings::default() }
}

fn run(rollout: &mut Rollout<Backgammon>) -> Ended {
    let cancel = AtomicBool::new(false);
    rollout.run(&mut RolloutWatch { cancel: &cancel, progress: &mut |_| {} })
}

fn racer() -> CubefulEvaluator {
    CubefulEvaluator::new(GAME, Box::new(PipCountEvaluator::new(GAME)), None)
}

/// Knows bear-offs exactly, but not that they are exact, so that trials are played to the end.
#[derive(Clone)]
struct Modest;

impl Evaluator<Backgammon> for Modest {
    fn evaluate(&mut self, states: &[Position], out: &mut Vec<tavola_equity::OutcomeProbs>) {
        let otherwise = Box::new(PipCountEvaluator::new(GAME));
        TableEvaluator::new(TABLES.clone(), otherwise).evaluate(states, out);
    }

    fn fork(&self) -> Box<dyn Evaluator<Backgammon>> {
        Box::new(Self)
    }
}

fn modest() -> CubefulEvaluator {
    CubefulEvaluator::new(GAME, Box::new(Modest), None)
}

/// Three checkers a side, evaluated by a network that knows nothing.
fn contact() -> (CubefulEvaluator, Position) {
    let mut weights = random_weights(EncoderKind::OneHot, &[16], 3);
    weights.game = SMALL.id();
    let net = NetEvaluator::new(&weights, SMALL).unwrap();
    let position = Position::from_points(&[(6, 1), (13, 1), (25, 1)], &[(5, 2), (16, 1)], 3);
    (CubefulEvaluator::new(SMALL, Box::new(net), None), position.unwrap())
}

fn action(
    evaluator: &CubefulEvaluator,
    position: &Position,
    stakes: &Stakes,
    cube: Cube,
    settings: RolloutSettings,
) -> RolledOutCube {
    let mut rollout = evaluator.rollout_of_cube(position, stakes, cube, "test", settings).unwrap();
    run(&mut rollout);
    rollout.cube_action().unwrap()
}

fn near(estimate: SampleMean, truth: f64) -> bool {
    (estimate.mean - truth).abs() < 1e-6
}

fn within(estimate: SampleMean, truth: f64, errors: f64) -> bool {
    (estimate.mean - truth).abs() <= errors * estimate.standard_error + 1e-6
}

#[test]
fn a_last_roll_has_its_exact_equities_at_any_cube() {
    // 27 of 36 rolls bear off the checker from the six point.
    let position = Position::from_points(&[(6, 1)], &[(1, 1)], 15).unwrap();
    for cube in [Cube::START, owned(2, CubeOwner::Player), owned(8, CubeOwner::Player)] {
        let found = action(&racer(), &position, &money(), cube, settings());
        assert!(near(found.no_double, 0.5) && near(found.double_take, 1.0), "{found:?}");
        assert!(near(found.gain_of_doubling, 0.5), "{found:?}");
        assert!(near(found.gain_of_taking, 0.0), "{found:?}");
        assert_eq!(found.decision.action, CubeAction::DoubleTake);
        assert_eq!((found.beaver, found.best()), (None, found.double_take));
    }
}

#[test]
fn a_cube_that_the_opponent_owns_leaves_one_line() {
    let position = Position::from_points(&[(6, 1)], &[(1, 1)], 15).unwrap();
    let cube = owned(2, CubeOwner::Opponent);
    let mut rollout =
        racer().rollout_of_cube(&position, &money(), cube, "test", settings()).unwrap();
    run(&mut rollout);
    assert_eq!((rollout.candidates().len(), rollout.cube_action()), (1, None));
    assert!(near(rollout.figures(0).cubeful().unwrap(), 0.5));
}

#[test]
fn a_sure_cash_ends_the_trial_at_the_value_of_the_cube() {
    // The opponent wins with 34 of 36 rolls: cubeless they win 0.889, but they double and the
    // player passes.
    let after = Position::from_points(&[(1, 1), (3, 1)], &[(1, 1)], 15).unwrap();
    for cube in [Cube::START, owned(4, CubeOwner::Opponent)] {
        let mut rollout =
            modest().rollout_of_plays(&[after], &money(), cube, "test", settings()).unwrap();
        run(&mut rollout);
        let figures = rollout.figures(0);
        assert_eq!(figures.cubeful(), Some(SampleMean { mean: -1.0, standard_error: 0.0 }));
        // What is not played out is evaluated.
        assert!(near(figures.cumulative()[0], 2.0 / 36.0), "{figures:?}");
    }
    // With the cube on the player's side they roll.
    let cube = owned(4, CubeOwner::Player);
    let mut rollout =
        modest().rollout_of_plays(&[after], &money(), cube, "test", settings()).unwrap();
    run(&mut rollout);
    assert!(near(rollout.figures(0).cubeful().unwrap(), -32.0 / 36.0));
}

#[test]
fn gammons_count_once_the_cube_is_turned_where_jacoby_is_played() {
    // Any roll wins a gammon.
    let position = Position::from_points(&[(1, 1)], &[(1, 3)], 3).unwrap();
    let evaluator = CubefulEvaluator::new(SMALL, Box::new(PipCountEvaluator::new(SMALL)), None);
    let of = |jacoby| {
        action(&evaluator, &position, &stakes(jacoby, Beavers::Off), Cube::START, settings())
    };
    let (jacoby, plain) = (of(true), of(false));
    assert!(near(jacoby.no_double, 1.0) && near(jacoby.double_take, 4.0), "{jacoby:?}");
    assert!(near(plain.no_double, 2.0) && near(plain.double_take, 4.0), "{plain:?}");
    assert_eq!(plain.decision.action, CubeAction::TooGoodPass);
    assert_eq!(jacoby.decision.action, CubeAction::DoublePass);
    assert_eq!(plain.best(), plain.no_double);
    assert_eq!(jacoby.best(), SampleMean { mean: 1.0, standard_error: 0.0 });
}

#[test]
fn a_beaver_is_worth_twice_a_take_for_money() {
    // 15 of 36 rolls bear off both checkers.
    let position = Position::from_points(&[(6, 1), (1, 1)], &[(1, 1)], 15).unwrap();
    let found =
        action(&modest(), &position, &stakes(false, Beavers::Raccoons), Cube::START, settings());
    let SampleMean { mean: no_double, .. } = found.no_double;
    assert!(no_double < 0.0 && near(found.double_take, 2.0 * no_double), "{found:?}");
    assert!(near(found.beaver.unwrap(), 4.0 * no_double), "{found:?}");
    let doubled = found.decision.double.unwrap();
    assert_eq!(doubled.answer, Response::Beaver);
    assert_eq!(doubled.beaver.unwrap().1, BeaverAnswer::Take);
    assert!(near(found.gain_of_doubling, 3.0 * no_double), "{found:?}");
    assert!(near(found.gain_of_taking, 1.0 - 4.0 * no_double), "{found:?}");
    assert_eq!(found.best(), found.no_double);
}

/// How a cube is settled for money.
fn scoring(beavers: Beavers) -> CubeScoring {
    CubeScoring {
        stakes: both(&stakes(false, beavers)),
        unit: Cube::START,
        efficiency: EfficiencyModel::default(),
        endgame: Endgame::Table(Tables::default()),
    }
}

#[test]
fn a_cube_is_turned_once_and_by_beavers_and_raccoons_again() {
    let state = seated(&Position::STANDARD);
    for (beavers, turns) in [(Beavers::Off, 1), (Beavers::Beavers, 2), (Beavers::Raccoons, 3)] {
        for cube in [Cube::START, owned(2, CubeOwner::Player), owned(8, CubeOwner::Player)] {
            assert_eq!(scoring(beavers).turns(&state, cube), turns, "{cube:?}");
        }
        assert_eq!(scoring(beavers).turns(&state, owned(2, CubeOwner::Opponent)), 0);
    }
}

#[test]
fn a_raccoon_that_is_taken_is_played_at_eight_times_the_cube() {
    let state = seated(&Position::STANDARD);
    let settled = |beaver, raccoon| {
        let values = [0.1, 0.3, beaver, raccoon].map(CubefulValue::without_double);
        scoring(Beavers::Raccoons).settle(&state, Cube::START, &values).0
    };
    let owned = |value| owned(value, CubeOwner::Opponent);
    assert_eq!(settled(0.15, 0.25), Settled::Roll(owned(8)));
    assert_eq!(settled(0.25, 0.15), Settled::Roll(owned(4)));
    assert_eq!(settled(0.4, 0.5), Settled::Roll(owned(2)), "a beaver would be wrong");
}

#[test]
fn beavers_and_raccoons_below_a_limit_have_the_figures_of_their_lines() {
    let (evaluator, _) = contact();
    let options = Options { beavers: Beavers::Raccoons, cube_limit: Some(8), ..Options::default() };
    let stakes = Stakes::money(&options).unwrap();
    for (mine, answer, line) in
        [([(6, 2), (4, 1)], BeaverAnswer::Raccoon, 3), ([(6, 2), (8, 1)], BeaverAnswer::Take, 2)]
    {
        let position = Position::from_points(&mine, &[(5, 2), (3, 1)], 3).unwrap();
        let mut rollout =
            evaluator.rollout_of_cube(&position, &stakes, Cube::START, "test", settings()).unwrap();
        run(&mut rollout);
        assert_eq!(rollout.candidates().len(), 4);
        let found = rollout.cube_action().unwrap();
        assert_eq!(found.decision.double.unwrap().beaver.unwrap().1, answer, "{found:?}");
        assert_eq!(found.beaver, rollout.figures(line).cubeful(), "{found:?}");
        if found.decision.double.unwrap().answer == Response::Beaver {
            let behind = rollout.behind(0, line).unwrap();
            assert_eq!(found.gain_of_doubling.standard_error, behind.standard_error);
        }
    }
}

#[test]
fn the_error_of_doubling_is_that_of_the_difference_on_the_same_dice() {
    let (evaluator, position) = contact();
    let mut rollout =
        evaluator.rollout_of_cube(&position, &money(), Cube::START, "test", settings()).unwrap();
    run(&mut rollout);
    let (found, behind) = (rollout.cube_action().unwrap(), rollout.behind(0, 1).unwrap());
    assert_eq!(found.decision.double.unwrap().answer, Response::Take);
    let error = found.gain_of_doubling.standard_error;
    assert!(error > 0.0 && (error - behind.standard_error).abs() < 1e-9, "{found:?} {behind:?}");
}

#[test]
fn a_beaver_of_money_is_a_multiple_of_the_take_with_its_error() {
    let (evaluator, _) = contact();
    let stakes = stakes(false, Beavers::Raccoons);
    let mut factors = Vec::new();
    for mine in [[(6, 2), (4, 1)], [(6, 2), (8, 1)]] {
        let position = Position::from_points(&mine, &[(5, 2), (3, 1)], 3).unwrap();
        let mut rollout =
            evaluator.rollout_of_cube(&position, &stakes, Cube::START, "test", settings()).unwrap();
        run(&mut rollout);
        let found = rollout.cube_action().unwrap();
        let (take, beaver) = (found.double_take, found.beaver.unwrap());
        // A raccoon follows where the double was right.
        let factor = if take.mean > 0.0 { 4.0 } else { 2.0 };
        factors.push(factor);
        assert!(take.standard_error > 0.0 && near(beaver, factor * take.mean), "{found:?}");
        assert!((beaver.standard_error - factor * take.standard_error).abs() < 1e-9, "{found:?}");
        if found.decision.double.unwrap().answer == Response::Beaver {
            // Of twice the take less no double.
            let [none, take, apart] = [found.no_double, take, rollout.behind(0, 1).unwrap()]
                .map(|it| it.standard_error.powi(2));
            let expected = (2.0 * take - none + 2.0 * apart).sqrt();
            let error = found.gain_of_doubling.standard_error;
            assert!((error - expected).abs() < 1e-9, "{error} instead of {expected}");
        }
    }
    assert_eq!(factors, [4.0, 2.0]);
    // Right for the taker, and so bad for the doubler that they pass the beaver.
    let position = Position::from_points(&[(8, 2), (6, 1)], &[(5, 2), (3, 1)], 3).unwrap();
    let found = action(&evaluator, &position, &stakes, Cube::START, settings());
    assert_eq!(found.decision.double.unwrap().answer, Response::Beaver);
    assert_eq!(found.gain_of_doubling.standard_error, found.no_double.standard_error);
    // Lost for sure.
    let lost = Position::from_points(&[(6, 3)], &[(1, 1)], 15).unwrap();
    let found = action(&modest(), &lost, &stakes, Cube::START, settings());
    assert_eq!(found.beaver, Some(SampleMean { mean: -2.0, standard_error: 0.0 }));
}

#[test]
fn a_double_that_is_beavered_is_worth_what_the_beaver_leaves() {
    let position = Position::from_points(&[(6, 1), (1, 1)], &[(1, 1)], 15).unwrap();
    let found =
        action(&modest(), &position, &stakes(true, Beavers::Beavers), Cube::START, settings());
    let stakes = stakes(true, Beavers::Beavers);
    let [no_double, double_take, beaver] = [-0.3, -0.1, -0.2].map(Expectation);
    let expectations =
        CubeExpectations { no_double, double_take, beaver: Some(beaver), raccoon: None };
    let decision = CubeDecision::from_expectations(&stakes, Cube::START, &expectations);
    let doubled = RolledOutCube { decision, ..found };
    assert_eq!(decision.double.unwrap().answer, Response::Beaver);
    assert_eq!(Some(doubled.best()), found.beaver);
}

#[test]
fn with_a_limit_beavers_are_lines_of_their_own() {
    let position = Position::from_points(&[(6, 1), (1, 1)], &[(1, 1)], 15).unwrap();
    let options = Options { beavers: Beavers::Beavers, cube_limit: Some(4), ..Options::default() };
    let stakes = Stakes::money(&options).unwrap();
    let mut rollout =
        modest().rollout_of_cube(&position, &stakes, Cube::START, "test", settings()).unwrap();
    run(&mut rollout);
    assert_eq!(rollout.candidates().len(), 3);
    let found = rollout.cube_action().unwrap();
    assert!(near(found.beaver.unwrap(), 4.0 * found.no_double.mean), "{found:?}");
    let cube = owned(4, CubeOwner::Player);
    let rollout = modest().rollout_of_cube(&position, &stakes, cube, "test", settings()).unwrap();
    assert_eq!(rollout.candidates().len(), 1);
}

#[test]
fn where_the_cube_is_dead_figures_are_what_the_probabilities_are_worth() {
    let (evaluator, position) = contact();
    let settings = RolloutSettings { trials: 72, ..settings() };
    let scores = [
        MatchScore::new(7, 6, 6).unwrap(),
        // Gammons are worthless for the leader, and worth a lot for the opponent.
        MatchScore::crawford(7, 6, 3).unwrap(),
        MatchScore::crawford(7, 3, 6).unwrap(),
    ];
    for score in scores {
        let stakes = at_score(score);
        let mut rollout =
            evaluator.rollout_of_cube(&position, &stakes, Cube::START, "test", settings).unwrap();
        run(&mut rollout);
        let figures = rollout.figures(0);
        let cubeful = figures.cubeful().unwrap();
        let mwc = rollout.cube().unwrap().mwc(cubeful).unwrap();
        let expectation = stakes.cubeless(&figures.probs().cumulative(), Cube::START).0;
        assert!((mwc.mean - expectation).abs() < 1e-5, "{score}: {mwc:?} {expectation}");
        if score.player_away() == 1 && score.opponent_away() == 1 {
            let win = figures.cumulative()[0];
            assert!((win.standard_error - mwc.standard_error).abs() < 1e-6, "{win:?} {mwc:?}");
            assert!((cubeful.mean - (2.0 * win.mean - 1.0)).abs() < 1e-6, "{cubeful:?} {win:?}");
        }
    }
}

/// Bear-offs that take two or three rolls, with the cube in play.
fn bear_offs() -> [Position; 3] {
    [
        Position::from_points(&[(3, 1), (5, 1)], &[(3, 2)], 15).unwrap(),
        Position::from_points(&[(2, 2), (1, 2)], &[(4, 1), (1, 2)], 15).unwrap(),
        Position::from_points(&[(6, 1), (2, 1)], &[(5, 1), (2, 1)], 15).unwrap(),
    ]
}

#[test]
fn bear_offs_agree_with_the_exact_values_with_the_cube() {
    for position in bear_offs() {
        let exact = TABLES.two_sided(&position).unwrap();
        for luck in [Luck::TakenOff, Luck::Left] {
            // The cube model does not know such positions; search does.
            let settings = RolloutSettings {
                trials: 324,
                luck,
                doubling: Preset::Full.at(2),
                play: Preset::Full.at(1),
                ..settings()
            };
            for (cube, owner) in
                [(Cube::START, CubeOwner::Center), (owned(2, CubeOwner::Player), CubeOwner::Player)]
            {
                let found = action(&modest(), &position, &money(), cube, settings);
                let no_double = f64::from(exact.no_double(owner));
                assert!(within(found.no_double, no_double, 3.5), "{found:?} {no_double}");
                let take = 2.0 * f64::from(exact.no_double(CubeOwner::Opponent));
                assert!(within(found.double_take, take, 3.5), "{found:?} {take}");
            }
        }
    }
}

#[test]
fn tables_with_the_cube_end_trials_at_once() {
    let evaluator = modest().with_tables(TABLES.clone());
    for position in bear_offs() {
        let exact = TABLES.two_sided(&position).unwrap();
        let found = action(&evaluator, &position, &money(), Cube::START, settings());
        assert!(near(found.no_double, f64::from(exact.no_double(CubeOwner::Center))));
        assert!(near(found.double_take, 2.0 * f64::from(exact.no_double(CubeOwner::Opponent))));
        assert_eq!(found.no_double.standard_error, 0.0);
    }
}

#[test]
fn variance_reduction_keeps_the_mean_and_cuts_the_error() {
    let position = bear_offs()[1];
    let of = |luck| {
        let settings = RolloutSettings { trials: 1296, luck, ..settings() };
        action(&modest(), &position, &money(), Cube::START, settings)
    };
    let (reduced, plain) = (of(Luck::TakenOff), of(Luck::Left));
    for (reduced, plain) in
        [(reduced.no_double, plain.no_double), (reduced.double_take, plain.double_take)]
    {
        assert!(within(plain, reduced.mean, 3.5), "{reduced:?} {plain:?}");
        assert!(reduced.standard_error < 0.7 * plain.standard_error, "{reduced:?} {plain:?}");
    }
    // With contact, by a network that knows nothing, the mean stays.
    let (evaluator, position) = contact();
    for stakes in [money(), at_score(MatchScore::new(5, 2, 1).unwrap())] {
        let of = |luck| {
            let settings = RolloutSettings { trials: 2592, luck, ..settings() };
            action(&evaluator, &position, &stakes, Cube::START, settings).no_double
        };
        let (reduced, plain) = (of(Luck::TakenOff), of(Luck::Left));
        let error = f64::hypot(reduced.standard_error, plain.standard_error);
        assert!((reduced.mean - plain.mean).abs() < 3.5 * error, "{reduced:?} {plain:?}");
    }
}

/// Four checkers a side, which no solution knows. (At four away, two away the opponent's cube is
/// misjudged by more than a second look mends.)
#[test]
fn default_rollouts_at_a_score_agree_with_plain_recursion() {
    let sides: [&[(usize, u8)]; 4] =
        [&[(3, 2), (1, 2)], &[(4, 1), (2, 1), (1, 2)], &[(2, 4)], &[(5, 1), (1, 3)]];
    let settings = RolloutSettings { trials: 144, ..RolloutSettings::default() };
    for (player, opponent) in [(0, 1), (3, 1)] {
        let stakes = at_score(MatchScore::new(5, player, opponent).unwrap());
        let mut exact = Slow::new(&stakes);
        for (i, mine) in sides.iter().enumerate() {
            let theirs = sides[(i + 1) % sides.len()];
            let position = Position::from_points(mine, theirs, 15).unwrap();
            for cube in [Cube::START, owned(2, CubeOwner::Player)] {
                let found = modest().rollout_of_cube(&position, &stakes, cube, "test", settings);
                let mut rollout = found.unwrap();
                run(&mut rollout);
                let found = rollout.figures(0).cubeful().unwrap();
                let exact = Expectation(exact.rolling(&position, Player::One, cube));
                let exact = stakes.value(exact, cube).equity();
                assert!(within(found, exact, 4.0), "{position:?} {cube:?}: {found:?} {exact}");
            }
        }
    }
}

#[test]
fn both_lines_have_the_same_dice_and_the_error_of_their_difference() {
    let (evaluator, position) = contact();
    let settings = RolloutSettings { trials: 648, luck: Luck::Left, ..settings() };
    let found = action(&evaluator, &position, &money(), owned(2, CubeOwner::Player), settings);
    let apart = f64::hypot(found.no_double.standard_error, found.double_take.standard_error);
    let together = found.gain_of_doubling.standard_error;
    assert!(together > 0.0 && together < apart, "{found:?}");
}

#[test]
fn a_lead_ends_a_rollout_of_the_cube_once_both_decisions_are_clear() {
    let position = bear_offs()[0];
    let stop = StopRules { lead: Some(3.0), ..StopRules::default() };
    let settings = RolloutSettings { trials: 100_000, stop, luck: Luck::Left, ..settings() };
    let mut rollout =
        modest().rollout_of_cube(&position, &money(), Cube::START, "test", settings).unwrap();
    assert_eq!(run(&mut rollout), Ended::Lead);
    let found = rollout.cube_action().unwrap();
    for gain in [found.gain_of_doubling, found.gain_of_taking] {
        assert!(gain.mean.abs() >= 3.0 * gain.standard_error, "{found:?}");
    }
}

#[test]
fn threads_and_interruptions_do_not_matter() {
    let (evaluator, position) = contact();
    let stakes = at_score(MatchScore::new(5, 2, 1).unwrap());
    let settings = RolloutSettings { trials: 90, ..settings() };
    let start = |settings| {
        evaluator.rollout_of_cube(&position, &stakes, Cube::START, "test", settings).unwrap()
    };
    let mut one = start(settings);
    run(&mut one);
    let mut several = start(settings).on_threads(NonZeroUsize::new(3).unwrap());
    run(&mut several);
    assert_eq!(one.save(), several.save());

    let mut half = start(RolloutSettings { trials: 40, ..settings });
    run(&mut half);
    let text = serde_json::to_string(&half.save()).unwrap();
    let mut resumed = start(settings);
    resumed.resume(serde_json::from_str(&text).unwrap()).unwrap();
    run(&mut resumed);
    assert_eq!(one.save(), resumed.save());

    // Neither other stakes nor another way to double resume it, nor a rollout without a cube.
    let mut others = evaluator.rollout_of_cube(&position, &money(), Cube::START, "test", settings);
    let refused = others.as_mut().unwrap().resume(half.save()).unwrap_err();
    assert!(refused.to_string().contains("the stakes"), "{refused}");
    let doubling = Preset::Normal.at(1);
    let refused = start(RolloutSettings { doubling, ..settings }).resume(half.save()).unwrap_err();
    assert!(refused.to_string().contains("cube decisions"), "{refused}");
    let evaluator = evaluator.evaluator();
    let mut cubeless =
        Rollout::of_state(SMALL, evaluator, None, "test", settings, position).unwrap();
    assert!(cubeless.resume(half.save()).is_err());
}

#[test]
fn impossible_cubes_are_refused() {
    let (evaluator, position) = contact();
    let stakes = at_score(MatchScore::new(7, 6, 6).unwrap());
    let cube = owned(2, CubeOwner::Player);
    let refused =
        evaluator.rollout_of_cube(&position, &stakes, cube, "test", settings()).unwrap_err();
    assert!(refused.to_string().contains("the cube stands at 2"), "{refused}");
    let over = Position::from_points(&[(6, 3)], &[], 3).unwrap();
    let refused = evaluator.rollout_of_cube(&over, &money(), Cube::START, "test", settings());
    assert_eq!(refused.unwrap_err(), RolloutError::Finished);
}
