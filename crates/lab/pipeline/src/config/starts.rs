//! Positions in which games of a run begin.

use std::fmt;

use serde::{Deserialize, Serialize};
use tavola_files::Failure;
use tavola_files::limits::FILE_BYTES;
use tavola_games::PlayableGame;
use tavola_play::Probability;

use super::{Check, Config};

/// A position from the player on roll.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected 26 integers, or a text in the notation of the game")]
pub enum StartPosition {
    /// Of backgammon, as 26 integers: the opponent's bar (0 or below), the points 1 to 24 (the
    /// opponent's checkers below 0), the own bar.
    Counts([i8; 26]),
    /// Of any game, in its own notation.
    Text(String),
}

/// As the notation of the game has it.
impl fmt::Display for StartPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counts(counts) => f.write_str(&counts.map(|n| n.to_string()).join(",")),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Puts the positions of the file, if one is named, behind the others, and checks that there are
/// some if some are to be drawn.
pub(super) fn read(check: &Check<'_>, config: &mut Config) -> Result<(), Failure> {
    if let Some(path) = config.start_book_file.take() {
        let text = tavola_files::read_text(&path, &FILE_BYTES).map_err(|error| {
            let expected = format!("a text file that can be read: {error}");
            check.error("start_book_file", path.display(), expected)
        })?;
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let positions = lines.filter(|line| !line.is_empty());
        config.start_book.extend(positions.map(|text| StartPosition::Text(text.to_owned())));
    }
    let share = config.selfplay.start_book_share;
    if config.start_book.is_empty() != (share == Probability::NEVER) {
        let expected = if config.start_book.is_empty() {
            "0 as there is no start_book"
        } else {
            "more than 0 as there is a start_book"
        };
        return Err(check.error("selfplay.start_book_share", share.get(), expected));
    }
    Ok(())
}

/// Checks the start book.
pub(super) fn check<G: PlayableGame>(
    game: &G,
    check: &Check<'_>,
    config: &Config,
) -> Result<(), Failure> {
    for text in &config.start_book {
        let refuse = |expected| check.error("start_book", text, expected);
        let state = game
            .parse_state(&text.to_string())
            .map_err(|error| refuse(format!("a position of {}: {error}", game.id())))?;
        if game.outcome(&state).is_some() {
            return Err(refuse("a position in which the game isn't over".to_owned()));
        }
    }
    Ok(())
}
