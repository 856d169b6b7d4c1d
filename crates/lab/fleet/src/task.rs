//! A task on a fleet, from its first shard to its last.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use tavola_evaluator::remote::Task;
use tavola_files::limits::FLEET_UNFINISHED;
use tavola_files::{chain, locked, printable, sha256};
use tokio::time::sleep;

use crate::blob;
use crate::error::FleetError;
use crate::kinds::{self, Opened};
use crate::learner::Fleet;
use crate::ledger::{FleetGames, Ledger, Meaning};
use crate::link::Link;
use crate::wire::{
    BlobRef, Job, PacketOutcome, RESULTS, ResultHeader, ResultPart, Shard, WORK, to_json, unpack,
    version,
};
use crate::worker::PAUSE;

/// Results whose parts are not all there yet, at most, and their bytes.
const MAX_UNFINISHED: usize = 64;
const MAX_UNFINISHED_BYTES: usize = FLEET_UNFINISHED.default as usize;

/// After this time without any worker the user is told that there is none.
const NO_WORKER_WARNING_AFTER: Duration = Duration::from_secs(10);

/// The name under which the learner does shards itself.
const LEARNER: &str = "learner";

/// Results whose parts come in, by worker and number.
#[derive(Default)]
struct Unfinished {
    results: BTreeMap<(String, u64), Vec<Option<Vec<u8>>>>,
    bytes: usize,
}

impl Unfinished {
    /// The packed result, once all its parts are there.
    fn add(&mut self, ResultPart { header, bytes }: ResultPart) -> Option<Vec<u8>> {
        if header.parts == 1 {
            return Some(bytes);
        }
        let (part, all) = (header.part as usize, header.parts as usize);
        let key = (header.worker, header.number);
        if self.results.get(&key).is_some_and(|parts| parts.len() != all) || part >= all {
            return None;
        }
        let is_full = self.results.len() >= MAX_UNFINISHED && !self.results.contains_key(&key);
        if (is_full || self.bytes + bytes.len() > MAX_UNFINISHED_BYTES)
            && let Some((_, dropped)) = self.results.pop_first()
        {
            self.bytes -= length(&dropped);
        }
        let parts = self.results.entry(key.clone()).or_insert_with(|| vec![None; all]);
        self.bytes += bytes.len();
        let before = parts[part].replace(bytes);
        self.bytes -= before.map_or(0, |before| before.len());
        if parts.iter().any(Option::is_none) {
            return None;
        }
        let parts = self.results.remove(&key)?;
        self.bytes -= length(&parts);
        Some(parts.into_iter().flatten().flatten().collect())
    }
}

fn length(parts: &[Option<Vec<u8>>]) -> usize {
    parts.iter().flatten().map(Vec::len).sum()
}

pub(crate) struct TaskOnFleet<'a> {
    fleet: &'a Fleet,
    task: &'a Task<'a>,
    ledger: Ledger,
    unfinished: Unfinished,
    job: BlobRef,
    /// Does shards here, once one has to be.
    opened: Option<Opened>,
    of: u64,
    done: u64,
    began: Instant,
    /// When a result came last, and the longest shard so far.
    last: Instant,
    longest: Duration,
    /// Shards whose check was put into the queue a second time.
    rechecked: BTreeSet<u64>,
    /// When there was a worker last; `None` once the user was told that there is none.
    last_worker_seen: Option<Instant>,
}

impl<'a> TaskOnFleet<'a> {
    pub(crate) fn new(fleet: &'a Fleet, task: &'a Task<'a>) -> Self {
        let items = &task.items;
        let of = items.iter().map(|range| range.end.saturating_sub(range.start)).sum();
        Self {
            fleet,
            task,
            ledger: Ledger::new(items, fleet.cut(of)),
            unfinished: Unfinished::default(),
            job: BlobRef::of(&[]),
            opened: None,
            of,
            done: 0,
            began: Instant::now(),
            last: Instant::now(),
            longest: Duration::from_secs(1),
            rechecked: BTreeSet::new(),
            last_worker_seen: Some(Instant::now()),
        }
    }

    /// Has all items done. Whatever the server does, it goes on until they are, or until the task
    /// is over.
    pub(crate) async fn run(mut self) -> Result<(), FleetError> {
        let (kind, number, of) = (self.task.work.kind, self.task.number, self.of);
        self.fleet.note(|beat| {
            (beat.round, beat.done, beat.of) = (number, 0, of);
            beat.kind = kind.to_owned();
        });
        while !self.task.is_over() {
            match self.begin().await {
                Ok(()) => break,
                Err(error @ FleetError::Message { .. }) => return Err(error),
                Err(error) => self.trouble(&error).await,
            }
        }
        let mut queue = None;
        while !self.task.is_over() && !self.ledger.is_complete() {
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
                Err(error @ FleetError::Work(_)) => return Err(error),
                Err(error) => self.trouble(&error).await,
            }
            match self.watch().await {
                Ok(()) => {}
                Err(error @ FleetError::Work(_)) => return Err(error),
                Err(error) => self.trouble(&error).await,
            }
        }
        // Shards that are still queued would be done for nothing.
        let run = &self.fleet.run;
        let _ = self.fleet.link.purge(WORK, format!("tavola.work.{run}.*")).await;
        Ok(())
    }

    async fn trouble(&self, error: &FleetError) {
        // The server may have come up without what it had.
        self.sent().clear();
        (self.task.warn)(format!("the fleet: {}; trying again", chain(error)));
        sleep(PAUSE).await;
    }

    /// Checksums of what the server has.
    fn sent(&self) -> MutexGuard<'a, HashSet<String>> {
        locked(&self.fleet.sent)
    }

    /// Removes what an earlier session or task has left, sends the files and all shards.
    async fn begin(&mut self) -> Result<(), FleetError> {
        let Fleet { link, run, settings, .. } = self.fleet;
        // A task after another one finds everything in place.
        if self.sent().is_empty() {
            link.ensure_streams(settings.ack_wait).await?;
            link.purge(WORK, format!("tavola.work.{run}.*")).await?;
            link.purge(RESULTS, format!("tavola.result.{run}.*")).await?;
        }
        self.send_job().await?;
        let shards = self.ledger.missing().into_iter();
        let shards = shards.map(|(first, count)| self.message(first, count, None));
        link.publish_all(shards.collect()).await?;
        self.last = Instant::now();
        Ok(())
    }

    /// Puts the work where workers find it.
    async fn send_job(&mut self) -> Result<(), FleetError> {
        let work = self.task.work;
        let settings = self.send(work.settings.as_bytes()).await?;
        let mut files = Vec::new();
        for (name, bytes) in &work.files {
            files.push((name.clone(), self.send(bytes).await?));
        }
        let version = version(self.fleet.settings.address.commit);
        let job = Job { version, kind: work.kind.to_owned(), settings, files };
        self.job = self.send(&to_json(&job)).await?;
        Ok(())
    }

    /// Sends a blob, unless the server has it.
    async fn send(&self, bytes: &[u8]) -> Result<BlobRef, FleetError> {
        let blob = BlobRef::of(bytes);
        let is_there = self.sent().contains(&blob.sha256);
        if !is_there {
            blob::put(&self.fleet.link, bytes).await?;
            let mut sent = self.sent();
            // Old ones are sent again, which renews them.
            if sent.len() > 64 {
                sent.clear();
            }
            sent.insert(blob.sha256.clone());
        }
        Ok(blob)
    }

    /// Puts a shard into the queue, for any worker but one.
    async fn issue(&self, first: u64, count: u64, but: Option<&str>) -> Result<(), FleetError> {
        self.fleet.link.publish_all(vec![self.message(first, count, but)]).await
    }

    /// A shard with its subject.
    fn message(&self, first: u64, count: u64, but: Option<&str>) -> (String, Vec<u8>) {
        let mut not_by = self.fleet.excluded();
        not_by.extend(but.map(str::to_owned));
        let shard = Shard {
            run: self.fleet.run.clone(),
            round: self.task.number,
            first,
            count,
            job: self.job.clone(),
            not_by,
            tries: 0,
        };
        (shard.subject(), to_json(&shard))
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
                    if self.ledger.is_complete() || self.task.is_over() {
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
                self.fleet.note(|beat| beat.damaged += 1);
                return Ok(());
            }
        };
        let ResultHeader { run, round, job, worker, .. } = &part.header;
        let is_ours = *run == self.fleet.run
            && *round == self.task.number
            && *job == self.job.sha256
            && !self.fleet.excluded().contains(worker);
        if !is_ours {
            self.fleet.note(|beat| beat.repeated += 1);
            return Ok(());
        }
        let header = part.header.clone();
        if header.ended == PacketOutcome::Dead {
            return self.dead(header.first, header.count).await;
        }
        let Some(packed) = self.unfinished.add(part) else { return Ok(()) };
        match unpack(&packed, &header.sha256) {
            Ok(bytes) => self.bytes(&header, &bytes).await,
            Err(_) => {
                self.fleet.note(|beat| beat.damaged += 1);
                if self.ledger.missing().contains(&(header.first, header.count)) {
                    self.reissue(header.first, header.count).await?;
                }
                Ok(())
            }
        }
    }

    /// Takes the bytes of a shard, which are what their worker meant to send.
    async fn bytes(&mut self, header: &ResultHeader, bytes: &[u8]) -> Result<(), FleetError> {
        let &ResultHeader { first, count, seconds, .. } = header;
        let played = FleetGames { worker: header.worker.clone(), sha256: header.sha256.clone() };
        match self.ledger.meaning(first, count, &played) {
            Meaning::Wanted => {
                if let Err(refused) = (self.task.accept)(first..first + count, bytes) {
                    // No honest worker sends such bytes.
                    return self.exclude(played.worker, &chain(&*refused)).await;
                }
                self.last = Instant::now();
                // A worker says how long it took, but not longer than it can have.
                let seconds = seconds.min(self.began.elapsed().as_secs_f64());
                self.longest = self.longest.max(Duration::from_secs_f64(seconds));
                self.fleet.learn_pace(seconds / count as f64);
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
            Meaning::Repeated | Meaning::Unknown => self.fleet.note(|beat| beat.repeated += 1),
        }
        let done = self.done;
        self.fleet.note(|beat| beat.done = done);
        Ok(())
    }

    /// Has a shard done once more: by another worker or, where there is none, here.
    async fn check(&mut self, first: u64, count: u64, worker: &str) -> Result<(), FleetError> {
        self.fleet.note(|beat| beat.checked += 1);
        if self.fleet.present().0 > 1 {
            return self.issue(first, count, Some(worker)).await;
        }
        self.arbitrate(first, count, &[]).await
    }

    /// Does a shard here, which says who of those that have done it is wrong.
    async fn arbitrate(
        &mut self,
        first: u64,
        count: u64,
        played: &[FleetGames],
    ) -> Result<(), FleetError> {
        let items = first..first + count;
        if self.opened.is_none() {
            self.opened = Some(kinds::open(self.task.work)?);
        }
        let Some(Opened { runner, .. }) = &self.opened else { return Ok(()) };
        let done = runner.run(items.clone(), self.task.cancel).map_err(FleetError::Work)?;
        let Some(bytes) = done else { return Ok(()) };
        let right = FleetGames { worker: LEARNER.to_owned(), sha256: sha256(&bytes) };
        let mut suspects: Vec<FleetGames> = played.to_vec();
        match self.ledger.meaning(first, count, &right) {
            Meaning::Differs(before) => suspects.push(before),
            Meaning::Wanted => self.done += count,
            _ => {}
        }
        let wrong: BTreeSet<String> = suspects
            .into_iter()
            .filter(|played| played.sha256 != right.sha256)
            .map(|played| played.worker)
            .collect();
        (self.task.accept)(items, &bytes).map_err(FleetError::Work)?;
        self.ledger.accept(first, right, false);
        self.last = Instant::now();
        for worker in wrong {
            let what = format!("its items {first} to {} are wrong", first + count - 1);
            self.exclude(worker, &what).await?;
        }
        Ok(())
    }

    /// A shard that no worker could do, which the learner does. A check of one that was done
    /// before is no news to the user.
    async fn dead(&mut self, first: u64, count: u64) -> Result<(), FleetError> {
        let played = FleetGames { worker: LEARNER.to_owned(), sha256: String::new() };
        match self.ledger.meaning(first, count, &played) {
            Meaning::Wanted => {
                self.fleet.note(|beat| beat.dead += 1);
                (self.task.warn)(format!(
                    "the fleet: items {first} to {} were taken often without a result, the learner \
                     does them",
                    first + count - 1
                ));
                self.arbitrate(first, count, &[]).await
            }
            Meaning::Differs(_) => self.arbitrate(first, count, &[]).await,
            _ => Ok(()),
        }
    }

    /// Takes nothing more from a worker, and has its shards of the task done again.
    async fn exclude(&mut self, worker: String, why: &str) -> Result<(), FleetError> {
        (self.task.warn)(format!(
            "the fleet: worker {} is excluded, its packets of the round are done again: {}",
            printable(&worker),
            printable(why)
        ));
        self.fleet.exclude(worker);
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
        self.fleet.note(|beat| beat.reissued += 1);
        self.issue(first, count, None).await
    }

    /// Puts shards into the queue once more when no result comes: they are with workers that are
    /// slow or hang, or the server has lost them.
    async fn watch(&mut self) -> Result<(), FleetError> {
        let (workers, _) = self.fleet.present();
        if workers > 0 {
            self.last_worker_seen = Some(Instant::now());
        } else if self.last_worker_seen.is_some_and(|last| last.elapsed() > NO_WORKER_WARNING_AFTER)
        {
            self.last_worker_seen = None;
            let shown = self.fleet.settings.address.shown();
            (self.task.warn)(format!("the fleet at {shown} has no worker, expected some"));
        }
        let patience = (3 * self.longest).max(self.fleet.settings.ack_wait);
        if self.ledger.is_complete() || self.last.elapsed() < patience {
            return Ok(());
        }
        // From here on nothing is looked at again before the same time has passed.
        self.last = Instant::now();
        for (first, count, _) in self.ledger.in_check() {
            // There is no second worker, or none has taken the check.
            if workers <= 1 || !self.rechecked.insert(first) {
                self.arbitrate(first, count, &[]).await?;
            }
        }
        let Fleet { link, settings, .. } = self.fleet;
        // Shards that no worker has taken yet are not late: there are no free workers.
        if waiting(link).await > 0 {
            return Ok(());
        }
        link.ensure_streams(settings.ack_wait).await?;
        self.sent().clear();
        self.send_job().await?;
        for (first, count) in self.ledger.missing() {
            self.reissue(first, count).await?;
        }
        for (first, count, worker) in self.ledger.in_check() {
            self.check(first, count, &worker).await?;
        }
        Ok(())
    }
}

/// Shards that no worker has taken.
async fn waiting(link: &Link) -> u64 {
    match link.work().await {
        Ok(queue) => queue.get_info().await.map_or(0, |info| info.num_pending),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: u64, part: u32, parts: u32, bytes: usize) -> ResultPart {
        let header = ResultHeader {
            run: "0a1b".to_owned(),
            round: 1,
            first: 0,
            count: 1,
            job: String::new(),
            worker: "worker".to_owned(),
            ended: PacketOutcome::Done,
            number,
            part,
            parts,
            sha256: String::new(),
            seconds: 0.0,
        };
        ResultPart { header, bytes: vec![part as u8; bytes] }
    }

    #[test]
    fn parts_come_in_any_order_and_repeated() {
        let mut unfinished = Unfinished::default();
        assert_eq!(unfinished.add(part(1, 2, 3, 1)), None);
        assert_eq!(unfinished.add(part(1, 0, 3, 1)), None);
        assert_eq!(unfinished.add(part(2, 0, 1, 1)), Some(vec![0]));
        assert_eq!(unfinished.add(part(1, 2, 3, 1)), None);
        assert_eq!(unfinished.add(part(1, 1, 3, 1)), Some(vec![0, 1, 2]));
        assert_eq!((unfinished.bytes, unfinished.results.len()), (0, 0));
    }

    #[test]
    fn results_that_never_end_do_not_fill_the_memory() {
        let mut unfinished = Unfinished::default();
        for number in 0..200 {
            assert_eq!(unfinished.add(part(number, 0, 256, 4 << 20)), None);
        }
        assert!(unfinished.bytes <= MAX_UNFINISHED_BYTES);
        assert!(unfinished.results.len() <= MAX_UNFINISHED);
        // The number of parts changes on the way.
        for (at, of) in [(0, 2), (5, 6), (1, 2), (0, 256)] {
            unfinished.add(part(999, at, of, 1));
        }
        let kept: usize = unfinished.results.values().map(|parts| length(parts)).sum();
        assert_eq!(unfinished.bytes, kept);
    }
}
