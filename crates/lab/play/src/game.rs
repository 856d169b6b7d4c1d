//! The one game loop.
//!
//! Self-play, duels and whatever else plays a game use [`GameLoop::play`]; they differ in the
//! rolls ([`RollSource`]), in who chooses ([`Seats`]) and in who watches ([`GameObserver`]).

use std::num::NonZeroU32;
use std::ops::ControlFlow;

use rand::Rng;
use tavola_data::{RecordOf, Turn};
use tavola_rules::{Game, Outcome};

use crate::agent::{Agent, AgentChoice, AgentError};
use crate::cube_play::CubeView;

/// The mover of the turn, by the order in which the players began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// On roll in the start state.
    First,
    /// The other one.
    Second,
}

impl Seat {
    /// The seat on roll in turn number `turn`, counted from 0.
    pub const fn on_roll(turn: u32) -> Self {
        if turn.is_multiple_of(2) { Self::First } else { Self::Second }
    }
}

/// A player before a choice.
#[derive(Debug)]
pub struct ChoosingPlayer<'a, G: Game> {
    /// The game that is played.
    pub game: &'a G,
    /// The state before the play, from the player who is to choose.
    pub state: &'a G::State,
    /// The roll of the turn.
    pub roll: G::Roll,
    /// The afterstates of the roll, seen by the opponent; never empty.
    pub afterstates: &'a [G::State],
    /// Number of the turn, counted from 0.
    pub turn: u32,
    /// Who is to choose.
    pub seat: Seat,
    /// Cube and stakes, where there is a cube.
    pub cube: Option<&'a CubeView<'a>>,
}

impl<'a, G: Game> ChoosingPlayer<'a, G> {
    /// A player before the first play of a game without a cube.
    pub fn first(
        game: &'a G,
        state: &'a G::State,
        roll: G::Roll,
        afterstates: &'a [G::State],
    ) -> Self {
        Self { game, state, roll, afterstates, turn: 0, seat: Seat::First, cube: None }
    }
}

/// Where the rolls of a game come from.
pub trait RollSource<G: Game> {
    /// The roll of turn number `turn`, counted from 0; each is taken once, in order.
    fn roll(&mut self, game: &G, turn: u32) -> G::Roll;
}

/// Fair rolls from a random generator.
#[derive(Debug)]
pub struct RandomRolls<R> {
    rng: R,
    first: FirstRoll,
}

/// What the first roll of a game is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstRoll {
    /// The game's opening roll, as in a game from its start.
    Opening,
    /// A roll like any other, as in a game from somewhere in the middle.
    Ordinary,
}

impl<R: Rng> RandomRolls<R> {
    /// Rolls from this generator.
    pub const fn new(rng: R, first: FirstRoll) -> Self {
        Self { rng, first }
    }
}

impl<G: Game, R: Rng> RollSource<G> for RandomRolls<R> {
    fn roll(&mut self, game: &G, turn: u32) -> G::Roll {
        if turn == 0 && self.first == FirstRoll::Opening {
            game.opening_roll(&mut self.rng)
        } else {
            game.roll(&mut self.rng)
        }
    }
}

/// Which agents sit at the table.
pub enum Seats<'a, G: Game> {
    /// One agent plays against itself.
    Same(&'a mut dyn Agent<G>),
    /// Two agents play each other.
    Two {
        /// Begins.
        first: &'a mut dyn Agent<G>,
        /// The other one.
        second: &'a mut dyn Agent<G>,
    },
}

impl<'a, G: Game> Seats<'a, G> {
    fn at(&mut self, seat: Seat) -> &mut (dyn Agent<G> + 'a) {
        match (self, seat) {
            (Self::Same(agent), _) => *agent,
            (Self::Two { first, .. }, Seat::First) => *first,
            (Self::Two { second, .. }, Seat::Second) => *second,
        }
    }
}

/// Watches a game.
pub trait GameObserver<G: Game> {
    /// A turn was played.
    fn turn(&mut self, situation: &ChoosingPlayer<'_, G>, decision: &AgentChoice);
}

/// Watches nothing.
impl<G: Game> GameObserver<G> for () {
    fn turn(&mut self, _: &ChoosingPlayer<'_, G>, _: &AgentChoice) {}
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// The outcome from the player on roll in the last state.
    pub outcome: Outcome,
    /// Number of turns played, passes included.
    pub turns: u32,
}

impl GameEnd {
    /// The outcome from the player in `seat`.
    pub fn outcome_for(&self, seat: Seat) -> Outcome {
        if Seat::on_roll(self.turns) == seat { self.outcome } else { self.outcome.flip() }
    }
}

/// Why a game has no end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GameError {
    /// There is nothing to play.
    #[error("the game is over in its start state, expected one that goes on")]
    FinishedStart,
    /// The game was truncated: it has no winner.
    #[error("no end after {turns} turns, the most that were allowed")]
    TooLong {
        /// Turns played.
        turns: u32,
    },
    /// A player could not choose.
    #[error("no choice in turn {}: {reason}", turn + 1)]
    NoChoice {
        /// Number of the turn, counted from 0.
        turn: u32,
        /// Why.
        reason: AgentError,
    },
}

/// Turns after which a game is truncated unless settings say otherwise. Most fresh random networks
/// have games of 40 to 350 turns, and up to 2,500 against the pip count baseline. Only players that
/// hit each other forever pass any bound: some fresh networks now and then, that baseline against
/// itself often.
pub const DEFAULT_MAX_TURNS: NonZeroU32 = NonZeroU32::new(5000).expect("5,000 is not zero");

/// Plays games, one after the other, and keeps its memory between them.
#[derive(Debug)]
pub struct GameLoop<G: Game> {
    game: G,
    max_turns: NonZeroU32,
    afterstates: Vec<G::State>,
}

impl<G: Game> GameLoop<G> {
    /// A loop for `game` that gives a game up after `max_turns` turns.
    pub const fn new(game: G, max_turns: NonZeroU32) -> Self {
        Self { game, max_turns, afterstates: Vec::new() }
    }

    /// The game that is played.
    pub const fn game(&self) -> &G {
        &self.game
    }

    /// Plays a game from `start`, seen by the player in [`Seat::First`], to its end.
    ///
    /// # Errors
    ///
    /// [`GameError`] if `start` is finished, the game too long or an agent fails. Backgammon ends
    /// sooner or later with certainty, but players who know nothing can need thousands of turns.
    ///
    /// # Panics
    ///
    /// If an agent chooses a result that there is not.
    pub fn play(
        &mut self,
        start: &G::State,
        rolls: &mut impl RollSource<G>,
        seats: Seats<'_, G>,
        observer: &mut impl GameObserver<G>,
    ) -> Result<GameEnd, GameError> {
        let end = self.drive(start, rolls, &mut Watched { seats, observer })?;
        Ok(end.expect("no player leaves a game without a cube"))
    }

    /// Plays at a table where more happens than rolling and moving checkers; `None` if the game did
    /// not end by the checkers, but before a roll.
    pub(crate) fn drive(
        &mut self,
        start: &G::State,
        rolls: &mut impl RollSource<G>,
        table: &mut impl Table<G>,
    ) -> Result<Option<GameEnd>, GameError> {
        if self.game.outcome(start).is_some() {
            return Err(GameError::FinishedStart);
        }
        let mut state = *start;
        for turn in 0..self.max_turns.get() {
            let failed = |reason| GameError::NoChoice { turn, reason };
            if table.before_roll(&state, turn).map_err(failed)?.is_break() {
                return Ok(None);
            }
            let roll = rolls.roll(&self.game, turn);
            self.afterstates.clear();
            self.game.afterstates(&state, roll, &mut self.afterstates);
            let first = ChoosingPlayer::first(&self.game, &state, roll, &self.afterstates);
            let situation = ChoosingPlayer { turn, seat: Seat::on_roll(turn), ..first };
            let decision = table.choose(&situation).map_err(failed)?;
            state = self.afterstates[decision.index];
            if let Some(outcome) = self.game.outcome(&state) {
                return Ok(Some(GameEnd { outcome, turns: turn + 1 }));
            }
        }
        Err(GameError::TooLong { turns: self.max_turns.get() })
    }
}

/// Who sits at a table, and what happens there beside the dice.
pub(crate) trait Table<G: Game> {
    /// What comes before the roll of turn number `turn`: `Break` ends the game there.
    fn before_roll(&mut self, state: &G::State, turn: u32) -> Result<ControlFlow<()>, AgentError>;

    /// The choice of the player on roll.
    fn choose(&mut self, situation: &ChoosingPlayer<'_, G>) -> Result<AgentChoice, AgentError>;
}

/// Nothing but checkers, and an observer.
struct Watched<'a, 'b, G: Game, O> {
    seats: Seats<'a, G>,
    observer: &'b mut O,
}

impl<G: Game, O: GameObserver<G>> Table<G> for Watched<'_, '_, G, O> {
    fn before_roll(&mut self, _: &G::State, _: u32) -> Result<ControlFlow<()>, AgentError> {
        Ok(ControlFlow::Continue(()))
    }

    fn choose(&mut self, situation: &ChoosingPlayer<'_, G>) -> Result<AgentChoice, AgentError> {
        let decision = self.seats.at(situation.seat).choose(situation)?;
        self.observer.turn(situation, &decision);
        Ok(decision)
    }
}

/// Writes down what happens, for the record of a game. Where an agent says nothing of the state
/// that it chose, the record has probabilities that are all zero.
#[derive(Debug)]
pub struct Recorder<G: Game> {
    turns: Vec<Turn<G::State, G::Roll>>,
}

impl<G: Game> Recorder<G> {
    /// The record of the game number `index` that was watched since the last call, which began
    /// in `start` and has ended as in `end`.
    pub fn take(&mut self, index: u64, start: G::State, end: GameEnd) -> RecordOf<G> {
        debug_assert_eq!(self.turns.len(), end.turns as usize, "a whole game was watched");
        // A copy of the right size, so that the list grows once a run and not once a game.
        let record =
            RecordOf::<G> { index, start, turns: self.turns.to_vec(), outcome: end.outcome };
        self.turns.clear();
        record
    }

    /// Forgets a game that is not to be recorded.
    pub fn discard(&mut self) {
        self.turns.clear();
    }
}

impl<G: Game> Default for Recorder<G> {
    fn default() -> Self {
        Self { turns: Vec::new() }
    }
}

impl<G: Game> GameObserver<G> for Recorder<G> {
    fn turn(&mut self, situation: &ChoosingPlayer<'_, G>, decision: &AgentChoice) {
        self.turns.push(Turn {
            roll: situation.roll,
            after: situation.afterstates[decision.index],
            probs: decision.probs.unwrap_or_default(),
            choice: decision.choice,
        });
    }
}

#[cfg(test)]
mod tests {
    use tavola_evaluator::{PipCountEvaluator, RandomEvaluator};
    use tavola_rules::{Backgammon, Dice, Position};

    use super::*;
    use crate::agent::EvaluatorAgent;

    /// All rolls in turn.
    struct Cycle;

    impl RollSource<Backgammon> for Cycle {
        fn roll(&mut self, _: &Backgammon, turn: u32) -> Dice {
            Dice::ALL[turn as usize * 8 % 21].0
        }
    }

    fn turns(n: u32) -> NonZeroU32 {
        NonZeroU32::new(n).unwrap()
    }

    #[test]
    fn a_game_is_recorded_turn_by_turn_with_the_seats_alternating() {
        let game = Backgammon::Hypergammon;
        let mut first = EvaluatorAgent::new(Box::new(PipCountEvaluator::new(game)));
        let mut second = EvaluatorAgent::new(Box::new(RandomEvaluator::new(game, 1)));
        let seats = Seats::Two { first: &mut first, second: &mut second };
        let mut recorder = Recorder::default();
        let end = GameLoop::new(game, turns(1000))
            .play(&game.start(), &mut Cycle, seats, &mut recorder)
            .unwrap();
        let record = recorder.take(4, game.start(), end);
        assert_eq!((record.index, record.turns.len()), (4, end.turns as usize));
        let mut afterstates = Vec::new();
        for (before, turn) in record.states().zip(&record.turns) {
            assert_eq!(game.outcome(&before), None);
            afterstates.clear();
            game.afterstates(&before, turn.roll, &mut afterstates);
            assert!(afterstates.contains(&turn.after));
        }
        assert_eq!(game.outcome(&record.turns.last().unwrap().after), Some(end.outcome));
        assert_eq!(end.outcome_for(Seat::First), record.outcome_at(0));
        assert_eq!(end.outcome_for(Seat::Second), record.outcome_at(1));
    }

    #[test]
    fn games_without_an_end_or_a_beginning_are_errors() {
        let game = Backgammon::Standard;
        let mut agent = EvaluatorAgent::new(Box::new(RandomEvaluator::new(game, 1)));
        let mut games = GameLoop::new(game, turns(5));
        let error = games.play(&game.start(), &mut Cycle, Seats::Same(&mut agent), &mut ());
        assert_eq!(error, Err(GameError::TooLong { turns: 5 }));

        let lost = Position::from_points(&[(6, 15)], &[], 15).unwrap();
        let error = games.play(&lost, &mut Cycle, Seats::Same(&mut agent), &mut ());
        assert_eq!(error, Err(GameError::FinishedStart));
    }
}
