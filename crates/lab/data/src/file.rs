//! Records on disk: the format, a streaming writer and a streaming reader.
//!
//! # Format
//!
//! All numbers outside payloads are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic, `TAVOLAGR` |
//! | 4 | version of the format, now 2 |
//! | block | the [`FileHeader`] |
//! | block, any number | one [`LabeledGame`] each |
//! | 4, 8, 4 | end mark: a zero, the number of records, the CRC-32 of these eight bytes |
//!
//! A block is the length of its payload (4 bytes, never zero), the CRC-32 of the payload (4)
//! and the payload, in bincode 2's standard configuration. The end mark tells a finished file
//! from one that was cut at the end of a block. Nothing follows it.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tavola_files::{FileError, NewFile, crc32};

use crate::label::LabeledGame;

const MAGIC: [u8; 8] = *b"TAVOLAGR";

/// The version that is written and the newest that is read.
pub const VERSION: u32 = 2;

/// No payload is longer: over a million turns. A damaged length is noticed by it early.
const MAX_PAYLOAD: u32 = 64 << 20;

/// What a records file says of all its games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHeader {
    /// The [`id`](tavola_rules::Game::id) of the game that was played.
    pub game: String,
    /// The seed of the run: with a record's index it fixes all randomness of that game.
    pub run_seed: u64,
}

/// Why a records file can't be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// The system refused an operation.
    #[error(transparent)]
    Io(#[from] FileError),
    /// The file does not begin like a records file.
    #[error("{} is no records file, expected it to begin with \"TAVOLAGR\"", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written in another version of the format.
    #[error("{} has records of version {found}, expected version {VERSION}", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file holds games of another kind.
    #[error("{} holds records of {found:?}, expected {expected:?}", path.display())]
    OtherGame {
        /// The file.
        path: PathBuf,
        /// The game it names.
        found: String,
        /// The expected game.
        expected: String,
    },
    /// The file ends too early: its end is missing.
    #[error("{} ends after {records} whole records, expected its end mark", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Records before the place.
        records: u64,
    },
    /// The content is not what was written.
    #[error("{} is damaged after {records} whole records: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Records before the place.
        records: u64,
        /// What was found, and what was expected.
        what: String,
    },
    /// A record has no place in the format.
    #[error("the record of game {index} cannot be written: {what}")]
    Unwritable {
        /// The record's index.
        index: u64,
        /// Why.
        what: String,
    },
}

const fn payload_config() -> impl bincode::config::Config {
    // A length that a damaged payload claims is refused before memory is asked for.
    bincode::config::standard().with_limit::<{ MAX_PAYLOAD as usize }>()
}

/// Writes records one by one.
///
/// The file gets its name only in [`finish`](Self::finish), so a writer that is dropped or
/// killed leaves no half file under that name; see [`NewFile`].
#[derive(Debug)]
pub struct RecordsWriter<S, R> {
    path: PathBuf,
    file: BufWriter<NewFile>,
    payload: Vec<u8>,
    records: u64,
    of: PhantomData<fn(&LabeledGame<S, R>)>,
}

impl<S: Serialize, R: Serialize> RecordsWriter<S, R> {
    /// Begins the file that is to be at `path`, whose folder must exist.
    ///
    /// # Errors
    ///
    /// [`RecordsError::Io`] if the temporary file can't be made or written.
    pub fn create(path: &Path, header: &FileHeader) -> Result<Self, RecordsError> {
        let file = NewFile::create(path).map_err(FileError::at("create", path))?;
        let mut writer = Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 16, file),
            payload: Vec::new(),
            records: 0,
            of: PhantomData,
        };
        bincode::serde::encode_into_std_write(header, &mut writer.payload, payload_config())
            .expect("text and a number can be encoded");
        writer
            .file
            .write_all(&MAGIC)
            .and_then(|()| writer.file.write_all(&VERSION.to_le_bytes()))
            .and_then(|()| write_block(&mut writer.file, &writer.payload))
            .map_err(|source| writer.io("write", source))?;
        Ok(writer)
    }

    /// Appends a record.
    ///
    /// # Errors
    ///
    /// [`RecordsError::Io`] if the system can't write, [`RecordsError::Unwritable`] for a record
    /// of more than 64 MiB.
    pub fn write(&mut self, record: &LabeledGame<S, R>) -> Result<(), RecordsError> {
        self.payload.clear();
        let unwritable =
            |what: String| RecordsError::Unwritable { index: record.record.index, what };
        bincode::serde::encode_into_std_write(record, &mut self.payload, payload_config())
            .map_err(|error| unwritable(error.to_string()))?;
        if self.payload.len() > MAX_PAYLOAD as usize {
            return Err(unwritable(format!(
                "{} bytes, expected at most {MAX_PAYLOAD}",
                self.payload.len()
            )));
        }
        write_block(&mut self.file, &self.payload).map_err(|source| self.io("write", source))?;
        self.records += 1;
        Ok(())
    }

    /// Ends the file, makes sure that it is on the disk, and gives it its name, replacing a file
    /// of that name. Returns the number of records.
    ///
    /// # Errors
    ///
    /// [`RecordsError::Io`]; a file that was there before is then untouched.
    pub fn finish(mut self) -> Result<u64, RecordsError> {
        let count = self.records.to_le_bytes();
        self.file
            .write_all(&0u32.to_le_bytes())
            .and_then(|()| self.file.write_all(&count))
            .and_then(|()| self.file.write_all(&crc32(&count).to_le_bytes()))
            .map_err(|source| self.io("write", source))?;
        let Self { path, file, records, .. } = self;
        let finished = file.into_inner().map_err(io::Error::from).and_then(NewFile::finish);
        finished.map_err(FileError::at("write", &path))?;
        Ok(records)
    }
}

impl<S, R> RecordsWriter<S, R> {
    fn io(&self, action: &'static str, source: io::Error) -> RecordsError {
        FileError { action, path: self.path.clone(), source }.into()
    }
}

fn write_block(file: &mut impl Write, payload: &[u8]) -> io::Result<()> {
    let length = u32::try_from(payload.len())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a block above 4 GiB"))?;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(&crc32(payload).to_le_bytes())?;
    file.write_all(payload)
}

/// Reads records one by one: an iterator that ends after the last record or the first error.
#[derive(Debug)]
pub struct RecordsReader<S, R> {
    path: PathBuf,
    header: FileHeader,
    file: BufReader<File>,
    payload: Vec<u8>,
    records: u64,
    ended: Ended,
    of: PhantomData<fn() -> LabeledGame<S, R>>,
}

#[derive(Debug, PartialEq)]
enum Ended {
    No,
    Yes,
}

impl<S: DeserializeOwned, R: DeserializeOwned> RecordsReader<S, R> {
    /// Opens the file at `path`, which must hold records of the game with the id `game`.
    ///
    /// # Errors
    ///
    /// Every [`RecordsError`] but the one for records that can't be written.
    pub fn open(path: &Path, game: &str) -> Result<Self, RecordsError> {
        let file = File::open(path).map_err(FileError::at("open", path))?;
        let mut reader = Self {
            path: path.to_owned(),
            header: FileHeader { game: String::new(), run_seed: 0 },
            file: BufReader::with_capacity(1 << 16, file),
            payload: Vec::new(),
            records: 0,
            ended: Ended::No,
            of: PhantomData,
        };
        let mut magic = Vec::new();
        reader
            .file
            .by_ref()
            .take(8)
            .read_to_end(&mut magic)
            .map_err(FileError::at("read", path))?;
        if magic.is_empty() || !MAGIC.starts_with(&magic) {
            return Err(RecordsError::Foreign { path: path.to_owned() });
        }
        let version = u32::from_le_bytes(reader.array()?);
        if version != VERSION {
            return Err(RecordsError::OtherVersion { path: path.to_owned(), found: version });
        }
        let length = u32::from_le_bytes(reader.array()?);
        reader.header = reader.block(length)?;
        if reader.header.game != game {
            return Err(RecordsError::OtherGame {
                path: path.to_owned(),
                found: reader.header.game,
                expected: game.to_owned(),
            });
        }
        Ok(reader)
    }

    /// What the file says of all its games.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }

    fn read_next(&mut self) -> Result<Option<LabeledGame<S, R>>, RecordsError> {
        let length = u32::from_le_bytes(self.array()?);
        if length > 0 {
            let record = self.block(length)?;
            self.records += 1;
            return Ok(Some(record));
        }
        let count: [u8; 8] = self.array()?;
        if u32::from_le_bytes(self.array()?) != crc32(&count) {
            return Err(self.damaged("the end mark does not match its checksum".to_owned()));
        }
        let count = u64::from_le_bytes(count);
        if count != self.records {
            return Err(self.damaged(format!("the end mark says {count} records")));
        }
        let mut rest = [0];
        match self.file.read(&mut rest) {
            Ok(0) => Ok(None),
            Ok(_) => Err(self.damaged("something follows the end mark".to_owned())),
            Err(source) => Err(self.io(source)),
        }
    }

    /// The payload of a block whose `length` has been read.
    fn block<T: DeserializeOwned>(&mut self, length: u32) -> Result<T, RecordsError> {
        if length > MAX_PAYLOAD {
            return Err(
                self.damaged(format!("a block of {length} bytes, expected at most {MAX_PAYLOAD}"))
            );
        }
        let checksum = u32::from_le_bytes(self.array()?);
        self.payload.clear();
        // `take` lets the buffer grow with what is really there, whatever the length says.
        match self.file.by_ref().take(u64::from(length)).read_to_end(&mut self.payload) {
            Ok(read) if read < length as usize => return Err(self.truncated()),
            Ok(_) => {}
            Err(source) => return Err(self.io(source)),
        }
        if crc32(&self.payload) != checksum {
            return Err(self.damaged("a block does not match its checksum".to_owned()));
        }
        match bincode::serde::decode_from_slice(&self.payload, payload_config()) {
            Ok((value, used)) if used == self.payload.len() => Ok(value),
            Ok((_, used)) => {
                Err(self
                    .damaged(format!("a block of {length} bytes of which only {used} are used")))
            }
            Err(error) => Err(self.damaged(error.to_string())),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], RecordsError> {
        let mut bytes = [0; N];
        match self.file.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(self.truncated()),
            Err(source) => Err(self.io(source)),
        }
    }
}

impl<S, R> RecordsReader<S, R> {
    fn io(&self, source: io::Error) -> RecordsError {
        FileError { action: "read", path: self.path.clone(), source }.into()
    }

    fn truncated(&self) -> RecordsError {
        RecordsError::Truncated { path: self.path.clone(), records: self.records }
    }

    fn damaged(&self, what: String) -> RecordsError {
        RecordsError::Damaged { path: self.path.clone(), records: self.records, what }
    }
}

impl<S: DeserializeOwned, R: DeserializeOwned> Iterator for RecordsReader<S, R> {
    type Item = Result<LabeledGame<S, R>, RecordsError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended == Ended::Yes {
            return None;
        }
        let next = self.read_next().transpose();
        if !matches!(next, Some(Ok(_))) {
            self.ended = Ended::Yes;
        }
        next
    }
}

/// Writes a whole file of records at `path`; see [`RecordsWriter`].
///
/// # Errors
///
/// Those of the writer.
pub fn write_records<S: Serialize, R: Serialize>(
    path: &Path,
    header: &FileHeader,
    records: &[LabeledGame<S, R>],
) -> Result<(), RecordsError> {
    let mut writer = RecordsWriter::create(path, header)?;
    for record in records {
        writer.write(record)?;
    }
    writer.finish().map(drop)
}

/// Reads a whole file of records of the game with the id `game`; see [`RecordsReader`].
///
/// # Errors
///
/// Those of the reader; then none of the records are returned.
pub fn read_records<S: DeserializeOwned, R: DeserializeOwned>(
    path: &Path,
    game: &str,
) -> Result<Vec<LabeledGame<S, R>>, RecordsError> {
    RecordsReader::open(path, game)?.collect()
}

/// Games as bytes, for another process of the same version: a list of them in the encoding of a
/// records file, without its framing. [`games_from_bytes`] reads it.
///
/// # Errors
///
/// [`RecordsError::Unwritable`] for games of more than 64 MiB together.
pub fn games_to_bytes<S: Serialize, R: Serialize>(
    games: &[LabeledGame<S, R>],
) -> Result<Vec<u8>, RecordsError> {
    let index = games.first().map_or(0, |game| game.record.index);
    let unwritable = |what| RecordsError::Unwritable { index, what };
    let bytes = bincode::serde::encode_to_vec(games, payload_config())
        .map_err(|error| unwritable(error.to_string()))?;
    if bytes.len() > MAX_PAYLOAD as usize {
        let what =
            format!("{} bytes with those after it, expected at most {MAX_PAYLOAD}", bytes.len());
        return Err(unwritable(what));
    }
    Ok(bytes)
}

/// Games from the bytes of [`games_to_bytes`]. They may come from anywhere: what they say is
/// another question.
///
/// # Errors
///
/// What is wrong with the bytes, in words.
pub fn games_from_bytes<S: DeserializeOwned, R: DeserializeOwned>(
    bytes: &[u8],
) -> Result<Vec<LabeledGame<S, R>>, String> {
    match bincode::serde::decode_from_slice(bytes, payload_config()) {
        Ok((games, used)) if used == bytes.len() => Ok(games),
        Ok((_, used)) => Err(format!("{} bytes of which only {used} are used", bytes.len())),
        Err(error) => Err(error.to_string()),
    }
}
