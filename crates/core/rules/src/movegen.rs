//! All distinct positions that a roll can lead to.
//!
//! The generator works in the frame of the *opponent*, who will be on roll afterwards: the
//! position is flipped once, the mover's checkers are the negative counts and move upwards, and
//! every result is already seen from the player on roll. Where checkers stand is kept in bit
//! masks beside the counts, so finding the checkers that a die can move takes a few
//! instructions, and no two afterstates are ever equal, by construction rather than by comparison:
//!
//! - *Doubles* take the checkers from the rearmost on; a result fixes how many left each point.
//! - *Other rolls*, while no checker can be borne off: two moves of different checkers give a
//!   result of their own; one checker moved by both dice gives the same result through either
//!   landing point, unless one of these holds a blot.
//! - *Other rolls near or in the bear-off* try both orders and compare: afterstates are few.
//!
//! A slow generator that shares none of this lives in the tests and must agree.

use crate::dice::Dice;
use crate::position::{BAR, OPPONENT_BAR, OPPONENT_OFF, Position};

/// One bit per index 0 (the mover's bar) to 24 (his ace point, as the opponent counts).
type Mask = u32;

/// The indices that a mask has bits for: not the bar of the player who will be on roll.
const POINTS: Mask = (1 << 25) - 1;

/// Indices outside the mover's home, the mover's bar included.
const OUTSIDE: Mask = (1 << 19) - 1;

/// Appends every distinct position that `dice` can lead to, each once, seen by the opponent,
/// who is then on roll. Appends nothing if there is no legal play.
///
/// The order of the afterstates is fixed, but has no meaning. Nothing is allocated once
/// `afterstates` has room: a few hundred positions in practice.
pub fn afterstates(position: &Position, dice: Dice, afterstates: &mut Vec<Position>) {
    let walk = Walk::new(position);
    if dice.is_double() {
        walk.doubles(dice.high() as usize, afterstates);
    } else {
        walk.pairs(dice.high() as usize, dice.low() as usize, afterstates);
    }
}

/// A position on the way to a result, seen by the opponent, with its masks.
#[derive(Clone, Copy)]
struct Walk {
    position: Position,
    /// Where the mover has a checker.
    mine: Mask,
    /// Where the mover had exactly one checker before the first move.
    single: Mask,
    /// Where the opponent has two checkers or more. No move of ours changes it.
    blocked: Mask,
}

impl Walk {
    #[inline]
    fn new(position: &Position) -> Self {
        let (mut mine, mut single, mut blocked) = (0, 0, 0);
        for (i, eight) in position.cells().chunks_exact(8).enumerate() {
            let counts = u64::from_le_bytes(std::array::from_fn(|k| eight[k] as u8));
            mine |= gather_flipped(above_zero(counts), i);
            single |= gather_flipped(exactly_one(counts), i);
            blocked |= gather_flipped(below_minus_one(counts), i);
        }
        let (position, blocked) = (position.flip(), blocked & POINTS);
        Self { position, mine, single, blocked }
    }

    /// From where the mover may play a `die` now, bar and bear-off rules included.
    #[inline]
    fn sources(&self, die: usize) -> Mask {
        let mine = self.mine;
        if mine & 1 != 0 {
            return !(self.blocked >> die) & 1;
        }
        let inside = mine & !(self.blocked >> die) & ((1 << (25 - die)) - 1);
        if mine & OUTSIDE != 0 { inside } else { inside | self.bear_off_source(die) }
    }

    /// From where a `die` bears off, all checkers being home: the exact point, or the rearmost
    /// checker if it is nearer than that.
    #[inline]
    fn bear_off_source(&self, die: usize) -> Mask {
        let exact = 1 << (25 - die);
        let rearmost = self.mine & self.mine.wrapping_neg();
        if rearmost > exact { rearmost } else { self.mine & exact }
    }

    /// Plays a `die` from `from`, which [`Self::sources`] has allowed.
    #[inline]
    fn play(&self, from: usize, die: usize) -> Self {
        let mut next = *self;
        let to = from + die;
        move_checker(&mut next.position, from, to);
        let empty = next.position.cells()[from & 31] == 0;
        next.mine = (next.mine & !(Mask::from(empty) << from)) | (1 << to) & POINTS;
        next
    }

    /// The same number up to four times.
    fn doubles(&self, die: usize, afterstates: &mut Vec<Position>) {
        let start = afterstates.len();
        let mut longest = 0;
        self.doubles_from(die, 0, 0, start, &mut longest, afterstates);
    }

    /// Checkers leave in order, rearmost first, so each set of moves is met once. Shorter sets
    /// are dropped as soon as a longer one turns up.
    fn doubles_from(
        &self,
        die: usize,
        rearmost: usize,
        played: usize,
        start: usize,
        longest: &mut usize,
        afterstates: &mut Vec<Position>,
    ) {
        let mut sources = self.sources(die) & !((1 << rearmost) - 1);
        if played == 3 && sources != 0 {
            if *longest < 4 {
                *longest = 4;
                afterstates.truncate(start);
            }
            for from in bits(sources) {
                push_moved(&self.position, from, from + die, afterstates);
            }
            return;
        }
        if sources == 0 {
            if played > *longest {
                *longest = played;
                afterstates.truncate(start);
            }
            if played == *longest && played > 0 {
                afterstates.push(self.position);
            }
            return;
        }
        while sources != 0 {
            let from = sources.trailing_zeros() as usize;
            sources &= sources - 1;
            self.play(from, die).doubles_from(die, from, played + 1, start, longest, afterstates);
        }
    }

    /// Two different numbers.
    fn pairs(&self, high: usize, low: usize, afterstates: &mut Vec<Position>) {
        let start = afterstates.len();
        let bar = -self.position.cells()[OPPONENT_BAR];
        let outside = self.mine & OUTSIDE;
        let far = if bar > 1 {
            self.two_enter(high, low, afterstates);
            return;
        } else if bar == 1 {
            // The entering checker may end outside home only if another is outside or home is
            // far: it always is, since it enters at the other end.
            true
        } else {
            outside & (outside.wrapping_sub(1)) != 0 || (outside != 0 && outside & self.single == 0)
        };
        if !far {
            self.pairs_near_home(high, low, afterstates);
        } else if bar == 1 {
            self.one_enters(high, low, afterstates);
        } else {
            self.pairs_far(high, low, afterstates);
        }
        if afterstates.len() == start {
            // Not both dice: the larger one if it can be played, else the smaller.
            let die = if self.sources(high) != 0 { high } else { low };
            for from in bits(self.sources(die)) {
                push_moved(&self.position, from, from + die, afterstates);
            }
        }
    }

    /// At least two checkers on the bar: whatever can enter does, and nothing else moves.
    fn two_enter(&self, high: usize, low: usize, afterstates: &mut Vec<Position>) {
        let mut position = self.position;
        let mut entered = false;
        for die in [high, low] {
            if self.blocked >> die & 1 == 0 {
                move_checker(&mut position, OPPONENT_BAR, die);
                entered = true;
            }
        }
        if entered {
            afterstates.push(position);
        }
    }

    /// One checker on the bar: one die enters, the other is played by any checker.
    fn one_enters(&self, high: usize, low: usize, afterstates: &mut Vec<Position>) {
        for (first, second) in [(high, low), (low, high)] {
            if self.blocked >> first & 1 != 0 {
                continue;
            }
            let entered = self.play(OPPONENT_BAR, first);
            let mut sources = entered.sources(second);
            if first == low && self.same_through_either(OPPONENT_BAR, high, low) {
                sources &= !(1 << first);
            }
            for from in bits(sources) {
                push_moved(&entered.position, from, from + second, afterstates);
            }
        }
    }

    /// No checker on the bar, and none can be borne off with this roll.
    fn pairs_far(&self, high: usize, low: usize, afterstates: &mut Vec<Position>) {
        let (high_sources, low_sources) = (self.sources(high), self.sources(low));
        for first in bits(high_sources) {
            let mut half = self.position;
            move_checker(&mut half, first, first + high);
            // Different checkers. The landing point and the point from which `low` leads to
            // `first` would make one checker move twice: see below.
            let mut others = low_sources & !(1 << (first + high));
            if first >= low {
                others &= !(1 << (first - low));
            }
            others &= !(self.single & 1 << first);
            for second in bits(others) {
                push_moved(&half, second, second + low, afterstates);
            }
            // The same checker goes on with `low`.
            let end = first + high + low;
            if end <= 24 && self.blocked >> end & 1 == 0 {
                push_moved(&half, first + high, end, afterstates);
            }
        }
        for first in bits(low_sources) {
            let end = first + low + high;
            if end <= 24
                && self.blocked >> end & 1 == 0
                && !(high_sources >> first & 1 != 0 && self.same_through_either(first, high, low))
            {
                let mut half = self.position;
                move_checker(&mut half, first, first + low);
                push_moved(&half, first + low, end, afterstates);
            }
        }
    }

    /// Whether one checker reaches the same result by either die first: both landing points
    /// are open and neither holds a blot.
    #[inline]
    fn same_through_either(&self, from: usize, high: usize, low: usize) -> bool {
        let cells = self.position.cells();
        cells[from + high] < 1 && cells[from + low] < 1
    }

    /// At most one checker outside home: bearing off is or may become possible.
    ///
    /// A last checker that one die alone would bear off is left to the caller: it uses both dice
    /// if it can, even if the smaller one then hits on the way.
    fn pairs_near_home(&self, high: usize, low: usize, afterstates: &mut Vec<Position>) {
        let start = afterstates.len();
        for (first, second) in [(high, low), (low, high)] {
            for from in bits(self.sources(first)) {
                let half = self.play(from, first);
                for next in bits(half.sources(second)) {
                    let mut position = half.position;
                    move_checker(&mut position, next, next + second);
                    push_new(position, start, afterstates);
                }
            }
        }
    }
}

/// The sign bits of eight counts.
const SIGNS: u64 = 0x8080_8080_8080_8080;
/// All other bits of eight counts.
const REST: u64 = !SIGNS;

// Eight counts at a time in an ordinary register: a loop over 25 counts took a fifth of all the
// generator's instructions. No sum below carries into the next count.

/// The sign bits of counts above zero.
#[inline]
const fn above_zero(counts: u64) -> u64 {
    ((counts & REST) + REST) & !counts & SIGNS
}

/// The sign bits of counts that are one.
#[inline]
const fn exactly_one(counts: u64) -> u64 {
    let others = counts ^ 0x0101_0101_0101_0101;
    !(((others & REST) + REST) | others) & SIGNS
}

/// The sign bits of counts below minus one.
#[inline]
const fn below_minus_one(counts: u64) -> u64 {
    ((!counts & REST) + REST) & counts & SIGNS
}

/// The sign bits of the group number `group` of eight counts, each where its point stands for the
/// other side: that of index `n` as bit `25 - n`.
#[inline]
const fn gather_flipped(signs: u64, group: usize) -> Mask {
    // The product moves the sign of count `i` from bit `8 i + 7` to bit `63 - i`, and no two of
    // its terms meet.
    let eight = ((signs >> 7).wrapping_mul(0x8040_2010_0804_0201) >> 56) as Mask;
    (eight << 24) >> (6 + 8 * group)
}

/// Appends `position` with one of the mover's checkers moved.
///
/// It is moved where it stands in the list: a register that reads what single bytes were just
/// written to has to wait.
#[inline]
fn push_moved(position: &Position, from: usize, to: usize, afterstates: &mut Vec<Position>) {
    afterstates.push(*position);
    if let Some(last) = afterstates.last_mut() {
        move_checker(last, from, to);
    }
}

/// Appends `position` unless it already stands in `afterstates[start..]`.
fn push_new(position: Position, start: usize, afterstates: &mut Vec<Position>) {
    if !afterstates[start..].contains(&position) {
        afterstates.push(position);
    }
}

/// Moves one of the mover's checkers (negative counts) up to `to`, off the board beyond 24, and
/// sends a blot on the way in to the bar of the player who will be on roll.
#[inline]
fn move_checker(position: &mut Position, from: usize, to: usize) {
    let cells = position.cells_mut();
    cells[from & 31] += 1;
    if to > 24 {
        cells[OPPONENT_OFF] -= 1;
    } else {
        let hit = i8::from(cells[to] == 1);
        cells[to] -= 1 + hit;
        cells[BAR] += hit;
    }
}

/// The set bits of a mask, lowest first.
#[inline]
fn bits(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_counts_at_a_time_are_as_good_as_one() {
        // Every count among neighbors that would carry first, if anything did.
        for count in -15..=15i8 {
            for neighbor in [-15, -2, -1, 0, 1, 2, 15] {
                for at in 0..32 {
                    let mut cells = [neighbor; 32];
                    cells[at] = count;
                    for (group, eight) in cells.chunks_exact(8).enumerate() {
                        let counts = u64::from_le_bytes(std::array::from_fn(|k| eight[k] as u8));
                        let bits = |set: fn(i8) -> bool| {
                            (0..8)
                                .filter(|k| 8 * group + k <= 25)
                                .map(|k| Mask::from(set(eight[k])) << (25 - 8 * group - k))
                                .sum::<Mask>()
                        };
                        let gathered = |signs| gather_flipped(signs, group);
                        assert_eq!(gathered(above_zero(counts)), bits(|n| n > 0), "{cells:?}");
                        assert_eq!(gathered(exactly_one(counts)), bits(|n| n == 1), "{cells:?}");
                        assert_eq!(
                            gathered(below_minus_one(counts)),
                            bits(|n| n < -1),
                            "{cells:?}"
                        );
                    }
                }
            }
        }
    }
}
