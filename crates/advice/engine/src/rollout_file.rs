//! A rollout in a file, from which it is resumed.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tavola_evaluator::rollout::SavedRollout;
use tavola_files::limits::FILE_BYTES;
use tavola_files::{seal, unseal};
use web_time::Instant;

use crate::watch::RolloutSoFar;

/// How often a rollout is saved.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// The file of a running rollout: when it was written last, and why it can't be.
#[derive(Debug)]
pub struct RolloutFile<'a> {
    path: &'a Path,
    last: Option<Instant>,
    failure: Option<io::Error>,
}

impl<'a> RolloutFile<'a> {
    /// A file that was not written yet.
    pub const fn new(path: &'a Path) -> Self {
        Self { path, last: None, failure: None }
    }

    /// The rollout of a file.
    ///
    /// # Errors
    ///
    /// It can't be read, or is damaged.
    pub fn read(path: &Path) -> io::Result<SavedRollout> {
        Ok(serde_json::from_slice(&unseal(&tavola_files::read(path, &FILE_BYTES)?)?)?)
    }

    /// Writes a rollout: after a crash at any moment the file holds the old or the new one.
    ///
    /// # Errors
    ///
    /// The file can't be written.
    pub fn write(path: &Path, saved: &SavedRollout) -> io::Result<()> {
        tavola_files::write(path, seal(&serde_json::to_string(saved)?).as_bytes())
    }

    /// Writes it at first, so that a place where nothing can be written is noticed then, and every
    /// few seconds. A failure cancels the rollout.
    pub fn keep(&mut self, so_far: &RolloutSoFar<'_>, cancel: &AtomicBool) {
        if self.failure.is_some() || self.last.is_some_and(|last| last.elapsed() < SAVE_EVERY) {
            return;
        }
        self.failure = Self::write(self.path, &so_far.save()).err();
        if self.failure.is_some() {
            cancel.store(true, Ordering::Relaxed);
        }
        self.last = Some(Instant::now());
    }

    /// Whether all was kept.
    ///
    /// # Errors
    ///
    /// Why not.
    pub fn kept(self) -> io::Result<()> {
        self.failure.map_or(Ok(()), Err)
    }
}
