//! Cube decisions against the truth, against the definition, and by hand.

use std::sync::LazyLock;

use tavola_bearoff::{Store, TableSpec};
use tavola_equity::{CubeAction, MatchEquityTable, Response, cube_decision};
use tavola_net::{EncoderKind, random_weights};
use tavola_rules::{Beavers, CubeUse, Game, MatchScore, Options, Outcome};

use super::seated::SeatedGame;
use super::*;
use crate::evaluators::{FakeEvaluator, NetEvaluator, PipCountEvaluator, TableEvaluator};

/// Three checkers a side: small trees.
const GAME: Backgammon = Backgammon::Hypergammon;

fn net() -> Box<dyn Evaluator<Backgammon>> {
    let mut weights = random_weights(EncoderKind::OneHot, &[16], 1);
    weights.game = GAME.id();
    Box::new(NetEvaluator::new(&weights, GAME).unwrap())
}

fn full(ply: u8) -> CubefulEvaluator {
    CubefulEvaluator::new(GAME, net(), None).with_settings(Preset::Full.at(ply))
}

fn money() -> Stakes {
    Stakes::money(&Options::default()).unwrap()
}

fn at_score(length: u16, player: u16, opponent: u16) -> Stakes {
    let score = MatchScore::new(length, player, opponent).unwrap();
    for_score(score)
}

fn for_score(score: MatchScore) -> Stakes {
    Stakes::for_match(score, MatchEquityTable::kazaross_xg2(), &Options::default()).unwrap()
}

fn cube(value: u32, owner: CubeOwner) -> Cube {
    Cube::from_value(value, owner).unwrap()
}

fn decide(
    evaluator: &CubefulEvaluator,
    position: &Position,
    stakes: &Stakes,
    cube: Cube,
) -> CubeAnalysis {
    evaluator.decide(position, stakes, cube, SearchWatch::default()).unwrap()
}

/// Contact and races of three checkers.
fn positions() -> Vec<Position> {
    vec![
        Position::from_points(&[(6, 1), (13, 1), (25, 1)], &[(5, 2), (16, 1)], 3).unwrap(),
        Position::from_points(&[(3, 1), (5, 1)], &[(3, 2)], 3).unwrap(),
        Position::from_points(&[(24, 1), (2, 2)], &[(17, 1), (18, 2)], 3).unwrap(),
        Position::from_points(&[(1, 2), (8, 1)], &[(9, 2), (20, 1)], 3).unwrap(),
    ]
}

/// Stakes with cubes that they can have.
fn terms() -> Vec<(Stakes, Cube)> {
    use CubeOwner::{Opponent, Player};
    let jacoby = Stakes::money(&Options { jacoby: true, ..Options::default() }).unwrap();
    let limit = Stakes::money(&Options { cube_limit: Some(4), ..Options::default() }).unwrap();
    vec![
        (money(), Cube::START),
        (money(), cube(2, Player)),
        (money(), cube(4, Opponent)),
        (jacoby, Cube::START),
        (limit.clone(), cube(2, Player)),
        (limit, cube(4, Player)),
        (at_score(7, 2, 4), Cube::START),
        (at_score(7, 2, 4), cube(2, Player)),
        (at_score(7, 2, 4), cube(2, Opponent)),
        (at_score(5, 4, 2), Cube::START),
        (at_score(5, 2, 4), Cube::START),
        (for_score(MatchScore::crawford(5, 2, 4).unwrap()), Cube::START),
        (at_score(5, 4, 4), Cube::START),
        (at_score(9, 0, 0), cube(4, Player)),
    ]
}

/// What is solved for the stakes.
fn solved(position: &Position, stakes: &Stakes, cube: Cube) -> Option<(f64, f64)> {
    let state = seated(position);
    full(0).endgame(stakes).worths(&state).map(|worth| worth.at(cube))
}

/// The worth to the player on roll at 0-ply: without a double now, and with best use of the cube.
fn leaf(
    evaluator: &mut dyn Evaluator<Backgammon>,
    position: &Position,
    stakes: &Stakes,
    cube: Cube,
) -> (f64, f64) {
    let mut out = Vec::new();
    evaluator.evaluate(&[*position], &mut out);
    let probs = out[0].cumulative();
    if GAME.outcome(position).is_some() {
        let expectation = stakes.cubeless(&probs, cube).0;
        return (expectation, expectation);
    }
    if let Some(solved) = solved(position, stakes, cube) {
        return solved;
    }
    let efficiency = EfficiencyModel::default().at(stage(position));
    let decision = cube_decision(&probs, stakes, cube, efficiency);
    (stakes.expectation(decision.no_double, cube).0, stakes.expectation(decision.best(), cube).0)
}

fn is_known(position: &Position, stakes: &Stakes, cube: Cube) -> bool {
    GAME.outcome(position).is_some() || solved(position, stakes, cube).is_some()
}

/// The best afterstate of each roll at a cube, with the probability of the roll.
fn replies(
    evaluator: &mut dyn Evaluator<Backgammon>,
    position: &Position,
    stakes: &Stakes,
    cube: Cube,
) -> Vec<(Position, f64)> {
    let reply = |(roll, weight): (Dice, u8)| {
        let mut afterstates = Vec::new();
        GAME.afterstates(position, roll, &mut afterstates);
        let expectations: Vec<f64> = afterstates
            .iter()
            .map(|next| leaf(evaluator, next, &stakes.flip(), cube.flip()).1)
            .collect();
        let best = (0..afterstates.len())
            .min_by(|&a, &b| expectations[a].total_cmp(&expectations[b]))
            .unwrap();
        (afterstates[best], f64::from(weight) / 36.0)
    };
    Dice::ALL.map(reply).to_vec()
}

/// The worth at the root for plays at this cube: at 1-ply with the share of the 0-ply worth, a
/// quarter of the probability of the replies that are estimates.
fn plain_root(
    evaluator: &mut dyn Evaluator<Backgammon>,
    position: &Position,
    stakes: &Stakes,
    cube: Cube,
    ply: u8,
) -> (f64, f64) {
    let found = plain(evaluator, position, stakes, cube, cube, ply);
    if ply != 1 || is_known(position, stakes, cube) {
        return found;
    }
    let replies = replies(evaluator, position, stakes, cube);
    let estimates =
        replies.iter().filter(|(reply, _)| !is_known(reply, &stakes.flip(), cube.flip()));
    let share = estimates.map(|(_, probability)| probability).sum::<f64>() / 4.0;
    let own = leaf(evaluator, position, stakes, cube);
    let mixed = |found: f64, own: f64| found + share * (own - found);
    (mixed(found.0, own.0), mixed(found.1, own.1))
}

/// The definition of n-ply with a cube, word by word: `plays` is the cube that plays are chosen
/// for.
fn plain(
    evaluator: &mut dyn Evaluator<Backgammon>,
    position: &Position,
    stakes: &Stakes,
    cube: Cube,
    plays: Cube,
    ply: u8,
) -> (f64, f64) {
    if ply == 0 || is_known(position, stakes, cube) {
        return leaf(evaluator, position, stakes, cube);
    }
    let flipped = stakes.flip();
    let mut no_double = 0.0;
    for (reply, weight) in replies(evaluator, position, stakes, plays) {
        let (_, expectation) =
            plain(evaluator, &reply, &flipped, cube.flip(), plays.flip(), ply - 1);
        let expectation = if stakes.is_match() { 1.0 - expectation } else { -expectation };
        no_double += weight * expectation;
    }
    if stakes.may_double(cube).is_err() {
        return (no_double, no_double);
    }
    let doubled = cube.doubled().unwrap();
    let (doubled, _) = plain(evaluator, position, stakes, doubled, plays, ply);
    (no_double, no_double.max(doubled.min(stakes.cash(cube).0)))
}

fn assert_near(found: f64, expected: f64, what: impl std::fmt::Debug) {
    assert!((found - expected).abs() < 1e-4, "{found} instead of {expected}: {what:?}");
}

fn assert_as_defined(position: &Position, stakes: &Stakes, cube: Cube, ply: u8) {
    let analysis = decide(&full(ply), position, stakes, cube);
    assert_eq!(analysis.ply, ply);
    let expectation = |value| stakes.expectation(value, cube).0;
    let (no_double, _) = plain_root(&mut *net(), position, stakes, cube, ply);
    assert_near(expectation(analysis.decision.no_double), no_double, (position, cube, ply));
    if let Ok(double) = analysis.decision.double {
        let doubled = cube.doubled().unwrap();
        let (take, _) = plain_root(&mut *net(), position, stakes, doubled, ply);
        assert_near(expectation(double.take), take, (position, cube, ply));
        assert_near(expectation(double.pass), stakes.cash(cube).0, (position, cube));
    } else {
        assert!(stakes.may_double(cube).is_err());
    }
}

#[test]
fn decisions_at_0_and_1_ply_equal_the_definition() {
    for (stakes, cube) in terms() {
        for position in positions() {
            assert_as_defined(&position, &stakes, cube, 0);
            assert_as_defined(&position, &stakes, cube, 1);
        }
    }
}

#[test]
fn decisions_at_2_ply_equal_the_definition() {
    let race = Position::from_points(&[(3, 1), (5, 1)], &[(3, 1), (6, 1)], 3).unwrap();
    for (stakes, cube) in [&terms()[0], &terms()[1], &terms()[6], &terms()[8]] {
        assert_as_defined(&race, stakes, *cube, 2);
    }
}

#[test]
fn plays_are_ranked_by_what_they_are_worth_with_the_cube() {
    let roll = Dice::new(4, 2).unwrap();
    for (stakes, cube) in terms() {
        let plays =
            full(1).rank(&positions()[0], roll, &stakes, cube, SearchWatch::default()).unwrap();
        let mut afterstates = Vec::new();
        GAME.afterstates(&positions()[0], roll, &mut afterstates);
        assert_eq!(plays.len(), afterstates.len());
        let sorted = |pair: &[CubefulPlay]| pair[0].value.equity() >= pair[1].value.equity() - 1e-6;
        assert!(plays.windows(2).all(sorted));
        for play in &plays {
            let (_, theirs) =
                plain_root(&mut *net(), &play.position, &stakes.flip(), cube.flip(), 1);
            let expectation = if stakes.is_match() { 1.0 - theirs } else { -theirs };
            assert_near(stakes.expectation(play.value, cube).0, expectation, (play.position, cube));
            let loss = plays[0].value.equity() - play.value.equity();
            assert_near(play.loss.into(), loss, play);
        }
    }
}

#[test]
fn the_answers_have_the_same_bits_on_any_number_of_threads() {
    let four = NonZeroUsize::new(4).unwrap();
    let roll = Dice::new(6, 3).unwrap();
    for (stakes, cube) in [&terms()[0], &terms()[1], &terms()[6]] {
        for settings in [Preset::Normal.at(2), Preset::Fast.at(2)] {
            let one = CubefulEvaluator::new(GAME, net(), Some(net())).with_settings(settings);
            let many = CubefulEvaluator::new(GAME, net(), Some(net()))
                .with_settings(settings)
                .on_threads(four);
            let position = &positions()[0];
            assert_eq!(
                decide(&one, position, stakes, *cube),
                decide(&many, position, stakes, *cube)
            );
            let rank = |evaluator: &CubefulEvaluator| {
                evaluator.rank(position, roll, stakes, *cube, SearchWatch::default()).unwrap()
            };
            assert_eq!(rank(&one), rank(&many));
        }
    }
}

static TABLES: LazyLock<Tables> =
    LazyLock::new(|| Store::in_memory().load(&[TableSpec::two_sided(3).unwrap()], &|_| {}).0);

/// Races of at most three checkers a side out of fifteen.
fn races() -> Vec<Position> {
    let sides: [&[(usize, u8)]; 6] =
        [&[(6, 1)], &[(1, 2)], &[(5, 1), (2, 1)], &[(6, 2), (4, 1)], &[(3, 3)], &[(4, 2), (1, 1)]];
    let pairs = sides.into_iter().flat_map(|mine| sides.map(|theirs| (mine, theirs)));
    pairs.map(|(mine, theirs)| Position::from_points(mine, theirs, 15).unwrap()).collect()
}

#[test]
fn decisions_inside_the_two_sided_table_are_exact_at_every_depth() {
    let contrary = FakeEvaluator::new(Backgammon::Standard, |_| {
        OutcomeProbs::certain(Outcome::LoseBackgammon)
    });
    for ply in [0, 2] {
        let evaluator =
            CubefulEvaluator::new(Backgammon::Standard, Box::new(contrary.clone()), None)
                .with_tables(TABLES.clone())
                .with_settings(Preset::Full.at(ply));
        for race in races() {
            let exact = TABLES.two_sided(&race).unwrap();
            for cube in [Cube::START, cube(2, CubeOwner::Player), cube(4, CubeOwner::Opponent)] {
                let decision = decide(&evaluator, &race, &money(), cube).decision;
                let no_double = exact.no_double(cube.owner()).into();
                assert_near(decision.no_double.equity(), no_double, race);
                assert_near(decision.best().equity(), exact.cubeful(cube.owner()).into(), race);
                if let Ok(doubled) = decision.double {
                    assert_near(doubled.take.equity(), exact.double_take().into(), race);
                }
            }
        }
    }
}

#[test]
fn looking_ahead_from_outside_meets_the_table_and_is_nearly_exact() {
    // The table of three checkers stands for the truth, the one of two for what is known.
    let known = Store::in_memory().load(&[TableSpec::two_sided(2).unwrap()], &|_| {}).0;
    let truth = &TABLES;
    let evaluate = |ply| {
        let pips = PipCountEvaluator::new(Backgammon::Standard);
        let main = TableEvaluator::new(known.clone(), Box::new(pips));
        CubefulEvaluator::new(Backgammon::Standard, Box::new(main), None)
            .with_tables(known.clone())
            .with_settings(Preset::Full.at(ply))
    };
    // Every roll brings both sides into the small table within two rolls.
    let race = Position::from_points(&[(1, 2), (2, 1)], &[(1, 2), (2, 1)], 15).unwrap();
    let exact = truth.two_sided(&race).unwrap();
    let decision = decide(&evaluate(2), &race, &money(), Cube::START).decision;
    assert_near(decision.no_double.equity(), exact.centered_no_double.into(), race);
    assert_near(decision.double.unwrap().take.equity(), exact.double_take().into(), race);
    let blind = decide(&evaluate(0), &race, &money(), Cube::START).decision;
    assert!((blind.no_double.equity() - f64::from(exact.centered_no_double)).abs() > 1e-3);
}

#[test]
fn last_rolls_are_decided_as_by_hand() {
    let pips = PipCountEvaluator::new(Backgammon::Standard);
    // The probabilities of the table without its cube: in a match that is all it knows.
    let main = TableEvaluator::new(TABLES.clone(), Box::new(pips));
    let evaluator = CubefulEvaluator::new(Backgammon::Standard, Box::new(main), None)
        .with_settings(Preset::Full.at(1));
    // 27 of 36 bear off the six point, 4 of 36 two checkers on it, 19 of 36 the five and the two
    // point; against a sure roll.
    for (mine, wins) in [(&[(6, 1)][..], 27.0), (&[(6, 2)], 4.0), (&[(5, 1), (2, 1)], 19.0)] {
        let race = Position::from_points(mine, &[(1, 1)], 15).unwrap();
        let win = wins / 36.0;
        let equity = 2.0 * win - 1.0;
        let decision = decide(&evaluator, &race, &money(), Cube::START).decision;
        assert_near(decision.no_double.equity(), equity, race);
        let doubled = decision.double.unwrap();
        assert_near(doubled.take.equity(), 2.0 * equity, race);
        assert_eq!(doubled.pass.equity(), 1.0);
        let action = if wins > 18.0 { CubeAction::DoubleTake } else { CubeAction::NoDoubleTake };
        assert_eq!(decision.action, action, "{race:?}");
        // In a match only the probabilities to win it count: at 2-away both, the cube decides it.
        let stakes = at_score(3, 1, 1);
        let decision = decide(&evaluator, &race, &stakes, Cube::START).decision;
        let mwc = decision.double.unwrap().take.mwc().unwrap().0;
        assert_near(mwc, win, race);
    }
}

#[test]
fn cubes_that_nobody_can_turn_are_named_and_not_counted() {
    let evaluator = full(1);
    let position = &positions()[0];
    let none = |stakes: &Stakes, cube| {
        let CubeDecision { action, double, .. } =
            decide(&evaluator, position, stakes, cube).decision;
        assert_eq!(action, CubeAction::NoCube);
        double.unwrap_err()
    };
    let crawford = for_score(MatchScore::crawford(5, 4, 2).unwrap());
    assert_eq!(none(&crawford, Cube::START), NoCube::OutOfPlay(CubeUse::Crawford));
    assert_eq!(none(&at_score(5, 4, 4), Cube::START), NoCube::OutOfPlay(CubeUse::Dead));
    assert_eq!(none(&money(), cube(2, CubeOwner::Opponent)), NoCube::OpponentOwns);
    let limit = Stakes::money(&Options { cube_limit: Some(2), ..Options::default() }).unwrap();
    assert_eq!(none(&limit, cube(2, CubeOwner::Player)), NoCube::Limit { limit: 2 });
    // The highest cube there is can't be turned either.
    let highest = cube(1 << Cube::MAX_EXPONENT, CubeOwner::Player);
    assert!(matches!(none(&money(), highest), NoCube::Limit { .. }));
    let watch = SearchWatch::default();
    assert!(evaluator.decide(position, &crawford, cube(2, CubeOwner::Player), watch).is_err());
}

#[test]
fn in_a_match_to_one_point_winning_probabilities_are_all_that_counts() {
    for (ply, position) in [(0, &positions()[0]), (1, &positions()[1])] {
        let CubeAnalysis { decision, probs, .. } =
            decide(&full(ply), position, &at_score(1, 0, 0), Cube::START);
        let win = f64::from(probs.cumulative().win);
        assert_near(decision.no_double.mwc().unwrap().0, win, probs);
        assert_near(decision.no_double.equity(), 2.0 * win - 1.0, probs);
    }
}

#[test]
fn a_leader_who_needs_no_gammon_plays_for_the_single_win() {
    // An evaluator that rates a checker on the 13 point as wins, and one on the 12 point as
    // gammons.
    let fake = FakeEvaluator::new(GAME, |state: &Position| {
        let on = |point: usize| state.point(25 - point) < 0;
        match (on(13), on(12)) {
            (true, _) => OutcomeProbs([0.6, 0.0, 0.0, 0.4, 0.0, 0.0]),
            (_, true) => OutcomeProbs([0.3, 0.2, 0.0, 0.5, 0.0, 0.0]),
            _ => OutcomeProbs([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
        }
    });
    let evaluator = CubefulEvaluator::new(GAME, Box::new(fake), None);
    let state = Position::from_points(&[(18, 1), (23, 1)], &[(1, 1)], 3).unwrap();
    let roll = Dice::new(5, 1).unwrap();
    let best = |stakes: &Stakes| {
        let plays =
            evaluator.rank(&state, roll, stakes, Cube::START, SearchWatch::default()).unwrap();
        plays[0].probs.cumulative()
    };
    // At double match point wins count alone, in the gammon-go game of the trailer gammons double.
    let (safe, bold) =
        (best(&at_score(5, 4, 4)), best(&for_score(MatchScore::crawford(5, 3, 4).unwrap())));
    assert!(safe.win > bold.win && safe.win_gammon < bold.win_gammon, "{safe:?} {bold:?}");
}

#[test]
fn beavers_answer_doubles_that_are_wrong() {
    let options = Options { beavers: Beavers::Beavers, ..Options::default() };
    let stakes = Stakes::money(&options).unwrap();
    let pips = PipCountEvaluator::new(Backgammon::Standard);
    let evaluator = CubefulEvaluator::new(Backgammon::Standard, Box::new(pips), None)
        .with_settings(Preset::Full.at(2));
    let race = Position::from_points(&[(6, 2)], &[(1, 1)], 15).unwrap();
    let decision = decide(&evaluator, &race, &stakes, Cube::START).decision;
    let doubled = decision.double.unwrap();
    assert_eq!(doubled.answer, Response::Beaver);
    // 4 of 36 win: -7/9 at a cube of 4, or the loss of the doubled stake.
    assert_near(doubled.take.equity(), -2.0 * 7.0 / 9.0, race);
    assert_near(doubled.value().equity(), -2.0, race);
    assert_eq!(decision.action, CubeAction::NoDoubleTake);
}

#[test]
fn without_time_all_parts_of_a_decision_have_the_same_depth() {
    let watch = SearchWatch { limit: Some(std::time::Duration::ZERO), ..SearchWatch::default() };
    let hasty = full(2).decide(&positions()[0], &money(), Cube::START, watch).unwrap();
    assert_eq!(hasty, decide(&full(0), &positions()[0], &money(), Cube::START));
}

#[test]
fn what_an_evaluator_is_told_reaches_its_answers() {
    let (position, roll) = (positions()[0], Dice::new(4, 2).unwrap());
    let watch = SearchWatch::default();
    let expected = decide(&full(1), &position, &money(), Cube::START);
    let mut own = full(0);
    own.set_settings(Preset::Full.at(1));
    assert_eq!(own.settings(), &Preset::Full.at(1));
    assert_eq!(decide(&own.fork(), &position, &money(), Cube::START), expected);
    let mut told: Box<dyn CubeEvaluator<Backgammon>> = Box::new(full(0));
    told.set_settings(Preset::Full.at(1));
    assert_eq!(told.decide(&position, &money(), Cube::START, watch), Ok(expected));
    let mut afterstates = Vec::new();
    GAME.afterstates(&position, roll, &mut afterstates);
    let among = told.rank_among(&position, &afterstates, &money(), Cube::START, 1, watch);
    assert_eq!(among, own.rank(&position, roll, &money(), Cube::START, watch));
}

#[test]
fn a_game_with_seats_is_the_game() {
    let game = SeatedGame(GAME);
    assert_eq!(game.id(), GAME.id());
    assert_eq!(game.layout().len(), GAME.layout().len());
    let [ahead, behind] = [&[(6, 1)][..], &[(6, 1), (2, 1)]].map(|theirs| {
        let position = Position::from_points(&[(1, 2)], theirs, 3).unwrap();
        assert_eq!(SeatedGame::cells(&seated(&position)), Backgammon::cells(&position));
        seated(&position)
    });
    assert!(game.surpasses(&ahead, &behind) && !game.surpasses(&behind, &ahead));
}

#[test]
fn endings_are_solved_at_the_stakes_where_tables_have_another_cube() {
    let race = Position::from_points(&[(3, 1), (5, 1)], &[(3, 2)], 3).unwrap();
    let dead = for_score(MatchScore::crawford(5, 2, 4).unwrap());
    let knows = |stakes: &Stakes| full(0).endgame(stakes).knows(&seated(&race));
    assert!(knows(&at_score(7, 2, 4)) && !knows(&money()) && !knows(&dead));
    // Without a cube what the evaluator knows exactly is exact.
    let (tables, _) = Store::in_memory().load(&[TableSpec::two_sided(2).unwrap()], &|_| {});
    let main = TableEvaluator::new(tables, Box::new(PipCountEvaluator::new(GAME)));
    let evaluator = CubefulEvaluator::new(GAME, Box::new(main), None);
    let is_exact = |stakes: &Stakes| evaluator.seated_evaluators(stakes).0.is_exact(&seated(&race));
    assert!(is_exact(&dead) && !is_exact(&money()));
}
