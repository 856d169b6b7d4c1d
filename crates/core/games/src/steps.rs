//! Single moves, and the ways to use several dice.

use std::fmt;
use std::ops::ControlFlow;

use crate::dice::TablesDice;
use crate::distinct::{DedupSet, Entry, Turn};
use crate::engine::PlayedTurns;
use crate::plays::OldPlay;
use crate::rules::{DiceOrder, Exit, Goal, HandRule, HitTo, LockRule, Rules};
use crate::state::{
    BAR, CHECKERS, HAND, MARKED, MARKED_OFF, OFF, OPPONENT_BAR, OPPONENT_HAND, OldState,
};

/// Where a checker comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// It has not been on the board yet, or waits with those that have not.
    Hand,
    /// It was hit.
    Bar,
    /// A point, 1 to 24.
    Point(u8),
}

/// Where a checker goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A point, 1 to 24.
    Point(u8),
    /// Off the board for good.
    Off,
}

/// What kind of checker moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckerKind {
    /// An ordinary one.
    Plain,
    /// One that is marked.
    Marked,
}

/// A move of one checker by one die, in the numbering of its owner; in ludus of one or several that
/// stand together, by the sum of some dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OldStep {
    /// Where it comes from.
    pub from: Origin,
    /// Where it goes.
    pub to: Target,
    /// Which kind it is.
    pub checker: CheckerKind,
    /// How many checkers.
    pub count: u8,
    /// Whether it hits there.
    pub hit: bool,
}

impl OldStep {
    /// An ordinary checker that hits nothing.
    pub(crate) const fn plain(from: Origin, to: Target) -> Self {
        Self { from, to, checker: CheckerKind::Plain, count: 1, hit: false }
    }
}

/// `hand-5`, `bar-3*`, `1-7(2)*`, `m18-21`, `20-off`: a star for a hit, `m` for a marked checker.
impl fmt::Display for OldStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (CheckerKind::Marked, Origin::Point(_)) = (self.checker, self.from) {
            f.write_str("m")?;
        }
        match self.from {
            Origin::Hand => f.write_str("hand")?,
            Origin::Bar => f.write_str("bar")?,
            Origin::Point(point) => write!(f, "{point}")?,
        }
        match self.to {
            Target::Point(point) => write!(f, "-{point}")?,
            Target::Off => f.write_str("-off")?,
        }
        if self.count > 1 {
            write!(f, "({})", self.count)?;
        }
        f.write_str(if self.hit { "*" } else { "" })
    }
}

/// What is remembered of how a turn came about.
pub(crate) trait MoveTrace: Copy + Default {
    /// One more step.
    fn push(&mut self, step: OldStep);

    /// What is remembered of a whole play.
    fn of(play: &OldPlay) -> Self;
}

/// Nothing.
impl MoveTrace for () {
    #[inline]
    fn push(&mut self, _: OldStep) {}

    #[inline]
    fn of(_: &OldPlay) {}
}

/// Which rules the dice follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dice {
    /// The usual ones.
    Free,
    /// Those of a first turn: every die enters a checker.
    First,
}

/// The most dice of a roll that are played in any order.
const MOST_DICE: usize = 3;

/// Captives that lose the game before a row of six (E-08, historical).
const PRIME_CAPTIVES: i8 = 4;

impl Rules {
    /// Whether a checker of the player on roll may land on a point, 1 to 24.
    #[inline]
    pub(crate) fn may_land(&self, state: &OldState, point: usize) -> bool {
        let there = state.cells[point];
        if there > 0
            && let Some(cap) = self.cap
            && (usize::from(cap.from)..=usize::from(cap.to)).contains(&point)
        {
            return there < cap.most;
        }
        if self.marked > 0 { there >= 0 && state.marked(point) >= -1 } else { there >= -1 }
    }

    /// Whether some step is possible with this die.
    pub(crate) fn can_step<T: MoveTrace>(&self, turn: &Turn<T>, kind: Dice, die: usize) -> bool {
        self.each_step(turn, kind, die, |_| ControlFlow::Break(())).is_break()
    }

    /// Calls `step` with every step that is possible with this die, until it breaks off.
    pub(crate) fn each_step<T: MoveTrace>(
        &self,
        turn: &Turn<T>,
        kind: Dice,
        die: usize,
        mut step: impl FnMut(OldStep) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let state = &turn.state;
        let cells = &state.cells;
        let entry = |from, checker| OldStep {
            from,
            to: Target::Point(die as u8),
            checker,
            count: 1,
            hit: self.is_hit(state, die),
        };
        let may_enter = self.may_land(state, die);
        if cells[BAR] > 0 {
            if may_enter {
                let checker =
                    if self.marked > 0 { CheckerKind::Marked } else { CheckerKind::Plain };
                return step(entry(Origin::Bar, checker));
            }
            return ControlFlow::Continue(());
        }
        let mut last = 24;
        if cells[HAND] > 0 {
            if may_enter {
                step(entry(Origin::Hand, CheckerKind::Plain))?;
            }
            match self.hand {
                HandRule::BeforeLeaving => last = 6,
                HandRule::BeforeMoving => return ControlFlow::Continue(()),
                HandRule::WherePossible if may_enter => return ControlFlow::Continue(()),
                HandRule::WherePossible => {}
            }
        }
        if kind == Dice::First {
            return ControlFlow::Continue(());
        }
        for from in 1..=24 {
            let here = state.plain(from);
            let plain = here > 0 && (self.order == DiceOrder::Free || here > turn.moved_on(from));
            let marked = self.marked > 0 && state.marked(from) > 0;
            if !plain && !marked {
                continue;
            }
            for (there, checker) in [(plain, CheckerKind::Plain), (marked, CheckerKind::Marked)] {
                if !there {
                    continue;
                }
                let to = from + die;
                if to <= 24 {
                    if to <= last && self.may_land(state, to) {
                        step(OldStep {
                            from: Origin::Point(from as u8),
                            to: Target::Point(to as u8),
                            checker,
                            count: 1,
                            hit: self.is_hit(state, to),
                        })?;
                    }
                } else if last == 24 && self.may_leave(state, from, to, checker) {
                    let from = Origin::Point(from as u8);
                    step(OldStep { checker, ..OldStep::plain(from, Target::Off) })?;
                }
            }
            // What follows can't leave 1 to 6 either.
            if from >= last {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether a checker hits that lands on an open point.
    #[inline]
    fn is_hit(&self, state: &OldState, point: usize) -> bool {
        if self.marked > 0 { state.marked(point) == -1 } else { state.cells[point] == -1 }
    }

    /// Whether a checker on `from` that a die takes to `to`, beyond 24, may leave the board. Bar
    /// and hand do not forbid it.
    fn may_leave(&self, state: &OldState, from: usize, to: usize, checker: CheckerKind) -> bool {
        let cells = &state.cells;
        let is_empty = |points: std::ops::RangeInclusive<usize>| {
            points
                .into_iter()
                .all(|point| cells[point] <= 0 && (self.marked == 0 || state.marked(point) <= 0))
        };
        match self.exit {
            Exit::Home => is_empty(1..=18) && (to == 25 || is_empty(19..=from - 1)),
            Exit::LastPoint => is_empty(1..=23),
            Exit::Passing => true,
            Exit::AnyTime => {
                let marked_home = || (1..=18).all(|point| state.marked(point) <= 0);
                (checker == CheckerKind::Plain || marked_home())
                    && (to == 25 || is_empty(1..=from - 1))
            }
        }
    }

    /// The turn after a step that [`Self::each_step`] has found.
    pub(crate) fn play<T: MoveTrace>(&self, turn: &Turn<T>, step: OldStep) -> Turn<T> {
        let mut next = *turn;
        let cells = &mut next.state.cells;
        let index = |point: u8| match step.checker {
            CheckerKind::Plain => usize::from(point),
            CheckerKind::Marked => MARKED - 1 + usize::from(point),
        };
        match step.from {
            Origin::Hand => cells[HAND] -= 1,
            Origin::Bar => cells[BAR] -= 1,
            Origin::Point(point) => cells[index(point)] -= 1,
        }
        match step.to {
            Target::Off => {
                cells[if step.checker == CheckerKind::Marked { MARKED_OFF } else { OFF }] += 1;
            }
            Target::Point(point) => {
                if step.hit {
                    let place = usize::from(point);
                    cells[if self.marked > 0 { MARKED - 1 + place } else { place }] = 0;
                    match self.hit_to {
                        HitTo::Bar => cells[OPPONENT_BAR] -= 1,
                        HitTo::Hand => cells[OPPONENT_HAND] -= 1,
                    }
                }
                cells[index(point)] += 1;
                if self.order == DiceOrder::LowFirst {
                    next.mark_moved(point);
                }
            }
        }
        next.trail.push(step);
        next
    }

    /// Whether a side with these checkers off has won by bearing off.
    pub(crate) const fn is_off(&self, off: i8, marked_off: i8) -> bool {
        match (self.goal, self.marked) {
            (Goal::Marked, marked) => marked_off == marked,
            (Goal::All, 0) => off == CHECKERS as i8,
            (Goal::All, _) => off + marked_off == CHECKERS as i8,
        }
    }

    /// Whether the opponent has as many captives as lose, and the player on roll holds six points
    /// in a row (E-08, historical).
    pub(crate) fn is_prime(&self, state: &OldState) -> bool {
        let cells = &state.cells;
        self.lock == LockRule::Prime
            && cells[OPPONENT_BAR] <= -PRIME_CAPTIVES
            && cells[1..=24].windows(6).any(|six| six.iter().all(|&count| count >= 2))
    }

    /// Whether the player on roll, in the middle of a turn, has won: then no further die is played.
    pub(crate) fn is_won(&self, state: &OldState) -> bool {
        self.is_off(state.cells[OFF], state.cells[MARKED_OFF]) || self.is_prime(state)
    }

    /// All turns after one more die; those that have won are over.
    fn extend<T: MoveTrace>(
        &self,
        turns: &[Turn<T>],
        kind: Dice,
        die: u8,
        found: &mut DedupSet<Turn<T>>,
    ) {
        for turn in turns.iter().filter(|turn| !self.is_won(&turn.state)) {
            let all = self.each_step(turn, kind, usize::from(die), |step| {
                found.insert(self.play(turn, step));
                ControlFlow::Continue(())
            });
            debug_assert!(all.is_continue());
        }
    }

    /// What each subset of the dice leads to, with the subset as a mask of indices. Of equal dice
    /// the first ones are taken, so that every choice of numbers comes once.
    pub(crate) fn every_subset<T: MoveTrace>(
        &self,
        turn: Turn<T>,
        kind: Dice,
        dice: &[u8],
    ) -> Vec<(usize, Vec<Turn<T>>)> {
        debug_assert!(dice.len() <= MOST_DICE);
        let mut sets: [DedupSet<Turn<T>>; 1 << MOST_DICE] =
            std::array::from_fn(|_| DedupSet::new());
        sets[0].insert(turn);
        // A mask is larger than all its subsets, so these are complete when it is used.
        for mask in 0..1usize << dice.len() {
            if sets[mask].is_empty() {
                continue;
            }
            for (i, &die) in dice.iter().enumerate() {
                let is_next = |&j: &usize| dice[j] == die && mask & (1 << j) == 0;
                if (0..dice.len()).find(is_next) == Some(i) {
                    let (done, rest) = sets.split_at_mut(mask + 1);
                    let target = &mut rest[(mask | 1 << i) - mask - 1];
                    self.extend(done[mask].as_slice(), kind, die, target);
                }
            }
        }
        let found = sets.into_iter().map(DedupSet::into_vec).enumerate();
        found.filter(|(_, turns)| !turns.is_empty()).collect()
    }

    /// Plays as many dice as possible, and then as many pips, in any order (T-12); a way that wins
    /// always counts.
    pub(crate) fn most_dice<T: MoveTrace>(
        &self,
        turn: Turn<T>,
        kind: Dice,
        dice: &[u8],
    ) -> PlayedTurns<T> {
        let used = |mask: usize| {
            dice.iter().enumerate().filter(move |(i, _)| mask & (1 << i) != 0).map(|(_, &die)| die)
        };
        let mut subsets = self.every_subset(turn, kind, dice);
        let key =
            |&(mask, _): &(usize, _)| (mask.count_ones(), used(mask).map(u32::from).sum::<u32>());
        let best = (0..subsets.len())
            .max_by_key(|&at| key(&subsets[at]))
            .expect("to play no dice is always possible");
        let (mask, mut turns) = subsets.swap_remove(best);
        for turn in subsets.into_iter().flat_map(|(_, turns)| turns) {
            if self.is_won(&turn.state) && !turns.iter().any(|other| other.is_same(&turn)) {
                turns.push(turn);
            }
        }
        let unused = (0..dice.len()).filter(|i| mask & (1 << i) == 0).map(|i| dice[i]).collect();
        PlayedTurns { turns, played: mask.count_ones() as usize, unused }
    }

    /// Plays the dice in the order of Puff, as many as possible (P-06, P-07).
    pub(crate) fn in_order<T: MoveTrace>(&self, turn: Turn<T>, dice: TablesDice) -> PlayedTurns<T> {
        let (high, low) = (dice.numbers()[0], dice.numbers()[1]);
        let double = [low, low, 7 - low, 7 - low];
        let order = if high == low { &double[..] } else { &[low, high] };
        let mut turns = vec![turn];
        for (played, &die) in order.iter().enumerate() {
            let mut next = DedupSet::new();
            self.extend(&turns, Dice::Free, die, &mut next);
            if next.is_empty() {
                return PlayedTurns { turns, played, unused: order[played..].to_vec() };
            }
            turns = next.into_vec();
        }
        PlayedTurns { turns, played: order.len(), unused: Vec::new() }
    }
}
