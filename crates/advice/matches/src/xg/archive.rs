//! The container: a header, and an archive of compressed files with its index at the end.

use std::io::Read;

use crc32fast::hash;
use flate2::read::ZlibDecoder;
use tavola_files::limits::{ARCHIVE_BYTES, ARCHIVE_RATIO};

use super::layout::{Bytes, RECORD, is_match_header};
use crate::reading::ReadError;

/// What the header begins with.
const MAGIC: &[u8] = b"RGMH";
/// Bytes of an entry of the index.
const ENTRY: usize = 532;
/// Bytes of what stands behind the index.
const TRAILER: usize = 36;
/// More files than this are in no archive of matches; there are four.
const MOST_FILES: usize = 64;
/// The most that is unpacked of one archive, in bytes.
const LARGEST: u64 = ARCHIVE_BYTES.default;
/// The most that a byte is unpacked to; records of games come to less than a fifth of it.
const RATIO: u64 = ARCHIVE_RATIO.default;
/// What may be unpacked of an archive however small it is, in bytes.
const LEAST: u64 = 1 << 20;
/// How often a damaged archive is searched for the begin of a file.
const MOST_TRIALS: usize = 64;

/// The files of an archive that matter.
#[derive(Default)]
pub(super) struct Files {
    /// `temp.xg`: whole records.
    pub(super) records: Vec<u8>,
    /// `temp.xgc`: comments.
    pub(super) comments: Vec<u8>,
    /// What had to be mended.
    pub(super) notes: Vec<String>,
}

/// Whether a file begins as those of eXtreme Gammon do.
pub(crate) fn is_xg(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Unpacks a file.
pub(super) fn unpack(bytes: &[u8]) -> Result<Files, ReadError> {
    let mut files = Files::default();
    let mut budget = Budget((bytes.len() as u64 * RATIO).clamp(LEAST, LARGEST));
    if let Err(why) = by_index(bytes, &mut files, &mut budget) {
        files.notes.push(format!("{why}; the games are searched for"));
    }
    if files.records.len() < RECORD {
        search(bytes, &mut files, &mut budget);
    }
    if budget.0 == 0 {
        let text = format!(
            "the archive of {} bytes unpacks to more than {RATIO} times that or {LARGEST} bytes, \
             expected the records of a match",
            bytes.len()
        );
        return Err(ReadError::Malformed { line: 0, text });
    }
    let cut = files.records.len() % RECORD;
    if cut > 0 {
        files.notes.push("the last record is cut off".to_owned());
        files.records.truncate(files.records.len() - cut);
    }
    if files.records.is_empty() {
        return Err(ReadError::Malformed {
            line: 0,
            text: "it begins as a file of eXtreme Gammon, but no games were found in it".to_owned(),
        });
    }
    Ok(files)
}

/// The bytes that may still be unpacked of an archive.
struct Budget(u64);

impl Budget {
    /// What is packed, as far as it can be unpacked, and whether it came to its end.
    fn inflate(&mut self, packed: &[u8], most: u64) -> (Vec<u8>, bool) {
        let mut content = Vec::new();
        let mut decoder = ZlibDecoder::new(packed).take(most.min(self.0));
        let whole = decoder.read_to_end(&mut content).is_ok();
        self.0 -= content.len() as u64;
        (content, whole)
    }
}

fn by_index(bytes: &[u8], files: &mut Files, budget: &mut Budget) -> Result<(), String> {
    let damaged = || "the index of the archive is damaged or missing".to_owned();
    let end = bytes.len().checked_sub(TRAILER).ok_or_else(damaged)?;
    let trailer = Bytes(&bytes[end..]);
    let size = |at| usize::try_from(trailer.int(at)).map_err(|_| damaged());
    let (count, index_size, data_size) = (size(4)?, size(12)?, size(16)?);
    let index = end.checked_sub(index_size).ok_or_else(damaged)?;
    let start = index.checked_sub(data_size).ok_or_else(damaged)?;
    if count == 0 || count > MOST_FILES {
        return Err(damaged());
    }
    let packed = &bytes[index..end];
    let entries = match trailer.int(20) {
        0 => packed.to_vec(),
        _ => budget.inflate(packed, (count * ENTRY) as u64).0,
    };
    if entries.len() < count * ENTRY {
        return Err(damaged());
    }
    if hash(&bytes[start..end]) != trailer.int(0).cast_unsigned() {
        files.notes.push("the checksum of the archive is wrong".to_owned());
    }
    for entry in entries.chunks_exact(ENTRY).take(count) {
        let entry = Bytes(entry);
        let name = entry.short_string(0, 255).to_ascii_lowercase();
        let into = match name.as_str() {
            "temp.xg" => &mut files.records,
            "temp.xgc" => &mut files.comments,
            _ => continue,
        };
        if !into.is_empty() {
            files.notes.push(format!("{name} is in the archive twice, and the first was read"));
            continue;
        }
        let size = |at| usize::try_from(entry.int(at)).map_err(|_| damaged());
        let (packed_size, at) = (size(516)?, size(520)?);
        let from = start.checked_add(at).filter(|&from| from <= index).ok_or_else(damaged)?;
        let until = from.checked_add(packed_size).map_or(index, |until| until.min(index));
        let (content, whole) = match entry.byte(528) {
            0 => budget.inflate(&bytes[from..until], LARGEST),
            _ => (bytes[from..until].to_vec(), true),
        };
        if !whole || hash(&content) != entry.int(524).cast_unsigned() {
            files.notes.push(format!("{name} in the archive is damaged"));
        }
        *into = content;
    }
    Ok(())
}

/// Looks for the records in an archive without an index: the longest file that begins with one of a
/// match.
fn search(bytes: &[u8], files: &mut Files, budget: &mut Budget) {
    let mut found = Vec::new();
    let begins = |at: &usize| {
        let [first, second] = [bytes[*at], bytes[at + 1]].map(u16::from);
        first == 0x78 && (first * 256 + second) % 31 == 0
    };
    let starts = (0..bytes.len().saturating_sub(1)).filter(begins);
    for start in starts.take(MOST_TRIALS) {
        // The first record tells whether the rest is worth the time.
        let (head, _) = budget.inflate(&bytes[start..], RECORD as u64);
        if !is_match_header(&head) {
            continue;
        }
        let (content, _) = budget.inflate(&bytes[start..], LARGEST);
        if content.len() > found.len() {
            found = content;
        }
    }
    files.records = found;
}
