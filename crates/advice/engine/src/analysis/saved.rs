//! Findings in a file, so that an analysis that was stopped goes on where it was.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use tavola_files::limits::CACHE_BYTES;
use tavola_files::{Digest, Journal, Sha256, locked};

use super::{Analysis, Finding, Findings};
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Result};

/// What findings depend on, besides their keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    format: String,
    network: String,
    pruning: String,
    #[serde(rename = "lookahead")]
    effort: String,
    tables: bool,
    met: String,
}

#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    finding: Finding,
}

/// The files of findings in a folder with their bytes, those first that were not used for longest.
///
/// # Errors
///
/// The folder can't be read; one that is not there has none.
pub fn findings_in(folder: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let is_one = |name: &str| name.starts_with("findings-") && name.ends_with(".jsonl");
        if name.to_str().is_some_and(is_one) && entry.file_type()?.is_file() {
            let about = entry.metadata()?;
            let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push((used, entry.path(), about.len()));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, path, bytes)| (path, bytes)).collect())
}

/// Removes the findings that were not used for longest until no more than `most` bytes are left.
fn make_room(folder: &Path, most: u64) -> io::Result<()> {
    let files = findings_in(folder)?;
    let mut bytes: u64 = files.iter().map(|(_, bytes)| bytes).sum();
    for (path, of_file) in files {
        if bytes <= most {
            break;
        }
        fs::remove_file(path)?;
        bytes -= of_file;
    }
    Ok(())
}

/// Findings in a file that no other process uses.
pub struct SavedFindings {
    path: PathBuf,
    journal: Mutex<Journal>,
    known: Mutex<HashMap<String, Finding>>,
}

impl SavedFindings {
    /// The findings of a folder that were made with this network and these settings.
    ///
    /// # Errors
    ///
    /// [`EngineError`]: the file is damaged, in use, or can't be written.
    pub fn open(folder: &Path, engine: &Engine, analysis: &Analysis) -> Result<Self> {
        let network = engine.network(analysis.model.as_deref(), "backgammon")?.weights().checksum();
        let header = Header {
            // Another release may find something else with the same settings.
            format: concat!("tavola findings 6, ", env!("CARGO_PKG_VERSION")).to_owned(),
            network,
            pruning: crate::network::LoadedNetwork::pruning()?.weights().checksum(),
            effort: format!("{:?}", analysis.effort.settings()),
            tables: engine.has_tables(),
            met: analysis.met.clone().unwrap_or_default(),
        };
        let text = serde_json::to_string(&header).expect("a header is plain data");
        let name: String = Sha256::digest(text.as_bytes())
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let path = folder.join(format!("findings-{name}.jsonl"));
        let room = fs::create_dir_all(folder).and_then(|()| make_room(folder, CACHE_BYTES.default));
        room.map_err(|error| {
            let message = format!("cannot make room in {}", folder.display());
            EngineError::caused(ErrorKind::Internal, message, &error)
        })?;
        // The header has named the file.
        let (journal, content) = Journal::resume::<_, Line>(&path, &header, |_| Ok(()))
            .map_err(|error| EngineError::caused(ErrorKind::Internal, "", &error))?;
        let known = content.lines.into_iter().map(|line| (line.key, line.finding)).collect();
        Ok(Self { path, journal: Mutex::new(journal), known: Mutex::new(known) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Findings for SavedFindings {
    fn find(&self, key: &str) -> Option<Finding> {
        locked(&self.known).get(key).cloned()
    }

    fn keep(&self, key: &str, finding: &Finding) -> Result<()> {
        let line = Line { key: key.to_owned(), finding: finding.clone() };
        let mut journal = locked(&self.journal);
        journal
            .append(&line)
            .map_err(|error| EngineError::caused(ErrorKind::Internal, "", &error))?;
        let mut known = locked(&self.known);
        known.insert(line.key, line.finding);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_findings_leave_where_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let names = ["findings-c.jsonl", "findings-a.jsonl", "findings-b.jsonl"];
        for (age, name) in names.into_iter().enumerate() {
            fs::write(path(name), [0; 100]).unwrap();
            let used = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(age as u64);
            fs::File::options().append(true).open(path(name)).unwrap().set_modified(used).unwrap();
        }
        for other in ["one-sided-6-15.bearoff", "findings.txt"] {
            fs::write(path(other), [0; 500]).unwrap();
        }
        let left = |most| {
            make_room(folder.path(), most).unwrap();
            let files = findings_in(folder.path()).unwrap();
            files.into_iter().map(|(path, bytes)| (path.file_name().unwrap().to_owned(), bytes))
        };
        assert_eq!(left(300).count(), 3);
        let two: Vec<_> = left(299).collect();
        assert_eq!(two, names[1..].iter().map(|name| ((*name).into(), 100)).collect::<Vec<_>>());
        assert_eq!(left(0).count(), 0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is removed");
        assert!(findings_in(&path("nowhere")).unwrap().is_empty());
    }
}
