//! Match texts as programs and people write them.

use super::*;

mod heads;
mod kinds;
mod rewritings;
mod written;
use crate::reading::{Notes, ReadError, ReadWatch};
use crate::record::{Act, Match};
use tavola_rules::{Backgammon, GameEnding, Player, WinKind};

fn read(text: &str, game: Option<Backgammon>) -> Result<(Vec<Match>, Notes), ReadError> {
    super::read(text, game, ReadWatch::default())
}

fn one(text: &str) -> (Match, Vec<String>) {
    let (mut matches, notes) = read(text, None).unwrap();
    assert_eq!(matches.len(), 1);
    (matches.remove(0), notes.iter().map(ToString::to_string).collect())
}

const SHORT: &str = "\
; [Event \"Club\"]
; [EventDate \"2026.11.23\"]

 3 point match

 Game 1
 Ann Lee : 0                    Bob : 0
  1) 31: 8/5 6/5                65: 24/18 18/13
  2)  Doubles => 2               Drops
      Wins 1 point

 Game 2
 Ann Lee : 1                    Bob : 0
  1)                            21: 13/11 6/5
  2)  Doubles => 2               Takes
  3) 64: 24/14                  43:
";

#[test]
fn a_match_is_read_and_written_again() {
    let (record, notes) = one(SHORT);
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(record.players, ["Ann Lee", "Bob"]);
    assert_eq!((record.length, record.details.date.as_str()), (3, "2026-11-23"));
    assert_eq!(record.games.len(), 2);
    assert_eq!(record.games[0].result.unwrap().ending, GameEnding::Dropped);
    assert_eq!(record.games[1].score, [1, 0]);
    assert_eq!(record.games[1].actions[0].player, Player::Two);
    assert_eq!(record.games[1].result, None);
    let (again, notes) = one(&write(&record));
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(again, record);
}

#[test]
fn a_game_that_stops_short_is_resigned_by_what_the_file_says() {
    let text = "\n 5 point match\n\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5     65: ???\n      Wins 2 points\n";
    let (record, notes) = one(text);
    assert_eq!(notes, Vec::<String>::new());
    let game = &record.games[0];
    assert_eq!(game.actions[2].act, Act::Resign(WinKind::Gammon));
    assert_eq!(game.result.unwrap().points, 2);
}

#[test]
fn an_illegal_play_keeps_the_game_up_to_there_and_the_next_ones() {
    let text = "\n 5 point match\n\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5     65: 24/20\n  2) 31: 8/5 6/5\n Wins 1 point\n\n Game 2\n A : 1   B : 0\n  1) 21: 13/11 6/5\n";
    let (record, notes) = one(text);
    assert_eq!(record.games[0].actions.len(), 2, "{:?}", record.games[0].actions);
    assert!(record.games[0].broken.as_ref().unwrap().starts_with("line 6:"), "{notes:?}");
    assert!(notes[0].contains("24/20") && notes[0].contains("kept up to here"), "{notes:?}");
    assert_eq!(record.games[0].result.unwrap().winner, Player::One);
    assert_eq!(record.games[1].actions.len(), 1);
}

#[test]
fn cells_are_found_without_two_spaces_between_them() {
    let text = "\n 1 point match\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5 65: 24/18 18/13\n  2) 11: 8/7 8/7 6/5 6/5 33: 13/10 13/10 6/3 6/3\n";
    let (record, notes) = one(text);
    assert_eq!((record.games[0].actions.len(), notes.len()), (4, 0), "{notes:?}");
}

#[test]
fn what_is_no_match_text_is_refused() {
    assert!(read("hello\nworld\n", None).unwrap_err().to_string().contains("\"hello\\nworld\\n\""));
}

/// What players did, as one word each.
fn acts(text: &str) -> (Vec<String>, Vec<String>) {
    let (record, notes) = one(text);
    let word = |act: &Act| match act {
        Act::Roll(dice, Some(play)) => format!("{dice} {play}"),
        Act::Roll(dice, None) => format!("{dice} -"),
        Act::SetUp(position, cube) => {
            format!("set up {} at {}", position.pip_count(), cube.value())
        }
        other => format!("{other:?}"),
    };
    (record.games[0].actions.iter().map(|action| word(&action.act)).collect(), notes)
}

/// A game with these rows.
fn game(rows: &str) -> String {
    format!(" 5 point match\n\n Game 1\n Ann : 0                    Bob : 0\n{rows}")
}

#[test]
fn galaxy_writes_one_hop_a_step_with_words_for_bar_and_off() {
    let rows = "  1) 13: 6/5 8/5                  56: 24/18 18/13\n\
        \x20 2) 42: 8/4 6/4                  33: 13/10(2) 6/3(2)\n";
    let (done, notes) = acts(&game(rows));
    assert_eq!(
        done,
        ["3-1 8/5 6/5", "6-5 24/13", "4-2 8/4 6/4", "3-3 13/10(2) 6/3(2)"],
        "{notes:?}"
    );
    let text = "\n 5 point match\n\n Game 1\n Ann : 0      Bob : 0\n\
        \x20 1) 51: 13/8 6/5                 41: 24/20* 24/23\n\
        \x20 2) 63: Bar/22 24/18\n";
    let (done, notes) = acts(text);
    assert_eq!(done[2], "6-3 bar/22 24/18", "{notes:?}");
}

#[test]
fn names_with_ratings_and_a_swapped_tag_come_from_the_score_line() {
    let text = "; [Player 1 \"Zoe\"]\n; [Player 2 \"Ann\"]\n 5 point match\n\n Game 1\n\
        \x20Ann B,1666.5 : 0            Zoe : 0\n  1) 31: 8/5 6/5\n";
    assert_eq!(one(text).0.players, ["Ann B", "Zoe"]);
}

#[test]
fn a_loss_that_is_told_and_points_beyond_reason_end_the_game() {
    let rows = "  1) 31: 8/5 6/5                  65: ????\n      Losses 1 point\n";
    let (record, notes) = one(&game(rows));
    let result = record.games[0].result.unwrap();
    assert_eq!((result.winner, result.points), (Player::One, 1), "{notes:?}");
    let rows = "  1) 31: 8/5 6/5                  65: 24/18 18/13\n  2) Doubles ==> 2                 Drops\n\
        \x20     Wins 2008 point\n";
    let (record, notes) = one(&game(rows));
    assert_eq!((record.games[0].result.unwrap().points, notes.len()), (1, 1), "{notes:?}");
}

#[test]
fn an_illegal_play_goes_on_where_the_board_is_given() {
    let rows = "  1) 31: 8/5 6/5                  65: Illegal play (24/20 13/8)\n\
        ; Set Pos=-b----E-C---eE---c-e----B-/0\n\
        \x20 2) 42: 8/4 6/4                  65: 24/18 18/13\n";
    let (done, notes) = acts(&game(rows));
    assert_eq!(done[2], "set up 167 at 1", "{notes:?} {done:?}");
    assert_eq!((done.len(), done[3].as_str()), (5, "4-2 8/4 6/4"));
    let swapped = rows.replace(
        "  2) 42: 8/4 6/4                  65: 24/18 18/13",
        "  2)                              42: 8/4 6/4",
    );
    let (record, _) = one(&game(&swapped));
    assert_eq!(record.games[0].actions[2].player, Player::Two);
}

#[test]
fn beavers_and_the_jacoby_rule_are_known_from_the_game() {
    let text = " 0 point match\n\n Game 1\n Ann : 0                    Bob : 0\n\
        \x20 1) 31: 8/5 6/5                  Doubles => 2\n\
        \x20 2)  Beavers => 4                Beavers => 8\n  3)                             65: 24/18 18/13\n";
    let (done, notes) = acts(text);
    assert_eq!(done[1..5], ["Double", "Beaver", "Raccoon", "Take"], "{notes:?}");
    // A gammon that won one point: all that Bob has is on his 24 point, Ann bears off her last.
    let text = " 0 point match\n\n Game 1\n Ann : 0                    Bob : 0\n\
        \x20 1)  Set Pos=XGID=-A----------------------o-:0:0:1:00:0:0:0:0:10\n\
        \x20 2) 31: 1/off\n      Wins 1 point\n";
    let (record, notes) = one(text);
    assert_eq!(record.games[0].result.unwrap().points, 1, "{notes:?}");
    assert!(record.options.jacoby, "{record:?} {notes:?}");
    let tagged = format!("; [Jacoby \"Off\"]\n{text}");
    let (record, notes) = one(&tagged);
    assert!(!record.options.jacoby && notes.len() == 1, "{notes:?}");
}

#[test]
fn several_matches_and_rows_without_numbers_are_read() {
    let text = " 1 point match\n Game 1\n A : 0   B : 0\n 31: 8/5 6/5   65: 24/18 18/13\n\
        ; [Site \"X\"]\n 3 point match\n Game 1\n C : 0   D : 0\n  1)        31: 8/5 6/5\n";
    let (matches, notes) = read(text, None).unwrap();
    assert_eq!((matches.len(), notes.len()), (2, 0), "{notes:?}");
    assert_eq!((matches[1].players[0].as_str(), matches[1].details.place.as_str()), ("C", "X"));
    assert_eq!(matches[0].games[0].actions.len(), 2);
}

#[test]
fn a_score_tells_of_the_jacoby_rule_against_the_result() {
    // As GNU Backgammon writes it: three points for a backgammon that counted one.
    let position = format!("-A{}o-", "-".repeat(22));
    let game = |number: u32, score: u32, points: u32| {
        format!(
            "\n Game {number}\n Ann : {score}      Bob : 0\n  1)  Set Pos=XGID={position}:0:0:1:00:0:0:0:0:10\n\
             \x20 2) 31: 1/off\n      Wins {points} points\n"
        )
    };
    let text = [" 0 point match\n".to_owned(), game(1, 0, 3), game(2, 1, 3)].concat();
    let (record, _) = one(&text);
    assert!(record.options.jacoby);
    let points: Vec<u32> = record.games.iter().map(|game| game.result.unwrap().points).collect();
    assert_eq!((points, record.score()), (vec![1, 1], [2, 0]));
}

#[test]
fn a_drop_of_the_first_player_has_the_result_beside_it() {
    let rows = "  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Drops                       Wins 1 point\n";
    let (record, _) = one(&game(rows));
    assert!(
        write(&record).contains("Drops                       Wins 1 point\n"),
        "{}",
        write(&record)
    );
}

#[test]
fn the_winner_is_the_one_of_the_score_whatever_the_columns_say() {
    let won = |score: &str, end: &str, next: &str| {
        let text = format!(
            " 3 point match\n\n Game 4\n Ann : {}                    Bob : {}\n  1) 31: 8/5 6/5                  62: 24/18 13/11\n\
             \x20 2) 43: 24/20 24/21              61: 13/7 8/7\n{end}\n{next}",
            &score[..1],
            &score[2..]
        );
        let (record, notes) = one(&text);
        let result = record.games[0].result.unwrap_or_else(|| panic!("{text} {notes:?}"));
        (result.winner, result.points)
    };
    use Player::{One, Two};
    let wins = "\n      Wins 1 point and the match";
    for (score, end, next, expected) in [
        // A loss without a number has no column: the line of the winner decides.
        ("2-0", format!(" Losses 1 point\n{wins}"), "", (One, 1)),
        ("2-0", format!("      Losses 1 point\n{wins}"), "", (One, 1)),
        ("2-0", " Losses 1 point and the match".to_owned(), "", (One, 1)),
        // A match can be won by one player only, in whatever column that is written.
        ("0-2", wins.to_owned(), "", (Two, 1)),
        ("2-0", format!("{:40}Wins 1 point and the match", ""), "", (One, 1)),
        // The next score decides, and is enough.
        ("0-0", "      Wins 1 point".to_owned(), " Game 5\n Ann : 0     Bob : 1\n", (Two, 1)),
        ("0-0", " Losses 2 points".to_owned(), " Game 5\n Ann : 0     Bob : 2\n", (Two, 2)),
        ("0-0", String::new(), " Game 5\n Ann : 2     Bob : 0\n", (One, 2)),
        // Without anything else the player whose turn it is has lost.
        ("0-0", " Losses 2 points".to_owned(), "", (Two, 2)),
        ("0-0", "  3)  Losses 2 points".to_owned(), "", (Two, 2)),
        ("0-0", format!("{:40}Wins 1 point", ""), "", (Two, 1)),
        // GNU Backgammon, behind a roll that was not played.
        ("0-0", "  3) 32:       Wins 3 points".to_owned(), "", (One, 3)),
    ] {
        assert_eq!(won(score, &end, next), expected, "{score} {end:?} {next:?}");
    }
    // A game that was played to its end against the score has the result of the score.
    let (record, notes) = one(
        " 3 point match\n Game 1\n Ann : 0      Bob : 0\n  1) 31: 8/5 6/5    Doubles => 2\n  2) Drops\n\
         \x20Game 2\n Ann : 1      Bob : 0\n",
    );
    let result = record.games[0].result.unwrap();
    assert_eq!((result.winner, result.points), (One, 1), "{notes:?}");
    assert!(record.games[0].broken.is_some() && notes.len() == 1, "{notes:?}");
}

/// A session for money with these rows.
fn money(rows: &str) -> String {
    format!(" 0 point match\n\n Game 1\n Ann : 0                    Bob : 0\n{rows}")
}

/// Written and read again: the same, without a word.
fn there_and_back(text: &str) -> Match {
    let record = one(text).0;
    let (again, notes) = one(&write(&record));
    assert_eq!(notes, Vec::<String>::new(), "{}", write(&record));
    let plain = |record: &Match| {
        let mut record = record.clone();
        for action in record.games.iter_mut().flat_map(|game| &mut game.actions) {
            action.comment.clear();
        }
        record
    };
    assert_eq!(plain(&again), plain(&record), "{}", write(&record));
    record
}

#[test]
fn the_shape_of_a_token_says_what_it_is() {
    let start = "  1) 31: 8/5 6/5                  65: 24/18 18/13\n";
    for (row, expected) in [
        // Clocks, comments, row numbers inside a row.
        ("  2) 42: 8/4 6/4 [0:35]            33: 13/10(2) 6/3(2) {00:12}\n", "4-2 8/4 6/4"),
        ("  2) 42: 8/4 6/4 0:35              33: 13/10(2) 6/3(2) 1:02:03\n", "4-2 8/4 6/4"),
        ("  2) 42: 8/4 6/4 (or 31: 8/5?)     33: 13/10(2) 6/3(2) ; 21: better\n", "4-2 8/4 6/4"),
        (
            "  2) 42: 8/4 6/4  3) \n  3)                          33: 13/10(2) 6/3(2)\n",
            "4-2 8/4 6/4",
        ),
        // Points, counts, dice.
        ("  2) 4-2: 8-4 6-4                  3-3: 13-10x2 6-3x2\n", "4-2 8/4 6/4"),
        ("  2) 42: 8 / 4 6 / 4               33: 13/10 x2 6/3(2)\n", "4-2 8/4 6/4"),
        ("  2) 42:8/4,6/4                    33: 13/10(2), 6/3(2).\n", "4-2 8/4 6/4"),
        ("  2) 42: 8/4* 6/4                  33: 13/10(2) 6/3(2)\n", "4-2 8/4 6/4"),
        ("  2) 42: 8→4 6→4                 33: 13>10 x 2 6>3×2\n", "4-2 8/4 6/4"),
        ("  2) 4.2: 8/4;6/4                3/3: 13/10(x2) 6/3(2x)\n", "4-2 8/4 6/4"),
        ("  2) 42 8/4 6/4                  33 13/10(2) 6/3(2)\n", "4-2 8/4 6/4"),
        ("  2) (4-2): 8/4 6/4              (3-3): 13/10(2) 6/3(2)\n", "4-2 8/4 6/4"),
        ("  2) 4 2 8-4 6-4                 3 3 13-10(2) 6-3(2)\n", "4-2 8/4 6/4"),
        ("  2) 42: 8/4 6/4 00:00:12.345    33: 13/10(2) 6/3(2)\n", "4-2 8/4 6/4"),
        ("  2) 42: 8/4 6/4 <0:35>          33: 13/10(2) 6/3(2)\n", "4-2 8/4 6/4"),
        ("  2) (4-2) 8/4 6/4 (3-3) 13/10(2) 6/3(2)\n", "4-2 8/4 6/4"),
        ("  2) 42 8/4 6/4 33 13/10(2) 6/3(2)\n", "4-2 8/4 6/4"),
        // A sentence is no row, whatever it says.
        (
            "I thought of 42: 24/20 24/22 here\n  2) 42: 8/4 6/4                  33: 13/10(2) 6/3(2)\n",
            "4-2 8/4 6/4",
        ),
    ] {
        let (done, notes) = acts(&game(&format!("{start}{row}")));
        assert_eq!((done.len(), done[2].as_str()), (4, expected), "{row} {notes:?} {done:?}");
        assert_eq!(done[3], "3-3 13/10(2) 6/3(2)", "{row} {notes:?}");
        assert_eq!(notes, Vec::<String>::new(), "{row}");
        let mac = game(&format!("{start}{row}")).replace('\n', "\r");
        assert_eq!(acts(&mac).0, done);
    }
    // Words for a roll that can't be played, bar and off in one letter.
    let closed = "; Set Pos=aBBBBBB------------bbbb---/0\n";
    for word in ["", "(dances)", "---", "Cannot Move", "(no play)", "dance", "-"] {
        let rows =
            format!("{closed}  1)                             66: {word}\n  2) 21: 6/4 6/5\n");
        let (done, notes) = acts(&game(&rows));
        assert_eq!(
            (done.len(), done[1].as_str(), notes.len()),
            (3, "6-6 (no play)", 0),
            "{word} {notes:?} {done:?}"
        );
    }
    for (rows, expected) in [
        ("; Set Pos=--A---------------------aA/0\n  1) 51: b/20 20/19\n", "5-1 bar/19"),
        ("; Set Pos=--A--A------------------a-/0\n  1) 62: 5/o 2/o\n", "6-2 5/off 2/off"),
        ("; Set Pos=--A--A------------------a-/0\n  1) 62: 5/raus 2/out\n", "6-2 5/off 2/off"),
    ] {
        let (done, notes) = acts(&game(rows));
        assert_eq!((done[1].as_str(), notes.len()), (expected, 0), "{notes:?} {done:?}");
    }
}

#[test]
fn a_resignation_is_one_in_every_word() {
    let rows = |row: &str| format!("  1) 31: 8/5 6/5                  62: 24/18 13/11\n{row}");
    for (row, actions, winner) in [
        ("  2) 64: 24/14*                  Concedes\n  3)  Wins 1 point\n", 5, Player::One),
        ("  2) 64: 24/14*                  61: Concedes\n  3)  Wins 1 point\n", 6, Player::One),
        ("  2) Concedes\n  3)                             Wins 1 point\n", 4, Player::Two),
        ("  2) 64: 24/14*                  00: ????\n      Wins 1 point\n", 5, Player::One),
        ("  2) 64: 24/14 Resigns            Wins 1 point\n", 5, Player::Two),
        // In the column of the winner.
        (
            "  2) 64: 24/14*                  61: 25/24 13/7\n  3) Resigned Game\n      Wins 1 point\n",
            6,
            Player::One,
        ),
        ("  2) 64: ????                    Wins 1 point\n", 5, Player::Two),
    ] {
        let (record, notes) = one(&game(&rows(row)));
        let game = &record.games[0];
        assert_eq!(game.actions.len(), actions, "{row} {notes:?} {:?}", game.actions);
        assert_eq!(
            (game.result.map(|it| it.winner), notes.len()),
            (Some(winner), 0),
            "{row} {notes:?}"
        );
        assert!(matches!(game.result.unwrap().ending, GameEnding::Resigned(WinKind::Single)));
    }
    // What can't be lost is a single game, or what the match needs, with a word.
    for (text, points) in [
        (money("  1) 31: 8/5 6/5                  65: ????\n      Wins 1004 point\n"), 1),
        (money("  1) 31: 8/5 6/5                  65: ????\n      Wins 4 points\n"), 1),
        (game("  1) 31: 8/5 6/5                  65: ????\n      Wins 4016 point\n"), 1),
        (
            game("  1) 31: 8/5 6/5                  65: ????\n      Wins 1004 point\n")
                .replace(": 0  ", ": 3  "),
            2,
        ),
    ] {
        let (record, notes) = one(&text);
        let result = record.games[0].result.unwrap();
        assert_eq!((result.points, notes.len()), (points, 1), "{text} {notes:?}");
    }
}

#[test]
fn an_arrow_is_a_double_in_every_language_and_what_follows_answers_it() {
    for (double, take, drop) in [
        ("Verdoppelt", "Nimmt an", "Lehnt ab"),
        ("Raddoppia", "Accetta", "Rifiuta"),
        ("Doubles to 2", "Prend", "Passe"),
    ] {
        let rows = format!("  1) 31: 8/5 6/5                  {double}\n");
        let (taken, notes) = one(&game(&format!("{rows}  2) {take}\n")));
        assert_eq!((taken.games[0].actions[2].act, notes.len()), (Act::Take, 0), "{notes:?}");
        let (dropped, notes) = one(&game(&format!("{rows}  2) {drop}\n")));
        assert_eq!((dropped.games[0].actions[2].act, notes.len()), (Act::Drop, 0), "{notes:?}");
    }
    let (record, notes) =
        one(&game("  1) 31: 8/5 6/5                  Gibt auf\n      Wins 1 point\n"));
    assert!(matches!(record.games[0].result.unwrap().ending, GameEnding::Resigned(_)), "{notes:?}");
    let rows =
        |answer: &str| format!("  1) 31: 8/5 6/5                  Verdoppelt => 2\n{answer}");
    for (answer, expected) in [
        ("  2) Nimmt                       65: 24/18 18/13\n", Act::Take),
        ("  2) Passt                       Wins 1 point\n", Act::Drop),
        ("  2) Rejects                     Wins 1 point\n", Act::Drop),
        ("  2) Refuses\n                                  Wins 1 point\n", Act::Drop),
        ("  2) Accepte => 2                65: 24/18 18/13\n", Act::Take),
        ("                                   Wins 1 point\n", Act::Drop),
        (" Game 2\n Ann : 0    Bob : 1\n", Act::Drop),
        (" Game 2\n Ann : 0    Bob : 2\n", Act::Take),
    ] {
        let (record, notes) = one(&game(&rows(answer)));
        let actions = &record.games[0].actions;
        assert_eq!(actions[1].act, Act::Double, "{answer} {notes:?}");
        assert_eq!(actions[2].act, expected, "{answer} {notes:?} {actions:?}");
        assert!(record.games[0].broken.is_none(), "{notes:?}");
    }
}

#[test]
fn a_double_shows_that_the_crawford_game_is_over() {
    let text = " 7 point match\n\n Game 1\n Ann,1635 : 6                   Bob,1749 : 5\n  1) 62: 24/18 13/11             Doubles => 2\n\
        \x20 2)  Takes                      63: 13/7* 13/10\n  3) 42: 25/21 13/11             62: 10/4 6/4\n  4) 51: ???                     Wins 2 points\n";
    let record = there_and_back(text);
    let game = &record.games[0];
    let result = game.result.unwrap();
    assert_eq!(
        (game.crawford, result.cube, result.points, result.winner),
        (false, 2, 2, Player::Two)
    );
    assert_eq!(record.details.other[0], ("Player 1 Elo".to_owned(), "1635".to_owned()));
    // The same in SGF, where GNU Backgammon calls the game so.
    let sgf = crate::sgf::write(&record).replace("RU[Crawford]", "RU[Crawford:CrawfordGame]");
    let (again, notes) = crate::sgf::read(&sgf, None, ReadWatch::default()).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(again[0].games, record.games, "{sgf}");
}

#[test]
fn a_file_that_does_not_say_its_game_is_of_the_one_that_is_named() {
    use tavola_rules::Backgammon::{Hypergammon, Longgammon, Standard};
    let text = game("  1) 31: 24/20\n");
    let sgf = "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[A]PB[B];W[31xwwt])";
    for (text, said, given, start, notes) in [
        (text.clone(), "", Some(Longgammon), Longgammon, 0),
        (text.clone(), "", Some(Standard), Standard, 0),
        (text, "; [Variation \"HyperGammon (3)\"]\n", Some(Longgammon), Hypergammon, 1),
        (sgf.to_owned(), "", Some(Hypergammon), Hypergammon, 0),
        (sgf.to_owned(), "", None, Standard, 0),
    ] {
        let reading =
            crate::read_of(format!("{said}{text}").as_bytes(), given, ReadWatch::default())
                .unwrap();
        assert_eq!(reading.matches[0].options.start, start, "{text}");
        assert_eq!(reading.notes.len(), notes, "{text} {:?}", reading.notes);
    }
}

#[test]
fn what_is_against_the_rules_is_moved_as_written_or_set_up() {
    let rows = "  1) 31: 8/5 6/5                  65: 24/18 13/9\n  2) 42: 8/4 6/4                  33: 8/5(2) 6/3(2)\n";
    let record = there_and_back(&game(rows));
    let actions = &record.games[0].actions;
    assert_eq!((actions.len(), record.games[0].broken.clone()), (5, None));
    assert!(actions[1].comment.contains("13/9"), "{actions:?}");
    let Act::SetUp(position, _) = actions[2].act else { panic!("{actions:?}") };
    assert_eq!((actions[2].player, position.point(16)), (Player::One, -1));
    // A blocked point: the game is cut, and the next one read.
    let blocked = game(
        "  1) 31: 8/5 6/5                  65: 24/20 13/8\n\n Game 2\n Ann : 0     Bob : 1\n  1) 31: 8/5 6/5\n",
    );
    let (record, _) = one(&blocked);
    assert!(record.games[0].broken.is_some());
    assert_eq!(
        (record.games[0].result.unwrap().winner, record.games[1].actions.len()),
        (Player::Two, 1)
    );
    there_and_back(&blocked);
    // The numbers behind the words hold the position after the play.
    let dump = "15;0;1;0;0;Bob;Ann;0;0;0;1;0;0;0;0;2;2;2;2;0;2;0;1;0;-2;0;0;-3;0;-4;0;-3;2;-1;0;2;-2;0;1;6;";
    let rows = format!(
        "  1) 31: 8/5 6/5                  62: 24/18 13/11\n  2) 11: Illegal play ({dump}) 16: 8/2 10/9\n  3) 52: 13/8 6/4\n"
    );
    let record = there_and_back(&game(&rows));
    assert_eq!(record.games[0].actions.len(), 6, "{:?}", record.games[0].actions);
}

#[test]
fn variations_are_told_by_tag_or_by_the_first_plays() {
    use tavola_rules::Backgammon;
    let text = game("  1) 51: 13/8 23/22                42: 24/20 23/21\n");
    for (tag, start) in [
        ("", Backgammon::Nackgammon),
        ("; [Variation \"NackGammon\"]\n", Backgammon::Nackgammon),
        ("; [Variation \"Backgammon\"]\n", Backgammon::Standard),
    ] {
        let (record, notes) = one(&format!("{tag}{text}"));
        assert_eq!(record.options.start, start, "{notes:?}");
        there_and_back(&format!("{tag}{text}"));
    }
    let hyper = format!("; [Variation \"HyperGammon (3)\"]\n{}", game("  1) 31: 24/20\n"));
    assert_eq!(there_and_back(&hyper).options.start, Backgammon::Hypergammon);
    let set_up = hyper
        .replace("  1) 31", "; Set Pos=--A---------------------aA/-1\n  1) 31")
        .replace("24/20", "bar/21");
    let record = there_and_back(&set_up);
    assert!(matches!(record.games[0].actions[0].act, Act::SetUp(_, cube) if cube.value() == 2));
    let strange = format!("; [Variation \"Acey Deucey\"]\n{text}");
    assert!(read(&strange, None).unwrap_err().to_string().contains("Acey Deucey"));
}

#[test]
fn names_and_ratings_are_those_of_the_score_line() {
    for line in [
        " A player with a very long name : 0Bob : 0",
        "\u{a0}A player with a very long name\u{a0}:\u{a0}0\u{a0}\u{a0}Bob\u{a0}:\u{a0}0",
    ] {
        let text = format!(" 5 point match\n\n Game 1:\n{line}\n  1) 31: 8/5 6/5\n");
        let (record, notes) = one(&text);
        assert_eq!(record.players, ["A player with a very long name", "Bob"], "{notes:?}");
        assert_eq!((record.games[0].actions.len(), notes.len()), (1, 0));
    }
    let text = format!(
        "; [Player 1 \"Bob\"]\n; [Player 2 \"Ann\"]\n; [Player 1 Elo \"1522.94/244\"]\n; [Player 2 Elo \"1829.00/0\"]\n{}",
        game("  1) 31: 8/5 6/5\n")
    );
    let mut other = there_and_back(&text).details.other;
    other.sort();
    let elo = |seat: u8, value: &str| (format!("Player {seat} Elo"), value.to_owned());
    assert_eq!(other, [elo(1, "1829.00/0"), elo(2, "1522.94/244")]);
}

#[test]
fn a_list_of_fibs_is_read() {
    let text = "Score is 0-0 in a 5 point match.\nann is X - bob is O\n\nX: (3 1) 8-5 6-5\nO: (6 2) 1-7 12-14\n\
        X: doubles.\nO: accepts the double.\nX: (4 2) 8-4 6-4\nO: wants to resign. ann will win 2 points.\n\
        X: accepts. ann wins 2 points.\n\nScore is 2-0 in a 5 point match.\nann is X - bob is O\n\nO: (3 1) 8-5 6-5\n";
    let (record, notes) = one(text);
    assert_eq!(
        (record.players.clone(), record.length),
        (["ann".to_owned(), "bob".to_owned()], 5),
        "{notes:?}"
    );
    assert_eq!(record.games[0].actions.len(), 7, "{:?} {notes:?}", record.games[0].actions);
    assert_eq!((record.score(), record.games[1].actions[0].player), ([2, 0], Player::Two));
}

#[test]
fn a_line_longer_than_any_row_is_a_comment() {
    let row = |comment: &str| game(&format!("  1) 31: 8/5 6/5 {{{comment}}}   42: 8/4 6/4\n"));
    let (record, notes) = one(&row(&"x".repeat(3900)));
    assert_eq!((record.games[0].actions.len(), notes.len()), (2, 0));
    let comments: usize = record.games[0].actions.iter().map(|action| action.comment.len()).sum();
    assert_eq!(comments, 3900);
    let (record, notes) = one(&row(&"x".repeat(5000)));
    assert_eq!((record.games[0].actions.len(), notes.len()), (0, 0));
    assert!(record.games[0].comment.contains("8/5 6/5"));
    // Whatever a line of a megabyte is made of: its cost grows with its length alone.
    for part in ["[", "(", "8/5 ", "1) 31:", "=> 2 ", "(a)", "8 / 5 - ", "Illegal play (", "0:35 "]
    {
        let long = part.repeat((1 << 20) / part.len());
        let (record, _) = one(&game(&format!("  1) 31: 8/5 6/5\n  2) 42: {long}\n {long} : 0\n")));
        assert!(!record.games[0].actions.is_empty(), "{part}");
    }
}
