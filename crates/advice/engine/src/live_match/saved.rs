//! Matches in files, to be resumed.
//!
//! A file has the setup and what was done in each game, one short text a step. Reading it plays the
//! games again by the rules, so that no file can hold an impossible match. The dice of the computer
//! follow from the seed and the number of rolls so far.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tavola_files::limits::FILE_BYTES;
use tavola_matches::{Act, Format, ReadError, Reading, WriteError};
use tavola_rules::{Dice, Player, WinKind};

use super::{Done, ENGINE, LiveMatch, LiveMatchError, Setup, Step, USER};

/// What stands at the head of a file.
const FORMAT: &str = "tavola match in progress";
const VERSION: u32 = 1;

/// Why a match can't be saved or resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedMatchError {
    /// The file system says no.
    #[error("cannot {what} {path}")]
    Io {
        /// What was to be done.
        what: &'static str,
        /// The file.
        path: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is not a saved match.
    #[error("{path} is not a saved match: {why}")]
    Malformed {
        /// The file.
        path: String,
        /// Why not.
        why: String,
    },
    /// The games of the file are not legal.
    #[error("{path} is not a saved match: game {game}, step {step}: {why}")]
    Illegal {
        /// The file.
        path: String,
        /// The number of the game, from 1.
        game: usize,
        /// The number of the step, from 1.
        step: usize,
        /// Why not.
        why: String,
    },
    /// Records have no such format.
    #[error(transparent)]
    Ending(#[from] WriteError),
}

/// Reads the matches of a file of any format, saved matches included.
///
/// # Errors
///
/// [`ReadError`] where there is no game to be found.
pub fn read_matches(bytes: &[u8]) -> Result<Reading, ReadError> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    let begins = bytes.trim_ascii_start().starts_with(b"{");
    let head = begins.then(|| serde_json::from_slice::<Head>(bytes).ok()).flatten();
    if head.is_none_or(|head| head.format != FORMAT) {
        return tavola_matches::read(bytes);
    }
    let live = LiveMatch::from_json(bytes, "the file")
        .map_err(|error| ReadError::Malformed { line: 0, text: error.to_string() })?;
    Ok(Reading { format: Format::Json, matches: vec![live.record()], notes: Vec::new() })
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    setup: Setup,
    games: Vec<Vec<String>>,
}

impl LiveMatch {
    /// The match as the text of a file, to be read by [`from_json`](Self::from_json).
    pub fn to_json(&self) -> String {
        let games = self.finished.iter().map(|(_, done)| done).chain([&self.done]);
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            setup: self.setup.clone(),
            games: games.map(|done| done.iter().map(write_step).collect()).collect(),
        };
        let mut text = serde_json::to_string_pretty(&file).expect("plain data");
        text.push('\n');
        text
    }

    /// Writes the match to a file, all or nothing.
    ///
    /// # Errors
    ///
    /// [`SavedMatchError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), SavedMatchError> {
        tavola_files::write(path, self.to_json().as_bytes()).map_err(io("write", path))
    }

    /// Reads a match back from a file.
    ///
    /// # Errors
    ///
    /// [`SavedMatchError`].
    pub fn resume(path: &Path) -> Result<Self, SavedMatchError> {
        let bytes = tavola_files::read(path, &FILE_BYTES).map_err(io("read", path))?;
        Self::from_json(&bytes, &path.display().to_string())
    }

    /// Reads a match back from the text of a file, which errors call `name`.
    ///
    /// # Errors
    ///
    /// [`SavedMatchError`].
    pub fn from_json(text: &[u8], name: &str) -> Result<Self, SavedMatchError> {
        let path = name.to_owned();
        let malformed = |why: String| SavedMatchError::Malformed { path: path.clone(), why };
        let file: File =
            serde_json::from_slice(text).map_err(|error| malformed(error.to_string()))?;
        if (file.format.as_str(), file.version) != (FORMAT, VERSION) {
            return Err(malformed(format!(
                "it says {:?} version {}, expected {FORMAT:?} version {VERSION}",
                file.format, file.version
            )));
        }
        let mut live =
            Self::before_opening(file.setup).map_err(|error| malformed(error.to_string()))?;
        for (game, steps) in (1..).zip(&file.games) {
            let illegal = |step, why: String| SavedMatchError::Illegal {
                path: path.clone(),
                game,
                step,
                why,
            };
            if game > 1 {
                live.record_game().map_err(|error| illegal(0, error.to_string()))?;
            }
            for (number, text) in (1..).zip(steps) {
                live.redo_text(text).map_err(|why| illegal(number, why))?;
            }
        }
        if live.done.is_empty() {
            live.throw_opening().map_err(|error| malformed(error.to_string()))?;
        }
        Ok(live)
    }

    /// Writes the record of the match in the format that the ending of the name says.
    ///
    /// # Errors
    ///
    /// [`SavedMatchError`].
    pub fn export(&self, path: &Path) -> Result<(), SavedMatchError> {
        let text = tavola_matches::write(&[self.record()], path)?;
        tavola_files::write(path, text.as_bytes()).map_err(io("write", path))
    }

    fn redo_text(&mut self, text: &str) -> Result<(), String> {
        let unreadable = || format!("{text:?}, expected such as \"one roll 3-1\"");
        let mut words = text.splitn(3, ' ');
        let player = match words.next() {
            Some("one") => USER,
            Some("two") => ENGINE,
            _ => return Err(unreadable()),
        };
        let (verb, rest) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let step = match verb {
            "roll" => {
                let dice: Dice = rest.parse().map_err(|_| unreadable())?;
                Step::Act(Act::Roll(dice, None))
            }
            "play" => Step::Play(self.parse_play(rest).map_err(|error| error.to_string())?),
            "double" => Step::Act(Act::Double),
            "take" => Step::Act(Act::Take),
            "drop" => Step::Act(Act::Drop),
            "beaver" => Step::Act(Act::Beaver),
            "raccoon" => Step::Act(Act::Raccoon),
            "accept" => Step::Act(Act::Accept),
            "refuse" => Step::Act(Act::Refuse),
            "resign" => Step::Act(Act::Resign(match rest {
                "single" => WinKind::Single,
                "gammon" => WinKind::Gammon,
                "backgammon" => WinKind::Backgammon,
                _ => return Err(unreadable()),
            })),
            _ => return Err(unreadable()),
        };
        self.redo(Done { player, step }).map_err(|error: LiveMatchError| error.to_string())
    }
}

/// Whether a record can be written to a file of this name.
///
/// # Errors
///
/// [`SavedMatchError::Ending`].
pub fn check_export(path: &Path) -> Result<(), SavedMatchError> {
    tavola_matches::write(&[], path)?;
    Ok(())
}

fn io<'a>(
    what: &'static str,
    path: &'a Path,
) -> impl FnOnce(std::io::Error) -> SavedMatchError + 'a {
    move |source| SavedMatchError::Io { what, path: path.display().to_string(), source }
}

fn write_step(done: &Done) -> String {
    let seat = match done.player {
        Player::One => "one",
        Player::Two => "two",
    };
    let what = match done.step {
        Step::Play(play) => format!("play {play}"),
        Step::Act(act) => match act {
            Act::Roll(dice, _) => format!("roll {dice}"),
            Act::Double => "double".to_owned(),
            Act::Take => "take".to_owned(),
            Act::Drop => "drop".to_owned(),
            Act::Beaver => "beaver".to_owned(),
            Act::Raccoon => "raccoon".to_owned(),
            Act::Accept => "accept".to_owned(),
            Act::Refuse => "refuse".to_owned(),
            Act::Resign(WinKind::Single) => "resign single".to_owned(),
            Act::Resign(WinKind::Gammon) => "resign gammon".to_owned(),
            Act::Resign(WinKind::Backgammon) => "resign backgammon".to_owned(),
            Act::SetUp(..) => unreachable!("no choice sets up a position"),
        },
    };
    format!("{seat} {what}")
}
