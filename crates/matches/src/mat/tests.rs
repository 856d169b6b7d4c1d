use super::*;
use crate::record::{Act, Match};
use tavola_rules::{Ending, Player, WinKind};

fn one(text: &str) -> (Match, Vec<String>) {
    let (mut matches, notes) = read(text).unwrap();
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
    assert_eq!(record.games[0].result.unwrap().ending, Ending::Dropped);
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
    assert!(read("hello\nworld\n").unwrap_err().to_string().contains("\"hello\\nworld\\n\""));
}
