//! A worker: from a shard to its games.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use tavola_net::Weights;
use tavola_pipeline::{ShardError, ShardPlayer};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::sleep;

use crate::blob;
use crate::error::FleetError;
use crate::link::{Address, Link};
use crate::wire::{
    BlobRef, Ended, Job, LearnerBeat, MAX_PARTS, PART, ResultHeader, ResultPart, Shard, WorkerBeat,
    from_json, learner_beat_subject, pack, to_json, version, worker_beat_subject,
};

/// A shard that was delivered more often has killed its workers, or was lost with them.
pub(crate) const MAX_DELIVERIES: i64 = 6;

/// Players of how many jobs stay in memory: rounds overlap, and several runs may share a fleet.
const PLAYERS: usize = 4;

/// How often workers and learners tell what they are doing.
pub(crate) const BEAT: Duration = Duration::from_secs(2);

/// How long a worker waits after something has failed.
const PAUSE: Duration = Duration::from_millis(300);

/// How a worker works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSettings {
    /// The server.
    pub address: Address,
    /// Shards that are played at the same time, each on a thread.
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
    /// It has the network of a round.
    Network {
        /// The round, from 1.
        round: u32,
        /// Checksum of the network.
        checksum: String,
    },
    /// A shard was played and sent.
    Sent {
        /// All games so far.
        games: u64,
    },
    /// Something failed and is tried again.
    Trouble(String),
}

/// What a worker has done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkerReport {
    /// Games that were played and sent.
    pub games: u64,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Seconds in which its threads played, all together.
    pub busy_seconds: f64,
}

/// How the games of a shard are played.
pub type PlayShard<'a> = dyn Fn(&ShardPlayer, Range<u64>, &AtomicBool) -> Result<Option<Vec<u8>>, ShardError>
    + Sync
    + 'a;

/// Plays the games of a shard as they are.
///
/// # Errors
///
/// Those of [`ShardPlayer::play`].
pub fn honest(
    player: &ShardPlayer,
    games: Range<u64>,
    cancel: &AtomicBool,
) -> Result<Option<Vec<u8>>, ShardError> {
    player.play(games, cancel)
}

/// Plays shards until `cancel` is true. Shards in play are then given back.
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
    run_worker_with(settings, &honest, observer, cancel)
}

/// The same with another way to play a shard: tests of learners let it play wrong games.
///
/// # Errors
///
/// Those of [`run_worker`].
pub fn run_worker_with(
    settings: &WorkerSettings,
    play: &PlayShard<'_>,
    observer: &(dyn Fn(&WorkerEvent) + Sync),
    cancel: &AtomicBool,
) -> Result<WorkerReport, FleetError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(FleetError::Runtime)?;
    let link = runtime.block_on(Link::connect(&settings.address, &settings.name))?;
    observer(&WorkerEvent::Connected);
    let began = Instant::now();
    let worker = Worker {
        settings,
        link,
        play,
        observer,
        cancel,
        players: AsyncMutex::default(),
        counts: Arc::default(),
        number: AtomicU64::new(random()),
        ended: AtomicBool::new(false),
        error: Mutex::default(),
    };
    let beats = runtime.spawn(beat(worker.link.clone(), settings.clone(), worker.counts.clone()));
    let excluded = runtime.spawn(wait_for_exclusion(worker.link.clone(), settings.name.clone()));
    std::thread::scope(|scope| {
        for _ in 0..settings.threads.get() {
            scope.spawn(|| runtime.block_on(worker.work()));
        }
        while !worker.is_over() {
            std::thread::sleep(Duration::from_millis(50));
            if excluded.is_finished() {
                worker.fail(FleetError::Excluded);
            }
        }
    });
    beats.abort();
    excluded.abort();
    // Acknowledgements may still be on their way.
    let _ =
        runtime.block_on(async { tokio::time::timeout(PAUSE, worker.link.client.flush()).await });
    let report = WorkerReport {
        games: worker.counts.games.load(Ordering::Relaxed),
        seconds: began.elapsed().as_secs_f64(),
        busy_seconds: worker.counts.busy_seconds(),
    };
    match worker.error.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        Some(error) => Err(error),
        None => Ok(report),
    }
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
    games: AtomicU64,
    busy_micros: AtomicU64,
    sent_bytes: AtomicU64,
}

impl Counts {
    fn busy_seconds(&self) -> f64 {
        self.busy_micros.load(Ordering::Relaxed) as f64 / 1e6
    }
}

/// Players by the checksum of their job, newest last.
type Players = VecDeque<(String, Arc<ShardPlayer>)>;

struct Worker<'a> {
    settings: &'a WorkerSettings,
    link: Link,
    play: &'a PlayShard<'a>,
    observer: &'a (dyn Fn(&WorkerEvent) + Sync),
    cancel: &'a AtomicBool,
    players: AsyncMutex<Players>,
    counts: Arc<Counts>,
    /// The number of the next result.
    number: AtomicU64,
    ended: AtomicBool,
    error: Mutex<Option<FleetError>>,
}

impl Worker<'_> {
    fn is_over(&self) -> bool {
        self.cancel.load(Ordering::Relaxed) || self.ended.load(Ordering::Relaxed)
    }

    /// Ends the worker with an error.
    fn fail(&self, error: FleetError) {
        if let Ok(mut first) = self.error.lock() {
            first.get_or_insert(error);
        }
        self.ended.store(true, Ordering::Relaxed);
    }

    fn trouble(&self, error: &FleetError) {
        (self.observer)(&WorkerEvent::Trouble(tavola_files::chain(error)));
    }

    /// One thread: shard after shard.
    async fn work(&self) {
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

    /// Plays a shard and sends its games. An error gives the shard back.
    async fn shard(&self, message: &Message, ack_wait: Duration) -> Result<(), FleetError> {
        let ack = FleetError::server("answer for a shard");
        let Ok(shard) = Shard::decode(&message.payload) else {
            return message.ack_with(AckKind::Term).await.map_err(ack);
        };
        if shard.not_by.contains(&self.settings.name) {
            // Another worker may be free, which takes it at once.
            message.ack_with(AckKind::Nak(Some(PAUSE))).await.map_err(ack)?;
            sleep(PAUSE).await;
            return Ok(());
        }
        let deliveries = message.info().map_or(0, |info| info.delivered);
        if deliveries > MAX_DELIVERIES {
            self.link.publish(shard.dead_subject(), message.payload.to_vec()).await?;
            self.send(&shard, Ended::Dead, &[], Duration::ZERO).await?;
            return message.double_ack().await.map_err(ack);
        }
        let player = {
            let pings = ping(message, ack_wait);
            let player = self.player(&shard);
            tokio::pin!(pings, player);
            tokio::select! { player = &mut player => player, () = &mut pings => unreachable!("pings never end") }?
        };
        let began = Instant::now();
        let stop = AtomicBool::new(false);
        let played = std::thread::scope(|scope| {
            // Pings go on beside the thread that plays.
            let playing = scope.spawn(|| (self.play)(&player, shard.games(), &stop));
            let handle = tokio::runtime::Handle::current();
            tokio::task::block_in_place(|| {
                let mut pinged = Instant::now();
                while !playing.is_finished() {
                    std::thread::sleep(Duration::from_millis(2));
                    if self.is_over() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    if pinged.elapsed() > ack_wait / 3 {
                        let _ = handle.block_on(message.ack_with(AckKind::Progress));
                        pinged = Instant::now();
                    }
                }
            });
            playing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        let time = began.elapsed();
        let Some(games) = played else {
            return message.ack_with(AckKind::Nak(None)).await.map_err(ack);
        };
        self.counts.busy_micros.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
        self.send(&shard, Ended::Played, &games, time).await?;
        let all = self.counts.games.fetch_add(shard.count, Ordering::Relaxed) + shard.count;
        (self.observer)(&WorkerEvent::Sent { games: all });
        message.double_ack().await.map_err(ack)
    }

    /// Sends the games of a shard, in parts.
    async fn send(
        &self,
        shard: &Shard,
        ended: Ended,
        games: &[u8],
        time: Duration,
    ) -> Result<(), FleetError> {
        let packed = pack(games);
        let parts = packed.len().div_ceil(PART).max(1);
        if parts > MAX_PARTS as usize {
            return Err(FleetError::message(format!("games of {} bytes", packed.len())));
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
            sha256: tavola_files::sha256(games),
            seconds: time.as_secs_f64(),
        };
        for part in 0..parts {
            let bytes = packed[part * PART..packed.len().min((part + 1) * PART)].to_vec();
            let header = ResultHeader { part: part as u32, ..header.clone() };
            let message = ResultPart { header, bytes }.encode();
            self.counts.sent_bytes.fetch_add(message.len() as u64, Ordering::Relaxed);
            self.link.publish(shard.result_subject(), message).await?;
        }
        Ok(())
    }

    /// The player of a shard, made once for all threads.
    async fn player(&self, shard: &Shard) -> Result<Arc<ShardPlayer>, FleetError> {
        let mut players = self.players.lock().await;
        if let Some((_, player)) = players.iter().find(|(job, _)| *job == shard.job.sha256) {
            return Ok(player.clone());
        }
        let job: Job = from_json(&blob::get(&self.link, &shard.job).await?)?;
        if job.version != version() {
            let error = FleetError::OtherVersion { found: job.version, expected: version() };
            let text = FleetError::message(tavola_files::chain(&error));
            self.fail(error);
            return Err(text);
        }
        let selfplay = self.network(&job.selfplay).await?;
        let found = selfplay.checksum();
        if found != job.selfplay_checksum {
            let expected = job.selfplay_checksum;
            return Err(FleetError::message(format!("the network {found}, expected {expected}")));
        }
        let pruning = match &job.pruning {
            Some(pruning) => Some(self.network(pruning).await?),
            None => None,
        };
        let player = Arc::new(ShardPlayer::new(&job.settings, &selfplay, pruning.as_ref())?);
        (self.observer)(&WorkerEvent::Network { round: shard.round, checksum: found });
        players.push_back((shard.job.sha256.clone(), player.clone()));
        if players.len() > PLAYERS {
            players.pop_front();
        }
        Ok(player)
    }

    async fn network(&self, blob: &BlobRef) -> Result<Weights, FleetError> {
        Ok(Weights::from_bytes(&blob::get(&self.link, blob).await?)?)
    }
}

/// Tells the server again and again that a shard is in work.
async fn ping(message: &Message, ack_wait: Duration) {
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
            version: version(),
            threads: settings.threads.get() as u32,
            games: counts.games.load(Ordering::Relaxed),
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
