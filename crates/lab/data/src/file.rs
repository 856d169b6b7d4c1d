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

use std::marker::PhantomData;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tavola_files::crc32;

use crate::blocks::{BlockReader, BlockWriter, DataError, FileKind};
use crate::label::LabeledGame;

/// The version that is written and the newest that is read.
pub const VERSION: u32 = 2;

const FORMAT: FileKind = FileKind { magic: *b"TAVOLAGR", version: VERSION };

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

const fn payload_config() -> impl bincode::config::Config {
    // A length that a damaged payload claims is refused before memory is asked for.
    bincode::config::standard().with_limit::<{ MAX_PAYLOAD as usize }>()
}

/// A value in bincode, if it fits a payload.
fn encoded<T: Serialize + ?Sized>(value: &T, index: u64) -> Result<Vec<u8>, DataError> {
    let unwritable =
        |why| DataError::Unwritable { what: format!("the record of game {index}"), why };
    let bytes = bincode::serde::encode_to_vec(value, payload_config())
        .map_err(|error| unwritable(error.to_string()))?;
    if bytes.len() > MAX_PAYLOAD as usize {
        return Err(unwritable(format!(
            "{} bytes with those after it, expected at most {MAX_PAYLOAD}",
            bytes.len()
        )));
    }
    Ok(bytes)
}

fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match bincode::serde::decode_from_slice(bytes, payload_config()) {
        Ok((value, used)) if used == bytes.len() => Ok(value),
        Ok((_, used)) => Err(format!("{} bytes of which only {used} are used", bytes.len())),
        Err(error) => Err(error.to_string()),
    }
}

/// Writes records one by one.
///
/// The file gets its name only in [`finish`](Self::finish), so a writer that is dropped or
/// killed leaves no half file under that name; see [`NewFile`](tavola_files::NewFile).
#[derive(Debug)]
pub struct RecordsWriter<S, R> {
    file: BlockWriter,
    of: PhantomData<fn(&LabeledGame<S, R>)>,
}

impl<S: Serialize, R: Serialize> RecordsWriter<S, R> {
    /// Begins the file that is to be at `path`, whose folder must exist.
    ///
    /// # Errors
    ///
    /// [`DataError::Io`] if the temporary file can't be made or written.
    pub fn create(path: &Path, header: &FileHeader) -> Result<Self, DataError> {
        let mut writer = Self { file: BlockWriter::create(path, FORMAT)?, of: PhantomData };
        writer.block(0, &encoded(header, 0)?)?;
        Ok(writer)
    }

    /// Appends a record.
    ///
    /// # Errors
    ///
    /// [`DataError::Io`] if the system can't write, [`DataError::Unwritable`] for a record of more
    /// than 64 MiB.
    pub fn write(&mut self, record: &LabeledGame<S, R>) -> Result<(), DataError> {
        self.block(1, &encoded(record, record.record.index)?)
    }

    fn block(&mut self, records: u64, payload: &[u8]) -> Result<(), DataError> {
        let head = [payload.len() as u32, crc32(payload)].map(u32::to_le_bytes);
        Ok(self.file.write(records, &[head.as_flattened(), payload])?)
    }

    /// Ends the file, makes sure that it is on the disk, and gives it its name, replacing a file
    /// of that name. Returns the number of records.
    ///
    /// # Errors
    ///
    /// [`DataError::Io`]; a file that was there before is then untouched.
    pub fn finish(self) -> Result<u64, DataError> {
        Ok(self.file.finish()?)
    }
}

/// Reads records one by one: an iterator that ends after the last record or the first error.
#[derive(Debug)]
pub struct RecordsReader<S, R> {
    header: FileHeader,
    file: BlockReader,
    of: PhantomData<fn() -> LabeledGame<S, R>>,
}

impl<S: DeserializeOwned, R: DeserializeOwned> RecordsReader<S, R> {
    /// Opens the file at `path`, which must hold records of the game with the id `game`.
    ///
    /// # Errors
    ///
    /// Every [`DataError`] but the one for records that can't be written.
    pub fn open(path: &Path, game: &str) -> Result<Self, DataError> {
        let mut file = BlockReader::open(path, FORMAT)?;
        let length = file.number()? as usize;
        let header: FileHeader = payload(&mut file, length)?;
        if header.game != game {
            return Err(file.other_game(header.game, game));
        }
        Ok(Self { header, file, of: PhantomData })
    }

    /// What the file says of all its games.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }
}

/// The payload of a block whose `length` has been read.
fn payload<T: DeserializeOwned>(file: &mut BlockReader, length: usize) -> Result<T, DataError> {
    if length > MAX_PAYLOAD as usize {
        let what = format!("a block of {length} bytes, expected at most {MAX_PAYLOAD}");
        return Err(file.damaged(what));
    }
    decoded(&file.payload(length)?).map_err(|what| file.damaged(what))
}

impl<S: DeserializeOwned, R: DeserializeOwned> Iterator for RecordsReader<S, R> {
    type Item = Result<LabeledGame<S, R>, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.file.next(|file, length| Ok((payload(file, length)?, 1)))
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
) -> Result<(), DataError> {
    let mut writer = RecordsWriter::create(path, header)?;
    records.iter().try_for_each(|record| writer.write(record))?;
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
) -> Result<Vec<LabeledGame<S, R>>, DataError> {
    RecordsReader::open(path, game)?.collect()
}

/// Games as bytes, for another process of the same version: a list of them in the encoding of a
/// records file, without its framing. [`games_from_bytes`] reads it.
///
/// # Errors
///
/// [`DataError::Unwritable`] for games of more than 64 MiB together.
pub fn games_to_bytes<S: Serialize, R: Serialize>(
    games: &[LabeledGame<S, R>],
) -> Result<Vec<u8>, DataError> {
    encoded(games, games.first().map_or(0, |game| game.record.index))
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
    decoded(bytes)
}
