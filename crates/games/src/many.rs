//! Games for more than two players, each for themselves.
//!
//! They share no trait with the games for two, whose states are seen by the player on roll and whose
//! values change their sign with the turn. Here a state has seats, and what it is worth is one number
//! for each of them. So the games for two pay nothing for these.
//!
//! ```
//! use tavola_games::many::{FourSeasons, ManyGame};
//!
//! let game = FourSeasons::default();
//! let state = game.start(0);
//! let mut results = Vec::new();
//! game.results(&state, Some(game.parse_roll("2-5-5")?), &mut results);
//! assert_eq!(results.len(), 1);
//! assert_eq!(game.write_state(&results[0]), "hand:12 / hand:12 / hand:12 / 2:1 5:2 hand:9");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod astronomy;
mod four_seasons;
mod player;

use std::collections::HashSet;
use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use rand::{Rng, RngExt};

pub use self::astronomy::{Astronomy, AstronomyState};
pub use self::four_seasons::{FourSeasons, FourSeasonsState};
pub use self::player::{ManyPlayer, RandomPlayer, RuleBasedPlayer};

/// A game of dice and checkers for several players, each for themselves.
pub trait ManyGame: Clone + Debug + Send + Sync + 'static {
    /// A position with everything that the rules need. Seats are numbered from 0 in turn order.
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// How many play.
    const PLAYERS: usize;

    /// Stable name of the game and its options.
    fn id(&self) -> String;

    /// The position at the start, before the first roll of this seat.
    fn start(&self, first: usize) -> Self::State;

    /// A random roll.
    fn roll(&self, rng: &mut impl Rng) -> ThreeDice;

    /// The seat that decides next.
    fn on_roll(&self, state: &Self::State) -> usize;

    /// Whether that seat rolls now; if not, it decides without a roll.
    fn rolls(&self, state: &Self::State) -> bool;

    /// Appends every distinct state that can follow, each once; `roll` is there exactly where
    /// [`rolls`](Self::rolls) says so. There is always at least one.
    fn results(&self, state: &Self::State, roll: Option<ThreeDice>, results: &mut Vec<Self::State>);

    /// What each seat has won, once the game is over; the sum is 0.
    fn payoffs(&self, state: &Self::State) -> Option<Vec<f32>>;

    /// How well a seat stands by rules of thumb: more is better, and comparable between states of
    /// the same game alone.
    fn standing(&self, state: &Self::State, seat: usize) -> f32;

    /// Reads a position.
    ///
    /// # Errors
    ///
    /// [`PositionTextError`](crate::PositionTextError) says what is wrong with it.
    fn parse_state(&self, text: &str) -> Result<Self::State, crate::PositionTextError>;

    /// Writes a position so that [`parse_state`](Self::parse_state) reads it.
    fn write_state(&self, state: &Self::State) -> String;

    /// Reads a roll.
    ///
    /// # Errors
    ///
    /// [`ThreeDiceError`].
    fn parse_roll(&self, text: &str) -> Result<ThreeDice, ThreeDiceError>;
}

/// A roll of three dice with six or seven sides, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreeDice([u8; 3]);

/// A text that is no roll.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{input:?} is not a roll, expected three dice from 1 to {sides} such as 5-3-2")]
pub struct ThreeDiceError {
    input: String,
    sides: u8,
}

impl ThreeDice {
    /// Fair dice.
    fn roll(sides: u8, rng: &mut impl Rng) -> Self {
        Self::sorted(std::array::from_fn(|_| rng.random_range(1..=sides)))
    }

    fn sorted(mut numbers: [u8; 3]) -> Self {
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        Self(numbers)
    }

    /// The numbers, highest first.
    pub const fn numbers(&self) -> &[u8; 3] {
        &self.0
    }

    fn parse(text: &str, sides: u8) -> Result<Self, ThreeDiceError> {
        let dice: Option<Self> = text.parse().ok();
        let fits = |dice: &Self| dice.0.iter().all(|number| (1..=sides).contains(number));
        dice.filter(fits).ok_or_else(|| ThreeDiceError { input: text.to_owned(), sides })
    }
}

impl Display for ThreeDice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.0;
        write!(f, "{a}-{b}-{c}")
    }
}

impl FromStr for ThreeDice {
    type Err = ();

    /// Digits, together or with single separators between them.
    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.trim();
        let digits: Vec<u8> =
            text.chars().filter_map(|c| c.to_digit(10)).map(|digit| digit as u8).collect();
        let is_plain = text.len() == 3;
        let is_separated =
            text.len() == 5 && text.chars().skip(1).step_by(2).all(|c| "-, /".contains(c));
        match <[u8; 3]>::try_from(digits) {
            Ok(numbers) if is_plain || is_separated => Ok(Self::sorted(numbers)),
            _ => Err(()),
        }
    }
}

/// Every way to use some of the dice one by one, by how many are used: the states that differ, each
/// with the dice that are left.
fn uses<S: Clone + Eq + Hash>(
    state: &S,
    dice: &[u8],
    step: impl Fn(&S, u8, &mut Vec<S>),
) -> Vec<Vec<(Vec<u8>, S)>> {
    let mut levels = vec![vec![(dice.to_vec(), state.clone())]];
    loop {
        let (mut next, mut seen, mut found) = (Vec::new(), HashSet::new(), Vec::new());
        for (left, state) in levels.last().expect("there is a first level") {
            for (i, &die) in left.iter().enumerate() {
                if left[..i].contains(&die) {
                    continue;
                }
                let mut others = left.clone();
                others.remove(i);
                step(state, die, &mut found);
                for after in found.drain(..) {
                    if seen.insert((others.clone(), after.clone())) {
                        next.push((others.clone(), after));
                    }
                }
            }
        }
        if next.is_empty() {
            return levels;
        }
        levels.push(next);
    }
}

/// The states that use the most dice, and of these the most pips; `None` if no die can be used.
fn most_dice<S: Clone + Eq + Hash>(
    state: &S,
    dice: &[u8],
    step: impl Fn(&S, u8, &mut Vec<S>),
) -> Option<Vec<S>> {
    let mut levels = uses(state, dice, step);
    let last = levels.pop().expect("there is a first level");
    if levels.is_empty() {
        return None;
    }
    let left = |dice: &[u8]| dice.iter().map(|&die| u32::from(die)).sum::<u32>();
    let fewest = last.iter().map(|(dice, _)| left(dice)).min()?;
    let (mut states, mut seen) = (Vec::new(), HashSet::new());
    for (dice, state) in last {
        if left(&dice) == fewest && seen.insert(state.clone()) {
            states.push(state);
        }
    }
    Some(states)
}
