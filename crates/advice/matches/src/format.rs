//! Which format a file has, and what reading it found.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tavola_files::limits::{FILE_BYTES, Limit, MATCH_BYTES};
use tavola_rules::Backgammon;

use crate::encoding;
use crate::json;
use crate::mat;
use crate::ogxm;
use crate::reading::{Note, ReadError, ReadWatch};
use crate::record::{Game, Match};
use crate::sgf;
use crate::unread;
use crate::xg;

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MatchFormat {
    /// Match text of Jellyfish, GNU Backgammon, Snowie, GridGammon, Galaxy and others (`.mat`,
    /// `.txt`).
    Mat,
    /// Smart Game Format with backgammon in it, as GNU Backgammon writes it (`.sgf`).
    Sgf,
    /// Our own, with everything that a record holds (`.json`).
    Json,
    /// eXtreme Gammon's own (`.xg`), which is read and not written.
    Xg,
    /// BGBlitz's own (`.bgf`), which is read and not written.
    Bgf,
    /// OGXM of OpenGammon, HedgeHog, GammonView and blunderDB (`.ogxm`, `.gvab`).
    Ogxm,
}

// The names are the endings of its files.
tavola_rules::named!(MatchFormat, "format":
    Mat => "mat" | "txt",
    Sgf => "sgf",
    Json => "json",
    Xg => "xg",
    Bgf => "bgf",
    Ogxm => "ogxm" | "gvab" | "ogxms",
);

impl MatchFormat {
    /// The format of a file with this name, by what it ends in.
    pub fn of_path(path: &Path) -> Option<Self> {
        path.extension()?.to_str()?.parse().ok()
    }

    /// The limit of its files: our own say more about a match than others do.
    const fn largest(self) -> Limit {
        match self {
            Self::Json => FILE_BYTES,
            Self::Mat | Self::Sgf | Self::Xg | Self::Bgf | Self::Ogxm => MATCH_BYTES,
        }
    }

    /// Whether its files are no text.
    const fn is_binary(self) -> bool {
        matches!(self, Self::Xg | Self::Bgf | Self::Ogxm)
    }
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchReading {
    /// The format it was read as.
    pub format: MatchFormat,
    /// Its matches and sessions; at least one.
    pub matches: Vec<Match>,
    /// What was mended or left out, in the order of the file.
    pub notes: Vec<Note>,
}

/// Why matches have no text for a file of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot write a match to {path}, expected a name that ends in .mat, .sgf, .json or .ogxm")]
pub struct WriteError {
    path: String,
}

/// Matches in the format that the name of a file says.
///
/// # Errors
///
/// [`WriteError`] for a name with another ending.
pub fn write(matches: &[Match], path: &Path) -> Result<Vec<u8>, WriteError> {
    let one_by_one =
        |write: fn(&Match) -> String| matches.iter().map(write).collect::<String>().into_bytes();
    if path.extension().is_some_and(|ending| ending == "gva") && matches.len() < 2 {
        return Ok(one_by_one(ogxm::write_json));
    }
    match MatchFormat::of_path(path) {
        Some(MatchFormat::Mat) => Ok(one_by_one(mat::write)),
        Some(MatchFormat::Sgf) => Ok(one_by_one(sgf::write)),
        Some(MatchFormat::Json) => Ok(json::write(matches).into_bytes()),
        Some(MatchFormat::Ogxm) => {
            Ok(matches.iter().flat_map(|record| ogxm::write(record, None)).collect())
        }
        Some(MatchFormat::Xg | MatchFormat::Bgf) | None => {
            Err(WriteError { path: path.display().to_string() })
        }
    }
}

/// The limit of the bytes of a file with this name.
pub fn largest(path: &Path) -> Limit {
    MatchFormat::of_path(path).map_or(MATCH_BYTES, MatchFormat::largest)
}

/// Reads a file of any known format.
///
/// # Errors
///
/// [`ReadError`] where there is no game to be found; anything less is a [`Note`].
pub fn read(bytes: &[u8]) -> Result<MatchReading, ReadError> {
    read_of(bytes, None, ReadWatch::default())
}

/// Reads a file of any known format, which is of this game where it does not say so itself.
///
/// # Errors
///
/// As [`read`], and where the watch ends the reading.
pub fn read_of(
    bytes: &[u8],
    game: Option<Backgammon>,
    watch: ReadWatch<'_>,
) -> Result<MatchReading, ReadError> {
    let mut reading = read_format(recognize(bytes), bytes, game, watch)?;
    let other = reading.matches.iter().map(|it| it.options.start).find(|it| Some(*it) != game);
    if let (Some(game), Some(other)) = (game, other) {
        let text = format!("the file says that it is {}, not {}", other.name(), game.name());
        reading.notes.insert(0, Note { line: 0, text });
    }
    Ok(reading)
}

/// How packed files begin, or what stands at a place in them.
const PACKED: [(usize, &[u8], &str); 7] = [
    (0, b"PK\x03\x04", "zip"),
    (0, b"\x1f\x8b", "gzip"),
    (0, b"BZh", "bzip2"),
    (1, b"7zXZ", "xz"),
    (0, b"7z\xbc\xaf", "7z"),
    (0, b"Rar!", "rar"),
    (257, b"ustar", "tar"),
];

/// The format that the beginning of a file speaks of; match text if it speaks of none.
fn recognize(bytes: &[u8]) -> MatchFormat {
    if xg::is_xg(bytes) {
        return MatchFormat::Xg;
    }
    if ogxm::is_ogxm(bytes) {
        return MatchFormat::Ogxm;
    }
    if ogxm::is_bgf(bytes) {
        return MatchFormat::Bgf;
    }
    let (text, _) = encoding::text(&bytes[..bytes.len().min(4096)]);
    if sgf::is_sgf(&text) {
        MatchFormat::Sgf
    } else if json::is_json(&text) {
        MatchFormat::Json
    } else {
        MatchFormat::Mat
    }
}

/// Reads a file of a known format.
///
/// # Errors
///
/// As [`read`].
pub fn read_as(format: MatchFormat, bytes: &[u8]) -> Result<MatchReading, ReadError> {
    read_format(format, bytes, None, ReadWatch::default())
}

fn read_format(
    format: MatchFormat,
    bytes: &[u8],
    game: Option<Backgammon>,
    watch: ReadWatch<'_>,
) -> Result<MatchReading, ReadError> {
    let most = format.largest().default;
    if bytes.len() as u64 > most {
        return Err(ReadError::TooLarge { found: bytes.len(), most });
    }
    if let Some(foreign) = unread::of_bytes(bytes).filter(|_| !format.is_binary()) {
        return Err(foreign);
    }
    let packed = PACKED
        .iter()
        .find(|(at, mark, _)| bytes.get(*at..).is_some_and(|bytes| bytes.starts_with(mark)));
    if let Some((_, _, kind)) = packed {
        return Err(ReadError::Packed { kind });
    }
    let (text, guessed) =
        if format.is_binary() { Default::default() } else { encoding::text(bytes) };
    if text.trim().is_empty() && !format.is_binary() {
        return Err(ReadError::Empty);
    }
    let read = match format {
        MatchFormat::Mat => mat::read(&text, game, watch),
        MatchFormat::Sgf => sgf::read(&text, game, watch),
        MatchFormat::Json => json::read(&text, watch),
        MatchFormat::Xg => xg::read(bytes, watch),
        MatchFormat::Ogxm => ogxm::read(bytes, watch),
        MatchFormat::Bgf => ogxm::read_bgf(bytes, watch),
    };
    let read = match read {
        Err(error @ ReadError::Unknown { .. }) => match xg::text::read(&text, watch) {
            Some(read) => read,
            None => Err(unread::of_text(&text).unwrap_or(error)),
        },
        read => read,
    };
    let (mut matches, mut notes) = read?;
    for record in &mut matches {
        record.texts(&mut encoding::clean);
    }
    // The last game of a file may run, those before it ended.
    let open = |game: &Game| game.result.is_none() && game.broken.is_none();
    for (number, record) in (1..).zip(&matches).filter(|_| format == MatchFormat::Mat) {
        let games = record.games.split_last().map_or(&[][..], |(_, before)| before);
        for (game, _) in (1..).zip(games).filter(|(_, game)| open(game)) {
            notes.push(0, format!("match {number}, game {game}: nothing tells how it ended"));
        }
    }
    if guessed {
        notes.put_first("it is no UTF-8 and was read as Windows-1252");
    }
    let mut notes = notes.into_vec();
    for note in &mut notes {
        encoding::clean(&mut note.text);
    }
    Ok(MatchReading { format, matches, notes })
}
