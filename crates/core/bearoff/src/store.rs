//! Where tables are kept: opened if they are there and sound, generated if not.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::file::{self, TableFileError};
use crate::generate::GenerationProgress;
use crate::spec::TableSpec;
use crate::tables::{BearoffTable, Tables};

/// The environment variable that names the cache directory, in place of the user's own.
pub const CACHE_DIR_VARIABLE: &str = "TAVOLA_CACHE_DIR";

/// A directory of table files, or none: then tables live and die with the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    directory: Option<PathBuf>,
}

/// What went wrong with the files although the tables are there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreWarning {
    /// A damaged file could not be used, so its table was generated again.
    #[error("the table of {path:?} was generated again")]
    Rebuilt {
        /// The file.
        path: PathBuf,
        /// What was wrong with it.
        #[source]
        reason: TableFileError,
    },
    /// A table could not be kept in a file; the next process will have to generate it again.
    #[error(
        "cannot keep a bear-off table in {path:?}, so it stays in memory; set \
         {CACHE_DIR_VARIABLE} to a directory with room"
    )]
    NotSaved {
        /// The file that could not be written.
        path: PathBuf,
        /// Why not.
        #[source]
        reason: io::Error,
    },
}

impl Store {
    /// The user's cache directory: `tavola` where the system keeps caches (`$XDG_CACHE_HOME` or
    /// `~/.cache` on Linux), or [`CACHE_DIR_VARIABLE`] if that is set and not empty. In memory if
    /// the system knows no such place.
    pub fn of_user() -> Self {
        let directory = match env::var_os(CACHE_DIR_VARIABLE) {
            Some(directory) if !directory.is_empty() => Some(PathBuf::from(directory)),
            _ => etcetera::choose_base_strategy()
                .ok()
                .map(|strategy| strategy.cache_dir().join("tavola")),
        };
        Self { directory }
    }

    /// This directory; it is created when a table is saved.
    pub fn in_directory(directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()) }
    }

    /// No directory.
    pub const fn in_memory() -> Self {
        Self { directory: None }
    }

    /// The directory.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The file of a table, whether it is there or not.
    pub fn path(&self, spec: TableSpec) -> Option<PathBuf> {
        self.directory.as_ref().map(|directory| directory.join(spec.file_name()))
    }

    /// The tables of which there is a file, sound or not, in a fixed order.
    pub fn stored(&self) -> Vec<TableSpec> {
        let entries = self.directory.iter().filter_map(|directory| fs::read_dir(directory).ok());
        let mut specs: Vec<_> = entries
            .flatten()
            .flatten()
            .filter_map(|entry| TableSpec::of_file_name(entry.file_name().to_str()?))
            .collect();
        specs.sort();
        specs
    }

    /// Opens the file of a table; `Ok(None)` if there is none.
    ///
    /// # Errors
    ///
    /// [`TableFileError`] if the file is there and can't be used.
    pub fn open(&self, spec: TableSpec) -> Result<Option<BearoffTable>, TableFileError> {
        let Some(path) = self.path(spec) else { return Ok(None) };
        match BearoffTable::open(spec, path) {
            Ok(table) => Ok(Some(table)),
            Err(TableFileError::Read(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Generates a table, in place of a file that may be there, and keeps it in a file if it can.
    ///
    /// `progress` is called now and then, by this thread.
    pub fn generate(
        &self,
        spec: TableSpec,
        progress: &(dyn Fn(GenerationProgress) + Sync),
    ) -> (BearoffTable, Option<StoreWarning>) {
        let table = BearoffTable::generate(spec, progress);
        let Some(path) = self.path(spec) else { return (table, None) };
        let bytes = table.bytes().expect("a table that was generated is in memory");
        if let Err(reason) = file::save(bytes, &path) {
            return (table, Some(StoreWarning::NotSaved { path, reason }));
        }
        // From now on the memory is the system's to give to others. What was just written is
        // replaced, at worst, by an equal table of another process.
        match self.open(spec) {
            Ok(Some(kept)) => (kept, None),
            _ => (table, None),
        }
    }

    /// The tables of `specs`: opened, or generated where that is not possible.
    ///
    /// `progress` is called while a table is generated, never for one that is opened.
    pub fn load(
        &self,
        specs: &[TableSpec],
        progress: &(dyn Fn(GenerationProgress) + Sync),
    ) -> (Tables, Vec<StoreWarning>) {
        let mut warnings = Vec::new();
        let tables = specs
            .iter()
            .map(|&spec| {
                let damage = match self.open(spec) {
                    Ok(Some(table)) => return table,
                    Ok(None) => None,
                    Err(reason) => Some(reason),
                };
                let (table, warning) = self.generate(spec, progress);
                match (damage, self.path(spec)) {
                    // That an older version's tables are replaced is no news.
                    (Some(TableFileError::Version { .. }), _) => {}
                    (Some(reason), Some(path)) if warning.is_none() => {
                        warnings.push(StoreWarning::Rebuilt { path, reason });
                    }
                    _ => {}
                }
                warnings.extend(warning);
                table
            })
            .collect();
        (tables, warnings)
    }

    /// The default tables and all others of which there is a file; see [`load`](Self::load).
    pub fn load_all(
        &self,
        progress: &(dyn Fn(GenerationProgress) + Sync),
    ) -> (Tables, Vec<StoreWarning>) {
        let mut specs = self.stored();
        specs.extend([TableSpec::ONE_SIDED_DEFAULT, TableSpec::TWO_SIDED_DEFAULT]);
        specs.sort();
        specs.dedup();
        self.load(&specs, progress)
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::Position;

    use super::*;

    fn specs() -> [TableSpec; 2] {
        [TableSpec::one_sided(6, 2).unwrap(), TableSpec::two_sided(2).unwrap()]
    }

    fn quiet(_: GenerationProgress) {}

    #[test]
    fn tables_are_generated_once_and_opened_afterwards() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::in_directory(directory.path().join("cache"));
        assert_eq!(store.stored(), []);
        let reported = std::sync::Mutex::new(Vec::new());
        let (tables, warnings) =
            store.load(&specs(), &|progress| reported.lock().unwrap().push(progress));
        assert!(warnings.is_empty(), "{warnings:?}");
        assert!(tables.iter().all(|table| table.is_kept()));
        for spec in specs() {
            let last = *reported.lock().unwrap().iter().rfind(|p| p.spec == spec).unwrap();
            assert_eq!((last.done, last.of), (spec.positions(), spec.positions()));
        }
        assert_eq!(store.stored(), specs());
        let (again, warnings) = store.load(&specs(), &|_| panic!("nothing is to be generated"));
        assert!(warnings.is_empty(), "{warnings:?}");
        for (a, b) in tables.iter().zip(again.iter()) {
            assert!(a.bytes().unwrap()[..] == b.bytes().unwrap()[..]);
        }
    }

    #[test]
    fn damaged_foreign_and_old_files_are_generated_again() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::in_directory(directory.path());
        let spec = specs()[1];
        let path = store.path(spec).unwrap();
        assert!(store.generate(spec, &quiet).1.is_none());
        let sound = fs::read(&path).unwrap();
        let mut damaged = sound.clone();
        damaged[1000] ^= 1;
        let mut old = sound.clone();
        old[8] = 0;
        for bytes in [damaged, old, sound[..100].to_vec(), Vec::new(), b"no table".to_vec()] {
            fs::write(&path, bytes).unwrap();
            let reason = store.open(spec).unwrap_err();
            let (tables, warnings) = store.load(&[spec], &quiet);
            if matches!(reason, TableFileError::Version { found: 0 }) {
                assert!(warnings.is_empty(), "{warnings:?}");
            } else {
                assert!(matches!(warnings[..], [StoreWarning::Rebuilt { .. }]), "{warnings:?}");
                assert!(warnings[0].to_string().contains("two-sided-6-2.bearoff"), "{warnings:?}");
            }
            let table = tables.iter().next().unwrap();
            assert!(table.bytes().unwrap()[..] == sound && fs::read(&path).unwrap() == sound);
        }
    }

    #[test]
    fn a_two_sided_table_is_read_once_a_position_is_looked_up() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::in_directory(directory.path());
        let spec = specs()[1];
        let position = Position::from_points(&[(6, 1)], &[(1, 1)], 15).unwrap();
        let expected = store.load(&[spec], &quiet).0.two_sided(&position).unwrap();
        let [read, late] = [(); 2].map(|()| store.load(&[spec], &quiet).0);
        assert_eq!(read.two_sided(&position), Some(expected));
        // A file that changes in between is no table any more, and what was read stays.
        fs::write(store.path(spec).unwrap(), b"something else").unwrap();
        assert_eq!((read.two_sided(&position), late.two_sided(&position)), (Some(expected), None));
        assert!(late.evaluate(&position).is_none() && late.iter().all(|table| table.is_kept()));
    }

    #[test]
    fn without_a_directory_to_write_to_the_tables_stay_in_memory() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "in the way").unwrap();
        let (tables, warnings) = Store::in_directory(&file).load(&specs(), &quiet);
        assert_eq!(warnings.len(), 2);
        for warning in &warnings {
            assert!(matches!(warning, StoreWarning::NotSaved { .. }), "{warning:?}");
            assert!(warning.to_string().contains(CACHE_DIR_VARIABLE), "{warning}");
        }
        assert_eq!(tables.iter().count(), 2);
        assert!(tables.iter().all(|table| !table.is_kept()));
        let (tables, warnings) = Store::in_memory().load(&specs(), &quiet);
        assert!(warnings.is_empty() && tables.iter().count() == 2);
    }

    #[test]
    fn two_that_generate_at_once_do_not_disturb_each_other() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::in_directory(directory.path());
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| store.load(&specs(), &quiet))).collect();
            for thread in threads {
                let (tables, warnings) = thread.join().unwrap();
                assert!(warnings.is_empty(), "{warnings:?}");
                assert_eq!(tables.iter().count(), 2);
            }
        });
        assert_eq!(store.stored(), specs());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }
}
