//! Dice used one by one: what can be reached, and by which moves.

use std::fmt::{self, Display};
use std::hash::{Hash, Hasher};

use rustc_hash::FxHashSet;

/// A place of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the hand, before the first entry.
    Hand,
    /// Removed, to enter again.
    Bar,
    /// A cell by its number.
    Cell(usize),
    /// Borne off.
    Off,
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hand => f.write_str("hand"),
            Self::Bar => f.write_str("bar"),
            Self::Cell(number) => number.fmt(f),
            Self::Off => f.write_str("off"),
        }
    }
}

/// The move of one checker by one die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: Place,
    pub(super) to: Place,
    /// Whether the checker of another player was there.
    pub(super) hits: bool,
}

impl Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}{}", self.from, self.to, if self.hits { "*" } else { "" })
    }
}

/// What walks from state to state: a state alone, or one that remembers how it came there.
pub(super) trait Walk<S>: Clone + Eq + Hash {
    fn state(&self) -> &S;

    fn state_mut(&mut self) -> &mut S;

    /// One step further.
    fn then(&self, step: Step, after: S) -> Self;
}

impl<S: Clone + Eq + Hash> Walk<S> for S {
    fn state(&self) -> &S {
        self
    }

    fn state_mut(&mut self) -> &mut S {
        self
    }

    fn then(&self, _: Step, after: S) -> Self {
        after
    }
}

/// A state with the steps that led to it. Two are equal where the states are.
#[derive(Clone, Debug)]
pub(super) struct Traced<S> {
    pub(super) state: S,
    steps: Vec<Step>,
}

impl<S> Traced<S> {
    pub(super) const fn new(state: S) -> Self {
        Self { state, steps: Vec::new() }
    }

    /// The steps in words, or `otherwise` if there is none.
    pub(super) fn words(&self, otherwise: &str) -> String {
        let words: Vec<String> = self.steps.iter().map(ToString::to_string).collect();
        if words.is_empty() { otherwise.to_owned() } else { words.join(" ") }
    }
}

impl<S: PartialEq> PartialEq for Traced<S> {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

impl<S: Eq> Eq for Traced<S> {}

impl<S: Hash> Hash for Traced<S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}

impl<S: Clone + Eq + Hash> Walk<S> for Traced<S> {
    fn state(&self) -> &S {
        &self.state
    }

    fn state_mut(&mut self) -> &mut S {
        &mut self.state
    }

    fn then(&self, step: Step, after: S) -> Self {
        let steps = self.steps.iter().copied().chain([step]).collect();
        Self { state: after, steps }
    }
}

/// Every way to use some of the dice one by one, by how many are used: the states that differ, each
/// with the dice that are left. `step` gives every move of a die.
pub(super) fn uses<S, W: Walk<S>>(
    start: &W,
    dice: &[u8],
    step: impl Fn(&S, u8, &mut dyn FnMut(Step, S)),
) -> Vec<Vec<(Vec<u8>, W)>> {
    let mut levels = vec![vec![(dice.to_vec(), start.clone())]];
    loop {
        let (mut next, mut seen) = (Vec::new(), FxHashSet::default());
        for (left, walk) in levels.last().expect("there is a first level") {
            for (i, &die) in left.iter().enumerate() {
                if left[..i].contains(&die) {
                    continue;
                }
                let mut others = left.clone();
                others.remove(i);
                step(walk.state(), die, &mut |step, after| {
                    let after = walk.then(step, after);
                    if seen.insert((others.clone(), after.clone())) {
                        next.push((others.clone(), after));
                    }
                });
            }
        }
        if next.is_empty() {
            return levels;
        }
        levels.push(next);
    }
}

/// The states that use the most dice, and of these the most pips, and those that end the game;
/// `None` if no die can be used.
pub(super) fn most_dice<S, W: Walk<S>>(
    start: &W,
    dice: &[u8],
    step: impl Fn(&S, u8, &mut dyn FnMut(Step, S)),
    is_won: impl Fn(&S) -> bool,
) -> Option<Vec<W>> {
    let mut levels = uses(start, dice, step);
    let last = levels.pop().expect("there is a first level");
    if levels.is_empty() {
        return None;
    }
    let left = |dice: &[u8]| dice.iter().map(|&die| u32::from(die)).sum::<u32>();
    let fewest = last.iter().map(|(dice, _)| left(dice)).min()?;
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    let last = last.into_iter().filter(|(dice, _)| left(dice) == fewest);
    let won = levels.into_iter().flatten().filter(|(_, walk)| is_won(walk.state()));
    for (_, walk) in last.chain(won) {
        if seen.insert(walk.clone()) {
            found.push(walk);
        }
    }
    Some(found)
}
