//! Values of nodes that were evaluated before.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::sync::Mutex;

use tavola_files::locked;
/// Parts that are locked apart, so that threads rarely wait for each other.
const SHARDS: usize = 64;

/// Values of states by depth, shared by the threads of a search, in bounded memory.
///
/// The value of a node follows from its state and depth alone, so it does not matter for any
/// answer which thread has put it here, or whether it is still here.
pub(super) struct NodeCache<S, V> {
    shards: Vec<Mutex<Shard<S, V>>>,
    /// Most entries of a shard; a full one forgets everything.
    most: usize,
}

/// A state and the depth of its evaluation, with its value.
type Shard<S, V> = HashMap<(S, u8), V, BuildHasherDefault<DefaultHasher>>;

impl<S: Copy + Eq + Hash, V: Copy> NodeCache<S, V> {
    /// An empty cache of at most about this number of bytes.
    pub(super) fn new(bytes: usize) -> Self {
        // A table of the standard library has a byte a slot beside the entry, is full at 7/8 and
        // has twice as many slots after it has grown.
        let entry = size_of::<((S, u8), V)>() + 1;
        let slots = (bytes / SHARDS / entry).max(1);
        let slots = if slots.is_power_of_two() { slots } else { slots.next_power_of_two() / 2 };
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, most: slots * 7 / 8 }
    }

    /// The value of the state at this depth, if it is known.
    pub(super) fn get(&self, state: &S, ply: u8) -> Option<V> {
        let key = (*state, ply);
        let shard = locked(self.shard(&key));
        shard.get(&key).copied()
    }

    /// Remembers a value.
    pub(super) fn put(&self, state: &S, ply: u8, value: V) {
        let key = (*state, ply);
        let mut shard = locked(self.shard(&key));
        if shard.len() >= self.most {
            shard.clear();
        }
        shard.insert(key, value);
    }

    fn shard(&self, key: &(S, u8)) -> &Mutex<Shard<S, V>> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(key);
        // The tables use the low bits and the highest.
        &self.shards[(hash >> 32) as usize % SHARDS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_answers_what_it_was_told_and_stays_within_its_bound() {
        let cache = NodeCache::<u64, f32>::new(1 << 16);
        for state in 0..100_000 {
            cache.put(&state, 1, state as f32);
            assert_eq!(cache.get(&state, 1), Some(state as f32));
            assert_eq!(cache.get(&state, 2), None);
        }
        let entries: usize = cache.shards.iter().map(|shard| shard.lock().unwrap().len()).sum();
        assert!(entries * size_of::<((u64, u8), f32)>() <= 1 << 16, "{entries}");
        assert!(entries > 500, "{entries}");
        for state in 0..100_000 {
            assert!(cache.get(&state, 1).is_none_or(|value| value == state as f32));
        }
    }
}
