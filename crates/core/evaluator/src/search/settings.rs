//! How deep and how wide a search looks.

use std::fmt;

use serde::{Deserialize, Serialize};
use tavola_rules::named;

use crate::pruning::Pruning;

/// The deepest search.
pub const MAX_PLY: u8 = 3;

/// Afterstates that a search looks at for each depth, by estimate, in games with more rolls than two
/// dice have. With ludus duodecim scriptorum a roll may have thousands. Where all last rolls are too
/// many, a sample stands for them: 27 or 18 of the 216 ways to throw three dice, at 2-ply and
/// deeper also 12, 6, 4 or 2, other ones after each roll before. Plays that would take even more stay
/// at the depth before. The full preset has no limit.
pub const MOST_AFTERSTATES: usize = 1_000_000;

/// Which plays that were evaluated at one depth are evaluated at the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveFilter {
    /// The number of the best that go on, whatever their value; at least one.
    pub keep: usize,
    /// The number of further plays that may go on if they are near the best.
    pub extra: usize,
    /// How far behind the best an extra play may be, in units of worth (points).
    #[serde(with = "crate::exact")]
    pub within: f32,
}

impl MoveFilter {
    /// Lets every play go on.
    pub const ALL: Self = Self { keep: usize::MAX, extra: 0, within: 0.0 };

    /// The number of plays that go on whose values are `expectation`, best first: these are always
    /// the first ones.
    pub fn survivors(&self, expectation: &[f32]) -> usize {
        let sure = self.keep.max(1).min(expectation.len());
        let most = sure.saturating_add(self.extra).min(expectation.len());
        let near = |&&other: &&f32| expectation[0] - other <= self.within;
        sure + expectation[sure..most].iter().take_while(near).count()
    }
}

/// Whether a play without an alternative is evaluated at the remaining depths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SinglePlay {
    /// It is, for its figures are wanted.
    #[default]
    Evaluate,
    /// It is not: it is the choice whatever it is worth.
    Accept,
}

/// What the pruning network leaves of the afterstates of each roll inside the tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreePruning {
    /// Where the best play of a roll is followed deeper. A tree has few of these rolls, and a best
    /// play that is hidden there changes all that comes after it.
    pub inner: Pruning,
    /// At the last rolls of the tree, nearly all that it has.
    pub leaves: Pruning,
}

impl fmt::Display for TreePruning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at leaves to {}", self.inner, self.leaves)
    }
}

/// How deep and how wide to look.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchSettings {
    /// Plies of the search, up to [`MAX_PLY`]; 0 is the evaluator's own evaluation.
    pub ply: u8,
    /// Entry `n` says which plays evaluated at n-ply go on to the next depth.
    pub filters: [MoveFilter; MAX_PLY as usize],
    /// How the tree is pruned; `None` lets the main network choose among all afterstates.
    pub pruning: Option<TreePruning>,
    /// What happens to a play without an alternative.
    pub single_play: SinglePlay,
}

/// Names for how wide to look. `docs/search.md` says what each costs and loses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Preset {
    /// For playing many games.
    Fast,
    /// For a player who asks: next to nothing is lost.
    #[default]
    Normal,
    /// For a second opinion on a close choice.
    Wide,
    /// Every play at every depth, every afterstate evaluated by the main network: the reference.
    Full,
}

named!(Preset, "preset": Fast => "fast", Normal => "normal", Wide => "wide", Full => "full");

impl Preset {
    /// The settings of this name for this number of plies.
    ///
    /// `docs/search.md`, section "Move filters and pruning", has them.
    pub const fn at(self, ply: u8) -> SearchSettings {
        const fn filter(keep: usize, extra: usize, within: f32) -> MoveFilter {
            MoveFilter { keep, extra, within }
        }
        const fn tree(inner: (usize, f32), leaves: (usize, f32)) -> Option<TreePruning> {
            let (inner, leaves) = (
                Pruning { keep: inner.0, within: inner.1 },
                Pruning { keep: leaves.0, within: leaves.1 },
            );
            Some(TreePruning { inner, leaves })
        }
        let (filters, pruning) = match self {
            Self::Fast => (
                [filter(1, 5, 0.12), filter(1, 3, 0.03), filter(1, 1, 0.02)],
                tree((8, 0.3), (1, 0.0)),
            ),
            Self::Normal => (
                [filter(1, 7, 0.12), filter(1, 3, 0.035), filter(1, 2, 0.03)],
                tree((8, 0.3), (2, 0.08)),
            ),
            Self::Wide => (
                [filter(2, 14, 0.32), filter(2, 7, 0.12), filter(2, 4, 0.06)],
                tree((16, 0.4), (6, 0.24)),
            ),
            Self::Full => ([MoveFilter::ALL; MAX_PLY as usize], None),
        };
        SearchSettings { ply, filters, pruning, single_play: SinglePlay::Evaluate }
    }
}

impl Default for SearchSettings {
    /// The normal preset at 2-ply.
    fn default() -> Self {
        Preset::Normal.at(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_keeps_what_it_says() {
        let expectation = [0.5, 0.45, 0.45, 0.3, -1.0];
        let survivors =
            |keep, extra, within| MoveFilter { keep, extra, within }.survivors(&expectation);
        assert_eq!(survivors(1, 0, 9.0), 1);
        assert_eq!(survivors(0, 0, 9.0), 1, "one candidate is always kept");
        assert_eq!(survivors(1, 9, 0.1), 3);
        assert_eq!(survivors(1, 1, 0.1), 2);
        assert_eq!(survivors(4, 9, 0.1), 4, "the kept ones need not be near");
        assert_eq!(survivors(2, 9, 9.0), 5);
        assert_eq!(survivors(99, 0, 0.0), 5);
        assert_eq!(MoveFilter::ALL.survivors(&expectation), 5);
    }

    #[test]
    fn presets_are_read_by_their_names_and_widen_in_order() {
        for preset in Preset::ALL {
            assert_eq!(preset.to_string().parse(), Ok(preset));
        }
        let error = "deep".parse::<Preset>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown preset \"deep\", expected fast, normal, wide or full"
        );
        let expectation: Vec<f32> = (0..30).map(|i| -0.01 * i as f32).collect();
        for pair in Preset::ALL.windows(2) {
            let (narrow, wide) = (pair[0].at(3), pair[1].at(3));
            for (a, b) in narrow.filters.iter().zip(&wide.filters) {
                assert!(a.survivors(&expectation) <= b.survivors(&expectation), "{pair:?}");
            }
        }
    }
}
