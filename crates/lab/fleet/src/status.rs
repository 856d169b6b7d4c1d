//! What a fleet is doing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use futures_util::StreamExt;
use serde::Serialize;

use crate::error::FleetError;
use crate::kinds;
use crate::link::{Address, Link, WORKERS, runtime};
use crate::wire::{
    DEAD, LearnerBeat, WORK, WorkerBeat, from_json, learner_beat_subject, worker_beat_subject,
};
use crate::worker::BEAT;

/// What a fleet is doing: what its members say of themselves, and what is in the queues.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetStatus {
    /// The server, without a password.
    pub server: String,
    /// Its version.
    pub server_version: String,
    /// Learners that were heard.
    pub learners: Vec<LearnerBeat>,
    /// Workers that were heard.
    pub workers: Vec<WorkerBeat>,
    /// Items (games) a second of these workers since they started, all together.
    pub items_per_second: f64,
    /// The queue of shards; `None` if no learner has made one yet.
    pub queue: Option<Backlog>,
}

impl FleetStatus {
    pub(crate) fn new(
        server: String,
        server_version: String,
        learners: Vec<LearnerBeat>,
        workers: Vec<WorkerBeat>,
        queue: Option<Backlog>,
    ) -> Self {
        let rate = |beat: &WorkerBeat| beat.items as f64 / beat.seconds.max(1e-9);
        let items_per_second = workers.iter().map(rate).sum();
        Self { server, server_version, learners, workers, items_per_second, queue }
    }

    /// What the items of all learners are, in the plural.
    pub fn unit(&self) -> &'static str {
        let mut units = self.learners.iter().map(|learner| kinds::unit(&learner.kind));
        match units.next() {
            Some(first) if units.all(|other| other == first) => first,
            Some(_) => "items",
            None => "games",
        }
    }

    /// The status as metrics, in the text format of Prometheus.
    pub fn metrics(&self) -> String {
        let mut text = String::new();
        let mut metric = |name: &str, help: &str, value: f64| {
            // A string takes every line. All are gauges, as a learner that is resumed counts anew.
            let _ = writeln!(
                text,
                "# HELP tavola_fleet_{name} {help}\n# TYPE tavola_fleet_{name} gauge\n\
                 tavola_fleet_{name} {value}"
            );
        };
        let learners =
            |count: fn(&LearnerBeat) -> u64| self.learners.iter().map(count).sum::<u64>() as f64;
        let workers = |count: fn(&WorkerBeat) -> f64| self.workers.iter().map(count).sum::<f64>();
        metric("workers", "Workers that were heard.", self.workers.len() as f64);
        metric("threads", "Threads of these workers.", workers(|beat| f64::from(beat.threads)));
        metric("learners", "Learners that were heard.", self.learners.len() as f64);
        let rate = self.items_per_second;
        metric("items_per_second", "Items (games) a second of all workers.", rate);
        let items = workers(|beat| beat.items as f64);
        metric("items", "Items of the workers since they started.", items);
        metric(
            "busy_seconds",
            "Seconds in which threads worked.",
            workers(|beat| beat.busy_seconds),
        );
        metric("sent_bytes", "Bytes of results, packed.", workers(|beat| beat.sent_bytes as f64));
        metric("done", "Items of the rounds at hand, done.", learners(|beat| beat.done));
        metric("of", "Items of the rounds at hand.", learners(|beat| beat.of));
        metric("reissued", "Shards put in the queue again.", learners(|beat| beat.reissued));
        metric("repeated", "Results that came too late.", learners(|beat| beat.repeated));
        metric("checked", "Shards done a second time.", learners(|beat| beat.checked));
        metric("damaged", "Messages that were damaged.", learners(|beat| beat.damaged));
        metric("excluded", "Excluded workers.", learners(|beat| beat.excluded.len() as u64));
        if let Some(queue) = &self.queue {
            metric("shards_waiting", "Packets that no worker has.", queue.waiting as f64);
            metric("shards_in_work", "Packets that workers have.", queue.in_work as f64);
            let redelivered = queue.redelivered as f64;
            metric("shards_redelivered", "Packets in work again.", redelivered);
            metric("shards_dead", "Packets taken too often.", queue.dead as f64);
        }
        text
    }
}

/// What is in the queue of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Backlog {
    /// Shards that no worker has taken.
    pub waiting: u64,
    /// Shards that workers have.
    pub in_work: u64,
    /// Shards in work that another worker has lost before.
    pub redelivered: u64,
    /// Shards in the stream of those that were taken too often.
    pub dead: u64,
}

/// Listens to the fleet for a little longer than its members take to say something.
///
/// # Errors
///
/// [`FleetError`] if there is no server at the address.
pub fn fleet_status(address: &Address) -> Result<FleetStatus, FleetError> {
    runtime()?.block_on(listen(address))
}

async fn listen(address: &Address) -> Result<FleetStatus, FleetError> {
    let link = Link::connect(address, "fleet-status").await?;
    let failed = FleetError::server("listen to the fleet");
    let mut worker_beats =
        link.client.subscribe(worker_beat_subject("*")).await.map_err(&failed)?;
    let mut learner_beats =
        link.client.subscribe(learner_beat_subject("*")).await.map_err(&failed)?;
    let (mut workers, mut learners) = (BTreeMap::new(), BTreeMap::new());
    let end = tokio::time::sleep(BEAT + Duration::from_millis(500));
    tokio::pin!(end);
    loop {
        tokio::select! {
            () = &mut end => break,
            Some(message) = worker_beats.next() => {
                if let Ok(beat) = from_json::<WorkerBeat>(&message.payload) {
                    workers.insert(beat.worker.clone(), beat);
                }
            }
            Some(message) = learner_beats.next() => {
                if let Ok(beat) = from_json::<LearnerBeat>(&message.payload) {
                    learners.insert(beat.run.clone(), beat);
                }
            }
        }
    }
    let queue = backlog(&link).await;
    let version = link.client.server_info().version.clone();
    let (learners, workers) = (learners.into_values().collect(), workers.into_values().collect());
    Ok(FleetStatus::new(address.shown(), version, learners, workers, queue))
}

/// What is in the queue of shards, if there is one.
pub(crate) async fn backlog(link: &Link) -> Option<Backlog> {
    let dead = link.context.get_stream(DEAD).await;
    let dead = dead.map_or(0, |stream| stream.cached_info().state.messages);
    let info = link.context.get_stream(WORK).await.ok()?.consumer_info(WORKERS).await.ok()?;
    let (waiting, redelivered) = (info.num_pending, info.num_redelivered as u64);
    Some(Backlog { waiting, in_work: info.num_ack_pending as u64, redelivered, dead })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_a_type_and_a_number_a_line() {
        let learner = LearnerBeat { kind: "selfplay".to_owned(), done: 7, ..Default::default() };
        let mut status = FleetStatus {
            server: "nats://localhost".to_owned(),
            server_version: "2.9.10".to_owned(),
            learners: vec![learner],
            workers: Vec::new(),
            items_per_second: 1.5,
            queue: None,
        };
        assert_eq!(status.unit(), "games");
        let metrics = status.metrics();
        assert!(metrics.contains("\n# TYPE tavola_fleet_done gauge\ntavola_fleet_done 7\n"));
        for line in metrics.lines().filter(|line| !line.starts_with('#')) {
            let (name, number) = line.split_once(' ').unwrap();
            assert!(name.starts_with("tavola_fleet_") && number.parse::<f64>().is_ok(), "{line}");
        }
        assert!(!metrics.contains("shards"));
        status.queue = Some(Backlog { waiting: 3, in_work: 0, redelivered: 0, dead: 0 });
        assert!(status.metrics().contains("\ntavola_fleet_shards_waiting 3\n"));
    }
}
