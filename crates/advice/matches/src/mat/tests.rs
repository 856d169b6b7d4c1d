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
        ; Set Pos=-b----E-C---eE---c-e----B-/1\n\
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
    let (matches, notes) = read(text).unwrap();
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
