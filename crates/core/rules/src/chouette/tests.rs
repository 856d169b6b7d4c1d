//! Chouettes by hand and at random.

use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;

use super::*;
use crate::cube::CubeOwner;
use crate::game_state::GameStage;
use crate::options::{Beavers, Opening, Options};

fn chouette(rules: ChouetteRules, players: usize) -> Chouette {
    let names = (0..players).map(|seat| format!("player {seat}")).collect();
    Chouette::new(rules, names, (0..players).collect()).unwrap()
}

fn each() -> ChouetteRules {
    ChouetteRules { cubes: TeamCubes::Each, ..ChouetteRules::default() }
}

/// A game in which this side has played the opening roll.
fn begun(chouette: &Chouette, starter: Player) -> ChouetteGame {
    let throw = OpeningThrow { starter, dice: "31".parse().unwrap(), ties: 0 };
    let mut game = chouette.begin_game(&throw).unwrap();
    game.end_turn().unwrap();
    game
}

/// four players, the box wins a gammon with the cube at 2.
#[test]
fn every_member_pays_cube_times_kind_of_win() {
    let mut chouette = chouette(ChouetteRules::default(), 4);
    let mut game = begun(&chouette, Player::Two);
    game.double(&[1, 2, 3]).unwrap();
    game.take(&[1, 2, 3]).unwrap();
    game.roll().unwrap();
    game.win(WinKind::Gammon).unwrap();
    assert_eq!(chouette.record(&game).unwrap().payments, [12, -4, -4, -4]);
    assert_eq!(chouette.order(), [0, 2, 3, 1]);
    assert_eq!(chouette.record(&game), Err(ChouetteError::OtherGame));
}

#[test]
fn a_box_that_loses_goes_to_the_end_and_the_captain_is_box() {
    let mut chouette = chouette(ChouetteRules::default(), 5);
    let mut game = begun(&chouette, Player::One);
    game.double(&[1, 2, 3, 4]).unwrap();
    // The one cube is answered for all.
    assert!(matches!(game.take(&[1]), Err(ChouetteError::OneCube { .. })));
    game.drop_offer(&[1, 2, 3, 4]).unwrap();
    assert_eq!(chouette.record(&game).unwrap().payments, [-4, 1, 1, 1, 1]);
    assert_eq!(chouette.order(), [1, 2, 3, 4, 0]);
}

#[test]
fn the_next_who_takes_is_captain_and_becomes_box() {
    let mut chouette = chouette(ChouetteRules::default(), 4);
    let mut game = begun(&chouette, Player::Two);
    game.double(&[1, 2, 3]).unwrap();
    game.drop_offer(&[1]).unwrap();
    assert!(matches!(game.roll(), Err(ChouetteError::Action { .. })));
    game.take(&[2, 3]).unwrap();
    assert_eq!((game.captain(), game.running()), (2, vec![2, 3]));
    assert!(matches!(game.take(&[1]), Err(ChouetteError::NotRunning { seat: 1, .. })));
    game.roll().unwrap();
    game.end_turn().unwrap();
    // The team owns the cube and turns it again; the box drops.
    game.double(&[2, 3]).unwrap();
    game.drop_offer(&[2, 3]).unwrap();
    assert_eq!(chouette.record(&game).unwrap().payments, [-3, -1, 2, 2]);
    // The one who dropped is first in line.
    assert_eq!(chouette.order(), [2, 1, 3, 0]);
}

#[test]
fn with_a_cube_for_each_the_box_answers_each() {
    let rules = ChouetteRules { box_passes: BoxPasses::ByBalance, ..each() };
    let mut chouette = chouette(rules, 4);
    let mut game = begun(&chouette, Player::One);
    game.double(&[1, 3]).unwrap();
    game.take(&[1]).unwrap();
    game.drop_offer(&[3]).unwrap();
    game.roll().unwrap();
    game.end_turn().unwrap();
    assert_eq!(game.game_of(1).unwrap().cube().value(), 2);
    assert_eq!(game.game_of(2).unwrap().cube().owner(), CubeOwner::Center);
    assert_eq!(game.game_of(3), None);
    game.roll().unwrap();
    game.win(WinKind::Single).unwrap();
    // Two from the taker, one from the member without a double, one to the one who was dropped.
    assert_eq!(chouette.record(&game).unwrap().payments, [2, -2, -1, 1]);
    assert_eq!(chouette.order()[0], 0);
    let sheet = chouette.sheet().to_string();
    assert!(sheet.starts_with("game  box ") && sheet.contains("  -2  ".trim_end()), "{sheet}");
    let json = serde_json::to_value(chouette.sheet()).unwrap();
    assert_eq!(json["accounts"], serde_json::json!([2, -2, -1, 1]));
}

#[test]
fn a_game_says_who_sits_where_and_what_is_on_the_table() {
    let money = Options { beavers: Beavers::Beavers, ..Options::default() };
    let rules = ChouetteRules { extras: Extras::Mandatory, money, ..each() };
    let names = (0..4).map(|seat| format!("player {seat}")).collect();
    let chouette = Chouette::new(rules.clone(), names, vec![2, 0, 1, 3]).unwrap();
    assert_eq!(chouette.rules(), &rules);
    let mut game = begun(&chouette, Player::One);
    assert_eq!((game.cubes(), game.box_seat()), (TeamCubes::Each, 2));
    assert_eq!(game.team().iter().map(|member| member.seat).collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!(game.on_roll(), Some(Player::Two));
    assert!(game.extras_are_mandatory());
    // One of three may double where each has a cube; the box beavers it.
    game.double(&[1]).unwrap();
    game.beaver(&[1]).unwrap();
    game.take(&[1]).unwrap();
    assert_eq!(game.game_of(1).unwrap().cube().value(), 4);
    assert_eq!(game.game_of(0).unwrap().cube().value(), 1);
    let optional = ChouetteRules { extras: Extras::Optional, ..rules };
    let names = (0..3).map(|seat| format!("player {seat}")).collect();
    let chouette = Chouette::new(optional, names, vec![1, 0, 2]).unwrap();
    let game = begun(&chouette, Player::One);
    assert!(!game.extras_are_mandatory());
    assert_eq!((game.box_seat(), game.extras()), (1, &[][..]));
}

/// One member takes and two drop: one of them pays for an extra and stands by the box.
#[test]
fn who_drops_bets_with_an_extra_against_the_only_taker() {
    for (cubes, winner) in [(TeamCubes::One, Player::Two), (TeamCubes::Each, Player::One)] {
        let rules = ChouetteRules { cubes, extras: Extras::Optional, ..ChouetteRules::default() };
        let mut chouette = chouette(rules, 4);
        let mut game = begun(&chouette, Player::Two);
        assert_eq!(game.cubes(), cubes);
        let twice = game.double(&[1, 1, 2]);
        let found = matches!(twice, Err(ChouetteError::OneCube { .. }));
        assert_eq!(found, cubes == TeamCubes::One, "{twice:?}");
        game.double(&[1, 2, 3]).unwrap();
        game.drop_offer(&[1]).unwrap();
        game.take(&[2]).unwrap();
        assert_eq!(game.open_extras(), [], "an answer is missing");
        game.drop_offer(&[3]).unwrap();
        assert_eq!(game.open_extras(), [(1, 2), (3, 2)]);
        game.extra(3, 2).unwrap();
        assert_eq!(game.extras(), [Extra { giver: 3, taker: 2, paid: 1 }]);
        let again = game.extra(3, 2);
        assert_eq!(again, Err(ChouetteError::Extra { giver: 3, taker: 2, expected: vec![(1, 2)] }));
        game.roll().unwrap();
        assert_eq!(game.open_extras(), []);
        if winner == Player::Two {
            game.end_turn().unwrap();
            game.roll().unwrap();
        }
        game.win(WinKind::Gammon).unwrap();
        // Drops of 1, a gammon at 2, and beside it the extra: 1 paid for a gammon at 2.
        let payments = &chouette.record(&game).unwrap().payments;
        match winner {
            Player::One => assert_eq!(payments[..], [6, -1, -4 - 4 + 1, -1 + 4 - 1]),
            Player::Two => assert_eq!(payments[..], [-2, -1, 4 + 4 + 1, -1 - 4 - 1]),
        }
    }
    // Nothing is given where two take, or where the table does not know extras.
    for (extras, takers) in [(Extras::Mandatory, vec![1, 2]), (Extras::Off, vec![1])] {
        let chouette = chouette(ChouetteRules { extras, ..ChouetteRules::default() }, 4);
        let mut game = begun(&chouette, Player::Two);
        game.double(&[1, 2, 3]).unwrap();
        game.take(&takers).unwrap();
        let rest: Vec<usize> = (1..4).filter(|seat| !takers.contains(seat)).collect();
        game.drop_offer(&rest).unwrap();
        assert_eq!(game.open_extras(), []);
    }
}

#[test]
fn the_sheet_is_written_as_values_too() {
    let names = ["Ann", "Ben, the box", "Cleo \"C\""].map(str::to_owned).to_vec();
    let mut chouette = Chouette::new(ChouetteRules::default(), names, vec![1, 0, 2]).unwrap();
    let mut game = begun(&chouette, Player::One);
    game.double(&[0, 2]).unwrap();
    game.drop_offer(&[0, 2]).unwrap();
    chouette.record(&game).unwrap();
    let expected = "game,box,captain,Ann,\"Ben, the box\",\"Cleo \"\"C\"\"\"\n\
        1,\"Ben, the box\",Ann,1,-2,1\nsum,,,1,-2,1\n";
    assert_eq!(chouette.sheet().to_csv(), expected);
}

#[test]
fn players_join_and_leave_between_games() {
    let mut chouette = chouette(ChouetteRules::default(), 3);
    assert_eq!(chouette.leave(1), Err(ChouetteError::TooFew { found: 2 }));
    assert_eq!(chouette.join("late".to_owned()), 3);
    chouette.leave(0).unwrap();
    assert_eq!(chouette.order(), [1, 2, 3]);
    let mut game = begun(&chouette, Player::One);
    game.double(&[2, 3]).unwrap();
    game.drop_offer(&[2, 3]).unwrap();
    chouette.record(&game).unwrap();
    assert_eq!(chouette.accounts(), [0, -2, 1, 1]);
    let names = vec!["one".to_owned(), "two".to_owned(), "three".to_owned()];
    let rules = ChouetteRules::default;
    assert!(Chouette::new(rules(), names[..2].to_vec(), vec![0, 1]).is_err());
    assert!(Chouette::new(rules(), names, vec![0, 1, 1]).is_err());
}

#[test]
fn ties_are_thrown_again_by_those_who_tied() {
    let mut firsts = [0u32; 5];
    for seed in 0..2000 {
        let order = DiceOrder::throw(5, 6, &mut ChaCha8Rng::seed_from_u64(seed));
        let sorted = order.seats.windows(2).all(|two| order.throws[two[0]] > order.throws[two[1]]);
        assert!(sorted && order.throws.iter().all(|throws| !throws.is_empty()), "{order:?}");
        firsts[order.seats[0]] += 1;
    }
    assert!(firsts.iter().all(|&count| (320..480).contains(&count)), "{firsts:?}");
}

/// Does anything that may be done next.
fn act(game: &mut ChouetteGame, rng: &mut ChaCha8Rng) {
    let running = game.running();
    let pending: Vec<usize> = running
        .iter()
        .copied()
        .filter(|&seat| matches!(game.game_of(seat).unwrap().phase(), GameStage::Offered(_)))
        .collect();
    let some: Vec<usize> = running.iter().copied().filter(|_| rng.random()).collect();
    let win = *[WinKind::Single, WinKind::Gammon, WinKind::Backgammon].choose(rng).unwrap();
    // What the rules forbid is refused and changes nothing.
    let before = game.clone();
    let open = game.open_extras();
    let done = match rng.random_range(0..10) {
        9 => open.choose(rng).map_or(Ok(()), |&(giver, taker)| game.extra(giver, taker)),
        0 => game.double(&running),
        1 => game.double(&some),
        2 => game.take(&pending),
        3 => game.take(&some),
        4 => game.drop_offer(&pending),
        5 => game.drop_offer(&some),
        6 => game.roll(),
        7 => game.end_turn(),
        _ if rng.random_ratio(1, 8) => game.win(win),
        _ => game.beaver(&some),
    };
    if done.is_err() {
        assert_eq!(*game, before);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn accounts_sum_to_zero_and_one_cube_stays_one(
        players in 3usize..9,
        is_each in any::<bool>(),
        by_balance in any::<bool>(),
        with_extras in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let cubes = if is_each { TeamCubes::Each } else { TeamCubes::One };
        let box_passes = if by_balance { BoxPasses::ByBalance } else { BoxPasses::ByBoard };
        let extras = if with_extras { Extras::Optional } else { Extras::Off };
        let money = Options { cube_limit: Some(64), ..Options::default() };
        let mut chouette = chouette(ChouetteRules { cubes, box_passes, extras, money }, players);
        for _ in 0..10 {
            let throw = Opening::OneDieEach.throw(&mut rng);
            let mut game = chouette.begin_game(&throw).unwrap();
            while !game.running().is_empty() {
                act(&mut game, &mut rng);
                let states: Vec<&GameState> =
                    game.running().iter().map(|&seat| game.game_of(seat).unwrap()).collect();
                prop_assert!(states.windows(2).all(|two| two[0].on_roll() == two[1].on_roll()));
                let settled = |game: &&&GameState| game.phase() == GameStage::AfterRoll;
                let rolled: Vec<_> = states.iter().filter(settled).collect();
                if cubes == TeamCubes::One {
                    prop_assert!(rolled.windows(2).all(|two| two[0].cube() == two[1].cube()));
                }
            }
            let order = chouette.order().to_vec();
            let settled = chouette.record(&game).unwrap().clone();
            prop_assert_eq!(settled.payments.iter().sum::<i64>(), 0);
            prop_assert_eq!(settled.accounts.iter().sum::<i64>(), 0);
            let mut sorted = chouette.order().to_vec();
            sorted.sort_unstable();
            prop_assert!(sorted.into_iter().eq(0..players));
            prop_assert!(chouette.order()[0] == order[0] || chouette.order()[players - 1] == order[0]);
        }
    }
}
