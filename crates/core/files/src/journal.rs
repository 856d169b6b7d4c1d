//! Files that only grow, line by line, and survive their writer.
//!
//! A line is a JSON value, a blank and the CRC-32 of the value's text in eight hexadecimal digits;
//! the first line says what the file is. A writer that is killed leaves at most one torn line, the
//! last, which the next reader leaves out and the next writer cuts off. Lines are handed to the
//! system as they come, so a dead process loses nothing else, and a dead machine the last seconds.
//! A writer that closes the file adds a last line, how many there are: without it, [`End`] says that
//! some may be lost.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::limits::LARGE_BYTES;
use crate::{Failure, FileError};

/// How often what was written is forced to the disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(5);

/// Why a file of results can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file system says no.
    #[error(transparent)]
    Io(#[from] FileError),
    /// Results are never overwritten.
    #[error("{} exists already, expected the name of a new file", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Two writers would count the same twice.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A line that no crash explains.
    #[error("line {line} of {} is damaged or not of this format: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which line, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// A file open for appending, which no other process can open so.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    synced: Instant,
    /// Lines behind the first; `None` once one could not be written.
    lines: Option<usize>,
}

/// How a file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its writer has closed it.
    Closed,
    /// Its writer was killed or still writes, or lines at its end are lost.
    Open,
    /// Not closed, and the last line, whose number counts from 1, is torn and left out.
    Torn(usize),
}

impl End {
    /// What the user of the file should know.
    pub fn warning(self) -> Option<String> {
        match self {
            Self::Closed => None,
            Self::Open => Some("it was not closed: lines at its end may be missing".to_owned()),
            Self::Torn(line) => Some(format!("line {line}, the last one, is torn and left out")),
        }
    }
}

/// The last line of a file that was closed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndLine {
    end: usize,
}

/// What is in a file.
#[derive(Debug, PartialEq)]
pub struct Content<H, L> {
    /// The first line.
    pub header: H,
    /// The others.
    pub lines: Vec<L>,
    /// How the file ends.
    pub end: End,
}

impl Journal {
    /// A new file with this first line.
    ///
    /// # Errors
    ///
    /// [`JournalError`].
    pub fn create(path: &Path, header: &impl Serialize) -> Result<Self, JournalError> {
        if path.is_symlink() || path.is_dir() {
            return Err(JournalError::Exists { path: path.to_owned() });
        }
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let mut journal = Self::locked(path, file.map_err(FileError::at("create", path))?)?;
        // See `is_begun`.
        if journal.file.metadata().map_err(FileError::at("read", path))?.len() > 0 {
            return Err(JournalError::Exists { path: path.to_owned() });
        }
        journal.append(header)?;
        journal.sync()?;
        journal.lines = Some(0);
        Ok(journal)
    }

    /// An old file with its content, to be resumed.
    ///
    /// # Errors
    ///
    /// [`JournalError`].
    pub fn open<H: DeserializeOwned, L: DeserializeOwned>(
        path: &Path,
    ) -> Result<(Self, Content<H, L>), JournalError> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let mut journal = Self::locked(path, file.map_err(FileError::at("open", path))?)?;
        let bytes =
            crate::read_open(&journal.file, &LARGE_BYTES).map_err(FileError::at("read", path))?;
        let (content, whole) = parse(path, &bytes)?;
        let cut = |file: &mut File| {
            file.set_len(whole as u64)?;
            file.seek(SeekFrom::End(0))
        };
        cut(&mut journal.file).map_err(FileError::at("write", path))?;
        journal.lines = Some(content.lines.len());
        Ok((journal, content))
    }

    /// A file about what the header says, with the lines that it has; begun if there is none.
    /// `agrees` refuses one of something else, which is then left as it is.
    ///
    /// # Errors
    ///
    /// [`Failure`]: the file is damaged, in use, refused, or can't be written.
    pub fn resume<H, L>(
        path: &Path,
        header: &H,
        agrees: impl FnOnce(&H) -> Result<(), Failure>,
    ) -> Result<(Self, Content<H, L>), Failure>
    where
        H: Clone + Serialize + DeserializeOwned,
        L: DeserializeOwned,
    {
        if !is_begun(path) {
            let content = Content { header: header.clone(), lines: Vec::new(), end: End::Closed };
            return Ok((Self::create(path, header)?, content));
        }
        // Lines of another format would look damaged, and opening for writing cuts off a torn one.
        agrees(&read::<H, serde_json::Value>(path)?.header)?;
        Ok(Self::open(path)?)
    }

    fn locked(path: &Path, file: File) -> Result<Self, JournalError> {
        match file.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), file, synced: Instant::now(), lines: None }),
            Err(TryLockError::WouldBlock) => Err(JournalError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => {
                Err(FileError { action: "lock", path: path.to_owned(), source }.into())
            }
        }
    }

    /// Writes a line.
    ///
    /// # Errors
    ///
    /// [`JournalError`].
    pub fn append(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        let before = self.lines.take();
        self.file.write_all(line(value).as_bytes()).map_err(FileError::at("write", &self.path))?;
        self.lines = before.map(|lines| lines + 1);
        if self.synced.elapsed() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Forces everything to the disk.
    ///
    /// # Errors
    ///
    /// [`JournalError`].
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.synced = Instant::now();
        Ok(self.file.sync_data().map_err(FileError::at("write", &self.path))?)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if let Some(end) = self.lines {
            // Without it the next reader warns.
            let _ = self.append(&EndLine { end });
        }
    }
}

/// Whether there is a file to resume: an empty one is what a writer left that was killed before its
/// first line, and [`Journal::create`] takes its place.
pub fn is_begun(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.len() > 0)
}

/// The content of a file, as far as it was written.
///
/// # Errors
///
/// [`JournalError`].
pub fn read<H: DeserializeOwned, L: DeserializeOwned>(
    path: &Path,
) -> Result<Content<H, L>, JournalError> {
    let bytes = crate::read(path, &LARGE_BYTES).map_err(FileError::at("read", path))?;
    parse(path, &bytes).map(|(content, _)| content)
}

/// Writes a whole new file that is there in full or not at all.
///
/// # Errors
///
/// [`JournalError`].
pub fn write<L: Serialize>(
    path: &Path,
    header: &impl Serialize,
    lines: &[L],
) -> Result<(), JournalError> {
    if path.exists() {
        return Err(JournalError::Exists { path: path.to_owned() });
    }
    replace(path, header, lines)
}

/// Writes a whole journal in place of a file that may be there: after a crash it holds the old or
/// the new lines.
///
/// # Errors
///
/// [`JournalError`].
pub fn replace<L: Serialize>(
    path: &Path,
    header: &impl Serialize,
    lines: &[L],
) -> Result<(), JournalError> {
    let mut text = line(header);
    lines.iter().for_each(|value| text.push_str(&line(value)));
    text.push_str(&line(&EndLine { end: lines.len() }));
    Ok(crate::write(path, text.as_bytes()).map_err(FileError::at("write", path))?)
}

fn line(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("what is written has string keys alone");
    let sum = crate::crc32(text.as_bytes());
    format!("{text} {sum:08x}\n")
}

/// The content, and how many of the bytes it takes, the last line of a closed file aside.
fn parse<H: DeserializeOwned, L: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
) -> Result<(Content<H, L>, usize), JournalError> {
    let damaged =
        |line, reason: String| JournalError::Damaged { path: path.to_owned(), line, reason };
    let (mut whole, mut end) = (0, End::Open);
    let mut header = None;
    let mut lines = Vec::new();
    for (index, text) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let json = match checked(text) {
            Some(json) => json,
            // The last line is torn, or was never forced to the disk: its end is not there.
            None if index > 0 && is_torn(text) => {
                end = End::Torn(index + 1);
                break;
            }
            None => return Err(damaged(index + 1, "the checksum is wrong".to_owned())),
        };
        let reason = |error: serde_json::Error| damaged(index + 1, error.to_string());
        let closed = serde_json::from_str::<EndLine>(json).ok();
        if index == 0 {
            header = Some(serde_json::from_str(json).map_err(reason)?);
        } else if end == End::Closed {
            return Err(damaged(index + 1, "it is behind the end".to_owned()));
        } else if let Some(EndLine { end: count }) = closed {
            if count != lines.len() {
                let reason = format!("{} lines before it, expected {count}", lines.len());
                return Err(damaged(index + 1, reason));
            }
            end = End::Closed;
            continue;
        } else {
            lines.push(serde_json::from_str(json).map_err(reason)?);
        }
        whole += text.len();
    }
    let header = header.ok_or_else(|| damaged(1, "the file is empty".to_owned()))?;
    Ok((Content { header, lines, end }, whole))
}

/// Whether a line without a right checksum was not written to its end. One that is whole but for its
/// line break has been changed since.
fn is_torn(line: &[u8]) -> bool {
    let Some((_, whole)) = line.split_last() else { return true };
    !line.ends_with(b"\n") && checked(&[whole, b"\n"].concat()).is_none()
}

/// The JSON of a line whose checksum is right.
fn checked(line: &[u8]) -> Option<&str> {
    let (json, sum) = std::str::from_utf8(line).ok()?.strip_suffix('\n')?.rsplit_once(' ')?;
    let sum = u32::from_str_radix(sum, 16).ok()?;
    (crate::crc32(json.as_bytes()) == sum).then_some(json)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read_numbers(path: &Path) -> Result<Content<String, u32>, JournalError> {
        read(path)
    }

    #[test]
    fn a_file_cut_off_anywhere_has_all_lines_that_were_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        let mut journal = Journal::create(&path, &"numbers").unwrap();
        for number in [1_u32, 22, 333] {
            journal.append(&number).unwrap();
        }
        drop(journal);
        let bytes = fs::read(&path).unwrap();
        let first = line(&"numbers").len();
        for end in first..=bytes.len() {
            let cut = folder.path().join(format!("cut-{end}"));
            fs::write(&cut, &bytes[..end]).unwrap();
            let whole = bytes[first..end].iter().filter(|&&byte| byte == b'\n').count();
            let (mut journal, content) = Journal::open::<String, u32>(&cut).unwrap();
            let is_whole = bytes[..end].ends_with(b"\n");
            let expected = match whole {
                4 => End::Closed,
                _ if is_whole => End::Open,
                _ => End::Torn(whole + 2),
            };
            assert_eq!(content.end.warning().is_some(), end < bytes.len());
            let mut lines = vec![1, 22, 333][..whole.min(3)].to_vec();
            let header = "numbers".to_owned();
            assert_eq!(content, Content { header, lines: lines.clone(), end: expected });
            journal.append(&4444_u32).unwrap();
            assert_eq!(read_numbers(&cut).unwrap().end, End::Open);
            drop(journal);
            lines.push(4444);
            let content = read_numbers(&cut).unwrap();
            assert_eq!((content.lines, content.end), (lines, End::Closed));
        }
        // A line is lost in the middle, or there is one behind the end.
        let text = String::from_utf8(bytes.clone()).unwrap();
        let lost = text.replace(&line(&22), "");
        for (text, expected) in
            [(lost, "2 lines before it, expected 3"), (text + &line(&4), "behind")]
        {
            fs::write(&path, text).unwrap();
            let error = read_numbers(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        fs::write(&path, &bytes[..first - 1]).unwrap();
        assert!(matches!(read_numbers(&path), Err(JournalError::Damaged { line: 1, .. })));
    }

    #[test]
    fn damage_in_the_middle_a_second_writer_and_old_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        write(&path, &"numbers", &[1_u32, 2, 3]).unwrap();
        assert!(matches!(Journal::create(&path, &"x"), Err(JournalError::Exists { .. })));
        assert!(matches!(write(&path, &"x", &[0]), Err(JournalError::Exists { .. })));
        // What a writer left that was killed before its first line is begun anew.
        let empty = folder.path().join("empty");
        fs::write(&empty, "").unwrap();
        assert!(!is_begun(&empty) && is_begun(&path));
        drop(Journal::create(&empty, &"numbers").unwrap());
        assert!(matches!(Journal::create(&empty, &"x"), Err(JournalError::Exists { .. })));
        let (journal, _) = Journal::open::<String, u32>(&path).unwrap();
        let second = Journal::open::<String, u32>(&path);
        assert!(matches!(second, Err(JournalError::InUse { .. })));
        drop(journal);

        // Every bit of the lines behind the first, the last line break included.
        let bytes = fs::read(&path).unwrap();
        for bit in 8 * line(&"numbers").len()..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, damaged).unwrap();
            // Hexadecimal digits mean the same as capitals.
            if read_numbers(&path).is_ok_and(|content| content.lines != [1, 2, 3]) {
                panic!("bit {bit} is lost in silence");
            }
        }
        fs::write(&path, &bytes).unwrap();
        let text = fs::read_to_string(&path).unwrap().replace("\n2 ", "\n7 ");
        fs::write(&path, text).unwrap();
        let error = read_numbers(&path).unwrap_err();
        assert!(matches!(error, JournalError::Damaged { line: 3, .. }), "{error}");
        let nowhere = read_numbers(&folder.path().join("nowhere")).unwrap_err();
        assert!(nowhere.to_string().contains("cannot read"), "{nowhere}");
    }
}
