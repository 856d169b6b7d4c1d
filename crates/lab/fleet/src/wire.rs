//! Subjects, messages and their limits.
//!
//! Messages are JSON, but for [parts of results](ResultPart), which are a JSON header with bytes
//! behind it. Every decoder takes any bytes and says what is wrong with them.

use std::io::{Read, Write};
use std::ops::Range;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tavola_files::limits::{FLEET_JSON, FLEET_PART, FLEET_RESULT, SHARD};
use tavola_files::sha256;

use crate::error::FleetError;

/// The version of messages and subjects.
pub const PROTOCOL: u32 = 2;

/// The stream of shards to play: a work queue.
pub const WORK: &str = "TAVOLA_WORK";
/// The stream of games that were played: a work queue of the learner.
pub const RESULTS: &str = "TAVOLA_RESULTS";
/// The stream of networks and settings, in parts.
pub const BLOBS: &str = "TAVOLA_BLOBS";
/// The stream of shards that were delivered too often without a result.
pub const DEAD: &str = "TAVOLA_DEAD";

/// The streams with their subjects.
pub const STREAMS: [(&str, &str); 4] = [
    (WORK, "tavola.work.>"),
    (RESULTS, "tavola.result.>"),
    (BLOBS, "tavola.blob.>"),
    (DEAD, "tavola.dead.>"),
];

/// Bytes of a part of a larger message; servers refuse messages above 1 MiB by default.
pub const PART: usize = FLEET_PART.default as usize;
/// The most bytes of a message: a part with its header.
pub const MESSAGE: usize = PART + MAX_JSON;
/// The most parts of a result or blob.
pub const MAX_PARTS: u32 = (FLEET_RESULT.default / FLEET_PART.default) as u32;
/// The most bytes that a result may have when it is unpacked.
pub const MAX_RESULT: u64 = FLEET_RESULT.default;
/// The most files of a job.
const MAX_FILES: usize = 16;
/// The most bytes of a message in JSON.
const MAX_JSON: usize = FLEET_JSON.default as usize;

/// What the games of a learner and a worker depend on beside the messages: the program, built from
/// this commit, if that is known.
pub fn version(commit: Option<&str>) -> String {
    let (number, commit) = (env!("CARGO_PKG_VERSION"), commit.unwrap_or("unknown"));
    format!("tavola {number} (commit {commit}, fleet protocol {PROTOCOL})")
}

/// A large thing in the stream of blobs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlobRef {
    /// SHA-256 of its bytes in hexadecimal, by which it is found.
    pub sha256: String,
    /// Its bytes.
    pub bytes: u64,
}

impl BlobRef {
    /// The reference to these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self { sha256: sha256(bytes), bytes: bytes.len() as u64 }
    }

    /// The number of its parts, unless it has more than [`MAX_PARTS`] or no proper checksum.
    pub fn parts(&self) -> Option<u32> {
        let is_hex = self.sha256.len() == 64 && self.sha256.bytes().all(|b| b.is_ascii_hexdigit());
        let parts = self.bytes.div_ceil(PART as u64).max(1);
        (is_hex && parts <= u64::from(MAX_PARTS)).then_some(parts as u32)
    }
}

/// What all shards of a task have in common: a [`Work`](tavola_evaluator::remote::Work) whose
/// files are stored apart, so that equal ones travel once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The [`version`] of the learner.
    pub version: String,
    /// The name of the kind of work.
    pub kind: String,
    /// Its settings.
    pub settings: BlobRef,
    /// Its files by their names.
    pub files: Vec<(String, BlobRef)>,
}

impl Job {
    /// Reads one.
    ///
    /// # Errors
    ///
    /// [`FleetError::Message`] says what is wrong.
    pub fn decode(bytes: &[u8]) -> Result<Self, FleetError> {
        let job: Self = from_json(bytes)?;
        match job.files.len() <= MAX_FILES {
            true => Ok(job),
            false => Err(FleetError::message(format!("a job with {} files", job.files.len()))),
        }
    }
}

/// Items to do: games to play, or whatever the work of the job counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// The run: a name of hexadecimal digits.
    pub run: String,
    /// The round, from 1.
    pub round: u32,
    /// Number of the first item within the run.
    pub first: u64,
    /// Items.
    pub count: u64,
    /// What they have in common with the other items of the round.
    pub job: BlobRef,
    /// Workers that are not to do it: the one whose bytes it checks, and excluded ones.
    pub not_by: Vec<String>,
    /// How often it was taken before it was put into the queue again by a worker that is not to do
    /// it, those refusals apart.
    pub tries: u32,
}

impl Shard {
    /// The numbers of its items.
    pub const fn items(&self) -> Range<u64> {
        self.first..self.first.saturating_add(self.count)
    }

    /// Its place in the work queue.
    pub fn subject(&self) -> String {
        format!("tavola.work.{}.{}", self.run, self.round)
    }

    /// Where its games go.
    pub fn result_subject(&self) -> String {
        format!("tavola.result.{}.{}", self.run, self.round)
    }

    /// Where it goes when it was delivered too often.
    pub fn dead_subject(&self) -> String {
        format!("tavola.dead.{}.{}", self.run, self.round)
    }

    /// Reads one.
    ///
    /// # Errors
    ///
    /// [`FleetError::Message`] says what is wrong.
    pub fn decode(bytes: &[u8]) -> Result<Self, FleetError> {
        let shard: Self = from_json(bytes)?;
        let is_name = !shard.run.is_empty() && shard.run.bytes().all(|b| b.is_ascii_alphanumeric());
        if !is_name || !(1..=SHARD.default).contains(&shard.count) {
            let what = format!("a shard of {} items of the run {:?}", shard.count, shard.run);
            return Err(FleetError::message(what));
        }
        Ok(shard)
    }
}

/// What became of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PacketOutcome {
    /// It was done.
    Done,
    /// It was taken too often without a result.
    Dead,
}

/// The header of a part of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultHeader {
    /// The shard's run.
    pub run: String,
    /// The shard's round.
    pub round: u32,
    /// The shard's first item.
    pub first: u64,
    /// The shard's items.
    pub count: u64,
    /// Checksum of the job, and so of settings and networks.
    pub job: String,
    /// The worker.
    pub worker: String,
    /// What became of the shard.
    pub ended: PacketOutcome,
    /// Tells the parts of one result from those of another of the same worker.
    pub number: u64,
    /// This part, from 0.
    pub part: u32,
    /// All parts.
    pub parts: u32,
    /// SHA-256 of the bytes, unpacked.
    pub sha256: String,
    /// Seconds that a thread took for the items.
    pub seconds: f64,
}

/// A part of a result: the bytes of a shard, packed and cut.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultPart {
    /// What it is a part of.
    pub header: ResultHeader,
    /// Its bytes of the packed result.
    pub bytes: Vec<u8>,
}

impl ResultPart {
    /// As a message: length of the header (4 bytes, little-endian), header, bytes.
    pub fn encode(&self) -> Vec<u8> {
        let header = to_json(&self.header);
        let mut message = (header.len() as u32).to_le_bytes().to_vec();
        message.extend_from_slice(&header);
        message.extend_from_slice(&self.bytes);
        message
    }

    /// Reads one.
    ///
    /// # Errors
    ///
    /// [`FleetError::Message`] says what is wrong.
    pub fn decode(message: &[u8]) -> Result<Self, FleetError> {
        let short = || FleetError::message(format!("a result of {} bytes", message.len()));
        let (length, rest) = message.split_first_chunk::<4>().ok_or_else(short)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (header, bytes) = rest.split_at_checked(length).ok_or_else(short)?;
        let header: ResultHeader = from_json(header)?;
        let ResultHeader { part, parts, count, seconds, .. } = header;
        if part >= parts || parts > MAX_PARTS || bytes.len() > PART {
            let what = format!("part {part} of {parts} with {} bytes", bytes.len());
            return Err(FleetError::message(what));
        }
        if !(1..=SHARD.default).contains(&count) || !seconds.is_finite() || seconds < 0.0 {
            return Err(FleetError::message(format!("{count} items in {seconds} seconds")));
        }
        if !is_name(&header.worker) {
            return Err(FleetError::message(format!("a worker with the name {:?}", header.worker)));
        }
        Ok(Self { header, bytes: bytes.to_vec() })
    }
}

/// Packs the bytes of a result.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a vector takes all bytes")
}

/// Unpacks the bytes of a result, whose checksum must be the given one.
///
/// # Errors
///
/// [`FleetError::Message`], also for more than [`MAX_RESULT`] bytes.
pub fn unpack(packed: &[u8], checksum: &str) -> Result<Vec<u8>, FleetError> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(packed).take(MAX_RESULT + 1).read_to_end(&mut bytes).map_err(|error| {
        FleetError::message(format!("a result that can't be unpacked: {error}"))
    })?;
    if bytes.len() as u64 > MAX_RESULT {
        return Err(FleetError::message(format!("a result of more than {MAX_RESULT} bytes")));
    }
    let found = sha256(&bytes);
    if found != checksum {
        let what = format!("a result with the checksum {found}, expected {checksum}");
        return Err(FleetError::message(what));
    }
    Ok(bytes)
}

/// What a worker says of itself every two seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerBeat {
    /// Its name, unique in the fleet.
    pub worker: String,
    /// Its [`version`].
    pub version: String,
    /// Its threads.
    pub threads: u32,
    /// Items that it has done since it started: games, where games are played.
    pub items: u64,
    /// Seconds since it started.
    pub seconds: f64,
    /// Seconds in which its threads worked, all together.
    pub busy_seconds: f64,
    /// Bytes of results that it has sent, packed.
    pub sent_bytes: u64,
}

/// What a learner says of itself every two seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnerBeat {
    /// The run.
    pub run: String,
    /// The kind of its work.
    pub kind: String,
    /// The round that is done, from 1.
    pub round: u32,
    /// Items of it that were accepted.
    pub done: u64,
    /// Items of it.
    pub of: u64,
    /// Shards that were put in the queue again, in all rounds.
    pub reissued: u64,
    /// Results that were dropped because their shard was settled.
    pub repeated: u64,
    /// Shards that were done a second time to check the first.
    pub checked: u64,
    /// Shards that no worker could do, and that the learner did.
    pub dead: u64,
    /// Messages that were damaged.
    pub damaged: u64,
    /// Workers whose results were wrong.
    pub excluded: Vec<String>,
}

/// Whether a text can be the name of a worker: it is a part of subjects and in every shard.
pub fn is_name(text: &str) -> bool {
    let fits = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-' || letter == b'_';
    (1..=64).contains(&text.len()) && text.bytes().all(fits)
}

/// Where a worker says what it is doing.
pub fn worker_beat_subject(worker: &str) -> String {
    format!("tavola.presence.worker.{worker}")
}

/// Where a learner says what it is doing.
pub fn learner_beat_subject(run: &str) -> String {
    format!("tavola.presence.learner.{run}")
}

/// A message as JSON.
pub fn to_json(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages have no maps with other keys than texts")
}

/// A message from JSON.
///
/// # Errors
///
/// [`FleetError::Message`], also for messages above [`FLEET_JSON`].
pub fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, FleetError> {
    if bytes.len() > MAX_JSON {
        return Err(FleetError::message(format!("{} bytes of JSON", bytes.len())));
    }
    serde_json::from_slice(bytes).map_err(|error| FleetError::message(error.to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part() -> ResultPart {
        let header = ResultHeader {
            run: "0a1b".to_owned(),
            round: 3,
            first: 10,
            count: 4,
            job: "f".repeat(64),
            worker: "host-1".to_owned(),
            ended: PacketOutcome::Done,
            number: 7,
            part: 0,
            parts: 1,
            sha256: sha256(b"games"),
            seconds: 0.5,
        };
        ResultPart { header, bytes: pack(b"games") }
    }

    #[test]
    fn results_come_out_as_they_went_in() {
        let part = part();
        let read = ResultPart::decode(&part.encode()).unwrap();
        assert_eq!(read, part);
        assert_eq!(unpack(&read.bytes, &read.header.sha256).unwrap(), b"games");
        assert!(unpack(&read.bytes, &sha256(b"other")).is_err());
    }

    #[test]
    fn limits_hold() {
        let mut large = part();
        large.bytes = vec![0; PART + 1];
        assert!(ResultPart::decode(&large.encode()).is_err());
        let mut many = part();
        many.header.parts = MAX_PARTS + 1;
        assert!(ResultPart::decode(&many.encode()).is_err());
        for name in ["", "a b", "a.>", &"a".repeat(65)] {
            let mut named = part();
            named.header.worker = name.to_owned();
            assert!(ResultPart::decode(&named.encode()).is_err(), "{name:?}");
        }
        // A small message that unpacks to too much.
        let bomb = vec![0; MAX_RESULT as usize + 1];
        let refused = unpack(&pack(&bomb), &sha256(&bomb)).unwrap_err().to_string();
        assert!(refused.contains("more than"), "{refused}");
        let blob = BlobRef { sha256: "f".repeat(64), bytes: u64::MAX };
        assert_eq!(blob.parts(), None);
        assert_eq!(BlobRef::of(&[0; PART + 1]).parts(), Some(2));
        let long = format!("{}1", " ".repeat(MAX_JSON));
        assert!(from_json::<u8>(long.as_bytes()).is_err() && from_json::<u8>(b" 1").is_ok());
    }

    #[test]
    fn a_shard_has_a_run_that_is_one_word_and_some_games() {
        let shard = |run: &str, count| Shard {
            run: run.to_owned(),
            round: 1,
            first: u64::MAX,
            count,
            job: BlobRef::of(b"job"),
            not_by: Vec::new(),
            tries: 0,
        };
        assert!(Shard::decode(&to_json(&shard("0a1b", 5))).is_ok());
        let many = shard("0a1b", SHARD.default + 1);
        for wrong in [shard("0a.>", 5), shard("", 5), shard("0a1b", 0), many] {
            assert!(Shard::decode(&to_json(&wrong)).is_err(), "{wrong:?}");
        }
        // Its games end without an overflow.
        assert!(shard("0a1b", 5).items().is_empty());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = ResultPart::decode(&bytes);
            let _ = Shard::decode(&bytes);
            let _ = Job::decode(&bytes);
            let _ = from_json::<WorkerBeat>(&bytes);
            let _ = unpack(&bytes, "");
        }

        #[test]
        fn damaged_results_are_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut message = part().encode();
            let at = at.index(message.len());
            message[at] = byte;
            if let Ok(part) = ResultPart::decode(&message) {
                let _ = unpack(&part.bytes, &part.header.sha256);
            }
        }
    }
}
