//! What goes to stderr in words: errors, and warnings that say what to do next.

use std::fmt;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::failure::Failure;

/// What stderr tells beside errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Volume {
    /// Nothing.
    Quiet,
    /// Warnings, steps and bars.
    #[default]
    Normal,
    /// Also what answers, and how long it took.
    Verbose,
}

/// Set once, when the arguments are known.
static VOLUME: OnceLock<Volume> = OnceLock::new();

/// From now on stderr tells so much; the first call counts.
pub fn set_volume(volume: Volume) {
    VOLUME.get_or_init(|| volume);
}

/// What stderr tells.
pub fn volume() -> Volume {
    VOLUME.get().copied().unwrap_or_default()
}

/// A bar of this length, if one is known; hidden where stderr is to be quiet.
pub fn bar(length: Option<u64>) -> ProgressBar {
    ProgressBar::with_draw_target(length, draw_target())
}

/// Where bars are drawn.
pub fn draw_target() -> ProgressDrawTarget {
    match volume() {
        Volume::Quiet => ProgressDrawTarget::hidden(),
        _ => ProgressDrawTarget::stderr(),
    }
}

/// Speed is measured in a build without optimization.
pub const UNOPTIMIZED: &str =
    "this build is not optimized, so the figures say little; use cargo build --release";

/// The line of the input that is being answered; 0 where there are none.
static LINE: AtomicU64 = AtomicU64::new(0);

/// Warnings of this work are about a line of the input.
pub fn at_line<T>(number: u64, work: impl FnOnce() -> T) -> T {
    LINE.store(number, Ordering::Relaxed);
    let done = work();
    LINE.store(0, Ordering::Relaxed);
    done
}

/// Prints something that a user should know before trusting a result.
pub fn warn(warning: &dyn fmt::Display) {
    if volume() > Volume::Quiet {
        match LINE.load(Ordering::Relaxed) {
            0 => line(&format!("warning: {warning}")),
            number => line(&format!("warning: line {number}: {warning}")),
        }
    }
}

/// Prints why the program fails: the one place where errors are printed.
pub fn error(failure: &Failure) {
    if let Some(error) = failure.in_arguments() {
        // With colors and tips; a closed stderr has no reader.
        let _ = error.print();
        return;
    }
    let prefix = if failure.is_stop() { "" } else { "error: " };
    line(&format!("{prefix}{}", failure.message()));
}

/// Prints a line that is worth keeping, such as a step of a long job.
pub fn note(text: &str) {
    if volume() > Volume::Quiet {
        line(text);
    }
}

/// Prints a line about the work itself, for `--verbose`.
pub fn detail(text: &str) {
    if volume() == Volume::Verbose {
        line(text);
    }
}

/// No reader is left when stderr is closed, so a failed write is ignored. The name of a file can't
/// control the terminal.
fn line(text: &str) {
    let lines: Vec<String> = text.split('\n').map(tavola_files::printable).collect();
    let _ = writeln!(io::stderr().lock(), "{}", lines.join("\n"));
}
