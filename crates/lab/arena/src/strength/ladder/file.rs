//! The results of a ladder on disk.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tavola_files::Failure;
use tavola_files::journal::{self, Content, End, Journal};
use tavola_files::limits::LADDER_PLAYERS;

use super::{Ladder, MatchUp, Version};

/// What a file of results begins with.
const FORMAT: &str = "tavola ladder 1";

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FirstLine {
    format: String,
    game: String,
    seed: u64,
}

/// The other lines.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Version(Version),
    MatchUp(MatchUp),
}

/// A ladder with the file in which it is kept.
#[derive(Debug)]
pub struct LadderFile {
    journal: Journal,
    /// The ladder.
    pub(super) ladder: Ladder,
    seed: u64,
    /// How the file ended when it was opened.
    pub(super) end: End,
}

impl LadderFile {
    /// Opens the file, or makes one with this seed if there is none.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it is damaged, in use or of another game.
    pub fn open_or_create(path: &Path, game: &str, seed: u64) -> Result<Self, Failure> {
        let first = FirstLine { format: FORMAT.to_owned(), game: game.to_owned(), seed };
        let (journal, content) = Journal::resume(path, &first, |found| {
            check_format(found)?;
            let there = &found.game;
            match there == game {
                true => Ok(()),
                false => {
                    Err(Failure::input(format!("a ladder of {there}, expected one of {game}")))
                }
            }
        })?;
        let (first, ladder, end) = parse(content)?;
        Ok(Self { journal, ladder, seed: first.seed, end })
    }

    /// What is in the file: the game, the ladder, and how it ends.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it is damaged.
    pub fn read(path: &Path) -> Result<(String, Ladder, End), Failure> {
        let (first, ladder, end) = parse(journal::read(path)?)?;
        Ok((first.game, ladder, end))
    }

    /// The seed of the dice between these two, which depends on the ladder's seed and on who they
    /// are: duels on the same dice would err alike.
    pub fn duel_seed(&self, a: &str, b: &str) -> u64 {
        let (one, other) = if a < b { (a, b) } else { (b, a) };
        let both = format!("{one}\n{other}");
        self.seed.wrapping_add(u64::from(tavola_files::crc32(both.as_bytes())) << 16)
    }

    /// Adds a version, or gives it another name.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it can't be written, or there are too many.
    pub fn add_version(&mut self, version: Version) -> Result<(), Failure> {
        if !self.ladder.versions().contains(&version) {
            let mut ladder = self.ladder.clone();
            add_version(&mut ladder, version.clone())?;
            self.journal.append(&Line::Version(version))?;
            self.ladder = ladder;
        }
        Ok(())
    }

    /// Adds what two versions have played, and forces it to the disk.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it can't be counted or written.
    pub fn add_match_up(&mut self, match_up: MatchUp) -> Result<(), Failure> {
        self.ladder.add_match_up(match_up.clone())?;
        self.journal.append(&Line::MatchUp(match_up))?;
        Ok(self.journal.sync()?)
    }
}

fn check_format(first: &FirstLine) -> Result<(), Failure> {
    match first.format == FORMAT {
        true => Ok(()),
        false => {
            let found = &first.format;
            Err(Failure::input(format!("a file of {found:?}, expected one of {FORMAT:?}")))
        }
    }
}

fn parse(content: Content<FirstLine, Line>) -> Result<(FirstLine, Ladder, End), Failure> {
    let Content { header: first, lines, end } = content;
    check_format(&first)?;
    let mut ladder = Ladder::default();
    for line in lines {
        match line {
            Line::Version(version) => add_version(&mut ladder, version)?,
            Line::MatchUp(match_up) => ladder.add_match_up(match_up)?,
        }
    }
    Ok((first, ladder, end))
}

fn add_version(ladder: &mut Ladder, version: Version) -> Result<(), Failure> {
    ladder.add_version(version);
    // The time to rate players grows with the cube of their number.
    let most = LADDER_PLAYERS.default;
    match ladder.versions().len() as u64 > most {
        true => Err(Failure::input(format!("more players than {most}, the most on a ladder"))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn match_up(first: u64) -> MatchUp {
        MatchUp {
            a: "x".to_owned(),
            b: "y".to_owned(),
            first,
            pairs: 10,
            ppg: 0.1 + 0.2,
            deviation: 1.0 / 3.0,
            stake: 1.3,
            seconds: 0.5,
            luck_evaluator: Some("z".to_owned()),
        }
    }

    #[test]
    fn a_ladder_has_a_number_of_players() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ladder.jsonl");
        // Killed before its first line.
        fs::write(&path, "").unwrap();
        let mut file = LadderFile::open_or_create(&path, "backgammon", 5).unwrap();
        let mut add = |number: u64| {
            let id = number.to_string();
            file.add_version(Version { name: id.clone(), id })
        };
        (0..LADDER_PLAYERS.default).for_each(|number| add(number).unwrap());
        let error = add(LADDER_PLAYERS.default).unwrap_err().to_string();
        assert_eq!(error, "more players than 500, the most on a ladder");
        drop(file);
        assert!(LadderFile::read(&path).is_ok());
    }

    #[test]
    fn a_ladder_is_gone_on_with_where_a_killed_writer_left_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ladder.jsonl");
        let mut file = LadderFile::open_or_create(&path, "backgammon", 5).unwrap();
        let version = |id: &str, name: &str| Version { id: id.to_owned(), name: name.to_owned() };
        for id in ["x", "y"] {
            file.add_version(version(id, id)).unwrap();
        }
        file.add_match_up(match_up(0)).unwrap();
        let seed = file.duel_seed("x", "y");
        assert_eq!(seed, file.duel_seed("y", "x"));
        assert_ne!(seed, file.duel_seed("x", "z"));
        drop(file);

        // Killed while the second match-up was written.
        let before = fs::read_to_string(&path).unwrap();
        let (before, _) = before.split_once("{\"end\":3}").unwrap();
        let torn = [before.as_bytes(), br#"{"match_up":{"a":"x","#].concat();
        fs::write(&path, torn).unwrap();
        let mut file = LadderFile::open_or_create(&path, "backgammon", 99).unwrap();
        assert_eq!(file.end, End::Torn(5));
        assert_eq!(file.duel_seed("x", "y"), seed, "the seed is that of the file");
        assert_eq!(file.ladder.match_ups(), [match_up(0)]);
        assert_eq!(file.ladder.next_pair("x", "y"), 10);
        assert!(file.add_match_up(match_up(5)).is_err(), "half of it is there already");
        file.add_match_up(match_up(10)).unwrap();
        file.add_version(version("x", "renamed")).unwrap();
        let ladder = file.ladder.clone();
        drop(file);
        assert_eq!(
            LadderFile::read(&path).unwrap(),
            ("backgammon".to_owned(), ladder, End::Closed)
        );
        let other = LadderFile::open_or_create(&path, "hypergammon", 1).unwrap_err();
        assert_eq!(other.to_string(), "a ladder of backgammon, expected one of hypergammon");
    }
}
