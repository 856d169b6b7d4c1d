//! What self-play, learner, evaluator and arena need to know of a game.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use rand::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::match_state::WinKind;
use crate::outcome::Outcome;

/// A two-player, zero-sum game of dice and checkers.
///
/// A [`State`](Self::State) is always seen from the player on roll, before the roll; a play
/// leads to a state seen by the other player, who is then on roll. A value of the type carries
/// the options of the game, so two games with other options are different values with other
/// [`id`](Self::id)s, and a network trained for one refuses the other.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// A position with everything that the rules need, from the player on roll.
    type State: Copy + Eq + Hash + Debug + Send + Sync + Serialize + DeserializeOwned + 'static;
    /// What the dice show.
    type Roll: Copy
        + Eq
        + Hash
        + Debug
        + Display
        + Send
        + Sync
        + Serialize
        + DeserializeOwned
        + 'static;

    /// Stable name of the game and its options, as stored in weights and records, for example
    /// `backgammon` or `hypergammon`.
    fn id(&self) -> String;

    /// The position at the start, from the player who begins.
    fn start(&self) -> Self::State;

    /// A random first roll; the player who begins plays it.
    fn opening_roll(&self, rng: &mut impl Rng) -> Self::Roll;

    /// A random later roll.
    fn roll(&self, rng: &mut impl Rng) -> Self::Roll;

    /// The different rolls with their weights; probabilities are weights over
    /// [`Self::TOTAL_WEIGHT`].
    fn rolls(&self) -> &'static [(Self::Roll, u8)];

    /// The sum of the weights in [`rolls`](Self::rolls).
    const TOTAL_WEIGHT: u32;

    /// Appends every distinct state that `roll` can lead to, each once, seen by the opponent,
    /// who is then on roll. There is always at least one: a player who can't move passes.
    ///
    /// `state` must not be finished.
    fn afterstates(
        &self,
        state: &Self::State,
        roll: Self::Roll,
        afterstates: &mut Vec<Self::State>,
    );

    /// This state as the other player sees it, who is now on roll.
    fn flip(&self, state: &Self::State) -> Self::State;

    /// How the game has ended, from the player on roll; `None` while it goes on.
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;

    /// The most that a game can be won by.
    fn largest_win(&self) -> WinKind {
        WinKind::Backgammon
    }

    /// Whether counting alone shows that the player who led to the afterstate `a` is not worse off
    /// than after `b`, whatever an evaluator says of the two.
    fn surpasses(&self, a: &Self::State, b: &Self::State) -> bool {
        let _ = (a, b);
        false
    }

    /// What each of the [`cells`](Self::cells) means.
    fn layout(&self) -> &'static [Cell];

    /// The state as small integers, one for each cell of the [`layout`](Self::layout), for
    /// encoders. A state may add padding, which stays zero.
    fn cells(state: &Self::State) -> &[i8];

    /// The numbers by which identities of files, seeded noise and the random player tell states
    /// apart: the [`cells`](Self::cells), with padding or without.
    fn identity_cells<'a>(&self, state: &'a Self::State) -> &'a [i8] {
        Self::cells(state)
    }
}

/// One place where checkers stand, or another small number that the rules need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What the number means.
    pub kind: CellKind,
    /// Smallest possible number; below zero counts the opponent's checkers.
    pub min: i8,
    /// Largest possible number; above zero counts the checkers of the player on roll.
    pub max: i8,
}

/// The kinds of [`Cell`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// A point or field of the board.
    Point,
    /// Checkers that wait to enter: bar or hand.
    Waiting,
    /// Checkers that have left the board for good.
    Off,
    /// Anything else: a flag, a counter.
    Counter,
    /// A number of which only the size matters, derived from other cells.
    Measure,
}
