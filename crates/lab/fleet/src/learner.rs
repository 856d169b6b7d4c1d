//! The learner's side of a fleet: the connection, and what is known of the workers. What becomes
//! of a task stands in `task`.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_evaluator::remote::{Remote, RemoteError, Task};
use tavola_files::limits::SHARD;
use tavola_files::{locked, sha256};
use tokio::runtime::{Handle, Runtime};
use tokio::time::sleep;

use crate::error::FleetError;
use crate::ledger::Cut;
use crate::link::{Address, Link, runtime};
use crate::status::{FleetStatus, backlog};
use crate::task::TaskOnFleet;
use crate::wire::{
    LearnerBeat, WorkerBeat, from_json, is_name, learner_beat_subject, to_json, worker_beat_subject,
};
use crate::worker::{BEAT, PAUSE, random};

/// How long a thread of a worker is to work at a shard.
const SHARD_SECONDS: f64 = 1.0;

/// Shards of the first task, before the speed of the workers is known.
const FIRST_SHARDS: u64 = 32;

/// Tries to open the streams at the start.
const MOST_TRIES: u32 = 3;

/// A worker that has said nothing for so long is gone.
const GONE: Duration = Duration::from_secs(10);

/// The most workers that are excluded at a time: their names are in every shard.
const MAX_EXCLUDED: usize = 256;

/// What workers have said of themselves last, and when.
type Heard = HashMap<String, (WorkerBeat, Instant)>;

/// How a learner uses its fleet.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetSettings {
    /// The server.
    pub address: Address,
    /// Share of the shards that are done once more by another worker, 0 to 1.
    pub check: f64,
    /// After this time without a sign of life from its worker a shard goes to another one.
    pub ack_wait: Duration,
}

/// A fleet of workers, which does tasks.
pub struct Fleet {
    runtime: Runtime,
    pub(crate) link: Link,
    pub(crate) settings: FleetSettings,
    pub(crate) run: String,
    /// What is told of the run; its excluded workers are the ones that count.
    beat: Arc<Mutex<LearnerBeat>>,
    /// Threads of each worker and when it was heard last.
    workers: Arc<Mutex<Heard>>,
    /// Seconds that a thread takes for an item.
    pace: Mutex<Option<f64>>,
    /// Which shards are done once more; workers do not know its seed.
    checks: Mutex<ChaCha8Rng>,
    /// Checksums of what the server has, as far as is known.
    pub(crate) sent: Mutex<HashSet<String>>,
}

/// Tells what a fleet is doing, as long as its learner lives.
#[derive(Clone)]
pub struct FleetMonitor {
    handle: Handle,
    link: Link,
    server: String,
    beat: Arc<Mutex<LearnerBeat>>,
    workers: Arc<Mutex<Heard>>,
}

impl std::fmt::Debug for FleetMonitor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FleetMonitor").field("server", &self.server).finish_non_exhaustive()
    }
}

impl FleetMonitor {
    /// What the fleet is doing. Waits for the server, which tells of its queue; not to be called
    /// by a thread that drives a runtime.
    pub fn status(&self) -> FleetStatus {
        let queue = self.handle.block_on(backlog(&self.link));
        let workers = locked(&self.workers);
        let present = workers.values().filter(|(_, heard)| heard.elapsed() < GONE);
        let mut workers: Vec<WorkerBeat> = present.map(|(beat, _)| beat.clone()).collect();
        workers.sort_by(|a, b| a.worker.cmp(&b.worker));
        let version = self.link.client.server_info().version.clone();
        let learners = vec![locked(&self.beat).clone()];
        FleetStatus::new(self.server.clone(), version, learners, workers, queue)
    }
}

impl Fleet {
    /// Connects to the server and makes the streams there. `run` is the directory of a run, by
    /// which a resumed run finds what it has left.
    ///
    /// # Errors
    ///
    /// [`FleetError`] if there is no server with JetStream at the address.
    pub fn connect(settings: FleetSettings, run: Option<&Path>) -> Result<Self, FleetError> {
        let runtime = runtime()?;
        let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
        let name = match run {
            Some(run) => {
                let run = std::path::absolute(run).unwrap_or_else(|_| run.to_owned());
                format!("{host}{}", run.display())
            }
            None => format!("{host}{}", random()),
        };
        let run = sha256(name.as_bytes())[..12].to_owned();
        let link = runtime.block_on(async {
            let link = Link::connect(&settings.address, &format!("learner-{run}")).await?;
            // The server may be restarting just now.
            let mut tries = 1;
            while let Err(error) = link.ensure_streams(settings.ack_wait).await {
                if tries == MOST_TRIES {
                    return Err(error);
                }
                tries += 1;
                sleep(PAUSE).await;
            }
            Ok::<_, FleetError>(link)
        })?;
        let beat = Arc::new(Mutex::new(LearnerBeat { run: run.clone(), ..Default::default() }));
        let workers = Arc::default();
        runtime.spawn(tell(link.clone(), Arc::clone(&beat)));
        runtime.spawn(listen(link.clone(), Arc::clone(&workers)));
        let checks = Mutex::new(ChaCha8Rng::seed_from_u64(random()));
        let (pace, sent) = Default::default();
        Ok(Self { runtime, link, settings, run, beat, workers, pace, checks, sent })
    }

    /// What the learner has seen so far.
    pub fn report(&self) -> LearnerBeat {
        locked(&self.beat).clone()
    }

    /// What the fleet is doing, at any time, for others than the thread that has tasks done.
    pub fn monitor(&self) -> FleetMonitor {
        FleetMonitor {
            handle: self.runtime.handle().clone(),
            link: self.link.clone(),
            server: self.settings.address.shown(),
            beat: Arc::clone(&self.beat),
            workers: Arc::clone(&self.workers),
        }
    }

    /// Changes what is told of the learner.
    pub(crate) fn note(&self, change: impl FnOnce(&mut LearnerBeat)) {
        change(&mut locked(&self.beat));
    }

    pub(crate) fn excluded(&self) -> Vec<String> {
        locked(&self.beat).excluded.clone()
    }

    /// Takes nothing more from a worker.
    pub(crate) fn exclude(&self, worker: String) {
        self.note(|beat| {
            if !beat.excluded.contains(&worker) {
                if beat.excluded.len() >= MAX_EXCLUDED {
                    beat.excluded.remove(0);
                }
                beat.excluded.push(worker);
            }
        });
    }

    /// Workers that were heard lately and are not excluded, and their threads.
    pub(crate) fn present(&self) -> (usize, u64) {
        let excluded = self.excluded();
        let workers = locked(&self.workers);
        let present = workers
            .iter()
            .filter(|(name, (_, heard))| heard.elapsed() < GONE && !excluded.contains(name));
        present
            .fold((0, 0), |(count, sum), (_, (beat, _))| (count + 1, sum + u64::from(beat.threads)))
    }

    /// How a task of this number of items is cut into shards.
    pub(crate) fn cut(&self, items: u64) -> Cut {
        let size = match *locked(&self.pace) {
            Some(seconds) => (SHARD_SECONDS / seconds.max(1e-6)) as u64,
            None => items / FIRST_SHARDS,
        };
        Cut { size: size.clamp(1, SHARD.default), threads: self.present().1 }
    }

    /// Learns how long an item takes.
    pub(crate) fn learn_pace(&self, seconds: f64) {
        let pace = &mut *locked(&self.pace);
        *pace = Some(pace.map_or(seconds, |before| 0.9 * before + 0.1 * seconds));
    }

    /// Whether the next shard is done once more.
    pub(crate) fn draws_check(&self) -> bool {
        locked(&self.checks).random_bool(self.settings.check.clamp(0.0, 1.0))
    }
}

impl Remote for Fleet {
    fn run(&self, task: &Task<'_>) -> Result<(), RemoteError> {
        self.runtime.block_on(TaskOnFleet::new(self, task).run())?;
        Ok(())
    }
}

/// Tells what the learner is doing.
async fn tell(link: Link, beat: Arc<Mutex<LearnerBeat>>) {
    loop {
        let message = locked(&beat).clone();
        let subject = learner_beat_subject(&message.run);
        let _ = link.client.publish(subject, to_json(&message).into()).await;
        sleep(BEAT).await;
    }
}

/// Hears which workers there are.
async fn listen(link: Link, workers: Arc<Mutex<Heard>>) {
    loop {
        if let Ok(mut beats) = link.client.subscribe(worker_beat_subject("*")).await {
            while let Some(message) = beats.next().await {
                let Ok(mut beat) = from_json::<WorkerBeat>(&message.payload) else { continue };
                beat.threads = beat.threads.min(4096);
                let mut workers = locked(&workers);
                workers.retain(|_, (_, heard)| heard.elapsed() < GONE);
                // What anyone may send must not fill the memory.
                if workers.len() < 100_000 && is_name(&beat.worker) {
                    workers.insert(beat.worker.clone(), (beat, Instant::now()));
                }
            }
        }
        sleep(PAUSE).await;
    }
}
