//! Rolled-out states: how far evaluations are off, in decided positions as in close ones.
//!
//! Decisions tell which play a player prefers; what cubes, search and rollouts need is that every
//! state is evaluated rightly, however clear its plays are. A [`StateReference`] has states of all
//! [bands](Band) of equity with their chances by rollout, and [`grade_states`] has a player evaluate
//! them.
//!
//! # The file
//!
//! One JSON object a line, a blank and its checksum, as a [`Journal`](tavola_files::Journal) has
//! them. The first is the [`StateHeader`]; every other one is a state, in an order that is random,
//! so that a part is a sample too:
//!
//! ```text
//! {"position":"4HPwATDgc/ABMA","phase":"opening","probs":[0.527,0.146,0.007,0.125,0.006],
//!  "probs_se":[0.002,0.002,0.0005,0.002,0.0004],"equity":0.076,"equity_se":0.005} 1f2e3d4c
//! ```
//!
//! `probs` are the chances of the player on roll before the roll, without a cube: to win, to win a
//! gammon, a backgammon, to lose a gammon, a backgammon; each contains the next one of its kind.
//! `equity` is theirs in points. `_se` are standard errors.

mod draw;
mod grades;
mod make;
mod rate;

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tavola_evaluator::{Phase, PlayableGame};
use tavola_files::{JournalError, journal};
use tavola_rules::Game;

pub use self::draw::{DrawnStates, StateSampleSettings};
pub use self::grades::{BandGrades, StateGrades, StateGradingError, StateSums, grade_states};
pub use self::make::StateRating;
pub use self::rate::{StateRater, rate_states};
use super::header::Purpose;

/// What the first line says the file is.
const FORMAT: &str = "tavola-states";

/// The version of the files that are written and read.
const VERSION: u32 = 1;

/// A range of equities, half a point wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Band(u8);

impl Band {
    /// How many there are: from -2.5 to +2.5.
    pub const COUNT: usize = 10;

    const WIDTH: f64 = 0.5;

    const LOWEST: f64 = -2.5;

    /// All bands, the lowest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The band of an equity in points; what is beyond the last band belongs to it.
    pub fn of(equity: f64) -> Self {
        let band = ((equity - Self::LOWEST) / Self::WIDTH).floor();
        Self(band.clamp(0.0, Self::COUNT as f64 - 1.0) as u8)
    }

    /// Its place among all of them.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its lower end, in points.
    pub fn from(self) -> f64 {
        Self::LOWEST + Self::WIDTH * f64::from(self.0)
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.1} to {:+.1}", self.from(), self.from() + Self::WIDTH)
    }
}

/// What was drawn of a band.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BandShare {
    /// Lower end of the band, in points, by the network that played the games.
    pub from: f64,
    /// Share of the states of games without random plays, from 0 to 1.
    pub share: f64,
    /// States that were drawn.
    pub drawn: u64,
}

/// The first line of a file: where its states come from, and how they were rolled out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateHeader {
    format: String,
    version: u32,
    /// The [`id`](tavola_rules::Game::id) of the game.
    pub game: String,
    /// What the states may be used for.
    pub purpose: Purpose,
    /// The command that made the file.
    pub command: String,
    /// The network that played the games and the trials, with its checksum.
    pub network: String,
    /// What tells the networks and tables of the rollouts from all others.
    pub identity: String,
    /// How the states were rolled out, in words.
    pub settings: String,
    /// Seed of the games, of the draw and of the dice.
    pub seed: u64,
    /// Games that were played.
    pub games: u64,
    /// What was found of each band.
    pub bands: Vec<BandShare>,
    /// Number of states.
    pub states: u64,
}

/// A state and what it is worth by rollout.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedState<S> {
    /// The position, from the player on roll, before the roll.
    pub state: S,
    /// Its phase, in a game with phases.
    pub phase: Option<Phase>,
    /// The five cumulative chances, as in the file.
    pub probs: [f64; 5],
    /// Their standard errors.
    pub probs_se: [f64; 5],
    /// Cubeless money equity, in points.
    pub equity: f64,
    /// Its standard error.
    pub equity_se: f64,
}

/// A line after the first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateLine {
    position: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    probs: [f64; 5],
    probs_se: [f64; 5],
    equity: f64,
    equity_se: f64,
}

/// Rolled-out states.
#[derive(Clone, Debug, PartialEq)]
pub struct StateReference<G: Game> {
    /// Where they come from.
    pub header: StateHeader,
    /// The states, at least two.
    pub states: Vec<RatedState<G::State>>,
}

/// Why a file of states can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateFileError {
    /// The file can't be read, or is damaged.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file of something else, or of another version.
    #[error("{path} is {found}, expected {FORMAT:?} of version {VERSION}")]
    Format {
        /// The file.
        path: String,
        /// What it is.
        found: String,
    },
    /// A line is not what it should be.
    #[error("{path}, line {line}: {reason}")]
    Line {
        /// The file.
        path: String,
        /// Number of the line, counted from 1.
        line: usize,
        /// What is wrong with it, and what was expected.
        reason: String,
    },
}

impl StateHeader {
    /// The header of a file of states.
    ///
    /// # Errors
    ///
    /// [`StateFileError`].
    pub fn read(path: &Path) -> Result<Self, StateFileError> {
        Ok(lines(path)?.header)
    }
}

impl<G: PlayableGame> StateReference<G> {
    /// Reads a file of states.
    ///
    /// # Errors
    ///
    /// [`StateFileError`] names the line and the reason.
    pub fn read(game: &G, path: &Path) -> Result<Self, StateFileError> {
        let journal::Content { header, lines, .. } = lines(path)?;
        let wrong = |line: usize, reason: String| StateFileError::Line {
            path: path.display().to_string(),
            line,
            reason,
        };
        if header.game != game.id() {
            let (found, asked) = (&header.game, game.id());
            return Err(wrong(1, format!("the states are of {found:?}, expected {asked:?}")));
        }
        if lines.len() as u64 != header.states || lines.len() < 2 {
            let reason = format!(
                "{} of {} states, expected all of them and two at least; the command in the header \
                 goes on",
                lines.len(),
                header.states
            );
            return Err(wrong(lines.len() + 1, reason));
        }
        let mut seen = HashSet::new();
        let mut states = Vec::with_capacity(lines.len());
        for (index, line) in lines.into_iter().enumerate() {
            let rated = line.rated(game).map_err(|reason| wrong(index + 2, reason))?;
            if !seen.insert(rated.state) {
                let reason = "the position of an earlier line, expected a new one".to_owned();
                return Err(wrong(index + 2, reason));
            }
            states.push(rated);
        }
        Ok(Self { header, states })
    }
}

fn lines(path: &Path) -> Result<journal::Content<StateHeader, StateLine>, StateFileError> {
    /// What every version of the format has.
    #[derive(Deserialize)]
    struct Identity {
        format: String,
        version: u32,
    }
    let found = journal::read::<Identity, serde_json::Value>(path)?.header;
    if found.format != FORMAT || found.version != VERSION {
        let (path, found) = (path.display().to_string(), (found.format, found.version));
        let found = format!("{:?} of version {}", found.0, found.1);
        return Err(StateFileError::Format { path, found });
    }
    Ok(journal::read(path)?)
}

impl StateLine {
    fn of<G: PlayableGame>(game: &G, rated: &RatedState<G::State>) -> Self {
        let RatedState { state, phase, probs, probs_se, equity, equity_se } = *rated;
        Self { position: game.write_state(&state), phase, probs, probs_se, equity, equity_se }
    }

    fn rated<G: PlayableGame>(self, game: &G) -> Result<RatedState<G::State>, String> {
        let Self { position, phase, probs, probs_se, equity, equity_se } = self;
        let state = game.parse_state(&position).map_err(|error| error.to_string())?;
        if game.outcome(&state).is_some() {
            return Err(format!("the game is over in {position}, expected one that goes on"));
        }
        // Taking the luck off may lead beyond a certainty.
        if let Some(chance) = probs.iter().find(|chance| !(-0.5..=1.5).contains(*chance)) {
            return Err(format!("a chance of {chance}, expected 0 to 1"));
        }
        if let Some(error) =
            probs_se.iter().chain([&equity_se]).find(|error| !(error.is_finite() && **error >= 0.0))
        {
            return Err(format!("a standard error of {error}, expected one from 0"));
        }
        if !(-3.1..=3.1).contains(&equity) {
            return Err(format!("an equity of {equity}, expected points from -3 to 3"));
        }
        Ok(RatedState { state, phase, probs, probs_se, equity, equity_se })
    }
}
