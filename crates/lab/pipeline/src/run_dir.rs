//! The directory of one run: what it holds, who may write to it, what a killed run leaves.
//!
//! | name | content |
//! |---|---|
//! | `manifest.json` | what was run: tool, configuration, seeds, times; see [`Manifest`] |
//! | `config.toml` | the effective configuration, every default spelled out |
//! | `metrics.jsonl` | one JSON object a round and evaluation; see [`Metrics`](crate::Metrics) |
//! | `metrics.csv` | the same as a table, a line a round, written anew with every evaluation |
//! | `events.out.tfevents.tavola` | the same for TensorBoard: `tensorboard --logdir runs` |
//! | `learning-curve.svg` | strength and loss so far, redrawn with every evaluation |
//! | `evaluated/` | the weights of each evaluation, if they are to be kept |
//! | `latest.safetensors` | the weights of the newest checkpoint |
//! | `best.safetensors` | the best weights so far, by the yardstick of the configuration |
//! | `final.safetensors` | the weights after the last round; where the run ended early, the best |
//! | `checkpoints/round-000012/` | all that is needed to go on after round 12; the last two stay |
//! | `records/round-000012.records` | games of round 12, while a replay window needs them |
//! | `lock` | held by the process that writes to the directory |
//!
//! Everything but the metrics is written under another name, made durable and then renamed, so a
//! reader never sees half a file. Names that end in `.unfinished` were left by a killed process.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tavola_files::limits::FILE_BYTES;
use tavola_files::{Failure, FileError, is_unfinished, seal, unfinished, unseal};

use crate::error::{self, HoldsARun};
use crate::manifest::{FORMAT, Manifest};
use crate::names::{CHECKPOINTS, EVALUATED, LOCK, MANIFEST, NAMES, RECORDS};

/// How many checkpoints stay: the newest, and one more in case the disk spoils it.
const CHECKPOINTS_KEPT: usize = 2;

/// Names a failed file operation.
pub(crate) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    move |source| match source.kind() {
        io::ErrorKind::InvalidData => {
            Failure::input(format!("{} is damaged: {source}", path.display()))
        }
        _ => FileError { action, path, source }.into(),
    }
}

/// What was read of a file; `None` if there is none.
pub(crate) fn if_there<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a directory is to be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// A run from its first round, in a new or empty directory.
    New,
    /// A run that was stopped or killed, from its last checkpoint. One that was killed before
    /// its first round was saved begins again.
    Resume,
}

/// A run directory that this process alone writes to.
#[derive(Debug)]
pub(crate) struct RunDir {
    path: PathBuf,
    /// Released by the system when the process ends, however it ends.
    _lock: fs::File,
}

impl RunDir {
    /// Takes the directory, creating it for a new run. Returns the manifest of the run to go on
    /// with, `None` where one begins.
    ///
    /// # Errors
    ///
    /// [`Failure`]; nothing but the folder and its lock has then been written.
    pub(crate) fn open(path: &Path, begin: Begin) -> Result<(Self, Option<Manifest>), Failure> {
        let path = path.to_owned();
        if begin == Begin::Resume && !path.is_dir() {
            return Err(error::no_run(&path, "resume"));
        }
        create(&path)?;
        if begin == Begin::New {
            // Before the lock, so that a mistaken directory isn't touched.
            refuse_other_files(&path)?;
        }
        let lock = lock(&path)?;
        let dir = Self { path, _lock: lock };
        let manifest = read_manifest(&dir.path)?;
        match (begin, manifest) {
            (Begin::New, manifest) if manifest.is_some() || dir.is_begun()? => {
                Err(Failure::input(HoldsARun { path: dir.path }))
            }
            (Begin::Resume, None) => {
                refuse_other_files(&dir.path)?;
                Ok((dir, None))
            }
            (_, manifest) => Ok((dir, manifest)),
        }
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The last part of its path, for titles.
    pub(crate) fn name(&self) -> String {
        // The path may be `.`, which is no name.
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        match path.file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => path.display().to_string(),
        }
    }

    /// The file of this [name](crate::names).
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The file of a round in a folder, such as `records`, which exists afterwards.
    pub(crate) fn file_in(
        &self,
        folder: &str,
        round: u32,
        extension: &str,
    ) -> Result<PathBuf, Failure> {
        let folder = self.path.join(folder);
        fs::create_dir_all(&folder).map_err(io_error("create", &folder))?;
        Ok(folder.join(format!("round-{round:06}.{extension}")))
    }

    /// Writes the manifest. From then on the directory holds a run.
    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> Result<(), Failure> {
        let json = serde_json::to_string_pretty(manifest).map_err(Failure::work)?;
        self.write(MANIFEST, &(seal(&json) + "\n"))
    }

    /// Writes the text of the file of this [name](crate::names).
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.path.join(name);
        tavola_files::write(&path, text.as_bytes()).map_err(io_error("write", &path))
    }

    /// Removes what a killed process left unfinished, what was recorded or saved after `round`, which
    /// will be made again, and checkpoints that are too old.
    pub(crate) fn remove_after(&self, round: u32) -> Result<(), Failure> {
        let part = |name| self.path.join(name);
        let folders = [self.path.clone(), part(CHECKPOINTS), part(RECORDS), part(EVALUATED)];
        for folder in &folders {
            for name in names_in(folder)? {
                let later = round_of(&name).is_some_and(|of| of > round);
                if is_unfinished(name.as_ref()) || later && *folder != self.path {
                    remove(&folder.join(name))?;
                }
            }
        }
        self.remove_old_checkpoints().map(drop)
    }

    /// Whether there is a checkpoint of more than the weights at the start.
    pub(crate) fn is_begun(&self) -> Result<bool, Failure> {
        Ok(self.checkpoints()?.iter().any(|&round| round > 0))
    }

    /// The rounds with a checkpoint, newest first.
    pub(crate) fn checkpoints(&self) -> Result<Vec<u32>, Failure> {
        let names = names_in(&self.path.join(CHECKPOINTS))?;
        let mut rounds: Vec<u32> = names.iter().filter_map(|name| round_of(name)).collect();
        rounds.sort_unstable_by(|a, b| b.cmp(a));
        Ok(rounds)
    }

    /// The folder of the checkpoint after `round`.
    pub(crate) fn checkpoint(&self, round: u32) -> PathBuf {
        self.path.join(CHECKPOINTS).join(format!("round-{round:06}"))
    }

    /// An empty folder in which to prepare the checkpoint after `round`, for
    /// [`finish_checkpoint`](Self::finish_checkpoint).
    pub(crate) fn begin_checkpoint(&self, round: u32) -> Result<PathBuf, Failure> {
        let folder = unfinished(&self.checkpoint(round));
        if folder.exists() {
            remove(&folder)?;
        }
        fs::create_dir_all(&folder).map_err(io_error("create", &folder))?;
        Ok(folder)
    }

    /// Puts a prepared checkpoint in its place and removes those that are too old. Returns the
    /// oldest round whose checkpoint is kept.
    pub(crate) fn finish_checkpoint(&self, round: u32) -> Result<u32, Failure> {
        let place = self.checkpoint(round);
        let prepared = unfinished(&place);
        if place.exists() {
            // Of a run that was killed here before, resumed and is here again.
            remove(&place)?;
        }
        tavola_files::sync_folder(&prepared)
            .and_then(|()| tavola_files::rename(&prepared, &place))
            .map_err(io_error("finish", &place))?;
        Ok(self.remove_old_checkpoints()?.unwrap_or(round))
    }

    /// Removes checkpoints that are too old; the oldest round whose checkpoint is kept.
    fn remove_old_checkpoints(&self) -> Result<Option<u32>, Failure> {
        let rounds = self.checkpoints()?;
        for &old in rounds.iter().skip(CHECKPOINTS_KEPT) {
            remove(&self.checkpoint(old))?;
        }
        Ok(rounds.into_iter().take(CHECKPOINTS_KEPT).min())
    }

    /// The records file of a round; its folder exists afterwards.
    pub(crate) fn records(&self, round: u32) -> Result<PathBuf, Failure> {
        self.file_in(RECORDS, round, "records")
    }

    /// Removes the records of the rounds before `round`.
    pub(crate) fn remove_records_before(&self, round: u32) -> Result<(), Failure> {
        let folder = self.path.join(RECORDS);
        for name in names_in(&folder)? {
            if round_of(&name).is_some_and(|of| of < round) {
                remove(&folder.join(name))?;
            }
        }
        Ok(())
    }
}

/// Creates the directory of a run or of a recipe, unless it is there.
pub(crate) fn create(path: &Path) -> Result<(), Failure> {
    let failed = format!("cannot create the run directory {}", path.display());
    fs::create_dir_all(path).map_err(Failure::input_in(failed))
}

/// Takes the lock of a directory, of a run or of a recipe.
pub(crate) fn lock(folder: &Path) -> Result<fs::File, Failure> {
    let path = folder.join(LOCK);
    match tavola_files::lock(&path) {
        Ok(lock) => Ok(lock),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            let folder = folder.display();
            Err(Failure::input(format!("another process is running in {folder}")))
        }
        Err(error) => Err(io_error("lock", &path)(error)),
    }
}

/// The manifest of a run directory, if it has one. A damaged one, such as a power cut leaves, is none:
/// the checkpoints have what the run needs, and it gets a new one.
pub(crate) fn read_manifest(folder: &Path) -> Result<Option<Manifest>, Failure> {
    let path = folder.join(MANIFEST);
    let bytes = if_there(tavola_files::read(&path, &FILE_BYTES));
    let Some(bytes) = bytes.map_err(io_error("read", &path))? else { return Ok(None) };
    // The format comes first: what else a newer file holds is unknown.
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return Ok(None) };
    match value.get("format").and_then(serde_json::Value::as_u64) {
        Some(found) if found > u64::from(FORMAT) => Err(Failure::input(format!(
            "{} has format {found}, expected at most {FORMAT}: a newer tavola wrote it",
            path.display()
        ))),
        _ if unseal(&bytes).is_err() => Ok(None),
        _ => Ok(serde_json::from_value(value).ok()),
    }
}

/// The round in `round-000012`, with or without an extension.
fn round_of(name: &str) -> Option<u32> {
    let (digits, extension) = name.strip_prefix("round-")?.split_at_checked(6)?;
    match extension {
        "" | ".records" => digits.parse().ok(),
        _ => None,
    }
}

/// Refuses a directory with a file that no run writes.
fn refuse_other_files(path: &Path) -> Result<(), Failure> {
    for name in names_in(path)? {
        let begun = |own: &&str| is_unfinished(name.as_ref()) && name.starts_with(*own);
        if !NAMES.iter().any(|own| name == *own || begun(own)) {
            return Err(error::other_files(path, &name));
        }
    }
    Ok(())
}

/// The names in a directory, none if it is not there.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, Failure> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let names = fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    });
    names.map_err(io_error("list", folder))
}

fn remove(path: &Path) -> Result<(), Failure> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.map_err(io_error("remove", path))
}
