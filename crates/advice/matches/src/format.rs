//! Which format a file has, and what reading it found.

use std::fmt;
use std::ops::Deref;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tavola_files::limits::{FILE_BYTES, GAMES, Limit, MATCH_BYTES, MATCHES, NOTES};
use tavola_rules::Backgammon;

use crate::encoding;
use crate::json;
use crate::mat;
use crate::record::{Game, Match};
use crate::sgf;
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
}

impl MatchFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Mat, Self::Sgf, Self::Json, Self::Xg];

    /// The format of a file with this name, by what it ends in: `.txt` is match text too.
    pub fn of_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let ending = if ending == "txt" { "mat" } else { &ending };
        Self::ALL.into_iter().find(|format| format.extension() == ending)
    }

    /// The limit of its files: our own say more about a match than others do.
    const fn largest(self) -> Limit {
        match self {
            Self::Json => FILE_BYTES,
            Self::Mat | Self::Sgf | Self::Xg => MATCH_BYTES,
        }
    }

    /// The usual extension of its files.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Mat => "mat",
            Self::Sgf => "sgf",
            Self::Json => "json",
            Self::Xg => "xg",
        }
    }
}

impl fmt::Display for MatchFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
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

/// Something in a file that was mended, left out, or could not be followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What, in words.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.text),
            line => write!(f, "line {line}: {}", self.text),
        }
    }
}

/// The notes of a reader, of which the first are kept and the last one.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    kept: Vec<Note>,
    more: usize,
}

impl Notes {
    pub(crate) fn push(&mut self, line: usize, text: impl Into<String>) {
        if self.kept.len() as u64 == NOTES.default {
            self.kept.pop();
            self.more += 1;
        }
        self.kept.push(Note { line, text: text.into() });
    }

    /// Puts a note about the whole file before the others.
    pub(crate) fn put_first(&mut self, text: impl Into<String>) {
        self.kept.insert(0, Note { line: 0, text: text.into() });
    }

    /// All that are kept, the last of which says how many are not.
    fn into_vec(mut self) -> Vec<Note> {
        if self.more > 0 {
            let text = format!("{} notes more are not listed", self.more);
            self.kept.push(Note { line: 0, text });
        }
        self.kept
    }
}

impl Deref for Notes {
    type Target = [Note];

    fn deref(&self) -> &[Note] {
        &self.kept
    }
}

/// Why a file is no record of games.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is nothing in it.
    #[error("the file is empty, expected a record of games")]
    Empty,
    /// It is larger than any record of games.
    #[error("the file has {found} bytes, expected a record of games of at most {most}")]
    TooLarge {
        /// Its size.
        found: usize,
        /// The most of its format.
        most: u64,
    },
    /// Packed files are not opened.
    #[error("the file is packed ({kind}), expected a record of games: unpack it first")]
    Packed {
        /// By which program.
        kind: &'static str,
    },
    /// No format fits.
    #[error(
        "no record of games was found, it begins with {begins:?}; expected match \
         text (.mat, .txt), .sgf, .xg or our own .json"
    )]
    Unknown {
        /// The first characters.
        begins: String,
    },
    /// The format is known, but something in it is not.
    #[error("{}{text}", if *line > 0 { format!("line {line}: ") } else { String::new() })]
    Malformed {
        /// The line, from 1; 0 for the file as a whole.
        line: usize,
        /// What, in words.
        text: String,
    },
    /// A file of our own has something that the rules forbid.
    #[error("{place}: {text}")]
    Illegal {
        /// Where: match, game and action, each from 1.
        place: String,
        /// What, in words.
        text: String,
    },
}

/// Why matches have no text for a file of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot write a match to {path}, expected a name that ends in .mat, .sgf or .json")]
pub struct WriteError {
    path: String,
}

/// Matches as text in the format that the name of a file says.
///
/// # Errors
///
/// [`WriteError`] for a name with another ending.
pub fn write(matches: &[Match], path: &Path) -> Result<String, WriteError> {
    let one_by_one = |write: fn(&Match) -> String| matches.iter().map(write).collect();
    match MatchFormat::of_path(path) {
        Some(MatchFormat::Mat) => Ok(one_by_one(mat::write)),
        Some(MatchFormat::Sgf) => Ok(one_by_one(sgf::write)),
        Some(MatchFormat::Json) => Ok(json::write(matches)),
        Some(MatchFormat::Xg) | None => Err(WriteError { path: path.display().to_string() }),
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
    read_of(bytes, None)
}

/// Reads a file of any known format, which is of this game where it does not say so itself.
///
/// # Errors
///
/// As [`read`].
pub fn read_of(bytes: &[u8], game: Option<Backgammon>) -> Result<MatchReading, ReadError> {
    let mut reading = read_format(recognize(bytes), bytes, game)?;
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
    read_format(format, bytes, None)
}

fn read_format(
    format: MatchFormat,
    bytes: &[u8],
    game: Option<Backgammon>,
) -> Result<MatchReading, ReadError> {
    let most = format.largest().default;
    if bytes.len() as u64 > most {
        return Err(ReadError::TooLarge { found: bytes.len(), most });
    }
    let packed = PACKED
        .iter()
        .find(|(at, mark, _)| bytes.get(*at..).is_some_and(|bytes| bytes.starts_with(mark)));
    if let Some((_, _, kind)) = packed {
        return Err(ReadError::Packed { kind });
    }
    let (text, guessed) =
        if format == MatchFormat::Xg { Default::default() } else { encoding::text(bytes) };
    if text.trim().is_empty() && format != MatchFormat::Xg {
        return Err(ReadError::Empty);
    }
    let (mut matches, mut notes) = match format {
        MatchFormat::Mat => mat::read(&text, game)?,
        MatchFormat::Sgf => sgf::read(&text, game)?,
        MatchFormat::Json => json::read(&text)?,
        MatchFormat::Xg => xg::read(bytes)?,
    };
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

/// Refuses a file of more matches or games than are read: their analysis takes some 30 kB a match and
/// 12 kB a game.
pub(crate) fn check_numbers(matches: usize, games: usize, line: usize) -> Result<(), ReadError> {
    for (found, limit, what) in [(matches, &MATCHES, "matches"), (games, &GAMES, "games")] {
        if found as u64 > limit.default {
            let text = format!("more {what} than {}, the most in a file", limit.default);
            return Err(ReadError::Malformed { line, text });
        }
    }
    Ok(())
}

/// The beginning of a text, for messages.
pub(crate) fn beginning(text: &str) -> String {
    text.trim_start().chars().take(40).collect()
}
