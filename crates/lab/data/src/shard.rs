//! What games teach, on disk: one shard of a dataset, written and read block by block.
//!
//! The format is documented in `docs/training.md`.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tavola_files::{FileError, NewFile, crc32};

use crate::returns::{Return, Returns};

const MAGIC: [u8; 8] = *b"TAVOLADS";

/// The version of shards that is written and read.
pub const SHARD_VERSION: u32 = 2;

/// Entries of a block, at most.
pub const BLOCK_ENTRIES: usize = 1 << 16;

/// Cells of a state, at most.
const MAX_STRIDE: usize = 256;

/// A probability of 1 is stored as this number, so the error of rounding is at most 0.00006.
const ONE: f32 = 8192.0;

/// Why a shard can't be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// The system refused an operation.
    #[error(transparent)]
    Io(#[from] FileError),
    /// The content is not what was written, or is of another game or version.
    #[error("{} after {entries} whole entries: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Entries in whole blocks before the place.
        entries: u64,
        /// What was found, and what was expected.
        what: String,
    },
    /// A block has no place in the format.
    #[error("a block cannot be written to {}: {what}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What was found, and what was expected.
        what: String,
    },
}

/// Writes a shard. The file gets its name only in [`finish`](Self::finish), so a writer that is
/// dropped or killed leaves no half shard under that name.
#[derive(Debug)]
pub struct ShardWriter {
    path: PathBuf,
    file: BufWriter<NewFile>,
    stride: usize,
    payload: Vec<u8>,
    entries: u64,
}

impl ShardWriter {
    /// Begins the shard that is to be at `path`, whose folder must exist, with states of `game`, a
    /// [`Game::id`](tavola_rules::Game::id), that have `stride` cells.
    ///
    /// # Errors
    ///
    /// [`ShardError::Io`] if the file can't be made, [`ShardError::Unwritable`] for a name of more
    /// than 255 bytes or a state of no cells or more than 256.
    pub fn create(path: &Path, game: &str, stride: usize) -> Result<Self, ShardError> {
        let unwritable = |what| ShardError::Unwritable { path: path.to_owned(), what };
        let Ok(name) = u8::try_from(game.len()) else {
            return Err(unwritable(format!(
                "a name of {} bytes, expected at most 255",
                game.len()
            )));
        };
        if !(1..=MAX_STRIDE).contains(&stride) {
            return Err(unwritable(format!(
                "states of {stride} cells, expected 1 to {MAX_STRIDE}"
            )));
        }
        let mut file =
            BufWriter::new(NewFile::create(path).map_err(FileError::at("create", path))?);
        let mut header = vec![name];
        header.extend(game.as_bytes());
        header.extend((stride as u16).to_le_bytes());
        let checksum = crc32(&header).to_le_bytes();
        let version = SHARD_VERSION.to_le_bytes();
        let parts: [&[u8]; 4] = [&MAGIC, &version, &header, &checksum];
        parts
            .iter()
            .try_for_each(|part| file.write_all(part))
            .map_err(FileError::at("write", path))?;
        Ok(Self { path: path.to_owned(), file, stride, payload: Vec::new(), entries: 0 })
    }

    /// Appends `returns` as one block; nothing if there are none. A game is never split, because
    /// `returns` can't begin with an entry that continues another.
    ///
    /// # Errors
    ///
    /// [`ShardError::Io`], and [`ShardError::Unwritable`] for more than [`BLOCK_ENTRIES`] entries,
    /// states of another length, or a number outside -4 to 4.
    pub fn write(&mut self, returns: &Returns) -> Result<(), ShardError> {
        if returns.is_empty() {
            return Ok(());
        }
        let unwritable = |what| ShardError::Unwritable { path: self.path.clone(), what };
        if returns.len() > BLOCK_ENTRIES || returns.stride() != self.stride {
            return Err(unwritable(format!(
                "{} entries of {} cells, expected at most {BLOCK_ENTRIES} of {}",
                returns.len(),
                returns.stride(),
                self.stride
            )));
        }
        self.payload.clear();
        for i in 0..returns.len() {
            let kind = returns.kind(i);
            self.payload.push(kind as u8);
            let cells = returns.cells(i);
            for eight in cells.chunks(8) {
                let bits = eight.iter().enumerate().map(|(bit, &cell)| u8::from(cell != 0) << bit);
                self.payload.push(bits.sum());
            }
            self.payload.extend(cells.iter().filter(|&&cell| cell != 0).map(|&cell| cell as u8));
            let (numbers, step) = returns.numbers(i);
            let step = if kind.has_step() { &step[..] } else { &[] };
            for &value in numbers.iter().chain(step) {
                let scaled = (value * ONE).round();
                // Not a number is in no range.
                if !(f32::from(i16::MIN)..=f32::from(i16::MAX)).contains(&scaled) {
                    return Err(unwritable(format!("a number of {value}, expected -4 to 4")));
                }
                self.payload.extend((scaled as i16).to_le_bytes());
            }
        }
        let head = [returns.len() as u32, self.payload.len() as u32, crc32(&self.payload)];
        head.iter()
            .try_for_each(|number| self.file.write_all(&number.to_le_bytes()))
            .and_then(|()| self.file.write_all(&self.payload))
            .map_err(FileError::at("write", &self.path))?;
        self.entries += returns.len() as u64;
        Ok(())
    }

    /// Ends the shard, makes sure that it is on the disk, and gives it its name, replacing a file
    /// of that name. Returns the number of entries.
    ///
    /// # Errors
    ///
    /// [`ShardError::Io`]; a file that was there before is then untouched.
    pub fn finish(mut self) -> Result<u64, ShardError> {
        let count = self.entries.to_le_bytes();
        let mut end = || {
            self.file.write_all(&0u32.to_le_bytes())?;
            self.file.write_all(&count)?;
            self.file.write_all(&crc32(&count).to_le_bytes())
        };
        let written = end();
        let Self { path, file, entries, .. } = self;
        written
            .and_then(|()| file.into_inner().map_err(io::Error::from))
            .and_then(NewFile::finish)
            .map_err(FileError::at("write", &path))?;
        Ok(entries)
    }
}

/// Reads a shard block by block: an iterator that ends after the last block or the first error, and
/// holds one block in memory.
#[derive(Debug)]
pub struct ShardReader {
    path: PathBuf,
    file: BufReader<File>,
    stride: usize,
    entries: u64,
    ended: bool,
}

impl ShardReader {
    /// Opens the shard at `path`, which must hold states of `game` with `stride` cells.
    ///
    /// # Errors
    ///
    /// [`ShardError::Io`] and [`ShardError::Damaged`].
    pub fn open(path: &Path, game: &str, stride: usize) -> Result<Self, ShardError> {
        let file = File::open(path).map_err(FileError::at("open", path))?;
        let file = BufReader::new(file);
        let mut reader = Self { path: path.to_owned(), file, stride, entries: 0, ended: false };
        if reader.array::<8>()? != MAGIC {
            return Err(reader.damaged("no shard, expected it to begin with \"TAVOLADS\""));
        }
        let version = reader.number()?;
        if version != SHARD_VERSION {
            return Err(
                reader.damaged(&format!("version {version}, expected version {SHARD_VERSION}"))
            );
        }
        let [length] = reader.array()?;
        let mut header = vec![length];
        header.extend(reader.bytes(usize::from(length) + 2)?);
        if reader.number()? != crc32(&header) {
            return Err(reader.damaged("the header does not match its checksum"));
        }
        let (name, cells) = header[1..].split_at(usize::from(length));
        let (name, cells) = (String::from_utf8_lossy(name), [cells[0], cells[1]]);
        let cells = usize::from(u16::from_le_bytes(cells));
        if name != game || cells != stride {
            return Err(reader.damaged(&format!(
                "states of {name:?} with {cells} cells, expected {game:?} with {stride}"
            )));
        }
        Ok(reader)
    }

    fn read_block(&mut self) -> Result<Option<Returns>, ShardError> {
        let count = self.number()? as usize;
        if count == 0 {
            return self.read_end().map(|()| None);
        }
        let length = self.number()? as usize;
        let checksum = self.number()?;
        // Kind, mask, cells and numbers of an entry, at most.
        let most = 1 + self.stride.div_ceil(8) + self.stride + 24;
        if count > BLOCK_ENTRIES || length > count * most {
            return Err(self.damaged(&format!(
                "a block of {count} entries in {length} bytes, expected at most {BLOCK_ENTRIES} \
                 of {most} bytes"
            )));
        }
        let payload = self.bytes(length)?;
        if crc32(&payload) != checksum {
            return Err(self.damaged("a block does not match its checksum"));
        }
        let Some(returns) = decode(&payload, count, self.stride) else {
            return Err(self.damaged("a block of entries that no writer makes"));
        };
        self.entries += count as u64;
        Ok(Some(returns))
    }

    fn read_end(&mut self) -> Result<(), ShardError> {
        let count = self.array::<8>()?;
        if self.number()? != crc32(&count) || u64::from_le_bytes(count) != self.entries {
            return Err(self.damaged("the end mark is not that of these entries"));
        }
        match self.file.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.damaged("something follows the end mark")),
            Err(source) => Err(self.io(source)),
        }
    }

    fn number(&mut self) -> Result<u32, ShardError> {
        self.array().map(u32::from_le_bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ShardError> {
        let bytes = self.bytes(N)?;
        Ok(bytes.try_into().expect("as many were read"))
    }

    /// The next `length` bytes. Memory grows with the bytes that come, whatever the length says.
    fn bytes(&mut self, length: usize) -> Result<Vec<u8>, ShardError> {
        let mut bytes = Vec::new();
        match self.file.by_ref().take(length as u64).read_to_end(&mut bytes) {
            Ok(read) if read < length => Err(self.damaged("the file ends, expected its end mark")),
            Ok(_) => Ok(bytes),
            Err(source) => Err(self.io(source)),
        }
    }

    fn io(&self, source: io::Error) -> ShardError {
        FileError { action: "read", path: self.path.clone(), source }.into()
    }

    fn damaged(&self, what: &str) -> ShardError {
        let (path, entries) = (self.path.clone(), self.entries);
        ShardError::Damaged { path, entries, what: what.to_owned() }
    }
}

impl Iterator for ShardReader {
    type Item = Result<Returns, ShardError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.read_block().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

/// The `count` entries of a payload; `None` if these are not its bytes.
fn decode(mut payload: &[u8], count: usize, stride: usize) -> Option<Returns> {
    fn numbers(payload: &mut &[u8]) -> Option<[f32; 6]> {
        let bytes = payload.split_off(..12)?;
        let number = |i| f32::from(i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]])) / ONE;
        Some(std::array::from_fn(number))
    }
    let mut returns = Returns::new(stride);
    let mut cells = vec![0; stride];
    for _ in 0..count {
        let kind = *Return::ALL.get(usize::from(*payload.split_off_first()?))?;
        if kind.continues() && returns.is_empty() {
            return None;
        }
        let mask = payload.split_off(..stride.div_ceil(8))?;
        let bit = |cell: usize| mask[cell / 8] >> (cell % 8) & 1 == 1;
        if (stride..8 * mask.len()).any(bit) {
            return None;
        }
        for (number, cell) in cells.iter_mut().enumerate() {
            *cell = if bit(number) { *payload.split_off_first()? as i8 } else { 0 };
            if bit(number) && *cell == 0 {
                return None;
            }
        }
        let value = numbers(&mut payload)?;
        let step = if kind.has_step() { numbers(&mut payload)? } else { [0.0; 6] };
        returns.push_step(kind, &cells, value, step);
    }
    payload.is_empty().then_some(returns)
}
