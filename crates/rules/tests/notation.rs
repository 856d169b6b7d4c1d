//! Texts of positions and plays: golden cases checked with GNU Backgammon 1.07, round trips over
//! positions of random play, and arbitrary text.

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::notation::*;
use tavola_rules::{
    Backgammon, Cube, CubeOwner, Dice, Game, MatchScore, Offer, Play, Player, Position, movegen,
    moves,
};

fn dice(text: &str) -> Dice {
    text.parse().unwrap()
}

/// Positions of random games with the roll to be played, until a side has won.
fn random_game(game: Backgammon, seed: u64, mut visit: impl FnMut(&Position, Dice)) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = game.start();
    let mut results = Vec::new();
    let mut roll = game.opening_roll(&mut rng);
    while game.outcome(&position).is_none() {
        visit(&position, roll);
        results.clear();
        game.results(&position, roll, &mut results);
        position = results[rng.random_range(0..results.len())];
        roll = game.roll(&mut rng);
    }
}

/// The canonical texts of all plays of a roll.
fn texts(position: &Position, roll: &str) -> Vec<String> {
    let mut texts: Vec<String> =
        moves::plays(position, dice(roll)).iter().map(|(play, _)| play.to_string()).collect();
    texts.sort();
    texts
}

#[test]
fn every_result_has_one_play_and_its_text_leads_back() {
    for (game, seeds) in [(Backgammon::Standard, 0..12), (Backgammon::Hypergammon, 12..40)] {
        for seed in seeds {
            random_game(game, seed, |position, roll| {
                let plays = moves::plays(position, roll);
                let mut results = Vec::new();
                movegen::results(position, roll, &mut results);
                assert!(plays.iter().map(|(_, result)| result).eq(&results));
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
                if let Some((play, result)) = plays.last() {
                    assert_eq!(moves::play_to(position, roll, result), Some(*play));
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
    let (play, _) = parse_play("8/7/6(2)", &four, dice("11")).unwrap();
    assert_eq!(play.to_string(), "8/7*/6 8/6");
}

#[test]
fn two_blots_on_two_ways_make_an_unstarred_text_ambiguous() {
    let ways = Position::from_points(&[(24, 2), (6, 13)], &[(5, 1), (7, 1), (24, 2), (13, 11)], 15)
        .unwrap();
    let read = |text: &str| parse_play(text, &ways, dice("64"));
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
    let ways =
        Position::from_points(&[(24, 2), (6, 13)], &[(7, 1), (24, 2), (13, 12)], 15).unwrap();
    let (quiet, after) = parse_play("24/14", &ways, dice("64")).unwrap();
    assert_eq!((quiet.to_string().as_str(), after.bar()), ("24/14", 0));
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
    assert_eq!(parse_play("20/14", &larger, dice("63")).unwrap().0.to_string(), "20/14");
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

/// What `set xgid` and `show board` of GNU Backgammon 1.07 answer: XGID, Position ID, Match ID.
const GNU_BACKGAMMON: [[&str; 3]; 9] = [
    ["-b----E-C---eE--Ac-e----A-:1:-1:-1:31:2:4:0:7:10", "4HPwESDgc/ABMA", "UYnlACAAIAAE"],
    ["-b----E-C---eE--Ac-e----A-:1:-1:1:31:2:4:0:7:10", "4HPwATDgc/ARIA", "QYnlAEAAEAAE"],
    ["aB--B-CBA-A-bA--b-bcBb--A-:0:0:1:00:3:1:0:11:10", "mJthAGjMLREwBA", "cAlgARAAGAAE"],
    ["b-ABBBB----------bcbbb---B:3:1:1:44:6:4:0:9:10", "2HYDAJi2DQCAAQ", "UwkyAUAAMAAE"],
    ["b-ABBBB----------bcbbb---B:3:-1:-1:00:6:4:1:7:10", "2jYAAIZtNwCAAQ", "0AngAGAAIAAE"],
    ["-CDA----------------a-bdb-:1:1:-1:51:0:0:0:0:10", "9wIAAPYmAAAAAA", "QYkGAAAAAAAE"],
    ["aB--B-BBA-A-bB--b-bcB-b-aA:2:1:-1:62:0:0:1:0:10", "Y7bEgEEZN8MAEA", "QgkLAAAAAAAA"],
    ["-BCCC-A------------abbccb-:0:0:-1:21:5:6:1:7:10", "uzsBAGB3WwAAAA", "8AnlAFAAMAAE"],
    ["-a-A--E-C---dE---c-e-b--A-:0:0:1:52:0:0:2:0:10", "mM/BAyDE5+ADIA", "cIkKAAAAAAAE"],
];

#[test]
fn xgids_and_ids_agree_with_gnu_backgammon() {
    assert_eq!(encode_position_id(&Position::STANDARD), "4HPwATDgc/ABMA");
    assert_eq!(decode_position_id("4HPwATDgc/ABMA"), Ok(Position::STANDARD));
    for [xgid, position_id, match_id] in GNU_BACKGAMMON {
        let situation = parse_situation(xgid).unwrap();
        assert_eq!(encode_position_id(&situation.position), position_id, "{xgid}");
        let given = format!("{position_id}:{match_id}");
        let mut read = parse_situation(&given).unwrap();
        if matches!(situation.stakes, Some(Stakes::Match(score)) if score.is_crawford()) {
            // There is no cube in this game, and GNU Backgammon forgets its value.
            assert_eq!(read, Situation { cube: Some(Cube::START), ..situation }, "{xgid}");
            continue;
        }
        assert_eq!(Form::PositionAndMatchId.write(&situation), Ok(given), "{xgid}");
        // A Match ID doesn't carry beavers.
        if let (Some(Stakes::Money { beavers, .. }), Some(Stakes::Money { beavers: known, .. })) =
            (&mut read.stakes, situation.stakes)
        {
            *beavers = known;
        }
        assert_eq!(read, situation, "{xgid}");
    }
}

#[test]
fn the_board_of_an_xgid_stays_in_the_bottom_players_view() {
    let bottom = parse_situation("-b----E-C---eE--Ac-e----A-:1:-1:1:31:2:4:0:7:10").unwrap();
    let top = parse_situation("-b----E-C---eE--Ac-e----A-:1:-1:-1:31:2:4:0:7:10").unwrap();
    assert_eq!(top.position, bottom.position.flip());
    assert_eq!((bottom.position.point(24), bottom.position.point(16)), (1, 1));
    let owner = |situation: &Situation| situation.cube.unwrap().owner();
    assert_eq!((owner(&bottom), owner(&top)), (CubeOwner::Opponent, CubeOwner::Player));
    let stakes = |player, opponent| MatchScore::new(7, player, opponent).ok().map(Stakes::Match);
    assert_eq!((bottom.stakes, top.stakes), (stakes(2, 4), stakes(4, 2)));
    // Written with the player on roll at the bottom.
    assert_eq!(
        Form::Xgid.write(&top).unwrap(),
        "XGID=-a----E-Ca--eE---c-e----B-:1:1:1:31:4:2:0:7:10"
    );
}

#[test]
fn offers_and_money_rules_of_an_xgid_are_read() {
    let with = |roll: &str, rules: &str| {
        parse_situation(&format!("xgid=-b----E-C---eE---c-e----B-:0:0:1:{roll}:0:0:{rules}:0:10"))
            .unwrap()
    };
    assert_eq!(with("00", "0").offer, None);
    assert_eq!(with("D", "0").offer, Some(Offer::Double));
    assert_eq!(with("B", "0").offer, Some(Offer::Beaver));
    assert_eq!(with("R", "0").offer, Some(Offer::Raccoon));
    for (rules, jacoby, beavers) in
        [("0", false, false), ("1", true, false), ("2", false, true), ("3", true, true)]
    {
        let stakes = Stakes::Money { jacoby, beavers: Some(beavers) };
        assert_eq!(with("63", rules).stakes, Some(stakes));
        assert_eq!(with("63", rules).dice, Some(dice("63")));
    }
}

#[test]
fn the_example_match_id_is_read_field_by_field() {
    let id = MatchId::decode("QYkqASAAIAAA").unwrap();
    assert_eq!(
        id,
        MatchId {
            cube_exponent: 1,
            cube_owner: Some(Player::One),
            on_roll: Player::Two,
            crawford: false,
            progress: Progress::Playing,
            turn: Player::Two,
            doubled: false,
            resignation: 0,
            dice: Some(dice("52")),
            match_length: 9,
            scores: [2, 4],
            jacoby: true,
        }
    );
    assert_eq!(id.encode().unwrap(), "QYkqASAAIAAA");
    let situation = id.situation(Position::STANDARD).unwrap();
    assert_eq!(situation.cube, Cube::from_value(2, CubeOwner::Opponent).ok());
    assert_eq!(situation.stakes, MatchScore::new(9, 4, 2).ok().map(Stakes::Match));
}

#[test]
fn cube_and_score_of_a_text_become_those_of_the_rules() {
    let with = |cube: &str, score: &str| {
        parse_situation(&format!("-b----E-C---eE---c-e----B-:{cube}:1:31:{score}:10"))
    };
    let cube = |text: &str| with(text, "0:0:0:0").unwrap().cube;
    assert_eq!(cube("0:0"), Some(Cube::START));
    assert_eq!(cube("0:1"), Some(Cube::START));
    assert_eq!(cube("2:-1"), Cube::from_value(4, CubeOwner::Opponent).ok());
    assert_eq!(cube("3:0"), Cube::from_value(8, CubeOwner::Center).ok());
    let stakes = |text: &str| with("0:0", text).map(|situation| situation.stakes.unwrap());
    let score = |score: Result<MatchScore, _>| Ok(Stakes::Match(score.unwrap()));
    assert_eq!(stakes("2:6:1:7"), score(MatchScore::crawford(7, 2, 6)));
    assert_eq!(stakes("2:4:0:7"), score(MatchScore::new(7, 2, 4)));
    // Both one point away: the cube is dead with or without the word Crawford.
    assert_eq!(stakes("6:6:1:7"), score(MatchScore::new(7, 6, 6)));
    for (text, expected) in [("2:7:0:7", "both below 7"), ("2:4:1:7", "one point from winning")] {
        let error = stakes(text).unwrap_err().to_string();
        assert!(error.contains("an XGID") && error.contains(expected), "{error}");
    }
    let over = MatchId { match_length: 4, ..MatchId::decode("QYkqASAAIAAA").unwrap() };
    let over = over.encode().unwrap();
    let error = parse_situation(&format!("4HPwATDgc/ABMA:{over}")).unwrap_err().to_string();
    assert!(error.contains(&over) && error.contains("4-2 ends a match to 4"), "{error}");
}

#[test]
fn after_a_play_the_opponent_sees_cube_and_score_from_his_side() {
    let before = parse_situation("-b----E-C---eE---c-e----B-:2:1:1:31:2:6:0:9:10").unwrap();
    let (_, after) = parse_play("8/5 6/5", &before.position, dice("31")).unwrap();
    let seen = before.after_play(after);
    assert_eq!(
        Form::Xgid.write(&seen).unwrap(),
        "XGID=-b----E-C---eE---b-db---B-:2:-1:1:00:6:2:0:9:10"
    );
}

#[test]
fn pasted_texts_are_read() {
    let expected = parse_situation("4HPwESDgc/ABMA:UYnlACAAIAAE").unwrap();
    for text in [
        " GNU Backgammon  Position ID: 4HPwESDgc/ABMA\n                 Match ID   : UYnlACAAIAAE\n",
        "4HPwESDgc/ABMA UYnlACAAIAAE",
        "\t4HPwESDgc/ABMA:UYnlACAAIAAE ",
        "GNUID=4HPwESDgc/ABMA:UYnlACAAIAAE",
    ] {
        let read = parse_situation(text);
        assert_eq!(read.as_ref().map(|s| s.position), Ok(expected.position), "{text:?}");
        assert_eq!(read, Ok(expected), "{text:?}");
    }
    let start = Situation::from(Position::STANDARD);
    for text in [
        "4HPwATDgc/ABMA",
        "4HPwATDgc/ABMA==",
        "GNU Position ID: 4HPwATDgc/ABMA",
        "position id 4HPwATDgc/ABMA",
        "0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0",
        "0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0",
        "[0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]",
    ] {
        assert_eq!(parse_situation(text), Ok(start), "{text:?}");
    }
    let xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10";
    let pasted = format!("  {xgid}\n\nX:Player 1   O:Player 2\nScore is X:0 O:0");
    assert_eq!(parse_situation(&pasted), parse_situation(xgid));
    assert_eq!(parse_situation(&xgid.replace("XGID=", "xgid: ")), parse_situation(xgid));
}

#[test]
fn ids_that_contain_the_letters_of_a_label_are_read() {
    for text in ["4PXgIDCYc8yAKA", "LbXgIDDg81oCQA"] {
        let position = decode_position_id(text).unwrap();
        assert_eq!(parse_situation(text), Ok(position.into()));
        assert_eq!(parse_situation(&format!("Position ID: {text}")), Ok(position.into()));
        let pair = parse_situation(&format!("{text}:cAkGAAAAAAAA")).unwrap();
        assert_eq!(pair.position, position);
        assert_eq!(parse_situation(&format!("{text} cAkGAAAAAAAA")), Ok(pair));
        let printed = format!("GNUBGID  Position ID: {text}   Match ID : cAkGAAAAAAAA");
        assert_eq!(parse_situation(&printed), Ok(pair));
    }
    // This Match ID is impossible, but it is one, and no label with an ID behind it.
    assert_eq!(
        parse_situation("4HPwATDgc/ABMA:gnuidAAAAAAE"),
        MatchId::decode("gnuidAAAAAAE").map(|_| unreachable!("the roll is 4-0"))
    );
}

/// The letters of a label in random case, at a random place of `text`.
fn with_label(text: &str, label: &str, rng: &mut ChaCha8Rng) -> String {
    let at = rng.random_range(0..=text.len() - label.len());
    let label: String = label
        .chars()
        .map(|c| if rng.random() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
        .collect();
    format!("{}{label}{}", &text[..at], &text[at + label.len()..])
}

#[test]
fn every_id_made_to_contain_a_label_is_read_back() {
    let mut rng = ChaCha8Rng::seed_from_u64(2026);
    let mut ids = Vec::new();
    random_game(Backgammon::Standard, 3, |position, _| ids.push(encode_position_id(position)));
    let mut checked = 0;
    for i in 0..30_000 {
        let label = ["xgid", "gnuid", "gnubgid", "matchid", "positionid"][i % 5];
        let text = with_label(&ids[i % ids.len()], label, &mut rng);
        if let Ok(position) = decode_position_id(&text) {
            assert_eq!(parse_situation(&text), Ok(position.into()), "{text}");
            assert_eq!(parse_situation(&encode_position_id(&position)), Ok(position.into()));
            checked += 1;
        }
        let text = with_label("cAkGAAAAAAAA", label, &mut rng);
        let id = MatchId::decode(&text).map(|id| id.situation(Position::STANDARD));
        if let Ok(Ok(situation)) = id {
            assert_eq!(parse_situation(&format!("4HPwATDgc/ABMA:{text}")), Ok(situation), "{text}");
            checked += 1;
        }
    }
    assert!(checked > 1000, "{checked}");
}

#[test]
fn errors_quote_the_text_and_say_what_was_expected() {
    for (text, pieces) in [
        ("", &["\"\" is no position", "XGID", "26 numbers", "4HPwATDgc/ABMA"][..]),
        ("hello", &["\"hello\" is no position", "PositionID:MatchID"]),
        ("4HPwATDgc/ABM", &["13 characters, expected 14"]),
        ("4HPwATDgc/AB!A", &["4HPwATDgc/AB!A"]),
        ("//////////////", &["is not a GNU Position ID", "expected 14 base64"]),
        ("/////////////w", &["is not a GNU Position ID", "checkers on the board"]),
        ("AAAAAAAAAAAAAA", &["both sides have borne off every checker"]),
        ("4HPwATDgc/ABMA:cAkG", &["cAkG", "a GNU Match ID", "4 characters, expected 12"]),
        ("4HPwATDgc/ABMA:cAn/AAAAAAAA", &["a GNU Match ID", "the roll is \"6-7\""]),
        ("4HPwATDgc/ABMA:YAkGAAAAAAAA", &["the cube's owner is \"2\"", "0, 1 or 3"]),
        ("1,2,3", &["the length is \"3\"", "26 numbers"]),
        ("[0,x]", &["one of the numbers is \"x\""]),
        (
            "0,-2,0,0,0,0,5,0,3,0,0,0,-5,9,0,0,0,-3,0,-5,0,0,0,0,2,0",
            &["the player on roll has 19 checkers", "at most 15"],
        ),
        ("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0", &["the number of fields is \"8\"", "10"]),
        ("-b----E-C---eE---c-e----B:0:0:1:31:0:0:0:0:10", &["the board", "26 characters"]),
        ("-b----E-C---eE---c-e-?--B-:0:0:1:31:0:0:0:0:10", &["the board", "A to O"]),
        ("-b----E-C---eE---c-e----B-:99:0:1:31:0:0:0:0:10", &["the cube is \"99\"", "0 to 15"]),
        ("-b----E-C---eE---c-e----B-:0:2:1:31:0:0:0:0:10", &["owner is \"2\"", "1 (bottom)"]),
        ("-b----E-C---eE---c-e----B-:0:0:0:31:0:0:0:0:10", &["the turn is \"0\""]),
        (
            "-b----E-C---eE---c-e----B-:0:0:1:37:0:0:0:0:10",
            &["the roll is \"37\"", "31, D, B or R"],
        ),
        ("-b----E-C---eE---c-e----B-:0:0:1:31:-1:0:0:7:10", &["bottom player's score is \"-1\""]),
        (
            "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:7:10",
            &["the rules field is \"3\"", "Crawford"],
        ),
    ] {
        let error = parse_situation(text).unwrap_err().to_string();
        for piece in pieces {
            assert!(error.contains(piece), "{text:?}: {error} lacks {piece:?}");
        }
    }
    let long = parse_situation(&"z ".repeat(100_000)).unwrap_err().to_string();
    assert!(long.len() < 1_000, "{long}");
}

#[test]
fn numbers_that_do_not_fit_a_form_are_refused_on_writing() {
    let mut situation = Situation::from(Position::STANDARD);
    situation.cube = Cube::new(16, CubeOwner::Center).ok();
    assert!(Form::Counts.write(&situation).is_ok());
    for form in [Form::Xgid, Form::PositionAndMatchId] {
        let error = form.write(&situation).unwrap_err();
        assert!(matches!(error, NotationError::NoRoom { found: 16, .. }), "{error}");
    }
    situation.cube = None;
    situation.stakes = MatchScore::new(40_000, 0, 0).ok().map(Stakes::Match);
    for form in [Form::Xgid, Form::PositionAndMatchId] {
        assert!(form.write(&situation).unwrap_err().to_string().contains("40000"), "{form}");
    }
}

#[test]
fn positions_of_random_play_survive_every_form() {
    for (game, seeds) in [(Backgammon::Standard, 0..60), (Backgammon::Hypergammon, 60..90)] {
        for seed in seeds {
            random_game(game, seed, |position, roll| {
                for form in Form::ALL {
                    let mut situation = Situation::from(*position);
                    situation.dice = Some(roll);
                    let text = form.write(&situation).unwrap();
                    let read = parse_situation_with_checkers(&text, game.checkers()).unwrap();
                    assert_eq!(read.position, *position, "{form} {text}");
                    let carries = matches!(form, Form::Xgid | Form::PositionAndMatchId);
                    assert_eq!(read.dice, carries.then_some(roll), "{form} {text}");
                    assert_eq!(form.write(&read).unwrap(), text);
                }
            });
        }
    }
}

#[test]
fn form_names_are_read_back() {
    for form in Form::ALL {
        assert_eq!(form.name().parse(), Ok(form));
    }
    let error = "fen".parse::<Form>().unwrap_err().to_string();
    assert_eq!(error, "unknown form \"fen\", expected position-id, gnubg-id, xgid or counts");
}

/// A position of random play, some plies after the start.
fn reachable() -> impl Strategy<Value = Position> {
    (any::<u64>(), 0..120_usize).prop_map(|(seed, wanted)| {
        let mut seen = vec![];
        random_game(Backgammon::Standard, seed, |position, _| seen.push(*position));
        seen[wanted.min(seen.len() - 1)]
    })
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

fn situations() -> impl Strategy<Value = Situation> {
    let owner =
        prop_oneof![Just(CubeOwner::Center), Just(CubeOwner::Player), Just(CubeOwner::Opponent)];
    let cube = (0..=15_u8, owner)
        .prop_map(|(exponent, owner)| Cube::new(exponent, owner).unwrap_or(Cube::START));
    let stakes = prop_oneof![
        (any::<bool>(), any::<bool>())
            .prop_map(|(jacoby, beavers)| Stakes::Money { jacoby, beavers: Some(beavers) }),
        (1..=32767_u16, 0..=32767_u16, 0..=32767_u16, any::<bool>()).prop_map(
            |(length, player, opponent, crawford)| {
                let (player, opponent) = (player % length, opponent % length);
                let score = match crawford {
                    true => MatchScore::crawford(length, length - 1, opponent),
                    false => MatchScore::new(length, player, opponent),
                };
                Stakes::Match(score.or_else(|_| MatchScore::new(length, player, opponent)).unwrap())
            }
        ),
    ];
    // Dice and an offered cube exclude each other.
    let turn = prop_oneof![
        Just((None, None)),
        Just((None, Some(Offer::Double))),
        (0..21_usize).prop_map(|i| (Some(Dice::ALL[i].0), None)),
    ];
    (reachable(), cube, stakes, turn).prop_map(|(position, cube, stakes, (dice, offer))| {
        Situation { position, dice, offer, cube: Some(cube), stakes: Some(stakes) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn situations_survive_xgid_and_match_id(situation in situations()) {
        let xgid = Form::Xgid.write(&situation).unwrap();
        prop_assert_eq!(parse_situation(&xgid), Ok(situation));
        let pair = Form::PositionAndMatchId.write(&situation).unwrap();
        let mut read = parse_situation(&pair).unwrap();
        if let (Some(Stakes::Money { beavers, .. }), Some(Stakes::Money { beavers: known, .. })) =
            (&mut read.stakes, situation.stakes)
        {
            prop_assert_eq!(beavers.take(), None);
            *beavers = known;
        }
        prop_assert_eq!(read, situation);
    }

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
    fn arbitrary_text_never_panics(text in "\\PC{0,60}") {
        let _ = parse_situation(&text);
        let _ = MatchId::decode(&text);
        let _ = Xgid::decode(&text);
        let _ = parse_play(&text, &Position::STANDARD, Dice::ALL[5].0);
    }

    #[test]
    fn nearly_right_positions_never_panic(
        text in "(XGID=)?[-a-pA-P]{25,27}(:[-0-9DBR]{1,3}){8,10}|[A-Za-z0-9+/]{13,15}(:[A-Za-z0-9+/]{12})?|\\[?(-?[0-9]{1,3}[, ]){25,27}",
    ) {
        if let Ok(situation) = parse_situation(&text) {
            let xgid = Form::Xgid.write(&situation);
            prop_assert_eq!(
                parse_situation(&xgid.unwrap()).unwrap().position,
                situation.position
            );
        }
    }

    #[test]
    fn ids_of_arbitrary_bytes_are_read_or_refused(text in "[ABCDEGIMQYg]{9}A{5}") {
        if let Ok(position) = decode_position_id(&text) {
            prop_assert_eq!(encode_position_id(&position), text);
        }
    }

    #[test]
    fn nearly_right_plays_are_legal_or_refused(
        position in reachable(),
        roll in 0..21_usize,
        text in "((bar|2?[0-9])(/(off|1?[0-9])\\*?){1,3}(\\([1-4]\\))?[ ,]?){1,4}",
    ) {
        let roll = Dice::ALL[roll].0;
        if let Ok((play, result)) = parse_play(&text, &position, roll) {
            let mut results = Vec::new();
            movegen::results(&position, roll, &mut results);
            prop_assert!(results.contains(&result), "{} {} {}", text, play, roll);
            prop_assert_eq!(play.apply(&position), Ok(result));
        }
    }
}
