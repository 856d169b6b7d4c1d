//! Named levels: how much work goes into a decision, from the bare network to rollouts.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tavola_equity::CubeDecision;
use tavola_rules::did_you_mean;

use crate::rollout::{LaterPlay, RolloutSettings, StopRules};
use crate::search::{MAX_PLY, MoveFilter, Preset, SearchSettings, SinglePlay};

/// How much work goes into a decision. `docs/search.md`, section "Levels", has the time and the
/// strength of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Level {
    /// This number of plies in the normal preset; 0 is the bare network.
    Plies(u8),
    /// The bare network, and 1-ply for the plays that it finds close.
    Quick,
    /// 2-ply, and short truncated rollouts of what is close then.
    Roller,
    /// The same with more and longer games.
    RollerPlus,
}

/// Rollouts of the choices that a search finds close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloseRollout {
    /// How far behind the best a choice may be, in points or EMG.
    pub within: f32,
    /// The most plays that are rolled out.
    pub most: usize,
    /// How.
    pub settings: RolloutSettings,
}

/// A text that names no level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown level {input:?}, expected 0, 0+, 1, 2, 3, roller or roller+{}",
    did_you_mean(.input, Level::ALL.map(Level::name))
)]
pub struct UnknownLevel {
    input: String,
}

impl Level {
    /// All levels, the quickest first.
    pub const ALL: [Self; 7] = [
        Self::Plies(0),
        Self::Quick,
        Self::Plies(1),
        Self::Plies(2),
        Self::Plies(3),
        Self::Roller,
        Self::RollerPlus,
    ];

    /// The name as typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plies(0) => "0",
            Self::Quick => "0+",
            Self::Plies(1) => "1",
            Self::Plies(2) => "2",
            Self::Plies(_) => "3",
            Self::Roller => "roller",
            Self::RollerPlus => "roller+",
        }
    }

    /// How its search looks ahead.
    pub const fn search(self) -> SearchSettings {
        match self {
            Self::Plies(ply) => Preset::Normal.at(ply),
            Self::Quick => {
                let mut settings = Preset::Normal.at(1);
                settings.filters[0] = MoveFilter { keep: 1, extra: 7, within: 0.03 };
                settings.single_play = SinglePlay::Accept;
                settings
            }
            Self::Roller | Self::RollerPlus => Preset::Normal.at(2),
        }
    }

    /// What it rolls out after the search.
    pub fn rollout(self) -> Option<CloseRollout> {
        let (within, trials, rolls, lead, later) = match self {
            Self::Plies(_) | Self::Quick => return None,
            Self::Roller => (0.03, 144, 7, None, None),
            Self::RollerPlus => (0.04, 1296, 11, Some(2.5), NonZeroU32::new(2)),
        };
        let [bare, ahead] = [0, 1].map(|ply| Preset::Normal.at(ply));
        let settings = RolloutSettings {
            trials,
            truncate: NonZeroU32::new(rolls),
            play: if later.is_some() { ahead } else { bare },
            later: later.map(|after| LaterPlay { after, play: bare }),
            stop: StopRules { lead, ..StopRules::default() },
            drop: Some(3.0),
            ..RolloutSettings::default()
        };
        Some(CloseRollout { within, most: 4, settings })
    }
}

impl CloseRollout {
    /// How many of the first plays of a ranking are rolled out, by loss and depth of each: those
    /// that are close at the depth of the first one. None where it has no rival.
    pub fn rivals(&self, plays: impl IntoIterator<Item = (f32, u8)>) -> usize {
        let mut depth = None;
        let is_close =
            |&(loss, ply): &(f32, u8)| *depth.get_or_insert(ply) == ply && loss <= self.within;
        let close = plays.into_iter().take(self.most).take_while(is_close).count();
        if close > 1 { close } else { 0 }
    }

    /// Whether a cube decision is rolled out: doubling and rolling, or the two answers, are close.
    pub fn concerns(&self, decision: &CubeDecision) -> bool {
        let Ok(doubled) = &decision.double else { return false };
        let [take, pass] = [doubled.take, doubled.pass].map(|value| value.equity());
        let is_close = |a: f64, b: f64| (a - b).abs() <= f64::from(self.within);
        is_close(decision.no_double.equity(), take.min(pass)) || is_close(take, pass)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        const { assert!(MAX_PLY == 3, "each depth has a level") };
        Self::ALL
            .into_iter()
            .find(|level| level.name() == text)
            .ok_or_else(|| UnknownLevel { input: text.to_owned() })
    }
}

impl TryFrom<String> for Level {
    type Error = UnknownLevel;

    fn try_from(text: String) -> Result<Self, UnknownLevel> {
        text.parse()
    }
}

impl From<Level> for &'static str {
    fn from(level: Level) -> Self {
        level.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_by_their_names() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        let error = "rolle".parse::<Level>().unwrap_err().to_string();
        assert!(error.contains("\"rolle\"") && error.contains("roller+"), "{error}");
    }

    #[test]
    fn rivals_are_close_at_the_depth_of_the_best() {
        let close = Level::Roller.rollout().unwrap();
        assert_eq!(close.rivals([(0.0, 2), (0.01, 2), (0.03, 2), (0.04, 2)]), 3);
        assert_eq!(close.rivals([(0.0, 2), (0.01, 1)]), 0);
        assert_eq!(close.rivals([(0.0, 2), (0.2, 2)]), 0);
        assert_eq!(close.rivals([(0.0, 2); 9]), close.most);
        assert_eq!(close.rivals([]), 0);
        assert!(Level::Plies(2).rollout().is_none());
    }
}
