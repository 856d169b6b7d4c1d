//! Pairs of games spread over threads, whatever is played in them: known pairs are not played again,
//! failures are gathered, and a sequential test may end it all.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::duel::SprtResult;
use crate::sprt::{Sprt, Verdict};
use crate::stats::{PairFailure, PairScore, Scores};
use tavola_play::Workers;

/// Failed pairs after which a duel begins no others: a player who fails that often would do so
/// for hours.
const MOST_FAILURES: u64 = 5;

/// Which pairs are to be played.
pub(crate) struct Contest<'a, P> {
    /// Their numbers.
    pub(crate) pairs: Range<u64>,
    /// Pairs that were played before.
    pub(crate) known: &'a [P],
    /// What may end it early.
    pub(crate) sprt: Option<Sprt>,
}

impl<P: PairScore> Contest<'_, P> {
    /// Plays the pairs, each thread at a table of its own. Returns those that count, in the order
    /// of their numbers, and those that failed.
    ///
    /// `observer` is called after every pair that is played, by the thread that played it.
    pub(crate) fn play<T: Send>(
        &self,
        workers: Workers<'_>,
        table: impl Fn() -> T + Sync,
        play: impl Fn(&mut T, u64) -> Result<P, PairFailure> + Sync,
        observer: &(dyn Fn(&P) + Sync),
    ) -> (Vec<P>, Vec<PairFailure>) {
        let first = self.pairs.start;
        let known: HashMap<u64, &P> = self.known.iter().map(|pair| (pair.number(), pair)).collect();
        // Set by the caller, by too many failures or by the test.
        let stop = AtomicBool::new(workers.cancel.load(Ordering::Relaxed));
        let failed = AtomicU64::new(0);
        let test = self.sprt.map(|test| Mutex::new(InOrder::new(test, first)));
        let pairs =
            Workers { cancel: &stop, ..workers }.run(self.pairs.clone(), table, |table, number| {
                let result = match known.get(&number) {
                    Some(&known) => Ok(known.clone()),
                    None => {
                        let result = play(table, number);
                        match &result {
                            Ok(result) => observer(result),
                            Err(_) => {
                                if failed.fetch_add(1, Ordering::Relaxed) + 1 == MOST_FAILURES {
                                    stop.store(true, Ordering::Relaxed);
                                }
                            }
                        }
                        result
                    }
                };
                if let Some(test) = &test {
                    let mut test = test.lock().unwrap_or_else(PoisonError::into_inner);
                    if test.add(number, result.as_ref().ok()) {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                if workers.cancel.load(Ordering::Relaxed) {
                    stop.store(true, Ordering::Relaxed);
                }
                result
            });
        let end = test.and_then(|test| {
            test.into_inner().unwrap_or_else(PoisonError::into_inner).decided_after
        });
        let counted = end.map_or(usize::MAX, |end| (end - first + 1) as usize);
        let (mut played, mut failures) = (Vec::new(), Vec::new());
        for pair in pairs.into_iter().take(counted) {
            match pair {
                Ok(pair) => played.push(pair),
                Err(failure) => failures.push(failure),
            }
        }
        (played, failures)
    }
}

/// Asks a test after every pair in the order of their numbers, whatever the order in which they
/// come.
struct InOrder<P> {
    test: Sprt,
    next: u64,
    /// Pairs that came before their turn; `None` for those that failed.
    early: BTreeMap<u64, Option<P>>,
    scores: Scores,
    /// The number of the pair after which the test ended.
    decided_after: Option<u64>,
}

impl<P: PairScore> InOrder<P> {
    fn new(test: Sprt, first: u64) -> Self {
        let (early, scores) = (BTreeMap::new(), Scores::default());
        Self { test, next: first, early, scores, decided_after: None }
    }

    /// Whether the test has ended, now that this pair is known.
    fn add(&mut self, number: u64, pair: Option<&P>) -> bool {
        self.early.insert(number, pair.cloned());
        while self.decided_after.is_none()
            && let Some(pair) = self.early.remove(&self.next)
        {
            if let Some(pair) = pair {
                self.scores.add(&pair);
                let said = SprtResult::of(self.test, &self.scores);
                if said.is_some_and(|said| said.verdict != Verdict::Open) {
                    self.decided_after = Some(self.next);
                }
            }
            self.next += 1;
        }
        self.decided_after.is_some()
    }
}
