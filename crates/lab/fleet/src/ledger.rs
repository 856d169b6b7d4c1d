//! Which shards of a task are missing, in check, or settled. Pure: it knows no network.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The shards of a round.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// By their first game.
    shards: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    count: u64,
    state: State,
}

#[derive(Debug)]
enum State {
    Missing,
    /// Accepted, and played once more by another worker.
    InCheck(FleetGames),
    Settled(FleetGames),
}

/// Whose games they are, and their checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FleetGames {
    pub(crate) worker: String,
    pub(crate) sha256: String,
}

/// What a result of a shard means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The first result: its games are wanted.
    Wanted,
    /// The shard is settled, or the result comes from the worker that is in check.
    Repeated,
    /// Another worker has played the same games.
    Agreed,
    /// Another worker has played other games than this one before it.
    Differs(FleetGames),
    /// No shard of this round.
    Unknown,
}

/// How the items of a task are cut into shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The most items of a shard.
    pub(crate) size: u64,
    /// Threads that wait for shards.
    pub(crate) threads: u64,
}

impl Cut {
    /// Items of the next shard when this number is left. The last shards are small, so that threads
    /// end at about the same time (guided self-scheduling).
    fn next(self, left: u64) -> u64 {
        let size = self.size.max(1);
        let fair = left / (2 * self.threads.max(1));
        // Below an eighth the journey of a shard would cost more than what waiting does.
        fair.clamp(size.div_ceil(8), size).min(left)
    }
}

impl Ledger {
    /// Cuts the items of a task into shards.
    pub(crate) fn new(items: &[Range<u64>], cut: Cut) -> Self {
        let mut left: u64 = items.iter().map(|range| range.end.saturating_sub(range.start)).sum();
        let mut shards = BTreeMap::new();
        for range in items {
            let mut first = range.start;
            while first < range.end {
                let count = cut.next(left).min(range.end - first);
                shards.insert(first, Entry { count, state: State::Missing });
                first += count;
                left -= count;
            }
        }
        Self { shards }
    }

    /// First item and number of items of each shard without a result.
    pub(crate) fn missing(&self) -> Vec<(u64, u64)> {
        let missing = self.shards.iter().filter(|(_, it)| matches!(it.state, State::Missing));
        missing.map(|(&first, entry)| (first, entry.count)).collect()
    }

    /// Those of each shard that is to be done once more, with the worker that has done it.
    pub(crate) fn in_check(&self) -> Vec<(u64, u64, String)> {
        let checked = self.shards.iter().filter_map(|(&first, entry)| match &entry.state {
            State::InCheck(played) => Some((first, entry.count, played.worker.clone())),
            _ => None,
        });
        checked.collect()
    }

    /// Whether nothing is left to be played.
    pub(crate) fn is_complete(&self) -> bool {
        self.shards.values().all(|entry| matches!(entry.state, State::Settled(_)))
    }

    /// What a result means.
    pub(crate) fn meaning(&self, first: u64, count: u64, result: &FleetGames) -> Meaning {
        match self.shards.get(&first) {
            Some(entry) if entry.count == count => match &entry.state {
                State::Missing => Meaning::Wanted,
                State::Settled(_) => Meaning::Repeated,
                State::InCheck(before) if before.worker == result.worker => Meaning::Repeated,
                State::InCheck(before) if before.sha256 == result.sha256 => Meaning::Agreed,
                State::InCheck(before) => Meaning::Differs(before.clone()),
            },
            _ => Meaning::Unknown,
        }
    }

    /// The games of a shard were accepted, and are to be played once more if `check`.
    pub(crate) fn accept(&mut self, first: u64, played: FleetGames, check: bool) {
        if let Some(entry) = self.shards.get_mut(&first) {
            entry.state = if check { State::InCheck(played) } else { State::Settled(played) };
        }
    }

    /// The games of a shard in check are right.
    pub(crate) fn settle(&mut self, first: u64) {
        if let Some(entry) = self.shards.get_mut(&first)
            && let State::InCheck(played) = &entry.state
        {
            entry.state = State::Settled(played.clone());
        }
    }

    /// Forgets all games of the workers, and returns the shards that are missing now.
    pub(crate) fn forget(&mut self, workers: &BTreeSet<String>) -> Vec<(u64, u64)> {
        let mut forgotten = Vec::new();
        for (&first, entry) in &mut self.shards {
            match &entry.state {
                State::InCheck(played) | State::Settled(played)
                    if workers.contains(&played.worker) =>
                {
                    entry.state = State::Missing;
                    forgotten.push((first, entry.count));
                }
                _ => {}
            }
        }
        forgotten
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    fn played(worker: &str, sha256: &str) -> FleetGames {
        FleetGames { worker: worker.to_owned(), sha256: sha256.to_owned() }
    }

    /// One shard of all items.
    fn whole(count: u64) -> Ledger {
        let shards = BTreeMap::from([(0, Entry { count, state: State::Missing })]);
        Ledger { shards }
    }

    #[test]
    fn each_item_is_in_one_shard_and_the_last_ones_are_small() {
        let one = |threads| Cut { size: 8, threads };
        let ledger = Ledger::new(from_ref(&(10..31)), one(1));
        assert_eq!(ledger.missing(), [(10, 8), (18, 6), (24, 3), (27, 2), (29, 1), (30, 1)]);
        assert!(!ledger.is_complete());
        assert!(Ledger::new(from_ref(&(4..4)), one(1)).is_complete());
        for threads in [1, 3, 100] {
            let items = [3..40, 50..51, 90..1000];
            let mut found = Ledger::new(&items, Cut { size: 30, threads }).missing();
            assert!(found.iter().all(|&(_, count)| (1..=30).contains(&count)), "{found:?}");
            let mut expected = items.into_iter().flatten();
            found.sort_unstable();
            for (first, count) in found {
                assert!((first..first + count).all(|item| expected.next() == Some(item)));
            }
            assert_eq!(expected.next(), None);
        }
    }

    #[test]
    fn a_shard_that_is_played_twice_counts_once() {
        let mut ledger = whole(4);
        assert_eq!(ledger.meaning(0, 4, &played("a", "x")), Meaning::Wanted);
        ledger.accept(0, played("a", "x"), false);
        assert_eq!(ledger.meaning(0, 4, &played("b", "x")), Meaning::Repeated);
        assert_eq!(ledger.meaning(0, 3, &played("b", "x")), Meaning::Unknown);
        assert_eq!(ledger.meaning(2, 2, &played("b", "x")), Meaning::Unknown);
        assert!(ledger.is_complete());
    }

    #[test]
    fn a_check_needs_another_worker() {
        let mut ledger = whole(4);
        ledger.accept(0, played("a", "x"), true);
        assert!(!ledger.is_complete());
        assert_eq!(ledger.in_check(), [(0, 4, "a".to_owned())]);
        assert_eq!(ledger.meaning(0, 4, &played("a", "x")), Meaning::Repeated);
        assert_eq!(ledger.meaning(0, 4, &played("b", "x")), Meaning::Agreed);
        assert_eq!(ledger.meaning(0, 4, &played("b", "y")), Meaning::Differs(played("a", "x")));
        ledger.settle(0);
        assert!(ledger.is_complete());
    }

    #[test]
    fn shards_of_an_excluded_worker_are_missing_again() {
        let missing = |first| (first, Entry { count: 4, state: State::Missing });
        let mut ledger = Ledger { shards: BTreeMap::from([missing(0), missing(4)]) };
        ledger.accept(0, played("a", "x"), false);
        ledger.accept(4, played("b", "x"), true);
        let excluded = BTreeSet::from(["a".to_owned()]);
        assert_eq!(ledger.forget(&excluded), [(0, 4)]);
        assert_eq!(ledger.missing(), [(0, 4)]);
        assert_eq!(ledger.in_check().len(), 1);
    }
}
