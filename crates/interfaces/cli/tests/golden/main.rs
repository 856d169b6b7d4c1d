//! The net under every change: what the program answers, word for word.
//!
//! The answers are files in `snapshots/`, one for each command or game. A deliberate change of a
//! text or a figure is accepted with
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test --workspace --test golden
//! ```
//!
//! and reviewed in the diff of these files. Numbers are rounded to four decimals, so that the last
//! bits of another processor or mathematical library do not matter.

#[path = "../cli/run.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod run;

mod batch;
mod canary;
mod commands;
mod readme;
mod schema;
mod signature;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the workspace, where README's commands are meant to be run.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap().to_owned()
}

/// Compares a text with the snapshot of this name, or writes it if `UPDATE_GOLDEN` is set.
#[track_caller]
fn assert_golden(name: &str, text: &str) {
    let folder = workspace().join("crates/interfaces/cli/tests/golden/snapshots");
    let file = folder.join(format!("{name}.txt"));
    let text = format!("{}\n", text.trim_end());
    // What is kept is said by a program with everything.
    if cfg!(not(feature = "fleet")) && text.contains("Not in this build") {
        return;
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(folder).unwrap();
        return fs::write(file, text).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    if text == expected {
        return;
    }
    let (mut line, mut old, mut new) = (1, expected.lines(), text.lines());
    let (old, new) = loop {
        match (old.next(), new.next()) {
            (old, new) if old != new => break (old, new),
            _ => line += 1,
        }
    };
    let shown = |text: Option<&str>| text.unwrap_or("(the end)").to_owned();
    panic!(
        "line {line} of snapshots/{name}.txt differs\n expected: {}\n   actual: {}\n\
         If that is meant: UPDATE_GOLDEN=1 cargo test --workspace --test golden, and review the diff",
        shown(old),
        shown(new)
    );
}
