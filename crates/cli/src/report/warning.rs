//! What goes to stderr in words: errors, and warnings that say what to do next.

use std::fmt;
use std::io::{self, Write};

use crate::failure::Failure;

/// Speed is measured in a build without optimisation.
pub const UNOPTIMISED: &str =
    "this build is not optimised, so the figures say little; use cargo build --release";

/// Prints something that a user should know before trusting a result.
pub fn warn(warning: &dyn fmt::Display) {
    line(&format!("warning: {warning}"));
}

/// Prints why the program fails: the one place where errors are printed.
pub fn error(failure: &Failure) {
    if let Some(error) = failure.in_arguments() {
        // With colours and tips; a closed stderr has no reader.
        let _ = error.print();
        return;
    }
    let prefix = if failure.is_stop() { "" } else { "error: " };
    line(&format!("{prefix}{}", failure.message()));
}

/// Prints a line that is worth keeping, such as a step of a long job.
pub fn note(text: &str) {
    line(text);
}

/// There is nobody left to tell when stderr is closed, so a failed write is ignored.
fn line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
