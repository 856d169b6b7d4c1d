//! Moves of ludus duodecim scriptorum, and every result of a roll once.
//!
//! A die is a move, and so is the sum of two or three dice: a jump of which only the landing counts.
//! Several checkers of a point may make a move together. So a roll can have thousands of results,
//! most of them reached in several ways. Turns are therefore put together die by die: those that have
//! used the same dice and stand alike are one, and only one of them goes on.

use super::options::{HomeNeeded, LudusOptions};
use super::state::{
    BAR, CHECKERS, FIRST_HOME, HAND, LAST, LAST_ENTRY, OFF, OPPONENT_BAR, OPPONENT_ENTRY,
};
use crate::distinct::{DedupSet, Entry, Turn};
use crate::engine::PlayedTurns;
use crate::state::OldState;
use crate::steps::{MoveTrace, OldStep, Origin, Target};

/// The most moves of a turn, one a die.
const MOST_STEPS: usize = 3;

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
    pub(crate) fn most_dice<T: MoveTrace>(
        self,
        state: &OldState,
        numbers: &[u8],
    ) -> PlayedTurns<T> {
        let mut sets: [DedupSet<Turn<T>>; SETS] = std::array::from_fn(|_| DedupSet::new());
        sets[0].insert(Turn::new(*state));
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
                        sets[target].insert(Turn { state, trail, ..*turn });
                    });
                }
            }
            sets[used] = turns;
        }
        let best = (0..=all)
            .filter(|&set| !sets[set].is_empty())
            .max_by_key(|&set| (set.count_ones(), sum(numbers, set)))
            .expect("a pass is always there");
        let played = best.count_ones() as usize;
        let mut turns = std::mem::replace(&mut sets[best], DedupSet::new()).into_vec();
        // All wins are one state but for what was hit on the way.
        for won in sets.into_iter().flat_map(DedupSet::into_vec).filter(is_won) {
            if !turns.iter().any(|turn| turn.is_same(&won)) {
                turns.push(won);
            }
        }
        PlayedTurns { turns, played, unused: Vec::new() }
    }

    /// Every move of a number of pips.
    fn steps(self, state: &OldState, pips: usize, mut found: impl FnMut(OldState, OldStep)) {
        let cells = &state.cells;
        let waiting = if cells[BAR] > 0 { BAR } else { HAND };
        if cells[waiting] > 0 && pips <= LAST_ENTRY {
            let mut after = *state;
            after.cells[waiting] -= 1;
            after.cells[pips] += 1;
            let from = if waiting == BAR { Origin::Bar } else { Origin::Hand };
            found(after, OldStep::plain(from, Target::Point(pips as u8)));
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
                let step = OldStep::plain(Origin::Point(from as u8), Target::Point(to as u8));
                found(after, OldStep { count: together as u8, hit, ..step });
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
            let step = OldStep::plain(Origin::Point(from as u8), Target::Off);
            found(after, OldStep { count: together as u8, ..step });
        }
    }

    /// Whether checkers may be borne off, given that none waits.
    fn may_leave(self, state: &OldState) -> bool {
        self.home_needed == HomeNeeded::False
            || state.cells[1..FIRST_HOME].iter().all(|&count| count <= 0)
    }
}

/// Whether the mover has borne off all.
fn is_won<T>(turn: &Turn<T>) -> bool {
    turn.state.cells[OFF] == CHECKERS as i8
}

/// The checkers of the opponent that a side must fear: those that may still pass a point.
pub(crate) fn opponents_before(state: &OldState, point: usize) -> usize {
    let on_points = (LAST_ENTRY + 1..point).filter(|&at| state.cells[at] < 0).count();
    let entering = &state.cells[OPPONENT_ENTRY..OPPONENT_ENTRY + LAST_ENTRY];
    on_points + entering.iter().filter(|&&count| count < 0).count()
}
