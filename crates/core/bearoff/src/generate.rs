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
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for rank in 0..positions {
        let pips = pips(&unrank(points, rank));
        if levels.len() <= pips {
            levels.resize(pips + 1, Vec::new());
        }
        levels[pips].push(rank);
    }
    levels
}
