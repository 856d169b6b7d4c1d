//! Which format a file has, and what reading it found.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::encoding;
use crate::mat;
use crate::record::Match;
use crate::sgf;

/// The largest file that is read, in bytes: far beyond any record of games.
pub const LARGEST_FILE: usize = 64 << 20;

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// Match text of Jellyfish, GNU Backgammon, Snowie, GridGammon, Galaxy and others (`.mat`,
    /// `.txt`).
    Mat,
    /// Smart Game Format with backgammon in it, as GNU Backgammon writes it (`.sgf`).
    Sgf,
}

impl Format {
    /// The usual extension of its files.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Mat => "mat",
            Self::Sgf => "sgf",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The format it was read as.
    pub format: Format,
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

/// Why a file is no record of games.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is nothing in it.
    #[error("the file is empty, expected a record of games")]
    Empty,
    /// It is larger than any record of games.
    #[error("the file has {found} bytes, expected a record of games of at most {LARGEST_FILE}")]
    TooLarge {
        /// Its size.
        found: usize,
    },
    /// No format fits.
    #[error(
        "no record of games was found, it begins with {begins:?}; expected a match \
         text (.mat, .txt) or a game record (.sgf)"
    )]
    Unknown {
        /// The first characters.
        begins: String,
    },
    /// The format is known, but something in it is not.
    #[error("line {line}: {text}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What, in words.
        text: String,
    },
}

/// Reads a file of any known format.
///
/// # Errors
///
/// [`ReadError`] where there is no game to be found; anything less is a [`Note`].
pub fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    read_as(recognise(bytes), bytes)
}

/// The format that the beginning of a file speaks of; match text if it speaks of none.
fn recognise(bytes: &[u8]) -> Format {
    let (text, _) = encoding::text(&bytes[..bytes.len().min(4096)]);
    if sgf::is_sgf(&text) { Format::Sgf } else { Format::Mat }
}

/// Reads a file of a known format.
///
/// # Errors
///
/// As [`read`].
pub fn read_as(format: Format, bytes: &[u8]) -> Result<Reading, ReadError> {
    if bytes.len() > LARGEST_FILE {
        return Err(ReadError::TooLarge { found: bytes.len() });
    }
    let (text, guessed) = encoding::text(bytes);
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    let (matches, mut notes) = match format {
        Format::Mat => mat::read(&text)?,
        Format::Sgf => sgf::read(&text)?,
    };
    if guessed {
        let text = "it is no UTF-8 and was read as Windows-1252".to_owned();
        notes.insert(0, Note { line: 0, text });
    }
    Ok(Reading { format, matches, notes })
}

/// The beginning of a text, for messages.
pub(crate) fn beginning(text: &str) -> String {
    text.trim_start().chars().take(40).collect()
}
