//! What both generators share: the order of work, and the report of progress.
//!
//! A position's value needs only positions with fewer pips. So the work goes by pips, and
//! positions with equally many are independent: threads share them out, and the afterstates are
//! put together in the order of the ranks. Hence the file is the same, to the last bit, on any
//! number of threads.

use crate::index::{pips, unrank};
use crate::spec::TableSpec;

/// How far the generation of a table has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerationProgress {
    /// The table that is being generated.
    pub spec: TableSpec,
    /// Positions done.
    pub done: u64,
    /// Positions there are.
    pub of: u64,
}

/// The 21 rolls as two numbers and their probability.
pub(crate) fn rolls() -> impl Iterator<Item = ([usize; 2], f64)> {
    tavola_rules::Dice::ALL
        .into_iter()
        .map(|(dice, weight)| ([dice.high().into(), dice.low().into()], f64::from(weight) / 36.0))
}

/// The ranks below `positions` by the pips that they have to go, each list in rising order.
pub(crate) fn ranks_by_pips(points: u8, positions: u32) -> Vec<Vec<u32>> {
    by_pips(0..positions, |&rank| pips(&unrank(points, rank)))
}

/// Sides by the pips that they have to go, each list in the order given.
pub(crate) fn by_pips<S: Clone>(
    sides: impl Iterator<Item = S>,
    pips: impl Fn(&S) -> usize,
) -> Vec<Vec<S>> {
    let mut levels: Vec<Vec<S>> = Vec::new();
    for side in sides {
        let pips = pips(&side);
        if levels.len() <= pips {
            levels.resize(pips + 1, Vec::new());
        }
        levels[pips].push(side);
    }
    levels
}

/// Each side of an opponent with all sides of the player that have these pips together with it.
/// The row of the opponent is what a position mostly reads from, so it stays for a whole list.
pub(crate) fn pairs_by_opponent<S: Copy>(by_pips: &[Vec<S>], pips: usize) -> Vec<(S, &[S])> {
    let most = by_pips.len() - 1;
    (1..=most.min(pips - 1))
        .filter(|theirs| pips - theirs <= most)
        .flat_map(|theirs| {
            let mine = &by_pips[pips - theirs][..];
            by_pips[theirs].iter().map(move |&theirs| (theirs, mine))
        })
        .collect()
}
