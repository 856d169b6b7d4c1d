//! What the network should have answered.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tavola_evaluator::Pruning;
use tavola_play::{
    Chance, ExactSettings, ImitateSettings, RelabelSettings, RivalSettings, RollsAhead,
};
use tavola_train::{ExploredPlays, Schedule};

/// What the network should have answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TargetSettings {
    /// The lambda of TD(lambda) over the run, 0 to 1: 1 learns from the outcome alone, 0 from the
    /// judgement of the next position alone. High values teach a fresh network quickly, low ones
    /// are less noisy once its judgement is worth something.
    pub lambda: Schedule,
    /// What to learn before plays that were drawn at random: `one-step` or `skip`.
    pub explored: ExploredPlays,
    /// Share of the positions that are learned from, 0.001 to 1, drawn for each. Positions of a
    /// game resemble each other, so when learning is slower than playing, fewer of more games
    /// teach more.
    pub sample: Chance,
    /// Which of these positions get exact targets: instead of what TD(lambda) gives, the mean
    /// over all rolls of the best result's judgement by the network that played the game. One
    /// costs as much as some 20 plays.
    pub exact: ExactSettings,
    /// Whether the luck of the rolls is taken off what games teach, and who judges it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<LuckSettings>,
    /// Whether, instead of all that, the network imitates the one that plays: what that says at once
    /// of the results of each roll. With `teacher` a small network learns from a large one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imitate: Option<ImitateSettings>,
}

/// Who judges the luck of self-play rolls. What a roll changed compared with the mean over all rolls
/// is most of the noise of a target, and is zero on average.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LuckSettings {
    /// Weights file of a small, quick network that looks at the results of all rolls, some four
    /// hundred at each turn; a path from the working directory.
    pub quick: PathBuf,
    /// How many of the results of a roll the network that played the game judges, those that the
    /// quick one likes best. 0, the default: the quick one's own judgement is taken, which costs
    /// half as much and leaves some of the luck in.
    #[serde(default)]
    pub keep: usize,
    /// How far, in points, a result may be behind the best one as the quick network sees it to be among
    /// these, 0 to 3.
    #[serde(default = "default_within", skip_serializing_if = "is_default_within")]
    pub within: f64,
    /// How far, in points, the best of the other results may be from the play that was made, above
    /// or below, as the network that plays sees it, to be learned from too, 0 to 3: by how much the
    /// two differ when all rolls are looked at. This teaches what choosing asks for, the difference
    /// between plays that are near each other, and costs as much again as the luck of such turns.
    /// 0, the default: only what was played is learned from.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rivals_within: f64,
    /// How many rolls are looked ahead to tell by how much the two differ, 1 or 2. 1, the default:
    /// all rolls that can come next. With 2, all rolls that can come after the one that fell in the
    /// game, too: on average the difference is that of a 2-ply search. Costs as much again.
    #[serde(default, skip_serializing_if = "RollsAhead::is_one")]
    pub rivals_ahead: RollsAhead,
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

const DEFAULT_WITHIN: f64 = 0.08;

const fn default_within() -> f64 {
    DEFAULT_WITHIN
}

fn is_default_within(within: &f64) -> bool {
    *within == DEFAULT_WITHIN
}

impl LuckSettings {
    /// Which results the network that played judges, if any.
    pub(crate) fn pruning(&self) -> Option<Pruning> {
        (self.keep > 0).then_some(Pruning { keep: self.keep, within: self.within as f32 })
    }
}

impl TargetSettings {
    /// The part that says what is learned at which position.
    pub fn labelling(&self) -> RelabelSettings {
        let rivals = self.luck.as_ref().map_or(RivalSettings::NONE, |luck| RivalSettings {
            within: luck.rivals_within as f32,
            ahead: luck.rivals_ahead,
        });
        RelabelSettings { sample: self.sample, exact: self.exact, rivals, imitate: self.imitate }
    }
}

impl Default for TargetSettings {
    fn default() -> Self {
        Self {
            lambda: Schedule::Linear { from: 0.7, to: 0.3, warm_up: 0.0 },
            explored: ExploredPlays::default(),
            sample: Chance::ALWAYS,
            exact: ExactSettings::default(),
            luck: None,
            imitate: None,
        }
    }
}
