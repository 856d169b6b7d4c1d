//! Running games: in memory, and each in a file, so that a restart loses none.

use std::collections::HashMap;
use std::fs::DirEntry;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use tavola_engine::live::Live;
use tavola_files::limits::{self, FILE_BYTES, Limits};
use tavola_files::locked;
use tokio::sync::watch;

use crate::error::{ApiError, Result};
use crate::seats::{Role, Seats};

/// Letters of a key: none that people mistake for another.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Letters in a key: none can be guessed.
const KEY_LENGTH: usize = 24;

/// The ending of the file beside a game that has its seats.
const SEATS: &str = "seats";

/// A key that cannot be guessed.
///
/// # Errors
///
/// The system has no random numbers to give.
pub(crate) fn new_key() -> Result<String> {
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
pub(crate) fn new_seed() -> Result<u32> {
    getrandom::u32().map_err(ApiError::internal)
}

/// A seed for the dice of people who play each other: too long to be found from their rolls.
pub(crate) fn new_long_seed() -> Result<u64> {
    getrandom::u64().map_err(ApiError::internal)
}

/// Whether a text may be a key, and so the name of a file.
pub(crate) fn is_key(text: &str) -> bool {
    text.len() == KEY_LENGTH && text.bytes().all(|letter| LETTERS.contains(&letter))
}

/// A running game, and the seats of its players.
pub(crate) struct Stored {
    pub(crate) live: Live,
    /// Who sits where, if people play it on several devices.
    pub(crate) seats: Option<Seats>,
    /// Another number after each change.
    pub(crate) changed: watch::Sender<u32>,
    /// Held by each request of a spectator.
    pub(crate) watchers: Arc<()>,
}

impl Stored {
    pub(crate) fn new(live: Live, seats: Option<Seats>) -> Result<Self> {
        // After a restart the numbers are others.
        let (changed, _) = watch::channel(new_seed()?);
        Ok(Self { live, seats, changed, watchers: Arc::default() })
    }

    /// Who sends this token.
    pub(crate) fn role(&mut self, token: Option<&str>) -> Result<Role> {
        self.seats.as_mut().map_or(Ok(Role::Owner), |seats| seats.role(token))
    }
}

/// A game that one request at a time uses. Requests wait for it before they get a worker.
pub(crate) type Shared = Arc<tokio::sync::Mutex<Stored>>;

struct Entry {
    live: Shared,
    client: IpAddr,
    used: Instant,
}

fn unknown(key: &str) -> ApiError {
    ApiError::not_found(format_args!("there is no game {key:?}"))
}

/// Running games by their keys.
pub(crate) struct Games {
    folder: Option<PathBuf>,
    /// How many games have files, and the most that may.
    saved: AtomicUsize,
    most_saved: usize,
    /// The most games in memory.
    most: usize,
    entries: Mutex<HashMap<String, Entry>>,
}

impl Games {
    pub(crate) fn new(folder: Option<PathBuf>, limits: &Limits) -> std::io::Result<Self> {
        let mut saved = 0;
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder)?;
            let files = std::fs::read_dir(folder)?.flatten();
            let is_game = |file: &DirEntry| file.path().extension().is_some_and(|it| it == "json");
            saved = files.filter(is_game).count();
        }
        let (saved, entries) = (AtomicUsize::new(saved), Mutex::default());
        let most_saved = limits.count(&limits::SAVED_MATCHES);
        let most = limits.count(&limits::MATCHES_IN_MEMORY);
        Ok(Self { folder, saved, most_saved, most, entries })
    }

    /// Counts one more game that has files, if there may be one.
    fn count_saved(&self) -> Result<()> {
        if self.saved.fetch_add(1, Ordering::Relaxed) < self.most_saved {
            return Ok(());
        }
        self.count_removed();
        Err(ApiError::storage(format_args!(
            "{} matches are saved, expected fewer: delete one, or set another limit of saved-matches",
            self.most_saved
        )))
    }

    fn count_removed(&self) {
        self.saved.fetch_sub(1, Ordering::Relaxed);
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

    /// Writes a game, and before it who sits there.
    pub(crate) fn keep(&self, key: &str, live: &Live, seats: Option<&Seats>) -> Result<()> {
        let Some(path) = self.path(key) else { return Ok(()) };
        if let Some(seats) = seats {
            let text = serde_json::to_vec(seats).map_err(ApiError::internal)?;
            tavola_files::write(&path.with_extension(SEATS), &text).map_err(ApiError::unsaved)?;
        }
        tavola_files::write(&path, live.to_json().as_bytes()).map_err(ApiError::unsaved)
    }

    pub(crate) fn add(&self, key: &str, client: IpAddr, stored: Stored) -> Result<()> {
        if self.folder.is_some() {
            self.count_saved()?;
            self.keep(key, &stored.live, stored.seats.as_ref())
                .inspect_err(|_| self.count_removed())?;
        }
        self.insert(key, client, stored);
        Ok(())
    }

    /// Forgets what is in memory, so that no request waits for a change.
    pub(crate) fn close(&self) {
        self.lock().clear();
    }

    /// Takes a game into memory. Where there are too many, the client with the most of them loses
    /// the one that was used longest ago; with a folder it is still in its file.
    fn insert(&self, key: &str, client: IpAddr, stored: Stored) -> Shared {
        let mut entries = self.lock();
        if entries.len() >= self.most {
            let mut of_clients: HashMap<IpAddr, usize> = HashMap::new();
            entries.values().for_each(|entry| *of_clients.entry(entry.client).or_default() += 1);
            *of_clients.entry(client).or_default() += 1;
            let order = |entry: &Entry| (of_clients[&entry.client], entry.used.elapsed());
            // What a request works with stays: there must not be two of it.
            let idle = entries.iter().filter(|(_, entry)| Arc::strong_count(&entry.live) == 1);
            let next = idle.max_by_key(|(_, entry)| order(entry));
            let next = next.map(|(key, _)| key.clone());
            next.and_then(|next| entries.remove(&next));
        }
        let live = Arc::new(tokio::sync::Mutex::new(stored));
        let entry = Entry { live, client, used: Instant::now() };
        Arc::clone(&entries.entry(key.to_owned()).or_insert(entry).live)
    }

    /// A game, if it is in memory.
    ///
    /// # Errors
    ///
    /// There can be no such game.
    pub(crate) fn in_memory(&self, key: &str) -> Result<Option<Shared>> {
        if !is_key(key) {
            return Err(unknown(key));
        }
        Ok(self.lock().get_mut(key).map(|entry| {
            entry.used = Instant::now();
            Arc::clone(&entry.live)
        }))
    }

    /// Whether this is still the game of the key.
    ///
    /// # Errors
    ///
    /// It is gone.
    pub(crate) fn expect(&self, key: &str, game: &Shared) -> Result<()> {
        let entries = self.lock();
        let found = entries.get(key).is_some_and(|entry| Arc::ptr_eq(&entry.live, game));
        if found { Ok(()) } else { Err(unknown(key)) }
    }

    /// A game from its file, for a client.
    pub(crate) fn read(&self, key: &str, client: IpAddr) -> Result<Shared> {
        let path = self.file(key).ok_or_else(|| unknown(key))?;
        let text = tavola_files::read(&path, &FILE_BYTES).map_err(ApiError::internal)?;
        let live = Live::read(&text, key).map_err(|error| {
            ApiError::internal(format_args!("the game {key} can't be resumed: {error}"))
        })?;
        let beside = path.with_extension(SEATS);
        let seats = beside.exists().then(|| -> Result<Seats> {
            let text = tavola_files::read(&beside, &FILE_BYTES).map_err(ApiError::internal)?;
            serde_json::from_slice(&text).map_err(|error| {
                ApiError::internal(format_args!("the seats of {key} can't be read: {error}"))
            })
        });
        Ok(self.insert(key, client, Stored::new(live, seats.transpose()?)?))
    }

    pub(crate) fn remove(&self, key: &str) -> Result<()> {
        self.lock().remove(key);
        let seats = self.path(key).map(|path| path.with_extension(SEATS));
        if let Some(seats) = seats.filter(|seats| seats.exists()) {
            std::fs::remove_file(seats).map_err(ApiError::internal)?;
        }
        match self.file(key).map(std::fs::remove_file) {
            Some(Err(error)) => Err(ApiError::internal(format_args!("it stays: {error}"))),
            Some(Ok(())) => {
                self.count_removed();
                Ok(())
            }
            None => Ok(()),
        }
    }
}
