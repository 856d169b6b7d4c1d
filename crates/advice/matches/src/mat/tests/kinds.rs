//! Faults of real files, each with its kind.

use super::*;
use crate::mat::words::LOOKED;

/// Two rolls, then a row in which the first player enters twice and the second one doubles.
fn two_entries(entries: &str, double: &str, answer: &str) -> String {
    format!(
        " 7 point match\n\n Game 1\n Ann : 0                              Bob : 0\n\
         \x20 1)                                   53: 8/3 6/3\n\
         \x20 2) 41: 24/23 13/9                    62: 24/16*\n\
         \x20 3) 52: Bar/20 23/21                  51: 16/11 6/5*\n\
         \x20 4) 21: Bar/23 21/20*                 42: Bar/21 13/11\n\
         \x20 5) 61: 13/7 8/7                      66: 11/5*(2) 8/2*(2)\n\
         \x20 6) 41:{entries}{double}\n\
         \x20 7) {answer}\n"
    )
}

#[test]
fn entries_before_a_turned_cube_are_a_play() {
    for bar in ["Bar/", "bar/", "BAR/", "25/", "b/", "B/", "Bar-", "bar/24/", "Barra/", "barre/"] {
        let entries = match bar {
            "bar/24/" => " bar/24 bar/21".to_owned(),
            bar => format!(" {bar}24 {bar}21"),
        };
        for spaces in [&entries[..], &entries.replace(' ', "  ")] {
            for double in [
                "Doubles => 2",
                "Redoubles => 2",
                "Verdoppelt => 2",
                "Raddoppia => 2",
                "Double => 2",
                "Dubla => 2",
                "Dobla =>2",
                "Turns cube => 2",
                "=> 2",
                "Offers double => 2",
                "ダブル => 2",
                "Bob doubles => 2",
                "Doubles ==> 2",
            ] {
                for gap in [" ", "  ", "       "] {
                    let text = two_entries(spaces, &format!("{gap}{double}"), "Drops");
                    let (record, notes) = one(&text);
                    let actions = &record.games[0].actions;
                    assert_eq!(notes, Vec::<String>::new(), "{text}");
                    let Act::Roll(dice, Some(play)) = actions[9].act else { panic!("{text}") };
                    let (dice, play) = (dice.to_string(), play.to_string());
                    let moves = ["bar/21", "bar/24"].into_iter().all(|it| play.contains(it));
                    assert!(dice == "4-1" && moves, "{play} {text}");
                    assert_eq!(actions[10].act, Act::Double, "{text}");
                    assert_eq!(actions[11].act, Act::Drop, "{text}");
                }
            }
        }
    }
}

#[test]
fn lists_in_prose_are_no_games() {
    let rules = "1. Double only if you are sure.\n2. Take if you win a quarter.\n3. Pass else.\n";
    let list = "Equities:\n1. No double           -0.009\n2. Double, pass        +1.000\n\
                3. Double, take        -0.360  (-0.351)\nProper cube action: No double, take\n";
    let export = format!("Move number 1:  Ann to play 42\n\n* Ann moves 8/4 6/4\n\n{list}");
    let openings = "Best opening plays\n 1) 31: 8/5 6/5\n 2) 42: 8/4 6/4\n 3) 61: 13/7 8/7\n";
    let doubles = ["1) Doubles => 2    Takes\n", "Game 1\n1. Double\n2. Take\n"];
    for text in [rules, list, &export, openings, doubles[0], doubles[1]] {
        let error = crate::read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error.contains("GNU Backgammon"), text == export, "{error}");
    }
    // Beside a match it is none either, and with a score or a roll it is one.
    let with = format!("{list}\n{}", game("  1) 31: 8/5 6/5\n"));
    let (record, notes) = one(&with);
    assert_eq!((record.games.len(), notes.len()), (1, 1), "{notes:?}");
    assert_eq!(one("  1) 31: 8/5 6/5     Doubles => 2\n").0.games.len(), 1);
    assert_eq!(one(&game("  1) Resigns\n  Wins 1 point\n")).0.games.len(), 1);
}

#[test]
fn who_gives_up_the_match_loses_what_it_needs() {
    use crate::analysis::{Choice, questions};
    for (score, points) in [([4, 1], 4), ([0, 3], 2), ([2, 0], 5), ([1, 4], 1), ([3, 2], 3)] {
        for last in [
            "  2)  Losses {n} point               Wins {n} point and the match\n",
            "      Losses {n} point               Wins {n} point and the match\n",
            "  2)  Concedes                       Wins {n} points and the match\n",
            "  2)  Resigns\n                                   Wins {n} points and the match\n",
            "  2)  51: ????\n                                   Wins {n} points and the match\n",
            "  2)  Timeout                        Wins {n} points and the match\n",
            "  2)  Aufgegeben                     Gewinnt {n} Punkte und das Match\n",
            "  2)  Losses 100{n} point            Wins 100{n} point and the match\n",
            // While a double is open, of either player.
            "  2)  Doubles => 2\n\
             \x20 3)  Losses {n} point               Wins {n} point and the match\n",
            "  2) 21: 13/11 6/5                    Doubles => 2\n\
             \x20 3)  Losses {n} point               Wins {n} point and the match\n",
        ] {
            let text = format!(
                " 5 point match\n\n Game 1\n Ann : {}                         Bob : {}\n\
                 \x20 1) 31: 8/5 6/5                 42: 8/4 6/4\n{}",
                score[0],
                score[1],
                last.replace("{n}", &points.to_string())
            );
            let (record, notes) = one(&text);
            let result = record.games[0].result.unwrap();
            assert_eq!((result.winner, result.points), (Player::Two, points), "{text} {notes:?}");
            assert_eq!((record.winner(), notes.len()), (Some(Player::Two), 0), "{text} {notes:?}");
            let judged = questions(&record);
            assert!(judged.iter().all(|it| !matches!(it.choice, Choice::Resign(_))), "{text}");
            let (again, _) = one(&write(&record));
            assert_eq!(again.games[0].result, record.games[0].result, "{}", write(&record));
        }
    }
}

#[test]
fn names_without_a_score_are_those_of_the_players() {
    let rows = "  1) 53: 8/3 6/3                 31: 8/5 6/5\n  2) 54: 13/9 13/8\n";
    for head in
        [" ann                            bob\n", "Ann Lee   Bob\n\n", "5 point match\n a   b\n"]
    {
        let (record, _) = one(&format!("{head}{rows}"));
        assert!(record.players.iter().all(|name| !name.is_empty()), "{:?}", record.players);
        assert_eq!(record.games[0].actions.len(), 3);
    }
    let twice = format!(" ann       bob\n{rows} Wins 1 point\n\n ann       bob\n{rows}");
    assert_eq!(one(&twice).0.games.len(), 2);
}

#[test]
fn long_names_of_gnu_backgammon_have_no_gap_behind_them() {
    let rows = "  1) 53: 8/3 6/3                 31: 8/5 6/5\n  2) 54: 13/9 13/8\n";
    for one_long in ["abcdefghijklmnopqrstuvwxyz0123", "abcdefghijklmnopqrstuvwxyz01234"] {
        for two_long in ["Bob", "Bob the Second of that name", "2fast"] {
            let gam = format!(" {one_long:<31}{two_long}\n{rows}");
            assert_eq!(one(&gam).0.players, [one_long, two_long], "{gam}");
            let head = format!("{:<31}", format!("{one_long} : 0"));
            let mat = format!(" 3 point match\n\n Game 1\n {head}{two_long} : 0\n{rows}");
            let (record, notes) = one(&mat);
            assert_eq!((record.players, notes.len()), ([one_long, two_long].map(str::to_owned), 0));
        }
    }
    let long = "x".repeat(60);
    let (mut record, _) = one(&game("  1) 31: 8/5 6/5\n"));
    record.players = [long.clone(), long];
    assert_eq!(one(&write(&record)).0, record);
}

#[test]
fn too_few_points_for_the_match_are_told() {
    for (points, is_noted) in [(1, true), (2, true), (3, false)] {
        let rows = format!(
            "  1) 31: 8/5 6/5                 42: 8/4 6/4\n\
             \x20 2)  Resigns\n                                   Wins {points} points and the match\n"
        );
        let text = format!(" 5 point match\n\n Game 1\n Ann : 1   Bob : 2\n{rows}");
        let (_, notes) = one(&text);
        let said = notes.iter().any(|note| note.contains("wins the match by the file"));
        assert_eq!(said, is_noted, "{notes:?}");
    }
}

#[test]
fn a_roll_in_prose_is_no_game() {
    for text in [
        "I think that\n 1) 31: 8/5 6/5\nis the best opening.\n",
        "Which one?\n\n1. 31: 8/5 6/5\n\n",
    ] {
        assert!(read(text, None).is_err(), "{text}");
    }
    for text in ["  1) 31: 8/5 6/5\n", "Hello,\n  1) 31: 8/5 6/5     42: 8/4 6/4\n"] {
        assert_eq!(one(text).0.games.len(), 1, "{text}");
    }
}

#[test]
fn a_score_that_contradicts_the_game_invents_nothing() {
    let rows = "  1) 31: 8/5 6/5                 42: 8/4 6/4\n  2) 61: 13/7 8/7\n";
    let text = format!(
        " 9 point match\n\n Game 1\n Ann : 0   Bob : 0\n{rows}\n Game 2\n Ann : 5   Bob : 0\n{rows}"
    );
    let (record, notes) = one(&text);
    assert!(notes.iter().any(|note| note.contains("cannot win 5")), "{notes:?}");
    let acts: Vec<&Act> = record.games[0].actions.iter().map(|action| &action.act).collect();
    assert!(acts.iter().all(|act| matches!(act, Act::Roll(..))), "{acts:?}");
    assert_eq!(record.score(), [5, 0]);
    let list = std::slice::from_ref(&record);
    for name in ["m.mat", "m.sgf", "m.json"] {
        let file = crate::write(list, name.as_ref()).unwrap();
        let again = crate::read(&file).unwrap().matches;
        assert_eq!(again[0].digest(), record.digest(), "{name}");
    }
}

#[test]
fn a_heading_that_stands_there_twice_loses_no_game() {
    let rows = "  1) 31: 8/5 6/5                 42: 8/4 6/4\n  2) 61: 13/7 8/7\n";
    let head = " Game 1\n Ann : 0   Bob : 0\n";
    let other = "  1) 65: 24/18 18/13             21: 13/11 6/5\n";
    let (record, notes) = one(&format!(" 9 point match\n\n{head}{rows}\n{head}{other}"));
    let lengths: Vec<usize> = record.games.iter().map(|game| game.actions.len()).collect();
    assert_eq!(lengths, [3, 2], "{notes:?}");
    // The head of a page that goes on begins none.
    let on = "  3) 21: 13/11 6/5\n";
    let (record, _) = one(&format!(" 9 point match\n\n{head}{rows}\n{head}{on}"));
    assert_eq!(record.games.len(), 1);
}

#[test]
fn a_dance_is_told_in_any_word() {
    let closed = "; Set Pos=aBBBBBBC----------------a-/0\n";
    for word in ["pass", "Pass", "passes", "dance", "Cannot Move", "no move", ""] {
        let rows =
            format!("{closed}  1)                              61: {word}\n  2) 21: 7/5 7/6\n");
        let (record, notes) = one(&game(&rows));
        assert_eq!(notes, Vec::<String>::new(), "{word} {:?}", record.games[0].actions);
    }
}

#[test]
fn tags_are_read_in_every_spelling() {
    let tag = |tag: &str| one(&format!("; [{tag}]\n{}", game("  1) 31: 8/5 6/5\n")));
    for usual in
        ["Standard backgammon", "Backgammon (standard)", "standard", "Normal", "Classic game"]
    {
        assert_eq!(tag(&format!("Variation \"{usual}\"")).1, Vec::<String>::new(), "{usual}");
    }
    let (record, _) =
        one("; [Player 1 Ann B]\n; [Player 2 Bob]\n; [Event Club]\n  1) 31: 8/5 6/5\n");
    assert_eq!(
        (record.players, &*record.details.event),
        (["Ann B", "Bob"].map(str::to_owned), "Club")
    );
    assert_eq!(tag("a comment").0.details.comment, "[a comment]");
    // What `--game` says goes before an unknown name, and an empty one says nothing.
    for (name, noted) in [("Trictrac", 1), ("Portes", 1), ("", 0)] {
        let text = format!("; [Variation \"{name}\"]\n{}", game("  1) 31: 8/5 6/5\n"));
        let (matches, notes) = read(&text, Some(Backgammon::Standard)).unwrap();
        assert_eq!((matches.len(), notes.len()), (1, noted), "{name}");
        let error = read(&text, None).map_err(|error| error.to_string());
        assert!(error.is_ok() == name.is_empty() || error.unwrap_err().contains("--game"));
    }
}

#[test]
fn twice_the_text_is_twice_the_work() {
    let work = |text: &str| {
        LOOKED.set(0);
        let _ = crate::read(text.as_bytes());
        LOOKED.get()
    };
    let head = " 25 point match\n\n Game 1\n Ann : 0   Bob : 0\n";
    for part in [
        "2 ",
        "31: 8/5 6/5 ",
        "11: 24/23 24/23 ",
        "(",
        "[",
        "<",
        "1;",
        "a; ",
        "(a)",
        "8 / 5 / ",
        "take ",
        "Wins 1 point ",
        "2 points ",
        "1) 2) ",
        "31: ???? ",
        "x",
        "8/5,",
        "[0:35] ",
        "=> 2 ",
        "; [Event \"x\"] ",
    ] {
        // In the length of a line, and in their number.
        for (once, twice) in [([900, 10], [1800, 10]), ([900, 10], [900, 20])] {
            let text = |[bytes, lines]: [usize; 2]| {
                let line = format!("  1) 31: {}\n", part.repeat(bytes / part.len()));
                format!("{head}{}", line.repeat(lines))
            };
            let [once, twice] = [text(once), text(twice)];
            let (few, many) = (work(&once), work(&twice));
            assert!(10 * many <= 22 * few, "{part}: {few}, then {many}");
            assert!(many <= 40 * twice.len(), "{part}: {many} for {} bytes", twice.len());
        }
    }
}

#[test]
fn marks_of_quotation_have_no_depth() {
    let deep = "> ".repeat(200_000);
    assert!(crate::read(deep.as_bytes()).is_err());
}
