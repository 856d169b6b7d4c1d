//! The net under every change: what the program answers, word for word.
//!
//! A deliberate change of a text or a figure is accepted with
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test --workspace --test golden
//! ```
//!
//! and reviewed in the diff of `snapshots/`. Numbers are rounded to four decimals, so that the
//! last bits of another processor or mathematical library do not matter.

#[path = "../cli/run.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod run;

mod batch;
mod commands;
mod readme;
mod signature;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the workspace, where README's commands are meant to be run.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Compares a text with the file of that name in `snapshots/`, or writes it there if the variable
/// `UPDATE_GOLDEN` is set.
#[track_caller]
fn assert_golden(name: &str, text: &str) {
    let path = workspace().join("crates/cli/tests/golden/snapshots").join(format!("{name}.txt"));
    let text = format!("{}\n", text.trim_end());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        return fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if text != expected {
        let (mut found, mut wanted) = (text.lines(), expected.lines());
        let line = (1..).find(|_| {
            found.clone().next() != wanted.clone().next() || {
                (found.next(), wanted.next());
                false
            }
        });
        panic!(
            "{name} differs from {} in line {}:\n  expected {:?}\n  found    {:?}",
            path.display(),
            line.unwrap(),
            wanted.next(),
            found.next()
        );
    }
}

/// The text with every number that has more than four decimals rounded to four.
fn rounded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        out.push_str(before);
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | '-' | '+');
        let end = number.find(|c| !is_part(c)).unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        match number.parse::<f64>() {
            Ok(value) if decimals > 4 || number.contains("e-") => {
                out.push_str(&format!("{value:.4}"));
            }
            _ => out.push_str(number),
        }
        rest = after;
    }
    out.push_str(rest);
    out.replace("-0.0000", "0.0000")
}

#[test]
fn long_decimals_are_rounded_and_everything_else_stays() {
    let text = r#"{"a":-0.00001,"b":0.166551,"c":1.25,"d":1e-7} 4HPwATDgc/ABMA 13/8 6/5 v1.2.3"#;
    let expected = r#"{"a":0.0000,"b":0.1666,"c":1.25,"d":0.0000} 4HPwATDgc/ABMA 13/8 6/5 v1.2.3"#;
    assert_eq!(rounded(text), expected);
}
