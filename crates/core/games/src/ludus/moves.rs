//! Moves of ludus duodecim scriptorum, and every result of a roll once.
//!
//! A die is a move, and so is the sum of two or three dice: a jump of which only the landing counts.
//! Several checkers of a point may make a move together. So a roll can have thousands of results,
//! most of them reached in several ways. Turns are therefore put together die by die: those that have
//! used the same dice and stand alike are one, and only one of them goes on.

use std::fmt;

use super::options::{HomeNeeded, LudusOptions};
use super::state::{
    BAR, CHECKERS, FIRST_HOME, HAND, LAST, LAST_ENTRY, LudusState, OFF, OPPONENT_BAR,
    OPPONENT_ENTRY,
};
use crate::distinct::{DedupSet, Entry};

/// A move of one checker, or of several that stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LudusStep {
    /// The point it leaves; 0 is the hand and 31 the bar.
    pub from: u8,
    /// The point where it lands; 31 is off the board.
    pub to: u8,
    /// How many checkers.
    pub count: u8,
    /// Whether an opponent is hit.
    pub hit: bool,
}

/// `hand-3`, `bar-3`, `7-12`, `7-12(3)*`, `26-off(2)`.
impl fmt::Display for LudusStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match usize::from(self.from) {
            0 => f.write_str("hand-")?,
            BAR => f.write_str("bar-")?,
            from => write!(f, "{from}-")?,
        }
        match usize::from(self.to) {
            to if to > LAST => f.write_str("off")?,
            to => write!(f, "{to}")?,
        }
        if self.count > 1 {
            write!(f, "({})", self.count)?;
        }
        f.write_str(if self.hit { "*" } else { "" })
    }
}

/// What is kept of the way to a result.
pub(crate) trait MoveTrace: Copy + Default {
    fn push(&mut self, step: LudusStep);
}

/// Nothing.
impl MoveTrace for () {
    fn push(&mut self, _: LudusStep) {}
}

/// The most moves of a turn.
const MOST_STEPS: usize = 3;

/// What a player does in a turn: up to three moves, in an order in which they can be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LudusPlay {
    pub(crate) steps: [Option<LudusStep>; MOST_STEPS],
    /// Whether the turn is the opponent's, who rolls again.
    pub(crate) waits: bool,
}

impl LudusPlay {
    /// The moves.
    pub fn steps(&self) -> impl Iterator<Item = &LudusStep> {
        self.steps.iter().flatten()
    }
}

impl MoveTrace for LudusPlay {
    fn push(&mut self, step: LudusStep) {
        if let Some(free) = self.steps.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(step);
        }
    }
}

/// The moves with blanks between; `pass` or `wait` where there are none.
impl fmt::Display for LudusPlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps[0].is_none() {
            return f.write_str(if self.waits { "wait" } else { "pass" });
        }
        for (i, step) in self.steps().enumerate() {
            write!(f, "{}{step}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// A turn that has been played in part, seen by the mover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn<T> {
    pub(crate) state: LudusState,
    pub(crate) trail: T,
}

impl<T> Turn<T> {
    /// Whether the mover has borne off all.
    fn is_won(&self) -> bool {
        self.state.cells[OFF] == CHECKERS as i8
    }
}

impl<T> Entry for Turn<T> {
    fn fingerprint(&self) -> u64 {
        self.state.cells.fingerprint()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

/// The turns that play as much of a roll as must be played.
pub(crate) struct Played<T> {
    pub(crate) turns: Vec<Turn<T>>,
    /// How many dice each of them plays.
    pub(crate) dice: usize,
}

/// Sets of dice, a bit each.
const SETS: usize = 1 << MOST_STEPS;

/// All sets, the smaller ones first.
const BY_SIZE: [usize; SETS] = [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111];

/// The set that stands for all sets with the same numbers: of equal dice the first are used first.
fn representative(numbers: &[u8], set: usize) -> usize {
    let mut free = 0;
    for (i, number) in numbers.iter().enumerate() {
        if set & 1 << i != 0 {
            let first = (0..numbers.len())
                .find(|j| numbers[*j] == *number && free & 1 << j == 0)
                .expect("the die itself is free");
            free |= 1 << first;
        }
    }
    free
}

fn sum(numbers: &[u8], set: usize) -> usize {
    (0..numbers.len()).filter(|i| set & 1 << i != 0).map(|i| usize::from(numbers[i])).sum()
}

impl LudusOptions {
    /// Every result of the dice that uses the most of them, and of these the most pips, each once
    /// and every one that wins. A pass alone if nothing can be played.
    pub(crate) fn most_dice<T: MoveTrace>(self, state: &LudusState, numbers: &[u8]) -> Played<T> {
        let mut sets: [DedupSet<Turn<T>>; SETS] = std::array::from_fn(|_| DedupSet::new());
        sets[0].insert(Turn { state: *state, trail: T::default() });
        let all = (1 << numbers.len()) - 1;
        for used in BY_SIZE.into_iter().filter(|used| used & !all == 0) {
            if sets[used].is_empty() || representative(numbers, used) != used {
                continue;
            }
            let turns = std::mem::replace(&mut sets[used], DedupSet::new());
            let mut tried = [0usize; SETS];
            let mut count = 0;
            for more in 1..=all {
                if more & used != 0 {
                    continue;
                }
                let pips = sum(numbers, more);
                let target = representative(numbers, used | more);
                // Equal dice make equal moves.
                let key = target << 8 | pips;
                if tried[..count].contains(&key) {
                    continue;
                }
                tried[count] = key;
                count += 1;
                for turn in turns.as_slice() {
                    self.steps(&turn.state, pips, |state, step| {
                        let mut trail = turn.trail;
                        trail.push(step);
                        sets[target].insert(Turn { state, trail });
                    });
                }
            }
            sets[used] = turns;
        }
        let best = (0..=all)
            .filter(|&set| !sets[set].is_empty())
            .max_by_key(|&set| (set.count_ones(), sum(numbers, set)))
            .expect("a pass is always there");
        let dice = best.count_ones() as usize;
        let mut turns = std::mem::replace(&mut sets[best], DedupSet::new()).into_vec();
        // All wins are one state but for what was hit on the way.
        for won in sets.into_iter().flat_map(DedupSet::into_vec).filter(|turn| turn.is_won()) {
            if !turns.iter().any(|turn| turn.is_same(&won)) {
                turns.push(won);
            }
        }
        Played { turns, dice }
    }

    /// Every move of a number of pips.
    fn steps(self, state: &LudusState, pips: usize, mut found: impl FnMut(LudusState, LudusStep)) {
        let cells = &state.cells;
        let waiting = if cells[BAR] > 0 { BAR } else { HAND };
        if cells[waiting] > 0 && pips <= LAST_ENTRY {
            let mut after = *state;
            after.cells[waiting] -= 1;
            after.cells[pips] += 1;
            let from = if waiting == BAR { BAR as u8 } else { 0 };
            found(after, LudusStep { from, to: pips as u8, count: 1, hit: false });
        }
        if cells[BAR] > 0 {
            return;
        }
        // Before all have entered, moves end on the entry points.
        let end = if cells[HAND] > 0 { LAST_ENTRY } else { LAST };
        for from in 1..=end.saturating_sub(pips) {
            let (count, to) = (cells[from], from + pips);
            if count <= 0 || (to > LAST_ENTRY && cells[to] <= -2) {
                continue;
            }
            let hit = to > LAST_ENTRY && cells[to] == -1;
            let mut lands = *state;
            if hit {
                lands.cells[to] = 0;
                lands.cells[OPPONENT_BAR] -= 1;
            }
            for together in 1..=self.most_moved(count) {
                let mut after = lands;
                after.cells[from] -= together;
                after.cells[to] += together;
                let (from, to, count) = (from as u8, to as u8, together as u8);
                found(after, LudusStep { from, to, count, hit });
            }
        }
        let Some(from) = (LAST + 1).checked_sub(pips).filter(|&from| cells[from] > 0) else {
            return;
        };
        if cells[HAND] > 0 || !self.may_leave(state) {
            return;
        }
        for together in 1..=self.most_off(cells[from]) {
            let mut after = *state;
            after.cells[from] -= together;
            after.cells[OFF] += together;
            let (from, to, count) = (from as u8, LAST as u8 + 1, together as u8);
            found(after, LudusStep { from, to, count, hit: false });
        }
    }

    /// Whether checkers may be borne off, given that none waits.
    fn may_leave(self, state: &LudusState) -> bool {
        self.home_needed == HomeNeeded::False
            || state.cells[1..FIRST_HOME].iter().all(|&count| count <= 0)
    }
}

/// The checkers of the opponent that a side must fear: those that may still pass a point.
pub(crate) fn opponents_before(state: &LudusState, point: usize) -> usize {
    let on_points = (LAST_ENTRY + 1..point).filter(|&at| state.cells[at] < 0).count();
    let entering = &state.cells[OPPONENT_ENTRY..OPPONENT_ENTRY + LAST_ENTRY];
    on_points + entering.iter().filter(|&&count| count < 0).count()
}
