//! What games teach, on disk: one shard of a dataset, written and read block by block.
//!
//! The format is documented in `configs/README.md`.

use std::path::{Path, PathBuf};

use tavola_files::crc32;

use crate::blocks::{BlockReader, BlockWriter, DataError, FileKind};
use crate::returns::{Return, Returns};

/// The version of shards that is written and read.
pub const SHARD_VERSION: u32 = 2;

const FORMAT: FileKind = FileKind { magic: *b"TAVOLADS", version: SHARD_VERSION };

/// Entries of a block, at most.
pub const BLOCK_ENTRIES: usize = 1 << 16;

/// Cells of a state, at most.
const MAX_STRIDE: usize = 256;

/// A probability of 1 is stored as this number, so the error of rounding is at most 0.00006.
const ONE: f32 = 8192.0;

fn unwritable(path: &Path, why: String) -> DataError {
    DataError::Unwritable { what: format!("a block of {}", path.display()), why }
}

/// Writes a shard. The file gets its name only in [`finish`](Self::finish), so a writer that is
/// dropped or killed leaves no half shard under that name.
#[derive(Debug)]
pub struct ShardWriter {
    path: PathBuf,
    file: BlockWriter,
    stride: usize,
    payload: Vec<u8>,
}

impl ShardWriter {
    /// Begins the shard that is to be at `path`, whose folder must exist, with states of `game`, a
    /// [`Game::id`](tavola_rules::Game::id), that have `stride` cells.
    ///
    /// # Errors
    ///
    /// [`DataError::Io`] if the file can't be made, [`DataError::Unwritable`] for a name of more
    /// than 255 bytes or a state of no cells or more than 256.
    pub fn create(path: &Path, game: &str, stride: usize) -> Result<Self, DataError> {
        let Ok(name) = u8::try_from(game.len()) else {
            let why = format!("a name of {} bytes, expected at most 255", game.len());
            return Err(unwritable(path, why));
        };
        if !(1..=MAX_STRIDE).contains(&stride) {
            let why = format!("states of {stride} cells, expected 1 to {MAX_STRIDE}");
            return Err(unwritable(path, why));
        }
        let mut header = vec![name];
        header.extend(game.as_bytes());
        header.extend((stride as u16).to_le_bytes());
        let mut file = BlockWriter::create(path, FORMAT)?;
        file.write(0, &[&header, &crc32(&header).to_le_bytes()])?;
        Ok(Self { path: path.to_owned(), file, stride, payload: Vec::new() })
    }

    /// Appends `returns` as one block; nothing if there are none. A game is never split, because
    /// `returns` can't begin with an entry that continues another.
    ///
    /// # Errors
    ///
    /// [`DataError::Io`], and [`DataError::Unwritable`] for more than [`BLOCK_ENTRIES`] entries,
    /// states of another length, or a number outside -4 to 4.
    pub fn write(&mut self, returns: &Returns) -> Result<(), DataError> {
        if returns.is_empty() {
            return Ok(());
        }
        if returns.len() > BLOCK_ENTRIES || returns.stride() != self.stride {
            let why = format!(
                "{} entries of {} cells, expected at most {BLOCK_ENTRIES} of {}",
                returns.len(),
                returns.stride(),
                self.stride
            );
            return Err(unwritable(&self.path, why));
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
                    let why = format!("a number of {value}, expected -4 to 4");
                    return Err(unwritable(&self.path, why));
                }
                self.payload.extend((scaled as i16).to_le_bytes());
            }
        }
        let head = [returns.len() as u32, self.payload.len() as u32, crc32(&self.payload)];
        let head = head.map(u32::to_le_bytes);
        Ok(self.file.write(returns.len() as u64, &[head.as_flattened(), &self.payload])?)
    }

    /// Ends the shard, makes sure that it is on the disk, and gives it its name, replacing a file
    /// of that name. Returns the number of entries.
    ///
    /// # Errors
    ///
    /// [`DataError::Io`]; a file that was there before is then untouched.
    pub fn finish(self) -> Result<u64, DataError> {
        Ok(self.file.finish()?)
    }
}

/// Reads a shard block by block: an iterator that ends after the last block or the first error, and
/// holds one block in memory.
#[derive(Debug)]
pub struct ShardReader {
    file: BlockReader,
    stride: usize,
}

impl ShardReader {
    /// Opens the shard at `path`, which must hold states of `game` with `stride` cells.
    ///
    /// # Errors
    ///
    /// [`DataError::Io`] and [`DataError::Damaged`].
    pub fn open(path: &Path, game: &str, stride: usize) -> Result<Self, DataError> {
        let mut file = BlockReader::open(path, FORMAT)?;
        let [length] = file.array()?;
        let mut header = vec![length];
        header.extend(file.bytes(usize::from(length) + 2)?);
        if file.number()? != crc32(&header) {
            return Err(file.damaged("the header does not match its checksum".to_owned()));
        }
        let (name, cells) = header[1..].split_at(usize::from(length));
        let (name, cells) = (String::from_utf8_lossy(name), [cells[0], cells[1]]);
        let cells = usize::from(u16::from_le_bytes(cells));
        if name != game || cells != stride {
            return Err(file.damaged(format!(
                "states of {name:?} with {cells} cells, expected {game:?} with {stride}"
            )));
        }
        Ok(Self { file, stride })
    }
}

impl Iterator for ShardReader {
    type Item = Result<Returns, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        let stride = self.stride;
        self.file.next(|file, count| {
            let length = file.number()? as usize;
            // Kind, mask, cells and numbers of an entry, at most.
            let most = 1 + stride.div_ceil(8) + stride + 24;
            if count > BLOCK_ENTRIES || length > count * most {
                return Err(file.damaged(format!(
                    "a block of {count} entries in {length} bytes, expected at most \
                     {BLOCK_ENTRIES} of {most} bytes"
                )));
            }
            let returns = decode(&file.payload(length)?, count, stride).ok_or_else(|| {
                file.damaged("a block of entries that no writer makes".to_owned())
            })?;
            Ok((returns, count as u64))
        })
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
