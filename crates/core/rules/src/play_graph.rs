//! All ways of making the plays of a roll, checker by checker, as a graph.
//!
//! A [`PartialPlay`](crate::PartialPlay) answers one step at a time. A program that can't call the
//! rules at each touch of a checker, such as a page in a browser, gets the whole graph instead.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use crate::dice::Dice;
use crate::moves::{Play, destination, moved, plays};
use crate::position::Position;

/// A step of the mover, and the state of the play after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Hop {
    /// Where the checker comes from: a point, or 25 for the bar.
    pub from: u8,
    /// Where it lands: a point, or 0 for off.
    pub to: u8,
    /// The die that it uses.
    pub die: u8,
    /// Whether it hits a blot there.
    pub hit: bool,
    /// The index of the node after it.
    pub next: usize,
}

/// A play on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Node {
    /// The steps after which the whole play can still become legal.
    pub hops: Vec<Hop>,
    /// The play where it is whole, in JSON its words. Nothing can be moved then.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_words")]
    pub play: Option<Play>,
}

fn in_words<S: Serializer>(play: &Option<Play>, serializer: S) -> Result<S::Ok, S::Error> {
    play.map(|play| play.to_string()).serialize(serializer)
}

/// All ways of making the plays of a roll. The first node is the position before the play; a roll
/// of which nothing can be played has that node alone, whose play is the pass.
///
/// ```
/// use tavola_rules::{PlayGraph, Position};
///
/// let graph = PlayGraph::new(&Position::STANDARD, "31".parse()?);
/// let three = graph.nodes[0].hops.iter().find(|hop| (hop.from, hop.to) == (8, 5)).unwrap();
/// let one = graph.nodes[three.next].hops.iter().find(|hop| hop.from == 6).unwrap();
/// assert_eq!(graph.nodes[one.next].play.map(|play| play.to_string()).as_deref(), Some("8/5 6/5"));
/// # Ok::<(), tavola_rules::dice::DiceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PlayGraph {
    /// The states of the play.
    pub nodes: Vec<Node>,
}

impl PlayGraph {
    /// The graph of a roll.
    pub fn new(position: &Position, roll: Dice) -> Self {
        let whole = plays(position, roll);
        let pass = whole.is_empty().then_some((*position, Play::PASS));
        let whole = whole.into_iter().map(|(play, after)| (after.flip(), play)).chain(pass);
        let mut builder = Builder {
            whole: whole.collect(),
            known: HashMap::new(),
            nodes: vec![Node { hops: Vec::new(), play: pass.map(|(_, play)| play) }],
        };
        if pass.is_none() {
            builder.nodes[0].hops = builder.hops(position, &roll.steps());
        }
        Self { nodes: builder.nodes }
    }
}

struct Builder {
    /// The whole plays by where they lead, from the mover.
    whole: HashMap<Position, Play>,
    /// The node of a position with the dice that remain; `None` leads to no whole play.
    known: HashMap<(Position, Vec<u8>), Option<usize>>,
    nodes: Vec<Node>,
}

impl Builder {
    fn hops(&mut self, now: &Position, dice: &[u8]) -> Vec<Hop> {
        let mut hops = Vec::new();
        for (i, &die) in dice.iter().enumerate() {
            if dice[..i].contains(&die) {
                continue;
            }
            let left: Vec<u8> = [&dice[..i], &dice[i + 1..]].concat();
            for from in (1..=25).rev() {
                let Some(to) = destination(now, from, die) else { continue };
                let hit = to > 0 && now.point(usize::from(to)) < 0;
                if let Some(next) = self.node(moved(now, from, to), &left) {
                    hops.push(Hop { from, to, die, hit, next });
                }
            }
        }
        hops
    }

    fn node(&mut self, now: Position, dice: &[u8]) -> Option<usize> {
        let key = (now, dice.to_vec());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let play = self.whole.get(&now).copied();
        let hops = match play {
            Some(_) => Vec::new(),
            None => self.hops(&now, dice),
        };
        let index = (play.is_some() || !hops.is_empty()).then(|| {
            self.nodes.push(Node { hops, play });
            self.nodes.len() - 1
        });
        self.known.insert(key, index);
        index
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::notation::parse_situation;

    fn all(graph: &PlayGraph) -> BTreeSet<String> {
        graph.nodes.iter().filter_map(|node| node.play).map(|play| play.to_string()).collect()
    }

    #[test]
    fn every_play_is_reached_and_none_else() {
        let bar = "0,0,-2,0,0,0,4,0,3,0,0,0,-5,5,0,0,-2,-3,0,-3,0,0,0,0,1,2";
        let off = "-1,3,3,2,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-3,-3,0,-2,0,0";
        let blot = "0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-4,-1,0,0,0,2,0";
        for text in ["start", bar, off, blot] {
            let position = parse_situation(text).unwrap().position;
            for (roll, _) in Dice::ALL {
                let graph = PlayGraph::new(&position, roll);
                for Hop { to, hit, .. } in &graph.nodes[0].hops {
                    assert_eq!(*hit, *to == 20 && text == blot, "{text} {roll} {to}");
                }
                let expected: BTreeSet<String> =
                    plays(&position, roll).iter().map(|(play, _)| play.to_string()).collect();
                if expected.is_empty() {
                    assert_eq!((graph.nodes.len(), graph.nodes[0].hops.len()), (1, 0));
                } else {
                    assert_eq!(all(&graph), expected, "{text} {roll}");
                }
            }
        }
    }

    #[test]
    fn no_step_leads_into_a_dead_end() {
        // 8/2 blocks the 4 behind it, so that both numbers fit in one order alone.
        let text = "0,0,0,0,-2,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0";
        let position = parse_situation(text).unwrap().position;
        let graph = PlayGraph::new(&position, "64".parse().unwrap());
        assert!(graph.nodes.iter().all(|node| node.hops.is_empty() == node.play.is_some()));
    }
}
