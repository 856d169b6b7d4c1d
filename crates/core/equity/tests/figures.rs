//! Figures that can be checked by hand, and sums over very many answers.

use tavola_equity::met::MetModel;
use tavola_equity::{
    BeaverAnswer, CubeAction, CubeDecision, CubeExpectations, Efficiency, EfficiencyModel, Emg,
    EmgScale, Equity, Expectation, GammonRates, MatchEquityTable, Mwc, OutcomeProbs, Probs,
    Response, Stage, Stakes, cube_decision,
};
use tavola_rules::{Beavers, Cube, CubeOwner, MatchScore, Options, Outcome, WinKind};

const SIXTEENTHS: OutcomeProbs = OutcomeProbs([1.0 / 16.0, 0.125, 0.25, 0.1875, 0.0625, 0.3125]);

fn match_at(length: u16, player: u16, opponent: u16) -> Stakes {
    let score = MatchScore::new(length, player, opponent).unwrap();
    Stakes::for_match(score, MatchEquityTable::kazaross_xg2(), &Options::default()).unwrap()
}

fn money(beavers: Beavers) -> Stakes {
    Stakes::money(&Options { beavers, ..Options::default() }).unwrap()
}

fn cube(value: u32, owner: CubeOwner) -> Cube {
    Cube::from_value(value, owner).unwrap()
}

#[test]
fn outcomes_are_counted_by_class() {
    assert_eq!(OutcomeProbs::single(0.25).0, [0.75, 0.0, 0.0, 0.25, 0.0, 0.0]);
    let order = [
        Outcome::LoseSingle,
        Outcome::LoseGammon,
        Outcome::LoseBackgammon,
        Outcome::WinSingle,
        Outcome::WinGammon,
        Outcome::WinBackgammon,
    ];
    assert_eq!(order.map(|outcome| SIXTEENTHS.of(outcome)), SIXTEENTHS.0);
    assert_eq!(SIXTEENTHS.of(Outcome::Draw), 0.0);
    let [single, gammon, all] = [WinKind::Single, WinKind::Gammon, WinKind::Backgammon];
    let within = |player, opponent| SIXTEENTHS.within([player, opponent]).0;
    assert_eq!(within(single, gammon), [0.4375, 0.0, 0.0, 0.1875, 0.375, 0.0]);
    assert_eq!(within(gammon, single), [0.0625, 0.375, 0.0, 0.5625, 0.0, 0.0]);
    assert_eq!(within(all, all), SIXTEENTHS.0);
    assert_eq!(SIXTEENTHS.cumulative().to_array(), [0.5625, 0.375, 0.3125, 0.375, 0.25]);
    assert_eq!(Probs::from(SIXTEENTHS), SIXTEENTHS.cumulative());
    let rates = GammonRates {
        win_gammon: 0.5,
        win_backgammon: 0.25,
        lose_gammon: 0.125,
        lose_backgammon: 0.0625,
    };
    let flipped = rates.flip();
    assert_eq!((flipped.win_gammon, flipped.win_backgammon), (0.125, 0.0625));
    assert_eq!((flipped.lose_gammon, flipped.lose_backgammon), (0.5, 0.25));
}

#[test]
fn units_are_written_flipped_and_measured() {
    assert_eq!((Equity(0.25).flip(), Emg(-0.5).flip()), (Equity(-0.25), Emg(0.5)));
    assert_eq!(
        (Equity(0.25).to_string(), Emg(-0.5).to_string()),
        ("+0.250".into(), "-0.500".into())
    );
    assert_eq!(
        (Equity(-0.0001).to_string(), Mwc(0.54321).to_string()),
        ("+0.000".into(), "54.32 %".into())
    );
    assert_eq!(EmgScale::new(Mwc(0.25), Mwc(0.75)).unwrap().unit(), 0.25);
    assert_eq!(Efficiency::new(0.1, 0.2, 0.3, 0.4).unwrap().automatic(), 0.4);
}

#[test]
fn points_are_worth_as_much_whichever_cube_and_class_they_come_from() {
    let certain = |outcome| OutcomeProbs::certain(outcome).cumulative();
    for stakes in [match_at(25, 3, 8), money(Beavers::Off)] {
        let worth =
            |outcome, value| stakes.cubeless(&certain(outcome), cube(value, CubeOwner::Player)).0;
        for (single, gammon) in
            [(Outcome::WinSingle, Outcome::WinGammon), (Outcome::LoseSingle, Outcome::LoseGammon)]
        {
            for value in [2, 4, 8] {
                let off = worth(gammon, value) - worth(single, 2 * value);
                assert!(off.abs() < 1e-12, "{gammon:?} {value}: {off}");
            }
        }
        let owned = cube(4, CubeOwner::Player);
        let found = stakes.cubeless(&SIXTEENTHS.cumulative(), owned);
        let back = stakes.expectation(stakes.value(found, owned), owned);
        assert!((back.0 - found.0).abs() < 1e-12, "{back:?} {found:?}");
    }
    let stakes = money(Beavers::Off);
    for (outcome, points) in [(Outcome::WinBackgammon, 12.0), (Outcome::LoseBackgammon, -12.0)] {
        let found = stakes.cubeless(&certain(outcome), cube(4, CubeOwner::Player));
        assert_eq!(
            (found.0, stakes.value(found, cube(4, CubeOwner::Player)).equity()),
            (points, points / 4.0)
        );
    }
}

#[test]
fn cubes_up_to_the_limit_are_there_and_none_above() {
    let limited = Stakes::money(&Options { cube_limit: Some(8), ..Options::default() }).unwrap();
    assert!(limited.check_cube(cube(8, CubeOwner::Player)).is_ok());
    assert!(limited.check_cube(cube(16, CubeOwner::Player)).is_err());
    assert!(limited.may_double(cube(4, CubeOwner::Player)).is_ok());
    assert!(limited.may_double(cube(8, CubeOwner::Player)).is_err());
    assert!(money(Beavers::Off).is_unlimited() && !limited.is_unlimited());
    let stakes = match_at(7, 0, 0);
    assert!(!stakes.is_unlimited());
    assert!(stakes.check_cube(Cube::START).is_ok());
    assert!(stakes.check_cube(cube(2, CubeOwner::Opponent)).is_ok());
    let centered = cube(2, CubeOwner::Center);
    assert!(stakes.check_cube(centered).is_err() && limited.check_cube(centered).is_ok());
}

fn decide(beavers: Beavers, cube: Cube, values: [f64; 2], more: [Option<f64>; 2]) -> CubeDecision {
    let [no_double, double_take] = values.map(Expectation);
    let [beaver, raccoon] = more.map(|value| value.map(Expectation));
    let expectations = CubeExpectations { no_double, double_take, beaver, raccoon };
    CubeDecision::from_expectations(&money(beavers), cube, &expectations)
}

#[test]
fn answers_to_beavers_are_those_that_are_worth_most() {
    let start = Cube::START;
    let with = |beaver, raccoon| {
        let decision = decide(Beavers::Raccoons, start, [0.0, -0.5], [Some(beaver), raccoon]);
        let (value, answer) = decision.double.unwrap().beaver.unwrap();
        (value.equity(), answer)
    };
    assert_eq!(with(-3.0, None), (-2.0, BeaverAnswer::Pass), "the doubled stake is lost");
    assert_eq!(with(-1.5, None), (-1.5, BeaverAnswer::Take));
    assert_eq!(with(-2.0, None), (-2.0, BeaverAnswer::Take), "playing on costs no more");
    assert_eq!(with(-1.5, Some(3.0)), (3.0, BeaverAnswer::Raccoon));
    assert_eq!(with(-1.5, Some(9.0)), (4.0, BeaverAnswer::Raccoon), "the raccoon is passed");
    assert_eq!(with(-1.5, Some(-1.5)), (-1.5, BeaverAnswer::Take), "nothing is gained by it");
    assert_eq!(
        [Beavers::Off, Beavers::Beavers, Beavers::Raccoons].map(|it| money(it).has_beavers()),
        [false, true, true]
    );
    // Without beavers none is answered, whatever the cube.
    let owned = cube(2, CubeOwner::Player);
    let decision = decide(Beavers::Off, owned, [0.0, 0.1], [Some(-0.5), Some(0.2)]);
    let doubled = decision.double.unwrap();
    assert_eq!((doubled.beaver, doubled.answer), (None, Response::Take));
    let decision = decide(Beavers::Beavers, start, [0.0, 0.1], [Some(0.3), Some(9.0)]);
    assert_eq!(decision.double.unwrap().beaver.unwrap().1, BeaverAnswer::Take, "no raccoons");
}

#[test]
fn a_decision_leads_by_what_the_next_best_action_is_worth_less() {
    let lead = |values, beaver: Option<f64>| {
        let beavers = if beaver.is_none() { Beavers::Off } else { Beavers::Beavers };
        decide(beavers, Cube::START, values, [beaver, None]).lead()
    };
    let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
    assert!(near(lead([0.5, 0.3], None), 0.2), "rolling, however the double is answered");
    assert!(near(lead([0.5, 0.8], None), 0.2), "passing is nearer than rolling");
    assert!(near(lead([0.7, 0.8], None), 0.1), "rolling is nearer than passing");
    assert!(near(lead([0.9, 1.3], None), 0.1), "after a pass");
    assert!(near(lead([0.0, 1.3], None), 0.3), "a take that is nearly right");
    assert!(near(lead([-0.5, -0.1], Some(-0.15)), 0.05), "a beaver that is nearly a take");
    // Where there is no other action, or none that matters.
    let theirs = cube(2, CubeOwner::Opponent);
    assert_eq!(decide(Beavers::Off, theirs, [0.5, 0.5], [None; 2]).lead(), f64::INFINITY);
    let last = match_at(5, 4, 4);
    let even = Expectation(0.5);
    let expectations =
        CubeExpectations { no_double: even, double_take: even, beaver: None, raccoon: None };
    let dead = CubeDecision::from_expectations(&last, Cube::START, &expectations);
    assert!(dead.double.is_err() || dead.dead);
    assert_eq!(dead.lead(), f64::INFINITY);
}

#[test]
fn who_plays_on_gains_by_it() {
    let of =
        |no_double, take| decide(Beavers::Off, Cube::START, [no_double, take], [None; 2]).action;
    assert_eq!(of(0.5, 0.4), CubeAction::NoDoubleTake);
    assert_eq!(of(0.5, 0.5), CubeAction::NoDoubleTake);
    assert_eq!(of(0.4, 0.5), CubeAction::DoubleTake);
    assert_eq!(of(1.0, 0.9), CubeAction::NoDoubleTake, "no more than a cash");
    assert_eq!(of(1.1, 0.9), CubeAction::TooGoodTake);
    assert_eq!(of(1.0, 1.2), CubeAction::DoublePass);
    assert_eq!(of(1.1, 1.2), CubeAction::TooGoodPass);
    // Wins count no more with the cube turned, losses do: such a cube is not dead.
    let score = MatchScore::new(5, 4, 2).unwrap();
    let table = MatchEquityTable::kazaross_xg2();
    let stakes = Stakes::for_match(score, table, &Options::default()).unwrap();
    let probs = Probs { win: 0.6, ..Probs::default() };
    assert!(!cube_decision(&probs, &stakes, Cube::START, Efficiency::DEAD).dead);
    assert!(!cube_decision(&probs, &stakes.flip(), Cube::START, Efficiency::DEAD).dead);
    let owned = cube(2, CubeOwner::Player);
    let dead = cube_decision(&probs, &match_at(5, 3, 3), owned, Efficiency::DEAD);
    assert_eq!(dead.verdict(owned).to_string(), "no redouble (dead cube), take");
    // A beaver that is worth as much as a take is optional, for cubes of either sign.
    let optional = |take, beaver| {
        let decision = decide(Beavers::Beavers, Cube::START, [-0.9, take], [Some(beaver), None]);
        decision.verdict(Cube::START).optional_beaver
    };
    assert!(optional(-0.8, -0.8) && !optional(-0.8, -0.7) && !optional(-0.4, 0.4));
}

/// Sums of very many answers, each with a weight of its own.
#[derive(Debug, Default)]
struct Sum {
    sum: f64,
    count: u64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let weight = (self.count.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / 9e15;
        self.sum += value * (0.5 + weight);
    }
}

/// Stages, rates of gammons and scores over which the sums go.
fn over_all(mut each: impl FnMut(&Stakes, &GammonRates, Efficiency, Cube)) {
    let rates = [
        (0.0, 0.0, 0.0, 0.0),
        (0.27, 0.01, 0.2, 0.03),
        (0.9, 0.4, 0.0, 0.0),
        (0.1, 0.1, 0.8, 0.0),
        (1.0, 0.0, 1.0, 0.0),
        (1.0, 1.0, 0.0, 0.0),
        (0.6, 0.0, 0.7, 0.3),
    ]
    .map(|(win_gammon, win_backgammon, lose_gammon, lose_backgammon)| GammonRates {
        win_gammon,
        win_backgammon,
        lose_gammon,
        lose_backgammon,
    });
    let table = MatchEquityTable::kazaross_xg2();
    let mut all = vec![money(Beavers::Off), money(Beavers::Raccoons)];
    for (player, opponent) in (1..=9).flat_map(|player| (1..=9).map(move |other| (player, other))) {
        let score = MatchScore::new(9, 9 - player, 9 - opponent).unwrap();
        all.push(Stakes::for_match(score, table, &Options::default()).unwrap());
    }
    let model = EfficiencyModel::default();
    let efficiencies = [model.at(Stage::Contact), Efficiency::new(0.3, 0.6, 0.9, 0.5).unwrap()];
    for stakes in &all {
        for (rates, efficiency) in rates.iter().zip(efficiencies.into_iter().cycle()) {
            for value in [1, 2, 4] {
                for owner in [CubeOwner::Player, CubeOwner::Opponent, CubeOwner::Center] {
                    // At 1 the cube has no owner.
                    if let Ok(cube) = Cube::from_value(value, owner) {
                        each(stakes, rates, efficiency, cube);
                    }
                }
            }
        }
    }
}

fn probs(rates: &GammonRates, win: f64) -> Probs {
    let lose = 1.0 - win;
    Probs {
        win: win as f32,
        win_gammon: (win * rates.win_gammon) as f32,
        win_backgammon: (win * rates.win_backgammon) as f32,
        lose_gammon: (lose * rates.lose_gammon) as f32,
        lose_backgammon: (lose * rates.lose_backgammon) as f32,
    }
}

#[test]
fn a_table_that_is_computed_knows_how_far_an_opening_swings() {
    let mut sum = Sum::default();
    for swing in [0.0, 0.03, 0.3] {
        let model = MetModel { opening_swing: swing, ..MetModel::default() };
        let table = model.table(7).unwrap();
        for (player, opponent) in
            (0..7).flat_map(|player| (0..7).map(move |opponent| (player, opponent)))
        {
            let score = MatchScore::new(7, player, opponent).unwrap();
            let stakes = Stakes::for_match(score, &table, &Options::default()).unwrap();
            let won = OutcomeProbs::certain(Outcome::WinSingle).cumulative();
            sum.add(stakes.cubeless(&won, Cube::START).0);
        }
    }
    assert!(sum.count == 147 && (sum.sum - 89.466_196_818_064).abs() < 1e-9, "{sum:.12?}");
    assert_eq!(EfficiencyModel::default().to_string().matches('/').count(), 3);
}

#[test]
fn no_value_of_a_cube_and_no_point_has_changed() {
    let (mut values, mut points, mut actions) = (Sum::default(), Sum::default(), Sum::default());
    over_all(|stakes, rates, efficiency, cube| {
        if stakes.check_cube(cube).is_err() {
            return;
        }
        for step in 0..=12 {
            let probs = probs(rates, f64::from(step) / 12.0);
            values.add(stakes.cubeful(&probs, cube, efficiency).0);
            let decision = cube_decision(&probs, stakes, cube, efficiency);
            values.add(decision.best().equity());
            values.add(decision.gain_of_doubling());
            actions.add(f64::from(decision.action as u8));
            actions.add(f64::from(u8::from(decision.is_optional())));
        }
        if let Ok(found) = stakes.points(rates, cube, efficiency) {
            for place in [Some(found.take), found.double, Some(found.cash), found.too_good] {
                points.add(place.unwrap_or(7.0));
            }
        }
    });
    let found = [values, points, actions];
    let is_near = |sum: &Sum, (count, expected): (u64, f64)| {
        sum.count == count && (sum.sum - expected).abs() < 1e-6
    };
    let expected =
        [(113_295, 9_760.992_632_911), (11_592, 15_310.453_656_650), (75_530, 101_308.783_614_917)];
    let is_same = found.iter().zip(expected).all(|(sum, expected)| is_near(sum, expected));
    assert!(is_same, "{found:.9?}");
}
