//! Rolled-out states: how far evaluations are off, in decided positions as in close ones.
//!
//! Decisions tell which play a player prefers; what cubes, search and rollouts need is that every
//! state is evaluated rightly, however clear its plays are. A [`StateReference`] has states of all
//! [bands](Band) of equity, of back games, or of what a search sees, with their chances by rollout,
//! and [`grade_states`] has a player evaluate them.

mod draw;
mod grades;
mod make;

use std::fmt;

use serde::{Deserialize, Serialize};
use tavola_evaluator::{Phase, PlayableGame};
use tavola_files::Failure;
use tavola_rules::Game;

pub use self::draw::{DrawnStates, StateKind, StateSampleSettings};
pub use self::grades::{
    BandGrades, GroupGrades, StateDifference, StateError, StateGrades, StateSums, grade_states,
};
pub use self::make::{StateRater, StateRating};
use super::file::{self, check_equity, check_error};
use super::header::{GraderInfo, Header};

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

/// A state and what it is worth by rollout.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedState<S> {
    /// The position, from the player on roll, before the roll.
    pub state: S,
    /// Its group, of states that were not drawn by bands of equity.
    pub group: Option<String>,
    /// The five cumulative chances, as in the file.
    pub probs: [f64; 5],
    /// Cubeless money equity, in points.
    pub equity: f64,
    /// Its standard error.
    pub equity_se: f64,
}

/// A state as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateLine {
    position: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    probs: [f64; 5],
    probs_se: [f64; 5],
    equity: f64,
    equity_se: f64,
}

/// Rolled-out states.
#[derive(Clone, Debug, PartialEq)]
pub struct StateReference<G: Game> {
    /// Where they come from.
    pub header: Header,
    /// Who rolled them out, as in the header.
    pub grader: GraderInfo,
    /// The states, at least two.
    pub states: Vec<RatedState<G::State>>,
}

impl<G: PlayableGame> StateReference<G> {
    /// Reads a file of states.
    ///
    /// # Errors
    ///
    /// [`Failure`] names the line and the reason.
    pub fn read(game: &G, content: &[u8]) -> Result<Self, Failure> {
        let grader = file::grader(&Header::read(content)?)?;
        let (header, states) = file::read(game, content, |line: StateLine| {
            let rated = line.rated(game)?;
            Ok((rated.state, rated))
        })?;
        Ok(Self { header, grader, states })
    }
}

impl StateLine {
    fn rated<G: PlayableGame>(self, game: &G) -> Result<RatedState<G::State>, String> {
        let Self { position, group, probs, probs_se, equity, equity_se, .. } = self;
        let state = file::unfinished(game, &position)?;
        // Taking the luck off may lead beyond a certainty.
        if let Some(chance) = probs.iter().find(|chance| !(-0.5..=1.5).contains(*chance)) {
            return Err(format!("a chance of {chance}, expected 0 to 1"));
        }
        probs_se.into_iter().chain([equity_se]).try_for_each(check_error)?;
        check_equity(equity)?;
        Ok(RatedState { state, group, probs, equity, equity_se })
    }
}
