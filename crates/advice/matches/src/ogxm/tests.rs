//! OGXM read, written and kept whole.

use tavola_rules::{Cube, Player, Position};

use super::*;
use crate::record::{Act, Game, Property, RecordedAction};

const TEXT: &str = "; [Event \"Club\"]\n; [EventDate \"2026.11.23\"]\n; [Site \"Rome\"]\n 5 point match\n\n \
    Game 1\n Ann : 0                              Bob : 0\n  1) 31: 8/5 6/5                     42: 8/4 6/4\n  \
    2)  Doubles => 2                    Takes\n  3) 61: 13/7 8/7                     21: 13/11 6/5\n  \
    4)                                   Doubles => 4\n  5)  Drops\n                                   \
    Wins 2 points\n\n Game 2\n Ann : 0                              Bob : 2\n  1) 31: 8/5 6/5\n";

fn text(text: &str) -> Match {
    crate::read(text.as_bytes()).unwrap().matches.remove(0)
}

fn again(record: &Match) -> Match {
    let reading = crate::read(&write(record, None)).unwrap();
    assert_eq!((reading.notes.len(), reading.matches.len()), (0, 1), "{:?}", reading.notes);
    reading.matches.into_iter().next().unwrap()
}

#[test]
fn comments_properties_and_analyses_survive() {
    let mut record = text(TEXT);
    assert_eq!(again(&record), record);
    record.details.comment = "A match\nof two".to_owned();
    record.details.annotator = "Cleo".to_owned();
    record.details.other.push(("Clock".to_owned(), "slow".to_owned()));
    record.games[0].comment = "ü".repeat(5000);
    let property = |name: &str, values: &[&str]| Property {
        name: name.to_owned(),
        values: values.iter().map(|it| (*it).to_owned()).collect(),
    };
    let actions = &mut record.games[0].actions;
    actions[0].comment = "the usual play".to_owned();
    actions[0].properties = vec![property("GS", &["1", "2"])];
    actions[2].comment = "early".to_owned();
    let lines: Vec<String> = (0..900).map(|it| format!("line {it}")).collect();
    actions[3].comment = lines.join("\n");
    let mut read = again(&record);
    // What is too long for one text of OGXM comes back in lines.
    read.games[0].comment = read.games[0].comment.replace('\n', "");
    assert_eq!(read, record);
}

#[test]
fn what_xg_said_becomes_a_block_and_blocks_stay() {
    let mut record = text(TEXT);
    let property = |name, values: [f64; 2]| crate::analysis::property(name, values);
    record.games[0].actions[1].properties = vec![property("XG", [-0.041, 0.091])];
    record.games[0].actions[2].properties = vec![property("XC", [0.5, 0.25])];
    let read = again(&record);
    let name = |(name, _): &&(String, String)| name.starts_with(BLOCKS);
    assert_eq!(read.details.other.iter().filter(name).count(), 1);
    let said = |record: &Match| -> Vec<Vec<Property>> {
        let actions = record.games[0].actions.iter();
        let of_xg = |it: &Property| it.name == "XG" || it.name == "XC";
        actions.map(|it| it.properties.iter().filter(|it| of_xg(it)).cloned().collect()).collect()
    };
    let close = |one: &[Vec<Property>], two: &[Vec<Property>]| {
        one.iter().flatten().zip(two.iter().flatten()).all(|(one, two)| {
            let pairs = one.values.iter().zip(&two.values);
            pairs
                .map(|(one, two)| [one, two].map(|it| it.parse::<f64>().unwrap()))
                .all(|[one, two]| (one - two).abs() < 2e-4)
        })
    };
    // The answer to the double has the record as well.
    assert!(close(&said(&record), &said(&read)), "{:?} {:?}", said(&record), said(&read));
    let twice = again(&read);
    assert_eq!(twice, read);
    assert_eq!(write(&twice, None), write(&read, None));
}

/// The reference codec takes no comment on a game without plies.
#[test]
fn a_game_that_nothing_is_played_in_has_a_ply() {
    let record = text(TEXT);
    let roll = Act::Roll("31".parse().unwrap(), None);
    let set_up = Act::SetUp(Position::STANDARD.flip(), Cube::START);
    for acts in [&[][..], &[roll], &[set_up, roll], &[set_up]] {
        let mut record = record.clone();
        let action = |act: &Act| RecordedAction::new(Player::One, *act);
        let actions = acts.iter().map(action).collect();
        let comment = "nothing yet".to_owned();
        record.games = vec![Game { actions, comment, ..Game::default() }];
        let file = write(&record, None);
        let (document, _) = document::OgxmDocument::read(&file).unwrap();
        assert_eq!(document.games[0].plies.len(), 1);
        assert_eq!(crate::read(&file).unwrap().matches[0].games, record.games, "{acts:?}");
    }
}

#[test]
fn a_damaged_file_names_its_place() {
    let file = write(&text(TEXT), None);
    let error = |bytes: &[u8]| crate::read(bytes).unwrap_err().to_string();
    for length in 0..file.len() {
        let message = error(&file[..length]);
        assert!(length < 4 || message.contains("OGXM"), "{length}: {message}");
    }
    let mut flipped = file.clone();
    // Other checksums than that of our files are passed over.
    let sum = file.windows(4).position(|it| it == b"CSUM").unwrap();
    for at in (4..sum).chain(file.len() - 8..file.len()) {
        flipped[at] ^= 0x10;
        assert!(crate::read(&flipped).is_err(), "{at}");
        flipped[at] ^= 0x10;
    }
    let at = file.windows(4).position(|it| it == b"GAME").unwrap();
    flipped[at + 4..at + 8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(error(&flipped).contains(&format!("the section at byte {at}")), "{}", error(&flipped));
    // One behind another are matches of one file.
    let two = [file.as_slice(), &file].concat();
    assert_eq!(crate::read(&two).unwrap().matches.len(), 2);
}

#[test]
fn json_of_ogxm_is_read_in_both_shapes() {
    let mut record = text(TEXT);
    record.games[0].actions[0].comment = "a play".to_owned();
    record.details.comment = "a match".to_owned();
    let read = crate::read(write_json(&record).as_bytes()).unwrap();
    assert_eq!((read.matches, read.notes), (vec![record], vec![]));
    // As the reference codec prints it.
    let file = r#"{"match_length": 3, "player_white": "Ann", "player_black": "Bob", "variant":
        "backgammon", "white_score_start": 1, "crawford": true, "games": [{"winner": 1,
        "points_won": 2, "plies": [{"action_id": 2, "color": 1, "d1": 1, "d2": 3, "moves": [{"from":
        17, "pips": 3}, {"from": 19, "pips": 1}]}, {"action_id": 31, "color": 1, "d1": 2, "d2": 4,
        "illegal": true, "set_position": [0, 2, 0, 0, -2, 0, -5, 0, -1, 0, 0, 0, 5, -5, 0, 0, 0, 2, 0,
        4, 2, 0, 0, 0, -2, 0]}, {"action_id": 27, "color": 1, "resign_value": "gammon"}]}],
        "annotations": [{"scope": "ply", "ref": 1, "value": "illegal"}]}"#;
    let record = crate::read(file.as_bytes()).unwrap().matches.remove(0);
    let game = &record.games[0];
    let result = game.result.unwrap();
    assert_eq!((game.score, result.winner.index(), result.points), ([1, 0], 1, 2));
    assert_eq!((&*game.actions[1].comment, game.actions.len()), ("illegal", 5));
    // GammonView leaves the kind of a resignation to the points.
    let file = file.replace(", \"resign_value\": \"gammon\"", "");
    assert_eq!(crate::read(file.as_bytes()).unwrap().matches[0].games[0], *game);
    let none = r#"{"match_length": 3, "player_white": "Ann", "games": [{"plies": [{"set_position": [1]}]}]}"#;
    let error = crate::read(none.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("OGXM") && error.contains("1 counts"), "{error}");
}

#[test]
fn numbers_of_rolls_go_there_and_back() {
    assert_eq!(document::dice_of(0), Some([1, 1]));
    assert_eq!(document::dice_of(20), Some([6, 6]));
    assert_eq!(document::dice_of(21), None);
    assert!((0..21).all(|it| document::dice_of(it).and_then(document::roll_of) == Some(it)));
}

/// Two plays, a double that is dropped, and a dance, in the four packings of BGBlitz.
#[test]
fn matches_of_bgblitz_are_read_packed_or_not() {
    use std::io::Write as _;
    let file = r#"{"matchlen": 3, "nameGreen": "Ann", "nameRed": "Bob", "date": "Nov 2, 2025",
        "useCrawford": true, "finalGreen": 1, "finalRed": 0, "games": [{"scoreGreen": 0, "scoreRed": 0,
        "wonPoints": 1, "moves": [{"player": -1, "red": 3, "green": 1, "from": [8, 6, -1, -1],
        "to": [5, 5, -1, -1]}, {"player": 1, "red": 4, "green": 2, "from": [8, 6, -1, -1], "to":
        [4, 4, -1, -1], "comment": "fine"}, {"player": -1, "from": [-1], "to": [-1], "equity":
        {"cubeDecision": {"hasDoubled": true, "hasAccepted": false}}}, {"player": 1, "from": [-1],
        "to": [-1]}, {"player": 1, "from": [-1], "to": [-1]}]}]}"#;
    let head = b"{\"format\":\"BGF\",\"version\":\"1.0\",\"compress\":true,\"useSmile\":true}\n";
    let gzip = |bytes: &[u8]| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    };
    let mut smile = b":)\n\x01".to_vec();
    put_smile(&serde_json::from_str(file).unwrap(), &mut Vec::new(), &mut smile);
    for body in [file.as_bytes().to_vec(), gzip(file.as_bytes()), smile.clone(), gzip(&smile)] {
        let bytes = [&head[..], &body].concat();
        let reading = crate::read(&bytes).unwrap();
        assert_eq!((reading.format, reading.notes.len()), (crate::MatchFormat::Bgf, 0));
        let record = &reading.matches[0];
        assert_eq!((record.players.clone(), record.length), (["Ann", "Bob"].map(str::to_owned), 3));
        let game = &record.games[0];
        assert_eq!((game.actions.len(), record.score()), (4, [1, 0]));
        assert_eq!(game.actions[1].comment, "fine");
        for cut in head.len()..bytes.len() {
            let refused = crate::read(&bytes[..cut]).err();
            assert!(refused.is_none_or(|error| error.to_string().contains("BGBlitz")));
        }
    }
}

/// Writes a value as Smile, with names that are named again.
fn put_smile(value: &serde_json::Value, names: &mut Vec<String>, into: &mut Vec<u8>) {
    use serde_json::Value;
    match value {
        Value::Null => into.push(0x21),
        Value::Bool(is) => into.push(0x22 + u8::from(*is)),
        Value::Number(number) => {
            let number = number.as_i64().unwrap();
            let bits = (number << 1 ^ number >> 63) as u64;
            into.push(0x24);
            if bits >> 6 > 0 {
                into.push((bits >> 6) as u8);
            }
            into.push(bits as u8 & 0x3f | 0x80);
        }
        Value::String(text) if text.is_empty() => into.push(0x20),
        Value::String(text) => {
            into.push(0x3f + text.len() as u8);
            into.extend(text.as_bytes());
        }
        Value::Array(list) => {
            into.push(0xf8);
            list.iter().for_each(|it| put_smile(it, names, into));
            into.push(0xf9);
        }
        Value::Object(object) => {
            into.push(0xfa);
            for (name, value) in object {
                match names.iter().position(|it| it == name) {
                    Some(at) => into.push(0x40 + at as u8),
                    None => {
                        into.push(0x7f + name.len() as u8);
                        into.extend(name.as_bytes());
                        names.push(name.clone());
                    }
                }
                put_smile(value, names, into);
            }
            into.push(0xfb);
        }
    }
}

#[test]
fn what_other_engines_say_stands_beside_ours() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use crate::analysis::{questions, stored};
    let mut record = text(TEXT);
    let property = |name, values: [f64; 2]| crate::analysis::property(name, values);
    record.games[0].actions[1].properties = vec![property("XG", [-0.041, 0.091])];
    record.games[0].actions[2].properties = vec![property("XC", [0.5, 0.25])];
    let mut read = again(&record);
    let asked = questions(&read);
    let of_xg: Vec<_> = asked.iter().map(|question| stored(&read, question)).collect();
    let named: Vec<_> = of_xg.iter().flatten().map(|it| (&*it.name, it.stored)).collect();
    assert!(named.len() >= 3 && named.iter().all(|it| *it == ("XG", true)), "{named:?}");
    // The same by another engine, which no property of an action repeats.
    for (name, value) in &mut read.details.other {
        if name.starts_with(BLOCKS) {
            let head = STANDARD.decode(&value).unwrap();
            let at = head.windows(3).position(|it| it == b"\x02xg").unwrap();
            *value = STANDARD.encode([&head[..at], b"\x02gb", &head[at + 3..]].concat());
        }
    }
    for action in &mut read.games[0].actions {
        action.properties.retain(|it| it.name != "XG" && it.name != "XC");
    }
    for (question, xg) in asked.iter().zip(of_xg) {
        match (&stored(&read, question)[..], &xg[..]) {
            ([], []) => {}
            ([other], [xg]) => {
                assert_eq!((&*other.name, &*other.engine), ("gb", "eXtreme Gammon"));
                assert_eq!((other.stored, &other.best), (true, &xg.best));
                assert!((other.equity - xg.equity).abs() < 2e-4, "{other:?} {xg:?}");
                assert!((other.loss - xg.loss).abs() < 2e-4, "{other:?} {xg:?}");
            }
            (found, xg) => panic!("{found:?} {xg:?}"),
        }
    }
}

#[test]
fn what_other_readers_refuse_is_not_written() {
    use super::analysis::by_itself;
    use super::wire::{Cursor, Fields, Put};
    // An analysis of another file keeps neither the digest of its match nor the plies that it covers.
    let mut fields = Fields::behind(vec![7; 16]);
    fields.put(0, Some([9; 32]), |body, digest| body.extend(digest));
    fields.put(1, Some(300), |body, at| body.varint(at));
    fields.put(4, Some([2, 0, 90]), |body, plies| plies.iter().for_each(|it| body.varint(*it)));
    fields.put(5, Some("xg"), |body, model| body.string(model));
    let mut head = Vec::new();
    fields.write(&mut head);
    let cleaned = by_itself(&head).unwrap();
    let (mask, body) = Cursor(&cleaned).record().unwrap();
    assert_eq!((mask.0, body.0), (0b10_0010, &[&[7; 16][..], b"\xac\x02\x02xg"].concat()[..]));
    assert!(by_itself(&head[..20]).is_err());
    // A key stands once, a long value is packed, and values beyond what a file may hold are left out.
    let mut record = text(TEXT);
    let note = |value: &str| ("OGXM: x-note".to_owned(), value.to_owned());
    record.details.other = vec![note("one"), note("two")];
    let property = |value: String| vec![Property { name: "ZZ".to_owned(), values: vec![value] }];
    record.games[0].actions[1].properties = property("a long value ".repeat(2000));
    assert!(write(&record, None).len() < 2000);
    let read = again(&record);
    assert_eq!(read.details.other, [note("one\ntwo")]);
    assert_eq!(read.games, record.games);
    let noise = (0..7000_u32).map(|it| tavola_files::sha256(&it.to_le_bytes())).collect();
    record.games[0].actions[1].properties = property(noise);
    let file = write(&record, None);
    assert!(file.len() < 2000, "{}", file.len());
    record.games[0].actions[1].properties.clear();
    assert_eq!(again(&record).games, crate::read(&file).unwrap().matches[0].games);
}
