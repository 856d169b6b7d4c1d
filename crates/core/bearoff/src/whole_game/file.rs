//! A solved game in a file.
//!
//! Eight bytes of magic, one of the number of checkers, seven zeros; then the equities as 32-bit
//! floats, row by row; then the CRC-32 of all that. Everything little-endian.

use std::io;
use std::path::Path;

use tavola_files::crc32;
use tavola_files::limits::LARGE_BYTES;

use super::moves::Sides;
use super::{MAX_WHOLE_GAME_CHECKERS, WholeGame};

/// What such a file begins with; the last digit is the version.
const MAGIC: &[u8; 8] = b"tavolaW1";

/// Bytes before the equities.
const HEADER: usize = 16;

/// Why a file is no solved game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WholeGameFileError {
    /// It can't be read or written.
    #[error("cannot access the file")]
    Io(#[from] io::Error),
    /// It is something else, or of another version.
    #[error("the file is no solved game of this version")]
    Foreign,
    /// It was cut off or altered.
    #[error("the file is damaged, expected another checksum; delete it, and it is made again")]
    Damaged,
}

impl WholeGame {
    /// Writes the game to a file, which appears only when it is complete.
    ///
    /// # Errors
    ///
    /// [`WholeGameFileError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), WholeGameFileError> {
        let mut bytes = Vec::with_capacity(HEADER + 4 * self.equities.len() + 4);
        bytes.extend_from_slice(MAGIC);
        bytes.push(self.checkers());
        bytes.resize(HEADER, 0);
        for equity in &self.equities {
            bytes.extend_from_slice(&equity.to_le_bytes());
        }
        bytes.extend_from_slice(&crc32(&bytes).to_le_bytes());
        Ok(tavola_files::write(path, &bytes)?)
    }

    /// Reads a game that was [saved](Self::save).
    ///
    /// # Errors
    ///
    /// [`WholeGameFileError`].
    pub fn load(path: &Path) -> Result<Self, WholeGameFileError> {
        let bytes = tavola_files::read(path, &LARGE_BYTES)?;
        if bytes.len() < HEADER + 4 || &bytes[..8] != MAGIC {
            return Err(WholeGameFileError::Foreign);
        }
        let (content, checksum) = bytes.split_at(bytes.len() - 4);
        if crc32(content).to_le_bytes() != checksum {
            return Err(WholeGameFileError::Damaged);
        }
        let checkers = content[8];
        if !(1..=MAX_WHOLE_GAME_CHECKERS).contains(&checkers) {
            return Err(WholeGameFileError::Foreign);
        }
        let sides = Sides::new(checkers);
        let (floats, rest) = content[HEADER..].as_chunks::<4>();
        if !rest.is_empty() || floats.len() != sides.count() * sides.count() {
            return Err(WholeGameFileError::Foreign);
        }
        let equities = floats.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        Ok(Self { sides, equities })
    }
}
