//! The table of a running game: what is played at it, and the advice of an engine.

use rand::rngs::ChaCha8Rng;
use schemars::JsonSchema;
use serde::Serialize;
use tavola_games::{AnyGame, NamedGame, with_many_game};
use tavola_rules::board::Board;

use super::many::ManyTurn;
use super::setup::named_game;
use super::strength::noise;
use super::two::TwoTurn;
use super::{Awaited, ChouetteTable, GameBoard, LiveError, MatchTable, SeatAction, Setup};
use crate::effort::Effort;
use crate::engine::Engine;
use crate::error::Result;
use crate::many::{ManyEvaluation, ManyPlays};
use crate::operations::{BestAnswer, CubeAnswer, Eval, EvalAnswer, Operation};
use crate::question::{Question, TwoOrMany};
use crate::watch::Watch;

/// Advice on the decision of the user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum Hint {
    /// The plays of the roll, best first.
    Plays(Box<BestAnswer>),
    /// The plays of the roll in a game for more than two, best first, with a number for each seat.
    Many(ManyPlays),
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

/// What a position is worth before the roll: to the player on roll, or to the seat that decides
/// next and to the others in turn order.
pub type PositionValue = TwoOrMany<EvalAnswer, ManyEvaluation>;

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
pub(super) struct TableQuestion<'a> {
    pub(super) engine: &'a Engine,
    pub(super) watch: &'a Watch<'a>,
    pub(super) setup: &'a Setup,
    /// A number that no other decision of the game has.
    pub(super) decision: u64,
    /// How far mistakes are looked for, in place of the depth of hints.
    pub(super) ply: Option<u8>,
}

impl TableQuestion<'_> {
    /// Games for more than two players come without warnings, which would come with each turn.
    pub(super) fn quiet(&self) -> Watch<'_> {
        Watch { events: &|_| {}, ..*self.watch }
    }

    /// The answer of the engine, by the network of the game.
    pub(super) fn ask<O: Operation>(&self, question: Question, operation: &O) -> Result<O::Answer> {
        let question = Question { model: self.setup.model.clone(), ..question };
        Ok(self.engine.ask(&question, operation, self.watch)?.answer)
    }

    /// What a position before the roll is worth, or that of the start.
    pub(super) fn value(&self, position: Option<String>, ply: u8) -> Result<PositionValue> {
        let (game, model) = (named_game(&self.setup.game)?, self.setup.model.clone());
        let effort = Effort::at(ply);
        let question = Question { position, effort, model, ..Question::start(game) };
        let quiet = self.quiet();
        let watch = if question.game.many().is_some() { &quiet } else { self.watch };
        Ok(match self.engine.ask_any(&question, &Eval::default(), watch)? {
            TwoOrMany::Two(full) => TwoOrMany::Two(full.answer),
            TwoOrMany::Many(full) => TwoOrMany::Many(full.answer),
        })
    }

    /// By how much the level misreads a position of these cells, in equity.
    pub(super) fn noise(&self, cells: &[i8]) -> f64 {
        match self.setup.strength.noise() {
            0.0 => 0.0,
            sigma => sigma * noise(self.setup.seed, self.decision, cells),
        }
    }

    /// The play that the level takes of these, the best first with their equities as it reads them.
    pub(super) fn choose<T>(&self, mut plays: impl Iterator<Item = (T, f64)>) -> Option<T> {
        let chosen = match self.setup.strength.noise() {
            // Plays that were searched deepest come first, and only those are comparable.
            0.0 => plays.next(),
            _ => plays.max_by(|(_, a), (_, b)| a.total_cmp(b)),
        };
        chosen.map(|(play, _)| play)
    }
}

/// The rules of a game while it is played. Seats are counted from 0.
pub(super) trait Turn: Boxed + Send {
    /// The rules in a few sentences.
    fn brief(&self) -> &'static str;

    /// What must happen next; never that a match is over, which depends on what was agreed.
    fn awaited(&self) -> Awaited;

    /// The seat on roll.
    fn on_roll(&self) -> Option<usize>;

    /// How many dice are thrown for a roll, and how many faces each has.
    fn thrown(&self) -> (usize, u8);

    /// The next roll, and whose it is.
    fn throw(&self, rng: &mut ChaCha8Rng) -> (usize, Vec<u8>);

    /// Does what the rules allow, and says it in the words of the game.
    ///
    /// # Errors
    ///
    /// [`LiveError`]; nothing is changed then.
    fn act(&mut self, seat: usize, action: &SeatAction) -> Result<SeatAction, LiveError>;

    /// Begins the next game.
    ///
    /// # Errors
    ///
    /// [`LiveError::Session`]; nothing is changed then.
    fn next_game(&mut self) -> Result<(), LiveError>;

    /// The numbers of the roll to be played.
    fn roll(&self) -> Option<Vec<u8>>;

    /// The roll, where it stands in one line with its play. With a cube it is an action for itself,
    /// for a double may come before it.
    fn told_roll(&self) -> Option<Vec<u8>> {
        None
    }

    /// The plays in words, where one is awaited.
    fn plays(&self) -> Vec<String>;

    /// The play that is made without asking; with a cube that is a pass alone.
    fn forced(&self) -> Option<String> {
        let mut plays = self.plays();
        let play = plays.pop().filter(|_| plays.is_empty());
        play.filter(|play| self.cubed().is_none() || play == "pass")
    }

    /// The game between the two sides that decide, where there is a cube.
    fn cubed(&self) -> Option<&MatchTable> {
        None
    }

    /// The chouette, where one is played.
    fn chouette(&self) -> Option<&ChouetteTable> {
        None
    }

    /// Whether the seat on roll may double before it rolls.
    fn may_double(&self) -> bool {
        false
    }

    /// Waits for typed dice of the engine; whether it did not before.
    fn wait_for_dice(&mut self) -> bool {
        false
    }

    /// What special rules say of what a seat does, before it is done.
    fn reasons(&self, seat: usize, action: &SeatAction) -> Vec<String>;

    /// The board as a seat sees it, with the names of the seats where it has room for them.
    fn drawing(&self, user: usize, names: &[String]) -> Board;

    /// The board as data, as a seat sees it.
    fn board(&self, user: usize) -> GameBoard;

    /// The position of the seat on roll as a text that the game can read.
    fn position(&self) -> String;

    /// What the engine does in this seat, which must act.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError).
    fn decide(&self, seat: usize, asking: &TableQuestion<'_>) -> Result<SeatAction>;

    /// What the position is worth before the roll.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError).
    fn evaluate(&self, asking: &TableQuestion<'_>) -> Result<PositionValue> {
        asking.value(Some(self.position()), asking.setup.advice_ply())
    }

    /// Advice for the user, who must act.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError).
    fn hint(&self, asking: &TableQuestion<'_>) -> Result<Hint>;

    /// What an action of the user loses.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError).
    fn mistake(&self, action: &SeatAction, asking: &TableQuestion<'_>) -> Result<Option<Mistake>>;
}

/// A turn that can be copied.
pub(super) trait Boxed {
    /// A copy.
    fn boxed(&self) -> Box<dyn Turn>;
}

impl<T: Turn + Clone + 'static> Boxed for T {
    fn boxed(&self) -> Box<dyn Turn> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Turn> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

/// The game on a table, with its cube if it has one.
pub(super) type Table = Box<dyn Turn>;

/// The table before the first game.
pub(super) fn table_of(setup: &Setup) -> Result<Table> {
    Ok(match (named_game(&setup.game)?, &setup.chouette) {
        (NamedGame::Many(game), _) => {
            with_many_game!(game, |game| Box::new(ManyTurn::new(game, setup.dice)))
        }
        (NamedGame::Two(AnyGame::Old(game)), _) => Box::new(TwoTurn::new(game, setup.dice)),
        (NamedGame::Two(AnyGame::Backgammon(start)), None) => {
            Box::new(MatchTable::new(start, setup)?)
        }
        (NamedGame::Two(AnyGame::Backgammon(start)), Some(rules)) => {
            Box::new(ChouetteTable::new(start, rules, setup)?)
        }
    })
}
