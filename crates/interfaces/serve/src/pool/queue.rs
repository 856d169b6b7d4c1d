//! What waits for a thread, and whose turn it is.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::time::Duration;

use tavola_engine::Cost;

use super::Work;

/// The least time that a task counts as.
const LEAST: Duration = Duration::from_millis(1);

/// Clients without tasks that are remembered for the time that they have used.
const MOST_REMEMBERED: usize = 1024;

/// A task as it is put into the queue.
pub(crate) struct Task {
    /// What it costs.
    pub(crate) cost: Cost,
    /// Whether it begins with something that one task at a time may do, until it drops what it
    /// gets.
    pub(crate) is_alone: bool,
    /// What is done.
    pub(crate) work: Work,
}

/// The number of a task in the queue.
pub(crate) type Ticket = u64;

pub(super) struct Waiting {
    ticket: Ticket,
    task: Task,
}

/// The work of a client.
#[derive(Default)]
pub(super) struct Account {
    /// Time of threads, and the estimates for what runs.
    used: Duration,
    running: usize,
    pub(super) waiting: VecDeque<Waiting>,
}

#[derive(Default)]
pub(super) struct Queue {
    /// The work of each client.
    pub(super) clients: HashMap<IpAddr, Account>,
    /// What the client had used whose turn was last: who comes new has used as much.
    clock: Duration,
    /// How many tasks wait.
    pub(super) length: usize,
    next: Ticket,
    /// Whether a task that has to be alone is at work.
    pub(super) is_taken: bool,
    /// Whether no more tasks are taken.
    pub(super) closed: bool,
    /// Threads that have not ended.
    pub(super) threads: usize,
}

/// About what a task takes, until it is known.
const fn estimate(cost: Cost) -> Duration {
    match cost {
        Cost::Small => LEAST,
        Cost::Medium => Duration::from_millis(50),
        Cost::Large => Duration::from_secs(1),
        Cost::Huge => Duration::from_secs(10),
    }
}

impl Queue {
    /// Puts a task behind the others of its client.
    pub(super) fn push(&mut self, client: IpAddr, task: Task) -> Ticket {
        let (ticket, clock) = (self.next, self.clock);
        self.next += 1;
        self.length += 1;
        let account = self.clients.entry(client).or_default();
        if account.waiting.is_empty() && account.running == 0 {
            // Nobody saves turns up.
            account.used = account.used.max(clock);
        }
        account.waiting.push_back(Waiting { ticket, task });
        ticket
    }

    /// The next task for a thread: of the client that has used least, its cheapest, its first.
    pub(super) fn take(&mut self, costs: &RangeInclusive<Cost>) -> Option<(IpAddr, Task)> {
        let is_taken = self.is_taken;
        let fits = |task: &Task| costs.contains(&task.cost) && !(task.is_alone && is_taken);
        let of_client = |(&client, account): (&IpAddr, &Account)| {
            let fitting = account.waiting.iter().filter(|waiting| fits(&waiting.task));
            let first = fitting.min_by_key(|waiting| (waiting.task.cost, waiting.ticket))?;
            Some((account.used, first.ticket, client))
        };
        let (used, ticket, client) = self.clients.iter().filter_map(of_client).min()?;
        self.clock = self.clock.max(used);
        let task = self.withdraw(client, ticket)?;
        let account = self.clients.get_mut(&client)?;
        account.running += 1;
        account.used += estimate(task.cost);
        self.is_taken |= task.is_alone;
        Some((client, task))
    }

    /// Takes a task away, if it waits.
    pub(super) fn withdraw(&mut self, client: IpAddr, ticket: Ticket) -> Option<Task> {
        let waiting = &mut self.clients.get_mut(&client)?.waiting;
        let place = waiting.iter().position(|waiting| waiting.ticket == ticket)?;
        self.length -= 1;
        waiting.remove(place).map(|waiting| waiting.task)
    }

    /// A task of this cost has taken this time.
    pub(super) fn finish(&mut self, client: IpAddr, cost: Cost, time: Duration) {
        if let Some(account) = self.clients.get_mut(&client) {
            account.running -= 1;
            account.used = account.used.saturating_sub(estimate(cost)) + time.max(LEAST);
        }
        if self.clients.len() > MOST_REMEMBERED {
            self.clients.retain(|_, account| account.running > 0 || !account.waiting.is_empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{LONG, address, task};
    use super::*;

    /// The clients in the order of their turns at a thread for all costs, each of whose tasks takes
    /// the time that `takes` says.
    fn order(queue: &mut Queue, takes: impl Fn(IpAddr, Cost) -> Duration) -> Vec<(IpAddr, Cost)> {
        let mut order = Vec::new();
        while let Some((client, task)) = queue.take(&(Cost::Small..=Cost::Huge)) {
            queue.finish(client, task.cost, takes(client, task.cost));
            order.push((client, task.cost));
        }
        order
    }

    #[test]
    fn clients_take_turns_by_the_time_that_they_have_used() {
        let mut queue = Queue::default();
        for (client, count) in [(1, 3), (2, 1), (3, 2)] {
            for _ in 0..count {
                queue.push(address(client), task(Cost::Small, || ()));
            }
        }
        let turns = order(&mut queue, |_, _| LEAST).into_iter().map(|(client, _)| client);
        assert_eq!(turns.collect::<Vec<_>>(), [1, 2, 3, 1, 3, 1].map(address));
        // A task of a second counts as much as many of some milliseconds.
        for _ in 0..3 {
            queue.push(address(1), task(Cost::Large, || ()));
        }
        for _ in 0..20 {
            queue.push(address(2), task(Cost::Small, || ()));
        }
        let takes = |client, _| if client == address(1) { LONG } else { LEAST };
        let turns: Vec<_> =
            order(&mut queue, takes).into_iter().map(|(client, _)| client).collect();
        let last = turns.iter().rposition(|&client| client == address(2)).unwrap();
        assert_eq!(turns[..last].iter().filter(|&&client| client == address(1)).count(), 1);
    }

    #[test]
    fn a_client_that_comes_new_has_saved_no_turns_up() {
        let mut queue = Queue::default();
        for _ in 0..100 {
            queue.push(address(1), task(Cost::Small, || ()));
        }
        order(&mut queue, |_, _| Duration::from_secs(1));
        for client in [2, 1] {
            for _ in 0..4 {
                queue.push(address(client), task(Cost::Small, || ()));
            }
        }
        let turns = order(&mut queue, |_, _| Duration::from_secs(1));
        let ahead = turns.iter().take_while(|(client, _)| *client == address(2)).count();
        assert!(ahead <= 2, "{turns:?}");
    }

    #[test]
    fn the_cheapest_of_a_client_comes_first() {
        let mut queue = Queue::default();
        for cost in [Cost::Huge, Cost::Medium, Cost::Small, Cost::Large] {
            queue.push(address(1), task(cost, || ()));
        }
        let costs: Vec<_> = order(&mut queue, |_, _| LEAST).into_iter().map(|it| it.1).collect();
        assert_eq!(costs, [Cost::Small, Cost::Medium, Cost::Large, Cost::Huge]);
    }
}
