//! A play that is made checker by checker.
//!
//! People move one checker at a time and change their minds. A [`PartialPlay`] holds what has been
//! moved so far and allows a step only if the whole play can still become legal, so both dice are
//! played where the rules demand it.

use crate::dice::Dice;
use crate::moves::{Play, moved};
use crate::play_graph::{Hop, PlayGraph};
use crate::position::Position;

/// The steps of a roll so far.
///
/// ```
/// use tavola_rules::{PartialPlay, Position};
///
/// let mut partial = PartialPlay::new(&Position::STANDARD, "31".parse()?);
/// assert_eq!(partial.step(8, 0), Some(5)); // the 3
/// assert_eq!(partial.play(), None);
/// assert_eq!(partial.step(6, 1), Some(5)); // the 1
/// assert_eq!(partial.play().map(|play| play.to_string()).as_deref(), Some("8/5 6/5"));
/// # Ok::<(), tavola_rules::dice::DiceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PartialPlay {
    graph: PlayGraph,
    /// In the order in which they lie: two, or four equal ones.
    dice: Vec<u8>,
    used: Vec<bool>,
    /// Position and node before the step, and the index of the die that it used.
    undo: Vec<(Position, usize, usize)>,
    /// From the mover, after the steps.
    now: Position,
    /// The node of the graph after the steps.
    node: usize,
}

impl PartialPlay {
    /// Nothing moved yet.
    pub fn new(position: &Position, roll: Dice) -> Self {
        let dice = roll.steps();
        Self {
            graph: PlayGraph::new(position, roll),
            used: vec![false; dice.len()],
            dice,
            undo: Vec::new(),
            now: *position,
            node: 0,
        }
    }

    /// The checkers as they stand, seen by the mover.
    pub fn position(&self) -> &Position {
        &self.now
    }

    /// The dice in the order in which they lie, each with whether it is used.
    pub fn dice(&self) -> impl Iterator<Item = (u8, bool)> + '_ {
        self.dice.iter().copied().zip(self.used.iter().copied())
    }

    /// How many checkers have been moved.
    pub fn steps(&self) -> usize {
        self.undo.len()
    }

    /// Lets the dice change places, as long as none is used.
    pub fn swap(&mut self) {
        if self.undo.is_empty() {
            self.dice.reverse();
        }
    }

    /// The indices of the unused dice, the left one first.
    fn unused(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.dice.len()).filter(|&i| !self.used[i])
    }

    fn hops(&self) -> &[Hop] {
        &self.graph.nodes[self.node].hops
    }

    /// Moves a checker from a point, or from the bar as 25, by the unused die of this index, or by
    /// another die if that one does not fit. Answers where the checker lands, 0 for off; `None` if
    /// no die moves it legally.
    pub fn step(&mut self, from: u8, nth: usize) -> Option<u8> {
        let preferred = self.unused().nth(nth);
        let (index, hop) = preferred.into_iter().chain(self.unused()).find_map(|index| {
            let fits = |hop: &&Hop| (hop.from, hop.die) == (from, self.dice[index]);
            self.hops().iter().find(fits).map(|hop| (index, *hop))
        })?;
        self.undo.push((self.now, self.node, index));
        self.used[index] = true;
        self.now = moved(&self.now, hop.from, hop.to);
        self.node = hop.next;
        Some(hop.to)
    }

    /// Takes the last step back; whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some((before, node, index)) = self.undo.pop() else { return false };
        (self.now, self.node) = (before, node);
        self.used[index] = false;
        true
    }

    /// The points from which some unused die moves a checker, 25 for the bar, the rearmost first.
    pub fn movable(&self) -> Vec<u8> {
        let movable = |from: &u8| self.hops().iter().any(|hop| hop.from == *from);
        (1..=25).rev().filter(movable).collect()
    }

    /// The play if it is whole; the pass if nothing can be moved.
    pub fn play(&self) -> Option<Play> {
        self.graph.nodes[self.node].play
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse_situation;

    fn partial(position: &str, roll: &str) -> PartialPlay {
        let position = parse_situation(position).unwrap().position;
        PartialPlay::new(&position, roll.parse().unwrap())
    }

    #[test]
    fn a_play_is_made_step_by_step_and_taken_back() {
        let mut play = partial("start", "31");
        assert_eq!(play.movable(), [24, 13, 8, 6]);
        assert_eq!(play.step(8, 0), Some(5));
        assert_eq!(play.dice().collect::<Vec<_>>(), [(3, true), (1, false)]);
        assert_eq!(play.play(), None);
        assert!(play.undo() && !play.undo());
        play.swap();
        assert_eq!(play.step(8, 0), Some(7));
        assert_eq!(play.step(7, 0), Some(4));
        assert_eq!(play.play().unwrap().to_string(), "8/4");
        assert_eq!(play.step(6, 0), None);
    }

    #[test]
    fn a_step_that_leaves_a_die_unplayed_is_refused() {
        // 8/2 blocks the 4 behind it, so that both numbers fit in one order alone.
        let text = "0,0,0,0,-2,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0";
        let mut play = partial(text, "64");
        for from in play.movable() {
            let mut tried = play.clone();
            assert!(tried.step(from, 0).is_some());
            while let Some(&next) = tried.movable().first() {
                tried.step(next, 0).unwrap();
            }
            assert!(tried.play().is_some(), "{from}");
        }
        play.undo();
    }
}
