//! The fast generator against an obvious one, as sets, on many positions.

use crate::slow;

use std::collections::HashSet;

use tavola_rules::{Backgammon, Dice, Position, movegen};

/// Fails with the position, the roll and what is missing or too much.
#[track_caller]
fn assert_same(position: &Position, dice: Dice) {
    let expected = slow::afterstates(position, dice);
    let mut afterstates = Vec::new();
    movegen::afterstates(position, dice, &mut afterstates);
    let distinct: HashSet<Position> = afterstates.iter().copied().collect();
    assert_eq!(distinct.len(), afterstates.len(), "duplicates for {dice} in {position:?}");
    assert!(
        distinct == expected,
        "{dice} in {position:?}\nmissing: {:?}\ntoo many: {:?}",
        expected.difference(&distinct).collect::<Vec<_>>(),
        distinct.difference(&expected).collect::<Vec<_>>(),
    );
}

#[test]
fn both_generators_agree_on_random_play_of_every_variant() {
    for (seed, game) in Backgammon::ALL.into_iter().enumerate() {
        for (position, dice) in slow::random_play(game, seed as u64).take(15_000) {
            assert_same(&position, dice);
        }
    }
}

#[test]
fn both_generators_agree_on_artificial_positions() {
    let mut no_play = 0;
    for (position, dice) in slow::artificial(11).take(60_000) {
        assert_same(&position, dice);
        no_play += usize::from(slow::afterstates(&position, dice).is_empty());
    }
    // The sample must contain dances, and must not be full of them.
    assert!((1_000..30_000).contains(&no_play), "{no_play} of 60,000 have no play");
}

#[test]
fn all_21_rolls_agree_where_many_can_bear_off() {
    for (position, _) in slow::artificial(12).take(500) {
        for (dice, _) in Dice::ALL {
            assert_same(&position, dice);
        }
    }
}

#[test]
fn nothing_is_left_out_when_results_are_appended() {
    let mut afterstates = Vec::new();
    let mut expected = Vec::new();
    for (position, dice) in slow::artificial(13).take(2_000) {
        let before = afterstates.len();
        movegen::afterstates(&position, dice, &mut afterstates);
        let mut alone = Vec::new();
        movegen::afterstates(&position, dice, &mut alone);
        assert_eq!(afterstates[before..], alone[..], "{dice} in {position:?}");
        expected.extend(alone);
    }
    assert_eq!(afterstates, expected);
}

/// The last checker may be borne off with the 6 alone, but the 2 can be played
/// first, so it must be, and hits.
#[test]
fn a_last_checker_uses_both_dice_if_it_can_even_where_one_would_end_the_game() {
    let position = Position::from_points(&[(4, 1)], &[(23, 1), (1, 3)], 15).unwrap();
    let dice = Dice::new(6, 2).unwrap();
    assert_same(&position, dice);
    let mut afterstates = Vec::new();
    movegen::afterstates(&position, dice, &mut afterstates);
    assert_eq!(afterstates.len(), 1);
    assert_eq!(afterstates[0].bar(), 1, "the blot was hit: {:?}", afterstates[0]);
}
