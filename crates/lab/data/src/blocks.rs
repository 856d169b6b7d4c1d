//! What the files of records and of samples have in common: a head with the format and its
//! version, blocks with checksums, and an end mark that tells a finished file from a cut one.
//!
//! The end mark is a zero where the next block would begin (4 bytes), the number of items in all
//! blocks (8) and the CRC-32 of that number (4). Nothing follows it. Numbers are little-endian.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tavola_files::{Failure, FileError, NewFile, crc32};

/// Why a file of records or of samples can't be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The system refused an operation.
    #[error(transparent)]
    Io(#[from] FileError),
    /// The file is of another game.
    #[error("{} holds records of {found:?}, expected {expected:?}", path.display())]
    OtherGame {
        /// The file.
        path: PathBuf,
        /// The game in the file.
        found: String,
        /// The game of the reader.
        expected: String,
    },
    /// The content is not what was written, or is of another format or version.
    #[error("{} after {items} whole items: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Records or entries in whole blocks before the place.
        items: u64,
        /// What was found, and what was expected.
        what: String,
    },
    /// A record or a block has no place in the format.
    #[error("{what} cannot be written: {why}")]
    Unwritable {
        /// Which one.
        what: String,
        /// What was found, and what was expected.
        why: String,
    },
}

impl From<DataError> for Failure {
    /// A damaged file is the caller's.
    fn from(error: DataError) -> Self {
        match error {
            DataError::Damaged { .. } => Self::input(error),
            error => Self::work(error),
        }
    }
}

/// What tells files of one kind from others: the first bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileKind {
    pub(crate) magic: [u8; 8],
    pub(crate) version: u32,
}

/// A file of blocks that is written. It gets its name only in [`finish`](Self::finish), so one that
/// is dropped leaves nothing under that name; see [`NewFile`].
#[derive(Debug)]
pub(crate) struct BlockWriter {
    path: PathBuf,
    file: BufWriter<NewFile>,
    items: u64,
}

impl BlockWriter {
    pub(crate) fn create(path: &Path, format: FileKind) -> Result<Self, FileError> {
        let file = NewFile::create(path).map_err(FileError::at("create", path))?;
        let file = BufWriter::with_capacity(1 << 16, file);
        let mut writer = Self { path: path.to_owned(), file, items: 0 };
        writer.write(0, &[&format.magic, &format.version.to_le_bytes()])?;
        Ok(writer)
    }

    /// Appends parts that hold this number of items.
    pub(crate) fn write(&mut self, items: u64, parts: &[&[u8]]) -> Result<(), FileError> {
        let written = parts.iter().try_for_each(|part| self.file.write_all(part));
        written.map_err(FileError::at("write", &self.path))?;
        self.items += items;
        Ok(())
    }

    /// Writes the end mark and gives the file its name. Returns the number of items.
    pub(crate) fn finish(mut self) -> Result<u64, FileError> {
        let count = self.items.to_le_bytes();
        self.write(0, &[&[0; 4], &count, &crc32(&count).to_le_bytes()])?;
        let Self { path, file, items } = self;
        let finished = file.into_inner().map_err(io::Error::from).and_then(NewFile::finish);
        finished.map_err(FileError::at("write", &path))?;
        Ok(items)
    }
}

/// A file of blocks that is read, in memory for one block.
#[derive(Debug)]
pub(crate) struct BlockReader {
    path: PathBuf,
    file: BufReader<File>,
    items: u64,
    ended: bool,
}

impl BlockReader {
    pub(crate) fn open(path: &Path, format: FileKind) -> Result<Self, DataError> {
        let file = File::open(path).map_err(FileError::at("open", path))?;
        let file = BufReader::with_capacity(1 << 16, file);
        let mut reader = Self { path: path.to_owned(), file, items: 0, ended: false };
        if reader.array::<8>()? != format.magic {
            let name = String::from_utf8_lossy(&format.magic);
            return Err(
                reader.damaged(format!("another format, expected it to begin with {name:?}"))
            );
        }
        match (reader.number()?, format.version) {
            (found, expected) if found == expected => Ok(reader),
            (found, expected) => {
                Err(reader.damaged(format!("version {found}, expected version {expected}")))
            }
        }
    }

    pub(crate) fn number(&mut self) -> Result<u32, DataError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], DataError> {
        let bytes = self.bytes(N)?;
        Ok(bytes.try_into().expect("as many were read"))
    }

    /// The next `length` bytes. Memory grows with the bytes that come, whatever the length says.
    pub(crate) fn bytes(&mut self, length: usize) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        match self.file.by_ref().take(length as u64).read_to_end(&mut bytes) {
            Ok(read) if read < length => {
                Err(self.damaged("the file ends, expected its end mark".to_owned()))
            }
            Ok(_) => Ok(bytes),
            Err(source) => Err(self.io(source)),
        }
    }

    /// The checksum of a payload, and the `length` bytes of it.
    pub(crate) fn payload(&mut self, length: usize) -> Result<Vec<u8>, DataError> {
        let checksum = self.number()?;
        let payload = self.bytes(length)?;
        if crc32(&payload) != checksum {
            return Err(self.damaged("a block does not match its checksum".to_owned()));
        }
        Ok(payload)
    }

    /// The end mark behind its zero.
    fn end(&mut self) -> Result<(), DataError> {
        let count = self.array::<8>()?;
        if self.number()? != crc32(&count) {
            return Err(self.damaged("the end mark does not match its checksum".to_owned()));
        }
        let count = u64::from_le_bytes(count);
        if count != self.items {
            return Err(self.damaged(format!("the end mark says {count} items")));
        }
        match self.file.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.damaged("something follows the end mark".to_owned())),
            Err(source) => Err(self.io(source)),
        }
    }

    /// The next block: what `read` makes of its first number, with how many items that is. `None`
    /// behind the last one, and for ever after an error.
    pub(crate) fn next<T>(
        &mut self,
        read: impl FnOnce(&mut Self, usize) -> Result<(T, u64), DataError>,
    ) -> Option<Result<T, DataError>> {
        if std::mem::replace(&mut self.ended, true) {
            return None;
        }
        match self.number() {
            Ok(0) => self.end().err().map(Err),
            Ok(number) => Some(read(self, number as usize).map(|(block, items)| {
                self.items += items;
                self.ended = false;
                block
            })),
            Err(error) => Some(Err(error)),
        }
    }

    fn io(&self, source: io::Error) -> DataError {
        FileError { action: "read", path: self.path.clone(), source }.into()
    }

    pub(crate) fn damaged(&self, what: String) -> DataError {
        DataError::Damaged { path: self.path.clone(), items: self.items, what }
    }

    pub(crate) fn other_game(&self, found: String, expected: &str) -> DataError {
        DataError::OtherGame { path: self.path.clone(), found, expected: expected.to_owned() }
    }
}
