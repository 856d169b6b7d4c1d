//! Golden cases of the rules: start, movement, bar, obligation to play, bearing off.
//!
//! Expected afterstates are written as plays and carried out by a few lines of code here, which
//! check nothing but the hits, so that the exact positions are compared, not only their number.

use std::collections::HashSet;

use tavola_rules::{Backgammon, Dice, Game, Outcome, Position, movegen};

fn afterstates(position: &Position, dice: &str) -> Vec<Position> {
    let mut afterstates = Vec::new();
    movegen::afterstates(position, dice.parse().unwrap(), &mut afterstates);
    afterstates
}

/// The position after a play such as `24/18 13/8(2)` or `bar/23*/22`, seen by the opponent.
fn after(position: &Position, play: &str) -> Position {
    let mut counts = position.counts();
    for part in play.split_whitespace() {
        let (part, times) = match part.split_once('(') {
            Some((part, times)) => (part, times.trim_end_matches(')').parse().unwrap()),
            None => (part, 1),
        };
        let stops: Vec<(usize, bool)> = part
            .split('/')
            .map(|stop| {
                let point = match stop.trim_end_matches('*') {
                    "bar" => 25,
                    "off" => 0,
                    number => number.parse().unwrap(),
                };
                (point, stop.ends_with('*'))
            })
            .collect();
        for _ in 0..times {
            for step in stops.windows(2) {
                let ((from, _), (to, hits)) = (step[0], step[1]);
                assert!(counts[from] > 0, "{play}: nobody on {from}");
                counts[from] -= 1;
                if to == 0 {
                    continue;
                }
                assert_eq!(hits, counts[to] == -1, "{play}: hit on {to}");
                if hits {
                    counts[to] = 0;
                    counts[0] -= 1;
                }
                counts[to] += 1;
            }
        }
    }
    Position::from_counts(&counts, position.checkers()).unwrap().flip()
}

/// Compares all afterstates of a roll with the list of plays.
#[track_caller]
fn assert_plays(position: &Position, dice: &str, plays: &[&str]) {
    let found = afterstates(position, dice);
    let expected: HashSet<Position> = plays.iter().map(|play| after(position, play)).collect();
    assert_eq!(expected.len(), plays.len(), "two plays of the list lead to the same position");
    let distinct: HashSet<Position> = found.iter().copied().collect();
    assert_eq!(distinct.len(), found.len(), "a result is listed twice");
    for play in plays {
        assert!(distinct.contains(&after(position, play)), "{dice}: {play} is missing");
    }
    for result in &found {
        assert!(expected.contains(result), "{dice}: {result:?} (seen by the opponent) is illegal");
    }
}

// A: set-up.

#[test]
fn start_position_has_the_usual_checkers() {
    let start = Backgammon::Standard.start();
    let expected = Position::from_points(
        &[(24, 2), (13, 5), (8, 3), (6, 5)],
        &[(24, 2), (13, 5), (8, 3), (6, 5)],
        15,
    )
    .unwrap();
    assert_eq!(start, expected);
    assert_eq!((start.pip_count(), start.opponent_pip_count()), (167, 167));
}

#[test]
fn every_variant_starts_with_the_same_checkers_on_both_sides() {
    for (game, pips, checkers) in [
        (Backgammon::Standard, 167, 15),
        (Backgammon::Nackgammon, 194, 15),
        (Backgammon::Hypergammon, 69, 3),
        (Backgammon::Longgammon, 360, 15),
    ] {
        let start = game.start();
        assert_eq!((start.pip_count(), start.opponent_pip_count()), (pips, pips), "{game:?}");
        assert_eq!((start.checkers(), game.checkers()), (checkers, checkers), "{game:?}");
        assert_eq!(start.flip(), start, "{game:?}");
    }
}

// C: movement.

#[test]
fn start_position_has_447_results_over_the_21_rolls() {
    let expected = [
        ("11", 42),
        ("21", 15),
        ("22", 75),
        ("31", 16),
        ("32", 17),
        ("33", 73),
        ("41", 14),
        ("42", 18),
        ("43", 17),
        ("44", 52),
        ("51", 8),
        ("52", 8),
        ("53", 9),
        ("54", 9),
        ("55", 4),
        ("61", 10),
        ("62", 14),
        ("63", 14),
        ("64", 14),
        ("65", 7),
        ("66", 11),
    ];
    for (dice, count) in expected {
        assert_eq!(afterstates(&Position::STANDARD, dice).len(), count, "{dice}");
    }
    assert_eq!(expected.iter().map(|&(_, count)| count).sum::<usize>(), 447);
    assert_eq!(expected.len(), Dice::ALL.len());
}

#[test]
fn six_five_from_the_start_has_these_seven_results() {
    assert_plays(
        &Position::STANDARD,
        "65",
        &["24/13", "24/18 13/8", "24/18 8/3", "13/7 13/8", "13/7 8/3", "13/2", "8/2 8/3"],
    );
}

#[test]
fn six_three_from_the_start_allows_a_checker_to_use_both_dice() {
    let start = Position::STANDARD;
    let found = afterstates(&start, "63");
    assert_eq!(found.len(), 14);
    assert!(found.contains(&after(&start, "24/18 13/10")));
    assert!(found.contains(&after(&start, "24/18/15")));
}

#[test]
fn no_play_where_every_landing_point_is_closed() {
    let blocked = Position::from_points(
        &[(24, 1), (6, 14)],
        &[(4, 2), (6, 2), (24, 2), (20, 2), (22, 2), (21, 2), (23, 3)],
        15,
    )
    .unwrap();
    assert_plays(&blocked, "53", &[]);
    // As a step of the game loop, that is a pass.
    let mut passed = Vec::new();
    Backgammon::Standard.afterstates(&blocked, "53".parse().unwrap(), &mut passed);
    assert_eq!(passed, [blocked.flip()]);
}

// D: blots, hitting, the bar.

#[test]
fn a_second_checker_on_the_bar_costs_the_die_that_cannot_enter() {
    let position = Position::from_points(
        &[(25, 2), (13, 5), (8, 3), (6, 5)],
        &[(4, 2), (13, 5), (8, 3), (6, 5)],
        15,
    )
    .unwrap();
    assert_plays(&position, "42", &["bar/23"]);
}

#[test]
fn nobody_enters_a_closed_board() {
    let position = Position::from_points(
        &[(25, 1), (13, 5), (8, 3), (6, 6)],
        &[(6, 2), (5, 2), (4, 2), (3, 2), (2, 2), (1, 2), (13, 3)],
        15,
    )
    .unwrap();
    for (dice, _) in Dice::ALL {
        assert_plays(&position, &dice.to_string(), &[]);
    }
}

#[test]
fn entering_with_a_hit_differs_from_entering_beside_the_blot() {
    let position = Position::from_points(
        &[(25, 1), (13, 6), (8, 3), (6, 5)],
        &[(2, 1), (13, 5), (8, 4), (6, 5)],
        15,
    )
    .unwrap();
    assert_plays(
        &position,
        "21",
        &[
            "bar/23*/22",
            "bar/23* 8/7",
            "bar/23* 6/5",
            "bar/24/22",
            "bar/24 13/11",
            "bar/24 8/6",
            "bar/24 6/4",
        ],
    );
}

#[test]
fn one_of_eighteen_results_hits_two_blots() {
    let position = Position::from_points(
        &[(24, 2), (13, 5), (8, 3), (6, 5)],
        &[(21, 1), (20, 1), (13, 5), (8, 3), (6, 5)],
        15,
    )
    .unwrap();
    let found = afterstates(&position, "31");
    assert_eq!(found.len(), 18);
    // Seen by the opponent, it is the opponent who is on the bar.
    let double_hits: Vec<_> = found.iter().filter(|result| result.bar() == 2).collect();
    assert_eq!(double_hits, [&after(&position, "8/5*/4*")]);
}

// E: obligation to play.

#[test]
fn both_dice_must_be_played_if_there_is_a_way() {
    let position = Position::from_points(
        &[(13, 2), (6, 5), (5, 5), (3, 3)],
        &[(18, 2), (13, 3), (7, 2), (6, 4), (5, 4)],
        15,
    )
    .unwrap();
    assert_plays(&position, "63", &["13/10/4"]);
}

#[test]
fn larger_die_must_be_played_when_only_one_fits() {
    let position =
        Position::from_points(&[(20, 1)], &[(14, 2), (17, 3), (19, 5), (20, 5)], 15).unwrap();
    assert_eq!(position.off(), 14);
    assert_plays(&position, "63", &["20/14"]);
}

#[test]
fn smaller_die_is_played_when_the_larger_cannot() {
    let position =
        Position::from_points(&[(20, 1)], &[(14, 2), (11, 2), (19, 5), (20, 6)], 15).unwrap();
    assert_plays(&position, "63", &["20/17"]);
}

#[test]
fn a_double_is_played_as_far_as_it_goes() {
    let one = Position::from_points(
        &[(24, 1), (13, 1), (6, 3)],
        &[(13, 3), (24, 2), (23, 2), (6, 5), (14, 1), (18, 2)],
        15,
    )
    .unwrap();
    assert_plays(&one, "66", &["24/18"]);
    let three = Position::from_points(&[(13, 3), (6, 12)], &[(22, 2), (24, 2), (8, 3), (6, 8)], 15)
        .unwrap();
    assert_plays(&three, "55", &["13/8(3)"]);
}

// F: bearing off.

#[test]
fn the_lower_number_may_be_played_first_in_the_bear_off() {
    let position = Position::from_points(&[(4, 2), (1, 2)], &[(1, 2), (6, 13)], 15).unwrap();
    assert_plays(&position, "61", &["4/off 1/off", "4/3 4/off"]);
    let left: HashSet<Vec<(usize, i8)>> = afterstates(&position, "61")
        .iter()
        .map(|result| {
            let result = result.flip();
            (1..=24).map(|p| (p, result.point(p))).filter(|&(_, n)| n > 0).collect()
        })
        .collect();
    assert_eq!(left, HashSet::from([vec![(1, 1), (4, 1)], vec![(1, 2), (3, 1)]]));
}

#[test]
fn a_number_without_a_checker_moves_one_from_a_higher_point() {
    let position = Position::from_points(&[(6, 1), (4, 1)], &[(1, 2), (6, 13)], 15).unwrap();
    assert_eq!(position.off(), 13);
    // 4/off with the 5 while a checker stands on 6 would leave the 6 point for the 2: illegal.
    assert_plays(&position, "52", &["6/1 4/2", "6/4/off"]);
}

#[test]
fn bearing_off_begins_within_a_roll_once_all_are_home() {
    let position = Position::from_points(&[(7, 1), (5, 2)], &[(1, 2), (5, 13)], 15).unwrap();
    assert_plays(&position, "65", &["7/1 5/off", "7/2 5/off"]);
}

#[test]
fn a_checker_on_the_bar_stops_the_bear_off() {
    let position =
        Position::from_points(&[(25, 1), (6, 3), (4, 2)], &[(1, 3), (6, 2), (5, 2), (4, 8)], 15)
            .unwrap();
    assert_eq!(position.off(), 9);
    assert_plays(&position, "65", &[]);
}

#[test]
fn checkers_that_cannot_come_home_stop_the_bear_off() {
    let position = Position::from_points(&[(8, 2), (6, 1)], &[(21, 2), (1, 13)], 15).unwrap();
    assert_plays(&position, "44", &["6/2"]);
}

#[test]
fn a_gap_in_the_home_board_forces_a_play_from_the_six_point() {
    let position =
        Position::from_points(&[(6, 3), (4, 3)], &[(1, 3), (6, 11), (22, 1)], 15).unwrap();
    assert_plays(&position, "53", &["6/1 6/3*", "6/1 4/1"]);
}

#[test]
fn the_game_ends_with_the_last_checker_whatever_dice_are_left() {
    let position = Position::from_points(&[(2, 1)], &[(1, 2), (6, 12)], 15).unwrap();
    for dice in ["61", "66", "32"] {
        let found = afterstates(&position, dice);
        assert_eq!(found.len(), 1, "{dice}");
        assert_eq!(Outcome::of(&found[0]), Some(Outcome::LoseSingle), "{dice}");
    }
    // The opponent has one checker off; without it, it is a gammon.
    let gammon = Position::from_points(&[(2, 1)], &[(1, 2), (6, 13)], 15).unwrap();
    assert_eq!(Outcome::of(&afterstates(&gammon, "21")[0]), Some(Outcome::LoseGammon));
    let backgammon = Position::from_points(&[(2, 1)], &[(1, 2), (6, 12), (19, 1)], 15).unwrap();
    assert_eq!(Outcome::of(&afterstates(&backgammon, "21")[0]), Some(Outcome::LoseBackgammon));
}
