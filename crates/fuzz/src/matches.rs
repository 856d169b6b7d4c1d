//! Files of matches.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use tavola_files::crc32;
use tavola_matches::{Game, Match, MatchFormat, json, mat, ogxm, read_as, sgf};

use crate::{Target, repair};

pub(crate) const TARGETS: [Target; 6] = [
    Target::new("match-text", |input| reads(MatchFormat::Mat, input))
        .words("match-text")
        .longest(16 << 10)
        .fixed(16 << 20),
    Target::new("match-sgf", match_sgf).words("match-sgf").longest(16 << 10),
    Target::new("match-json", |input| reads(MatchFormat::Json, input))
        .words("match-json")
        .longest(16 << 10),
    // Records of eXtreme Gammon, bare in the seed inputs. A packed archive holds up to 4,096 of
    // them, whatever its length: 44 KiB for each.
    Target::new("match-xg", |input| reads(MatchFormat::Xg, input))
        .repaired(archive)
        .longest(32 << 10)
        .fixed(208 << 20),
    Target::new("match-ogxm", |input| reads(MatchFormat::Ogxm, input))
        .repaired(whole)
        .longest(16 << 10),
    // Matches of BGBlitz: JSON or Smile, bare in the seed inputs.
    Target::new("match-bgf", |input| reads(MatchFormat::Bgf, input))
        .repaired(bgf)
        .words("match-bgf")
        .longest(16 << 10),
];

fn reads(format: MatchFormat, input: &[u8]) {
    if let Ok(reading) = read_as(format, input) {
        kept(&reading.matches);
    }
}

/// What was read from any format comes back from our own as it was, and has a text in each other.
fn kept(matches: &[Match]) {
    let text = json::write(matches);
    let again = read_as(MatchFormat::Json, text.as_bytes()).expect("our own format is read");
    assert_eq!(again.matches, matches);
    for record in matches {
        let _ = read_as(MatchFormat::Mat, mat::write(record).as_bytes());
        let written = sgf::write(record);
        let again =
            read_as(MatchFormat::Sgf, written.as_bytes()).expect("SGF that we write is read");
        for (game, before) in again.matches[0].games.iter().zip(&record.games) {
            assert_eq!(game.actions, before.actions, "{written}");
        }
        let written = ogxm::write(record, None);
        let again = read_as(MatchFormat::Ogxm, &written).expect("OGXM that we write is read");
        assert_eq!(again.matches[0].games.len(), record.games.len());
        for (game, before) in again.matches[0].games.iter().zip(&record.games) {
            let acts = |game: &Game| game.actions.iter().map(|it| it.act).collect::<Vec<_>>();
            assert_eq!(acts(game), acts(before));
            assert_eq!((game.result, &game.broken), (before.result, &before.broken));
        }
        let written = ogxm::write_json(record);
        let again = read_as(MatchFormat::Json, written.as_bytes());
        assert!(record.games.is_empty() || again.is_ok(), "{again:?}");
    }
}

/// What SGF holds is written and read as the same.
fn match_sgf(input: &[u8]) {
    let Ok(reading) = read_as(MatchFormat::Sgf, input) else { return };
    kept(&reading.matches);
    for record in &reading.matches {
        let again = read_as(MatchFormat::Sgf, sgf::write(record).as_bytes()).expect("it is read");
        assert_eq!(again.matches[0].games, record.games);
    }
}

/// A bare match of BGBlitz behind its first line; packed, by its checksum.
fn bgf(body: &[u8]) -> Option<Vec<u8>> {
    const HEAD: &[u8] = b"{\"format\":\"BGF\",\"version\":\"1.0\"}\n";
    let packed = crc32(body).is_multiple_of(2);
    let body = if packed { repair::gzip(body)? } else { body.to_vec() };
    Some([HEAD, &body].concat())
}

/// A file of OGXM with its size and end, and without its checksum.
fn whole(file: &[u8]) -> Option<Vec<u8>> {
    let end = file.windows(4).rposition(|it| it == b"CSUM").unwrap_or(file.len());
    let mut file = [&file[..end], b"END!"].concat();
    let size = u32::try_from(file.len()).ok()?;
    file.get_mut(12..16)?.copy_from_slice(&size.to_le_bytes());
    Some(file)
}

/// Bare records in an archive: by their checksum without compression, or packed with the last
/// record up to 4,096 times, in one entry or up to 64 that name the same.
fn archive(records: &[u8]) -> Option<Vec<u8>> {
    if records.starts_with(b"RGMH") {
        return None;
    }
    let [repeats, times, packs, _] = crc32(records).to_le_bytes();
    let packs = packs % 4 == 0;
    let mut records = records.to_vec();
    if packs && let Some(last) = records.rchunks_exact(2560).next() {
        records.extend(last.repeat(1 << (repeats % 13)));
    }
    let zlib = |bytes: &[u8]| {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).ok()?;
        encoder.finish().ok()
    };
    let size = |bytes: &[u8]| u32::try_from(bytes.len()).map(u32::to_le_bytes).ok();
    let packed = if packs { zlib(&records)? } else { records.clone() };
    let mut entry = vec![0; 532];
    entry[..8].copy_from_slice(b"\x07temp.xg");
    entry[512..516].copy_from_slice(&size(&records)?);
    entry[516..520].copy_from_slice(&size(&packed)?);
    entry[524..528].copy_from_slice(&crc32(&records).to_le_bytes());
    entry[528] = u8::from(!packs);
    let times = if packs { 1 << (times % 7) } else { 1 };
    let index = if packs { zlib(&entry.repeat(times))? } else { entry };
    let data = [packed.as_slice(), &index].concat();
    let mut trailer = vec![0; 36];
    trailer[..4].copy_from_slice(&crc32(&data).to_le_bytes());
    trailer[4] = times as u8;
    trailer[12..16].copy_from_slice(&size(&index)?);
    trailer[16..20].copy_from_slice(&size(&packed)?);
    trailer[20] = u8::from(packs);
    Some([b"RGMH".as_slice(), &data, &trailer].concat())
}
