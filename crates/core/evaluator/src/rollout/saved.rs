//! A rollout that can be saved and resumed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tavola_rules::Game;

use super::cube::RolloutCube;
use super::settings::RolloutSettings;
use super::tally::{Exact, Tally};
use super::{Dropped, Perspective};
use crate::search::SearchSettings;

/// The version of [`SavedRollout`].
pub(super) const FORMAT: u32 = 3;

/// A setting as JSON: names and values of its fields.
pub(super) fn text(setting: &impl Serialize) -> String {
    serde_json::to_string(setting).expect("settings have only text keys")
}

/// The settings of a search as JSON, `null` at 0-ply, where they have no effect.
pub(super) fn searched(settings: &SearchSettings) -> String {
    text(&(settings.ply > 0).then_some(settings))
}

/// All that a rollout has found so far, for a file of any self-describing format that serde knows,
/// such as JSON: numbers keep every bit.
///
/// The identity of the rollout is kept, so that other settings can't resume it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRollout {
    pub(super) format: u32,
    /// What the figures depend on, by name.
    pub(super) identity: BTreeMap<String, String>,
    pub(super) trials: u64,
    pub(super) tallies: Vec<Tally>,
    /// For each pair of candidates the sum of the squares of their difference in equity.
    pub(super) differences: Vec<Exact>,
    pub(super) dropped: Vec<Option<Dropped>>,
}

/// Why a saved rollout can't be resumed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// It was made by a version of this program with another format.
    #[error("the saved rollout has format {found}, expected {FORMAT}: it is of another version")]
    Format {
        /// The format it has.
        found: u32,
    },
    /// It belongs to another rollout.
    #[error("the saved rollout differs in {what}: it has {saved}, expected {asked}")]
    Other {
        /// What differs.
        what: String,
        /// What was saved.
        saved: String,
        /// The value of this run.
        asked: String,
    },
    /// Its numbers don't fit each other.
    #[error("the saved rollout is damaged: {reason}")]
    Damaged {
        /// What doesn't fit.
        reason: &'static str,
    },
}

/// What the figures of a rollout depend on, by name.
pub(super) fn identity<G: Game>(
    game: &G,
    evaluator: &str,
    settings: &RolloutSettings,
    perspective: Perspective,
    starts: &[G::State],
    cube: Option<&RolloutCube>,
) -> BTreeMap<String, String> {
    let starts: Vec<&[i8]> = starts.iter().map(|start| game.identity_cells(start)).collect();
    let of_cube = cube.map(|cube| cube.identity(settings)).into_iter().flatten();
    let all = [
        ("the game", game.id()),
        ("the evaluator", evaluator.to_owned()),
        ("perspective", text(&perspective)),
        ("the positions", text(&starts)),
    ];
    let all = all.into_iter().chain(settings.identity()).chain(of_cube);
    all.map(|(name, text)| (name.to_owned(), text)).collect()
}

impl SavedRollout {
    /// Games of each candidate that is still rolled out.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// Whether this belongs to the rollout of this identity and number of candidates.
    pub(super) fn check(
        &self,
        identity: &BTreeMap<String, String>,
        candidates: usize,
        cubeful: bool,
    ) -> Result<(), ResumeError> {
        if self.format != FORMAT {
            return Err(ResumeError::Format { found: self.format });
        }
        let names = identity.keys().chain(self.identity.keys());
        for what in names {
            let text = |identity: &BTreeMap<String, String>| {
                identity.get(what).cloned().unwrap_or_else(|| "nothing".to_owned())
            };
            let (saved, asked) = (text(&self.identity), text(identity));
            if saved != asked {
                return Err(ResumeError::Other { what: what.clone(), saved, asked });
            }
        }
        let damaged = |reason| Err(ResumeError::Damaged { reason });
        if self.tallies.len() != candidates || self.dropped.len() != candidates {
            return damaged("it has another number of candidates");
        }
        if self.differences.len() != candidates * candidates.saturating_sub(1) / 2 {
            return damaged("it has another number of differences");
        }
        if self.tallies.iter().any(|tally| tally.is_cubeful() != cubeful) {
            return damaged("it has no figures with the cube, or should not have them");
        }
        let trials = |tally: &Tally, dropped: &Option<Dropped>| match dropped {
            Some(dropped) => dropped.trials == tally.trials() && dropped.trials <= self.trials,
            None => tally.trials() == self.trials,
        };
        if !self.tallies.iter().zip(&self.dropped).all(|(tally, dropped)| trials(tally, dropped)) {
            return damaged("its numbers of trials disagree");
        }
        if self.dropped.iter().all(Option::is_some) {
            return damaged("every candidate is dropped");
        }
        let better = self.dropped.iter().flatten().map(|dropped| dropped.behind);
        if better.into_iter().any(|number| number >= candidates) {
            return damaged("a candidate is behind one that does not exist");
        }
        Ok(())
    }
}
