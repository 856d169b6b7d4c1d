//! The kinds of work that workers know.

use std::path::Path;

use tavola_arena::{DUEL, open_duel};
use tavola_engine::{ANALYSIS, ROLLOUT, open_analysis, open_rollout};
use tavola_evaluator::remote::{RemoteError, ShardRunner, Work};
use tavola_pipeline::{SELFPLAY, open_selfplay};

use crate::error::FleetError;

/// Their names.
const KINDS: [&str; 4] = [SELFPLAY, DUEL, ROLLOUT, ANALYSIS];

/// The name of a kind that is known.
pub(crate) fn known(name: &str) -> Result<&'static str, FleetError> {
    KINDS.into_iter().find(|known| *known == name).ok_or_else(|| {
        FleetError::message(format!("work of the kind {name:?}, expected {}", KINDS.join(", ")))
    })
}

/// What the items of a kind are, in the plural.
pub(crate) fn unit(kind: &str) -> &'static str {
    match kind {
        SELFPLAY => "games",
        DUEL => "pairs",
        ROLLOUT => "trials",
        ANALYSIS => "decisions",
        _ => "items",
    }
}

/// What does a work, and the folder with its files.
pub(crate) struct Opened {
    pub(crate) runner: Box<dyn ShardRunner>,
    _folder: tempfile::TempDir,
}

/// Opens a work.
pub(crate) fn open(work: &Work) -> Result<Opened, FleetError> {
    let folder = tempfile::Builder::new().prefix("tavola-worker-").tempdir();
    let folder = folder.map_err(FleetError::Folder)?;
    let runner = runner(work, folder.path()).map_err(FleetError::Work)?;
    Ok(Opened { runner, _folder: folder })
}

fn runner(work: &Work, folder: &Path) -> Result<Box<dyn ShardRunner>, RemoteError> {
    match work.kind {
        SELFPLAY => open_selfplay(work),
        DUEL => open_duel(work, folder),
        ROLLOUT => open_rollout(work, folder),
        ANALYSIS => open_analysis(work, folder),
        other => Err(format!("unknown kind of work {other:?}").into()),
    }
}
