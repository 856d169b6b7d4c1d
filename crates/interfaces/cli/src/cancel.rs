//! Stopping long work cleanly on Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
#[cfg(unix)]
use std::{fs, io};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::iterator::Signals;

use crate::failure::{Blame, Outcome};
use crate::report::warning;

/// Set by the first interrupt, or by a job that has enough.
static CANCELED: AtomicBool = AtomicBool::new(false);

/// Set by the first interrupt alone: who thinks ends without a choice.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How long a command may take to end. What has to be kept is in its file before: whatever is killed
/// goes on from there with the same result.
const FAREWELL: Duration = Duration::from_millis(1_700);

/// What shells report for a program that an interrupt has ended.
const EXIT_CODE: i32 = 130;

/// From now on the first Ctrl-C (or request to terminate) sets the returned flag and tells
/// `promise`; the second ends the program at once, and so does the time that a command has for it.
///
/// # Errors
///
/// If the system refuses the handler.
pub fn on_interrupt(promise: &'static str) -> Outcome<&'static AtomicBool> {
    on_interrupt_within(FAREWELL, promise)
}

/// As [`on_interrupt`], with more time.
///
/// # Errors
///
/// As there.
pub fn on_interrupt_within(
    farewell: Duration,
    promise: &'static str,
) -> Outcome<&'static AtomicBool> {
    let interrupted = move || {
        CANCELED.store(true, Ordering::SeqCst);
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(EXIT_CODE);
        }
        let late = move || {
            thread::sleep(farewell);
            std::process::exit(EXIT_CODE);
        };
        // A system that has no more threads to give has the second Ctrl-C.
        let _ = thread::Builder::new().spawn(late);
        warning::note(&format!("{promise}; press Ctrl-C again to stop at once"));
    };
    listen(interrupted).or_work_in("cannot listen for Ctrl-C")?;
    Ok(&CANCELED)
}

/// Calls `interrupted` at each signal that asks to end. Signals that the parent process ignores
/// stay ignored: `nohup` relies on that, and shells for background jobs.
#[cfg(unix)]
fn listen(interrupted: impl Fn() + Send + 'static) -> io::Result<()> {
    let ignored = ignored_signals();
    let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !ignored(signal));
    let mut signals = Signals::new(heard)?;
    thread::Builder::new().spawn(move || signals.forever().for_each(|_| interrupted()))?;
    Ok(())
}

/// Which signals this process ignores, where the system tells in words; else none.
#[cfg(unix)]
fn ignored_signals() -> impl Fn(i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    move |signal| mask >> (signal - 1) & 1 == 1
}

/// Calls `interrupted` at each Ctrl-C.
#[cfg(not(unix))]
fn listen(interrupted: impl Fn() + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(interrupted)
}
