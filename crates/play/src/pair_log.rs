//! The pairs of a duel on disk, so that a duel can be gone on with, and parts of one be played
//! apart and counted together.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tavola_rules::Outcome;

use crate::journal::{self, Journal, JournalError};
use crate::stats::PairResult;

/// What a file of pairs begins with.
const FORMAT: &str = "tavola duel 1";

/// Everything that the pairs of a duel depend on, but their numbers. Pairs belong together if all
/// of it is the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuelHeader {
    /// The [`id`](tavola_rules::Game::id) of the game.
    pub game: String,
    /// Which player a is exactly: what identifies weights and settings, not what was typed.
    pub a: String,
    /// The same of player b.
    pub b: String,
    /// The same of the judge of luck, if there was one.
    pub luck_judge: Option<String>,
    /// Seed of the dice.
    pub seed: u64,
    /// Turns after which a game is given up.
    pub max_turns: NonZeroU32,
    /// Where games begin, in a notation of the game; empty for its start.
    pub starts: Vec<String>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct FirstLine {
    format: String,
    #[serde(flatten)]
    header: DuelHeader,
}

/// A line. Points are from player a, `null` for a game that was given up.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairLine {
    pair: u64,
    a_first: Option<i32>,
    b_first: Option<i32>,
    luck: Option<f64>,
}

/// Why a file of pairs can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PairLogError {
    /// It can't be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It is a file of something else.
    #[error("a file of {format:?}, expected one of {FORMAT:?}")]
    OtherFormat {
        /// What it says that it is.
        format: String,
    },
    /// It belongs to another duel.
    #[error("{what} is {here}, but {there} in the file")]
    OtherDuel {
        /// In what the duels differ.
        what: &'static str,
        /// Of this duel.
        here: String,
        /// Of the duel in the file.
        there: String,
    },
    /// A pair would count twice.
    #[error("pair {pair} is there twice, and would count twice")]
    Twice {
        /// Its number.
        pair: u64,
    },
    /// Points that no game ends with.
    #[error("pair {pair} has a game of {points} points, expected -3 to 3")]
    Points {
        /// Number of the pair.
        pair: u64,
        /// What the file says.
        points: i32,
    },
}

impl DuelHeader {
    /// Whether the pairs of both may be counted together.
    ///
    /// # Errors
    ///
    /// [`PairLogError::OtherDuel`] with the first difference.
    pub fn agrees(&self, file: &Self) -> Result<(), PairLogError> {
        let judge = |header: &Self| header.luck_judge.clone().unwrap_or("nobody".to_owned());
        let starts = |header: &Self| match header.starts.as_slice() {
            [] => "that of the game".to_owned(),
            starts => starts.join(", "),
        };
        let parts = [
            ("the game", self.game.clone(), file.game.clone()),
            ("player a", self.a.clone(), file.a.clone()),
            ("player b", self.b.clone(), file.b.clone()),
            ("the judge of luck", judge(self), judge(file)),
            ("the seed", self.seed.to_string(), file.seed.to_string()),
            ("the most turns of a game", self.max_turns.to_string(), file.max_turns.to_string()),
            ("the start", starts(self), starts(file)),
        ];
        match parts.into_iter().find(|(_, here, there)| here != there) {
            Some((what, here, there)) => Err(PairLogError::OtherDuel { what, here, there }),
            None => Ok(()),
        }
    }
}

/// A file of pairs that is open for more.
#[derive(Debug)]
pub struct PairLog {
    journal: Journal,
}

impl PairLog {
    /// A new file.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it exists or can't be written.
    pub fn create(path: &Path, header: &DuelHeader) -> Result<Self, PairLogError> {
        Ok(Self { journal: Journal::create(path, &first_line(header))? })
    }

    /// A file of the same duel with the pairs that it has. A pair that was not written to its end
    /// is cut off.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it is damaged, in use, of another duel or has a pair twice.
    pub fn open(path: &Path, header: &DuelHeader) -> Result<(Self, Vec<PairResult>), PairLogError> {
        // Looked at before it is opened for writing, so that no other file is cut off.
        let (file, _) = Self::read(path)?;
        header.agrees(&file)?;
        let (journal, content) = Journal::open::<FirstLine, PairLine>(path)?;
        let (_, pairs) = checked(content)?;
        Ok((Self { journal }, pairs))
    }

    /// The content of a file.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it is damaged or has a pair twice.
    pub fn read(path: &Path) -> Result<(DuelHeader, Vec<PairResult>), PairLogError> {
        checked(journal::read(path)?)
    }

    /// Writes a new file that has the pairs of others, which must belong to the same duel and
    /// have no pair in common. Returns what it holds, in the order of the pairs.
    ///
    /// # Errors
    ///
    /// [`PairLogError`]; then there is no new file.
    ///
    /// # Panics
    ///
    /// If there are no others.
    pub fn merge(
        from: &[impl AsRef<Path>],
        to: &Path,
    ) -> Result<(DuelHeader, Vec<PairResult>), PairLogError> {
        let (header, mut pairs) = Self::read(from[0].as_ref())?;
        for path in &from[1..] {
            let (other, more) = Self::read(path.as_ref())?;
            header.agrees(&other)?;
            pairs.extend(more);
        }
        pairs.sort_unstable_by_key(|pair| pair.pair);
        if let Some(twice) = pairs.windows(2).find(|two| two[0].pair == two[1].pair) {
            return Err(PairLogError::Twice { pair: twice[0].pair });
        }
        let lines: Vec<_> = pairs.iter().map(PairLine::from).collect();
        journal::write(to, &first_line(&header), &lines)?;
        Ok((header, pairs))
    }

    /// Writes a pair down.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it can't be written.
    pub fn add(&mut self, pair: &PairResult) -> Result<(), PairLogError> {
        Ok(self.journal.append(&PairLine::from(pair))?)
    }

    /// Forces everything to the disk.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it can't be written.
    pub fn sync(&mut self) -> Result<(), PairLogError> {
        Ok(self.journal.sync()?)
    }
}

fn first_line(header: &DuelHeader) -> FirstLine {
    FirstLine { format: FORMAT.to_owned(), header: header.clone() }
}

fn checked(
    (first, lines): (FirstLine, Vec<PairLine>),
) -> Result<(DuelHeader, Vec<PairResult>), PairLogError> {
    if first.format != FORMAT {
        return Err(PairLogError::OtherFormat { format: first.format });
    }
    let mut seen = HashSet::new();
    let mut pairs = Vec::with_capacity(lines.len());
    for line in lines {
        let pair = line.pair;
        if !seen.insert(pair) {
            return Err(PairLogError::Twice { pair });
        }
        let outcome = |points: Option<i32>| {
            let Some(points) = points else { return Ok(None) };
            let mut all = Outcome::ALL.into_iter().chain([Outcome::Draw]);
            match all.find(|outcome| outcome.points() == points) {
                Some(outcome) => Ok(Some(outcome)),
                None => Err(PairLogError::Points { pair, points }),
            }
        };
        let (a_first, b_first) = (outcome(line.a_first)?, outcome(line.b_first)?);
        pairs.push(PairResult { pair, a_first, b_first, luck: line.luck });
    }
    Ok((first.header, pairs))
}

impl From<&PairResult> for PairLine {
    fn from(pair: &PairResult) -> Self {
        Self {
            pair: pair.pair,
            a_first: pair.a_first.map(Outcome::points),
            b_first: pair.b_first.map(Outcome::points),
            luck: pair.luck,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> DuelHeader {
        DuelHeader {
            game: "backgammon".to_owned(),
            a: "sha256 1".to_owned(),
            b: "sha256 2".to_owned(),
            luck_judge: None,
            seed: 7,
            max_turns: NonZeroU32::MIN,
            starts: Vec::new(),
        }
    }

    fn pair(pair: u64) -> PairResult {
        let a_first = (pair % 7 < 6).then(|| Outcome::ALL[pair as usize % 7 % 6]);
        let luck = Some((pair as f64 * 0.37).sin()).map(|luck| (luck * 1e6).round() / 1e6);
        PairResult { pair, a_first, b_first: Some(Outcome::Draw), luck }
    }

    #[test]
    fn pairs_come_back_as_they_were_and_more_can_be_added() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("duel");
        let mut log = PairLog::create(&path, &header()).unwrap();
        (0..200).for_each(|i| log.add(&pair(i)).unwrap());
        log.sync().unwrap();
        drop(log);
        let (mut log, pairs) = PairLog::open(&path, &header()).unwrap();
        assert_eq!(pairs, (0..200).map(pair).collect::<Vec<_>>());
        log.add(&pair(300)).unwrap();
        drop(log);
        assert_eq!(PairLog::read(&path).unwrap().1.len(), 201);

        let (mut log, _) = PairLog::open(&path, &header()).unwrap();
        log.add(&pair(300)).unwrap();
        drop(log);
        assert!(matches!(PairLog::read(&path), Err(PairLogError::Twice { pair: 300 })));
    }

    #[test]
    fn parts_of_a_duel_are_merged_and_others_and_overlaps_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, header: &DuelHeader, pairs: std::ops::Range<u64>| {
            let mut log = PairLog::create(&path(name), header).unwrap();
            pairs.rev().for_each(|i| log.add(&pair(i)).unwrap());
        };
        write("one", &header(), 0..10);
        write("two", &header(), 10..25);
        write("overlap", &header(), 9..11);
        write("other", &DuelHeader { seed: 8, ..header() }, 30..40);
        let merged = PairLog::merge(&[path("two"), path("one")], &path("all")).unwrap();
        assert_eq!(merged, (header(), (0..25).map(pair).collect()));
        assert_eq!(PairLog::read(&path("all")).unwrap(), merged);
        let overlap = PairLog::merge(&[path("one"), path("overlap")], &path("bad"));
        assert!(matches!(overlap, Err(PairLogError::Twice { pair: 9 })), "{overlap:?}");
        let error = PairLog::merge(&[path("one"), path("other")], &path("bad")).unwrap_err();
        assert_eq!(error.to_string(), "the seed is 7, but 8 in the file");
        assert!(!path("bad").exists());
        let other = DuelHeader { a: "sha256 3".to_owned(), ..header() };
        assert!(PairLog::open(&path("one"), &other).is_err());
    }
}
