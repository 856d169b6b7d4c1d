//! Match text as it is written: for GNU Backgammon, with names of any characters.

use super::*;

#[test]
fn comments_are_written_and_read_again() {
    let (mut record, _) = one(SHORT);
    record.details.comment = "7 point match\nwell".to_owned();
    record.games[0].comment = "  31: 8/5 6/5".to_owned();
    for (number, action) in (1..).zip(&mut record.games[1].actions) {
        action.comment = format!("31: 8/5 was {number}\n\nDoubles => 2: [Event]");
    }
    let text = write(&record);
    let (again, notes) = one(&text);
    assert_eq!(notes, Vec::<String>::new(), "{text}");
    assert_eq!(again, record, "{text}");
}

/// Written as GNU Backgammon 1.07 writes it, which reads anything else as another game.
#[test]
fn what_is_written_is_spelled_as_gnu_backgammon_spells_it() {
    let start = "  1) 31: 8/5 6/5                  42: 8/4 6/4\n";
    let beaver = "  2)  Doubles => 2                Beavers => 4\n";
    let left = |row: &str| format!("{row:<32}\n");
    let beside = |row: &str| format!("{row:<34}Wins 1 point\n");
    for (rows, written) in [
        // A take behind a beaver would be one more, another word none.
        (
            format!("{beaver}  3)  Takes\n  4) 61: 13/7 8/7                53: 8/3 6/3\n"),
            "Beavers => 4\n  3) 61: 13/7 8/7                53: 8/3 6/3\n".to_owned(),
        ),
        (
            format!("{beaver}  3)  Raccoons => 8              Takes\n  4) 61: 13/7 8/7\n"),
            left("  3)  Beavers => 8") + &left("  4) 61: 13/7 8/7"),
        ),
        // A row without its width would be a redouble.
        (
            "  2) 21: 6/4 5/4                  Doubles => 2\n  3)  Takes\n".to_owned(),
            left("  3)  Takes"),
        ),
        ("  2)  Doubles => 2\n".to_owned(), left("  2)  Doubles => 2")),
        // Nothing stands behind a roll that was not played, and who wins at the right stands beside.
        (format!("  2) 21: ???\n{}", beside("")), beside("  2) 21: ")),
        (
            "  2) 21: 6/4 5/4                 53: ???\n      Wins 2 points\n".to_owned(),
            "  2) 21: 6/4 5/4                 53: \n      Wins 2 points\n".to_owned(),
        ),
        ("  2) 21: ???\n".to_owned(), left("  2) 21: ")),
    ] {
        let record = there_and_back(&money(&format!("{start}{rows}")));
        let text = write(&record);
        assert!(text.contains(&written), "{rows}{text}");
    }
}

#[test]
fn names_of_any_characters_come_back() {
    for name in
        ["Ann: the 2nd", "A  B", "B : 3", "O'Neil \"the rock\"", "\"", "x;[y] (2)", "31: 8/5"]
    {
        let text = game("  1) 31: 8/5 6/5\n");
        let mut record = one(&text).0;
        for names in [[name, "Bob"], ["Ann", name]] {
            record.players = names.map(str::to_owned);
            let (again, notes) = one(&write(&record));
            assert_eq!(again, record, "{notes:?} {}", write(&record));
        }
    }
    // Quotes around both names are those of a page.
    let text = game("").replace("Ann :", "\"Ann\" :").replace("Bob :", "\"Bob\" :");
    assert_eq!(one(&text).0.players, ["Ann", "Bob"]);
}
