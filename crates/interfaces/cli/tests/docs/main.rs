//! Documents keep the rules of their language, and name only what exists.

mod groups;
mod language;
mod named;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().expect("the repository")
}

/// The files below these folders and these files, by their path from the root, that end in
/// `.ending`.
fn files(places: &[&str], ending: &str) -> Vec<(String, String)> {
    fn collect(path: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        if path.is_dir() {
            for entry in fs::read_dir(path).expect("a folder of the repository") {
                collect(&entry.expect("an entry").path(), ending, found);
            }
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path.to_owned());
        }
    }
    let root = root();
    let mut found = Vec::new();
    for place in places {
        collect(&root.join(place), ending, &mut found);
    }
    found.sort();
    let named = |path: PathBuf| {
        let name = path.strip_prefix(&root).expect("below the root").display().to_string();
        (name, fs::read_to_string(&path).expect("text"))
    };
    found.into_iter().map(named).collect()
}

/// All documents.
fn documents() -> Vec<(String, String)> {
    let places = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs",
        "configs",
        "models",
        "scripts",
        "findings",
        "benches/README.md",
        "crates/advice/engine/README.md",
        "crates/interfaces/python/README.md",
    ];
    let documents = files(&places, "md");
    assert!(documents.len() > 40, "only {} documents", documents.len());
    documents
}

/// The log is the one place of history.
fn is_log(name: &str) -> bool {
    name.starts_with("docs/log/")
}

/// The parts of a document by line number, each with whether it is code: indented or fenced blocks.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let (mut fenced, mut after_blank, mut in_block) = (false, true, false);
    (1..).zip(text.lines()).map(move |(number, line)| {
        let fence = line.trim_start().starts_with("```");
        let indented = line.starts_with("    ") && (after_blank || in_block);
        in_block = indented || in_block && line.is_empty();
        let code = fenced || fence || indented;
        fenced ^= fence;
        after_blank = line.is_empty();
        (number, line, code)
    })
}
