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
mod registry;
mod walk;

use std::fmt::{self, Debug, Display};
use std::hash::Hash;

use rand::{Rng, RngExt};
use tavola_net::Interface;
use tavola_rules::board::RoundView;
use tavola_rules::chouette::DiceOrder;
use tavola_rules::notation::Quoted;
use tavola_rules::{Cell, dice_digits};

pub use self::astronomy::{Astronomy, AstronomyOptions, AstronomyState};
pub use self::four_seasons::{
    FourSeasons, FourSeasonsOptions, FourSeasonsState, SeasonDice, SeasonSides,
};
pub use self::player::{ManyEvaluator, ManyPlayer, NetworkPlayer, RandomPlayer, RuleBasedPlayer};
pub use self::registry::AnyManyGame;

/// A game of dice and checkers for more than two players, each for themselves.
pub trait ManyGame: Clone + Debug + Send + Sync + 'static {
    /// A position with everything that the rules need. Seats are numbered from 0 in turn order.
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// How many play.
    const PLAYERS: usize;

    /// Stable name of the game and its options.
    fn id(&self) -> String;

    /// The seats in the order of a die each, which those who tie throw again; the first begins,
    /// and the others follow it in turn order.
    fn throw_for_start(&self, rng: &mut impl Rng) -> DiceOrder {
        let sides = self.rolls_of_a_turn().into_iter().flat_map(|(roll, _)| roll.numbers).max();
        DiceOrder::throw(Self::PLAYERS, sides.unwrap_or(6), rng)
    }

    /// The position at the start, before the first roll of this seat.
    fn start(&self, first: usize) -> Self::State;

    /// Every roll, each with the number of ways in which the dice fall so.
    fn rolls_of_a_turn(&self) -> Vec<(ThreeDice, u32)>;

    /// A random roll.
    fn roll(&self, rng: &mut impl Rng) -> ThreeDice;

    /// The seat that decides next.
    fn on_roll(&self, state: &Self::State) -> usize;

    /// Whether that seat rolls now; if not, it decides without a roll.
    fn rolls(&self, state: &Self::State) -> bool;

    /// Appends every distinct state that can follow, each once; `roll` is there exactly where
    /// [`rolls`](Self::rolls) says so. There is always at least one.
    fn results(&self, state: &Self::State, roll: Option<ThreeDice>, results: &mut Vec<Self::State>);

    /// The [`results`](Self::results), each with a play that leads to it in words: places as the
    /// player counts them, `*` behind each at which another's checker is hit.
    fn plays(&self, state: &Self::State, roll: Option<ThreeDice>) -> Vec<(String, Self::State)>;

    /// The board with all that is beside it, and with the roll if there is one.
    fn board(&self, state: &Self::State, roll: Option<ThreeDice>) -> RoundView;

    /// What a seat calls a cell of the board in its plays; `None` where its checkers never stand.
    fn number(&self, seat: usize, at: usize) -> Option<usize>;

    /// The roll of another that the seat which decides may use, where there is one.
    fn offered(&self, _: &Self::State) -> Option<ThreeDice> {
        None
    }

    /// The rules in a few sentences.
    fn brief(&self) -> &'static str;

    /// What each of the [`cells`](Self::cells) means.
    fn layout(&self) -> &'static [Cell];

    /// Writes the state as small integers, one for each cell of the layout, as a seat sees it:
    /// seats and cells are counted from there. `cells` is cleared first.
    fn cells(&self, state: &Self::State, seat: usize, cells: &mut Vec<i8>);

    /// What each player brings into the game, and can lose. What all bring in is shared out at the
    /// end, and a network learns the shares.
    fn stake(&self) -> f32;

    /// What the networks of the game take and give.
    fn interface(&self) -> Interface {
        Interface { game: self.id(), layout: self.layout(), outputs: Self::PLAYERS }
    }

    /// The share of all stakes that a payoff amounts to.
    fn share(&self, payoff: f32) -> f32 {
        (payoff + self.stake()) / (self.stake() * Self::PLAYERS as f32)
    }

    /// The payoff that a share of all stakes amounts to.
    fn payoff(&self, share: f32) -> f32 {
        share * self.stake() * Self::PLAYERS as f32 - self.stake()
    }

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

/// A roll of two or three dice with six or seven sides, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreeDice {
    /// The numbers; 0 where there is no third die.
    numbers: [u8; 3],
}

/// A text that is no roll.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is not a roll, expected {} dice from 1 to {sides} such as {}",
    Quoted::from(.input.as_str()),
    if *.count == 2 { "two" } else { "three" },
    if *.count == 2 { "5-3" } else { "5-3-2" }
)]
pub struct ThreeDiceError {
    input: String,
    count: usize,
    sides: u8,
}

impl ThreeDice {
    /// Fair dice, two or three.
    fn roll(count: usize, sides: u8, rng: &mut impl Rng) -> Self {
        let mut numbers = [0; 3];
        numbers[..count].fill_with(|| rng.random_range(1..=sides));
        Self::sorted(numbers)
    }

    fn sorted(mut numbers: [u8; 3]) -> Self {
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        Self { numbers }
    }

    /// The numbers, highest first.
    pub const fn numbers(&self) -> &[u8] {
        if self.numbers[2] == 0 { self.numbers.split_at(2).0 } else { &self.numbers }
    }

    /// Every roll of such dice, each with the number of ways in which they fall so.
    pub fn all(count: usize, sides: u8) -> Vec<(Self, u32)> {
        let mut ways = std::collections::BTreeMap::new();
        let third = if count == 3 { 1..=sides } else { 0..=0 };
        for a in 1..=sides {
            for b in 1..=sides {
                for c in third.clone() {
                    *ways.entry(Self::sorted([a, b, c])).or_default() += 1;
                }
            }
        }
        ways.into_iter().collect()
    }

    /// A number `count` of [digits](dice_digits), from 1 to the number of sides.
    fn parse(text: &str, count: usize, sides: u8) -> Result<Self, ThreeDiceError> {
        let fits = |digits: &Vec<u8>| {
            digits.len() == count && digits.iter().all(|digit| (1..=sides).contains(digit))
        };
        let digits = dice_digits(text).filter(fits);
        let digits =
            digits.ok_or_else(|| ThreeDiceError { input: text.to_owned(), count, sides })?;
        let mut numbers = [0; 3];
        numbers[..count].copy_from_slice(&digits);
        Ok(Self::sorted(numbers))
    }
}

impl Display for ThreeDice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers().iter().map(u8::to_string).collect();
        f.write_str(&numbers.join("-"))
    }
}
