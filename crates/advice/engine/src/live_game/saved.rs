//! Games without a cube in files, to be resumed.
//!
//! A file has the setup and one short text a turn: the seat, the roll and the play. Reading it plays
//! the games again by the rules, so that no file can hold an impossible one.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tavola_evaluator::PlayableGame;
use tavola_files::limits::FILE_BYTES;
use tavola_games::AnyGame;

use super::{GameSetup, LiveGame, LiveGameError};
use crate::live_match::{ENGINE, SavedMatchError, USER};

/// What stands at the head of a file.
const FORMAT: &str = "tavola game in progress";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    /// Its id, with options.
    game: String,
    setup: GameSetup,
    games: Vec<Vec<String>>,
}

/// The game that a file of [`LiveGame::save`] holds; `None` if the file is another one.
pub fn saved_game(path: &Path) -> Option<AnyGame> {
    game_of_json(&tavola_files::read(path, &FILE_BYTES).ok()?)
}

/// The same of the text of such a file.
pub(super) fn game_of_json(bytes: &[u8]) -> Option<AnyGame> {
    let file: File = serde_json::from_slice(bytes).ok()?;
    file.game.parse().ok().filter(|_| file.format == FORMAT)
}

fn io<'a>(
    what: &'static str,
    path: &'a Path,
) -> impl FnOnce(std::io::Error) -> SavedMatchError + 'a {
    move |source| SavedMatchError::Io { what, path: path.display().to_string(), source }
}

impl<G: PlayableGame> LiveGame<G>
where
    AnyGame: From<G>,
{
    /// Writes the game to a file, all or nothing.
    ///
    /// # Errors
    ///
    /// [`SavedMatchError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), SavedMatchError> {
        tavola_files::write(path, self.to_json().as_bytes()).map_err(io("write", path))
    }

    /// The game as the text of its file.
    pub fn to_json(&self) -> String {
        let seat = |player| if player == USER { "one" } else { "two" };
        let games = self.finished.iter().chain([&self.done]).map(|turns| {
            let text = |done: &super::Done<G>| {
                format!("{} {} {}", seat(done.player), done.roll, done.play)
            };
            turns.iter().map(text).collect()
        });
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            game: self.game.id(),
            setup: self.setup.clone(),
            games: games.collect(),
        };
        let mut text = serde_json::to_string_pretty(&file).expect("plain data");
        text.push('\n');
        text
    }

    /// Reads a game back.
    ///
    /// # Errors
    ///
    /// [`SavedMatchError`].
    pub fn resume(game: G, path: &Path) -> Result<Self, SavedMatchError> {
        let bytes = tavola_files::read(path, &FILE_BYTES).map_err(io("read", path))?;
        Self::from_json(game, &bytes, &path.display().to_string())
    }

    /// Reads the text of a file back; `path` is what errors call it.
    ///
    /// # Errors
    ///
    /// [`SavedMatchError`].
    pub fn from_json(game: G, bytes: &[u8], path: &str) -> Result<Self, SavedMatchError> {
        let path = path.to_owned();
        let malformed = |why: String| SavedMatchError::Malformed { path: path.clone(), why };
        let file: File =
            serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
        if (file.format.as_str(), file.version) != (FORMAT, VERSION) {
            return Err(malformed(format!(
                "it says {:?} version {}, expected {FORMAT:?} version {VERSION}",
                file.format, file.version
            )));
        }
        if file.game != game.id() {
            return Err(malformed(format!(
                "it is a game of {}, expected {}",
                file.game,
                game.id()
            )));
        }
        let mut live = Self::new(game, file.setup);
        for (number, turns) in (1..).zip(&file.games) {
            let illegal = |step, why: String| SavedMatchError::Illegal {
                path: path.clone(),
                game: number,
                step,
                why,
            };
            if number > 1 {
                live.next_game().map_err(|error| illegal(0, error.to_string()))?;
            }
            for (step, text) in (1..).zip(turns) {
                live.redo(text, step == 1).map_err(|why| illegal(step, why))?;
            }
        }
        Ok(live)
    }

    fn redo(&mut self, text: &str, is_first: bool) -> Result<(), String> {
        let unreadable = || format!("{text:?}, expected such as \"one 6-5-3 hand-6 hand-5\"");
        let mut words = text.splitn(3, ' ');
        let player = match words.next() {
            Some("one") => USER,
            Some("two") => ENGINE,
            _ => return Err(unreadable()),
        };
        let (Some(roll), Some(play)) = (words.next(), words.next()) else {
            return Err(unreadable());
        };
        if is_first {
            self.on_roll = player;
        }
        if self.on_roll != player {
            return Err(format!("{text:?} is a turn of the wrong player"));
        }
        self.roll = self.game.parse_roll(roll).map_err(|error| error.to_string())?;
        let turn = self.parse_play(play).map_err(|error: LiveGameError| error.to_string())?;
        self.play(turn).map_err(|error| error.to_string())
    }
}
