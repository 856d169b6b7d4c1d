//! Plays: how the checkers move, one die at a time.
//!
//! The move generator knows afterstates only, which is all that an engine needs to choose. This
//! module says how a result is reached, for people and for records: [`plays`] gives every result
//! one canonical [`Play`], whose text is written and read by [`notation`](crate::notation).
//!
//! ```
//! use tavola_rules::{Dice, Position, moves};
//!
//! let plays = moves::plays(&Position::STANDARD, Dice::new(3, 1)?);
//! assert_eq!(plays.len(), 16);
//! assert!(plays.iter().any(|(play, _)| play.to_string() == "8/5 6/5"));
//! # Ok::<(), tavola_rules::dice::DiceError>(())
//! ```

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;

use crate::dice::Dice;
use crate::movegen;
use crate::outcome::Outcome;
use crate::position::{BAR, OFF, OPPONENT_BAR, Position};

/// The bar as a place to come from, in the numbering of the mover.
pub const FROM_BAR: u8 = 25;
/// Off the board as a place to go to, in the numbering of the mover.
pub const TO_OFF: u8 = 0;

/// One checker moved by one die, in the numbering of the mover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Step {
    /// Where the checker comes from: a point, or 25 for the bar.
    pub from: u8,
    /// Where it lands: a point, or 0 for off.
    pub to: u8,
    /// Whether it hits a blot there.
    pub hit: bool,
}

/// What a player does with a roll: up to four steps, in an order in which they can be played.
///
/// The steps run from the rearmost checker on. A play without steps is a pass. Its
/// [`Display`](fmt::Display) is the canonical move text.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Play {
    /// Beyond `len` default steps, so that equality may look at all four. Only this module makes
    /// plays, so every step goes forward to a point or off.
    steps: [Step; 4],
    len: u8,
}

/// Why a play does not fit a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnplayableStep {
    /// There is no checker to move.
    #[error("the step {from}/{to} needs a checker of the player on roll on {from}")]
    NoChecker {
        /// Where the step begins.
        from: u8,
        /// Where it ends.
        to: u8,
    },
    /// The opponent holds the landing point.
    #[error(
        "the step {from}/{to} lands on a point with {found} checkers of the opponent, expected at most one"
    )]
    Blocked {
        /// Where the step begins.
        from: u8,
        /// Where it ends.
        to: u8,
        /// Checkers of the opponent there.
        found: u8,
    },
    /// A checker on the bar has to enter first.
    #[error("the step {from}/{to} leaves a checker on the bar, expected it to enter first")]
    BarFirst {
        /// Where the step begins.
        from: u8,
        /// Where it ends.
        to: u8,
    },
    /// A checker is borne off while others are not home yet.
    #[error("the step {from}/off bears off before all checkers are home")]
    NotHome {
        /// Where the step begins.
        from: u8,
    },
    /// The game is over.
    #[error("the game is over, expected a position with checkers of both sides")]
    GameOver,
}

impl Play {
    /// The pass: nothing moves.
    pub const PASS: Self = Self { steps: [Step { from: 0, to: 0, hit: false }; 4], len: 0 };

    /// The steps, one a die.
    #[inline]
    pub fn steps(&self) -> &[Step] {
        &self.steps[..usize::from(self.len)]
    }

    /// Whether nothing moves.
    #[inline]
    pub const fn is_pass(&self) -> bool {
        self.len == 0
    }

    /// The position after the play, seen by the opponent, who is then on roll.
    ///
    /// This checks that each step can be made, not that some dice allow the play; for that see
    /// [`notation::parse_play`](crate::notation::parse_play) and [`plays`].
    ///
    /// # Errors
    ///
    /// [`UnplayableStep`] names the first step that does not fit `position`.
    pub fn apply(&self, position: &Position) -> Result<Position, UnplayableStep> {
        let mut after = *position;
        for step in self.steps() {
            after = step.apply(&after)?;
        }
        Ok(after.flip())
    }

    /// What plays of a roll are sorted by.
    pub(crate) fn order(&self) -> Vec<(Reverse<u8>, u8)> {
        self.steps().iter().map(|step| (Reverse(step.from), step.to)).collect()
    }

    /// The play that makes these moves `(from, to)` in the order given, sorted from the rearmost
    /// checker on.
    ///
    /// Sorting keeps a playable order playable: nothing ever has to wait for a checker that is
    /// nearer home, and a checker borne off by too large a number waits for those behind it.
    fn sorted(position: &Position, moves: &[(u8, u8)]) -> Self {
        let mut sorted = [(0, 0); 4];
        let sorted = &mut sorted[..moves.len()];
        sorted.copy_from_slice(moves);
        sorted.sort_unstable_by_key(|&(from, to)| (Reverse(from), to));
        let mut play = Self { len: moves.len() as u8, ..Self::PASS };
        let mut hit_points = 0_u32;
        for (step, &(from, to)) in play.steps.iter_mut().zip(&*sorted) {
            let blot = to != TO_OFF && position.cells()[usize::from(to)] == -1;
            *step = Step { from, to, hit: blot && hit_points & (1 << to) == 0 };
            hit_points |= u32::from(blot) << to;
        }
        play
    }
}

impl fmt::Debug for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Play({self})")
    }
}

impl Step {
    /// The checkers after the step, still seen by the mover.
    fn apply(self, position: &Position) -> Result<Position, UnplayableStep> {
        let Self { from, to, .. } = self;
        if Outcome::of(position).is_some() {
            return Err(UnplayableStep::GameOver);
        }
        if !(1..=FROM_BAR).contains(&from) || position.cells()[usize::from(from)] <= 0 {
            return Err(UnplayableStep::NoChecker { from, to });
        }
        if position.bar() > 0 && from != FROM_BAR {
            return Err(UnplayableStep::BarFirst { from, to });
        }
        if to == TO_OFF {
            if rearmost(position) > 6 {
                return Err(UnplayableStep::NotHome { from });
            }
        } else {
            let count = position.cells()[usize::from(to)];
            if count < -1 {
                return Err(UnplayableStep::Blocked { from, to, found: count.unsigned_abs() });
            }
        }
        Ok(moved(position, from, to))
    }
}

/// Every distinct position that `dice` can lead to, with one canonical way to play it; positions
/// are seen by the opponent, who is then on roll. Empty if there is no legal play.
///
/// The plays are in the order of their steps: the rearmost checker first, of the same one the longer
/// step. Positions are those of [`movegen::afterstates`]. This is for showing plays and allocates; an
/// engine that chooses among afterstates should ask for the play of the chosen one
/// only, see [`play_to`].
pub fn plays(position: &Position, dice: Dice) -> Vec<(Play, Position)> {
    let mut afterstates = Vec::new();
    movegen::afterstates(position, dice, &mut afterstates);
    let mut found: HashMap<Position, Option<Play>> =
        afterstates.iter().map(|&result| (result, None)).collect();
    walk(position, dice, &mut |moves, after| {
        if let Some(play @ None) = found.get_mut(&after.flip()) {
            *play = Some(Play::sorted(position, moves));
        }
    });
    let mut plays: Vec<(Play, Position)> = afterstates
        .into_iter()
        .map(|result| {
            let play = found[&result].expect("every result is reached by single steps");
            (play, result)
        })
        .collect();
    plays.sort_by_cached_key(|(play, _)| play.order());
    plays
}

/// Whether there is a legal play.
pub fn can_move(position: &Position, dice: Dice) -> bool {
    can_step(position, dice.high()) || can_step(position, dice.low())
}

/// The play where there is no choice, the pass where nothing can be played.
pub fn forced(position: &Position, dice: Dice) -> Option<Play> {
    if !can_move(position, dice) {
        return Some(Play::PASS);
    }
    let steps = |&from: &u8| destination(position, from, dice.high()).is_some();
    if dice.is_double() && (1..=FROM_BAR).filter(steps).count() > 4 {
        // Any four of them move.
        return None;
    }
    let mut afterstates = Vec::new();
    movegen::afterstates(position, dice, &mut afterstates);
    match afterstates[..] {
        [only] => play_to(position, dice, &only),
        _ => None,
    }
}

/// The canonical play that leads to `result`, which is seen by the opponent; `None` if `dice`
/// can't lead there. If nothing can be played, the pass leads to `position.flip()`.
///
/// It is the one of [`plays`], found without the others: a double can have thousands.
pub fn play_to(position: &Position, dice: Dice, result: &Position) -> Option<Play> {
    if !can_move(position, dice) {
        return (*result == position.flip()).then_some(Play::PASS);
    }
    let target = result.flip();
    let (mut found, mut is_legal) = (None, false);
    with_orders(dice, |orders| {
        let most = longest(position, dice);
        for dice in orders {
            let walk = Walk { target: Some(&target), order: Order::of(dice) };
            walk.visit_from(
                position,
                dice,
                FROM_BAR,
                &mut Vec::with_capacity(4),
                &mut |moves, after| {
                    if *after == target {
                        found.get_or_insert_with(|| Play::sorted(position, moves));
                        is_legal |= moves.len() == most;
                    }
                },
            );
            // Of two dice of which only one can be played, it is the larger if that one can.
            if most == 1 && can_step(position, dice[0]) {
                break;
            }
        }
    });
    found.filter(|_| is_legal)
}

/// Visits every position that steps with `dice` reach, unfinished plays included, with the moves
/// that lead there. The larger die goes first where both orders are possible.
fn walk(position: &Position, dice: Dice, visit: &mut impl FnMut(&[(u8, u8)], &Position)) {
    with_orders(dice, |orders| {
        for dice in orders {
            let walk = Walk { target: None, order: Order::of(dice) };
            walk.visit_from(position, dice, FROM_BAR, &mut Vec::with_capacity(4), visit);
        }
    });
}

/// The orders in which the dice can be played.
fn with_orders<T>(dice: Dice, run: impl FnOnce(&[&[u8]]) -> T) -> T {
    let (high, low) = (dice.high(), dice.low());
    if dice.is_double() { run(&[&[high; 4]]) } else { run(&[&[high, low], &[low, high]]) }
}

/// How many steps of a roll can be played.
pub(crate) fn longest(position: &Position, dice: Dice) -> usize {
    let steps = |dice: &&[u8]| most_steps(position, dice, FROM_BAR);
    with_orders(dice, |orders| orders.iter().map(steps).max().unwrap_or(0))
}

/// How many of these dice can be played in this order, by checkers from `highest` down.
fn most_steps(position: &Position, dice: &[u8], highest: u8) -> usize {
    let Some((&die, rest)) = dice.split_first() else { return 0 };
    let mut most = 0;
    for from in (1..=highest).rev() {
        let Some(to) = destination(position, from, die) else { continue };
        let highest = if Order::of(dice) == Order::RearmostFirst { from } else { FROM_BAR };
        most = most.max(1 + most_steps(&moved(position, from, to), rest, highest));
        if most == dice.len() {
            break;
        }
    }
    most
}

fn can_step(position: &Position, die: u8) -> bool {
    (1..=FROM_BAR).any(|from| destination(position, from, die).is_some())
}

/// Which checkers may move after another one has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Any,
    /// Never one further back than the one before: enough for equal dice, see [`Play::sorted`].
    RearmostFirst,
}

impl Order {
    fn of(dice: &[u8]) -> Self {
        if dice.windows(2).all(|two| two[0] == two[1]) { Self::RearmostFirst } else { Self::Any }
    }
}

/// How positions are visited.
struct Walk<'a> {
    /// Where to: ways that can't lead there are left out.
    target: Option<&'a Position>,
    order: Order,
}

impl Walk<'_> {
    fn visit_from(
        &self,
        position: &Position,
        dice: &[u8],
        highest: u8,
        moves: &mut Vec<(u8, u8)>,
        visit: &mut impl FnMut(&[(u8, u8)], &Position),
    ) {
        let Some((&die, rest)) = dice.split_first() else { return };
        let in_order = self.order == Order::RearmostFirst;
        for from in (1..=highest).rev() {
            if let Some(to) = destination(position, from, die) {
                let after = moved(position, from, to);
                moves.push((from, to));
                visit(moves, &after);
                self.visit_from(&after, rest, if in_order { from } else { FROM_BAR }, moves, visit);
                moves.pop();
            }
            // Who stays behind stays for good.
            let stays = |target: &Position| {
                position.cells()[usize::from(from)] == target.cells()[usize::from(from)]
            };
            if in_order && !self.target.is_none_or(stays) {
                break;
            }
        }
    }
}

/// Where the checker on `from` may land with `die` under the rules of a single step; `None` if it
/// may not move, or if there is none.
pub(crate) fn destination(position: &Position, from: u8, die: u8) -> Option<u8> {
    let cells = position.cells();
    if cells[usize::from(from)] <= 0 || (position.bar() > 0 && from != FROM_BAR) {
        return None;
    }
    if from > die {
        let to = from - die;
        return (cells[usize::from(to)] >= -1).then_some(to);
    }
    let rearmost = rearmost(position);
    (rearmost <= 6 && (from == die || from == rearmost)).then_some(TO_OFF)
}

/// The rearmost place with a checker of the player on roll, 0 if there is none.
fn rearmost(position: &Position) -> u8 {
    (1..=BAR).rev().find(|&i| position.cells()[i] > 0).unwrap_or(0) as u8
}

/// Moves one checker and puts a blot that it hits on the bar. The step must be playable.
pub(crate) fn moved(position: &Position, from: u8, to: u8) -> Position {
    let mut after = *position;
    let cells = after.cells_mut();
    cells[usize::from(from)] -= 1;
    if to == TO_OFF {
        cells[OFF] += 1;
    } else {
        let to = usize::from(to);
        if cells[to] == -1 {
            cells[to] = 0;
            cells[OPPONENT_BAR] -= 1;
        }
        cells[to] += 1;
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_play_stays_small_enough_to_copy() {
        assert!(size_of::<Play>() <= 16);
    }

    #[test]
    fn steps_that_do_not_fit_are_refused_with_their_reason() {
        let start = Position::STANDARD;
        let one = |from, to| {
            let mut play = Play { len: 1, ..Play::PASS };
            play.steps[0] = Step { from, to, hit: false };
            play.apply(&start)
        };
        assert_eq!(one(7, 3), Err(UnplayableStep::NoChecker { from: 7, to: 3 }));
        assert_eq!(one(13, 12), Err(UnplayableStep::Blocked { from: 13, to: 12, found: 5 }));
        assert_eq!(one(6, 0), Err(UnplayableStep::NotHome { from: 6 }));
        assert!(one(8, 7).is_ok());
        assert_eq!(Play::PASS.apply(&start), Ok(start.flip()));
    }

    #[test]
    fn who_is_closed_out_passes_and_a_double_may_be_forced() {
        let closed = [1, 2, 3, 4, 5, 6].map(|point| (point, 2));
        let out = Position::from_points(&[(25, 1), (6, 14)], &closed, 15).unwrap();
        let dice = Dice::new(6, 5).unwrap();
        assert_eq!(forced(&out, dice), Some(Play::PASS));
        assert_eq!(play_to(&out, dice, &out.flip()), Some(Play::PASS));
        assert_eq!(play_to(&out, dice, &Position::STANDARD), None);
        let mut play = Play { len: 1, ..Play::PASS };
        play.steps[0] = Step { from: 6, to: 1, hit: false };
        assert_eq!(play.apply(&out), Err(UnplayableStep::BarFirst { from: 6, to: 1 }));
        assert!(Play::PASS.is_pass() && !play.is_pass());
        // Each of four checkers has one step to a place before a block.
        let mine = [20, 16, 12, 8].map(|point| (point, 1));
        let theirs = [7, 11, 15, 19].map(|point| (point, 2));
        let four = Position::from_points(&mine, &theirs, 15).unwrap();
        let play = forced(&four, Dice::new(1, 1).unwrap()).unwrap();
        assert_eq!(play.to_string(), "20/19 16/15 12/11 8/7");
    }
}
