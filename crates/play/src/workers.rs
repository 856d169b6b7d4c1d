//! Spreading games over threads, and stopping.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::ThreadPoolBuilder;

/// Who plays the games, and who may call them off. Neither has an influence on a game.
#[derive(Clone, Copy, Debug)]
pub struct Workers<'a> {
    /// Threads that play at the same time. With one, the calling thread plays.
    pub threads: NonZeroUsize,
    /// Once it is true, the threads end the games that they have begun and begin no others.
    pub cancel: &'a AtomicBool,
}

impl Workers<'_> {
    /// Does `job` for each index, each thread with a state of its own from `state`. Returns the
    /// answers in the order of the indices: all of them or, once cancelled, those of the first
    /// so many indices without a gap.
    ///
    /// A thread takes the next index when it is free, since games differ in length; and every
    /// index that was taken is done, whatever happens, which is why there are no gaps.
    pub(crate) fn run<S, T: Send>(
        self,
        indices: Range<u64>,
        state: impl Fn() -> S + Sync,
        job: impl Fn(&mut S, u64) -> T + Sync,
    ) -> Vec<T> {
        let next = AtomicU64::new(indices.start);
        let work = || {
            let mut state = state();
            let mut done = Vec::new();
            while !self.cancel.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= indices.end {
                    break;
                }
                done.push((index, job(&mut state, index)));
            }
            done
        };
        let games = indices.end.saturating_sub(indices.start);
        let threads = self.threads.get().min(usize::try_from(games).unwrap_or(usize::MAX));
        let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build());
        let mut done: Vec<(u64, T)> = match pool {
            Some(Ok(pool)) => pool.broadcast(|_| work()).into_iter().flatten().collect(),
            // A system that has no more threads to give still has this one.
            Some(Err(_)) | None => work(),
        };
        done.sort_unstable_by_key(|&(index, _)| index);
        done.into_iter().map(|(_, answer)| answer).collect()
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
        }
        let workers = Workers { threads: threads(4), cancel: &cancel };
        assert!(workers.run(5..5, || (), |(), index| index).is_empty());
    }

    #[test]
    fn a_cancelled_run_has_no_gaps() {
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
