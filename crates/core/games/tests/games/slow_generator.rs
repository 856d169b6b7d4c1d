//! The engine against a slow reading of the rules, over random games, and how these end.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use tavola_games::state::{
    BAR, BARATAS, FIRST_TURN, HAND, INHERITED, MARKED, MARKED_OFF, OFF, OPPONENT_BAR,
    OPPONENT_HAND, OPPONENT_OFF, OPPONENT_TALLY, WAIT,
};
use tavola_games::{OldGame, OldState};
use tavola_rules::{Game, Outcome};

use crate::slow::{self, Board, Name};

const NAMES: [(Name, &str); 6] = [
    (Name::Tabula, "tabula"),
    (Name::Puff, "puff"),
    (Name::Fallas, "fallas"),
    (Name::Emperador, "emperador"),
    (Name::Buffa, "buffa"),
    (Name::TodasTablas, "todas-tablas"),
];

fn board(name: Name, state: &OldState) -> Board {
    let cells = state.cells();
    let own = |index: usize| cells[index].max(0) as u8;
    let other = |index: usize| (-cells[index]).max(0) as u8;
    let mut board = Board {
        my_hand: own(HAND),
        their_hand: other(OPPONENT_HAND),
        my_bar: own(BAR),
        their_bar: other(OPPONENT_BAR),
        my_off: own(OFF),
        their_off: other(OPPONENT_OFF),
        ..Board::default()
    };
    for point in 1..=24 {
        (board.mine[point], board.theirs[point]) = (own(point), other(point));
        if name == Name::Fallas {
            let index = MARKED + point - 1;
            (board.my_marked[point], board.their_marked[point]) = (own(index), other(index));
        }
    }
    if name == Name::Fallas {
        (board.my_marked_off, board.their_marked_off) = (own(MARKED_OFF), other(OPPONENT_TALLY));
    }
    board
}

/// The boards after the play, from the player who made it.
fn found(name: Name, game: &OldGame, afterstates: &[OldState]) -> BTreeSet<Board> {
    afterstates.iter().map(|state| board(name, &game.flip(state))).collect()
}

/// Plays random games until this number of rolls were compared.
fn compare(name: Name, id: &str, rolls: usize) {
    let game = OldGame::new(id.parse().unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(id.len() as u64);
    let (mut afterstates, mut compared) = (Vec::new(), 0);
    while compared < rolls {
        let mut state = game.start();
        while game.outcome(&state).is_none() && compared < rolls {
            let dice = game.roll(&mut rng);
            afterstates.clear();
            game.afterstates(&state, dice, &mut afterstates);
            assert!(!afterstates.is_empty());
            let distinct: std::collections::HashSet<_> = afterstates.iter().collect();
            assert_eq!(distinct.len(), afterstates.len(), "{}", game.write_position(&state));
            check(name, &game, &state, dice.numbers(), &afterstates);
            compared += 1;
            state = *afterstates.choose(&mut rng).unwrap();
        }
    }
}

fn check(name: Name, game: &OldGame, state: &OldState, dice: &[u8], afterstates: &[OldState]) {
    let described = || format!("{} with {dice:?}", game.write_position(state));
    let before = board(name, state);
    let cells = state.cells();
    if name == Name::Buffa && cells[WAIT] > 0 {
        assert_eq!(afterstates.len(), 1, "{}", described());
        assert_eq!(found(name, game, afterstates), BTreeSet::from([before]), "{}", described());
        return;
    }
    let inherited: Vec<u8> = match name {
        Name::Buffa => {
            (1..=6).flat_map(|n| vec![n; cells[INHERITED - 1 + usize::from(n)] as usize]).collect()
        }
        _ => Vec::new(),
    };
    if !inherited.is_empty() {
        assert_eq!(
            found(name, game, afterstates),
            slow::any_use(&before, &inherited),
            "{}",
            described()
        );
        assert!(afterstates.iter().all(|after| after.cells()[WAIT] == 1), "{}", described());
        return;
    }
    if name == Name::Emperador && slow::locked_out(&before) {
        assert_eq!(afterstates.len(), 1, "{}", described());
        assert_eq!(-afterstates[0].cells()[OPPONENT_TALLY], cells[BARATAS] + 1, "{}", described());
        assert_eq!(found(name, game, afterstates), BTreeSet::from([before]), "{}", described());
        return;
    }
    let is_first = matches!(name, Name::Tabula | Name::Buffa) && cells[FIRST_TURN] == 1;
    let (expected, unused) = slow::ends(name, &before, dice, is_first);
    assert_eq!(found(name, game, afterstates), expected, "{}", described());
    if name == Name::Buffa {
        for after in afterstates {
            let mut left: Vec<u8> = (1..=6)
                .flat_map(|n| vec![n; after.cells()[INHERITED - 1 + usize::from(n)] as usize])
                .collect();
            let heir = board(name, after);
            // Neither player inherits from a game that is won.
            let goes_on = game.outcome(after).is_none();
            let usable = goes_on && slow::any_use(&heir, &unused).len() > 1;
            let mut expected = if usable { unused.clone() } else { Vec::new() };
            left.sort_unstable();
            expected.sort_unstable();
            assert_eq!(left, expected, "{} to {}", described(), game.write_position(after));
        }
    }
}

#[test]
fn tabula_agrees_with_the_slow_generator() {
    compare(Name::Tabula, "tabula", 1500);
}

#[test]
fn puff_agrees_with_the_slow_generator() {
    compare(Name::Puff, "puff", 3000);
}

#[test]
fn fallas_agrees_with_the_slow_generator() {
    compare(Name::Fallas, "fallas", 2500);
}

#[test]
fn emperador_agrees_with_the_slow_generator() {
    compare(Name::Emperador, "emperador", 2000);
}

#[test]
fn buffa_agrees_with_the_slow_generator() {
    compare(Name::Buffa, "buffa", 1500);
}

#[test]
fn todas_tablas_agrees_with_the_slow_generator() {
    compare(Name::TodasTablas, "todas-tablas", 3000);
    compare(Name::TodasTablas, "todas-tablas:dice=3", 1500);
}

/// As many as in the other games, whose tests are quick enough to take them all.
#[test]
#[ignore = "takes minutes"]
fn twenty_thousand_rolls_of_each_game_agree() {
    for (name, id) in NAMES {
        compare(name, id, 20_000);
    }
}

#[test]
fn random_games_end_by_the_rules() {
    for (name, id) in NAMES {
        let game = OldGame::new(id.parse().unwrap());
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut afterstates = Vec::new();
        for number in 0..20 {
            let mut state = game.start();
            let mut turns = 0;
            let outcome = loop {
                if let Some(outcome) = game.outcome(&state) {
                    break outcome;
                }
                turns += 1;
                assert!(turns < 5000, "{id}: game {number} goes on");
                afterstates.clear();
                game.afterstates(&state, game.roll(&mut rng), &mut afterstates);
                state = *afterstates.choose(&mut rng).unwrap();
            };
            check_end(name, &game, &state, outcome);
        }
    }
}

/// Whether the end follows from the rules as the slow reading has them.
fn check_end(name: Name, game: &OldGame, state: &OldState, outcome: Outcome) {
    let (here, there) = (board(name, state), board(name, &game.flip(state)));
    let done = |board: &Board| match name {
        Name::Fallas => board.my_marked_off == 2,
        _ => board.my_off == 15,
    };
    let expected = if done(&here) {
        Outcome::WinSingle
    } else if done(&there) {
        Outcome::LoseSingle
    } else if name == Name::Emperador && slow::locked_out(&here) {
        assert_eq!(state.cells()[BARATAS], 3, "{}", game.write_position(state));
        Outcome::LoseSingle
    } else {
        let stuck = !slow::can_move(name, &here) && !slow::can_move(name, &there);
        assert!(stuck, "{}", game.write_position(state));
        Outcome::Draw
    };
    assert_eq!(outcome, expected, "{}", game.write_position(state));
}

#[test]
fn a_position_in_which_nobody_can_ever_move_is_drawn() {
    // Both hold all six points on which the other's marked checkers have to enter.
    let fallas = OldGame::new("fallas".parse().unwrap());
    let side = "19:3 20:2 21:2 22:2 23:2 24:2 bar:2";
    let state = fallas.parse_position(&format!("{side} / {side}")).unwrap();
    assert_eq!(fallas.outcome(&state), Some(Outcome::Draw));
    let open = "19:3 20:2 21:2 22:2 23:4 bar:2";
    for text in [format!("{side} / {open}"), format!("{open} / {side}")] {
        let state = fallas.parse_position(&text).unwrap();
        assert_eq!(fallas.outcome(&state), None, "{text}");
    }
    // All entry points of both sides are closed by their own checkers. With the usual rule these
    // are Baratas, which end the game by and by.
    let side = "1:1 2:1 3:1 4:1 5:1 6:1 13:8 bar:1";
    let text = format!("{side} / {side}");
    for (id, expected) in
        [("emperador:barata=historical", Some(Outcome::Draw)), ("emperador", None)]
    {
        let game = OldGame::new(id.parse().unwrap());
        assert_eq!(game.outcome(&game.parse_position(&text).unwrap()), expected, "{id}");
    }
}
