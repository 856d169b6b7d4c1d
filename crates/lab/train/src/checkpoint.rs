//! The learner at rest: what it needs to go on as if it had never stopped.
//!
//! A checkpoint is one file. All integers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 20 | the text `tavola checkpoint 1` and a line feed; 1 is the version |
//! | 8 | number of steps made, u64 |
//! | 3 sections | parameters, first moments, second moments of Adam |
//! | 1 section | the running mean of the parameters, if there is one |
//! | 4 | CRC-32 (IEEE) of everything before it |
//!
//! A section is the number of its bytes as u64, then a weights file as [`tavola_net::weights`]
//! describes it. Settings are not stored: they belong to the run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tavola_files::limits::LARGE_BYTES;
use tavola_files::{FileError, crc32};
use tavola_net::{Interface, Layer, Weights, WeightsError};

use crate::adam::Adam;
use crate::learner::{Learner, LearnerError, LearnerSettings};

/// How every checkpoint begins; the digit is the version of the format.
const MAGIC: &[u8; 20] = b"tavola checkpoint 1\n";

/// The section that not every checkpoint has.
const MEAN: &str = "mean of the parameters";

/// Bytes of the checksum at the end.
const CRC_BYTES: usize = 4;

/// Why a checkpoint can't be saved or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnerFileError {
    /// The system refused an operation.
    #[error(transparent)]
    Io(#[from] FileError),
    /// The file is something else, or from another version.
    #[error(
        "{} begins with {found:?}, expected {:?}, so it is no checkpoint of this version",
        path.display(),
        String::from_utf8_lossy(MAGIC)
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its first bytes.
        found: String,
    },
    /// The file is cut off or changed.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How that was noticed.
        reason: String,
    },
    /// One of the networks in the file can't be used.
    #[error("cannot use the {section} in {}", path.display())]
    Section {
        /// The file.
        path: PathBuf,
        /// Which one.
        section: &'static str,
        /// What is wrong with it.
        source: WeightsError,
    },
    /// The moments can't be fetched from the GPU.
    #[error("cannot fetch what belongs into {}", path.display())]
    Moments {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: LearnerError,
    },
    /// The content is sound but not for this game or with these settings.
    #[error("cannot continue from {}", path.display())]
    Learner {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: LearnerError,
    },
}

impl Learner {
    /// Saves everything that learning has produced. The file is either the old or the new one,
    /// whatever happens.
    ///
    /// # Errors
    ///
    /// [`LearnerFileError::Io`]; [`LearnerFileError::Moments`] if the GPU failed;
    /// [`LearnerFileError::Section`] would say that the learner can't be put into words.
    pub fn save(&self, path: &Path) -> Result<(), LearnerFileError> {
        let shaped = |layers: &[Layer]| self.with_layers(layers.to_vec(), BTreeMap::new());
        let adam = self
            .store
            .adam()
            .map_err(|source| LearnerFileError::Moments { path: path.to_owned(), source })?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(adam.steps.to_le_bytes());
        let parameters = self.store.layers();
        let sections = [
            ("parameters", parameters),
            ("first moments", &adam.first),
            ("second moments", &adam.second),
        ];
        let mean = self.mean.as_ref().map(|mean| (MEAN, mean.layers()));
        for (section, layers) in sections.into_iter().chain(mean) {
            let content = shaped(layers).to_bytes().map_err(|source| {
                LearnerFileError::Section { path: path.to_owned(), section, source }
            })?;
            bytes.extend((content.len() as u64).to_le_bytes());
            bytes.extend(content);
        }
        bytes.extend(crc32(&bytes).to_le_bytes());
        Ok(tavola_files::write(path, &bytes).map_err(FileError::at("write", path))?)
    }

    /// Continues from a checkpoint: with the same settings, samples and seeds it learns exactly
    /// what the saved learner would have learned; up to rounding, if either of them computes on a
    /// GPU. A checkpoint does not depend on the device that made it.
    ///
    /// # Errors
    ///
    /// [`LearnerFileError`] says what is wrong with the file, or why it is not for this game.
    pub fn load(
        interface: &Interface,
        settings: LearnerSettings,
        path: &Path,
    ) -> Result<Self, LearnerFileError> {
        let bytes = tavola_files::read(path, &LARGE_BYTES).map_err(FileError::at("read", path))?;
        let damaged = |reason: &str| LearnerFileError::Damaged {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        if !bytes.starts_with(MAGIC) {
            let found = String::from_utf8_lossy(&bytes[..bytes.len().min(MAGIC.len())]).into();
            return Err(LearnerFileError::Foreign { path: path.to_owned(), found });
        }
        let (body, crc) = bytes.split_last_chunk::<CRC_BYTES>().expect("the magic is longer");
        if crc32(body) != u32::from_le_bytes(*crc) {
            return Err(damaged("its checksum is wrong"));
        }
        let mut rest = &body[MAGIC.len().min(body.len())..];
        let steps = take_u64(&mut rest).ok_or_else(|| damaged("it ends before the steps"))?;
        let section = |section: &'static str, rest: &mut &[u8]| {
            let content = take_u64(rest)
                .and_then(|length| rest.split_off(..usize::try_from(length).ok()?))
                .ok_or_else(|| damaged("a section is cut off"))?;
            Weights::from_bytes(content).map_err(|source| LearnerFileError::Section {
                path: path.to_owned(),
                section,
                source,
            })
        };
        let parameters = section("parameters", &mut rest)?;
        let first = section("first moments", &mut rest)?;
        let second = section("second moments", &mut rest)?;
        let mean = if rest.is_empty() { None } else { Some(section(MEAN, &mut rest)?) };
        let same = |other: &Weights| other.arch == parameters.arch;
        if !rest.is_empty() || ![&first, &second].into_iter().chain(&mean).all(same) {
            return Err(damaged("its sections do not belong together"));
        }
        let adam = Adam { first: first.layers, second: second.layers, steps };
        Self::resumed(interface, settings, &parameters, adam, mean.map(|mean| mean.layers))
            .map_err(|source| LearnerFileError::Learner { path: path.to_owned(), source })
    }
}

/// Takes a little-endian number off the front.
fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*number))
}
