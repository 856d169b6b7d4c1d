//! The pairs of a duel on disk, so that a duel can be gone on with, and parts of one be played
//! apart and counted together.

use std::collections::HashSet;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tavola_files::journal::{self, Content, Journal, JournalError};
use tavola_rules::Outcome;

use crate::cube_duel::{CubePair, CubeScore, DuelUnit};
use crate::stats::{PairResult, PairScore};

/// What a file of pairs without a cube begins with.
const FORMAT: &str = "tavola duel 1";

/// What a file of pairs with a cube begins with.
const CUBE_FORMAT: &str = "tavola cube duel 1";

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
    /// What is played for where there is a cube, in words; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
    /// What is counted; `None` in files that were written before this was: see
    /// [`unit`](Self::unit).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<DuelUnit>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct FirstLine {
    format: String,
    #[serde(flatten)]
    header: DuelHeader,
}

/// A pair that can be written down.
pub trait LoggedPair: PairScore {
    /// What a file of such pairs begins with.
    const FORMAT: &'static str;
    /// A line of such a file.
    type Line: Serialize + DeserializeOwned;

    /// The line of this pair.
    fn line(&self) -> Self::Line;

    /// The pair of this line.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] for one that no duel ends with.
    fn of_line(line: Self::Line) -> Result<Self, PairLogError>;
}

/// A line. Points are from player a, `null` for a game that was given up.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairLine {
    pair: u64,
    a_first: Option<i32>,
    b_first: Option<i32>,
    luck: Option<f64>,
}

/// A line of a duel with a cube. Scores are from player a, `null` for what was given up.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CubePairLine {
    pair: u64,
    a_first: Option<CubeScore>,
    b_first: Option<CubeScore>,
    luck: Option<f64>,
}

impl LoggedPair for PairResult {
    const FORMAT: &'static str = FORMAT;
    type Line = PairLine;

    fn line(&self) -> PairLine {
        PairLine {
            pair: self.pair,
            a_first: self.a_first.map(Outcome::points),
            b_first: self.b_first.map(Outcome::points),
            luck: self.luck,
        }
    }

    fn of_line(line: PairLine) -> Result<Self, PairLogError> {
        let PairLine { pair, luck, .. } = line;
        let outcome = |points: Option<i32>| {
            let Some(points) = points else { return Ok(None) };
            let mut all = Outcome::ALL.into_iter().chain([Outcome::Draw]);
            match all.find(|outcome| outcome.points() == points) {
                Some(outcome) => Ok(Some(outcome)),
                None => Err(PairLogError::Points { pair, points }),
            }
        };
        let (a_first, b_first) = (outcome(line.a_first)?, outcome(line.b_first)?);
        Ok(Self { pair, a_first, b_first, luck })
    }
}

impl LoggedPair for CubePair {
    const FORMAT: &'static str = CUBE_FORMAT;
    type Line = CubePairLine;

    fn line(&self) -> CubePairLine {
        let Self { pair, a_first, b_first, luck } = *self;
        CubePairLine { pair, a_first, b_first, luck }
    }

    fn of_line(line: CubePairLine) -> Result<Self, PairLogError> {
        let CubePairLine { pair, a_first, b_first, luck } = line;
        Ok(Self { pair, a_first, b_first, luck })
    }
}

/// Why a file of pairs can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PairLogError {
    /// It can't be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It is a file of something else.
    #[error("a file of {format:?}, expected one of {expected:?}")]
    OtherFormat {
        /// What it says that it is.
        format: String,
        /// What it should be.
        expected: &'static str,
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
    /// What the duel is counted in. Files that don't say so are told by their terms, which began
    /// with the word `match` where matches were played.
    pub fn unit(&self) -> DuelUnit {
        let of_terms = || match &self.terms {
            Some(terms) if terms.starts_with("match") => DuelUnit::Matches,
            _ => DuelUnit::Games,
        };
        self.unit.unwrap_or_else(of_terms)
    }

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
        let terms =
            |header: &Self| header.terms.clone().unwrap_or("points without a cube".to_owned());
        let parts = [
            ("the game", self.game.clone(), file.game.clone()),
            ("player a", self.a.clone(), file.a.clone()),
            ("player b", self.b.clone(), file.b.clone()),
            ("the judge of luck", judge(self), judge(file)),
            ("the seed", self.seed.to_string(), file.seed.to_string()),
            ("the most turns of a game", self.max_turns.to_string(), file.max_turns.to_string()),
            ("the start", starts(self), starts(file)),
            ("what is played for", terms(self), terms(file)),
        ];
        match parts.into_iter().find(|(_, here, there)| here != there) {
            Some((what, here, there)) => Err(PairLogError::OtherDuel { what, here, there }),
            None => Ok(()),
        }
    }
}

/// A file of pairs that is open for more.
#[derive(Debug)]
pub struct PairLog<P = PairResult> {
    journal: Journal,
    pairs: PhantomData<fn(P)>,
}

impl PairLog {
    /// Whether a file holds pairs of a duel with a cube: `PairLog<CubePair>` reads it.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it can't be read or is no file of pairs.
    pub fn has_cube(path: &Path) -> Result<bool, PairLogError> {
        let format = format_of(path)?;
        match format.as_str() {
            FORMAT => Ok(false),
            CUBE_FORMAT => Ok(true),
            _ => Err(PairLogError::OtherFormat { format, expected: FORMAT }),
        }
    }
}

impl<P: LoggedPair> PairLog<P> {
    /// A new file.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it exists or can't be written.
    pub fn create(path: &Path, header: &DuelHeader) -> Result<Self, PairLogError> {
        Ok(Self::of(Journal::create(path, &first_line::<P>(header))?))
    }

    const fn of(journal: Journal) -> Self {
        Self { journal, pairs: PhantomData }
    }

    /// A file of the same duel with the pairs that it has. A pair that was not written to its end
    /// is cut off.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it is damaged, in use, of another duel or has a pair twice.
    pub fn open(path: &Path, header: &DuelHeader) -> Result<(Self, Vec<P>), PairLogError> {
        // Looked at before it is opened for writing, so that no other file is cut off.
        let (file, _) = Self::read(path)?;
        header.agrees(&file)?;
        let (journal, content) = Journal::open::<FirstLine, P::Line>(path)?;
        let (_, pairs) = checked(content)?;
        Ok((Self::of(journal), pairs))
    }

    /// The content of a file.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it is damaged or has a pair twice.
    pub fn read(path: &Path) -> Result<(DuelHeader, Vec<P>), PairLogError> {
        // Lines of another format would look damaged.
        check_format::<P>(format_of(path)?)?;
        checked(journal::read(path)?)
    }

    /// Puts the pairs of files together, which must belong to the same duel and have no pair in
    /// common.
    ///
    /// # Errors
    ///
    /// [`PairLogError`].
    ///
    /// # Panics
    ///
    /// If there are no files.
    pub fn merge(from: &[impl AsRef<Path>]) -> Result<Merged<P>, PairLogError> {
        let mut merged: Option<Merged<P>> = None;
        for path in from.iter().map(AsRef::as_ref) {
            check_format::<P>(format_of(path)?)?;
            let content = journal::read(path)?;
            let left_out = content.left_out.map(|line| (path.to_owned(), line));
            let (header, pairs) = checked(content)?;
            match &mut merged {
                None => {
                    merged =
                        Some(Merged { header, pairs, left_out: left_out.into_iter().collect() })
                }
                Some(merged) => {
                    merged.header.agrees(&header)?;
                    merged.pairs.extend(pairs);
                    merged.left_out.extend(left_out);
                }
            }
        }
        let mut merged = merged.expect("there is a file");
        merged.pairs.sort_unstable_by_key(P::number);
        let twice = merged.pairs.windows(2).find(|two| two[0].number() == two[1].number());
        match twice {
            Some(twice) => Err(PairLogError::Twice { pair: twice[0].number() }),
            None => Ok(merged),
        }
    }

    /// Writes a pair down.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it can't be written.
    pub fn add(&mut self, pair: &P) -> Result<(), PairLogError> {
        Ok(self.journal.append(&pair.line())?)
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

/// What files of pairs hold together.
#[derive(Debug, PartialEq)]
pub struct Merged<P> {
    /// The duel.
    pub header: DuelHeader,
    /// The pairs, in their order.
    pub pairs: Vec<P>,
    /// Files whose last line is torn or damaged, with its number: the pair in it is left out.
    pub left_out: Vec<(PathBuf, usize)>,
}

impl<P: LoggedPair> Merged<P> {
    /// Writes a new file of these pairs, which is there in full or not at all.
    ///
    /// # Errors
    ///
    /// [`PairLogError`] if it exists or can't be written.
    pub fn write(&self, to: &Path) -> Result<(), PairLogError> {
        let lines: Vec<_> = self.pairs.iter().map(P::line).collect();
        Ok(journal::write(to, &first_line::<P>(&self.header), &lines)?)
    }
}

fn first_line<P: LoggedPair>(header: &DuelHeader) -> FirstLine {
    FirstLine { format: P::FORMAT.to_owned(), header: header.clone() }
}

/// What a file says that it is.
fn format_of(path: &Path) -> Result<String, PairLogError> {
    let content: Content<FirstLine, serde_json::Value> = journal::read(path)?;
    Ok(content.header.format)
}

fn check_format<P: LoggedPair>(format: String) -> Result<(), PairLogError> {
    if format == P::FORMAT {
        Ok(())
    } else {
        Err(PairLogError::OtherFormat { format, expected: P::FORMAT })
    }
}

fn checked<P: LoggedPair>(
    content: Content<FirstLine, P::Line>,
) -> Result<(DuelHeader, Vec<P>), PairLogError> {
    let Content { header: first, lines, .. } = content;
    check_format::<P>(first.format)?;
    let mut seen = HashSet::new();
    let mut pairs = Vec::with_capacity(lines.len());
    for line in lines {
        let pair = P::of_line(line)?;
        if !seen.insert(pair.number()) {
            return Err(PairLogError::Twice { pair: pair.number() });
        }
        pairs.push(pair);
    }
    Ok((first.header, pairs))
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
            terms: None,
            unit: None,
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
        let mut log = PairLog::<PairResult>::create(&path, &header()).unwrap();
        (0..200).for_each(|i| log.add(&pair(i)).unwrap());
        log.sync().unwrap();
        drop(log);
        let (mut log, pairs) = PairLog::open(&path, &header()).unwrap();
        assert_eq!(pairs, (0..200).map(pair).collect::<Vec<_>>());
        log.add(&pair(300)).unwrap();
        drop(log);
        assert_eq!(PairLog::<PairResult>::read(&path).unwrap().1.len(), 201);

        let (mut log, _) = PairLog::open(&path, &header()).unwrap();
        log.add(&pair(300)).unwrap();
        drop(log);
        assert!(matches!(
            PairLog::<PairResult>::read(&path),
            Err(PairLogError::Twice { pair: 300 })
        ));
    }

    #[test]
    fn parts_of_a_duel_are_merged_and_others_and_overlaps_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, header: &DuelHeader, pairs: std::ops::Range<u64>| {
            let mut log = PairLog::<PairResult>::create(&path(name), header).unwrap();
            pairs.rev().for_each(|i| log.add(&pair(i)).unwrap());
        };
        write("one", &header(), 0..10);
        write("two", &header(), 10..25);
        write("overlap", &header(), 9..11);
        write("other", &DuelHeader { seed: 8, ..header() }, 30..40);
        let merged = PairLog::<PairResult>::merge(&[path("two"), path("one")]).unwrap();
        assert_eq!((&merged.header, &merged.left_out), (&header(), &Vec::new()));
        assert_eq!(merged.pairs, (0..25).map(pair).collect::<Vec<_>>());
        merged.write(&path("all")).unwrap();
        assert_eq!(PairLog::read(&path("all")).unwrap(), (merged.header, merged.pairs));
        // A damaged last line is left out, and told.
        let mut bytes = std::fs::read(path("two")).unwrap();
        let last = bytes.len() - 2;
        bytes[last] ^= 1;
        std::fs::write(path("damaged"), &bytes).unwrap();
        let merged = PairLog::<PairResult>::merge(&[path("one"), path("damaged")]).unwrap();
        let line = bytes.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(merged.left_out, [(path("damaged"), line)]);
        assert_eq!(merged.pairs.len(), 24);
        let overlap = PairLog::<PairResult>::merge(&[path("one"), path("overlap")]);
        assert!(matches!(overlap, Err(PairLogError::Twice { pair: 9 })), "{overlap:?}");
        let error = PairLog::<PairResult>::merge(&[path("one"), path("other")]).unwrap_err();
        assert_eq!(error.to_string(), "the seed is 7, but 8 in the file");
        let other = DuelHeader { a: "sha256 3".to_owned(), ..header() };
        assert!(PairLog::<PairResult>::open(&path("one"), &other).is_err());
    }

    #[test]
    fn files_say_what_they_count_and_older_ones_are_told_by_their_terms() {
        let folder = tempfile::tempdir().unwrap();
        let terms = |terms: &str| DuelHeader { terms: Some(terms.to_owned()), ..header() };
        for (name, header, unit) in [
            ("plain", header(), DuelUnit::Games),
            ("old money", terms("money"), DuelUnit::Games),
            ("old match", terms("match to 5"), DuelUnit::Matches),
            (
                "new",
                DuelHeader { unit: Some(DuelUnit::Matches), ..terms("5 points, whoever is first") },
                DuelUnit::Matches,
            ),
        ] {
            let path = folder.path().join(name);
            PairLog::<CubePair>::create(&path, &header).unwrap();
            let (read, _) = PairLog::<CubePair>::read(&path).unwrap();
            assert_eq!((read.unit(), read.unit), (unit, header.unit), "{name}");
        }
        // A new duel goes on with an old file of the same match.
        let now = DuelHeader { unit: Some(DuelUnit::Matches), ..terms("match to 5") };
        PairLog::<CubePair>::open(&folder.path().join("old match"), &now).unwrap();
    }

    #[test]
    fn pairs_with_a_cube_come_back_and_are_not_taken_for_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("duel");
        let terms = |terms: &str| DuelHeader { terms: Some(terms.to_owned()), ..header() };
        let money = terms("money");
        let score =
            |points| CubeScore { points, games: 1, highest_cube: 4, ..CubeScore::default() };
        let pairs: Vec<_> = (0..20)
            .map(|pair| {
                let a_first = (pair != 3).then(|| score(4 - pair as i32));
                CubePair { pair, a_first, b_first: Some(score(-128)), luck: Some(0.125) }
            })
            .collect();
        let mut log = PairLog::create(&path, &money).unwrap();
        pairs.iter().for_each(|pair| log.add(pair).unwrap());
        drop(log);
        assert!(PairLog::has_cube(&path).unwrap());
        assert_eq!(PairLog::<CubePair>::read(&path).unwrap(), (money, pairs));
        let error = PairLog::<PairResult>::read(&path).unwrap_err().to_string();
        assert!(error.contains("\"tavola cube duel 1\", expected"), "{error}");
        let error = PairLog::<CubePair>::open(&path, &terms("match to 5")).unwrap_err();
        assert_eq!(error.to_string(), "what is played for is match to 5, but money in the file");
    }
}
