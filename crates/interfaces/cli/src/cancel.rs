//! Stopping long work cleanly on Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::{fs, io, thread};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::iterator::Signals;

use crate::failure::{Blame, Outcome};
use crate::report::warning;

/// Set by the first interrupt.
static CANCELED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C (or request to terminate) sets the returned flag and tells
/// `promise`; the second ends the program at once.
///
/// # Errors
///
/// If the system refuses the handler.
pub fn on_interrupt(promise: &'static str) -> Outcome<&'static AtomicBool> {
    let interrupted = move || {
        if CANCELED.swap(true, Ordering::SeqCst) {
            // What shells report for a program that an interrupt has ended.
            std::process::exit(130);
        }
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
