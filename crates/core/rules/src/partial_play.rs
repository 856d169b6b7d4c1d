//! A play that is made checker by checker.
//!
//! People move one checker at a time and change their minds. A [`PartialPlay`] holds what has been
//! moved so far and allows a step only if the whole play can still become legal, so both dice are
//! played where the rules demand it.

use crate::dice::Dice;
use crate::moves::{Play, destination, moved, play_to, plays};
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
    start: Position,
    roll: Dice,
    /// In the order in which they lie: two, or four equal ones.
    dice: Vec<u8>,
    used: Vec<bool>,
    /// Position before the step and the die that it used.
    undo: Vec<(Position, usize)>,
    /// From the mover, after the steps.
    now: Position,
    /// Where whole plays lead, from the mover.
    targets: Vec<Position>,
}

impl PartialPlay {
    /// Nothing moved yet.
    pub fn new(position: &Position, roll: Dice) -> Self {
        let dice = match roll.is_double() {
            true => vec![roll.high(); 4],
            false => vec![roll.high(), roll.low()],
        };
        let targets = plays(position, roll).into_iter().map(|(_, after)| after.flip()).collect();
        Self {
            start: *position,
            roll,
            used: vec![false; dice.len()],
            dice,
            undo: Vec::new(),
            now: *position,
            targets,
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

    /// The die of that index among the unused ones, the left one first.
    fn unused(&self, nth: usize) -> Option<usize> {
        (0..self.dice.len()).filter(|&i| !self.used[i]).nth(nth)
    }

    /// Whether whole plays can be reached from here with the dice that remain.
    fn can_finish(&self, now: &Position, used: &[bool]) -> bool {
        if self.targets.contains(now) {
            return true;
        }
        let mut tried = 0_u8;
        (0..used.len()).any(|i| {
            let die = self.dice[i];
            if used[i] || tried & (1 << die) != 0 {
                return false;
            }
            tried |= 1 << die;
            let mut used = used.to_vec();
            used[i] = true;
            (1..=25).any(|from| {
                destination(now, from, die)
                    .is_some_and(|to| self.can_finish(&moved(now, from, to), &used))
            })
        })
    }

    fn try_step(&self, from: u8, index: usize) -> Option<(u8, Position)> {
        if !(1..=25).contains(&from) {
            return None;
        }
        let to = destination(&self.now, from, self.dice[index])?;
        let after = moved(&self.now, from, to);
        let mut used = self.used.clone();
        used[index] = true;
        self.can_finish(&after, &used).then_some((to, after))
    }

    /// Moves a checker from a point, or from the bar as 25, by the unused die of this index, or by
    /// another die if that one does not fit. Answers where the checker lands, 0 for off; `None` if
    /// no die moves it legally.
    pub fn step(&mut self, from: u8, nth: usize) -> Option<u8> {
        let preferred = self.unused(nth);
        let others = (0..self.dice.len()).filter(|&i| !self.used[i]);
        let order: Vec<usize> = preferred.into_iter().chain(others).collect();
        let (index, (to, after)) =
            order.into_iter().find_map(|index| Some((index, self.try_step(from, index)?)))?;
        self.undo.push((self.now, index));
        self.used[index] = true;
        self.now = after;
        Some(to)
    }

    /// Takes the last step back; whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some((before, index)) = self.undo.pop() else { return false };
        self.now = before;
        self.used[index] = false;
        true
    }

    /// The points from which some unused die moves a checker, 25 for the bar, the rearmost first.
    pub fn movable(&self) -> Vec<u8> {
        let unused = || (0..self.dice.len()).filter(|&i| !self.used[i]);
        (1..=25).rev().filter(|&from| unused().any(|i| self.try_step(from, i).is_some())).collect()
    }

    /// Shows a whole play as if it had been made step by step.
    pub fn finish_with(&mut self, play: &Play) -> bool {
        while self.undo() {}
        let Ok(after) = play.apply(&self.start) else { return false };
        if !self.targets.contains(&after.flip()) {
            return false;
        }
        for step in play.steps() {
            let fits = (0..self.dice.len())
                .filter(|&i| !self.used[i])
                .find(|&i| self.try_step(step.from, i).is_some_and(|(to, _)| to == step.to));
            let Some(index) = fits else { return false };
            let (_, after) = self.try_step(step.from, index).expect("just tried");
            self.undo.push((self.now, index));
            self.used[index] = true;
            self.now = after;
        }
        true
    }

    /// The play if it is whole; the pass if nothing can be moved.
    pub fn play(&self) -> Option<Play> {
        play_to(&self.start, self.roll, &self.now.flip())
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

    #[test]
    fn every_legal_play_can_be_made() {
        let start = Position::STANDARD;
        for (roll, _) in Dice::ALL {
            for (play, _) in plays(&start, roll) {
                let mut partial = PartialPlay::new(&start, roll);
                assert!(partial.finish_with(&play), "{play}");
                assert_eq!(partial.play(), Some(play));
            }
        }
    }
}
