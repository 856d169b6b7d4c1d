//! Records of games that people play: reading, writing, following them.
//!
//! A [`Match`] is plain data: players, rules and the actions of each game. [`Playback`] follows a
//! game by the rules, [`MatchRecorder`] writes one down as it is played. [`read`] recognizes the format
//! of a file and reads it generously: what it had to mend is told as [`Note`]s with line numbers,
//! and a game that can't be followed is kept up to there.
//!
//! ```
//! let file = b" 3 point match\n\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5\n";
//! let reading = tavola_matches::read(file)?;
//! assert_eq!(reading.matches[0].players, ["Ann", "Bob"]);
//! assert_eq!(reading.matches[0].games[0].actions.len(), 1);
//! # Ok::<(), tavola_matches::ReadError>(())
//! ```

pub mod analysis;
mod date;
mod digest;
mod encoding;
mod format;
pub mod json;
pub mod mat;
pub mod ogxm;
mod output;
pub mod page;
mod playback;
mod reading;
mod record;
pub mod sgf;
mod unread;
mod unsaid;
mod xg;

pub use format::{MatchFormat, MatchReading, WriteError, largest, read, read_as, read_of, write};
pub use output::is_output;
pub use playback::{MatchRecorder, Playback, PlaybackError};
pub use reading::{Note, ReadError, ReadWatch};
pub use record::{Act, Details, Game, Match, Property, RecordedAction};
