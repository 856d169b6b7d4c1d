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
use std::path::Path;

use tavola_files::limits::LARGE_BYTES;
use tavola_files::{Failure, FileError, crc32};
use tavola_net::{Interface, Layer, Weights, WeightsError};

use crate::adam::Adam;
use crate::learner::{Learner, LearnerSettings};

/// How every checkpoint begins; the digit is the version of the format.
const MAGIC: &[u8; 20] = b"tavola checkpoint 1\n";

/// The section that not every checkpoint has.
const MEAN: &str = "mean of the parameters";

/// Bytes of the checksum at the end.
const CRC_BYTES: usize = 4;

impl Learner {
    /// Saves everything that learning has produced. The file is either the old or the new one,
    /// whatever happens.
    ///
    /// # Errors
    ///
    /// The file can't be written, or the GPU failed.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let shaped = |layers: &[Layer]| self.with_layers(layers.to_vec(), BTreeMap::new());
        let adam = self.store.adam().map_err(Failure::work_in(format!(
            "cannot fetch what belongs into {}",
            path.display()
        )))?;
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
            let content = shaped(layers).to_bytes().map_err(unusable(section, path))?;
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
    /// [`Failure`] says what is wrong with the file, or why it is not for this game.
    pub fn load(
        interface: &Interface,
        settings: LearnerSettings,
        path: &Path,
    ) -> Result<Self, Failure> {
        let bytes = tavola_files::read(path, &LARGE_BYTES).map_err(FileError::at("read", path))?;
        let damaged =
            |reason: &str| Failure::input(format!("{} is damaged: {reason}", path.display()));
        if !bytes.starts_with(MAGIC) {
            let begin = String::from_utf8_lossy(&bytes[..bytes.len().min(MAGIC.len())]);
            return Err(Failure::input(format!(
                "{} begins with {begin:?}, expected {:?}, so it is no checkpoint of this version",
                path.display(),
                String::from_utf8_lossy(MAGIC)
            )));
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
            Weights::from_bytes(content).map_err(unusable(section, path))
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
            .map_err(Failure::input_in(format!("cannot continue from {}", path.display())))
    }
}

/// One of the networks in the file can't be used.
fn unusable(section: &str, path: &Path) -> impl Fn(WeightsError) -> Failure + use<> {
    Failure::input_in(format!("cannot use the {section} in {}", path.display()))
}

/// Takes a little-endian number off the front.
fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*number))
}
