//! OGXM 2, the format in which OpenGammon, HedgeHog, GammonView and blunderDB exchange matches.
//!
//! A file has sections with a length and a checksum: the match, its games with a byte or more a ply,
//! the analyses of any number of engines, comments. Files may stand one behind another.
//!
//! Analyses are kept as they are and written again beside ours. What OGXM has no field for stands in
//! comments with keys of ours, which other programs keep.

mod analysis;
mod bgf;
mod document;
mod projection;
mod reader;
mod smile;
mod wire;
mod writer;

pub(crate) use self::analysis::{others, said};
use self::document::{MAGIC, OgxmDocument};
use crate::analysis::MatchAnalysis;
use crate::reading::{Notes, ReadError, ReadWatch, check_numbers};
use crate::record::Match;

/// The facts of a match that hold what engines say of themselves, numbered from 1.
pub(crate) const BLOCKS: &str = "OGXM analysis ";
/// Those that hold values of other programs, before their keys.
pub(crate) const KEPT: &str = "OGXM: ";
/// The properties of an action that hold what engines say of it, and values of other programs.
const DECISIONS: [&str; 2] = ["XO", "XN"];
/// What the keys of our own values begin with.
const OWN: &str = "x-tavola-";

/// Whether a file begins as those of OGXM do.
pub(crate) fn is_ogxm(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Whether a file begins as those of BGBlitz do.
pub(crate) fn is_bgf(bytes: &[u8]) -> bool {
    bgf::body(bytes).is_some()
}

/// Reads the match of a file of BGBlitz.
pub(crate) fn read_bgf(
    bytes: &[u8],
    watch: ReadWatch<'_>,
) -> Result<(Vec<Match>, Notes), ReadError> {
    let mut notes = Notes::default();
    let document = bgf::read(bgf::body(bytes).unwrap_or_default());
    let document = document.map_err(|why| ReadError::Malformed {
        line: 0,
        text: format!("the file of BGBlitz: {why}, expected a match"),
    })?;
    let record = reader::read(&document, &mut notes, watch)?;
    check_numbers(1, record.games.len(), 0)?;
    Ok((vec![record], notes))
}

/// Reads all matches of a file.
pub(crate) fn read(
    mut bytes: &[u8],
    watch: ReadWatch<'_>,
) -> Result<(Vec<Match>, Notes), ReadError> {
    let (mut matches, mut notes) = (Vec::new(), Notes::default());
    while !bytes.is_empty() {
        watch.check()?;
        let read = OgxmDocument::read(bytes).map_err(|why| ReadError::Malformed {
            line: 0,
            text: format!("match {} of the OGXM file: {why}", matches.len() + 1),
        });
        let (document, behind) = match read {
            Err(error) if !matches.is_empty() => {
                notes.push(0, format!("{error}; what follows is left out"));
                break;
            }
            read => read?,
        };
        matches.push(reader::read(&document, &mut notes, watch)?);
        let games = matches.iter().map(|record: &Match| record.games.len()).sum();
        check_numbers(matches.len(), games, 0)?;
        bytes = behind;
    }
    if matches.is_empty() { Err(ReadError::Empty) } else { Ok((matches, notes)) }
}

/// Reads the match of a file of OGXM in JSON.
pub(crate) fn read_json(
    text: &str,
    watch: ReadWatch<'_>,
) -> Result<(Vec<Match>, Notes), ReadError> {
    let mut notes = Notes::default();
    let (document, analyzed) = projection::read(text).map_err(|why| ReadError::Malformed {
        line: 0,
        text: format!("the OGXM file in JSON: {why}"),
    })?;
    if analyzed {
        notes.push(0, "the analyses are left out; the same file as .ogxm or .gvab keeps them");
    }
    let record = reader::read(&document, &mut notes, watch)?;
    check_numbers(1, record.games.len(), 0)?;
    Ok((vec![record], notes))
}

/// The match as GammonView's JSON of OGXM (`.gva`), without analyses.
pub fn write_json(record: &Match) -> String {
    projection::write(&writer::write(record, None))
}

/// The match as a file of OGXM. An analysis is added to those that it has.
pub fn write(record: &Match, analysis: Option<&MatchAnalysis>) -> Vec<u8> {
    writer::write(record, analysis).write()
}

#[cfg(test)]
mod tests;
