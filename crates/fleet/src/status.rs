//! What a fleet is doing.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt;
use serde::Serialize;

use crate::error::FleetError;
use crate::link::{Address, Link, WORKERS};
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
    /// Games a second of these workers since they started, all together.
    pub games_per_second: f64,
    /// The queue of shards; `None` if no learner has made one yet.
    pub queue: Option<Backlog>,
}

/// What is in the queue of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Backlog {
    /// Shards that no worker has taken.
    pub waiting: u64,
    /// Shards that workers are playing.
    pub in_play: u64,
    /// Shards in play that another worker has lost before.
    pub redelivered: u64,
    /// Shards in the stream of those that were delivered too often.
    pub dead: u64,
}

/// Listens to the fleet for a little longer than its members take to say something.
///
/// # Errors
///
/// [`FleetError`] if there is no server at the address.
pub fn fleet_status(address: &Address) -> Result<FleetStatus, FleetError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(FleetError::Runtime)?;
    runtime.block_on(listen(address))
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
    let dead = match link.context.get_stream(DEAD).await {
        Ok(stream) => stream.cached_info().state.messages,
        Err(_) => 0,
    };
    let info = match link.context.get_stream(WORK).await {
        Ok(stream) => stream.consumer_info(WORKERS).await.ok(),
        Err(_) => None,
    };
    let queue = info.map(|info| Backlog {
        waiting: info.num_pending,
        in_play: info.num_ack_pending as u64,
        redelivered: info.num_redelivered as u64,
        dead,
    });
    let workers: Vec<WorkerBeat> = workers.into_values().collect();
    let rate = |beat: &WorkerBeat| beat.games as f64 / beat.seconds.max(1e-9);
    Ok(FleetStatus {
        server: address.shown(),
        server_version: link.client.server_info().version.clone(),
        learners: learners.into_values().collect(),
        games_per_second: workers.iter().map(rate).sum(),
        workers,
        queue,
    })
}
