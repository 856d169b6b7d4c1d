//! Texts of positions: golden cases checked with GNU Backgammon 1.07, round trips over positions of
//! random play, and arbitrary text.

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::notation::*;
use tavola_rules::{Backgammon, Cube, CubeOwner, Dice, MatchScore, Offer, Player, Position};

use crate::random_play::{random_game, reachable};

fn dice(text: &str) -> Dice {
    text.parse().unwrap()
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
        if matches!(situation.stakes, Some(MoneyOrMatch::Match(score)) if score.is_crawford()) {
            // There is no cube in this game, and GNU Backgammon forgets its value.
            assert_eq!(read, Situation { cube: Some(Cube::START), ..situation }, "{xgid}");
            continue;
        }
        assert_eq!(Form::PositionAndMatchId.write(&situation), Ok(given), "{xgid}");
        // A Match ID doesn't carry beavers.
        if let (
            Some(MoneyOrMatch::Money { beavers, .. }),
            Some(MoneyOrMatch::Money { beavers: known, .. }),
        ) = (&mut read.stakes, situation.stakes)
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
    let stakes =
        |player, opponent| MatchScore::new(7, player, opponent).ok().map(MoneyOrMatch::Match);
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
        let stakes = MoneyOrMatch::Money { jacoby, beavers: Some(beavers) };
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
            progress: GameProgress::Playing,
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
    assert_eq!(situation.stakes, MatchScore::new(9, 4, 2).ok().map(MoneyOrMatch::Match));
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
    let score = |score: Result<MatchScore, _>| Ok(MoneyOrMatch::Match(score.unwrap()));
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
        "Position-ID: 4HPwATDgc/ABMA",
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
        let hyphens = printed.replace(" ID", "-ID");
        assert_eq!(parse_situation(&hyphens), parse_situation(&printed));
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
fn start_is_the_start_of_each_variant() {
    for game in Backgammon::ALL {
        for text in ["start", " Start\n"] {
            let reading = read_situation(text, game).unwrap();
            assert_eq!(reading.situation, game.start_position().into());
            assert_eq!(reading.ignored, []);
        }
    }
}

#[test]
fn what_a_text_says_without_effect_is_told() {
    let start = "XGID=-b----E-C---eE---c-e----B-";
    for (text, ignored) in [
        (format!("{start}:3:1:1:52:0:0:0:0:2"), "the position's largest cube 4"),
        (format!("{start}:0:0:1:52:6:6:1:7:10"), "the Crawford flag"),
        (format!("{start}:0:0:-1:52:3:1:0:0:10"), "the score 1-3 of a money session"),
        (format!("{start}:0:0:1:52:0:1:0:0:10"), "the score 0-1 of a money session"),
        (format!("{start}:0:0:1:52:1:0:0:0:10"), "the score 1-0 of a money session"),
        ("4HPwATDgc/ABMA:cCkGAAAAAAAA".to_owned(), "resignation"),
    ] {
        let reading = read_situation(&text, Backgammon::Standard).unwrap();
        let told: Vec<String> = reading.ignored.iter().map(ToString::to_string).collect();
        assert!(told.len() == 1 && told[0].contains(ignored), "{text}: {told:?}");
        assert!(told[0].starts_with("ignored: "));
    }
    for nothing in ["0:0:0:0", "0:0:1:0", "6:6:0:7", "5:6:1:7"] {
        let text = format!("{start}:0:0:1:52:{nothing}:10");
        assert_eq!(read_situation(&text, Backgammon::Standard).unwrap().ignored, [], "{text}");
    }
    let plain = MatchId::from_situation(&Situation::from(Position::STANDARD));
    for (player, scores, found) in [(Player::One, [3, 1], [3, 1]), (Player::Two, [3, 1], [1, 3])] {
        let id = MatchId { on_roll: player, turn: player, match_length: 0, scores, ..plain };
        assert_eq!(id.ignored(), [Ignored::MoneyScore(found)]);
        assert_eq!(MatchId { scores: [0, 0], crawford: true, ..id }.ignored(), []);
        assert_eq!(MatchId { match_length: 7, ..id }.ignored(), []);
    }
    let over = MatchId { progress: GameProgress::Over, ..plain };
    let text = format!("4HPwATDgc/ABMA:{}", over.encode().unwrap());
    let reading = read_situation(&text, Backgammon::Standard).unwrap();
    assert_eq!(reading.ignored, [Ignored::Progress(GameProgress::Over)]);
}

#[test]
fn a_match_id_whose_players_contradict_each_other_is_told() {
    let told = |id: MatchId| {
        let text = format!("mGfwATDgc/ABEA:{}", id.encode().unwrap());
        let reading = read_situation(&text, Backgammon::Standard).unwrap();
        reading.ignored.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    // As AnkiGammon writes it: the cube and the points are the other player's.
    let anki = MatchId::decode("AYmlACAAGAAA").unwrap();
    assert_eq!((anki.on_roll, anki.turn, anki.doubled), (Player::One, Player::Two, false));
    let text = "the opponent has to decide, where nothing is offered: cube and score may be meant for \
                the other side";
    assert_eq!(told(anki), [format!("ignored: {text}")]);
    assert_eq!(told(MatchId { dice: None, ..anki }).len(), 1);
    assert_eq!(told(MatchId { match_length: 0, scores: [0, 0], ..anki }).len(), 1);
    let doubled = MatchId { doubled: true, dice: None, ..anki };
    assert!(told(doubled).is_empty());
    let both = told(MatchId { turn: Player::One, ..doubled });
    assert!(both[0].contains("where the double is theirs"), "{both:?}");
    for fits in [
        MatchId { turn: Player::One, ..anki },
        MatchId { on_roll: Player::Two, ..anki },
        // A beaver.
        MatchId { match_length: 0, scores: [0, 0], turn: Player::One, ..doubled },
    ] {
        assert!(told(fits).is_empty(), "{fits:?}");
    }
    // Who resigned or won is told already.
    assert_eq!(told(MatchId { resignation: 1, ..anki }).len(), 1);
    assert_eq!(told(MatchId { progress: GameProgress::Over, ..anki }).len(), 1);
}

#[test]
fn a_bar_with_the_sign_of_another_program_is_told_with_the_right_one() {
    let start = "0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0";
    for (text, right) in [
        (start.replacen("0,-2", "1,-1", 1), "(index 0) is 1, expected -1: the opponent's checkers"),
        (format!("{}-1", start.strip_suffix('0').unwrap()), "(index 25) is -1, expected 1: "),
        (start.replacen("0,-2", "2,0", 1), "Open Sage counts them positive"),
    ] {
        let error = read_situation(&text, Backgammon::Standard).unwrap_err().to_string();
        assert!(error.contains(right), "{error}");
    }
}

#[test]
fn an_xgid_may_leave_out_the_largest_cube() {
    let nine = "-b----E-C---eE---c-e----B-:1:-1:1:31:0:0:0:7";
    assert_eq!(parse_situation(nine), parse_situation(&format!("{nine}:10")));
    assert_eq!(parse_situation(&format!("XGID={nine}")), parse_situation(nine));
    assert!(parse_situation(&format!("{nine}:10:1")).is_err());
}

#[test]
fn ogids_are_read_from_the_player_on_roll() {
    let read = |text: &str| parse_situation(text).unwrap();
    let start = read("11jjjjjhhhccccc:ooddddd88866666:N0N");
    assert_eq!((start.position, start.dice, start.stakes), (Position::STANDARD, None, None));
    // White made the last action, so Black, who moves downwards, plays 3-3.
    let black = read("OGID=03cccchhhhjjjjj:16666888dddddoo:N0N:33:W:R:0:1:3:3");
    assert_eq!(black.dice, Some(dice("33")));
    assert_eq!(
        black.position,
        Position::from_points(
            &[(24, 2), (13, 5), (8, 3), (6, 4), (1, 1)],
            &[(25, 1), (22, 1), (13, 4), (8, 4), (6, 5)],
            15
        )
        .unwrap()
    );
    assert_eq!(black.stakes, Some(MoneyOrMatch::Match(MatchScore::new(3, 1, 0).unwrap())));
    // Black has doubled, and the position is seen by Black.
    let offered = read("cccccgghhhjjjjj:112233666777dll:N0O::B:D:0:0:3:11");
    assert_eq!(offered.offer, Some(Offer::Double));
    assert_eq!((offered.position.point(13), offered.position.point(21)), (1, 2));
    // White begins, whichever player is named.
    let opening = read("11ccccchhhjjjjj:66666888dddddoo:N0N::W:IW:0:0:1:0");
    assert_eq!(opening.position, Position::STANDARD);
    let owned = read("11ccccchhhjjjjj:66666888dddddoo:B2N:36:B::6:5:7C:0");
    assert_eq!(owned.cube, Cube::new(2, CubeOwner::Opponent).ok());
    assert!(parse_situation("11ccccchhhjjjjj:66666888dddddoo:B2N:36:B::6:5:7:0:3").is_err());
    let session = read_situation(
        "11ccccchhhjjjjj:66666888dddddoo:N0N:36:B:G:0:0:9G15:0",
        Backgammon::Standard,
    );
    assert_eq!(session.unwrap().ignored.len(), 2);
}

#[test]
fn an_ogid_says_who_begins_what_is_offered_and_what_it_is_played_for() {
    let read = |tail: &str| {
        let text = format!("03cccchhhhjjjjj:16666888dddddoo:{tail}");
        read_situation(&text, Backgammon::Standard).map_err(|error| error.to_string())
    };
    // One of White's checkers is on the bar. The player who has not made the last action is on
    // roll, but White begins.
    for (tail, is_white) in [
        ("N0N", true),
        ("N0N::W", true),
        ("N0N::W:IW", true),
        ("N0N::W:", false),
        ("N0N::W:R", false),
        ("N0N::B:", true),
        ("N0N:31:W", false),
        ("N0N:31:W:IW", false),
    ] {
        assert_eq!(read(tail).unwrap().situation.position.bar() == 1, is_white, "{tail}");
    }
    for (tail, offered) in [("N0O::W", true), ("N0N::W:D", true), ("N0N::W:N", false)] {
        assert_eq!(read(tail).unwrap().situation.offer.is_some(), offered, "{tail}");
    }
    for (tail, ignored) in [
        ("N0N:36:B::6:6:7C", vec![Ignored::CrawfordFlag]),
        ("N0N:36:B::6:5:7C", vec![]),
        ("N0N:36:B::1:0:0", vec![Ignored::MoneyScore([1, 0])]),
        ("N0N:36:B::0:0:0", vec![]),
    ] {
        let reading = read(tail).unwrap();
        assert_eq!(reading.ignored, ignored, "{tail}");
        let is_match = matches!(reading.situation.stakes, Some(MoneyOrMatch::Match(_)));
        assert_eq!(is_match, tail.contains(":7C"), "{tail}");
    }
    for cube in ["X0N", "N0X", "NN", "NxN"] {
        let text = format!("OGID=11ccccchhhjjjjj:66666888dddddoo:{cube}");
        let error = parse_situation(&text).unwrap_err().to_string();
        assert!(error.contains(&format!("the cube is {cube:?}")), "{error}");
    }
    assert_eq!(format!("{:?}", Quoted::from("9G15")), "\"9G15\"");
    // A wrong letter of a point is an error of the OGID, not of an XGID.
    let error = parse_situation("11ccccchhhjjjjz:66666888dddddoo:N0N").unwrap_err().to_string();
    assert!(error.contains("a point is \"11ccccchhhjjjjz\", expected 0 to 9 and a"), "{error}");
}

#[test]
fn every_field_of_a_fibs_board_has_its_place() {
    let points = "0:-2:0:0:0:0:4:1:3:0:0:0:-5:5:0:0:0:-3:0:-4:0:0:0:0:2:0";
    let board = |head: &str, points: &str, tail: &str| {
        let text = format!("board:You:someplayer:{head}:{points}:{tail}");
        read_situation(&text, Backgammon::Standard).map_err(|error| error.to_string())
    };
    let tail = "1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:1:2:0:0:0";
    let down = board("3:0:1", points, tail).unwrap();
    // One of the opponent's checkers is on the bar, which only a later field says.
    let position = down.situation.position;
    assert_eq!((position.opponent_bar(), position.point(7), position.point(19)), (1, 1, -4));
    // The last four fields are about what may be done, and may be missing.
    assert_eq!(board("3:0:1", points, tail.rsplitn(5, ':').last().unwrap()), Ok(down.clone()));
    let up: Vec<&str> = points.rsplit(':').collect();
    assert_eq!(board("3:0:1", &up.join(":"), &tail.replace("1:-1:0:25", "1:1:25:0")), Ok(down));
    for (head, points, quoted) in [
        ("3:0:1", points.replacen("0:4", "200:4", 1), "a point is \"200\""),
        ("3:0:40000", points.to_owned(), "a score is \"40000\""),
    ] {
        let error = board(head, &points, tail).unwrap_err();
        assert!(error.contains(quoted), "{error}");
    }
    let money = |head| board(head, points, tail).unwrap().ignored;
    assert_eq!(money("9999:0:0"), []);
    assert_eq!(money("9999:1:0"), [Ignored::MoneyScore([1, 0])]);
    // In the Crawford game nobody may double; afterwards, and before it, somebody may.
    let none = tail.replacen("1:1:1:0", "1:0:0:0", 1);
    for (head, tail, crawford) in
        [("3:2:0", &none[..], true), ("3:2:0", tail, false), ("3:0:0", &none[..], false)]
    {
        let situation = board(head, points, tail).unwrap().situation;
        assert_eq!(is_crawford(&situation), crawford, "{head} {tail}");
    }
    // Who doubles at 2 has owned the cube, and is the one whose turn it is.
    let offered = "-1:0:0:0:0:2:0:0:1:1:-1:0:25:0:0:0:1:0:0:0:0";
    let situation = board("3:0:1", points, offered).unwrap().situation;
    assert_eq!(situation.cube, Cube::new(1, CubeOwner::Player).ok());
    let written = Form::Fibs.write(&situation).unwrap();
    assert!(written.contains(":-1:0:0:0:0:2:0:0:1:1:-1:"), "{written}");
}

#[test]
fn lists_of_counts_and_bits_behind_an_id_are_not_skipped() {
    let list = "[0,-2,0,0,0,0,4,1,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0]";
    let position = parse_counts(list).unwrap();
    assert_eq!((position.point(7), write_counts(&position)), (1, list.to_owned()));
    assert!(MatchId::decode("cAkGAAAAAAAE").is_ok());
    let error = MatchId::decode("cAkGAAAAAAAg").unwrap_err().to_string();
    assert!(error.contains("what follows the 67 bits"), "{error}");
    let last = Position::from_points(&[(1, 1)], &[(1, 1)], 15).unwrap();
    let id = encode_position_id(&last);
    assert!(decode_position_id(&format!("{}B{}", &id[..11], &id[12..])).is_err(), "{id}");
}

#[test]
fn a_label_begins_a_word_and_what_is_no_form_is_said_to_be_none() {
    for (text, labelled) in [
        ("Position ID: 4HPwATDgc/ABMA", true),
        ("ID de posición: 4HPwATDgc/ABMA", true),
        ("4HPwATDgc/ABMA", false),
    ] {
        assert_eq!(Labelled::Position.has(text), labelled, "{text}");
        assert!(!Labelled::Match.has(text));
    }
    let start = "-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10";
    assert_eq!(Xgid::decode(&format!("XGID={start}")), Xgid::decode(start));
    assert!(Xgid::decode(start).is_ok() && Xgid::decode(&format!("OGID={start}")).is_err());
    for (text, nearest) in [
        ("foo bar", "found 2 words"),
        ("foo bar baz", "found 3 words"),
        ("2xgid 4HPwATDgc/ABMA", "found 2 words"),
        ("foo!", "14 characters expected for a Position ID, found 4"),
    ] {
        let error = parse_situation(text).unwrap_err().to_string();
        assert!(error.contains(nearest), "{error}");
    }
}

#[test]
fn fibs_boards_are_read_from_the_player_on_roll() {
    let points = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0";
    let read = |tail: &str| parse_situation(&format!("board:You:someplayer:3:0:1:{points}:{tail}"));
    let mine = read("1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0").unwrap();
    assert_eq!((mine.position, mine.dice), (Position::STANDARD, Some(dice("62"))));
    assert_eq!(mine.cube, Some(Cube::START));
    assert_eq!(mine.stakes, Some(MoneyOrMatch::Match(MatchScore::new(3, 0, 1).unwrap())));
    // The other one is on roll, and owns the cube.
    let theirs = read("-1:0:0:5:4:2:0:1:0:1:-1:0:25:0:0:0:0:0:0:0:0").unwrap();
    assert_eq!(theirs.dice, Some(dice("54")));
    assert_eq!(theirs.cube, Cube::new(1, CubeOwner::Player).ok());
    assert_eq!(theirs.stakes, Some(MoneyOrMatch::Match(MatchScore::new(3, 1, 0).unwrap())));
    let offered = read("-1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:0").unwrap();
    assert_eq!(offered.offer, Some(Offer::Double));
    assert_eq!(offered.stakes, theirs.stakes);
    for (tail, piece) in [
        ("0:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0", "the turn"),
        ("1:7:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0", "the roll"),
        ("1:6:2:0:0:3:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0", "a power of two"),
        ("1:6", "52 between colons"),
    ] {
        let error = read(tail).unwrap_err().to_string();
        assert!(error.contains(piece), "{error}");
    }
}

#[test]
fn errors_quote_the_text_and_say_what_was_expected() {
    for (text, pieces) in [
        (
            "",
            &["\"\" is not a valid position: the text is empty", "\n  XGID", "4HPwATDgc/ABMA"][..],
        ),
        (
            "foo",
            &["\"foo\" is not a valid position: 14 characters expected", "Position ID, found 3\n"],
        ),
        ("62aCAQPWnBsAA!", &["the character '!' in place 14 is not one of a Position ID"]),
        ("4HPwATDgc/ABM", &["13 characters, expected 14"]),
        ("4HPwATDgc/AB!A", &["4HPwATDgc/AB!A"]),
        ("//////////////", &["is not a GNU Position ID", "expected 14 base64"]),
        ("/////////////w", &["is not a GNU Position ID", "checkers on the board"]),
        ("AAAAAAAAAAAAAA", &["both sides have borne off every checker"]),
        ("4HPwATDgc/ABMA:cAkG", &["cAkG", "a GNU Match ID", "4 characters, expected 12"]),
        ("4HPwATDgc/ABMA:cAn/AAAAAAAA", &["a GNU Match ID", "the roll is \"6-7\""]),
        ("4HPwATDgc/ABMA:YAkGAAAAAAAA", &["the cube's owner is \"2\"", "0, 1 or 3"]),
        ("1,2,3", &["the length is 3", "26 numbers"]),
        ("[0,x]", &["one of the numbers is \"x\""]),
        (
            "0,-2,0,0,0,0,5,0,3,0,0,0,-5,9,0,0,0,-3,0,-5,0,0,0,0,2,0",
            &["the player on roll has 19 checkers", "at most 15"],
        ),
        ("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0", &["the number of fields is 8", "9 or 10"]),
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
    let forms = [Form::Xgid, Form::PositionAndMatchId, Form::Ogid, Form::Fibs];
    let mut write = |length| {
        situation.stakes = MatchScore::new(length, 0, 0).ok().map(MoneyOrMatch::Match);
        forms.map(|form| form.write(&situation).map_err(|error| error.to_string()))
    };
    for length in [32_768, 40_000] {
        for error in write(length) {
            let quoted = |error: &String| error.contains(&length.to_string());
            assert!(error.as_ref().is_err_and(quoted), "{error:?}");
        }
    }
    assert!(write(32_767).iter().chain(&write(9_998)).all(Result::is_ok));
    // On a FIBS board this length is that of a session without end.
    let [.., fibs] = write(9_999);
    assert!(fibs.is_err_and(|error| error.contains("9999, which means money")));
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
                    let read = read_situation(&text, game).unwrap().situation;
                    assert_eq!(read.position, *position, "{form} {text}");
                    let carries = !matches!(form, Form::PositionId | Form::Counts);
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
    assert_eq!(
        error,
        "unknown form \"fen\", expected position-id, gnubg-id, xgid, ogid, fibs or counts"
    );
}

fn situations() -> impl Strategy<Value = Situation> {
    let owner =
        prop_oneof![Just(CubeOwner::Center), Just(CubeOwner::Player), Just(CubeOwner::Opponent)];
    let cube = (0..=15_u8, owner)
        .prop_map(|(exponent, owner)| Cube::new(exponent, owner).unwrap_or(Cube::START));
    let stakes = prop_oneof![
        (any::<bool>(), any::<bool>())
            .prop_map(|(jacoby, beavers)| MoneyOrMatch::Money { jacoby, beavers: Some(beavers) }),
        (1..=32767_u16, 0..=32767_u16, 0..=32767_u16, any::<bool>()).prop_map(
            |(length, player, opponent, crawford)| {
                let (player, opponent) = (player % length, opponent % length);
                let score = match crawford {
                    true => MatchScore::crawford(length, length - 1, opponent),
                    false => MatchScore::new(length, player, opponent),
                };
                MoneyOrMatch::Match(
                    score.or_else(|_| MatchScore::new(length, player, opponent)).unwrap(),
                )
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

fn is_crawford(situation: &Situation) -> bool {
    matches!(situation.stakes, Some(MoneyOrMatch::Match(score)) if score.is_crawford())
}

/// The cube of a situation whose owner a FIBS board does not tell: while it is offered, and in the
/// Crawford game, in which no player may double.
fn kept_by_fibs(read: &Situation, situation: &Situation) -> Option<Cube> {
    let told = situation.offer.is_none() && !is_crawford(situation);
    assert_eq!(read.cube.map(Cube::value), situation.cube.map(Cube::value));
    if told { read.cube } else { situation.cube }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn situations_survive_every_form_that_carries_them(situation in situations()) {
        let xgid = Form::Xgid.write(&situation).unwrap();
        prop_assert_eq!(parse_situation(&xgid), Ok(situation));
        for form in [Form::PositionAndMatchId, Form::Ogid, Form::Fibs] {
            if form == Form::Fibs && is_crawford(&situation) && situation.offer.is_some() {
                // A FIBS board cannot say what cannot be.
                continue;
            }
            let owns = situation.cube.is_none_or(|cube| {
                cube.value() == 1 || cube.owner() == CubeOwner::Player
            });
            if form == Form::Fibs && situation.offer.is_some() && !owns {
                prop_assert!(form.write(&situation).is_err());
                continue;
            }
            let is_endless = matches!(
                situation.stakes,
                Some(MoneyOrMatch::Match(score)) if score.length() == 9999
            );
            if form == Form::Fibs && is_endless {
                continue;
            }
            let text = form.write(&situation).unwrap();
            let mut read = parse_situation(&text).unwrap();
            if let (
                Some(MoneyOrMatch::Money { jacoby, beavers }),
                Some(MoneyOrMatch::Money { jacoby: known_jacoby, beavers: known_beavers }),
            ) = (&mut read.stakes, situation.stakes)
            {
                prop_assert_eq!(beavers.take(), None);
                *beavers = known_beavers;
                if form != Form::PositionAndMatchId {
                    *jacoby = known_jacoby;
                }
            }
            if form == Form::Fibs {
                read.cube = kept_by_fibs(&read, &situation);
            }
            prop_assert_eq!(read, situation, "{}", text);
        }
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
        text in "[0-9a-q]{13,15}:[0-9a-q]{13,15}:[NWBD][0-9][NO](:[0-9WBGD]{0,2}){0,8}|board:a:b(:-?[0-9]{1,2}){44,52}|(XGID=)?[-a-pA-P]{25,27}(:[-0-9DBR]{1,3}){8,10}|[A-Za-z0-9+/]{13,15}(:[A-Za-z0-9+/]{12})?|\\[?(-?[0-9]{1,3}[, ]){25,27}",
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
}

/// The head of a board that GNU Backgammon draws, in each of its languages.
#[test]
fn ids_are_found_behind_labels_of_any_language() {
    let ids = ("4HPwATDgc/ABMA", "QYkqASAAIAAA");
    let expected = parse_situation(&format!("{}:{}", ids.0, ids.1)).unwrap();
    for [position, id] in [
        ["Position ID", "Match ID   "],
        ["ID pozice", "ID zápasu"],
        ["Position ID: ", "MatchID"],
        ["Positions ID: ", "MatchID: "],
        ["Position-ID", "Match-ID"],
        ["ID de posición", "ID de partida"],
        ["Peliaseman ID", "Ottelun ID"],
        ["ID de position ", "ID de match "],
        ["ID Posizione", "ID Match"],
        ["ポジション ID", "マッチ ID"],
        ["ID poziţie", "ID partidă"],
        ["ID θέσης", "ID αγώνα"],
    ] {
        let board = format!(
            " GNU Backgammon  {position}: {}\n                 {id}: {}\n \
             +13-14-15-16-17-18------19-20-21-22-23-24-+     O: gnubg\n",
            ids.0, ids.1
        );
        for text in [board.clone(), board.replace("\n", "\n> ")] {
            assert_eq!(parse_situation(&text), Ok(expected), "{text}");
        }
    }
    assert!(parse_situation("identity: 4HPwATDgc/ABMA").is_err());
    assert!(parse_situation(&":".repeat(100_000)).is_err());
}
