//! Values by key that are dear to make: each is made once, and no lock is held over others.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use tavola_files::locked;

/// Values that are kept; of more, those that were used longest ago are made again.
const MOST: usize = 32;

/// A value, once it is there. Who makes it holds the lock.
type Slot<V> = Arc<Mutex<Option<V>>>;

/// Values by their keys. While one is made, only those wait who want the same.
#[derive(Debug)]
pub(crate) struct Made<K, V>(Mutex<Slots<K, V>>);

#[derive(Debug)]
struct Slots<K, V> {
    /// With the time of its last use.
    by_key: HashMap<K, (u64, Slot<V>)>,
    time: u64,
}

impl<K, V> Default for Made<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Slots { by_key: HashMap::new(), time: 0 }))
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Made<K, V> {
    /// The value of a key if it is good enough, and else a new one.
    pub(crate) fn get<E>(
        &self,
        key: &K,
        is_enough: impl FnOnce(&V) -> bool,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        let slot = self.slot(key);
        let mut slot = locked(&slot);
        if let Some(value) = slot.as_ref().filter(|value| is_enough(value)) {
            return Ok(value.clone());
        }
        let value = make()?;
        *slot = Some(value.clone());
        Ok(value)
    }

    fn slot(&self, key: &K) -> Slot<V> {
        let mut slots = locked(&self.0);
        slots.time += 1;
        let time = slots.time;
        let (used, slot) = slots.by_key.entry(key.clone()).or_default();
        *used = time;
        let slot = Arc::clone(slot);
        if slots.by_key.len() > MOST {
            let oldest = slots.by_key.iter().min_by_key(|(_, (used, _))| *used);
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.and_then(|oldest| slots.by_key.remove(&oldest));
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn while_a_value_is_made_others_are_had() {
        let (made, barrier) = (Made::<u8, u8>::default(), Barrier::new(2));
        let of = |key: u8| made.get(&key, |_| true, || Ok::<_, Infallible>(key));
        assert_eq!(of(1), Ok(1));
        thread::scope(|scope| {
            let slow = scope.spawn(|| {
                made.get(
                    &2,
                    |_| true,
                    || {
                        // Both stand here until the others were had.
                        barrier.wait();
                        barrier.wait();
                        Ok::<_, Infallible>(20)
                    },
                )
            });
            barrier.wait();
            assert_eq!((of(1), of(3)), (Ok(1), Ok(3)));
            barrier.wait();
            assert_eq!(slow.join().unwrap(), Ok(20));
        });
        assert_eq!(of(2), Ok(20), "it was made once");
    }

    #[test]
    fn a_value_that_is_wanted_by_many_is_made_once_and_a_failure_again() {
        let (made, makings) = (Made::<u8, usize>::default(), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let make = || Ok::<_, Infallible>(makings.fetch_add(1, Ordering::Relaxed));
                    assert_eq!(made.get(&1, |_| true, make), Ok(0));
                });
            }
        });
        assert_eq!(made.get(&2, |_| true, || Err("not there yet")), Err("not there yet"));
        assert_eq!(made.get(&2, |_| true, || Ok::<_, &str>(5)), Ok(5));
        assert_eq!(made.get(&2, |&value| value > 5, || Ok::<_, &str>(6)), Ok(6), "too little");
    }

    #[test]
    fn those_used_longest_ago_go_first() {
        let made = Made::<usize, usize>::default();
        for key in 0..10 * MOST {
            assert_eq!(made.get(&key, |_| true, || Ok::<_, Infallible>(key)), Ok(key));
            assert_eq!(made.get(&0, |_| true, || Err("made again")), Ok(0));
        }
        assert_eq!(locked(&made.0).by_key.len(), MOST);
    }
}
