//! The tables against values worked out by hand, and against recursion over the rules that shares
//! nothing with the generators.

use std::collections::HashMap;
use std::sync::LazyLock;

use tavola_bearoff::{BearoffTable, OneSided, Store, TableSpec, Tables, TwoSidedValues};
use tavola_rules::{Backgammon, CubeOwner, Dice, Game, Outcome, Position};

fn quiet(_: tavola_bearoff::GenerationProgress) {}

fn generate(specs: &[TableSpec]) -> Tables {
    let (tables, warnings) = Store::in_memory().load(specs, &quiet);
    assert!(warnings.is_empty());
    tables
}

/// The default one-sided table and a small two-sided one.
static TABLES: LazyLock<Tables> =
    LazyLock::new(|| generate(&[TableSpec::ONE_SIDED_DEFAULT, TableSpec::two_sided(4).unwrap()]));

/// All places of a cube.
const CUBES: [CubeOwner; 3] = [CubeOwner::Center, CubeOwner::Player, CubeOwner::Opponent];

fn one_sided(mine: &[(usize, u8)]) -> (Position, &'static OneSided) {
    let position = Position::from_points(mine, &[(1, 1)], 15).unwrap();
    (position, TABLES.one_sided(&position).expect("the default table covers the home"))
}

/// The probabilities of being off in 1, 2, ... rolls, in 36ths of 36ths.
fn off_in(mine: &[(usize, u8)]) -> Vec<(u32, f32)> {
    let (position, table) = one_sided(mine);
    table.rolls_to_finish(&position).unwrap().iter().collect()
}

#[test]
fn probabilities_of_few_checkers_are_those_of_the_textbooks() {
    // The number of the 36 rolls that bear off the last checker, or the last two, together.
    let one = [(1, 36), (2, 36), (3, 36), (4, 34), (5, 31), (6, 27)];
    for (point, weight) in one {
        let probability = off_in(&[(point, 1)])[0];
        assert_eq!(probability.0, 1);
        assert!((probability.1 - weight as f32 / 36.0).abs() < 1e-6, "{point}: {probability:?}");
    }
    let two: [(&[(usize, u8)], i32); 6] = [
        (&[(1, 2)], 36),
        (&[(2, 2)], 26),
        (&[(1, 1), (6, 1)], 15),
        (&[(5, 1), (6, 1)], 6),
        (&[(6, 2)], 4),
        (&[(3, 2)], 17),
    ];
    for (mine, weight) in two {
        let probability = off_in(mine)[0];
        assert!((probability.1 - weight as f32 / 36.0).abs() < 1e-6, "{mine:?}: {probability:?}");
    }
    // Four on the ace point: a double now, or any two rolls.
    let four = off_in(&[(1, 4)]);
    assert_eq!(four.len(), 2, "{four:?}");
    assert!((four[0].1 - 6.0 / 36.0).abs() < 1e-6 && (four[1].1 - 30.0 / 36.0).abs() < 1e-6);
    let (position, table) = one_sided(&[(6, 1)]);
    let rolls = table.rolls_to_finish(&position).unwrap();
    assert!((rolls.mean() - 1.25).abs() < 1e-6, "a second roll is always enough");
    assert!((rolls.standard_deviation() - (0.25f64 * 0.75).sqrt()).abs() < 1e-6);
}

#[test]
fn all_54_264_distributions_sum_to_one_and_a_first_checker_is_off_no_later_than_all() {
    let Some(BearoffTable::OneSided(table)) = TABLES.iter().next() else {
        panic!("no one-sided table")
    };
    let (mut seen, mut longest) = (0, 0);
    let mut stand = [0u8; 6];
    // All ways to put up to 15 checkers on six points, by counting.
    'all: loop {
        if stand.iter().sum::<u8>() > 0 {
            let points: Vec<_> = (1..=6).zip(stand).collect();
            let position = Position::from_points(&points, &[(1, 1)], 15).unwrap();
            let all = table.rolls_to_finish(&position).unwrap();
            let first = table.rolls_to_next_off(&position).unwrap();
            for rolls in [all, first] {
                let sum: f64 = rolls.iter().map(|(_, probability)| f64::from(probability)).sum();
                assert!((sum - 1.0).abs() < 1e-6, "{position:?}: {sum}");
                assert!(rolls.iter().all(|(rolls, probability)| rolls >= 1 && probability >= 0.0));
            }
            assert!(first.mean() <= all.mean() + 1e-6, "{position:?}");
            longest = longest.max(all.iter().last().unwrap().0);
            seen += 1;
        }
        let mut point = 0;
        loop {
            stand[point] += 1;
            if stand.iter().sum::<u8>() <= 15 {
                break;
            }
            stand[point] = 0;
            point += 1;
            if point == 6 {
                break 'all;
            }
        }
    }
    assert_eq!(seen, 54_264 - 1);
    assert!((12..30).contains(&longest), "{longest}");
}

/// Every placement of up to `checkers` checkers on the first `points` points, none included.
fn placements(points: usize, checkers: u8) -> Vec<Vec<(usize, u8)>> {
    let mut all = vec![Vec::new()];
    for point in 1..=points {
        for i in 0..all.len() {
            let placed: u8 = all[i].iter().map(|&(_, count)| count).sum();
            for count in 1..=checkers - placed {
                let mut more = all[i].clone();
                more.push((point, count));
                all.push(more);
            }
        }
    }
    all
}

/// The least mean number of rolls of the player on roll by the rules, the opponent passing.
fn least_mean_by_rules(position: &Position, known: &mut HashMap<Position, f64>) -> f64 {
    if position.off() == 15 {
        return 0.0;
    }
    if let Some(&mean) = known.get(position) {
        return mean;
    }
    let mut afterstates = Vec::new();
    let mut mean = 1.0;
    for (roll, weight) in Dice::ALL {
        afterstates.clear();
        Backgammon::Standard.afterstates(position, roll, &mut afterstates);
        let best = afterstates
            .clone()
            .into_iter()
            .map(|after| least_mean_by_rules(&after.flip(), known))
            .reduce(f64::min)
            .unwrap();
        mean += f64::from(weight) / 36.0 * best;
    }
    known.insert(*position, mean);
    mean
}

#[test]
fn means_are_the_least_that_the_rules_allow() {
    let mut known = HashMap::new();
    for (points, spec) in [(6, TableSpec::one_sided(6, 4)), (8, TableSpec::one_sided(8, 2))] {
        let spec = spec.unwrap();
        let tables = generate(&[spec]);
        let Some(BearoffTable::OneSided(table)) = tables.iter().next() else { panic!() };
        for mine in placements(points, spec.checkers()).into_iter().skip(1) {
            let position = Position::from_points(&mine, &[(1, 1)], 15).unwrap();
            let expected = least_mean_by_rules(&position, &mut known);
            let found = table.rolls_to_finish(&position).unwrap().mean();
            assert!((found - expected).abs() < 1e-5, "{position:?}: {found}, expected {expected}");
        }
    }
}

/// The equity under perfect play by the rules; `cube` is who may double, `None` without a cube.
fn equity_by_rules(
    position: &Position,
    cube: Option<CubeOwner>,
    known: &mut HashMap<(Position, Option<CubeOwner>), f64>,
) -> f64 {
    if let Some(outcome) = Backgammon::Standard.outcome(position) {
        return f64::from(outcome.points());
    }
    if let Some(&equity) = known.get(&(*position, cube)) {
        return equity;
    }
    let mut roll_on = |cube: Option<CubeOwner>| -> f64 {
        let mut afterstates = Vec::new();
        let mut equity = 0.0;
        for (roll, weight) in Dice::ALL {
            afterstates.clear();
            Backgammon::Standard.afterstates(position, roll, &mut afterstates);
            let best = afterstates
                .iter()
                .map(|after| -equity_by_rules(after, cube.map(CubeOwner::flip), known))
                .reduce(f64::max)
                .unwrap();
            equity += f64::from(weight) / 36.0 * best;
        }
        equity
    };
    let no_double = roll_on(cube);
    let equity = match cube {
        Some(CubeOwner::Center | CubeOwner::Player) => {
            let take = 2.0 * roll_on(Some(CubeOwner::Opponent));
            let pass = 1.0;
            // The opponent answers a double as it is best for him.
            let double = if take < pass { take } else { pass };
            if double > no_double { double } else { no_double }
        }
        _ => no_double,
    };
    known.insert((*position, cube), equity);
    equity
}

#[test]
fn two_sided_values_are_those_of_recursion_over_the_rules() {
    let tables = generate(&[TableSpec::two_sided(3).unwrap()]);
    let mut known = HashMap::new();
    let sides = placements(6, 2);
    let longer = [vec![(6, 3)], vec![(1, 1), (3, 1), (6, 1)], vec![(5, 2), (2, 1)]];
    let mut doubles = 0;
    for mine in sides.iter().chain(&longer).skip(1) {
        for theirs in sides.iter().chain(&longer[..1]).skip(1) {
            let position = Position::from_points(mine, theirs, 15).unwrap();
            let found = tables.two_sided(&position).unwrap();
            let mut check = |found: f32, cube| {
                let expected = equity_by_rules(&position, cube, &mut known);
                let error = (f64::from(found) - expected).abs();
                assert!(error < 1e-6, "{position:?} {cube:?}: {found}, expected {expected}");
            };
            check(found.cubeless, None);
            for owner in CUBES {
                check(found.cubeful(owner), Some(owner));
            }
            for owner in [CubeOwner::Center, CubeOwner::Player] {
                let [best, not] = [found.cubeful(owner), found.no_double(owner)];
                doubles += u32::from(best > not);
                assert!(best == not || best == found.double_take().min(1.0), "{position:?}");
            }
            // An own cube is never worth less than one in the center.
            assert!(found.player_no_double >= found.centered_no_double, "{position:?}");
        }
    }
    assert!(doubles > 100, "{doubles}");
}

#[test]
fn a_roll_that_decides_is_worth_its_probability() {
    // 27 of 36 rolls win: a double that is passed, or with the opponent's cube 2 x 0.75 - 1.
    let values =
        TABLES.two_sided(&Position::from_points(&[(6, 1)], &[(1, 1)], 15).unwrap()).unwrap();
    let expected = TwoSidedValues {
        cubeless: 0.5,
        centered_no_double: 0.5,
        player_no_double: 0.5,
        opponent: 0.5,
    };
    assert_eq!(values, expected);
    assert_eq!(CUBES.map(|owner| values.cubeful(owner)), [1.0, 1.0, 0.5]);
    assert_eq!(values.probs().of(Outcome::WinSingle), 0.75);
    // 26 of 36 rolls win: doubling is right, and taking as well.
    let values =
        TABLES.two_sided(&Position::from_points(&[(2, 2)], &[(1, 2)], 15).unwrap()).unwrap();
    assert!((values.cubeless - 16.0 / 36.0).abs() < 1e-6);
    assert!((values.cubeful(CubeOwner::Center) - 32.0 / 36.0).abs() < 1e-6);
    assert!((values.double_take() - 32.0 / 36.0).abs() < 1e-6);
    assert!((values.opponent - 16.0 / 36.0).abs() < 1e-6);
}

/// The probabilities of a race if both sides play as the one-sided table does: by walking through
/// the rolls rather than by sums of products.
#[test]
fn gammons_of_a_race_follow_from_both_distributions() {
    let Some(BearoffTable::OneSided(table)) = TABLES.iter().next() else {
        panic!("no one-sided table")
    };
    // Two checkers left, and the opponent has all fifteen on the six point: they save the gammon
    // unless the player on roll finishes first.
    let race = Position::from_points(&[(6, 2)], &[(6, 15)], 15).unwrap();
    let probs = table.race(&race).unwrap();
    let finish = table.rolls_to_finish(&race).unwrap();
    let saved = table.rolls_to_next_off(&race.flip()).unwrap();
    let mut gammon = 0.0;
    for (rolls, probability) in finish.iter() {
        let late: f32 =
            saved.iter().filter(|&(s, _)| s >= rolls).map(|(_, probability)| probability).sum();
        gammon += probability * late;
    }
    assert!((probs.of(Outcome::WinGammon) - gammon).abs() < 1e-6, "{probs:?} {gammon}");
    assert!(gammon > 0.3 && gammon < 0.9, "{gammon}");
    assert_eq!(probs.of(Outcome::LoseGammon), 0.0);
    // Seen by the other side it is a race that is nearly lost, and that side rolls first now.
    let flipped = table.race(&race.flip()).unwrap();
    assert_eq!(flipped.of(Outcome::WinGammon), 0.0);
    assert!(flipped.of(Outcome::LoseGammon) < gammon);
    for probs in [probs, flipped] {
        assert!((probs.0.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(probs.of(Outcome::WinBackgammon) + probs.of(Outcome::LoseBackgammon), 0.0);
    }
}

#[test]
fn tables_answer_where_they_reach_and_nowhere_else() {
    let evaluate = |position: &Position| TABLES.evaluate(position);
    assert_eq!(evaluate(&Position::STANDARD), None);
    let home =
        Position::from_points(&[(6, 5), (5, 5), (4, 5)], &[(6, 5), (5, 5), (4, 5)], 15).unwrap();
    assert!(evaluate(&home).is_some() && TABLES.two_sided(&home).is_none());
    // One checker outside, on the bar, or in the other home.
    for (mine, theirs) in [
        (&[(7, 1), (6, 9)], &[(6, 10), (1, 5)]),
        (&[(6, 9), (1, 5)], &[(7, 1), (6, 14)]),
        (&[(25, 1), (6, 9)], &[(6, 10), (1, 5)]),
        (&[(6, 9), (1, 5)], &[(25, 1), (6, 14)]),
        (&[(3, 1), (1, 5)], &[(20, 1), (6, 14)]),
    ] {
        let outside = Position::from_points(mine, theirs, 15).unwrap();
        assert_eq!(evaluate(&outside), None, "{outside:?}");
        assert_eq!(evaluate(&outside.flip()), None, "{outside:?}");
    }
    // Over.
    for over in [
        Position::from_points(&[(6, 1)], &[], 15).unwrap(),
        Position::from_points(&[], &[(6, 15)], 15).unwrap(),
    ] {
        assert_eq!(evaluate(&over), None, "{over:?}");
        assert_eq!(TABLES.two_sided(&over), None, "{over:?}");
    }
    // Contact between checkers that both stand on covered points of a long table.
    let long = generate(&[TableSpec::one_sided(14, 2).unwrap()]);
    assert!(long.evaluate(&Position::from_points(&[(14, 1)], &[(10, 2)], 15).unwrap()).is_some());
    assert_eq!(long.evaluate(&Position::from_points(&[(14, 1)], &[(12, 2)], 15).unwrap()), None);
    assert_eq!(long.evaluate(&Position::from_points(&[(14, 1)], &[(10, 3)], 15).unwrap()), None);
}

#[test]
fn with_three_checkers_a_side_gammons_count_where_nothing_is_off() {
    let hypergammon = |mine: &[(usize, u8)], theirs: &[(usize, u8)]| {
        Position::from_points(mine, theirs, 3).unwrap()
    };
    let nothing_off = hypergammon(&[(1, 2)], &[(6, 3)]);
    assert_eq!(TABLES.two_sided(&nothing_off), None);
    let probs = TABLES.evaluate(&nothing_off).unwrap();
    assert!((probs.of(Outcome::WinGammon) - 1.0).abs() < 1e-6, "{probs:?}");
    let one_off = hypergammon(&[(1, 2)], &[(6, 2)]);
    assert_eq!(TABLES.two_sided(&one_off).unwrap().cubeless, 1.0);
}

#[test]
fn the_convolution_is_near_perfect_play() {
    let Some(BearoffTable::OneSided(table)) = TABLES.iter().next() else {
        panic!("no one-sided table")
    };
    let (mut worst, mut sum, mut compared) = (0f32, 0.0, 0);
    let sides = placements(6, 4);
    for mine in sides.iter().step_by(3).skip(1) {
        for theirs in sides.iter().step_by(5).skip(1) {
            let position = Position::from_points(mine, theirs, 15).unwrap();
            let exact = TABLES.two_sided(&position).unwrap().cubeless;
            let convolved = table.race(&position).unwrap().equity();
            worst = worst.max((exact - convolved).abs());
            sum += (exact - convolved).abs();
            compared += 1;
        }
    }
    assert!(compared > 2_000);
    assert!(worst < 0.02 && sum / (compared as f32) < 0.001, "{worst} {}", sum / compared as f32);
}

#[test]
fn tables_do_not_depend_on_the_number_of_threads() {
    let generate_on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let store = tempfile::tempdir().unwrap();
        let specs = [TableSpec::one_sided(7, 5).unwrap(), TableSpec::two_sided(3).unwrap()];
        specs.map(|spec| {
            let cache = Store::in_directory(store.path());
            pool.install(|| cache.generate(spec, &quiet));
            std::fs::read(cache.path(spec).unwrap()).unwrap()
        })
    };
    assert!(generate_on(1) == generate_on(5));
}

/// All ways to have `least` to `most` checkers in a home board, as counts of points 1 to 6.
fn boards(least: u8, most: u8) -> Vec<[u8; 6]> {
    let mut boards = vec![[0; 6]];
    for point in 0..6 {
        for i in 0..boards.len() {
            let fewer: [u8; 6] = boards[i];
            let left = most - fewer.iter().sum::<u8>();
            boards.extend((1..=left).map(|count| {
                let mut board = fewer;
                board[point] = count;
                board
            }));
        }
    }
    boards.retain(|board| board.iter().sum::<u8>() >= least);
    boards
}

#[test]
fn a_state_that_surpasses_another_is_never_worth_less() {
    let side = |board: [u8; 6]| -> Vec<(usize, u8)> { (1..=6).zip(board).collect() };
    let boards_of_four = boards(1, 4);
    let (mut surpassed, mut further) = (0, 0);
    for (&board, &on) in
        boards_of_four.iter().flat_map(|b| boards_of_four.iter().map(move |a| (b, a)))
    {
        for &other in boards_of_four.iter().step_by(7) {
            // The mover is the one who is not on roll.
            let [before, after] = [board, on]
                .map(|mine| Position::from_points(&side(other), &side(mine), 15).unwrap());
            if !Backgammon::Standard.surpasses(&after, &before) {
                further += 1;
                break;
            }
            assert!(!Backgammon::Standard.surpasses(&before, &after));
            surpassed += 1;
            let [worse, better] = [before, after].map(|at| {
                let values = TABLES.two_sided(&at).unwrap();
                CUBES.map(|owner| values.cubeful(owner)).into_iter().chain([values.cubeless])
            });
            for (worse, better) in worse.zip(better) {
                assert!(better <= worse + 1e-6, "{other:?} on roll, {board:?} or {on:?}");
            }
        }
    }
    assert!(surpassed > 100_000 && further > 10_000, "{surpassed} {further}");
    // With more checkers: the chance of having borne all off within any number of rolls.
    for board in boards(2, 9) {
        let within = |board: [u8; 6], rolls: u32| -> f32 {
            off_in(&side(board)).iter().filter(|(n, _)| *n <= rolls).map(|(_, p)| p).sum()
        };
        for point in (0..6).filter(|&point| board[point] > 0) {
            let mut on = board;
            on[point] -= 1;
            for rolls in 1..8 {
                let (better, worse) = (within(on, rolls), within(board, rolls));
                assert!(better >= worse - 1e-4, "{rolls} rolls, {board:?}, {on:?}");
            }
        }
    }
}
