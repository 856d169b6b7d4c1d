//! Files that are either there in full or not there at all, whatever happens to the process.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The end of the name of a file or folder that is still being written. What carries it is
/// worthless once its writer is gone.
pub(crate) const UNFINISHED: &str = ".unfinished";

/// Where the content for `path` is written first.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(UNFINISHED);
    path.with_file_name(name)
}

/// Puts `bytes` at `path`: after a crash at any moment the file holds the old or the new
/// content, never a part.
///
/// # Errors
///
/// Those of the file system; the old content is then untouched.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = unfinished(path);
    let written = File::create(&unfinished).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(error) = written {
        // On a full disk a half-written file would only take more of the room that is missing.
        let _ = fs::remove_file(&unfinished);
        return Err(error);
    }
    rename(&unfinished, path)
}

/// Renames a finished file or folder so that the new name survives a crash.
///
/// # Errors
///
/// Those of the file system.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync_folder(to.parent().unwrap_or(Path::new(".")))
}

/// Makes the names in a folder survive a crash.
///
/// # Errors
///
/// Those of the file system.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // Elsewhere a folder can't be opened as a file, and the file system sees to its names.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_replaces_the_content_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.json");
        write(&path, b"old").unwrap();
        fs::write(unfinished(&path), b"left by a killed writer").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
