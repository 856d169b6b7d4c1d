//! A package of flash cards that Anki imports: an archive with a database of notes and the type of
//! note that they have. A note is known by its key, so that a later package updates it.

use serde_json::{Value, json};

use self::sqlite::{Cell, Table, database};
use super::cards::{Card, FIELDS};

mod sqlite;

/// The numbers of our type of note and of our deck, the same in every package.
const NOTE_TYPE: i64 = 1_795_600_000_001;
const DECK: i64 = 1_795_600_000_002;
const DECK_NAME: &str = "Backgammon errors";

/// What separates the fields of a note.
const SEPARATOR: &str = "\u{1f}";

const FRONT: &str = "{{Board}}<p>{{Score}}</p><p><b>{{Question}}</b></p>{{Choices}}";
const BACK: &str = "{{Answer board}}<p>{{Score}}</p><p><b>{{Question}}</b></p>{{Choices}}<hr id=answer>\
                    <p><b>{{Answer}}</b></p><p>{{Done}}</p>{{Figures}}{{Why}}\
                    <p><small>{{XGID}}<br>{{GNU ID}}<br>{{Match}}</small></p>";
const STYLE: &str = ".card{font-family:sans-serif;text-align:center}\
                     .card svg{max-width:100%}.card ol{display:inline-block;text-align:left}";

/// The package, as of this time in seconds since 1970: of two packages Anki keeps the later figures.
pub fn package(cards: &[Card], seconds: i64) -> Vec<u8> {
    let (mut notes, mut shown) = (Vec::new(), Vec::new());
    let mut numbered: Vec<(i64, &Card)> = cards.iter().map(|card| (card.number(), card)).collect();
    numbered.sort_by_key(|(number, _)| *number);
    let mut last = 0;
    for (number, card) in numbered {
        last = number.max(last + 1);
        let integer = Cell::Integer;
        let fields = card.fields().join(SEPARATOR);
        notes.push((
            last,
            vec![
                Cell::Key,
                Cell::Text(card.key()),
                integer(NOTE_TYPE),
                integer(seconds),
                integer(-1),
                Cell::Text(format!(" {} ", card.tags)),
                Cell::Text(fields),
                Cell::Text(card.id()),
                integer(0),
                integer(0),
                "".into(),
            ],
        ));
        let due = shown.len() as i64;
        let start =
            [Cell::Key, integer(last), integer(DECK), integer(0), integer(seconds), integer(-1)];
        let new = [0, 0, due].into_iter().chain([0; 8]).map(integer).chain(["".into()]);
        shown.push((last, start.into_iter().chain(new).collect()));
    }
    let numbers = [seconds, 1000 * seconds, 1000 * seconds, 11, 0, 0, 0].map(Cell::Integer);
    let texts = [
        json!({"curDeck": 1, "curModel": NOTE_TYPE.to_string(), "nextPos": cards.len()}),
        json!({NOTE_TYPE.to_string(): note_type(seconds)}),
        json!({"1": deck(1, "Default", seconds), DECK.to_string(): deck(DECK, DECK_NAME, seconds)}),
        json!({"1": options()}),
        json!({}),
    ]
    .map(|value| Cell::Text(value.to_string()));
    let collection = [Cell::Key].into_iter().chain(numbers).chain(texts).collect();
    let tables = [
        Table { name: "col", sql: COLLECTION, rows: vec![(1, collection)] },
        Table { name: "notes", sql: NOTES, rows: notes },
        Table { name: "cards", sql: CARDS, rows: shown },
        Table { name: "revlog", sql: REVIEWS, rows: Vec::new() },
        Table { name: "graves", sql: GRAVES, rows: Vec::new() },
    ];
    archive(&[("collection.anki2", &database(&tables)), ("media", b"{}")])
}

const COLLECTION: &str = "CREATE TABLE col (id integer primary key, crt integer not null, mod integer \
    not null, scm integer not null, ver integer not null, dty integer not null, usn integer not null, \
    ls integer not null, conf text not null, models text not null, decks text not null, dconf text \
    not null, tags text not null)";
const NOTES: &str = "CREATE TABLE notes (id integer primary key, guid text not null, mid integer not \
    null, mod integer not null, usn integer not null, tags text not null, flds text not null, sfld \
    integer not null, csum integer not null, flags integer not null, data text not null)";
const CARDS: &str = "CREATE TABLE cards (id integer primary key, nid integer not null, did integer not \
    null, ord integer not null, mod integer not null, usn integer not null, type integer not null, \
    queue integer not null, due integer not null, ivl integer not null, factor integer not null, reps \
    integer not null, lapses integer not null, left integer not null, odue integer not null, odid \
    integer not null, flags integer not null, data text not null)";
const REVIEWS: &str = "CREATE TABLE revlog (id integer primary key, cid integer not null, usn integer \
    not null, ease integer not null, ivl integer not null, lastIvl integer not null, factor integer \
    not null, time integer not null, type integer not null)";
const GRAVES: &str = "CREATE TABLE graves (usn integer not null, oid integer not null, type integer \
    not null)";

/// Our type of note, with one card a note.
fn note_type(seconds: i64) -> Value {
    let field = |(ord, name): (usize, &&str)| {
        json!({"name": name, "ord": ord, "sticky": false, "rtl": false, "font": "Arial", "size": 20,
               "media": []})
    };
    let fields: Vec<Value> = FIELDS.iter().enumerate().map(field).collect();
    json!({
        "id": NOTE_TYPE, "name": "tavola decision", "type": 0, "mod": seconds, "usn": -1, "sortf": 0,
        "did": DECK, "flds": fields, "css": STYLE, "tags": [], "vers": [],
        "latexPre": "", "latexPost": "", "req": [[0, "any", [1]]],
        "tmpls": [{"name": "Decision", "ord": 0, "qfmt": FRONT, "afmt": BACK, "bqfmt": "",
                   "bafmt": "", "did": null}],
    })
}

fn deck(id: i64, name: &str, seconds: i64) -> Value {
    json!({"id": id, "name": name, "mod": seconds, "usn": -1, "desc": "", "dyn": 0, "conf": 1,
           "collapsed": false, "browserCollapsed": false, "extendNew": 0, "extendRev": 0,
           "newToday": [0, 0], "revToday": [0, 0], "lrnToday": [0, 0], "timeToday": [0, 0]})
}

/// The options of decks, as Anki has them from the beginning.
fn options() -> Value {
    json!({"id": 1, "name": "Default", "mod": 0, "usn": 0, "maxTaken": 60, "autoplay": true, "timer": 0,
           "replayq": true, "dyn": false,
           "new": {"bury": true, "delays": [1, 10], "initialFactor": 2500, "ints": [1, 4, 7],
                   "order": 1, "perDay": 20},
           "rev": {"bury": true, "ease4": 1.3, "fuzz": 0.05, "ivlFct": 1, "maxIvl": 36500,
                   "perDay": 200},
           "lapse": {"delays": [10], "leechAction": 0, "leechFails": 8, "minInt": 1, "mult": 0}})
}

/// A ZIP archive of files that are not packed.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut list) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let at = (archive.len() as u32).to_le_bytes();
        let (crc, size) = (tavola_files::crc32(content), content.len() as u32);
        // Version 2.0, no flags, not packed; midnight of the first of January 1980.
        let mut head = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        for word in [crc, size, size] {
            head.extend(word.to_le_bytes());
        }
        head.extend((name.len() as u16).to_le_bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&head);
        archive.extend([0; 2]);
        archive.extend(name.as_bytes());
        archive.extend(*content);
        list.extend(b"PK\x01\x02\x14\x00");
        list.extend(&head);
        list.extend([0; 12]);
        list.extend(at);
        list.extend(name.as_bytes());
    }
    let (at, size) = ((archive.len() as u32).to_le_bytes(), (list.len() as u32).to_le_bytes());
    let count = (files.len() as u16).to_le_bytes();
    archive.extend(list);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count, count].concat());
    archive.extend([size, at].concat());
    archive.extend([0; 2]);
    archive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_a_card_name_fields_that_a_note_has() {
        for named in [FRONT, BACK].iter().flat_map(|side| side.split("{{").skip(1)) {
            let (name, _) = named.split_once("}}").unwrap();
            assert!(FIELDS.contains(&name), "{name}");
        }
    }
}
