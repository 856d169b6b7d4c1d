//! A solved game in a file.
//!
//! Eight bytes of magic, one of the number of checkers, seven zeros; then the equities as 32-bit
//! floats, row by row; then the six outcome probabilities of each as 16-bit parts of 65,535; then
//! the CRC-32 of all that. Everything little-endian.

use std::path::Path;

use tavola_files::Failure;
use tavola_files::crc32;
use tavola_files::limits::LARGE_BYTES;

use super::moves::Sides;
use super::{MAX_WHOLE_GAME_CHECKERS, WholeGame};

/// What such a file begins with; the last digit is the version.
const MAGIC: &[u8; 8] = b"tavolaW2";

/// Bytes before the equities.
const HEADER: usize = 16;

/// The file is something else, or of another version.
fn foreign() -> Failure {
    let what = "the file is no solved game of this version; delete it, and it is made again";
    Failure::input(what)
}

impl WholeGame {
    /// Writes the game to a file, which appears only when it is complete.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let mut bytes = self.content();
        bytes.extend_from_slice(&crc32(&bytes).to_le_bytes());
        tavola_files::write(path, &bytes).map_err(Failure::work_in("cannot access the file"))
    }

    /// The file without the checksum.
    pub(super) fn content(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + 16 * self.equities.len() + 4);
        bytes.extend_from_slice(MAGIC);
        bytes.push(self.checkers());
        bytes.resize(HEADER, 0);
        for equity in &self.equities {
            bytes.extend_from_slice(&equity.to_le_bytes());
        }
        for p in self.probs.as_flattened() {
            bytes.extend_from_slice(&p.to_le_bytes());
        }
        bytes
    }

    /// Reads a game that was [saved](Self::save).
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let bytes = tavola_files::read(path, &LARGE_BYTES)
            .map_err(Failure::work_in("cannot access the file"))?;
        if bytes.len() < HEADER + 4 || &bytes[..8] != MAGIC {
            return Err(foreign());
        }
        let (content, checksum) = bytes.split_at(bytes.len() - 4);
        if crc32(content).to_le_bytes() != checksum {
            return Err(Failure::input(
                "the file is damaged, expected another checksum; delete it, and it is made again",
            ));
        }
        let checkers = content[8];
        if !(1..=MAX_WHOLE_GAME_CHECKERS).contains(&checkers) {
            return Err(foreign());
        }
        let sides = Sides::new(checkers);
        let positions = sides.count() * sides.count();
        if content.len() != HEADER + 16 * positions {
            return Err(foreign());
        }
        let (equities, probs) = content[HEADER..].split_at(4 * positions);
        let equities =
            equities.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect();
        let two = |bytes: &[u8; 12], i| u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]);
        let probs = probs.as_chunks().0.iter();
        let probs = probs.map(|bytes| std::array::from_fn(|i| two(bytes, i))).collect();
        Ok(Self { sides, equities, probs })
    }
}
