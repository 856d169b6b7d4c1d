//! Turns on the way to a result, each kept once.
//!
//! [`DedupSet`] keeps the turns of any game that are an [`Entry`].

use crate::state::OldState;

/// A turn that has been played in part, seen by the mover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn<T> {
    /// Where the checkers are now.
    pub(crate) state: OldState,
    /// Points on which checkers stand that have moved already, one byte each, ascending; used
    /// where each die must move another checker.
    pub(crate) moved: u32,
    /// How it came about; not looked at when turns are compared.
    pub(crate) trail: T,
}

impl<T: Default> Turn<T> {
    /// A turn of which nothing has been played.
    pub(crate) fn new(state: OldState) -> Self {
        Self { state, moved: 0, trail: T::default() }
    }
}

/// What can be kept once.
pub(crate) trait Entry {
    /// A number that is equal for equal entries.
    fn fingerprint(&self) -> u64;

    /// Whether the other one is equal, however it came about.
    fn is_same(&self, other: &Self) -> bool;
}

impl<T> Entry for Turn<T> {
    fn fingerprint(&self) -> u64 {
        self.state.cells.fingerprint() ^ u64::from(self.moved).wrapping_mul(0x9e37_79b9)
    }

    fn is_same(&self, other: &Self) -> bool {
        self.moved == other.moved && self.state == other.state
    }
}

impl<T> Turn<T> {
    /// Checkers on `point` that have moved in this turn.
    pub(crate) fn moved_on(&self, point: usize) -> i8 {
        self.moved.to_le_bytes().iter().filter(|&&at| usize::from(at) == point).count() as i8
    }

    /// Notes that a checker has moved to `point`.
    pub(crate) fn mark_moved(&mut self, point: u8) {
        let mut points = self.moved.to_le_bytes();
        // There are four moves in a turn at most, so the smallest is a free place.
        points[0] = point;
        points.sort_unstable();
        self.moved = u32::from_le_bytes(points);
    }
}

/// Turns in the order in which they were found, without those that were there before.
#[derive(Debug)]
pub(crate) struct DedupSet<E> {
    turns: Vec<E>,
    /// Open addressing: one more than the index of a turn, 0 where there is none. A power of two,
    /// at least twice as long as there are turns. Empty while there are few, which are compared
    /// one by one.
    slots: Vec<u32>,
}

/// Turns that are compared one by one.
const FEW: usize = 8;

impl<E: Entry> DedupSet<E> {
    pub(crate) const fn new() -> Self {
        Self { turns: Vec::new(), slots: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    pub(crate) fn as_slice(&self) -> &[E] {
        &self.turns
    }

    pub(crate) fn into_vec(self) -> Vec<E> {
        self.turns
    }

    /// Whether the turn is new; then it is kept.
    pub(crate) fn insert(&mut self, turn: E) -> bool {
        if self.turns.len() < FEW {
            let is_new = !self.turns.iter().any(|other| other.is_same(&turn));
            if is_new {
                self.turns.push(turn);
            }
            return is_new;
        }
        if self.slots.len() < 2 * (self.turns.len() + 1) {
            self.grow();
        }
        let slot = self.find(&turn);
        if self.slots[slot] != 0 {
            return false;
        }
        self.turns.push(turn);
        self.slots[slot] = self.turns.len() as u32;
        true
    }

    /// The slot of a turn, or the free one where it belongs.
    fn find(&self, turn: &E) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = turn.fingerprint() as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return slot,
                n if self.turns[n as usize - 1].is_same(turn) => return slot,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; (4 * (self.turns.len() + 1)).next_power_of_two()];
        for i in 0..self.turns.len() {
            let slot = self.find(&self.turns[i]);
            self.slots[slot] = i as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_turn_is_kept_once_however_many_there_are() {
        let mut distinct = DedupSet::<Turn<()>>::new();
        for round in 0..3 {
            for i in 0..500 {
                let mut turn = Turn::new(OldState::EMPTY);
                turn.state.cells[1 + i % 24] = (i / 24) as i8;
                turn.moved = (i % 3) as u32;
                let is_new = distinct.insert(turn);
                assert_eq!(is_new, round == 0 && !(3..24).contains(&i), "{i}");
            }
        }
        // The first 24 are empty boards, with three different memories.
        assert_eq!(distinct.as_slice().len(), 500 - 21);
    }

    #[test]
    fn checkers_that_have_moved_are_counted_by_point() {
        let mut turn: Turn<()> = Turn::new(OldState::EMPTY);
        for point in [7, 3, 7, 12] {
            turn.mark_moved(point);
        }
        assert_eq!([3, 7, 12, 5].map(|point| turn.moved_on(point)), [1, 2, 1, 0]);
    }
}
