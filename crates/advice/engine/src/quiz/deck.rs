//! The questions of a user in a file, and when each is due.
//!
//! Boxes as Sebastian Leitner described them: a question that was answered well moves to the next
//! box and comes back later, one with a wrong answer starts again in the first.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};
use tavola_files::Failure;
use tavola_files::FileError;
use tavola_files::limits::FILE_BYTES;
use tavola_matches::analysis::{DecisionKind, MatchAnalysis};

use super::QuizQuestion;

/// What stands at the head of a file.
const FORMAT: &str = "tavola quiz";
const VERSION: u32 = 1;

/// Days after which a question comes back, by its box.
const DAYS: [u64; 7] = [0, 1, 3, 7, 16, 35, 90];

/// The largest loss of an answer that counts as a good one.
const GOOD: f64 = 0.02;

/// Phase and XGID a line, made by `scripts/quiz-positions.py`.
const BUILT_IN: &str = include_str!("positions.txt");

/// A question with what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuizCard {
    /// The position as an XGID; an offered double wants a response.
    pub position: String,
    /// The phase of the game.
    pub phase: String,
    /// Where it is from: a file with game and turn. Empty for a position of the program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What was done there, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub done: String,
    /// How it went so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
}

/// How the answers to a question went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// The box, from 0; the higher, the longer the pause.
    #[serde(rename = "box")]
    pub level: usize,
    /// The day from which on it is asked again, as `2026-11-24`, UTC.
    pub due: String,
    /// How often it was answered.
    pub answers: u32,
    /// What all answers lost together.
    pub lost: f64,
}

/// The questions of a user.
#[derive(Debug)]
pub struct Deck {
    path: PathBuf,
    cards: Vec<QuizCard>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    cards: Vec<QuizCard>,
}

/// The questions of a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DueDay {
    /// `2026-11-24`, or `new` for those that were never asked.
    pub day: String,
    /// How many there are.
    pub questions: usize,
}

impl Deck {
    /// Where the questions of this user are, `quiz.json` in the folder for data of programs;
    /// `None` if the user has no home.
    pub fn of_user() -> Option<PathBuf> {
        let strategy = etcetera::choose_base_strategy().ok()?;
        Some(strategy.data_dir().join("tavola").join("quiz.json"))
    }

    /// The questions of a file; those of the program if there is no such file yet.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let bytes = match tavola_files::read(path, &FILE_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self { path: path.to_owned(), cards: built_in() });
            }
            Err(error) => return Err(FileError::at("read", path)(error).into()),
        };
        let malformed = |why: String| {
            Failure::input(format!("{} is no file of quiz questions: {why}", path.display()))
        };
        let file: File =
            serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
        if file.format != FORMAT || file.version != VERSION {
            return Err(malformed(format!(
                "it says {:?} version {}, expected {FORMAT:?} version {VERSION}",
                file.format, file.version
            )));
        }
        for (number, card) in (1..).zip(&file.cards) {
            QuizQuestion::new(&card.position)
                .map_err(|error| malformed(format!("card {number}: {error}")))?;
            if let Some(memory) = &card.memory
                && (time_of(&memory.due).is_none() || memory.level >= DAYS.len())
            {
                return Err(malformed(format!(
                    "card {number}: box {} due {:?}, expected a box below {} and a day such as \
                     2026-11-24",
                    memory.level,
                    memory.due,
                    DAYS.len()
                )));
            }
        }
        Ok(Self { path: path.to_owned(), cards: file.cards })
    }

    /// Writes the file, all or nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn save(&self) -> Result<(), Failure> {
        let file = File { format: FORMAT.to_owned(), version: VERSION, cards: self.cards.clone() };
        let mut text = serde_json::to_string_pretty(&file).expect("cards are plain data");
        text.push('\n');
        let io = FileError::at("write", &self.path);
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(&io)?;
        }
        Ok(tavola_files::write(&self.path, text.as_bytes()).map_err(io)?)
    }

    /// Where the questions are kept.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All questions, in the order in which they came.
    pub fn cards(&self) -> &[QuizCard] {
        &self.cards
    }

    /// Adds the errors of a player, or of both, from a loss on; those that are there already stay
    /// as they are. Returns how many are new.
    pub fn add_errors(&mut self, of: &MatchAnalysis, player: Option<&str>, least: f64) -> usize {
        let before = self.cards.len();
        for decision in &of.decisions {
            let name = &of.players[decision.player.index()].name;
            let asked = matches!(
                decision.kind,
                DecisionKind::Checker | DecisionKind::Double | DecisionKind::Response
            );
            if !asked
                || decision.loss < least
                || player.is_some_and(|player| player.to_lowercase() != name.to_lowercase())
            {
                continue;
            }
            let position = decision.position.clone();
            let usable = QuizQuestion::new(&position).is_ok();
            if usable && self.cards.iter().all(|card| card.position != position) {
                self.cards.push(QuizCard {
                    position,
                    phase: decision.phase.clone(),
                    source: format!(
                        "{}, game {}, row {}, {name}",
                        of.source, decision.game, decision.row
                    ),
                    done: decision.done.clone(),
                    memory: None,
                });
            }
        }
        self.cards.len() - before
    }

    /// The questions to be asked at a time: those that are due, the longest overdue first, then the
    /// errors of the user that were never asked, then the positions of the program.
    pub fn due(&self, now: SystemTime) -> Vec<usize> {
        let today = day(now);
        let rank = |card: &QuizCard| match &card.memory {
            Some(memory) => (0, memory.due.clone()),
            None => (if card.source.is_empty() { 2 } else { 1 }, String::new()),
        };
        let due = |card: &QuizCard| card.memory.as_ref().is_none_or(|memory| memory.due <= today);
        let mut due: Vec<usize> =
            (0..self.cards.len()).filter(|&index| due(&self.cards[index])).collect();
        due.sort_by_key(|&index| rank(&self.cards[index]));
        due
    }

    /// How many questions are due on each day, in order, those that were never asked last.
    pub fn days(&self) -> Vec<DueDay> {
        let due =
            |card: &QuizCard| card.memory.as_ref().map_or("new", |memory| &memory.due).to_owned();
        let mut all: Vec<String> = self.cards.iter().map(due).collect();
        all.sort();
        let days = all.chunk_by(|one, next| one == next);
        days.map(|day| DueDay { day: day[0].clone(), questions: day.len() }).collect()
    }

    /// Notes an answer. Returns the day on which the question comes back.
    pub fn answered(&mut self, index: usize, loss: f64, now: SystemTime) -> String {
        let card = &mut self.cards[index];
        let (level, answers, lost) =
            card.memory.as_ref().map_or((0, 0, 0.0), |m| (m.level, m.answers, m.lost));
        let level = if loss <= GOOD { (level + 1).min(DAYS.len() - 1) } else { 0 };
        let due = day(now + Duration::from_secs(DAYS[level] * 86_400));
        card.memory =
            Some(Memory { level, due: due.clone(), answers: answers + 1, lost: lost + loss });
        due
    }
}

fn built_in() -> Vec<QuizCard> {
    let card = |line: &str| {
        let (phase, position) = line.split_once(' ')?;
        Some(QuizCard {
            position: position.to_owned(),
            phase: phase.to_owned(),
            source: String::new(),
            done: String::new(),
            memory: None,
        })
    };
    BUILT_IN.lines().filter_map(card).collect()
}

/// The day of a time, UTC.
fn day(time: SystemTime) -> String {
    let text = humantime::format_rfc3339_seconds(time).to_string();
    text.split('T').next().unwrap_or_default().to_owned()
}

fn time_of(day: &str) -> Option<SystemTime> {
    humantime::parse_rfc3339(&format!("{day}T00:00:00Z")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: &str) -> SystemTime {
        time_of(day).unwrap() + Duration::from_secs(40_000)
    }

    #[test]
    fn every_position_of_the_program_asks_something() {
        let cards = built_in();
        assert!(cards.len() > 80);
        for card in &cards {
            QuizQuestion::new(&card.position).unwrap();
        }
        let responses = cards.iter().filter(|card| card.position.contains(":D:")).count();
        assert!(responses > 3, "{responses}");
    }

    #[test]
    fn good_answers_come_back_later_and_bad_ones_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/quiz.json");
        let mut deck = Deck::open(&path).unwrap();
        let all = deck.cards().len();
        assert_eq!(deck.due(at("2026-11-24")).len(), all);
        assert_eq!(deck.answered(3, 0.0, at("2026-11-24")), "2026-11-25");
        assert_eq!(deck.due(at("2026-11-24")).len(), all - 1);
        deck.save().unwrap();

        let mut deck = Deck::open(&path).unwrap();
        assert_eq!(deck.due(at("2026-11-25"))[0], 3);
        assert_eq!(deck.answered(3, 0.01, at("2026-11-25")), "2026-11-28");
        assert_eq!(deck.answered(3, 0.3, at("2026-12-28")), "2026-12-28");
        let memory = deck.cards()[3].memory.clone().unwrap();
        assert_eq!((memory.level, memory.answers), (0, 3));
        assert!((memory.lost - 0.31).abs() < 1e-9);
    }

    #[test]
    fn files_of_something_else_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("quiz.json");
        for (text, part) in [
            ("{}", "missing field"),
            (r#"{"format":"x","version":1,"cards":[]}"#, "expected \"tavola quiz\" version 1"),
            (
                r#"{"format":"tavola quiz","version":1,"cards":[{"position":"?","phase":""}]}"#,
                "card 1",
            ),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Deck::open(&path).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
