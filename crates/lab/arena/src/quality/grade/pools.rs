//! What is drawn from games: of each group, what has the smallest random numbers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

/// A place in the draw.
#[derive(Clone, Copy)]
pub(super) struct Lot {
    key: u64,
    /// Whether it is from a game that was played for its group.
    pub(super) seeded: bool,
}

/// What is drawn so far of groups `K`.
pub(super) struct Pools<'a, K, T> {
    /// How much is drawn of each group.
    most: usize,
    excluded: &'a HashSet<T>,
    found: BTreeMap<K, HashMap<T, Lot>>,
}

impl<'a, K: Copy + Ord, T: Copy + Eq + Hash> Pools<'a, K, T> {
    pub(super) const fn new(most: usize, excluded: &'a HashSet<T>) -> Self {
        Self { most, excluded, found: BTreeMap::new() }
    }

    /// Takes from a game what is drawn of it, at most one of each group: its items with their groups
    /// and random numbers.
    pub(super) fn offer(&mut self, game: impl IntoIterator<Item = (K, u64, T)>, seeded: bool) {
        let mut drawn: BTreeMap<K, (u64, T)> = BTreeMap::new();
        for (group, key, item) in game {
            if self.excluded.contains(&item) {
                continue;
            }
            let least = drawn.entry(group).or_insert((key, item));
            if key < least.0 {
                *least = (key, item);
            }
        }
        for (group, (key, item)) in drawn {
            let pool = self.found.entry(group).or_default();
            let lot = pool.entry(item).or_insert(Lot { key, seeded });
            if key < lot.key {
                *lot = Lot { key, seeded };
            }
            if pool.len() > self.most {
                // What is above the largest key of a full pool can never be drawn again.
                let last = pool.iter().max_by_key(|(_, lot)| lot.key).map(|(&item, _)| item);
                last.and_then(|item| pool.remove(&item));
            }
        }
    }

    /// What is drawn of a group, by its random number.
    pub(super) fn of(&self, group: K) -> Vec<(T, Lot)> {
        let mut found: Vec<(T, Lot)> =
            self.found.get(&group).into_iter().flatten().map(|(&item, &lot)| (item, lot)).collect();
        found.sort_unstable_by_key(|(_, lot)| lot.key);
        found
    }

    /// Everything that is drawn with its group, by its random number.
    pub(super) fn all(&self) -> Vec<(K, T)> {
        let of = |&group| self.of(group).into_iter().map(move |(item, lot)| (lot.key, group, item));
        let mut found: Vec<(u64, K, T)> = self.found.keys().flat_map(of).collect();
        found.sort_unstable_by_key(|(key, ..)| *key);
        found.into_iter().map(|(_, group, item)| (group, item)).collect()
    }
}
