//! Le Grand Trictrac: the golden cases of the rules, and a slow reading of its laws that must find
//! the same plays.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use tavola_games::trictrac::TrictracOptions;
use tavola_games::trictrac::state::{HOLES, OFF, OPPONENT_HOLES, OPPONENT_POINTS, POINTS, WAIT};
use tavola_games::{OldGame, OldState, PlayableGame, TablesDice};
use tavola_rules::Game;

fn game(id: &str) -> OldGame {
    OldGame::new(id.parse().unwrap())
}

fn dice(text: &str) -> TablesDice {
    text.parse().unwrap()
}

/// The position of two lists of checkers, each in its own numbering.
fn state(own: &str, enemy: &str) -> OldState {
    game("trictrac").parse_position(&format!("{own} / {enemy}")).unwrap()
}

/// What the mover has on the board after each play, without a choice to go away.
fn results_of(game: &OldGame, state: &OldState, roll: &str) -> BTreeSet<String> {
    let plays = game.plays(state, dice(roll));
    let fields = |state: OldState| {
        let text = game.write_position(&state);
        let side = text.split_once(" / ").unwrap().0.to_owned();
        let is_field = |item: &&str| item.starts_with(|c: char| c.is_ascii_digit());
        side.split(' ').filter(is_field).collect::<Vec<_>>().join(" ")
    };
    let stays = plays.into_iter().filter(|(play, _)| !play.goes());
    stays.map(|(_, after)| fields(game.flip(&after))).collect()
}

#[track_caller]
fn check(own: &str, enemy: &str, roll: &str, expected: &[&str]) {
    let found = results_of(&game("trictrac"), &state(own, enemy), roll);
    let expected: BTreeSet<String> = expected.iter().map(|text| (*text).to_owned()).collect();
    assert_eq!(found, expected, "{own} / {enemy} with {roll}");
}

/// The points of roller and opponent before the play.
#[track_caller]
fn check_points(own: &str, enemy: &str, roll: &str, expected: (u8, u8)) {
    let points = TrictracOptions::default().points(&state(own, enemy), dice(roll));
    assert_eq!(
        (points.own(), points.opponents()),
        expected,
        "{own} / {enemy} with {roll}: {points:?}"
    );
}

/// What the log says of the first way to play a roll.
#[track_caller]
fn check_reasons(own: &str, enemy: &str, roll: &str, expected: &[&str]) {
    let (game, before) = (game("trictrac"), state(own, enemy));
    let plays = game.plays(&before, dice(roll));
    let found = game.turn_reasons(&before, dice(roll), &plays.last().unwrap().1);
    assert_eq!(found, expected, "{own} / {enemy} with {roll}");
}

#[test]
fn the_log_says_what_points_are_for() {
    check_reasons("1:13 9:1 11:1", "1:14 8:1", "62", &["+4: hit by 6, 6+2 on 17"]);
    let false_hit = ["opponent +4: false hit on 20"];
    check_reasons("1:13 12:2", "1:10 5:1 8:2 10:2", "53", &false_hit);
    check_reasons("1:5 2:2 3:3 4:2 5:2 6:1", E0, "53", &["+8: petit jan filled in 2 ways"]);
    let two = ["+12: petit jan filled in 3 ways", "wins 2 holes"];
    check_reasons("1:2 2:3 3:3 4:2 5:3 6:1 7:1", E0, "31", &two);
    let kept = ["+6: hit on the corner", "+6: grand jan kept", "wins 2 holes"];
    let stays = "opponent +4: no die can be played";
    check_reasons("7:3 8:3 9:3 10:2 11:2 12:2", E0, "66", &[&kept[..], &[stays]].concat());
}

const E0: &str = "1:15";

#[test]
fn golden_1_a_single_checker_may_not_stay_on_the_corner() {
    check("1:15", E0, "61", &["1:13 2:1 7:1", "1:14 8:1"]);
    check("1:15", E0, "65", &["1:13 6:1 7:1"]);
}

#[test]
fn golden_2_the_corner_is_taken_by_two() {
    let found = results_of(&game("trictrac"), &state("1:13 6:1 7:1", E0), "65");
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.contains("1:13 12:2"));
}

#[test]
fn golden_3_the_corner_is_taken_by_power() {
    let both = ["1:11 5:1 6:1 8:1 9:1", "1:12 8:1 9:1 10:1"];
    check("1:13 8:1 9:1", E0, "54", &[both[0], both[1], "1:13 12:2"]);
    check("1:13 8:1 9:1", "1:13 12:2", "54", &both);
}

#[test]
fn golden_4_a_double_takes_the_corner_by_power() {
    check("1:13 7:2", E0, "66", &["1:11 7:4", "1:13 12:2"]);
}

#[test]
fn golden_5_the_last_two_leave_the_corner_together() {
    check("12:2 24:13", "18:15", "53", &["15:1 17:1 24:13"]);
}

#[test]
fn golden_6_exits_are_avoided_unless_they_are_free() {
    check("19:1 22:1", "13:15", "31", &["22:1 23:1"]);
    let free = game("trictrac:exit_exact=free");
    let found = results_of(&free, &state("19:1 22:1", "13:15"), "31");
    assert!(found.contains("20:1") && found.contains("22:1 23:1"), "{found:?}");
}

/// The score of the roller after each play, as words: `points:10 holes:1` and nothing for zero.
fn scores_of(game: &OldGame, position: &str, roll: &str) -> Vec<(String, String)> {
    let plays = game.plays(&game.parse_position(position).unwrap(), dice(roll));
    let score = |after: &OldState| {
        let text = game.write_position(&game.flip(after));
        let side = text.split_once(" / ").unwrap().0.to_owned();
        let items =
            side.split(' ').filter(|item| item.contains("points") || item.contains("holes"));
        items.collect::<Vec<_>>().join(" ")
    };
    plays.iter().map(|(play, after)| (play.to_string(), score(after))).collect()
}

#[test]
fn a_free_exit_of_the_last_checker_scores_whatever_else_could_be_played() {
    let free = game("trictrac:exit_exact=free");
    for (position, roll) in
        [("21:1 24:1 off:13 points:6 / 13:15", "51"), ("20:1 24:1 off:13 points:6 / 13:15", "51")]
    {
        let scores = scores_of(&free, position, roll);
        for (play, score) in &scores {
            let is_out = play.matches("off").count() == 2;
            assert_eq!(score, if is_out { "points:10" } else { "points:6" }, "{position}: {play}");
        }
        assert!(scores.iter().any(|(play, _)| play.matches("off").count() == 2), "{scores:?}");
    }
    // The four points of the exit make a hole, and the player may go.
    let scores = scores_of(&free, "21:1 24:1 off:13 points:8 / 13:15", "51");
    let with_hole: Vec<_> = scores.iter().filter(|(_, score)| score.contains("holes")).collect();
    assert_eq!(with_hole.len(), 1, "{scores:?}");
    let schools = game("trictrac:exit_exact=free,ecole=on");
    let scores = scores_of(&schools, "21:1 24:1 off:13 points:6 / 13:15", "51");
    assert!(scores.iter().any(|(play, score)| play.starts_with("mark:4 ") && score == "points:10"));
}

/// A full jan is kept by other plays than exits, unless exits are free (G-13, G-14).
#[test]
fn the_law_of_exits_comes_before_the_full_jan() {
    let position = ("19:2 20:2 21:2 22:2 23:2 24:5", "13:15");
    let found = results_of(&game("trictrac"), &state(position.0, position.1), "11");
    assert!(!found.contains("19:2 20:2 21:2 22:2 23:2 24:3"), "{found:?}");
    let free = game("trictrac:exit_exact=free");
    let found = results_of(&free, &state(position.0, position.1), "11");
    assert_eq!(found, BTreeSet::from(["19:2 20:2 21:2 22:2 23:2 24:3".to_owned()]));
}

#[test]
fn a_die_that_the_last_exit_leaves_over_counts_for_the_opponent() {
    let position = "24:1 off:14 / 24:6 off:9 points:2";
    let game = game("trictrac");
    let plays = game.plays(&game.parse_position(position).unwrap(), dice("31"));
    assert!(plays.iter().all(|(_, after)| 2 * after.cells()[POINTS] == 4), "{plays:?}");
}

#[test]
fn golden_7_a_die_that_can_be_played_inside_takes_no_checker_out() {
    check("22:1 24:1", "13:15", "62", &["24:1"]);
}

#[test]
fn golden_8_true_hits_count_by_ways() {
    check_points("1:14 11:1", "1:14 8:1", "62", (2, 0));
    check_points("1:13 9:1 11:1", "1:14 8:1", "62", (4, 0));
}

#[test]
fn golden_9_a_hit_through_closed_fields_is_false() {
    check_points("1:13 12:2", "1:10 5:1 8:2 10:2", "53", (0, 4));
    check_points("1:13 12:2", "1:12 5:1 8:2", "53", (4, 0));
}

#[test]
fn golden_10_a_jan_is_filled_in_two_ways() {
    let own = "1:5 2:2 3:3 4:2 5:2 6:1";
    check_points(own, E0, "53", (8, 0));
    let expected = ["1:3 2:2 3:3 4:3 5:2 6:2", "1:4 2:2 3:2 4:2 5:2 6:3"];
    check(own, E0, "53", &expected);
}

#[test]
fn golden_11_three_ways_make_a_double_hole() {
    let own = "1:2 2:3 3:3 4:2 5:3 6:1 7:1";
    check_points(own, E0, "31", (12, 0));
    let game = game("trictrac");
    let plays = game.plays(&state(own, E0), dice("31"));
    assert_eq!(plays.len(), 5, "{plays:?}");
    assert_eq!(plays[0].0.to_string(), "go");
    let (_, gone) = plays[0];
    let gone = game.flip(&gone);
    assert_eq!((gone.cells()[HOLES], gone.cells()[WAIT], gone.cells()[1]), (2, -1, 15));
    for (play, after) in &plays[1..] {
        assert!(play.to_string().starts_with("hold "), "{play}");
        assert_eq!(-after.cells()[OPPONENT_HOLES], 2);
    }
}

#[test]
fn golden_12_a_full_jan_is_kept() {
    let own = "1:5 2:2 3:2 4:2 5:2 6:2";
    check_points(own, E0, "21", (4, 0));
    let expected = ["1:3 2:3 3:3 4:2 5:2 6:2", "1:4 2:2 3:2 4:3 5:2 6:2"];
    check(own, E0, "21", &expected);
}

#[test]
fn golden_13_kept_by_impotence_and_the_corner_hit() {
    let own = "7:3 8:3 9:3 10:2 11:2 12:2";
    check_points(own, E0, "66", (12, 0));
    let game = game("trictrac");
    let plays = game.plays(&state(own, E0), dice("66"));
    assert_eq!(plays.len(), 2);
    let (hold, after) = plays[1];
    assert_eq!(hold.to_string(), "hold pass");
    // Two dice that were not played.
    assert_eq!(after.cells()[POINTS], 2);
    assert_eq!(after.cells()[OPPONENT_POINTS], 0);
}

#[test]
fn golden_14_the_jan_of_two_tables() {
    check_points("1:13 7:1 9:1", E0, "54", (4, 0));
    check_points("1:13 7:1 9:1", "1:13 12:2", "54", (0, 4));
    check_points("1:13 7:1 8:1", E0, "55", (6, 0));
}

#[test]
fn golden_15_the_jan_of_mezeas() {
    check_points("1:13 12:2", E0, "51", (4, 0));
    check_points("1:13 12:2", E0, "11", (6, 0));
    check_points("1:13 12:2", "1:13 12:2", "51", (0, 4));
    check_points("1:13 12:2", "1:13 12:2", "11", (0, 6));
}

#[test]
fn golden_16_the_jan_of_three_rolls() {
    check_points("1:11 2:1 4:1 5:1 7:1 turn:3", E0, "52", (4, 0));
    check_points("1:11 2:1 4:1 5:1 7:1", E0, "52", (0, 0));
    check_points("1:11 2:1 4:1 5:1 7:1 turn:3", E0, "53", (0, 0));
}

#[test]
fn golden_17_the_corner_is_hit_by_two_others() {
    check_points("1:11 8:1 10:1 12:2", E0, "53", (4, 0));
    check_points("1:11 8:1 12:3", E0, "51", (4, 0));
    check_points("1:12 8:1 12:2", E0, "51", (0, 0));
}

/// The play of this text, and what it leads to, seen by its player: points and holes of both.
fn school(own: &str, enemy: &str, roll: &str, words: &str) -> [i8; 4] {
    let game = game("trictrac:ecole=on");
    let plays = game.plays(&state(own, enemy), dice(roll));
    let found = plays.iter().find(|(play, _)| play.to_string() == words);
    let (_, after) = found.unwrap_or_else(|| panic!("no {words:?} among {plays:?}"));
    let cells = *game.flip(after).cells();
    [2 * cells[POINTS], -2 * cells[OPPONENT_POINTS], cells[HOLES], -cells[OPPONENT_HOLES]]
}

#[test]
fn school_1_points_left_out_go_to_the_opponent() {
    // Eight points, as in the tenth case.
    let own = "1:5 2:2 3:3 4:2 5:2 6:1";
    assert_eq!(school(own, E0, "53", "mark:8 1-6 1-4"), [8, 0, 0, 0]);
    assert_eq!(school(own, E0, "53", "mark:4 1-6 1-4"), [4, 4, 0, 0]);
    assert_eq!(school(own, E0, "53", "mark:0 1-6 1-4"), [0, 8, 0, 0]);
}

#[test]
fn school_2_points_too_many_are_taken_back_and_go_to_the_opponent() {
    let own = "1:5 2:2 3:3 4:2 5:2 6:1";
    // Twelve would be a hole, but eight were due.
    assert_eq!(school(own, E0, "53", "mark:12 1-6 1-4"), [8, 4, 0, 0]);
    // A roll that is worth nothing.
    assert_eq!(school("1:15", E0, "61", "mark:6 1-7 1-2"), [0, 6, 0, 0]);
}

#[test]
fn school_3_a_school_may_make_a_hole_and_ends_the_run() {
    let own = "1:5 2:2 3:3 4:2 5:2 6:1 points:2";
    // The opponent is second in a row with twelve: a double hole, and the points are lost.
    assert_eq!(school(own, "1:15 points:8", "53", "mark:0 1-6 1-4"), [0, 4, 0, 2]);
    // Marked in part, both have scored in between: a single hole.
    assert_eq!(school(own, "1:15 points:8", "53", "mark:4 1-6 1-4"), [0, 0, 0, 1]);
}

#[test]
fn school_4_who_leaves_out_the_hole_may_not_go() {
    let own = "1:2 2:3 3:3 4:2 5:3 6:1 7:1";
    let plays = game("trictrac:ecole=on").plays(&state(own, E0), dice("31"));
    let goes: Vec<_> = plays.iter().filter(|(play, _)| play.goes()).collect();
    assert_eq!(goes.len(), 1);
    assert_eq!(goes[0].0.to_string(), "mark:12 go");
    assert!(plays.iter().any(|(play, _)| play.to_string().starts_with("mark:10 ")));
    let holds = plays.iter().filter(|(play, _)| play.to_string().contains("hold"));
    assert!(holds.into_iter().all(|(play, _)| play.marks() == Some(12)));
}

#[test]
fn with_schools_the_points_that_are_due_lead_where_they_always_do() {
    let (plain, schools) = (game("trictrac"), game("trictrac:ecole=on"));
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut wrong = 0;
    for _ in 0..20 {
        let mut state = schools.start();
        for _ in 0..100 {
            if schools.outcome(&state).is_some() {
                break;
            }
            let roll = schools.roll(&mut rng);
            let due = TrictracOptions::default().points(&state, roll).own();
            let plays = schools.plays(&state, roll);
            let distinct: BTreeSet<_> = plays.iter().map(|(_, after)| *after.cells()).collect();
            assert_eq!(distinct.len(), plays.len());
            let right = plays.iter().filter(|(play, _)| play.marks().is_none_or(|n| n == due));
            let expected = plain.plays(&state, roll);
            assert!(right.map(|(_, after)| after).eq(expected.iter().map(|(_, after)| after)));
            let play = plays.choose(&mut rng).unwrap();
            wrong += u32::from(play.0.marks().is_some_and(|n| n != due));
            state = play.1;
        }
    }
    assert!(wrong > 500, "{wrong} schools");
}

#[test]
fn a_match_ends_as_soon_as_a_side_has_twelve_holes() {
    let game = game("trictrac");
    let own = "1:2 2:3 3:3 4:2 5:3 6:1 7:1 holes:10";
    let plays = game.plays(&state(own, E0), dice("31"));
    assert_eq!(plays.len(), 1);
    assert_eq!(plays[0].0.to_string(), "mark");
    assert!(game.outcome(&plays[0].1).is_some_and(|outcome| !outcome.is_win()));
    // Points of the opponent's end it too, before anything moves.
    let own = "1:13 12:2";
    let plays = game.plays(&state(own, "1:10 5:1 8:2 10:2 points:8 holes:11"), dice("53"));
    assert_eq!(plays.len(), 1);
    assert!(game.outcome(&plays[0].1).is_some_and(|outcome| outcome.is_win()));
}

#[test]
fn after_the_last_checker_a_new_set_begins_with_the_same_scores() {
    let game = game("trictrac");
    let position = "24:1 points:2 holes:1 / 12:15 points:4";
    let plays = game.plays(&game.parse_position(position).unwrap(), dice("65"));
    assert_eq!(plays.len(), 1, "{plays:?}");
    let after = game.flip(&plays[0].1);
    // Four for the exit; then the second die finds nothing to play.
    assert_eq!((after.cells()[1], after.cells()[WAIT]), (15, -1));
    assert_eq!((2 * after.cells()[POINTS], after.cells()[HOLES]), (6, 1));
    assert_eq!(-2 * after.cells()[OPPONENT_POINTS], 6);
}

// The slow reading of the laws of movement: every pair of moves, then every law as a filter.

/// Own and enemy checkers on the fields of the mover, and those that are out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slow {
    own: [u8; 26],
}

struct Table {
    enemy: [u8; 25],
}

impl Table {
    fn new(state: &OldState) -> (Self, Slow) {
        let (mut enemy, mut own) = ([0; 25], [0; 26]);
        for field in 1..=24 {
            let count = state.cells()[field];
            (own[field], enemy[field]) = (count.max(0) as u8, (-count).max(0) as u8);
        }
        own[25] = state.cells()[OFF] as u8;
        (Self { enemy }, Slow { own })
    }

    /// Whether the enemy's checkers, with each on or before its place, are enough to fill six of its
    /// own fields with two each: tried by taking the rearmost place first.
    fn enemy_can_fill(&self, first: usize) -> bool {
        let mut left: Vec<usize> =
            (1..=24).flat_map(|own| vec![own; usize::from(self.enemy[25 - own])]).collect();
        // Each place takes the foremost checker that has not passed it.
        (first..first + 6).rev().flat_map(|place| [place; 2]).all(|place| {
            let best = left.iter().copied().filter(|&at| at <= place).max();
            best.is_some_and(|at| {
                let index = left.iter().position(|&other| other == at).unwrap();
                left.remove(index);
                true
            })
        })
    }

    fn one(&self, before: &Slow, die: usize) -> Vec<(Slow, bool)> {
        let mut found = Vec::new();
        for from in 1..=24usize {
            if before.own[from] == 0 {
                continue;
            }
            let mut after = before.clone();
            after.own[from] -= 1;
            let to = from + die;
            if to <= 24 {
                if self.enemy[to] == 0 {
                    after.own[to] += 1;
                    found.push((after, false));
                }
            } else {
                let all_in = before.own[19..=25].iter().sum::<u8>() == 15;
                let rearmost = (1..=24).find(|&field| before.own[field] > 0) == Some(from);
                if all_in && (to == 25 || rearmost) {
                    after.own[25] += 1;
                    found.push((after, true));
                }
            }
        }
        found
    }

    fn legal(&self, before: &Slow, after: &Slow) -> bool {
        let grew = |fields: std::ops::RangeInclusive<usize>| {
            fields.into_iter().any(|field| after.own[field] > before.own[field])
        };
        after.own[12] != 1
            && after.own[13] == 0
            && (!grew(13..=18) || !self.enemy_can_fill(7))
            && (!grew(19..=24) || !self.enemy_can_fill(1))
    }

    fn results(&self, before: &Slow, [a, b]: [usize; 2]) -> BTreeSet<Slow> {
        let mut all: Vec<(Slow, u32)> = Vec::new();
        for (first, second) in [(a, b), (b, a)] {
            for (middle, out) in self.one(before, first) {
                for (after, out_too) in self.one(&middle, second) {
                    all.push((after, u32::from(out) + u32::from(out_too)));
                }
            }
        }
        let direct = |field: usize| {
            let mut needed = [0u8; 26];
            needed[field - a] += 1;
            needed[field - b] += 1;
            (1..=24).all(|at| before.own[at] >= needed[at])
        };
        if before.own[12] == 0 && self.enemy[13] == 0 && direct(13) && !direct(12) {
            let mut after = before.clone();
            after.own[13 - a] -= 1;
            after.own[13 - b] -= 1;
            after.own[12] += 2;
            all.push((after, 0));
        }
        all.retain(|(after, _)| self.legal(before, after));
        for die in [a.max(b), a.min(b)] {
            if all.is_empty() {
                let one = self.one(before, die).into_iter();
                all = one.map(|(after, out)| (after, u32::from(out))).collect();
                all.retain(|(after, _)| self.legal(before, after));
            }
        }
        if all.is_empty() {
            all.push((before.clone(), 0));
        }
        let fewest = all.iter().map(|(_, exits)| *exits).min().unwrap();
        all.retain(|(_, exits)| *exits == fewest);
        let full = |slow: &Slow| {
            let jans = [1..=6, 7..=12, 19..=24];
            jans.into_iter().filter(|jan| jan.clone().all(|field| slow.own[field] >= 2)).count()
        };
        let most = all.iter().map(|(after, _)| full(after)).max().unwrap();
        all.into_iter().filter(|(after, _)| full(after) == most).map(|(after, _)| after).collect()
    }
}

#[test]
fn the_plays_agree_with_the_slow_reading() {
    let game = game("trictrac");
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let (mut compared, mut goes, mut sets) = (0, 0, 0);
    while compared < 20_000 {
        let mut state = game.start();
        while game.outcome(&state).is_none() && compared < 20_000 {
            let roll = game.roll(&mut rng);
            let plays = game.plays(&state, roll);
            let distinct: BTreeSet<_> = plays.iter().map(|(_, after)| *after.cells()).collect();
            assert_eq!(distinct.len(), plays.len(), "{}", game.write_position(&state));
            let mut afterstates = Vec::new();
            game.afterstates(&state, roll, &mut afterstates);
            assert!(plays.iter().map(|(_, after)| after).eq(&afterstates));
            let text = game.write_position(&state);
            assert_eq!(game.parse_position(&text), Ok(state), "{text}");
            let (table, slow) = Table::new(&state);
            let ends = plays.iter().any(|(play, _)| play.to_string() == "mark")
                || plays.iter().any(|(_, after)| game.outcome(after).is_some());
            if state.cells()[WAIT] == 0 && !ends {
                let numbers = [0, 1].map(|i| usize::from(roll.numbers()[i]));
                let expected = table.results(&slow, numbers);
                let played_out = expected.iter().any(|slow| slow.own[25] == 15);
                sets += u32::from(played_out);
                let stays = plays.iter().filter(|(play, _)| !play.goes());
                let found: BTreeSet<Slow> =
                    stays.map(|(_, after)| Table::new(&game.flip(after)).1).collect();
                if !played_out {
                    assert_eq!(found, expected, "{text} with {roll}");
                }
                compared += 1;
            }
            goes += u32::from(plays[0].0.goes());
            state = plays.choose(&mut rng).unwrap().1;
        }
    }
    assert!(goes > 100 && sets > 10, "{goes} choices to go, {sets} sets played out");
}

proptest! {
    #[test]
    fn arbitrary_text_is_read_or_refused(
        text in "((([0-9]{1,2})|off|points|holes|turn|interrupted|wait)(:[0-9]{1,2})?[ ,/]){0,9}",
    ) {
        let game = game("trictrac");
        if let Ok(state) = game.parse_position(&text) {
            prop_assert_eq!(game.parse_position(&game.write_position(&state)), Ok(state), "{}", text);
        }
    }
}
