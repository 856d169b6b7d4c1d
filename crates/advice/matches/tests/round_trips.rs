//! Matches that GNU Backgammon played against itself and wrote as SGF and as match text, through
//! every format and back. From the SGF the candidates of its decisions were taken out.

use tavola_matches::{Act, Match, json, mat, read, sgf};
use tavola_rules::{Beavers, GameEnding, Player};

fn one(bytes: &[u8]) -> Match {
    let mut reading = read(bytes).unwrap();
    assert_eq!(reading.notes, []);
    assert_eq!(reading.matches.len(), 1);
    reading.matches.remove(0)
}

/// What was done in a game, and who won it.
type Played = (Vec<(Player, Act)>, Option<Player>);

fn played(record: &Match) -> Vec<Played> {
    let games = record.games.iter().map(|game| {
        let acts = game.actions.iter().map(|action| (action.player, action.act)).collect();
        (acts, game.result.map(|result| result.winner))
    });
    games.collect()
}

/// The points of both seats before each game.
fn scores(record: &Match) -> Vec<[u32; 2]> {
    record.games.iter().map(|game| game.score).collect()
}

#[test]
fn matches_of_gnu_backgammon_survive_every_format() {
    for (sgf_file, mat_file) in [
        (
            &include_bytes!("files/three-points.sgf")[..],
            &include_bytes!("files/three-points.mat")[..],
        ),
        (
            &include_bytes!("files/money-jacoby.sgf")[..],
            &include_bytes!("files/money-jacoby.mat")[..],
        ),
    ] {
        let record = one(sgf_file);
        let of_text = one(mat_file);
        assert_eq!(record.players, of_text.players);
        assert_eq!(scores(&record), scores(&of_text));
        assert_eq!(played(&record), played(&of_text));
        assert_eq!(one(sgf::write(&record).as_bytes()), record);
        assert_eq!(one(json::write(std::slice::from_ref(&record)).as_bytes()), record);
        assert_eq!(one(json::write(std::slice::from_ref(&of_text)).as_bytes()), of_text);
        let again = one(mat::write(&record).as_bytes());
        assert_eq!(played(&again), played(&record));
        assert_eq!(again.options.jacoby, record.options.jacoby);
    }
}

#[test]
fn the_files_hold_what_the_tests_are_about() {
    let record = one(include_bytes!("files/three-points.sgf"));
    assert!(record.games.iter().any(|game| game.crawford));
    let money = one(include_bytes!("files/money-jacoby.sgf"));
    let endings = money.games.iter().filter_map(|game| game.result).map(|result| result.ending);
    assert!(money.options.jacoby);
    assert!(endings.clone().any(|ending| matches!(ending, GameEnding::Resigned(_))));
}

#[test]
fn a_beaver_says_nothing_of_raccoons_and_a_raccoon_is_kept() {
    let text = |tag: &str, answer: &str| {
        format!(
            "{tag}\n 0 point match\n\n Game 1\n Ann : 0                    Bob : 0\n  1) 31: 8/5 6/5                  \
             Doubles => 2\n  2)  Beavers => 4                {answer}\n  3)                             65: 24/18 18/13\n"
        )
    };
    for (tag, answer, expected) in [
        ("", "Takes", Beavers::Beavers),
        ("; [Beaver \"On\"]", "Takes", Beavers::Beavers),
        ("; [Beaver \"Off\"]", "Takes", Beavers::Beavers),
        ("", "Raccoons => 8", Beavers::Raccoons),
        ("; [Raccoon \"On\"]", "Takes", Beavers::Raccoons),
    ] {
        let record = one(text(tag, answer).as_bytes());
        assert_eq!(record.options.beavers, expected, "{tag} {answer}");
        for again in
            [mat::write(&record), sgf::write(&record), json::write(std::slice::from_ref(&record))]
        {
            assert_eq!(one(again.as_bytes()).options.beavers, expected, "{again}");
        }
        // Without a rule that says so.
        let plain = sgf::write(&record).replace(":Beavers", "").replace("RU[Beavers]", "");
        assert!(one(plain.as_bytes()).options.beavers != Beavers::Off, "{plain}");
    }
}

#[test]
fn what_acts_on_a_terminal_is_dropped_from_every_format() {
    let named = "A\u{1b}]0;x\u{7}n\u{202e}n";
    let text = format!(
        "; [Event \"Cl\u{9b}ub\"]\n 3 point match\n\n Game 1\n {named} : 0      Bob : 0\n  1) 31: 8/5 6/5 {{so\u{1b}[2J}}\n"
    );
    let record = one(text.as_bytes());
    assert_eq!((record.players[0].as_str(), record.details.event.as_str()), ("A]0;xnn", "Club"));
    assert_eq!(record.games[0].actions[0].comment, "so[2J");
    let sgf = format!(
        "(;GM[6]MI[length:3][game:0][ws:0][bs:0]PW[{named}]PB[B]GC[x\u{7}y]RU[Crawford];W[31hefe]C[a\u{200f}b])"
    );
    let json =
        json::write(std::slice::from_ref(&record)).replace("A]0;xnn", "A\\u001b]0;xn\\u202en");
    for again in [sgf.replace("\u{1b}]", "\u{1b}\\]"), json] {
        assert_eq!(one(again.as_bytes()).players[0], "A]0;xnn", "{again:?}");
    }
}
