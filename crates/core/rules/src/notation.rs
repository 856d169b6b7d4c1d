//! Texts for positions and plays.
//!
//! [`parse_situation`] reads any accepted form of a position, [`read_situation`] also tells what it
//! ignores, and [`Form::write`] writes each of them; [`parse_play`] reads a play and
//! [`Play`](crate::Play)'s `Display` writes it. Reading is generous, writing has one canonical
//! result.
//!
//! | form | example | carries |
//! |---|---|---|
//! | GNU Position ID | `4HPwATDgc/ABMA` | checkers |
//! | `PositionID:MatchID` | `4HPwATDgc/ABMA:cAkGAAAAAAAA` | checkers, dice, double, cube, score, Jacoby |
//! | XGID | `XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10` | the same and beavers |
//! | OGID | `11ccccchhhjjjjj:66666888dddddoo:N0N:13:B::0:0:0:0` | checkers, dice, double, cube, score |
//! | FIBS board | `board:You:Opponent:9999:0:0:...` | the same |
//! | 26 numbers | `[0,-2,0,0,0,0,5,...]` | checkers |
//!
//! Checkers that are not on the board count as borne off, out of the number of the game.
//!
//! ```
//! use tavola_rules::notation::{Form, parse_situation};
//!
//! let situation = parse_situation("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")?;
//! assert_eq!(situation.dice, Some("31".parse().unwrap()));
//! assert_eq!(Form::PositionId.write(&situation)?, "4HPwATDgc/ABMA");
//! # Ok::<(), tavola_rules::notation::NotationError>(())
//! ```

mod bits;
mod counts;
mod fibs;
mod match_id;
mod ogid;
mod play_text;
mod position_id;
mod reader;
mod situation;
mod xgid;

use std::fmt;

use crate::match_state::MatchScoreError;
use crate::position::PositionError;

pub use counts::{parse_counts, parse_counts_with_checkers, write_counts};
pub use match_id::{GameProgress, MatchId};
pub use play_text::{Expected, IllegalReason, PlayTextError, parse_play};
pub use position_id::{decode_position_id, decode_position_id_with_checkers, encode_position_id};
pub use reader::{Ignored, Labelled, Reading, parse_situation, read_situation};
pub use situation::{Form, MoneyOrMatch, Situation};
pub use xgid::{Xgid, XgidSeat};

/// The forms with an example of each, for an error.
const FORMS: &str = "the forms of a position are
  GNU Position ID    4HPwATDgc/ABMA
  ... with Match ID  4HPwATDgc/ABMA:cAkGAAAAAAAA
  XGID               XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10
  OGID               11ccccchhhjjjjj:66666888dddddoo:N0N:13:B::0:0:0:0
  FIBS board         board:You:Opponent:...
  26 numbers         0,-2,0,0,0,0,5,0,3,... (opponent's bar, points 1 to 24, own bar)
  the start          start";

/// Why a text is not a position, or a situation can't be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// The text has the wrong length.
    #[error("{input} is not {form}: it has {found} characters, expected {expected}")]
    Length {
        /// The form that was tried, with its article.
        form: &'static str,
        /// The text, shortened.
        input: Quoted,
        /// Its length.
        found: usize,
        /// The length of the form.
        expected: usize,
    },
    /// The text is not what an encoder of 6 bits a character writes.
    #[error(
        "{input} is not {form}: expected {expected} base64 characters (A to Z, a to z, 0 to 9, \
         + and /) without surplus bits"
    )]
    Base64 {
        /// The form that was tried, with its article.
        form: &'static str,
        /// The text, shortened.
        input: Quoted,
        /// How many characters the form has.
        expected: usize,
    },
    /// One of the fields of the text holds something impossible.
    #[error("{input} is not {form}: {field} is {}, expected {expected}", plain(.field, .found))]
    Field {
        /// The form that was tried, with its article.
        form: &'static str,
        /// The text, shortened.
        input: Quoted,
        /// Which field.
        field: &'static str,
        /// What it holds.
        found: Quoted,
        /// What it may hold.
        expected: &'static str,
    },
    /// The checkers of the text are no position.
    #[error("{input} is not {form}: {reason}")]
    Checkers {
        /// The form that was tried, with its article.
        form: &'static str,
        /// The text, shortened.
        input: Quoted,
        /// The rule that they break.
        reason: PositionError,
    },
    /// The score of the text is none at which a game is played.
    #[error("{input} is not {form} of a running game: {reason}")]
    Score {
        /// The form that was tried, with its article.
        form: &'static str,
        /// The text, shortened.
        input: Quoted,
        /// Why not.
        reason: MatchScoreError,
    },
    /// The text is in no form that can be told.
    #[error("{input} is not a valid position: {nearest}\n{FORMS}")]
    Unrecognized {
        /// The text, shortened.
        input: Quoted,
        /// What the form that is nearest lacks.
        nearest: String,
    },
    /// A situation holds a number that the form has no room for.
    #[error("{field} is {found}, but {form} holds {expected}")]
    NoRoom {
        /// The form to write, with its article.
        form: &'static str,
        /// What is too large.
        field: &'static str,
        /// Its value.
        found: u32,
        /// What fits.
        expected: &'static str,
    },
}

/// A text that is read in one of the forms: what messages about it begin with.
#[derive(Clone, Copy)]
struct Input<'a> {
    form: &'static str,
    text: &'a str,
}

/// What a field holds: as it is written, or a number that was counted.
fn plain(field: &str, found: &Quoted) -> String {
    let is_count = field.starts_with("the number of ") || field == "the length";
    if is_count { found.0.clone() } else { found.to_string() }
}

impl Input<'_> {
    fn field(self, field: &'static str, found: &str, expected: &'static str) -> NotationError {
        let (form, input) = (self.form, self.text.into());
        NotationError::Field { form, input, field, found: found.into(), expected }
    }

    fn checkers(self, reason: PositionError) -> NotationError {
        NotationError::Checkers { form: self.form, input: self.text.into(), reason }
    }

    fn score(self, reason: MatchScoreError) -> NotationError {
        NotationError::Score { form: self.form, input: self.text.into(), reason }
    }
}

/// A number that a form has room for: at most `most`, which `expected` says in words.
fn fitting(
    form: &'static str,
    field: &'static str,
    found: u32,
    most: u32,
    expected: &'static str,
) -> Result<u32, NotationError> {
    if found <= most {
        Ok(found)
    } else {
        Err(NotationError::NoRoom { form, field, found, expected })
    }
}

/// A piece of the input, quoted, and cut where it is long, so that no error repeats a megabyte.
#[derive(Clone, PartialEq, Eq)]
pub struct Quoted(pub(crate) String);

impl Quoted {
    /// The most characters that are repeated.
    const LONGEST: usize = 80;
}

impl From<&str> for Quoted {
    fn from(text: &str) -> Self {
        let mut chars = text.chars();
        let mut kept: String = chars.by_ref().take(Self::LONGEST).collect();
        if chars.next().is_some() {
            kept.push('…');
        }
        Self(kept)
    }
}

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Debug for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
