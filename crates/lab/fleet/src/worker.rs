//! A worker: from a shard to its bytes.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use tavola_evaluator::remote::{RemoteError, ShardRunner, Work};
use tavola_files::{locked, unlocked};
use tokio::runtime::Runtime;
use tokio::sync::{Mutex as AsyncMutex, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::blob;
use crate::error::FleetError;
use crate::kinds::{self, Opened};
use crate::link::{Address, Link, runtime};
use crate::wire::{
    BlobRef, Job, LearnerBeat, MAX_PARTS, PART, PacketOutcome, ResultHeader, ResultPart, Shard,
    WorkerBeat, from_json, learner_beat_subject, pack, to_json, version, worker_beat_subject,
};

/// A shard that was taken more often without a result has killed its workers, or was lost with
/// them.
pub(crate) const MAX_TRIES: u64 = 6;

/// How many jobs stay open: rounds overlap, and several runs may share a fleet.
const OPEN_JOBS: usize = 4;

/// How many files stay in memory: jobs after each other share networks.
const KEPT_FILES: usize = 8;

/// How often workers and learners tell what they are doing.
pub(crate) const BEAT: Duration = Duration::from_secs(2);

/// How long workers and learners wait after something has failed.
pub(crate) const PAUSE: Duration = Duration::from_millis(300);

/// How a worker works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSettings {
    /// The server.
    pub address: Address,
    /// Shards that are worked at at the same time, each on a thread.
    pub threads: NonZeroUsize,
    /// The name of the worker, of letters, digits, `-` and `_`, unique in the fleet.
    pub name: String,
}

/// Something that happened to a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkerEvent {
    /// It is connected and waits for shards.
    Connected,
    /// It has the files and settings of a job.
    Job {
        /// The kind of work.
        kind: &'static str,
        /// The round, from 1.
        round: u32,
        /// Checksum of the job.
        checksum: String,
    },
    /// A shard was done and sent.
    Sent {
        /// All items so far.
        items: u64,
    },
    /// Something failed and is tried again.
    Trouble(String),
}

/// What a worker has done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkerReport {
    /// Items that were done and sent: games, where games are played.
    pub items: u64,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Seconds in which its threads worked, all together.
    pub busy_seconds: f64,
}

/// How a shard is done.
pub type DoShard<'a> = dyn Fn(&dyn ShardRunner, Range<u64>, &AtomicBool) -> Result<Option<Vec<u8>>, RemoteError>
    + Sync
    + 'a;

/// Does a shard as it is.
///
/// # Errors
///
/// Those of [`ShardRunner::run`].
pub fn do_shard(
    runner: &dyn ShardRunner,
    items: Range<u64>,
    cancel: &AtomicBool,
) -> Result<Option<Vec<u8>>, RemoteError> {
    runner.run(items, cancel)
}

/// Does shards until `cancel` is true. Shards in work are then given back.
///
/// # Errors
///
/// [`FleetError::Connect`] when there is no server at the beginning, [`FleetError::OtherVersion`]
/// and [`FleetError::Excluded`] when no learner can use this worker.
pub fn run_worker(
    settings: &WorkerSettings,
    observer: &(dyn Fn(&WorkerEvent) + Sync),
    cancel: &AtomicBool,
) -> Result<WorkerReport, FleetError> {
    run_worker_with(settings, &do_shard, observer, cancel)
}

/// Runs a worker with another way to do a shard: tests of learners let it send wrong bytes.
///
/// # Errors
///
/// Those of [`run_worker`].
pub fn run_worker_with(
    settings: &WorkerSettings,
    work: &DoShard<'_>,
    observer: &(dyn Fn(&WorkerEvent) + Sync),
    cancel: &AtomicBool,
) -> Result<WorkerReport, FleetError> {
    let runtime = runtime()?;
    let link = runtime.block_on(Link::connect(&settings.address, &settings.name))?;
    observer(&WorkerEvent::Connected);
    let began = Instant::now();
    let worker = Worker {
        settings,
        runtime: &runtime,
        link,
        work,
        observer,
        threads: Semaphore::new(settings.threads.get()),
        jobs: AsyncMutex::default(),
        files: AsyncMutex::default(),
        counts: Arc::default(),
        number: AtomicU64::new(random()),
        stop: AtomicBool::new(false),
        error: Mutex::default(),
    };
    let beats = runtime.spawn(beat(worker.link.clone(), settings.clone(), worker.counts.clone()));
    let excluded = runtime.spawn(wait_for_exclusion(worker.link.clone(), settings.name.clone()));
    std::thread::scope(|scope| {
        for _ in 0..lanes(settings.threads) {
            scope.spawn(|| runtime.block_on(worker.lane()));
        }
        while !worker.is_over() {
            std::thread::sleep(Duration::from_millis(50));
            if excluded.is_finished() {
                worker.fail(FleetError::Excluded);
            }
            if cancel.load(Ordering::Relaxed) {
                worker.stop();
            }
        }
    });
    beats.abort();
    excluded.abort();
    // Acknowledgements may still be on their way.
    let _ =
        runtime.block_on(async { tokio::time::timeout(PAUSE, worker.link.client.flush()).await });
    let report = WorkerReport {
        items: worker.counts.items.load(Ordering::Relaxed),
        seconds: began.elapsed().as_secs_f64(),
        busy_seconds: worker.counts.busy_seconds(),
    };
    match unlocked(worker.error) {
        Some(error) => Err(error),
        None => Ok(report),
    }
}

/// Shards that a worker has at hand: more than threads, so that a thread goes on while the result
/// of a shard travels and the next one comes.
fn lanes(threads: NonZeroUsize) -> usize {
    threads.get() + threads.get().div_ceil(2)
}

/// A number that no other process has.
pub(crate) fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}

/// A name for a worker: the host and a number that no other process has.
pub fn default_name() -> String {
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let fits = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-';
    let host: String = host.trim().chars().filter(fits).take(40).collect();
    let host = if host.is_empty() { "worker" } else { &host };
    format!("{host}-{:08x}", random() as u32)
}

/// What a worker tells of itself.
#[derive(Debug, Default)]
struct Counts {
    items: AtomicU64,
    busy_micros: AtomicU64,
    sent_bytes: AtomicU64,
}

impl Counts {
    fn busy_seconds(&self) -> f64 {
        self.busy_micros.load(Ordering::Relaxed) as f64 / 1e6
    }
}

/// What was found by its checksum, newest last.
type Found<T> = AsyncMutex<VecDeque<(String, Arc<T>)>>;

/// Tells the server that a shard is in work, as long as it lives.
struct Pings(JoinHandle<()>);

impl Drop for Pings {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Worker<'a> {
    settings: &'a WorkerSettings,
    runtime: &'a Runtime,
    link: Link,
    work: &'a DoShard<'a>,
    observer: &'a (dyn Fn(&WorkerEvent) + Sync),
    /// Closed at the end.
    threads: Semaphore,
    jobs: Found<Opened>,
    files: Found<Vec<u8>>,
    counts: Arc<Counts>,
    /// The number of the next result.
    number: AtomicU64,
    stop: AtomicBool,
    error: Mutex<Option<FleetError>>,
}

impl Worker<'_> {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.close();
    }

    /// Ends the worker with an error.
    fn fail(&self, error: FleetError) {
        locked(&self.error).get_or_insert(error);
        self.stop();
    }

    fn trouble(&self, error: &FleetError) {
        (self.observer)(&WorkerEvent::Trouble(tavola_files::chain(error)));
    }

    /// Shard after shard.
    async fn lane(&self) {
        while !self.is_over() {
            // Until there is a learner there is no queue.
            let Ok(queue) = self.link.work().await else {
                sleep(PAUSE).await;
                continue;
            };
            let ack_wait = queue.cached_info().config.ack_wait;
            while !self.is_over() {
                let expires = Duration::from_secs(1);
                let batch = queue.batch().max_messages(1).expires(expires).messages().await;
                let Ok(mut batch) = batch else { break };
                let next = tokio::time::timeout(2 * expires, batch.next()).await;
                match next {
                    Ok(Some(Ok(message))) => {
                        if let Err(error) = self.shard(&message, ack_wait).await {
                            self.trouble(&error);
                            let _ = message.ack_with(AckKind::Nak(Some(PAUSE))).await;
                            sleep(PAUSE).await;
                        }
                    }
                    Ok(None) => {}
                    // The server may have lost the queue.
                    Ok(Some(Err(_))) | Err(_) => break,
                }
            }
            if !self.is_over() {
                sleep(PAUSE).await;
            }
        }
    }

    /// Does a shard and sends its bytes. An error gives the shard back.
    async fn shard(&self, message: &Message, ack_wait: Duration) -> Result<(), FleetError> {
        let ack = FleetError::server("answer for a shard");
        let Ok(shard) = Shard::decode(&message.payload) else {
            return message.ack_with(AckKind::Term).await.map_err(ack);
        };
        let _pings = Pings(self.runtime.spawn(ping(message.clone(), ack_wait)));
        let deliveries = message.info().map_or(1, |info| info.delivered.max(1)) as u64;
        let tries = u64::from(shard.tries).saturating_add(deliveries - 1);
        if tries >= MAX_TRIES {
            self.link.publish(shard.dead_subject(), message.payload.to_vec()).await?;
            self.send(&shard, PacketOutcome::Dead, &[], Duration::ZERO).await?;
            return message.double_ack().await.map_err(ack);
        }
        if shard.not_by.contains(&self.settings.name) {
            // Put into the queue anew, for a delivery counts as a try. Another worker takes it
            // now, if one is free.
            sleep(PAUSE).await;
            let again = Shard { tries: tries.try_into().unwrap_or(u32::MAX), ..shard };
            self.link.publish(again.subject(), to_json(&again)).await?;
            return message.double_ack().await.map_err(ack);
        }
        let opened = self.job(&shard).await?;
        let Ok(thread) = self.threads.acquire().await else {
            return message.ack_with(AckKind::Nak(None)).await.map_err(ack);
        };
        let began = Instant::now();
        // This thread belongs to the lane, so nothing else waits for it.
        let work = || (self.work)(&*opened.runner, shard.items(), &self.stop);
        let done = catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|_| Err("a panic, which is a mistake of this program".into()))
            .map_err(FleetError::Work)?;
        let time = began.elapsed();
        drop(thread);
        let Some(bytes) = done else {
            return message.ack_with(AckKind::Nak(None)).await.map_err(ack);
        };
        self.counts.busy_micros.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
        self.send(&shard, PacketOutcome::Done, &bytes, time).await?;
        let all = self.counts.items.fetch_add(shard.count, Ordering::Relaxed) + shard.count;
        (self.observer)(&WorkerEvent::Sent { items: all });
        message.double_ack().await.map_err(ack)
    }

    /// Sends the bytes of a shard, in parts.
    async fn send(
        &self,
        shard: &Shard,
        ended: PacketOutcome,
        bytes: &[u8],
        time: Duration,
    ) -> Result<(), FleetError> {
        let packed = pack(bytes);
        let parts = packed.len().div_ceil(PART).max(1);
        if parts > MAX_PARTS as usize {
            return Err(FleetError::message(format!("a result of {} bytes", packed.len())));
        }
        let header = ResultHeader {
            run: shard.run.clone(),
            round: shard.round,
            first: shard.first,
            count: shard.count,
            job: shard.job.sha256.clone(),
            worker: self.settings.name.clone(),
            ended,
            number: self.number.fetch_add(1, Ordering::Relaxed),
            part: 0,
            parts: parts as u32,
            sha256: tavola_files::sha256(bytes),
            seconds: time.as_secs_f64(),
        };
        let part = |part: usize| {
            let bytes = packed[part * PART..packed.len().min((part + 1) * PART)].to_vec();
            let header = ResultHeader { part: part as u32, ..header.clone() };
            let message = ResultPart { header, bytes }.encode();
            self.counts.sent_bytes.fetch_add(message.len() as u64, Ordering::Relaxed);
            (shard.result_subject(), message)
        };
        self.link.publish_all((0..parts).map(part).collect()).await
    }

    /// The job of a shard, opened once for all threads.
    async fn job(&self, shard: &Shard) -> Result<Arc<Opened>, FleetError> {
        let mut jobs = self.jobs.lock().await;
        if let Some((_, opened)) = jobs.iter().find(|(job, _)| *job == shard.job.sha256) {
            return Ok(opened.clone());
        }
        let job = Job::decode(&blob::get(&self.link, &shard.job).await?)?;
        let expected = version(self.settings.address.commit);
        if job.version != expected {
            let error = FleetError::OtherVersion { found: job.version, expected };
            let text = FleetError::message(tavola_files::chain(&error));
            self.fail(error);
            return Err(text);
        }
        let settings = blob::get(&self.link, &job.settings).await?;
        let settings = String::from_utf8(settings)
            .map_err(|error| FleetError::message(format!("settings: {error}")))?;
        let mut files = Vec::new();
        for (name, blob) in job.files {
            files.push((name, self.file(&blob).await?.to_vec()));
        }
        let work = Work { kind: kinds::known(&job.kind)?, settings, files };
        let opened = Arc::new(kinds::open(&work)?);
        let checksum = shard.job.sha256.clone();
        (self.observer)(&WorkerEvent::Job {
            kind: work.kind,
            round: shard.round,
            checksum: checksum.clone(),
        });
        keep(&mut jobs, checksum, opened.clone(), OPEN_JOBS);
        Ok(opened)
    }

    /// A file of a job; it comes once, however many jobs have it.
    async fn file(&self, blob: &BlobRef) -> Result<Arc<Vec<u8>>, FleetError> {
        let mut files = self.files.lock().await;
        if let Some((_, bytes)) = files.iter().find(|(sha256, _)| *sha256 == blob.sha256) {
            return Ok(bytes.clone());
        }
        let bytes = Arc::new(blob::get(&self.link, blob).await?);
        keep(&mut files, blob.sha256.clone(), bytes.clone(), KEPT_FILES);
        Ok(bytes)
    }
}

/// Keeps the newest few.
fn keep<T>(found: &mut VecDeque<(String, T)>, key: String, new: T, most: usize) {
    found.push_back((key, new));
    if found.len() > most {
        found.pop_front();
    }
}

/// Tells the server again and again that a shard is in work.
async fn ping(message: Message, ack_wait: Duration) {
    loop {
        sleep(ack_wait / 3).await;
        let _ = message.ack_with(AckKind::Progress).await;
    }
}

/// Tells what the worker is doing.
async fn beat(link: Link, settings: WorkerSettings, counts: Arc<Counts>) {
    let began = Instant::now();
    loop {
        let beat = WorkerBeat {
            worker: settings.name.clone(),
            version: version(settings.address.commit),
            threads: settings.threads.get() as u32,
            items: counts.items.load(Ordering::Relaxed),
            seconds: began.elapsed().as_secs_f64(),
            busy_seconds: counts.busy_seconds(),
            sent_bytes: counts.sent_bytes.load(Ordering::Relaxed),
        };
        let subject = worker_beat_subject(&settings.name);
        let _ = link.client.publish(subject, to_json(&beat).into()).await;
        sleep(BEAT).await;
    }
}

/// Returns when a learner says that this worker's games are wrong.
async fn wait_for_exclusion(link: Link, name: String) {
    loop {
        if let Ok(mut beats) = link.client.subscribe(learner_beat_subject("*")).await {
            while let Some(message) = beats.next().await {
                let beat = from_json::<LearnerBeat>(&message.payload);
                if beat.is_ok_and(|beat| beat.excluded.contains(&name)) {
                    return;
                }
            }
        }
        sleep(PAUSE).await;
    }
}
