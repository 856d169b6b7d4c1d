//! Formats of other programs that are known by how they begin and are not read.

use std::io::Read;

use flate2::read::GzDecoder;

use crate::reading::ReadError;

/// What a format that holds matches is read as instead.
const MATCHES: &str = "the same matches as match text (.mat, .txt), .sgf, .xg or our own .json";
/// What the report of a program is read as instead.
pub(crate) const RECORD: &str = "the match itself as that program saves it: .sgf, .mat or .xg";
/// How a position is asked about.
const POSITION: &str = "matches; `tavola cube` and `tavola best` answer for its XGID or Position ID, also with --input";

/// The same for files without such an ID.
const BOARD: &str = "matches; GNU Backgammon imports it and shows its Position ID and Match ID, for \
                     which `tavola cube` and `tavola best` answer";

const BGF: &str = "a match of BGBlitz (.bgf)";
const OGXM: &str = "a match in OGXM (.ogxm, .gva, .gvab of GammonView, OpenGammon, HedgeHog)";

/// How many bytes tell the format.
const HEAD: usize = 4096;

/// The error that names the format of a file by its first bytes, if it is none that is read.
pub(crate) fn of_bytes(bytes: &[u8]) -> Option<ReadError> {
    const SMILE: &[u8] = b":)\n";
    let is_smile =
        |bytes: &[u8]| bytes.starts_with(SMILE) || bytes.starts_with(b"{\"format\":\"BGF\"");
    let mut unpacked = Vec::new();
    if bytes.starts_with(b"\x1f\x8b") {
        // A file that is cut off has a beginning.
        let _ = GzDecoder::new(bytes).take(HEAD as u64).read_to_end(&mut unpacked);
    }
    let foreign = |what, instead| Some(ReadError::Foreign { what, instead });
    match bytes {
        _ if is_smile(bytes) || is_smile(&unpacked) => foreign(BGF, MATCHES),
        [0x7b..=0x7e, 0, ..] if (100..400).contains(&bytes.len()) => {
            foreign("a position of Jellyfish (.pos)", BOARD)
        }
        _ if bytes.starts_with(b"%PDF-") => foreign("a PDF document", RECORD),
        _ => None,
    }
}

/// The error that names the format of a text in which no match was found, if it can be told.
pub(crate) fn of_text(text: &str) -> Option<ReadError> {
    let end = text.char_indices().nth(HEAD).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let lower = head.to_ascii_lowercase();
    let has = |mark: &str| lower.contains(mark);
    let first = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let numbers = first.split(';').filter(|it| it.trim().parse::<i32>().is_ok()).count();
    let (what, instead) = match () {
        () if first.starts_with('{') && (has("\"bgf\"") || has("bgblitz")) => (BGF, MATCHES),
        () if ["\"player_white\"", "\"ogid_before\"", "\"ogxm", "\"gva"].into_iter().any(has) => {
            (OGXM, MATCHES)
        }
        () if has("<html") && has("gnu backgammon") => ("a page of GNU Backgammon (HTML)", RECORD),
        () if has("<html") && has("extreme gammon") => ("a page of eXtreme Gammon (HTML)", RECORD),
        () if has("\nmove number ") || lower.starts_with("move number ") || has("text export") => {
            ("an analysis that GNU Backgammon exported as text", RECORD)
        }
        () if numbers >= 30 && first.matches(';').count() >= 36 => {
            ("a position of Snowie (.txt)", BOARD)
        }
        () if has("xgid=") => ("a position of eXtreme Gammon as text", POSITION),
        () if has("bgblitz") => ("a position of BGBlitz as text", POSITION),
        () if has("position id") || has("position-id") || has("positionid") => {
            ("a position with its Position ID, as GNU Backgammon and BGBlitz write it", POSITION)
        }
        () if has("\\documentclass") || lower.starts_with("%!ps") => {
            ("a printed match (LaTeX or PostScript)", RECORD)
        }
        () => return None,
    };
    Some(ReadError::Foreign { what, instead })
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn what_is_not_read_is_named() {
        let snowie = format!("7;0;0;0;1;Bob;Ann;{}\n", "0;".repeat(33));
        let mut pos = vec![0x7e, 0];
        pos.resize(159, 0);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, b":)\n\x01\xfa").unwrap();
        let gzip = gzip.finish().unwrap();
        for (file, words) in [
            (&br#"{"match_length": 7, "player_white": "Ann", "games": []}"#[..], "OGXM"),
            (br#"{"format":"BGF","version":"1.0","compress":true}"#, "BGBlitz"),
            (b"{\"format\":\"BGF\",\"version\":\"1.0\"}\n\x1f\x8b\x08\0\0", "BGBlitz"),
            (b"{\"format\":\"BGF\"}\n{\"games\": []}", "BGBlitz"),
            (b"{ \"version\" : \"1.0\",\n \"format\" : \"BGF\" }\n", "BGBlitz"),
            (b":)\n\x01\xfa", "BGBlitz"),
            (&gzip, "BGBlitz"),
            (&pos, "Jellyfish"),
            (snowie.as_bytes(), "Snowie"),
            (b"<html><meta content=\"GNU Backgammon 1.07\"/><p>Ann 0</html>", "HTML"),
            (b"Move number 1:  Ann to play 42\n\n* Ann moves 8/4 6/4\n", "GNU Backgammon"),
            (b"XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\n", "eXtreme"),
            (b" Position-ID: 4HPwATDgc/ABMA Match-ID: cAkAAAAAAAAA\n", "Position ID"),
        ] {
            let error = read(file).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("expected"), "{error}");
        }
    }
}
