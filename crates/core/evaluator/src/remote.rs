//! Numbered work that other processes can do.
//!
//! A [`Work`] says what is done, in bytes that travel. With it, a [`ShardRunner`] makes the bytes
//! of any range of items, the same on every machine. A [`Task`] is the work of one caller, who
//! takes the bytes; a [`Remote`] has all its items done somewhere. This crate has neither
//! transport nor kinds of work: those stand where the work is done on threads, too.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_files::limits::SHARD;
use tavola_files::{locked, unlocked};

/// Why work can't be done elsewhere.
pub type RemoteError = Box<dyn Error + Send + Sync>;

/// What is to be done, for any machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The name of the kind, which says who can do it.
    pub kind: &'static str,
    /// Settings, in a text of this kind.
    pub settings: String,
    /// Networks and other files, each with a name that the settings use.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Work {
    /// The bytes of a file.
    pub fn file(&self, name: &str) -> Option<&[u8]> {
        let found = self.files.iter().find(|(other, _)| other == name);
        found.map(|(_, bytes)| bytes.as_slice())
    }

    /// Writes all files into a folder; the settings name those that are used as paths.
    ///
    /// # Errors
    ///
    /// Why a file can't be written.
    pub fn write_files(&self, folder: &Path) -> io::Result<()> {
        self.files.iter().try_for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes))
    }
}

/// Files that travel with a work, put together by its caller.
#[derive(Debug, Default)]
pub struct WorkFiles(Vec<(String, Vec<u8>)>);

impl WorkFiles {
    /// Takes a file along; returns its name in the work.
    ///
    /// # Errors
    ///
    /// Why it can't be read.
    pub fn add(&mut self, path: &Path) -> io::Result<String> {
        Ok(self.add_bytes(tavola_files::read(path, &tavola_files::limits::LARGE_BYTES)?))
    }

    /// Takes bytes along as a file; returns its name in the work.
    pub fn add_bytes(&mut self, bytes: Vec<u8>) -> String {
        if let Some((name, _)) = self.0.iter().find(|(_, other)| *other == bytes) {
            return name.clone();
        }
        let name = format!("file-{}", self.0.len());
        self.0.push((name.clone(), bytes));
        name
    }

    /// The files.
    pub fn into_files(self) -> Vec<(String, Vec<u8>)> {
        self.0
    }
}

/// The path of a file of a work in the folder where its files are.
///
/// # Errors
///
/// Names that are no plain file name: settings may come from anywhere.
pub fn file_in(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let is_plain =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match is_plain {
        true => Ok(folder.join(name)),
        false => Err(io::Error::other(format!("a file of a work with the name {name:?}"))),
    }
}

/// Refuses more items at a time than a packet has.
///
/// # Errors
///
/// In words.
pub fn check_items(items: &Range<u64>) -> Result<(), RemoteError> {
    let (count, most) = (items.end.saturating_sub(items.start), SHARD.default);
    match (1..=most).contains(&count) {
        true => Ok(()),
        false => Err(format!("{count} items in a packet, expected 1 to {most}").into()),
    }
}

/// Does items of a work.
pub trait ShardRunner: Send + Sync {
    /// Does these items on the calling thread; `None` once `cancel` is true. The bytes depend on
    /// the work and the items alone.
    ///
    /// # Errors
    ///
    /// Why the items can't be done.
    fn run(&self, items: Range<u64>, cancel: &AtomicBool) -> Result<Option<Vec<u8>>, RemoteError>;
}

/// Checks and keeps the bytes of items, in place of any that were kept before. They may come from
/// anywhere: nothing is kept of bytes that no such items could have.
type Accept<'a> = dyn Fn(Range<u64>, &[u8]) -> Result<(), RemoteError> + Sync + 'a;

/// Work whose items are done elsewhere, and its caller.
#[derive(Clone)]
pub struct Task<'a> {
    /// What is done.
    pub work: &'a Work,
    /// The numbers of the items, in ascending order.
    pub items: Vec<Range<u64>>,
    /// What the task is in the numbering of its caller, such as the round of a run.
    pub number: u32,
    /// Is set by who calls the task off.
    pub cancel: &'a AtomicBool,
    /// Takes the bytes of items.
    pub accept: &'a Accept<'a>,
    /// Whether what was accepted is enough, so that other items need not be done.
    pub is_enough: &'a (dyn Fn() -> bool + Sync),
    /// Tells the user something.
    pub warn: &'a (dyn Fn(String) + Sync),
}

impl<'a> Task<'a> {
    /// All of these items, of which nothing is kept yet.
    pub fn new(
        work: &'a Work,
        items: Vec<Range<u64>>,
        cancel: &'a AtomicBool,
        warn: &'a (dyn Fn(String) + Sync),
    ) -> Self {
        Self { work, items, number: 1, cancel, accept: &|_, _| Ok(()), is_enough: &|| false, warn }
    }

    /// Whether no more items are to be done.
    pub fn is_over(&self) -> bool {
        self.cancel.load(Ordering::Relaxed) || (self.is_enough)()
    }
}

/// What was read of each shard, by its first item, with the item behind its last.
pub type Shards<T> = BTreeMap<u64, (u64, T)>;

/// Has the items of a task done, and keeps the results of each shard. `done` gets the number of
/// items that are finished.
///
/// # Errors
///
/// Why that can't be had.
pub fn collect<T: Send>(
    remote: &dyn Remote,
    task: Task<'_>,
    read: impl Fn(&Range<u64>, &[u8]) -> Result<T, RemoteError> + Sync,
    done: impl Fn(u64) + Sync,
) -> Result<Shards<T>, RemoteError> {
    let shards = Mutex::new(Shards::new());
    let accept = |items: Range<u64>, bytes: &[u8]| {
        let read = read(&items, bytes)?;
        let mut shards = locked(&shards);
        shards.insert(items.start, (items.end, read));
        let count = shards.iter().map(|(first, (end, _))| end - first).sum();
        drop(shards);
        done(count);
        Ok(())
    };
    remote.run(&Task { accept: &accept, ..task })?;
    Ok(unlocked(shards))
}

/// What was read of the shards of items that begin with `first`, up to the first gap.
pub fn unbroken<T>(shards: Shards<T>, first: u64) -> impl Iterator<Item = (u64, T)> {
    let mut next = first;
    let unbroken = move |&(start, (end, _)): &(u64, (u64, T))| {
        let fits = start == next;
        next = end;
        fits
    };
    shards.into_iter().take_while(unbroken).map(|(_, shard)| shard)
}

/// Has tasks done elsewhere than on the threads of this process.
pub trait Remote: Sync {
    /// Has all items of a task done and [accepted](Task::accept). Returns early when the task
    /// [is over](Task::is_over).
    ///
    /// # Errors
    ///
    /// Why that can't be had.
    fn run(&self, task: &Task<'_>) -> Result<(), RemoteError>;
}

/// Other processes for a command, and who is warned of them.
#[derive(Clone, Copy)]
pub struct OnFleet<'a> {
    /// Has tasks done.
    pub remote: &'a dyn Remote,
    /// Gets warnings.
    pub warn: &'a (dyn Fn(String) + Sync),
}

/// Does every task here, item by item in shards of this size: a remote for tests of tasks, and the
/// plainest example of one.
#[derive(Debug)]
pub struct Here<F> {
    /// Makes the runner of a work.
    pub open: F,
    /// Items of a shard.
    pub size: u64,
}

impl<F> Remote for Here<F>
where
    F: Fn(&Work) -> Result<Box<dyn ShardRunner>, RemoteError> + Sync,
{
    fn run(&self, task: &Task<'_>) -> Result<(), RemoteError> {
        let runner = (self.open)(task.work)?;
        for Range { mut start, end } in task.items.iter().cloned() {
            while start < end && !task.is_over() {
                let items = start..end.min(start.saturating_add(self.size.max(1)));
                start = items.end;
                match runner.run(items.clone(), task.cancel)? {
                    Some(bytes) => (task.accept)(items, &bytes)?,
                    None => return Ok(()),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_items_are_done_at_a_time_than_a_packet_has() {
        for fine in [0..1, 7..10_007, u64::MAX - 1..u64::MAX] {
            assert!(check_items(&fine).is_ok(), "{fine:?}");
        }
        for wrong in [3..3, Range { start: 4, end: 3 }, 0..10_001, 0..u64::MAX] {
            assert!(check_items(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn equal_files_travel_once_and_names_stay_in_their_folder() {
        let mut files = WorkFiles::default();
        let first = files.add_bytes(vec![1]);
        assert_eq!((files.add_bytes(vec![2]) == first, files.add_bytes(vec![1])), (false, first));
        let folder = Path::new("folder");
        assert_eq!(file_in(folder, "file-0").unwrap(), folder.join("file-0"));
        for name in ["", "..", "../x", "/etc/passwd", "a/b"] {
            assert!(file_in(folder, name).is_err(), "{name:?}");
        }
    }
}
