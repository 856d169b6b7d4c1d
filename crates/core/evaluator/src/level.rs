//! Named levels: how much work goes into a decision, from the bare network to rollouts.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tavola_equity::CubeDecision;
use tavola_rules::{Game, named};

use crate::rollout::{LaterPlay, Rollout, RolloutError, RolloutSettings, RolloutWatch, StopRules};
use crate::search::{MAX_PLY, MoveFilter, Preset, SearchSettings, SinglePlay};

/// How much work goes into a decision. `docs/search.md`, section "Levels", has the time and the
/// strength of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Level {
    /// The bare network.
    ZeroPly,
    /// The bare network, and 1-ply for the plays that it finds close.
    Quick,
    /// 1-ply in the normal preset.
    OnePly,
    /// 2-ply in the normal preset.
    TwoPly,
    /// 3-ply in the normal preset.
    ThreePly,
    /// 2-ply, and short truncated rollouts of what is close then.
    Roller,
    /// 2-ply, and more and longer truncated rollouts than those of `roller`.
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

const _: () = assert!(MAX_PLY == 3, "each depth has a level");

named!(Level, "level":
    ZeroPly => "0" | "0-ply" | "world-class",
    Quick => "0+",
    OnePly => "1" | "1-ply",
    TwoPly => "2" | "2-ply",
    ThreePly => "3" | "3-ply",
    Roller => "roller",
    RollerPlus => "roller+",
);

impl Level {
    /// The depth of a level that is a number of plies in the normal preset and nothing else.
    pub const fn plies(self) -> Option<u8> {
        match self {
            Self::ZeroPly => Some(0),
            Self::OnePly => Some(1),
            Self::TwoPly => Some(2),
            Self::ThreePly => Some(3),
            Self::Quick | Self::Roller | Self::RollerPlus => None,
        }
    }

    /// How its search looks ahead.
    pub const fn search(self) -> SearchSettings {
        match self {
            Self::ZeroPly => Preset::Normal.at(0),
            Self::OnePly => Preset::Normal.at(1),
            Self::TwoPly | Self::Roller | Self::RollerPlus => Preset::Normal.at(2),
            Self::ThreePly => Preset::Normal.at(3),
            Self::Quick => {
                let mut settings = Preset::Normal.at(1);
                settings.filters[0] = MoveFilter { keep: 1, extra: 7, within: 0.03 };
                settings.single_play = SinglePlay::Accept;
                settings
            }
        }
    }

    /// What it rolls out after the search.
    pub fn rollout(self) -> Option<CloseRollout> {
        match self {
            Self::Roller => Some(CloseRollout::new(0.03, 4, 144, 7, None)),
            Self::RollerPlus => Some(CloseRollout::new(0.04, 4, 1296, 11, Some(2.5))),
            Self::ZeroPly | Self::Quick | Self::OnePly | Self::TwoPly | Self::ThreePly => None,
        }
    }
}

impl CloseRollout {
    /// Truncated games at 0-ply; with a `lead` that ends them, the first two turns at 1-ply.
    fn new(within: f32, most: usize, trials: u64, rolls: u32, lead: Option<f64>) -> Self {
        let [bare, ahead] = [0, 1].map(|ply| Preset::Normal.at(ply));
        let after = lead.and(NonZeroU32::new(2));
        let settings = RolloutSettings {
            trials,
            truncate: NonZeroU32::new(rolls),
            play: if after.is_some() { ahead } else { bare },
            later: after.map(|after| LaterPlay { after, play: bare }),
            stop: StopRules { lead, ..StopRules::default() },
            drop: Some(3.0),
            ..RolloutSettings::default()
        };
        Self { within, most, settings }
    }

    /// Until one choice is three standard errors ahead of all that may be the best, or the time is
    /// over.
    pub fn until_sure(limit: Duration) -> Self {
        let mut close = Self::new(0.08, 8, 46_656, 11, Some(3.0));
        close.settings.stop.time = Some(limit);
        close.settings.drop = Some(4.0);
        close
    }

    /// The number of the play that rollouts find best among the first, close ones of a ranking, by
    /// state, loss and depth of each; 0 where no other play is close. Once `cancel` is true it says
    /// any of them.
    ///
    /// # Errors
    ///
    /// Those of `rollout`, which prepares a rollout of the plays that lead to these states.
    pub fn best<G: Game>(
        &self,
        ranking: impl Iterator<Item = (G::State, f32, u8)> + Clone,
        rollout: impl FnOnce(&[G::State], RolloutSettings) -> Result<Rollout<G>, RolloutError>,
        cancel: &AtomicBool,
    ) -> Result<usize, RolloutError> {
        let rivals = self.rivals(ranking.clone().map(|(_, loss, ply)| (loss, ply)));
        if rivals == 0 {
            return Ok(0);
        }
        let after: Vec<G::State> = ranking.take(rivals).map(|(state, ..)| state).collect();
        let mut rollout = rollout(&after, self.settings)?;
        rollout.run(&mut RolloutWatch { cancel, progress: &mut |_| {} });
        Ok(rollout.best())
    }

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
        assert!(Level::TwoPly.rollout().is_none());
    }
}
