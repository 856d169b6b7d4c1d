//! Chouette: every case of section J of the rules.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_rules::{
    BoxReply, Chouette, ChouetteCubes, ChouetteError, ChouetteSide, CubeOwner, WinKind,
};

use ChouetteSide::{Box as TheBox, Team};

fn four(cubes: ChouetteCubes) -> Chouette {
    Chouette::new(4, cubes).unwrap()
}

/// BG-58, BG-60: the example of the rules.
#[test]
fn the_box_wins_a_gammon_with_cube_2_and_gets_12() {
    let mut chouette = four(ChouetteCubes::One);
    let mut game = chouette.begin();
    game.double(TheBox, None).unwrap();
    for member in [1, 2, 3] {
        game.take(member).unwrap();
        assert_eq!(game.cube(member).unwrap().owner(), CubeOwner::Player);
    }
    game.win(TheBox, WinKind::Gammon).unwrap();
    chouette.record(&game).unwrap();
    assert_eq!(chouette.balances(), [12, -4, -4, -4]);
}

/// BG-60.
#[test]
fn the_box_pays_everybody_if_it_loses() {
    let mut chouette = four(ChouetteCubes::One);
    let mut game = chouette.begin();
    game.win(Team, WinKind::Backgammon).unwrap();
    chouette.record(&game).unwrap();
    assert_eq!(chouette.balances(), [-9, 3, 3, 3]);
}

/// BG-61.
#[test]
fn seats_rotate_by_who_wins() {
    let mut chouette = four(ChouetteCubes::One);
    assert_eq!((chouette.box_player(), chouette.captain()), (0, 1));
    // The box wins: it stays, the captain goes to the end.
    let mut game = chouette.begin();
    game.win(TheBox, WinKind::Single).unwrap();
    chouette.record(&game).unwrap();
    assert_eq!(chouette.order(), [0, 2, 3, 1]);
    // The box loses: the captain takes its place, it goes to the end.
    let mut game = chouette.begin();
    game.win(Team, WinKind::Single).unwrap();
    chouette.record(&game).unwrap();
    assert_eq!(chouette.order(), [2, 3, 1, 0]);
    assert_eq!(chouette.games(), 2);
    assert_eq!(chouette.balances().iter().sum::<i64>(), 0);
}

/// BG-63.
#[test]
fn a_member_may_drop_alone_and_pays_the_old_value() {
    let mut chouette = four(ChouetteCubes::One);
    let mut game = chouette.begin();
    game.double(TheBox, None).unwrap();
    game.take(1).unwrap();
    game.drop_offer(3).unwrap();
    game.take(2).unwrap();
    assert!(!game.is_playing(3) && game.captain() == Some(1));
    game.win(Team, WinKind::Single).unwrap();
    chouette.record(&game).unwrap();
    assert_eq!(chouette.balances(), [-3, 2, 2, -1]);
    assert_eq!(chouette.order(), [1, 2, 3, 0]);
}

/// BG-62, BG-63.
#[test]
fn if_the_captain_drops_the_next_taker_is_captain() {
    let mut chouette = four(ChouetteCubes::One);
    let mut game = chouette.begin();
    game.double(TheBox, None).unwrap();
    game.drop_offer(1).unwrap();
    game.drop_offer(2).unwrap();
    game.take(3).unwrap();
    assert_eq!(game.captain(), Some(3));
    game.win(Team, WinKind::Gammon).unwrap();
    chouette.record(&game).unwrap();
    assert_eq!(chouette.balances(), [1 + 1 - 4, -1, -1, 4]);
    // The acting captain has won the box; those who dropped as captains follow as they dropped.
    assert_eq!(chouette.order(), [3, 1, 2, 0]);
}

/// BG-61, BG-63.
#[test]
fn everybody_drops_and_the_box_stays() {
    let mut chouette = four(ChouetteCubes::One);
    let mut game = chouette.begin();
    game.double(TheBox, None).unwrap();
    for member in [2, 1, 3] {
        assert!(!game.is_over());
        game.drop_offer(member).unwrap();
    }
    assert!(game.is_over());
    assert_eq!(game.win(Team, WinKind::Single), Err(ChouetteError::GameOver));
    chouette.record(&game).unwrap();
    assert_eq!(chouette.balances(), [3, -1, -1, -1]);
    assert_eq!(chouette.box_player(), 0);
}

/// BG-60, BG-61, BG-63.
#[test]
fn the_box_drops_to_the_whole_team_and_loses_its_seat() {
    let mut chouette = four(ChouetteCubes::One);
    let mut game = chouette.begin();
    game.double(Team, None).unwrap();
    game.drop_offer(0).unwrap();
    chouette.record(&game).unwrap();
    assert_eq!(chouette.balances(), [-3, 1, 1, 1]);
    assert_eq!(chouette.order(), [1, 2, 3, 0]);
}

/// BG-63: the option.
#[test]
fn cubes_of_their_own_are_turned_and_paid_apart() {
    let mut chouette = four(ChouetteCubes::Individual);
    let mut game = chouette.begin();
    game.double(Team, Some(2)).unwrap();
    game.box_answers(2, BoxReply::Take).unwrap();
    game.double(TheBox, Some(3)).unwrap();
    game.take(3).unwrap();
    let value = |game: &tavola_rules::ChouetteGame, player| game.cube(player).unwrap().value();
    assert_eq!([1, 2, 3].map(|player| value(&game, player)), [1, 2, 2]);
    // 3 owns his cube and redoubles, the box owns that of 2.
    game.double(Team, Some(3)).unwrap();
    game.box_answers(3, BoxReply::Drop).unwrap();
    assert!(!game.is_playing(3));
    assert_eq!(
        game.double(Team, Some(2)),
        Err(ChouetteError::NotAvailable { player: 2, side: Team })
    );
    game.win(TheBox, WinKind::Gammon).unwrap();
    chouette.record(&game).unwrap();
    assert_eq!(chouette.balances(), [2 + 4 - 2, -2, -4, 2]);
    assert_eq!(chouette.balances().iter().sum::<i64>(), 0);
}

/// BG-63: the option.
#[test]
fn without_a_name_a_side_turns_every_cube_that_it_may_turn() {
    let chouette = four(ChouetteCubes::Individual);
    let mut game = chouette.begin();
    game.double(Team, Some(1)).unwrap();
    game.box_answers(1, BoxReply::Take).unwrap();
    // The box owns the cube of 1, the others are centred.
    game.double(Team, None).unwrap();
    game.take(0).unwrap();
    assert_eq!([1, 2, 3].map(|player| game.cube(player).unwrap().value()), [2, 2, 2]);
    assert_eq!(game.double(Team, None), Err(ChouetteError::NotAvailable { player: 1, side: Team }));
    game.double(TheBox, None).unwrap();
    assert_eq!(game.win(Team, WinKind::Single), Err(ChouetteError::OfferPending { player: 1 }));
}

/// BG-58, BG-63.
#[test]
fn what_is_not_allowed_is_refused_with_the_reason() {
    let chouette = four(ChouetteCubes::One);
    let mut game = chouette.begin();
    let before = game.clone();
    assert_eq!(game.double(Team, Some(2)), Err(ChouetteError::OneCube { player: 2 }));
    assert_eq!(game.take(0), Err(ChouetteError::NothingOffered { player: 0 }));
    assert_eq!(game.drop_offer(1), Err(ChouetteError::NothingOffered { player: 1 }));
    assert_eq!(game.take(9), Err(ChouetteError::NotPlaying { player: 9 }));
    assert_eq!(game.payments(), Err(ChouetteError::GameRunning));
    assert_eq!(game, before);
    game.double(TheBox, None).unwrap();
    assert_eq!(game.double(TheBox, None), Err(ChouetteError::OfferPending { player: 1 }));
    assert_eq!(game.take(0), Err(ChouetteError::NothingOffered { player: 0 }), "it has doubled");
    for member in [1, 2, 3] {
        game.take(member).unwrap();
    }
    assert_eq!(
        game.double(TheBox, None),
        Err(ChouetteError::NotAvailable { player: 1, side: TheBox })
    );
    assert_eq!(chouette.clone().record(&game), Err(ChouetteError::GameRunning));
    let mut other = Chouette::seated(&[3, 2, 1, 0], ChouetteCubes::One).unwrap();
    assert_eq!(other.record(&game), Err(ChouetteError::OtherTable));
    for players in [0, 2, 33] {
        let found = players;
        assert_eq!(
            Chouette::new(players, ChouetteCubes::One),
            Err(ChouetteError::Players { found })
        );
    }
    assert_eq!(
        Chouette::seated(&[0, 1, 1], ChouetteCubes::One),
        Err(ChouetteError::Order { players: 3 })
    );
}

/// BG-59.
#[test]
fn seats_that_were_rolled_for_hold_everybody_once() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut boxes = [0; 3];
    for _ in 0..300 {
        let chouette = Chouette::rolled(3, ChouetteCubes::One, &mut rng).unwrap();
        let mut order = chouette.order().to_vec();
        boxes[order[0]] += 1;
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2]);
    }
    assert!(boxes.iter().all(|&often| often > 60), "{boxes:?}");
}
