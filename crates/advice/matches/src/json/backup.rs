//! The file in which the page saves all matches of a browser: each with its own file as text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::format;
use crate::reading::{Notes, ReadError, ReadWatch, check_numbers};
use crate::record::Match;

/// What stands at the head of a file.
pub(super) const FORMAT: &str = "tavola history";
const VERSION: u32 = 1;

/// A file, of which only the matches are read here.
#[derive(Deserialize)]
struct File {
    version: Option<u32>,
    matches: Vec<Entry>,
}

/// A match; what else the page knows of it is its own.
#[derive(Deserialize)]
struct Entry {
    names: Vec<String>,
    /// The game, if it is one without a cube.
    game: Option<String>,
    record: Option<Record>,
}

/// The file of a match: text, or bytes in base64.
#[derive(Deserialize)]
#[serde(untagged)]
enum Record {
    Text(String),
    Bytes { bytes: String },
}

/// Whether a text without a format is such a file of an older page.
pub(super) fn is_older(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Older {
        matches: Vec<HasRecord>,
    }
    #[derive(Deserialize)]
    struct HasRecord {
        #[serde(rename = "record")]
        _record: IgnoredAny,
    }
    serde_json::from_str::<Older>(text).is_ok_and(|file| !file.matches.is_empty())
}

/// Reads the matches of all records; one that has none, or that can't be read, is a note.
pub(super) fn read(text: &str, watch: ReadWatch<'_>) -> Result<(Vec<Match>, Notes), ReadError> {
    let file: File = serde_json::from_str(text).map_err(super::malformed)?;
    let version = file.version.unwrap_or(VERSION);
    if version != VERSION {
        let text =
            format!("the format is {FORMAT:?} version {version}, expected version {VERSION}");
        return Err(ReadError::Malformed { line: 1, text });
    }
    let (mut matches, mut notes) = (Vec::new(), Notes::default());
    for (number, entry) in (1..).zip(file.matches) {
        let name = format!("entry {number} ({})", entry.names.join(" – "));
        if let Some(game) = entry.game {
            notes.push(0, format!("{name}: a game of {game} has no match"));
            continue;
        }
        let bytes = match entry.record {
            Some(Record::Text(text)) => Ok(text.into_bytes()),
            Some(Record::Bytes { bytes }) => STANDARD
                .decode(&bytes)
                .map_err(|error| format!("its bytes are not valid base64: {error}")),
            None => Err("nothing of it was saved".to_owned()),
        };
        let read = match bytes.map(|it| format::read_of(&it, None, watch)) {
            Ok(Err(stopped @ (ReadError::Canceled | ReadError::Late))) => return Err(stopped),
            Ok(read) => read.map_err(|error| error.to_string()),
            Err(error) => Err(error),
        };
        match read {
            Ok(reading) => {
                matches.extend(reading.matches);
                for note in reading.notes {
                    notes.push(0, format!("{name}: {note}"));
                }
            }
            Err(error) => notes.push(0, format!("{name}: {error}")),
        }
        let games = matches.iter().map(|it: &Match| it.games.len()).sum();
        check_numbers(matches.len(), games, 0)?;
    }
    if matches.is_empty() {
        let why =
            notes.first().map_or_else(|| "it has no matches".to_owned(), |it| it.text.clone());
        return Err(ReadError::Malformed { line: 0, text: format!("no match can be read: {why}") });
    }
    Ok((matches, notes))
}
