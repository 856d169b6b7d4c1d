//! Weights files by name, and which network they must hold.

use std::fmt;
use std::path::PathBuf;
use tavola_files::Failure;

use serde::{Deserialize, Serialize};

/// A weights file: a path from the working directory and, after a `#`, the first 12 to 64
/// hexadecimal digits of the checksum of the network, as in
/// `models/prune.safetensors#0e42cf267ab1`. A file with another network is refused. Without a
/// checksum any network will do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WeightsFile {
    /// The file.
    pub path: PathBuf,
    /// The first digits of the checksum.
    pub checksum: Option<String>,
}

impl TryFrom<String> for WeightsFile {
    type Error = Failure;

    fn try_from(text: String) -> Result<Self, Failure> {
        let Some((path, digits)) = text.rsplit_once('#') else {
            return Ok(PathBuf::from(text).into());
        };
        let digits = digits.to_lowercase();
        if !(12..=64).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(Failure::input(format!(
                "{digits:?} after the # of a weights file, expected 12 to 64 hexadecimal digits"
            )));
        }
        Ok(Self { path: path.into(), checksum: Some(digits) })
    }
}

impl From<PathBuf> for WeightsFile {
    /// Whatever network is in the file.
    fn from(path: PathBuf) -> Self {
        Self { path, checksum: None }
    }
}

impl From<WeightsFile> for String {
    fn from(file: WeightsFile) -> Self {
        file.to_string()
    }
}

impl fmt::Display for WeightsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.checksum.as_ref().map_or(Ok(()), |digits| write!(f, "#{digits}"))
    }
}
