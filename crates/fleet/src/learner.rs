//! The learner's side: a round from its first shard to its last.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use tavola_files::{chain, sha256};
use tavola_pipeline::{GameSource, MAX_SHARD_GAMES, Round};
use tokio::runtime::Runtime;
use tokio::time::sleep;

use crate::blob;
use crate::error::FleetError;
use crate::ledger::{Ledger, Meaning, Played};
use crate::link::{Address, Link};
use crate::wire::{
    BlobRef, Ended, Job, LearnerBeat, RESULTS, ResultHeader, ResultPart, Shard, WORK, WorkerBeat,
    from_json, learner_beat_subject, to_json, unpack, version, worker_beat_subject,
};
use crate::worker::{BEAT, random};

/// How long a thread of a worker is to play a shard.
const SHARD_SECONDS: f64 = 1.0;

/// Shards a round and thread of the fleet, at least: fewer would let threads wait for the last.
const SHARDS_PER_THREAD: u64 = 4;

/// A worker that has said nothing for so long is gone.
const GONE: Duration = Duration::from_secs(10);

/// How long the learner waits after something has failed.
const PAUSE: Duration = Duration::from_millis(300);

/// Results whose parts are not all there yet, at most.
const MAX_UNFINISHED: usize = 64;

/// How a learner uses its fleet.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetSettings {
    /// The server.
    pub address: Address,
    /// Share of the shards that are played once more by another worker, 0 to 1.
    pub check: f64,
    /// After this time without a sign of life from its worker a shard goes to another one.
    pub ack_wait: Duration,
}

/// A fleet of workers, as the source of the games of a run.
pub struct Fleet {
    runtime: Runtime,
    link: Link,
    settings: FleetSettings,
    run: String,
    /// What is told of the run; its excluded workers are the ones that count.
    beat: Arc<Mutex<LearnerBeat>>,
    /// Threads of each worker and when it was heard last.
    workers: Arc<Mutex<HashMap<String, (u32, Instant)>>>,
    /// Seconds that a thread takes for a game, and which checks are drawn.
    pace: Mutex<(Option<f64>, u64)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fleet {
    /// Connects to the server and makes the streams there. `run` is the directory of the run, by
    /// which a resumed run finds what it has left.
    ///
    /// # Errors
    ///
    /// [`FleetError`] if there is no server with JetStream at the address.
    pub fn connect(settings: FleetSettings, run: &Path) -> Result<Self, FleetError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(FleetError::Runtime)?;
        let run = std::path::absolute(run).unwrap_or_else(|_| run.to_owned());
        let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
        let run = sha256(format!("{host}{}", run.display()).as_bytes())[..12].to_owned();
        let link = runtime.block_on(async {
            let link = Link::connect(&settings.address, &format!("learner-{run}")).await?;
            link.ensure_streams(settings.ack_wait).await?;
            Ok::<_, FleetError>(link)
        })?;
        let beat = Arc::new(Mutex::new(LearnerBeat { run: run.clone(), ..Default::default() }));
        let workers = Arc::default();
        runtime.spawn(tell(link.clone(), Arc::clone(&beat)));
        runtime.spawn(listen(link.clone(), Arc::clone(&workers)));
        let pace = Mutex::new((None, random()));
        Ok(Self { runtime, link, settings, run, beat, workers, pace })
    }

    /// The name of the run in subjects and in `fleet status`.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// What the learner has seen so far.
    pub fn report(&self) -> LearnerBeat {
        lock(&self.beat).clone()
    }

    fn excluded(&self) -> Vec<String> {
        lock(&self.beat).excluded.clone()
    }

    /// Workers that were heard lately and are not excluded, and their threads.
    fn present(&self) -> (usize, u64) {
        let excluded = self.excluded();
        let workers = lock(&self.workers);
        let present = workers
            .iter()
            .filter(|(name, (_, heard))| heard.elapsed() < GONE && !excluded.contains(name));
        present
            .fold((0, 0), |(count, sum), (_, (threads, _))| (count + 1, sum + u64::from(*threads)))
    }

    /// Games of a shard, for a round of `games`.
    fn shard_size(&self, games: u64) -> u64 {
        let by_speed = match lock(&self.pace).0 {
            Some(seconds) => (SHARD_SECONDS / seconds.max(1e-6)) as u64,
            None => games / 32,
        };
        let by_threads = games / (SHARDS_PER_THREAD * self.present().1.max(1));
        by_speed.min(by_threads.max(1)).clamp(1, MAX_SHARD_GAMES)
    }

    /// Whether the next shard is played once more.
    fn draws_check(&self) -> bool {
        let pace = &mut *lock(&self.pace);
        // A linear congruential generator (Knuth's MMIX); workers do not know its seed.
        pace.1 =
            pace.1.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((pace.1 >> 11) as f64 / (1_u64 << 53) as f64) < self.settings.check
    }
}

impl GameSource for Fleet {
    fn play(&self, round: &dyn Round) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.runtime.block_on(RoundOnFleet::new(self, round).play())?;
        Ok(())
    }
}

/// Tells what the learner is doing.
async fn tell(link: Link, beat: Arc<Mutex<LearnerBeat>>) {
    loop {
        let message = lock(&beat).clone();
        let subject = learner_beat_subject(&message.run);
        let _ = link.client.publish(subject, to_json(&message).into()).await;
        sleep(BEAT).await;
    }
}

/// Hears which workers there are.
async fn listen(link: Link, workers: Arc<Mutex<HashMap<String, (u32, Instant)>>>) {
    loop {
        if let Ok(mut beats) = link.client.subscribe(worker_beat_subject("*")).await {
            while let Some(message) = beats.next().await {
                let Ok(beat) = from_json::<WorkerBeat>(&message.payload) else { continue };
                let mut workers = lock(&workers);
                workers.retain(|_, (_, heard)| heard.elapsed() < GONE);
                // What anyone may send must not fill the memory.
                if workers.len() < 100_000 {
                    workers.insert(beat.worker, (beat.threads.min(4096), Instant::now()));
                }
            }
        }
        sleep(PAUSE).await;
    }
}

/// A result whose parts come in.
type Unfinished = BTreeMap<(String, u64), Vec<Option<Vec<u8>>>>;

struct RoundOnFleet<'a> {
    fleet: &'a Fleet,
    round: &'a dyn Round,
    ledger: Ledger,
    unfinished: Unfinished,
    job: BlobRef,
    done: u64,
    /// When a result came last, and the longest shard of the round so far.
    last: Instant,
    longest: Duration,
}

impl<'a> RoundOnFleet<'a> {
    fn new(fleet: &'a Fleet, round: &'a dyn Round) -> Self {
        let games = round.games();
        let size = fleet.shard_size(games.end - games.start);
        Self {
            fleet,
            round,
            ledger: Ledger::new(games, size),
            unfinished: BTreeMap::new(),
            job: BlobRef::of(&[]),
            done: 0,
            last: Instant::now(),
            longest: Duration::from_secs(1),
        }
    }

    /// Has all games played. Whatever the server does, it goes on until they are, or until the
    /// run is cancelled.
    async fn play(mut self) -> Result<(), FleetError> {
        let games = self.round.games();
        {
            let mut beat = lock(&self.fleet.beat);
            (beat.round, beat.done, beat.of) = (self.round.number(), 0, games.end - games.start);
        }
        while !self.round.is_cancelled() {
            match self.begin().await {
                Ok(()) => break,
                Err(error @ (FleetError::Weights(_) | FleetError::Message { .. })) => {
                    return Err(error);
                }
                Err(error) => self.trouble(&error).await,
            }
        }
        let mut queue = None;
        while !self.round.is_cancelled() && !self.ledger.is_complete() {
            let results = match queue.take() {
                Some(results) => results,
                None => match self.fleet.link.results(&self.fleet.run).await {
                    Ok(results) => results,
                    Err(error) => {
                        self.trouble(&error).await;
                        continue;
                    }
                },
            };
            match self.results(&results).await {
                Ok(()) => queue = Some(results),
                Err(error) => self.trouble(&error).await,
            }
            if let Err(error) = self.watch().await {
                self.trouble(&error).await;
            }
        }
        // Shards that are still queued would be played for nothing.
        let run = &self.fleet.run;
        let _ = self.fleet.link.purge(WORK, format!("tavola.work.{run}.*")).await;
        Ok(())
    }

    async fn trouble(&self, error: &FleetError) {
        self.round.warn(format!("the fleet: {}; trying again", chain(error)));
        sleep(PAUSE).await;
    }

    /// Removes what an earlier session or round has left, sends the networks and all shards.
    async fn begin(&mut self) -> Result<(), FleetError> {
        let Fleet { link, run, settings, .. } = self.fleet;
        link.ensure_streams(settings.ack_wait).await?;
        link.purge(WORK, format!("tavola.work.{run}.*")).await?;
        link.purge(RESULTS, format!("tavola.result.{run}.*")).await?;
        self.send_job().await?;
        for (first, count) in self.ledger.missing() {
            self.issue(first, count, None).await?;
        }
        self.last = Instant::now();
        Ok(())
    }

    /// Puts the networks and settings of the round where workers find them.
    async fn send_job(&mut self) -> Result<(), FleetError> {
        let link = &self.fleet.link;
        let selfplay = self.round.selfplay();
        let pruning = match self.round.pruning() {
            Some(pruning) => Some(blob::put(link, &pruning.to_bytes()?).await?),
            None => None,
        };
        let job = Job {
            version: version(),
            settings: self.round.settings().to_owned(),
            selfplay: blob::put(link, &selfplay.to_bytes()?).await?,
            selfplay_checksum: selfplay.checksum(),
            pruning,
        };
        self.job = blob::put(link, &to_json(&job)).await?;
        Ok(())
    }

    /// Puts a shard into the queue, for any worker but one.
    async fn issue(&self, first: u64, count: u64, but: Option<&str>) -> Result<(), FleetError> {
        let mut not_by = self.fleet.excluded();
        not_by.extend(but.map(str::to_owned));
        let shard = Shard {
            run: self.fleet.run.clone(),
            round: self.round.number(),
            first,
            count,
            job: self.job.clone(),
            not_by,
        };
        self.fleet.link.publish(shard.subject(), to_json(&shard)).await
    }

    /// Takes the results that are there, or waits half a second for some.
    async fn results(&mut self, queue: &PullConsumer) -> Result<(), FleetError> {
        let expires = Duration::from_millis(500);
        let mut batch = queue
            .batch()
            .max_messages(1)
            .expires(expires)
            .messages()
            .await
            .map_err(FleetError::server("wait for results"))?;
        let mut taken = 0;
        loop {
            let next = tokio::time::timeout(4 * expires, batch.next()).await;
            match next {
                Ok(None) if taken == 0 => return Ok(()),
                Ok(None) => taken = 0,
                Ok(Some(Ok(message))) => {
                    taken += 1;
                    self.result(&message.payload).await?;
                    message.ack().await.map_err(FleetError::server("take a result"))?;
                    if self.ledger.is_complete() || self.round.is_cancelled() {
                        return Ok(());
                    }
                    continue;
                }
                Ok(Some(Err(error))) => {
                    return Err(FleetError::server("wait for results")(error));
                }
                Err(_) => return Err(FleetError::server("wait for results")("no answer")),
            }
            // There may be more of them by now.
            batch = queue
                .fetch()
                .max_messages(64)
                .messages()
                .await
                .map_err(FleetError::server("wait for results"))?;
        }
    }

    /// Takes a part of a result, whatever it is.
    async fn result(&mut self, message: &[u8]) -> Result<(), FleetError> {
        let part = match ResultPart::decode(message) {
            Ok(part) => part,
            Err(_) => {
                lock(&self.fleet.beat).damaged += 1;
                return Ok(());
            }
        };
        let ResultHeader { run, round, job, worker, .. } = &part.header;
        let is_ours = *run == self.fleet.run
            && *round == self.round.number()
            && *job == self.job.sha256
            && !self.fleet.excluded().contains(worker);
        if !is_ours {
            lock(&self.fleet.beat).repeated += 1;
            return Ok(());
        }
        let header = part.header.clone();
        if header.ended == Ended::Dead {
            return self.dead(header.first, header.count).await;
        }
        let Some(packed) = self.assemble(part) else { return Ok(()) };
        match unpack(&packed, &header.sha256) {
            Ok(games) => self.games(&header, &games).await,
            Err(_) => {
                lock(&self.fleet.beat).damaged += 1;
                if self.ledger.missing().contains(&(header.first, header.count)) {
                    self.reissue(header.first, header.count).await?;
                }
                Ok(())
            }
        }
    }

    /// The packed games, once all their parts are there.
    fn assemble(&mut self, part: ResultPart) -> Option<Vec<u8>> {
        let ResultPart { header, bytes } = part;
        if header.parts == 1 {
            return Some(bytes);
        }
        let key = (header.worker.clone(), header.number);
        if self.unfinished.len() >= MAX_UNFINISHED && !self.unfinished.contains_key(&key) {
            self.unfinished.pop_first();
        }
        let parts =
            self.unfinished.entry(key.clone()).or_insert_with(|| vec![None; header.parts as usize]);
        *parts.get_mut(header.part as usize)? = Some(bytes);
        if parts.iter().any(Option::is_none) {
            return None;
        }
        Some(self.unfinished.remove(&key)?.into_iter().flatten().flatten().collect())
    }

    /// Takes the games of a shard, which are what their worker meant to send.
    async fn games(&mut self, header: &ResultHeader, games: &[u8]) -> Result<(), FleetError> {
        let &ResultHeader { first, count, seconds, .. } = header;
        let played = Played { worker: header.worker.clone(), sha256: header.sha256.clone() };
        match self.ledger.meaning(first, count, &played) {
            Meaning::Wanted => {
                if let Err(refused) = self.round.accept(first..first + count, games) {
                    // No seed leads to such games.
                    return self.exclude(played.worker, &chain(&refused)).await;
                }
                self.last = Instant::now();
                self.longest = self.longest.max(Duration::from_secs_f64(seconds.min(3600.0)));
                self.learn_pace(seconds / count as f64);
                self.done += count;
                let check = self.fleet.draws_check();
                self.ledger.accept(first, played.clone(), check);
                if check {
                    self.check(first, count, &played.worker).await?;
                }
            }
            Meaning::Agreed => {
                self.last = Instant::now();
                self.ledger.settle(first);
            }
            Meaning::Differs(before) => {
                self.last = Instant::now();
                self.arbitrate(first, count, &[before, played]).await?;
            }
            Meaning::Repeated | Meaning::Unknown => lock(&self.fleet.beat).repeated += 1,
        }
        lock(&self.fleet.beat).done = self.done;
        Ok(())
    }

    fn learn_pace(&self, seconds: f64) {
        let pace = &mut lock(&self.fleet.pace).0;
        *pace = Some(pace.map_or(seconds, |before| 0.9 * before + 0.1 * seconds));
    }

    /// Has a shard played once more: by another worker or, where there is none, here.
    async fn check(&mut self, first: u64, count: u64, worker: &str) -> Result<(), FleetError> {
        lock(&self.fleet.beat).checked += 1;
        if self.fleet.present().0 > 1 {
            return self.issue(first, count, Some(worker)).await;
        }
        let before = self.ledger.in_check().into_iter().find(|&(at, ..)| at == first);
        match before {
            Some(_) => self.arbitrate(first, count, &[]).await,
            None => Ok(()),
        }
    }

    /// Plays a shard here, which says who of those that have played it is wrong.
    async fn arbitrate(
        &mut self,
        first: u64,
        count: u64,
        played: &[Played],
    ) -> Result<(), FleetError> {
        let Some(games) = self.play_here(first, count)? else { return Ok(()) };
        let right = Played { worker: "learner".to_owned(), sha256: sha256(&games) };
        let mut suspects: Vec<Played> = played.to_vec();
        if let Meaning::Differs(before) = self.ledger.meaning(first, count, &right) {
            suspects.push(before);
        }
        let wrong: BTreeSet<String> = suspects
            .into_iter()
            .filter(|played| played.sha256 != right.sha256)
            .map(|played| played.worker)
            .collect();
        self.keep_own(first, count, &games, right);
        for worker in wrong {
            let what =
                format!("its games {first} to {} are not those of their seed", first + count - 1);
            self.exclude(worker, &what).await?;
        }
        Ok(())
    }

    fn play_here(&self, first: u64, count: u64) -> Result<Option<Vec<u8>>, FleetError> {
        Ok(self.round.replay(first..first + count)?)
    }

    fn keep_own(&mut self, first: u64, count: u64, games: &[u8], played: Played) {
        if self.ledger.meaning(first, count, &played) == Meaning::Wanted {
            self.done += count;
        }
        match self.round.accept(first..first + count, games) {
            Ok(()) => self.ledger.accept(first, played, false),
            Err(refused) => self.round.warn(format!("the fleet: {}", chain(&refused))),
        }
        self.last = Instant::now();
    }

    /// A shard that no worker could play: the learner plays it.
    async fn dead(&mut self, first: u64, count: u64) -> Result<(), FleetError> {
        let played = Played { worker: "learner".to_owned(), sha256: String::new() };
        match self.ledger.meaning(first, count, &played) {
            Meaning::Wanted | Meaning::Differs(_) => {
                lock(&self.fleet.beat).dead += 1;
                self.round.warn(format!(
                    "the fleet: games {first} to {} were delivered often without a result, the \
                     learner plays them",
                    first + count - 1
                ));
                self.arbitrate(first, count, &[]).await
            }
            _ => Ok(()),
        }
    }

    /// Takes nothing more from a worker, and has its games of the round played again.
    async fn exclude(&mut self, worker: String, why: &str) -> Result<(), FleetError> {
        self.round.warn(format!(
            "the fleet: worker {} is excluded, its games of the round are played again: {why}",
            tavola_files::printable(&worker)
        ));
        {
            let mut beat = lock(&self.fleet.beat);
            if !beat.excluded.contains(&worker) {
                beat.excluded.push(worker);
            }
        }
        let excluded = self.fleet.excluded().into_iter().collect();
        for (_, count) in self.ledger.forget(&excluded) {
            self.done = self.done.saturating_sub(count);
        }
        for (first, count) in self.ledger.missing() {
            self.reissue(first, count).await?;
        }
        Ok(())
    }

    async fn reissue(&self, first: u64, count: u64) -> Result<(), FleetError> {
        lock(&self.fleet.beat).reissued += 1;
        self.issue(first, count, None).await
    }

    /// Puts shards into the queue once more when no result comes: they are with workers that are
    /// slow or hang, or the server has lost them.
    async fn watch(&mut self) -> Result<(), FleetError> {
        let patience = (3 * self.longest).max(self.fleet.settings.ack_wait);
        if self.ledger.is_complete() || self.last.elapsed() < patience {
            return Ok(());
        }
        let Fleet { link, settings, .. } = self.fleet;
        let waiting = match link.work().await {
            Ok(queue) => queue.get_info().await.map_or(0, |info| info.num_pending),
            Err(_) => 0,
        };
        // Shards that no worker has taken yet are not late: there are no free workers.
        if waiting > 0 {
            return Ok(());
        }
        link.ensure_streams(settings.ack_wait).await?;
        self.send_job().await?;
        for (first, count) in self.ledger.missing() {
            self.reissue(first, count).await?;
        }
        for (first, count, worker) in self.ledger.in_check() {
            self.check(first, count, &worker).await?;
        }
        self.last = Instant::now();
        Ok(())
    }
}
