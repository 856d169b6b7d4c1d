//! The worker threads, and the queue before them: bounded, with a share for each client.
//!
//! Clients take turns: a client with a thousand questions waits behind those with one.
//! While the queue is full, a client with more than its share is refused.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tavola_files::locked;
use tokio::sync::oneshot;

use crate::error::ApiError;

type Task = Box<dyn FnOnce() + Send>;

/// Worker threads that do the tasks of clients in turn.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    workers: Mutex<Vec<thread::JoinHandle<()>>>,
}

struct Shared {
    queue: Mutex<Queue>,
    ready: Condvar,
    capacity: usize,
}

#[derive(Default)]
struct Queue {
    /// The tasks of each client that has some.
    waiting: HashMap<IpAddr, VecDeque<Task>>,
    /// These clients, the one whose turn it is first.
    turns: VecDeque<IpAddr>,
    length: usize,
    closed: bool,
}

impl Queue {
    fn next(&mut self) -> Option<Task> {
        let client = self.turns.pop_front()?;
        let tasks = self.waiting.get_mut(&client)?;
        let task = tasks.pop_front()?;
        self.length -= 1;
        if tasks.is_empty() {
            self.waiting.remove(&client);
        } else {
            self.turns.push_back(client);
        }
        Some(task)
    }
}

impl Pool {
    /// A pool of this many threads, before which at most `capacity` tasks wait.
    pub(crate) fn new(name: &str, threads: NonZeroUsize, capacity: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { queue: Mutex::default(), ready: Condvar::new(), capacity });
        let workers = (0..threads.get())
            .map(|number| {
                let shared = Arc::clone(&shared);
                thread::Builder::new().name(format!("{name} {number}")).spawn(move || shared.work())
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { shared, workers: Mutex::new(workers) })
    }

    /// How many tasks wait.
    pub(crate) fn waiting(&self) -> usize {
        self.shared.lock().length
    }

    /// Puts a task into the queue of a client.
    pub(crate) fn submit(
        &self,
        client: IpAddr,
        task: impl FnOnce() + Send + 'static,
    ) -> Result<(), ApiError> {
        let mut queue = self.shared.lock();
        if queue.closed {
            return Err(ApiError::busy("the server is shutting down"));
        }
        let own = queue.waiting.get(&client).map_or(0, VecDeque::len);
        let clients = queue.waiting.len() + usize::from(own == 0);
        let share = (self.shared.capacity / clients).max(1);
        // A client below its share is let in even then: shares of all others are not used up.
        if queue.length >= self.shared.capacity && own >= share {
            return Err(ApiError::busy(format_args!(
                "{own} requests of this client wait, and the queue is full; try again in a second"
            )));
        }
        if own == 0 {
            queue.turns.push_back(client);
        }
        queue.waiting.entry(client).or_default().push_back(Box::new(task));
        queue.length += 1;
        drop(queue);
        self.shared.ready.notify_one();
        Ok(())
    }

    /// Does work for a client and waits for it, at most as long as `limit`. The flag that the work
    /// gets is set when the time is over or the client goes away.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        client: IpAddr,
        limit: Duration,
        work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let cancel = CancelOnDrop(Arc::new(AtomicBool::new(false)));
        let (answer, answered) = oneshot::channel();
        let flag = Arc::clone(&cancel.0);
        self.submit(client, move || {
            if !flag.load(Ordering::Relaxed) {
                // Whoever asked may be gone.
                let _ = answer.send(work(&flag));
            }
        })?;
        match tokio::time::timeout(limit, answered).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(ApiError::internal("the work failed, which is an error of tavola")),
            Err(_) => Err(ApiError::too_long(limit)),
        }
    }

    /// Ends the threads after what they are doing; tasks that wait are dropped.
    pub(crate) fn close(&self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        *queue = Queue { closed: true, ..Queue::default() };
        drop(queue);
        self.shared.ready.notify_all();
        let workers = std::mem::take(&mut *locked(&self.workers));
        for worker in workers {
            let _ = worker.join();
        }
    }
}

/// Sets the flag when the client that waits is gone.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        locked(&self.queue)
    }

    fn work(&self) {
        loop {
            let mut queue = self.lock();
            let task = loop {
                if queue.closed {
                    return;
                }
                if let Some(task) = queue.next() {
                    break task;
                }
                queue = self.ready.wait(queue).unwrap_or_else(PoisonError::into_inner);
            };
            drop(queue);
            // A panic is told by the hook of the program, and to the client by the closed channel.
            let _ = catch_unwind(AssertUnwindSafe(task));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([127, 0, 0, last])
    }

    /// A pool of one thread that is held by a task until the sender is dropped.
    fn held(capacity: usize) -> (Pool, mpsc::Sender<()>) {
        let pool = Pool::new("test", NonZeroUsize::MIN, capacity).unwrap();
        let (hold, held) = mpsc::channel::<()>();
        let (began, begun) = mpsc::channel();
        pool.submit(address(99), move || {
            began.send(()).unwrap();
            let _ = held.recv();
        })
        .unwrap();
        begun.recv().unwrap();
        (pool, hold)
    }

    #[test]
    fn clients_take_turns() {
        let (pool, hold) = held(100);
        let (tell, told) = mpsc::channel();
        for (client, number) in [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2)] {
            let tell = tell.clone();
            pool.submit(address(client), move || tell.send((client, number)).unwrap()).unwrap();
        }
        drop((hold, tell));
        let order: Vec<_> = told.iter().collect();
        assert_eq!(order, [(1, 1), (2, 1), (3, 1), (1, 2), (3, 2), (1, 3)]);
        pool.close();
    }

    #[test]
    fn a_full_queue_refuses_those_with_more_than_their_share() {
        let (pool, hold) = held(4);
        for _ in 0..4 {
            pool.submit(address(1), || ()).unwrap();
        }
        let refused = pool.submit(address(1), || ()).unwrap_err();
        assert_eq!(refused.status.as_u16(), 429);
        assert!(refused.message.contains("4 requests"), "{}", refused.message);
        pool.submit(address(2), || ()).unwrap();
        drop(hold);
        pool.close();
        assert!(pool.submit(address(1), || ()).is_err());
    }

    #[test]
    fn a_panic_ends_no_worker() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let pool = Pool::new("test", NonZeroUsize::MIN, 10).unwrap();
        let limit = Duration::from_secs(60);
        let failed: Result<(), _> =
            runtime.block_on(pool.ask(address(1), limit, |_| panic!("as it must")));
        assert_eq!(failed.unwrap_err().status.as_u16(), 500);
        assert_eq!(runtime.block_on(pool.ask(address(1), limit, |_| 7)).unwrap(), 7);
        pool.close();
    }
}
