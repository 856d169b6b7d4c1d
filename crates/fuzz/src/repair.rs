//! Checksums of damaged files, made right again, so that mutations get past the first check.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tavola_files::{Digest, Sha256, crc32, hex, seal};

/// A network: the SHA-256 in its metadata is that of its tensors, and the length of the header
/// that of its text.
pub(crate) fn weights(bytes: &[u8]) -> Option<Vec<u8>> {
    let (_, rest) = bytes.split_first_chunk::<8>()?;
    // The header is one JSON object of text; the tensors begin behind its last brace.
    let key = b"\\\"sha256\\\":\\\"";
    let tensors_at = |rest: &[u8]| {
        let length = u64::from_le_bytes(*bytes.first_chunk::<8>()?);
        let said = usize::try_from(length).ok().filter(|&at| at <= rest.len());
        let brace = || rest.windows(3).position(|end| end == b"}} ").map(|at| at + 2);
        said.or_else(brace)
    };
    let at = tensors_at(rest)?;
    let (header, tensors) = rest.split_at(at);
    let sum_at = header.windows(key.len()).position(|window| window == key)? + key.len();
    let sum = hex(&Sha256::digest(tensors));
    let mut header = header.to_vec();
    header.get_mut(sum_at..sum_at + sum.len())?.copy_from_slice(sum.as_bytes());
    let mut whole = (header.len() as u64).to_le_bytes().to_vec();
    whole.extend(header);
    whole.extend(tensors);
    Some(whole)
}

/// Self-play records: the CRC-32 of each block and of the end mark, and the number of records.
pub(crate) fn records(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut whole = bytes.to_vec();
    let (mut at, mut blocks) = (12, 0_u64);
    loop {
        let length = u32::from_le_bytes(*whole.get(at..)?.first_chunk()?) as usize;
        if length == 0 {
            let end = whole.get_mut(at + 4..at + 16)?;
            // The first block is the header of the file.
            let count = blocks.saturating_sub(1).to_le_bytes();
            end[..8].copy_from_slice(&count);
            end[8..].copy_from_slice(&crc32(&count).to_le_bytes());
            return Some(whole);
        }
        let payload = whole.get(at + 8..at.checked_add(8)?.checked_add(length)?)?;
        let sum = crc32(payload).to_le_bytes();
        whole[at + 4..at + 8].copy_from_slice(&sum);
        at += 8 + length;
        blocks += 1;
    }
}

/// A dataset's shard: the CRC-32 of its header, of each block and of the end mark, and the number
/// of samples.
pub(crate) fn shard(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut whole = bytes.to_vec();
    let number = |whole: &[u8], at: usize| {
        Some(u32::from_le_bytes(*whole.get(at..)?.first_chunk()?) as usize)
    };
    let header = 12..15 + usize::from(*whole.get(12)?);
    let sum = crc32(whole.get(header.clone())?).to_le_bytes();
    whole.get_mut(header.end..header.end + 4)?.copy_from_slice(&sum);
    let (mut at, mut samples) = (header.end + 4, 0_u64);
    loop {
        let count = number(&whole, at)?;
        if count == 0 {
            let end = whole.get_mut(at + 4..at + 16)?;
            end[..8].copy_from_slice(&samples.to_le_bytes());
            end[8..].copy_from_slice(&crc32(&samples.to_le_bytes()).to_le_bytes());
            return Some(whole);
        }
        let payload = at + 12..(at + 12).checked_add(number(&whole, at + 4)?)?;
        let sum = crc32(whole.get(payload.clone())?).to_le_bytes();
        whole[at + 8..at + 12].copy_from_slice(&sum);
        at = payload.end;
        samples += count as u64;
    }
}

/// A bear-off table: the length of its body and both checksums.
pub(crate) fn table(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut whole = bytes.to_vec();
    let (header, body) = whole.split_at_mut_checked(64)?;
    header[24..32].copy_from_slice(&(body.len() as u64).to_le_bytes());
    header[32..36].copy_from_slice(&crc32(body).to_le_bytes());
    let sum = crc32(&header[..60]);
    header[60..].copy_from_slice(&sum.to_le_bytes());
    Some(whole)
}

/// A file whose last four bytes are the CRC-32 of those before.
pub(crate) fn trailing(bytes: &[u8]) -> Option<Vec<u8>> {
    let content = &bytes[..bytes.len().checked_sub(4)?];
    let mut whole = content.to_vec();
    whole.extend(crc32(content).to_le_bytes());
    Some(whole)
}

/// The same packed with gzip, so that mutations reach what a packed file holds.
pub(crate) fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// A journal: the CRC-32 at the end of each line.
pub(crate) fn journal(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(bytes).ok()?;
    let mut whole = String::new();
    for line in text.lines() {
        let json = line.rsplit_once(' ').map_or(line, |(json, _)| json);
        whole.push_str(&format!("{json} {:08x}\n", crc32(json.as_bytes())));
    }
    Some(whole.into_bytes())
}

/// A JSON object sealed with a checksum as its last member.
#[cfg(feature = "training")]
pub(crate) fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    Some(resealed(str::from_utf8(bytes).ok()?).into_bytes())
}

/// Lines of sealed objects; the first line, a header, and lines without a checksum stay as they are.
pub(crate) fn sealed_lines(bytes: &[u8]) -> Option<Vec<u8>> {
    let lines = str::from_utf8(bytes).ok()?.lines();
    let whole: String = lines
        .map(|line| if line.contains(CHECKSUM) { resealed(line) } else { line.to_owned() } + "\n")
        .collect();
    Some(whole.into_bytes())
}

const CHECKSUM: &str = ",\"crc32\":";

fn resealed(text: &str) -> String {
    let content = text.rsplit_once(CHECKSUM).map_or(text, |(content, _)| content);
    seal(&format!("{content}}}"))
}
