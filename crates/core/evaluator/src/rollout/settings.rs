//! What a rollout does, and when it ends.

use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tavola_equity::StakesError;

use super::saved::{searched, text};
use crate::search::{Preset, SearchSettings};

/// The most states that are rolled out side by side.
pub const MAX_CANDIDATES: usize = 500;

/// How the games of a rollout are played, and when there are enough of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RolloutSettings {
    /// Games for each candidate, at least two: their spread tells how sure the result is.
    pub trials: u64,
    /// What the dice follow from. Equal seeds give equal figures.
    pub seed: u64,
    /// After this number of rolls a game is truncated and its state evaluated; `None` plays to the
    /// end.
    pub truncate: Option<NonZeroU32>,
    /// How the states of truncated games are evaluated: at 0-ply by the evaluator alone, otherwise
    /// by search. States that are over or known exactly need neither.
    pub leaf: SearchSettings,
    /// Where the first two rolls of a game come from.
    pub dice: FirstRolls,
    /// Whether the luck of the dice is taken off the results.
    pub luck: Luck,
    /// How plays are chosen.
    pub play: SearchSettings,
    /// How plays are chosen later in a game, if otherwise.
    pub later: Option<LaterPlay>,
    /// How cube decisions inside the games are made, where there is a cube: at 0-ply by the
    /// evaluator and the cube model alone.
    pub doubling: SearchSettings,
    /// Cube decisions at 0-ply are made again at 1-ply where another action is nearer than this, in
    /// points or EMG on the scale of the cube; `None` leaves them.
    pub look_again: Option<f64>,
    /// When the figures are good enough before all trials are done.
    pub stop: StopRules,
    /// A candidate is dropped once it is this number of standard errors of the difference behind
    /// the best one; `None` keeps all.
    pub drop: Option<f64>,
}

impl Default for RolloutSettings {
    /// 1,296 games to the end, played at 0-ply, with variance reduction.
    fn default() -> Self {
        Self {
            trials: 1296,
            seed: 1,
            truncate: None,
            leaf: Preset::Normal.at(0),
            dice: FirstRolls::Stratified,
            luck: Luck::TakenOff,
            play: Preset::Normal.at(0),
            later: None,
            doubling: Preset::Normal.at(0),
            look_again: Some(Self::LOOK_AGAIN),
            stop: StopRules::default(),
            drop: Some(4.0),
        }
    }
}

/// Where the first two rolls of a game come from. Later ones are always drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FirstRolls {
    /// From a shuffled plan in which they come as often as they should: each of the 36 first and
    /// each of the 36 second rolls once in 36 games, each pair of them once in 1,296.
    Stratified,
    /// Drawn like all others.
    Random,
}

/// What becomes of the luck of the dice in the result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Luck {
    /// It stays.
    Left,
    /// Each roll's luck as the evaluator sees it is subtracted: the same expectation, much less
    /// spread, several times the work for a game.
    TakenOff,
}

/// How plays are chosen from some turn on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaterPlay {
    /// Turns of both sides together that are played the first way.
    pub after: NonZeroU32,
    /// The way from then on, usually a cheaper one.
    pub play: SearchSettings,
}

/// When a rollout ends before all trials are done. Each rule that is given is enough. They are
/// looked at after fixed numbers of trials, never before [`first_check`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StopRules {
    /// The equity of every candidate that is not dropped has at most this standard error, in
    /// points, or EMG where there is a match score.
    pub standard_error: Option<f64>,
    /// The best candidate is ahead of every other by this number of standard errors of the
    /// difference. Where a cube action is rolled out, doubling or not, and taking or passing,
    /// differ by that.
    pub lead: Option<f64>,
    /// So much time has passed; two games are played in any case. The number of games then depends
    /// on the machine.
    pub time: Option<Duration>,
}

/// Why settings or candidates can't be rolled out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RolloutError {
    /// Too few games to tell how far they spread.
    #[error(
        "{found} trials, expected at least 2, because their spread tells how sure the result is"
    )]
    TooFewTrials {
        /// The number found.
        found: u64,
    },
    /// A bound that no figure can meet, or any.
    #[error("{what} is {found}, expected a number above 0")]
    Bound {
        /// Which one.
        what: &'static str,
        /// The number found.
        found: f64,
    },
    /// No other candidate to be ahead of.
    #[error("one candidate can't be ahead of others, expected several for a rule on its lead")]
    NobodyBehind,
    /// The game is over.
    #[error("the game is over, expected a position in which it goes on")]
    Finished,
    /// A cube that a game with these stakes can't have.
    #[error(transparent)]
    Stakes(#[from] StakesError),
    /// No candidate, or too many.
    #[error("{found} candidates, expected 1 to {MAX_CANDIDATES}")]
    Candidates {
        /// The number given.
        found: usize,
    },
}

impl RolloutSettings {
    /// How near another cube action is where a second look pays: `docs/log/search.md`.
    pub const LOOK_AGAIN: f64 = 0.2;

    /// Whether this number of candidates can be rolled out like this.
    pub(super) fn check(&self, candidates: usize) -> Result<(), RolloutError> {
        if !(1..=MAX_CANDIDATES).contains(&candidates) {
            return Err(RolloutError::Candidates { found: candidates });
        }
        if self.trials < 2 {
            return Err(RolloutError::TooFewTrials { found: self.trials });
        }
        for (what, bound) in [
            ("the standard error to stop at", self.stop.standard_error),
            ("the lead to stop at", self.stop.lead),
            ("the distance at which candidates are dropped", self.drop),
        ] {
            if let Some(found) = bound.filter(|bound| !(bound.is_finite() && *bound > 0.0)) {
                return Err(RolloutError::Bound { what, found });
            }
        }
        if self.stop.lead.is_some() && candidates == 1 {
            return Err(RolloutError::NobodyBehind);
        }
        Ok(())
    }

    /// All that the figures after some number of trials depend on, by name, each with its fields as
    /// [`text`]: neither the number nor the rules that end a rollout early belong to it. Cube
    /// decisions belong to the identity of rollouts with a cube alone.
    pub(super) fn identity(&self) -> [(&'static str, String); 8] {
        let Self { seed, truncate, leaf, dice, luck, play, later, drop, .. } = self;
        [
            ("seed", text(seed)),
            ("truncation", text(truncate)),
            ("evaluation of truncated games", searched(leaf)),
            ("first rolls", text(dice)),
            ("luck", text(luck)),
            ("play", text(play)),
            ("later play", text(later)),
            ("dropping", text(drop)),
        ]
    }
}

/// The number of trials after which rules are first checked, in a game whose rolls have this total
/// weight: four of each first roll, 144 in backgammon.
pub const fn first_check(total_weight: u32) -> u64 {
    4 * total_weight as u64
}

/// The first number of trials above `trials` at which rules are looked at. They come a first roll
/// of each kind apart at first, and a sixteenth of all trials later: a rule that is asked less
/// often errs less often.
pub(super) fn next_check(trials: u64, total_weight: u32) -> u64 {
    let weight = u64::from(total_weight);
    let mut check = first_check(total_weight);
    while check <= trials {
        check += weight * (check / weight / 16).max(1);
    }
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_come_at_whole_sets_of_first_rolls_wherever_one_begins() {
        assert_eq!(
            [0, 100, 143, 144, 150, 180].map(|n| next_check(n, 36)),
            [144, 144, 144, 180, 180, 216]
        );
        let (mut check, mut checks) = (0, 0);
        while check < 100_000 {
            let next = next_check(check, 36);
            assert_eq!(next % 36, 0);
            assert!((check..next).all(|n| next_check(n, 36) == next));
            (check, checks) = (next, checks + 1);
        }
        assert!(checks < 150, "{checks}");
    }

    #[test]
    fn impossible_settings_are_refused() {
        let refused = |settings: RolloutSettings, candidates| {
            settings.check(candidates).unwrap_err().to_string()
        };
        let normal = RolloutSettings::default();
        assert_eq!(normal.check(1), Ok(()));
        assert!(refused(RolloutSettings { trials: 0, ..normal }, 1).contains("0 trials"));
        assert!(refused(normal, 0).contains("0 candidates"));
        assert!(refused(normal, MAX_CANDIDATES + 1).contains("501 candidates"));
        for bound in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let stop = StopRules { standard_error: Some(bound), ..StopRules::default() };
            assert!(refused(RolloutSettings { stop, ..normal }, 1).contains("above 0"));
            assert!(
                refused(RolloutSettings { drop: Some(bound), ..normal }, 2).contains("dropped")
            );
        }
        let stop = StopRules { lead: Some(3.0), ..StopRules::default() };
        assert_eq!(RolloutSettings { stop, ..normal }.check(2), Ok(()));
        assert!(refused(RolloutSettings { stop, ..normal }, 1).contains("ahead"));
    }
}
