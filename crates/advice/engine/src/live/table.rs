//! What a running game asks of the family of games that it belongs to, and the advice that comes
//! back.

use rand::rngs::ChaCha8Rng;
use schemars::JsonSchema;
use serde::Serialize;
use tavola_rules::board::Board;

use super::{Action, Awaited, ChouetteTable, GameBoard, LiveError, MatchTable, Setup};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::many::{ManyEvaluation, ManyPlays};
use crate::operations::{BestAnswer, CubeAnswer, EvalAnswer, Operation};
use crate::question::Question;
use crate::watch::Watch;

/// Advice on the decision of the user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum Hint {
    /// The plays of the roll, best first.
    Plays(Box<BestAnswer>),
    /// The plays of the roll in a game for more than two, best first, with a number for each seat.
    Seats(ManyPlays),
    /// To double or not, or the answer to a double; the figures are those of the doubler.
    Cube(Box<CubeAnswer>),
    /// Whether to accept a resignation.
    Resignation {
        /// To accept it, and not to play on.
        accept: bool,
    },
    /// Whether to give or take an extra in a chouette.
    Extra {
        /// Points that it wins for who gives it; who takes it loses them.
        worth: f64,
    },
    /// There is nothing to decide.
    Nothing,
}

/// What a position is worth before the roll.
#[derive(Clone, Debug)]
pub enum PositionValue {
    /// To the player on roll.
    Two(EvalAnswer),
    /// To the seat that decides next, and to the others in turn order.
    Seats(ManyEvaluation),
}

/// An action that loses equity.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Mistake {
    /// The action in words.
    pub chosen: String,
    /// The best one.
    pub better: String,
    /// Equity lost, in a match EMG.
    pub loss: f64,
}

impl Mistake {
    /// What GNU Backgammon marks as doubtful since 2019.
    const DOUBTFUL: f64 = 0.03;

    /// What the play that was asked about loses against the best one.
    pub(super) fn of(answer: BestAnswer) -> Option<Self> {
        answer.played.zip(answer.plays.into_iter().next()).map(|(played, best)| Self {
            chosen: played.play,
            better: best.play,
            loss: f64::from(played.loss).abs(),
        })
    }

    /// Whether it loses enough for a tutor to speak up.
    pub fn is_doubtful(&self) -> bool {
        self.loss >= Self::DOUBTFUL
    }
}

/// A question of a running game.
pub(super) struct Asking<'a> {
    pub(super) engine: &'a Engine,
    pub(super) watch: &'a Watch<'a>,
    pub(super) setup: &'a Setup,
    /// A number that no other decision of the game has.
    pub(super) decision: u64,
    /// How far mistakes are looked for, in place of the depth of hints.
    pub(super) ply: Option<u8>,
}

impl Asking<'_> {
    /// The answer of the engine, by the network of the game.
    pub(super) fn ask<O: Operation>(
        &self,
        question: Question,
        operation: &O,
    ) -> Result<O::Answer, EngineError> {
        let question = Question { model: self.setup.model.clone(), ..question };
        Ok(self.engine.ask(&question, operation, self.watch)?.answer)
    }
}

/// The rules of a game while it is played. Seats are counted from 0.
pub(super) trait Table: Send {
    /// A copy.
    fn boxed(&self) -> Box<dyn Table>;

    /// The rules in a few sentences.
    fn brief(&self) -> &'static str;

    /// What must happen next; never that a match is over, which depends on what was agreed.
    fn awaited(&self) -> Awaited;

    /// The seat on roll.
    fn on_roll(&self) -> Option<usize>;

    /// The next roll, and whose it is.
    fn throw(&self, rng: &mut ChaCha8Rng) -> (usize, Vec<u8>);

    /// Does what the rules allow, and says it in the words of the game.
    ///
    /// # Errors
    ///
    /// [`LiveError`]; nothing is changed then.
    fn act(&mut self, seat: usize, action: &Action) -> Result<Action, LiveError>;

    /// The game after this one; `finished` is how many are over then.
    ///
    /// # Errors
    ///
    /// [`LiveError::Session`].
    fn next_game(&self, finished: usize) -> Result<Box<dyn Table>, LiveError>;

    /// The numbers of the roll to be played.
    fn roll(&self) -> Option<Vec<u8>>;

    /// The roll, where it stands in one line with its play.
    fn told_roll(&self) -> Option<Vec<u8>>;

    /// The plays in words, where one is awaited.
    fn plays(&self) -> Vec<String>;

    /// The play that is made without asking.
    fn forced(&self) -> Option<String> {
        let mut plays = self.plays();
        if plays.len() == 1 { plays.pop() } else { None }
    }

    /// What special rules say of what a seat does, before it is done.
    fn reasons(&self, seat: usize, action: &Action) -> Vec<String> {
        let _ = (seat, action);
        Vec::new()
    }

    /// The board as a seat sees it, with the names of the seats where it has room for them.
    fn drawing(&self, user: usize, names: &[String]) -> Board;

    /// The board as data, as a seat sees it.
    fn board(&self, user: usize) -> GameBoard;

    /// The position of the seat on roll as a text that the game can read.
    fn position(&self) -> String;

    /// Whether the engine can play the game.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model`.
    fn check_network(&self, asking: &Asking<'_>) -> Result<(), EngineError>;

    /// What the engine does in this seat, which must act.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    fn decide(&self, seat: usize, asking: &Asking<'_>) -> Result<Action, EngineError>;

    /// Advice for the user, who must act.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    fn hint(&self, asking: &Asking<'_>) -> Result<Hint, EngineError>;

    /// Rolls that hints look ahead.
    fn advice_ply(&self) -> u8 {
        0
    }

    /// What an action of the user loses.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    fn mistake(&self, action: &Action, asking: &Asking<'_>)
    -> Result<Option<Mistake>, EngineError>;

    /// What the position is worth before the roll.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    fn evaluate(&self, asking: &Asking<'_>) -> Result<PositionValue, EngineError>;

    /// How many dice are thrown for a roll, and how many faces each has.
    fn thrown(&self) -> (usize, u8) {
        (2, 6)
    }

    /// Waits for typed dice of the engine; whether it did not before.
    fn wait_for_dice(&mut self) -> bool {
        false
    }

    /// The side of a seat as the [`cubed`](Self::cubed) table counts it.
    fn side(&self, seat: usize) -> usize {
        seat
    }

    /// Whether the seat on roll may double before it rolls.
    fn may_double(&self) -> bool {
        self.cubed().is_some_and(MatchTable::may_double)
    }

    /// The member of a team whose cube is decided on, where the box could mean another one.
    fn whose_cube(&self) -> Option<usize> {
        None
    }

    /// The chouette, where one is played.
    fn chouette(&self) -> Option<&ChouetteTable> {
        None
    }

    /// The match, where there is a cube.
    fn cubed(&self) -> Option<&MatchTable> {
        None
    }
}
