//! Which pairs of a duel are played, and in which order they are reported.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tavola_files::{locked, unlocked};
use tavola_play::Workers;

use crate::stats::{PairFailure, PairResult, Scores};
use crate::strength::duel::SprtResult;
use crate::strength::sprt::{Sprt, SprtVerdict};

/// Failed pairs after which a duel begins no others: a player who fails that often would do so
/// for hours.
pub(crate) const MOST_FAILURES: u64 = 5;

/// Plays the pairs of these numbers, each thread with a worker of its own. Those that are known were
/// played before, and a test may end it early. Returns those that count and those that failed, both
/// in the order of their numbers.
///
/// `observer` is called for every pair that is played and counts, in the order of their numbers, so
/// what it writes is the same on any number of threads.
pub(crate) fn play_pairs<T: Send>(
    (pairs, known, sprt): (Range<u64>, &[PairResult], Option<Sprt>),
    workers: Workers<'_>,
    worker: impl Fn() -> T,
    play: impl Fn(&mut T, u64) -> Result<PairResult, PairFailure> + Sync,
    observer: &(dyn Fn(&PairResult) + Sync),
) -> (Vec<PairResult>, Vec<PairFailure>) {
    let known: HashMap<u64, PairResult> = known.iter().map(|pair| (pair.pair, *pair)).collect();
    // Set by the caller, by too many failures or by the test.
    let stop = AtomicBool::new(workers.cancel.load(Ordering::Relaxed));
    let failed = AtomicU64::new(0);
    let reported = Mutex::new(InOrder::new(sprt, pairs.start));
    Workers { cancel: &stop, ..workers }.run(pairs, worker, |worker, number| {
        let (result, is_new) = match known.get(&number) {
            Some(&known) => (Ok(known), false),
            None => (play(worker, number), true),
        };
        // A pair that was called off was not played.
        if result.is_err() && workers.cancel.load(Ordering::Relaxed) {
            stop.store(true, Ordering::Relaxed);
            return;
        }
        if result.is_err() && failed.fetch_add(1, Ordering::Relaxed) + 1 == MOST_FAILURES {
            stop.store(true, Ordering::Relaxed);
        }
        let mut reported = locked(&reported);
        let decided = reported.add(number, result, is_new, observer);
        if decided || workers.cancel.load(Ordering::Relaxed) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    let reported = unlocked(reported);
    (reported.played, reported.failures)
}

/// Tells pairs in the order of their numbers, whatever the order in which they come, up to the one
/// with which the test ends.
pub(crate) struct InOrder {
    test: Option<Sprt>,
    /// The number of the pair that is reported next.
    pub(crate) next: u64,
    /// Pairs that came before their turn, and whether they were played now.
    early: BTreeMap<u64, (Result<PairResult, PairFailure>, bool)>,
    scores: Scores,
    pub(crate) played: Vec<PairResult>,
    pub(crate) failures: Vec<PairFailure>,
    decided: bool,
}

impl InOrder {
    pub(crate) fn new(test: Option<Sprt>, first: u64) -> Self {
        Self {
            test,
            next: first,
            early: BTreeMap::new(),
            scores: Scores::default(),
            played: Vec::new(),
            failures: Vec::new(),
            decided: false,
        }
    }

    /// Whether the test has ended, now that this pair is there.
    pub(crate) fn add(
        &mut self,
        number: u64,
        pair: Result<PairResult, PairFailure>,
        is_new: bool,
        observer: &(dyn Fn(&PairResult) + Sync),
    ) -> bool {
        self.early.insert(number, (pair, is_new));
        while !self.decided
            && let Some((pair, is_new)) = self.early.remove(&self.next)
        {
            self.next += 1;
            match pair {
                Ok(pair) => {
                    if is_new {
                        observer(&pair);
                    }
                    self.scores.add(&pair);
                    self.played.push(pair);
                    self.decided = self
                        .test
                        .and_then(|test| SprtResult::of(test, &self.scores))
                        .is_some_and(|said| said.verdict != SprtVerdict::Open);
                }
                Err(failure) => self.failures.push(failure),
            }
        }
        self.decided
    }
}
