//! The golden cases of the rules, each named after its game and number.

use tavola_games::{OldGame, OldState, TablesDice};
use tavola_rules::{Game, Outcome};

fn game(id: &str) -> OldGame {
    OldGame::new(id.parse().unwrap())
}

fn dice(text: &str) -> TablesDice {
    text.parse().unwrap()
}

fn afterstates(game: &OldGame, position: &str, roll: &str) -> Vec<OldState> {
    let state = game.parse_position(position).unwrap();
    assert_eq!(game.outcome(&state), None, "{position} goes on");
    let mut afterstates = Vec::new();
    game.afterstates(&state, dice(roll), &mut afterstates);
    afterstates
}

/// What the mover has after each result, sorted.
fn own(game: &OldGame, position: &str, roll: &str) -> Vec<String> {
    let side = |state: &OldState| {
        let text = game.write_position(&game.flip(state));
        text.split_once(" / ").unwrap().0.to_owned()
    };
    let mut sides: Vec<String> = afterstates(game, position, roll).iter().map(side).collect();
    sides.sort_unstable();
    sides
}

/// What the opponent has after each result, seen by himself.
fn other(game: &OldGame, position: &str, roll: &str) -> Vec<String> {
    let text = |state: &OldState| game.write_position(state);
    let side = |text: String| text.split_once(" / ").unwrap().0.to_owned();
    afterstates(game, position, roll).iter().map(text).map(side).collect()
}

#[track_caller]
fn check(game: &OldGame, position: &str, roll: &str, expected: &[&str]) {
    let mut expected: Vec<_> = expected.iter().map(|text| (*text).to_owned()).collect();
    expected.sort_unstable();
    assert_eq!(own(game, position, roll), expected, "{position} with {roll}");
}

const NOTHING_MOVED: &str = "start";

#[test]
fn tabula_1_the_first_turn_enters_every_die() {
    check(&game("tabula"), NOTHING_MOVED, "3-5-6", &["3:1 5:1 6:1 hand:12"]);
}

#[test]
fn tabula_2_a_closed_die_of_the_first_turn_is_lost_and_the_others_may_hit() {
    let (game, position) = (game("tabula"), "hand:15 first / 3:2 5:1 hand:12");
    check(&game, position, "3-5-5", &["5:2 hand:13"]);
    assert_eq!(other(&game, position, "3-5-5"), ["3:2 bar:1 hand:12"]);
}

#[test]
fn tabula_3_the_last_of_the_hand_enters_before_anything_leaves_the_quarter() {
    let game = game("tabula");
    let found = own(&game, "2:7 5:7 hand:1 / 12:15", "6-6-4");
    assert_eq!(found.len(), 13, "{found:?}");
    assert!(found.iter().all(|side| !side.contains("hand")), "{found:?}");
    // In with the 4, 2-8, 2-8; in with a 6, 2-6, 5-11.
    for side in ["2:5 4:1 5:7 8:2", "2:6 5:6 6:2 11:1"] {
        assert!(found.iter().any(|found| found == side), "{side} in {found:?}");
    }
}

#[test]
fn tabula_4_only_the_open_die_enters_and_then_all_are_free() {
    let (game, position) = (game("tabula"), "10:14 bar:1 / 1:2 4:2 5:1 20:10");
    let expected =
        ["10:15", "6:1 10:13 14:1", "9:1 10:13 11:1", "5:1 10:12 11:1 14:1", "5:1 10:13 15:1"];
    check(&game, position, "4-1-5", &expected);
    assert!(other(&game, position, "4-1-5").iter().all(|side| side.contains("bar:1")));
}

#[test]
fn tabula_5_bearing_off_with_higher_dice_takes_the_rearmost() {
    let expected = [
        "22:1 off:14",
        "22:1 24:1 off:13",
        "23:1 24:1 off:13",
        "22:2 off:13",
        "22:1 23:1 24:1 off:12",
    ];
    check(&game("tabula"), "19:1 22:2 24:1 off:11 / 1:15", "6-3-1", &expected);
}

#[test]
fn tabula_6_nobody_bears_off_while_a_checker_is_outside() {
    let game = game("tabula");
    // The 1 is closed from 20 and from 6, and lands nowhere: the 5 alone is played.
    let position = "6:1 20:1 off:13 / 21:2 7:2 12:2 1:9";
    check(&game, position, "5-1-1", &["11:1 20:1 off:13"]);
    let state = game.parse_position(position).unwrap();
    assert_eq!(game.plays(&state, dice("5-1-1"))[0].0.to_string(), "6-11");
}

#[test]
fn puff_1_the_low_die_enters_first() {
    check(&game("puff"), NOTHING_MOVED, "5-2", &["2:1 5:1 hand:13"]);
}

#[test]
fn puff_2_a_double_is_followed_by_the_opposite_faces() {
    check(&game("puff"), NOTHING_MOVED, "4-4", &["3:2 4:2 hand:11"]);
}

#[test]
fn puff_3_both_single_checkers_are_hit_into_the_hand() {
    let (game, position) = (game("puff"), "hand:15 / 5:1 2:1 hand:13");
    check(&game, position, "5-2", &["2:1 5:1 hand:13"]);
    assert_eq!(other(&game, position, "5-2"), ["hand:15"]);
}

#[test]
fn puff_4_the_turn_is_lost_if_the_low_die_is_closed() {
    check(&game("puff"), "4:15 / 6:2 1:13", "5-2", &["4:15"]);
}

#[test]
fn puff_5_a_third_checker_may_not_land_on_the_middle_points() {
    let expected = ["5:12 7:1 8:1 11:1", "5:12 8:2 10:1", "5:13 10:1 11:1"];
    check(&game("puff"), "5:13 8:2 / 1:15", "3-2", &expected);
}

#[test]
fn puff_6_a_checker_that_has_moved_rests() {
    check(&game("puff"), "20:1 off:14 / 1:15", "3-1", &["21:1 off:14"]);
}

#[test]
fn puff_7_after_the_last_has_entered_another_may_move_on() {
    check(&game("puff"), "6:14 hand:1 / 20:15", "4-1", &["1:1 6:13 10:1"]);
}

#[test]
fn puff_8_a_double_six_is_two_sixes_and_two_ones_by_four_checkers() {
    let game = game("puff");
    let position = "1:4 3:4 5:4 22:3 / 24:15";
    let plays = game.plays(&game.parse_position(position).unwrap(), dice("6-6"));
    assert!(!plays.is_empty());
    for (play, _) in plays {
        let steps: Vec<String> = play.steps().iter().map(ToString::to_string).collect();
        assert_eq!(steps.len(), 4, "{play}");
        let pips = |step: &String| {
            let (from, to) = step.split_once('-').unwrap();
            to.parse::<i32>().unwrap() - from.parse::<i32>().unwrap()
        };
        assert_eq!(steps.iter().map(pips).collect::<Vec<_>>(), [6, 6, 1, 1], "{play}");
    }
    // With three checkers, three numbers are played and the last 1 is lost.
    check(&game, "2:3 off:12 / 20:15", "6-6", &["3:1 8:2 off:12"]);
}

#[test]
fn fallas_1_nothing_moves_with_three_fives_at_the_start() {
    check(&game("fallas"), NOTHING_MOVED, "5-5-5", &["m1:2 19:13"]);
    let historical = game("fallas:historical_fail=on");
    let after = afterstates(&historical, NOTHING_MOVED, "5-5-5");
    assert_eq!(after.len(), 1);
    assert_eq!(historical.outcome(&after[0]), Some(Outcome::WinSingle));
}

#[test]
fn fallas_2_the_most_dice_force_one_marked_checker_through() {
    check(&game("fallas"), NOTHING_MOVED, "6-5-5", &["m1:1 m17:1 19:13"]);
}

#[test]
fn fallas_3_three_sixes_at_the_start() {
    let expected = [
        "m1:2 19:10 off:3",
        "m1:1 m7:1 19:11 off:2",
        "m7:2 19:12 off:1",
        "m1:1 m13:1 19:12 off:1",
        "m1:1 19:13 m19:1",
        "m7:1 m13:1 19:13",
    ];
    check(&game("fallas"), NOTHING_MOVED, "6-6-6", &expected);
}

#[test]
fn fallas_4_a_single_unmarked_checker_closes_its_point() {
    let position = "m4:1 m10:1 19:1 off:12 / m9:1 m11:1 20:1 off:12";
    let found = own(&game("fallas"), position, "1-1-1");
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().all(|side| side.contains("m4:1")), "{found:?}");
}

#[test]
fn fallas_5_a_single_marked_checker_is_hit() {
    let game = game("fallas");
    let state = game.parse_position("m13:1 19:1 m20:1 off:12 / m11:1").unwrap();
    let plays = game.plays(&state, dice("1-2-2"));
    let hits: Vec<_> =
        plays.iter().filter(|(play, _)| play.to_string().contains("m13-14*")).collect();
    assert!(!hits.is_empty(), "{plays:?}");
    for (_, after) in hits {
        assert!(game.write_position(after).starts_with("bar:1 off:13 moff:1 /"), "{after:?}");
    }
}

#[test]
fn fallas_6_a_marked_checker_leaves_when_both_are_home() {
    let game = game("fallas");
    let position = "m18:1 m22:1 24:1 off:12 / m10:2 19:13";
    let after = afterstates(&game, position, "3-3-6");
    assert_eq!(after.len(), 3);
    let won = after.iter().filter(|state| game.outcome(state) == Some(Outcome::LoseSingle));
    assert_eq!(won.count(), 1);
    let state = game.parse_position(position).unwrap();
    for (play, _) in game.plays(&state, dice("3-3-6")) {
        let steps: Vec<String> = play.steps().iter().map(ToString::to_string).collect();
        let leaves = steps.iter().position(|step| step == "m22-off");
        let moves = steps.iter().position(|step| step.starts_with("m18-"));
        assert!(leaves.is_none_or(|leaves| moves.is_some_and(|moves| moves < leaves)), "{play}");
    }
}

#[test]
fn fallas_7_the_game_is_won_with_both_marked_checkers_off() {
    let game = game("fallas");
    let won = game.parse_position("19:5 moff:2 / m1:2 19:13").unwrap();
    assert_eq!(game.outcome(&won), Some(Outcome::WinSingle));
    assert_eq!(game.outcome(&game.flip(&won)), Some(Outcome::LoseSingle));
}

/// Two dice take the last marked checker off; three dice could be played without that.
#[test]
fn fallas_8_a_play_that_wins_counts_with_fewer_dice() {
    let game = game("fallas");
    let position = "21:1 m20:1 off:12 moff:1 / 19:1 20:1 21:3 22:2 23:3 24:2 m2:2 off:1";
    let found = afterstates(&game, position, "3-2-2");
    let won = found.iter().filter(|after| game.outcome(after).is_some()).count();
    assert_eq!((won, found.len() > won), (1, true), "{:?}", own(&game, position, "3-2-2"));
    // Nothing is played after the win: the unmarked checker stays where it was.
    assert!(own(&game, position, "3-2-2").contains(&"21:1 off:12 moff:2".to_owned()));
}

/// The six points in a row lose at once for four captives, with dice left over.
#[test]
fn emperador_8_a_prime_before_four_captives_ends_the_game_in_the_middle_of_a_turn() {
    let game = game("emperador:barata=historical");
    let position = "12:1 13:2 14:2 15:2 16:2 17:2 18:1 22:3 / 24:11 bar:4";
    let found = afterstates(&game, position, "6-6-6");
    assert!(found.iter().any(|after| game.outcome(after) == Some(Outcome::LoseSingle)));
}

#[test]
fn emperador_1_no_two_checkers_meet_in_the_own_half() {
    let expected = ["1:12 2:1 3:1 4:1", "1:13 3:1 5:1", "1:13 2:1 6:1", "1:14 7:1"];
    check(&game("emperador"), NOTHING_MOVED, "1-2-3", &expected);
}

#[test]
fn emperador_2_three_fives() {
    check(&game("emperador"), NOTHING_MOVED, "5-5-5", &["1:13 6:1 11:1", "1:14 16:1"]);
}

#[test]
fn emperador_3_three_sixes() {
    check(&game("emperador"), NOTHING_MOVED, "6-6-6", &["1:13 7:1 13:1", "1:14 19:1"]);
}

const LOCKED: &str = "1:9 2:1 4:1 6:1 15:2 bar:1";
const LOCKING: &str = "22:2 20:2 3:11";

#[test]
fn emperador_4_six_closed_entry_points_are_a_barata_whatever_is_rolled() {
    let game = game("emperador");
    for roll in ["1-1-1", "6-5-4", "3-3-2"] {
        let position = format!("{LOCKED} / {LOCKING}");
        check(&game, &position, roll, &["1:9 2:1 4:1 6:1 15:2 bar:1 barata:1"]);
        let state = game.parse_position(&position).unwrap();
        assert_eq!(game.plays(&state, dice(roll))[0].0.to_string(), "barata");
    }
}

#[test]
fn emperador_5_one_open_entry_point_is_no_barata() {
    let position = format!("1:9 2:1 6:1 15:3 bar:1 / {LOCKING}");
    let found = own(&game("emperador"), &position, "4-4-2");
    assert_eq!(found.len(), 8, "{found:?}");
    assert!(found.iter().all(|side| !side.contains("bar")), "{found:?}");
}

#[test]
fn emperador_6_every_landing_counts_also_the_one_in_between() {
    let expected = [
        "7:1 13:14",
        "7:1 10:1 13:12 16:1",
        "4:1 13:13 16:1",
        "4:1 10:1 13:11 16:2",
        "4:1 10:1 13:12 19:1",
        "1:1 13:12 16:2",
        "1:1 13:13 19:1",
        "1:1 10:1 13:10 16:3",
        "1:1 10:1 13:11 16:1 19:1",
        "1:1 10:1 13:12 22:1",
    ];
    check(&game("emperador"), "1:1 10:1 13:13 / 1:15", "3-3-3", &expected);
}

#[test]
fn emperador_7_the_fourth_barata_is_lost_before_rolling() {
    let game = game("emperador");
    let lost = game.parse_position(&format!("{LOCKED} barata:3 / {LOCKING}")).unwrap();
    assert_eq!(game.outcome(&lost), Some(Outcome::LoseSingle));
    let second = game.parse_position(&format!("{LOCKED} barata:2 / {LOCKING}")).unwrap();
    assert_eq!(game.outcome(&second), None);
}

#[test]
fn todas_tablas_1_the_start_is_that_of_backgammon_and_a_double_is_two_moves() {
    let game = game("todas-tablas");
    let start = game.parse_position("1:2 12:5 17:3 19:5 / 1:2 12:5 17:3 19:5").unwrap();
    assert_eq!(game.start(), start);
    // 1-7, 12-18 and 17-23 are open, 13 and 24 are not.
    check(
        &game,
        "start",
        "6-6",
        &[
            "7:2 12:5 17:3 19:5",
            "1:1 7:1 12:4 17:3 18:1 19:5",
            "1:1 7:1 12:5 17:2 19:5 23:1",
            "1:2 12:3 17:3 18:2 19:5",
            "1:2 12:4 17:2 18:1 19:5 23:1",
            "1:2 12:5 17:1 19:5 23:2",
        ],
    );
}

#[test]
fn buffa_2_the_first_turn_enters_every_die() {
    check(&game("buffa"), NOTHING_MOVED, "1-1-6", &["1:2 6:1 hand:12"]);
}

#[test]
fn buffa_3_the_last_point_is_reached_by_exact_count_and_unused_dice_are_inherited() {
    let (game, position) = (game("buffa"), "22:1 23:1 24:13 / 1:15");
    check(&game, position, "5-4-2", &["23:1 24:14"]);
    assert_eq!(other(&game, position, "5-4-2"), ["1:15 inherits:54"]);
}

#[test]
fn buffa_4_the_heir_plays_any_of_the_dice_in_any_order_and_then_rolls() {
    let game = game("buffa");
    let heir = "1:15 inherits:54 / 23:1 24:14";
    // Whatever the roll: there is none yet.
    for roll in ["1-1-1", "6-3-2"] {
        let expected = ["1:15", "1:14 5:1", "1:14 6:1", "1:13 5:1 6:1", "1:14 10:1"];
        check(&game, heir, roll, &expected);
    }
    for waiting in afterstates(&game, heir, "6-3-2") {
        assert!(game.write_position(&waiting).starts_with("23:1 24:14 wait /"));
        let mut after = Vec::new();
        game.afterstates(&waiting, dice("1-1-1"), &mut after);
        assert_eq!(after.len(), 1, "the first player waits for the heir to roll");
        let text = game.write_position(&after[0]);
        assert!(!text.contains("wait") && !text.contains("inherits"), "{text}");
        assert!(text.ends_with(" / 23:1 24:14"), "{text}");
    }
}

#[test]
fn buffa_5_any_die_bears_off_from_the_last_point() {
    check(&game("buffa"), "24:10 off:5 / 1:15", "1-4-6", &["24:7 off:8"]);
}

#[test]
fn buffa_6_the_two_directions_meet() {
    let (game, position) = (game("buffa"), "5:1 24:14 / 4:1 3:14");
    let mut found = other(&game, position, "4-6-6");
    found.sort_unstable();
    assert_eq!(found, ["3:14 4:1", "3:14 bar:1"]);
    check(&game, position, "4-6-6", &["21:1 24:14", "21:1 24:14"]);
}

#[test]
fn buffa_7_nobody_passes_beyond_the_last_point() {
    let position = "20:1 24:14 / 1:2 2:13";
    check(&game("buffa"), position, "5-5-5", &["20:1 24:14"]);
    check(&game("buffa"), position, "4-5-5", &["24:13 off:2"]);
}

/// The random player, the noise of weak opponents and saved rollouts are made of these numbers: with
/// more padding or less, each would be another one.
#[test]
fn states_are_told_apart_by_a_fixed_number_of_numbers() {
    for (id, expected) in [("tabula", 64), ("fallas", 64), ("ludus", 48), ("trictrac", 40)] {
        let game = game(id);
        let start = game.start();
        assert_eq!(game.identity_cells(&start), &OldGame::cells(&start)[..expected], "{id}");
    }
}
