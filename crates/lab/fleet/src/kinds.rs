//! The kinds of work that workers know.

use std::path::Path;

use tavola_arena::{DUEL, open_duel};
use tavola_engine::{ANALYSIS, ROLLOUT, open_analysis, open_rollout};
use tavola_evaluator::remote::{RemoteError, ShardRunner, Work};
use tavola_pipeline::{SELFPLAY, open_selfplay};

use crate::error::FleetError;

/// Opens a work with a folder for its files.
type Open = fn(&Work, &Path) -> Result<Box<dyn ShardRunner>, RemoteError>;

/// Their names, what their items are in the plural, and what opens them.
const KINDS: [(&str, &str, Open); 4] = [
    (SELFPLAY, "games", |work, _| open_selfplay(work)),
    (DUEL, "pairs", open_duel),
    (ROLLOUT, "trials", open_rollout),
    (ANALYSIS, "decisions", open_analysis),
];

/// The kind of this name.
fn named(name: &str) -> Option<(&'static str, &'static str, Open)> {
    KINDS.into_iter().find(|(known, ..)| *known == name)
}

/// The name of a kind that is known.
pub(crate) fn known(name: &str) -> Result<&'static str, FleetError> {
    named(name).map(|(known, ..)| known).ok_or_else(|| {
        let expected = KINDS.map(|(known, ..)| known).join(", ");
        FleetError::message(format!("work of the kind {name:?}, expected {expected}"))
    })
}

/// What the items of a kind are, in the plural.
pub(crate) fn unit(kind: &str) -> &'static str {
    named(kind).map_or("items", |(_, unit, _)| unit)
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
    let runner = match named(work.kind) {
        Some((.., open)) => open(work, folder.path()),
        None => Err(format!("unknown kind of work {:?}", work.kind).into()),
    };
    Ok(Opened { runner: runner.map_err(FleetError::Work)?, _folder: folder })
}
