//! Finding and reading the files of matches that a command is given.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use tavola_engine::{FailedFile, NamedMatch};
use tavola_matches::{Match, MatchFormat, ReadWatch};
use tavola_rules::Backgammon;

use crate::failure::{Blame, Failure, Outcome};
use crate::report::format;
use crate::report::warning;

/// Names that a warning lists.
const SHOWN: usize = 6;

/// The files that are named, and those of folders that are.
pub fn find(named: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in named {
        // A pipe there would be read for ever.
        if path == Path::new("/dev/stdout") || path == Path::new("/dev/stderr") {
            return Err(Failure::input(format_args!(
                "{} is written, not read, expected a match (--csv alone prints)",
                path.display()
            )));
        }
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries =
            fs::read_dir(path).or_input_in(format_args!("cannot open {}", path.display()))?;
        let mut inside = Vec::new();
        for entry in entries {
            let entry = entry.or_input_in(format_args!("cannot read {}", path.display()))?;
            inside.push(entry.path());
        }
        inside.sort();
        files.extend(inside.into_iter().filter(|path| path.is_file()));
    }
    Ok(files)
}

/// The matches of files with their names and notes, and the files without any. What tavola has
/// written itself is no match, and a match that is there twice is one: a line says how many.
pub fn read(
    files: &[PathBuf],
    game: Option<Backgammon>,
) -> Outcome<(Vec<NamedMatch>, Vec<FailedFile>)> {
    let (mut found, mut failed, mut own) = (Found::default(), Vec::new(), 0_usize);
    for file in files {
        let name = file.display().to_string();
        match read_file(file, &name, game) {
            Ok(Some(records)) => found.add(&name, records),
            Ok(None) if files.len() > 1 => own += 1,
            Ok(None) => return Err(own_output(&name)),
            Err(failure) if files.len() == 1 => {
                return Err(Failure::input(format_args!("{name}: {}", failure.message())));
            }
            Err(failure) => {
                let error = failure.message();
                warning::detail(&format!("{name}: {error}"));
                failed.push(FailedFile { file: name, error });
            }
        }
    }
    if own > 0 {
        let files = format::plural(own, "file");
        warning::note(&format!("{files} skipped: pages, tables and reports that tavola wrote"));
    }
    if !found.twice.is_empty() {
        let files = format::plural(found.twice.len(), "file");
        let hold = if found.twice.len() == 1 { "holds" } else { "hold" };
        let names = listed(&found.twice);
        warning::note(&format!("{files} {hold} a match that is here already: {names}"));
    }
    if !failed.is_empty() {
        // Those first that are named like a match.
        let mut names: Vec<&str> = failed.iter().map(|failed| failed.file.as_str()).collect();
        names.sort_by_key(|name| MatchFormat::of_path(name.as_ref()).is_none());
        let (failed, of, names) = (failed.len(), files.len(), listed(&names));
        warning::warn(&format_args!(
            "{failed} of {of} files left out, no match that can be read: {names} \
             (--verbose says why)"
        ));
    }
    Ok((found.matches, failed))
}

/// Refuses a file that tavola has written about matches.
pub fn own_output(name: &dyn Display) -> Failure {
    Failure::input(format_args!(
        "{name}: tavola wrote it about a match or for itself, expected a match"
    ))
}

/// The first of some names.
fn listed<S: Borrow<str>>(names: &[S]) -> String {
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names[..names.len().min(SHOWN)].join(", ") + &more
}

/// Matches, each once.
#[derive(Default)]
struct Found {
    matches: Vec<NamedMatch>,
    /// Where each stands, by its digest.
    known: HashMap<String, usize>,
    /// Files with a match that was there before.
    twice: Vec<String>,
}

impl Found {
    fn add(&mut self, file: &str, records: Vec<NamedMatch>) {
        let mut is_known = false;
        for named in records {
            match self.known.get(&named.record.digest()) {
                Some(&at) => {
                    is_known = true;
                    // A last game that was broken off may be there in one of them alone.
                    if actions(&named.record) > actions(&self.matches[at].record) {
                        self.matches[at] = named;
                    }
                }
                None => {
                    self.known.insert(named.record.digest(), self.matches.len());
                    self.matches.push(named);
                }
            }
        }
        if is_known {
            self.twice.push(file.to_owned());
        }
    }
}

fn actions(record: &Match) -> usize {
    record.games.iter().map(|game| game.actions.len()).sum()
}

/// The matches of a file; `None` of one that tavola has written about matches.
fn read_file(
    file: &Path,
    name: &str,
    game: Option<Backgammon>,
) -> Outcome<Option<Vec<NamedMatch>>> {
    let bytes =
        tavola_files::read(file, &tavola_matches::largest(file)).or_input_in("cannot be read")?;
    if tavola_matches::is_output(&bytes) {
        return Ok(None);
    }
    let matches = NamedMatch::read(name, &bytes, game, ReadWatch::default())?;
    for note in matches.first().map_or(&[][..], |named| &named.notes) {
        warning::warn(&format_args!("{name}: {note}"));
    }
    Ok(Some(matches))
}
