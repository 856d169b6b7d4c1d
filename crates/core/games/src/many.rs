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

use std::fmt::Debug;
use std::hash::Hash;

use rand::Rng;
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
use crate::dice::TablesDice;

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
        DiceOrder::throw(Self::PLAYERS, self.dice().1, rng)
    }

    /// The position at the start, before the first roll of this seat.
    fn start(&self, first: usize) -> Self::State;

    /// How many dice a roll has, two or three, and how many sides they have.
    fn dice(&self) -> (usize, u8);

    /// Every roll, each with the number of ways in which the dice fall so.
    fn rolls_of_a_turn(&self) -> Vec<(TablesDice, u32)> {
        let (count, sides) = self.dice();
        TablesDice::all(count, sides)
    }

    /// A random roll.
    fn roll(&self, rng: &mut impl Rng) -> TablesDice {
        let (count, sides) = self.dice();
        TablesDice::roll(count, sides, rng)
    }

    /// The seat that decides next.
    fn on_roll(&self, state: &Self::State) -> usize;

    /// Whether that seat rolls now; if not, it decides without a roll.
    fn rolls(&self, state: &Self::State) -> bool;

    /// Appends every distinct state that can follow, each once; `roll` is there exactly where
    /// [`rolls`](Self::rolls) says so. There is always at least one.
    fn results(
        &self,
        state: &Self::State,
        roll: Option<TablesDice>,
        results: &mut Vec<Self::State>,
    );

    /// The [`results`](Self::results), each with a play that leads to it in words: places as the
    /// player counts them, `*` behind each at which another's checker is hit.
    fn plays(&self, state: &Self::State, roll: Option<TablesDice>) -> Vec<(String, Self::State)>;

    /// The board with all that is beside it, and with the roll if there is one.
    fn board(&self, state: &Self::State, roll: Option<TablesDice>) -> RoundView;

    /// What a seat calls a cell of the board in its plays; `None` where its checkers never stand.
    fn number(&self, seat: usize, at: usize) -> Option<usize>;

    /// The roll of another that the seat which decides may use, where there is one.
    fn offered(&self, _: &Self::State) -> Option<TablesDice> {
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

    /// Reads a roll: as many [digits](dice_digits) as there are dice, from 1 to the number of sides.
    ///
    /// # Errors
    ///
    /// [`ManyDiceError`].
    fn parse_roll(&self, text: &str) -> Result<TablesDice, ManyDiceError> {
        let (count, sides) = self.dice();
        let fits = |digits: &Vec<u8>| {
            digits.len() == count && digits.iter().all(|digit| (1..=sides).contains(digit))
        };
        match dice_digits(text).filter(fits) {
            Some(digits) => Ok(TablesDice::sorted(&digits)),
            None => Err(ManyDiceError { input: text.to_owned(), count, sides }),
        }
    }
}

/// A text that is no roll.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is not a roll, expected {} dice from 1 to {sides} such as {}",
    Quoted::from(.input.as_str()),
    if *.count == 2 { "two" } else { "three" },
    if *.count == 2 { "5-3" } else { "5-3-2" }
)]
pub struct ManyDiceError {
    input: String,
    count: usize,
    sides: u8,
}
