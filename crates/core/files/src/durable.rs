//! Files that are either there in full or not there at all, whatever happens to the process.
//!
//! The content goes to a file beside the target first, `NAME.PROCESS-NUMBER.unfinished`. The writer
//! holds a lock on it, which the system releases with the process. So a leftover of a killed writer
//! is known by its name and by the lock that no process holds.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// The end of the name of a file or folder that is still being written. What carries it is
/// worthless once its writer is gone.
const UNFINISHED: &str = ".unfinished";

/// Makes the names of unfinished files of this process differ.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A file that gets its name in [`finish`](Self::finish). One that is dropped before is removed.
///
/// A file of that name is untouched until then, and keeps its permissions. A link of that name is
/// replaced, not followed.
#[derive(Debug)]
pub struct NewFile {
    target: PathBuf,
    unfinished: PathBuf,
    file: File,
}

impl NewFile {
    /// Begins the file that is to be at `target`, whose folder must exist, and removes what killed
    /// writers of the same file left behind.
    ///
    /// # Errors
    ///
    /// Those of the file system, and `InvalidInput` if `target` is no name of a file: a folder or
    /// a device is never replaced.
    pub fn create(target: &Path) -> io::Result<Self> {
        let there = fs::metadata(target).ok();
        let kind = |text| Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        let name = match (&there, target.file_name()) {
            (Some(there), _) if there.is_dir() => return kind("it is a directory"),
            (Some(there), _) if !there.is_file() => return kind("it is no regular file"),
            (_, None) => return kind("it is no name of a file"),
            (_, Some(name)) => name,
        };
        let mut prefix = name.to_owned();
        prefix.push(".");
        // What can't be removed is no obstacle.
        let _ = remove_leftovers(folder_of(target), &prefix);
        let (unfinished, file) = loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let mut name = prefix.clone();
            name.push(format!("{}-{number}{UNFINISHED}", process::id()));
            let path = target.with_file_name(name);
            let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            // Before the lock another process may take the file for a leftover and remove it.
            // Some file systems have no locks: there no leftover is removed either.
            let _ = file.lock();
            if path.exists() {
                break (path, file);
            }
        };
        let new = Self { target: target.to_owned(), unfinished, file };
        if let Some(there) = there {
            new.file.set_permissions(there.permissions())?;
        }
        Ok(new)
    }

    /// Forces the content to the disk and gives the file its name.
    ///
    /// # Errors
    ///
    /// Those of the file system; unless the last step fails, which makes the name survive a crash,
    /// a file that was there before is then untouched.
    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()?;
        rename(&self.unfinished, &self.target)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // After `finish` there is nothing of that name. On a full disk a part would only take more
        // of the room that is missing.
        let _ = fs::remove_file(&self.unfinished);
    }
}

/// Puts `bytes` at `path`: after a crash at any moment the file holds the old or the new content,
/// never a part.
///
/// # Errors
///
/// As [`NewFile`].
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Renames a finished file or folder so that the new name survives a crash.
///
/// # Errors
///
/// Those of the file system.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync_folder(folder_of(to))
}

/// Makes the names in a folder survive a crash.
///
/// # Errors
///
/// Those of the file system.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // Elsewhere a folder can't be opened as a file, and the file system sees to its names.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Takes the lock file at `path`, which is made if there is none, until the result is dropped.
///
/// # Errors
///
/// `WouldBlock` if another process has it, `InvalidData` for a link, and those of the file system.
pub fn lock(path: &Path) -> io::Result<File> {
    if path.is_symlink() {
        let reason = "it is a link, expected a file of its own";
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether a file or folder of this name is still being written, or was when its writer died.
pub fn is_unfinished(name: &OsStr) -> bool {
    name.as_encoded_bytes().ends_with(UNFINISHED.as_bytes())
}

/// Where the folder is prepared that is to be at `path`.
pub fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(UNFINISHED);
    path.with_file_name(name)
}

/// Removes the files of killed writers in `folder` whose names begin with `prefix`, be it empty.
/// Files that another process still writes stay.
///
/// # Errors
///
/// Those of the file system.
pub fn remove_leftovers(folder: &Path, prefix: &OsStr) -> io::Result<()> {
    let begins = |name: &OsString| name.as_encoded_bytes().starts_with(prefix.as_encoded_bytes());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if is_unfinished(&name) && begins(&name) && entry.file_type()?.is_file() {
            let path = entry.path();
            // The lock is held until the file is gone, so that no writer begins with it.
            let file = OpenOptions::new().write(true).open(&path)?;
            if file.try_lock().is_ok() {
                fs::remove_file(&path)?;
            }
        }
    }
    Ok(())
}

/// The folder that a path names a file in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_write_replaces_the_content_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.json");
        write(&path, b"old").unwrap();
        fs::write(folder.path().join("manifest.json.77-3.unfinished"), b"of a killed one").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["manifest.json"]);
    }

    #[test]
    fn a_writer_that_gives_up_leaves_the_old_file_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        write(&path, b"old").unwrap();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["table"]);
    }

    #[test]
    fn leftovers_go_and_files_that_are_being_written_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        let mut first = NewFile::create(&path).unwrap();
        first.write_all(b"first").unwrap();
        fs::write(folder.path().join("other.1-1.unfinished"), b"left").unwrap();
        fs::create_dir(folder.path().join("round-000004.unfinished")).unwrap();
        let mut second = NewFile::create(&path).unwrap();
        second.write_all(b"second").unwrap();
        assert_eq!(names(folder.path()).len(), 4);
        remove_leftovers(folder.path(), OsStr::new("")).unwrap();
        assert_eq!(names(folder.path()).len(), 3);
        second.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        first.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
    }

    #[test]
    fn folders_and_bare_roots_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = write(folder.path(), b"x").unwrap_err();
        assert_eq!(error.to_string(), "it is a directory");
        assert!(write(Path::new(".."), b"x").is_err());
        assert!(write(&folder.path().join("no/folder"), b"x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_replaced_devices_refused_and_permissions_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (precious, link) = (folder.path().join("precious"), folder.path().join("link"));
        fs::write(&precious, b"precious").unwrap();
        std::os::unix::fs::symlink(&precious, &link).unwrap();
        write(&link, b"new").unwrap();
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
        assert_eq!(fs::read(&link).unwrap(), b"new");

        let plain = folder.path().join("plain");
        fs::write(&plain, b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let new = folder.path().join("new");
        write(&new, b"x").unwrap();
        assert_eq!(mode(&new), mode(&plain));
        fs::set_permissions(&new, fs::Permissions::from_mode(0o640)).unwrap();
        write(&new, b"y").unwrap();
        assert_eq!(mode(&new), 0o640);

        let error = write(Path::new("/dev/null"), b"x").unwrap_err();
        assert_eq!(error.to_string(), "it is no regular file");
    }
}
