//! Long, as each section stands on the tables of the one before: published values first, laws last.
//!
//! Cube theory against published values, hand arithmetic and its own laws.

use proptest::prelude::*;
use tavola_equity::met::MetModel;
use tavola_equity::{
    BeaverAnswer, CubeAction, CubeDecision, CubeExpectations, Efficiency, EfficiencyModel,
    Expectation, GammonRates, MatchEquityTable, NoCube, Probs, Response, Stage, Stakes,
    StakesError, Value, cube_decision,
};
use tavola_rules::{Beavers, Cube, CubeOwner, CubeUse, MatchScore, Options, SessionError};

const EPSILON: f64 = 1e-9;

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < EPSILON, "found {found}, expected {expected}");
}

fn money() -> Stakes {
    Stakes::money(&Options::default()).unwrap()
}

/// A game with `player` and `opponent` points to go, the cube in play.
fn at(player: u16, opponent: u16) -> Stakes {
    let length = player.max(opponent);
    let score = MatchScore::new(length, length - player, length - opponent).unwrap();
    Stakes::for_match(score, MatchEquityTable::kazaross_xg2(), &Options::default()).unwrap()
}

fn crawford(player: u16, opponent: u16) -> Stakes {
    let length = player.max(opponent);
    let score = MatchScore::crawford(length, length - player, length - opponent).unwrap();
    Stakes::for_match(score, MatchEquityTable::kazaross_xg2(), &Options::default()).unwrap()
}

fn cube(value: u32, owner: CubeOwner) -> Cube {
    Cube::from_value(value, owner).unwrap()
}

fn wins(win: f32) -> Probs {
    Probs { win, ..Probs::default() }
}

#[test]
fn money_take_points_are_a_quarter_dead_and_a_fifth_live() {
    let points = |efficiency| money().points(&GammonRates::NONE, Cube::START, efficiency).unwrap();
    let (dead, live) = (points(Efficiency::DEAD), points(Efficiency::LIVE));
    assert_near(dead.take, 0.25);
    assert_near(dead.cash, 0.75);
    assert_near(dead.double.unwrap(), 0.5);
    assert_near(live.take, 0.20);
    assert_near(live.cash, 0.80);
    // A perfect cube is turned at the cash point, and not before.
    assert_near(live.double.unwrap(), 0.80);
    assert_eq!((dead.too_good, live.too_good), (None, None));
}

/// The formulas of Janowski, "Take-Points in Money Games" (1993), with W and L the mean win and
/// loss and k = W + L + x/2.
#[test]
fn janowskis_published_formulas_are_reproduced() {
    for x in [0.0, 0.25, 0.5, 2.0 / 3.0, 0.9, 1.0] {
        for (win_gammon, lose_gammon) in [(0.0, 0.0), (0.25, 0.25), (0.4, 0.1), (0.1, 0.3)] {
            let rates = GammonRates { win_gammon, lose_gammon, ..GammonRates::NONE };
            let (w, l) = (1.0 + win_gammon, 1.0 + lose_gammon);
            let k = w + l + x / 2.0;
            let efficiency = Efficiency::janowski(x).unwrap();
            let centered = money().points(&rates, Cube::START, efficiency).unwrap();
            let owned = cube(2, CubeOwner::Player);
            let owned = money().points(&rates, owned, efficiency).unwrap();
            assert_near(centered.take, (l - 0.5) / k);
            assert_near(centered.cash, (l + 0.5 + 0.5 * x) / k);
            assert_near(owned.double.unwrap(), (l + x) / k);
            let initial = (l + 0.5 * x * (3.0 - x) / (2.0 - x)) / k;
            assert_near(centered.double.unwrap(), initial);
            // The three equities themselves, at a probability between all the knots.
            let p = 0.5_f32;
            let probs = Probs {
                win: p,
                win_gammon: p * win_gammon as f32,
                lose_gammon: (1.0 - p) * lose_gammon as f32,
                ..Probs::default()
            };
            let near = |cube: Cube, expected: f64| {
                let value = money().value(money().cubeful(&probs, cube, efficiency), cube);
                assert!((value.equity() - expected).abs() < 1e-6, "{value:?} {expected}");
            };
            let pk = f64::from(p) * k;
            near(cube(2, CubeOwner::Player), pk - l);
            near(cube(2, CubeOwner::Opponent), pk - l - 0.5 * x);
            near(Cube::START, 4.0 / (4.0 - x) * (pk - l - 0.25 * x));
        }
    }
    // The example that everybody quotes: no gammons, two thirds efficient.
    let efficiency = Efficiency::janowski(2.0 / 3.0).unwrap();
    let points = money().points(&GammonRates::NONE, Cube::START, efficiency).unwrap();
    assert_near(points.take, 3.0 / 14.0);
    assert_near(points.cash, 11.0 / 14.0);
    assert_near(points.double.unwrap(), 19.0 / 28.0);
    let owned = cube(2, CubeOwner::Player);
    let points = money().points(&GammonRates::NONE, owned, efficiency).unwrap();
    assert_near(points.double.unwrap(), 10.0 / 14.0);
}

#[test]
fn the_points_of_an_opponents_cube_are_those_of_the_players() {
    let gammons = GammonRates { win_gammon: 0.3, lose_gammon: 0.2, ..GammonRates::NONE };
    for stakes in [money(), at(5, 7)] {
        let points = |owner| stakes.points(&gammons, cube(2, owner), Efficiency::LIVE).unwrap();
        assert_eq!(points(CubeOwner::Opponent), points(CubeOwner::Player));
        assert_ne!(points(CubeOwner::Opponent).double, None);
    }
}

#[test]
fn shares_of_gammons_stay_between_0_and_1_and_backgammons_below_them() {
    // Figures that were rounded one by one, as those of a file: the parts exceed the whole.
    let rates = GammonRates::of(&Probs {
        win: 0.5,
        win_gammon: 0.501,
        win_backgammon: 0.502,
        lose_gammon: 0.501,
        lose_backgammon: 0.502,
    });
    let all = GammonRates {
        win_gammon: 1.0,
        win_backgammon: 1.0,
        lose_gammon: 1.0,
        lose_backgammon: 1.0,
    };
    assert_eq!(rates, all);
    // More backgammons than gammons, which include them.
    let (gammons, backgammons) = (0.25, 0.2501);
    let rates = GammonRates::of(&Probs {
        win: 0.5,
        win_gammon: gammons,
        win_backgammon: backgammons,
        lose_gammon: gammons,
        lose_backgammon: backgammons,
    });
    assert_eq!((rates.win_backgammon, rates.lose_backgammon), (0.5, 0.5));
    // Above 1 by the last bit of 1 - win.
    let rates = GammonRates::of(&Probs { lose_gammon: 0.700_000_05, ..wins(0.3) });
    assert!(rates.lose_gammon <= 1.0, "{rates:?}");
}

#[test]
fn at_two_away_two_away_the_take_point_is_what_a_pass_leaves() {
    let points = |efficiency| at(2, 2).points(&GammonRates::NONE, Cube::START, efficiency).unwrap();
    for efficiency in [Efficiency::DEAD, Efficiency::LIVE] {
        // A pass leaves 2 away, 1 away Crawford: 0.32264. After a take the match is at stake, and
        // the cube of 2 has no further use: dead and live are the same.
        assert_near(points(efficiency).take, 0.32264);
        assert_near(points(efficiency).cash, 1.0 - 0.32264);
    }
    let gammons = GammonRates { win_gammon: 0.3, lose_gammon: 0.3, ..GammonRates::NONE };
    let points = at(2, 2).points(&gammons, Cube::START, Efficiency::LIVE).unwrap();
    assert_near(points.take, 0.32264);
}

#[test]
fn take_points_at_three_away_five_away_follow_from_the_table() {
    // The leader, 3 away, is doubled. Pass: 3 away, 4 away. Take and win: 1 away, 5 away; lose: 3
    // away, 3 away.
    let dead = |player, opponent| {
        at(player, opponent).points(&GammonRates::NONE, Cube::START, Efficiency::DEAD).unwrap().take
    };
    assert_near(dead(3, 5), (0.57150 - 0.5) / (0.84179 - 0.5));
    // The trailer, 5 away. Pass: 5 away, 2 away. Win: 3 away, 3 away; lose: 5 away, 1 away.
    let pass_or_lose = (0.25641 - 0.15821) / (0.5 - 0.15821);
    assert_near(dead(5, 3), pass_or_lose);
    // Live, the taker may redouble to 4, where the leader wins the match, or stands 3 away against
    // 1 away (0.24924); a pass leaves 3 away, 3 away. The leader's cube is of no use to them.
    let leaders_take = (0.5 - 0.24924) / (1.0 - 0.24924);
    let live = at(5, 3).points(&GammonRates::NONE, Cube::START, Efficiency::LIVE).unwrap();
    assert_near(live.take, (1.0 - leaders_take) * pass_or_lose);
    let redouble = cube(2, CubeOwner::Player);
    let redouble = at(5, 3).points(&GammonRates::NONE, redouble, Efficiency::LIVE).unwrap();
    assert_near(redouble.cash, 1.0 - leaders_take);
}

#[test]
fn an_opponent_who_has_nothing_to_lose_redoubles_at_once() {
    // 2 away, 4 away, the cube at 2 with the opponent: a loss of 2 or of 4 is the match, so the
    // fully live cube is worth a game at 4, which is for the match too: the probability itself.
    let stakes = at(2, 4);
    let taken = cube(2, CubeOwner::Opponent);
    for win in [0.5, 0.625, 0.75, 1.0] {
        let expectation = stakes.cubeful(&wins(win), taken, Efficiency::LIVE);
        assert_near(expectation.0, f64::from(win));
    }
    // Below 1/2 the opponent passes: 2 away, 2 away.
    assert_near(stakes.cubeful(&wins(0.25), taken, Efficiency::LIVE).0, 0.5);
    // Without use for the cube, winning two thirds would be worth more.
    assert_near(stakes.cubeful(&wins(0.625), taken, Efficiency::DEAD).0, 0.5 + 0.5 * 0.625);
}

#[test]
fn a_cube_whose_turn_costs_nothing_has_its_own_efficiency() {
    let efficiency = Efficiency::new(0.5, 0.5, 0.5, 0.9).unwrap();
    // The opponent, 4 away against 2 away, with a cube of 2: 0.9 (0.625) + 0.1 (0.8125).
    let taken = cube(2, CubeOwner::Opponent);
    assert_near(at(2, 4).cubeful(&wins(0.625), taken, efficiency).0, 0.64375);
    // The trailer after Crawford, who waits for the next turn.
    let expectation = at(2, 1).cubeful(&wins(0.25), Cube::START, efficiency);
    assert_near(expectation.0, 0.9 * 0.25 + 0.1 * 0.125);
    // The leader's cube is no such cube, nor is any for money or early in a match.
    let near_half = |stakes: &Stakes, cube| {
        let expectation = |efficiency| stakes.cubeful(&wins(0.7), cube, efficiency).0;
        let expected = 0.5 * expectation(Efficiency::LIVE) + 0.5 * expectation(Efficiency::DEAD);
        assert_near(expectation(efficiency), expected);
    };
    near_half(&money(), Cube::START);
    near_half(&at(7, 7), Cube::START);
    near_half(&at(7, 7), cube(2, CubeOwner::Player));
    near_half(&at(7, 7), cube(2, CubeOwner::Opponent));
    near_half(&at(1, 4), cube(2, CubeOwner::Player));
}

#[test]
fn a_cube_is_dead_for_a_doubler_who_can_not_use_more_points() {
    // 2 away with a cube of 2: a redouble could only cost.
    let stakes = at(2, 7);
    let owned = cube(2, CubeOwner::Player);
    let gammons = GammonRates { win_gammon: 0.3, lose_gammon: 0.2, ..GammonRates::NONE };
    let points = stakes.points(&gammons, owned, Efficiency::LIVE).unwrap();
    assert_near(points.cash, 1.0);
    for win in [0.1, 0.4, 0.7, 0.95] {
        let probs = Probs { win, win_gammon: 0.1 * win, ..Probs::default() };
        let live = stakes.cubeful(&probs, owned, Efficiency::LIVE);
        assert_near(live.0, stakes.cubeless(&probs, owned).0);
        let decision = cube_decision(&probs, &stakes, owned, Efficiency::LIVE);
        assert_eq!(decision.action, CubeAction::NoDoubleTake);
        assert!(decision.loss_of_double() > 0.0);
    }
}

#[test]
fn crawford_and_double_match_point_have_no_cube() {
    let probs = Probs { win: 0.9, win_gammon: 0.3, ..Probs::default() };
    for (stakes, why) in [
        (crawford(1, 4), CubeUse::Crawford),
        (crawford(4, 1), CubeUse::Crawford),
        (at(1, 1), CubeUse::Dead),
    ] {
        let decision = cube_decision(&probs, &stakes, Cube::START, Efficiency::LIVE);
        assert_eq!(decision.action, CubeAction::NoCube);
        assert_eq!(decision.double, Err(NoCube::OutOfPlay(why)));
        assert_eq!((decision.gain_of_doubling(), decision.is_optional()), (0.0, false));
        let expectation = stakes.cubeful(&probs, Cube::START, Efficiency::LIVE);
        assert_near(expectation.0, stakes.cubeless(&probs, Cube::START).0);
        assert_eq!(decision.no_double.mwc().unwrap().0, expectation.0);
        assert!(stakes.points(&GammonRates::NONE, Cube::START, Efficiency::LIVE).is_err());
        let turned = cube(2, CubeOwner::Player);
        let expected = SessionError::CubeOutOfPlay { value: 2, why };
        assert_eq!(stakes.check_cube(turned), Err(StakesError::Session(expected)));
    }
    // Double match point: the probability itself, gammons are worth nothing.
    let expectation = at(1, 1).cubeful(&probs, Cube::START, Efficiency::LIVE);
    assert!((expectation.0 - 0.9).abs() < 1e-6);
    assert_eq!(at(1, 1).gammon_values(Cube::START).player, 0.0);
    // The leader of a Crawford game needs no gammon either, the trailer very much.
    let values = crawford(1, 4).gammon_values(Cube::START);
    assert_eq!(values.player, 0.0);
    // (0.48803 - 0.31002 - 0) / 0.31002 of 4 away, with 3 and 2 away after the game.
    assert_near(values.opponent, (0.48803 - 0.32264) / 0.32264);
}

#[test]
fn after_crawford_the_trailer_doubles_at_once_and_the_leader_may_drop_freely() {
    // 4 away: losing at 1 or at 2 is the match, so there is no reason to wait.
    let stakes = at(4, 1);
    let points = stakes.points(&GammonRates::NONE, Cube::START, Efficiency::LIVE).unwrap();
    assert_near(points.double.unwrap(), 0.0);
    // The leader's cube is of no use to them: dead and live agree. A pass leaves 3 away (0.32264),
    // a take and a loss 2 away (0.48803), so the leader takes unless the trailer wins two thirds.
    assert_near(points.cash, 0.32264 / 0.48803);
    // 2 away: a pass costs the leader next to nothing, so any disadvantage is a drop.
    let points = at(2, 1).points(&GammonRates::NONE, Cube::START, Efficiency::LIVE).unwrap();
    assert_near(points.cash, 0.5);
    let decision = cube_decision(&wins(0.51), &at(2, 1), Cube::START, Efficiency::LIVE);
    assert_eq!(decision.action, CubeAction::DoublePass);
    let decision = cube_decision(&wins(0.49), &at(2, 1), Cube::START, Efficiency::DEAD);
    assert_eq!(decision.action, CubeAction::DoubleTake);
    // 3 away a drop would cost the leader a game: the leader takes.
    let efficiency = EfficiencyModel::default().at(Stage::Contact);
    let decision = cube_decision(&wins(0.6), &at(3, 1), Cube::START, efficiency);
    assert_eq!(decision.action, CubeAction::DoubleTake);
    // And the leader never doubles, though allowed to.
    let decision = cube_decision(&wins(0.9), &at(1, 4), Cube::START, Efficiency::LIVE);
    assert_eq!(decision.action, CubeAction::NoDoubleTake);
    assert!(decision.loss_of_double() > 0.0);
}

#[test]
fn the_last_roll_is_exact() {
    // 27 of 36 win at once, otherwise the opponent does.
    let efficiency = EfficiencyModel::default().at(Stage::LastRoll);
    for (winning_rolls, action) in [
        (17_u8, CubeAction::NoDoubleTake),
        (18, CubeAction::NoDoubleTake),
        (19, CubeAction::DoubleTake),
        (27, CubeAction::DoubleTake),
        (28, CubeAction::DoublePass),
        (36, CubeAction::DoublePass),
    ] {
        let win = f32::from(winning_rolls) / 36.0;
        let equity = 2.0 * f64::from(win) - 1.0;
        for start in [Cube::START, cube(4, CubeOwner::Player)] {
            let decision = cube_decision(&wins(win), &money(), start, efficiency);
            assert_eq!(decision.action, action, "{winning_rolls}");
            let doubled = decision.double.unwrap();
            assert_near(decision.no_double.equity(), equity);
            assert_near(doubled.take.equity(), 2.0 * equity);
            assert_near(doubled.pass.equity(), 1.0);
        }
    }
    // At 3 away, 4 away: MWC by arithmetic.
    let decision = cube_decision(&wins(0.75), &at(3, 4), Cube::START, efficiency);
    let mwc = |value: Value| value.mwc().unwrap().0;
    assert_near(mwc(decision.no_double), 0.75 * 0.66870 + 0.25 * 0.5);
    let doubled = decision.double.unwrap();
    assert_near(mwc(doubled.take), 0.75 * 0.81436 + 0.25 * 0.40053);
    assert_near(mwc(doubled.pass), 0.66870);
    assert_near(doubled.pass.equity(), 1.0);
    // A game that is over is worth its points, however live the cube.
    for probs in [wins(0.0), wins(1.0)] {
        for owner in [CubeOwner::Center, CubeOwner::Player, CubeOwner::Opponent] {
            let cube = cube(2, owner);
            let expectation = money().cubeful(&probs, cube, Efficiency::LIVE);
            assert_near(expectation.0, money().cubeless(&probs, cube).0);
        }
    }
}

#[test]
fn jacoby_makes_gammons_worthless_while_the_cube_is_centred() {
    let jacoby = Stakes::money(&Options { jacoby: true, ..Options::default() }).unwrap();
    let gammonish = Probs { win: 0.9, win_gammon: 0.6, ..Probs::default() };
    assert_eq!(jacoby.gammon_values(Cube::START).player, 0.0);
    assert_eq!(jacoby.gammon_values(cube(2, CubeOwner::Player)).player, 0.5);
    for efficiency in [Efficiency::DEAD, Efficiency::uniform(0.68).unwrap(), Efficiency::LIVE] {
        let with = cube_decision(&gammonish, &jacoby, Cube::START, efficiency);
        assert_eq!(with.action, CubeAction::DoublePass);
        let without = cube_decision(&gammonish, &money(), Cube::START, efficiency);
        assert_eq!(without.action, CubeAction::TooGoodPass);
        assert!(without.loss_of_double() > 0.1);
        // A turned cube counts them again.
        let owned = cube(2, CubeOwner::Player);
        assert_eq!(
            jacoby.cubeful(&gammonish, owned, efficiency),
            money().cubeful(&gammonish, owned, efficiency)
        );
    }
    assert_near(jacoby.cubeless(&gammonish, Cube::START).0, 2.0 * f64::from(0.9_f32) - 1.0);
    let rates = GammonRates::of(&gammonish);
    let points = jacoby.points(&rates, Cube::START, Efficiency::LIVE).unwrap();
    assert_eq!(points.too_good, None);
    // After an automatic double the cube is still centered.
    let two = cube(2, CubeOwner::Center);
    assert_near(jacoby.cubeless(&gammonish, two).0, 2.0 * (2.0 * f64::from(0.9_f32) - 1.0));
}

#[test]
fn beavers_and_raccoons_are_answers_that_pay() {
    let options = Options { jacoby: true, beavers: Beavers::Raccoons, ..Options::default() };
    let stakes = Stakes::money(&options).unwrap();
    // Kauder's paradox: the underdog doubles to bring their gammons to life, and a beaver is right.
    // By hand: 2 p - 1 = -0.3; p (1.8 + 1) - 1 = -0.02, times 2, times 4.
    let probs = Probs { win: 0.35, win_gammon: 0.28, ..Probs::default() };
    let decision = cube_decision(&probs, &stakes, Cube::START, Efficiency::DEAD);
    let doubled = decision.double.unwrap();
    assert_eq!((decision.action, doubled.answer), (CubeAction::DoubleTake, Response::Beaver));
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found}");
    near(decision.no_double.equity(), -0.3);
    near(doubled.take.equity(), -0.04);
    let (beaver, answer) = doubled.beaver.unwrap();
    near(beaver.equity(), -0.08);
    assert_eq!(answer, BeaverAnswer::Take);
    near(decision.loss_of_no_double(), 0.22);
    near(decision.loss_of_answer(Response::Take).unwrap(), 0.04);
    near(decision.loss_of_answer(Response::Beaver).unwrap(), 0.0);
    near(decision.loss_of_answer(Response::Pass).unwrap(), 1.08);
    // A beaver of a favorite is answered by a raccoon, and should not have been one.
    let decision = cube_decision(&wins(0.7), &stakes, Cube::START, Efficiency::DEAD);
    let doubled = decision.double.unwrap();
    assert_eq!(doubled.answer, Response::Take);
    let (beaver, answer) = doubled.beaver.unwrap();
    assert_eq!(answer, BeaverAnswer::Raccoon);
    near(beaver.equity(), 8.0 * 0.4);
    // Without the option there is no such answer, and the same double stands.
    let plain = Stakes::money(&Options { jacoby: true, ..Options::default() }).unwrap();
    let decision = cube_decision(&probs, &plain, Cube::START, Efficiency::DEAD);
    assert_eq!(decision.double.unwrap().beaver, None);
    assert_eq!(decision.double.unwrap().answer, Response::Take);
    assert_eq!(decision.loss_of_answer(Response::Beaver), None);
    // Nor is there at the limit of the cube.
    let limited = Options { cube_limit: Some(2), ..options };
    let limited = Stakes::money(&limited).unwrap();
    let decision = cube_decision(&probs, &limited, Cube::START, Efficiency::DEAD);
    assert_eq!(decision.double.unwrap().beaver, None);
}

#[test]
fn a_limit_makes_the_last_cube_dead_and_the_one_before_it_half_live() {
    let options = Options { cube_limit: Some(4), ..Options::default() };
    let stakes = Stakes::money(&options).unwrap();
    let two = cube(2, CubeOwner::Player);
    let points =
        |stakes: &Stakes, cube| stakes.points(&GammonRates::NONE, cube, Efficiency::LIVE).unwrap();
    // Doubling to 4: the taker gets a dead cube, so they need a quarter.
    assert_near(points(&stakes, two).take, 0.25);
    // Doubling to 2: the taker can still redouble, to the dead 4: 0.75 is their cash point, and
    // 0.75 (2 - 1) / (2 + 2) = 0.1875 their take point.
    assert_near(points(&stakes, Cube::START).take, 0.1875);
    let four = cube(4, CubeOwner::Player);
    assert_eq!(stakes.may_double(four), Err(NoCube::Limit { limit: 4 }));
    let decision = cube_decision(&wins(0.9), &stakes, four, Efficiency::LIVE);
    assert_eq!(decision.action, CubeAction::NoCube);
    assert_eq!(
        stakes.check_cube(cube(8, CubeOwner::Player)),
        Err(StakesError::Session(SessionError::CubeAboveLimit { value: 8, limit: 4 }))
    );
    // A distant limit is as good as none.
    let far = Stakes::money(&Options { cube_limit: Some(1 << 20), ..Options::default() }).unwrap();
    let gammons = GammonRates { win_gammon: 0.3, lose_gammon: 0.2, ..GammonRates::NONE };
    let found = far.points(&gammons, Cube::START, Efficiency::LIVE).unwrap();
    let expected = money().points(&gammons, Cube::START, Efficiency::LIVE).unwrap();
    assert!((found.take - expected.take).abs() < 1e-6);
    assert!((found.cash - expected.cash).abs() < 1e-6);
    // No cube at all.
    let none = Stakes::money(&Options { cube_limit: Some(1), ..Options::default() }).unwrap();
    let expectation = none.cubeful(&wins(0.9), Cube::START, Efficiency::LIVE);
    assert_near(expectation.0, none.cubeless(&wins(0.9), Cube::START).0);
}

#[test]
fn every_action_has_its_case() {
    let action = |no_double: f64, double_take: f64| {
        let expectations = CubeExpectations {
            no_double: Expectation(no_double),
            double_take: Expectation(double_take),
            beaver: None,
            raccoon: None,
        };
        CubeDecision::from_expectations(&money(), Cube::START, &expectations)
    };
    for (no_double, double_take, expected) in [
        (0.5, 0.4, CubeAction::NoDoubleTake),
        (0.5, 0.6, CubeAction::DoubleTake),
        (0.5, 1.0, CubeAction::DoubleTake),
        (0.5, 1.1, CubeAction::DoublePass),
        (1.0, 1.1, CubeAction::DoublePass),
        (1.2, 1.1, CubeAction::TooGoodPass),
        (1.2, 0.9, CubeAction::TooGoodTake),
        (0.95, 0.9, CubeAction::NoDoubleTake),
    ] {
        let decision = action(no_double, double_take);
        assert_eq!(decision.action, expected, "{no_double} {double_take}");
        // One side of the choice never errs.
        let (hold, double) = (decision.loss_of_no_double(), decision.loss_of_double());
        assert_near(hold * double, 0.0);
        assert_near(hold + double, (no_double - double_take.min(1.0)).abs());
    }
    let decision = action(0.5, 1.1);
    assert_near(decision.loss_of_answer(Response::Take).unwrap(), 0.1);
    assert_near(decision.loss_of_answer(Response::Pass).unwrap(), 0.0);
    assert_near(decision.best().equity(), 1.0);
    assert!(action(0.5, 0.5).is_optional() && !action(0.5, 0.6).is_optional());
    // A dead cube changes nothing, so that there is nothing to choose.
    let dead = cube(2, CubeOwner::Player);
    let decision = cube_decision(&wins(0.6), &at(2, 2), dead, Efficiency::LIVE);
    assert!(decision.dead && decision.gain_of_doubling() == 0.0 && !decision.is_optional());
    let theirs = cube(2, CubeOwner::Opponent);
    let decision = cube_decision(&wins(0.9), &money(), theirs, Efficiency::LIVE);
    assert_eq!((decision.action, decision.double), (CubeAction::NoCube, Err(NoCube::OpponentOwns)));
}

#[test]
fn money_options_in_a_match_and_unknown_scores_are_errors() {
    let table = MatchEquityTable::kazaross_xg2();
    let score = MatchScore::new(7, 0, 0).unwrap();
    let jacoby = Options { jacoby: true, ..Options::default() };
    let error = Stakes::for_match(score, table, &jacoby).unwrap_err();
    assert!(matches!(error, StakesError::Session(SessionError::Options(_))));
    let long = MatchScore::new(31, 0, 0).unwrap();
    let error = Stakes::for_match(long, table, &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "31 points to go are beyond this table, expected at most 25");
    let longer = table.covering(31).unwrap();
    assert!(Stakes::for_match(long, &longer, &Options::default()).is_ok());
    let off = Options { crawford: false, ..Options::default() };
    let score = MatchScore::crawford(7, 6, 2).unwrap();
    let error = Stakes::for_match(score, table, &off).unwrap_err();
    assert_eq!(error, StakesError::Session(SessionError::CrawfordOff { score }));
    assert_eq!(
        at(5, 5).check_cube(cube(2, CubeOwner::Center)),
        Err(StakesError::CenteredAboveOne { value: 2 })
    );
}

#[test]
fn efficiencies_outside_0_to_1_are_refused_and_races_interpolate() {
    assert_eq!(
        Efficiency::uniform(1.5).unwrap_err().to_string(),
        "cube efficiency 1.5, expected 0 (dead) to 1 (fully live)"
    );
    assert!(Efficiency::new(0.5, f64::NAN, 0.5, 0.5).is_err());
    let uniform = |x| Efficiency::uniform(x).unwrap();
    let model = EfficiencyModel {
        short_race: uniform(0.6),
        long_race: uniform(0.7),
        ..EfficiencyModel::default()
    };
    let race = |pips| model.at(Stage::Race { pips }).of(CubeOwner::Player);
    for (pips, expected) in [(10, 0.6), (40, 0.6), (60, 0.625), (80, 0.65), (120, 0.7), (200, 0.7)]
    {
        assert_near(race(pips), expected);
    }
}

/// The table that this crate computes is a prediction of the published one: no entry of that went
/// into it.
#[test]
fn the_computed_table_is_near_the_published_one() {
    let own = MetModel::default().table(15).unwrap();
    let published = MatchEquityTable::kazaross_xg2();
    let mut worst: (f64, u16, u16) = (0.0, 0, 0);
    for player in 1..=15 {
        for opponent in 1..=15 {
            let probability =
                |table: &MatchEquityTable| table.pre_crawford(player, opponent).unwrap().0;
            let off = (probability(&own) - probability(published)).abs();
            if off > worst.0 {
                worst = (off, player, opponent);
            }
        }
    }
    assert!(worst.0 < 0.02, "{worst:?}");
    for trailer in 1..=15 {
        let probability = |table: &MatchEquityTable| table.post_crawford(trailer).unwrap().0;
        assert!((probability(&own) - probability(published)).abs() < 0.02, "{trailer}");
    }
}

/// The Crawford game has no cube, so its entry is simple arithmetic.
#[test]
fn the_computed_crawford_and_free_drop_entries_follow_by_hand() {
    let model = MetModel { opening_swing: 0.0, ..MetModel::default() };
    let table = model.table(3).unwrap();
    let g = model.gammon_rate;
    // 1 away, 2 away: a single loss is double match point, a gammon the match.
    assert_near(table.pre_crawford(1, 2).unwrap().0, 0.5 + 0.5 * (1.0 - g) * 0.5);
    // With one, the trailer doubles on their first roll, a live cube: behind by s the leader takes,
    // ahead by s the leader drops, for 1/2. Waiting is worth as much, so half of s is lost.
    let swing = MetModel {
        opening_swing: 0.04,
        gammon_rate: 0.0,
        backgammon_rate: 0.0,
        efficiency: Efficiency::LIVE,
    };
    let table = swing.table(2).unwrap();
    assert_near(table.post_crawford(2).unwrap().0, 0.5 - 0.02);
}

#[test]
fn models_out_of_range_are_refused() {
    let bad = MetModel { gammon_rate: 1.2, ..MetModel::default() };
    assert_eq!(bad.table(5).unwrap_err().to_string(), "gammon_rate is 1.2, expected 0 to 1");
    let bad = MetModel { backgammon_rate: 0.5, ..MetModel::default() };
    assert_eq!(
        bad.table(5).unwrap_err().to_string(),
        "backgammon_rate is 0.5, expected 0 to 0.264"
    );
    assert!(MetModel::default().table(0).is_err());
    assert!(MetModel::default().table(501).is_err());
}

/// Consistent probabilities: a probability and shares of gammons.
fn probs() -> impl Strategy<Value = Probs> {
    (0.0f32..=1.0, 0.0f32..0.8, 0.0f32..0.3, 0.0f32..0.8, 0.0f32..0.3).prop_map(
        |(win, gammon, backgammon, lose_gammon, lose_backgammon)| Probs {
            win,
            win_gammon: win * gammon,
            win_backgammon: win * gammon * backgammon,
            lose_gammon: (1.0 - win) * lose_gammon,
            lose_backgammon: (1.0 - win) * lose_gammon * lose_backgammon,
        },
    )
}

/// Any game: a match score, or money with any of its options.
fn stakes() -> impl Strategy<Value = Stakes> {
    let matches = (1u16..=16, 1u16..=16).prop_map(|(player, opponent)| at(player, opponent));
    let moneys = (any::<bool>(), prop::option::of(0u32..8)).prop_map(|(jacoby, limit)| {
        let cube_limit = limit.map(|exponent| 1 << exponent);
        Stakes::money(&Options { jacoby, cube_limit, ..Options::default() }).unwrap()
    });
    prop_oneof![3 => matches, 1 => moneys]
}

/// Exponent 0 is a centered cube.
fn any_cube() -> impl Strategy<Value = Cube> {
    (0u8..5, any::<bool>()).prop_map(|(exponent, mine)| {
        let owner = match (exponent, mine) {
            (0, _) => CubeOwner::Center,
            (_, true) => CubeOwner::Player,
            (_, false) => CubeOwner::Opponent,
        };
        Cube::new(exponent, owner).unwrap()
    })
}

fn efficiency() -> impl Strategy<Value = Efficiency> {
    (0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0)
        .prop_map(|(c, p, o, a)| Efficiency::new(c, p, o, a).unwrap())
}

proptest! {
    #[test]
    fn what_one_side_wins_the_other_loses(
        probs in probs(),
        stakes in stakes(),
        cube in any_cube(),
        x in 0.0..=1.0,
    ) {
        prop_assume!(stakes.check_cube(cube).is_ok());
        let efficiency = Efficiency::uniform(x).unwrap();
        let mine = stakes.cubeful(&probs, cube, efficiency).0;
        let theirs = stakes.flip().cubeful(&probs.flip(), cube.flip(), efficiency).0;
        let sum = if stakes.is_match() { 1.0 } else { 0.0 };
        // `flip` works in single precision.
        let tolerance = 1e-5 * f64::from(cube.value());
        prop_assert!((mine + theirs - sum).abs() < tolerance, "{} {}", mine, theirs);
        prop_assert_eq!(stakes.flip().is_match(), stakes.is_match());
    }

    #[test]
    fn owning_a_live_cube_is_never_worse_than_a_dead_one(
        probs in probs(),
        stakes in stakes(),
        exponent in 1u8..5,
        x in 0.0..=1.0,
    ) {
        let expectation = |owner, x| {
            let cube = Cube::new(exponent, owner).unwrap();
            stakes.cubeful(&probs, cube, Efficiency::uniform(x).unwrap()).0
        };
        prop_assume!(stakes.check_cube(Cube::new(exponent, CubeOwner::Player).unwrap()).is_ok());
        let slack = 1e-9 * f64::from(1 << exponent);
        prop_assert!(expectation(CubeOwner::Player, x) >= expectation(CubeOwner::Player, 0.0) - slack);
        prop_assert!(expectation(CubeOwner::Opponent, x) <= expectation(CubeOwner::Opponent, 0.0) + slack);
        prop_assert!(expectation(CubeOwner::Player, x) >= expectation(CubeOwner::Opponent, x) - slack);
    }

    #[test]
    fn efficiency_interpolates_between_the_dead_and_the_live_cube(
        probs in probs(),
        stakes in stakes(),
        cube in any_cube(),
        x in 0.0..=1.0,
    ) {
        prop_assume!(stakes.check_cube(cube).is_ok());
        let expectation = |x| stakes.cubeful(&probs, cube, Efficiency::uniform(x).unwrap()).0;
        let expected = x * expectation(1.0) + (1.0 - x) * expectation(0.0);
        prop_assert!((expectation(x) - expected).abs() < 1e-9 * f64::from(cube.value()));
        // Single precision leaves its trace in the gammon rates.
        let dead = stakes.cubeless(&probs, cube).0;
        prop_assert!((expectation(0.0) - dead).abs() < 1e-6 * f64::from(cube.value()));
    }

    #[test]
    fn a_better_probability_is_never_worth_less(
        probs in probs(),
        better in 0.0f32..=1.0,
        stakes in stakes(),
        cube in any_cube(),
        efficiency in efficiency(),
    ) {
        prop_assume!(stakes.check_cube(cube).is_ok());
        prop_assume!(probs.win > 0.01 && probs.win < 0.99 && better >= probs.win);
        let (more, less) = (better / probs.win, (1.0 - better) / (1.0 - probs.win));
        let improved = Probs {
            win: better,
            win_gammon: probs.win_gammon * more,
            win_backgammon: probs.win_backgammon * more,
            lose_gammon: probs.lose_gammon * less,
            lose_backgammon: probs.lose_backgammon * less,
        };
        let (now, then) = (
            stakes.cubeful(&probs, cube, efficiency).0,
            stakes.cubeful(&improved, cube, efficiency).0,
        );
        prop_assert!(then >= now - 1e-5 * f64::from(cube.value()), "{} {}", now, then);
    }

    #[test]
    fn decisions_agree_with_the_points_at_which_they_turn(
        probs in probs(),
        stakes in stakes(),
        cube in any_cube(),
        efficiency in efficiency(),
    ) {
        prop_assume!(stakes.check_cube(cube).is_ok() && stakes.may_double(cube).is_ok());
        let decision = cube_decision(&probs, &stakes, cube, efficiency);
        let points = stakes.points(&GammonRates::of(&probs), cube, efficiency).unwrap();
        let win = f64::from(probs.win);
        let doubled = decision.double.unwrap();
        // Probabilities this near a point are left alone.
        let clear = |point: f64| (win - point).abs() > 1e-6;
        if clear(points.cash) {
            let passes = doubled.answer == Response::Pass;
            prop_assert!(passes == (win > points.cash) || doubled.take.equity() <= 1.0 + 1e-6);
        }
        if decision.gain_of_doubling() > 1e-6 {
            prop_assert!(points.double.is_some_and(|double| win > double - 1e-6));
        }
        if decision.no_double.equity() > 1.0 + 1e-6 {
            prop_assert!(points.too_good.is_some_and(|too_good| win > too_good - 1e-6));
            prop_assert!(!decision.is_double());
        }
        // The doubler takes the better of two options, and so does the other side.
        let best = decision.best().equity();
        prop_assert!(best >= decision.no_double.equity() - 1e-9);
        prop_assert!(best <= decision.no_double.equity().max(doubled.pass.equity()) + 1e-9);
        prop_assert!((decision.loss_of_no_double() - decision.loss_of_double()
            - decision.gain_of_doubling()).abs() < 1e-12);
    }

    #[test]
    fn take_points_lie_between_the_live_and_the_dead_one(
        rates in (0.0..0.5, 0.0..0.5),
        stakes in stakes(),
        cube in any_cube(),
        x in 0.0..=1.0,
    ) {
        let (win_gammon, lose_gammon) = rates;
        let rates = GammonRates { win_gammon, lose_gammon, ..GammonRates::NONE };
        prop_assume!(stakes.check_cube(cube).is_ok());
        let Ok(dead) = stakes.points(&rates, cube, Efficiency::DEAD) else { return Ok(()) };
        let live = stakes.points(&rates, cube, Efficiency::LIVE).unwrap();
        let real = stakes.points(&rates, cube, Efficiency::uniform(x).unwrap()).unwrap();
        prop_assert!(live.take <= real.take + 1e-9 && real.take <= dead.take + 1e-9);
        prop_assert!(dead.cash <= real.cash + 1e-9 && real.cash <= live.cash + 1e-9);
    }
}

#[test]
fn a_leader_whose_win_ends_the_match_gains_nothing_by_a_double() {
    let stakes = at(1, 2);
    assert!(stakes.wins_match(Cube::START) && !at(2, 1).wins_match(Cube::START));
    assert!(!money().wins_match(Cube::START));
    // Evaluations that would rather double are off by that much.
    let expectations = CubeExpectations {
        no_double: Expectation(0.63),
        double_take: Expectation(0.64),
        beaver: None,
        raccoon: None,
    };
    let decision = CubeDecision::from_expectations(&stakes, Cube::START, &expectations);
    assert!(!decision.is_double(), "{decision:?}");
    assert_eq!(decision.loss_of_no_double(), 0.0);
}
