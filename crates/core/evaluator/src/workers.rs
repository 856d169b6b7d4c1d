//! Numbered jobs shared out among threads, answers in order.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};
use tavola_files::locked;

/// The numbers of the jobs that no thread has taken yet.
struct Queue<'a> {
    next: AtomicU64,
    end: u64,
    cancel: Option<&'a AtomicBool>,
}

impl<'a> Queue<'a> {
    const fn new(jobs: Range<u64>, cancel: Option<&'a AtomicBool>) -> Self {
        Self { next: AtomicU64::new(jobs.start), end: jobs.end, cancel }
    }

    /// Does jobs until none is left or the caller has canceled. A thread takes the next job when
    /// it is free, since jobs differ in length; and each job that was taken is done, so that there
    /// are no gaps.
    fn work<W, T>(&self, worker: &mut W, job: impl Fn(&mut W, u64) -> T) -> Vec<(u64, T)> {
        let mut done = Vec::new();
        while !self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.end {
                break;
            }
            done.push((index, job(worker, index)));
        }
        done
    }
}

fn in_order<T>(mut done: Vec<(u64, T)>) -> Vec<T> {
    done.sort_unstable_by_key(|&(index, _)| index);
    done.into_iter().map(|(_, answer)| answer).collect()
}

/// The flag of work that is never called off.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// How many threads work, and how the caller cancels. Neither has an influence on an answer.
#[derive(Clone, Copy, Debug)]
pub struct Workers<'a> {
    /// Threads that work at the same time. With one, the calling thread works.
    pub threads: NonZeroUsize,
    /// Once it is true, the threads finish the jobs that they have begun and begin no others.
    pub cancel: &'a AtomicBool,
}

/// How many threads do something beside numbered jobs before they help: as many as let both end
/// together, by the time that both took before. No influence on an answer either.
#[derive(Clone, Copy, Debug)]
pub struct ThreadsBeside(NonZeroUsize);

impl Default for ThreadsBeside {
    /// One.
    fn default() -> Self {
        Self(NonZeroUsize::MIN)
    }
}

impl ThreadsBeside {
    /// Of `threads`, as many as their part of the thread-seconds `beside` and of all, one at least
    /// for either.
    fn of(threads: NonZeroUsize, beside: f64, jobs: f64) -> Self {
        let part = beside / (beside + jobs).max(f64::MIN_POSITIVE);
        let count = (threads.get() as f64 * part).round() as usize;
        let most = threads.get().saturating_sub(1).max(1);
        Self(NonZeroUsize::new(count.min(most)).unwrap_or(NonZeroUsize::MIN))
    }
}

impl Workers<'_> {
    /// Does `job` for each index, each thread with a `worker` of its own. Returns the answers in
    /// the order of the indices: all of them or, once canceled, those up to some index without a
    /// gap.
    pub fn run<W: Send, T: Send>(
        self,
        jobs: Range<u64>,
        worker: impl Fn() -> W,
        job: impl Fn(&mut W, u64) -> T + Sync,
    ) -> Vec<T> {
        self.run_after(NonZeroUsize::MIN, jobs, worker, job, || ()).1
    }

    /// Does `job` for each index as [`run`](Self::run), while some of the threads, as a rayon pool,
    /// do something else first and help afterwards. Their number is brought up to date for the next
    /// time.
    pub fn run_beside<W: Send, T: Send, R: Send>(
        self,
        threads: &mut ThreadsBeside,
        jobs: Range<u64>,
        worker: impl Fn() -> W,
        job: impl Fn(&mut W, u64) -> T + Sync,
        beside: impl FnOnce() -> R + Send,
    ) -> (R, Vec<T>) {
        let count = threads.0.min(self.threads);
        let of_jobs = AtomicU64::new(0);
        let job = |worker: &mut W, index| {
            let began = Instant::now();
            let answer = job(worker, index);
            of_jobs.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
            answer
        };
        let ((answer, seconds), answers) = self.run_after(count, jobs, worker, job, || {
            let began = Instant::now();
            (in_pool(count, beside), began.elapsed().as_secs_f64() * count.get() as f64)
        });
        *threads = ThreadsBeside::of(self.threads, seconds, of_jobs.into_inner() as f64 * 1e-9);
        (answer, answers)
    }

    /// Does jobs, `busy` of the threads after the calling one has done `first`.
    fn run_after<W: Send, T: Send, R>(
        self,
        busy: NonZeroUsize,
        jobs: Range<u64>,
        worker: impl Fn() -> W,
        job: impl Fn(&mut W, u64) -> T + Sync,
        first: impl FnOnce() -> R,
    ) -> (R, Vec<T>) {
        let count = usize::try_from(jobs.end.saturating_sub(jobs.start)).unwrap_or(usize::MAX);
        let (queue, job) = (&Queue::new(jobs, Some(self.cancel)), &job);
        let mut own = worker();
        let mut others: Vec<W> = (1..self.threads.get().min(count)).map(|_| worker()).collect();
        let later = others.split_off(others.len().saturating_sub(busy.get() - 1));
        thread::scope(|scope| {
            // A system that has no more threads to give still has this one.
            let spawn = |mut worker| {
                let work = move || queue.work(&mut worker, job);
                thread::Builder::new().spawn_scoped(scope, work).ok()
            };
            let mut others: Vec<_> = others.into_iter().filter_map(spawn).collect();
            let first = first();
            others.extend(later.into_iter().filter_map(spawn));
            let mut done = queue.work(&mut own, job);
            for other in others {
                done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            (first, in_order(done))
        })
    }
}

/// Has a rayon pool of this number of threads do `job`, or the current one, if the system has no
/// more threads to give.
pub fn in_pool<R: Send>(threads: NonZeroUsize, job: impl FnOnce() -> R + Send) -> R {
    match ThreadPoolBuilder::new().num_threads(threads.get()).build() {
        Ok(pool) => pool.install(job),
        Err(_) => job(),
    }
}

/// Threads that stay, each with a worker of its own.
pub(crate) struct Pool<W> {
    workers: Vec<Mutex<W>>,
    /// With one worker the calling thread does the work.
    threads: Option<ThreadPool>,
}

impl<W: Send> Pool<W> {
    /// `count` workers, or as many as the system has threads to give.
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

    /// Does `job` for the numbers below `jobs` and returns the answers in order.
    pub(crate) fn run<T: Send>(
        &mut self,
        jobs: usize,
        job: impl Fn(&mut W, usize) -> T + Sync,
    ) -> Vec<T> {
        let Some(threads) = self.threads.as_ref().filter(|_| jobs > 1) else {
            let worker = self.first();
            return (0..jobs).map(|index| job(worker, index)).collect();
        };
        let queue = Queue::new(0..jobs as u64, None);
        let done = threads.broadcast(|context| {
            // No other thread has this worker; a panic in an evaluator is passed on.
            let mut worker = locked(&self.workers[context.index()]);
            queue.work(&mut *worker, |worker, index| job(worker, index as usize))
        });
        in_order(done.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).unwrap()
    }

    #[test]
    fn answers_come_in_order_from_any_number_of_threads() {
        let cancel = AtomicBool::new(false);
        for n in [1, 2, 7, 100] {
            let workers = Workers { threads: threads(n), cancel: &cancel };
            let answers = workers.run(5..55, || (), |(), index| index * index);
            assert_eq!(answers, (5..55).map(|i| i * i).collect::<Vec<_>>());
            let answers = Pool::new(threads(n), || ()).run(55, |(), index| index * index);
            assert_eq!(answers, (0..55).map(|i| i * i).collect::<Vec<_>>());
        }
        let workers = Workers { threads: threads(4), cancel: &cancel };
        assert!(workers.run(5..5, || (), |(), index| index).is_empty());
        for beside in [1, 3, 9] {
            let mut beside = ThreadsBeside(threads(beside));
            let (answer, answers) =
                workers.run_beside(&mut beside, 0..9, || (), |(), index| index, || "done");
            assert_eq!((answer, answers), ("done", (0..9).collect()));
            assert!((1..4).contains(&beside.0.get()));
        }
    }

    #[test]
    fn threads_are_shared_by_the_time_that_both_take() {
        let of = |n, beside, jobs| ThreadsBeside::of(threads(n), beside, jobs).0.get();
        assert_eq!(of(16, 3.0, 5.0), 6);
        assert_eq!([of(16, 0.0, 5.0), of(16, 5.0, 0.0), of(16, 0.0, 0.0)], [1, 15, 1]);
        assert_eq!([of(1, 9.0, 1.0), of(2, 9.0, 1.0)], [1, 1]);
    }

    #[test]
    fn a_canceled_run_has_no_gaps() {
        for n in [1, 4] {
            let cancel = AtomicBool::new(false);
            let workers = Workers { threads: threads(n), cancel: &cancel };
            let answers = workers.run(
                0..u64::MAX,
                || (),
                |(), index| {
                    if index == 300 {
                        cancel.store(true, Ordering::Relaxed);
                    }
                    index
                },
            );
            assert!(answers.len() > 300, "{}", answers.len());
            assert!(answers.iter().copied().eq(0..answers.len() as u64));
        }
    }
}
