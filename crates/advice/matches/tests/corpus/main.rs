//! A corpus of matches that are made up from seeds, through every reader and writer, through every
//! spelling of match text, and through GNU Backgammon where it is installed.

mod dialects;
mod generate;
mod gnubg;

use tavola_matches::{Act, Match, json, mat, ogxm, read, sgf};
use tavola_rules::{GameEnding, Player};

/// What was done in a game, its score and result.
#[derive(Clone, Debug, PartialEq)]
struct Played {
    score: [u32; 2],
    crawford: bool,
    acts: Vec<(Player, Act)>,
    result: Option<(Player, u32, u32, GameEnding)>,
    broken: bool,
}

/// What was played, without comments, details and options.
fn played(record: &Match) -> Vec<Played> {
    let game = |game: &tavola_matches::Game| Played {
        score: game.score,
        crawford: game.crawford,
        acts: game.actions.iter().map(|action| (action.player, action.act)).collect(),
        result: game.result.map(|it| (it.winner, it.points, it.cube, it.ending)),
        broken: game.broken.is_some(),
    };
    record.games.iter().map(game).collect()
}

/// Where two records part; nothing if they don't.
fn difference(expected: &Match, found: &Match) -> Option<String> {
    if (&expected.players, expected.length) != (&found.players, found.length) {
        return Some(format!(
            "{:?} to {} points, found {:?} to {}",
            expected.players, expected.length, found.players, found.length
        ));
    }
    let [left, right] = [expected, found].map(played);
    let number = left.iter().zip(&right).position(|(left, right)| left != right);
    let Some(number) = number else {
        let games = (left.len(), right.len());
        return (games.0 != games.1).then(|| format!("{} games, found {}", games.0, games.1));
    };
    let (left, right) = (&left[number], &right[number]);
    let at = left.acts.iter().zip(&right.acts).position(|(left, right)| left != right);
    let at = at.unwrap_or(left.acts.len().min(right.acts.len()));
    let heads = [left, right].map(|it| (it.score, it.crawford, it.result, it.broken));
    Some(format!(
        "game {}, action {} of {} and {}: {:?}, found {:?}; {:?}, found {:?}",
        number + 1,
        at + 1,
        left.acts.len(),
        right.acts.len(),
        left.acts.get(at),
        right.acts.get(at),
        heads[0],
        heads[1],
    ))
}

/// A match read without a word of complaint, or why not.
fn one(text: impl AsRef<[u8]>) -> Result<Match, String> {
    let mut reading = read(text.as_ref()).map_err(|error| error.to_string())?;
    // A cube that is set up is told.
    let set_up =
        |note: &tavola_matches::Note| note.text.starts_with("the position has the cube at");
    reading.notes.retain(|note| !set_up(note));
    if let Some(note) = reading.notes.first() {
        return Err(format!("noted: {note}"));
    }
    match reading.matches.len() {
        1 => Ok(reading.matches.remove(0)),
        others => Err(format!("{others} matches")),
    }
}

/// Says what failed, of each the first few.
fn told(failures: &[String]) {
    let first: Vec<&str> = failures.iter().take(12).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), first.join("\n\n"));
}

type Writer = (&'static str, fn(&Match) -> Vec<u8>);

const WRITERS: [Writer; 4] = [
    (".mat", |record| mat::write(record).into()),
    (".sgf", |record| sgf::write(record).into()),
    (".json", |record| json::write(std::slice::from_ref(record)).into()),
    (".ogxm", |record| ogxm::write(record, None)),
];

#[test]
fn the_corpus_holds_what_the_tests_are_about() {
    let kinds = generate::kinds(&generate::ALL);
    let both = [
        "Accept",
        "Beaver",
        "Double",
        "Drop",
        "Raccoon",
        "Refuse",
        "Resign",
        "SetUp",
        "Take",
        "dance",
        "double behind two entries",
        "double, 0 from the bar, partly",
        "double, 1 from the bar",
        "double, 2 from the bar",
        "roll that was not played",
        "roll, 1 from the bar, partly",
        "roll, 2 from the bar",
        "open behind Double",
        "open behind Roll",
        "open behind Take",
        "wins, Dropped, cube 2",
        "wins, Played(Gammon), cube 2",
        "wins, Played(Single), cube 1",
        "wins, Resigned(Single), cube 2",
        "wins, Resigned(Gammon), cube 2",
        "wins, Resigned(Backgammon), cube 2",
        "wins, broken, Resigned(Single), cube 1",
    ];
    for kind in both.into_iter().flat_map(|kind| [format!("0: {kind}"), format!("1: {kind}")]) {
        assert!(kinds.contains_key(&kind), "{kind} of {kinds:#?}");
    }
    let beavers = ["0: open behind Beaver", "1: open behind Beaver"];
    assert!(beavers.iter().any(|kind| kinds.contains_key(*kind)), "{kinds:#?}");
    assert!(kinds["Crawford game"] > 9, "{kinds:#?}");
}

#[test]
fn every_match_survives_every_pair_of_formats() {
    let mut failures = Vec::new();
    for (seed, record) in (1..).zip(&*generate::ALL) {
        for (first, write) in WRITERS {
            let text = write(record);
            let read = one(&text).and_then(|read| match difference(record, &read) {
                Some(difference) => Err(difference),
                None => Ok(read),
            });
            let read = match read {
                Ok(read) => read,
                Err(why) => {
                    let text = String::from_utf8_lossy(&text);
                    failures.push(format!("match {seed} as {first}: {why}\n{text}"));
                    continue;
                }
            };
            if first != ".mat" && read != *record {
                let text = String::from_utf8_lossy(&text);
                failures.push(format!("match {seed} as {first}: comments or options\n{text}"));
            }
            for (second, write) in WRITERS {
                let text = write(&read);
                let why = match one(&text) {
                    Ok(again) => difference(&read, &again),
                    Err(why) => Some(why),
                };
                if let Some(why) = why {
                    let text = String::from_utf8_lossy(&text);
                    failures.push(format!("match {seed} as {first}, then {second}: {why}\n{text}"));
                }
            }
        }
    }
    told(&failures);
}

#[test]
fn every_match_survives_every_spelling_of_match_text() {
    let mut failures = Vec::new();
    for (seed, record) in (1..).zip(&*generate::ALL) {
        // Only our own text has them.
        let unsaid = |act: Act| matches!(act, Act::SetUp(..) | Act::Refuse);
        let acts = record.games.iter().flat_map(|game| &game.actions).any(|it| unsaid(it.act));
        if acts || record.games.iter().any(|game| game.broken.is_some()) {
            continue;
        }
        for spelling in &dialects::SPELLINGS {
            let text = dialects::write(record, spelling);
            let why = match one(&text) {
                Ok(read) => difference(record, &read),
                Err(why) => Some(why),
            };
            if let Some(why) = why {
                failures.push(format!("match {seed} of {}: {why}\n{text}", spelling.name));
            }
        }
    }
    told(&failures);
}
