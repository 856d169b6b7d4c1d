//! Rates: medians of short repetitions.
//!
//! A shared machine slows down now and then for a while. So a figure is the median of several
//! repetitions, what is compared takes turns, and a second is one of processor time: what other
//! programs take does not count, only that they share caches and memory.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};
use tavola_files::Failure;

#[cfg(not(unix))]
use crate::strength::timed::thread_time as processor_time;

/// Repetitions of which the median is taken.
const REPETITIONS: u32 = 7;

/// Units a second of processor time of `work`, on one thread: it does one unit with each item of the
/// slice that it is given.
pub(super) fn median<T>(budget: Duration, items: &[T], mut work: impl FnMut(&[T])) -> f64 {
    let mut walk = Walk::new(items);
    let rates = (0..REPETITIONS).map(|_| walk.rate(budget / REPETITIONS, &mut work));
    middle(&mut rates.collect::<Vec<_>>())
}

/// Measures `work`, of which a unit takes long: units a second over all that the budget allows,
/// at least one. Units differ too much for the median of short repetitions to be a mean.
pub(super) fn mean<T>(budget: Duration, items: &[T], mut work: impl FnMut(&[T])) -> f64 {
    let mut walk = Walk::new(items);
    walk.slice = 1;
    walk.rate(budget, &mut work)
}

/// Items in another order, of which the first few are spread over all of them: what a slow machine
/// has time for is then no other kind than what a fast one has.
pub(super) fn spread<T: Clone>(items: &[T]) -> Vec<T> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    // Multiples of the golden ratio modulo 1 leave no large gap.
    let place = |&index: &usize| (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    order.sort_unstable_by_key(place);
    order.into_iter().map(|index| items[index].clone()).collect()
}

/// What was measured of games on some number of threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Games {
    /// Units a second of the clock on the wall.
    pub per_wall_s: f64,
    /// Units a second of processor time of all threads together.
    pub per_s: f64,
}

/// Measures games on each of the numbers of threads, which take turns. `play` plays a number of
/// games, beginning with the number given, on a number of threads, and returns the units done: games,
/// turns or what else shall be counted a second.
pub(super) fn games(
    budget: Duration,
    threads: &[NonZeroUsize],
    mut play: impl FnMut(u64, u64, NonZeroUsize) -> Result<usize, Failure>,
) -> Result<Vec<Games>, Failure> {
    let started = Instant::now();
    let mut played = 8;
    play(0, played, NonZeroUsize::MIN)?;
    // Games come in calls that fill a repetition, as many a thread as there is time for: at the
    // end of a call the threads wait for the last game.
    let call = budget.as_secs_f64() / f64::from(REPETITIONS);
    let games_a_thread = (played as f64 / started.elapsed().as_secs_f64() * call).ceil() as u64;
    let mut rates = vec![(Vec::new(), Vec::new()); threads.len()];
    for _ in 0..REPETITIONS {
        for ((by_wall, by_processor), &threads) in rates.iter_mut().zip(threads) {
            let games = games_a_thread * threads.get() as u64;
            let (started, before) = (Instant::now(), processor_time());
            let units = play(played, games, threads)? as f64;
            by_wall.push(units / started.elapsed().as_secs_f64());
            by_processor.push(units / processor_seconds_since(before));
            played += games;
        }
    }
    let games = rates.iter_mut().map(|(by_wall, by_processor)| Games {
        per_wall_s: middle(by_wall),
        per_s: middle(by_processor),
    });
    Ok(games.collect())
}

/// Processor time that all threads of this process have taken.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).expect("a process has not taken less than no time")
}

/// Never zero, so that it can divide.
fn processor_seconds_since(before: Duration) -> f64 {
    processor_time().saturating_sub(before).max(Duration::from_nanos(1)).as_secs_f64()
}

/// Goes round and round through items, a slice at a time.
struct Walk<'a, T> {
    items: &'a [T],
    next: usize,
    /// Items between looks at the clock.
    slice: usize,
}

impl<'a, T> Walk<'a, T> {
    fn new(items: &'a [T]) -> Self {
        assert!(!items.is_empty(), "there is something to measure");
        Self { items, next: 0, slice: 64 }
    }

    /// Items a second, over the time on the wall or a single slice if that takes longer.
    fn rate(&mut self, time: Duration, work: &mut impl FnMut(&[T])) -> f64 {
        let (mut done, started, before) = (0, Instant::now(), processor_time());
        loop {
            let slice = &self.items[self.next..];
            let slice = &slice[..self.slice.min(slice.len())];
            work(slice);
            done += slice.len();
            self.next = (self.next + slice.len()) % self.items.len();
            if started.elapsed() >= time {
                return done as f64 / processor_seconds_since(before);
            }
        }
    }
}

/// The middle one, the upper of two.
fn middle(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_gets_its_turn() {
        let items: Vec<usize> = (0..150).collect();
        let mut seen = vec![0u32; items.len()];
        let rate = median(Duration::from_millis(20), &items, |slice| {
            slice.iter().for_each(|&item| seen[item] += 1);
        });
        assert!(rate > 0.0);
        let (least, most) = (seen.iter().min().unwrap(), seen.iter().max().unwrap());
        assert!(*least > 0 && most - least <= 1, "{least} to {most}");
    }

    #[test]
    fn the_first_of_spread_items_come_from_everywhere() {
        let items: Vec<usize> = (0..400).collect();
        let mut spread = spread(&items);
        for quarter in 0..4 {
            let of_quarter = spread[..40].iter().filter(|&&item| item / 100 == quarter).count();
            assert!((8..=12).contains(&of_quarter), "{of_quarter} of quarter {quarter}");
        }
        spread.sort_unstable();
        assert_eq!(spread, items);
    }

    #[test]
    fn the_median_shrugs_off_an_outlier() {
        assert_eq!(middle(&mut [5.0, 1e9, 4.0]), 5.0);
        assert_eq!(middle(&mut [7.0]), 7.0);
    }

    #[test]
    fn no_game_is_played_twice() {
        let mut next = 0;
        let two = NonZeroUsize::new(2).unwrap();
        let rates = games(Duration::from_micros(10), &[NonZeroUsize::MIN, two], |first, n, _| {
            assert_eq!(first, next);
            next += n;
            Ok(n as usize)
        });
        assert!(rates.unwrap().iter().all(|games| games.per_s > 0.0));
    }
}
