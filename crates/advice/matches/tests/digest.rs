//! A match has one digest in every file and format, and another match has another one.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use tavola_matches::{Match, MatchFormat, read, read_as, write};

/// The matches of the files of the tests.
fn all() -> Vec<(String, Match)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(reading) = fs::read(&path).map(|bytes| read(&bytes)).unwrap() else { continue };
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        found.extend(reading.matches.into_iter().map(|record| (name.clone(), record)));
    }
    found
}

#[test]
fn a_digest_survives_every_format() {
    let all = all();
    assert!(all.len() > 4, "{}", all.len());
    for (name, record) in &all {
        // What could not be followed is not written.
        if record.games.iter().any(|game| game.broken.is_some()) {
            continue;
        }
        for format in [MatchFormat::Mat, MatchFormat::Sgf, MatchFormat::Json, MatchFormat::Ogxm] {
            let file = format!("x.{format}");
            let text = write(std::slice::from_ref(record), Path::new(&file)).unwrap();
            let again = read_as(format, &text).unwrap();
            assert_eq!(again.matches[0].digest(), record.digest(), "{name} as {format}: {text:?}");
        }
    }
}

#[test]
fn comments_dates_and_a_last_open_game_have_no_influence_and_all_else_has() {
    let (_, record) = all().into_iter().find(|(_, record)| record.games.len() > 2).unwrap();
    let digest = record.digest();
    let changed = |change: &dyn Fn(&mut Match)| {
        let mut other = record.clone();
        change(&mut other);
        other.digest()
    };
    assert_eq!(digest, changed(&|it| it.details.date = "1999-12-31".into()));
    assert_eq!(digest, changed(&|it| it.games[0].actions[0].comment = "well".into()));
    assert_eq!(digest, changed(&|it| it.players[0] = format!(" {}_", it.players[0])));
    let open = |it: &mut Match| {
        let mut game = it.games[0].clone();
        (game.result, game.score) = (None, it.games.last().unwrap().score);
        game.actions.truncate(3);
        it.games.push(game);
    };
    assert_eq!(digest, changed(&open));
    assert_ne!(digest, changed(&|it| it.players[0] = "Somebody else".into()));
    assert_ne!(digest, changed(&|it| it.length += 2));
    assert_ne!(digest, changed(&|it| drop(it.games.remove(0))));
    assert_ne!(digest, changed(&|it| it.games[0].actions.truncate(4)));
}

#[test]
fn files_of_one_match_by_different_programs_have_one_digest() {
    let all = all();
    let digest = |file: &str| {
        let found = all.iter().find(|(name, _)| name == file);
        found.unwrap_or_else(|| panic!("{file}")).1.digest()
    };
    for name in ["three-points", "money-jacoby"] {
        assert_eq!(digest(&format!("{name}.mat")), digest(&format!("{name}.sgf")), "{name}");
    }
}

#[test]
fn different_matches_have_different_digests() {
    let mut known: HashMap<String, Match> = HashMap::new();
    for (name, record) in all() {
        if let Some(other) = known.insert(record.digest(), record.clone()) {
            assert_eq!(other.games.len(), record.games.len(), "{name}");
            assert_eq!(other.games[0].actions.len(), record.games[0].actions.len(), "{name}");
        }
    }
}
