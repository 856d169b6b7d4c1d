//! What programs promise about their files: a crash leaves them whole, and damage is noticed.
//!
//! - [`write`](write()) and [`NewFile`] put a file in its place as a whole: after a crash the name
//!   holds the old or the new content.
//! - [`lock`] holds a file against other processes.
//! - [`Journal`] is a file that grows by lines, each with a checksum.
//! - [`seal`] puts a checksum into a JSON object, [`unseal`] checks it.
//! - [`crc32`] and [`sha256`] are the checksums of all formats, [`hex`] is how they are written.
//! - [`limits`] has every limit of what files, requests and clients may cost.
//! - [`printable`] takes control characters out of foreign text, and [`chain`] tells an error with
//!   its causes in one line.

mod durable;
pub mod journal;
pub mod limits;
mod seal;

use std::error::Error;
use std::path::Path;
use std::{fs, io, iter};

pub use crc32fast::hash as crc32;
pub use sha2::{Digest, Sha256};

pub use self::durable::{
    NewFile, is_unfinished, lock, remove_leftovers, rename, sync_folder, unfinished, write,
};
pub use self::journal::{Journal, JournalError};
pub use self::seal::{seal, unseal};

/// The content of a regular file. A pipe may never end, and a device such as `/dev/zero` never
/// does.
///
/// # Errors
///
/// Those of the file system, and `InvalidInput` if there is something else than a regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    match fs::metadata(path)? {
        there if there.is_file() => fs::read(path),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")),
    }
}

/// SHA-256 of `bytes` in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An error and its causes in one line, the outermost first. A cause that the error around it
/// already tells is left out.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut message = String::new();
    for cause in iter::successors(Some(error), |&error| error.source()) {
        let cause = cause.to_string();
        if !message.ends_with(&cause) {
            if !message.is_empty() {
                message.push_str(": ");
            }
            message.push_str(&cause);
        }
    }
    message
}

/// Text of a file or another program, fit for a terminal: control characters, which could give it
/// orders, are written as escapes.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            out.extend(character.escape_debug());
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Failure {
        #[error("cannot read the table")]
        Read(#[source] io::Error),
        #[error("line 3: {0}")]
        Told(#[source] io::Error),
    }

    #[test]
    fn a_chain_names_each_cause_once() {
        let cause = || io::Error::other("no room");
        assert_eq!(chain(&Failure::Read(cause())), "cannot read the table: no room");
        assert_eq!(chain(&Failure::Told(cause())), "line 3: no room");
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_not_read() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.to_string(), "it is no regular file");
    }

    #[test]
    fn control_characters_become_escapes_and_other_text_stays() {
        assert_eq!(printable("Zürich 3.0 ✓"), "Zürich 3.0 ✓");
        assert_eq!(printable("\x1b]0;owned\x07\r"), r"\u{1b}]0;owned\u{7}\r");
    }

    #[test]
    fn checksums_are_those_of_their_standards() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), expected);
        assert_eq!(hex(&[0, 10, 255]), "000aff");
    }
}
