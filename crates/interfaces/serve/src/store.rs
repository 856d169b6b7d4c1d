//! Running games: in memory, and each in a file, so that a restart loses none.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use tavola_engine::live::Live;
use tavola_files::limits::FILE_BYTES;
use tavola_files::locked;

use crate::error::ApiError;

/// Games in memory; of more, those that were used longest ago are only in their files.
const MOST_IN_MEMORY: usize = 2_000;

/// Letters of a key: none that people mistake for another.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Letters in a key: none can be guessed.
const KEY_LENGTH: usize = 24;

/// A key that cannot be guessed.
///
/// # Errors
///
/// The system has no random numbers to give.
pub(crate) fn new_key() -> Result<String, ApiError> {
    let mut bytes = [0_u8; KEY_LENGTH];
    getrandom::fill(&mut bytes).map_err(ApiError::internal)?;
    Ok(bytes.map(|byte| char::from(LETTERS[usize::from(byte) % LETTERS.len()])).iter().collect())
}

/// A token for clients that cannot be guessed.
///
/// # Errors
///
/// The system has no random numbers to give.
pub fn new_token() -> std::io::Result<String> {
    new_key().map_err(|error| std::io::Error::other(error.message))
}

/// A seed for the dice.
pub(crate) fn new_seed() -> Result<u32, ApiError> {
    getrandom::u32().map_err(ApiError::internal)
}

/// Whether a text may be a key, and so the name of a file.
pub(crate) fn is_key(text: &str) -> bool {
    text.len() == KEY_LENGTH && text.bytes().all(|letter| LETTERS.contains(&letter))
}

struct Entry {
    live: Arc<Mutex<Live>>,
    used: Instant,
}

/// How many games have files.
pub(crate) struct Quota {
    most: usize,
    saved: AtomicUsize,
}

impl Quota {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, saved: AtomicUsize::new(0) }
    }

    fn take(&self) -> Result<(), ApiError> {
        if self.saved.fetch_add(1, Ordering::Relaxed) < self.most {
            return Ok(());
        }
        self.give_back();
        Err(ApiError::storage(format_args!(
            "{} matches are saved, expected fewer: delete one, or set another limit of saved-matches",
            self.most
        )))
    }

    fn give_back(&self) {
        self.saved.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Running games by their keys.
pub(crate) struct Games {
    folder: Option<PathBuf>,
    quota: Arc<Quota>,
    entries: Mutex<HashMap<String, Entry>>,
}

impl Games {
    pub(crate) fn new(folder: Option<PathBuf>, quota: &Arc<Quota>) -> std::io::Result<Self> {
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder)?;
            let files = std::fs::read_dir(folder)?.flatten();
            let saved =
                files.filter(|file| file.path().extension().is_some_and(|end| end == "json"));
            quota.saved.fetch_add(saved.count(), Ordering::Relaxed);
        }
        Ok(Self { folder, quota: Arc::clone(quota), entries: Mutex::default() })
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        locked(&self.entries)
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{key}.json")))
    }

    /// The file of a game that is there.
    fn file(&self, key: &str) -> Option<PathBuf> {
        self.path(key).filter(|file| file.exists())
    }

    pub(crate) fn keep(&self, key: &str, live: &Live) -> Result<(), ApiError> {
        let write = |path: PathBuf| tavola_files::write(&path, live.to_json().as_bytes());
        self.path(key).map_or(Ok(()), write).map_err(ApiError::unsaved)
    }

    pub(crate) fn add(&self, key: &str, live: Live) -> Result<(), ApiError> {
        if self.folder.is_some() {
            self.quota.take()?;
            self.keep(key, &live).inspect_err(|_| self.quota.give_back())?;
        }
        self.insert(key, live);
        Ok(())
    }

    fn insert(&self, key: &str, live: Live) -> Arc<Mutex<Live>> {
        let mut entries = self.lock();
        if entries.len() >= MOST_IN_MEMORY {
            let oldest = entries.iter().min_by_key(|(_, entry)| entry.used);
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.and_then(|oldest| entries.remove(&oldest));
        }
        let entry = Entry { live: Arc::new(Mutex::new(live)), used: Instant::now() };
        Arc::clone(&entries.entry(key.to_owned()).or_insert(entry).live)
    }

    pub(crate) fn get(&self, key: &str) -> Result<Arc<Mutex<Live>>, ApiError> {
        let unknown = || ApiError::not_found(format_args!("there is no game {key:?}"));
        if !is_key(key) {
            return Err(unknown());
        }
        if let Some(entry) = self.lock().get_mut(key) {
            entry.used = Instant::now();
            return Ok(Arc::clone(&entry.live));
        }
        let path = self.file(key).ok_or_else(unknown)?;
        let text = tavola_files::read(&path, &FILE_BYTES).map_err(ApiError::internal)?;
        let live = Live::read(&text, key).map_err(|error| {
            ApiError::internal(format_args!("the game {key} can't be resumed: {error}"))
        })?;
        Ok(self.insert(key, live))
    }

    pub(crate) fn remove(&self, key: &str) -> Result<(), ApiError> {
        self.get(key)?;
        self.lock().remove(key);
        match self.file(key).map(std::fs::remove_file) {
            Some(Err(error)) => Err(ApiError::internal(format_args!("it stays: {error}"))),
            Some(Ok(())) => {
                self.quota.give_back();
                Ok(())
            }
            None => Ok(()),
        }
    }
}
