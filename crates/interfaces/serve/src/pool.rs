//! The worker threads, and the queue before them: bounded, with a share for each client.
//!
//! Clients take turns by the time that they have used: a client that has used little goes before one
//! that has used much. Each thread takes tasks of some costs alone, so that what is cheap never waits
//! for what is dear. While the queue is full, a client with more than its share is refused.

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tavola_engine::Cost;
use tavola_files::locked;
use tokio::sync::oneshot;

use crate::error::{ApiError, Result};

mod queue;

use queue::Queue;
pub(crate) use queue::{Task, Ticket};

type Work = Box<dyn FnOnce(Alone) + Send>;

/// A thread that does tasks of these costs.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    costs: RangeInclusive<Cost>,
    /// Whether it leaves the processor to others.
    is_patient: bool,
}

impl Lane {
    /// For requests: threads that wait for what is quick, one of them for the quickest alone, and
    /// as many for all else.
    pub(crate) fn of_requests(threads: NonZeroUsize) -> Vec<Self> {
        let lane = |costs, is_patient| Self { costs, is_patient };
        let mut lanes = vec![lane(Cost::Small..=Cost::Small, false)];
        let quick = threads.get().saturating_sub(1).max(1);
        lanes.extend(vec![lane(Cost::Small..=Cost::Medium, false); quick]);
        lanes.extend(vec![lane(Cost::Large..=Cost::Huge, true); threads.get()]);
        lanes
    }

    /// For jobs: one thread for those of some seconds, and these for all.
    pub(crate) fn of_jobs(threads: NonZeroUsize) -> Vec<Self> {
        let mut lanes = vec![Self { costs: Cost::Small..=Cost::Large, is_patient: true }];
        let all = Self { costs: Cost::Small..=Cost::Huge, is_patient: true };
        lanes.extend(vec![all; threads.get()]);
        lanes
    }
}

/// Worker threads that do the tasks of clients in turn.
pub(crate) struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    ready: Condvar,
    capacity: usize,
}

/// What a task gets that has to be alone: others like it wait until this is dropped.
pub(crate) struct Alone(Option<Arc<Shared>>);

impl Drop for Alone {
    fn drop(&mut self) {
        if let Some(shared) = self.0.take() {
            shared.lock().is_taken = false;
            shared.ready.notify_all();
        }
    }
}

impl Pool {
    /// A pool with these threads, before which at most `capacity` tasks wait.
    pub(crate) fn new(name: &str, lanes: Vec<Lane>, capacity: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { queue: Mutex::default(), ready: Condvar::new(), capacity });
        for (number, lane) in lanes.into_iter().enumerate() {
            let own = Arc::clone(&shared);
            shared.lock().threads += 1;
            let work = move || own.work(&lane);
            let started = thread::Builder::new().name(format!("{name} {number}")).spawn(work);
            started.inspect_err(|_| shared.lock().threads -= 1)?;
        }
        Ok(Self { shared })
    }

    /// How many tasks wait.
    pub(crate) fn waiting(&self) -> usize {
        self.shared.lock().length
    }

    /// Puts a task into the queue of a client.
    pub(crate) fn submit(&self, client: IpAddr, task: Task) -> Result<Ticket> {
        let mut queue = self.shared.lock();
        if queue.closed {
            return Err(ApiError::busy("the server is shutting down"));
        }
        let own = queue.clients.get(&client).map_or(0, |account| account.waiting.len());
        let waiting = queue.clients.values().filter(|account| !account.waiting.is_empty());
        let clients = waiting.count() + usize::from(own == 0);
        let share = (self.shared.capacity / clients).max(1);
        // A client below its share is let in even then: shares of all others are not used up.
        if queue.length >= self.shared.capacity && own >= share {
            return Err(ApiError::busy(format_args!(
                "{own} requests of this client wait, and the queue is full; try again in a second"
            )));
        }
        let ticket = queue.push(client, task);
        drop(queue);
        self.shared.ready.notify_all();
        Ok(ticket)
    }

    /// Takes a task out of the queue; whether it still waited.
    pub(crate) fn withdraw(&self, client: IpAddr, ticket: Ticket) -> bool {
        let task = self.shared.lock().withdraw(client, ticket);
        // It is dropped here, with all that it holds, and not under the lock.
        task.is_some()
    }

    /// Does work for a client and waits for it, at most as long as `limit`. The flag that the work
    /// gets is set when the time is over or the client goes away; what still waits then leaves.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        client: IpAddr,
        cost: Cost,
        limit: Duration,
        work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    ) -> Result<T> {
        let cancel = Arc::new(AtomicBool::new(false));
        let (answer, answered) = oneshot::channel();
        let flag = Arc::clone(&cancel);
        let work = Box::new(move |_| {
            // Whoever asked may be gone.
            let _ = answer.send(work(&flag));
        });
        let ticket = self.submit(client, Task { cost, is_alone: false, work })?;
        let _asking = Asking { pool: self, client, ticket, cancel };
        match tokio::time::timeout(limit, answered).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(ApiError::internal("the work failed, which is an error of tavola")),
            Err(_) => Err(ApiError::too_long(limit)),
        }
    }

    /// Drops what waits, and waits for what is being done, but not longer than `patience`; whether
    /// all threads have ended.
    pub(crate) fn close(&self, patience: Duration) -> bool {
        let mut queue = self.shared.lock();
        queue.closed = true;
        queue.length = 0;
        let dropped: Vec<_> = queue
            .clients
            .values_mut()
            .map(|account| std::mem::take(&mut account.waiting))
            .collect();
        drop(queue);
        drop(dropped);
        self.shared.ready.notify_all();
        let running = |queue: &mut Queue| queue.threads > 0;
        let waited = self.shared.ready.wait_timeout_while(self.shared.lock(), patience, running);
        let (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        queue.threads == 0
    }
}

/// A request that waits for its answer.
struct Asking<'a> {
    pool: &'a Pool,
    client: IpAddr,
    ticket: Ticket,
    cancel: Arc<AtomicBool>,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.pool.withdraw(self.client, self.ticket);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        locked(&self.queue)
    }

    fn work(self: &Arc<Self>, lane: &Lane) {
        if lane.is_patient {
            let_others_go_first();
        }
        loop {
            let mut queue = self.lock();
            let (client, task) = loop {
                if queue.closed {
                    queue.threads -= 1;
                    drop(queue);
                    self.ready.notify_all();
                    return;
                }
                if let Some(task) = queue.take(&lane.costs) {
                    break task;
                }
                queue = self.ready.wait(queue).unwrap_or_else(PoisonError::into_inner);
            };
            drop(queue);
            let Task { cost, is_alone, work } = task;
            let alone = Alone(is_alone.then(|| Arc::clone(self)));
            let began = Instant::now();
            // A panic is told by the hook of the program, and to the client by the closed channel.
            let _ = catch_unwind(AssertUnwindSafe(move || work(alone)));
            self.lock().finish(client, cost, began.elapsed());
        }
    }
}

/// Gives this thread a lower priority, where the system knows priorities of threads.
fn let_others_go_first() {
    // Where it is refused, all are equal.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::mpsc;

    use super::*;

    pub(super) const LONG: Duration = Duration::from_secs(60);

    pub(super) fn address(last: u8) -> IpAddr {
        IpAddr::from([127, 0, 0, last])
    }

    pub(super) fn task(cost: Cost, work: impl FnOnce() + Send + 'static) -> Task {
        Task { cost, is_alone: false, work: Box::new(move |_| work()) }
    }

    fn pool(threads: usize) -> Pool {
        Pool::new("test", Lane::of_requests(NonZeroUsize::new(threads).unwrap()), 100).unwrap()
    }

    #[test]
    fn what_is_cheap_does_not_wait_for_what_is_dear() {
        for threads in [1, 2] {
            let (pool, barrier) = (pool(threads), Arc::new(Barrier::new(threads + 1)));
            let (tell, told) = mpsc::channel();
            for _ in 0..threads {
                let barrier = Arc::clone(&barrier);
                let held = move || {
                    barrier.wait();
                    barrier.wait();
                };
                pool.submit(address(1), task(Cost::Huge, held)).unwrap();
            }
            // From here on all threads for dear tasks are held.
            barrier.wait();
            for client in [1, 2] {
                for cost in [Cost::Large, Cost::Medium, Cost::Small] {
                    let tell = tell.clone();
                    let told = move || tell.send((client, cost)).unwrap();
                    pool.submit(address(client), task(cost, told)).unwrap();
                }
            }
            let mut found: Vec<_> = (0..4).map(|_| told.recv_timeout(LONG).unwrap()).collect();
            found.sort_unstable();
            let (small, medium) = (Cost::Small, Cost::Medium);
            assert_eq!(found, [(1, small), (1, medium), (2, small), (2, medium)]);
            assert!(told.try_recv().is_err());
            barrier.wait();
            assert!(told.recv_timeout(LONG).is_ok() && told.recv_timeout(LONG).is_ok());
            assert!(pool.close(LONG));
        }
    }

    #[test]
    fn tasks_that_have_to_be_alone_hold_no_other_thread() {
        let pool = Pool::new("test", Lane::of_jobs(NonZeroUsize::MIN), 100).unwrap();
        let (tell, told) = mpsc::channel();
        let (hold, held) = mpsc::channel::<()>();
        let begun = tell.clone();
        let first = Box::new(move |alone: Alone| {
            begun.send(1).unwrap();
            let _ = held.recv();
            drop(alone);
        });
        pool.submit(address(1), Task { cost: Cost::Small, is_alone: true, work: first }).unwrap();
        assert_eq!(told.recv_timeout(LONG), Ok(1));
        let second = tell.clone();
        let second = Box::new(move |_: Alone| second.send(2).unwrap());
        pool.submit(address(2), Task { cost: Cost::Small, is_alone: true, work: second }).unwrap();
        pool.submit(address(3), task(Cost::Small, move || tell.send(3).unwrap())).unwrap();
        assert_eq!(told.recv_timeout(LONG), Ok(3), "the other thread is free");
        drop(hold);
        assert_eq!(told.recv_timeout(LONG), Ok(2));
        assert!(pool.close(LONG));
    }

    #[test]
    fn a_full_queue_refuses_those_with_more_than_their_share() {
        let lanes = vec![Lane { costs: Cost::Small..=Cost::Small, is_patient: false }];
        let pool = Pool::new("test", lanes, 4).unwrap();
        let waiting = || task(Cost::Huge, || ());
        let tickets: Vec<_> = (0..4).map(|_| pool.submit(address(1), waiting()).unwrap()).collect();
        let refused = pool.submit(address(1), waiting()).unwrap_err();
        assert_eq!(refused.status.as_u16(), 429);
        assert!(refused.message.contains("4 requests"), "{}", refused.message);
        pool.submit(address(2), waiting()).unwrap();
        // Who leaves makes room at once.
        assert!(pool.withdraw(address(1), tickets[0]) && !pool.withdraw(address(1), tickets[0]));
        assert!(pool.withdraw(address(1), tickets[1]));
        pool.submit(address(1), waiting()).unwrap();
        assert_eq!(pool.waiting(), 4);
        assert!(pool.close(LONG));
        assert!(pool.submit(address(1), waiting()).is_err());
    }

    #[test]
    fn who_stops_waiting_leaves_the_queue_and_the_end_waits_for_no_thread_for_ever() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let pool = pool(1);
        let (begun, begins) = mpsc::channel();
        let (hold, held) = mpsc::channel::<()>();
        let held = move || {
            begun.send(()).unwrap();
            let _ = held.recv();
        };
        pool.submit(address(1), task(Cost::Huge, held)).unwrap();
        begins.recv_timeout(LONG).unwrap();
        let asked = pool.ask(address(2), Cost::Large, Duration::from_millis(1), |_| ());
        assert_eq!(runtime.block_on(asked).unwrap_err().status.as_u16(), 429);
        assert_eq!(pool.waiting(), 0);
        assert!(!pool.close(Duration::from_millis(1)), "a thread is held");
        drop(hold);
        assert!(pool.close(LONG));
    }

    #[test]
    fn a_panic_ends_no_worker() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let pool = pool(1);
        let failed: Result<(), _> =
            runtime.block_on(pool.ask(address(1), Cost::Huge, LONG, |_| panic!("as it must")));
        assert_eq!(failed.unwrap_err().status.as_u16(), 500);
        assert_eq!(runtime.block_on(pool.ask(address(1), Cost::Huge, LONG, |_| 7)).unwrap(), 7);
        assert!(pool.close(LONG));
    }
}
