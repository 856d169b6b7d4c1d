//! Work spread over threads, answers in order.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Workers, one a thread, each with memory of its own.
pub(crate) struct Pool<W> {
    workers: Vec<Mutex<W>>,
    /// With one worker the calling thread does the work.
    threads: Option<ThreadPool>,
}

impl<W: Send> Pool<W> {
    /// So many workers, or as many as the system has threads to give.
    pub(crate) fn new(count: NonZeroUsize, worker: impl Fn() -> W) -> Self {
        let threads = (count > NonZeroUsize::MIN)
            .then(|| ThreadPoolBuilder::new().num_threads(count.get()).build().ok())
            .flatten();
        let count = threads.as_ref().map_or(1, ThreadPool::current_num_threads);
        Self { workers: (0..count).map(|_| Mutex::new(worker())).collect(), threads }
    }

    /// The worker that the calling thread uses when there is nothing to share out.
    pub(crate) fn first(&mut self) -> &mut W {
        self.workers[0].get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `job` for the numbers below `jobs` and returns the answers in order. A worker takes
    /// the next number when it is free, since jobs differ in length.
    pub(crate) fn run<T: Send>(
        &mut self,
        jobs: usize,
        job: impl Fn(&mut W, usize) -> T + Sync,
    ) -> Vec<T> {
        let Some(threads) = self.threads.as_ref().filter(|_| jobs > 1) else {
            let worker = self.first();
            return (0..jobs).map(|index| job(worker, index)).collect();
        };
        let next = AtomicUsize::new(0);
        let mut done: Vec<(usize, T)> = threads
            .broadcast(|context| {
                let mut done = Vec::new();
                let worker = &self.workers[context.index()];
                // Nobody else has the worker of this thread; a panic in an evaluator is passed on.
                let mut worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= jobs {
                        return done;
                    }
                    done.push((index, job(&mut worker, index)));
                }
            })
            .into_iter()
            .flatten()
            .collect();
        done.sort_unstable_by_key(|&(index, _)| index);
        done.into_iter().map(|(_, answer)| answer).collect()
    }
}
