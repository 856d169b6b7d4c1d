//! Texts of plays: golden cases checked with GNU Backgammon 1.07, round trips over positions of
//! random play, and arbitrary text.

use std::cmp::Reverse;
use std::collections::HashSet;

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::notation::*;
use tavola_rules::{Backgammon, Dice, Play, Position, movegen, moves};

use crate::random_play::{random_game, reachable};

fn dice(text: &str) -> Dice {
    text.parse().unwrap()
}

/// The canonical texts of all plays of a roll.
fn texts(position: &Position, roll: &str) -> Vec<String> {
    let mut texts: Vec<String> =
        moves::plays(position, dice(roll)).iter().map(|(play, _)| play.to_string()).collect();
    texts.sort();
    texts
}

/// What is found without all plays is as among all.
fn one_by_one(position: &Position, roll: Dice, plays: &[(Play, Position)]) {
    for (play, result) in plays {
        assert_eq!(moves::play_to(position, roll, result), Some(*play), "{position:?} {roll}");
        for steps in 1..play.steps().len() {
            let halfway = play.steps()[..steps].iter().map(|it| format!("{}/{}", it.from, it.to));
            let text = halfway.collect::<Vec<_>>().join(" ");
            // The rest of a play may be a result as well, by another play.
            if let Ok((found, after)) = parse_play(&text, position, roll) {
                assert!(plays.contains(&(found, after)), "{position:?} {roll} {text}");
            }
        }
    }
    assert_eq!(moves::can_move(position, roll), !plays.is_empty());
    let forced = match plays {
        [] => Some(Play::PASS),
        [(play, _)] => Some(*play),
        _ => None,
    };
    assert_eq!(moves::forced(position, roll), forced, "{position:?} {roll}");
}

#[test]
fn one_play_is_found_as_among_all_wherever_checkers_stand() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for number in 0..400 {
        // Spread out, at home, or few checkers, and some on the bar.
        let (lowest, highest) = [(1, 25), (1, 7), (15, 25), (1, 12)][number % 4];
        let most = [15, 3, 1][number % 3];
        let mut counts = [0_i8; 26];
        for _ in 0..rng.random_range(1..=most) {
            counts[rng.random_range(lowest..=highest)] += 1;
        }
        for _ in 0..rng.random_range(1..=15) {
            let point = rng.random_range(0..=24);
            if counts[point] <= 0 {
                counts[point] -= 1;
            }
        }
        if counts.iter().all(|&count| count >= 0) {
            continue;
        }
        let position = Position::from_counts(&counts, 15).unwrap();
        for (roll, _) in Dice::ALL {
            let plays = moves::plays(&position, roll);
            let few = if plays.len() > 40 { &plays[..40] } else { &plays };
            if few.len() == plays.len() {
                one_by_one(&position, roll, few);
            } else {
                for (play, result) in few {
                    assert_eq!(moves::play_to(&position, roll, result), Some(*play));
                    let text = play.to_string();
                    assert_eq!(parse_play(&text, &position, roll), Ok((*play, *result)));
                }
            }
        }
    }
}

#[test]
fn an_illegal_play_among_thousands_names_the_nearest() {
    let mut counts = [0_i8; 26];
    counts[8..23].fill(1);
    counts[2] = -1;
    let position = Position::from_counts(&counts, 15).unwrap();
    let error = parse_play("22/21 20/19 18/17", &position, dice("11")).unwrap_err();
    assert_eq!(
        error.reason(),
        "\"22/21 20/19 18/17\" is illegal with 1-1: more of the roll can be played"
    );
    let error = error.to_string();
    assert!(error.contains("expected \"22/21 20/19 18/1"), "{error}");
    assert!(error.ends_with(" plays"), "{error}");
}

#[test]
fn every_result_has_one_play_and_its_text_leads_back() {
    for (game, seeds) in [(Backgammon::Standard, 0..12), (Backgammon::Hypergammon, 12..40)] {
        for seed in seeds {
            random_game(game, seed, |position, roll| {
                let plays = moves::plays(position, roll);
                let mut afterstates = Vec::new();
                movegen::afterstates(position, roll, &mut afterstates);
                let distinct: HashSet<Position> = plays.iter().map(|(_, result)| *result).collect();
                assert_eq!(distinct, afterstates.into_iter().collect());
                assert_eq!(distinct.len(), plays.len());
                let order = |play: &Play| -> Vec<_> {
                    play.steps().iter().map(|step| (Reverse(step.from), step.to)).collect()
                };
                assert!(plays.windows(2).all(|pair| order(&pair[0].0) < order(&pair[1].0)));
                for &(play, result) in &plays {
                    let text = play.to_string();
                    assert_eq!(play.apply(position), Ok(result), "{position:?} {roll} {text}");
                    assert_eq!(
                        parse_play(&text, position, roll),
                        Ok((play, result)),
                        "{position:?} {roll} {text}"
                    );
                    assert!(text.len() <= 40, "{text}");
                }
                one_by_one(position, roll, &plays);
                if !plays.is_empty() {
                    assert_eq!(moves::play_to(position, roll, position), None);
                    assert!(parse_play("", position, roll).is_err());
                } else {
                    let passed = Ok((Play::PASS, position.flip()));
                    assert_eq!(parse_play("(no play)", position, roll), passed);
                    assert_eq!(parse_play("", position, roll), passed);
                }
            });
        }
    }
}

#[test]
fn plays_written_step_by_step_and_without_hits_are_read() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    random_game(Backgammon::Standard, 77, |position, roll| {
        for (play, result) in moves::plays(position, roll) {
            // Every landing is named, so hits need not be.
            let mut steps: Vec<String> =
                play.steps().iter().map(|step| format!("{}/{}", step.from, step.to)).collect();
            let swap = rng.random_range(0..steps.len());
            steps.swap(0, swap);
            let text = steps.join(", ");
            let read = parse_play(&text, position, roll);
            assert_eq!(read, Ok((play, result)), "{position:?} {roll} {text}");
            let shouted = play.to_string().to_uppercase();
            assert_eq!(parse_play(&shouted, position, roll), Ok((play, result)), "{shouted}");
        }
    });
}

#[test]
fn opening_plays_have_their_customary_names() {
    let start = Position::STANDARD;
    assert_eq!(
        texts(&start, "65"),
        ["13/2", "13/7 13/8", "13/7 8/3", "24/13", "24/18 13/8", "24/18 8/3", "8/2 8/3"]
    );
    assert!(texts(&start, "11").contains(&"8/7(2) 6/5(2)".to_owned()));
    assert!(texts(&start, "66").contains(&"24/18(2) 13/7(2)".to_owned()));
    assert!(texts(&start, "33").contains(&"24/15 13/10".to_owned()));
    assert!(texts(&start, "33").contains(&"24/21 13/10(3)".to_owned()));
}

#[test]
fn hits_on_the_way_are_written_and_tell_plays_apart() {
    // BG test D3: one on the bar against a blot on 23.
    let entering = Position::from_points(
        &[(25, 1), (13, 6), (8, 3), (6, 5)],
        &[(2, 1), (13, 5), (8, 4), (6, 5)],
        15,
    )
    .unwrap();
    assert_eq!(
        texts(&entering, "21"),
        [
            "bar/22",
            "bar/23* 6/5",
            "bar/23* 8/7",
            "bar/23*/22",
            "bar/24 13/11",
            "bar/24 6/4",
            "bar/24 8/6"
        ]
    );
    let parse = |text: &str| parse_play(text, &entering, dice("21")).map(|(p, _)| p.to_string());
    assert_eq!(parse("bar/22").as_deref(), Ok("bar/22"));
    assert_eq!(parse("25/24/22").as_deref(), Ok("bar/22"));
    assert_eq!(parse("BAR/24 24/22").as_deref(), Ok("bar/22"));
    assert_eq!(parse("bar/23/22").as_deref(), Ok("bar/23*/22"));
    assert_eq!(parse("23/22 25/23").as_deref(), Ok("bar/23*/22"));
    assert_eq!(parse("6/5;bar/23").as_deref(), Ok("bar/23* 6/5"));

    // Doubles: the star stands where a checker stays.
    let four =
        Position::from_points(&[(24, 2), (8, 4), (6, 9)], &[(18, 1), (24, 2), (13, 5), (6, 7)], 15)
            .unwrap();
    let all = texts(&four, "11");
    for text in ["8/7*(4)", "8/6 8/7*(2)", "8/7*/5 6/5", "24/23(2) 8/7*(2)", "8/7*/6 8/6"] {
        assert!(all.contains(&text.to_owned()), "{text} {all:?}");
    }
    let (play, _) = parse_play("8/7(4)*", &four, dice("11")).unwrap();
    assert_eq!(play.to_string(), "8/7*(4)");
    assert_eq!(format!("{play:?} {:?}", dice("11")), "Play(8/7*(4)) 1-1");
    let (play, _) = parse_play("8/7/6(2)", &four, dice("11")).unwrap();
    assert_eq!(play.to_string(), "8/7*/6 8/6");
}

#[test]
fn two_blots_on_two_ways_make_an_unstarred_text_ambiguous() {
    let two_ways =
        Position::from_points(&[(24, 2), (6, 13)], &[(5, 1), (7, 1), (24, 2), (13, 11)], 15)
            .unwrap();
    let read = |text: &str| parse_play(text, &two_ways, dice("64"));
    let error = read("24/14").unwrap_err();
    assert!(matches!(error, PlayTextError::Ambiguous { .. }));
    assert_eq!(
        error.to_string(),
        "\"24/14\" is ambiguous with 6-4, expected one of \"24/18*/14\", \"24/20*/14\""
    );
    assert_eq!(read("24/18*/14").unwrap().0.to_string(), "24/18*/14");
    assert_eq!(read("24/20/14").unwrap().0.to_string(), "24/20*/14");
}

#[test]
fn a_text_that_hits_nothing_else_prefers_the_quiet_way() {
    let two_ways =
        Position::from_points(&[(24, 2), (6, 13)], &[(7, 1), (24, 2), (13, 12)], 15).unwrap();
    let (quiet, after) = parse_play("24/14", &two_ways, dice("64")).unwrap();
    assert_eq!((quiet.to_string().as_str(), after.bar()), ("24/14", 0));
    // The landing point is named, with its star or without.
    let landing =
        Position::from_points(&[(24, 2), (6, 13)], &[(7, 1), (11, 1), (13, 12)], 15).unwrap();
    for text in ["24/14", "24/14*"] {
        let (play, after) = parse_play(text, &landing, dice("64")).unwrap();
        assert_eq!((play.to_string().as_str(), after.bar()), ("24/14*", 1));
    }
    // With the quiet way closed, only the hit is left, and is meant.
    let forced =
        Position::from_points(&[(24, 2), (6, 13)], &[(7, 1), (5, 2), (13, 12)], 15).unwrap();
    let (hit, after) = parse_play("24/14", &forced, dice("64")).unwrap();
    assert_eq!((hit.to_string().as_str(), after.bar()), ("24/18*/14", 1));
}

#[test]
fn illegal_texts_say_which_rule_they_break() {
    let start = Position::STANDARD;
    // BG tests E2 (the larger die), D2 (closed out), D1 (bar).
    let larger =
        Position::from_points(&[(20, 1)], &[(14, 2), (17, 3), (19, 5), (20, 5)], 15).unwrap();
    let closed = Position::from_points(
        &[(25, 1), (13, 5), (8, 3), (6, 6)],
        &[(6, 2), (5, 2), (4, 2), (3, 2), (2, 2), (1, 2), (13, 3)],
        15,
    )
    .unwrap();
    let bar = Position::from_points(
        &[(25, 2), (13, 5), (8, 3), (6, 5)],
        &[(4, 2), (13, 5), (8, 3), (6, 5)],
        15,
    )
    .unwrap();
    for (position, roll, text, reason) in [
        (&start, "31", "", IllegalReason::MustPlay),
        (&start, "31", "(no play)", IllegalReason::MustPlay),
        (&start, "31", "7/4", IllegalReason::NoChecker { from: 7 }),
        (&start, "31", "bar/24", IllegalReason::NoChecker { from: 25 }),
        (&start, "31", "8/4*", IllegalReason::NothingToHit { point: 4 }),
        (&start, "31", "8/5", IllegalReason::MustPlayMore),
        (&start, "31", "8/2", IllegalReason::NotWithTheseDice),
        (&start, "31", "8/7 8/7", IllegalReason::NotWithTheseDice),
        (&start, "31", "8/7(3)", IllegalReason::NotWithTheseDice),
        (&start, "31", "6/off", IllegalReason::NotWithTheseDice),
        (&start, "11", "8/7(2) 6/5", IllegalReason::MustPlayMore),
        (&larger, "63", "20/17", IllegalReason::LargerDie),
        (&closed, "63", "13/7 6/3", IllegalReason::NothingToPlay),
        (&bar, "42", "13/9 8/6", IllegalReason::BarFirst),
        (&bar, "42", "bar/23 13/9", IllegalReason::NotWithTheseDice),
    ] {
        match parse_play(text, position, dice(roll)) {
            Err(PlayTextError::Illegal { reason: found, .. }) => {
                assert_eq!(found, reason, "{text}")
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert_eq!(
        parse_play("8/5 6/4", &start, dice("31")).unwrap_err().to_string().split(',').next(),
        Some("\"8/5 6/4\" is illegal with 3-1: the dice can't be played like that")
    );
    let error = parse_play("bar/24", &start, dice("31")).unwrap_err().to_string();
    assert!(error.contains("no checker of the player on roll is on the bar"), "{error}");
    // A pass behind moves is that of the other die.
    let text =
        |play: &str, position| parse_play(play, position, dice("63")).map(|it| it.0.to_string());
    let one_die =
        Position::from_points(&[(25, 1), (1, 14)], &[(6, 2), (9, 2), (13, 11)], 15).unwrap();
    assert_eq!(text("Bar/22 Pass", &one_die).unwrap(), "bar/22");
    assert!(text("24/21 Pass", &start).unwrap_err().to_string().contains("more of the roll"));
    assert!(text("pass 24/21", &start).is_err());
    assert_eq!(parse_play("20/14", &larger, dice("63")).unwrap().0.to_string(), "20/14");
}

#[test]
fn the_error_of_an_illegal_play_names_the_nearest_plays_first() {
    for (text, roll, nearest) in
        [("8/5 6/4", "31", "8/5 6/5"), ("24/15", "64", "24/14"), ("13/11 6/5", "21", "13/11 6/5")]
    {
        match parse_play(text, &Position::STANDARD, dice(roll)) {
            Ok((play, _)) => assert_eq!(play.to_string(), nearest),
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains(&format!("expected \"{nearest}\"")), "{error}");
            }
        }
    }
}

/// Six plays are all named; of more it is said how many there are.
#[test]
fn an_error_names_six_plays() {
    let mut seen = [false; 2];
    for seed in 0..9 {
        random_game(Backgammon::Standard, seed, |position, roll| {
            let number = moves::plays(position, roll).len();
            if number == 6 || number == 7 {
                let error = parse_play("25/off", position, roll).unwrap_err().to_string();
                assert_eq!(error.contains("or another of"), number == 7, "{error}");
                seen[number - 6] = true;
            }
        });
    }
    assert_eq!(seen, [true; 2]);
}

#[test]
fn unreadable_texts_quote_what_means_nothing() {
    for (text, part) in [
        ("e4", "\"e4\""),
        ("8/5 six", "\"six\""),
        ("8/26", "\"8/26\""),
        ("5/8", "\"5/8\""),
        ("8//5", "\"8//5\""),
        ("8/5(9)", "\"8/5(9)\""),
        ("8/5(2", "\"8/5(2\""),
        ("*8/5", "\"*8/5\""),
        ("8*/5", "\"8*/5\""),
        ("off/5", "\"off/5\""),
        ("8", "\"8\""),
        ("+8/5", "\"+8/5\""),
    ] {
        let error = parse_play(text, &Position::STANDARD, dice("31")).unwrap_err();
        assert!(matches!(error, PlayTextError::Unreadable { .. }), "{text}: {error}");
        assert!(error.to_string().contains(&format!("{part} is unreadable")), "{text}: {error}");
    }
}

#[test]
fn bear_offs_are_written_with_off() {
    // BG tests F1 and F3.
    let f1 = Position::from_points(&[(4, 2), (1, 2)], &[(1, 10)], 15).unwrap();
    assert_eq!(texts(&f1, "61"), ["4/off 1/off", "4/off 4/3"]);
    let (play, after) = parse_play("4/3 4/0", &f1, dice("61")).unwrap();
    assert_eq!((play.to_string().as_str(), after.opponent_off()), ("4/off 4/3", 12));
    let f3 = Position::from_points(&[(7, 1), (5, 2)], &[(1, 2), (5, 13)], 15).unwrap();
    assert_eq!(texts(&f3, "65"), ["7/1 5/off", "7/2 5/off"]);
    let last = Position::from_points(&[(6, 1), (1, 1)], &[(1, 10)], 15).unwrap();
    assert_eq!(texts(&last, "65"), ["6/off", "6/off 1/off"]);
    // Ends the game on the first die.
    let one = Position::from_points(&[(4, 1)], &[(1, 10)], 15).unwrap();
    assert_eq!(texts(&one, "61"), ["4/off"]);
    for text in ["4/off", "4/3/off", "4/3 3/off"] {
        let (play, after) = parse_play(text, &one, dice("61")).unwrap();
        assert_eq!((play.to_string().as_str(), after.opponent_off()), ("4/off", 15), "{text}");
    }
    let four = Position::from_points(&[(6, 3), (4, 2)], &[(1, 10)], 15).unwrap();
    assert_eq!(texts(&four, "66"), ["6/off(3) 4/off"]);
}

/// Any position at all, most of them far from what play leads to; some are finished.
fn artificial() -> impl Strategy<Value = Position> {
    let checkers = || proptest::collection::vec(0..26_usize, 0..=15);
    (checkers(), checkers(), 1..=25_usize, any::<bool>()).prop_filter_map(
        "nobody is left",
        |(mine, theirs, farthest, late)| {
            let mut counts = [0_i8; 26];
            let near = |place: usize| if late { place.min(farthest) } else { place };
            for place in mine.into_iter().map(near).filter(|&place| place > 0) {
                counts[place] += 1;
            }
            for place in theirs.into_iter().map(near).filter(|&place| place > 0) {
                let place = 25 - place;
                if counts[place] <= 0 {
                    counts[place] -= 1;
                }
            }
            Position::from_counts(&counts, 15).ok()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn artificial_positions_have_a_play_for_every_result(
        position in artificial(),
        roll in 0..21_usize,
    ) {
        let roll = Dice::ALL[roll].0;
        let plays = moves::plays(&position, roll);
        for &(play, result) in &plays {
            let text = play.to_string();
            prop_assert_eq!(parse_play(&text, &position, roll), Ok((play, result)));
            prop_assert_eq!(moves::play_to(&position, roll, &result), Some(play));
        }
        let text = encode_position_id(&position);
        prop_assert_eq!(decode_position_id(&text), Ok(position));
    }

    #[test]
    fn nearly_right_plays_are_legal_or_refused(
        position in reachable(),
        roll in 0..21_usize,
        text in "((bar|2?[0-9])(/(off|1?[0-9])\\*?){1,3}(\\([1-4]\\))?[ ,]?){1,4}",
    ) {
        let roll = Dice::ALL[roll].0;
        if let Ok((play, result)) = parse_play(&text, &position, roll) {
            let mut afterstates = Vec::new();
            movegen::afterstates(&position, roll, &mut afterstates);
            prop_assert!(afterstates.contains(&result), "{} {} {}", text, play, roll);
            prop_assert_eq!(play.apply(&position), Ok(result));
        }
    }
}
