//! Work that Python can watch and interrupt.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

/// How long a signal may wait.
const POLL: Duration = Duration::from_millis(50);

/// How far work has come: how much of how much is done and, in a rollout, the equity so far with
/// its standard error.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Games or decisions that are done.
    pub done: u64,
    /// How many there are.
    pub total: u64,
    /// Of the best play so far, or of the position.
    pub equity: Option<(f64, f64)>,
}

/// Tells Python's function how far the work has come.
fn tell(progress: Progress, to: Option<&Py<PyAny>>) -> PyResult<()> {
    let Some(function) = to else { return Ok(()) };
    Python::attach(|py| {
        let Progress { done, total, equity } = progress;
        match equity {
            None => function.call1(py, (done, total)),
            Some((equity, error)) => function.call1(py, (done, total, equity, error)),
        }
        .map(drop)
    })
}

/// Does `work` on another thread, without the lock of the interpreter, while this one lets Python
/// handle its signals and calls `progress`. What either raises ends the work and is raised here.
pub fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&AtomicBool, &(dyn Fn(Progress) + Sync)) -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        let cancel = AtomicBool::new(false);
        let (send, receive) = mpsc::channel();
        thread::scope(|scope| {
            let canceled = &cancel;
            let worker = scope.spawn(move || {
                work(canceled, &|progress| {
                    // Once the caller has raised something there is no receiver that cares.
                    let _ = send.send(progress);
                })
            });
            let mut raised = None;
            loop {
                let step = match receive.recv_timeout(POLL) {
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => None,
                    Ok(step) => receive.try_iter().last().or(Some(step)),
                };
                if raised.is_some() {
                    continue;
                }
                let told = step.map_or(Ok(()), |step| tell(step, progress));
                let told = told.and_then(|()| Python::attach(|py| py.check_signals()));
                if let Err(error) = told {
                    cancel.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            let answer = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            raised.map_or(Ok(answer), Err)
        })
    })
}
