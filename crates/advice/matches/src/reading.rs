//! What every reader shares: notes, errors, limits, and what ends a reading early.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::Serialize;
use tavola_files::limits::{GAMES, MATCHES, NOTES};

use crate::unread;

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

    /// Takes back all but the first ones.
    pub(crate) fn truncate(&mut self, kept: usize) {
        self.kept.truncate(kept);
    }

    /// Puts a note about the whole file before the others.
    pub(crate) fn put_first(&mut self, text: impl Into<String>) {
        self.kept.insert(0, Note { line: 0, text: text.into() });
    }

    /// All that are kept, the last of which says how many are not.
    pub(crate) fn into_vec(mut self) -> Vec<Note> {
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
    /// The caller canceled the reading.
    #[error("the reading of the file was canceled")]
    Canceled,
    /// The time for reading was over.
    #[error("the file takes longer to read than it may")]
    Late,
    /// A format of another program that is known and not read.
    #[error("it is {what}, which is not read; expected {instead}")]
    Foreign {
        /// The format and its programs.
        what: &'static str,
        /// What is read instead.
        instead: &'static str,
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

impl ReadError {
    /// What another program has saved in the file, if it is known and no report.
    pub fn saved_by_another(&self) -> Option<&'static str> {
        match self {
            Self::Foreign { what, instead } if *instead != unread::RECORD => Some(what),
            _ => None,
        }
    }
}

/// What ends the reading of a file before its end.
#[derive(Clone, Copy, Debug)]
pub struct ReadWatch<'a> {
    /// Once it is true, reading ends with [`ReadError::Canceled`].
    pub cancel: &'a AtomicBool,
    /// From then on reading ends with [`ReadError::Late`].
    pub until: Option<Instant>,
}

impl ReadWatch<'_> {
    /// Whether reading may go on; looked at between lines, nodes and records.
    pub(crate) fn check(&self) -> Result<(), ReadError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(ReadError::Canceled);
        }
        match self.until {
            Some(until) if Instant::now() >= until => Err(ReadError::Late),
            _ => Ok(()),
        }
    }
}

impl Default for ReadWatch<'_> {
    /// Nothing ends the reading.
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self { cancel: &NEVER, until: None }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_of;

    #[test]
    fn a_watch_ends_every_reader() {
        let text = " 3 point match\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5\n";
        let record = crate::read(text.as_bytes()).unwrap().matches;
        let cancel = AtomicBool::new(true);
        let now = Some(Instant::now());
        for name in ["m.mat", "m.sgf", "m.json"] {
            let file = crate::write(&record, name.as_ref()).unwrap();
            let read = |watch| read_of(&file, None, watch);
            assert!(read(ReadWatch::default()).is_ok());
            let canceled = ReadWatch { cancel: &cancel, until: None };
            assert_eq!(read(canceled), Err(ReadError::Canceled), "{name}");
            let late = ReadWatch { until: now, ..ReadWatch::default() };
            assert_eq!(read(late), Err(ReadError::Late), "{name}");
        }
    }
}
