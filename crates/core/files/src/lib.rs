//! What programs promise about their files: a crash leaves them whole, and damage is noticed.
//!
//! - [`write`](write()) and [`NewFile`] put a file in its place as a whole: after a crash the name
//!   holds the old or the new content.
//! - [`lock`] holds a file against other processes.
//! - [`Journal`] is a file that grows by lines, each with a checksum.
//! - [`seal`] puts a checksum into a JSON object, [`unseal`] checks it.
//! - [`unpacked`] takes gzip and zlib off, within a limit.
//! - [`crc32`] and [`sha256`] are the checksums of all formats, [`hex`] is how they are written.
//! - [`report`] is what people read: documents and tables that become text, Markdown, comma-separated
//!   values and HTML, with one chart.
//! - [`limits`] has every limit of what files, requests and clients may cost.
//! - [`locked`] and [`unlocked`] give what threads share.
//! - [`printable`] takes control characters out of foreign text, and [`chain`] tells an error with
//!   its causes in one line; [`Failure`] is an error of which callers ask whose fault it is.
//!
//! ```
//! use tavola_files::{seal, unseal};
//!
//! let sealed = seal(r#"{"round":7}"#);
//! assert_eq!(unseal(sealed.as_bytes())?, br#"{"round":7}"#);
//! assert!(unseal(sealed.replace('7', "8").as_bytes()).is_err());
//! # Ok::<(), std::io::Error>(())
//! ```

mod durable;
mod failure;
pub mod journal;
pub mod limits;
pub mod report;
mod seal;

use std::borrow::Cow;
use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, iter};

pub use crc32fast::{Hasher as Crc32, hash as crc32};
use flate2::read::{GzDecoder, ZlibDecoder};
pub use sha2::{Digest, Sha256};

pub use self::durable::{
    NewFile, is_unfinished, lock, remove_leftovers, rename, sync_folder, unfinished, write,
};
pub use self::failure::{Failure, Fault};
pub use self::journal::{Journal, JournalError};
use self::limits::Limit;
pub use self::seal::{seal, unseal};

/// What the file system refused: no space, no permission, no such place.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct FileError {
    /// What was tried, for example "read".
    pub action: &'static str,
    /// With which file or folder.
    pub path: PathBuf,
    /// Why it failed.
    pub source: io::Error,
}

impl FileError {
    /// Names a failed operation, as an argument of `map_err`.
    pub fn at(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self { action, path: path.clone(), source }
    }
}

/// The value behind a mutex, also where a thread panicked while it had it: the panic is passed on.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a mutex holds that no other thread has any more, after a panic too.
pub fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The content of a file, a pipe or a device, of which some never end.
///
/// # Errors
///
/// Those of the file system, and `FileTooLarge` beyond the limit.
pub fn read(path: &Path, limit: &Limit) -> io::Result<Vec<u8>> {
    read_open(&File::open(path)?, limit)
}

/// The rest of an open file.
///
/// # Errors
///
/// Those of [`read`].
pub fn read_open(file: &File, limit: &Limit) -> io::Result<Vec<u8>> {
    let found = file.metadata()?;
    // What is no file of a disk may have no end: it is not read as far as the largest ones.
    let most = match found.is_file() {
        true => limit.default,
        false => limit.default.min(limits::FILE_BYTES.default),
    };
    match found.len() {
        size if size > most => Err(too_large(most)),
        size => at_most(file, most, size),
    }
}

/// What a reader gives, of which about `size` bytes are expected.
fn at_most(reader: impl Read, most: u64, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size + 1).unwrap_or(0));
    reader.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn too_large(most: u64) -> io::Error {
    let reason = format!("it has more than {most} bytes, expected at most that");
    io::Error::new(io::ErrorKind::FileTooLarge, reason)
}

/// Content that may be packed by gzip or zlib, unpacked.
///
/// # Errors
///
/// Damaged data, and `FileTooLarge` for what unpacks to more than the limit.
pub fn unpacked<'a>(content: &'a [u8], limit: &Limit) -> io::Result<Cow<'a, [u8]>> {
    let unpacked = match content {
        [0x1f, 0x8b, ..] => at_most(GzDecoder::new(content), limit.default, 0),
        [0x78, 0x01 | 0x9c | 0xda, ..] => at_most(ZlibDecoder::new(content), limit.default, 0),
        _ => return Ok(Cow::Borrowed(content)),
    };
    let unpacked = unpacked.map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => {
            let reason = format!("it unpacks to more than {} bytes", limit.default);
            io::Error::new(io::ErrorKind::FileTooLarge, reason)
        }
        kind => io::Error::new(kind, format!("its packed data is damaged: {error}")),
    });
    unpacked.map(Cow::Owned)
}

/// Reads a whole file that must be text in UTF-8.
///
/// # Errors
///
/// Those of [`read`], and `InvalidData` for what is not UTF-8.
pub fn read_text(path: &Path, limit: &Limit) -> io::Result<String> {
    String::from_utf8(read(path, limit)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
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
    enum Refused {
        #[error("cannot read the table")]
        Read(#[source] io::Error),
        #[error("line 3: {0}")]
        Told(#[source] io::Error),
    }

    #[test]
    fn a_chain_names_each_cause_once() {
        let cause = || io::Error::other("no room");
        assert_eq!(chain(&Refused::Read(cause())), "cannot read the table: no room");
        assert_eq!(chain(&Refused::Told(cause())), "line 3: no room");
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_read_to_its_limit() {
        for limit in limits::TABLE.iter().filter(|limit| limit.what.starts_with("bytes of a")) {
            if limit.default <= 64 << 20 {
                let error = read(Path::new("/dev/zero"), limit).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
                assert!(error.to_string().contains(&limit.default.to_string()), "{error}");
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("exact");
        let limit = limits::Limit { default: 4, ..limits::FILE_BYTES };
        std::fs::write(&path, "12345").unwrap();
        assert!(read(&path, &limit).is_err());
        std::fs::write(&path, "1234").unwrap();
        assert_eq!(read_text(&path, &limit).unwrap(), "1234");
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
