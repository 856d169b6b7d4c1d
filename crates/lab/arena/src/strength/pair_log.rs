//! The pairs of a duel on disk, so that a duel can be resumed, and parts of one be played
//! apart and counted together.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tavola_files::Failure;
use tavola_files::journal::{self, Content, End, Journal};
use tavola_play::{DuelUnit, Score};
use tavola_rules::Outcome;

use crate::stats::PairResult;

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
    /// Which player b is exactly.
    pub b: String,
    /// Which network evaluates the luck exactly, if one does.
    pub luck_evaluator: Option<String>,
    /// Seed of the dice.
    pub seed: u64,
    /// Turns after which a game is truncated.
    pub max_turns: NonZeroU32,
    /// Where games begin, in a notation of the game; empty for its start.
    pub starts: Vec<String>,
    /// What is played for where there is a cube, in words; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
    /// What is counted.
    pub unit: DuelUnit,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct FirstLine {
    format: String,
    #[serde(flatten)]
    header: DuelHeader,
}

/// A line. Scores are from player a, `null` for a game that was truncated.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairLine {
    pair: u64,
    a_first: Option<ScoreLine>,
    b_first: Option<ScoreLine>,
    luck: Option<f64>,
}

/// A score: the points alone where there is no cube.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ScoreLine {
    Points(i32),
    WithCube(Score),
}

impl ScoreLine {
    const fn of(score: Score, has_cube: bool) -> Self {
        if has_cube { Self::WithCube(score) } else { Self::Points(score.points) }
    }

    /// The score of a game of this pair.
    fn score(self, pair: u64, has_cube: bool) -> Result<Score, Failure> {
        match self {
            Self::WithCube(score) if has_cube => Ok(score),
            Self::Points(points) if !has_cube => {
                let mut all = Outcome::ALL.into_iter().chain([Outcome::Draw]);
                all.find(|outcome| outcome.points() == points).map(Score::of).ok_or_else(|| {
                    Failure::input(format!(
                        "pair {pair} has a game of {points} points, expected -3 to 3"
                    ))
                })
            }
            _ => Err(Failure::input(format!(
                "pair {pair} has a score of another kind of duel than the file"
            ))),
        }
    }
}

impl PairLine {
    fn of(pair: &PairResult, has_cube: bool) -> Self {
        let score = |score: Option<Score>| score.map(|score| ScoreLine::of(score, has_cube));
        let (a_first, b_first) = (score(pair.a_first), score(pair.b_first));
        Self { pair: pair.pair, a_first, b_first, luck: pair.luck }
    }

    fn pair(self, has_cube: bool) -> Result<PairResult, Failure> {
        let Self { pair, a_first, b_first, luck } = self;
        let score =
            |line: Option<ScoreLine>| line.map(|line| line.score(pair, has_cube)).transpose();
        Ok(PairResult { pair, a_first: score(a_first)?, b_first: score(b_first)?, luck })
    }
}

impl DuelHeader {
    /// Whether the pairs of both may be counted together.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the first difference.
    pub fn agrees(&self, file: &Self) -> Result<(), Failure> {
        let evaluate = |header: &Self| header.luck_evaluator.clone().unwrap_or("none".to_owned());
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
            ("the evaluator of luck", evaluate(self), evaluate(file)),
            ("the seed", self.seed.to_string(), file.seed.to_string()),
            ("the most turns of a game", self.max_turns.to_string(), file.max_turns.to_string()),
            ("the start", starts(self), starts(file)),
            ("what is played for", terms(self), terms(file)),
        ];
        match parts.into_iter().find(|(_, here, there)| here != there) {
            Some((what, here, there)) => {
                Err(Failure::input(format!("{what} is {here}, but {there} in the file")))
            }
            None => Ok(()),
        }
    }
}

/// A file of pairs that is open for more.
#[derive(Debug)]
pub struct PairLog {
    journal: Journal,
    has_cube: bool,
}

impl PairLog {
    /// A new file.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it exists or can't be written.
    pub fn create(path: &Path, header: &DuelHeader) -> Result<Self, Failure> {
        let journal = Journal::create(path, &first_line(header))?;
        Ok(Self { journal, has_cube: header.terms.is_some() })
    }

    /// A file of the same duel with the pairs that it has. A pair that was not written to its end
    /// is cut off.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it is damaged, in use, of another duel or has a pair twice.
    pub fn open(path: &Path, header: &DuelHeader) -> Result<(Self, Vec<PairResult>), Failure> {
        // Looked at before it is opened for writing, so that no other file is cut off.
        let (file, _) = Self::read(path)?;
        header.agrees(&file)?;
        let (journal, content) = Journal::open::<FirstLine, PairLine>(path)?;
        let (_, pairs) = checked(content)?;
        Ok((Self { journal, has_cube: header.terms.is_some() }, pairs))
    }

    /// The content of a file.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it is damaged or has a pair twice.
    pub fn read(path: &Path) -> Result<(DuelHeader, Vec<PairResult>), Failure> {
        checked(content(path)?)
    }

    /// Puts the pairs of files together, which must belong to the same duel and have no pair in
    /// common.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    ///
    /// # Panics
    ///
    /// If there are no files.
    pub fn merge(from: &[impl AsRef<Path>]) -> Result<Merged, Failure> {
        let mut merged: Option<Merged> = None;
        for path in from.iter().map(AsRef::as_ref) {
            let content = content(path)?;
            let end = (path.to_owned(), content.end);
            let (header, pairs) = checked(content)?;
            let empty = || Merged { header: header.clone(), pairs: Vec::new(), ends: Vec::new() };
            let merged = merged.get_or_insert_with(empty);
            merged.header.agrees(&header)?;
            merged.pairs.extend(pairs);
            merged.ends.push(end);
        }
        let mut merged = merged.expect("there is a file");
        merged.pairs.sort_unstable_by_key(|pair| pair.pair);
        let two = merged.pairs.windows(2).find(|two| two[0].pair == two[1].pair);
        match two {
            Some(two) => Err(twice(two[0].pair)),
            None => Ok(merged),
        }
    }

    /// Puts these pairs in the place of those with the same numbers in a file that no
    /// program has open, and adds those that it lacks.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn correct(path: &Path, pairs: &[PairResult]) -> Result<(), Failure> {
        let (header, there) = Self::read(path)?;
        let all = there.iter().chain(pairs).map(|pair| (pair.pair, *pair));
        let all: BTreeMap<u64, PairResult> = all.collect();
        let has_cube = header.terms.is_some();
        let lines: Vec<_> = all.values().map(|pair| PairLine::of(pair, has_cube)).collect();
        Ok(journal::replace(path, &first_line(&header), &lines)?)
    }

    /// Writes a pair down.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it can't be written.
    pub fn add(&mut self, pair: &PairResult) -> Result<(), Failure> {
        Ok(self.journal.append(&PairLine::of(pair, self.has_cube))?)
    }

    /// Forces everything to the disk.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it can't be written.
    pub fn sync(&mut self) -> Result<(), Failure> {
        Ok(self.journal.sync()?)
    }
}

/// What files of pairs hold together.
#[derive(Debug, PartialEq)]
pub struct Merged {
    /// The duel.
    pub header: DuelHeader,
    /// The pairs, in their order.
    pub pairs: Vec<PairResult>,
    /// How each file ends: pairs may be missing.
    pub ends: Vec<(PathBuf, End)>,
}

impl Merged {
    /// Writes a new file of these pairs, which is there in full or not at all.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it exists or can't be written.
    pub fn write(&self, to: &Path) -> Result<(), Failure> {
        let has_cube = self.header.terms.is_some();
        let lines: Vec<_> = self.pairs.iter().map(|pair| PairLine::of(pair, has_cube)).collect();
        Ok(journal::write(to, &first_line(&self.header), &lines)?)
    }
}

fn first_line(header: &DuelHeader) -> FirstLine {
    let format = if header.terms.is_some() { CUBE_FORMAT } else { FORMAT };
    FirstLine { format: format.to_owned(), header: header.clone() }
}

/// What a file of pairs holds; one of another format would look damaged.
fn content(path: &Path) -> Result<Content<FirstLine, PairLine>, Failure> {
    let content: Content<FirstLine, serde_json::Value> = journal::read(path)?;
    check_format(&content.header)?;
    Ok(journal::read(path)?)
}

/// Whether the file says that it has pairs, with or without a cube as its header does.
fn check_format(first: &FirstLine) -> Result<(), Failure> {
    if first.format == first_line(&first.header).format {
        Ok(())
    } else {
        Err(Failure::input(format!(
            "a file of {:?}, expected one of {FORMAT:?} or {CUBE_FORMAT:?}",
            first.format
        )))
    }
}

/// A pair would count twice.
fn twice(pair: u64) -> Failure {
    Failure::input(format!("pair {pair} is there twice, and would count twice"))
}

fn checked(
    content: Content<FirstLine, PairLine>,
) -> Result<(DuelHeader, Vec<PairResult>), Failure> {
    let Content { header: first, lines, .. } = content;
    check_format(&first)?;
    let has_cube = first.header.terms.is_some();
    let mut seen = HashSet::new();
    let mut pairs = Vec::with_capacity(lines.len());
    for line in lines {
        let pair = line.pair(has_cube)?;
        if !seen.insert(pair.pair) {
            return Err(twice(pair.pair));
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
            luck_evaluator: None,
            seed: 7,
            max_turns: NonZeroU32::MIN,
            starts: Vec::new(),
            terms: None,
            unit: DuelUnit::Games,
        }
    }

    fn pair(pair: u64) -> PairResult {
        let a_first = (pair % 7 < 6).then(|| Score::of(Outcome::ALL[pair as usize % 7 % 6]));
        let luck = Some((pair as f64 * 0.37).sin()).map(|luck| (luck * 1e6).round() / 1e6);
        PairResult { pair, a_first, b_first: Some(Score::of(Outcome::Draw)), luck }
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
        let error = PairLog::read(&path).unwrap_err().to_string();
        assert!(error.starts_with("pair 300 is there twice"), "{error}");
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
        let merged = PairLog::merge(&[path("two"), path("one")]).unwrap();
        assert_eq!(&merged.header, &header());
        assert_eq!(merged.ends, [(path("two"), End::Closed), (path("one"), End::Closed)]);
        assert_eq!(merged.pairs, (0..25).map(pair).collect::<Vec<_>>());
        merged.write(&path("all")).unwrap();
        assert_eq!(PairLog::read(&path("all")).unwrap(), (merged.header, merged.pairs));
        // Pairs that turned out to be wrong are replaced.
        let right = PairResult { luck: None, ..pair(12) };
        PairLog::correct(&path("two"), &[right, pair(30)]).unwrap();
        let (_, corrected) = PairLog::read(&path("two")).unwrap();
        assert_eq!((corrected[2], corrected.len()), (right, 16));
        PairLog::correct(&path("two"), &[pair(12)]).unwrap();
        // A torn last line is left out, and told; a damaged one is refused.
        let mut bytes = std::fs::read(path("two")).unwrap();
        let last = bytes.len() - 2;
        std::fs::write(path("torn"), &bytes[..last]).unwrap();
        let merged = PairLog::merge(&[path("one"), path("torn")]).unwrap();
        let line = bytes.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(merged.ends[1], (path("torn"), End::Torn(line)));
        bytes[last] ^= 1;
        std::fs::write(path("damaged"), &bytes).unwrap();
        let damaged = PairLog::merge(&[path("one"), path("damaged")]).unwrap_err().to_string();
        assert!(damaged.contains(&format!("line {line} of ")), "{damaged}");
        // What is torn is the line that says how many there are.
        assert_eq!(merged.pairs.len(), 26);
        let overlap = PairLog::merge(&[path("one"), path("overlap")]);
        let error = overlap.unwrap_err().to_string();
        assert!(error.starts_with("pair 9 is there twice"), "{error}");
        let error = PairLog::merge(&[path("one"), path("other")]).unwrap_err();
        assert_eq!(error.to_string(), "the seed is 7, but 8 in the file");
        let other = DuelHeader { a: "sha256 3".to_owned(), ..header() };
        assert!(PairLog::open(&path("one"), &other).is_err());
    }

    #[test]
    fn pairs_with_a_cube_come_back_and_are_not_taken_for_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("duel");
        let terms = |terms: &str| DuelHeader { terms: Some(terms.to_owned()), ..header() };
        let money = terms("money");
        let score = |points| Score { points, games: 1, highest_cube: 4, ..Score::default() };
        let pairs: Vec<_> = (0..20)
            .map(|pair| {
                let a_first = (pair != 3).then(|| score(4 - pair as i32));
                PairResult { pair, a_first, b_first: Some(score(-128)), luck: Some(0.125) }
            })
            .collect();
        let mut log = PairLog::create(&path, &money).unwrap();
        pairs.iter().for_each(|pair| log.add(pair).unwrap());
        drop(log);
        assert_eq!(PairLog::read(&path).unwrap(), (money, pairs));
        let error = PairLog::open(&path, &header()).unwrap_err().to_string();
        assert_eq!(error, "what is played for is points without a cube, but money in the file");
        let error = PairLog::open(&path, &terms("match to 5")).unwrap_err();
        assert_eq!(error.to_string(), "what is played for is match to 5, but money in the file");
    }
}
