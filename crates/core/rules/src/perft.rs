//! Counting the tree of afterstates, to compare move generators.
//!
//! Every program that plays by the same rules must find the same numbers, whatever its order of
//! plays. What is counted, exactly: a node of depth 0 is the state itself; the nodes of depth `d`
//! are the distinct afterstates of each of the game's different rolls in each node of depth `d -
//! 1`. So a state met through two rolls, or through two parents, counts twice, but two ways to play
//! one roll to the same end count once. A roll that can't be played has one result: the other side
//! is on roll. A finished state has no rolls, so it counts where it arises and no deeper.

use std::ops::AddAssign;

use crate::game::Game;

/// The nodes of one depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    /// Each different roll counted once: in backgammon the 21 rolls.
    pub nodes: u64,
    /// Each result counted as often as its rolls fall: in backgammon in 36^depth throws. A
    /// weighted count divided by that is the mean number of lines.
    pub weighted: u64,
}

impl AddAssign for Perft {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.weighted += other.weighted;
    }
}

/// Counts the nodes that lie `depth` rolls after `state`; `None` if there are more than `limit`,
/// found out in about the time that `limit` nodes take.
///
/// ```
/// use tavola_rules::perft::perft;
/// use tavola_rules::{Backgammon, Game};
///
/// let game = Backgammon::Standard;
/// let perft = perft(&game, &game.start(), 1, 1_000).expect("447 nodes are below the limit");
/// assert_eq!(perft.nodes, 447);
/// ```
pub fn perft<G: Game>(game: &G, state: &G::State, depth: u32, limit: u64) -> Option<Perft> {
    let mut total = Perft::default();
    let mut buffers = vec![Vec::new(); depth as usize];
    count(game, state, 1, limit, &mut buffers, &mut total)?;
    Some(total)
}

/// As [`perft`], for a depth of at least 1, with the counts below each first roll, told as soon as
/// they are known. They help to find the roll that two generators disagree on.
///
/// # Panics
///
/// If `depth` is 0.
pub fn perft_by_roll<G: Game>(
    game: &G,
    state: &G::State,
    depth: u32,
    limit: u64,
    mut counted: impl FnMut(G::Roll, Perft),
) -> Option<Perft> {
    assert!(depth > 0, "there is no roll before depth 1");
    let mut total = Perft::default();
    if game.outcome(state).is_some() {
        return Some(total);
    }
    let mut buffers = vec![Vec::new(); depth as usize - 1];
    let mut afterstates = Vec::new();
    for &(roll, weight) in game.rolls() {
        let mut below = Perft::default();
        afterstates.clear();
        game.afterstates(state, roll, &mut afterstates);
        for next in &afterstates {
            let left = limit - total.nodes;
            count(game, next, weight.into(), left, &mut buffers, &mut below)?;
        }
        total += below;
        counted(roll, below);
    }
    Some(total)
}

/// Adds the nodes `buffers.len()` rolls after `state`, which `weight` throws have led to.
fn count<G: Game>(
    game: &G,
    state: &G::State,
    weight: u64,
    limit: u64,
    buffers: &mut [Vec<G::State>],
    total: &mut Perft,
) -> Option<()> {
    let Some((afterstates, deeper)) = buffers.split_first_mut() else {
        *total += Perft { nodes: 1, weighted: weight };
        return (total.nodes <= limit).then_some(());
    };
    if game.outcome(state).is_some() {
        return Some(());
    }
    for &(roll, of_roll) in game.rolls() {
        afterstates.clear();
        game.afterstates(state, roll, afterstates);
        let weight = weight * u64::from(of_roll);
        if deeper.is_empty() {
            let nodes = afterstates.len() as u64;
            *total += Perft { nodes, weighted: nodes * weight };
            if total.nodes > limit {
                return None;
            }
        } else {
            for next in afterstates.iter() {
                count(game, next, weight, limit, deeper, total)?;
            }
        }
    }
    Some(())
}
