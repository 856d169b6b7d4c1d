//! Small functions of the rules at all or many of their values.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};
use tavola_rules::{
    Backgammon, Cell, CellKind, Cube, CubeOwner, Dice, Game, Opening, Outcome, PartialPlay, Player,
    Position, dice_digits, nearest,
};

#[test]
fn a_doubled_cube_is_the_opponents_up_to_the_largest() {
    let of = |exponent: u8, owner| Cube::from_value(1 << exponent, owner);
    for exponent in 0..Cube::MAX_EXPONENT {
        let owner = if exponent == 0 { CubeOwner::Center } else { CubeOwner::Player };
        let doubled = of(exponent + 1, CubeOwner::Opponent).unwrap();
        assert_eq!(of(exponent, owner).unwrap().doubled(), Some(doubled));
        assert_eq!(doubled.doubled(), None, "the opponent has it");
    }
    assert_eq!(of(Cube::MAX_EXPONENT, CubeOwner::Player).unwrap().doubled(), None);
}

#[test]
fn wins_are_wins() {
    use Outcome::*;
    for win in [WinSingle, WinGammon, WinBackgammon] {
        assert!(win.is_win());
    }
    for other in [LoseSingle, LoseGammon, LoseBackgammon, Draw] {
        assert!(!other.is_win());
    }
}

#[test]
fn the_higher_throw_begins() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut starters = [0; 2];
    let (mut ties, mut doubles) = (0, 0);
    for _ in 0..600 {
        let thrown = Opening::OneDieEach.throw(&mut rng);
        assert!(!thrown.dice.is_double());
        starters[usize::from(thrown.starter == Player::Two)] += 1;
        ties += thrown.ties;
        doubles += u32::from(Opening::OwnPair.throw(&mut rng).dice.is_double());
    }
    assert!(starters.iter().all(|&count| (220..380).contains(&count)), "{starters:?}");
    // A sixth of the throws, and pairs that are higher are doubles as often as others.
    assert!((70..180).contains(&ties) && (50..160).contains(&doubles), "{ties} {doubles}");
}

/// A game that says of itself only what every game must.
#[derive(Clone, Debug)]
struct Plain;

impl Game for Plain {
    type State = Position;
    type Roll = Dice;

    const TOTAL_WEIGHT: u32 = 36;

    fn id(&self) -> String {
        "plain".into()
    }

    fn start(&self) -> Position {
        Position::STANDARD
    }

    fn opening_roll(&self, rng: &mut impl Rng) -> Dice {
        Dice::roll(rng)
    }

    fn roll(&self, rng: &mut impl Rng) -> Dice {
        Dice::roll(rng)
    }

    fn rolls(&self) -> &'static [(Dice, u8)] {
        &Dice::ALL
    }

    fn afterstates(&self, state: &Position, roll: Dice, afterstates: &mut Vec<Position>) {
        Backgammon::Standard.afterstates(state, roll, afterstates);
    }

    fn flip(&self, state: &Position) -> Position {
        state.flip()
    }

    fn outcome(&self, state: &Position) -> Option<Outcome> {
        Outcome::of(state)
    }

    fn layout(&self) -> &'static [Cell] {
        Backgammon::Standard.layout()
    }

    fn cells(state: &Position) -> &[i8] {
        state.cells()
    }
}

#[test]
fn a_game_without_words_of_its_own_surpasses_nothing_and_is_told_by_its_cells() {
    let race = Position::from_points(&[(1, 2)], &[(2, 2)], 15).unwrap();
    let ahead = Position::from_points(&[(1, 2)], &[(2, 1)], 15).unwrap();
    assert!(Backgammon::Standard.surpasses(&ahead, &race));
    assert!(!Plain.surpasses(&ahead, &race));
    assert_eq!(Plain.identity_cells(&race), race.cells());
    let [points, bars, off] = [CellKind::Point, CellKind::Waiting, CellKind::Off].map(|kind| {
        Plain.layout().iter().filter(|cell| cell.kind == kind).map(|it| it.max - it.min).collect()
    });
    assert_eq!((points, bars, off), (vec![30; 24], vec![15; 2], vec![15; 2]));
    assert_eq!(Backgammon::Standard.identity_cells(&race), race.cells());
}

#[test]
fn counts_beside_each_other_are_a_position_or_none() {
    let from =
        |mine: &[(usize, u8)], theirs: &[(usize, u8)]| Position::from_points(mine, theirs, 15);
    assert_eq!(from(&[(6, 15)], &[(6, 15)]).unwrap().off(), 0);
    for too_many in [16, 17, 128, 255] {
        assert!(from(&[(6, too_many)], &[(6, 1)]).is_err());
        assert!(from(&[(6, 1)], &[(6, too_many)]).is_err());
    }
    // No checkers share a point with those that stand there.
    assert_eq!(from(&[(6, 5)], &[(19, 0), (1, 2)]), from(&[(6, 5)], &[(1, 2)]));
    assert!(from(&[(6, 5)], &[(19, 1)]).is_err());
    for (mine, theirs, contact) in [
        (&[(6, 5), (2, 1)], &[(6, 5), (2, 1)], false),
        (&[(12, 5), (2, 1)], &[(12, 5), (2, 1)], false),
        (&[(13, 5), (2, 1)], &[(13, 5), (2, 1)], true),
        (&[(24, 5), (2, 1)], &[(3, 5), (2, 1)], true),
        (&[(3, 5), (2, 1)], &[(24, 5), (2, 1)], true),
    ] {
        assert_eq!(from(mine, theirs).unwrap().has_contact(), contact, "{mine:?} {theirs:?}");
    }
}

#[test]
fn near_names_are_found_and_far_ones_are_not() {
    let names = ["fast", "normal", "wide", "backgammon"];
    for (typed, expected) in [
        ("nromal", Some("normal")),
        ("NORMAL", Some("normal")),
        ("norm", Some("normal")),
        ("fst", Some("fast")),
        ("a fast one", None),
        ("afts", None),
        ("faster", Some("fast")),
        ("wied", Some("wide")),
        ("bakcgamon", Some("backgammon")),
        ("baxxgamxxn", None),
        ("f", None),
        ("deep", None),
    ] {
        assert_eq!(nearest(typed, names), expected, "{typed}");
    }
    let long = "n".repeat(41);
    assert_eq!(nearest(&long, [long.as_str()]), None);
    assert_eq!(nearest(&long[..40], [&long[..40]]), Some(&long[..40]));
}

#[test]
fn more_checkers_off_surpass_where_no_other_is_behind() {
    let game = Backgammon::Standard;
    assert_eq!(
        (game.id(), Backgammon::Hypergammon.id()),
        ("backgammon".into(), "hypergammon".into())
    );
    // The mover is the second of each pair, as seen by the opponent.
    let race = |mine: &[(usize, i8)]| {
        let mut counts = [0_i8; 26];
        counts[1] = 2;
        for &(point, count) in mine {
            counts[25 - point] = -count;
        }
        Position::from_counts(&counts, 15).unwrap()
    };
    let (two, one, far) = (race(&[(2, 2)]), race(&[(2, 1)]), race(&[(6, 1)]));
    assert!(game.surpasses(&one, &two), "one is off, the other stands where it stood");
    assert!(!game.surpasses(&two, &one) && !game.surpasses(&one, &one));
    assert!(!game.surpasses(&far, &two), "one is off, the other further behind");
    assert_eq!(game.flip(&one).flip(), one);
    assert_eq!(Backgammon::cells(&one)[1], 2);
}

#[test]
fn the_larger_die_begins_and_ties_are_thrown_again() {
    let [mut rng, mut same] = [5, 5].map(ChaCha8Rng::seed_from_u64);
    let mut first = 0;
    for _ in 0..600 {
        let throw = Opening::OneDieEach.throw(&mut rng);
        let (mut one, mut two) = (0_u8, 0_u8);
        for _ in 0..=throw.ties {
            (one, two) = (same.random_range(1..=6), same.random_range(1..=6));
        }
        let starter = if one > two { Player::One } else { Player::Two };
        assert_eq!((throw.starter, throw.dice), (starter, Dice::new(one, two).unwrap()));
        first += u32::from(starter == Player::One);
    }
    assert!((240..360).contains(&first), "{first}");
}

#[test]
fn a_roll_is_read_with_and_without_separators() {
    for text in ["31", "3-1", "3,1", "3 1", "3/1", "3:1", " 31 "] {
        assert_eq!(dice_digits(text), Some(vec![3, 1]), "{text}");
    }
    assert_eq!(dice_digits("321"), Some(vec![3, 2, 1]));
    assert_eq!(dice_digits("3-2-1"), Some(vec![3, 2, 1]));
    for text in ["3x1", "3-", "3-1-", "3--1"] {
        assert_eq!(dice_digits(text), None, "{text}");
    }
}

#[test]
fn a_play_in_steps_says_how_far_it_is() {
    let mut partial = PartialPlay::new(&Position::STANDARD, "31".parse().unwrap());
    assert_eq!((partial.steps(), partial.position()), (0, &Position::STANDARD));
    assert_eq!(partial.step(8, 0), Some(5));
    assert_eq!(partial.step(6, 1), Some(5));
    assert_eq!((partial.steps(), partial.position().point(5)), (2, 2));
}
