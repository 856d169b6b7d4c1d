//! Stopping long work cleanly on Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Blame, Outcome};
use crate::report::warning;

/// Set by the first interrupt.
static CANCELLED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C (or request to terminate) sets the returned flag and tells
/// `promise`; the second ends the program at once.
///
/// # Errors
///
/// If the system refuses the handler, or another one is installed already.
pub fn on_interrupt(promise: &'static str) -> Outcome<&'static AtomicBool> {
    ctrlc::set_handler(move || {
        if CANCELLED.swap(true, Ordering::SeqCst) {
            // What shells report for a program that an interrupt has ended.
            std::process::exit(130);
        }
        warning::note(&format!("{promise}; press Ctrl-C again to stop at once"));
    })
    .or_work_in("cannot listen for Ctrl-C")?;
    Ok(&CANCELLED)
}
