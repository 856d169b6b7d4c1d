//! Findings in a file, so that an analysis that was stopped goes on where it was.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use tavola_files::{Digest, Journal, Sha256, locked};

use super::{Analysis, Finding, Findings};
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};

/// What findings depend on, besides their keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    format: String,
    network: String,
    pruning: String,
    lookahead: String,
    tables: bool,
    met: String,
}

#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    finding: Finding,
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
    pub fn open(folder: &Path, engine: &Engine, analysis: &Analysis) -> Result<Self, EngineError> {
        let network = engine.network(analysis.model.as_deref(), "backgammon")?.weights().checksum();
        let header = Header {
            // Another release may find something else with the same settings.
            format: concat!("tavola findings 5, ", env!("CARGO_PKG_VERSION")).to_owned(),
            network,
            pruning: crate::network::Network::pruning()?.weights().checksum(),
            lookahead: format!("{:?}", analysis.lookahead.settings()),
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
        std::fs::create_dir_all(folder).map_err(|error| {
            let message = format!("cannot create {}", folder.display());
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

    fn keep(&self, key: &str, finding: &Finding) -> Result<(), EngineError> {
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
