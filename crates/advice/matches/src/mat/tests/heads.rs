//! Heads of matches, scores and results in other words.

use super::one;
use crate::record::Match;
use tavola_rules::Player;

/// Every way to write the head of a match and the end of its games: the same match.
#[test]
fn heads_scores_and_results_are_known_in_other_words() {
    let usual = format!(
        " 5 point match\n\n Game 1\n Ann : 0                    Bob : 0\n{rows}                                  Wins 2 points\n\n \
         Game 2\n Ann : 0                    Bob : 2\n{rows}      Wins 1 point\n\n Game 3\n \
         Ann : 1                    Bob : 2\n{rows}",
        rows = "  1) 31: 8/5 6/5                  62: 24/18 13/11\n  2) 42: 8/4 6/4                  51: 13/8 6/5\n"
    );
    let (expected, notes) = one(&usual);
    assert_eq!((notes.len(), expected.score(), expected.games.len()), (0, [1, 2], 3));
    let both = |from: &str, to: &str| usual.replace(from, to);
    let scores = |between: &str, end: &str| {
        let text = both(" : 0", &format!("{between}0{end}"));
        text.replace(" : 1", &format!("{between}1{end}"))
            .replace(" : 2", &format!("{between}2{end}"))
    };
    let results = |one: &str, two: &str| both("Wins 2 points", two).replace("Wins 1 point", one);
    for text in [
        both("5 point match", "5-Punkte-Match"),
        both("5 point match", "Match en 5 points"),
        both("5 point match", "Match length: 5"),
        both("5 point match", "5 pt match (Crawford)"),
        both("5 point match", "; 5 point match"),
        both("5 point match", "[Match Length \"5\"]"),
        both("Game ", "Spiel "),
        both("Game ", "--- Partie "),
        both("Game ", "Game #"),
        both(" Game 1\n", "").replace(" Game 2\n", "").replace(" Game 3\n", ""),
        scores(" = ", ""),
        scores(" (", ")"),
        scores(" : ", " points"),
        both("      Bob :", "    | Bob :"),
        results("Gewinnt 1 Punkt", "Gewinnt 2 Punkte"),
        results("Vince 1 punto", "Vince 2 punti"),
        results("Bob perd 1 point", "Gagne 2 points").replace("Bob perd", "Bob loses"),
        results("Ann wins 1 point", "Bob wins 2 points")
            .replace("\n      ", "\n")
            .replace("\n                      ", "\n"),
        usual.replace("\n  1) 31", "\n  1)\t31").replace("  62:", "\t62:"),
        usual.encode_utf16().flat_map(u16::to_le_bytes).map(char::from).collect(),
    ] {
        let reading = if text.contains('\0') {
            crate::read(&text.chars().map(|c| c as u8).collect::<Vec<u8>>()).unwrap()
        } else {
            crate::read(text.as_bytes()).unwrap()
        };
        assert_eq!(reading.notes, [], "{text}");
        let plain = |record: &Match| (record.players.clone(), record.length, record.games.clone());
        assert_eq!(plain(&reading.matches[0]), plain(&expected), "{text}");
    }
    // What is not told is not taken for money in silence.
    let (record, notes) =
        one(&both(" 5 point match", "").replace("Wins 1 point", "Wins 1 point and the match"));
    assert!(record.is_money() && notes[0].contains("no length"), "{notes:?}");
    // A sentence is no result.
    let (record, _) = one(&both("\n\n Game 2", "\nAnn needs 4 points\n\n Game 2"));
    assert_eq!(record.score(), [1, 2]);
    // The second player begins, in a file with narrow columns.
    let narrow = " 5 point match\n Game 1\n Ann : 0   Bob : 0\n  1)\t\t31: 8/5 6/5\n  2) 62: 24/18 13/11\t42: 8/4 6/4\n\
        \x20 3) 51: 13/8 6/5\t62: 24/18 13/11\n  4) 51: 13/8 6/5\t62: 24/18 13/11\n  5) 51: 13/8 6/5\t62: 24/18 13/11\n";
    assert_eq!(one(narrow).0.games[0].actions[0].player, Player::Two);
    let rated = both("Ann :", "Ann (1666) :").replace("Bob :", "Bob [1703.5] :");
    assert_eq!(one(&rated).0.details.other[1], ("Player 2 Elo".to_owned(), "1703.5".to_owned()));
}
