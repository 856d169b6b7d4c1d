//! A folder for readers that take a path.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().expect("the system has room for a folder");
}

/// Calls `visit` with the path of a file of this name that holds `bytes`.
pub(crate) fn with_file<T>(name: &str, bytes: &[u8], visit: impl FnOnce(&Path) -> T) -> T {
    let path: PathBuf = FOLDER.with(|folder| folder.path().join(name));
    fs::write(&path, bytes).expect("the system has room for a file");
    visit(&path)
}
