//! SGF files of games and of whole matches.

use tavola_rules::{Backgammon, CubeOwner, GameEnding, Player, WinKind};

use super::*;
use crate::reading::{Notes, ReadError, ReadWatch};
use crate::record::{Act, Game, Match, Property, RecordedAction};

fn all(text: &str) -> (Vec<Match>, Vec<String>) {
    let (matches, notes) = read(text, None).unwrap();
    (matches, notes.iter().map(ToString::to_string).collect())
}

fn read(text: &str, game: Option<Backgammon>) -> Result<(Vec<Match>, Notes), ReadError> {
    super::read(text, game, ReadWatch::default())
}

fn one(text: &str) -> (Match, Vec<String>) {
    let (mut matches, notes) = all(text);
    assert_eq!(matches.len(), 1);
    (matches.remove(0), notes)
}

/// Reads, writes and reads again: nothing may change.
fn there_and_back(record: &Match) {
    let (again, notes) = one(&write(record));
    assert_eq!(&again, record);
    assert!(notes.iter().all(|note| !note.contains("left out")), "{notes:?}");
}

#[test]
fn a_money_session_with_raccoons_and_a_position_set_up_is_read() {
    // Made by hand in GNU Backgammon: double, beaver, raccoon, a gammon resigned, `set board`.
    let (record, notes) = one(include_str!("../../tests/files/money-set-up.sgf"));
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(record.players, ["Ann", "Bob"]);
    assert!(record.is_money() && record.options.jacoby);
    let acts: Vec<Act> = record.games[0].actions.iter().map(|action| action.act).collect();
    let [
        Act::Roll(_, Some(_)),
        Act::Double,
        Act::Beaver,
        Act::Raccoon,
        Act::Take,
        Act::Roll(_, Some(_)),
        Act::Resign(WinKind::Gammon),
        Act::Accept,
    ] = acts[..]
    else {
        panic!("{acts:?}");
    };
    let result = record.games[0].result.unwrap();
    assert_eq!((result.winner, result.points), (Player::Two, 16));
    assert_eq!(record.games[0].actions[6].player, Player::One);
    let second = &record.games[1];
    assert_eq!(second.score, [0, 16]);
    assert!(matches!(second.actions[1].act, Act::Roll(_, None)));
    let Act::SetUp(position, cube) = second.actions[2].act else { panic!("no position") };
    assert_eq!(second.actions[2].player, Player::Two);
    assert_eq!((position.pip_count(), cube.value(), cube.owner()), (167, 4, CubeOwner::Opponent));
    assert_eq!(second.result.unwrap().ending, GameEnding::Dropped);
    there_and_back(&record);
}

#[test]
fn an_analyzed_match_keeps_what_gnu_backgammon_says() {
    let (record, notes) = one(include_str!("../../tests/files/analyzed.sgf"));
    assert_eq!(notes, Vec::<String>::new());
    let names: Vec<&str> = record.games[0]
        .actions
        .iter()
        .flat_map(|action| action.properties.iter().map(|property| property.name.as_str()))
        .collect();
    assert!(["A", "DA", "LU", "MR"].iter().all(|name| names.contains(name)), "{names:?}");
    assert_eq!(record.games[0].properties[0].name, "GS");
    there_and_back(&record);
}

#[test]
fn comments_details_and_strange_properties_survive() {
    let text = "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[A \\] B]PB[C\\\\D]EV[Club: A]\
        GC[two\nlines]RU[Crawford]WR[1500]C[at the root]\n;W[31hefe]FOO[x][y\\]z]C[fine]\n\
        ;B[65aggl]\n;RS[W:gammon]C[no way]\n;RS[B:refuse]\n;W[double]BM[1]\n;B[drop])";
    let (record, notes) = one(text);
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(record.players, ["A ] B", "C\\D"]);
    assert_eq!(
        (record.details.event.as_str(), record.details.comment.as_str()),
        ("Club: A", "two\nlines")
    );
    let game = &record.games[0];
    assert_eq!((game.comment.as_str(), game.properties[0].name.as_str()), ("at the root", "WR"));
    let foo = Property { name: "FOO".to_owned(), values: vec!["x".to_owned(), "y]z".to_owned()] };
    assert_eq!(game.actions[0].properties, [foo]);
    assert_eq!(game.actions[2].act, Act::Resign(WinKind::Gammon));
    assert_eq!(game.actions[3].act, Act::Refuse);
    there_and_back(&record);
}

#[test]
fn an_illegal_play_keeps_the_game_up_to_there_and_its_result() {
    let text = "(;GM[6]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B]RU[Crawford]RE[B+1]\n;W[31hefe]\n\
        ;B[65aaaa]C[what?]\n;W[31hefe])\n\
        (;GM[6]MI[length:3][game:1][ws:0][bs:1]PW[A]PB[B]RU[Crawford]\n;B[31qt])";
    let (record, notes) = one(text);
    let game = &record.games[0];
    assert_eq!(game.actions.len(), 2, "{:?}", game.actions);
    assert!(matches!(game.actions[1].act, Act::Roll(_, None)));
    assert!(game.broken.as_ref().unwrap().starts_with("line 3:"), "{notes:?}");
    assert_eq!(game.result.unwrap().winner, Player::Two);
    assert_eq!(record.games[1].score, [0, 1]);
    // A step is missing, and the opponent went on.
    let [roll, set_up] = &record.games[1].actions[..] else { panic!("two actions") };
    assert!(matches!(set_up.act, Act::SetUp(..)) && roll.comment.contains("illegal play"));
}

#[test]
fn a_broken_game_and_a_crawford_game_are_written_as_they_are() {
    let text = "(;GM[6]MI[length:3][game:0][ws:2][bs:0]PW[A]PB[B]RU[Crawford:CrawfordGame]RE[W+1]\
        XB[line 7: lost]\n;W[31hefe])";
    let (record, _) = one(text);
    assert!(record.games[0].crawford);
    assert_eq!(record.games[0].broken.as_deref(), Some("line 7: lost"));
    there_and_back(&record);
}

#[test]
fn a_game_that_was_left_gets_no_end_from_the_score_of_the_next() {
    let text = "(;GM[6]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B]RU[Crawford]\n;W[31hefe])\n\
        (;GM[6]MI[length:3][game:2][ws:0][bs:1]PW[A]PB[B]RU[Crawford]\n;B[31qt])";
    let (record, _) = one(text);
    assert_eq!(record.games[0].actions.len(), 1);
    assert_eq!((record.games[0].result, record.games[1].score), (None, [0, 1]));
    there_and_back(&record);
}

#[test]
fn matches_of_a_file_are_told_apart() {
    let game = |name: &str, number: u32| {
        format!(
            "(;GM[6]MI[length:3][game:{number}][ws:0][bs:0]PW[{name}]PB[B]RU[Crawford];W[31hefe])"
        )
    };
    let text = [game("A", 0), game("A", 1), game("A", 0), game("Z", 1)].concat();
    let (matches, _) = all(&text);
    let games: Vec<usize> = matches.iter().map(|record| record.games.len()).collect();
    assert_eq!(games, [2, 1, 1]);
}

#[test]
fn variants_automatic_doubles_and_rolls_on_the_table_are_read() {
    let text = "(;GM[6]MI[length:0][game:0][ws:0][bs:0]PW[A]PB[B]RU[Nackgammon]CV[2]\
        \n;PL[B]DI[31]\n;B[31qtst]\n;W[65])";
    let (record, notes) = one(text);
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(record.options.start, tavola_rules::Backgammon::Nackgammon);
    let acts = &record.games[0].actions;
    assert!(matches!(acts[0].act, Act::SetUp(_, cube) if cube.value() == 2), "{acts:?}");
    assert!(matches!(acts[1].act, Act::Roll(_, Some(_))) && acts.len() == 3, "{acts:?}");
    assert!(matches!(acts[2].act, Act::Roll(_, None)), "{acts:?}");
    there_and_back(&record);
}

#[test]
fn dice_changed_by_hand_and_variations_are_told() {
    let text = "(;GM[6]MI[length:3][game:0][ws:0][bs:0];PL[W]DI[65](;W[31hefe](;B[65aggl])(;B[31]))(;W[21]))";
    let (record, notes) = one(text);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("2 variations") && notes[1].contains("replaced by"), "{notes:?}");
    assert_eq!(record.games[0].actions.len(), 4, "{:?}", record.games[0].actions);
    there_and_back(&record);
}

#[test]
fn the_score_of_the_next_game_has_the_last_word() {
    let text = include_str!("../../tests/files/three-points.sgf");
    let (expected, _) = read(text, None).unwrap();
    let [first, second] = ["RE[B+2", "RE[W+1"];
    assert!(text.contains(first) && text.contains(second));
    let plain = |record: &Match| {
        let results = record.games.iter().map(|game| game.result.map(|it| (it.winner, it.points)));
        (record.players.clone(), record.length, results.collect::<Vec<_>>())
    };
    for (from, to, notes) in [
        // The winner turned round, by who bore off and who resigned.
        (first, "RE[W+2", 1),
        (second, "RE[B+1", 1),
        // No result.
        (first, "XX[B+2", 0),
        // A record behind other lines.
        ("(;FF[4]GM[6]", "Our match (the last one):\n\n(;FF[4]GM[6]", 0),
    ] {
        let (matches, found) = read(&text.replacen(from, to, 1), None).unwrap();
        assert_eq!(plain(&matches[0]), plain(&expected[0]), "{to} {found:?}");
        assert_eq!(found.len(), notes, "{to} {found:?}");
    }
    // The score of a game that can't be tells nothing.
    let (matches, _) =
        read(&text.replace("[game:1][ws:0][bs:2]", "[game:1][ws:9][bs:0]"), None).unwrap();
    assert_eq!(plain(&matches[0]).2[0], plain(&expected[0]).2[0]);
    let lines = text.replace("MI[", "MX[");
    let (matches, notes) = read(&lines, None).unwrap();
    assert_eq!((matches.len(), matches[0].games.len()), (1, 3), "{notes:?}");
    assert!(notes[0].text.contains("no MI"), "{notes:?}");
}

#[test]
fn what_is_no_backgammon_is_refused() {
    assert!(read("(;GM[1]FF[4];B[aa])", None).unwrap_err().to_string().contains("GM[1]"));
    assert!(read("()", None).is_err());
    assert!(!is_sgf("Game 1") && is_sgf("\u{feff} (\n;GM[6])".trim_start_matches('\u{feff}')));
    for cut in ["(;GM[6]MI[length:3]PW[A", "(;GM[6]MI[length:3];W[31", "(;GM[6]\\;;]]))(("] {
        let _ = read(cut, None);
    }
}

#[test]
fn a_match_without_games_has_a_tree() {
    let record = Match::new(["A".to_owned(), "B".to_owned()], 5, tavola_rules::Options::default());
    let (again, _) = one(&write(&record));
    assert_eq!((again.length, again.games), (5, vec![Game::default()]));
    let action = RecordedAction::new(Player::One, Act::Resign(WinKind::Single));
    let game = Game { actions: vec![action], ..Game::default() };
    let _ = write(&Match { games: vec![game], ..record });
}

#[test]
fn of_many_notes_the_first_are_kept_and_the_number_of_the_others() {
    let file = "(;GM[6]".repeat(1200);
    let notes = crate::format::read(file.as_bytes()).unwrap().notes;
    assert_eq!(notes.len(), 1001);
    assert!(notes[2].text.starts_with("GM belongs to the root"), "{}", notes[2]);
    assert!(notes[1000].text.ends_with(" notes more are not listed"), "{}", notes[1000]);
}

#[test]
fn files_have_a_number_of_matches_and_games() {
    let read = |[head, part, tail]: [&str; 3], times| {
        let text = [head, &part.repeat(times), tail].concat();
        crate::format::read(text.as_bytes()).map(|reading| reading.matches)
    };
    let json = r#"{"format":"tavola match","version":1,"matches":["#;
    let record = r#"{"players":["",""],"length":0,"games":[]}"#;
    let records = [json, &format!("{record},"), &format!("{record}]}}")];
    let game = r#"{"score":[0,0],"actions":[]}"#;
    let session = format!(r#"{json}{{"players":["",""],"length":0,"games":["#);
    let games = [session.as_str(), &format!("{game},"), &format!("{game}]}}]}}")];
    let text = "1 point match\n Game 1\n A : 0   B : 0\n";
    for (parts, most) in [
        (["", "(;GM[6]MI[length:1])", ""], 3000),
        (["", "(;GM[6])", ""], 8000),
        (["", text, ""], 3000),
        ([" 0 point match\n", " Game 1\n A : 0   B : 0\n", ""], 8000),
        (records, 2999),
        (games, 7999),
    ] {
        let what = if most < 3001 { "matches than 3000" } else { "games than 8000" };
        assert!(read(parts, most).is_ok(), "{parts:?}");
        let error = read(parts, most + 1).unwrap_err().to_string();
        assert!(error.ends_with(&format!("more {what}, the most in a file")), "{error}");
    }
}

#[test]
fn answers_to_resignations_are_read() {
    let game = |cube: &str, resigned: &str, answer: &str, result: &str| {
        let (matches, notes) = all(&format!(
            "(;FF[4]GM[6]MI[length:7][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RE[{result}];W[31hefe]{cube}\
             ;B[resign{resigned}];W[{answer}])"
        ));
        (matches[0].games[0].clone(), notes)
    };
    let cube = ";B[double];W[take]";
    for (cube, resigned, result, kind) in [
        ("", "", "W+1", WinKind::Single),
        ("", ":1", "W+1", WinKind::Single),
        ("", ":2", "W+2R", WinKind::Gammon),
        ("", ":gammon", "W+2", WinKind::Gammon),
        (cube, ":2", "W+2", WinKind::Single),
        (cube, ":2", "W+4", WinKind::Gammon),
        (cube, ":4", "W+4", WinKind::Gammon),
        (cube, ":2", "?", WinKind::Single),
        (cube, ":3", "W+6", WinKind::Backgammon),
    ] {
        let (read, notes) = game(cube, resigned, "accept", result);
        assert_eq!(notes, Vec::<String>::new(), "{resigned} {result}");
        assert_eq!(read.result.unwrap().ending, GameEnding::Resigned(kind), "{resigned} {result}");
        assert_eq!(read.broken, None);
    }
    for answer in ["reject", "refuse", "decline"] {
        let (read, notes) = game("", ":2", answer, "?");
        assert_eq!((read.actions[2].act, read.broken), (Act::Refuse, None), "{notes:?}");
    }
}
